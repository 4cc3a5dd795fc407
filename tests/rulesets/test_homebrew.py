"""Rules that homebrewers write: advances of stated ratings, the first of several things, kinds."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from sheetgen.diag.findings import Span
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.plan.scripts.sheet_scripts import build_live, compute_sheet_odds
from sheetgen.plan.sheets.sheets import fill_plate
from sheetgen.plan.sheets.view import build_view
from sheetgen.plugins.exchange.foundry.mapping import load_foundry_map
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
advances:
  pool: growth
  groups: {stats: 1, skills: 2}
  named: {lesson: {name: A lesson, price: 1, take: [taught], once: true}}
choices:
  lessons: {one: lesson, entries: {taught: {name: Taught, modifies: {reach: 5}}}}
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
  reach: {label: Reach, value: 10 + bold + modifiers(reach)}
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


@pytest.mark.many
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


def test_an_advance_brings_choices_along_and_is_bought_once(game: Path) -> None:
    one = checked({**HERO, "ruleset": str(game), "advances": ["A lesson"]})
    assert one.build is not None
    assert one.findings == ()
    assert one.build.derived["reach"].shown == "17"
    twice = checked({**HERO, "ruleset": str(game), "advances": ["A lesson x2"]})
    assert [f.message for f in twice.findings] == ["A lesson: it can be bought only once"]


def test_an_advance_requires_what_was_taken_before_it(game: Path) -> None:
    more = "requires: not has(taught), why: you know it}}"
    rules_with(
        game,
        "once: true}}",
        f"once: true, {more[:-1]}, more: {{name: More, price: 1, "
        "requires: has(taught), why: learn it first}}",
    )

    def said(*advances: str) -> list[str]:
        one = checked({**HERO, "ruleset": str(game), "advances": [*advances]})
        return [f.message for f in one.findings]

    assert said("A lesson", "More") == []
    assert said("More", "A lesson") == ["More: learn it first"]
    assert said("A lesson x2") == ["A lesson: it can be bought only once"]


def rules_with(game: Path, old: str, new: str) -> None:
    """Change a line of the game."""
    text = (game / "ruleset.yaml").read_text("utf-8")
    assert old in text
    (game / "ruleset.yaml").write_text(text.replace(old, new), "utf-8")


@pytest.mark.parametrize(
    ("stats", "said"),
    [
        ({"Bold": 3, "Calm": -1}, []),
        ({"Bold": -1, "Calm": "+3"}, []),
        ({"Bold": 3}, []),
        ({"Bold": 2}, ["Bold is +2; each of +3, −1 is for one stat"]),
        ({"Bold": 3, "Calm": 3}, ["Calm is +3; each of +3, −1 is for one stat"]),
        ({}, ["`stats`: +3 is not assigned"]),
    ],
)
def test_an_array_is_assigned(game: Path, stats: dict[str, object], said: list[str]) -> None:
    rules_with(game, "  stats: {kind: ratings}", "  stats: {kind: ratings, values: [+3, −1]}")
    one = checked({**HERO, "ruleset": str(game), "stats": stats, "advances": []})
    assert [f.message for f in one.findings] == said


def test_words_of_an_array_are_numbers(game: Path) -> None:
    rules_with(game, "  skills: {kind: ratings}", "  skills: {kind: ratings, values: [d8, d7]}")
    assert "`d7` is no number of an array" in run("check", game).out


def test_what_a_stated_trait_needs_is_checked_and_not_offered(game: Path) -> None:
    rules_with(game, "ride: {name: Ride}", "ride: {name: Ride, needs: bold > 3, why: be bold}")
    one = checked({**HERO, "ruleset": str(game)})
    assert [(f.message, f.hint) for f in one.findings] == [
        ("Ride is not open to this build", "be bold")
    ]


def test_a_price_sees_the_trait_that_governs_it(game: Path) -> None:
    rules_with(game, "    price: 1\n", "    sums: false\n    price: 3 if n > under else 1\n")
    rules_with(game, "fight: {name: Fight}", "fight: {name: Fight, under: bold}")
    one = checked({**HERO, "ruleset": str(game), "stats": {"Bold": 1}, "advances": []})
    assert one.build is not None
    assert one.build.ledgers["points"].left == 4 - (1 + 3) - 3  # Ride is under nothing


def test_authors_name_any_number_of_traits(game: Path) -> None:
    bonds = "  bonds: {label: Bonds, one: bond, rating: rank, stated: true, open: {most: 3}}\n"
    rules_with(game, "  skills:\n", f"{bonds}  skills:\n")
    rules_with(
        game, "  stats: {kind: ratings}", "  stats: {kind: ratings}\n  bonds: {kind: ratings}"
    )
    one = checked({**HERO, "ruleset": str(game), "bonds": {"Ilse": 2, "Old Tam": 3}})
    assert one.findings == ()
    assert one.build is not None
    assert [(r.name, r.total) for r in one.build.ratings.values() if r.group == "bonds"] == [
        ("Ilse", 2),
        ("Old Tam", 3),
    ]
    more = checked({**HERO, "ruleset": str(game), "bonds": {"Ilse": 4}})
    assert [f.message for f in more.findings] == ["Ilse is 4; the limit is 3"]


@pytest.mark.slow
def test_named_ratings_come_back_as_plain_numbers(game: Path) -> None:
    bonds = "  bonds: {label: Bonds, one: bond, rating: rank, stated: true, open: {most: 3}}\n"
    rules_with(game, "  skills:\n", f"{bonds}  skills:\n")
    stats = "  stats: {kind: ratings}"
    rules_with(game, stats, f"{stats}\n  bonds: {{kind: ratings}}")
    path = game.parent / "nan.yaml"
    hero = {"ruleset": str(game), **HERO, "bonds": {"Ilse": 2}}
    path.write_text(yaml.safe_dump(hero, sort_keys=False), "utf-8")
    typed = {"bonds.1.3": "On", "bonds.2.name": "Bo", "bonds.2.1": "On"}
    after = yaml.safe_load(merged(filled(path, typed), path).after)
    assert after["bonds"] == {"Ilse": 3, "Bo": 1}


@pytest.mark.parametrize(("written", "half"), [("45%", "22"), ("45", "22"), ("+4", "")])
def test_a_percentage_of_ones_own_is_a_number(game: Path, written: str, half: str) -> None:
    more = "lists: {attacks: {of: gear, columns: {name: '{name}', half: '{attack // 2}'}}}\n"
    rules_with(game, "kinds:\n", f"{more}kinds:\n")
    gear = "  name: {kind: text, required: true, label: Name}\n"
    rules_with(game, gear, f"{gear}  gear: {{kind: items, open: true}}\n")
    claws = [{"Claws": {"attack": written, "damage": "1d6"}}]
    one = checked({**HERO, "ruleset": str(game), "gear": claws})
    assert one.build is not None
    assert one.build.rows["attacks"][0]["half"] == half


def test_findings_about_a_map_are_reported(game: Path) -> None:
    (game / "exports").mkdir()
    twice = "system: {id: hall}\nsystem: {id: hall}\nactors: {}\n"
    (game / "exports" / "foundry-hall.yaml").write_text(twice, "utf-8")
    rules = load_ruleset(game).value
    assert rules is not None
    said = [f.message for f in load_foundry_map(rules).findings]
    assert "`system` is in line 1 already" in said


def test_odds_on_tap_know_the_trait_that_governs_another(game: Path) -> None:
    rules_with(game, "fight: {name: Fight}", "fight: {name: Fight, under: ride}")
    text = (game / "ruleset.yaml").read_text("utf-8")
    rolls = """odds:
  rolls:
    trait:
      kind: sum
      label: trait
      letter: d
      rated: "best(1, {n}, {under})"
      outcomes: {success: {label: success, when: total >= 4}}
"""
    (game / "ruleset.yaml").write_text(text + rolls, "utf-8")
    assert "error" not in run("check", game).out
    rules = load_ruleset(game).value
    assert rules is not None
    odds = compute_sheet_odds(rules, {})
    assert odds is not None
    assert odds["under"] == {"skills.fight": "skills.ride"}
    table = odds["rolls"][0]["table"]
    assert table["=d6/d4"] == "62.5"  # 1 - 3/6 * 3/4
    assert table["=d4/d12"] == "81.3"
