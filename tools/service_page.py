"""What the page of a service costs in Debian's Chromium: its first picture, a large graph once a second, many tabs, an hour.

    .venv/bin/python tools/service_page.py                          # all, an hour and five minutes
    .venv/bin/python tools/service_page.py --only first graph tabs  # five minutes
    .venv/bin/python tools/service_page.py --only hour --minutes 60

The job is one of sixty operators that runs in a service of its own. Wants a machine without anything beside.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from despina.service.series import PROCESSES, used_by
from support.processes import children, until
from support.service_homes import Home
from support.service_load import RELAY, graph, run, served, told

MANY = {"source": RELAY["source"] | {"rate_per_s": 1000}, **{f"r{number}": {"type": "relay"} for number in range(58)},
        "sink": {"type": "discard_sink"}}
TABS = 12
LOADS = 10
MB = 1e6
HIDDEN = """
Object.defineProperty(document, "hidden", { get: () => window.isHidden === true });
window.hide = (hidden) => { window.isHidden = hidden; document.dispatchEvent(new Event("visibilitychange")); };
"""
"""A tab behind another is told that it is hidden; without a window nobody tells it."""
FRESH = "import('/page/service.js').then(({ state }) => !state.gone && Date.now() - state.heardMs < 1500)"


@contextmanager
def opened() -> Iterator[tuple[Home, Browser, str]]:
    """A service with the job, a browser, and the address of the job's screen."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    assert program, "Debian's chromium is not installed"
    with served() as home, sync_playwright() as playwright:
        name = run(home, graph("many", MANY))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        try:
            yield home, browser, f"{home.url}/#/job/{name}"
        finally:
            browser.close()


def entered(browser: Browser, home: Home) -> BrowserContext:
    """A window whose tabs have the token."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.add_init_script(f"sessionStorage.setItem('despina.token', '{home.token()}'); {HIDDEN}")
    return context


def shown(page: Page, url: str) -> None:
    """Opens the job's screen, and waits for its graph."""
    page.goto(url)
    page.wait_for_selector("svg .node", timeout=60_000)


def first(home: Home, browser: Browser, url: str, given: argparse.Namespace) -> None:
    """The first picture, and the graph, each time in a new window."""
    paints, graphs = [], []
    for _ in range(LOADS):
        context = entered(browser, home)
        page = context.new_page()
        shown(page, url)
        graphs.append(float(page.evaluate("performance.now()")))
        paints.append(float(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")))
        context.close()
    told("first picture", f"{statistics.median(paints):.0f} ms, the graph of 60 operators {statistics.median(graphs):.0f} ms, "
         f"medians of {LOADS}", "500 ms")


def large(home: Home, browser: Browser, url: str, given: argparse.Namespace) -> None:
    """Processor time of all of the browser's processes while the graph is shown, less that of an empty tab."""
    context = entered(browser, home)
    page = context.new_page()
    shares = []
    for address in ("about:blank", url):
        page.goto(address)
        time.sleep(10)
        before = _browsers_cpu_s(home)
        time.sleep(given.seconds)
        shares.append((_browsers_cpu_s(home) - before) / given.seconds)
    context.close()
    told("60 operators once a second", f"{shares[1] - shares[0]:.1%} of a core, an empty tab {shares[0]:.1%}", "10 %")


def _browsers_cpu_s(home: Home) -> float:
    """Of everything that this process has started, but the service and its jobs."""
    waiting, others, found = children(os.getpid()), set(home.command.processes()), 0.0
    while waiting:
        pid = waiting.pop()
        if pid not in others:
            waiting += children(pid)
            found += (used_by(PROCESSES / str(pid)) or (0.0, 0.0))[0]
    return found


def tabs(home: Home, browser: Browser, url: str, given: argparse.Namespace) -> None:
    """Twelve tabs of one window, of which one is seen at a time: each is of this moment when one comes back to it."""
    context = entered(browser, home)
    pages: list[Page] = []
    for _ in range(TABS):
        for other in pages:
            other.evaluate("hide(true)")
        pages.append(context.new_page())
        shown(pages[-1], url)
    seconds = []
    for page in pages:
        for other in pages:
            other.evaluate("(hidden) => hide(hidden)", other is not page)
        began = time.monotonic()
        until(partial(page.evaluate, FRESH), "tab that is of this moment")
        seconds.append(time.monotonic() - began)
    viewers = home.client.ask("GET", "/service")["viewers"]
    context.close()
    told(f"{TABS} tabs", f"each of this moment after {max(seconds):.1f} s at most, {viewers} streams", "no tab hangs")


def hour(home: Home, browser: Browser, url: str, given: argparse.Namespace) -> None:
    """The heap of a tab that stays open, after each collection of garbage."""
    context = entered(browser, home)
    page = context.new_page()
    shown(page, url)
    session = context.new_cdp_session(page)
    session.send("Performance.enable")
    looks: list[float] = []
    for minute in range(given.minutes + 1):
        page.wait_for_timeout(60_000)
        session.send("HeapProfiler.collectGarbage")
        metrics: list[Any] = session.send("Performance.getMetrics")["metrics"]
        looks.append(next(each["value"] for each in metrics if each["name"] == "JSHeapUsedSize") / MB)
        if minute % 10 == 0:
            print(f"  after {minute + 1} minutes: {looks[-1]:.2f} MB", flush=True)
    context.close()
    told(f"{given.minutes} minutes open", f"heap {looks[0]:.2f} MB after the first, {looks[-1]:.2f} MB after the last, "
         f"{max(looks):.2f} MB at most", "+5 MB")


FIGURES: dict[str, Callable[[Home, Browser, str, argparse.Namespace], None]] = {
    "first": first, "graph": large, "tabs": tabs, "hour": hour}


def main() -> None:
    """Measures, and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=FIGURES, default=[*FIGURES], help="which (all)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of the graph")
    parser.add_argument("--minutes", type=int, default=60, help="of the hour")
    given = parser.parse_args()
    with opened() as (home, browser, url):
        for name in given.only:
            FIGURES[name](home, browser, url, given)


if __name__ == "__main__":
    main()
