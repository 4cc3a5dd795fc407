"""A window on a sheet, and what every test asks of it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.sync_api import Browser, Locator, Page

from tests.printing import CHARACTERS, character_at, printed

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
HURT = """addEventListener("securitypolicyviolation", (event) => {
  throw new Error("policy: " + event.violatedDirective + " " + event.blockedURI);
});"""


@cache
def html_of(stem: str, theme: str = "standard") -> bytes:
    """Return the sheet of one of our own characters, by the name of its file.

    Large print is on the paper that other tests print it on, too.
    """
    [path] = [path for path in CHARACTERS if path.stem == stem]
    paper = "letter" if theme == "large-print" else "a4"
    return printed(character_at(path), (paper, theme), formats=("html",)).printed.files["html"]


class Window:
    """One browser context: pages in it share what the browser keeps."""

    def __init__(
        self, browser: Browser, folder: Path, width: int = 1280, height: int = 900
    ) -> None:
        self.folder = folder
        self.wrong: list[str] = []
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, accept_downloads=True
        )
        self.context.add_init_script(HURT)
        self.page: Page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("console", lambda said: self._said(said.type, said.text))
        self.page.on("request", lambda request: self._asked(request.url))
        self.address = ""

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.wrong.append(f"{kind}: {text}")

    def _asked(self, url: str) -> None:
        if url != self.address and not url.startswith(("data:", "blob:")):
            self.wrong.append(f"asked for {url}")

    def close(self) -> None:
        self.context.close()
        assert self.wrong == []

    def open(self, html: bytes, name: str = "sheet.html") -> None:
        """Open `html` as a file; files of one name share their address."""
        path = self.folder / name
        path.write_bytes(html)
        self.address = path.as_uri()
        self.page.goto(self.address)

    def dark(self) -> None:
        """Turn the screen dark, as its owner may prefer."""
        self.page.emulate_media(color_scheme="dark")

    # -- what stands on the sheet --------------------------------------------------------------

    def field(self, name: str) -> Locator:
        return self.page.locator(f'main [name="{name}"]')

    def text(self, name: str) -> str:
        return self.field(name).input_value()

    def type(self, name: str, text: str) -> None:
        self.field(name).click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Tab")

    def ticked(self, stem: str) -> int:
        """Return how many boxes are marked in a row."""
        return self.page.locator(f'main [name^="{stem}."]:checked').count()

    def tap(self, name: str) -> None:
        """Click, also where the page says that it is of no use."""
        self.field(name).click(force=True)

    def said(self) -> str:
        return self.page.locator(".x-said").inner_text()

    def state(self) -> str:
        return self.page.locator(".x-state").text_content() or ""

    def left(self) -> str:
        return " ".join((self.page.locator(".x-points").text_content() or "").split())

    def findings(self) -> list[str]:
        return self.page.locator("#findings li").all_text_contents()

    def act(self, name: str) -> None:
        more = self.page.get_by_role("button", name="More")
        button = self.page.locator(".x-bar").get_by_role("button", name=name, exact=True)
        if not button.is_visible():
            more.click()
        button.click()

    def answer(self, name: str) -> None:
        self.page.locator("dialog").get_by_role("button", name=name).click()

    def saved(self, action: str) -> tuple[str, bytes]:
        """Save by the bar, and return the name and the content of the file."""
        with self.page.expect_download() as caught:
            self.act(action)
        path = self.folder / "saved"
        caught.value.save_as(path)
        return caught.value.suggested_filename, path.read_bytes()

    def saved_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = json.loads(self.saved("Save file")[1])["fields"]
        return fields

    def give(self, content: bytes, name: str = "given.json") -> None:
        """Open a file by the bar."""
        with self.page.expect_file_chooser() as caught:
            self.act("Open file")
        path = self.folder / name
        path.write_bytes(content)
        caught.value.set_files(path)
        self.page.wait_for_timeout(100)

    def kept(self) -> None:
        """Wait until the browser has kept the edits."""
        self.page.wait_for_timeout(400)

    def axe(self, *, only: str = "") -> list[str]:
        """Return what axe finds wrong, by one of its rules or by all."""
        self.page.evaluate(AXE)
        rules = {"runOnly": [only]} if only else {}
        found = self.page.evaluate(
            "(rules) => axe.run(document, {resultTypes: ['violations'], ...rules})", rules
        )
        return [
            f"{one['id']}: {node['html'][:200]}"
            for one in found["violations"]
            for node in one["nodes"]
        ]
