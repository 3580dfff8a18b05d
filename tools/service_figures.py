"""What a service and its viewers cost, and what it bears: each figure in one line, with what was asked of it.

    .venv/bin/python tools/service_figures.py                                   # all but fuzz, three quarters of an hour
    .venv/bin/python tools/service_figures.py --only viewers --rounds 12
    .venv/bin/python tools/service_figures.py --only connections --count 10000
    .venv/bin/python tools/service_figures.py --only jobs --count 200
    .venv/bin/python tools/service_figures.py --only fuzz                       # schemathesis, too, if it is on the path

Each figure has a service of its own on a folder of its own. ``idle``, ``viewers``, ``status``, ``tail`` and ``neighbours`` want a
machine without anything beside. ``tools/service_page.py`` has the figures of the page in a browser, ``tools/service_start.py``
those of a job's start, and ``tools/soak.py --only service`` the kills.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from despina.service.client import ENDED
from despina.service.series import PROCESSES, used_by
from support import service_load as load
from support.openapi import operations
from support.processes import SOURCE, Command, free_port, until
from support.service_fuzz import Standing, faults
from support.service_homes import Home
from support.service_load import RELAY, graph, run, served, told

WINDOWS: dict[str, Any] = {
    "source": {"type": "generator_source", "event_time": {"column": "ts"}, "rows": {"type": "select", "select": [
        "timestamp_millis(1700000000000 + id DIV 10) AS ts", "id % 100 AS device", "20 + id % 7 AS celsius"]}},
    "means": {"type": "aggregate", "group_by": ["device"], "window": {"type": "tumbling", "size_ms": 1000},
              "select": ["device", "avg(celsius) AS mean", "count(*) AS n"]},
    "sink": {"type": "discard_sink"}}
"""Means of devices: what a packet costs with expressions, keys and event time. A relay is what it costs at the least."""


def numbers(name: str, rate_per_s: int, **source: int) -> dict[str, Any]:
    """Numbers at a rate, to nowhere."""
    rows = {"type": "select", "select": ["id AS n"]}
    return graph(name, {"source": {"type": "generator_source", "rate_per_s": rate_per_s, "rows": rows, **source},
                        "sink": {"type": "discard_sink"}})


def given_and_taken(name: str) -> str:
    """The text of a graph of numbers, beside which rows go from a program to a program."""
    content = json.loads(numbers(name, 1000)["graph"])
    content["operators"] |= {"in": {"type": "file_source", "path": "none.csv", "format": "csv", "schema": "n BIGINT"},
                             "rows": {"type": "collect_sink"}}
    content["links"].append({"from": "in", "to": "rows"})
    return json.dumps(content)


def used(pids: Sequence[int]) -> tuple[float, float]:
    """Processor seconds and resident bytes of processes together."""
    found = [each for pid in pids if (each := used_by(PROCESSES / str(pid)))]
    return sum(each[0] for each in found), sum(each[1] for each in found)


def own(home: Home) -> list[int]:
    """The service and its coordinator, without processes of jobs."""
    return [home.command.pid, *home.command.jvms("GatewayMain")]


# --- the figures ---

def idle(given: argparse.Namespace) -> None:
    """Memory and processor time of a service without a job."""
    for spare in (0, 1):
        with served(spare) as home:
            until(partial(_ready, home, spare), "ready process")
            time.sleep(15)
            before, began = used(home.command.processes())[0], time.monotonic()
            time.sleep(given.seconds)
            spent, resident = used(home.command.processes())
            share = (spent - before) / (time.monotonic() - began)
            told(f"idle, --spare {spare}", f"{resident / 1e6:.0f} MB, {share:.2%} of a core",
                 "300 MB and 0.5 % without the ready process" if spare == 0 else "nothing")


def _ready(home: Home, spare: int) -> bool:
    return len(home.command.jvms("ResourceMain")) >= spare


def listed(given: argparse.Namespace) -> None:
    """``despina list`` from the shell."""
    with served() as home:
        run(home, numbers("a", 1000))
        environment = {**os.environ, "PYTHONPATH": str(SOURCE), "DESPINA_TOKEN_FILE": str(home.folder / "admin.token")}
        seconds = []
        for _ in range(11):
            began = time.monotonic()
            subprocess.run([sys.executable, "-m", "despina", "list", "--service", home.url], env=environment, check=True,
                           stdout=subprocess.DEVNULL)
            seconds.append(time.monotonic() - began)
        told("despina list", f"{statistics.median(seconds[1:]):.2f} s, median of 10; the first {seconds[0]:.2f} s", "0.3 s")


def status(given: argparse.Namespace) -> None:
    """500 requests a second for the status of a job."""
    with served() as home:
        run(home, numbers("a", 1000))
        client = home.asking()
        for round_ in range(2):
            found = load.paced(lambda: client.job("a"), 500, given.seconds)
            told(f"500 requests/s of a job's status, try {round_ + 1}", load.quantiles_ms(found), "p99 20 ms")


def scraped(given: argparse.Namespace) -> None:
    """``/metrics`` of a job of 1,000 operators."""
    many = {"source": RELAY["source"] | {"rate_per_s": 1000}, **{f"r{number}": {"type": "relay"} for number in range(998)},
            "sink": {"type": "discard_sink"}}
    with served() as home:
        run(home, graph("many", many))
        time.sleep(5)
        began, before = time.monotonic(), used([home.command.pid])[0]
        time.sleep(given.seconds)
        unseen = (used([home.command.pid])[0] - before) / (time.monotonic() - began)
        seconds: list[float] = []
        began, before = time.monotonic(), used([home.command.pid])[0]
        while (now := time.monotonic()) < began + given.seconds:
            answer = home.client.send("GET", "/metrics")
            seconds.append(time.monotonic() - now)
            time.sleep(0.2)
        spent = used([home.command.pid])[0] - before - unseen * (time.monotonic() - began)
        told("/metrics of 1,000 operators", f"{statistics.median(seconds) * 1000:.1f} ms, {spent / len(seconds) * 1000:.1f} ms "
             f"of the service's processor each, {len(answer.body):,} bytes; unseen, such a job takes {unseen:.1%} of a core of "
             "the service, which records it each second", "20 ms")


def viewers(given: argparse.Namespace) -> None:
    """What five viewers, a tail and a scrape each five seconds take of a job at full speed, beside the same without and beside
    ``despina run``. One job, seen and unseen in turn, so that whatever else changes does so for both.
    """
    for name, operators in (("relay", RELAY), ("windows", WINDOWS)):
        with served() as home:
            run(home, graph(name, operators))
            time.sleep(10)
            ratios = []
            cores: dict[bool, list[float]] = {False: [], True: []}
            for round_ in range(given.rounds):
                rates = {}
                for seen in ((False, True) if round_ % 2 else (True, False)):
                    with load.viewing(home, name, "sink") if seen else load.nothing():
                        time.sleep(1)
                        began, before = time.monotonic(), used(own(home))[0]
                        rates[seen] = load.rate(partial(load.reached, home, name), given.seconds)
                        cores[seen].append((used(own(home))[0] - before) / (time.monotonic() - began))
                ratios.append(rates[True] / rates[False])
                print(f"  {name}, round {round_}: {rates[False]:,.0f} packets/s unseen, {ratios[-1]:.4f} of it seen", flush=True)
            told(f"{name} with five viewers, a tail and a scrape each 5 s", f"{statistics.median(ratios):.4f} of its packets/s, "
                 f"median of {given.rounds} ({min(ratios):.4f} to {max(ratios):.4f}); service and coordinator take "
                 f"{statistics.median(cores[True]):.1%} of a core, {statistics.median(cores[False]):.1%} unseen; those who ask "
                 "are on the same processors", "0.99")
            home.client.stop(name, "now")
        _beside_run(name, operators, given)


def _beside_run(name: str, operators: dict[str, Any], given: argparse.Namespace) -> None:
    """The same graph by ``despina run`` with a child and in a service, in turn."""
    found: dict[str, list[float]] = {"run": [], "serve": []}
    with tempfile.TemporaryDirectory() as folder:
        file, where = Path(folder) / "g.graph.json", Path(folder) / "d.deploy.json"
        file.write_text(graph(name, operators)["graph"])
        where.write_text(json.dumps({"format": 1, "resources": {"child": {"start": "child"}}}))
        for round_ in range(2 * given.rounds):
            way = "run" if (round_ + round_ // 2) % 2 else "serve"
            if way == "run":
                report = Path(folder) / "report.json"
                command = Command(Path(folder), "run", file, "--deployment", where, "--duration", f"{given.seconds + 10}s",
                                  "--warm-up-s", "10s", "--on-stop", "now", "--report", report)
                assert command.end(300).code in (0, 5), command.err()
                found[way].append(load.rate_of(json.loads(report.read_text()), "sink"))
            else:
                with served() as home:
                    run(home, graph(name, operators))
                    time.sleep(10)
                    found[way].append(load.rate(partial(load.reached, home, name), given.seconds))
                    home.client.stop(name, "now")
    run_, serve = (statistics.median(found[way]) for way in ("run", "serve"))
    told(f"{name} without viewers beside despina run --deployment", f"{serve / run_:.4f} of its packets/s, medians of "
         f"{given.rounds} ({serve:,.0f} and {run_:,.0f}; run's own are {min(found['run']) / run_:.3f} to "
         f"{max(found['run']) / run_:.3f} of their median)", "within noise")


def tail(given: argparse.Namespace) -> None:
    """From a packet's sending to the answer with its row, asked as the page asks."""
    port = free_port()
    with served() as home:
        home.client.submit(graph("tailed", {
            "source": {"type": "tcp_source", "port": port, "format": "json", "schema": "sent DOUBLE"},
            "sink": {"type": "discard_sink"}}))
        home.until("tailed", "running")
        found = load.tailed(home.asking(), "tailed", "sink", port, given.seconds)
        told("a row of a tail, packet to answer", load.quantiles_ms(found), "300 ms to the screen")


def connections(given: argparse.Namespace) -> None:
    """Many slow clients at once: those who ask are answered, and all of the others are closed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, given.count + 1000)), hard))
    with served() as home:
        run(home, numbers("a", 1000))
        before = used([home.command.pid])[1]
        for way in ("silent", "slow heads", "slow bodies"):
            with load.slow_clients(home.url, given.count, way) as clients:
                asked = load.paced(lambda: load.health(home.url), 5, 30)
                most = used([home.command.pid])[1] - before
                left = clients.open()
            told(f"{given.count:,} clients with {way}", f"{clients.begun:,} connected, health {load.quantiles_ms(asked)}, "
                 f"{clients.most:,} open at most, {left:,} after 30 s, +{most / 1e6:.0f} MB, "
                 f"{asked.count(load.FAILED)} questions not answered", "answers go on; all are closed")


def jobs(given: argparse.Namespace) -> None:
    """Jobs one after the other, then some at once: what the service keeps of them."""
    with served() as home:
        flat = load.Flat(own(home))
        for number in range(given.count):
            _one_job(home, f"j{number % AT_ONCE}")
            if number + 1 in (AT_ONCE, given.count // 2, given.count):
                print(f"  after {number + 1} jobs: {flat.look()}", flush=True)
        at_once = min(AT_ONCE, given.count)
        threads = [threading.Thread(target=_one_job, args=(home, f"k{number}")) for number in range(at_once)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        time.sleep(35)      # a process of a job stays for half a minute
        told(f"{given.count} jobs and {at_once} at once", flat.look(), "threads, files, memory, metaspace flat")


def _one_job(home: Home, name: str) -> None:
    client = home.asking()
    client.submit(numbers(name, 1000, count=100))
    until(lambda: client.job(name)["state"] in ENDED, f"end of {name}", 180)
    client.close()


def stuck(given: argparse.Namespace) -> None:
    """A sink whose server takes nothing: ``stop`` returns at once, ``now`` ends the job."""
    with load.mute_server() as port, served() as home:
        sink = {"type": "tcp_sink", "host": "127.0.0.1", "port": port, "format": "json"}
        rows = {"type": "select", "select": ["id AS n", "repeat('x', 1000) AS text"]}
        home.client.submit(graph("stuck", {"source": {"type": "generator_source", "rows": rows}, "sink": sink}))
        home.until("stuck", "running")
        time.sleep(5)
        began = time.monotonic()
        home.client.stop("stuck", "drain", 600)
        returned = time.monotonic() - began
        time.sleep(5)
        going = home.client.job("stuck")["state"]
        began = time.monotonic()
        home.client.stop("stuck", "now")
        until(lambda: home.client.job("stuck")["state"] in ENDED, "end", 60)
        told("a sink that never answers", f"stop returns after {returned * 1000:.0f} ms, the job then is {going}; now ends it in "
             f"{time.monotonic() - began:.1f} s", "at once; 5 s")


def neighbours(given: argparse.Namespace) -> None:
    """A job beside one whose process is killed, and one that is out of memory."""
    hungry = graph("hungry", {
        "source": {"type": "generator_source", "rate_per_s": 20_000, "count": 1_000_000_000,
                   "rows": {"type": "select", "select": ["id AS n", "repeat(cast(id AS STRING), 100) AS text"]}},
        "all": {"type": "aggregate", "group_by": ["n"], "select": ["n", "max(text) AS text"]},
        "sink": {"type": "discard_sink"}})
    hungry["deployment"] = json.dumps({"format": 1, "resources": {"small": {"start": "child", "memory_bytes": 64 << 20}}})
    with served() as home:
        run(home, numbers("steady", 20_000))
        own_child = set(home.command.jvms("ResourceMain"))
        run(home, numbers("killed", 1000))
        quiet = load.rates(partial(load.reached, home, "steady"), given.seconds)
        killed = set(home.command.jvms("ResourceMain")) - own_child
        with load.rates_while(partial(load.reached, home, "steady")) as beside:
            os.kill(killed.pop(), signal.SIGKILL)
            home.client.submit(hungry)
            until(lambda: home.client.job("hungry")["state"] in ENDED, "end of what is out of memory", 300)
        ends = {name: (home.client.job(name)["error"] or {}).get("rule") for name in ("killed", "hungry")}
        told("20,000 packets/s beside a killed and a hungry job", f"seconds of {min(beside):,.0f} to {max(beside):,.0f}, "
             f"{min(quiet):,.0f} to {max(quiet):,.0f} before; the others ended by {ends}", "unchanged")


def fuzz(given: argparse.Namespace) -> None:
    """Requests that are made of the interface's document, of a job, a graph and a file that are there: none is answered by a
    fault. The same by schemathesis, if it is on the path.
    """
    with served() as home:
        send = load.sending(home)
        standing = Standing(send, given_and_taken)
        document = json.loads(home.client.send("GET", "/api/openapi.json").body)
        bad: list[str] = []
        for operation in operations(document):
            standing.again()
            answers, found = faults(operation, standing, send, given.count)
            standing.leave()
            bad += found
            print(f"  {operation}: {sorted(answers)}", *found, sep="\n    ", flush=True)
        told(f"{given.count} requests of each operation", f"{len(bad)} faults", "none")
        if shutil.which("schemathesis"):
            standing.again()
            with load.again(standing.there):
                told("schemathesis", f"exit code {_schemathesis(home, standing.name, given.count)}", "0")


def _schemathesis(home: Home, name: str, count: int) -> int:
    hooks = Path(__file__).resolve().parents[1] / "tests"
    command = ["schemathesis", "run", f"{home.url}/api/openapi.json", "--checks", "not_a_server_error",
               "--max-examples", str(count), "--header", f"Authorization: Bearer {home.token()}",
               "--exclude-path-regex", "/live$"]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "support.schemathesis_hooks", "DESPINA_FUZZED": name,
                   "PYTHONPATH": os.pathsep.join([str(hooks), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(command, check=False, cwd=home.folder, env=environment).returncode


FIGURES: dict[str, Callable[[argparse.Namespace], None]] = {
    "idle": idle, "list": listed, "status": status, "metrics": scraped, "viewers": viewers, "tail": tail,
    "connections": connections, "jobs": jobs, "stuck": stuck, "neighbours": neighbours, "fuzz": fuzz}
AT_ONCE = 20
COUNTS = {"connections": 10_000, "jobs": 200, "fuzz": 30}


def main() -> None:
    """Measures, and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=FIGURES, default=[name for name in FIGURES if name != "fuzz"],
                        help="which (all but fuzz)")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=6, help="of viewers")
    parser.add_argument("--count", type=int, help="of connections, jobs, or examples of fuzz")
    given = parser.parse_args()
    for name in given.only:
        FIGURES[name](argparse.Namespace(**{**vars(given), "count": given.count or COUNTS.get(name, 0)}))


if __name__ == "__main__":
    main()
