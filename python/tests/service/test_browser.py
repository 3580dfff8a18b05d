"""The page in a real browser: each screen of a job under load, beside what the interface says."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from despina.errors import Diagnostic, Place
from despina.parts import files as files_of
from despina.service.bounded import Ended
from despina.service.trials import Trials
from support.processes import until
from support.service import Service, graph, parts

pytest.importorskip("playwright.sync_api", reason="the page's tests want playwright")
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="the page's tests want Debian's chromium")
SCRIPT = "<img src=x onerror=hacked()>"
"""A name; operators have none such, but what the page is told is text, whatever it is."""
COUNTERS = {"packets_in": 0, "packets_out": 0, "errors": 0, "late": 0, "dropped": 0, "state_bytes": 0}
LINK = {"bytes": 0, "bytes_on_wire": 0, "senders": 1, "queued_bytes": 0, "capacity_bytes": 65536, "fill": 0.0, "paused": False,
        "paused_ms": 0}
MARK = "import('/page/service.js').then((service) => service.state.job?.log)"
"""Where the log of the job ends, as the page was told."""
SCREENS = ("#/", "#/graphs", "#/graphs/hot", "#/edit/hot",
           "#/events", "#/resources", "#/job/hot", "#/job/hot/errors", "#/job/hot/log", "#/job/hot/resources")
COLOURED = ("#/", "#/graphs/hot", "#/job/hot", "#/job/hot/errors")
"""Those that have all of the colours among them."""


def load() -> dict[str, Any]:
    """Counters of a job whose last link waits half of the time and more."""
    packets = int((time.monotonic() - BEGUN) * 5000)
    now_us = time.time_ns() // 1000
    return {"operators": {"source": {**COUNTERS, "packets_out": packets, "busy_ms": [packets // 20, 0],
                                     "resources": ["hot_1__near", "hot_1__far", "hot_1__near"],
                                     "paused_ms": [0, packets // 10], "behind_records": 4321},
                          SCRIPT: {**COUNTERS, "packets_in": packets,
                          "packets_out": packets // 2, "errors": 3, "watermark_us": now_us - 90_000_000},
                          "sink": {**COUNTERS, "packets_in": packets // 2, "latency_p50_ms": 1.0, "latency_p99_ms": 12.5}},
            "links": {f"source->{SCRIPT}": {**LINK, "packets": packets, "bytes": packets * 40},
                      f"{SCRIPT}->sink": {**LINK, "packets": packets // 2, "paused": True, "paused_ms": packets // 7,
                                          "queued_bytes": 65536, "fill": 1.0}},
            "resources": {"hot_1": {"pid": os.getpid(), "cpu_s": packets / 10_000, "memory_bytes": 123_000_000}},
            "skipped": {SCRIPT: f"no number: {SCRIPT}"}}


BEGUN = time.monotonic()
PLAN = {"name": "hot", "operators": [
    {"id": "source", "type": "generator_source", "doc": "", "parallelism": 1, "inputs": [], "outputs": [
        {"name": "out", "schema": "n BIGINT, m MAP<STRING, INT>", "linked": True}], "fields": {"rate_per_s": 5000}},
    {"id": SCRIPT, "type": "filter", "doc": "What is hot.", "parallelism": 2, "inputs": [], "outputs": [],
     "fields": {"where": SCRIPT}},
    {"id": "sink", "type": "discard_sink", "doc": "", "parallelism": 1, "inputs": [], "outputs": [], "fields": {}}]}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        yield opened
        opened.close()


class Site:
    """A service at an address, which may go and come back."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._stack = ExitStack()
        self.url = self._stack.enter_context(service.listening())

    def go(self) -> None:
        self._stack.close()

    def come(self) -> None:
        self._stack.enter_context(self.service.listening(int(self.url.rpartition(":")[2])))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    service = Service(tmp_path_factory.mktemp("site") / "home")
    service.engine.plan = PLAN
    service.submit("hot", labels={"line": "1", "kind": SCRIPT})
    service.engine.named().counting = load
    service.engine.named().lines = [f"line {number} {SCRIPT}" for number in range(50)]
    service.submit("other", labels={"line": "2"})
    service.engine.become("failed", rule="job", message=f"no more {SCRIPT}", hint="begin anew")
    service.until("other", "failed")
    service.jobs.recorder.begin()
    service.ask("PUT", "/graphs/hot", {"text": graph(), "comment": "first"})
    service.ask("PUT", "/graphs/hot", {"text": graph(a={"type": SCRIPT}), "comment": f"save 1 {SCRIPT}"}, if_match='"1"')
    service.ask("PUT", "/deployments/two", {"text": '{"format": 1, "resources": {"a": {}, "b": {}}}'})
    site = Site(service)
    yield site
    site.go()
    service.close()


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(15_000)
    expect.set_options(timeout=15_000)
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    opened.on("request", lambda request: None if request.url.startswith((site.url, "blob:")) else faults.append(request.url))
    opened.goto(site.url)
    yield opened
    context.close()
    expected = ("ERR_CONNECTION", "ERR_INCOMPLETE", "status of 4")      # of a service that went, and of who may not
    assert [each for each in faults if not any(words in each for words in expected)] == []


def enter(page: Page, site: Site, role: str = "view") -> None:
    page.fill("#token", site.service.secrets[role])
    page.keyboard.press("Enter")
    expect(page.locator("main h1")).to_be_visible()


def number(text: str | None) -> float:
    """What a rate on the screen is."""
    found = re.fullmatch(r"([0-9.,]+)([kM]?)(/s)?", text or "")
    assert found, text
    return float(found[1].replace(",", "")) * {"": 1, "k": 1e3, "M": 1e6}[found[2]]


def test_a_token_is_asked_once_and_stands_in_no_address(page: Page, site: Site) -> None:
    page.fill("#token", "despina_wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not known")
    enter(page, site)
    page.reload()
    expect(page.locator("tr[data-job=hot]")).to_be_visible()
    assert page.url.rstrip("/#") == site.url
    assert page.evaluate("Object.keys(localStorage).concat(document.cookie)") == [
        key for key in page.evaluate("Object.keys(localStorage).concat(document.cookie)") if "token" not in key]
    page.get_by_role("button", name="Leave").click()
    expect(page.locator("#token")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0


def test_jobs_are_shown_with_what_the_interface_says_and_found_by_label(page: Page, site: Site) -> None:
    enter(page, site)
    row = page.locator("tr[data-job=hot]")
    expect(row.locator("[data-value=in]")).to_have_text(re.compile(r"k/s"))
    assert number(row.locator("[data-value=in]").text_content()) == pytest.approx(5000, rel=0.3)
    assert number(row.locator("[data-value=out]").text_content()) == pytest.approx(2500, rel=0.3)
    assert row.locator("[data-value=errors]").text_content() == "3"
    expect(page.locator("tr[data-job=other] .state")).to_have_text("failed")
    page.get_by_label("Filter").fill("line=2")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_label("Filter").fill("")
    page.get_by_role("button", name="In", exact=True).click()
    expect(page.locator("tbody tr").first).to_have_attribute("data-job", "hot")


def test_a_job_is_a_live_graph_whose_parts_are_reached_by_keys(page: Page, site: Site) -> None:
    enter(page, site)
    page.goto(f"{site.url}/#/job/hot")
    expect(page.locator("svg .node")).to_have_count(3)
    expect(page.locator("svg .edge[data-level='3']")).to_have_count(1)
    assert "sink" in str(page.locator("svg .edge[data-level='3']").get_attribute("data-link"))
    def packets() -> int:
        return int(site.service.ask("GET", "/jobs/hot").json()["status"]["operators"]["source"]["packets_out"])
    before = packets()
    cell = page.locator("tr[data-operator=source] [data-value=packets_out]")
    until(lambda: number(cell.text_content()) >= before, "count on the screen that is as new")
    assert number(cell.text_content()) <= packets()
    expect(page.locator("tr[data-operator=source] [data-value=busy]")).to_have_text(re.compile(r"(1[5-9]|2\d|3[0-5]) %"))
    expect(page.locator("tr[data-operator=source] [data-value=behind]")).to_have_text("4,321")
    expect(page.locator("tr[data-operator=sink] [data-value=latency]")).to_have_text("13 ms")
    page.locator("svg .node[data-operator=source]").focus()
    page.keyboard.press("Enter")
    detail = page.locator(".detail")
    expect(detail.get_by_role("heading", level=2)).to_contain_text("source")
    expect(detail.locator("canvas").first).to_be_visible()
    expect(detail).to_contain_text("3 instances: 0, 2 in near, 1 in far")
    expect(detail.locator(".fields")).to_contain_text("5000")
    expect(detail.locator(".schema li")).to_have_text(["n BIGINT", "m MAP<STRING, INT>"])
    figure = detail.locator(".key b").nth(1)
    expect(figure).to_have_text(re.compile("k/s"))
    assert number(figure.text_content()) == pytest.approx(5000, rel=0.3)
    page.locator("svg .edge[data-level='3']").click()
    expect(detail).to_contain_text("Pressure")
    detail.get_by_role("button", name="6 h").click()
    expect(detail.get_by_role("button", name="6 h")).to_have_attribute("aria-pressed", "true")


def test_rows_come_while_they_are_looked_at_and_bad_ones_stand_by_their_operator(page: Page, site: Site) -> None:
    job = site.service.engine.named(0)
    enter(page, site)
    page.goto(f"{site.url}/#/job/hot")
    page.locator("svg .node[data-operator=sink]").click()
    page.get_by_role("button", name="Rows that come").click()
    job.tail = [f'{{"n": "{SCRIPT}"}}']
    expect(page.locator(".rows li")).to_have_text([f'{{"n": "{SCRIPT}"}}'])
    page.locator("svg .node[data-operator=source]").click()
    expect(page.get_by_role("button", name="Rows that come")).to_have_count(0)
    job.bad = [{"at_ms": 1, "operator": SCRIPT, "instance": 0, "attempt": 2, "reason": "no number", "record": f"{{{SCRIPT}}}",
                "line": 12, "column": 5, "pointer": ""}]
    page.goto(f"{site.url}/#/job/hot/errors")
    page.get_by_role("button", name=SCRIPT).click()
    expect(page.locator(".lines li")).to_contain_text(f"attempt 2: no number{{{SCRIPT}}}the operator is in line 12 of the graph")


def test_errors_log_events_and_processes_are_told_as_text(page: Page, site: Site) -> None:
    enter(page, site)
    page.goto(f"{site.url}/#/job/hot/errors")
    expect(page.locator("main")).to_contain_text(f"no number: {SCRIPT}")
    page.goto(f"{site.url}/#/job/hot/log")
    expect(page.locator(".lines li").filter(has_text="line 49")).to_have_count(1)
    page.get_by_label("Search").fill("line 7")
    expect(page.locator(".lines li")).to_have_count(1)
    page.get_by_label("Search").fill("")
    site.service.engine.named(0).lines.append("one that came")
    expect(page.locator(".lines li").last).to_contain_text("one that came")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert "one that came" in Path(download.value.path()).read_text(encoding="utf-8")
    page.goto(f"{site.url}/#/job/other/errors")
    expect(page.locator(".lines li")).to_contain_text("begin anew")
    page.goto(f"{site.url}/#/events")
    expect(page.locator("tbody tr").filter(has_text="no more")).to_have_count(1)
    page.goto(f"{site.url}/#/job/hot/resources")
    expect(page.locator("main")).to_contain_text(str(os.getpid()))
    page.goto(f"{site.url}/#/resources")
    expect(page.locator("tbody tr").first).to_contain_text("MB")
    assert page.locator("main img").count() == 0


def test_a_job_is_stopped_and_started_by_whose_token_may(page: Page, site: Site) -> None:
    site.service.submit("third")
    enter(page, site)
    page.goto(f"{site.url}/#/job/third")
    page.get_by_role("button", name="Stop …").click()
    page.get_by_role("button", name="Drain and stop").click()
    expect(page.get_by_role("alert")).to_contain_text("wants operate")
    page.get_by_role("button", name="Leave", exact=True).click()
    enter(page, site, "operate")
    page.get_by_role("button", name="Stop …").click()
    page.get_by_role("button", name="Drain and stop").click()
    expect(page.locator("h1 + .state")).to_have_text("stopped")
    page.get_by_role("button", name="Start …").click()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("h1 + .state")).to_have_text("running")
    assert site.service.engine.named().words
    assert site.service.engine.named(-2).told == ["drain"]


def test_a_graph_that_is_kept_is_found_compared_and_submitted(page: Page, site: Site) -> None:
    enter(page, site, "operate")
    page.get_by_role("link", name="Graphs").click()
    expect(page.locator("tr[data-saved]")).to_have_count(2)
    page.get_by_label("Find").fill("nothing of that")
    expect(page.locator("tr[data-saved]")).to_have_count(0)
    page.get_by_label("Find").fill("onerror")
    expect(page.locator("tr[data-saved]")).to_have_count(1)
    page.get_by_role("link", name="hot", exact=True).click()
    expect(page.locator("tr[data-revision]").first).to_contain_text(f"save 1 {SCRIPT}")
    expect(page.get_by_label("Text")).to_contain_text(SCRIPT)
    page.get_by_role("button", name="what it changed").click()
    expect(page.get_by_label("What it changed")).to_contain_text(f'"type": "{SCRIPT}"')
    expect(page.locator(".code .came").first).to_be_visible()
    expect(page.locator(".label")).to_have_text("a: new")
    page.locator("tr[data-revision='1']").get_by_role("button", name="text").click()
    page.get_by_role("button", name="Submit revision 1 …").click()
    page.get_by_label("Name of the job").fill("kept")
    page.get_by_label("Deployment").select_option("two")
    page.get_by_label("Labels").fill("line")
    page.get_by_role("button", name="Submit revision 1", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("line is not NAME=VALUE")
    page.get_by_label("Labels").fill("line=3")
    page.get_by_role("button", name="Submit revision 1", exact=True).click()
    expect(page.locator("h1")).to_have_text("kept")
    expect(page.get_by_role("link", name="hot@1")).to_have_attribute("href", "#/graphs/hot")
    job = site.service.until("kept", "running")
    assert (job["saved"]["revision"], job["saved"]["deployment"], job["labels"]) == (1, "two", {"line": "3"})
    page.goto(f"{site.url}/#/events")
    expect(page.locator("tbody tr").filter(has_text="revision 2 of the graph hot")).to_have_count(1)
    site.service.jobs.stop("kept", "now")


def test_a_service_that_has_gone_is_told_and_awaited(page: Page, site: Site) -> None:
    enter(page, site)
    site.go()
    expect(page.get_by_role("status")).to_contain_text("has gone")
    expect(page.locator("main")).to_have_class("stale")
    expect(page.locator("tr[data-job=hot]")).to_be_visible()
    site.come()
    expect(page.get_by_role("status")).to_have_count(0)
    expect(page.locator("main")).to_have_class("")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_screen_has_a_serious_fault_for_who_cannot_see_it(page: Page, site: Site, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    rules = {"runOnly": ["color-contrast"]} if scheme == "dark" else {}     # all else is the same
    assert faults(page, "login", rules) == []
    enter(page, site)
    found = []
    for screen in SCREENS if scheme == "light" else COLOURED:
        page.goto(f"{site.url}/{screen}")
        expect(page.locator("main h1")).to_be_visible()
        if screen == "#/job/hot":
            page.locator("svg .node[data-operator=source]").click()
            expect(page.locator(".detail canvas").first).to_be_visible()
        found += faults(page, screen, rules)
    assert found == []


def faults(page: Page, screen: str, rules: dict[str, Any]) -> list[str]:
    told = Axe().run(page, options={"resultTypes": ["violations"], **rules}).response
    assert told["passes"]
    return [f"{screen}: {each['id']} {each['nodes'][0]['html'][:200]}" for each in told["violations"]
            if each["impact"] in ("serious", "critical")]


def test_lines_that_come_while_the_page_asks_for_others_are_shown(page: Page, site: Site) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        if held:
            route.continue_()
        held.append(route)
    enter(page, site)
    page.route("**/log?*", hold)
    with page.expect_request("**/log?*"):
        page.goto(f"{site.url}/#/job/hot/log")
    expect(page.locator("main")).to_contain_text("Nothing was said yet")
    mark = until(lambda: page.evaluate(MARK), "job that the page is told of")
    site.service.engine.named(0).lines.append("one that came meanwhile")
    until(lambda: page.evaluate(MARK) != mark, "line that the page is told of")
    held[0].continue_()
    expect(page.locator(".lines li").last).to_contain_text("one that came meanwhile")


def test_a_broken_link_shows_the_jobs(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/#/%")
    enter(page, site)
    expect(page.locator("tr[data-job=hot]")).to_be_visible()


def test_a_choice_to_stop_is_none_to_start_when_the_job_ends_meanwhile(page: Page, site: Site) -> None:
    site.service.submit("fourth")
    enter(page, site, "operate")
    page.goto(f"{site.url}/#/job/fourth")
    page.get_by_role("button", name="Stop …").click()
    expect(page.get_by_role("button", name="Drain and stop")).to_be_visible()
    site.service.engine.become("done")
    expect(page.get_by_role("button", name="Start …")).to_be_visible()
    expect(page.get_by_role("button", name="From its beginning")).to_have_count(0)


def test_a_graph_is_written_checked_at_each_pause_and_saved(page: Page, site: Site) -> None:
    service = site.service
    service.ask("PUT", "/graphs/written", {"text": graph()})
    enter(page, site, "operate")
    page.goto(f"{site.url}/#/graphs/written")
    page.get_by_role("link", name="edit").click()
    box, said = page.get_by_label("Text of the graph"), page.locator(".said")
    expect(box).to_have_text(graph())
    expect(page.locator("svg .node")).to_have_count(3)
    expect(said).to_have_text("in order")
    service.engine.found = (Diagnostic("field", f"no such field {SCRIPT}", hint="where", place=Place("written", 2, 3)),)
    box.fill(graph(b={}) + "\n    more")
    expect(page.locator(".cm-lint-marker-error")).to_have_count(1)
    expect(said).to_have_text("1 error")
    expect(page.locator(".found li")).to_contain_text(f"no such field {SCRIPT} – where")
    page.get_by_role("button", name="line 2").click()
    expect(page.locator(".cm-activeLine")).to_have_text("more")
    assert len(service.engine.checked) > 0
    service.engine.found = ()
    box.fill(graph(c={}))
    expect(said).to_have_text("in order")
    page.reload()
    expect(box).to_have_text(graph(c={}))
    page.get_by_label("Why").fill("by hand")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("h1 + .quiet")).to_have_text("revision 2")
    saved = service.ask("GET", "/graphs/written").json()
    assert (saved["text"], saved["comment"], saved["who"]) == (graph(c={}), "by hand", "operate1")
    service.ask("PUT", "/graphs/written", {"text": graph(other={})}, if_match='"2"')
    box.fill(graph(d={}))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("look at what has changed")
    page.reload()
    expect(page.locator("h1 + .quiet")).to_have_text("revision 2, changed")
    page.get_by_role("button", name="Take revision 3").click()
    expect(box).to_have_text(graph(other={}))
    service.ask("DELETE", "/graphs/written")


def test_what_is_written_is_compared_with_what_runs_saved_or_not(page: Page, site: Site) -> None:
    service = site.service
    service.ask("PUT", "/graphs/running", {"text": graph()})
    assert service.ask("POST", "/graphs/running/submit", {"job": "of_running"}).status_code == 202
    enter(page, site, "operate")
    page.goto(f"{site.url}/#/edit/running")
    since = page.get_by_role("button", name="What has changed since")
    expect(page.get_by_role("link", name="of_running")).to_be_visible()
    expect(since).to_have_count(0)
    page.get_by_label("Text of the graph").fill(graph(c={}))
    since.click()
    expect(page.get_by_label("What it changed")).to_contain_text("+++ running@draft")
    expect(page.get_by_label("What it changed")).to_contain_text('+    "c": {}')
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("What it changed")).to_contain_text("+++ running@2")
    service.ask("POST", "/jobs/of_running/stop", {"mode": "now"})
    service.until("of_running", "stopped")
    for path in ("/jobs/of_running", "/graphs/running"):
        service.ask("DELETE", path)


def test_words_of_the_schema_are_offered_and_what_was_meant_is_written(page: Page, site: Site) -> None:
    enter(page, site, "operate")
    page.goto(f"{site.url}/#/edit")
    box = page.get_by_label("Text of the graph")
    box.press("ControlOrMeta+a")        # by keys: a selection that a script makes is not heard of at once
    box.press("Delete")
    box.press_sequentially('{"operators": {"a": {"type": "fil')
    page.locator(".cm-tooltip-autocomplete li").filter(has_text="filter").click()
    expect(box).to_have_text('{"operators": {"a": {"type": "filter"}}}')
    site.service.engine.found = (Diagnostic("unknown_field", "unknown field `wher`", hint="did you mean `where`?",
                                            place=Place("graph", 1, 2)),)
    box.fill('{"wher": 1}')
    page.locator(".cm-lintRange-error").hover()
    page.get_by_role("button", name="Write where").click()
    expect(box).to_have_text('{"where": 1}')
    site.service.engine.found = ()


def test_letters_that_come_before_the_page_is_drawn_again_are_kept(page: Page, site: Site) -> None:
    enter(page, site, "operate")
    page.goto(f"{site.url}/#/edit")
    box = page.get_by_label("Text of the graph")
    box.press("ControlOrMeta+a")        # by keys: a selection that a script makes is not heard of at once
    box.press("Delete")
    page.evaluate("void (window.requestAnimationFrame = (draw) => setTimeout(draw, 90))")
    box.press_sequentially("typed faster than it is drawn")
    expect(box).to_have_text("typed faster than it is drawn")


def test_a_pasted_separator_of_records_does_not_take_the_editor_away(page: Page, site: Site) -> None:
    enter(page, site, "operate")
    page.goto(f"{site.url}/#/edit")
    box = page.get_by_label("Text of the graph")
    expect(box).to_contain_text("generator_source")     # which the page puts there, and behind what is typed before
    box.fill('{"a":\x1e 1}')
    box.press("ControlOrMeta+End")
    box.press_sequentially(" ")
    expect(page.locator("h1 + .quiet")).to_have_text("not saved yet, changed")
    expect(box).to_have_text('{"a": 1} ')


def test_an_editor_that_cannot_be_loaded_is_told(page: Page, site: Site) -> None:
    page.route("**/vendor/codemirror.js", lambda route: route.fulfill(status=404))
    enter(page, site, "operate")
    page.goto(f"{site.url}/#/edit")
    expect(page.get_by_role("alert")).to_contain_text("The editor cannot be loaded: ")


def test_a_draft_for_which_the_browser_has_no_room_stays_on_the_screen_and_that_is_told(page: Page, site: Site) -> None:
    enter(page, site, "operate")
    page.goto(f"{site.url}/#/edit")
    box = page.get_by_label("Text of the graph")
    expect(page.locator("h1 + .quiet")).to_have_text("not saved yet")
    page.evaluate("void (Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); })")
    box.fill(graph(large={}))
    expect(page.locator("h1 + .quiet")).to_have_text("not saved yet, changed, too long to be kept here until it is saved")
    expect(box).to_have_text(graph(large={}))


def test_tests_are_written_beside_a_graph_run_and_saved_with_it(page: Page, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"cases": [{"file": "tried.test.json", "name": "one", "ok": True},
                      {"file": "tried.test.json", "name": "two", "ok": False, "differences": [
                          {"name": "sink", "line": 2, "column": 3, "rows": [f"- {SCRIPT}", '+ {"n": 2}']}]}], "diagnostics": []}
    monkeypatch.setattr(parts, "trials", Trials(lambda *_: Ended(1, json.dumps(told).encode(), "")))
    site.service.ask("PUT", "/graphs/tried", {"text": graph()})
    enter(page, site, "operate")
    page.goto(f"{site.url}/#/edit/tried")
    page.get_by_role("button", name="Write tests").click()
    box = page.get_by_label("Text of the tests")
    expect(box).to_contain_text('"graph": "tried.graph.json"')
    box.fill('{"graph": "tried.graph.json",\n "cases": []}')
    page.get_by_role("button", name="Run the tests").click()
    came = page.get_by_label("What came of the tests")
    expect(came).to_contain_text(f"- {SCRIPT}")
    expect(page.get_by_text("1 of 2 cases passed.")).to_be_visible()
    expect(page.locator(".tests .cm-lint-marker-error")).to_have_count(1)
    came.get_by_role("button", name="line 2").click()
    expect(page.locator(".tests .cm-activeLine")).to_have_text('"cases": []}')
    page.get_by_role("button", name="Save").click()
    expect(page.locator("h1 + .quiet")).to_have_text("revision 2")
    text = site.service.ask("GET", "/graphs/tried").json()["text"]
    assert files_of(text) == {"tried.test.json": '{"graph": "tried.graph.json",\n "cases": []}'}
    page.reload()
    expect(box).to_contain_text('"cases": []')
    expect(page.locator("h1 + .quiet")).to_have_text("revision 2")
    site.service.ask("DELETE", "/graphs/tried")


HOST = """async ({ module, state }) => {
    const heard = new Map(), seen = { faults: [] };
    addEventListener("error", (event) => seen.faults.push(event.message));
    const model = { get: (name) => state[name], on: (name, call) => heard.set(call, name),
                    off: (name, call) => heard.delete(call) };
    const widget = (await import(URL.createObjectURL(new Blob([module], { type: "text/javascript" })))).default();
    await widget.initialize({ model });
    const el = document.body.appendChild(document.createElement("div"));
    const leave = await widget.render({ model, el });
    Object.assign(window, { seen, leave: () => { leave(); return heard.size; }, tell: (told) => {
        state.told = told;
        [...heard.keys()].forEach((call) => call());
    } });
}"""
"""What anywidget does in a notebook."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_notebook_shows_a_job_by_the_modules_of_the_page(browser: Browser, scheme: Any) -> None:
    job_view = pytest.importorskip("despina.job_view", reason="the view wants anywidget")
    seconds = iter(range(1_000_000, 2_000_000))
    course = job_view.Course("hot", lambda: {"state": "running", "attempt": 1, **load()}, lambda: float(next(seconds)),
                             time.monotonic)
    until(lambda: course.look()["values"].get("job/in"), "packets between two looks")
    state = {"told": course.told(), "past": course.past(), "form": {"graph": graph(), "deployment": None, "plan": PLAN}}
    with browser.new_context(color_scheme=scheme, viewport={"width": 1000, "height": 1300}) as context:
        page = context.new_page()
        page.route("**", lambda route: route.fulfill(body="<!DOCTYPE html><title>cells</title>", content_type="text/html"))
        page.goto("http://notebook.test/")
        page.evaluate(HOST, {"module": job_view.module(), "state": state})
        expect(page.locator("svg .node")).to_have_count(3)
        expect(page.locator(".key b").first).to_have_text(re.compile("k/s"))
        told = course.look()
        page.evaluate("told => tell(told)", told)
        packets = told["job"]["status"]["operators"]["source"]["packets_out"]
        expect(page.locator("tr[data-operator=source] [data-value=packets_out]")).to_have_text(f"{packets:,}")
        page.locator("svg .node[data-operator=source]").click()
        expect(page.locator(".detail canvas").first).to_be_visible()
        expect(page.locator(".detail .schema li")).to_have_text(["n BIGINT", "m MAP<STRING, INT>"])
        expect(page.get_by_role("button", name="Rows that come")).to_have_count(0)
        expect(page.get_by_role("button", name="6 h")).to_have_count(0)
        ground = page.locator("div").first.evaluate("box => getComputedStyle(box).backgroundColor")
        assert ground == {"light": "rgb(246, 248, 250)", "dark": "rgb(15, 19, 24)"}[scheme]
        assert page.evaluate("getComputedStyle(document.body).margin") == "8px", "the notebook's own page stays as it is"
        assert page.evaluate("[seen.faults.length, leave()]") == [0, 1]
        expect(page.locator("svg")).to_have_count(0)
