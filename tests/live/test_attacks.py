"""Attacks as data: to hit and damage by formula, alike on sheets, on cards and in exports."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from openpyxl import load_workbook

from sheetgen.diag.findings import Span
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.plan.scripts.sheet_scripts import build_live
from sheetgen.plan.sheets.sheets import fill_plate
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints.characters import Character
from tests.cli.commands import run
from tests.live.changes import checked, rack
from tests.live.engine import compute, fields_of

GAMES = Path(__file__).parent / "games"
ANSA, INES = GAMES / "hewn/characters/ansa.yaml", GAMES / "cinder/characters/ines.yaml"


def written(path: Path, **changed: Any) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return data | {"ruleset": str(path.parent.parent), **changed}


def attacks(one: Character) -> dict[str, tuple[str, str]]:
    assert one.build is not None
    rows = one.build.rows["weapons"]
    return {row["name"]: (row["attack"], row["damage"]) for row in rows}


def test_attacks_are_worked_out() -> None:
    assert attacks(checked(written(ANSA))) == {
        "Sword": ("+6", "1d10+3"),  # in two hands
        "Dirk": ("+6", "1d4+5"),  # by the better of two
        "Bow": ("+4", "1d6+1"),  # capped
        "Torch": ("+0", "2 fire"),
        "Sling": ("12", "1"),
    }
    shielded = attacks(
        checked(written(ANSA, off="Buckler", level=9, scores={"Might": 9, "Grace": 18}))
    )
    assert shielded == {
        "Sword": ("+3", "1d8−1"),
        "Dirk": ("+8", "1d4+4"),
        "Bow": ("+8", "1d6+2"),
        "Torch": ("+0", "2 fire"),
        "Sling": ("18", "1"),
    }
    assert attacks(checked(written(INES))) == {
        "Fist": ("55 %", "1d3+1d4"),
        "Knife": ("55 %", "1d4+1d4"),
        "Axe": ("40 %", "1d6+1+1d4"),
        "Pistol": ("48 / 24 %", "1d10"),
    }


@pytest.mark.many
@pytest.mark.parametrize("flat", [True, False], ids=["pdf", "html"])
@pytest.mark.parametrize("path", [ANSA, INES], ids=["d20", "per cent"])
def test_attacks_are_live(path: Path, flat: bool) -> None:
    """Typed ratings, and a weapon that a player adds, move attacks as the file does."""
    chance = random.Random(f"{path.stem} {flat}")
    printed = checked(written(path, gear=written(path)["gear"][:-1]))
    assert printed.build is not None
    assert printed.rules is not None
    plate = rack().find_design(printed.rules, "standard", "a4", None).value.sheet
    view = build_view(printed.build, printed.rules)
    live = build_live(printed.build, view, printed.rules, plate, flat=flat)
    assert live is not None
    fields = fields_of(plate, fill_plate(view, plate, Span("")).filling)
    for _ in range(12):
        typed: dict[str, str] = {}
        data = written(path, gear=written(path)["gear"][:-1])
        for group in (id_ for id_ in ("scores", "stats", "skills") if id_ in data):
            base = {"Brawl": 25, "Blades": 20} if group == "skills" else {}
            for name in data[group]:
                value = chance.randint(30, 90) if path == INES else chance.randint(4, 20)
                data[group][name] = value
                low = base.get(name, 0 if group != "skills" else data["stats"]["Nimble"] // 2)
                data[group][name] = max(value, low)
                if name in base or group != "skills":
                    typed[f"{group}.{name.lower()}.total"] = str(data[group][name])
                else:
                    typed[f"{group}.{name.lower()}.own"] = f"+{max(0, value - low)}"
        if path == ANSA:
            data["level"] = chance.randint(1, 12)
            typed["level"] = str(data["level"])
        rows = len(attacks(printed)) + 1
        new = {"hewn": "Sling", "cinder": "Pistol"}[path.parent.parent.name]
        typed[f"weapons.{rows}.name"] = new
        data["gear"] = [*data["gear"], new]
        out = compute(live, fields | typed)
        after = checked(data)
        for row, (name, (attack, damage)) in enumerate(attacks(after).items(), start=1):
            shown = out["values"]
            assert shown[f"weapons.{row}.attack"] == attack, (name, typed)
            assert shown[f"weapons.{row}.damage"] == damage, (name, typed)


@pytest.mark.slow
def test_attacks_are_on_cards_of_kinds_and_in_exports(tmp_path: Path) -> None:
    foe = {"ruleset": str(ANSA.parent.parent), "kind": "foe", "name": "Raider", "level": 1}
    foe |= {"scores": {"Might": 14, "Grace": 14}, "gear": ["Sword", "Bow"], "off": "Buckler"}
    (tmp_path / "raider.yaml").write_text(yaml.safe_dump(foe), "utf-8")
    done = run("cards", tmp_path / "raider.yaml", "--to", "html", "--out", tmp_path / "out")
    assert done.status == 0, done.err
    page = next((tmp_path / "out").glob("*.html")).read_text("utf-8")
    for text in ("+4", "1d8+2", "1d6+2"):
        assert text in page
    said = run("export", ANSA, "--to", "markdown", "--out", tmp_path / "notes")
    assert said.status == 0, said.err
    note = next((tmp_path / "notes").rglob("*.md")).read_text("utf-8")
    assert "1d10+3" in note
    assert run("export", ANSA, "--to", "xlsx", "--out", tmp_path / "books").status == 0
    sheet = load_workbook(next((tmp_path / "books").glob("*.xlsx")))["character values"]
    cells = {column[0].value: str(column[1].value) for column in sheet.iter_cols()}
    assert cells["Sword: attack"].startswith("=")
    assert cells["Dirk: damage"].startswith("=")
    assert "+INT(10/10)" in cells["Torch: damage"]  # numbers of the thing itself
    assert cells["Torch: damage"].endswith('&" fire"')
    assert cells["Bow: damage"].startswith("=")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("signed(strike(grace.mod))", "signed(strike(grase))", "nothing is called `grase`"),
        ("dice(1, 6, min(grace.mod, dice))", "dice(1, 6, 1/2)", "`dice` takes whole numbers"),
    ],
)
def test_slips_in_attacks_are_found(old: str, new: str, message: str, tmp_path: Path) -> None:
    text = (GAMES / "hewn" / "ruleset.yaml").read_text("utf-8")
    assert old in text
    (tmp_path / "ruleset.yaml").write_text(text.replace(old, new), "utf-8")
    data = written(ANSA) | {"ruleset": str(tmp_path)}
    (tmp_path / "ansa.yaml").write_text(yaml.safe_dump(data), "utf-8")
    rules = load_ruleset(tmp_path)
    assert rules.value is not None
    assert message in run("check", tmp_path / "ansa.yaml").all
