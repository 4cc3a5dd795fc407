"""Whatever changes in a fight has a place where it is marked: a stun, the Force that is left."""

from __future__ import annotations

import re
from pathlib import Path

import pymupdf
import pytest

from sheetgen.plan.pages.encounters import TrackView
from tests.cli.commands import run

STOCK = Path(__file__).parents[2] / "content" / "encounters"


def words_of(encounter: str, folder: Path) -> list[str]:
    said = run("encounter", STOCK / encounter, "--out", folder)
    assert said.status == 0, said.err
    with pymupdf.open(said.out.split()[0]) as pdf:
        return " ".join(page.get_text() for page in pdf).split()


@pytest.mark.parametrize(
    ("encounter", "copies"),
    [("hyperspace-d6/salt-bridge.yaml", 4), ("wound-points/toll_gate.yaml", 6)],
)
def test_each_copy_has_a_box_for_a_stun(encounter: str, copies: int, tmp_path: Path) -> None:
    """One more where a club may stun."""
    assert words_of(encounter, tmp_path).count("stun") == copies


def test_names_of_copies_stand_beside_their_states(tmp_path: Path) -> None:
    """A long track has a line of its own; its copy's name needs none."""
    said = run("encounter", STOCK / "wound-points/dry-dock.yaml", "--out", tmp_path)
    with pymupdf.open(said.out.split()[0]) as pdf:
        (page,) = pdf
        (name,) = page.search_for("Left gate")
        stuns = [box for box in page.search_for("stun") if box.x1 < name.x0 < box.x1 + 90]
    assert [box for box in stuns if box.y0 < (name.y0 + name.y1) / 2 < box.y1]


def test_who_has_the_force_has_room_to_write_what_is_left(tmp_path: Path) -> None:
    text = " ".join(words_of("keyword-dots/lower-docks.yaml", tmp_path))
    assert len(re.findall(r"Force left: (?:_+ ){3}_+", text)) == 2, "two of the four have powers"


def test_the_steps_of_damage_begin_with_the_stun(tmp_path: Path) -> None:
    assert "1 to 3: stunned" in " ".join(words_of("d6-pips/toll_gate.yaml", tmp_path))


@pytest.mark.parametrize(
    ("encounter", "word", "count"),
    [
        ("d6-pips/toll_gate.yaml", "CP", 2),
        ("wound-points/dry-dock.yaml", "haste", 7),
        ("wound-points/dry-dock.yaml", "below", 7),
        ("narrative-powers/toll_bridge.yaml", "taunt", 5),
        ("hyperspace-d6/salt-bridge.yaml", "rattled", 1),
    ],
)
def test_what_changes_has_a_place(encounter: str, word: str, count: int, tmp_path: Path) -> None:
    assert words_of(encounter, tmp_path).count(word) == count


def test_powers_that_are_used_up_have_a_box(tmp_path: Path) -> None:
    fight = tmp_path / "fight.yaml"
    fight.write_text(
        "ruleset: narrative-powers\ncombatants: [{npc: Barrow Cantor}, {npc: Toll Guard}]\n"
    )
    assert words_of(str(fight), tmp_path).count("Dirge") == 2, "its text, and its box"


def test_many_points_are_counted_in_writing(tmp_path: Path) -> None:
    fight = tmp_path / "fight.yaml"
    fight.write_text("ruleset: d6-pips\ncombatants: [{npc: Hunter, points: 14}]\n")
    assert "CP 14" in " ".join(words_of(str(fight), tmp_path))


@pytest.mark.parametrize(
    ("boxes", "states", "beside"), [(4, 1, True), (4, 6, False), (12, 1, False)]
)
def test_a_single_state_stands_before_a_short_track(boxes: int, states: int, beside: bool) -> None:
    track = TrackView("", (("", False),) * boxes, "", "", states=(("stun", False),) * states)
    assert track.beside is beside


def test_cards_have_a_box_beside_the_first_step(tmp_path: Path) -> None:
    """It hangs below the line of the ladder and meets neither the word below nor the figure."""
    said = run("cards", "hyperspace-d6", "--kind", "npc", "--name", "Thug", "--out", tmp_path)
    assert said.status == 0, said.err
    with pymupdf.open(said.out.split()[0]) as pdf:
        page = pdf[0]
        (step, *_), (word, *_) = page.search_for("5+"), page.search_for("stunned")
        edges = [drawn["rect"] for drawn in page.get_drawings()]
    boxes = [edge for edge in edges if edge.x0 > step.x1 and edge.x1 < step.x1 + 32]
    (box,) = [edge for edge in boxes if edge.height > 12 and step.y0 - 4 < edge.y0 < step.y1]
    assert box.y1 < word.y0 + 2
