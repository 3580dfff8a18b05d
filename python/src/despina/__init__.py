"""Streams of very many small packets: a Java engine driven from Python, described by JSON graphs that also run on Spark.

>>> import despina
>>> with despina.load("power_alarm.graph.json").run(parameters={"input": "rows.txt"}) as job:  # doctest: +SKIP
...     job.wait()

Names are loaded when they are first used, so that the command starts at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from despina import version

if TYPE_CHECKING:
    from despina import state
    from despina.backends.connect import job_options, register_source
    from despina.backends.spark.live import live_writer
    from despina.dataframes import from_dataframe
    from despina.errors import DespinaError, DespinaWarning, Diagnostic, GraphError, JobError, RefusedError, StartError
    from despina.functions import function, sink, source
    from despina.graph import Graph, load
    from despina.installed import spark_jar
    from despina.job import Job, Status
    from despina.options import RunOptions
    from despina.parts import part
    from despina.rows import Rows
    from despina.service.remote import reach as service

__version__ = version.VERSION

_HOME = {
    "Graph": "graph", "RunOptions": "options", "load": "graph", "Job": "job", "Status": "job", "Rows": "rows",
    "DespinaError": "errors", "DespinaWarning": "errors", "Diagnostic": "errors", "GraphError": "errors", "JobError": "errors",
    "RefusedError": "errors", "StartError": "errors", "spark_jar": "installed",
    "from_dataframe": "dataframes", "part": "parts", "function": "functions", "sink": "functions", "source": "functions",
    "job_options": "backends.connect", "register_source": "backends.connect",
    "live_writer": "backends.spark.live",
}

__all__ = [
    "DespinaError", "DespinaWarning", "Diagnostic", "Graph", "GraphError", "Job", "JobError", "RefusedError", "Rows",
    "RunOptions", "StartError", "Status", "__version__", "from_dataframe", "function", "job_options", "live_writer",
    "load", "part", "register_source", "service", "sink", "source", "spark_jar", "state",
]


def __getattr__(name: str) -> Any:
    import importlib
    if name in ("state", "service"):
        return importlib.import_module(f"despina.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'despina' has no attribute {name!r}")
    return getattr(importlib.import_module(f"despina.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
