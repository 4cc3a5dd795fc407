"""Rulings of hyperspace-d6 on elites, levels, installs, repeated advances and Heirloom."""

from __future__ import annotations

from pathlib import Path

import pytest

from sheetgen.diag.findings import Severity
from sheetgen.pipeline import Character, characters
from sheetgen.plan.view import view_of
from tests.cli.commands import run


def read(tmp_path: Path, text: str, **options: str) -> Character:
    file = tmp_path / "one.yaml"
    file.write_text(f"ruleset: hyperspace-d6\n{text}", encoding="utf-8")
    (one,) = characters([file], options)
    return one


ROW = "attributes: {DEX: 3D, KNO: 2D, MEC: 2D, PER: 2D, STR: 2D, TEC: 2D}\nskills: {Blasters: 4D}\n"


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        (f"name: Ann\n{ROW}elite: [DEX, FOR]\n", False),
        (f"name: Ann\n{ROW}elite: [DEX, STR]\n", True),
        ("name: Di\nnpc: Master\nelite: [DEX, FOR]\n", True),
        ("name: Bo\nlevel: Common\ntrained: [Search, Pilot]\nelite: [FOR, STR]\n", False),
    ],
)
def test_an_elite_raises_the_force_only_of_who_has_it(
    text: str, allowed: bool, tmp_path: Path
) -> None:
    one = read(tmp_path, f"kind: npc\n{text}")
    assert one.ok is allowed
    assert any("cannot be named under `elite`" in f.message for f in one.findings) is not allowed


LEVEL = "kind: npc\nname: Bo\nlevel: Common\ntrained: [Search, Pilot]\n"


def test_shifted_attributes_of_a_level_are_a_warning(tmp_path: Path) -> None:
    shifted = LEVEL + "attributes: {DEX: 3D, KNO: 1D}\n"
    (found,) = read(tmp_path, shifted).findings
    assert found.severity is Severity.WARNING
    assert "not all alike" in found.message
    assert read(tmp_path, shifted, **{"npc.average": "shift"}).findings == ()
    assert read(tmp_path, LEVEL + "elite: [DEX, STR]\n").findings == ()
    (other,) = read(tmp_path, LEVEL + "attributes: {DEX: 4D}\n").findings
    assert "average" in other.message


@pytest.mark.parametrize(
    ("installs", "ok"),
    [("[Cloak]", False), ("[Cloak x2]", False), ("[{Cloak: {note: hides}}]", False),
     ("[{Cloak: {cost: 20}}]", True), ("[{Ion Cannon: 2D}]", True), ("[{Cloak: granted}]", True)],
)  # fmt: skip
def test_what_is_installed_has_dice_or_a_cost(installs: str, ok: bool, tmp_path: Path) -> None:
    one = read(
        tmp_path, f"kind: vehicle\nname: Wren\nvehicle: X-Wing\npoints: 40\ninstalls: {installs}\n"
    )
    assert one.ok is ok
    assert any("no dice" in f.message for f in one.findings) is not ok


HERO = """name: K
species: Twilek
profession: Scoundrel
skills: [Blasters, Deceive, Pilot]
edge: {Heirloom: Melee}
burden: {Wounded: DEX}
points: 60
"""


@pytest.mark.parametrize(
    ("advances", "warned"),
    [("[Blasters x2]", True), ("[Blasters, Dexterity, Blasters]", False), ("[Blasters]", False)],
)
def test_two_steps_at_a_time_are_a_warning(advances: str, warned: bool, tmp_path: Path) -> None:
    one = read(tmp_path, f"{HERO}advances: {advances}\n")
    assert one.ok
    assert [f.message for f in one.findings] == (
        ["Blasters: improved by more than +1D at a time"] if warned else []
    )


def test_heirloom_stands_beside_its_skill_and_adds_nothing(tmp_path: Path) -> None:
    one = read(tmp_path, HERO)
    assert one.build is not None
    assert one.rules is not None
    assert view_of(one.build, one.rules).texts["skills.melee.name"].text == "Melee (+1D)"
    assert one.build.ratings["melee"].total == one.build.ratings["dexterity"].total
    said = run("show", str(one.path)).out
    assert next(line for line in said.splitlines() if "Melee " in line).endswith("(+1D)")


def test_the_stock_deck_has_the_footnotes_of_the_tables(tmp_path: Path) -> None:
    from sheetgen.orders.hands import Wish, hand_of

    hand = hand_of("hyperspace-d6", Wish("npc"), {})
    noted = {card.about.name for card in hand.cards if card.notes}
    assert noted == {"Assassin", "Thug", "Stormtrooper", "Scout Trooper"}


def test_a_vehicle_shows_mobility_as_what_is_added(tmp_path: Path) -> None:
    one = read(tmp_path, "kind: vehicle\nname: Wren\nvehicle: X-Wing\n")
    assert one.build is not None
    assert one.build.lines["initiative_code"] == "+3D"
    assert one.build.lines["initiative_note"] == "initiative: Pilot or Drive + 3D"


def test_shields_that_the_crew_places_lie_on_no_side(tmp_path: Path) -> None:
    text = "kind: vehicle\nname: Falcon\nvehicle: YT-1300\n"
    laid, free = (
        read(tmp_path, text, **{"vehicle.shield_remainder": value})
        for value in ("fore_aft", "choose")
    )
    assert laid.build is not None
    assert free.build is not None
    assert laid.build.lines["sides"] == "2/2/1/1"
    assert free.build.lines["sides"] == "1 each, 2 free"
    assert free.build.derived["over_laid"].value == 0
