"""What rulesets of new shapes ran into: names of fields, boxes, limits, the place of a debt."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from sheetgen.plan.scripts.places import Formulas, Inputs, find_live_columns, find_outputs
from sheetgen.plan.scripts.sheet_scripts import list_unfollowed
from tests.cli.commands import run
from tests.live.changes import checked, rack
from tests.live.test_advances import live_out

GAME = """\
id: shapes
title: Shapes
version: 1
format: 1
credit: {short: a, long: a, licence: none stated}
groups:
  stats: {one: stat, rating: signed, stated: true, base: -1, traits: {calm: {name: Calm}}}
  skills:
    label: Skills
    one: skill
    rating: rank
    stated: true
    price: 1
    pool: points
    traits: {law: {name: Law, base: 5}, swim: {name: Swim, base: 20}}
pools:
  points: {label: Points, start: 80}
  growth: {label: Growth, start: ticks // 5}
choices:
  trade: {one: trade, entries: {clerk: {name: Clerk, offers: [law], grants: {raise: {calm: 1}}}}}
  moves: {one: move, price: 2, pool: growth, entries: {punch: {name: Punch}}}
lookups: {bonus: {0: "-1", 60: none, 90: +1d4}}
gear: {club: {name: Club, tags: [weapon], skill: swim, damage: "1d8{bonus(law)}"}}
lists:
  weapons:
    {of: gear, where: weapon, columns: {name: "{name}", attack: "{attack}", damage: "{damage}"}}
character:
  name: {kind: text, required: true}
  trade: {kind: choice, required: true}
  stats: {kind: ratings, values: [+2]}
  training:
    {kind: raises, of: skills, from: trade, count: "40", repeat: 1 == 1, most: 90, label: Training}
  skills: {kind: ratings}
  moves: {kind: choices}
  gear: {kind: items}
  ticks: {kind: number, least: 0}
derived: {ticked: {value: ticks % 5}}
tracks: {marks: {boxes: 5, marked: ticked, shown: 5}}
"""
ADA = "ruleset: ..\nname: Ada\ntrade: Clerk\nstats: {Calm: 3}\ntraining: [Law x40]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "game" / "people").mkdir(parents=True)
    return tmp_path / "game"


def said(folder: Path, game: str, person: str = "", command: str = "check") -> str:
    (folder / "ruleset.yaml").write_text(game, "utf-8")
    file = folder / "people" / "ada.yaml"
    file.write_text(ADA + person, "utf-8")
    return run(command, str(file if person else folder)).all


def test_a_rating_names_all_that_it_is_made_of_once(folder: Path) -> None:
    shown = said(folder, GAME, "skills: {Law: 60, Swim: 30}\n", "show")
    assert "base −1, written +3, Clerk +1" in shown
    assert "base 5, Training +40, bought +15" in shown


@pytest.mark.parametrize(
    ("person", "found"),
    [
        ("moves: [Punch]\nticks: 4\n", "ada.yaml:6:1: error[SG203]: Growth: 2 spent, 0 to spend"),
        ("skills: {Law: 45, Swim: 91}\n", "ada.yaml:6:25: error[SG204]: Swim is 91 at creation"),
        ("skills: {Law: 95}\n", "Law is 95 at creation; at most 90"),
        ("skills: {Law: 90, Swim: 25}\n", "clean"),
    ],
)
def test_a_debt_and_a_limit_have_their_place(folder: Path, person: str, found: str) -> None:
    assert found in said(folder, GAME, person)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (
            "tracks: {marks:",
            "tracks: {ticks:",
            "`ticks` is a key of the character's file and a track",
        ),
        ("base: 5", "base: 5, short: ACT", "clean"),
        (
            "rating: rank",
            "rating: dots\n    boxes: 5",
            "Skills begin at a `base`, which boxes do not",
        ),
    ],
)
def test_fields_of_a_generated_sheet_have_names_and_ratings_of_their_own(
    folder: Path, old: str, new: str, found: str
) -> None:
    assert found in said(folder, GAME.replace(old, new))


def test_live_sheets_follow_damage_without_a_row_and_mark_what_a_trade_offers(folder: Path) -> None:
    (folder / "ruleset.yaml").write_text(GAME, "utf-8")
    data = yaml.safe_load(ADA) | {"ruleset": str(folder), "gear": ["Club"], "skills": {"Law": 45}}
    one = checked(data)
    assert one.rules is not None
    typed = live_out(one, {"skills.law.total": "70"}, flat=False)["values"]
    assert [typed[f"weapons.1.{column}"] for column in ("attack", "damage")] == ["20", ""]
    plate = rack().find_design(one.rules, "standard", "a4", None).value.sheet
    kinds = {place.name: place.kind for place in plate.places}
    formulas = Formulas(one.rules, Inputs(one.rules, kinds))
    out = [*find_outputs(one.rules, kinds, find_live_columns(formulas), formulas.inputs.names)]
    marked = {
        name
        for label, _, names in list_unfollowed(formulas, kinds, out)
        if label.lower() == "trade"
        for name in names
    }
    assert {"points.left", "points.ledger", "skills.law.total", "stats.calm.total"} <= marked
