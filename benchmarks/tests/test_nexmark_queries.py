"""NEXMark in the comparison: the graphs over made events and over files, rows held to the oracle, figures of two runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from despina.errors import JobError, RefusedError
from harness.experiment import Plan
from harness.processes import Processes, RunError
from harness.result import Repeat, Result
from peers import compare, probe, standing, works
from peers.contract import Kit, Trial, Variant
from peers.manufacturing import Input
from peers.nexmark import check, flink, peer, spark
from peers.nexmark import events as queries
from peers.nexmark.events import AVRO, CHECKED, DISK, FORMATS, GENERATOR, KINDS, MADE, PARQUET, WHEN, graph, read_at
from peers.nexmark.figures import Spent, figures
from peers.nexmark.oracle import QUERIES
from peers.works import NEXMARK, RELAY, asked, of_events
from testing.made_up import row

BIDS = ((4, "2026-01-01 00:00:00.000", 1000, 1000, 3496, "web"), (5, "2026-01-01 00:00:00.001", 1107, 1001, 500, "app"))


@pytest.fixture
def events(tmp_path: Path) -> Path:
    """Files of two bids, and of nothing else."""
    for kind in KINDS:
        (tmp_path / kind).mkdir()
    text = "".join(",".join(map(str, bid)) + "\n" for bid in BIDS)
    (tmp_path / "bids" / "part-0").write_text(text)
    return tmp_path


def put_out(folder: Path, *rows: dict[str, Any]) -> Path:
    file = folder / "rows.json"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def trial(folder: Path, query: str, variant: Variant, given: Input | None = None) -> Trial:
    point = {"query": query, "from": MADE, "events": 5000}
    return Trial("nexmark", point, variant, folder, Processes.__new__(Processes), 0, 1, given)


def tell(folder: Path, name: str, content: dict[str, Any]) -> Path:
    file = folder / name
    file.write_text(json.dumps(content))
    return file


def test_every_query_is_asked_and_has_an_oracle() -> None:
    assert {*works.QUERIES} == {*QUERIES, GENERATOR}
    for files in FORMATS:
        assert [point["query"] for point in NEXMARK.full.points if point["from"] == files] == [
            query for query in works.QUERIES if query != GENERATOR]


@pytest.mark.parametrize("query", works.QUERIES)
def test_over_made_events_all_kinds_are_made_and_go_somewhere(query: str) -> None:
    content = graph(query, 1000, None, None)
    assert {operator["type"] for operator in content["operators"].values()}.isdisjoint({"file_source", "file_sink"})
    assert {*KINDS.values()} <= {link["from"] for link in content["links"]}
    named = {link[end].partition(".")[0] for link in content["links"] for end in ("from", "to")}
    assert named == {*content["operators"]}
    assert content["parameters"]["events"]["default"] == "1000"


@pytest.mark.parametrize("query", [query for query in works.QUERIES if query != GENERATOR])
def test_over_files_a_query_reads_them_and_makes_nothing(query: str, tmp_path: Path) -> None:
    content = graph(query, 1000, tmp_path, tmp_path / "out", "parquet")
    sources = [operator for operator in content["operators"].values() if operator["type"].endswith("_source")]
    assert sources
    assert all((source["format"], Path(source["path"]).parent) == ("parquet", tmp_path) for source in sources)
    assert content["operators"]["result"]["path"] == str(tmp_path / "out")
    assert "events" not in content["parameters"]


def test_no_auction_is_open_for_longer_than_its_query_waits() -> None:
    content = graph("q9", 1000, None, None)
    found = {name: told["default"] for name, told in content["parameters"].items()}
    assert found == {"events": "1000", **WHEN}
    assert 1000 * int(found["gap_us"]) == 1000 * int(found["open_ms"]) < 1000 * int(found["gap_ms"])


def test_rows_in_any_order_are_right(events: Path, tmp_path: Path) -> None:
    rows = [{"auction": auction, "price": price * 0.908, "bidder": bidder, "ts": f"2026-01-01T00:00:00.00{k}Z"}
            for k, (_, _, auction, bidder, price, _) in reversed([*enumerate(BIDS)])]
    assert check.verify("q1", put_out(tmp_path, *rows), events) == 2


@pytest.mark.parametrize(("rows", "said"), [
    ([], r"1 are missing, as \[\{.auction.: 1107, .price.: 500\}\], and 0 are wrong, none"),
    ([{"auction": 1107, "price": 501}], "1 are missing.* and 1 are wrong"),
    ([{"auction": 1107, "price": 500}] * 2, "0 are missing, none, and 1 are wrong")])
def test_rows_that_are_missing_or_wrong_are_shown(rows: list[dict[str, Any]], said: str, events: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=said):
        check.verify("q2", put_out(tmp_path, *rows), events)


def test_counts_by_the_wall_clock_are_added_up(events: Path, tmp_path: Path) -> None:
    both = [{"bidder": bidder, "bids": 1, "since": "x", "until": "y"} for bidder in (1000, 1001)]
    assert check.verify("q12", put_out(tmp_path, *both), events) == 2
    assert check.verify("q12", put_out(tmp_path, both[0]), events, whole=False) == 1
    with pytest.raises(RunError, match="1 are missing"):
        check.verify("q12", put_out(tmp_path, both[0]), events)
    with pytest.raises(RunError, match="1 bidders have more bids than they made"):
        check.verify("q12", put_out(tmp_path, both[0], both[0]), events, whole=False)


def test_what_both_runs_have_is_in_no_figure() -> None:
    found = figures(Spent(1_000_000, 3.0, 5.0), Spent(5_000_000, 7.0, 9.0), peak_bytes=2_000_000, rows=3, flags={"7": ["-Xmx1g"]})
    assert found.values == {"cpu_s_per_million": 1.0, "per_s": 1_000_000, "peak_mb": 2.0, "fixed_cpu_s": 4.0}
    assert (found.raw["rows_verified"], found.raw["costs"]) == (3, {"jvm_flags": {"7": ["-Xmx1g"]}})


def test_a_larger_run_that_took_no_longer_gives_no_figure() -> None:
    with pytest.raises(JobError, match="the difference tells nothing"):
        figures(Spent(1000, 3.0, 5.0), Spent(5000, 2.9, 6.0), peak_bytes=1, rows=0, flags={})


def test_files_are_read_where_they_are_asked_for_and_by_who_compares_rows() -> None:
    assert read_at({"query": "q5", "from": MADE, "events": 1000}) == ["300000"]
    assert read_at({"query": "q5", "from": DISK, "events": 1000}) == ["300000", "200", "1000"]
    assert read_at({"query": "q5", "from": PARQUET, "events": 1000}) == ["300000", "300000-parquet", "200-parquet",
                                                                         "1000-parquet"]


def test_another_number_of_events_is_of_the_points_that_have_one() -> None:
    plan = of_events(Plan([*asked(MADE, ("q5", "q7")), {"packet_bytes": 50}]), 7000)
    assert plan.points == [*asked(MADE, ("q5", "q7"), 7000), {"packet_bytes": 50}]
    compare._known([NEXMARK], ["query=q5", "events="])
    with pytest.raises(RefusedError, match="no point of relay has 'events'"):
        compare._known([RELAY], ["events="])


@pytest.mark.parametrize("engine", ["flink", "spark"])
def test_every_query_of_a_peer_has_a_text_and_tables(engine: str) -> None:
    without = {"q12"} if engine == "spark" else set()      # no batch goes by the wall clock
    assert {query for query in works.QUERIES if peer.forms(engine, query)} == {*works.QUERIES} - without
    not_read = {"flink": PARQUET, "spark": AVRO}[engine]
    points = (point for point in NEXMARK.full.points if point["from"] != not_read)
    for point in (point for point in points if point["query"] not in without):
        for form in peer.forms(engine, point["query"]):
            told = peer.settings(engine, form, point)
            assert told["text"].is_file()
            assert told["tables"].is_file()
            named = set(re.findall(r"\$\{(\w+)\}", told["text"].read_text()))
            assert named <= ({"window_s"} if engine == "flink" else set())


def test_a_stream_of_spark_has_the_text_of_its_batch_or_one_of_its_own() -> None:
    names = {query: [variant.name for variant in spark.variants({"query": query, "from": MADE})] for query in works.QUERIES}
    assert {query for query, made in names.items() if made == ["batch"]} == {"q4"}
    assert names["q12"] == []
    assert all(made == ["batch", spark.STREAMED] for query, made in names.items() if query not in ("q4", "q12"))
    for query, form in (("q5", "q5_streamed"), ("q0", "q0")):
        assert peer.form("spark", trial(Path(), query, spark.variants({"query": query, "from": MADE})[1])) == form
    own = {file.stem for file in (peer.HERE / "spark").glob("*_streamed.sql")}
    assert {f"{query}_{spark.STREAMED}" for query in spark.AS_IT_IS}.isdisjoint(own)


def test_the_events_of_a_stream_are_made_by_the_text_of_the_batch() -> None:
    java = (peer.HERE.parent / "java" / "spark" / "io" / "despina" / "compare" / "spark" / "Streams.java").read_text()
    made = (peer.HERE / "spark" / "made.sql").read_text()
    for name in ("RANGE", "EVENTS"):
        (text,) = re.findall(rf'{name} = "(.*)";', java)
        assert text in made, name


def test_forms_of_a_query_are_rows_of_their_own() -> None:
    assert peer.forms("flink", "q1") == ["q1"]
    made = flink.variants({"query": "q7", "from": MADE})
    assert [variant.name for variant in made] == ["default", "windowed"]
    assert [peer.form("flink", trial(Path(), "q7", variant)) for variant in made] == ["q7", "q7_windowed"]


def test_each_peer_has_rows_over_the_binary_files_that_it_reads_by_itself() -> None:
    rows = {(engine, files): bool(module.variants({"query": "q5", "from": files}))
            for engine, module in (("flink", flink), ("spark", spark)) for files in FORMATS}
    assert {row for row, there in rows.items() if not there} == {("flink", PARQUET), ("spark", AVRO)}
    assert not (peer.HERE / "flink" / f"{PARQUET}.sql").exists()
    assert not (peer.HERE / "spark" / f"{AVRO}.sql").exists()


def test_runs_of_another_text_are_not_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "flink").mkdir()
    text = tmp_path / "flink" / "q1.sql"
    monkeypatch.setattr(peer, "HERE", tmp_path)
    kept = [text.write_text(words) and flink.variants({"query": "q1", "from": MADE})[0].settings
            for words in ("SELECT 1", "SELECT 2", "SELECT 1")]
    assert kept[0] == kept[2] != kept[1]


@pytest.mark.parametrize("right", [True, False])
def test_a_peer_is_not_timed_while_its_rows_are_compared(right: bool, events: Path, tmp_path: Path,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    folder, home = tmp_path / "run", tmp_path / "events"
    folder.mkdir()
    home.mkdir()
    (home / str(CHECKED)).symlink_to(events)
    put_out(folder, {"auction": 1107, "price": 500 if right else 501}).rename(folder / "rows")
    tell(folder, "query.1.pid", {})
    tell(folder, "check.json", {})
    asked_for: list[str] = []

    def wait_for_file(trial: Trial, name: str, timeout_s: float) -> Path:
        asked_for.append(f"{name} {(folder / peer.COMPARED).exists()}")
        return tell(folder, name, {"events": 5000 if name == "whole.json" else 1000, "seconds": 1 + len(asked_for),
                                   "cpu_s": 1 + len(asked_for), "peak_kb": 1})

    monkeypatch.setattr(probe, "wait_for_file", wait_for_file)
    asked = trial(folder, "q2", Variant("default"), Input(home, 0, {}))
    if right:
        assert peer.sample(asked).values["per_s"] == 4000
        assert asked_for == ["check.json False", "part.json True", "whole.json True"]
    else:
        with pytest.raises(RunError, match="1 are missing"):
            peer.sample(asked)
        assert asked_for == ["check.json False"]


def test_only_files_of_the_point_are_read_before_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[int, str]] = []

    def write(folder: Path, events: int, form: str) -> None:
        written.append((events, form))
        (folder / "part-0").write_text("1")

    monkeypatch.setattr(queries, "_write", write)
    kit = Kit(tmp_path, tmp_path)
    queries.prepared(kit, ["1000", "5000-parquet"])
    assert written == [(1000, "csv"), (5000, "parquet")]
    given = queries.prepared(kit, ["1000"])
    assert [part.name for part in given.parts] == ["1000"]
    opened: list[str] = []
    real = Path.open

    def watched(file: Path, *words: Any, **more: Any) -> Any:
        opened.append(file.parent.name)
        return real(file, *words, **more)

    monkeypatch.setattr(Path, "open", watched)
    given.into_memory()
    assert opened == ["1000"]


def test_queries_are_held_to_flink_net_of_the_generator() -> None:
    cost = {("despina default", "gen"): 0.5, ("flink default", "gen"): 0.4, ("despina default", "q5"): 1.0,
            ("flink default", "q5"): 2.4, ("flink windowed", "q5"): 1.4,
            ("despina default", "q0"): 0.4, ("flink default", "q0"): 0.64}
    result = Result({"mode": "full", "subjects": ["despina default", "flink default", "flink windowed"]}, [
        Repeat(name, asked(MADE, (query,))[0], 0, 0, {"cpu_s_per_million": cpu}, raw=row(name))
        for (name, query), cpu in cost.items()])
    mean, worst = (claim.found(result) for claim in standing.claims(NEXMARK)[:2])
    assert isinstance(mean, standing.Seen)
    assert isinstance(worst, standing.Seen)
    assert mean.value == pytest.approx(4)         # of q5 1.0 / 0.5, of q0 0.24 / 0.03
    assert worst.value == pytest.approx(2)
    assert mean.doubt == worst.doubt == "1 round"
    assert standing.held(standing.claims(NEXMARK)[:2], result).rows[0][3] == "yes (1 round)"
    failed = Repeat("flink default", asked(MADE, ("q4",))[0], 0, 0, {}, failed="out of memory")
    mean, worst = (claim.found(Result(result.about, [*result.repeats, failed])) for claim in standing.claims(NEXMARK)[:2])
    assert isinstance(mean, standing.Seen)
    assert mean.doubt == "1 round, none at q4"
    assert [claim.found(Result({"subjects": []}, [])) for claim in standing.claims(NEXMARK)[:2]] == [None, None]
