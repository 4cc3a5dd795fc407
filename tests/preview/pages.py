"""The page of a preview in a real browser, and what every test asks of it."""

from __future__ import annotations

import os
import re

from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect

from tests.browser.windows import AXE, HURT
from tests.preview.serving import Preview

PRINTED = re.compile("^Printed in ")
BUSY = re.compile(r"\bbusy\b")
SOON = int(os.environ.get("SOON", "240000"))
"""Milliseconds for a print, cold caches and a busy machine included."""


class PreviewPage:
    """The page of a preview, in a browser context of its own.

    Attributes:
        wrong: Errors, breaches of a policy and requests to anything but the preview.
    """

    def __init__(
        self, browser: Browser, preview: Preview, state: re.Pattern[str] = PRINTED
    ) -> None:
        self.browser, self.preview = browser, preview
        self.wrong: list[str] = []
        self.open()
        expect(self.state).to_have_text(state, timeout=SOON)

    def open(self) -> None:
        """Open the page in a new window."""
        self.context = self.browser.new_context(viewport={"width": 1280, "height": 900})
        self.context.add_init_script(HURT)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("console", lambda line: self._note(line.type, line.text))
        self.page.on("request", lambda request: self._check(request.url))
        self.page.goto(self.preview.address)

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.wrong.append(f"{kind}: {text}")

    def _check(self, url: str) -> None:
        if not url.startswith((self.preview.address, "data:", "blob:")):
            self.wrong.append(f"asked for {url}")

    def close(self) -> None:
        self.context.close()
        assert self.wrong == []

    @property
    def state(self) -> Locator:
        return self.page.locator("#state")

    @property
    def stage(self) -> Locator:
        return self.page.locator("#stage")

    @property
    def findings(self) -> Locator:
        return self.page.locator("#findings > li")

    @property
    def print(self) -> FrameLocator:
        """The HTML print that is seen."""
        return self.page.frame_locator("iframe:not(.incoming)")

    @property
    def pictures(self) -> Locator:
        return self.stage.locator("img")

    def field(self, name: str) -> Locator:
        """Return a field of a live sheet."""
        return self.print.locator(f'main [name="{name}"]')

    def choose(self, label: str) -> None:
        """Choose a print, or its format, and wait for it."""
        before = self.page.url
        self.page.locator("fieldset label").get_by_text(label, exact=True).click()
        self.page.wait_for_url(lambda url: url != before)
        expect(self.page.locator("body")).not_to_have_class(BUSY, timeout=SOON)

    def visit(self, entry: str) -> None:
        """Follow the link of an entry."""
        self.page.locator("#files").get_by_role("link", name=entry).click()
        expect(self.page.locator("#files [aria-current]")).to_contain_text(entry, timeout=SOON)

    def print_scroll(self) -> tuple[float, float]:
        """Return the scroll place of the HTML print."""
        x, y = self.print.locator("html").evaluate("() => [scrollX, scrollY]")
        return x, y

    def axe(self) -> list[str]:
        """Return what axe finds wrong with the page; prints have tests of their own."""
        self.page.evaluate(AXE)
        found = self.page.evaluate(
            "() => axe.run({exclude: ['iframe']}, {resultTypes: ['violations'], iframes: false})"
        )
        return [
            f"{one['id']}: {node['html'][:200]}"
            for one in found["violations"]
            for node in one["nodes"]
        ]
