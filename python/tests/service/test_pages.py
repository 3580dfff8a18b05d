"""The page's files: what the browser gets, and what it lets them do."""

from __future__ import annotations

import gzip
import hashlib
import re
import tomllib

from despina.service import pages
from support.service import Service

FILES = dict(pages.pages())
OTHERS = pages.FOLDER / "vendor"


def test_the_page_needs_no_token_and_has_no_data(service: Service) -> None:
    answer = service.client.get("/")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert answer.headers["content-security-policy"] == pages.RULES
    for path, page in FILES.items():
        found = service.client.get(path, headers={"accept-encoding": "identity"})
        assert found.content == page.content, path
        assert found.headers["x-content-type-options"] == "nosniff"
        assert service.client.get(path, headers={"accept-encoding": "gzip"}).content == page.content
        assert service.client.get(path, headers={"if-none-match": page.headers["etag"]}).status_code == 304
    for path in ("/page/vendor/NOTICE", "/page/../app.py", "/page/%2e%2e/app.py", "/page/"):
        assert service.client.get(path).status_code == 404, path


def test_a_link_of_another_site_leads_to_the_page_and_nothing_of_it_reaches_data(service: Service) -> None:
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert service.client.get("/", headers=link).status_code == 200
    assert service.client.get("/api/v1/jobs", headers=link).status_code == 401
    for other in ({"sec-fetch-dest": "iframe"}, {"sec-fetch-mode": "cors"}):
        assert service.client.get("/", headers={**link, **other}).status_code == 403
    assert service.client.post("/api/v1/jobs", headers=link).status_code == 403


def test_nothing_stands_in_the_page_that_its_rules_forbid_and_nothing_is_of_elsewhere() -> None:
    html = FILES["/"].content.decode()
    assert not re.search(r"<style|\son\w+=|\sstyle=|<script(?![^>]*\ssrc=)", html)
    named = re.findall(r'(?:src|href)="([^"]+)"', html)
    assert {f"/{name}" for name in named} <= FILES.keys()
    for path, page in FILES.items():
        if "/vendor/" not in path:
            text = page.content.decode()
            assert not re.search(r"innerHTML|\beval\(|new Function|document\.write|dangerouslySet", text), path
            assert not re.search(r"https?://(?!www\.w3\.org/)", text), path
            for imported in re.findall(r'from "\./([^"]+)"', text):
                assert f"/page/{imported}" in FILES


def test_others_files_are_as_their_packages_have_them() -> None:
    notice = (OTHERS / "NOTICE").read_text(encoding="utf-8")
    files = [path for path in OTHERS.iterdir() if path.name != "NOTICE"]
    assert len(files) == 5
    for path in files:
        assert f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" in notice
        assert f"  {path.name}  " in notice
    assert notice.count("--- The licence of ") == 5


def test_the_wheel_has_every_file_of_the_page() -> None:
    package = pages.FOLDER.parents[1]
    settings = tomllib.loads((package.parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    packed = {path for pattern in settings["tool"]["setuptools"]["package-data"]["despina"] for path in package.glob(pattern)}
    assert {path for path in pages.FOLDER.rglob("*") if path.is_file()} <= packed


def test_the_page_is_small() -> None:
    sizes = {path.rpartition("/")[2]: len(gzip.compress(page.content)) for path, page in FILES.items()}
    of_editor = sum(sizes.pop(name) for name in ("source.js", "complete.js", "codemirror.js"))
    sizes.pop("widget.js")      # a notebook's
    assert sum(sizes.values()) < 100_000
    assert of_editor < 150_000
    loads = [path for path, page in FILES.items() if b'from "./source.js"' in page.content or b"codemirror.js" in page.content]
    assert loads == ["/page/source.js"], "the editor alone loads it, and only when it is opened"
