"""Measure the builder's page in Chromium: from nothing, from the browser's cache, and in use.

Prints seconds; each line is the median of several visits. Run it on a quiet machine:

    PYTHONPATH=. python tests/bench/builder.py [GAME]
"""

from __future__ import annotations

import functools
import http.server
import statistics
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, sync_playwright

from sheetgen.plugins.builder.site import build_site
from tests.browser.conftest import FOUND
from tests.builder.test_page import RUNTIME, Server, wait_until_kept

VISITS = 5
READY = 120_000


def main() -> None:
    """Build the page, visit it, and print what was measured."""
    game = sys.argv[1] if len(sys.argv) > 1 else "hyperspace-d6"
    files = build_site([game], RUNTIME)
    print(f"bytes of all files: {sum(map(len, files.values())):,}")
    seen: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for name, content in files.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        handler = functools.partial(Server, directory=folder)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_address[1]}/"
            browser = playwright.chromium.launch(executable_path=FOUND, args=["--no-sandbox"])
            for _ in range(VISITS):
                context = browser.new_context(accept_downloads=True)
                _first(context, address, seen)
                _again(context, address, seen)
                context.close()
            browser.close()
            server.shutdown()
    for what, seconds in seen.items():
        print(f"{statistics.median(seconds):6.2f} s  {what}")


def _first(context: BrowserContext, address: str, seen: dict[str, list[float]]) -> None:
    """Visit with an empty cache, and begin a character."""
    page = context.new_page()
    start = time.perf_counter()
    page.goto(address)
    page.wait_for_selector(".games button", timeout=READY)
    seen["first visit: the games are shown"].append(time.perf_counter() - start)
    page.click(".games button >> nth=0")
    page.wait_for_selector("#f-name", timeout=READY)
    seen["first visit: an empty form"].append(time.perf_counter() - start)
    page.wait_for_selector("iframe[src]", timeout=READY)
    _rename(page, "Ada")  # Python is warm from here on
    for number in range(3):
        seen["a change: form and findings"].append(_rename(page, f"Ada {number}"))
    for _ in range(2):
        start = time.perf_counter()
        with page.expect_download(timeout=READY):
            page.click('#tools button:text-is("PDF")')
    seen["a PDF"].append(time.perf_counter() - start)
    wait_until_kept(page)
    page.close()


def _again(context: BrowserContext, address: str, seen: dict[str, list[float]]) -> None:
    """Visit once more: what was shown last is there, and then a change is answered."""
    page = context.new_page()
    start = time.perf_counter()
    page.goto(address)
    page.wait_for_selector("#f-name", timeout=READY)
    seen["second visit: the character is shown"].append(time.perf_counter() - start)
    _rename(page, "Zoë")
    seen["second visit: the first change is answered"].append(time.perf_counter() - start)
    page.close()


def _rename(page: Page, name: str) -> float:
    page.fill("#f-name", name)
    start = time.perf_counter()
    page.keyboard.press("Tab")
    page.wait_for_selector(f'#people button:text-is("{name}")', timeout=READY)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
