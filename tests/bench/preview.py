"""How long a preview takes from a save to the page, in Chromium: wall time, medians of 20.

    PYTHONPATH=. python tests/bench/preview.py

Goals on a quiet machine: 300 ms for any print, 100 ms for a sheet. Asserts nothing.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import expect, sync_playwright

from tests.browser.conftest import FOUND
from tests.preview.pages import SOON, PreviewPage
from tests.preview.serving import serving

ROOT = Path(__file__).resolve().parent.parent.parent
SHEETS = ("d6-pips/kor_ashveld.yaml", "hyperspace-d6/oshen_tal.yaml", "keyword-dots/ansa-reth.yaml")
TIMES = 20
SEEN = """(marked) => new Promise((seen) => {
  const look = () => document.querySelector("#state").textContent.startsWith("Printed")
    && !document.body.classList.contains("busy")
    && [...document.querySelectorAll("iframe:not(.incoming), main img")][0]?.dataset.id
    || document.querySelector("main img")?.src;
  const before = look();
  const ask = () => look() && look() !== before ? seen() : requestAnimationFrame(ask);
  ask();
})"""


def main() -> None:
    """Measure, and print a table."""
    print(f"{'save to page, ms':<44} {'median':>8} {'best':>8} {'worst':>8} {'print':>8}")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=FOUND, args=["--no-sandbox"])
        for name in SHEETS:
            path = Path(shutil.copy(ROOT / "content" / "characters" / name, folder))
            with serving(path) as preview:
                page = PreviewPage(browser, preview)
                for label in ("HTML", "PDF"):
                    if label == "PDF":
                        page.choose(label)
                        expect(page.pictures.first).to_be_visible(timeout=SOON)
                    report(f"{name}, {label}", [measure(page, path) for _ in range(TIMES)], page)
                page.context.close()


def measure(page: PreviewPage, path: Path) -> float:
    """Return the seconds from a save until the page shows it."""
    text = path.read_text(encoding="utf-8")
    page.page.evaluate(f"() => {{ window.seen = ({SEEN})() }}")
    changed = "\n".join(
        f"name: Nobody {time.time_ns() % 100_000}" if line.startswith("name:") else line
        for line in text.splitlines()
    )
    start = time.perf_counter()
    path.write_text(changed, encoding="utf-8")
    page.page.evaluate("() => window.seen")
    return time.perf_counter() - start


def report(what: str, seconds: list[float], page: PreviewPage) -> None:
    figures = [f"{one * 1e3:8.0f}" for one in (median(seconds), min(seconds), max(seconds))]
    printed = (page.state.text_content() or "").removeprefix("Printed in ")
    print(f"{what:<44} {' '.join(figures)} {printed:>8}", flush=True)


if __name__ == "__main__":
    main()
