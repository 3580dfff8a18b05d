"""Random graphs by seed, over one source: chains of operators, and expressions of a filter and a project.

Many are in one file and have one sink. Each row that leaves says of which it is, so one run of the engine and one query of Spark
compare them all.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

Fields = dict[str, Any]
Columns = Mapping[str, str]
"""The type of each column."""

ROWS = 40
SOURCE: Fields = {
    "type": "generator_source",
    "rows": {"type": "select", "select": [
        "id",
        "timestamp_millis(1700000000000 + (id - pmod(xxhash64(id, 1), 3)) * 600) AS ts",
        "CAST(pmod(xxhash64(id, 2), 4) AS INT) AS grp",
        "if(pmod(xxhash64(id, 3), 7) = 0, NULL, CAST(pmod(xxhash64(id, 4), 21) - 10 AS INT)) AS n",
        "element_at(array(NULL, 0D, -0D, DOUBLE('NaN'), DOUBLE('Infinity'), 1e-3D, 2.5D, -7.25D, id / 3D),"
        " CAST(1 + pmod(xxhash64(id, 5), 9) AS INT)) AS x",
        "element_at(array(NULL, '', 'a', 'Küche', 'two words', ' pad ', '12', '2024-02-29', 'Ωmega é'),"
        " CAST(1 + pmod(xxhash64(id, 6), 9) AS INT)) AS s",
        "if(pmod(xxhash64(id, 7), 5) = 0, NULL, pmod(xxhash64(id, 8), 2) = 0) AS flag",
        "date_add(DATE '2024-02-27', CAST(pmod(xxhash64(id, 9), 5) AS INT)) AS day",
        "if(pmod(xxhash64(id, 10), 6) = 0, NULL, CAST(pmod(xxhash64(id, 11), 100000) / 100 AS DECIMAL(10, 2))) AS price",
        "if(pmod(xxhash64(id, 12), 6) = 0, NULL, filter(array('p', NULL, 'q', CAST(id % 3 AS STRING)),"
        " (t, i) -> i < pmod(id, 5))) AS tags",
    ]},
    "count": ROWS,
    "event_time": {"column": "ts", "max_delay_ms": 600, "order_by": ["id"]},
}
"""About half of the packets share their time with another.
Some are behind an earlier one, at most as far as `max_delay_ms` allows.

No text is another by `upper(lower(…))` than by `upper(…)`: Spark's optimizer takes one for the other."""
COLUMNS: dict[str, str] = {"id": "BIGINT", "ts": "TIMESTAMP", "grp": "INT", "n": "INT", "x": "DOUBLE", "s": "STRING",
                           "flag": "BOOLEAN", "day": "DATE", "price": "DECIMAL", "tags": "ARRAY"}

LITERALS = {
    "BIGINT": ["0L", "1L", "-3L", "17L", "CAST(NULL AS BIGINT)"], "INT": ["0", "2", "-5", "CAST(NULL AS INT)"],
    "DOUBLE": ["0D", "1.5D", "-2D", "DOUBLE('NaN')", "CAST(NULL AS DOUBLE)"],
    "STRING": ["''", "'a'", "'Two Words'", "'12'", "CAST(NULL AS STRING)"], "BOOLEAN": ["true", "false", "CAST(NULL AS BOOLEAN)"],
    "TIMESTAMP": ["TIMESTAMP '2024-02-29 12:34:56.789Z'", "TIMESTAMP '1969-12-31 23:59:59Z'"],
    "DATE": ["DATE '2024-02-29'", "DATE '1582-10-15'"], "DECIMAL": ["CAST(1.25 AS DECIMAL(10, 2))", "CAST(0 AS DECIMAL(10, 2))"],
    "ARRAY": ["array('p', 'z')", "CAST(array() AS ARRAY<STRING>)"],
}
ANY = "ANY"
DEPTHS = (1, 2, 2, 2, 3, 4)
"""Of an expression: the time that a deep one takes to compile grows with the number of its calls."""
CALLS: dict[str, list[str]] = {
    "BIGINT": ["({BIGINT} + {INT}) % 1000L", "abs({BIGINT}) % 100L", "pmod(xxhash64({ANY}, {ANY}), 1000L)",
        "nullif({BIGINT}, {BIGINT})", "coalesce({BIGINT}, {BIGINT})", "if({BOOLEAN}, {BIGINT}, {BIGINT})",
        "unix_seconds({TIMESTAMP}) % 1000L", "greatest({BIGINT}, {BIGINT}, 3L)", "least({BIGINT}, {BIGINT})",
        "{BIGINT} & 15L", "pmod({BIGINT}, 7L)", "try_cast({DOUBLE} AS BIGINT) % 1000L", "CAST({INT} AS BIGINT)",
        "nvl2({ANY}, {BIGINT}, {BIGINT})"],
    "INT": ["length({STRING})", "ascii({STRING})", "size({ARRAY})", "instr({STRING}, {STRING})",
        "datediff({DATE}, {DATE}) % 1000", "year({DATE})", "dayofweek({DATE})", "hour({TIMESTAMP})",
        "if({BOOLEAN}, {INT}, {INT})", "coalesce({INT}, {INT})", "bit_count({BIGINT})",
        "CAST(array_position({ARRAY}, {STRING}) AS INT)", "levenshtein({STRING}, {STRING})",
        "CASE WHEN {BOOLEAN} THEN {INT} WHEN {BOOLEAN} THEN 7 END", "month({DATE})", "{INT} % 5"],
    "DOUBLE": ["{DOUBLE} + {DOUBLE}", "{DOUBLE} * {DOUBLE}", "{DOUBLE} - {BIGINT}", "try_divide({DOUBLE}, {DOUBLE})",
        "-{DOUBLE}", "sqrt(abs({DOUBLE}))", "round({DOUBLE}, 1)", "nanvl({DOUBLE}, {DOUBLE})", "sin({DOUBLE})",
        "atan2({DOUBLE}, {DOUBLE})", "CAST({BIGINT} AS DOUBLE)", "CAST({DECIMAL} AS DOUBLE)", "greatest({DOUBLE}, {DOUBLE})",
        "try_cast({STRING} AS DOUBLE)", "if({BOOLEAN}, {DOUBLE}, {DOUBLE})", "pow({DOUBLE}, 2)",
        "try_divide({BIGINT}, {INT})"],
    "STRING": ["concat({STRING}, {STRING})", "upper({STRING})", "lower({STRING})", "substring({STRING}, {INT} % 5, 3)",
        "CAST({ANY} AS STRING)", "trim({STRING})", "lpad({STRING}, 6, '*')", "regexp_replace({STRING}, '[aeiou]', '_')",
        "reverse({STRING})", "date_format({TIMESTAMP}, 'yyyy-MM-dd HH:mm')", "concat_ws('-', {STRING}, {STRING})",
        "translate({STRING}, 'ab', 'x')", "md5({STRING})", "if({BOOLEAN}, {STRING}, {STRING})", "repeat({STRING}, 2)",
        "coalesce({STRING}, {STRING})", "array_join({ARRAY}, ',')", "split_part({STRING}, ' ', 1)", "initcap({STRING})",
        "try_element_at({ARRAY}, 1)", "hex({BIGINT})", "named_struct('a', {STRING}, 'b', {INT}).a", "left({STRING}, 2)",
        "typeof({ANY})", "replace({STRING}, 'a', 'bc')", "regexp_extract({STRING}, '([a-z]+)', 1)"],
    "BOOLEAN": ["{BIGINT} < {BIGINT}", "{DOUBLE} >= {DOUBLE}", "{STRING} = {STRING}", "{STRING} < {STRING}",
        "{BOOLEAN} AND {BOOLEAN}", "{BOOLEAN} OR {BOOLEAN}", "NOT {BOOLEAN}", "{ANY} IS NULL", "{INT} IN (1, 2, NULL)",
        "{STRING} LIKE '%a%'", "{DOUBLE} <=> {DOUBLE}", "{BIGINT} BETWEEN {BIGINT} AND {BIGINT}", "isnan({DOUBLE})",
        "{DATE} > {DATE}", "array_contains({ARRAY}, {STRING})", "exists({ARRAY}, t -> t = {STRING})",
        "{STRING} RLIKE '^[a-z]+$'", "startswith({STRING}, {STRING})", "{TIMESTAMP} <= {TIMESTAMP}", "{DECIMAL} > {DECIMAL}"],
    "TIMESTAMP": ["{TIMESTAMP} + INTERVAL '1' MINUTE", "date_trunc('HOUR', {TIMESTAMP})", "timestamp_seconds({INT})",
        "CAST({DATE} AS TIMESTAMP)", "if({BOOLEAN}, {TIMESTAMP}, {TIMESTAMP})", "try_to_timestamp({STRING})"],
    "DATE": ["date_add({DATE}, {INT} % 9)", "to_date({TIMESTAMP})", "last_day({DATE})", "trunc({DATE}, 'MONTH')",
        "try_cast({STRING} AS DATE)", "coalesce({DATE}, {DATE})"],
    "DECIMAL": ["CAST({DECIMAL} % 7 AS DECIMAL(10, 2))", "coalesce({DECIMAL}, {DECIMAL})", "CAST({INT} AS DECIMAL(10, 2))",
        "if({BOOLEAN}, {DECIMAL}, {DECIMAL})", "CAST(round({DECIMAL} / 3, 2) AS DECIMAL(10, 2))", "-{DECIMAL}"],
    "ARRAY": ["split({STRING}, ' ')", "array({STRING}, {STRING})", "array_distinct({ARRAY})",
        "filter({ARRAY}, t -> t IS NOT NULL)", "transform({ARRAY}, t -> concat(t, {STRING}))",
        "array_union({ARRAY}, {ARRAY})", "sort_array({ARRAY})", "slice({ARRAY}, 1, 2)", "concat({ARRAY}, {ARRAY})",
        "if({BOOLEAN}, {ARRAY}, {ARRAY})"],
}
AGGREGATES = ["count(*)", "count({ANY})", "sum({BIGINT})", "min({STRING})", "max({DOUBLE})", "min({DECIMAL})", "max({DATE})",
    "sum({DECIMAL})", "bool_or({BOOLEAN})", "count(DISTINCT {INT})", "avg({INT})", "max_by({STRING}, id)",
    "min_by({INT}, id)", "count_if({BOOLEAN})", "first({STRING})", "last({BIGINT})", "bit_xor({BIGINT})",
    "sum({INT}) FILTER (WHERE {BOOLEAN})", "approx_count_distinct({INT})", "array_sort(collect_list({INT}))",
    "array_sort(collect_set({STRING}))", "median({INT})"]
"""Exact, whatever the order in which they meet rows: floating-point sums are compared by other tests."""
WITHOUT_ORDER = [a for a in AGGREGATES if not a.startswith(("first", "last"))]


class Expressions:
    """Expressions over some columns."""

    def __init__(self, chance: random.Random, columns: Columns) -> None:
        self.chance, self.columns = chance, columns

    def make(self, kind: str, depth: int) -> str:
        """One of a type."""
        if kind == ANY:
            kind = self.chance.choice(list(CALLS))
        named = [name for name, of in self.columns.items() if of == kind]
        if depth <= 0 or self.chance.random() < 0.15:
            return self.chance.choice(named) if named and self.chance.random() < 0.8 else self.chance.choice(LITERALS[kind])
        return self.fill(self.chance.choice(CALLS[kind]), depth - 1)

    def fill(self, template: str, depth: int) -> str:
        """A template with an expression at each type's name."""
        while (at := template.find("{")) >= 0:
            end = template.index("}", at)
            template = f"{template[:at]}({self.make(template[at + 1:end], depth)}){template[end + 1:]}"
        return template


class RandomGraph:
    """One chain, whose operators' ids begin with ``name``."""

    def __init__(self, name: str, seed: int, stateful: bool) -> None:
        self.name = name
        self.chance = random.Random(seed)
        self.operators: dict[str, Fields] = {}
        self.links: list[Fields] = []
        self.columns: dict[str, str] = dict(COLUMNS)
        self.end = "source"
        self.unique = True
        """Whether event order is certain: `explode` makes several rows of one time and id."""
        for _ in range(self.chance.randint(0, 2) if stateful else self.chance.randint(1, 3)):
            self.chance.choice([self.filter, self.project, self.project, self.explode, self.route])()
        if stateful:
            self.chance.choice(IN_ORDER if self.unique else IN_ANY_ORDER)(self)

    def expression(self, kind: str, depth: int = 3) -> str:
        """One over the columns that there are now."""
        return Expressions(self.chance, self.columns).make(kind, depth)

    def add(self, fields: Fields, port: str = "", unlinked: tuple[str, ...] = ()) -> None:
        """Another operator, which reads the last one."""
        operator = f"{self.name}_{len(self.operators)}"
        self.operators[operator] = fields
        self.links.append({"from": self.end, "to": operator})
        self.end = operator + port
        for k, other in enumerate(unlinked):
            self.operators[f"{operator}_{k}"] = {"type": "discard_sink"}
            self.links.append({"from": operator + other, "to": f"{operator}_{k}"})

    def filter(self) -> None:
        rejected = self.chance.random() < 0.3
        self.add({"type": "filter", "where": self.expression("BOOLEAN")}, ".rejected" if rejected else "",
                 ("",) if rejected else ())

    def route(self) -> None:
        ports = [".one", ".two", ".otherwise"]
        port = self.chance.choice(ports)
        self.add({"type": "route", "cases": {"one": self.expression("BOOLEAN", 2), "two": self.expression("BOOLEAN", 2)},
                  "match": self.chance.choice(["first", "all"])}, port, tuple(p for p in ports if p != port))

    def project(self) -> None:
        kinds = {f"c{k}": self.chance.choice(list(CALLS)) for k in range(self.chance.randint(1, 4))}
        select = [f"{self.expression(kind)} AS {name}" for name, kind in kinds.items()]
        kept = {name: kind for name, kind in self.columns.items()
                if name in ("id", "ts", "grp") or (name not in kinds and self.chance.random() < 0.5)}
        self.add({"type": "project", "select": [*kept, *select]})
        self.columns = {**kept, **kinds}

    def explode(self) -> None:
        name = f"e{len(self.operators)}"
        self.add({"type": "explode", "of": self.expression("ARRAY", 2), "as": name})
        self.columns[name] = "STRING"
        self.unique = False

    def group_by(self) -> Fields:
        """Mostly by a column."""
        return {"group_by": ["grp"]} if self.chance.random() < 0.7 else {}

    def aggregates(self, templates: list[str]) -> list[str]:
        """Some over the columns that there are now."""
        expressions = Expressions(self.chance, self.columns)
        return [f"{expressions.fill(self.chance.choice(templates), 1)} AS a{k}" for k in range(self.chance.randint(1, 3))]

    def millis(self) -> int:
        return self.chance.choice([700, 1000, 2500, 6000])

    def aligned(self, size: int) -> Fields:
        """A tumbling or a sliding window."""
        return self.chance.choice([{"type": "tumbling", "size_ms": size}, {"type": "sliding", "size_ms": size, "slide_ms": 500}])

    def whole_aggregate(self) -> None:
        group = self.group_by()
        self.add({"type": "aggregate", **group, "select": [*group.get("group_by", []), *self.aggregates(WITHOUT_ORDER)]})

    def window_aggregate(self) -> None:
        size = self.millis()
        window = self.chance.choice([{"type": "session", "gap_ms": size}, self.aligned(size), self.aligned(size)])
        fire = self.chance.choice([None, None, {"type": "change"}, {"type": "every", "every_ms": 700}])
        fires, final = ({"fire": fire}, ["window.final AS final"]) if fire else ({}, [])
        group = self.group_by()
        self.add({"type": "aggregate", **group, "window": {**window, **fires}, "accept": ["late"], "select": [*final,
            *group.get("group_by", []), "window.start AS since", "window.end AS until", *self.aggregates(WITHOUT_ORDER)]})
        if final:
            self.add({"type": "filter", "where": "final"})

    def packet_aggregate(self) -> None:
        """One in event order."""
        bounds = ["window.start AS since", "window.end AS until"]
        size = self.chance.randint(1, 5)
        conditions = {"open": self.expression("BOOLEAN", 2), "close": self.expression("BOOLEAN", 2)}
        choices: list[tuple[Fields, list[str]]] = [
            ({"window": {"type": "count", "size": size, "slide": self.chance.randint(1, size)}}, bounds),
            ({"window": {"type": "control", **conditions}}, bounds),
            ({"window": {"type": "trailing", "size_ms": self.millis()}}, ["ts", "id"]),
            ({"window": {"type": "trailing_count", "size": size}}, ["ts", "id"]), ({"emit": "each"}, ["ts", "id"])]
        fields, columns = self.chance.choice(choices)
        self.add({"type": "aggregate", **self.group_by(), **fields, "accept": ["late"],
                  "select": [*columns, *self.aggregates(AGGREGATES)]})

    def scan(self) -> None:
        self.add({"type": "scan", **self.group_by(), "accept": ["late"],
                  "state": {"sum": {"initial": "0L", "next": f"(sum + coalesce({self.expression('BIGINT', 2)}, 1L)) % 1000L"},
                            "seen": {"initial": self.expression("STRING", 1), "next": self.expression("STRING", 1)}},
                  "emit_when": self.expression("BOOLEAN", 2), "select": ["ts", "id", "sum", "next.sum AS after", "seen"]})

    def deduplicate(self) -> None:
        keep = self.chance.choice(["first", "last"])
        within = {"within_ms": self.millis()} if keep == "last" or self.chance.random() < 0.7 else {}
        self.add({"type": "deduplicate", "by": [self.expression(self.chance.choice(["INT", "STRING", "BOOLEAN"]), 2)], **within,
                  "keep": keep, "accept": ["late"]})

    def changes(self) -> None:
        self.add({"type": "changes", **self.group_by(), "of": self.expression(self.chance.choice(["INT", "STRING", "DATE"]), 2),
                  "select": ["ts", "id", "previous"], "accept": ["late"]})

    def absence(self) -> None:
        port = self.chance.choice(["", ".back"])
        self.add({"type": "absence", **self.group_by(), "within_ms": self.millis(), "accept": ["late"],
                  "select": ["absence.at AS ts", "absence.since AS since", f"{self.expression('STRING', 1)} AS last"]}, port,
                 ("",) if port else ())

    def resample(self) -> None:
        """Perhaps with windows of its points behind it."""
        ends = {"ends_after_ms": self.millis()} if self.chance.random() < 0.6 else {}
        gap = {"max_gap_ms": min([self.millis(), *(after - 1 for after in ends.values())])} if self.chance.random() < 0.5 else {}
        self.columns = {name: kind for name, kind in self.columns.items() if name != "fill"}
        fills = {name: {"type": "linear" if kind in ("INT", "BIGINT") else self.chance.choice(["previous", "null"])}
                 for name, kind in self.columns.items() if name not in ("ts", "grp")}
        if ends and self.chance.random() < 0.5:     # nothing that needs the next packet
            fills = {name: {"type": "null" if fill["type"] == "linear" else fill["type"]} for name, fill in fills.items()}
        group = self.group_by()
        self.add({"type": "resample", **group, "every_ms": self.millis(), "fill": fills, **gap, **ends, "accept": ["late"]})
        if ends and self.chance.random() < 0.5:
            self.add({"type": "aggregate", **group, "window": self.aligned(self.millis()), "select": [
                "window_time", *group.get("group_by", []), "count(*) AS n", "count(id) AS known", "max(id) AS id"]})

    def pattern(self) -> None:
        port = self.chance.choice(["", ".timeout"])
        steps = [{"name": name, "where": self.expression("BOOLEAN", 2), **self.chance.choice(
            [{}, {"times": 2}, {"at_least": 1, "at_most": 3}])} for name in ("one", "two", "three")[:self.chance.randint(2, 3)]]
        self.add({"type": "pattern", **self.group_by(), "steps": steps, "within_ms": self.millis(), "accept": ["late"],
                  "skip": self.chance.choice(["past_last", "to_next"]),
                  "select": ["ts", "first(one.id) AS begun", "count(two) AS twos", "last(two.id) AS at"]}, port,
                 ("",) if port else ())

    def top(self) -> None:
        self.add({"type": "top", "n": self.chance.randint(1, 4), **self.group_by(), "accept": ["late"], "by": [
            self.expression(kind, 2) + self.chance.choice(["", " DESC", " ASC NULLS LAST"]) for kind in ("INT", "STRING")],
            "window": self.aligned(self.millis())})

    def sort(self) -> None:
        """Its rows come to the comparison in any order: that it gives each once, in its window."""
        window = {"type": "tumbling", "size_ms": self.millis()}
        self.add({"type": "sort", "by": [self.expression("STRING", 2) + " DESC", "id"], "accept": ["late"], **self.chance.choice(
            [{}, {"window": window}, {"window": window, "select": ["window_time", "id"]}])})

    def latest(self) -> None:
        every = {"every_ms": self.millis(), "select": ["window_time", "id"]} if self.chance.random() < 0.7 else {}
        self.add({"type": "latest", **self.group_by(), **every, "accept": ["late"]})

    def join(self) -> None:
        left, kept = self.end, ["ts", "id", "grp"]
        how = ["inner", "left", "right", "full"]
        size = self.millis()
        fields = self.chance.choice([
            {"between_ms": {"from": -size, "to": self.chance.choice([0, size])}, "how": self.chance.choice(how)},
            {"as_of": {"max_age_ms": size}, "how": self.chance.choice(how[:2])},
            {"window": self.aligned(size), "how": self.chance.choice(how)}])
        self.end, columns = "source", self.columns
        self.columns = dict(COLUMNS)
        self.filter()
        right, self.columns = self.end, columns
        operator = f"{self.name}_{len(self.operators)}"
        self.operators[operator] = {"type": "join", "on": "left.grp = right.grp", **fields, "accept": ["late"], "select": [
            f"{side}.{name} AS {side}_{name}" for side in ("left", "right") for name in kept]}
        self.links += [{"from": left, "to": f"{operator}.left"}, {"from": right, "to": f"{operator}.right"}]
        self.end = operator


IN_ANY_ORDER: list[Callable[[RandomGraph], None]] = [RandomGraph.whole_aggregate, RandomGraph.window_aggregate]
"""What gives the same rows in whatever order packets of one time come."""
IN_ORDER = [*IN_ANY_ORDER, RandomGraph.packet_aggregate, RandomGraph.scan, RandomGraph.deduplicate, RandomGraph.changes,
            RandomGraph.absence, RandomGraph.resample, RandomGraph.pattern, RandomGraph.top, RandomGraph.sort, RandomGraph.latest,
            RandomGraph.join]


def chains(seeds: range, stateful: float, ansi: bool) -> Fields:
    """A graph of random chains of operators.

    Args:
        seeds: Of each chain.
        stateful: The part of them that ends with an operator that keeps state.
        ansi: The setting.
    """
    operators: dict[str, Fields] = {"source": SOURCE}
    links: list[Fields] = []
    for seed in seeds:
        chain = RandomGraph(f"g{seed}", seed, random.Random(-seed - 1).random() < stateful)
        operators |= chain.operators
        operators[f"{chain.name}_row"] = {"type": "project", "select": [f"{seed} AS graph", "to_json(struct(*)) AS row"]}
        links += [*chain.links, {"from": chain.end, "to": f"{chain.name}_row"}, {"from": f"{chain.name}_row", "to": "rows"}]
    return _graph(operators, links, ansi)


def expressions(seeds: range, ansi: bool, together: int = 50) -> Fields:
    """A graph of random filters, each with a project of one expression behind it.

    Args:
        seeds: Of each.
        ansi: The setting.
        together: How many are one operator's columns.
    """
    operators: dict[str, Fields] = {"source": SOURCE}
    links: list[Fields] = []
    for first in seeds[::together]:
        select = []
        for seed in range(first, min(first + together, seeds.stop)):
            chance = random.Random(seed)
            make, depth = Expressions(chance, COLUMNS).make, chance.choice(DEPTHS)
            select.append(f"if({make('BOOLEAN', 1)}, to_json(named_struct('v', {make(ANY, depth)})), '') AS c{seed - first}")
        operators |= {f"g{first}": {"type": "project", "select": select},
                      f"g{first}_row": {"type": "project", "select": [f"{first} AS graph", "to_json(struct(*)) AS row"]}}
        links += [{"from": "source", "to": f"g{first}"}, {"from": f"g{first}", "to": f"g{first}_row"},
                  {"from": f"g{first}_row", "to": "rows"}]
    return _graph(operators, links, ansi)


def _graph(operators: dict[str, Fields], links: list[Fields], ansi: bool) -> Fields:
    return {"format": 1, "name": "random", "settings": {"ansi": ansi},
            "operators": {**operators, "rows": {"type": "collect_sink"}}, "links": links}
