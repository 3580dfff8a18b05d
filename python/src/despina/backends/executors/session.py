"""Spark sessions whose executors run graphs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from despina import archive, installed
from despina.backends.spark.launch import own_logging, site
from despina.backends.spark.session import DRIVER_OPTIONS, HERE, started
from despina.drivers.jvm import COLLECTOR, OWN_COLLECTOR
from despina.errors import RefusedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""In the environment of a script that ``spark-submit`` runs."""
ADDRESS = "SPARK_LOCAL_IP"
EXECUTOR_OPTIONS = "spark.executor.defaultJavaOptions"
OWN_OPTIONS = "spark.executor.extraJavaOptions"
CLASS_PATHS = ("spark.driver.extraClassPath", "spark.executor.extraClassPath")


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
    settings = {EXECUTOR_OPTIONS: executor_options(conf or {}), DRIVER_OPTIONS: own_logging()}
    if here:
        settings |= HERE | _as_our_own(settings, conf or {})
    with _loopback() if here else _as_it_is():
        return started(master, settings | dict(conf or {}))


def is_started() -> bool:
    """Whether :func:`session` starts no JVM: a session runs in this process, or ``spark-submit`` has started its driver."""
    from pyspark import SparkContext

    return SparkContext._active_spark_context is not None or SUBMITTED in os.environ


def _as_our_own(settings: Mapping[str, str], conf: Mapping[str, str]) -> dict[str, str]:
    """On this machine driver and executors start as our own JVMs do: with the class archive if there is one, whose classes are
    those of a class path that begins as ours, and with the kept answers of the expression compiler.
    """
    java, jars = installed.find_java(), installed.class_path()
    kept = [shlex.quote(option) for option in archive.options(java, jars)]
    own = {EXECUTOR_OPTIONS: [own_logging(), *kept], DRIVER_OPTIONS: kept}
    paths = {} if any(_given(name, conf) for name in CLASS_PATHS) else dict.fromkeys(
        CLASS_PATHS, os.pathsep.join([*jars, *installed.users_path()]))
    return {**paths, **{name: " ".join(filter(None, [settings[name], *options])) for name, options in own.items()}}


def executor_options(conf: Mapping[str, str]) -> str:
    """Java's options for executors, besides those that Spark gives them: what each of our own JVMs has.

    The user's own come after them, and no Java starts with two collectors: with one of theirs, there is none of ours. Where a
    library logs is for Spark to say.
    """
    own = [flag for flag in installed.module_flags(installed.find_java().version)
           if flag.startswith(("-D", "-X")) and "slf4j" not in flag]
    return " ".join([*([] if OWN_COLLECTOR.search(_given(OWN_OPTIONS, conf)) else [COLLECTOR]), *own])


def _given(name: str, conf: Mapping[str, str]) -> str:
    """What the user sets: of these settings, else where Spark itself looks: what is submitted, the site's file."""
    if name in conf:
        return conf[name]
    submitted = [word for word in shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "")) if f"{name}=" in word]
    if submitted:
        return submitted[-1]
    try:
        lines = Path(site(), "spark-defaults.conf").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return " ".join(line for line in lines if line.strip().startswith(name))


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
