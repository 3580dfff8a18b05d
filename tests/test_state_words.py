"""Bad luck with a state folder: each case with the words that are said of it, on jobs that run."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from despina import Graph, Job
from despina.engine import Engine
from despina.errors import DespinaError
from support.graphs import write
from support.processes import SOURCE, over, until
from support.state_folders import seal

GRAPH = "states"
BY_K = {"type": "scan", "group_by": ["k"], "state": {"n": {"initial": "0L", "next": "n + 1"}},
        "select": ["ts", "k", "next.n AS n"]}

KEYS = 3000

pytestmark = pytest.mark.parametrize("engine", ["py4j"], indirect=True)


def graph(fold: str = "fold", buckets: int = 256, operator: dict[str, Any] = BY_K) -> Graph:
    rows = {"type": "select", "select": ["timestamp_micros(id * 1000) AS ts", "id % 7 AS k"]}
    return Graph.from_dict({"format": 1, "name": GRAPH, "settings": {"buckets": buckets}, "operators": {
        "made": {"type": "generator_source", "rows": rows, "rate_per_s": 500,
                 "event_time": {"column": "ts", "order_by": ["k"], "max_delay_ms": 0}},
        fold: operator, "dropped": {"type": "discard_sink"}},
        "links": [{"from": "made", "to": fold}, {"from": fold, "to": "dropped"}]})


@contextmanager
def running(engine: Engine, state: Path, run: Graph | None = None, **options: Any) -> Iterator[Job]:
    job = (run or graph()).run(engine=engine, state=state, epoch_ms=50, **options)
    try:
        yield job
    finally:
        job.stop("now")
        with suppress(DespinaError):
            job.wait()


def complete(job: Job, epochs: int) -> None:
    """Waits until so many epochs more are complete."""
    goal = last_epoch(job) + epochs
    until(lambda: last_epoch(job) >= goal or job.poll().ended, "epochs")


def last_epoch(job: Job) -> int:
    return int(job.poll().epoch.get("complete", 0))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state of a job that was ended at once, as if killed; made by the first test that needs it."""
    return tmp_path_factory.mktemp("kept") / "state"


@pytest.fixture
def state(engine: Engine, kept: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    if not kept.exists():
        with running(engine, kept) as job:
            complete(job, 4)
    shutil.copytree(kept, tmp_path / "state", ignore=shutil.ignore_patterns("lock"))
    return tmp_path / "state"


def manifests(state: Path) -> list[Path]:
    """The newest last."""
    return sorted((state / GRAPH / "epochs").glob("*.manifest.json"), key=lambda file: int(file.name.partition(".")[0]))


def number(manifest: Path) -> int:
    return int(manifest.name.partition(".")[0])


def content(manifest: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(manifest.read_text())["manifest"]
    return found


def data(state: Path, manifest: Path) -> Path:
    return state / str(content(manifest)["files"][0]["path"])


def uncommitted(manifest: Path) -> None:
    manifest.with_name(f"{number(manifest)}.committed.json").unlink(missing_ok=True)


def refused(engine: Engine, state: Path, run: Graph | None = None, **options: Any) -> str:
    """The words with which a run is refused."""
    with pytest.raises(DespinaError) as found, running(engine, state, run, **options):
        pass
    return str(found.value)


def told(engine: Engine, state: Path, run: Graph | None = None) -> tuple[int, str]:
    """The epoch from which a run goes on, and what it says."""
    newest = number(manifests(state)[-1])
    with running(engine, state, run) as job:
        until(lambda: last_epoch(job) > newest or job.poll().ended, "a new epoch")
        epoch = job.poll().epoch
        return int(epoch["restored_from"]), " ".join(epoch["warnings"])


def test_the_same_graph_goes_on_without_a_word(engine: Engine, state: Path) -> None:
    last = number(manifests(state)[-1])      # the run itself may add some
    assert told(engine, state) == (last, "")


def test_a_manifest_that_is_cut_short_loses_its_epoch(engine: Engine, state: Path) -> None:
    last = manifests(state)[-1]
    uncommitted(last)
    last.write_bytes(last.read_bytes()[:100])
    begun, words = told(engine, state)
    assert begun == number(last) - 1
    assert f"epoch {number(last)} is lost: " in words
    assert "cut short" in words


def damage(file: Path) -> None:
    file.write_text(file.read_text().replace('"type"', '"tipe"', 1))


def remove(file: Path) -> None:
    file.unlink()


def test_an_epoch_that_sinks_have_committed_is_not_passed_over(engine: Engine, state: Path) -> None:
    last = manifests(state)[-1]
    seal(last.with_name(f"{number(last)}.committed.json"), {"epoch": number(last), "attempt": 1})
    damage(last)
    assert f"epoch {number(last)} cannot be read, and sinks have committed it" in refused(engine, state)


def test_an_epoch_that_sinks_were_told_to_commit_is_not_passed_over(engine: Engine, state: Path) -> None:
    last = manifests(state)[-1]
    uncommitted(last)
    damage(last)
    assert f"epoch {number(last)} cannot be read, and sinks may have committed it" in refused(engine, state)


def test_an_epoch_whose_states_are_gone_is_passed_over_where_no_row_was_seen(engine: Engine, state: Path) -> None:
    last = manifests(state)[-1]
    own = [file["path"] for file in content(last)["files"] if f"/{number(last)}." in file["path"]]
    remove(state / own[0])
    begun, words = told(engine, state)
    assert begun == number(last) - 1
    assert f"epoch {number(last)} is lost, of which no sink had shown a row: " in words


@pytest.fixture(scope="module")
def kept_in_chains(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state of a job with many keys of which few change: its epochs are a base and what has changed since."""
    return tmp_path_factory.mktemp("kept") / "state"


def many_keys(out: Path | None = None) -> Graph:
    """:param out: of a sink that shows rows"""
    made = graph().to_dict()
    made["operators"]["made"]["rows"]["select"][1] = f"CASE WHEN id < {KEYS} THEN id ELSE id % 7 END AS k"
    made["operators"]["made"]["rate_per_s"] = KEYS
    if out is not None:
        made["operators"]["dropped"] = {"type": "file_sink", "path": str(out), "format": "csv", "roll_every_ms": 10}
    return Graph.from_dict(made)


def keep_in_chains(engine: Engine, state: Path, of: Graph) -> list[Path]:
    """Ends a job at once whose three epochs have one base.

    :return: their manifests
    """
    for _ in range(5):      # a new base may be written just before the end; the job then goes on
        with running(engine, state, of) as job:
            until(lambda: job.poll().operators["fold"]["packets_in"] > KEYS, "all keys", ended=over(job))
            complete(job, 6)
        found = manifests(state)[-3:]
        if len({content(each)["files"][0]["path"] for each in found}) == 1:
            return found
    pytest.fail("three epochs never have one base")


@pytest.fixture
def chained(engine: Engine, kept_in_chains: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    if not kept_in_chains.exists():
        keep_in_chains(engine, kept_in_chains, many_keys())
    shutil.copytree(kept_in_chains, tmp_path / "state", ignore=shutil.ignore_patterns("lock"))
    return tmp_path / "state"


def flip(file: Path) -> None:
    """A bit of its middle."""
    bits = bytearray(file.read_bytes())
    bits[len(bits) // 2] ^= 1
    file.write_bytes(bits)


@pytest.mark.parametrize("harm", [remove, flip], ids=["gone", "damaged"])
def test_a_delta_is_missing_that_later_epochs_go_on_from(engine: Engine, chained: Path,
                                                         harm: Callable[[Path], None]) -> None:
    oldest, middle, last = manifests(chained)[-3:]
    delta = chained / str(content(middle)["files"][-1]["path"])
    assert delta.name == f"{number(middle)}.local.delta"
    harm(delta)
    begun, words = told(engine, chained, many_keys())
    assert begun == number(oldest)
    for lost in (middle, last):
        assert f"epoch {number(lost)} is lost, of which no sink had shown a row: " in words
    assert str(delta.relative_to(chained)) in words


def test_a_base_is_missing_that_all_epochs_go_on_from(engine: Engine, chained: Path) -> None:
    base = data(chained, manifests(chained)[-1])
    for each in {data(chained, manifest) for manifest in manifests(chained)}:     # an older epoch may still have one of its own
        remove(each)
    words = refused(engine, chained, many_keys())
    assert f"no epoch in the state folder of graph `{GRAPH}` can be read" in words
    assert str(base.relative_to(chained)) in words


def test_a_delta_is_missing_of_whose_epoch_rows_were_seen(engine: Engine, tmp_path: Path) -> None:
    state, seen = tmp_path / "state", many_keys(tmp_path / "out")
    last = keep_in_chains(engine, state, seen)[-1]
    delta = str(content(last)["files"][-1]["path"])
    remove(state / delta)
    words = refused(engine, state, seen)
    newest = manifests(state)[-1]       # one more may have been on its way when the job was ended
    assert f"epoch {number(newest)} cannot be read, and sink `dropped` " in words
    assert delta in words


def test_no_whole_epoch_is_an_error_and_no_empty_start(engine: Engine, state: Path) -> None:
    for manifest in manifests(state):
        uncommitted(manifest)
        damage(manifest)
    assert f"no epoch in the state folder of graph `{GRAPH}` can be read" in refused(engine, state)


def test_a_manifest_of_tomorrow_goes_on_and_says_so(engine: Engine, state: Path) -> None:
    last = manifests(state)[-1]
    later = content(last)
    later["takenAtMillis"] += 86_400_000
    seal(last, later)
    begun, words = told(engine, state)
    assert begun == number(last)
    assert "in the future by this machine's clock: one of the clocks was set" in words


def test_a_later_engine_has_written_it(engine: Engine, state: Path) -> None:
    last = manifests(state)[-1]
    seal(last, content(last) | {"format": 99})
    assert "format 99; this engine reads up to 8" in refused(engine, state)


def test_another_process_runs_it(engine: Engine, state: Path) -> None:
    lock = state / GRAPH / "lock"
    seal(lock, {"coordinator": "c", "host": "box", "pid": 12, "sinceMillis": 1, "leaseMillis": -1})
    with lock.open("r+") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        assert "is run by process 12 on box, which uses the same state folder" in refused(engine, state)


@pytest.mark.parametrize(("changed", "words"), [
    (graph(buckets=128), "buckets were 256, in the graph they are 128"),
    (graph(fold="folded"), "operator `fold` is not in the graph: its state is lost"),
    (graph(operator={"type": "deduplicate", "by": ["k"], "within_ms": 1000}), "operator `fold` was of type scan"),
], ids=["buckets", "id", "type"])
def test_a_graph_that_does_not_fit(engine: Engine, state: Path, changed: Graph, words: str) -> None:
    found = refused(engine, state, changed)
    assert "the graph does not fit epoch" in found
    assert words in found


def test_a_job_goes_on_beside_its_savepoint_under_other_names(engine: Engine, tmp_path: Path) -> None:
    with running(engine, tmp_path / "state") as job:
        complete(job, 1)
        kept = job.savepoint(tmp_path / "kept")
        complete(job, 1)
        assert not job.poll().ended, "it goes on"
    assert (kept.folder, kept.epoch > 1, kept.bytes > 0) == (str(tmp_path / "kept"), True, True)
    renamed = graph(fold="folded")
    dry = renamed.dry_run(kept.folder, rename={"fold": "folded"}, engine=engine)
    assert {each.operator: each.fate for each in dry.operators} == {"made": "kept", "fold": "renamed", "dropped": "kept"}
    with running(engine, tmp_path / "other", renamed, from_=kept.folder, rename={"fold": "folded"}) as job:
        complete(job, 1)
        told = " ".join(job.poll().epoch["warnings"])
        until(lambda: job.poll().operators["folded"]["packets_in"] > 0 or job.poll().ended, "rows")
        assert not job.poll().ended
        assert "operator `fold` goes on as `folded`" in told
    assert "operator `fold` is dropped" in [each.words for each in renamed.dry_run(
        kept.folder, drop=["fold"], engine=engine).operators]


def collecting(instances: int) -> Graph:
    """:param instances: of the ``collect_sink``"""
    made = graph().to_dict()
    made["operators"]["dropped"] = {"type": "collect_sink", "parallelism": instances}
    made["links"][1]["partition"] = {"type": "hash", "by": ["k"]}
    return Graph.from_dict(made)


def test_rows_that_a_program_takes_by_their_numbers_keep_their_instances(engine: Engine, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with running(engine, state, collecting(2)) as job:
        complete(job, 2)
    words = "operator `dropped` has rows that a program reads, by their numbers in 2 instances; with 3 these mean nothing: " \
        "leave its parallelism as it was"
    before = sorted((state / GRAPH / "attempts").iterdir())
    assert words in refused(engine, state, collecting(3))
    assert sorted((state / GRAPH / "attempts").iterdir()) == before, "nothing has begun"
    assert [each.message for each in collecting(3).dry_run(state, engine=engine).diagnostics] == [words]


def test_a_file_in_the_place_of_the_folder(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    assert str(tmp_path / "state") in refused(engine, tmp_path / "state")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, of 4 MB, with the state on it."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", place], check=False).returncode:
        pytest.skip("only root may mount a disk, and not everywhere")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def test_a_disk_that_is_read_only(engine: Engine, state: Path, disk: Path) -> None:
    shutil.copytree(state, disk / "state")
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    words = refused(engine, disk / "state")
    assert "Read-only file system" in words
    assert str(disk / "state") in words


def test_a_disk_that_is_full(engine: Engine, state: Path, disk: Path) -> None:
    shutil.copytree(state, disk / "state")
    with suppress(OSError):
        (disk / "full").write_bytes(bytes(1 << 23))
    words = refused(engine, disk / "state")
    assert "No space left on device" in words
    assert str(disk / "state") in words
    (disk / "full").unlink()
    assert told(engine, disk / "state")[0] > 0


UNPRIVILEGED = """
import ctypes, os, sys
if os.geteuid() == 0:
    for right in (1, 2):        # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: what it starts has to keep to the modes of files
        assert ctypes.CDLL(None, use_errno=True).prctl(24, right, 0, 0, 0) == 0, os.strerror(ctypes.get_errno())
import despina
from despina.errors import DespinaError
try:
    despina.load(sys.argv[1]).run(driver="py4j", state=sys.argv[2]).wait()
except DespinaError as refused:
    print(refused)
"""
"""Root has all rights, and so would its engine. This one has those of a file's owner."""


def test_a_folder_without_rights(state: Path) -> None:
    file = write(state.with_name("g.json"), graph().to_dict())
    state.chmod(0)
    try:
        ran = subprocess.run([sys.executable, "-c", UNPRIVILEGED, file, state], capture_output=True, text=True, timeout=90,
                             check=False, env={**os.environ, "PYTHONPATH": str(SOURCE)})
    finally:
        state.chmod(0o700)
    assert f"the state folder {state} cannot be used: " in ran.stdout, ran


def test_a_record_that_fails_its_operator_each_time(engine: Engine, tmp_path: Path) -> None:
    """Java's matcher of regular expressions has no stack for it."""
    long = "repeat('a', CASE WHEN id = 300 THEN 200000 ELSE 1 END)"
    bad = Graph.from_dict({"format": 1, "name": "poison", "operators": {
        "made": {"type": "generator_source", "count": 1000, "rate_per_s": 500,
                 "rows": {"type": "select", "select": ["id", f"{long} AS s"]}},
        "matching": {"type": "filter", "where": "s rlike '^(a|b)*$'", "on_error": {"type": "skip"}},
        "kept": {"type": "file_sink", "path": str(tmp_path / "out"), "format": "csv"}},
        "links": [{"from": "made", "to": "matching"}, {"from": "matching", "to": "kept"}]})
    job = bad.run(engine=engine, state=tmp_path / "state", epoch_ms=50)
    report = job.wait()
    assert job.restarts == 3
    assert report.operators["matching"]["errors"] == 1
    assert "it has failed its operator in one attempt after the other" in str(report.skipped["matching"])
    ids = sorted(int(line.split(",")[0]) for file in (tmp_path / "out").glob("part-*") for line in file.open())
    assert ids == [id for id in range(1000) if id != 300]


@pytest.mark.parametrize("takes", [False, True], ids=["polls", "takes"])
def test_a_job_that_is_polled_ends_unless_its_program_takes_batches(engine: Engine, tmp_path: Path, takes: bool) -> None:
    short = collecting(1).to_dict()
    short["operators"]["made"]["count"] = 100
    job = Graph.from_dict(short).run(engine=engine, state=tmp_path / "state", epoch_ms=50)
    if takes:
        assert len(next(job.batches())) > 0
        until(lambda: job.poll().operators["dropped"]["packets_in"] == 100, "rows", ended=over(job))
        for _ in range(50):
            assert not job.poll(0.02).ended
        assert job.wait().state == "done"
    else:
        until(lambda: job.poll().ended, "its end")
    assert job.poll().state == "done"
