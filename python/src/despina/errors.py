"""Every error Despina raises, each with the rule it broke, what was found, where, and what to do.

The exit codes are the command's (0 is done, 130 interrupted), so that a script and a caller agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

Severity = Literal["error", "warning"]

_CONTROLS = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f]")


def visible(text: str) -> str:
    """The text with its control characters replaced, but for line feeds and tabs.

    Data, file names and graphs are quoted in what a terminal shows, and must not steer it.
    """
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


@dataclass(frozen=True)
class Place:
    """Where something stands: 1-based line and column in a file; 0 where they are not known."""

    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        """``FILE:LINE:COL``, without what is not known."""
        parts = [self.file or "graph"]
        if self.line:
            parts.append(str(self.line))
            if self.column:
                parts.append(str(self.column))
        return ":".join(parts)


@dataclass(frozen=True)
class Used:
    """Where a part of a graph is used, or the file that it is in is named."""

    place: Place
    pointer: str = ""


@dataclass(frozen=True)
class Diagnostic:
    """One thing that ``check`` found, in the same words from every driver.

    :ivar used: of what is in a part, the use of the part, then the use of the part that this is in, and so on
    :ivar more: how many other uses of the part have the same
    """

    rule: str
    message: str
    severity: Severity = "error"
    hint: str = ""
    place: Place = field(default_factory=Place)
    pointer: str = ""
    operator: str = ""
    used: tuple[Used, ...] = ()
    more: int = 0

    def __str__(self) -> str:
        """``FILE:LINE:COL: error[rule]: text (at /pointer, operator id)``, then the hint on a line of its own."""
        return f"{visible(str(self.place))}: {self.severity}{self.told()}"

    def told(self) -> str:
        """The same without place and severity: ``[rule]: text …``."""
        about = [f"at {self.pointer}"] if self.pointer else []
        if self.operator:
            about.append(f"operator {self.operator}")
        about += [f"used at {each.place}" for each in self.used]
        if self.more:
            about.append(f"and in {self.more} more use{'s' * (self.more != 1)}")
        text = f"[{self.rule}]: {self.message}"
        if about:
            text += f" ({', '.join(about)})"
        return visible(f"{text}\n  hint: {self.hint}" if self.hint else text)

    def as_dict(self) -> dict[str, Any]:
        """The same as an object, for ``--json``."""
        pairs = {
            "rule": self.rule, "severity": self.severity, "message": self.message, "hint": self.hint,
            "file": self.place.file, "line": self.place.line, "column": self.place.column,
            "pointer": self.pointer, "operator": self.operator, "more": self.more,
            "used": [{"file": each.place.file, "line": each.place.line, "column": each.place.column, "pointer": each.pointer}
                     for each in self.used],
        }
        return {name: value for name, value in pairs.items() if value}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Diagnostic:
        """Reads what the gateway answers."""
        return cls(
            rule=str(found.get("rule", "internal")), message=str(found.get("message", "")),
            severity="warning" if found.get("severity") == "warning" else "error",
            hint=str(found.get("hint") or ""), pointer=str(found.get("pointer") or ""),
            operator=str(found.get("operator") or ""), place=_place(found), more=int(found.get("more") or 0),
            used=tuple(Used(_place(each), str(each.get("pointer") or "")) for each in found.get("used") or ()),
        )


def _place(found: Mapping[str, Any]) -> Place:
    return Place(str(found.get("file") or ""), int(found.get("line") or 0), int(found.get("column") or 0))


class DespinaError(Exception):
    """Something went wrong that the user can do something about."""

    exit_code: ClassVar[int] = 1

    def __init__(self, rule: str, message: str, hint: str = "", place: Place | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.hint = hint
        self.place = place
        self.operator = ""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The error as diagnostics, so that all errors print and serialize alike."""
        return (Diagnostic(self.rule, self.message, hint=self.hint, place=self.place or Place(), operator=self.operator),)

    def __str__(self) -> str:
        """``error[rule]: text``, with its place in front where it has one, then the hint."""
        where = f"{self.place}: " if self.place else ""
        text = f"{where}error[{self.rule}]: {self.message}"
        return visible(f"{text}\n  hint: {self.hint}" if self.hint else text)

    def as_dicts(self) -> list[dict[str, Any]]:
        """Its diagnostics as objects, for ``--json``."""
        return [diagnostic.as_dict() for diagnostic in self.diagnostics]


class RefusedError(DespinaError):
    """The graph, the deployment, an option or a file was refused before anything ran."""

    exit_code = 2


class NoSinkError(RefusedError, KeyError):
    """A sink that is none of the graph's."""

    def __init__(self, sink: str, sinks: Iterable[str]) -> None:
        from difflib import get_close_matches

        known = list(sinks)
        close = get_close_matches(str(sink), known, 1)
        super().__init__("sink", f"the graph has no sink {sink!r}",
                         f"did you mean {close[0]!r}?" if close else f"its sinks: {', '.join(known)}")


class GraphError(RefusedError):
    """A graph that does not pass ``check``; carries everything that was found, warnings too."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        first = next((d for d in diagnostics if d.severity == "error"), None)
        if first is None:
            raise ValueError("a GraphError needs at least one error")
        super().__init__(first.rule, first.message, first.hint, first.place)
        self._diagnostics = tuple(diagnostics)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that was found, in the order of the file."""
        return self._diagnostics

    def __str__(self) -> str:
        """Every diagnostic, one after the other: errors, then warnings."""
        return "\n".join(map(str, sorted(self._diagnostics, key=lambda diagnostic: diagnostic.severity != "error")))


class DespinaWarning(UserWarning):
    """What ``check`` found that is no error; :attr:`Job.warnings <despina.Job.warnings>` has it with its parts."""


class JobError(DespinaError):
    """A job that ran and failed."""

    exit_code = 1


class IncompleteError(JobError):
    """A job that was to end and could not work off in its time what was in flight: that is lost, what came to sinks is kept."""

    exit_code = 5


class StartError(DespinaError):
    """What a job needs before it can start is not there: Java, the jars, a resource."""

    exit_code = 3

    @classmethod
    def of_fork(cls) -> Self:
        """A forked process asks its parent's engine."""
        return cls("engine_forked", "the engine belongs to the parent of this forked process",
                   "start one here: despina.engine.start(), over py4j")
