"""Odds by data: grids and curves on pages of tables and on screens, chances in cells."""

from __future__ import annotations

import shutil
from fractions import Fraction
from pathlib import Path

import pymupdf

from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.rules.tables.things import RulesetScope
from tests.cli.commands import run

GAME = rulesets_folder() / "hyperspace-d6"


def test_tables_hold_grids_and_curves(tmp_path: Path) -> None:
    said = run(
        "tables", "hyperspace-d6", "chances", "--to", "html", "--to", "md", "--out", tmp_path
    )
    assert said.status == 0, said.err
    html = (tmp_path / "hyperspace-d6-chances.html").read_text(encoding="utf-8")
    assert html.count("<svg") == 2
    assert 'aria-label="Curves of' in html
    text = (tmp_path / "hyperspace-d6-chances.md").read_text(encoding="utf-8")
    assert "| 5D   | 100 |  98 |  78 |  31 |   3 | \\<1 |" in text


def test_a_screen_holds_them_too(tmp_path: Path) -> None:
    said = run("screen", "hyperspace-d6", "--panels", "odds", "--out", tmp_path)
    assert said.status == 0, said.err
    with pymupdf.open(next(tmp_path.glob("*.pdf"))) as pdf:
        (page,) = pdf
        assert len(page.get_drawings()) > 20  # the curves are lines, no picture
        assert not page.get_images()
        sizes = [
            s["size"]
            for b in page.get_text("dict")["blocks"]
            for k in b["lines"]
            for s in k["spans"]
        ]
        assert sum(size < 10.9 for size in sizes) <= 8  # credit and page number


def test_what_has_no_curves_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    shutil.copytree(GAME, folder)
    file = folder / "screen.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("tables: odds_curves", "tables: weapons"), encoding="utf-8")
    rules = load_ruleset(folder, complete=True).value
    assert rules is not None
    (found,) = check_ruleset(rules)
    assert "no curves can be drawn of the table `weapons`" in found.message


def test_a_chance_is_a_value_of_formulas() -> None:
    rules = load_ruleset(rulesets_folder() / "narrative-powers", complete=True).value
    assert rules is not None
    scope = RulesetScope(rules)
    assert scope.value("odds.condition.success.normal") == Fraction(6455, 9216)
    assert scope.value("odds.condition.despair.crippled") == Fraction(1, 12)
    assert scope.value("odds.condition.success.nowhere") is None
