"""Every design on screens: no barrier, no wider than a phone, room for a thumb, true totals."""

from __future__ import annotations

from pathlib import Path

import pytest

from sheetgen.prints.sheet import SheetRequest, print_blank
from tests.browser.windows import Window, html_of
from tests.cli.commands import run, starter
from tests.printing import CHARACTERS, character_at, printed
from tests.shelf import ruleset

pytestmark = pytest.mark.slow

SHEETS = {
    "ansa-reth": "force_powers.sprint.5",
    "brakka_sool": "",
    "calla": "",
    "bram_oldecott": "",
    "marit_sool": "",
}
"""The fullest character of each design, and of two overlays; a box that costs too much."""

ROOM = """() => {
  const tight = [];
  const all = "main [name], main [role=button], .x-chrome button";
  for (const one of document.querySelectorAll(all)) {
    const box = (one.closest("label") || one).getBoundingClientRect();
    const mine = (x, y) => {
      const hit = document.elementFromPoint(x, y);
      return hit && (hit === one || (one.closest("label") || one).contains(hit));
    };
    const reach = (x, y, dx, dy) => {
      let n = 0;
      for (let step = 16; step >= 1; step /= 2) {
        if (mine(x + dx * (n + step), y + dy * (n + step))) n += step;
      }
      return mine(x, y) ? n + 1 : 0;
    };
    const both = (x, y, dx, dy) => reach(x, y, dx, dy) + reach(x, y, -dx, -dy) - 1;
    const wide = (x, y) => [both(x, y, 1, 0), both(x, y, 0, 1)];
    if (!box.width) continue;
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    const least = one.type === "checkbox" ? 31.5 : 24, far = least / 2 - .1;
    if (mine(x - far, y) && mine(x + far, y) && mine(x, y - far) && mine(x, y + far)) continue;
    const spots = [[.5, .5], [.5, .25], [.5, .75], [.2, .5], [.8, .5]];
    const at = ([x, y]) => wide(box.left + x * box.width, box.top + y * box.height);
    const fits = (spot) => at(spot).every((length) => length >= least);
    if (!spots.some(fits)) tight.push(one.name + " " + at(spots[0]));
  }
  return tight;
}"""
"""What has less than 24 pixels each way that belong to it and to nothing else; boxes, 32."""

BEYOND = """() => [...document.querySelectorAll("body *")]
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([one, box]) => box.right > innerWidth + .5 && box.width && !one.closest(".scroll"))
  .map(([one]) => one.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("stem", SHEETS)
def test_no_barrier_on_a_desktop(window: Window, stem: str) -> None:
    window.open(html_of(stem))
    _is_as_printed(window)
    assert window.axe() == []
    window.type("notes", "Something new.")
    if SHEETS[stem]:
        window.tap(SHEETS[stem])
        window.page.locator(".x-count").click()
        assert window.findings()
        assert "`" not in " ".join(window.findings())
        assert window.axe() == []
    window.dark()
    assert window.axe(only="color-contrast") == []


@pytest.mark.parametrize("stem", SHEETS)
def test_no_barrier_on_a_phone(phone: Window, stem: str) -> None:
    phone.open(html_of(stem))
    if SHEETS[stem]:
        phone.tap(SHEETS[stem])
        phone.page.locator(".x-count").click()
    phone.page.get_by_role("button", name="More").click()
    phone.dark()
    assert phone.axe() == []


SIZES = """() => {
  const seen = (one) => one.getBoundingClientRect().width > 2;
  const size = (one) => parseFloat(getComputedStyle(one).fontSize) * one.currentCSSZoom;
  const typed = [...document.querySelectorAll("main :is(input[type=text], textarea)")];
  const said = [...document.querySelectorAll("main *")].filter((one) =>
    [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()));
  return [typed, said].map((all) => Math.min(...all.filter(seen).map(size)));
}"""
"""The smallest type of fields and of words, in pixels."""


@pytest.mark.parametrize("stem", SHEETS)
def test_a_phone_holds_it(phone: Window, stem: str) -> None:
    """Nothing is wider than the screen, no field makes a phone zoom in, hints can be read."""
    phone.open(html_of(stem))
    for width in (320, 390, 820):
        phone.page.set_viewport_size({"width": width, "height": 844})
        assert phone.page.evaluate("document.documentElement.scrollWidth") == width
        assert phone.page.evaluate(BEYOND) == []
        fields, words = phone.page.evaluate(SIZES)
        assert fields >= 15.9
        assert words >= 12


def test_jumps_lead_to_sections_by_keys(phone: Window) -> None:
    phone.open(html_of("brakka_sool"))
    phone.page.keyboard.press("Tab")
    assert phone.page.evaluate("document.activeElement.textContent") == "Fight"
    for _ in range(2):
        phone.page.keyboard.press("Tab")
    phone.page.keyboard.press("Enter")
    assert phone.page.evaluate("location.hash") == "#weapons"
    nav = phone.page.get_by_role("navigation", name="Sections").bounding_box()
    title = phone.page.get_by_role("heading", name="Weapons").bounding_box()
    assert nav is not None
    assert title is not None
    assert nav["y"] == 0
    assert nav["height"] <= title["y"] < 120
    phone.page.emulate_media(media="print")
    assert not phone.page.locator("nav").is_visible()


def test_a_dark_screen_prints_light_paper(phone: Window) -> None:
    ground = "getComputedStyle(document.querySelector('main .page')).backgroundColor"
    ink = "getComputedStyle(document.documentElement).getPropertyValue('--ink')"
    phone.open(html_of("ansa-reth"))
    light = phone.page.evaluate(ink)
    assert phone.page.evaluate(ground) == "rgb(255, 255, 255)"
    phone.dark()
    assert phone.page.evaluate(ground) != "rgb(255, 255, 255)"
    assert phone.page.evaluate(ink) != light
    phone.page.emulate_media(media="print", color_scheme="dark")
    assert phone.page.evaluate(ink) == light


def test_a_ledger_on_a_phone_has_labels_and_a_row_to_write_in(phone: Window) -> None:
    phone.open(html_of("brakka_sool"))
    row = phone.page.locator(".bought tbody tr").first
    said = "(cell) => getComputedStyle(cell, '::before').content"
    labels = [cell.evaluate(said) for cell in row.locator("td > div").all()]
    assert labels == ["none", '"gained"', '"cost"', '"left"']
    what, left = (row.locator("input, textarea").nth(n).bounding_box() for n in (0, 3))
    assert what is not None
    assert left is not None
    assert left["y"] >= what["y"] + what["height"] - 1
    rows = phone.page.locator(".ledger tbody tr >> visible=true")
    shown = rows.count()
    rows.last.locator("textarea").first.fill("Session 4")
    assert rows.count() > shown


LARGE = (*SHEETS, "old_ferris", "jorra_kest")
"""Characters of every ruleset, whose sheets are arranged anew in large print."""


def _fits(phone: Window, data: bytes) -> None:
    """Open a page on a narrow phone, and look at it on wider ones, too."""
    for width in (360, 390, 820):
        phone.page.set_viewport_size({"width": width, "height": 844})
        if width == 360:
            phone.open(data)
        assert phone.page.evaluate("document.documentElement.scrollWidth") == width
        assert width == 820 or phone.page.evaluate(BEYOND) == []


OTHERS = (
    ("sheet", "--blank", "hyperspace-d6", "--theme", "large-print"),
    ("sheet", "--blank", "wound-points", "--theme", "mono"),
    ("proof", "narrative-powers", "--theme", "large-print"),
    ("cards", "keyword-dots", "--kind", "gear", "--theme", "ink-saver"),
    ("odds", "d6-pips", "--theme", "mono"),
    ("screen", "keyword-dots", "--theme", "large-print"),
)


@pytest.mark.parametrize("words", OTHERS, ids=" ".join)
def test_every_kind_fits_and_has_one_title(
    phone: Window, words: tuple[str, ...], tmp_path: Path
) -> None:
    said = run(*words, "--to", "html", "--out", tmp_path)
    assert said.status == 0, said.err
    _fits(phone, Path(said.out.strip()).read_bytes())
    assert phone.page.locator("h1").count() == 1


@pytest.mark.parametrize("theme", ["large-print", "ink-saver", "mono"])
def test_a_phone_holds_a_draft(phone: Window, theme: str, tmp_path: Path) -> None:
    path = starter(tmp_path, "hyperspace-d6", more="unknown: 1")
    said = run("sheet", path, "--draft", "--to", "html", "--theme", theme, "--out", tmp_path)
    _fits(phone, Path(said.out.strip()).read_bytes())
    assert "draft" in phone.page.locator("main").inner_text().lower()


@pytest.mark.parametrize("stem", LARGE)
def test_a_phone_holds_large_print(phone: Window, stem: str) -> None:
    """In one column like the standard theme, without a frame that scrolls sideways."""
    _fits(phone, html_of(stem, "large-print"))
    assert float(phone.page.evaluate(SMALLEST)) >= 11


SMALLEST = """() => Math.min(...[...document.querySelectorAll("main *")]
  .filter((one) => one.getBoundingClientRect().width > 2
    && [...one.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim()))
  .map((one) => parseFloat(getComputedStyle(one).fontSize) * one.currentCSSZoom * .75))"""
"""The smallest type, in points."""


@pytest.mark.parametrize("game", ["keyword-dots", "narrative-powers", "lanterns"])
def test_a_phone_holds_a_blank_in_large_print(phone: Window, game: str) -> None:
    request = SheetRequest(formats=("html",), theme="large-print", paper="letter")
    _fits(phone, print_blank(ruleset(game), request).files["html"])


def test_a_phone_holds_flattened_large_print(phone: Window) -> None:
    [path] = [path for path in CHARACTERS if path.stem == "calla"]
    more = {"formats": ("html",), "flatten": True}
    _fits(
        phone, printed(character_at(path), ("letter", "large-print"), **more).printed.files["html"]
    )


def test_a_desktop_keeps_the_arrangement_of_large_print(window: Window) -> None:
    size = "parseFloat(getComputedStyle(document.querySelector('main .title')).fontSize)"
    window.open(html_of("calla"))
    standard = float(window.page.evaluate(size))
    window.open(html_of("calla", "large-print"))
    assert float(window.page.evaluate(size)) > 1.3 * standard
    wide = "document.querySelector('main .page').getBoundingClientRect().width"
    assert window.page.evaluate(wide) > 700


@pytest.mark.parametrize("stem", SHEETS)
def test_a_thumb_has_room(phone: Window, stem: str) -> None:
    phone.page.set_viewport_size({"width": 390, "height": 15000})
    phone.open(html_of(stem))
    assert phone.page.evaluate(ROOM) == []


def test_the_bar_covers_no_field(phone: Window) -> None:
    """What is entered by keys is scrolled to where it can be seen."""
    phone.open(html_of("bram_oldecott"))
    names = phone.page.evaluate("[...document.querySelectorAll('main [name]')].map((e) => e.name)")
    phone.field(names[5]).focus()
    for _ in range(40):
        phone.page.keyboard.press("Tab")
        low = phone.page.evaluate(
            "document.activeElement.getBoundingClientRect().bottom"
            " - document.querySelector('.x-bar').getBoundingClientRect().top"
        )
        assert low <= 0


@pytest.mark.parametrize("stem", ["pell_marrow", "tib_marlow", "ruk_dahl", "lio_brand"])
def test_opening_changes_nothing(window: Window, stem: str) -> None:
    window.open(html_of(stem))
    _is_as_printed(window)


def _is_as_printed(window: Window) -> None:
    changed = """() => [...document.querySelectorAll("main [name]")].filter((e) =>
      e.type === "checkbox" ? e.checked !== e.defaultChecked : e.value !== e.defaultValue
    ).map((e) => e.name)"""
    assert window.page.evaluate(changed) == []
    assert window.state() == "As printed"
    assert window.page.locator(".x-long").count() == 0


def test_who_wants_less_motion_has_none(window: Window) -> None:
    window.page.emulate_media(reduced_motion="reduce")
    window.open(html_of("ansa-reth"))
    window.tap("force_powers.sprint.2")
    window.page.wait_for_timeout(100)
    assert window.page.locator(".x-fresh").count() == 0
