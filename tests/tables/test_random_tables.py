"""Random tables: read, checked, printed as tables are, and rolled with exact chances."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import icepool
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.rulesets.rulesets import load_complete, load_ruleset
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.prints.rulesets import check_folders
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.tables.compute import (
    Roll,
    compute_table,
    parse_dice,
    roll_table,
    rolled_rows,
    rows_of,
)
from tests.cli.commands import run
from tests.shelf import ruleset

HEAD = """
id: dicey
title: Dicey
version: 1
format: 1
credit: {short: Made for tests., long: Made for tests., licence: MIT}
character: {name: {kind: text, required: true}}
options: {hard: {default: false, values: [yes or no], text: Is it hard?}}
tables:
"""
TABLES = """
  weather:
    label: Weather
    dice: d66
    columns: [d66, Sky, Wind]
    rows:
      - [11 - 36, sun, "{'storm' if hard else 'none'}"]
      - [41–66, "rain and [[smell]]", "[[smell]], [[smell]]"]
  smell:
    dice: weights
    columns: [Weight, Smell]
    rows: [[3, earth], [2, smoke], [1, salt]]
  odd:
    dice: weights
    columns: [Weight, What]
    rows: [[2, a], [5, b]]
  hundred:
    dice: d%
    columns: ["d%", What]
    rows: [[01-05, a], [06-95, b], [96-00, c]]
  moves:
    dice: 2d6
    columns: [2d6, What]
    rows: [[6-, no], [7-9, so], [10+, yes]]
"""


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ruleset:
    monkeypatch.chdir(tmp_path)
    Path("dicey").mkdir()
    Path("dicey/ruleset.yaml").write_text(HEAD + TABLES, encoding="utf-8")
    checked = check_folders((Path("dicey"),))
    assert checked.findings == ()
    assert checked.rules is not None
    return checked.rules


@pytest.mark.parametrize("dice", ["d6", "2d6", "3D6", "2d10", "d8", "4d4"])
def test_sums_come_as_often_as_they_should(dice: str) -> None:
    number, faces = dice.lower().split("d")
    expected = int(number or 1) @ icepool.d(int(faces))
    assert parse_dice(dice) == {int(n): q for n, q in expected.items()}


def test_digits_are_those_of_the_dice() -> None:
    assert list(parse_dice("d66") or {}) == [a * 10 + b for a, b in product(range(1, 7), repeat=2)]
    assert list(parse_dice("d88") or {})[-1] == 88
    assert len(parse_dice("d666") or {}) == 216
    assert len(parse_dice("d100") or {}) == len(parse_dice("d%") or {}) == 100
    for wrong in ("", "d", "d0", "0d6", "66", "d6+1", "99d9999", "d99999", "weights", "dd6"):
        assert parse_dice(wrong) is None, wrong


def test_chances_are_exact(rules: Ruleset) -> None:
    chances = {id_: [r.chance for r in rolled_rows(t)] for id_, t in rules.tables.items()}
    assert chances["weather"] == [Fraction(1, 2)] * 2
    assert chances["smell"] == [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    assert chances["hundred"] == [Fraction(1, 20), Fraction(9, 10), Fraction(1, 20)]
    assert chances["moves"] == [Fraction(15, 36), Fraction(15, 36), Fraction(6, 36)]
    assert all(sum(one) == 1 for one in chances.values())


def test_they_are_printed_as_tables_are(rules: Ruleset) -> None:
    shown = compute_table(rules, "weather")
    assert [(*row.labels, *row.cells) for row in shown.rows] == [
        ("11–36", "sun", "none"),
        ("41–66", "rain and → smell", "→ smell, → smell"),
    ]
    weighted = compute_table(rules, "smell")
    assert weighted.heads == ("d6",)
    assert [row.labels[0] for row in weighted.rows] == ["1–3", "4–5", "6"]
    assert [row.labels[0] for row in compute_table(rules, "odd").rows] == ["2 of 7", "5 of 7"]
    said = run("tables", "./dicey", "--to", "html")
    assert said.status == 0, said.err
    assert "11–36" in next(Path("output").glob("*.html")).read_text(encoding="utf-8")


def test_screens_name_them_as_other_tables(rules: Ruleset) -> None:
    screen = """
screens:
  front:
    label: Front
    panels:
      one:
        title: One
        columns: [[{head: Smells, tables: smell}]]
"""
    Path("dicey/screen.yaml").write_text(screen, encoding="utf-8")
    loaded = load_ruleset(Path("dicey"), complete=True).value
    assert loaded is not None
    assert run("screen", "./dicey").status == 0
    (panel,) = loaded.screens["front"].panels.values()
    found = rows_of(loaded, panel.columns[0][0], {})
    assert found is not None
    assert [row[0] for row in found.rows] == ["1–3", "4–5", "6"]


@cache
def whole(game: str) -> Ruleset:
    """Return a shipped ruleset with its tables."""
    rules = load_complete(ruleset(game))
    assert rules is not None
    return rules


def inner_rolls(roll: Roll) -> list[Roll]:
    return [roll, *(one for inner in roll.inner for one in inner_rolls(inner))]


@given(seed=st.integers(0, 10**30))
def test_equal_seeds_give_equal_rolls_of_what_the_row_says(seed: int) -> None:
    for id_ in ("trouble", "pockets"):
        rules = whole("d6-pips")
        rolled = roll_table(rules, id_, seed)
        assert rolled == roll_table(rules, id_, seed)
        assert "[[" not in rolled.text
        for one in inner_rolls(rolled):
            assert one.value in one.row.results
            assert one.text in rolled.text


def test_rolls_come_as_often_as_they_should(rules: Ruleset) -> None:
    count = 6_000
    found = Counter(roll_table(rules, "smell", seed).text for seed in range(count))
    for text, chance in (("earth", 1 / 2), ("smoke", 1 / 3), ("salt", 1 / 6)):
        assert abs(found[text] / count - chance) < 0.025  # four standard deviations
    options = {"hard": True}
    texts = {roll_table(rules, "weather", seed, options).text for seed in range(40)}
    assert "sun, storm" in texts
    assert len(texts) > 3  # each name of a table is rolled for itself


def test_the_command_rolls_and_shows_chances(rules: Ruleset) -> None:
    said = run("odds", "./dicey", "--roll", "Weather", "--seed", "3")
    assert said.status == 0, said.err
    assert said.out == run("odds", "./dicey", "--roll", "weather", "--seed", "3").out
    assert said.out.endswith("seed 3\n")
    seed = run("odds", "./dicey", "--roll", "weather").out.split()[-1]
    assert run("odds", "./dicey", "--roll", "weather", "--seed", seed).status == 0
    shown = run("odds", "./dicey", "--roll", "smell", "--table").out.splitlines()
    assert shown[1:] == [
        "1–3   50.0%   1/2   earth",
        "4–5   33.3%   1/3   smoke",
        "  6   16.7%   1/6   salt",
    ]
    data = json.loads(
        run("odds", "./dicey", "--roll", "weather", "--seed", "3", "--format", "json").out
    )
    assert data["seed"] == 3
    assert data["exact"] == "1/2"
    data = json.loads(run("odds", "./dicey", "--roll", "moves", "--table", "--format", "json").out)
    assert [row["exact"] for row in data["rows"]] == ["5/12", "5/12", "1/6"]
    assert run("odds", "./dicey", "--roll", "whether", "--seed", "1").status == 2
    assert "`weather`" in run("odds", "./dicey", "--roll", "whether").err
    assert run("odds", "./dicey", "--seed", "1").status == 2


@given(st.lists(st.integers(0, 5), min_size=5, max_size=5), st.integers(0, 4))
def test_whatever_is_left_out_or_doubled_is_found(cuts: list[int], wrong: int) -> None:
    """Ranges that cover a die are right; one that is moved by 1 is not."""
    ends = sorted({*range(1, 1 + len(cuts))} | {20})
    rows, start = [], 1
    for end in ends:
        rows.append([start, end])
        start = end + 1
    place = wrong % len(rows)
    right = [[f"{a}-{b}", "x"] for a, b in rows]
    rows[place][0] += 1 if place == 0 or rows[place][0] < rows[place][1] else -1
    bad = [[f"{a}-{b}", "x"] for a, b in rows]
    assert _codes(right) == set()
    assert _codes(bad) == {"SG112"}


def _codes(rows: list[list[str]]) -> set[str]:
    from sheetgen.model.rulesets.prints import Table
    from sheetgen.model.source import Text
    from sheetgen.rules.tables.compute import check_rolls

    rules = ruleset("d6-pips")
    table = Table(
        columns=("d20", "What"), rows=tuple(map(tuple, rows)), dice=Text("d20", rules.place)
    )
    return {one.code.id for one in check_rolls(rules, "t", table)}


def test_a_row_that_names_many_tables_ends(tmp_path: Path) -> None:
    (tmp_path / "ruleset.yaml").write_text(
        HEAD
        + "".join(
            f"  t{n}: {{dice: d2, columns: [d2, What], rows: [[1-2, '{f'[[t{n + 1}]]' * 9}']]}}\n"
            for n in range(9)
        )
        + "  t9: {dice: d2, columns: [d2, What], rows: [[1-2, x]]}\n"
    )
    loaded = load_ruleset(tmp_path).value
    assert loaded is not None
    with pytest.raises(FormulaError, match="too many tables"):
        roll_table(loaded, "t0", 1)
    said = run("odds", f"{tmp_path}/.", "--roll", "t0")
    assert "too many tables" in said.err


@pytest.mark.parametrize("game", ruleset_ids())
def test_each_game_has_one_that_is_on_a_page(game: str) -> None:
    rules = whole(game)
    shown = {str(id_) for page in rules.references.values() for band in page.bands for id_ in band}
    own = {str(id_) for id_, table in rules.tables.items() if table.dice is not None}
    assert own
    assert own <= shown
