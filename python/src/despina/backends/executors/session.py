"""Spark sessions whose executors run graphs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from despina import doctor
from despina.backends.spark.session import HERE, started
from despina.drivers.jvm import COLLECTOR, OWN_COLLECTOR
from despina.errors import RefusedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""In the environment of a script that ``spark-submit`` runs."""
ADDRESS = "SPARK_LOCAL_IP"
EXECUTOR_OPTIONS = "spark.executor.defaultJavaOptions"
OWN_OPTIONS = "spark.executor.extraJavaOptions"


def session(master: str | None = None, conf: Mapping[str, str] | None = None) -> SparkSession:
    """The session that runs, or one that is started: under ``spark-submit`` with its settings, else at that master.

    :raise RefusedError: no master is named, or the session that runs has another
    :raise StartError: Spark does not start
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    running = SparkContext._active_spark_context
    if running is not None:
        if master not in (None, running.master):
            raise RefusedError("master", f"this process has a Spark session already, at master {running.master}, not {master}",
                               "leave out the master, or stop that session")
        return SparkSession.builder.getOrCreate()
    if master is None and SUBMITTED in os.environ:
        return SparkSession.builder.getOrCreate()
    if master is None:
        raise RefusedError("master", "there is no Spark to run on: no session runs, and no master is named",
                           "--master local-cluster[2,1,1024] tries it on this machine; spark://HOST:PORT, yarn and k8s://… are "
                           "clusters. Or run it by spark-submit")
    here = master.startswith("local")
    settings = {EXECUTOR_OPTIONS: executor_options(conf or {}), **(HERE if here else {}), **(conf or {})}
    with _loopback() if here else _as_it_is():
        return started(master, settings)


def executor_options(conf: Mapping[str, str]) -> str:
    """Java's options for executors, besides those that Spark gives them: what each of our own JVMs has.

    The user's own come after them, and no Java starts with two collectors: with one of theirs, there is none of ours.
    """
    own = [flag for flag in doctor.module_flags(doctor.find_java().version) if flag.startswith(("-D", "-X"))]
    return " ".join([*([] if OWN_COLLECTOR.search(_own_options(conf)) else [COLLECTOR]), *own])


def _own_options(conf: Mapping[str, str]) -> str:
    """What the user gives executors: of these settings, else where Spark itself looks: what is submitted, the site's file."""
    import pyspark

    if OWN_OPTIONS in conf:
        return conf[OWN_OPTIONS]
    submitted = [word for word in shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "")) if f"{OWN_OPTIONS}=" in word]
    if submitted:
        return submitted[-1]
    home = os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent
    folder = os.environ.get("SPARK_CONF_DIR") or Path(home, "conf")
    try:
        lines = Path(folder, "spark-defaults.conf").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return " ".join(line for line in lines if line.strip().startswith(OWN_OPTIONS))


@contextmanager
def _as_it_is() -> Iterator[None]:
    yield


@contextmanager
def _loopback() -> Iterator[None]:
    """While Spark starts: its workers and executors listen on 127.0.0.1, unless the user has said where."""
    if ADDRESS in os.environ:
        yield
        return
    os.environ[ADDRESS] = "127.0.0.1"
    try:
        yield
    finally:
        del os.environ[ADDRESS]
