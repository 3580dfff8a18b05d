"""The page: files that are read once, and given as they are. They hold no data, so they want no token."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, Header, Response

FOLDER = Path(__file__).parent / "page"
KINDS = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".svg": "image/svg+xml"}
RULES = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
         "form-action 'none'; frame-ancestors 'none'")
"""What the browser lets the page do: nothing from elsewhere, and no script or style that stands in it."""


@dataclass(frozen=True)
class Page:
    """One file."""

    content: bytes
    packed: bytes
    headers: dict[str, str]


def _page(path: Path) -> Page:
    content = path.read_bytes()
    headers = {"content-type": KINDS[path.suffix],
               "etag": f'"{hashlib.sha256(content).hexdigest()[:20]}"', "vary": "accept-encoding",
               "cache-control": "no-cache", "content-security-policy": RULES}
    return Page(content, gzip.compress(content, mtime=0), headers)


def pages(folder: Path = FOLDER) -> Iterator[tuple[str, Page]]:
    """All files, by their paths below the address of the service."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in KINDS:
            name = path.relative_to(folder).as_posix()
            yield ("/" if name == "index.html" else f"/page/{name}"), _page(path)


def add(app: FastAPI) -> None:
    """Adds a route for each."""
    for path, page in pages():
        _add(app, path, page)


def _add(app: FastAPI, path: str, page: Page) -> None:
    @app.api_route(path, methods=["GET", "HEAD"], include_in_schema=False)
    async def given(accept_encoding: Annotated[str, Header()] = "", if_none_match: Annotated[str, Header()] = "") -> Response:
        if page.headers["etag"] in if_none_match:
            return Response(status_code=304, headers=page.headers)
        if "gzip" in accept_encoding:
            return Response(page.packed, headers={**page.headers, "content-encoding": "gzip"})
        return Response(page.content, headers=page.headers)
