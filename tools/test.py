"""Runs every test there is and closes with one line that adds them up: ``N passed, N failed``."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON_TREES = [tree for tree in ("python", "tests", "tools", "benchmarks") if (ROOT / tree).is_dir()]


@dataclass(frozen=True)
class Outcome:
    """What one runner counted; a runner that broke before counting is one failure."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0


def check(command: list[str]) -> Outcome:
    """A tool that has no tests to count: passes or fails as one."""
    failed = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=False).returncode != 0
    return Outcome(passed=not failed, failed=failed)


def lint() -> Outcome:
    """Style and types."""
    outcomes = [check(["ruff", "check", "--quiet", *PYTHON_TREES]), check(["mypy", "--no-error-summary"])]
    return Outcome(sum(o.passed for o in outcomes), sum(o.failed for o in outcomes))


def jvm() -> Outcome:
    """The JVM's unit tests, counted from JUnit's own summary."""
    run = subprocess.run([ROOT / "tools/gradle.sh", "unitTest"], cwd=ROOT, check=False, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def tests(outcome: str) -> int:
        found = re.search(rf"\[\s*(\d+) tests {outcome}\s*\]", run.stdout)
        return int(found[1]) if found else 0

    passed, failed, skipped = tests("successful"), tests("failed"), tests("skipped") + tests("aborted")
    if run.returncode != 0 or not passed:
        print(run.stdout)
        failed = max(failed, 1)
    return Outcome(passed, failed, skipped)


def python() -> Outcome:
    """Python's tests and the cases of tests/, counted from pytest's report."""
    report = ROOT / "build/pytest.xml"
    report.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    code = subprocess.run([sys.executable, "-m", "pytest", "-q", f"--junitxml={report}"], cwd=ROOT, check=False).returncode
    if not report.exists():
        return Outcome(failed=1)
    suites = list(ElementTree.parse(report).getroot().iter("testsuite"))

    def count(name: str) -> int:
        return sum(int(suite.get(name, 0)) for suite in suites)

    failed, skipped = count("failures") + count("errors"), count("skipped")
    return Outcome(count("tests") - failed - skipped, max(failed, int(code != 0)), skipped)


RUNNERS = {"lint": lint, "jvm": jvm, "python": python}


def main() -> int:
    """Runs the runners, all of them even after a failure, and says what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=RUNNERS, help="one runner instead of all")
    only = parser.parse_args().only
    outcomes = []
    for name in [only] if only else RUNNERS:
        started = time.monotonic()
        outcome = RUNNERS[name]()
        outcomes.append(outcome)
        print(f"{name}: {outcome.passed} passed, {outcome.failed} failed, {outcome.skipped} skipped "
              f"in {time.monotonic() - started:.0f} s", flush=True)
    failed = sum(o.failed for o in outcomes)
    print(f"{sum(o.passed for o in outcomes)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
