"""Ctrl-C while a job starts, in a process of its own, over every driver."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from despina.drivers import DRIVERS
from despina.drivers.jvm import OPTIONS_VARIABLE
from support.java import SMALL

SOURCE = str(Path(__file__).parents[2] / "src")
SCRIPT = """
    import inspect, json, os, signal, sys, threading
    from despina import engine
    from despina.graph import Graph

    name, folder, moment = sys.argv[1:]
    started = engine.start(name)
    call = started._driver.call
    again = False

    def press():
        os.kill(os.getpid(), signal.SIGINT)

    def interrupted(method, *arguments):
        if method != "run" or again:
            return call(method, *arguments)
        if moment == "after the call":
            answer = run(*arguments)
            press()
            return answer
        held = inspect.getclosurevars(signal.getsignal(signal.SIGINT)).nonlocals["held"]
        press()
        while not held:
            pass
        press()
        left.wait()
        return run(*arguments)

    def run(*arguments):
        answer = call("run", *arguments)
        jobs.append(json.loads(answer)["job"])
        while json.loads(call("await", jobs[0], 100))["state"] == "deploying":
            pass
        return answer

    def graph(**source):
        rows = {"type": "packets", "packet_bytes": 50}
        return Graph(json.dumps({"format": 1, "name": "numbers", "operators": {
            "source": {"type": "generator_source", "rows": rows, **source},
            "sink": {"type": "file_sink", "path": folder, "format": "json", "if_exists": "replace"}},
            "links": [{"from": "source", "to": "sink"}]}), "numbers.json")

    jobs = []
    left = threading.Event()
    started._driver.call = interrupted
    try:
        job = graph(rate_per_s=1000).run(driver=name)
    except KeyboardInterrupt:
        print("interrupted")
    left.set()
    for thread in threading.enumerate():
        if thread.name == "despina-run":
            thread.join()
    print(started.status(jobs[0])["state"])
    again = True
    print(graph(count=10).run(driver=name).wait().state)
"""


@pytest.mark.parametrize("moment", ["after the call", "twice"])
@pytest.mark.parametrize("driver", DRIVERS)
def test_what_an_interrupted_start_has_started_is_stopped(tmp_path: Path, driver: str, moment: str) -> None:
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(SCRIPT), driver, str(tmp_path / "out"), moment],
                          capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, "PYTHONPATH": SOURCE, OPTIONS_VARIABLE: SMALL})
    assert (done.stdout, done.returncode) == ("interrupted\nstopped\ndone\n", 0), done.stderr
