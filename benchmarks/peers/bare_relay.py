"""The bare relay: plain blocking NIO in two JVMs. No engine can be faster, so the other rows are read beside it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from despina import installed
from harness import bare, java
from harness.experiment import Measured, Plan, Point, Run
from harness.sampling import command_words
from peers import probe
from peers.contract import Engine, Kit, Trial, Variant

OPERATORS = 2
MEASURES = {"relay": {"": bare.flat_out, "unpaced": bare.unpaced},
            "rates": {"": bare.paced, "hand-off": bare.paced_with_hand_off}}


class Bare(Engine):
    """The adapter."""

    name = "bare relay"
    least_warm_up_s = 2.0
    start_s = 1.0

    def __init__(self) -> None:
        super().__init__()
        self._lab = Path()

    def prepare(self, kit: Kit) -> None:
        """Its sources are here; a compiler is needed."""
        java.compiler_needed()
        self._lab = kit.scratch
        self._facts = {"jdk": installed.find_java().full_version, "jvm_flags": list(java.FLAGS)}

    def variants(self, work: str, point: Point) -> Sequence[Variant]:
        """As it is; for throughput one whose connections the system does not pace, as Despina's on loopback; for latency one
        with a hand-off between two threads in the relay, as engines have.
        """
        plain = Variant("", guarantee="none", remark="no engine")
        hand_off = Variant("hand-off", guarantee="none", remark="no engine; the relay reads in one thread and writes in another")
        unpaced = Variant("unpaced", guarantee="none", settings={"jvm_flags": bare.UNPACED_FLAGS},
                          remark="no engine; its connections ask for Reno, which does not pace")
        return {"relay": [plain, unpaced], "rates": [plain, hand_off]}.get(work, [])

    def sample(self, trial: Trial) -> Measured:
        """It measures itself; its cost is read from the kernel as everybody's."""
        plan = Plan([trial.point], warm_up_s=trial.warm_up_s, seconds=trial.seconds)
        measure = MEASURES[trial.work][trial.variant.name]
        with ThreadPoolExecutor(1) as pool:
            under_way = pool.submit(measure, Run(trial.point, plan, trial.folder, self._lab, trial.processes))
            costs = probe.look_on(trial, _operators(trial))
            found = under_way.result()
        return probe.figures(trial, found.raw["packets"], found.raw["measured_s"], costs,
                             found.raw.get("latency_ms") or {}, {"told": {"missing": 0, "reordered": 0}, "report": found.raw})


def _operators(trial: Trial) -> list[int]:
    """Waits until both JVMs run: what they do comes at once."""
    def found() -> list[int]:
        return [it.pid for it in trial.processes.members() if "BareRelay" in command_words(it.pid)]

    probe.wait_for(trial, lambda: len(found()) >= OPERATORS, f"{OPERATORS} processes of the bare relay run")
    return found()
