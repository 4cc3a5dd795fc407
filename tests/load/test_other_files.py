"""A file that was given to the wrong command: one finding says what it is and what prints it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sheetgen.load.books import read_book
from sheetgen.load.characters import load_encounter

HERO = "ruleset: d6-pips\nname: Ada\nskills: {Dodge: +1D}\ngear: [Medpac]\n"
STOCK = "ruleset: d6-pips\nkind: npc\nentries: [{name: Ada, role: guard}]\n"
FIGHT = "ruleset: d6-pips\nencounter: A gate\ncombatants: [{npc: Hound}]\n"
BOOK = "title: All\nentries: [{sheets: [ada.yaml]}]\n"


@pytest.mark.parametrize(
    ("text", "command", "message", "hint"),
    [
        (HERO, "encounter", "this is a character, not an encounter", "sheetgen sheet"),
        (HERO, "book", "this is a character, not a book", "sheetgen sheet"),
        (f"kind: character\n{HERO}", "book", "this is a character, not a book", "sheetgen sheet"),
        (STOCK, "encounter", "this is a file of kind `npc`, not an encounter", "sheetgen cards"),
        (STOCK, "book", "this is a file of kind `npc`, not a book", "sheetgen cards"),
        (FIGHT, "book", "this is an encounter, not a book", "sheetgen encounter"),
        (BOOK, "encounter", "this is a book, not an encounter", "sheetgen build"),
    ],
)
def test_one_finding_names_the_right_command(
    tmp_path: Path, text: str, command: str, message: str, hint: str
) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(text, encoding="utf-8")
    read = read_book(path) if command == "book" else load_encounter(path)
    assert read.value is None
    (finding,) = read.findings
    assert (finding.code.id, finding.message) == ("SG010", message)
    assert hint in finding.hint
    assert finding.span.line == 1


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (FIGHT, "encounter"),
        ("ruleset: d6-pips\nplayers: [Ada]\n", "encounter"),
        ("ruleset: d6-pips\n", "encounter"),
        (BOOK, "book"),
        ("title: All\n", "book"),
        ("combined: [{name: all}]\n", "book"),
    ],
)
def test_files_of_the_right_sort_are_read(tmp_path: Path, text: str, command: str) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(text, encoding="utf-8")
    read = read_book(path) if command == "book" else load_encounter(path)
    assert not [f for f in read.findings if f.message.startswith("this is")]
