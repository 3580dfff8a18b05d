"""What a run may be told beside the graph, and the files that it names."""

from __future__ import annotations

import difflib
import json
import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypedDict

from despina.errors import Place, RefusedError
from despina.values import Parameter, parameter_text

StopMode = Literal["drain", "flush", "now"]
Delivery = Literal["by_epoch", "at_least_once"]
SHORTEST_S = 0.001
"""The engine counts whole milliseconds, and takes none of them for no end."""


class RunArguments(TypedDict, total=False):
    """The fields of :class:`RunOptions`, as arguments by name."""

    parameters: Mapping[str, Parameter] | None
    deployment: str | Path | Mapping[str, Any] | None
    duration_s: float | None
    warm_up_s: float | None
    on_stop: StopMode | None
    drain_ms: float | None
    secret_file: str | Path | None
    tls: str | Path | None
    listen: str | None
    join_timeout_s: float | None
    started_at_ms: int | None
    jars: Sequence[str | Path] | None
    modules: Sequence[str | Path] | None
    spool: str | Sequence[str] | None
    spool_bytes: int | None
    delivery: Delivery | None
    state: str | Path | None
    epoch_ms: float | None
    from_start: bool | None
    resume: bool | None
    from_: str | Path | int | None
    drop: str | Sequence[str] | None
    rename: Mapping[str, str] | None
    spares: int | None
    standby: bool | None
    coordinator_lost_ms: float | None
    registry: str | None
    supervised_since_ms: int | None


@dataclass(frozen=True)
class RunOptions:
    """What a run may be told beside the graph; units in the names.

    :ivar parameters: values for ``${name}``
    :ivar deployment: a deployment file, or its content as a dict; without one the coordinator's JVM is the resource
    :ivar duration_s: the job is stopped after that many seconds, at least 0.001
    :ivar on_stop: how ``duration_s``, Ctrl-C and ``stop()`` end it: ``drain`` (the default) works off what is in flight and
        leaves windows open, ``flush`` ends it as the end of the input does, ``now`` at once
    :ivar warm_up_s: counters and latency start again after that many seconds
    :ivar drain_ms: how long ``drain`` and ``flush`` work off what is in flight before it is dropped; 10000 if not given
    :ivar secret_file: the one secret of all resources, where some join; at least 16 bytes; ``DESPINA_SECRET`` in the
        environment if not given
    :ivar tls: a folder with certificate.pem, key.pem and authority.pem, for TLS between resources; plain TCP if not given
    :ivar listen: the host at which they join; 127.0.0.1 if not given
    :ivar join_timeout_s: how long each of them is waited for; 60 if not given
    :ivar started_at_ms: wall clock when the command began, for the report's ``first_packet_s``
    :ivar jars: jars, or folders of classes, with classes that the graph names; with a deployment its resources name them
    :ivar modules: folders with Python modules that the graph names, beside the graph's own
    :ivar spool: id of a sink, or of several, whose rows are kept on disk for programs that read them from the running job
    :ivar spool_bytes: how many of them an instance of such a sink keeps before the job waits for readers; 1 GiB if not given.
        With ``state`` that goes for a ``collect_sink``, too
    :ivar delivery: when these programs, and Python, see the rows of a job with ``state``: ``by_epoch`` (the default) when their
        epoch is complete, each once; ``at_least_once`` at once, and after a loss those of the last epoch again
    :ivar state: a folder, or an address of a file system that Hadoop knows, in which the job keeps its state; run again with the
        same one, the job goes on from its last complete epoch. Without one it keeps none
    :ivar epoch_ms: from the beginning of an epoch to that of the next; 1000 if not given
    :ivar from_start: whether the job begins anew where ``state`` has something to go on from
    :ivar resume: whether the job is refused where ``state`` has nothing to go on from
    :ivar from_: from what the job goes on: the folder of a savepoint, or the number of an epoch of ``state``. The newest epoch if
        not given
    :ivar drop: id of an operator, or of several, of what the job goes on from, whose state may be lost
    :ivar rename: by the id of an operator there: its id in the graph
    :ivar spares: how many processes stand by for children of the deployment that are lost, whatever the deployment says; of a job
        with ``state``
    :ivar standby: whether the run waits while another has ``state``, and takes its job over when that is lost
    :ivar coordinator_lost_ms: how long the job's resources, all of which join, go on when the run is lost, for another that takes
        it over; 10000 with ``standby``, else not at all
    :ivar registry: where it is decided who has the job: ``zookeeper://HOST:PORT,…/PATH``; in the folder of ``state``, or in the
        registry that this had at its first run, if not given
    :ivar supervised_since_ms: wall clock when a command was first started that is started again when it is lost: what is said of
        where the job begins is for its first start
    """

    parameters: Mapping[str, Parameter] | None = None
    deployment: str | Path | Mapping[str, Any] | None = None
    duration_s: float | None = None
    warm_up_s: float | None = None
    on_stop: StopMode | None = None
    drain_ms: float | None = None
    secret_file: str | Path | None = None
    tls: str | Path | None = None
    listen: str | None = None
    join_timeout_s: float | None = None
    started_at_ms: int | None = None
    jars: Sequence[str | Path] | None = None
    modules: Sequence[str | Path] | None = None
    spool: str | Sequence[str] | None = None
    spool_bytes: int | None = None
    delivery: Delivery | None = None
    state: str | Path | None = None
    epoch_ms: float | None = None
    from_start: bool | None = None
    resume: bool | None = None
    from_: str | Path | int | None = None
    drop: str | Sequence[str] | None = None
    rename: Mapping[str, str] | None = None
    spares: int | None = None
    standby: bool | None = None
    coordinator_lost_ms: float | None = None
    registry: str | None = None
    supervised_since_ms: int | None = None

    def for_gateway(self) -> dict[str, Any]:
        """The same in the gateway's words, without what is not set.

        :raise RefusedError: a span of time that is none, or a deployment that cannot be read
        """
        _refuse_no_span("duration_s", self.duration_s, SHORTEST_S)
        _refuse_no_span("warm_up_s", self.warm_up_s, 0.0)
        _refuse_no_span("drain_ms", self.drain_ms, 0.0)
        _refuse_no_span("epoch_ms", self.epoch_ms, SHORTEST_S)
        _refuse_no_span("coordinator_lost_ms", self.coordinator_lost_ms, 1.0)
        _refuse_no_span("join_timeout_s", self.join_timeout_s, SHORTEST_S)
        options: dict[str, Any] = {
            "directory": str(Path.cwd()), "duration_s": self.duration_s, "warm_up_s": self.warm_up_s,
            "on_stop": self.on_stop, "drain_ms": self.drain_ms, "started_at_ms": self.started_at_ms, "listen": self.listen,
            "join_timeout_s": self.join_timeout_s, "serve": listed(self.spool), "spool_bytes": self.spool_bytes,
            "delivery": self.delivery,
            "state": None if self.state is None else str(self.state), "epoch_ms": self.epoch_ms, "from_start": self.from_start,
            "resume": self.resume, "from": None if self.from_ is None else str(self.from_), "drop": listed(self.drop),
            "rename": dict(self.rename) if self.rename else None, "spares": self.spares,
            "standby": self.standby, "coordinator_lost_ms": self.coordinator_lost_ms, "registry": self.registry,
            "supervised_since_ms": self.supervised_since_ms,
            "secret_file": None if self.secret_file is None else str(Path(self.secret_file).absolute()),
            "tls": None if self.tls is None else str(Path(self.tls).absolute()),
        }
        if self.parameters:
            options["parameters"] = {name: parameter_text(name, value) for name, value in self.parameters.items()}
        if self.jars:
            options["jars"] = [str(Path(jar).absolute()) for jar in self.jars]
        if isinstance(self.deployment, Mapping):
            options |= {"deployment_text": json.dumps(self.deployment, indent=2), "deployment_file": "deployment"}
        elif self.deployment is not None:
            options |= {"deployment_text": read_text(self.deployment, "deployment"), "deployment_file": str(self.deployment)}
        return {name: value for name, value in options.items() if value is not None}


def listed(operators: str | Sequence[str] | None) -> list[str] | None:
    """Their ids."""
    return None if not operators else [operators] if isinstance(operators, str) else list(operators)


def run_options(given: Mapping[str, Any]) -> RunOptions:
    """Options by name; an unknown one is refused with a hint."""
    known = [field.name for field in fields(RunOptions)]
    for name in given:
        if name == "serve":
            raise RefusedError("option", "serve= is called spool=: it keeps rows on disk for programs that read them",
                               f"spool={given[name]!r}; service=URL runs a graph on a service")
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            raise RefusedError("option", f"no run option {name!r}",
                               f"did you mean {close[0]}?" if close else f"one of {', '.join(known)}")
    return RunOptions(**given)


def _refuse_no_span(name: str, value: float | None, least: float) -> None:
    if value is not None and not (isinstance(value, numbers.Real) and math.isfinite(value) and value >= least):
        raise RefusedError("option", f"{name}={value!r} is not a span of time", f"a number from {least:g} on")


HOW = {"job": "despina run GRAPH --job-file FILE writes one; of a job of a service, --service URL says which service"}
"""What to do where a file of a kind is not there, and none has a name like it."""
JOB_ENDINGS: tuple[list[str], ...] = ([], [".job"], [".json"])
"""A job file may have another one, but then a drawing beside it looks as much like one."""


def read_text(path: str | Path, what: str) -> str:
    """The text of a file the user named."""
    place = Place(str(path))
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        hint = _similar(Path(path), what) or HOW.get(what, "")
        raise RefusedError("file_missing", f"no {what} file here", hint, place) from None
    except UnicodeDecodeError as error:
        before = error.object[:error.start].decode()
        raise RefusedError("encoding", f"byte {error.object[error.start]:#04x} is not UTF-8", "save the file as UTF-8",
                           Place(str(path), before.count("\n") + 1, len(before) - before.rfind("\n"))) from None
    except OSError as error:
        raise RefusedError("file_unreadable", f"the {what} file cannot be read: {error.strerror}", "", place) from None


def _similar(path: Path, what: str) -> str:
    try:
        entries = list(path.parent.iterdir())
    except OSError:
        return f"the folder {path.parent} does not exist" if not path.parent.exists() else ""
    names = [each.name for each in entries if (each.suffixes in JOB_ENDINGS and each.is_file() if what == "job"
                                               else each.name.endswith(".json"))]
    stem = path.name.partition(".")[0]     # what follows it is alike in all names, and says nothing
    near = [name for name in names if difflib.get_close_matches(name.partition(".")[0], [stem])]
    close = difflib.get_close_matches(path.name, near, 1, 0.5)
    return f"did you mean {path.parent / close[0]}?" if close else ""
