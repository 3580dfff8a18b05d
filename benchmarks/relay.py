"""The relay beside the bare relay: throughput as a ratio of medians of one interleaved run, and the time to the first packet.

    python benchmarks/relay.py --repeats 5 --seconds 10 --out build/relay.json

Needs a free machine: nothing else may run on its cores. Every repeat and the machine go into the JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BARE_FLAGS = ["-Xms256m", "-Xmx256m", "-XX:+UseParallelGC"]


def compile_bare(folder: Path) -> None:
    source = ROOT / "benchmarks" / "bare_relay" / "BareRelay.java"
    subprocess.run(["javac", "-d", str(folder), str(source)], check=True)


def bare(folder: Path, packet_bytes: int, warm_up_s: float, seconds: float) -> float:
    """Packets per second of the bare relay."""
    java = ["java", *BARE_FLAGS, "-cp", str(folder), "BareRelay"]
    with subprocess.Popen([*java, "relay", str(packet_bytes)], stdout=subprocess.PIPE, text=True) as relay:
        try:
            assert relay.stdout is not None
            port = relay.stdout.readline().strip()
            ends = subprocess.run(
                [*java, "ends", str(packet_bytes), port, str(warm_up_s), str(seconds)],
                check=True,
                capture_output=True,
                text=True,
            )
        finally:
            relay.terminate()
    return float(json.loads(ends.stdout)["per_s"])


def despina(packet_bytes: int, warm_up_s: float, seconds: float, sets: list[str]) -> dict[str, Any]:
    """The report of one run of graphs/relay.graph.json on two child JVMs, with ``per_s`` added."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "despina", "run", str(ROOT / "graphs/relay.graph.json")]
        command += ["--deployment", str(ROOT / "graphs/relay.deploy.json"), "--set", f"packet_bytes={packet_bytes}"]
        command += ["--duration", str(warm_up_s + seconds), "--warm-up-s", str(warm_up_s), "--report", str(report)]
        command += [word for pair in sets for word in ("--set", pair)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        result: dict[str, Any] = json.loads(report.read_text())
    result["per_s"] = result["operators"]["sink"]["packets_in"] / result["measured_s"]
    return result


def machine() -> dict[str, Any]:
    model = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    java = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr.splitlines()[0]
    return {"cpu": model[0] if model else "?", "cores": os.cpu_count(), "kernel": platform.release(), "java": java}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packet-bytes", type=int, nargs="+", default=[50])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--warm-up-s", type=float, default=5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    results: dict[str, Any] = {"machine": machine(), "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "sizes": {}}
    with tempfile.TemporaryDirectory() as folder:
        compile_bare(Path(folder))
        for size in options.packet_bytes:
            runs: dict[str, list[Any]] = {"bare": [], "despina": []}
            for k in range(options.repeats):
                runs["bare"].append(bare(Path(folder), size, options.warm_up_s, options.seconds))
                runs["despina"].append(despina(size, options.warm_up_s, options.seconds, []))
                print(f"{size} B, {k + 1}: bare {runs['bare'][-1]:,.0f}/s, despina {runs['despina'][-1]['per_s']:,.0f}/s")
            ceiling = statistics.median(runs["bare"])
            ours = statistics.median(run["per_s"] for run in runs["despina"])
            first = statistics.median(run["first_packet_s"] for run in runs["despina"])
            results["sizes"][size] = {"ratio": ours / ceiling, "bare_per_s": ceiling, "despina_per_s": ours, **runs}
            print(f"{size} B: {ours:,.0f}/s is {ours / ceiling:.2f} of the bare relay's {ceiling:,.0f}/s")
            print(f"{size} B: first packet {first:.2f} s after the command")
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
