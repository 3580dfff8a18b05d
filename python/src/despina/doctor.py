"""What ``despina doctor`` says: everything that a job needs, each with what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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


def _archive() -> Finding:
    java = installed.find_java()
    file = archive.of(java, installed.class_path())
    if file.is_file():
        return Finding("class archive", True, str(file))
    if reason := archive.bar(java):
        return Finding("class archive", True, reason, "jobs with expressions start slower than under another Java")
    return Finding("class archive", True, "none yet",
                   "despina doctor --archive makes it, or the next command that runs an engine: expressions start sooner")
