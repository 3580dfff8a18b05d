"""Load on a service, and what is measured under it: requests at a rate, viewers, slow clients, processes that must stay flat."""

from __future__ import annotations

import http.client
import json
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from despina.service.client import API, Client
from despina.service.series import PROCESSES, used_by
from support.openapi import Request
from support.processes import Command, until
from support.service_homes import Home

THREADS = 16
VIEWERS = 5
SCRAPE_S = 5.0
TAIL_S = 0.2
"""As the page asks."""
FAILED = float("inf")
"""Seconds of a question that was not answered."""

RELAY: dict[str, Any] = {"source": {"type": "generator_source", "rows": {"type": "packets", "packet_bytes": 50}},
                         "relay": {"type": "relay"}, "sink": {"type": "discard_sink"}}
"""Packets as they are, passed on."""

nothing = nullcontext


def graph(name: str, operators: dict[str, Any]) -> dict[str, Any]:
    """Those operators, one behind the other, as a submission."""
    links = [{"from": one, "to": other} for one, other in pairwise(operators)]
    return {"graph": json.dumps({"format": 1, "name": name, "operators": operators, "links": links}), "file": name, "name": name,
            "restart": "from_start"}


@contextmanager
def served(spare: int = 0) -> Iterator[Home]:
    """A service on a new folder."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(partial(Command, Path(folder)), Path(folder) / "home", spare)
        try:
            until(lambda: not home.client.ask("GET", "/service")["missing"], "coordinator")
            yield home
        finally:
            home.command.signal(signal.SIGTERM)
            home.command.end()
            home.command.clear()


def run(home: Home, submission: dict[str, Any]) -> str:
    """Submits it, and waits until packets pass."""
    name = str(home.client.submit(submission)["name"])
    until(lambda: (home.client.job(name)["status"] or {}).get("first_packet_s"), f"first packet of {name}")
    return name


def told(what: str, found: str, asked: str) -> None:
    """A line."""
    print(f"{what}: {found} (asked: {asked})", flush=True)


def paced(ask: Callable[[], Any], per_s: float, seconds: float) -> list[float]:
    """Asks at a rate, by some threads, whatever the answers take.

    :return: seconds from when each was due to its answer; :data:`FAILED` where there was none
    """
    begun, lock, taken = time.monotonic() + 0.1, threading.Lock(), iter(range(int(per_s * seconds)))
    found: list[float] = []

    def work() -> None:
        while True:
            with lock:
                number = next(taken, None)
            if number is None:
                return
            due = begun + number / per_s
            time.sleep(max(0.0, due - time.monotonic()))
            try:
                ask()
                found.append(time.monotonic() - due)
            except Exception:
                found.append(FAILED)
    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def quantiles_ms(seconds: Sequence[float]) -> str:
    """Median, 99 % and the worst, in words."""
    each = sorted(seconds)
    if not each:
        return "nothing"
    p50, p99 = (each[min(len(each) - 1, int(share * len(each)))] for share in (0.5, 0.99))
    return f"p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, at most {each[-1] * 1000:.1f} ms of {len(each):,}"


def health(url: str) -> None:
    """Asks whether the service lives, over a new connection.

    :raise AssertionError: it says something else
    :raise OSError: it says nothing
    """
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    try:
        connection.request("GET", "/health/live")
        assert connection.getresponse().status == 200
    finally:
        connection.close()


Look = Callable[[], tuple[float, int]]
"""Seconds of a job, and the packets that have reached an operator by then: of one status, which may be some time old."""


def reached(home: Home, job: str) -> tuple[float, int]:
    """Of a job's ``sink``."""
    status = home.client.job(job)["status"]
    return float(status["elapsed_s"]), int(status["operators"]["sink"]["packets_in"])


def rate(look: Look, seconds: float) -> float:
    """Packets a second over that time."""
    began, before = look()
    time.sleep(seconds)
    ended, after = look()
    return (after - before) / (ended - began)


def rates(look: Look, seconds: float) -> list[float]:
    """The same of each second."""
    return [rate(look, 1.0) for _ in range(int(seconds))]


@contextmanager
def rates_while(look: Look) -> Iterator[list[float]]:
    """The same, of each second of the block."""
    found: list[float] = []
    with _working(lambda: found.append(rate(look, 1.0))):
        yield found


def rate_of(report: dict[str, Any], operator: str) -> float:
    """Packets a second that reached an operator after the warm-up, as a report has it."""
    return float(report["operators"][operator]["packets_in"] / report["measured_s"])


@contextmanager
def _working(*works: Callable[[], object]) -> Iterator[None]:
    """Each again and again on a thread of its own, until the end of the block."""
    ended = threading.Event()

    def again(work: Callable[[], object]) -> None:
        while not ended.is_set():
            work()
    threads = [threading.Thread(target=again, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join(10)


def again(work: Callable[[], object], pause_s: float = 1.0) -> AbstractContextManager[None]:
    """Does it again and again, with a pause between, until the end of the block."""
    def paused() -> None:
        work()
        time.sleep(pause_s)
    return _working(paused)


def sending(home: Home) -> Callable[[Request], tuple[int, str]]:
    """Sends requests as they are, with the token of the role admin."""
    def send(request: Request) -> tuple[int, str]:
        connection = http.client.HTTPConnection(urlsplit(home.url).netloc, timeout=60)
        try:
            connection.request(request.method, request.target, request.content,
                               {"authorization": f"Bearer {home.token()}", **request.headers})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")
        finally:
            connection.close()
    return send


@contextmanager
def viewing(home: Home, job: str, operator: str) -> Iterator[None]:
    """Five viewers of a job's live stream, a tail, and a scrape each five seconds, until the end of the block."""
    with ExitStack() as streams:
        viewers = [streams.enter_context(_followed(home, job)) for _ in range(VIEWERS)]
        tail, after, scrape = home.asking(), [0], home.asking()

        def look() -> None:
            after[0] = tail.tail(job, operator, after=after[0])["next"]
            time.sleep(TAIL_S)

        def take() -> None:
            scrape.send("GET", "/metrics")
            time.sleep(SCRAPE_S)
        with _working(*(partial(stream.readline) for stream in viewers), look, take):
            yield


@contextmanager
def _followed(home: Home, job: str) -> Iterator[http.client.HTTPResponse]:
    """The live stream with that job as a whole."""
    connection = http.client.HTTPConnection(urlsplit(home.url).netloc, timeout=10)
    try:
        connection.request("GET", f"{API}/live?job={job}", headers={"authorization": f"Bearer {home.token()}"})
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        yield answer
    finally:
        connection.close()


def tailed(client: Client, job: str, operator: str, port: int, seconds: float) -> list[float]:
    """Sends the job a time, again and again, and looks for it in a tail as the page does.

    :param port: of its ``tcp_source`` of JSON with a column ``sent``
    :return: seconds from the sending of each to the answer that had it
    """
    found: list[float] = []
    after = client.tail(job, operator)["next"]
    with until(partial(_connected, port), f"source that listens at {port}") as out:
        ends, due = time.monotonic() + seconds, 0.0
        while time.monotonic() < ends:
            if time.monotonic() >= due:
                out.sendall(b'{"sent": %r}\n' % time.time())
                due = time.monotonic() + 0.33       # in no step with the questions
            answer = client.tail(job, operator, after=after)
            after = answer["next"]
            found += [time.time() - json.loads(row)["sent"] for row in answer["rows"]]
            time.sleep(TAIL_S)
    return found


def _connected(port: int) -> Any:
    """A connection to what listens there, which it may do a little after its job runs; None if nothing does."""
    with suppress(OSError):
        return socket.create_connection(("127.0.0.1", port))
    return None


@contextmanager
def mute_server() -> Iterator[int]:
    """Takes connections, and reads nothing of them. Gives its port."""
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        def take() -> None:
            with suppress(OSError):
                while True:
                    taken.append(server.accept()[0])
        threading.Thread(target=take, daemon=True).start()
        yield int(server.getsockname()[1])
        server.shutdown(socket.SHUT_RDWR)
    for each in taken:
        each.close()


HEAD = b"POST /api/v1/check HTTP/1.1\r\nHost: %s\r\n"
SLOW = {"silent": (b"", b""), "slow heads": (HEAD, b"x"), "slow bodies": (HEAD + b"Content-Length: 100000\r\n\r\n", b"x")}
"""By the way in which a client is slow: what it sends at once, and then each second."""
OF_ADDRESS = 500
"""From one address, of which this machine has many."""


class SlowClients:
    """Clients of many addresses that say little, and never enough."""

    def __init__(self, url: str, count: int, way: str) -> None:
        self._to, self._count, self._way = urlsplit(url), count, way
        self._ended = threading.Event()
        self.begun = self.most = 0
        self._held: list[socket.socket] = []
        self._thread = threading.Thread(target=self._work, daemon=True)

    def _work(self) -> None:
        at_once, each_second = SLOW[self._way]
        host = self._to.netloc.encode()
        for number in range(self._count):
            if self._ended.is_set():
                return
            with suppress(OSError):
                made = socket.create_connection((self._to.hostname, self._to.port), timeout=5,
                                                source_address=(f"127.0.1.{1 + number // OF_ADDRESS}", 0))
                made.setblocking(False)
                self._held.append(made)
                self.begun += 1
                if at_once:
                    made.send(at_once % host)
            if number % 100 == 0:
                self._drip(each_second)
        while not self._ended.wait(1.0):
            self._drip(each_second)

    def _drip(self, data: bytes) -> None:
        for each in self._held if data else ():
            with suppress(OSError):
                each.send(data)
        self.open()

    def open(self) -> int:
        """How many the service has not closed."""
        found = sum(1 for each in list(self._held) if _is_open(each))
        self.most = max(self.most, found)
        return found

    def begin(self) -> None:
        """Connects all of them."""
        self._thread.start()

    def end(self) -> None:
        """Closes what is left."""
        self._ended.set()
        self._thread.join()
        for each in self._held:
            each.close()


def _is_open(client: socket.socket) -> bool:
    """Whether it was not closed over there; what has come, as an answer before that, is taken."""
    try:
        while client.recv(1 << 16):
            pass
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False


@contextmanager
def slow_clients(url: str, count: int, way: str) -> Iterator[SlowClients]:
    """So many clients, from twenty addresses and more."""
    clients = SlowClients(url, count, way)
    clients.begin()
    try:
        yield clients
    finally:
        clients.end()


class Flat:
    """What processes hold: threads, open files, memory, and the metaspace of those that are JVMs."""

    def __init__(self, pids: Sequence[int]) -> None:
        self._pids = pids

    def look(self) -> str:
        """In words."""
        return "; ".join(f"{pid}: {len(list((PROCESSES / str(pid) / 'task').iterdir()))} threads, "
                         f"{len(list((PROCESSES / str(pid) / 'fd').iterdir()))} files, "
                         f"{(used_by(PROCESSES / str(pid)) or (0, 0))[1] / 1e6:.0f} MB{_metaspace(pid)}" for pid in self._pids)


def _metaspace(pid: int) -> str:
    """What its classes take, by ``jstat``, where its Java has that; empty for what is no JVM."""
    java = (PROCESSES / str(pid) / "exe").resolve()
    jstat = shutil.which("jstat", path=str(java.parent)) if java.name == "java" else None
    if jstat is None:
        return ""
    told = subprocess.run([jstat, "-gc", str(pid)], capture_output=True, text=True, check=False).stdout.splitlines()
    values = dict(zip(told[0].split(), told[1].split(), strict=False)) if len(told) > 1 else {}
    return f", metaspace {float(values['MU']) / 1024:.1f} MB" if "MU" in values else ""
