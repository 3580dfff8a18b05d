"""The long runs: a slow sink behind 2 GB, a hundred jobs in one resource, a receiver that sleeps for longer than a connection may
be silent, two hundred jobs that are hit at random, and two thousand in the simulator. Prints what was measured; exits 1 if
anything is wrong.

    .venv/bin/python tools/soak.py
    .venv/bin/python tools/soak.py --only cycles --cycles 20
    .venv/bin/python tools/soak.py --only ends --rounds 30 --seed 7
    .venv/bin/python tools/soak.py --only ends --rounds 1 --from 12 --seed 7
    .venv/bin/python tools/soak.py --only simulated --seeds 2000
    .venv/bin/python tools/soak.py --only executors --jobs 200
    .venv/bin/python tools/soak.py --only sink --kills 50
    .venv/bin/python tools/soak.py --only source --kills 50
    .venv/bin/python tools/soak.py --only split --kills 50
    .venv/bin/python tools/soak.py --only kills --kills 1000
    .venv/bin/python tools/soak.py --only kills --kills 1000 --resume kills.jsonl
    .venv/bin/python tools/soak.py --only kills --kills 1 --from 12 --seed 7
    .venv/bin/python tools/soak.py --only workers --kills 200
    .venv/bin/python tools/soak.py --only workers --kills 60 --spare
    .venv/bin/python tools/soak.py --only workers --kills 40 --of "in a row"
    .venv/bin/python tools/soak.py --only functions --minutes 10 --jobs 200
    .venv/bin/python tools/soak.py --only service --kills 100
    .venv/bin/python tools/soak.py --only connectors --kills 200
    .venv/bin/python tools/soak.py --only connectors --kills 5 --connector redis --connector nats --seed 7
    .venv/bin/python tools/soak.py --only lakes --epochs 1000
    .venv/bin/python tools/soak.py --only takeover --kills 100
    .venv/bin/python tools/soak.py --only takeover --kills 100 --registry zookeeper

The last of these, jobs in the executors of one Spark session, Spark's queries that are killed while they write to a job, or while
they read the rows of one that keeps its state, graphs with a state of which Spark runs a part, jobs that keep their state and are
killed (a resource, the coordinator, Python), jobs whose Python functions' processes are killed, stopped and end themselves,
functions at full load before a slow sink and in many jobs of one process, a service that is killed with its processes while
its jobs are submitted, stopped and upgraded, and jobs between real servers of which a resource, the run or the server is killed
(so many kills of each connector whose server is installed), two jobs that race for the versions of a table, and a job whose
coordinator is killed again and again while another stands by, are not among what runs without ``--only``.

``tests/e2e`` has the first two too, the second in small; what is looked at, and how, is in ``tests/support``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from despina import archive, training
from despina.drivers import COORDINATES_ONLY
from despina.drivers.jvm import OPTIONS_VARIABLE
from despina.drivers.py4j import Py4jDriver
from despina.engine import Engine
from despina.graph import Graph, RunOptions
from support import (
    connector_kills,
    cycles,
    executor_cycles,
    kills,
    lake_epochs,
    random_ends,
    service_kills,
    sink_kills,
    slow_sink,
    source_kills,
    split_kills,
    takeover_kills,
    worker_kills,
    worker_memory,
)
from support.graphs import TWO, chain, packets
from support.java import MAPPED, RESOURCE_OPTIONS
from support.kill_log import Log
from support.memory import TRACKED

ROOT = Path(__file__).resolve().parents[1]
MB = 1 << 20
ASLEEP_MS = 30_000
OF_LARGE = 0.2
"""What of the time before a slow sink each graph of large answers runs for."""
PATIENCE_S = 30.0
"""How long a command may take to end once it was hit."""
ROUND = 20
"""Kills of one job that Spark reads or runs a part of."""


def slow(engine: Engine, megabytes: int) -> list[str]:
    """64 KB packets through a relay that sleeps 1 ms each.

    :return: what is wrong
    """
    found = slow_sink.run(engine, megabytes * MB)
    got = found.report["operators"]["sink"]["packets_in"]
    paused = found.report["links"]["source->slow"]["paused_ms"]
    print(f"slow sink: {got:,} of {found.packets:,} packets verified in {found.report['measured_s']:.0f} s, the source "
          f"paused for {paused / 1000:.0f} s and {found.ahead_bytes / MB:.0f} MB ahead at most")
    wrong = [] if got == found.packets else ["packets are missing"]
    for name, looks in found.resident.items():
        warm, ended = found.warm[name], found.ended[name]
        print(f"  {name}: resident {min(looks) / MB:.1f} to {max(looks) / MB:.1f} MB, live heap {warm.heap / MB:.1f} then "
              f"{ended.heap / MB:.1f} MB, direct {warm.direct / MB:.2f} then {ended.direct / MB:.2f} MB")
    return wrong + found.grown()


def again(engine: Engine, times: int) -> list[str]:
    """A job started and ended so often in one resource.

    :return: what grew
    """
    found = cycles.run(engine, times)
    for cycle, memory in ((times // 2, found.half), (times, found.whole)):
        print(f"cycle {cycle}: {memory.threads} threads, direct {memory.direct / MB:.3f} MB, metaspace "
              f"{memory.metaspace / MB:.2f} MB, live heap {memory.heap / MB:.1f} MB, resident {memory.resident / MB:.0f} MB")
    return [f"{name} grew" for name in found.grown()]


def asleep(engine: Engine) -> list[str]:
    """A receiver that takes nothing for half a minute: its window is closed for longer than a silent connection lives.

    :return: what is wrong
    """
    count = 400
    graph = chain(("source", packets(count, 65_536)),
                  ("slow", {"type": "relay", "steps": [{"for_ms": 1, "sleep_ms": ASLEEP_MS}, {"for_ms": 1, "sleep_ms": 0}]}),
                  ("sink", {"type": "discard_sink", "verify": "all"}), links={"fuse": False})
    with Graph.from_dict(graph).start(engine, RunOptions(deployment=TWO)) as job:
        job.wait()
        found = job.report()
    got, paused = found["operators"]["sink"]["packets_in"], found["links"]["source->slow"]["paused_ms"]
    print(f"asleep: {got} of {count} packets after a pause of {paused / 1000:.0f} s")
    return [] if got == count and paused > ASLEEP_MS / 2 else ["a receiver that slept was given up, or did not sleep"]


def ends(first: int, rounds: int, seed: int) -> list[str]:
    """Jobs that are hit at random, each checked by what it leaves on disk.

    :return: what is wrong
    """
    folder = Path(tempfile.mkdtemp(prefix="despina-ends-"))
    if os.geteuid() != 0:
        print("ends: no round with a full disk, which root must make")
    wrong: list[str] = []
    for number in range(first, first + rounds):
        found = random_ends.run(folder / str(number), seed, number, PATIENCE_S)
        print(f"round {number}: {found.plan}: exit code {found.code} in "
              f"{found.ended_s:.1f} s, {found.committed:,} rows committed, {found.taken:,} taken over",
              *(f"WRONG: {one}" for one in found.wrong), sep="\n  ", flush=True)
        if found.wrong:
            wrong += [f"round {number}: {one}" for one in found.wrong]
            print(found.told)
        else:
            random_ends.clear(folder / str(number))
    print(f"ends: {rounds} rounds from {first} of seed {seed}, {len(wrong)} things wrong" + (f"; see {folder}" if wrong else ""))
    if not wrong:
        folder.rmdir()
    return wrong


def simulated(seeds: int) -> list[str]:
    """Coordinators, resources and jobs in the simulator, a seed each.

    :return: what is wrong
    """
    command = [str(ROOT / "tools" / "gradle.sh"), "unitTest", "-Ponly=.*(Control|Epoch|Log)SimulationTest", f"-Pseeds={seeds}"]
    ran = subprocess.run(command, check=False)
    print(f"simulated: {seeds} seeds")
    return [] if ran.returncode == 0 else ["a simulated job did not end as it must"]


def in_executors(jobs: int) -> list[str]:
    """So many jobs in one session.

    :return: what grew
    """
    from despina.backends import executors
    session = executors.session("local-cluster[2,1,1024]", {"spark.ui.enabled": "false"})
    try:
        found = executor_cycles.run(executors.engine(session), jobs)
    finally:
        session.stop()
    for pid, half in found.half.items():
        print(f"process {pid}: after {jobs // 2} jobs {half}, after {jobs} {found.whole.get(pid)}")
    later = found.first_packets_s[1:]
    print(f"first packet after {found.first_packets_s[0]:.2f} s in the first job, {statistics.median(later):.2f} s in the median "
          f"of the others, {max(later):.2f} s at most; the first job took {found.jobs_s[0]:.2f} s, the others "
          f"{statistics.median(found.jobs_s[1:]):.2f} s")
    return found.grown()


def killed(engine: Engine, kills: int, seed: int) -> list[str]:
    """A query of Spark's that is stopped or killed so often, and loses executors, while it writes to a job.

    :return: what is wrong
    """
    with tempfile.TemporaryDirectory(prefix="despina-sink-") as folder:
        found = sink_kills.run(engine, Path(folder), kills, seed)
    print(f"sink: {found.stops} queries stopped, {found.executors} executors and {found.kills} drivers killed, "
          f"{found.epochs:,} epochs, {found.rows:,} rows",
          *(f"WRONG: {one}" for one in found.wrong), sep="\n  ")
    return found.wrong


def read_on(kills: int, seed: int) -> list[str]:
    """Queries of Spark's that read the rows of a job with a state each, and what happens so often to them, their jobs or drivers.

    :return: what is wrong
    """
    return _in_rounds("source", source_kills.run, kills, seed)


def in_two_parts(kills: int, seed: int) -> list[str]:
    """Graphs with a state of which Spark runs a part, and what happens so often to one of both.

    :return: what is wrong
    """
    return _in_rounds("split", split_kills.run, kills, seed)


def _in_rounds(name: str, run: Callable[[Path, int, int], source_kills.Found | split_kills.Found], kills: int,
               seed: int) -> list[str]:
    """Until they are so many. A round that ends before its last kill leaves the rest to the next one."""
    wrong: list[str] = []
    done: Counter[str] = Counter()
    rows = 0
    while done.total() < kills:
        folder = Path(tempfile.mkdtemp(prefix=f"despina-{name}-{seed}-"))
        try:
            found = run(folder, min(ROUND, kills - done.total()), seed)
        except AssertionError as failed:
            print(f"{name} {seed}: {failed}\nsee {folder}", flush=True)
            return [*wrong, f"{name} {seed}: it did not come to its end"]
        print(f"{name} {seed}: {dict(found.done)}, {found.rows:,} rows", *(f"WRONG: {one}" for one in found.wrong), sep="\n  ",
              flush=True)
        if found.wrong:
            print(f"see {folder}")
        else:
            shutil.rmtree(folder)
        wrong += [f"{name} {seed}: {one}" for one in found.wrong]
        if not found.done:
            return [*wrong, f"{name} {seed}: the round ended before its first kill"]
        done += found.done
        rows += found.rows
        seed += 1
    print(f"{name}: {dict(done)}, {rows:,} rows, {len(wrong)} things wrong")
    return wrong


def recovered(first: int, count: int, seed: int, file: Path | None) -> list[str]:
    """Jobs that keep their state, with so many kills.

    :param file: which has the rounds, and goes on with them
    :return: what is wrong
    """
    log = Log(seed, first, file)
    folder = Path(tempfile.mkdtemp(prefix="despina-kills-"))
    try:
        for number, found in kills.campaign(folder, seed, log, count):
            untaken = f", {found.untaken} rows on their way lost" if found.untaken else ""
            print(f"{number}: {found.plan}: {found.kills} kills, {found.runs} runs, ended {found.ended_s:.1f} s after a kill"
                  f"{untaken}", *(f"WRONG: {one}" for one in found.wrong), sep="\n  ", flush=True)
    except KeyboardInterrupt:
        print(f"cut off{f'; the same again goes on with {file}' if file else ''}")
    print(*log.summary(), sep="\n")
    with suppress(OSError):     # a round that went wrong is left there, to be looked at
        folder.rmdir()
    if folder.exists():
        print(f"see {folder}")
    return log.wrong()


def without_workers(engine: Engine, jvm: int, count: int, seed: int, spare: bool, of: str) -> list[str]:
    """Jobs with Python functions, whose processes meet so many ends.

    :param spare: whether each function has a process that waits
    :param of: what the names of the graphs have in them
    :return: what is wrong
    """
    wrong: list[str] = []
    next_s: dict[str, list[float]] = {}
    taken = 0
    with tempfile.TemporaryDirectory(prefix="despina-workers-") as folder:
        left_s = list(worker_kills.resources(engine, jvm, Path(folder)))
        for found in worker_kills.campaign(engine, jvm, Path(folder), count, seed, spare, of):
            taken += found.rows
            print(f"{found.case}: {dict(found.ways)}, {found.rows:,} rows", *(f"WRONG: {one}" for one in found.wrong), sep="\n  ",
                  flush=True)
            wrong += [f"{found.case}: {one}" for one in found.wrong]
            for way, seconds in found.next_s:
                next_s.setdefault(way, []).append(seconds)
    print(f"workers: {sum(map(len, next_s.values()))} ends of processes, {taken:,} rows, {len(wrong)} things wrong")
    for way, each in next_s.items():
        print(f"{way}: {len(each)} times, the next row after {statistics.median(each):.2f} s, at most {max(each):.2f} s")
    print(f"{len(left_s)} resources killed: a function that waits ended {statistics.median(left_s):.2f} s later, "
          f"at most {max(left_s):.2f} s")
    wrong += [f"a process of a function outlived its resource by {each:.2f} s" for each in left_s if each > worker_kills.LEFT_S]
    return wrong


def with_functions(engine: Engine, jvm: int, minutes: float, jobs: int) -> list[str]:
    """Python functions at full load before a slow sink for so long, with large answers for a part of that, and then in so many
    jobs of one process.

    :return: what grew
    """
    with tempfile.TemporaryDirectory(prefix="despina-functions-") as folder:
        wrong: list[str] = []
        for shape in (worker_memory.SLOW, *worker_memory.LARGE):
            lasts = minutes if shape == worker_memory.SLOW else minutes * OF_LARGE
            found = worker_memory.run(engine, Path(folder), lasts * 60, shape)
            print(f"functions, {shape}: {found.packets:,} packets in {lasts:g} minutes")
            for name, looks in found.resident.items():
                print(f"  {name}: resident {min(looks) / MB:.1f} to {max(looks) / MB:.1f} MB in {len(looks)} looks, at last "
                      f"{looks[-1] / MB:.1f} MB", flush=True)
            wrong += [f"{shape}: {one}" for one in found.grown()]
        half, whole = worker_memory.again(engine, jvm, Path(folder), jobs)
    print(f"functions: after {jobs // 2} jobs {half}, after {jobs} {whole}")
    return wrong + [f"{name} grew from {getattr(half, name)} to {getattr(whole, name)} in {jobs} jobs"
                            for name in ("threads", "sockets", "files") if getattr(whole, name) > getattr(half, name)]


def of_a_service(kills: int, seed: int) -> list[str]:
    """A service with some jobs, whose processes and itself are killed so often.

    :return: what is wrong
    """
    folder = Path(tempfile.mkdtemp(prefix="despina-service-"))
    wrong: list[str] = []
    done: Counter[str] = Counter()
    gone_s: list[float] = []
    for number, found in service_kills.campaign(folder, seed, kills):
        print(f"wave {number}: {dict(found.kills)}, {found.rows:,} rows", *(f"WRONG: {one}" for one in found.wrong), sep="\n  ",
              flush=True)
        wrong += [f"wave {number}: {one}" for one in found.wrong]
        done += found.kills
        gone_s += found.gone_s
    if gone_s:
        print(f"service: {dict(done)}; its processes were gone after {statistics.median(gone_s):.1f} s, at most "
              f"{max(gone_s):.1f} s")
    if wrong:
        print(f"see {folder}")
    else:
        shutil.rmtree(folder)
    return wrong


def of_connectors(kills: int, seed: int, names: list[str]) -> list[str]:
    """Jobs between servers, with so many kills for each connector.

    :return: what is wrong
    """
    folder = Path(tempfile.mkdtemp(prefix="despina-connectors-"))
    wrong: list[str] = []
    done: dict[str, Counter[str]] = {name: Counter() for name in names}
    for number, found in connector_kills.campaign(folder, seed, kills, names):
        froze = ", and it stood still" if found.frozen else ""
        said = f"skipped: {found.absent}" if found.absent else f"{dict(found.kills)}{froze}, {found.rows:,} rows"
        print(f"{number}: {found.subject}: {said}", *(f"WRONG: {one}" for one in found.wrong), sep="\n  ", flush=True)
        wrong += [f"{number}, {found.subject}: {one}" for one in found.wrong]
        done[found.subject] += found.kills
    print(*(f"{name}: {dict(each)}" for name, each in done.items()), sep="\n")
    if wrong:
        print(f"see {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return wrong


def of_lakes(epochs: int, epoch_ms: int) -> list[str]:
    """Tables of a lake to which two jobs write until they have so many versions.

    :return: what is wrong
    """
    folder = Path(tempfile.mkdtemp(prefix="despina-lakes-"))
    wrong: list[str] = []
    for found in lake_epochs.campaign(folder, epochs, epoch_ms):
        print(f"{found.kind}: {found.versions:,} versions with {found.rows:,} rows in {found.seconds:.0f} s, read in "
              f"{found.read_s:.1f} s", *(f"WRONG: {one}" for one in found.wrong), sep="\n  ", flush=True)
        wrong += [f"{found.kind}: {one}" for one in found.wrong]
    if wrong:
        print(f"see {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return wrong


def taken_over(engine: Engine, kills: int, registry: str) -> list[str]:
    """A job whose coordinator is killed so often.

    :return: what is wrong
    """
    folder = Path(tempfile.mkdtemp(prefix="despina-takeover-"))

    def tell(number: int, found: takeover_kills.Found) -> None:
        print(f"{number}: answered after {found.answered_s[-1]:.2f} s, {found.gap_ms[-1]:.1f} ms without a row, "
              f"{found.quiet_ms[-1]:.1f} ms before", flush=True)
    found = takeover_kills.campaign(engine, folder, kills, registry, tell)
    for what, each in (("answered after, s", found.answered_s), ("longest without a row after a kill, ms", found.gap_ms),
                       ("the same before a kill, ms", found.quiet_ms)):
        if ranked := sorted(each):
            print(f"{what}: median {statistics.median(ranked):.2f}, p99 {ranked[round(0.99 * (len(ranked) - 1))]:.2f}, "
                  f"at most {ranked[-1]:.2f}")
    print(f"takeover: {kills} kills, registry {registry}, {found.rows:,} rows", *(f"WRONG: {one}" for one in found.wrong),
          sep="\n  ")
    if found.wrong:
        print(f"see {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return found.wrong


def in_one_engine(engine: Engine, jvm: int, arguments: argparse.Namespace) -> list[str]:
    """What of it is asked for.

    :return: what is wrong
    """
    wrong: list[str] = []
    if arguments.only in (None, "slow"):
        wrong += slow(engine, arguments.megabytes)
    if arguments.only in (None, "cycles"):
        wrong += again(engine, arguments.cycles)
    if arguments.only in (None, "asleep"):
        wrong += asleep(engine)
    if arguments.only == "sink":
        wrong += killed(engine, arguments.kills, arguments.seed)
    if arguments.only == "workers":
        wrong += without_workers(engine, jvm, arguments.kills, arguments.seed, arguments.spare, arguments.of)
    if arguments.only == "takeover":
        wrong += taken_over(engine, arguments.kills, arguments.registry)
    if arguments.only == "functions":
        wrong += with_functions(engine, jvm, arguments.minutes, arguments.jobs)
    return wrong


def for_many_starts() -> None:
    """Thousands of JVMs start: each parses no classes, and compiles none that it soon leaves."""
    training.make()
    for name in (OPTIONS_VARIABLE, RESOURCE_OPTIONS):
        os.environ.setdefault(name, " ".join([*COORDINATES_ONLY, MAPPED]))


def halves(text: str) -> int:
    """A number of jobs: what is there after half of them is compared with what is there after all."""
    number = int(text)
    if number < 2:
        raise argparse.ArgumentTypeError("at least 2: what is held after half of them is compared with what is held after all")
    return number


def asked_for() -> argparse.Namespace:
    """What its user has typed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["slow", "cycles", "asleep", "ends", "simulated", "executors", "sink", "source",
                                           "split", "kills", "workers", "functions", "service",
                                           "connectors", "lakes", "takeover"],
                        help="one run instead of all")
    parser.add_argument("--megabytes", type=int, default=2048, help="through the slow sink (%(default)s)")
    parser.add_argument("--cycles", type=halves, default=100, help="start and end of a job (%(default)s)")
    parser.add_argument("--rounds", type=int, default=200, help="jobs that are hit at random (%(default)s)")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first round's number (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of these rounds (%(default)s)")
    parser.add_argument("--seeds", type=int, default=2000, help="of the simulator (%(default)s)")
    parser.add_argument("--jobs", type=halves, default=200,
                        help="in the executors of one session, or with functions in one process (%(default)s)")
    parser.add_argument("--minutes", type=float, default=10, help="of functions before a slow sink (%(default)s)")
    parser.add_argument("--kills", type=int, default=50,
                        help="of a query of Spark's, its job or its driver; of jobs with a state; of functions' processes; "
                             "of a service and its processes; of the job and the server of each connector; of a coordinator "
                             "(%(default)s)")
    parser.add_argument("--resume", type=Path, metavar="FILE",
                        help="of jobs with a state: rounds are written to that file. With a file that has some of the same seed, "
                             "go on behind them, until there are as many kills in all")
    parser.add_argument("--connector", action="append", choices=sorted(connector_kills.SUBJECTS), dest="connectors",
                        help="of connectors: this one; may be said several times (all)")
    parser.add_argument("--registry", choices=["folder", "zookeeper"], default="folder",
                        help="of take-overs: what says who has the job (%(default)s)")
    parser.add_argument("--epochs", type=int, default=1_000, help="of lakes: versions of each table (%(default)s)")
    parser.add_argument("--epoch-ms", type=int, default=50, help="of lakes: how long an epoch is (%(default)s)")
    parser.add_argument("--of", default="", metavar="WORDS",
                        help="of functions' processes: in the graphs alone whose names have these words, as 'in a row'")
    parser.add_argument("--spare", action="store_true", help="each function has a process that waits, once it is open")
    return parser.parse_args()


def main() -> int:
    """Runs what is asked for."""
    arguments = asked_for()
    if arguments.only == "simulated":
        return 1 if simulated(arguments.seeds) else 0
    os.environ[archive.SWITCH] = "off"      # no round leaves a process behind that makes one
    if arguments.only == "executors":
        grown = in_executors(arguments.jobs)
        print("; ".join(grown) or "nothing grew")
        return 1 if grown else 0
    killed_in_it = {"source": read_on, "split": in_two_parts, "service": of_a_service}
    if arguments.only in killed_in_it:
        return 1 if killed_in_it[arguments.only](arguments.kills, arguments.seed) else 0
    if arguments.only in ("connectors", "kills", "takeover"):
        for_many_starts()
    if arguments.only in ("connectors", "lakes"):
        names = arguments.connectors or sorted(connector_kills.SUBJECTS)
        lakes = arguments.only == "lakes"
        return 1 if (of_lakes(arguments.epochs, arguments.epoch_ms) if lakes
                     else of_connectors(arguments.kills, arguments.seed, names)) else 0
    if arguments.only == "kills":
        return 1 if recovered(arguments.first, arguments.kills, arguments.seed, arguments.resume) else 0
    if arguments.only == "ends":
        return 1 if ends(arguments.first, arguments.rounds, arguments.seed) else 0
    if arguments.only != "takeover":
        os.environ.update(TRACKED)
    with closing(Py4jDriver(["-Xmx512m"])) as driver:
        wrong = in_one_engine(Engine(driver, "py4j"), driver.pid, arguments)
    if arguments.only is None:
        wrong += ends(arguments.first, arguments.rounds, arguments.seed) + simulated(arguments.seeds)
    print("; ".join(wrong) or "nothing grew, nothing is missing")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
