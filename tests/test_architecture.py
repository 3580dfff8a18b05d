"""ARCHITECTURE.md: what it links to is there, and its walk stays short."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
MOST_CLASSES = 20


def test_every_link_leads_to_a_file() -> None:
    links = re.findall(r"\]\(([^)#]+)", TEXT)
    assert links
    assert [link for link in links if not link.startswith("http") and not (ROOT / link).exists()] == []


def test_the_walk_of_a_packet_names_few_classes() -> None:
    walk = TEXT[TEXT.index("## The packet"):TEXT.index("## Beside the packet")]
    classes = set(re.findall(r"/(\w+)\.java\)", walk))
    assert 0 < len(classes) <= MOST_CLASSES, sorted(classes)


def test_the_picture_names_classes_that_the_walk_names() -> None:
    picture = TEXT[TEXT.index("```mermaid"):]
    picture = picture[:picture.index("```", 3)]
    drawn = set(re.findall(r"\b[A-Z][a-z]+[A-Z]\w+\b|\bOutlet\b|\bInbox\b", picture))
    walk = TEXT[TEXT.index("## The packet"):TEXT.index("## Beside the packet")]
    assert drawn <= set(re.findall(r"/(\w+)\.java\)", walk))
