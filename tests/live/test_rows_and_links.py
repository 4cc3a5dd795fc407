"""What rows of lists and links add to a live sheet: pools of dice, computed texts, linked dots."""

from __future__ import annotations

from sheetgen.plan.sheets.view import build_blank_view, build_view
from tests.live.changes import checked
from tests.live.test_engine import told

HERO = {
    "ruleset": "narrative-powers",
    "name": "Orla",
    "race": "Stoneborn",
    "class": "Bulwark",
    "abilities": {"Brawn": 3, "Vitality": 3},
    "class_skills": ["Arms", "Athletics", "Vigilance"],
    "powers": ["Driving Blow", "Challenging Strike", "Shield Wall", "Earthbreaker"],
    "gear": ["Long Blade", "Knife"],
}
KNIGHT = {
    "ruleset": "keyword-dots",
    "name": "Ansa",
    "class": "Jedi Guardian",
    "xp": 60,
    "force_powers": {"Saber Fighting": 3},
    "abilities": {"Surprise": 2},
    "links": {"A": ["Saber Fighting", "Surprise"]},
}


def test_a_row_shows_the_dice_of_its_roll_and_the_best_weapon() -> None:
    one = checked(HERO)
    assert one.build is not None
    assert one.rules is not None
    view = build_view(one.build, one.rules)
    assert [view.frames.get(f"weapons.1.roll.{n}") for n in (1, 2, 3, 4)] == [
        *("proficiency", "ability", "ability"),
        None,
    ]
    assert view.texts["at_will.1.text"].text == "5 + successes; pushes 1"
    assert view.texts["weapons.2.damage"].text == "4 + successes"


def test_a_power_follows_the_ability() -> None:
    out = told(HERO, abilities__brawn__3="Off")
    assert out["values"]["at_will.1.text"] == "4 + successes; pushes 1"
    assert out["values"]["weapons.1.damage"] == "4 + successes"
    assert out["values"]["unarmed_hit.text"] == "2 + successes"


def test_a_link_adds_the_dots_of_the_other_skill() -> None:
    assert told(KNIGHT)["values"]["saber_hit.text"] == "9, linked 25"
    apart = told(KNIGHT, abilities__surprise__link="B")
    assert apart["values"]["saber_hit.text"] == "9"
    more = told(KNIGHT, abilities__surprise__3="On")
    assert more["values"]["saber_hit.text"] == "9, linked 36"


def test_a_blank_view_asks_for_outlines_of_dice() -> None:
    one = checked(HERO)
    assert one.rules is not None
    assert build_blank_view(one.rules).blank
