"""Stores that Hadoop's file systems reach, for tests: nodes of HDFS in a JVM of their own, and S3 by moto in this process. A
client of another code base reads each too: over WebHDFS, by boto3.
"""

from __future__ import annotations

import json
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, cast
from urllib.error import HTTPError
from urllib.parse import quote

import pytest

from despina import installed
from support.processes import ROOT, free_port

HDFS_PATH = ROOT / "build" / "hdfs-server.classpath"
S3_JARS = ROOT / "build" / "s3"
JAVA = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
BUCKET = "readings"
NOT_FOUND = 404


class Store(Protocol):
    """What tests need of one."""

    uri: str
    """Where rows may go."""

    def settings(self) -> dict[str, str]:
        """For Hadoop."""

    def files(self, folder: str) -> dict[str, bytes]:
        """What is in a folder, by name, as another client sees it; no hidden ones."""


def is_shown(name: str) -> bool:
    """Whether a reader of folders takes it."""
    return not name.startswith(("_", "."))


class Hdfs:
    """A name node and a data node."""

    def __init__(self, folder: Path) -> None:
        if not HDFS_PATH.is_file():
            pytest.skip(f"no nodes of HDFS: {HDFS_PATH} is made by make servers")
        self.folder = folder
        self.port = free_port()
        self.uri = f"hdfs://127.0.0.1:{self.port}"
        self._web = ""
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> Hdfs:
        """Starts them, on what an earlier start has left."""
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [str(installed.find_java().executable), *JAVA, "-cp", HDFS_PATH.read_text(),
                   str(ROOT / "tests/servers/Hdfs.java"), str(self.folder), str(self.port)]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        self._web = self._process.stdout.readline().strip()
        assert self._web, (self.folder / "server.log").read_text()[-2000:]
        return self

    def kill(self) -> None:
        """Ends both at once, as a crash does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.communicate(timeout=60)
            self._process = None

    def settings(self) -> dict[str, str]:
        """A client that tries twice, not for 45 s, to reach a name node that is away."""
        return {"ipc.client.connect.max.retries": "2"}

    def _get(self, path: str, operation: str) -> bytes:
        with urllib.request.urlopen(f"{self._web}/webhdfs/v1/{quote(path)}?op={operation}", timeout=30) as answer:
            return cast(bytes, answer.read())

    def files(self, folder: str) -> dict[str, bytes]:
        """What is in a folder, by name."""
        try:
            statuses = json.loads(self._get(folder, "LISTSTATUS"))["FileStatuses"]["FileStatus"]
        except HTTPError as error:
            if error.code != NOT_FOUND:
                raise
            return {}
        return {status["pathSuffix"]: self._get(f"{folder}/{status['pathSuffix']}", "OPEN")
                for status in statuses if status["type"] == "FILE" and is_shown(status["pathSuffix"])}


class S3:
    """A bucket of moto's."""

    def __init__(self) -> None:
        if not S3_JARS.is_dir():
            pytest.skip(f"no client of S3: {S3_JARS} is made by make servers")
        server = pytest.importorskip("moto.server", reason="S3's server is of the extra dev")
        self.uri = f"s3a://{BUCKET}"
        self.server = server.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
        self.server.start()
        self.endpoint = "http://{}:{}".format(*self.server.get_host_and_port())
        import boto3

        # all of moto's servers of a process have the same buckets
        with urllib.request.urlopen(urllib.request.Request(f"{self.endpoint}/moto-api/reset", method="POST")):
            pass
        self.client = boto3.client("s3", endpoint_url=self.endpoint, region_name="eu-west-1",
                                   aws_access_key_id="key", aws_secret_access_key="secret")
        self.client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})

    def settings(self) -> dict[str, str]:
        """Where it is, and who asks."""
        return {"fs.s3a.endpoint": self.endpoint, "fs.s3a.endpoint.region": "eu-west-1", "fs.s3a.path.style.access": "true",
                "fs.s3a.access.key": "key", "fs.s3a.secret.key": "secret"}

    def files(self, folder: str) -> dict[str, bytes]:
        """What is in a folder, by name."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{folder}/", Delimiter="/")
        keys = [entry["Key"] for page in pages for entry in page.get("Contents", [])]
        return {key.rpartition("/")[2]: self.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
                for key in keys if not key.endswith("/") and is_shown(key.rpartition("/")[2])}


def write_settings(folder: Path, settings: dict[str, str]) -> Path:
    """A folder that ``HADOOP_CONF_DIR`` may name."""
    folder.mkdir(exist_ok=True)
    properties = "".join(f"<property><name>{name}</name><value>{value}</value></property>" for name, value in settings.items())
    (folder / "core-site.xml").write_text(f"<configuration>{properties}</configuration>")
    return folder


@contextmanager
def running(folder: Path) -> Iterator[dict[str, Store]]:
    """Both, or those whose parts are there."""
    hdfs, s3 = Hdfs(folder / "hdfs"), S3()
    try:
        yield {"hdfs": hdfs.start(), "s3": s3}
    finally:
        hdfs.kill()
        s3.server.stop()
