"""The JMH micro-benchmarks of ``jvm/src/jmh``, beside their plain twins, on one page."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from despina.errors import StartError
from harness import machine, tables
from harness.result import now

GRADLE = machine.ROOT / "tools" / "gradle.sh"
SOURCES = machine.ROOT / "jvm" / "src" / "jmh" / "java"
PAGE = "micro"
"""Its files' name."""

TITLE = "Micro-benchmarks"
DOC = """JMH, one fork, seconds of warm-up; what each asks is said at the head of its
[source](../jvm/src/jmh/java/io/despina). The twin does the same with nothing of the engine around it, or is what is usual
elsewhere. Times are per packet, row, frame or segment, so a quotient below 1 is faster than the twin; hand-overs are per
second, and above 1 is faster. A hand-over is of a whole segment (4 KB, taken from the pool and given back there), its twin one of
the same object over and over; the relay in one process makes some 80,000 hand-overs a second. On a shared machine an error as
large as the score is no rarity: such a row says nothing."""


@dataclass(frozen=True)
class Twin:
    """What a benchmark is held to: another method of its class, or itself with other parameters."""

    method: str
    parameters: Mapping[str, str] = field(default_factory=dict)


BY_HAND = {"form": "BY_HAND"}
TWINS = {
    "CompressionBenchmark.entropyOfASample": Twin("entropyOfAll"),
    "CompressionBenchmark.lz4": Twin("copy"),
    "CompressionBenchmark.shuffle": Twin("shuffleByteByByte"),
    "CompressionBenchmark.shuffleAndLz4": Twin("lz4"),
    "CompressionBenchmark.unpackShuffled": Twin("unpackLz4"),
    "ExpressionBenchmark.filter": Twin("filter", BY_HAND),
    "ExpressionBenchmark.project": Twin("project", BY_HAND),
    "FlowBenchmark.readCsv": Twin("readCsvBySpark"),
    "FlowBenchmark.scanInOrder": Twin("scanAsTheyCome"),
    "FrameBenchmark.decode": Twin("copyOut"),
    "FrameBenchmark.encode": Twin("copyIn"),
    "HandOverBenchmark.handOver": Twin("plainHandOver"),
    "KeyedCountBenchmark.asObjects": Twin("hashMap"),
    "KeyedCountBenchmark.besideTheKeys": Twin("hashMap"),
    "RulesBenchmark.project": Twin("project", {"form": "SPARKS"}),
    "SegmentBenchmark.writeAndWalk": Twin("plainWriteAndWalk"),
}
"""By class and method."""


@dataclass(frozen=True)
class Score:
    """One benchmark at one set of parameters: the mean of its iterations, and JMH's error of it (99.9 %)."""

    benchmark: str
    """``Class.method``."""
    parameters: Mapping[str, str]
    score: float
    error: float
    unit: str

    @staticmethod
    def of(row: Mapping[str, Any]) -> Score:
        """Of what JMH wrote. A group's operation is done by all its threads together, but counted by each."""
        metric, ends = row["primaryMetric"], max(1, len(row.get("secondaryMetrics", {})))
        error = float(metric["scoreError"])            # JMH writes "NaN" of one iteration
        name = ".".join(row["benchmark"].split(".")[-2:])
        return Score(name, dict(row.get("params", {})), metric["score"] / ends, error / ends, metric["scoreUnit"])

    def of_twin(self, scores: Sequence[Score]) -> float | None:
        """How many times its twin's it is; none if it has no twin among *scores*, or is one."""
        twin = TWINS.get(self.benchmark)
        if twin is None:
            return None
        name = f"{self.benchmark.partition('.')[0]}.{twin.method}"
        parameters = {**self.parameters, **twin.parameters}
        if (name, parameters) == (self.benchmark, self.parameters):
            return None
        found = next((each.score for each in scores if (each.benchmark, each.parameters) == (name, parameters)), None)
        return self.score / found if found else None


def run(pattern: str, raw: Path) -> dict[str, Any]:
    """Runs those that match; JMH's words go to the terminal, its own JSON to *raw*.

    :param pattern: a regular expression, as JMH takes it
    :param raw: within the checkout
    :raises StartError: JMH failed, or no benchmark matches
    :return: when, the machine, and the scores, for JSON
    """
    raw.parent.mkdir(parents=True, exist_ok=True)
    raw.unlink(missing_ok=True)
    written = raw.relative_to(machine.ROOT)               # Gradle splits these words at spaces, which a checkout's path may have
    done = subprocess.run([GRADLE, "jmh", f"-Pbench={pattern}", f"-PjmhArgs=-foe true -rf json -rff {written}"], check=False)
    if done.returncode != 0 or not raw.is_file():
        raise StartError("jmh_failed", "the micro-benchmarks did not run",
                         "above are JMH's own words; does the pattern match any?")
    rows = json.loads(raw.read_text(encoding="utf-8"))
    if not rows:
        raise StartError("jmh_failed", f"no micro-benchmark matches {pattern}")
    used = {"java": rows[0]["jdkVersion"], "flags": []}        # Gradle's Java, which may be another than the engine's
    return {"at": now(), "machine": machine.describe() | used,
            "scores": [vars(Score.of(row)) for row in rows]}


def section(kept: Mapping[str, Any], machine_is: str = "") -> str:
    """The scores, a row each, in their classes' order.

    :param machine_is: which of the page's machines; all of it is said if not given
    """
    scores = [Score(**score) for score in kept["scores"]]
    rows = []
    for score in sorted(scores, key=lambda each: each.benchmark.partition(".")[0]):
        parameters = ", ".join(f"{key} {value.lower()}" for key, value in score.parameters.items())
        rows.append([score.benchmark.replace("Benchmark.", ": "), parameters, f"{tables.number(score.score)} {score.unit}",
                     tables.number(score.error), tables.number(score.of_twin(scores))])
    table = tables.Table(["benchmark", "at", "score", "±", "in times of its twin's"], rows)
    where = f"{machine_is}, commit {kept['machine'].get('commit')}" if machine_is else machine.one_line(dict(kept["machine"]))
    return f"{DOC}\n\n{kept['at']}. {where}.\n\n{table.markdown()}"
