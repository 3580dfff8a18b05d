"""A running job's rows in a Spark that has no jar of ours: a data source in Python, which sessions of Spark Connect take too."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from despina.errors import RefusedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register_source(spark: SparkSession) -> None:
    """Gives the session ``format("despina")`` of ``read`` and ``readStream``.

    The source travels with the plan: the cluster's machines need pyarrow, as Spark's own functions on Arrow do, and no Despina.
    """
    from pyspark import cloudpickle

    from despina.backends.connect import peer, source
    for module in (peer, source):
        cloudpickle.register_pickle_by_value(importlib.import_module(module.__name__))
    spark.dataSource.register(source.JobSource)


def job_options(job_file: str | Path) -> dict[str, str]:
    """The options that name a running job, from the file that ``despina run --job-file FILE`` has written.

    :return: ``address``, ``job``, ``secret``, and ``tls`` if the job has it: that folder must be on the cluster's machines too
    :raise RefusedError: there is no such file, or its secret is not at hand
    """
    path = Path(job_file)
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        found = {"address": f"{known['host']}:{known['port']}", "job": str(known["job"])}
        secret = known.get("secret") or Path(known["secret_file"]).read_text(encoding="utf-8").strip()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RefusedError("job_file", f"{path} does not name a running job: {error}",
                           "despina run GRAPH --job-file FILE writes such a file") from error
    return found | {"secret": secret} | ({"tls": str(known["tls"])} if known.get("tls") else {})
