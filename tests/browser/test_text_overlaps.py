"""No text of a live sheet lies over another one, on phones and tablets, light and dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.prints.sheet import SheetRequest, print_blank
from tests.browser.windows import Window, html_of
from tests.printing import CHARACTERS
from tests.shelf import ruleset

pytestmark = pytest.mark.slow

OVERLAPS = (Path(__file__).parent / "overlaps.js").read_text(encoding="utf-8")

FULLEST = {
    game: max((p for p in CHARACTERS if p.parent.name == game), key=lambda p: p.stat().st_size)
    for game in ruleset_ids()
    if any(p.parent.name == game for p in CHARACTERS)
}
"""The longest file of each ruleset's characters."""

LABELS = """() => [...document.querySelectorAll(":is(.ledger, .bought) tbody tr")]
  .filter((row) => row.checkVisibility())
  .map((row) => [...row.querySelectorAll("td:nth-last-child(-n + 2) > div")]
    .map((cell) => getComputedStyle(cell, "::before").content).join(" "))"""
"""The labels of the last two cells of each row of a ledger."""

RAISED = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".slot .label { --b: 26pt !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""
"""Moves the labels of the title block to where their values are."""


@pytest.mark.parametrize("theme", ["standard", "large-print"])
@pytest.mark.parametrize("game", FULLEST)
def test_no_text_lies_over_another(phone: Window, game: str, theme: str) -> None:
    phone.open(html_of(FULLEST[game].stem, theme))
    _is_clear(phone)
    phone.page.set_viewport_size({"width": 390, "height": 844})
    assert {*phone.page.evaluate(LABELS)} <= {'"cost" "left"'}


@pytest.mark.parametrize("theme", ["standard", "large-print"])
@pytest.mark.parametrize("game", FULLEST)
def test_no_text_of_a_blank_lies_over_another(phone: Window, game: str, theme: str) -> None:
    paper = "a4" if theme == "large-print" else "letter"  # The other one than of filled sheets.
    request = SheetRequest(formats=("html",), theme=theme, paper=paper)
    phone.open(print_blank(ruleset(game), request).files["html"])
    _is_clear(phone)


def test_texts_over_each_other_are_found(phone: Window) -> None:
    phone.open(html_of(FULLEST["hyperspace-d6"].stem))
    phone.page.evaluate(RAISED)
    assert any("Species" in one for one in phone.page.evaluate(OVERLAPS))


def _is_clear(phone: Window) -> None:
    for scheme in ("light", "dark"):
        phone.page.emulate_media(color_scheme=scheme)
        for width in (390, 820):
            phone.page.set_viewport_size({"width": width, "height": 844})
            assert phone.page.evaluate(OVERLAPS) == [], (scheme, width)
