"""Rulings of hyperspace-d6 on elites, levels, installs, repeated advances and Heirloom."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from sheetgen.diag.findings import Severity, Span
from sheetgen.model.designs import TrackGrid
from sheetgen.model.source import Text
from sheetgen.plan.cards.cards import grid
from sheetgen.plan.cards.kinds import CardContext, CardKind, Subject
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints.characters import Character, load_characters
from tests.cli.commands import run


def read(tmp_path: Path, text: str, **options: str) -> Character:
    file = tmp_path / "one.yaml"
    file.write_text(f"ruleset: hyperspace-d6\n{text}", encoding="utf-8")
    (one,) = load_characters([file], options)
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
    assert build_view(one.build, one.rules).texts["skills.melee.name"].text == "Melee (+1D)"
    assert one.build.ratings["melee"].total == one.build.ratings["dexterity"].total
    said = run("show", str(one.path)).out
    assert next(line for line in said.splitlines() if "Melee " in line).endswith("(+1D)")


def test_the_stock_deck_has_the_footnotes_of_the_tables(tmp_path: Path) -> None:
    from sheetgen.model.requests import CardRequest
    from sheetgen.prints.cards import select_cards

    selection = select_cards("hyperspace-d6", CardRequest(of_kind="npc", notes=True))
    noted = {card.about.name for card in selection.cards if card.notes}
    assert noted == {"Assassin", "Thug", "Stormtrooper", "Scout Trooper", "Master"}


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


CREWED = """kind: vehicle
name: Wren
vehicle: X-Wing
pilot: Wexa
crew_skills: {Pilot: 4D, Gunnery: 5D}
"""


def test_a_crew_makes_codes_of_what_a_vehicle_adds(tmp_path: Path) -> None:
    build = read(tmp_path, CREWED).build
    assert build is not None
    assert (build.derived["to_hit"].value, build.lines["evade_shown"]) == (14, "14")
    assert build.lines["initiative_code"] == "7D"
    assert build.lines["initiative_note"] == "initiative: Pilot 4D + 3D"
    assert build.lines["attack_code"] == "7D"
    assert build.lines["aboard"] == "Initiative 7D, Attack 7D"
    assert build.texts["at_helm"] == "Wexa"


ACE = """ruleset: hyperspace-d6
kind: npc
name: Red Ace
attributes: {DEX: 3D, KNO: 2D, MEC: 4D, PER: 3D, STR: 2D, TEC: 2D}
skills: {Pilot: 6D, Drive: 5D, Gunnery: 7D}
"""


@pytest.mark.parametrize(
    ("crew", "helm", "evade", "initiative", "attack"),
    [
        ("vehicle: X-Wing\npilot: ace.yaml\n", "Red Ace", 16, 9, 9),
        ("vehicle: AT-ST\ndriver: ace.yaml\n", "Red Ace", 15, 7, 9),
        ("vehicle: AT-ST\ndriver: Scout Trooper\n", "Scout Trooper", 10, 4, 4),
        ("vehicle: X-Wing\npilot: Wexa\ngunner: ace.yaml\n", "Wexa", 10, 3, 9),
        ("vehicle: X-Wing\npilot: ace.yaml\ngunner: Wexa\n", "Red Ace", 16, 9, 0),
        ("vehicle: X-Wing\npilot: ace.yaml\ncrew_skills: {Pilot: 2D}\n", "Red Ace", 12, 5, 9),
        (
            "vehicle: X-Wing\npilot: ace.yaml\noptions: {vehicle.pilot_bonus: skill}\n",
            *("Red Ace", 12, 9, 9),
        ),
    ],
)
def test_an_npc_or_a_file_aboard_gives_its_codes(
    crew: str, helm: str, evade: int, initiative: int, attack: int, tmp_path: Path
) -> None:
    (tmp_path / "ace.yaml").write_text(ACE, encoding="utf-8")
    one = read(tmp_path, f"kind: vehicle\nname: Wren\n{crew}")
    assert one.findings == ()
    assert one.build is not None
    derived = one.build.derived
    values = [derived[name].value for name in ("to_hit", "initiative", "attack")]
    assert values == [evade, initiative, attack]
    assert one.build.texts["at_helm"] == helm


def test_a_crew_named_twice_is_said(tmp_path: Path) -> None:
    twice = "pilot: Stormtrooper\ndriver: Stormtrooper\n"
    (found,) = read(tmp_path, f"kind: vehicle\nname: Wren\nvehicle: X-Wing\n{twice}").findings
    assert found.message == "`driver` means the same as `pilot`, which is in line 5 already"


@pytest.mark.parametrize("pilot", ["none.yaml", "one.yaml", "wrong.yaml", "other.yaml"])
def test_a_file_that_cannot_be_aboard_is_said_where_it_is_named(pilot: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text(ACE + "skils: {}\n", encoding="utf-8")
    (tmp_path / "other.yaml").write_text("ruleset: keyword-dots\nname: A\n", encoding="utf-8")
    one = read(tmp_path, f"kind: vehicle\nname: Wren\nvehicle: X-Wing\npilot: {pilot}\n")
    assert not one.ok
    assert any(f.span.line == 5 and f"`{pilot}`" in f.message for f in one.findings)


def test_the_better_of_pilot_and_drive_steers(tmp_path: Path) -> None:
    text = "kind: vehicle\nname: Wren\nvehicle: Speeder Bike\ncrew_skills: {Drive: 5D}\n"
    build = read(tmp_path, text).build
    assert build is not None
    assert build.derived["to_hit"].value == 17
    assert build.lines["helmed"] == "Initiative: 8D, Drive 5D + Mobility 3D; Evade counts +5"
    assert build.lines["attack_code"] == ""


def test_skill_dice_alone_need_the_pilots_own_dice(tmp_path: Path) -> None:
    option = {"vehicle.pilot_bonus": "skill"}
    missing = read(tmp_path, CREWED, **option)
    assert [f.severity for f in missing.findings] == [Severity.WARNING]
    one = read(tmp_path, CREWED + "pilot_skill: 2\n", **option)
    assert one.findings == ()
    assert one.build is not None
    assert one.build.derived["to_hit"].value == 12
    assert one.build.lines["initiative_code"] == "7D"


def test_a_quickplay_sheet_has_its_own_rules_of_play(tmp_path: Path) -> None:
    text = "name: Q\nspecies: {Quickplay: {DEX: +2D, PER: +1D, STR: +1D}}\nskills: []\n"
    quick, other = read(tmp_path, text).build, read(tmp_path, HERO).build
    assert quick is not None
    assert other is not None
    said = quick.lines["reminders"] + quick.lines["more_reminders"]
    for part in ("TN 10", "the GM never rolls", "No damage rolls", "most foes drop at one"):
        assert part in said
        assert part not in other.lines["reminders"] + other.lines["more_reminders"]
    assert {quick.lines[band] for band in ("stunned", "wounded", "unconscious")} == {"–"}
    assert "damage" not in quick.lines["unarmed"]


@pytest.mark.parametrize(
    ("option", "least", "shown"), [("fails", 0, ["2D", "1D", "–"]), ("one", 1, ["2D", "1D", "1D"])]
)
def test_dice_left_never_fall_below_the_least(
    option: str, least: int, shown: list[str], tmp_path: Path
) -> None:
    build = read(tmp_path, f"kind: npc\nname: Ann\n{ROW}", **{"dice.minimum": option}).build
    assert build is not None
    assert build.derived["least_dice"].value == least
    about = Subject("Ann", CardContext(hit="2D"), {"least_dice": least}, {"wounds": 1})
    place = Text("hit", Span("card.yaml"))
    words = (Text("no wound", place.span), Text("{n} wound", place.span))
    rule = TrackGrid(
        from_=place, down=Text("wounds", place.span), most=5, across=3, words=words,
        none=Text("–", place.span), least=Text("least_dice", place.span),
    )  # fmt: skip
    kind = cast("CardKind", SimpleNamespace(strip=lambda name: name))
    first = next(iter(grid("left", rule, about, kind)))
    assert [first.texts[n] for n in "123"] == shown
