"""A game of a twenty-sided die, written from the docs: its values, and what it refuses."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.build import parse_figure
from sheetgen.plan.sheets.view import build_view
from sheetgen.plugins.exchange.rosters.workbooks import export_xlsx
from sheetgen.plugins.exchange.selection import select_exports
from sheetgen.rules.formulas.evaluate import FORMS
from tests.exchange.office import differences, recalculated
from tests.live.changes import checked, varied
from tests.live.test_differential import _compared as compare_languages

GAME = Path(__file__).parent / "games" / "vault"
ORLA = GAME / "characters" / "orla.yaml"
CHANGES = 120


def hero(**changes: Any) -> dict[str, Any]:
    """Return the file of Orla with some keys changed."""
    return {**yaml.safe_load(ORLA.read_text("utf-8")), "ruleset": str(GAME), **changes}


def values(**changes: Any) -> dict[str, str]:
    """Return the derived values and lines of Orla with some keys changed, as prints show them."""
    one = checked(hero(**changes))
    assert one.build is not None
    return {i: v.shown for i, v in one.build.derived.items()} | dict(one.build.lines)


def said(**changes: Any) -> list[tuple[str, str]]:
    """Return the findings about Orla with some keys changed: messages and hints."""
    one = checked(hero(**changes))
    assert one.build is not None
    return [(f"{f.span.line}: {f.message}", str(f.hint)) for f in one.findings]


def changed(tmp_path: Path, old: str, new: str) -> list[str]:
    """Return what the check says of the game with a text replaced, each with its line."""
    text = (GAME / "ruleset.yaml").read_text("utf-8")
    assert old in text
    (tmp_path / "ruleset.yaml").write_text(text.replace(old, new), "utf-8")
    loaded = load_ruleset(tmp_path)
    found = [*loaded.findings, *(check_ruleset(loaded.value) if loaded.value else ())]
    return [f"{f.message} | {f.hint}" for f in found]


def test_the_game_is_clean() -> None:
    loaded = load_ruleset(GAME)
    assert loaded.value is not None
    assert [f.message for f in (*loaded.findings, *check_ruleset(loaded.value))] == []
    assert said() == []


def test_python_and_javascript_agree() -> None:
    chance = random.Random("vault")
    for _ in range(CHANGES // 8):
        data = hero(level=chance.randint(1, 12))
        printed = checked(data)
        assert printed.rules is not None
        data = varied(data, printed.rules, chance)
        printed = checked(data)
        for _ in range(8):
            compare_languages(data, printed, chance)


def test_a_spreadsheet_agrees(tmp_path: Path) -> None:
    for number, class_ in enumerate(("Mage", "Guard", "Sneak", "Tinker")):
        one = yaml.safe_dump(hero(level=3 * number + 1, **{"class": class_}))
        (tmp_path / f"{number}.yaml").write_text(one, "utf-8")
    (request,) = select_exports([str(tmp_path)], {}).requests
    ((name, content),) = export_xlsx(request).files.items()
    (tmp_path / name).write_bytes(content)
    count, wrong = differences(request, recalculated(tmp_path / name, tmp_path / "again"))
    assert count > 40
    assert wrong == []


# -- lookups ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "class_", "bonus", "spells", "rank"),
    [
        (1, "Mage", 2, 2, "novice"),
        (2, "Mage", 2, 3, "novice"),
        (5, "Mage", 3, 4, "veteran"),
        (12, "Sneak", 4, 1, "master"),
        (2, "Sneak", 2, 0, "novice"),
        (9, "Tinker", 4, 0, "master"),
    ],
)
def test_lookups_find_rows(level: int, class_: str, bonus: int, spells: int, rank: str) -> None:
    found = values(level=level, **{"class": class_})
    assert parse_figure(found["pb"]) == bonus
    assert found["spells"] == str(spells)
    assert found["rank"] == rank


@pytest.mark.parametrize("level", [0, 13, 40])
def test_a_missing_row_is_found_at_the_authors_place(level: int) -> None:
    found = said(level=level)
    hint = "write a value that has a row: from 1 to below 13"
    assert (f"1: Level: `proficiency` has no row for {level}", hint) in found
    assert all(message.startswith("1: Level: ") for message, _ in found)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("5: 3, 9: 4", "5-8: 3, 9: 4", "is a range"),
        ("5: 3, 9: 4", "five: 3, 9: 4", "`five` in `proficiency` is no number"),
        ("5: 3, 9: 4", "5: 3, +5: 4", "`proficiency` has two rows for +5"),
        ("rank: {1: novice,", "rank: {exact: maybe, 1: novice,", "is `true` or `false`"),
        ("  rank: {1:", "  min: {1:", "`min` is a lookup and a function"),
        ("guard: 10,", "gard: 10,", "`hit_faces` has a row for `gard`, which nothing picks"),
        ("mage: 6, otherwise: 4", "mage: 6", "`hit_faces` has no row for `tinker`"),
        ("slots(class, level)", "slots(class)", "`slots` takes 2 values"),
        (
            "value: proficiency(level), as",
            "value: proficency(level), as",
            "did you mean `proficiency`?",
        ),
    ],
)
def test_slips_in_lookups_are_found(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert any(message in line for line in changed(tmp_path, old, new))


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", "3"), ("+3", "3"), ("−1", "-1"), ("½", "1/2"), ("1½", "3/2"), ("0.25", "1/4")],
)
def test_numbers_are_read_as_games_write_them(text: str, value: str) -> None:
    assert str(parse_figure(text)) == value


@pytest.mark.parametrize("text", ["", "+", "1/0", "d6", "1-4", "5+", "½½", "9" * 13])
def test_other_texts_are_no_numbers(text: str) -> None:
    assert parse_figure(text) is None


# -- numbers as games write them --------------------------------------------------------------


def test_numbers_are_written_as_games_write_them() -> None:
    """They stay numbers in formulas: the aim adds two of them."""
    found = values(scores={"Might": 9, "Wit": 15, "Grace": 12})
    assert {k: found[k] for k in ("pb", "might_mod", "aim", "load", "swing")} == {
        "pb": "+3",
        "might_mod": "−1",
        "aim": "+4",
        "load": "2½\N{NO-BREAK SPACE}stone",
        "swing": "+2 to hit, 2½ deep",
    }


@pytest.mark.parametrize(
    ("form", "value", "shown"),
    [
        ("signed", "0", "+0"),
        ("signed", "-7/2", "−3½"),
        ("signed", "9/7", "+9/7"),
        ("fraction", "1/5", "⅕"),
        ("fraction", "-1/4", "−¼"),
        ("fraction", "11/3", "3⅔"),
        ("fraction", "4", "4"),
    ],
)
def test_forms_of_numbers(form: str, value: str, shown: str) -> None:
    assert FORMS[form](Fraction(value)) == shown


def test_signed_ratings_are_signed_everywhere() -> None:
    one = checked(hero())
    assert one.build is not None
    assert one.rules is not None
    view = build_view(one.build, one.rules)
    shown = {name: view.texts[f"saves.{name}.total"].text for name in ("body", "mind", "nerve")}
    assert shown == {"body": "−1", "mind": "+2", "nerve": "+0"}
    assert one.rules.rating_text("saves", -1) == "−1"
