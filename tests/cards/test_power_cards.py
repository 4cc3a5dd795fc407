"""Cards of what was chosen: sections in their order, pools die by die, marks of how often."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

from sheetgen.data import data_folder
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_complete, load_ruleset
from sheetgen.model.prints import CardFace
from sheetgen.model.requests import CardRequest
from sheetgen.plan.imposition import CARDS, DeckLayout, impose
from sheetgen.prints.cards import ChosenCard, Deck, build_deck, thing_cards
from sheetgen.prints.characters import load_characters

RULES, KIND = "narrative-powers", "power"
HERO = data_folder() / "content" / "characters" / RULES / "tib_marlow.yaml"


@cache
def _everything() -> tuple[ChosenCard, ...]:
    rules = load_ruleset((rulesets_folder() / RULES,), complete=True).value
    assert rules is not None
    return tuple(thing_cards(rules, KIND, {}))


@cache
def _hers() -> tuple[ChosenCard, ...]:
    (one,) = load_characters([HERO])
    rules = load_complete(one.rules)
    assert rules is not None
    assert one.build is not None
    return tuple(thing_cards(rules, KIND, one.build.options, one.build))


@cache
def _deck(size: str, *, own: bool) -> Deck:
    layout = DeckLayout(impose(CARDS[size], "a4"))
    made = build_deck(_hers() if own else _everything(), layout, CardRequest(size=size)).value
    assert made is not None
    return made


def _marks(face: CardFace) -> Counter[str]:
    return Counter(shape for strip in face.strips for shape in strip.filling.marks.values())


def _said(face: CardFace) -> str:
    return " ".join(strip.alt_text for strip in face.strips)


def _spoken(text: str) -> str:
    """Return `text` with the signs of dice as they are read: `2 Setback` is two signs."""
    dice = "Ability|Boost|Challenge|Difficulty|Proficiency|Setback"
    return re.sub(rf"(\d) ({dice})\b", lambda m: " ".join([m[2]] * int(m[1])), text)


@pytest.mark.parametrize("size", ["poker", "tarot", "index", "a6", "half-letter"])
def test_all_that_a_power_says_stands_on_its_cards(size: str) -> None:
    made, at = _deck(size, own=False), 0
    for one in _everything():
        faces = [face for face in made.faces if one.about.name in face.name.split(" · ")]
        said = " ".join(_said(face) for face in faces)
        for name, text in one.about.texts.items():
            if name.startswith("sections.") and name.endswith(".text"):
                assert _spoken(" ".join(text.split())) in said, (one.about.name, name)
        at += len(faces)
    assert at == sum(len(face.name.split(" · ")) for face in made.faces)


def test_sections_stand_in_their_order() -> None:
    made = _deck("poker", own=False)
    (face,) = (face for face in made.faces if face.name == "Basic Retaliate")
    labels = ("Trigger", "Target", "Attack", "Hit", "Hit unarmed", "Special")
    words, at = _said(face), 0
    for label in labels:
        at = words.find(f"Section {label}", at)
        assert at >= 0, label


def test_a_pool_is_drawn_die_by_die() -> None:
    for one, face in zip(_hers(), _deck("poker", own=True).faces, strict=True):
        pool = Counter(one.about.dice.get("you", ()))
        assert {die: _marks(face)[die] for die in pool} == dict(pool), face.name
        assert one.about.texts.get("you.roll.text", "") in _said(face)


def test_without_a_hero_dice_are_filled_in_against_what_the_check_meets() -> None:
    made = _deck("poker", own=False)
    (face,) = (face for face in made.faces if face.name == "Basic Melee")
    assert "Check vs Reflex" in _said(face)
    (other,) = (one for one in _everything() if one.about.texts["check"] == "Stealth, 2 Difficulty")
    (face,) = (face for face in made.faces if face.name == other.about.name)
    assert "Check Stealth, Difficulty Difficulty" in _said(
        face
    )  # what meets nobody is a check in words
    assert not {"ability", "proficiency"} & set(_marks(face))


def test_only_what_is_used_up_has_a_box() -> None:
    for one, face in zip(_hers(), _deck("poker", own=True).faces, strict=True):
        often = one.about.texts["frequency"].lower()
        assert _marks(face)[f"band-{often}"] == 1
        assert _marks(face)[f"used-{often}"] == (often != "at-will")


def test_a_hero_has_figures_where_the_stock_names_what_adds_up() -> None:
    """The card and the sheet once differed: `Wisdom + successes` and `3 + successes`."""
    (one,) = load_characters([HERO])
    assert one.build is not None
    assert one.rules is not None
    added = {"Brawn", "Agility", "Wisdom", "Intellect"}
    for card in _hers():
        for name, text in card.about.texts.items():
            if name.startswith("sections.") and name.endswith(".text") and "damage" in text:
                assert not added & set(text.split()), text
    rows = {row["name"]: row for rows in one.build.rows.values() for row in rows if "name" in row}
    basic = next(card for card in _hers() if card.about.name == "Basic Ranged")
    hit = next(t for n, t in basic.about.texts.items() if n.endswith(".text") and "succ" in t)
    assert hit.rstrip(".") in " ".join(" ".join(map(str, r.values())) for r in rows.values())
