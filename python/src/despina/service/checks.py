"""What is checked before a graph runs: what the engine says of it, what it may name here, what it would make of a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from despina import function_texts, parts
from despina.engine import Checked
from despina.errors import Diagnostic, GraphError, RefusedError, StartError
from despina.service.coordinator import Coordinator
from despina.service.rules import Rules
from despina.service.served import ServedJob
from despina.service.submission import Submission, as_written, flows, given, isolated
from despina.service.upgrades import Fate, Wish, fates

READY_S = 15.0
"""How long a request waits for a coordinator that is starting."""
CODE = (".py", ".pyc", ".pyo", ".so", ".pyd", ".pth", ".zip", ".egg", ".whl", ".jar", ".class")
"""Endings of files that Python or Java may run."""
CHECK_OPTIONS = ("directory", "parameters", "deployment_text", "deployment_file", "state", "python")


class Checks:
    """Checks of submissions. Thread-safe; changes nothing."""

    def __init__(self, coordinator: Coordinator, rules: Rules, folder: Path) -> None:
        """:param folder: the service's"""
        self._coordinator = coordinator
        self._rules = rules
        self._folder = folder

    def check(self, submission: Submission, folder: Path | None = None) -> Checked:
        """What ``check`` says of it, and what it names that it may not.

        :param folder: with the files that come with it
        :raise StartError: there is no coordinator
        """
        return self.checked(submission, self.plain(submission), folder)

    def checked(self, submission: Submission, plain: Submission, folder: Path | None) -> Checked:
        """The same.

        :param plain: what :meth:`plain` makes of it
        """
        found = self._coordinator.engine(READY_S).check(submission.text, submission.file, self._options(plain, folder))
        if not found.ok:
            return found
        broken = self.broken(plain, folder)
        return replace(found, diagnostics=(*found.diagnostics, *broken), plan=None if broken else found.plan)

    def broken(self, plain: Submission, folder: Path | None) -> tuple[Diagnostic, ...]:
        """What a graph without parts names and may not.

        :param folder: with the files that come with it
        """
        return self._rules.broken(plain.text, plain.file, plain.parameters, plain.deployment, folder)

    def _options(self, plain: Submission, folder: Path | None) -> dict[str, Any]:
        asked = given(plain.deployment or isolated(None, "job"), plain.parameters, folder or self._folder)
        allowed = {name: value for name, value in asked.items() if name in CHECK_OPTIONS}
        here = str(self._folder / "service.json")     # no module lies beside that
        allowed |= flows(plain.inputs, plain.spool)
        return function_texts.added(allowed, plain.text, here, [folder] if folder else [])

    def plain(self, submission: Submission) -> Submission:
        """What a job keeps of it: the graph without parts, and no file behind it."""
        whole = self._whole(submission.text, submission.file)
        if whole is not None:
            return replace(submission, text=whole[0], places=whole[1])
        if parts.has_any(submission.text):
            return submission       # check says why they cannot be written out
        return replace(submission, text=submission.text.partition(parts.SEPARATOR)[0])

    def without_parts(self, text: str, file: str) -> str | None:
        """The graph with the operators of its parts in the place of each use, as a job keeps it; None if it has no parts."""
        whole = self._whole(text, file)
        return None if whole is None else whole[0]

    def formatted(self, text: str, file: str) -> str:
        """The canonical form of a graph's text; the files of its parts stay behind it as they are.

        :raise GraphError: it does not parse
        """
        own, sign, files = text.partition(parts.SEPARATOR)
        return f"{self._coordinator.engine(READY_S).format(own, file)}{sign}{files}"

    def schema(self) -> str:
        """The JSON Schema of graphs, which the engine makes of what it knows."""
        return self._coordinator.engine(READY_S).schema()

    def _whole(self, text: str, file: str) -> tuple[str, Mapping[str, Mapping[str, Any]]] | None:
        if not parts.has_any(text):
            return None
        try:
            return self._coordinator.engine(READY_S).without_parts(text, file)
        except GraphError:
            return None     # check says it

    def refuse_code(self, files: Mapping[str, str]) -> None:
        """Refuses code that comes with a graph and may not run here.

        :raise RefusedError: a file is such code
        """
        for path in files:
            if path.lower().endswith(CODE) and not (path.endswith(".py") and self._rules.allows_module(path)) \
                    and "*" not in self._rules.python:
                module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                raise RefusedError("allowed", f"the code {path} may not run here", f"despina serve --allow-python {module} "
                                   "allows it" if path.endswith(".py") else "")

    def fates(self, submission: Submission, plain: Submission, wish: Wish, folder: Path,
              before: ServedJob) -> tuple[str, list[Fate], int]:
        """What would become of a job's operators and of their states under another graph.

        :param folder: with the files that come with it
        :return: the epoch that was looked at, in words, empty for none; the operators; bytes that its processes may take
        :raise GraphError: the graph is refused, or a state cannot go on
        """
        checked = self.checked(submission, plain, folder)
        if not checked.ok:
            raise GraphError(checked.diagnostics)
        source, states = "", []
        if before.record.restart == submission.restart == "resume":
            asked = {"from": str(before.run.state), "drop": list(wish.drop), "rename": dict(wish.rename)}
            told, found = self._dry_run(submission, self._options(plain, folder), asked, before)
            if any(each.severity == "error" for each in told):
                raise GraphError(told)
            source, states = (found["from"], found["operators"]) if found else ("", [])
        return source, list(fates(before.run.graph, plain.text, states, wish.rename)), checked.children_bytes

    def _dry_run(self, submission: Submission, options: dict[str, Any], asked: dict[str, Any], before: ServedJob
                 ) -> tuple[Sequence[Diagnostic], dict[str, Any] | None]:
        """What the engine says of the state of the run before; nothing of one that has no epoch yet."""
        had = _has_epoch(before)
        try:
            return self._coordinator.engine(READY_S).dry_run(submission.text, submission.file, options, asked)
        except RefusedError as error:
            if error.rule != "state" or had:
                raise
        # one that was made since is to be judged too
        return self._dry_run(submission, options, asked, before) if _has_epoch(before) else ((), None)

    def plan(self, job: ServedJob) -> dict[str, Any] | None:
        """The plan of a run as check gives it, with schemas; None if it cannot be made now. It has no value of a parameter,
        which may be one that not everybody is to read.
        """
        record, run = job.record, job.run
        try:
            found = self.check(Submission(run.graph, record.graph, deployment=run.deployment, parameters=run.parameters,
                                          inputs=tuple(record.inputs), spool=tuple(record.spool)), run.files).plan
        except StartError:
            return None
        return found and as_written(found, run.graph, run.parameters)


def _has_epoch(job: ServedJob) -> bool:
    return bool(((job.status(0.0) or {}).get("epoch") or {}).get("complete"))
