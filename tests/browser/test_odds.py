"""Odds on tap: what a page says is what `sheetgen odds` says, to the last digit."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.scripts.sheet_scripts import compute_sheet_odds
from sheetgen.rules.formulas.evaluate import exact_percent
from sheetgen.rules.odds.odds import answer, resolve_roll
from sheetgen.rules.odds.questions import parse_question
from tests.browser.windows import Window, html_of
from tests.shelf import folder_of

pytestmark = pytest.mark.slow


@cache
def whole(game: str) -> Ruleset:
    rules = load_ruleset(folder_of(game), complete=True).value
    assert rules is not None
    assert rules.odds is not None
    return rules


def defaults(rules: Ruleset) -> dict[str, Value]:
    return {str(name): option.default for name, option in rules.options.items()}


def chances(expression: str, game: str, roll: str = "check") -> dict[str, str]:
    rules = whole(game)
    how = resolve_roll(rules.odds.rolls[roll], rules, defaults(rules))  # type: ignore[union-attr]
    return {
        c.label: exact_percent(c.value)
        for c in answer(parse_question(expression, how.words), how).chances
    }


def rows(window: Window, table: int = 0) -> list[list[str]]:
    cells = """(table) => [...table.rows].map((row) =>
      [...row.querySelectorAll("td, th span, thead th")].map((cell) => cell.textContent))"""
    found: list[list[str]] = window.page.locator("dialog table").nth(table).evaluate(cells)
    return found


def test_a_total_tells_its_odds(window: Window) -> None:
    window.open(html_of("brakka_sool"))
    window.field("skills.athletics.total").click()
    assert "Athletics 5D" in window.page.locator("dialog h2").inner_text().replace(
        "ATHLETICS", "Athletics"
    )
    for name, number, chance in rows(window):
        assert chance == next(iter(chances(f"5D vs {number}", "hyperspace-d6").values())), name
    assert rows(window)[0][0] == "Very easy"
    assert window.axe() == []
    window.page.keyboard.press("Escape")
    assert window.page.locator("dialog").count() == 0
    assert window.page.evaluate("document.activeElement.name") == "skills.athletics.total"
    window.page.keyboard.press("Enter")
    assert window.page.locator("dialog").count() == 1


def test_a_name_and_a_letter_are_tapped_too(window: Window) -> None:
    window.open(html_of("brakka_sool"))
    window.page.locator('[data-name="skills.athletics.name"]').click()
    assert len(rows(window)) == 6
    window.answer("Close")
    window.page.locator(".weapons .code:has(input) .dee").nth(1).click()
    assert window.page.locator("dialog table").count() == 2, "a weapon is rolled in both ways"
    for number, chance in rows(window, 1):
        said = chances(f"6D vs {number}", "hyperspace-d6", "damage")
        assert chance == next(iter(said.values()))


def test_a_pool_tells_its_odds(phone: Window) -> None:
    phone.open(html_of("tib_marlow"))
    pool = phone.page.locator("[data-of]", has=phone.page.locator(".s-proficiency")).first
    said = (pool.get_attribute("aria-label") or "").split(": ")[1].split(". ")[0]
    pool.click()
    head, *table = rows(phone)
    for label, *cells in table:
        for against, cell in zip(head[1:], cells, strict=True):
            wanted = chances(f"{said.replace(',', '')} vs {against} difficulty", "narrative-powers")
            assert wanted[label] == cell, (label, against)
    assert phone.axe() == []
    phone.page.mouse.click(100, 10)
    assert phone.page.locator("dialog").count() == 0, "a tap beside it closes it"


def test_a_game_without_odds_has_none(window: Window) -> None:
    html = html_of("ansa-reth")
    assert b'"odds":null' in html
    assert b"showOdds" not in html
    window.open(html)
    window.field("xp.left").click()
    assert window.page.locator("dialog, [aria-haspopup]").count() == 0


@pytest.mark.parametrize("game", ["d6-pips", "hyperspace-d6"])
def test_tables_are_exact(game: str) -> None:
    rules = whole(game)
    told = compute_sheet_odds(rules, defaults(rules))
    assert told is not None
    letter = told["letter"]
    for roll, id_ in zip(told["rolls"], rules.odds.rolls, strict=True):  # type: ignore[union-attr]
        for code in ("1", "4", "9", *(["3+2"] if game == "d6-pips" else [])):
            dice, _, pips = code.partition("+")
            words = f"{dice}{letter}" + (f"+{pips}" if pips else "")
            for (_, number), chance in zip(roll["heads"], roll["table"][code].split(), strict=True):
                said = chances(f"{words} vs {number}", game, str(id_))
                assert f"{chance}%" == next(iter(said.values())), (words, number)


def test_a_game_with_symbols_and_codes_has_both() -> None:
    drawn, summed = whole("narrative-powers"), whole("d6-pips")
    assert drawn.odds is not None
    assert summed.odds is not None
    for first, second in ((drawn.odds, summed.odds), (summed.odds, drawn.odds)):
        grids, rolls = {}, {}
        for mark, odds in (("a", first), ("b", second)):
            rolls |= {f"{mark}_{id_}": roll for id_, roll in odds.rolls.items()}
            for id_, grid in odds.grids.items():
                roll = str(grid.roll or next(iter(odds.rolls)))
                grids[f"{mark}_{id_}"] = replace(grid, roll=f"{mark}_{roll}")
        rules = replace(drawn, odds=replace(drawn.odds, grids=grids, rolls=rolls))
        data = compute_sheet_odds(rules, defaults(summed) | defaults(drawn))
        assert data is not None
        assert data["pools"] == compute_sheet_odds(drawn, defaults(drawn))["pools"]  # type: ignore[index]
        assert data["rolls"][0]["table"]["4+2"]


def test_the_letter_of_a_printed_code_is_tapped_too(window: Window) -> None:
    window.open(html_of("brakka_sool"))
    window.page.locator('.weapons .code:has([data-name^="unarmed_attack"]) .dee').click()
    title = window.page.locator("dialog h2").inner_text().casefold()
    code = window.page.locator('[data-name="unarmed_attack.text"]').inner_text()
    assert title == f"unarmed attack {code.strip()}d"
    assert window.page.locator("dialog table").count() == 2
