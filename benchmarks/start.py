"""From the command to the first packet at the sink: without expressions, and with, beside one JVM that compiles one expression.

    python benchmarks/start.py --repeats 5 --out build/start.json

The relay of graphs/relay.graph.json and a filter run on two child JVMs each. All three take turns; medians are printed.
Needs a free machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from despina import doctor

ROOT = Path(__file__).resolve().parent.parent
EXPRESSIONS = {
    "format": 1,
    "name": "expressions",
    "operators": {
        "source": {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "count": 1000},
        "relay": {"type": "filter", "where": "id % 2 = 0"},
        "sink": {"type": "discard_sink"},
    },
    "links": [{"from": "source", "to": "relay"}, {"from": "relay", "to": "sink"}],
}


def first_packet(graph: Path, *more: str) -> float:
    """Seconds from the command's start to the first packet."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "despina", "run", str(graph), "--deployment", str(ROOT / "graphs/relay.deploy.json")]
        subprocess.run([*command, "--report", str(report), *more], check=True, capture_output=True)
        return float(json.loads(report.read_text())["first_packet_s"])


def compile_one(classes: Path) -> float:
    """Seconds that one JVM takes to compile one expression, with the class archive if there is one."""
    java, jars = doctor.find_java(), doctor.class_path()
    archive = doctor.class_archive(java, jars)
    flags = [f"-XX:SharedArchiveFile={archive}"] if archive.is_file() else []
    path = ":".join([*jars, str(classes)])
    began = time.monotonic()
    command = [str(java.executable), *doctor.module_flags(java.version), *flags, "-cp", path, "CompileOne"]
    subprocess.run(command, check=True, capture_output=True)
    return time.monotonic() - began


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        classes = Path(folder)
        source = ROOT / "benchmarks" / "compile_one" / "CompileOne.java"
        subprocess.run(["javac", "-cp", str(doctor.our_jar()), "-d", str(classes), str(source)], check=True)
        graph = classes / "expressions.graph.json"
        graph.write_text(json.dumps(EXPRESSIONS))
        subjects: dict[str, Callable[[], float]] = {
            "relay": lambda: first_packet(ROOT / "graphs/relay.graph.json", "--duration", "1"),
            "expressions": lambda: first_packet(graph),
            "one JVM, one expression": lambda: compile_one(classes),
        }
        found: dict[str, list[float]] = {name: [] for name in subjects}
        for _ in range(options.repeats):
            for name, measure in subjects.items():
                found[name].append(measure())
    for name, seconds in found.items():
        print(f"{name}: {statistics.median(seconds):.2f} s (median of {', '.join(f'{s:.2f}' for s in seconds)})")
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
