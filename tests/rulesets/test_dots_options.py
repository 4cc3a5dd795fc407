"""Each option of keyword-dots changes a print or a check, and no print contradicts it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from sheetgen.check.character.options import NUMBER, YES_OR_NO, resolve_options
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.source import Source
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints.cards import thing_cards
from sheetgen.rules.tables.compute import compute_table, kind_of_tables, printed, rows_of
from tests.live.changes import checked
from tests.shelf import folder_of, ruleset

GAME = "keyword-dots"
HERO = {"ruleset": GAME, "name": "Any", "xp": 200}
HEROES: tuple[dict[str, Any], ...] = (
    {"class": "none"},
    {"class": "Consular", "wield": "Lightsaber", "offhand": "Pikesaber"},
    {"class": "Sentinel", "wield": "Lightsaber", "offhand": "Lightsaber"},
    {"class": "Inquisitor", "specials": ["Jar'Kai"], "wield": "Lightsaber", "offhand": "Shoto"},
    {"class": "Acolyte", "wield": "Lightsaber", "force powers": {"Jedi Master": 2}},
    {"class": "Warrior", "wield": "Pikesaber", "offhand": "Blaster", "dice": ["d4", "d2"]},
    {"class": "Guardian", "specials": ["Specialist"], "force powers": {"Jump": 8, "Sprint": 6}},
    {"class": "Guardian", "specials": ["Flexible x2"], "force powers": {"Choke": 2}},
    {"class": "Guardian", "kit": ["Reckless", "Compartments"], "force powers": {"Slow Ageing": 3}},
    {
        "class": "Guardian",
        "kit": "Strange Computer",
        "specials": ["Unlearn"],
        "sold": {"Robots": 1},
    },
    {"class": "Guardian", "specials": ["Unique"], "unique": {"Bone Songs": {"dots": 2, "max": 3}}},
    {
        "class": "Guardian",
        "abilities": {"Wealth": 3, "Stealth": 3},
        "force powers": {"Slow Ageing": 3},
    },
)
OTHER = {"max_dots": "7", "xp.start": "7", "special_ability.price": "7"}
"""What an option that is a number is set to."""


def _choices() -> list[tuple[str, str]]:
    """Return each option with each of its values that is not the default."""
    found = []
    for id_, option in ruleset(GAME).options.items():
        values = list(map(str, option.values))
        if values == [NUMBER]:
            values = [OTHER[str(id_)]]
        elif values == [YES_OR_NO]:
            values = ["no" if option.default else "yes"]
        found += [(str(id_), value) for value in values if value != str(option.default)]
    return found


CHOICES = _choices()


@cache
def prints(name: str = "", value: str = "") -> Mapping[str, str]:
    """Return all words of all prints that need no character, by print."""
    rules = load_ruleset(folder_of(GAME), complete=True).value
    assert rules is not None
    chosen = {name: value} if name else {}
    options, wrong = resolve_options(Source("", "", None, ""), rules, chosen)
    assert wrong == []
    found = {}
    for id_, table in rules.tables.items():
        if kind_of_tables(table.of):
            continue
        found[f"table {id_}"] = repr(compute_table(rules, str(id_), options))
        if id_ in ("cost", "dice", "rest"):
            found[f"blank sheet {id_}"] = repr(printed(rules, table, options))
    for side, screen in rules.screens.items():
        for id_, panel in screen.panels.items():
            blocks = [block for column in panel.columns for block in column]
            found[f"screen {side} {id_}"] = repr([rows_of(rules, b, options) for b in blocks])
    for cards in rules.card_sets:
        found[f"cards {cards}"] = repr([one.about for one in thing_cards(rules, cards, options)])
    return found


@cache
def checks(name: str = "", value: str = "") -> tuple[str, ...]:
    """Return what is printed of, and found about, characters that options are about."""
    chosen = {"options": {name: value}} if name else {}
    found = []
    for hero in HEROES:
        one = checked(HERO | hero | chosen)
        assert one.build is not None
        assert one.rules is not None
        texts = {k: v.text for k, v in build_view(one.build, one.rules).texts.items()}
        values = {k: v.value for k, v in one.build.derived.items()}
        said = [(f.code.id, f.message) for f in one.findings]
        found.append(repr((texts, values, said, one.build.ledgers)))
    return tuple(found)


@pytest.mark.many
@pytest.mark.parametrize(("name", "value"), CHOICES)
def test_an_option_changes_a_print_or_a_check(name: str, value: str) -> None:
    assert prints(name, value) != prints() or checks(name, value) != checks()


CONTRADICTIONS = [
    ("stars.cost", "beyond", r"free of Force cost'", "once the plain dots are used"),
    ("rest.full", "week", r"\b5 days\b(?! ?\.)|5\(1", r"\b7\b"),
    ("master.hits", "yes", "shorter by n/\\(n\\+1\\); seen", "brings n/\\(n\\+1\\) of it as Hits"),
    ("lords.side", "own", r"a Jedi: meditation", "closed to Jedi"),
    ("offhand.attack", "fixed", r"offhand: linear|offhand 1 Force a dot", "offhand: 1 Force"),
    (
        "attacks.effect",
        "squared",
        "geometric damage(?! of|; costs| back)",
        "squared damage, very far",
    ),
    ("double.first", "no", "price of later blocks", "price of all blocks"),
    ("reflect.shots", "shot", "total shots|shots of the round", "1 for each shot"),
    ("nullify.block", "free", "costs as usual|pays as usual", "free too"),
    ("cybernetics.cut", "savage", "half of them", "half of its dots"),
    ("wealth.most", "square", "n²−1", "n²"),
    ("thrown.back", "same_round", "a round sooner|as it starts", "the same round"),
    ("ageing.reserve", "squared", r"to \(n-1\)/n'", "dots squared Force"),
    ("rounding", "up", r"\*down\*", r"\*up\*|'up'"),
    ("specialist.cost", "access", "at n for dot n", "at 2n for dot n"),
    ("specialist.scope", "step", "Buy dots beyond", "Buy one dot beyond"),
    ("max_dots", "7", "limit of 1 or more, at", "up to dot 7"),
    ("kits.many", "yes", "[Oo]ne at most", "[Aa]ny number"),
    ("kit.robot", "offered", "Robots 1|lightsaber, an armed unit", "offered, not given"),
    ("unique.side", "power", "for Hits;", "for Force;"),
    ("unlearn.kit_dots", "yes", "kit for nothing", "kit too"),
    ("hits.kit_dots", "no", "count for Hits and Force", "neither Hits nor Force"),
    ("special_ability.price", "7", "Without a price", "Each costs 7 XP"),
    ("consular.second", "no_light_weapon", "a single lightsaber", "a single light weapon"),
    ("light.training", "guardian_only", "does not cleave'", "Guardians only"),
    ("acolyte.staff", "wields", "Red double blade[.]", "always in hand"),
    ("heading.sabers", "limit", "One red blade[.]", "no second"),
    ("offhand.saber", "either", "blocks as a primary'", "it may be a lightsaber"),
    ("dice.buy", "printed", "5 for each die", r"4 \+ the dice held"),
]


@pytest.mark.parametrize(("name", "value", "gone", "there"), CONTRADICTIONS)
def test_no_print_contradicts_an_option(name: str, value: str, gone: str, there: str) -> None:
    before, after = " ".join(prints().values()), " ".join(prints(name, value).values())
    assert re.search(gone, before)
    assert not re.search(gone, after)
    assert re.search(there, after)
