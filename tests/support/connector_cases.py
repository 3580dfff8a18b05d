"""The connectors' contract: which case is tried with which connector, as the tests' marks say. ``docs/connectors.md`` is made of
them by ``python tests/support/marks.py``.

A test of Python says ``@pytest.mark.connector("kafka", "killed", "absent")``, one of the JVM ``@ConnectorCase("jdbc: cut")``. A
case that is tried nowhere is in ``GAPS``, with the reason.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "connectors.md"

CONNECTORS = {"kafka": "kafka.md", "mqtt": "mqtt.md", "nats": "nats.md", "redis": "redis.md", "jdbc": "databases.md",
              "opcua": "opcua.md", "zeromq": "zeromq.md", "delta": "delta.md", "iceberg": "iceberg.md"}
"""And their pages."""

CASES = {
    "jobs": "the job, or a process of it, is killed and goes on",
    "killed": "the server is killed and comes back",
    "stopped": "the server stands still for ten seconds",
    "slow": "what is behind the source is slow: it waits, and memory stays as it is",
    "stands": "the sink's server stands still: the source waits",
    "cut": "connections are cut at any byte",
    "absent": "no server is there at the start",
    "refused": "a wrong secret, host or certificate",
    "missing": "no such topic, table, stream or node, or no right to it",
    "two": "two jobs of one graph at once",
    "copies": "a job goes on from an older copy of its state, or beside another that does",
    "phases": "a job is stopped by drain, now and flush, and goes on",
    "empty": "epochs without a row",
    "ahead": "the server has an epoch of which the job does not know",
    "rescaled": "more instances, and fewer",
    "soak": "minutes of kills at random instants (`make soak ARGS=\"--only connectors\"`)",
    "bad": "records that are none: another schema, no bytes, no UTF-8, NULL",
    "large": "a record of 16 MB, or one that is larger than its bound",
    "gone": "what is to be read next is there no more",
    "changed": "columns, nodes or partitions that change meanwhile",
    "others": "others write to the same place",
    "promise": "`check --guarantee` says what is promised",
    "tried": "`check --connect` says what is wrong, and changes nothing",
    "schema": "`despina schema` writes a source for what is there",
    "stubbed": "`despina test` needs no server",
    "spark": "on Spark: refused in words, or rows of Python's in its place",
    "leftovers": "`state servers` knows what a job has left",
}
"""What each means."""

_STORE = "files of this machine have no server, and one that stores them is away for the connector, as in the cases above"
_NO_MARK = "it keeps no mark: rows come at least once"
_ONE_INSTANCE = "one instance reads; each instance of a sink has a log and a mark of its own, as all have (`OutboxTest`)"
_NO_COLUMNS = "its server knows nothing of columns"
_NO_PLACE = "its server numbers nothing, and tells of nothing that is gone"
_ON_DISK = "a table of files is read file by file, and asks for nothing ahead"
_OTHERS = "what others write there is another record"
_PEERS = "its peers are programs, and none is a server: one that stands still takes nothing, and nobody can be asked"
_NONE = "it promises nothing of what is on its way then"
_FILES = "its files are written as the other lake's"
_NOT_YET = "not tried yet"
GAPS = {
    **dict.fromkeys([("delta", case) for case in ("stopped", "stands", "cut")], _STORE),
    **dict.fromkeys([(name, case) for name in ("mqtt", "opcua", "zeromq") for case in ("copies", "empty", "ahead")], _NO_MARK),
    **dict.fromkeys([(name, "rescaled") for name in ("nats", "redis", "opcua", "delta", "iceberg")], _ONE_INSTANCE),
    **dict.fromkeys([(name, "changed") for name in ("mqtt", "nats", "redis", "zeromq")], _NO_COLUMNS),
    **dict.fromkeys([("mqtt", "gone"), ("jdbc", "gone"), ("zeromq", "gone")], _NO_PLACE),
    **dict.fromkeys([("delta", "slow"), ("iceberg", "slow")], _ON_DISK),
    **dict.fromkeys([(name, "others") for name in ("mqtt", "redis", "opcua", "zeromq")], _OTHERS),
    **dict.fromkeys([("zeromq", case) for case in ("stopped", "two", "schema")], _PEERS),
    **dict.fromkeys([("zeromq", "cut"), ("zeromq", "soak"), ("zeromq", "rescaled")], _NONE),
    ("iceberg", "large"): _FILES,
    **dict.fromkeys([("opcua", "stands"), ("opcua", "leftovers"), ("zeromq", "leftovers")], "it leaves nothing there"),
}
"""What is not tried, and why; of the soak's cases that of connectors which are none of its subjects need not stand here."""
SOAKED = ("soak", "stopped")

_JVM = re.compile(r'@ConnectorCase\("(\w+): ([\w, ]+)"\)')


def marks() -> Iterator[tuple[str, str, str]]:
    """Each connector, case and file of a mark."""
    for file in sorted(ROOT.glob("tests/**/test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.connector":
                connector, *cases = (ast.literal_eval(argument) for argument in node.args)
                yield from ((connector, case, file.name) for case in cases)
    for file in sorted([*ROOT.glob("jvm/src/test/java/**/*.java"), *ROOT.glob("connectors/*/src/test/java/**/*.java")]):
        for connector, cases in _JVM.findall(file.read_text(encoding="utf-8")):
            yield from ((connector, case.strip(), file.name) for case in cases.split(","))
    for connector, subject in _soaked():
        killed = any(keyword.arg == "ways" for keyword in subject.keywords)     # all that have a server are killed in every way
        yield from ((connector, case, "make soak") for case in (["soak"] if killed else ["soak", "stopped"]))


def _soaked() -> Iterator[tuple[str, ast.Call]]:
    """The subjects of the soak, whose module needs what other clients are made of."""
    tree = ast.parse((ROOT / "tests" / "support" / "connector_kills.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SUBJECTS" and isinstance(node.value, ast.Dict):
            yield from ((ast.literal_eval(key), subject) for key, subject in zip(node.value.keys, node.value.values, strict=True)
                        if key is not None and isinstance(subject, ast.Call))


def tried() -> dict[tuple[str, str], Counter[str]]:
    """Where each case of a connector is tried, and by how many tests there."""
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for connector, case, where in marks():
        found[connector, case][where] += 1
    return dict(found)


def page() -> str:
    """The whole page."""
    found = tried()
    gaps = {(name, case): _NOT_YET for name in CONNECTORS for case in SOAKED if (name, case) not in found} | GAPS
    reasons = sorted(set(gaps.values()))
    notes = {reason: f"({number})" for number, reason in enumerate(reasons, 1)}
    heads = " | ".join(f"[{name}]({where})" for name, where in CONNECTORS.items())
    lines = [f"| | {heads} |", "|---|" + "---|" * len(CONNECTORS)]
    for case, words in CASES.items():
        cells = [str(found[name, case].total()) if (name, case) in found else notes[gaps[name, case]] for name in CONNECTORS]
        lines.append(f"| {words} | {' | '.join(cells)} |")
    said = "".join(f"{number} {reason[0].upper()}{reason[1:]}.\n" for reason, number in notes.items()).replace("\n(", "  \n(")
    files = "".join(f"- [{name}]({where}): {_files(found, name)}\n" for name, where in CONNECTORS.items())
    table = "\n".join(lines)
    return f"""# What is tried with each connector

Made from the marks of tests: how many tests with a real server, or with a fake one where the real one cannot be had so, try a
case, and why the others are not tried. `make test` runs all but what takes long, which `make every` and the soak do.

{table}

{said}
Where they are:

{files}"""


def _files(found: dict[tuple[str, str], Counter[str]], connector: str) -> str:
    return ", ".join(f"`{each}`" for each in sorted({where for (name, _), files in found.items() if name == connector
                                                     for where in files}))
