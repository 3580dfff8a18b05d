"""What the campaign of kills looks at, of made-up rounds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import websockets
from support.kill_log import Log, Round
from support.kills import differences, missed

WANTED: dict[str, list[tuple[str, ...]]] = {"k1": [("k1", "1"), ("k1", "2"), ("k1", "3")], "k2": [("k2", "1")]}


def seen(*numbers: str) -> dict[str, list[tuple[str, ...]]]:
    return {**WANTED, "k1": [("k1", number) for number in numbers]}


@pytest.mark.parametrize(("numbers", "doubles", "words"), [
    ("123", False, []), ("13", False, ["1 rows are lost"]), ("1223", False, ["1 rows came twice or are wrong"]),
    ("132", False, ["rows of key k1 are out of order"]), ("1234", False, ["1 rows came twice or are wrong"]),
    ("12123", True, []), ("1212", True, ["1 rows are lost"]), ("1321", True, ["rows of key k1 are out of order"]),
    ("1234", True, ["1 rows came twice or are wrong"])])
def test_rows_that_differ_are_told(numbers: str, doubles: bool, words: list[str]) -> None:
    found = differences(seen(*numbers), WANTED, doubles=doubles, ordered=True)
    assert [one.partition(", such")[0] for one in found] == words


def test_without_an_order_each_row_counts_alone() -> None:
    assert not differences(seen(*"321"), WANTED, doubles=False, ordered=False)


GIVEN = [("k", number, 7) for number in range(10)]


@pytest.mark.parametrize(("numbers", "wrong", "gaps", "missing"), [
    ([*range(10)], 0, 0, 0), ([0, 1, 5, 6, 7, 8, 9], 0, 1, 3), ([1, 2, 3, 7], 0, 3, 6), ([], 0, 1, 10),
    ([0, 2, 1], 1, 2, 9), ([0, 1, 1, 2], 1, 1, 7)])
def test_what_was_lost_on_its_way_is_counted(numbers: list[int], wrong: int, gaps: int, missing: int) -> None:
    found = missed([GIVEN[number] for number in numbers], GIVEN)
    assert (len(found[0]), found[1], found[2]) == (wrong, gaps, missing)


def test_a_row_that_nobody_gave_is_told() -> None:
    assert missed([("other", 3, 7)], GIVEN)[0] == ["the source took ('other', 3, 7), which nobody gave"]


def one(number: int, *wrong: str, target: str = "a resource", kills: int = 1) -> Round:
    return Round(number, target, "tumbling", "files", 2, True, kills, 1, 4.5, [0.5 + number] * kills, [*wrong])


def test_a_campaign_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "kills.jsonl"
    log = Log(7, 3, file)
    assert log.next() == 3
    log.add(one(3, kills=2))
    log.add(one(4, "a row is lost", target="Python"))
    with file.open("a") as torn:
        torn.write('{"number": 5, "tar')
    again = Log(7, 0, file)
    assert (again.next(), again.kills(), again.rounds) == (5, 3, log.rounds)
    again.add(one(5))
    assert [json.loads(line).get("number") for line in file.read_text().splitlines()] == [None, 3, 4, 5]
    told = [*again.summary()]
    assert told[0] == "3 rounds, 4 kills, of which 1 hit a job that had just lost something, 1 things wrong"
    assert told[1] == "a resource: 3 kills in 2 rounds, back after 3.50 s at the median, 5.50 s at p99, 5.50 s at most"
    assert told[-1] == "round 4: a row is lost"


def test_a_file_of_another_seed_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "kills.jsonl"
    Log(7, 0, file)
    with pytest.raises(ValueError, match="has rounds of seed 7, not 8"):
        Log(8, 0, file)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("length", [0, 125, 126, 65_535])
def test_a_message_of_a_websocket_comes_whole_in_whatever_pieces(length: int, masked: bool) -> None:
    texts = [b"x" * length, b"next"]
    travels = b"".join(websockets.frame(websockets.TEXT, text, masked) for text in texts)
    travels += websockets.frame(websockets.CLOSE, b"", masked)
    incoming = websockets.Incoming()
    found = [each for begin in range(0, len(travels), 977) for each in incoming.take(travels[begin:begin + 977])]
    assert found == [(websockets.TEXT, texts[0]), (websockets.TEXT, texts[1]), (websockets.CLOSE, b"")]
