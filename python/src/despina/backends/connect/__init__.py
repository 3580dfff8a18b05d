"""A running job's rows in a Spark that has no jar of ours: a data source in Python, which sessions of Spark Connect take too."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from despina.backends.workers import refuse_bare_python
from despina.errors import RefusedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from despina.job import Job


def register_source(spark: SparkSession, name: str = "despina") -> None:
    """Gives the session ``format("despina")`` of ``read`` and ``readStream``.

    The source travels with the plan: the cluster's machines need pyarrow, as Spark's own functions on Arrow do, and no Despina.

    :param name: of the format. A session with the engine's jar, which ``graph.run(on=spark)`` brings, has a ``despina`` of its
        own: name another there
    :raise RefusedError: the session has a format of that name, or its workers run a Python without pyarrow
    """
    from pyspark import cloudpickle
    from pyspark.errors import AnalysisException

    from despina.backends.connect import peer, source
    refuse_bare_python(spark)
    for module in (peer, source):
        cloudpickle.register_pickle_by_value(importlib.import_module(module.__name__))
    named = type("JobSource", (source.JobSource,), {"name": classmethod(lambda cls: name)})
    try:
        spark.dataSource.register(named)
    except AnalysisException as error:
        if error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
            raise
        raise RefusedError("format", f"this session has a format {name} already, that of the engine's jar",
                           'register_source(spark, "despina_job") names another; then format("despina_job")') from None


def job_options(job: Job | str | Path) -> dict[str, str]:
    """The options that name a running job: one of this process, or that of the file that ``despina run --job-file FILE`` has
    written.

    :return: ``address``, ``job``, ``secret``, and ``tls`` if the job has it: that folder must be on the cluster's machines too
    :raise RefusedError: there is no such file, or its secret is not at hand
    """
    try:
        known = json.loads(Path(job).read_text(encoding="utf-8")) if isinstance(job, (str, Path)) else job.address
        found = {"address": f"{known['host']}:{known['port']}", "job": str(known["job"])}
        secret = known.get("secret") or Path(known["secret_file"]).read_text(encoding="utf-8").strip()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RefusedError("job_file", f"{job} does not name a running job: {error}",
                           "despina run GRAPH --job-file FILE writes such a file") from error
    return found | {"secret": secret} | ({"tls": str(known["tls"])} if known.get("tls") else {})
