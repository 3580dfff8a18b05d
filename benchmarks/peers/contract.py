"""The contract of an engine: what its adapter does, and what it is given."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from despina.errors import StartError
from harness.experiment import Measured, Point
from harness.load import Watch
from harness.processes import Processes

if TYPE_CHECKING:
    from peers.manufacturing import Input

HEAP = "2g"
"""Of every operator JVM whose heap can be said."""

OPERATOR_FLAGS = (f"-Xms{HEAP}", f"-Xmx{HEAP}", "-XX:+UseParallelGC")
"""Of every operator JVM of every peer."""


_PATH = re.compile(r"(?:^|[\s=:'])/")
"""Where a setting's text names a place on this machine, which results do not tell."""


class UnavailableError(StartError):
    """An engine that cannot be had here, and why: it is skipped, and the table says so."""

    def __init__(self, message: str) -> None:
        super().__init__("unavailable", message)


@dataclass(frozen=True)
class Variant:
    """An engine in one configuration: a row.

    :ivar settings: of the engine, as JSON holds them; every one stands in the result
    :ivar guarantee: what it promises of a packet in this configuration
    :ivar remark: what is not equal to the other rows
    :ivar comparable: whether it does the same work; one that does not is shown, and never called the best
    :ivar over_tcp: whether packets of a relay come to it, and leave it, over TCP; a run of which that does not hold fails
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    guarantee: str = "at most once"
    remark: str = ""
    comparable: bool = True
    over_tcp: bool = True


@dataclass(frozen=True)
class Kit:
    """What all engines share.

    :ivar cache: where jars, wheels and classes are kept between runs
    :ivar scratch: for what is made anew in every run
    :ivar homes: folders that the user named, by engine
    :ivar tell: progress for people
    :ivar watch: looks on for others' load
    """

    cache: Path
    scratch: Path
    homes: Mapping[str, Path] = field(default_factory=dict)
    tell: Callable[[str], None] = lambda line: None
    watch: Callable[[], Watch] = Watch

    @property
    def registry(self) -> Path:
        """Where the marks of running harnesses stand."""
        return self.cache / "running"


@dataclass(frozen=True)
class Trial:
    """One run of one work on one engine in one configuration.

    :ivar work: its name
    :ivar point: its settings: ``{"packet_bytes": 50}``
    :ivar folder: empty at first, for this run alone
    :ivar input: what is read, where it is a file
    :ivar alarms: asked while the run is waited for; each says why the job has failed, or nothing
    :ivar configuration: of :meth:`keep_configuration`, for the result
    """

    work: str
    point: Point
    variant: Variant
    folder: Path
    processes: Processes
    warm_up_s: float
    seconds: float
    input: Input | None = None
    alarms: list[Callable[[], str]] = field(default_factory=list)
    configuration: dict[str, Any] = field(default_factory=dict)

    def keep_configuration(self, settings: Mapping[str, Any]) -> None:
        """Keeps for the result what the engine's own configuration has, but for paths."""
        self.configuration.update({name: value for name, value in settings.items() if not _PATH.search(str(value))})

    def write_settings(self, more: Mapping[str, object]) -> Path:
        """Writes the properties file that the peers' Java reads: work and point, then the variant, then ``more``."""
        given = {} if self.input is None else {"input": self.input.file}
        values = {"work": self.work, **given, **self.point, **self.variant.settings, **more}
        file = self.folder / "job.properties"
        file.write_text("".join(f"{key}={value}\n" for key, value in values.items()), encoding="ascii")
        return file


class Engine:
    """One engine. Errors are a :class:`~despina.errors.StartError` from ``prepare`` and a :class:`~harness.processes.RunError`
    from a run.

    What an engine has no step for is left as it is here: nothing is done. After a run its processes are ended in any case.
    """

    name: str
    least_warm_up_s: float
    start_s: float
    """About how long starting and stopping take."""

    def __init__(self) -> None:
        self._facts: dict[str, Any] = {}

    def prepare(self, kit: Kit) -> None:
        """Gets and compiles what is missing; says what is used in :meth:`describe` from then on."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """Versions, JDK, JVM flags."""
        return self._facts

    def variants(self, work: str, point: Point) -> Sequence[Variant]:
        """Its rows for that work at that point but for the tuned one; none if it cannot do it."""
        raise NotImplementedError

    def candidates(self, work: str, point: Point) -> Sequence[Variant]:
        """Settings that the sweep tries for the tuned row, what an earlier sweep found best as the first; none if it has none."""
        return []

    def start(self, trial: Trial) -> None:
        """Brings the engine up, all on 127.0.0.1."""

    def submit(self, trial: Trial) -> None:
        """Starts the work."""

    def sample(self, trial: Trial) -> Measured:
        """Measures it, and verifies what it put out."""
        raise NotImplementedError

    def stop(self, trial: Trial) -> None:
        """Ends the work politely, where the engine has a way."""
