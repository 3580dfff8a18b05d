"""Resources that have processors of their own, and places by label."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import despina
from despina.engine import Engine
from despina.errors import RefusedError
from support.processes import over, until

pytestmark = [pytest.mark.parametrize("engine", ["py4j"], indirect=True),
              pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="processors are given on Linux"),
              pytest.mark.skipif(shutil.which("taskset") is None, reason="taskset of util-linux binds a child")]
GRAPH = despina.Graph.from_dict({
    "format": 1, "name": "bound",
    "operators": {"source": {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "rate_per_s": 100},
                  "sink": {"type": "discard_sink", "parallelism": 2}},
    "links": [{"from": "source", "to": "sink"}],
})


def allowed(pid: int | str) -> str:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("Cpus_allowed_list"))


def test_children_alike_run_on_the_processor_that_they_are_given(engine: Engine) -> None:
    first = allowed("self").replace(",", "-").split("-")[0]
    deployment = {"format": 1, "resources": {"worker": {"count": 2, "cpus": first, "labels": ["edge"]}},
                  "place": {"source": ["worker-0"], "*": ["@edge"]}}
    with GRAPH.run(engine=engine, deployment=deployment) as job:
        until(lambda: job.poll().operators["sink"]["packets_in"] > 0, "packets", ended=over(job))
        found = job.poll().resources
        assert {name: allowed(one["pid"]) for name, one in found.items()} == {"worker-0": first, "worker-1": first}
        job.stop("now")


def test_threads_of_a_child_stay_where_they_are_told_and_serve_as_others_do(engine: Engine) -> None:
    first = allowed("self").replace(",", "-").split("-")[0]
    deployment = {"format": 1, "resources": {"pinned": {"cores": 1, "pin": "cores", "poll_us": 20}, "served": {"io_threads": 1}},
                  "place": {"source": ["pinned"], "*": ["served"]}}
    with GRAPH.run(engine=engine, deployment=deployment) as job:
        until(lambda: job.poll().operators["sink"]["packets_in"] > 0, "packets", ended=over(job))
        threads = Path("/proc", str(job.poll().resources["pinned"]["pid"]), "task")
        workers = [thread for thread in threads.iterdir() if (thread / "comm").read_text().startswith("despina-worker")]
        assert [allowed(str(worker.relative_to("/proc"))) for worker in workers] == [first]
        job.stop("now")


def test_a_processor_that_is_not_there_is_refused_by_its_number(engine: Engine) -> None:
    deployment = {"format": 1, "resources": {"near": {"cpus": "0-4095"}}}
    with pytest.raises(RefusedError, match=r"resource `near` has cpus=0-4095, and this process may not run on .*4095"):
        GRAPH.run(engine=engine, deployment=deployment)


def test_processors_that_a_job_has_for_itself_are_refused_to_another_until_it_ends(engine: Engine) -> None:
    own = allowed("self").replace(",", "-").split("-")[-1]     # not the first: tests beside this one are there
    with GRAPH.run(engine=engine, deployment={"format": 1, "resources": {"fast": {"cpus": own, "share": "exclusive"}}}) as job:
        until(lambda: job.poll().operators["sink"]["packets_in"] > 0, "packets", ended=over(job))
        other = {"format": 1, "resources": {"near": {"cpus": own}}}
        words = rf"`near` names processors {own}, and resource `fast` \(process \d+\) has {own} for itself"
        with pytest.raises(RefusedError, match=words):
            GRAPH.run(engine=engine, deployment=other)
        job.stop("now")
        job.wait()
    with GRAPH.run(engine=engine, deployment=other) as job:
        until(lambda: job.poll().operators["sink"]["packets_in"] > 0, "packets", ended=over(job))
        job.stop("now")


def test_a_child_that_is_not_to_be_overcommitted_is_refused_more_threads(engine: Engine) -> None:
    first = allowed("self").replace(",", "-").split("-")[0]
    deployment = {"format": 1, "resources": {"near": {"cpus": first, "io_threads": 1, "overcommit": False}}}
    words = rf"`near` is not to be overcommitted, and 2 threads \(`near` 2\) would be on 1 processors, {first}"
    with pytest.raises(RefusedError, match=words):
        GRAPH.run(engine=engine, deployment=deployment)
