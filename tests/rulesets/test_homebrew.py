"""Rules that homebrewers write: advances of stated ratings, the first of several things, kinds."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from sheetgen.plan.scripts.live import build_live

from sheetgen.diag.findings import Span
from sheetgen.plan.sheets.sheets import fill_plate
from sheetgen.plan.sheets.view import build_view
from tests.cli.commands import run
from tests.live.changes import checked, rack
from tests.live.engine import compute, fields_of
from tests.readback.sheets import filled, merged

RULES = """
id: homebrew
title: Homebrew
version: 1
format: 1
credit: {short: Homebrew, long: Homebrew, licence: CC0-1.0}
groups:
  stats:
    label: Stats
    one: stat
    rating: signed
    stated: true
    base: -1
    limit: {most: 4}
    traits: {bold: {name: Bold}, calm: {name: Calm}}
  skills:
    label: Skills
    one: skill
    rating: die
    stated: true
    base: 1
    price: 1
    pool: points
    traits: {fight: {name: Fight}, ride: {name: Ride}}
pools:
  points: {label: Points, start: 4}
  growth: {label: Growth, start: 0, adds: earned}
advances: {pool: growth, groups: {stats: 1, skills: 2}}
choices:
  class:
    one: class
    entries: {guard: {name: Guard, numbers: {die: 10}}, mage: {name: Mage, numbers: {die: 6}}}
character:
  name: {kind: text, required: true, label: Name}
  class: {kind: choices, most: 9}
  stats: {kind: ratings}
  skills: {kind: ratings}
  earned: {kind: number, least: 0}
  advances: {kind: advances}
derived:
  reach: {label: Reach, value: 10 + bold}
  hits: {label: Hits, value: first(class.die) + sum(class.die)}
kinds:
  foe:
    one: foe
    label: Foes
    folder: foes
    character: {name: {kind: text, required: true}, harm: {kind: number}}
encounter: {as: foe, strips: {foe: {label: Foe, figures: [{label: Harm, of: harm}]}}}
"""
HERO = {
    "name": "Nan",
    "stats": {"Bold": 2, "Calm": -1},
    "skills": {"Fight": "d8", "Ride": "d6"},
    "earned": 5,
    "advances": ["Bold", "Fight"],
}


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """The folder of the game, with a foe."""
    folder = tmp_path / "game"
    (folder / "foes").mkdir(parents=True)
    (folder / "ruleset.yaml").write_text(RULES, "utf-8")
    foe = "ruleset: ..\nkind: foe\nentries: [{name: Wolf, harm: 2}]\n"
    (folder / "foes" / "all.yaml").write_text(foe, "utf-8")
    return folder


def test_advances_are_added_to_ratings_that_the_author_states(game: Path) -> None:
    one = checked({**HERO, "ruleset": str(game)})
    assert one.build is not None
    assert {r.id: r.total for r in one.build.ratings.values()} == {
        "bold": 3,
        "calm": -1,
        "fight": 4,
        "ride": 2,
    }
    assert {p: ledger.left for p, ledger in one.build.ledgers.items()} == {"points": 1, "growth": 2}
    assert one.build.derived["reach"].shown == "13"
    more = checked({**HERO, "ruleset": str(game), "advances": ["Bold x3"]})
    assert [f.message for f in more.findings] == ["Bold is +5; the limit is +3"]


@pytest.mark.parametrize(
    ("typed", "totals", "left"),
    [
        ({"stats.calm.total": "+1"}, {"reach.value": "13"}, {"points": 1, "growth": 0}),
        ({"stats.bold.total": "+2"}, {"reach.value": "12"}, {"points": 1, "growth": 3}),
        ({"skills.fight.total": "d8"}, {}, {"points": 1, "growth": 4}),
        ({"skills.fight.total": "d12"}, {}, {"points": 0, "growth": 2}),
        ({"skills.fight.total": "d6"}, {}, {"points": 2, "growth": 4}),
    ],
)
def test_whole_ratings_are_typed(
    game: Path, typed: dict[str, str], totals: dict[str, str], left: dict[str, int]
) -> None:
    """A step above the file's is an advance, or bought from the pool that pays for ratings."""
    one = checked({**HERO, "ruleset": str(game)})
    assert one.build is not None
    assert one.rules is not None
    plate = rack().find_design(one.rules, "standard", "a4", None).value.sheet
    assert not any(place.name.endswith(".own") for place in plate.places)
    view = build_view(one.build, one.rules)
    live = build_live(one.build, view, one.rules, plate, flat=False)
    assert live is not None
    fields = fields_of(plate, fill_plate(view, plate, Span("")).filling)
    out = compute(live, fields)
    assert out["left"] == {"points": 1, "growth": 2}
    out = compute(live, fields | typed)
    assert out["values"].items() >= totals.items()
    assert out["left"] == left


def test_typed_ratings_come_back_as_advances_or_as_what_was_bought(game: Path) -> None:
    path = game.parent / "nan.yaml"
    path.write_text(yaml.safe_dump({"ruleset": str(game), **HERO}, sort_keys=False), "utf-8")
    typed = {"stats.calm.total": "+1", "stats.bold.total": "+2", "skills.ride.total": "d8"}
    after = yaml.safe_load(merged(filled(path, typed), path).after)
    assert after["stats"] == {"Bold": 2, "Calm": -1}
    assert after["skills"] == {"Fight": "d8", "Ride": "d8"}
    assert after["advances"] == ["Fight", "Calm x2"]


@pytest.mark.parametrize(
    ("classes", "hits"),
    [(["Guard", "Mage x2"], "32"), (["Mage x2", "Guard"], "28"), ([], "0")],
)
def test_the_first_of_several_things(game: Path, classes: list[str], hits: str) -> None:
    one = checked({**HERO, "ruleset": str(game), "class": classes})
    assert one.build is not None
    assert one.build.derived["hits"].shown == hits


def test_a_kind_names_what_comes_with_the_ruleset(game: Path) -> None:
    fight = {
        "ruleset": str(game),
        "encounter": "Wolves",
        "combatants": [{"foe": "Wolf", "count": 2}],
    }
    path = game.parent / "fight.yaml"
    path.write_text(yaml.safe_dump(fight), "utf-8")
    assert run("check", path).out == f"{path}: clean\n"
    path.write_text(yaml.safe_dump({**fight, "combatants": [{"foe": "Wolff"}]}), "utf-8")
    assert "there is no foe `Wolff`" in run("check", path).out
