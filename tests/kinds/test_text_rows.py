"""Every NPC and vehicle of the text, figure by figure, against an independent transcription."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import yaml

from sheetgen.data import data_folder
from sheetgen.diag.findings import errors
from sheetgen.load.characters import RulesetCache
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.model.build import Build
from sheetgen.prints.characters import Character, load_character_file
from sheetgen.rules.index import folded
from tests.cli.commands import run

SEEDS = data_folder() / "seeds" / "hyperspace-d6"
RULES = rulesets_folder() / "hyperspace-d6"
SHELF = RulesetCache()

ATTRIBUTES = {
    "dex": "dexterity",
    "kno": "knowledge",
    "mec": "mechanical",
    "per": "perception",
    "str": "strength",
    "tec": "technical",
    "for": "force",
}
SHORT = {"hvy": "heavy", "med": "medium", "lgt": "light"}


def _all(folder: str) -> dict[str, Character]:
    found = {}
    for path in sorted((RULES / folder).glob("*.yaml")):
        for one in load_character_file(path, SHELF, {}):
            assert not one.findings, one.findings
            assert one.build
            assert one.build.name not in found
            found[one.build.name] = one
    return found


def _rows(name: str) -> list[dict[str, str]]:
    with (SEEDS / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


NPCS, VEHICLES = _all("npcs"), _all("vehicles")


def _build(one: Character) -> Build:
    assert one.build
    return one.build


def _dice(cell: str) -> int:
    return 0 if cell == "-" else int(cell.rstrip("D"))


def _long(name: str) -> str:
    return " ".join(SHORT.get(word, word) for word in folded(name).split())


def test_there_are_as_many_as_the_text_has() -> None:
    assert len(_rows("npcs")) == len(NPCS) == 18
    assert len(_rows("vehicles")) == len(VEHICLES) == 27


@pytest.mark.parametrize("row", _rows("npcs"), ids=lambda row: row["name"])
def test_an_npc_is_as_printed(row: dict[str, str]) -> None:
    build = _build(NPCS[row["name"]])
    assert folded(build.texts["group"]) == folded(row["group"])
    for short, id_ in ATTRIBUTES.items():
        assert build.ratings[id_].total == _dice(row[short]), id_
    skills = [entry.rsplit(" ", 1) for entry in row["skills"].split("; ")]
    listed = {r.name: r.total for r in build.ratings.values() if r.group == "skills" and r.parts}
    assert listed == {name: _dice(code) for name, code in skills}
    weapons = [entry.rsplit(" ", 1) for entry in row["weapons"].split("; ") if entry]
    held = {_long(i.name): i.damage for i in build.items if "weapon" in i.tags}
    assert held == {_long(name): _dice(code) for name, code in weapons}
    worn = [i for i in build.items if "armor" in i.tags]
    assert [_long(i.name) for i in worn] == [_long(row["armor"].split(";")[0])] * bool(row["armor"])


def test_four_printed_defenses_do_not_follow_from_the_rules() -> None:
    """Found by computing; each figure was worked out by hand from the text's formulas."""
    wrong = {
        (row["name"], column, int(row[column]), _build(NPCS[row["name"]]).derived[column].value)
        for row in _rows("npcs")
        for column in ("dodge", "parry", "block", "soak")
        if int(row[column]) != _build(NPCS[row["name"]]).derived[column].value
    }
    assert wrong == {
        ("Assassin", "dodge", 12, 11),
        ("Thug", "block", 13, 14),
        ("Stormtrooper", "block", 12, 13),
        ("Scout Trooper", "block", 12, 13),
    }


@pytest.mark.parametrize("row", _rows("vehicles"), ids=lambda row: row["name"])
def test_a_vehicle_is_as_printed(row: dict[str, str]) -> None:
    build = _build(VEHICLES[row["name"]])
    assert folded(build.texts["group"]) == folded(row["group"])
    for short, id_ in {"mob": "mobility", "sen": "sensors", "fir": "firepower"}.items():
        assert build.ratings[id_].total == _dice(row[short]), id_
    for id_ in ("evade", "hull", "shields"):
        assert build.ratings[id_].total == int(row[id_]), id_
    assert build.numbers["crew"] == int(row["crew"])
    printed = [e.rsplit(" ", 1) for e in row["weapons"].split("; ") if e not in ("", "-")]
    assert [(i.name, i.damage, "ion" in i.tags) for i in build.items] == [
        (name, _dice(code.rstrip("*")), code.endswith("*")) for name, code in printed
    ]


def _made(tmp_path: Path, text: str, kind: str = "npc") -> Character:
    path = tmp_path / "one.yaml"
    path.write_text(f"ruleset: hyperspace-d6\nkind: {kind}\n{text}\n", encoding="utf-8")
    (one,) = load_character_file(path, SHELF, {})
    return one


def _values(one: Character) -> dict[str, object]:
    return {id_: d.value for id_, d in _build(one).derived.items()}


def test_an_elite_has_two_attributes_and_each_listed_skill_raised(tmp_path: Path) -> None:
    """Q-30, stacked. Stormtrooper: DEX 2D, STR 2D, Blasters, Brawl, Stamina 3D, heavy armor.

    With DEX and STR raised: Blasters 2D + 1D own + 1D + 1D = 5D, Brawl and Stamina 5D;
    Dodge 10 + 3 - 2 = 11, Parry 10 + 3 = 13, Block 15, Soak 5 + 4 = 9.
    """
    one = _made(tmp_path, "npc: Stormtrooper\nname: Sergeant\nelite: [DEX, STR]")
    assert not one.findings
    build = _build(one)
    assert {s: build.ratings[s].total for s in ("blasters", "brawl", "stamina", "agility")} == {
        "blasters": 5,
        "brawl": 5,
        "stamina": 5,
        "agility": 3,
    }
    assert [_values(one)[d] for d in ("dodge", "parry", "block", "soak")] == [11, 13, 15, 9]


def test_the_flat_reading_raises_printed_codes_once(tmp_path: Path) -> None:
    text = "npc: Stormtrooper\nelite: [DEX, PER]\noptions: {elite.reading: flat}"
    build = _build(_made(tmp_path, text))
    assert build.ratings["blasters"].total == 4
    assert build.ratings["brawl"].total == 4
    assert build.ratings["search"].total == 3


def test_a_group_of_five_has_five_actions_and_five_boxes(tmp_path: Path) -> None:
    one = _made(tmp_path, "npc: Stormtrooper\nname: Stormtroopers\nmembers: 5")
    assert not one.findings
    build = _build(one)
    assert build.marked["wounds"] == (5, 0)
    assert build.derived["free_actions"].value == 5
    assert build.lines["kind"] == "Group of 5"


@pytest.mark.parametrize(
    ("level", "attribute", "skill", "count"),
    [
        ("common", 2, 3, 2),
        ("proficient", 3, 5, 2),
        ("formidable", 5, 8, 2),
        ("legendary", 7, 10, 3),
    ],
)
def test_basic_npcs_by_level(
    tmp_path: Path, level: str, attribute: int, skill: int, count: int
) -> None:
    trained = ["Blasters", "Search", "Pilot"][:count]
    text = f"name: Guard\nlevel: {level}\ntrained: [{', '.join(trained)}]"
    one = _made(tmp_path, text)
    assert not one.findings
    build = _build(one)
    assert {build.ratings[a].total for a in list(ATTRIBUTES.values())[:6]} == {attribute}
    assert [build.ratings[s.lower()].total for s in trained] == [skill] * count
    assert [_values(one)[d] for d in ("dodge", "parry", "block", "soak")] == [
        10 + attribute,
        10 + attribute,
        10 + attribute,
        attribute,
    ]
    short = _made(tmp_path, f"name: Guard\nlevel: {level}\ntrained: [Blasters]")
    assert [f.code.id for f in short.findings] == ["SG208"]


def test_a_shifted_level_is_a_warning_and_another_where_the_mean_is_lost(tmp_path: Path) -> None:
    base = "name: Guard\nlevel: Common\ntrained: [Blasters, Search]\n"
    kept = _made(tmp_path, base + "attributes: {DEX: 3D, KNO: 1D}")
    assert not errors(kept.findings)
    assert [f.rule for f in kept.findings] == ["level_shifted (Q-39)"]
    off = _made(tmp_path, base + "attributes: {DEX: 4D, KNO: 1D}")
    assert not errors(off.findings)
    assert [f.rule for f in off.findings] == ["level_mean (Q-39)"]


def test_mistakes_of_an_npc(tmp_path: Path) -> None:
    text = """name: Odd
attributes: {DEX: 2D, STR: 3D, KNO: 1D, MEC: 1D, PER: 1D, TEC: 1D}
skills: {Blastrs: 3D, Brawl: 2D}
gear: [{Blaster Rifle: 4D}]
printed: {Dodge: 12, Dogde: 1}
elite: [DEX]"""
    one = _made(tmp_path, text)
    found = sorted((f.code.id, f.span.line, f.message) for f in one.findings)
    assert found == [
        ("SG201", 5, "there is no skill `Blastrs`"),
        ("SG201", 7, "the rules compute no `Dogde`"),
        ("SG208", 8, "`elite` takes 2 names; 1 is listed"),
        ("SG216", 5, "Brawl is 2D, but Strength alone is 3D"),
        ("SG223", 6, "Blaster Rifle is 4D here; the rules give 5D"),
        ("SG223", 7, "Dodge is printed as 12; the rules give 13"),
    ]


def test_upgrades_of_a_vehicle_cost_six_times_the_new_figure(tmp_path: Path) -> None:
    """X-Wing: Mobility 3D to 4D is 24, Shields 4 to 5 is 30, Torpedoes 6D to 7D is 42."""
    upgrades = "[Mobility, Shields, Proton Torpedoes]"
    text = f"vehicle: X-Wing\nname: Red Two\npoints: 96\nupgrades: {upgrades}"
    one = _made(tmp_path, text, "vehicle")
    assert not one.findings
    build = _build(one)
    assert [line.cost for line in build.ledgers["cp"].lines if line.cost] == [24, 30, 42]
    assert build.ledgers["cp"].lines[-1].left == 0
    assert build.ratings["mobility"].total == 4
    assert build.derived["to_hit"].value == 10
    assert "Shields 4 to 5" in [line.what for line in build.ledgers["cp"].lines]
    armed = _made(tmp_path, "vehicle: U-Wing\npoints: 24\ninstalls: {Ion Cannon: 4D}", "vehicle")
    assert not armed.findings
    assert _build(armed).ledgers["cp"].lines[-1].left == 0  # 6 times 4
    refused = _made(tmp_path, "vehicle: AT-ST\npoints: 99\nupgrades: [Shields, Hull]", "vehicle")
    assert [f.code.id for f in refused.findings] == ["SG220", "SG220"]


def test_a_name_that_nobody_has_gets_a_near_one(tmp_path: Path) -> None:
    one = _made(tmp_path, "npc: Stormtroper")
    assert [f.hint for f in one.findings] == ["did you mean `Stormtrooper`?"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "things"),
    [
        ("hyperspace-d6", {"gear": ["Net", "Light Armor"]}),
        ("keyword-dots", {"equipment": ["Net"]}),
        ("narrative-powers", {"gear": ["Net", "Padded Coat"]}),
        ("d6-pips", {"gear": ["Net", "Padded Vest"]}),
    ],
)
def test_notes_of_gear_are_on_the_card(
    game: str, things: dict[str, list[str]], tmp_path: Path
) -> None:
    stock = yaml.safe_load(next((rulesets_folder() / game / "npcs").glob("*.yaml")).read_text())
    one = {**stock, **stock.pop("entries")[0]}
    for key, names in things.items():
        one[key] = [{name: {"note": f"holdsfast{n}"}} for n, name in enumerate(names)]
    path = tmp_path / "zed.yaml"
    path.write_text(yaml.safe_dump({k: v for k, v in one.items() if k != "entries"}), "utf-8")
    said = run("cards", path, "--to", "html", "--out", tmp_path)
    page = (tmp_path / "zed-cards.html").read_text("utf-8")
    assert [f"holdsfast{n}" in page for n, _ in enumerate(names)] == [True] * len(names), said.err
