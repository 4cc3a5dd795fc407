"""Footnotes and crews of vehicles, on cards and on encounter pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from tests.cli.commands import run
from tests.render.viewers import text_of

pytestmark = pytest.mark.many

VEHICLES = """ruleset: hyperspace-d6
kind: vehicle
entries:
  - {name: Old Faithful, vehicle: Snowspeeder, at_helm: Scout Trooper, gunner: Bounty Hunter}
  - {vehicle: A-Wing}
"""
FIGHT = """ruleset: hyperspace-d6
encounter: A test
combatants:
  - {npc: Master}
  - {npc: Knight}
  - {vehicle: Snowspeeder}
"""
UNEVEN = "Uneven Shields: the rest lies fore, then aft."


@pytest.mark.parametrize("size", ["poker", "a6"])
def test_a_card_names_the_crew_and_has_the_footnote_about_shields(
    tmp_path: Path, size: str
) -> None:
    path = tmp_path / "vehicles.yaml"
    path.write_text(VEHICLES, encoding="utf-8")
    result = run("cards", path, "--size", size, "--notes", "--out", tmp_path)
    assert (result.status, "continues" in result.err) == (0, False)
    words = " ".join(text_of((tmp_path / "vehicles-cards.pdf").read_bytes()).split())
    assert words.count("Scout Trooper") == words.count("Bounty Hunter") == 1
    assert words.count(f"a {UNEVEN}") == 1


def test_figures_of_a_row_have_one_size(tmp_path: Path) -> None:
    """Three signs of Hull do not fit at full size: then Evade and Shields are smaller, too."""
    path = tmp_path / "vehicles.yaml"
    path.write_text(
        "ruleset: hyperspace-d6\nkind: vehicle\nentries: [{vehicle: CR90 Corvette}]\n",
        encoding="utf-8",
    )
    assert run("cards", path, "--out", tmp_path).status == 0
    with pymupdf.open(tmp_path / "vehicles-cards.pdf") as pdf:
        spans = [
            span
            for block in pdf[0].get_text("dict")["blocks"]
            for line in block.get("lines", [])
            for span in line["spans"]
        ]
    large = [span for span in spans if span["size"] > 18]
    assert re.findall(r"\d+", " ".join(span["text"] for span in large)) == ["9", "10", "8"]
    assert len({round(span["size"], 1) for span in large}) == 1


@pytest.mark.slow
def test_an_encounter_marks_skills_and_shields_that_contradict_the_rules(tmp_path: Path) -> None:
    path = tmp_path / "fight.yaml"
    path.write_text(FIGHT, encoding="utf-8")
    command = ("encounter", path, "--to", "pdf", "--to", "html", "--out", tmp_path)
    result = run(*command, "--notes")
    assert result.status == 0
    words = " ".join(text_of((tmp_path / "fight.pdf").read_bytes()).split())
    assert words.count("The source lists Sense 4D, which adds 0D to FOR 4D.") == 1
    assert words.count(UNEVEN) == 1
    html = (tmp_path / "fight.html").read_text(encoding="utf-8")
    assert html.count('<sup class="mark">a</sup>') == html.count('<sup class="mark">b</sup>') == 1
    assert run(*command).status == 0
    words = " ".join(text_of((tmp_path / "fight.pdf").read_bytes()).split())
    assert "The source lists" not in words
    assert UNEVEN not in words
    assert '<sup class="mark">' not in (tmp_path / "fight.html").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("weapons", "names"),
    [
        ("weapons: [{Twin Turret: 4D}, Ion Cannon]", ["Twin Turret", "Ion Cannon"]),
        ("weapons: Ion Cannon", ["Ion Cannon"]),
        ("weapons: [Net Thrower x2, {Mines: {note: behind}}]", ["Net Thrower ×2", "Mines behind"]),
        ("weapons: [{Ion Cannon: {tags: [ion]}}, {Ram: granted}]", ["Ion Cannon", "Ram"]),
        ("installs: [{Mine Rack: {cost: 0}}]", ["Mine Rack"]),
    ],
)
def test_a_weapon_without_dice_is_printed(
    tmp_path: Path, weapons: str, names: Sequence[str]
) -> None:
    ship = (
        "{name: Kite, attributes: {MOB: 3D, SEN: 1D, FIR: 2D}, defenses: {Evade: 10, Hull: 8},"
        f" {weapons}}}"
    )
    text = f"ruleset: hyperspace-d6\nkind: vehicle\nentries: [{ship}]\n"
    (tmp_path / "ship.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "fight.yaml").write_text(
        "ruleset: hyperspace-d6\nencounter: Fight\ncombatants: [{file: ship.yaml}]\n",
        encoding="utf-8",
    )
    assert run("cards", tmp_path / "ship.yaml", "--out", tmp_path).status == 0
    assert run("encounter", tmp_path / "fight.yaml", "--out", tmp_path).status == 0
    for stem in ("ship-cards", "fight"):
        words = " ".join(text_of((tmp_path / f"{stem}.pdf").read_bytes()).split())
        assert [words.count(name) for name in names] == [1] * len(names), stem


@pytest.mark.slow
@pytest.mark.parametrize(("theme", "warned"), [("large-print", True), ("mono", False)])
def test_a_theme_that_changes_no_card_is_a_finding(
    tmp_path: Path, theme: str, warned: bool
) -> None:
    path = tmp_path / "vehicles.yaml"
    path.write_text(VEHICLES, encoding="utf-8")
    said = run(
        "cards", path, "--theme", theme, "--size", "poker", "--to", "html", "--out", tmp_path
    )
    assert said.status == 0
    assert ("print `--size half-letter`" in said.err) is warned


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "kind"),
    [("hyperspace-d6", "vehicle"), ("narrative-powers", "power"), ("d6-pips", "npc")],
)
def test_cards_in_large_print_are_larger_unless_a_size_is_named(
    tmp_path: Path, game: str, kind: str
) -> None:
    """They once were the same poker cards, with a warning."""
    said = run("cards", game, "--kind", kind, "--theme", "large-print", "--out", tmp_path)
    assert (said.status, "leaves cards" in said.err) == (0, False)
    with pymupdf.open(tmp_path / f"{game}-{kind}-cards.pdf") as pdf:
        blocks = pdf[0].get_text("dict")["blocks"]
    spans = [s for block in blocks for line in block.get("lines", []) for s in line["spans"]]
    read = [s["size"] for s in spans if s["text"].strip() and len(s["text"]) > 12]
    assert sorted(read)[len(read) // 2] >= 14


def test_both_faces_of_a_card_name_group_and_crew(tmp_path: Path) -> None:
    guns = ", ".join(f"{{Gun {letter}: 2D}}" for letter in "ABCDEFGH")
    ship = (
        "{name: Kite, group: Cartel ships, crew: 3, attributes: {MOB: 3D, SEN: 1D, FIR: 2D},"
        f" defenses: {{Evade: 10, Hull: 8, Shields: 6}}, weapons: [{guns}]}}"
    )
    path = tmp_path / "ship.yaml"
    text = f"ruleset: hyperspace-d6\nkind: vehicle\nentries: [{ship}]\n"
    path.write_text(text, encoding="utf-8")
    assert run("cards", path, "--out", tmp_path).status == 0
    words = " ".join(text_of((tmp_path / "ship-cards.pdf").read_bytes()).split())
    assert "Cartel ships, crew 3 · 1 of 2" in words
    assert "Cartel ships, crew 3 · 2 of 2" in words
