"""Tables of what comes ready made: every NPC and vehicle, with what follows from its codes."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.data import data_folder
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.prints.characters import load_stock
from sheetgen.rules.tables.compute import compute_table
from tests.cli.commands import run

SEEDS = data_folder() / "seeds/hyperspace-d6"
RULES = rulesets_folder() / "hyperspace-d6"


def made(table: str, kind: str, folder: Path = RULES) -> dict[str, dict[str, str]]:
    rules = load_ruleset(folder, complete=True).value
    assert rules is not None
    done = compute_table(rules, table, stock=load_stock(rules, [kind]))
    return {r.labels[0]: dict(zip(done.columns, r.cells, strict=True)) for r in done.rows}


def seeds(name: str) -> list[dict[str, str]]:
    with (SEEDS / name).open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def test_vehicles_are_those_of_the_text() -> None:
    rows = made("vehicles", "vehicle")
    printed = {row["name"]: row for row in seeds("vehicles.csv")}
    assert set(rows) == set(printed)
    for name, row in rows.items():
        for head in ("Evade", "Hull", "Shields", "Crew"):
            assert row[head].replace("–", "0") == printed[name][head.lower()], (name, head)


def test_npcs_have_what_their_codes_give() -> None:
    rows = made("npcs", "npc")
    assert len(rows) == 18
    assert rows["Stormtrooper"]["Block"] == "13"
    assert rows["Stormtrooper"]["Attacks"] == "Blaster Rifle 3D for 5D"
    assert rows["Thug"]["FOR"] == "–"


def test_lists_of_texts_are_columns_too() -> None:
    powers = made("npc_harm", "npc", rulesets_folder() / "narrative-powers")
    assert powers["Ember Wisp"]["Powers"].startswith("Spark (action, at-will, range 6)")
    assert powers["Road Robber"]["Powers"] == "–"
    carried = made("npc_gear", "npc", rulesets_folder() / "keyword-dots")
    assert carried["Smuggler Captain"]["Dice"] == "d6, d4"
    assert carried["Armed Robot"]["Besides"].startswith("A robot")


@pytest.mark.parametrize(
    ("book", "told"),
    [
        ("keyword-dots", "Action potential | starts at 0"),
        ("keyword-dots", "Sith | deadly fights with those without the Force | 40% a day"),
        ("keyword-dots", "Per cent and days go by dots of Jedi Master (5 days without a dot)"),
        ("keyword-dots", "in hand as the next round starts | 2 Force more than that"),
        ("narrative-powers", "Damage without a type cannot be soaked (R-16)"),
        ("hyperspace-d6", "Actions | one, and up to DEX more;"),
        ("hyperspace-d6", "Its actions | one a member without penalty, then −1D each"),
        ("hyperspace-d6", "or, instead of +1D, a new special feature"),
        ("hyperspace-d6", "the same, and 1D in the Force | 4D over the six, none above 3D"),
        ("wound-points", "| Haste +6 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 |"),
        ("wound-points", "| 10D | 60 | 45 | 15 | 0 | −60 | 31 | 21 |"),
    ],
)
def test_tables_have_what_the_text_has(book: str, told: str) -> None:
    printed = run("tables", book, "--notes", "--to", "md", "--out", "-").out
    assert told in " ".join(printed.split())


def test_what_the_source_prints_is_footnoted() -> None:
    said = run("tables", "hyperspace-d6", "npcs", "--notes", "--to", "md", "--out", "-")
    line = next(line for line in said.out.splitlines() if "| Assassin" in line)
    assert "11 (a)" in line
    assert "(a) Source prints 12 (Q-37)." in said.out
    assert "The source lists Sense 4D, which adds 0D to FOR 4D." in said.out


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        ('text: "{dodge}"', 'text: "{dogde}"', "nothing is called `dogde`"),
        ("each: skills", "each: skils", "there is no list of npc `skils`"),
        ("of: kinds.npc", "of: kinds.npcs", "there is no kind `npcs`"),
        ("{name} {code}", "{name} {kode}", "nothing is called `kode`"),
    ],
)
def test_a_mistake_is_told_at_its_place(was: str, now: str, told: str, tmp_path: Path) -> None:
    folder = tmp_path / "game"
    shutil.copytree(RULES, folder)
    file = folder / "reference.yaml"
    text = file.read_text(encoding="utf-8")
    assert was in text
    file.write_text(text.replace(was, now, 1), encoding="utf-8")
    rules = load_ruleset(folder, complete=True).value
    assert rules is not None
    (found,) = check_ruleset(rules)
    assert found.message == told
    line = next(n for n, one in enumerate(file.read_text().splitlines(), 1) if now in one)
    assert found.span.line == line
