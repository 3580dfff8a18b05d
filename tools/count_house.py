"""Counts what a house of code is weighed by, in any checkout of this project: ``python tools/count_house.py [FOLDER]``.

It reads files alone, so that one script counts before and after: Java files, types and lines, the largest classes and the widest
packages, what Python knows of Java, what a new operator costs, and constants that are declared again and again.
``--duplicates COMMAND`` adds the first line of what that command answers in the folder; ``--json`` prints one object.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

FACADES = frozenset({"io.despina.gateway.Gateway", "io.despina.gateway.GatewayMain", "io.despina.spark.frame.Frames",
                     "io.despina.control.process.ResourceMain"})
"""Java classes that Python is meant to name: two façades and two mains."""
LARGEST = 8
JAVA = "jvm/src/main/java"
PYTHON = "python/src"
MADE = frozenset({"python/src/despina/operators.py"})
"""What a generator writes."""
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TEXT = re.compile(r'""".*?"""|"(?:\\.|[^"\\\n])*"', re.DOTALL)
TYPE = re.compile(r"(?:^|(?<=[\s;{}]))(?:class|interface|enum|@interface|record(?=\s+\w+\s*[(<]))\s+(\w+)")
NEVER = re.compile(r"static final \w+ NEVER\b")


class House:
    """One checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.java = {file.relative_to(folder / JAVA): file.read_text(encoding="utf-8")
                     for file in sorted((folder / JAVA).rglob("*.java"))}
        self.python = {str(file.relative_to(folder)): file.read_text(encoding="utf-8")
                       for file in sorted((folder / PYTHON).rglob("*.py"))}
        if not self.java:
            sys.exit(f"{folder}: no Java below {JAVA}")

    def types(self) -> dict[str, int]:
        """Types by where they stand, without comments and texts."""
        everything, records, interfaces = 0, 0, 0
        for text in self.java.values():
            bare = TEXT.sub('""', COMMENT.sub("", text))
            everything += len(TYPE.findall(bare))
            records += len(re.findall(r"\brecord\s+\w+\s*[(<]", bare))
            interfaces += len(re.findall(r"\binterface\s+\w+", bare))
        return {"files": len(self.java), "types": everything, "nested": everything - len(self.java), "records": records,
                "interfaces": interfaces, "lines": sum(text.count("\n") for text in self.java.values()),
                "code_lines": sum(_code(text) for text in self.java.values())}

    def largest(self) -> dict[str, int]:
        """The files with most lines."""
        lines = Counter({str(path.with_suffix("")): text.count("\n") for path, text in self.java.items()})
        return dict(lines.most_common(LARGEST))

    def widest(self) -> dict[str, int]:
        """The packages with most files."""
        return dict(Counter(str(path.parent) for path in self.java).most_common(LARGEST))

    def known_to_python(self) -> list[str]:
        """Java classes that Python code names, without those that it is meant to name."""
        return sorted({name for text in self.python.values() for name in _java_names(ast.parse(text))} - FACADES)

    def operators(self) -> dict[str, int]:
        """For each operator type, how many files by hand know it: its definition, the operators that this makes, its function
        for Spark, its folder of cases, and every list that names it. A graph that uses it does not count. A word that means
        something else too (``filter``, ``latest``) counts too often.
        """
        definitions = {path: text for path, text in self.java.items() if path.name.endswith("Definition.java")}
        return {word[1]: len(self._know(word[1], path, text)) for path, text in definitions.items()
                if (word := re.search(r'new OperatorType\("(\w+)"', text))}

    def _know(self, word: str, path: Path, definition: str) -> set[str]:
        made = set(re.findall(r"\bnew (\w+)\(", definition))
        found = {str(path)} | {str(other) for other in self.java
                               if other.stem in made and "operator" in other.parts and other.stem in _imported(definition)}
        named = re.compile(rf"""(?<!type": )(?<!type=)["'`](?:operator\.)?{word}["'`]|\b{path.stem}\b""")
        found |= {str(other) for other, text in self.java.items() if named.search(COMMENT.sub("", text))}
        by_hand = {**{name: text for name, text in self.python.items() if name not in MADE}, **dict(self._support())}
        found |= {name for name, text in by_hand.items() if named.search(text) or Path(name).stem == word}
        return found | ({f"tests/cases/{word}"} if (self.folder / "tests" / "cases" / word).is_dir() else set())

    def _support(self) -> Iterator[tuple[str, str]]:
        for file in [*(self.folder / "tests" / "support").glob("*.py"), *(self.folder / "tools").glob("*.py")]:
            yield str(file.relative_to(self.folder)), file.read_text(encoding="utf-8")

    def count(self) -> dict[str, object]:
        """All counts by name."""
        operators = self.operators()
        return {
            "java": self.types(),
            "largest": self.largest(),
            "widest_packages": self.widest(),
            "never": sum(len(NEVER.findall(text)) for text in self.java.values()),
            "known_to_python": self.known_to_python(),
            "files_per_operator": {"median": statistics.median(operators.values()), "most": max(operators.values()), **operators},
            "python_lines": sum(text.count("\n") for name, text in self.python.items() if name not in MADE),
        }


def _code(text: str) -> int:
    return sum(bool(line.strip()) for line in COMMENT.sub("", text).splitlines())


def _imported(text: str) -> set[str]:
    return set(re.findall(r"^import [\w.]+\.(\w+);", text, re.MULTILINE))


def _java_names(tree: ast.Module) -> Iterator[str]:
    """Chains such as ``jvm.io.despina.spark.Frames.of``, and texts that are the name of a class."""
    for node in ast.walk(tree):
        chain = ast.unparse(node) if isinstance(node, ast.Attribute) else \
            node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if name := re.fullmatch(r"(?:\w+\.)*?(io\.despina(?:\.[a-z]\w*)*\.[A-Z]\w*)(?:\.\w+)*", chain):
            yield name[1]


def _print(counts: dict[str, object], indent: str = "") -> None:
    for name, value in counts.items():
        if isinstance(value, dict):
            print(f"{indent}{name}")
            _print(value, indent + "  ")
        elif isinstance(value, list):
            print(f"{indent}{name}: {len(value)}" + "".join(f"\n{indent}  {item}" for item in value))
        else:
            print(f"{indent}{name}: {value}")


def main() -> int:
    """Prints the counts."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    options.add_argument("--duplicates", metavar="COMMAND", help="counts what stands twice; run in the folder")
    options.add_argument("--json", action="store_true", help="print one JSON object")
    given = options.parse_args()
    counts = House(given.folder.resolve()).count()
    if given.duplicates:
        told = subprocess.run(given.duplicates, shell=True, cwd=given.folder, text=True, capture_output=True, check=True)
        counts["duplicates"] = told.stdout.splitlines()[0]
    if given.json:
        print(json.dumps(counts, indent=2))
    else:
        _print(counts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
