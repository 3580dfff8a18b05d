"""A peer of a job that is no JVM: it knows the job's secret, finds where an output's rows are, and reads them as Arrow.

The connection is one of control (``io.despina.wire.handshake.Hello``, ``io.despina.wire.frame.FrameHeader``), with TLS around
it if the job has it. Only Python's own library and pyarrow are used: Spark carries this module to machines without Despina.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import socket
import ssl
import struct
import time
from dataclasses import dataclass
from pathlib import Path

MAGIC = 0x4453504E
HELLO_VERSION = 5
ROLE_CONTROL = 2
CONNECTING, ACCEPTING = b"\0", b"\1"
NONCE_BYTES = PROOF_BYTES = 32
FRAME = "<iBBBBiiqiiqI"
"""Of a frame's header, all before its own checksum; a text, as Spark sends this module by value and no Struct can be."""
FRAME_VERSION = 1
KIND_CONTROL = 5
HEADER_BYTES = struct.calcsize(FRAME) + 4
MOST_BYTES = 1 << 30
PATIENCE_S = 60.0
LOST_S = 15.0
"""How long a resource may answer no more before its job has seen that it is lost."""
PAUSE_S = 0.05
STATE, CUT, ARROW = 0, 3, 6
"""Numbers of ``io.despina.control.spool.SpoolRequest.What``."""


class PeerError(RuntimeError):
    """The job cannot be reached, or refuses what it is asked for; the message is for the user."""


class DeniedError(PeerError):
    """It refuses it."""


@dataclass(frozen=True)
class Job:
    """Where a job's coordinator is, and what it takes to be let in.

    :ivar address: ``host:port``
    :ivar tls: folder with ``certificate.pem``, ``key.pem`` and ``authority.pem``; empty for plain TCP
    """

    address: str
    job: str
    secret: str
    tls: str

    def locate(self, output: str) -> Located:
        """Where the rows of an output are: of the only one, if it is empty."""
        with Connection(self.address, self) as coordinator:
            question = {"type": "locate", "job": self.job, "way": "out", "operator": output}
            answer = json.loads(coordinator.ask(json.dumps(question).encode()))
        if answer.get("type") != "located":
            hint = answer.get("hint")
            raise PeerError(str(answer.get("message", answer)) + (f"\n  hint: {hint}" if hint else ""))
        return Located(answer["operator"], tuple(answer["instances"]), answer["generation"], answer["schema"],
                       int(answer["attempt"]["number"]))


@dataclass(frozen=True)
class Located:
    """Where the rows of an output's instances are.

    :ivar instances: ``host:port`` of each
    :ivar schema: as Spark DDL
    :ivar attempt: of the job
    """

    output: str
    instances: tuple[str, ...]
    generation: str
    schema: str
    attempt: int


@dataclass(frozen=True)
class State:
    """How the rows of an instance stand: those from ``first`` to ``rows`` are there."""

    first: int
    rows: int
    ended: bool


class Rows:
    """The rows of one instance of an output, in whichever resource the job's attempt of now has them: a job that keeps its state
    goes on when that resource is lost, and its rows keep their numbers.
    """

    def __init__(self, job: Job, located: Located, instance: int) -> None:
        self._job = job
        self._located = located
        self._instance = instance
        self._id = _text(located.generation) + struct.pack(">i", instance)
        self._connection: Connection | None = None

    def state(self) -> State:
        """How they stand now."""
        first, rows, _, ended = struct.unpack(">qqq?", self._ask(STATE, 0, 0))
        return State(first, rows, ended)

    def cut(self, row: int) -> None:
        """Rows before that one are not needed any more."""
        self._ask(CUT, row, 0)

    def arrow(self, begin: int, end: int) -> bytes:
        """An Arrow stream with rows from ``begin`` on, at least one and none from ``end`` on. They must be there."""
        return self._ask(ARROW, begin, end)

    def _ask(self, what: int, row: int, number: int) -> bytes:
        deadline = 0.0
        while True:
            try:
                if self._connection is None:
                    where = self._located.instances[self._instance]
                    self._connection = Connection(where, self._job)
                answer = self._connection.ask(bytes([what]) + self._id + struct.pack(">qq", row, number) + _text(""))
                if answer[0] != 0:
                    raise DeniedError(answer[3:].decode(errors="replace"))
            except PeerError as lost:
                self.close()
                deadline = deadline or time.monotonic() + LOST_S
                if not self._moved() and (isinstance(lost, DeniedError) or time.monotonic() > deadline):
                    raise
                time.sleep(PAUSE_S)
            else:
                return answer[1:]

    def _moved(self) -> bool:
        """Whether another attempt of the job has the rows. Waits until the job runs.

        :raise PeerError: the job has ended, or has begun anew
        """
        found = self._job.locate(self._located.output)
        if found.generation != self._located.generation:
            raise PeerError(f"job {self._job.job} has begun anew, and these rows are gone")
        moved = found.attempt > self._located.attempt
        self._located = found
        return moved

    def close(self) -> None:
        """Leaves them as they are."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class Connection:
    """A control connection of a job: a message goes, a message comes."""

    def __init__(self, address: str, job: Job) -> None:
        host, _, port = address.rpartition(":")
        self._address = address
        self._sequence = 0
        try:
            self._socket = socket.create_connection((host.strip("[]"), int(port)), PATIENCE_S)
        except OSError as error:
            raise PeerError(f"the job at {address} cannot be reached: {error}") from error
        try:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if job.tls:
                self._socket = _context(job.tls).wrap_socket(self._socket, server_hostname=host.strip("[]"))
            self._shake_hands(job)
        except PeerError:
            self.close()
            raise
        except (OSError, ValueError) as error:
            self.close()
            raise PeerError(f"the job at {address} does not let us in: {error}") from error

    def _shake_hands(self, job: Job) -> None:
        secret, name = job.secret.encode(), job.job.encode()
        hello = b"".join((struct.pack(">IBB", MAGIC, HELLO_VERSION, ROLE_CONTROL), os.urandom(NONCE_BYTES),
                          struct.pack(">iiB", 0, 0, len(name)), name))
        self._socket.sendall(hello)
        nonce, proof = self._take(NONCE_BYTES), self._take(PROOF_BYTES)
        if not hmac.compare_digest(proof, _proof(secret, ACCEPTING, hello, nonce)):
            raise PeerError(f"the job at {self._address} does not know this secret")
        self._socket.sendall(_proof(secret, CONNECTING, hello, nonce))
        status, length = struct.unpack(">BH", self._take(3))
        reason = self._take(length).decode(errors="replace")
        if status != 0:
            raise PeerError(f"the job at {self._address} does not let us in: {reason}")

    def ask(self, message: bytes) -> bytes:
        """Sends one message, and waits for the next that comes."""
        try:
            head = struct.pack(FRAME, HEADER_BYTES + len(message), FRAME_VERSION, KIND_CONTROL, 0, 0, 0, 0, self._sequence, 0,
                              len(message), 0, crc32c(message))
            self._socket.sendall(head + struct.pack("<I", crc32c(head)) + message)
            header = self._take(HEADER_BYTES)
            length, version, kind, flags, *_ = struct.unpack_from(FRAME, header)
            found, = struct.unpack_from("<I", header, HEADER_BYTES - 4)
            if found != crc32c(header[:HEADER_BYTES - 4]) or (version, kind, flags) != (FRAME_VERSION, KIND_CONTROL, 0) \
                    or not HEADER_BYTES <= length <= MOST_BYTES:
                raise PeerError(f"the job at {self._address} sends what is no message")
            self._sequence += 1
            return self._take(length - HEADER_BYTES)
        except OSError as error:
            raise PeerError(f"the job at {self._address} is gone: {error}") from error

    def _take(self, count: int) -> bytes:
        taken = bytearray(count)
        view, at = memoryview(taken), 0
        while at < count:
            got = self._socket.recv_into(view[at:])
            if got == 0:
                raise PeerError(f"the job at {self._address} has closed the connection: it has ended, or one side only has TLS")
            at += got
        return bytes(taken)

    def close(self) -> None:
        """Closes it."""
        self._socket.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _context(folder: str) -> ssl.SSLContext:
    files = Path(folder)
    try:
        context = ssl.create_default_context(cafile=str(files / "authority.pem"))
        context.load_cert_chain(files / "certificate.pem", files / "key.pem")
    except OSError as error:
        raise PeerError(f"the files in {folder} cannot be used for TLS: {error}") from error
    return context


def _proof(secret: bytes, side: bytes, hello: bytes, nonce: bytes) -> bytes:
    return hmac.new(secret, side + hello + nonce, hashlib.sha256).digest()


def _text(text: str) -> bytes:
    """As Java's ``DataOutput.writeUTF`` writes what has no character beyond ASCII."""
    return struct.pack(">H", len(text)) + text.encode("ascii")


def _table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ 0x82F63B78 if byte & 1 else byte >> 1
        table.append(byte)
    return table


_CRC = _table()


def crc32c(data: bytes) -> int:
    """The checksum of what is short; rows come with the checksums of TCP and TLS."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF
