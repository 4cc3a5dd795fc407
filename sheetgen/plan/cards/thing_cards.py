"""Things of a ruleset, and choices that a build made, as what a card is about."""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.model.build import Build
from sheetgen.model.rulesets.choices import Choice
from sheetgen.model.rulesets.odds import OddsGrid
from sheetgen.model.rulesets.tables import CardSet
from sheetgen.plan.cards.kinds import Subject
from sheetgen.plan.cards.odds_cards import build_odds_texts
from sheetgen.plan.sheets.view import roll_words
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.tables.things import ThingScope

SECTIONS = "sections"
"""A list that a card set may have: the sections of each choice, in order."""


def build_thing_subject(made: CardSet, about: ThingScope, build: Build | None = None) -> Subject:
    """Return a thing as what a card is about, with the texts of its card set.

    Args:
        build: Whose choice it is; then what it rolls is there as dice.

    Raises:
        FormulaError: A text cannot be worked out, or a grid of odds.
    """
    told = {place: filled(text, about) for place, text in made.texts.items()}
    if isinstance(about.thing, OddsGrid):
        told |= build_odds_texts(about.rules, about.thing, about.options)
    entry = about.thing if isinstance(about.thing, Choice) else None
    if entry is not None and SECTIONS in made.lists:
        told |= _sections(entry, about)
    if entry is not None:
        for number, word in enumerate(entry.undefined, start=1):
            told[f"undefined.{number}.text"] = f"“{word}” is not defined in the rules."
    dice = dict(_dice(made, entry, build)) if entry is not None and build is not None else {}
    told |= {f"{place}.roll.text": roll_words(pool) for place, pool in dice.items()}
    pools = {
        place: tuple(die for die, count in pool for _ in range(count))
        for place, pool in dice.items()
    }
    return Subject(told["name"], told, dice=pools)


def _sections(entry: Choice, about: ThingScope) -> Mapping[str, str]:
    told = {}
    for number, section in enumerate(entry.sections, start=1):
        place = f"{SECTIONS}.{number}"
        told[f"{place}.label"] = section.label
        told[f"{place}.text"] = filled(section.text, about)
        if section.about:
            told[f"{place}.about"] = section.about
    return told


def _dice(made: CardSet, entry: Choice, build: Build) -> Mapping[str, tuple[tuple[str, int], ...]]:
    """Return what is rolled for a choice by this build, by the place that shows it."""
    if entry.roll is None:
        return {}
    name = str(entry.roll)
    rating = build.ratings.get(name)
    found = build.rolls.get(f"{rating.group}.{name}" if rating else name, ())
    return {str(place): found for place, what in made.rolls.items() if what == "roll" and found}
