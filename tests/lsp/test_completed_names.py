"""What a homebrew's author can complete, in half-typed files too; `|` is the cursor."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sheetgen.plugins.editor.lsp.files import RulesReader, list_completions
from tests.cli.commands import run

NPC = """\
kinds:
  npc:
    one: NPC
    label: NPCs
    folder: npcs
    based_on: npc
    keeps: [groups]
    character: {name: {kind: text, required: true}, npc: {kind: text}}
"""
RAT = "ruleset: ..\nkind: npc\nname: Rat Catcher\n"
BOOK = "entries: [{id: heroes, sheets: characters}]\ncombined: [{name: all, of: [|]}]\n"


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert run("new", "ruleset", "Lamps", "--out", "lamps").status == 0
    folder = tmp_path / "lamps"
    (folder / "kinds.yaml").write_text(NPC, encoding="utf-8")
    (folder / "npcs").mkdir()
    (folder / "npcs" / "rat.yaml").write_text(RAT, encoding="utf-8")
    return folder


def completed(path: Path, old: str, new: str, unsaved: dict[Path, str] | None = None) -> set[str]:
    """Return what is offered at `|` after an edit that is not saved."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    assert old in text
    text = text.replace(old, new, 1)
    offset, text = text.index("|"), text.replace("|", "", 1)
    texts = {os.path.realpath(one): other for one, other in (unsaved or {}).items()}
    texts[os.path.realpath(path)] = text
    return set(listed(path, text, offset, texts))


def listed(path: Path, text: str, offset: int, texts: dict[str, str]) -> list[str]:
    reader = RulesReader()
    reader.open_file(path, text, {})
    file = reader.open_file(path, text, texts, offset)
    return [one.label for one in list_completions(file, offset, reader, texts)]


@pytest.mark.parametrize(
    ("file", "old", "new", "offered"),
    [
        ("choices.yaml", "raise: {body: 3", "raise: {|, body: 3", {"climb", "tinker"}),
        ("choices.yaml", "requires: body >= 3", "requires: bo|", {"body", "has", "guard"}),
        ("ruleset.yaml", "value: 8 + scrap", "value: 8 + |", {"scrap", "max", "skill_price"}),
        ("ruleset.yaml", "attack {scrap}D", "attack {sc|}D", {"scrap", "modifiers"}),
        ("ruleset.yaml", "{skills: skill_price(n), ", "{|", {"skills"}),
        ("gear.yaml", "tags: [weapon, hand]", "tags: [weapon, |]", {"far", "tool"}),
        ("kinds.yaml", "keeps: [groups]", "keeps: [groups, |]", {"derived.guard", "lists"}),
        ("kinds.yaml", "folder: npcs", "card: |\n    folder: npcs", {"kind-card"}),
        ("npcs/rat.yaml", "kind: npc", "k|", {"kind"}),
        ("npcs/rat.yaml", "name: Rat Catcher", "npc: |", {"Rat Catcher"}),
        ("fight.yaml", "", "ruleset: .\nencounter: X\ncombatants:\n  - npc: |", {"Rat Catcher"}),
        ("fight.yaml", "", "ruleset: .\nencounter: X\ncombatants:\n  - kind: |", {"npc"}),
        ("ruleset.yaml", "of: knacks", "of: |", {"knacks", "skills"}),
        ("reference.yaml", "of: gear", "of: |", {"gear", "choices.calling"}),
        ("screen.yaml", "tables: targets", "tables: |", {"targets", "prices"}),
        ("screen.yaml", "[Number, Task]", "[|, Task]", {"Number"}),
        ("cards.yaml", '"{skill}"', '"{|}"', {"skill", "cost", "tag.weapon"}),
        ("face.yaml", "", "like: |", {"stencil", "cut-stone"}),
        ("face.yaml", "", "css: {|}", {"corner", "rule"}),
        ("face.yaml", "", "css: {corner: |}", {"notch", "round"}),
        ("face.yaml", "", "colours:\n  |", {"accent", "ink"}),
        ("../book.yaml", "", BOOK, {"heroes"}),
    ],
)
def test_names_are_offered(game: Path, file: str, old: str, new: str, offered: set[str]) -> None:
    assert offered <= completed(game / file, old, new)


def test_a_new_trait_is_offered_before_it_is_saved(game: Path) -> None:
    traits = game / "traits.yaml"
    more = traits.read_text(encoding="utf-8") + "      swim: {name: Swim, under: body}\n"
    found = completed(game / "choices.yaml", "raise: {body: 3", "raise: {sw|", {traits: more})
    assert "swim" in found


def test_rules_that_were_broken_and_closed_are_read_again(game: Path) -> None:
    rat, traits = game / "npcs" / "rat.yaml", game / "traits.yaml"
    texts, reader = {os.path.realpath(traits): "groups: {skills: {labl: x}}"}, RulesReader()
    assert reader.open_file(rat, RAT, {}).kind == "npc"
    reader.open_file(traits, texts[os.path.realpath(traits)], texts, 0)
    assert reader.open_file(rat, RAT, {}).kind == "npc"


HERO = "ruleset: hyperspace-d6\nname: Bo\nspecies: Human\nprofession: Scoundrel\n"
DOTS = "ruleset: keyword-dots\nname: Bo\nclass: Jedi Guardian\nxp: 60\n"
PIPS = "ruleset: d6-pips\nname: Bo\n"
FIGHT = "ruleset: hyperspace-d6\nencounter: X\n"
CARDS = "entries:\n  - cards: hyperspace-d6\n    "


@pytest.mark.parametrize(
    ("file", "text", "first"),
    [
        ("bo.yaml", HERO + "edge: {Trained: |}\n", {"Agility", "Blasters"}),
        ("bo.yaml", HERO + "edge:\n  Trained: |\n", {"Agility", "Blasters"}),
        ("bo.yaml", HERO + "advances: {1: [|]}\n", {"Agility", "Blasters"}),
        ("bo.yaml", HERO + "sessions: [{|}]\n", {"session", "gained", "note"}),
        ("bo.yaml", HERO + "skills: []\nedge: Luck\nburden: Wanted\n|\n", {"gear", "sessions"}),
        ("bo.yaml", HERO + "species: {custom: Z, attributes: {|}}\n", {"Dexterity"}),
        ("bo.yaml", DOTS + "dice: [|]\n", {"d2", "d4"}),
        ("bo.yaml", DOTS + "links: {A: [|]}\n", {"Jump"}),
        ("bo.yaml", DOTS + "links:\n  A:\n    - |\n", {"Jump"}),
        ("bo.yaml", DOTS + "pinned: {Leadership: |}\n", {"d2"}),
        ("bo.yaml", DOTS + "force powers: {Jump: {|}}\n", {"dots", "rating"}),
        ("bo.yaml", PIPS + "attributes: {DEX: |}\n", {"2D", "3D"}),
        ("fight.yaml", FIGHT + "combatants:\n  - |\n", {"npc", "vehicle", "count", "file"}),
        ("book.yaml", "entries:\n  - |\n", {"id", "sheets", "cards"}),
        ("book.yaml", "entries:\n  - sheets: |\n", {"heroes.csv"}),
        ("book.yaml", CARDS + "kind: |\n", {"npc", "vehicle", "gear"}),
        ("book.yaml", CARDS + "kind: npc\n    group: |\n", {"Imperials"}),
        ("book.yaml", CARDS + "kind: npc\n    group: [|]\n", {"Imperials"}),
        ("book.yaml", CARDS + "kind: gear\n    only: [|]\n", {"Combat Knife"}),
        ("book.yaml", "entries:\n  - {tables: hyperspace-d6, only: |}\n", {"creation", "skills"}),
        (
            "book.yaml",
            "entries:\n  - screens: hyperspace-d6\n    only:\n      - |\n",
            {"arms", "vehicles"},
        ),
        ("fight.yaml", FIGHT + "combatants:\n  - file: |\n", {"crew.yaml"}),
        ("fight.yaml", FIGHT + "combatants: [{count: 2, file: |}]\n", {"crew.yaml"}),
        ("book.yaml", CARDS + "paper: |\n", {"a4", "letter"}),
        ("book.yaml", CARDS + "theme: |\n", {"standard", "mono"}),
        ("book.yaml", CARDS + "for: |\n", {"home-a4", "home-letter"}),
        ("book.yaml", CARDS + "to: [|]\n", {"pdf", "html"}),
        ("book.yaml", CARDS + "size: |\n", {"poker", "tarot"}),
        ("book.yaml", CARDS + "backs: |\n", {"long-edge"}),
        ("book.yaml", "entries:\n  - cards: |\n", {"hyperspace-d6"}),
        ("book.yaml", "defaults: {paper: |}\nentries: []\n", {"a4"}),
    ],
)
def test_what_is_meant_is_among_the_first_five(
    tmp_path: Path, file: str, text: str, first: set[str]
) -> None:
    (tmp_path / "heroes.csv").write_text("name\nBo\n", encoding="utf-8")
    (tmp_path / "crew.yaml").write_text("kind: npc\nname: Bo\n", encoding="utf-8")
    path, offset = tmp_path / file, text.index("|")
    text = text.replace("|", "", 1)
    found = listed(path, text, offset, {os.path.realpath(path): text})
    assert first <= set(found[:5])
