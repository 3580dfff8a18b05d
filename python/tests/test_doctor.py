import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from despina import doctor, installed
from despina.errors import StartError


def fake_java(folder: Path, words: str) -> Path:
    """A `java` script that only knows how to say its version, as old Javas do: on standard error."""
    (folder / "bin").mkdir(parents=True)
    command = folder / "bin" / "java"
    command.write_text(f"#!/bin/sh\necho '{words}' >&2\n")
    command.chmod(0o755)
    return folder


@pytest.mark.parametrize(("words", "version"), [
    ('openjdk version "17.0.15" 2025-04-15', 17), ('java version "1.8.0_402"', 8), ('openjdk version "25" 2025-09-16', 25),
    ("cannot run", 0),
])
def test_version_is_asked_of_java_itself(tmp_path: Path, words: str, version: int) -> None:
    assert installed.java_version(fake_java(tmp_path / "jdk", words)) == version


def test_version_is_read_from_the_release_file_without_starting_anything(tmp_path: Path) -> None:
    (tmp_path / "release").write_text('IMPLEMENTOR="Debian"\nJAVA_VERSION="21.0.2"\n')
    assert installed.java_version(tmp_path) == 21


def test_java_home_goes_before_path(tmp_path: Path) -> None:
    home = fake_java(tmp_path / "home", 'openjdk version "21.0.1"')
    on_path = fake_java(tmp_path / "path", 'openjdk version "17.0.1"')
    assert installed.find_java({"JAVA_HOME": str(home), "PATH": str(on_path / "bin")}) == installed.Java(home, 21)
    assert installed.find_java({"PATH": str(on_path / "bin")}) == installed.Java(on_path, 17)


def test_a_java_home_that_is_too_old_is_an_error_even_if_path_has_a_good_one(tmp_path: Path) -> None:
    old = fake_java(tmp_path / "old", 'openjdk version "11.0.22"')
    good = fake_java(tmp_path / "good", 'openjdk version "17.0.1"')
    with pytest.raises(StartError) as raised:
        installed.find_java({"JAVA_HOME": str(old), "PATH": str(good / "bin")})
    assert raised.value.rule == "java_too_old"
    assert raised.value.message == f"Java 17 or newer is needed, but JAVA_HOME={old} is Java 11"
    assert "JAVA_HOME" in raised.value.hint


def test_no_java_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(StartError) as raised:
        installed.find_java({"PATH": str(tmp_path)})
    assert raised.value.rule == "java_missing"
    assert "openjdk-17" in raised.value.hint


def test_a_java_home_without_java_is_named(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="has no working bin/java") as raised:
        installed.find_java({"JAVA_HOME": str(tmp_path), "PATH": ""})
    assert raised.value.rule == "java_missing"


@pytest.fixture
def pyspark_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "pyspark"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.setattr("importlib.util.find_spec",
                        lambda name: SimpleNamespace(origin=str(package / "__init__.py")) if name == "pyspark" else None)
    return package


def test_another_pyspark_minor_is_refused(pyspark_of: Path) -> None:
    (pyspark_of / "version.py").write_text('__version__: str = "4.1.2"\n')
    (pyspark_of / "jars").mkdir()
    with pytest.raises(StartError, match=r"pyspark 4\.1\.2 is installed") as raised:
        installed.spark_jars()
    assert (raised.value.rule, raised.value.hint) == ("spark_version", "pip install 'pyspark==4.3.*'")


def test_a_pyspark_without_jars_is_refused(pyspark_of: Path) -> None:
    (pyspark_of / "version.py").write_text('__version__ = "4.3.1"\n')
    with pytest.raises(StartError, match="has no jars folder"):
        installed.spark_jars()
    (pyspark_of / "jars").mkdir()
    assert installed.spark_jars() == pyspark_of / "jars"


@pytest.mark.parametrize("version", ["version.py", "python/pyspark/version.py"], ids=["of pip", "of a download"])
def test_under_spark_submit_the_jars_are_those_of_its_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    origin = tmp_path / "python" / "lib" / "pyspark.zip" / "pyspark" / "__init__.py"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: SimpleNamespace(origin=str(origin)))
    (tmp_path / "jars").mkdir()
    (tmp_path / version).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / version).write_text('__version__ = "4.3.1"\n')
    assert installed.spark_jars() == tmp_path / "jars"


def test_no_pyspark_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(StartError, match="pyspark is not installed"):
        installed.spark_jars()


def test_flags_are_those_that_a_java_knows() -> None:
    older, later = set(installed.module_flags(17)), set(installed.module_flags(25))
    assert older - later == {"-XX:PerfDataSamplingInterval=1000"}
    assert "--sun-misc-unsafe-memory-access=allow" in later - older
    assert all(flag.startswith("-") for flag in older | later)


def test_examine_finds_everything_in_a_set_up_checkout() -> None:
    assert [finding for finding in doctor.examine() if not finding.ok] == []


def test_examine_names_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(installed, "PACKAGE", tmp_path)
    missing = {finding.what: finding.hint for finding in doctor.examine() if not finding.ok}
    assert set(missing) == {"engine jar", "module flags"}
    assert "make setup" in missing["engine jar"]


def test_the_class_path_begins_with_our_jar_and_has_those_of_sparks_that_expressions_need() -> None:
    jars = installed.class_path()
    assert jars[0] == str(installed.our_jar())
    assert set(jars[1:]) < {str(jar) for jar in installed.spark_jars().glob("*.jar")}
    names = [Path(jar).name for jar in jars]
    for needed in ("spark-catalyst_", "spark-sql_", "scala-library", "janino", "univocity", "arrow-vector", "hadoop-client-api",
                   "parquet-hadoop", "netty-codec-http-"):
        assert any(name.startswith(needed) for name in names), needed
    assert installed.class_path() == jars


def test_what_every_job_needs_comes_before_what_only_expressions_need() -> None:
    names = [Path(jar).name for jar in installed.class_path()]
    needed = [index for index, name in enumerate(names)
              if name.startswith(installed.FIRST_JARS) and not name.startswith(installed.LAST_JARS)]
    catalyst = next(index for index, name in enumerate(names) if name.startswith("spark-catalyst"))
    assert needed == list(range(1, len(needed) + 1))
    assert catalyst > max(needed)
    assert all(name.startswith(installed.LAST_JARS) for name in names[-4:])


def test_a_java_without_an_archive_of_its_own_classes_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(installed, "find_java", lambda: installed.Java(tmp_path, 25))
    told = next(finding for finding in doctor.examine() if finding.what == "class archive")
    assert told.ok
    assert f"the Java in {tmp_path} has neither an archive of its own classes" in told.detail
    assert "--archive" not in told.hint


def fake_python(folder: Path, script: str) -> Path:
    command = folder / "python"
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)
    return command


def test_this_python_runs_functions() -> None:
    findings = doctor.examine_python(Path(sys.executable))
    assert [finding.what for finding in findings] == ["python", "pyarrow", "numpy", "pandas", "polars"]
    assert all(finding.ok for finding in findings)
    assert findings[0].detail == f"Python {sys.version.split()[0]} in {sys.executable}"


def test_a_python_of_another_kind(tmp_path: Path) -> None:
    answer = {"version": "3.9.2", "info": [3, 9], "pyarrow": None, "numpy": "2.0", "pandas": None, "polars": None}
    python = fake_python(tmp_path, f"echo '{json.dumps(answer)}'")
    found = {finding.what: (finding.ok, finding.detail, finding.hint) for finding in doctor.examine_python(python)}
    assert found == {
        "python": (False, f"Python 3.9.2 in {python}", "Python functions need 3.10 or newer"),
        "pyarrow": (False, "not installed", f"every Python function needs it: {python} -m pip install pyarrow"),
        "numpy": (True, "2.0", ""),
        "pandas": (True, "not installed", f'functions with "takes": "pandas" need it: {python} -m pip install pandas'),
        "polars": (True, "not installed", f'functions with "takes": "polars" need it: {python} -m pip install polars')}


@pytest.mark.parametrize(("script", "words"), [
    ("echo 'no such option' >&2; exit 2", "does not run: no such option"), ("exit 3", "does not run: it ended with code 3"),
    ("echo hello", "is no Python: it does not answer as one"), (None, "No such file or directory"),
])
def test_what_is_no_python_is_told(tmp_path: Path, script: str | None, words: str) -> None:
    python = tmp_path / "python" if script is None else fake_python(tmp_path, script)
    [finding] = doctor.examine_python(python)
    assert not finding.ok
    assert words in finding.detail


def test_jars_of_the_user_come_last_on_the_class_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, single = tmp_path / "jars", tmp_path / "single.jar"
    folder.mkdir()
    for jar in (folder / "b.jar", folder / "a.jar", single):
        jar.touch()
    (folder / "notes.txt").touch()
    monkeypatch.setenv(installed.JARS_VARIABLE, f"{single}:{folder}")
    monkeypatch.setenv(installed.HADOOP_VARIABLE, "/etc/hadoop")
    assert installed.users_path() == [str(single), str(folder / "a.jar"), str(folder / "b.jar"), "/etc/hadoop"]
    assert {found.what: found.detail for found in doctor.examine()}[installed.JARS_VARIABLE] == "3 jars"


@pytest.mark.parametrize("named", ["gone.jar", "empty", "notes.txt"])
def test_what_is_no_jar_of_the_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").touch()
    monkeypatch.setenv(installed.JARS_VARIABLE, str(tmp_path / named))
    with pytest.raises(StartError, match=f"DESPINA_JARS names .*{named}, which is neither a jar nor a folder with jars"):
        installed.users_path()
