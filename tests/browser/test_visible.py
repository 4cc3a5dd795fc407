"""At every width nothing on a live sheet is hidden, torn, cut or covered."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.browser.overflowing import LONG, WITH_CHARACTERS, overflowing
from tests.browser.windows import Window, html_of
from tests.printing import CHARACTERS, printed
from tests.samples import ALL, by_turns, spread

pytestmark = pytest.mark.slow

VISIBLE = (Path(__file__).parent / "visible.js").read_text(encoding="utf-8")

WIDTHS = (360, 375, 390, 430, 600, 739, 740, 768, 820, 1024, 1060, 1061, 1280, 1600)
NARROW = 1060
"""The widest screen of phones and tablets, as in `_shared/screen.css`."""

SOME = WIDTHS if ALL else (360, 430, 739, 768, 1060, 1280)

FRAMES = "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
"""Waits until the page knows its width."""

THEMES = ("standard", "large-print")


@cache
def crowded(game: str, theme: str = "standard", *, flat: bool = False) -> bytes:
    """Return the sheet of a character that has more of everything than there is room for."""
    character = overflowing(game)
    made = printed(character, ("a4", theme), formats=("html",), flatten=flat)
    return made.printed.files["html"]


def faults(window: Window, html: bytes, widths: tuple[int, ...]) -> dict[int, list[str]]:
    """Return what is wrong with a page, by width."""
    found: dict[int, list[str]] = {}
    window.page.set_viewport_size({"width": widths[0], "height": 900})
    window.open(html)
    for width in widths:
        window.page.set_viewport_size({"width": width, "height": 900})
        tall = window.page.evaluate("document.body.scrollHeight + 300")
        window.page.set_viewport_size({"width": width, "height": tall})
        window.page.evaluate(FRAMES)
        wrong = window.page.evaluate(VISIBLE, width <= NARROW)
        if wrong:
            found[width] = wrong[:12]
    return found


@pytest.mark.parametrize("stem", [path.stem for path in spread(CHARACTERS, 7)])
def test_all_values_of_a_sheet_are_visible(window: Window, stem: str) -> None:
    assert faults(window, html_of(stem), SOME if ALL else SOME[::2]) == {}


@pytest.mark.parametrize(("game", "theme"), by_turns(WITH_CHARACTERS, THEMES))
def test_all_values_of_a_crowded_sheet_are_visible(window: Window, game: str, theme: str) -> None:
    widths = SOME if ALL else SOME[1::2]
    if theme == "large-print":  # on paper, its heads cut the longest names
        widths = tuple(width for width in widths if width <= NARROW)
    assert faults(window, crowded(game, theme), widths) == {}


def test_two_lines_of_a_ledger_in_large_print_stay_in_their_row(window: Window) -> None:
    found = faults(window, crowded("d6-pips", "large-print"), (1061, 1280))
    # On paper, too, the heads of such large letters cut the longest names.
    assert [one for wrong in found.values() for one in wrong if "header" not in one] == []


MEET = """() => {
  const fields = [...document.querySelectorAll("main input:not([type=checkbox]), main textarea")]
    .map((one) => [one.name, one.getBoundingClientRect()]).filter(([, box]) => box.width > 2);
  return fields.flatMap(([name, a], at) => fields.slice(at + 1)
    .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1.5)
    .map(([other]) => `${name} ${other}`));
}"""
"""Pairs of fields that overlap."""


@pytest.mark.parametrize("stem", ["ilo-tamarack", "ines_harrow"])
def test_no_two_fields_of_large_letters_overlap(window: Window, stem: str) -> None:
    window.open(html_of(stem, "large-print"))
    for width in (1060, 1061, 1600):
        window.page.set_viewport_size({"width": width, "height": 900})
        window.page.evaluate(FRAMES)
        assert window.page.evaluate(MEET) == [], width


@pytest.mark.parametrize("game", spread(WITH_CHARACTERS, 2))
def test_all_values_of_a_flat_sheet_are_visible(window: Window, game: str) -> None:
    assert faults(window, crowded(game, flat=True), (360, 820)) == {}


@pytest.mark.parametrize(
    ("style", "fault"),
    [
        (".moved tr { display: none !important }", "hidden"),
        (".grows { white-space: pre !important }", "clipped"),
        (".skill .own { top: 0 !important; height: 60pt !important }", "covered"),
        ("main { width: 2000px; overflow: visible !important }", "page scrolls"),
        (".skill .own > * { top: 60pt !important }", "torn"),
        (".ledger tr:has(textarea) { display: none !important }", "no free row"),
    ],
)
def test_faults_are_found(phone: Window, style: str, fault: str) -> None:
    html = crowded(WITH_CHARACTERS[1])
    phone.open(html)
    phone.page.evaluate(
        "(text) => { const sheet = new CSSStyleSheet(); sheet.replaceSync(text);"
        " document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]; }",
        style,
    )
    tall = phone.page.evaluate("document.body.scrollHeight + 300")
    phone.page.set_viewport_size({"width": 390, "height": tall})
    assert any(one.startswith(fault) for one in phone.page.evaluate(VISIBLE, arg=True))


def test_a_line_takes_no_line_break(phone: Window) -> None:
    """A text area of one line is typed in, pasted into and read back like an input."""
    phone.open(html_of("brakka_sool"))
    field = phone.field("concept")
    low = field.bounding_box()
    field.fill("")
    field.press("Enter")
    field.press_sequentially(LONG)
    phone.page.evaluate("document.execCommand('insertText', false, ' and\\n more')")
    assert phone.text("concept") == f"{LONG} and more"
    high = field.bounding_box()
    assert low is not None
    assert high is not None
    assert high["height"] > low["height"] * 1.5
    assert phone.saved_fields()["concept"] == f"{LONG} and more"


def test_print_of_a_dark_window_is_light(window: Window) -> None:
    window.open(crowded(WITH_CHARACTERS[1]))
    window.page.emulate_media(media="print", color_scheme="dark")
    dark = window.page.screenshot()
    window.page.emulate_media(media="print", color_scheme="light")
    assert window.page.screenshot() == dark


def test_a_text_that_is_cut_bears_a_sign_and_is_whole_while_it_is_written(window: Window) -> None:
    window.page.set_viewport_size({"width": 1280, "height": 900})
    window.open(html_of("calla"))
    field = window.page.locator('[name="appearance"]')
    cut = "(one) => one.scrollHeight > one.clientHeight + 1"
    sign = "(one) => getComputedStyle(one).backgroundImage != 'none'"
    assert field.evaluate(cut)
    assert field.evaluate(sign)
    assert not window.page.locator('[name="feats.1.text"]').evaluate(sign)
    field.focus()
    assert not field.evaluate(cut)
    assert not field.evaluate(sign)
    assert field.evaluate("(one) => one.getBoundingClientRect().height < 60")
