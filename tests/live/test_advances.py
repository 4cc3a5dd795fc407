"""Ratings that are bought at creation and advanced later: sheets and files count both alike."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from sheetgen.diag.findings import Span
from sheetgen.plan.scripts.sheet_scripts import build_live
from sheetgen.plan.sheets.sheets import fill_plate
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints.characters import Character
from tests.live.changes import checked, rack
from tests.live.engine import compute, fields_of
from tests.readback.sheets import filled, merged

LANTERN = Path(__file__).parent.parent / "rulesets" / "games" / "lantern"

GAME = """\
id: strive
title: Strive
version: 1
format: 1
credit: {short: a, long: a, licence: none stated}
pools:
  points: {label: Points, start: 20 + grit + has(spark)}
  lessons: {label: Lessons, start: 30 + craft + 2 * sing, adds: lessons}
groups:
  scores:
    rating: rank
    stated: true
    price: n + might + has(gifts)
    pool: points
    traits: {grit: {name: Grit}, craft: {name: Craft, under: grit}, vim: {name: Vim}}
  knacks:
    rating: dots
    boxes: 6
    traits: {climb: {name: Climb, under: grit}, sing: {name: Sing, under: craft}}
gear:
  coat: {name: Coat, worn: true, gives: might, bonus: 1}
  blade: {name: Blade, tags: [edged], dice: 2, numbers: {heft: 2}}
  ember: {name: Ember, tags: [edged], dice: 4, numbers: {heft: 1 + vim}, modifies: {might: 1}}
choices:
  gifts:
    entries:
      spark:
        name: Spark
        modifies: {might: 2}
        grants: {raise: {sing: 1, vim: 1}, gear: [ember]}
advances:
  pool: lessons
  groups: {scores: 2 * n + under + vim + might, knacks: n + under + 3 * has(spark) + best(edged)}
  gear: n + might + items(edged)
  named:
    training: {name: Training, price: 2 + grit + sum(gear.heft), raise: {grit: 1}}
    kindling: {name: Kindling, price: 3 + 5 * has(spark) + sing, take: [spark]}
character:
  name: {kind: text}
  scores: {kind: ratings}
  gear: {kind: items}
  lessons: {kind: number, least: 0}
  advances: {kind: advances}
derived:
  might: {label: Might, value: 1 + craft // 3 + vim + modifiers(might)}
"""
GEAR = ["Coat", "Blade"]


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("strive")
    (folder / "ruleset.yaml").write_text(GAME, "utf-8")
    return str(folder)


def live_out(one: Character, typed: dict[str, str], *, flat: bool) -> dict[str, Any]:
    """Return what the live sheet of a character says once some fields are typed."""
    assert one.build is not None
    assert one.rules is not None
    plate = rack().find_design(one.rules, "standard", "a4", None).value.sheet
    view = build_view(one.build, one.rules)
    live = build_live(one.build, view, one.rules, plate, flat=flat)
    assert live is not None
    return compute(live, fields_of(plate, fill_plate(view, plate, Span("")).filling) | typed)


@pytest.mark.slow
def test_what_is_typed_at_creation_is_bought_before_advances(game: str) -> None:
    chance = random.Random("strive")
    for _ in range(60):
        names = ("Grit", "Craft", "Climb", "Sing", "Training", "Kindling", *GEAR)
        steps = chance.choices(names, k=chance.randint(0, 5))
        made = {"Grit": chance.randint(0, 3), "Craft": chance.randint(0, 3)}
        data = {"ruleset": game, "name": "Ada", "scores": made, "gear": GEAR, "advances": steps}
        before, rise = Counter(steps), {n: chance.randint(0, 2) for n in made}
        own = {n: made[n] + before[n] + rise[n] for n in made}
        own["Grit"] += before["Training"]
        places = {"Grit": "scores.grit.total", "Craft": "scores.craft.own"}
        typed = {place: str(own[n]) for n, place in places.items() if rise[n]}
        after = checked({**data, "scores": {n: made[n] + rise[n] for n in made}})
        assert after.build is not None
        out = live_out(checked(data), typed, flat=chance.random() < 0.5)
        left = {pool: ledger.left for pool, ledger in after.build.ledgers.items()}
        assert out["left"] == left, (data, typed)


def test_what_is_bought_later_changes_no_price_before_it(game: str) -> None:
    chance = random.Random("later")
    for _ in range(60):
        names = ("Grit", "Craft", "Climb", "Sing", "Training", "Kindling", *GEAR)
        steps = chance.choices(names, k=chance.randint(1, 6))
        made = {"Grit": chance.randint(0, 3), "Craft": chance.randint(0, 3)}
        before, after = (
            checked({"ruleset": game, "scores": made, "gear": GEAR, "advances": some}).build
            for some in (steps[:-1], steps)
        )
        assert before is not None
        assert after is not None
        points, lessons = (after.ledgers[pool].lines for pool in ("points", "lessons"))
        assert points == before.ledgers["points"].lines, steps
        assert lessons[:-1] == before.ledgers["lessons"].lines, steps


@pytest.mark.parametrize("flat", [True, False], ids=["pdf", "html"])
def test_a_rating_from_a_fixed_base_is_printed_and_typed_whole(flat: bool, tmp_path: Path) -> None:
    """Nobody plays with the steps above −1: the sheet shows +1 alone, and +2 buys an advance."""
    path = LANTERN / "characters" / "grown.yaml"
    one = checked({**yaml.safe_load(path.read_text("utf-8")), "ruleset": str(LANTERN)})
    assert one.build is not None
    assert one.rules is not None
    view = build_view(one.build, one.rules)
    assert view.texts["stats.wit.total"].text == "+1"
    assert "stats.wit.own" not in view.texts
    typed = {"stats.wit.total": "+2"}
    out = live_out(one, typed, flat=flat)
    assert out["left"]["growth"] == one.build.ledgers["growth"].left - 1
    game = Path(shutil.copytree(LANTERN, tmp_path / "lantern"))
    path = game / "characters" / "grown.yaml"
    assert "stats.wit.own" not in filled(path, {}).fields
    assert "advances: [Shade, Grit, Wit]" in merged(filled(path, typed), path).after
