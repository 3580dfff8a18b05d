"""A second command waits for the end of the first: where that is lost, it takes the job over, which goes on meanwhile."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from e2e.conftest import Start
from support import network
from support.network import FAR, NEAR, Network
from support.processes import until
from support.takeover import STANDS_BY, Site, begun, kill, right
from support.zookeeper import ZooKeeper, zookeeper


@pytest.fixture
def site(start: Start, tmp_path: Path) -> Site:
    """Where a job runs."""
    return Site(start, tmp_path)


@pytest.mark.parametrize("registry", ["folder", "zookeeper"])
def test_the_job_goes_on_when_what_coordinates_it_is_killed(site: Site, tmp_path: Path, registry: str) -> None:
    with ExitStack() as ends:
        server = ends.enter_context(zookeeper(tmp_path / "zookeeper")) if registry == "zookeeper" else None
        goes_on(site, tmp_path, server)


def goes_on(site: Site, folder: Path, server: ZooKeeper | None) -> None:
    """One command is killed, or its engine; the registry, if it is a server, goes away and comes again, and two stand by."""
    options = ("--standby", *(("--registry", server.url) if server else ()))
    first = site.run(*options)
    resources = [site.resource(name, "--keep") for name in ("left", "right")]
    first.until(lambda: site.shown() > 2, "rows that are shown")
    job_files = [folder / f"job-{k}" for k in range(2 if server else 1)]
    standing_by = {file: site.run(*options, "--job-file", str(file)) for file in job_files}
    for each in standing_by.values():
        each.says(STANDS_BY)
    if server:
        server.stop()
        first.says("the lease of the state folder is not renewed: registry")
        server.start()
        first.says("the lease of the state folder is renewed again")
        shown = site.shown()
        first.until(lambda: site.shown() > shown + 2, "rows that are shown when the registry has come again")
        assert "\tat " not in first.err(), "a stack trace is for nobody who runs a job"
    kill(first.jvms("GatewayMain") if server else [first.pid])
    until(lambda: not first.processes(), "end of the first command")
    second, = until(lambda: [each for file, each in standing_by.items() if file.exists()], "command that has the job")
    shown = site.shown()
    second.until(lambda: site.shown() > shown + 2, "more rows")
    second.signal(signal.SIGINT)
    ended = second.end()
    assert ended.code == 128 + signal.SIGINT, ended.err
    for each in standing_by.values():
        if each is not second:
            assert "nothing is left to take over" in each.end().err
    for each in resources:
        assert begun(each) == 1, each.err()
        each.signal(signal.SIGTERM)
        assert each.end().code == 128 + signal.SIGTERM
    found = site.rows()
    assert found == right(len(found))


@pytest.mark.skipif(not os.environ.get("DESPINA_EVERY_CASE"), reason="its silence is waited for, half a minute")
def test_of_two_that_are_cut_off_from_each_other_one_acts(start: Start, tmp_path: Path) -> None:
    if why := network.missing():
        pytest.skip(why)
    with Network() as hosts, zookeeper(tmp_path / "zookeeper", FAR, hosts.on(FAR)) as server:
        site = Site(start, tmp_path, host=FAR)
        options = ("--standby", "--registry", server.url, "--coordinator-lost-ms", "30s")
        first = site.run(*options, "--listen", NEAR, inside=hosts.on(NEAR))
        resources = [site.resource(name, "--keep", "--listen", FAR, at=(NEAR, FAR), inside=hosts.on(FAR))
                     for name in ("left", "right")]
        first.until(lambda: site.shown() > 2, "rows that are shown")
        job_file = tmp_path / "job"
        second = site.run(*options, "--listen", FAR, "--job-file", str(job_file), inside=hosts.on(FAR))
        second.says(STANDS_BY)
        hosts.drop()
        second.until(job_file.exists, "job that is taken over")
        shown = site.shown()
        second.until(lambda: site.shown() > shown + 2, "more rows")
        assert first.processes(), first.err()
        hosts.heal()
        ended = first.end()
        assert ended.code == 1, ended.err
        assert "was claimed or taken over by process" in ended.err or "was taken over by another coordinator" in ended.err
        assert "\tat " not in ended.err, "a stack trace is for nobody who runs a job"
        shown = site.shown()
        second.until(lambda: site.shown() > shown + 2, "more rows when the first has ended")
        second.signal(signal.SIGINT)
        assert second.end().code == 128 + signal.SIGINT
        for each in resources:
            assert begun(each) == 1, each.err()
            each.signal(signal.SIGTERM)
            each.end()
        found = site.rows()
        assert found == right(len(found))


def test_a_resource_ends_when_nobody_takes_its_job_over(site: Site) -> None:
    first = site.run("--coordinator-lost-ms", "500ms")
    first.says("waiting for resource right")
    resources = [site.resource(name) for name in ("left", "right")]
    first.until(lambda: site.shown() > 0, "rows that are shown")
    kill([first.pid])
    assert [each.end().code for each in resources] == [4, 4]
    again = site.run()
    again.says("waiting for resource right")
    more = [site.resource(name) for name in ("left", "right")]
    shown = site.shown()
    again.until(lambda: site.shown() > shown, "more rows")
    again.signal(signal.SIGINT)
    assert again.end().code == 128 + signal.SIGINT
    assert [each.end().code for each in more] == [0, 0]
    found = site.rows()
    assert found == right(len(found))


def test_a_job_that_is_stopped_is_taken_over_by_nobody_though_its_command_did_not_stand_by(site: Site) -> None:
    first = site.run()
    first.says("waiting for resource right")
    resources = [site.resource(name) for name in ("left", "right")]
    first.until(lambda: site.shown() > 0, "rows that are shown")
    second = site.run("--standby")
    second.says(STANDS_BY)
    first.signal(signal.SIGINT)
    assert first.end().code == 128 + signal.SIGINT
    ended = second.end()
    assert "the run for which this one stood by has ended by itself" in ended.err
    assert ended.code == 2
    assert [each.end().code for each in resources] == [0, 0]
