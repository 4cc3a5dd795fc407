"""NPCs of narrative-powers: house content, with pools of symbol dice, cards and a fight."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from sheetgen.load.content import rulesets_folder
from tests.cli.commands import run

GAME = "narrative-powers"
STOCK = rulesets_folder() / GAME / "npcs" / "house.yaml"
FIGHT = rulesets_folder().parent / "encounters" / GAME / "toll_bridge.yaml"


def _words(path: Path) -> str:
    with pymupdf.open(path) as pages:
        return " ".join(" ".join(page.get_text() for page in pages).split())


def test_the_stock_checks_clean() -> None:
    said = run("check", STOCK)
    assert said.status == 0
    assert "error" not in said.out + said.err
    assert (said.out + said.err).count("clean") == 6


def test_each_of_the_stock_has_one_card(tmp_path: Path) -> None:
    said = run("cards", GAME, "--kind", "npc", "--out", tmp_path)
    assert (said.status, said.err) == (0, "")
    words = _words(tmp_path / f"{GAME}-npc-cards.pdf")
    for name in ("Toll Guard", "Road Robber", "Marsh Boar", "Ember Wisp", "Barrow Cantor"):
        assert name in words
    assert "House stock" in words
    assert "Crippled" in words


def test_the_shipped_fight_says_pools_and_thresholds(tmp_path: Path) -> None:
    said = run("encounter", FIGHT, "--out", tmp_path)
    assert (said.status, said.err) == (0, "")
    words = _words(tmp_path / "toll-bridge.pdf")
    assert "2 D Willpower" in words  # the guard: Wisdom 2, rank 0
    assert "1 D 1 C Fortitude" in words  # Brawn 2, rank 1
    assert "5+ 10+ 15+ 20+" in words.replace(" +", "+")
    assert "Condition track" in words


@pytest.mark.parametrize("level", ["minion", "soldier", "champion"])
def test_a_gang_is_legal_by_its_rank(tmp_path: Path, level: str) -> None:
    path = tmp_path / "gang.yaml"
    made = run("new", "npc", GAME, "--level", level, "--count", "6", "--out", path)
    assert made.status == 0
    said = run("check", "--strict", path)
    assert said.status == 0
