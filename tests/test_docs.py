"""The pages that people read: their links lead somewhere, the list of pages has them all, and the first page stays short."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from support import connector_cases

ROOT = Path(__file__).resolve().parent.parent
README_LINES = 200
TRACKED = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, text=True,
                         capture_output=True, check=True).stdout.split()
PAGES = sorted(name for name in TRACKED if (ROOT / name).is_file())
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """Those of a page's headings, as GitHub makes them: a heading that comes again gets a number."""
    found: Counter[str] = Counter()
    made = set()
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"),
                                                  flags=re.DOTALL | re.MULTILINE), re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-")
        made.add(anchor if not found[anchor] else f"{anchor}-{found[anchor]}")
        found[anchor] += 1
    return made


def dead(page: str) -> list[str]:
    """The links of a page within the project that lead nowhere."""
    path = ROOT / page
    links = [link for link in LINK.findall(CODE.sub("", path.read_text(encoding="utf-8"))) if "://" not in link]
    wrong = []
    for link in links:
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    assert dead(page) == []


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page, with `code`\n\n[a](#a-page-with-code) [b](#b) [c](page.md#a-page-with-code) [d](d.md)\n")
    assert dead(str(page)) == ["#b", "d.md"]


def test_the_list_of_pages_has_every_page() -> None:
    listed = set(LINK.findall((ROOT / "docs" / "README.md").read_text(encoding="utf-8")))
    pages = {str(Path(name).relative_to("docs")) for name in PAGES if name.startswith("docs/")} - {"README.md"}
    assert {page for page in pages - listed if not page.startswith("reference/")} == set()     # those have a list of their own


def test_the_first_page_stays_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= README_LINES


SIZE = re.compile(r"([\d.]+) MB")
JARS = sorted((ROOT / "python" / "src" / "despina" / "jars").glob("despina-*.jar"))


@pytest.mark.parametrize("jar", JARS, ids=lambda jar: jar.stem)
def test_the_size_of_a_connectors_jar_is_as_its_page_and_its_extra_say(jar: Path) -> None:
    name = jar.stem.removeprefix("despina-")
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    extra = re.search(rf"^{name} = .*$", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    for text in (page, extra[0] if extra else ""):
        told = SIZE.search(text)
        assert told
        assert float(told[1]) == pytest.approx(jar.stat().st_size / 1e6, rel=0.05)


def test_every_connector_has_a_page_that_is_made_in_part() -> None:
    """What is made of it, and that its graphs pass ``check``, GenerateTest says."""
    for page in connector_cases.CONNECTORS.values():
        assert "\n## Traps\n" in (ROOT / "docs" / page).read_text(encoding="utf-8").partition("Made by make generate")[2]


def test_messages_and_docstrings_name_pages_that_are_there() -> None:
    sources = [*ROOT.glob("jvm/src/*/java/**/*.java"), *ROOT.glob("python/src/**/*.py"), *ROOT.glob("tests/**/*.py"),
               *ROOT.glob("benchmarks/**/*.py"), *ROOT.glob("tools/*.py")]
    named = {(file.name, page) for file in sources
             for page in re.findall(r"\bdocs/[\w/-]+\.md\b", file.read_text(encoding="utf-8"))}
    assert named
    assert {(file, page) for file, page in named if not (ROOT / page).is_file()} == set()
