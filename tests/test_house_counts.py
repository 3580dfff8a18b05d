"""``tools/count_house.py``, over a checkout of a few lines."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / "tools" / "count_house.py"
FILES = {
    "jvm/src/main/java/io/despina/catalogue/HoldDefinition.java": """
        package io.despina.catalogue;
        import io.despina.operator.Hold;
        /** Not a class in a comment. */
        final class HoldDefinition {
            static final long NEVER = 1;
            Object type = new OperatorType("hold", "a class of \\"its\\" own");
            record Spec(int ms) { Object make() { return new Hold(ms); } }
        }
    """,
    "jvm/src/main/java/io/despina/operator/Hold.java": """
        package io.despina.operator;
        public interface Hold { enum Kind { A } }
    """,
    "python/src/despina/here.py": """
        'Beside io.despina.operator.Hold.'
        TYPES = ["hold"]
        MAIN = "io.despina.gateway.GatewayMain"
        kind = jvm.io.despina.operator.Hold.of(1)
    """,
    "python/src/despina/there.py": 'graph = {"type": "hold"}\n',
    "tests/cases/hold/case.graph.json": "{}",
}


def test_what_is_counted(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(textwrap.dedent(text))
    found = json.loads(subprocess.run([sys.executable, SCRIPT, tmp_path, "--json", "--duplicates", "echo no duplicates"],
                                      text=True, capture_output=True, check=True).stdout)
    assert {name: found["java"][name] for name in ("files", "types", "nested", "records", "interfaces", "code_lines")} == {
        "files": 2, "types": 4, "nested": 2, "records": 1, "interfaces": 1, "code_lines": 9}
    assert found["known_to_python"] == ["io.despina.operator.Hold"]
    assert found["files_per_operator"]["hold"] == 4
    assert (found["never"], found["duplicates"]) == (1, "no duplicates")
