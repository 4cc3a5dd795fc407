"""Every printed figure is compared with something, and a slip in any of them is found."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from sheetgen.load.rulesets.content import Seeds, load_seeds, rulesets_folder, seeds_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.rulesets.prints import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plugins.author.comparing import compare_source, unread
from sheetgen.plugins.author.comparisons import ProofContext, within
from tests.proof.test_proof import PROVED

OURS = ("about", "effect", "kind", "kit", "unit")
"""Columns of our own words, as seeds/README.md says; a kit goes by its number."""

POINTS = "Character Points on a skill or attribute"
HYPERSPACE, DOTS = "hyperspace-d6", "keyword-dots"


@cache
def loaded(id_: str) -> tuple[Ruleset, Seeds]:
    folder = rulesets_folder() / id_
    rules, below = load_ruleset(folder, complete=True).value, seeds_folder(folder)
    assert rules is not None
    assert below is not None
    seeds = load_seeds(below).value
    assert seeds is not None
    return rules, seeds


def found(rules: Ruleset, seeds: Seeds) -> tuple[Difference, ...]:
    read = compare_source(ProofContext(rules, seeds))
    assert read.findings == ()
    return read.value or ()


@pytest.mark.parametrize("id_", PROVED)
def test_every_printed_cell_is_compared(id_: str) -> None:
    rules, seeds = loaded(id_)
    bench = ProofContext(rules, seeds)
    compare_source(bench)
    assert [cell for cell in unread(bench) if cell[2] not in OURS] == []


@pytest.mark.parametrize("id_", PROVED)
def test_what_is_compared_with_nothing_says_why(id_: str) -> None:
    rules, _ = loaded(id_)
    reasons = [why for proof in rules.proof for why in proof.unread.values()]
    for proof in rules.proof:
        for example in proof.examples:
            compared = example.text or example.formula or example.table
            assert bool(compared) != bool(example.unread), example.at
            reasons += [example.unread] if example.unread else []
    assert all(len(why.split()) > 1 for why in reasons)


SLIPS = [
    ("wound-points", "house_prose.csv", 86, {"about": "difficulty of a grab", "printed": "+30"}),
    ("wound-points", "house_prose.csv", 86, {"about": "defence of who grabs", "printed": "-1D"}),
    ("wound-points", "house_prose.csv", 28, {"about": "minutes out", "printed": "1D"}),
    ("wound-points", "house_prose.csv", 58, {"about": "most Move actions", "printed": "five"}),
    (
        "wound-points",
        "house_prose.csv",
        50,
        {"about": "Wound Points in a medpac", "printed": "5 to 30"},
    ),
    ("second-edition-update", "update_prose.csv", 12, {"about": "Heroic+10", "given": "20"}),
    ("second-edition-update", "update_prose.csv", 59, {"about": POINTS, "printed": "three"}),
    (HYPERSPACE, "vehicles.csv", 589, {"name": "X-Wing", "evade": "12"}),
    (HYPERSPACE, "vehicles.csv", 589, {"name": "X-Wing", "mob": "2D"}),
    (HYPERSPACE, "vehicles.csv", 516, {"name": "CR90 Corvette", "crew": "5"}),
    (HYPERSPACE, "vehicles.csv", 574, {"name": "Landspeeder", "weapons": "Laser Cannon 4D"}),
    (HYPERSPACE, "vehicles.csv", 477, {"name": "YT-2000", "group": "WALKERS"}),
    (HYPERSPACE, "vehicles.csv", 477, {"name": "YT-2000", "name ": "YT-2001"}),
    (HYPERSPACE, "vehicle_terms.csv", 710, {"name": "MOBILITY", "abbreviation": "MOV"}),
    (HYPERSPACE, "npc_levels.csv", 130, {"level": "Formidable", "avg_attributes": "4D"}),
    (HYPERSPACE, "npc_levels.csv", 130, {"level": "Formidable", "skill_bonus": "+4D"}),
    (HYPERSPACE, "npc_levels.csv", 131, {"level": "Legendary", "skills": "two"}),
    (HYPERSPACE, "npcs.csv", 209, {"name": "Security", "kno": "3D"}),
    (HYPERSPACE, "npcs.csv", 211, {"name": "Assassin", "weapons": "Hvy Blaster Rifle 6D"}),
    (
        HYPERSPACE,
        "npcs.csv",
        337,
        {"name": "Stormtrooper", "armor": "Hvy Armor; soak +3; dodge -2"},
    ),
    (HYPERSPACE, "survival_pack.csv", 629, {"item": "medpac", "amount": "3"}),
    (HYPERSPACE, "survival_pack.csv", 629, {"item": "syntherope", "amount": "40m"}),
    (HYPERSPACE, "gear.csv", 643, {"name": "Scope", "figures": "+1D; long or extreme range"}),
    (
        HYPERSPACE,
        "lightsabers.csv",
        350,
        {"name": "Great Saber", "figures": "+3D Damage; -1 Parry"},
    ),
    (HYPERSPACE, "creation_steps.csv", 199, {"name": "SPECIES", "number": "3"}),
    (HYPERSPACE, "range_bands.csv", 173, {"band": "engaged", "position": "2"}),
    (HYPERSPACE, "sheet_skills.csv", 9, {"kno": "Planets", "kno ": "Bargain"}),
    (HYPERSPACE, "prose.csv", 824, {"printed": "10", "printed ": "12"}),
    (HYPERSPACE, "prose.csv", 859, {"printed": "+5", "printed ": "+6"}),
    (HYPERSPACE, "prose.csv", 141, {"given": "six attributes", "printed": "5D"}),
    (HYPERSPACE, "prose.csv", 806, {"printed": "Dodge", "printed ": "Evade"}),
    (DOTS, "keywords.csv", 399, {"about": "damage", "printed": "linearly"}),
    (DOTS, "keywords.csv", 417, {"name": "Jedi Master", "printed": "(dots+1)/(dots+2)"}),
    (DOTS, "kits.csv", 837, {"trait": "blasters", "dots": "three"}),
    (DOTS, "kits.csv", 857, {"kind": "class", "trait": "Sith Warrior"}),
    (DOTS, "kits.csv", 841, {"skill": "Suggestion (force)", "dots": "three"}),
    (DOTS, "prose.csv", 377, {"printed": "(attack-block)^2", "printed ": "(attack-block)^3"}),
    (DOTS, "prose.csv", 557, {"printed": "eight", "printed ": "nine"}),
    (DOTS, "prices.csv", 853, {"unit": "XP", "price": "6"}),
    (DOTS, "vorpal.csv", 381, {"part": "head", "roll": "6"}),
]


@pytest.mark.many
@pytest.mark.parametrize(("id_", "file", "line", "cells"), SLIPS)
def test_a_slip_is_found(id_: str, file: str, line: int, cells: dict[str, str]) -> None:
    rules, seeds = loaded(id_)
    before, after = found(rules, seeds), found(rules, with_slip(seeds, file, line, cells))
    assert [d for d in after if d not in before and d.file == file]


def with_slip(seeds: Seeds, file: str, line: int, cells: dict[str, str]) -> Seeds:
    """Return `seeds` with a slip; a blank behind the second column lets it be the first too."""
    (column, old), (changed, new) = list(cells.items())
    rows, hit = [], False
    for row in seeds.files[file]:
        here = row.line == line and row.cells[column] == old
        hit = hit or here
        rows.append(replace(row, cells={**row.cells, changed.strip(): new}) if here else row)
    assert hit
    return Seeds(seeds.folder, {**seeds.files, file: tuple(rows)})


@pytest.mark.parametrize(
    ("piece", "text", "stands"),
    [
        *(("+1D Stealth", "+1D Stealth to hide it", True), ("+2D", "+1D Stealth", False)),
        *(("two attacks", "Two attacks with one action", True), ("1", "+1 target", True)),
        *(("+1", "1 target", False), ("medium range", "light to medium range", True)),
        *(("long range", "light to medium range", False), ("-1D", "Conditions ±1D", True)),
        *(("1 or 2", "only 1\nor else 2", False), ("", "anything", True), ("1,200", "1200", True)),
    ],
)
def test_figures_within_a_text(piece: str, text: str, stands: bool) -> None:
    assert within(piece, text) is stands


def printed_as(file: str, line: int, **cells: str) -> set[tuple[int, str]]:
    """Return the lines and rows that differ where one row of a source printed other cells."""
    rules, seeds = loaded(HYPERSPACE)
    rows = tuple(
        replace(row, cells={**row.cells, **cells}) if row.line == line else row
        for row in seeds.files[file]
    )
    changed = replace(seeds, files={**seeds.files, file: rows})
    return {(one.line, one.what) for one in found(rules, changed) if one.file == file}


@pytest.mark.slow
def test_figures_that_do_not_fit_one_another() -> None:
    assert (217, "Master, Sense") in printed_as("npcs.csv", 217)
    assert (217, "Master, Sense") not in printed_as("npcs.csv", 217, **{"for": "3D"})
    assert (476, "YT-1300, shields") in printed_as("vehicles.csv", 476, shields="7")
    assert (517, "Gozanti Cruiser, shields") in printed_as("vehicles.csv", 517, shields="3")
    assert (263, "Bith, attributes") in printed_as("species.csv", 263, dex="3D")
    assert (262, "Human, attributes") not in printed_as("species.csv", 262, dex="1D", kno="1D")
    assert (629, "Survival Pack, parts") in printed_as("gear.csv", 629, cost="300")
    assert (629, "Survival Pack, parts") not in printed_as("gear.csv", 629, cost="285")
