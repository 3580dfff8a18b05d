"""What ``despina doctor`` says: everything that a job needs, each with what was found."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from despina import archive, installed
from despina.errors import DespinaError, StartError


@dataclass(frozen=True)
class Finding:
    """One line of ``despina doctor``."""

    what: str
    ok: bool
    detail: str
    hint: str = ""


def examine() -> list[Finding]:
    """Everything a job needs, each with what was found: the lines of ``despina doctor``."""
    def java() -> str:
        found = installed.find_java()
        return f"Java {found.version} in {found.home}"

    def of_package(package: str) -> Callable[[], str]:
        from importlib.metadata import PackageNotFoundError
        from importlib.metadata import version as version_of

        def version() -> str:
            try:
                return version_of(package)
            except PackageNotFoundError:
                raise StartError("package_missing", f"{package} is not installed", f"pip install {package}") from None
        return version

    probes: list[tuple[str, Callable[[], str]]] = [
        ("java", java), ("spark jars", lambda: str(installed.spark_jars())), ("engine jar", lambda: str(installed.our_jar())),
        ("module flags", lambda: f"{len(installed.module_flags())} flags"), ("py4j", of_package("py4j")),
        ("jpype", of_package("jpype1")), ("pyarrow", of_package("pyarrow")),
    ]
    if os.environ.get(installed.JARS_VARIABLE):
        probes.append((installed.JARS_VARIABLE, lambda: f"{sum(path.endswith('.jar') for path in installed.users_path())} jars"))
    findings: list[Finding] = []
    for what, probe in probes:
        try:
            findings.append(Finding(what, True, probe()))
        except DespinaError as error:
            findings.append(Finding(what, False, error.message, error.hint))
        except OSError as error:
            findings.append(Finding(what, False, str(error)))
    if all(finding.ok for finding in findings):
        findings.append(_archive())
    return findings


FORMS = ("numpy", "pandas", "polars")
"""Packages that functions need whose ``takes`` has that name."""
ASK = """
import json, sys
from importlib.metadata import PackageNotFoundError, version
found = {"version": sys.version.split()[0], "info": sys.version_info[:2]}
for package in sys.argv[1:]:
    try:
        found[package] = version(package)
    except PackageNotFoundError:
        found[package] = None
print(json.dumps(found))
"""
ANSWERS_S = 30


def examine_python(python: Path) -> list[Finding]:
    """What the Python functions of graphs need of an interpreter, each with what was found."""
    from despina_worker.__main__ import OLDEST

    try:
        asked = subprocess.run([python, "-c", ASK, "pyarrow", *FORMS], capture_output=True, text=True, timeout=ANSWERS_S,
                               check=True)
        found = json.loads(asked.stdout)
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or [f"it ended with code {error.returncode}"])[-1]
        return [Finding("python", False, f"{python} does not run: {last}")]
    except subprocess.TimeoutExpired:
        return [Finding("python", False, f"{python} did not answer within {ANSWERS_S} s")]
    except ValueError:
        return [Finding("python", False, f"{python} is no Python: it does not answer as one")]
    except OSError as error:
        return [Finding("python", False, f"{python}: {error.strerror}", "name the interpreter, as /opt/venv/bin/python")]
    oldest = ".".join(map(str, OLDEST))
    old = tuple(found["info"]) < OLDEST
    findings = [Finding("python", not old, f"Python {found['version']} in {python}",
                        f"Python functions need {oldest} or newer" if old else "")]
    install = f"{python} -m pip install"
    findings.append(_package("pyarrow", found, f"every Python function needs it: {install} pyarrow", needed=True))
    findings += [_package(form, found, f'functions with "takes": "{form}" need it: {install} {form}') for form in FORMS]
    return findings


def _package(package: str, found: dict[str, str | None], hint: str, *, needed: bool = False) -> Finding:
    version = found[package]
    if version is None:
        return Finding(package, not needed, "not installed", hint)
    return Finding(package, True, version)


def _archive() -> Finding:
    java = installed.find_java()
    file = archive.of(java, installed.class_path())
    if file.is_file():
        return Finding("class archive", True, str(file))
    if reason := archive.bar(java):
        return Finding("class archive", True, reason, "jobs with expressions start slower than under another Java")
    return Finding("class archive", True, "none yet",
                   "despina doctor --archive makes it, or the next command that runs an engine: expressions start sooner")
