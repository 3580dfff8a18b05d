"""What a thousand open streams cost on which nothing comes."""

from __future__ import annotations

import subprocess
import sys
import threading

from harness import java, silent, stats
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Point, Run, Subject
from harness.processes import RunError
from harness.result import Result
from harness.stats import Estimate

SHARE = Metric("core_percent", "% of one core")
SWITCHES = Metric("switches_per_s", "context switches/s")
RESIDENT = Metric("resident_mb", "resident MB")
START = Metric("start_s", "seconds until all are open")
MEMORY_BYTES = 1 << 30
OPEN_S = 300
_SERVER = """
import asyncio

import sys

left = int(sys.argv[1])

async def answer(reader, writer):
    global left
    try:
        await reader.readuntil(b"\\r\\n\\r\\n")
    except asyncio.IncompleteReadError:
        return
    writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n")
    await writer.drain()
    left -= 1
    if not left:
        print("all are open", flush=True)
    await asyncio.Event().wait()

async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


def open_streams(run: Run) -> Measured:
    """So many sources in one process, each with an answer that has begun and does not go on."""
    streams = run.point["streams"]
    with subprocess.Popen([sys.executable, "-c", _SERVER, str(streams)], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            said = server.stdout
            port = said.readline().strip()
            if not port:
                raise RunError("the server of the streams did not say where it listens")
            overdue = threading.Timer(OPEN_S, server.kill)
            overdue.daemon = True
            overdue.start()

            def ready() -> None:
                if not said.readline():
                    raise RunError(f"not all {streams:,} streams were open within {OPEN_S} s")
                overdue.cancel()

            found = silent.measured(run, _graph(streams, port), DEPLOYMENT, with_coordinator=True, ready=ready)
        finally:
            server.kill()
    return Measured({SHARE.name: found.core_percent, SWITCHES.name: found.switches_per_s,
                     RESIDENT.name: found.usage.resident_bytes / 1e6, START.name: found.start_s})


def _graph(streams: int, port: str) -> dict[str, object]:
    asking = {"type": "http_stream_source", "url": f"http://127.0.0.1:{port}/", "framing": "events", "format": "text",
              "buffer_bytes": 65536, "max_record_bytes": 4096, "stall_ms": 0}
    operators = {f"stream_{k}": asking for k in range(streams)} | {"sink": {"type": "discard_sink"}}
    return {"format": 1, "name": "streams", "operators": operators,
            "links": [{"from": f"stream_{k}", "to": "sink"} for k in range(streams)]}


DEPLOYMENT = {"format": 1, "resources": {"only": {"start": "child", "memory_bytes": MEMORY_BYTES}}, "place": {"*": ["only"]}}


def _at(streams: int) -> Point:
    return {"streams": streams}


def _beyond_one(result: Result) -> Estimate | None:
    """What the streams take, without what the processes take anyhow: the median of the differences, round by round."""
    pairs = result.pairs(SHARE.name, "despina", "despina", _at(1000), _at(1))
    return stats.median([many.values[SHARE.name] - one.values[SHARE.name] for many, one in pairs]) if pairs else None


EXPERIMENT = Experiment(
    name="open_streams",
    doc="""A graph of so many `http_stream_source` in one process, each with an answer that is open and on which nothing
    comes: processor time of the process and of the coordinator's, context switches and memory. The server is another process.""",
    subjects=(Subject("despina", open_streams, 8),),
    metrics=(SHARE, SWITCHES, RESIDENT, START),
    full=Plan([_at(1), _at(1000)], warm_up_s=12, seconds=12),
    quick=Plan([_at(1000)], repeats=1, warm_up_s=8, seconds=5),
    claims=(Claim("1,000 open streams, % of one core", lambda result: result.estimate(SHARE.name, "despina", _at(1000)),
                  at_most=1.0),
            Claim("1,000 open streams, beyond one, % of one core", _beyond_one, at_most=1.0)),
    needs=(java.java_needed,),
)
