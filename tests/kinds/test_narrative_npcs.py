"""NPCs of narrative-powers: house content, with pools of symbol dice, cards and a fight."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.plan.pages.encounters import plan_fight
from sheetgen.prints.encounter import check_encounter
from tests.cli.commands import run

pytestmark = pytest.mark.many

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
    assert "Crippled" in words


def test_the_shipped_fight_draws_pools_and_states(tmp_path: Path) -> None:
    both = ["--to", "pdf", "--to", "html"]
    said = run("encounter", FIGHT, "--out", tmp_path, *both)
    assert (said.status, said.err) == (0, "")
    words = _words(tmp_path / "toll-bridge.pdf")
    assert "5+ 10+ 15+ 20+" in words.replace(" +", "+")
    assert "Condition track" in words
    page = (tmp_path / "toll-bridge.html").read_text(encoding="utf-8")
    # the guard: Brawn 2, Fortitude 1 is one die upgraded; drawn, and said to a screen reader
    assert page.count('aria-label="1 challenge, 1 difficulty"') == 1
    guard = page.partition("Toll Guard</h2>")[2].partition("</article>")[0]
    assert guard.count(">Stag.<") == 2  # a condition track for each copy
    assert guard.count(">C</label>") == 2
    assert "<path" in guard


def test_states_of_a_file_are_marked(tmp_path: Path) -> None:
    fight = tmp_path / "fight.yaml"
    one = "{npc: Toll Guard, staggered: true, condition: Fatigued}"
    fight.write_text(f"ruleset: {GAME}\ncombatants: [{one}]\n", encoding="utf-8")
    staged = check_encounter(fight)
    assert staged.encounter
    assert staged.encounter.rules.encounter
    words = staged.encounter.rules.encounter
    made = plan_fight("", (), staged.fighters, words)
    (track,) = made.sections[0].strips[0].tracks
    assert [box for box, marked in track.states if marked] == ["Stag.", "F"]
    corner = made.sections[0].strips[0].corner
    assert corner.dice == ("proficiency", "ability")


@pytest.mark.slow
def test_own_soak_and_vulnerability_are_on_every_print(tmp_path: Path) -> None:
    fight = tmp_path / "fight.yaml"
    fight.write_text(f"ruleset: {GAME}\ncombatants: [{{npc: Ember Wisp}}]\n", encoding="utf-8")
    assert run("encounter", fight, "--out", tmp_path).status == 0
    assert (
        run("cards", GAME, "--kind", "npc", "--name", "Ember Wisp", "--out", tmp_path).status == 0
    )
    assert run("tables", GAME, "npcs", "--out", tmp_path).status == 0
    for path in sorted(tmp_path.glob("*.pdf")):
        words = _words(path)
        assert "Against fire" in words, path
        assert "To cold" in words, path


def test_ranks_on_the_screen_are_those_of_the_kind() -> None:
    rules = load_ruleset(rulesets_folder() / GAME, complete=True).value
    assert rules
    printed = {
        str(row[0]): [str(cell) for cell in row[1:3]] for row in rules.tables["npc_ranks"].rows
    }
    for rank in rules.kinds["npc"].choices["rank"].entries.values():
        raised = rank.grants.raise_ if rank.grants else {}
        figures = [str(raised.get(name, 0)) for name in ("base_threshold", "base_stamina")]
        assert printed[rank.name] == figures


@pytest.mark.parametrize("level", ["minion", "soldier", "champion"])
def test_a_gang_is_legal_by_its_rank(tmp_path: Path, level: str) -> None:
    path = tmp_path / "gang.yaml"
    made = run("new", "npc", GAME, "--level", level, "--count", "6", "--out", path)
    assert made.status == 0
    said = run("check", "--strict", path)
    assert said.status == 0


@pytest.mark.slow
def test_rules_that_the_tables_left_out(tmp_path: Path) -> None:
    assert run("tables", GAME, "turns", "heroes", "skills", "harm", "--out", tmp_path).status == 0
    (path,) = tmp_path.glob("*.pdf")
    words = _words(path)
    for rule in (
        "Later levels raise one ability or all",
        "success with failure, advantage with threat",
        "likely unconscious, staggered in any case",
        "the condition adds its dice here too",
    ):
        assert rule in words


def test_skills_have_their_dice_where_there_is_room(tmp_path: Path) -> None:
    """The dice are those of the ability and the rank; at poker size cards have the rank."""
    assert run("encounter", FIGHT, "--to", "html", "--out", tmp_path).status == 0
    page = (tmp_path / "toll-bridge.html").read_text(encoding="utf-8")
    guard = page.partition("Toll Guard</h2>")[2].partition("</article>")[0]
    skills = guard.partition("Athletics")[2].partition("By weapons")[0]
    assert skills.count('aria-label="1 proficiency, 1 ability"') == 3
    for size, words in (("a6", "Athletics Proficiency Ability"), ("poker", "Athletics 1")):
        out = tmp_path / size
        assert run("cards", GAME, "--kind", "npc", "--size", size, "--out", out).status == 0
        assert words in _words(*out.glob("*.pdf"))
