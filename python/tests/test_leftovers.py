"""What a failed or killed job did not commit: found, put in place in its order, removed."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from despina import leftovers
from despina.errors import RefusedError

HELD = """
import fcntl, sys
file = open(sys.argv[1], "w")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def write(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.iterdir()}


def test_they_become_further_parts_in_their_order(tmp_path: Path) -> None:
    out = write(tmp_path / "out", {
        "part-00000-00001.json": "1\n", "part-00001-00001.json": "a\n", ".part-00000.g-s.json.writing": "4\n5\n6",
        ".part-00000-00003.g-s.json.prepared": "3\n", ".part-00000-00002.g-s.json.left": "2\n",
        ".part-00001.g-s.json.writing": "b"})
    assert leftovers.take(out) == [out / f"part-00000-0000{k}.json" for k in (2, 3, 4)]
    cut = {".part-00000.g-s.json.writing.1.cut": "6", ".part-00001.g-s.json.writing.1.cut": "b"}
    assert contents(out) == cut | {"part-00000-00001.json": "1\n", "part-00000-00002.json": "2\n", "part-00000-00003.json": "3\n",
                                   "part-00000-00004.json": "4\n5\n", "part-00001-00001.json": "a\n"}
    assert leftovers.cuts(out) == [out / name for name in cut]


def test_of_files_without_lines_those_with_their_ends_are_put_in_place(tmp_path: Path) -> None:
    whole = "PAR1 rows PAR1"
    out = write(tmp_path / "out", {".part-00000-00002.g-s.snappy.parquet.left": whole,
                                    ".part-00000.g-s.snappy.parquet.writing": ""})
    assert leftovers.take(out) == [out / "part-00000-00001.snappy.parquet"]
    assert contents(out) == {"part-00000-00001.snappy.parquet": whole}


@pytest.mark.parametrize("ending", ["csv.gz", "snappy.parquet", "parquet", "avro", "protobuf", "xml", "raw"])
def test_what_may_be_cut_short_is_found_and_not_taken(tmp_path: Path, ending: str) -> None:
    out = write(tmp_path / "out", {f".part-00000-00002.g-s.{ending}.writing": "PAR1 and more", ".part-00001.g-s.csv.left": "1\n"})
    before = contents(out)
    assert len(leftovers.find(out)) == 2
    with pytest.raises(RefusedError, match="may be cut short"):
        leftovers.take(out)
    assert contents(out) == before
    assert len(leftovers.remove(out)) == 2


def test_they_go_to_the_end_of_a_single_file(tmp_path: Path) -> None:
    write(tmp_path, {"rows.csv": "1\n", ".rows.csv-00002-2.g-s.csv.prepared": "2\n", ".rows.csv.g-s.csv.writing": "3\n",
                     ".other.csv.g-s.csv.writing": "x\n"})
    assert leftovers.take(tmp_path / "rows.csv") == [tmp_path / "rows.csv"]
    assert contents(tmp_path) == {"rows.csv": "1\n2\n3\n", ".other.csv.g-s.csv.writing": "x\n"}


def test_a_single_file_that_was_never_shown_is_made(tmp_path: Path) -> None:
    write(tmp_path, {".rows.csv-00001.g-s.csv.left": "1\n"})
    leftovers.take(tmp_path / "rows.csv")
    assert contents(tmp_path) == {"rows.csv": "1\n"}


def test_rows_that_were_put_there_in_part_are_not_doubled(tmp_path: Path) -> None:
    write(tmp_path, {"rows.csv": "1\n2\n3", ".rows.csv-00002-2.g-s.csv.prepared": "2\n30\n",
                     ".rows.csv-00003-5.g-s.csv.left": "4\n"})
    leftovers.take(tmp_path / "rows.csv")
    assert contents(tmp_path) == {"rows.csv": "1\n2\n30\n4\n"}


def test_a_file_that_has_other_rows_there_keeps_them(tmp_path: Path) -> None:
    write(tmp_path, {"rows.csv": "1\nmine\n", ".rows.csv-00002-2.g-s.csv.prepared": "2\n3\n4\n5\n"})
    leftovers.take(tmp_path / "rows.csv")
    assert contents(tmp_path) == {"rows.csv": "1\nmine\n2\n3\n4\n5\n"}


def test_a_single_file_without_room_stays_as_it_was_and_takes_them_later(tmp_path: Path) -> None:
    rows = "".join(f"{k:07}\n" for k in range(10_000))
    write(tmp_path, {"rows.csv": "0\n", ".rows.csv.g-s.csv.writing": rows})
    with pytest.raises(RefusedError, match="File too large") as raised, limited(16_384):
        leftovers.take(tmp_path / "rows.csv")
    assert "make room" in raised.value.hint
    assert (tmp_path / "rows.csv").read_text() == "0\n"
    leftovers.take(tmp_path / "rows.csv")
    assert contents(tmp_path) == {"rows.csv": "0\n" + rows}


@contextmanager
def limited(file_bytes: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_csv_row_that_was_cut_within_quotes_goes_as_a_whole(tmp_path: Path) -> None:
    out = write(tmp_path / "out", {".part-00000.g-s.csv.writing": '1,"a\nb"\n2,"say \\" it"\n3,"c\nd\ne'})
    leftovers.take(out)
    assert contents(out) == {"part-00000-00001.csv": '1,"a\nb"\n2,"say \\" it"\n',
                             ".part-00000.g-s.csv.writing.1.cut": '3,"c\nd\ne'}


@pytest.mark.parametrize("kind", ["left", "prepared", "writing"])
@pytest.mark.parametrize("rows", ['5" pipe\nx,\\\n', "'a\nb'\n", '"x,\\"\n', '"it""s"\nplain\n'])
def test_whole_lines_of_any_dialect_go_whole(tmp_path: Path, kind: str, rows: str) -> None:
    out = write(tmp_path / "out", {f".part-00000-00001.g-s.csv.{kind}": rows})
    leftovers.take(out)
    assert contents(out) == {"part-00000-00001.csv": rows}


def test_what_has_other_line_ends_is_never_deleted(tmp_path: Path) -> None:
    out = write(tmp_path / "out", {".part-00000-00001.g-s.csv.left": "1|2|3|"})
    assert leftovers.take(out) == []
    assert [file.read_text() for file in leftovers.cuts(out)] == ["1|2|3|"]


def test_they_are_removed_and_nothing_else(tmp_path: Path) -> None:
    out = write(tmp_path / "out", {".part-00000.g-s.json.writing": "1\n", "part-00000-00001.json": "0\n", ".mine": "x"})
    assert [file.name for file in leftovers.remove(out)] == [".part-00000.g-s.json.writing"]
    assert contents(out) == {"part-00000-00001.json": "0\n", ".mine": "x"}


@pytest.mark.parametrize("single", [False, True])
def test_a_living_jobs_files_are_left_alone(tmp_path: Path, single: bool) -> None:
    base = "rows.csv" if single else "part-00000"
    write(tmp_path, {f".{base}.g-s.csv.writing": "1\n", f".{base}.g-s.lock": ""})
    path = tmp_path / "rows.csv" if single else tmp_path
    with subprocess.Popen([sys.executable, "-c", HELD, str(tmp_path / f".{base}.g-s.lock")], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(RefusedError, match="is being written by a job"):
            leftovers.take(path)
    assert len(leftovers.find(path)) == 1


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="no folder"):
        leftovers.find(tmp_path / "none" / "out")


def test_the_sinks_path_is_told() -> None:
    assert leftovers.told(["/a/out/.part-00000-00002.g-s.csv.left"]).count("despina leftovers /a/out --take") == 1
    assert leftovers.told(["/a/.rows.csv-00001.g-s.csv.left", "x"]).count("despina leftovers /a/rows.csv --take") == 1


def test_every_sinks_path_is_told_and_on_which_resource() -> None:
    words = leftovers.told(["/a/one/.part-00000-00002.g-s.csv.left", "/a/one/.part-00001-00002.g-s.csv.left",
                            "far:/b/two/.part-00000-00002.g-s.csv.left"])
    assert "2 hidden files" in words
    assert "despina leftovers /a/one --take" in words
    assert "1 hidden file (/b/two/.part-00000-00002.g-s.csv.left) of resource far: `despina leftovers /b/two" in words
    assert "--take`, typed there, puts" in words
