"""Where a file sink may write on this machine: judged as on the engine (``OutputFiles``), and refused in the same words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from despina.backends.spark.facade import facade
from despina.errors import JobError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from despina.backends.spark.plan import Operator

_PART = re.compile(r"\.?part-[0-9]{5}[-.].*")
_SUCCESS = "_SUCCESS"
_URI = re.compile(r"[A-Za-z][\w+.-]+:/")
"""One letter is no scheme but a drive."""


def local(path: str) -> Path | None:
    """A planned path as one of this machine: the plan leaves ``file:/…`` alone of all its spellings. None for other URIs."""
    if _URI.match(path) is None:
        return Path(path)
    return Path(path.removeprefix("file:")) if path.startswith("file:") else None


def earlier(operator: Operator, spark: SparkSession) -> list[Path]:
    """What an earlier run left in the sink's folder, and this one removes; nothing is touched here but locks of dead jobs.

    :raise JobError: the engine would not write there, as over output where ``if_exists`` is ``error``, beside what is none, or
        where a job is writing
    """
    path = local(operator.fields["path"])
    single, replace = operator.fields.get("single_file", False), operator.fields.get("if_exists", "error") == "replace"
    if path is None:
        if single:
            uri = operator.fields["path"]
            raise _refused(operator, f"{uri} is on another file system; single_file writes only on this machine")
        return []
    folder = path.parent if single else path
    there = next(at for at in (folder, *folder.parents) if at.exists())
    if not there.is_dir():
        raise _refused(operator, f"cannot make the folder {folder}: {there} cannot be a folder")
    _refuse_beside_a_job(operator, folder, re.escape(path.name) if single else "part-[0-9]{5}", spark)
    if not single:
        return _parts(operator, folder, replace) if folder.exists() else []
    if path.is_dir():
        raise _refused(operator, f"{path} is a folder, and single_file needs a file")
    if path.exists() and not replace:
        raise _refused(operator, f'{path} exists; choose another path to keep both, or say "if_exists": "replace"')
    return []


def _refuse_beside_a_job(operator: Operator, folder: Path, base: str, spark: SparkSession) -> None:
    for file in sorted(folder.glob(".*.lock")):
        if re.fullmatch(rf"\.{base}\.[^.]+\.lock", file.name) and facade(spark).isHeld(str(file)):
            raise _refused(operator, f"{operator.fields['path']} is being written by another job or sink, which holds "
                                     f"`{file.name}`; wait for its end, or choose another path")


def _parts(operator: Operator, folder: Path, replace: bool) -> list[Path]:
    parts = []
    for file in sorted(folder.iterdir()):
        if _PART.fullmatch(file.name) or file.name == _SUCCESS:
            if not replace and not file.name.startswith("."):
                raise _refused(operator, f"{folder} holds output of an earlier run (`{file.name}`); choose another path "
                                         'to keep both, or say "if_exists": "replace"')
            parts.append(file)
        elif not file.name.startswith("."):
            raise _refused(operator, f"{folder} holds `{file.name}`, which is not an output file; choose another folder")
    return parts


def _refused(operator: Operator, why: str) -> JobError:
    return JobError("output", f"operator {operator.id}: {why}")
