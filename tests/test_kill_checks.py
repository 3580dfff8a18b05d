"""What the campaign of kills looks at, of made-up rounds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import connector_kills, kills, split_kills, websockets
from support.kill_log import Log, Round
from support.kill_ways import Sent
from support.kills import COORDINATOR, PYTHON, RESOURCE, Found, Plan, differences, is_of_a_kill, missed
from support.processes import OWN_PORTS, free_port

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


def test_no_client_can_be_connected_to_itself_at_a_port_where_nobody_listens_yet() -> None:
    lowest = int(OWN_PORTS.read_text().split()[0])
    assert all(1024 <= free_port() < lowest for _ in range(20))


KILLED_S = 20.0
BROKEN = [Sent(0, 5, 1.0, broke=True), Sent(5, 5, 19.0, broke=True), Sent(5, 10, 21.0)]
"""Two connections that broke, over the second of which nothing was sent, and one that was opened after the last kill."""


@pytest.mark.parametrize(("numbers", "missing", "words"), [
    ([*range(10)], 0, []), ([0, 1, *range(5, 10)], 3, []), ([*range(5, 10)], 5, []),
    ([0, 2, *range(5, 10)], 3, ["row 1 is missing, and a later one came over the same connection"]),
    ([*range(1, 10)], 1, ["row 0 is missing, and a later one came over the same connection"]),
    ([*range(8)], 2, ["2 rows are missing, from 8 on, of a connection that did not break"]),
    ([*range(5), 7, 8, 9], 2, ["row 5 is missing, and a later one came over the same connection"]),
    ([0, 2, 1, 3, 4, *range(5, 10)], 0, ["the source took row 1 behind row 2"]),
    ([0, 1, 1, 2, 3, 4, *range(5, 10)], 0, ["the source took row 1 behind row 1"])])
def test_only_the_last_rows_of_a_connection_that_broke_may_be_lost(numbers: list[int], missing: int, words: list[str]) -> None:
    wrong, count = missed([GIVEN[number] for number in numbers], GIVEN, BROKEN, KILLED_S)
    assert ([one.partition(": ")[0] for one in wrong], count) == (words, missing)


def test_a_kill_behind_the_last_row_may_cost_rows_too() -> None:
    assert missed(GIVEN[:8], GIVEN, BROKEN, 22.0) == ([], 2)


def test_rows_that_no_client_has_sent_are_told() -> None:
    assert missed(GIVEN[:5], GIVEN, BROKEN[:2], KILLED_S) == (["row 5 was not sent"], 5)


@pytest.mark.parametrize("row", [("other", 3, 7), ("k", 10, 7)])
def test_a_row_that_nobody_gave_is_told(row: tuple[str, int, int]) -> None:
    assert missed([*GIVEN, row], GIVEN, BROKEN, KILLED_S)[0][0] == f"the source took {row}, which nobody gave"


@pytest.mark.parametrize(("target", "ends"), [(RESOURCE, []), (COORDINATOR, [1]), (PYTHON, [-9])])
def test_no_other_end_of_a_command_is_taken_for_that_of_a_kill(target: str, ends: list[int]) -> None:
    plan = Plan("relay", 1, 2, True, 0, "wait", 200, target, 1.0, ())
    assert [code for code in (1, -9, -11) if is_of_a_kill(code, plan)] == ends


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


def test_a_campaign_whose_rounds_come_to_no_kill_ends_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan("relay", 1, 2, True, 0, "wait", 200, RESOURCE, 1.0, ())

    def run(folder: Path, seed: int, number: int) -> Found:
        folder.mkdir()
        return Found(plan, kills=int(number == 3))

    monkeypatch.setattr(kills, "run", run)
    log = Log(1, 0)
    rounds = [number for number, _ in kills.campaign(tmp_path, 1, log, 10)]
    assert rounds == [*range(4 + kills.MOST_IDLE)]
    assert log.wrong() == [f"round {rounds[-1]}: no kill in {kills.MOST_IDLE} rounds: the campaign ends with 1 of 10"]


def test_rows_that_both_parts_had_shown_and_are_gone_are_told(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    lines = [json.dumps({"id": n, "d": 2 * n, "c": n // split_kills.KEYS + 1}) for n in range(5)]
    (tmp_path / "out" / "part-0").write_text("\n".join(lines))
    found = split_kills.compare(tmp_path, split_kills.Found(shown=(7, 0)))
    assert found.wrong == ["the engine's sink: 2 rows are gone of 7 that it has shown"]
    assert not split_kills.compare(tmp_path, split_kills.Found(shown=(5, 0))).wrong


@pytest.mark.parametrize(("numbers", "once", "wrong"), [
    ([0, 1, 2, 3], True, []),
    ([0, 1, 1, 2, 3], False, []),
    ([0, 1, 1, 2, 3], True, ["1 numbers twice, [1] the first"]),
    ([0, 2, 1, 3], True, ["numbers are out of order"]),
    ([1, 2], True, ["2 numbers lost, [0, 3] the first"]),
])
def test_numbers_that_a_connector_has_lost_doubled_or_mixed_are_told(numbers: list[int], once: bool, wrong: list[str]) -> None:
    assert connector_kills.judged(4, numbers, once) == wrong
