"""Runs every test there is and closes with one line that adds them up: ``N passed, N failed``."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
SERVERS = re.compile("^from support.* import .*(?:Broker|Mosquitto|Postgres|stores)", re.MULTILINE)
"""In tests that need a server of another kind, which all of a process share."""
CLAIMS = "DESPINA_TEST_CLAIMS"
"""Names the folder in which runs that share files say which they have taken: tests/support/claims.py."""
STATISTICS = Path("/proc/stat")
PYTHON_TREES = [tree for tree in ("python", "tests", "tools", "benchmarks", "examples") if (ROOT / tree).is_dir()]


@dataclass(frozen=True)
class Outcome:
    """What one runner counted; a runner that broke before counting is one failure."""

    passed: int = 0
    skipped: int = 0
    failures: tuple[str, ...] = ()
    seconds: tuple[tuple[float, str], ...] = ()
    """Of each test; what a test shares with others, as an engine, counts for the first of them."""


NONE = Outcome(failures=("no test was found",))


def check(command: list[str]) -> Outcome:
    """A tool that has no tests to count: passes or fails as one."""
    if subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=False).returncode:
        return Outcome(failures=(" ".join(command),))
    return Outcome(passed=1)


def lint() -> Outcome:
    """Style and types."""
    outcomes = [check(["ruff", "check", "--quiet", *PYTHON_TREES]), check(["mypy", "--no-error-summary"])]
    return Outcome(sum(o.passed for o in outcomes), failures=sum((o.failures for o in outcomes), ()))


def jvm() -> Outcome:
    """The JVM's unit tests, counted from the reports of JUnit's engines."""
    reports = ROOT / "build/junit"
    shutil.rmtree(reports, ignore_errors=True)
    run = subprocess.run([ROOT / "tools/gradle.sh", "unitTest"], cwd=ROOT, check=False, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode:
        print(run.stdout)
    return counted(sorted(reports.rglob("*.xml")), f"unitTest ended with {run.returncode}" if run.returncode else "")


def python() -> Outcome:
    """Python's tests and those of the benchmarks."""
    return pytest(ROOT / "build/pytest.xml", "python/tests", "benchmarks/tests")


def cases() -> Outcome:
    """What goes across languages: the cases and the graphs."""
    return pytest(ROOT / "build/pytest-cases.xml", "tests", "--ignore=tests/e2e")


def processes(name: str = "processes") -> Outcome:
    """Whole processes, from end to end: the files that no other run has taken."""
    others = [*of_spark(), *of_servers()]
    return pytest(ROOT / f"build/pytest-{name}.xml", "tests/e2e", *(f"--ignore={file}" for file in others))


def helper(name: str) -> Outcome:
    """Takes files of these tests too; there may be none left."""
    outcome = processes(name)
    return Outcome() if outcome == NONE else outcome


def sparks() -> Outcome:
    """Those of them in which there is a Spark."""
    return pytest(ROOT / "build/pytest-sparks.xml", *of_spark())


def servers() -> Outcome:
    """Those of them for which a broker, a database or a server of files is started."""
    return pytest(ROOT / "build/pytest-servers.xml", *of_servers())


def of_servers() -> list[str]:
    """The files of these."""
    files = (ROOT / "tests/e2e").glob("test_*.py")
    return sorted(str(file.relative_to(ROOT)) for file in files if SERVERS.search(file.read_text(encoding="utf-8")))


def of_spark() -> list[str]:
    """The files of these."""
    files = (ROOT / "tests/e2e").glob("test_*.py")
    return sorted(str(file.relative_to(ROOT)) for file in files if "spark" in file.name or file.name == "test_split_graphs.py")


def executors() -> Outcome:
    """The tests of the engine in Spark's executors: a process has one Spark, and that of the others is another."""
    return pytest(ROOT / "build/pytest-executors.xml", "tests/executors")


def archive() -> Outcome:
    """The class archive of the Sparks that tests start: no test, and where it cannot be made they do without."""
    subprocess.run([sys.executable, "-m", "support.spark_archive"], cwd=ROOT / "tests", check=False)
    return Outcome()


def pytest(report: Path, *arguments: str) -> Outcome:
    """Runs pytest, and counts from its report."""
    report.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    code = subprocess.run([sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *arguments], cwd=ROOT,
                          check=False).returncode
    return counted([report] if report.exists() else [], f"pytest ended with {code}" if code else "")


def counted(reports: list[Path], ending: str) -> Outcome:
    """Adds up JUnit's reports.

    Args:
        reports: The files the runner has written.
        ending: What is wrong with the way it ended, empty if nothing; a failure of its own where the reports have none.
    """
    cases = [case for report in reports for case in ElementTree.parse(report).getroot().iter("testcase")]
    failures = tuple(_name(case) for case in cases if case.find("failure") is not None or case.find("error") is not None)
    skipped = sum(case.find("skipped") is not None for case in cases)
    passed = len(cases) - skipped - len(failures)
    if not cases and not ending:
        return NONE
    if not failures and ending:
        failures = (ending,)
    return Outcome(passed, skipped, failures, tuple((float(case.get("time") or 0), _name(case)) for case in cases))


def _name(case: ElementTree.Element) -> str:
    return f"{case.get('classname')} {case.get('name')}"


LANES = 3
"""How many run beside each other."""
SHARED = "processes"
"""Whose files any lane takes that has nothing else to do. It comes first, for it uses half a core: most of its time it waits."""
HELPERS = [f"{SHARED}-{number}" for number in range(2, LANES + 1)]
"""For the other lanes."""
RUNNERS: dict[str, Callable[[], Outcome]] = {
    "archive": archive, SHARED: processes, "jvm": jvm, "cases": cases, "servers": servers, "sparks": sparks, "python": python,
    "executors": executors, "lint": lint, **{name: partial(helper, name) for name in HELPERS}}
"""The long ones first; Sparks start when their archive is there."""


def run(name: str) -> Outcome:
    """Runs a runner, and says what came out of it."""
    started = time.monotonic()
    outcome = RUNNERS[name]()
    if outcome != Outcome():
        print(f"{name}: {outcome.passed} passed, {len(outcome.failures)} failed, {outcome.skipped} skipped "
              f"in {time.monotonic() - started:.0f} s", flush=True)
    return outcome


def ticks() -> tuple[int, int]:
    """Of all processors since the machine's start, as Linux tells them: busy ones, and all."""
    if not STATISTICS.is_file():
        return 0, 0
    counts = [int(word) for word in STATISTICS.read_text(encoding="ascii").splitlines()[0].split()[1:9]]
    idle, waiting_for_disks = counts[3:5]
    return sum(counts) - idle - waiting_for_disks, sum(counts)


def main() -> int:
    """Runs the runners, all of them even after a failure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=sorted(RUNNERS.keys() - HELPERS), help="one runner instead of all")
    parser.add_argument("--slowest", type=int, default=0, metavar="N", help="list the N tests that took longest")
    given = parser.parse_args()
    started, before = time.monotonic(), ticks()
    with TemporaryDirectory(prefix="despina-claims-") as claims, ThreadPoolExecutor(LANES) as lanes:
        os.environ[CLAIMS] = claims
        outcomes = list(lanes.map(run, [given.only] if given.only else RUNNERS))
    failures = [failure for outcome in outcomes for failure in outcome.failures]
    for seconds, name in sorted((test for o in outcomes for test in o.seconds), reverse=True)[:given.slowest]:
        print(f"{seconds:7.1f} s  {name}")
    busy, whole = (now - then for now, then in zip(ticks(), before, strict=True))
    share = f", the processors busy for {busy / whole:.0%} of it" if whole else ""
    print(f"all of it in {time.monotonic() - started:.0f} s{share}")
    for failure in failures:
        print(f"failed: {failure}")
    print(f"{sum(o.passed for o in outcomes)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
