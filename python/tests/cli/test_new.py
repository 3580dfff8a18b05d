from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from despina import share

Despina = Callable[..., tuple[int, str, str]]


def test_the_first_graph_passes_check_without_a_warning_and_runs(with_engine: Despina, tmp_path: Path) -> None:
    file = tmp_path / "mine.graph.json"
    code, out, err = with_engine("new", file)
    assert (code, err) == (0, "")
    assert f"despina run {file}" in out
    code, out, err = with_engine("check", file)
    assert (code, err) == (0, "")
    assert out.endswith(": ok\n")
    code, out, _ = with_engine("run", file, "--quiet")
    assert code == 0
    assert out.split()[:7:2] == ["second", "machine", "mean", "peak"]
    assert len(out.splitlines()) > 2


def test_without_a_name_and_into_a_folder(despina: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graphs").mkdir()
    assert despina("new")[0] == despina("new", "graphs")[0] == 0
    assert (tmp_path / "first.graph.json").read_text() == (tmp_path / "graphs" / "first.graph.json").read_text()


def test_nothing_is_overwritten(despina: Despina, tmp_path: Path) -> None:
    file = tmp_path / "mine.graph.json"
    file.write_text("mine")
    code, _, err = despina("new", file)
    assert code == 2
    assert err == f"{file}: error[file]: this file exists\n  hint: despina new OTHER_FILE\n"
    assert file.read_text() == "mine"


def test_a_graph_of_the_cookbook_comes_with_its_data_and_runs(
        with_engine: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = with_engine("new", "word_count")
    assert (code, err) == (0, "")
    assert "cd word_count\n  despina check word_count.graph.json\n  despina run word_count.graph.json\n  despina test .\n" in out
    assert sorted(file.name for file in Path("word_count").iterdir()) == [
        "poem.txt", "word_count.graph.json", "word_count.test.json"]
    monkeypatch.chdir("word_count")
    code, out, _ = with_engine("run", "word_count.graph.json", "--quiet")
    assert code == 0
    assert "tyger" in out
    assert with_engine("test", ".")[0] == 0


def test_the_commands_for_a_program_and_for_a_deployment(
        despina: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "\n  python python_rows.py\n" in despina("new", "python_rows")[1]
    assert " two_machines.graph.json --deployment two_machines.deploy.json\n" in despina("new", "two_machines")[1]


def test_a_folder_that_is_there_stays(despina: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("replay").mkdir()
    assert despina("new", "replay") == (2, "", "replay: error[file]: this exists already\n  hint: go to another folder first\n")
    assert list(Path("replay").iterdir()) == []


def test_the_list_has_a_line_for_each(despina: Despina, repository: Path) -> None:
    lines = despina("new", "--list")[1].splitlines()
    end = lines.index("")
    assert [line.split()[0] for line in lines[:end]] == sorted(
        folder.name for folder in (repository / "graphs/cookbook").iterdir() if folder.is_dir())
    assert [line.split()[0] for line in lines[end + 2:]] == [
        "kafka-window-kafka", "mqtt-to-postgres", "opcua-to-iceberg", "telegraf-in"]
    assert all(len(line.split()) > 4 for line in lines[:end] + lines[end + 1:])


def test_a_template_goes_into_an_empty_folder_and_overwrites_nothing(
        despina: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert despina("new", "--template", "telegraf-in", ".")[0] == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "README.md", "metrics.influx", "telegraf_in.graph.json", "telegraf_in.test.json"]
    readme = Path("README.md").read_text()
    assert "[[outputs.http]]" in readme
    assert "despina new" not in readme
    Path("README.md").write_text("mine")
    code, _, err = despina("new", "--template", "mqtt-to-postgres", ".")
    assert (code, Path("README.md").read_text()) == (2, "mine")
    assert "a template goes into an empty folder" in err
    assert despina("new", "--template", "mqtt-to-postgres")[1] == (
        "mqtt-to-postgres: written. Now read mqtt-to-postgres/README.md\n")
    assert despina("new", "--template", "mqtt-to-postgres")[0] == 2
    assert "did you mean telegraf-in?" in despina("new", "--template", "telegraf")[2]
    assert "one of kafka-window-kafka" in despina("new", "--template", "opcua")[2]


def test_a_name_that_is_nearly_right(despina: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert despina("new", "roling_mean")[2].endswith("hint: did you mean rolling_mean?\n")
    assert "despina new --list" in despina("new", "weather")[2]
    assert list(tmp_path.iterdir()) == []


def test_what_is_told_to_be_read_is_there(despina: Despina, tmp_path: Path) -> None:
    out = despina("new", tmp_path / "a.graph.json")[1]
    assert share.path("docs/reference/README.md").is_file()
    assert str(share.path("docs/reference/README.md")) in out


def test_a_wheel_has_them_in_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "share").mkdir()
    monkeypatch.setattr(share, "_WHEEL", tmp_path / "share")
    assert share.path("docs/reference/README.md") == tmp_path / "share" / "docs" / "reference" / "README.md"
