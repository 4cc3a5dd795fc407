"""Signs of a game in place of its words behind numbers."""

from __future__ import annotations

import pytest

from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.plan.pages.screen_blocks import SignWriter, count_signs, spell_signs
from sheetgen.plan.pages.tables import PlayerWords, plan_table_pages


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1 Setback", 1),
        ("adds 2 *Setback*", 2),
        ("5 Setback", 1),
        ("10 Setback", 0),
        ("1–2 Setback", 0),
        ("1/2 Setback", 0),
        ("1 to 3 Setback", 0),
        ("1 or 2 Setback", 0),
        ("2 × 3 Setback", 0),
    ],
)
def test_ranges_stay_numbers(text: str, count: int) -> None:
    rules = load_ruleset(rulesets_folder() / "narrative-powers", complete=True).value
    assert rules is not None
    shown = SignWriter(rules).text(text)
    assert count_signs(shown) == count
    assert count or shown == text


def test_attributes_have_words_in_place_of_signs() -> None:
    pairs = [("Boost", "square")]
    assert spell_signs('<p title="2 \ue100, \ue800Boost">', pairs) == '<p title="2 Boost, Boost">'


@pytest.mark.parametrize(
    ("game", "table", "signed"),
    [("narrative-powers", "actions", True), ("hyperspace-d6", "burdens", False)],
)
def test_names_of_a_catalogue_have_signs_if_all_have(game: str, table: str, signed: bool) -> None:
    rules = load_ruleset(rulesets_folder() / game, complete=True).value
    assert rules is not None
    planned = plan_table_pages(rules, [table], {})
    (page,) = map(PlayerWords(rules.rulings, signs=SignWriter(rules)).page, planned.value or ())
    (view,) = page.tables
    assert {count_signs(row.cells[0].number) for row in view.rows} == {int(signed)}
