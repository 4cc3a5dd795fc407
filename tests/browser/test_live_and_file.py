"""The live page and the file agree: whatever is changed on a page, a new print of the file that the
page comes back to shows the same values, or the page marks them as printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from sheetgen.diag.findings import Span
from sheetgen.load.characters import RulesetCache
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.sheets.sheets import fill_plate, leave_free_row, plate_places
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints.characters import Character, load_character
from sheetgen.prints.sheet import SheetRequest, print_sheet
from sheetgen.readback.merging import MergedFile, merge_sheet
from sheetgen.readback.topics import naming
from tests.browser.windows import Window
from tests.live.changes import rack
from tests.printing import CHARACTERS
from tests.readback.sheets import read_bytes
from tests.samples import ALL, some_characters, spread

pytestmark = pytest.mark.slow

GAMES = tuple(sorted((Path(__file__).parent.parent / "live" / "games").glob("*/characters/*.yaml")))
DELVE = next(path for path in GAMES if path.parent.parent.name == "delve")
PATHS = (*GAMES, *(some_characters(CHARACTERS) if ALL else some_characters(CHARACTERS)[::3]))

HEADS = re.compile(r"header|onward|continued|page\.|to_draw\.|stamp")
"""Names of places that say nothing of a character."""

STATE = """() => {
  const fields = {}, printed = [];
  for (const el of document.querySelectorAll("main input[name], main textarea[name]")) {
    fields[el.name] = el.type === "checkbox" ? el.checked : el.value;
  }
  for (const el of document.querySelectorAll("main [data-name]")) {
    const inner = el.firstElementChild || el;
    if (inner.tagName !== "IMG") fields[el.dataset.name] = inner.textContent;
  }
  for (const el of document.querySelectorAll(".x-printed")) {
    const inner = el.querySelector("[name]") || el;
    printed.push(inner.name || el.dataset.name);
  }
  return {fields, printed};
}"""
CHANGE = """([name, value]) => {
  const el = document.querySelector(`main [name="${name}"]`);
  el.focus();
  if (el.type === "checkbox") { el.click(); } else {
    el.value = value;
    el.dispatchEvent(new InputEvent("input", {bubbles: true}));
  }
  el.blur();
}"""


@cache
def hero(path: Path) -> Character:
    return load_character(path, RulesetCache(), {})


@cache
def page(path: Path) -> bytes:
    return print_sheet(hero(path), SheetRequest(formats=("html",))).files["html"]


def shown_by(one: Character) -> dict[str, Any]:
    """Return what a new print of a character shows, by place."""
    assert one.build is not None
    assert one.rules is not None
    plate = rack().find_design(one.rules, "standard", "a4", None).value.sheet
    view = build_view(one.build, one.rules)
    for pool in one.rules.pools:
        leave_free_row(view, f"{pool}.ledger", plate_places(plate))
    filling = fill_plate(view, plate, Span("")).filling
    found: dict[str, Any] = {n: setting.value for n, setting in filling.texts.items()}
    return found | dict.fromkeys(filling.ticks, True)


def changes(rules: Ruleset, fields: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield a change of each field that a player may fill in."""
    names = {f"{id_}": naming(rules, str(id_)) for id_ in rules.lists}
    started: set[str] = set()
    for name, value in fields.items():
        parts = name.split(".")
        key = rules.character.get(parts[0])
        if value in (True, False):
            yield name, ""
        elif ".ledger." in name or name.endswith((".link", ".die", ".detail")):
            continue
        elif len(parts) == 3 and names.get(parts[0]) == parts[2]:
            rows = rules.lists[parts[0]]
            if rows.of in rules.groups or (not value and parts[0] in started):
                continue
            started |= set() if value else {parts[0]}  # one empty row: a new print has no gaps
            if not rows.of.startswith("choices."):
                listed = [
                    i.name for i in rules.gear.values() if not rows.where or rows.where in i.tags
                ]
                yield name, str(next((n for n in listed if n != value), "Thing"))
                yield name, "A Thing of My Own"
                if value and not fields.get(f"{parts[0]}.{int(parts[1]) + 1}.{parts[2]}"):
                    yield name, ""
        elif key is not None and key.kind == "choice" and len(parts) == 1:
            catalogue = rules.choices[str(key.of[0]) if key.of else parts[0]]
            yield name, str(next(e.name for e in catalogue.entries.values() if e.name != value))
        elif re.fullmatch(r"\d+", value):
            yield name, str(int(value) + 1)
            yield name, str(int(value) - 1)
        elif match := re.fullmatch(r"(\+?)(\d+)D(\+\d)?", value):
            yield name, f"{match[1]}{int(match[2]) + 1}D{match[3] or ''}"


@pytest.fixture
def fresh(browser: Browser, tmp_path: Path) -> Iterator[Window]:
    window = Window(browser, tmp_path)
    yield window
    window.close()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_the_page_and_a_new_print_agree(path: Path, fresh: Window) -> None:
    one = hero(path)
    assert one.rules is not None
    fresh.open(page(path))
    before = fresh.page.evaluate(STATE)
    fields = "[...document.querySelectorAll('main [name]')]"
    free = fresh.page.evaluate(f"() => {fields}.filter((el) => !el.readOnly).map((el) => el.name)")
    every = changes(one.rules, {n: before["fields"][n] for n in free})
    chosen = list(every) if ALL else spread(every, 8)
    wrong: list[str] = []
    for name, value in chosen:
        fresh.page.evaluate(CHANGE, [name, value])
        now = fresh.page.evaluate(STATE)
        wrong += compared(fresh, path, name, value, now)
        while fresh.page.get_by_role("button", name="Undo", exact=True).is_enabled():
            fresh.act("Undo")
        undone = fresh.page.evaluate(STATE)
        wrong += [f"{name}={value}: undone, {d}" for d in differences(before, undone)]
    for name, value in chosen:
        fresh.page.evaluate(CHANGE, [name, value])
    last = fresh.page.evaluate(STATE)
    fresh.kept()
    fresh.page.reload()
    again = fresh.page.evaluate(STATE)
    wrong += [f"reloaded: {d}" for d in differences(last, again)]
    assert not wrong, "\n".join(wrong)


def differences(one: Any, other: Any) -> list[str]:
    found = [
        f"{n}: {one['fields'].get(n)!r}, {other['fields'].get(n)!r}"
        for n in one["fields"]
        if one["fields"].get(n) != other["fields"].get(n)
    ]
    return found + [f"mark of {n}" for n in {*one["printed"]} ^ {*other["printed"]}]


def _plain(shown: Any) -> Any:
    return shown.replace("’", "'") if isinstance(shown, str) else shown


def compared(window: Window, path: Path, name: str, value: str, now: Any) -> list[str]:
    one = hero(path)
    saved = window.saved("Save file")[1]
    sheet = read_bytes(saved, window.folder, "sheet.json")
    assert one.source is not None
    into = MergedFile(path, one.source.text, one.source.text, one)
    merge_sheet(sheet, into, RulesetCache(), {}, None, False)
    if into.findings:  # it is told what could not be taken
        return []
    expected = shown_by(into.character)
    found = []
    for place, shown in now["fields"].items():
        there = expected.get(place, False if shown in (True, False) else "")
        if (
            _plain(shown) == _plain(there)
            or place == name
            or place in now["printed"]
            or HEADS.match(place)
        ):
            continue
        found.append(f"{name}={value!r}: {place} is {shown!r}, a new print {there!r}")
    return found


WOUNDED = next(path for path in CHARACTERS if path.parent.name == "wound-points")


def test_boxes_of_two_tracks_are_one_number(fresh: Window) -> None:
    fresh.open(page(WOUNDED))
    more = fresh.ticked("wound_points.box") + 2
    fresh.tap(f"wound_points.box.{more}")
    assert fresh.ticked("wound_points.box") == more
    fresh.tap("below_zero.box.2")  # what is below zero has gone through all boxes above
    full = fresh.ticked("wound_points.box")
    assert fresh.ticked("below_zero.box") == 2
    fresh.tap(f"wound_points.box.{full - 1}")
    assert fresh.ticked("below_zero.box") == 0
    fresh.act("Undo")
    assert (fresh.ticked("wound_points.box"), fresh.ticked("below_zero.box")) == (full, 2)


def test_of_conditions_one_holds(fresh: Window) -> None:
    path = next(p for p in CHARACTERS if p.parent.name == "narrative-powers")
    fresh.open(page(path))
    fresh.tap("condition.winded")
    fresh.tap("condition.helpless")
    assert fresh.ticked("condition") == 1
    fresh.act("Undo")
    assert fresh.field("condition.winded").is_checked()


def test_a_thing_of_ones_own_is_filled_in_by_hand(fresh: Window) -> None:
    fresh.open(page(DELVE))
    fresh.type("weapons.1.name", "Family Axe")
    assert fresh.text("weapons.1.strike") == ""
    fresh.type("weapons.1.strike", "+9 1d12")
    fresh.type("weapons.2.name", "Maul")
    assert fresh.text("weapons.2.strike") == "+5 2d8+2"
    fresh.kept()
    fresh.page.reload()
    assert fresh.text("weapons.1.strike") == "+9 1d12"
    assert fresh.text("weapons.2.strike") == "+5 2d8+2"
    assert fresh.saved_fields()["weapons.1.strike"] == "+9 1d12"
    fresh.type("weapons.1.name", "Maul")
    assert fresh.text("weapons.1.strike") == "+5 2d8+2"


def test_a_ledger_that_lists_no_purchase_since_the_print_is_marked(fresh: Window) -> None:
    path = next(path for path in CHARACTERS if path.stem == "kor_ashveld")
    fresh.open(page(path))
    fresh.type("skills.riding.own", "+2D+1")
    marked = fresh.page.evaluate(STATE)["printed"]
    assert {"cp.ledger.3.what", "cp.ledger.3.left", "cp.ledger.4.what"} <= {*marked}
    assert not any(name.startswith("credits.") for name in marked)
    assert fresh.findings() == []  # to buy is no fault
    fresh.act("Undo")
    assert fresh.page.locator(".x-printed").count() == 0


def test_of_two_weapons_of_one_name_the_first_is_the_improved_one(fresh: Window) -> None:
    """An advance names a thing; of several alike the rules improve the first."""
    path = next(path for path in CHARACTERS if path.stem == "jorra_kest")
    fresh.open(page(path))
    assert fresh.text("weapons.2.damage") == "6"
    fresh.type("weapons.3.name", "Combat Knife")
    assert [fresh.text(f"weapons.{n}.damage") for n in (2, 3)] == ["6", "5"]
    fresh.type("weapons.1.name", "Combat Knife")
    assert [fresh.text(f"weapons.{n}.damage") for n in (1, 2, 3)] == ["6", "5", "5"]


def test_what_does_not_follow_is_marked(fresh: Window) -> None:
    fresh.open(page(DELVE))
    fresh.type("calling", "Lantern")
    marked = fresh.page.locator(".x-printed [name='save_thew.value']")
    assert marked.get_attribute("aria-description").startswith("As printed")
    assert any("as printed: a change of Calling" in line for line in fresh.findings())
    assert fresh.page.locator(".x-printed [name='pluck.value']").count() == 0
    fresh.act("Undo")
    assert fresh.page.locator(".x-printed").count() == 0
