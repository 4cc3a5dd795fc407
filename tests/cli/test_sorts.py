"""Folders that hold characters, fights, books and rulesets side by side."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from sheetgen.load.characters import BOOK, ENCOUNTER, find_file_type
from sheetgen.load.designs.designs import load_presets
from tests.cli.commands import CHARACTERS, ROOT, run

FIGHT = next((ROOT / "content" / "encounters" / "hyperspace-d6").glob("*.yaml"))
HERO = CHARACTERS / "hyperspace-d6" / "rivet.yaml"


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "content" / "books" / "starter-set", tmp_path / "book")
    shutil.copytree(ROOT / "content" / "rulesets" / "d6-pips", tmp_path / "game")
    shutil.copy(FIGHT, tmp_path / "fight.yaml")
    shutil.copy(HERO, tmp_path / "hero.yaml")
    return tmp_path


def test_each_file_is_checked_as_what_it_is(mixed: Path) -> None:
    said = run("check", mixed / "fight.yaml", mixed / "hero.yaml", mixed / "game" / "traits.yaml")
    names = ["game", "fight.yaml", "hero.yaml"]
    assert said.out.splitlines() == [f"{mixed / name}: clean" for name in names]
    assert said.status == 0
    folder = run("check", mixed)
    assert [line for line in folder.out.splitlines() if "fight" in line or "hero" in line] == [
        f"{mixed / 'fight.yaml'}: clean",
        f"{mixed / 'hero.yaml'}: clean",
    ]
    assert "a character of" not in folder.out
    assert "crew.yaml" not in folder.out


def test_a_fight_with_a_mistake_is_told_of_it(mixed: Path) -> None:
    path = mixed / "fight.yaml"
    path.write_text(path.read_text() + "\nplaiers: [A]\n")
    said = run("check", mixed)
    assert said.status == 1
    assert "there is no key `plaiers`" in said.out


def test_manuals_that_a_shell_names_are_passed_over(mixed: Path) -> None:
    (mixed / "README.md").write_text("# A manual: with a colon: here\n")
    said = run("check", mixed / "README.md", mixed / "hero.yaml")
    assert "README.md:1:1: note[SG405]: this is a manual, and is passed over" in said.out
    assert "error" not in said.out
    assert f"{mixed / 'hero.yaml'}: clean" in said.out
    assert said.status == 0


def test_sheets_of_a_folder_pass_over_the_rest(mixed: Path) -> None:
    shutil.rmtree(mixed / "game")
    said = run("sheet", mixed, "--out", mixed / "out")
    assert said.out.splitlines() == [str(mixed / "out" / "hero.pdf")]
    assert "error" not in said.err
    for name, what in (("fight.yaml", "an encounter"), ("book/book.yaml", "a book")):
        assert said.err.count(f"{mixed / name}:1:1: note[SG405]: this is {what}") == 1
    assert said.status == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["services: {web: {image: x}}\n", "- hosts: all\n", "a: {{ b }}\n"]
)
def test_files_of_other_programs_are_passed_over_in_folders(mixed: Path, text: str) -> None:
    (mixed / "other.yaml").write_text(text)
    said = run("check", mixed)
    note = "other.yaml:1:1: note[SG405]: this is a file of another program, and is passed over"
    assert note in said.out
    assert not re.search(r"other.yaml:\d+:\d+: error", said.out)
    assert re.search(r"other.yaml:\d+:\d+: error", run("check", mixed / "other.yaml").out)


@pytest.mark.parametrize("name", ["book.yaml", "crew.csv", "crew.yaml"])
def test_rows_are_checked_with_their_book(mixed: Path, name: str) -> None:
    table = mixed / "book" / "crew.csv"
    table.write_text(table.read_text().replace("Human", "Humn", 1))
    said = run("check", mixed / "book" / name)
    assert said.status == 1
    assert "crew.csv:2: there is no species `Humn`" in said.out
    assert "$species" not in said.out.replace("species: $species", "")


@pytest.mark.parametrize(
    ("name", "what"), [("crew.csv", "a table of rows"), ("crew.yaml", "a template of rows")]
)
def test_rows_without_a_book_are_passed_over(mixed: Path, name: str, what: str) -> None:
    (mixed / "book" / "book.yaml").unlink()
    said = run("check", mixed / "book" / name)
    assert said.status == 0
    assert f"note[SG405]: this is {what}, and is passed over" in said.out
    assert "hint: check the book" in said.out


@pytest.mark.parametrize(
    "name",
    [
        "_shared/presets.yaml",
        "_shared/themes/mono.yaml",
        "_cards/tokens.yaml",
        "power-card/card.yaml",
        "plain/sheet.yaml",
    ],
)
def test_files_of_designs_are_checked_as_such(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("check", ROOT / "templates" / name).out.endswith(": clean\n")
    shutil.copytree(ROOT / "templates", tmp_path / "templates")
    path = tmp_path / "templates" / name
    path.write_text(path.read_text() + "\nnonsens: {a: 1}\n")
    monkeypatch.setattr(
        "sheetgen.load.designs.templates.templates_folder", lambda: tmp_path / "templates"
    )
    monkeypatch.setattr(
        "sheetgen.load.rulesets.content.templates_folder", lambda: tmp_path / "templates"
    )
    load_presets.cache_clear()
    said = run("check", path)
    load_presets.cache_clear()
    assert said.status == 1
    assert "nonsens" in said.out


def test_printed_figures_are_passed_over() -> None:
    said = run("check", ROOT / "seeds" / "hyperspace-d6" / "armor.csv")
    assert said.status == 0
    assert "this is a table of a source's printed figures" in said.out


@pytest.mark.slow
def test_nothing_that_comes_with_us_is_taken_for_a_broken_character() -> None:
    said = run("check", ROOT / "content" / "rulesets", ROOT / "content" / "skeletons")
    assert (said.status, said.out.count("error[")) == (0, 0)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("flow.yaml", "{encounter: A, ruleset: d6-pips, combatants: []}"),
        ("saved.json", '{"encounter": "A", "ruleset": "d6-pips", "combatants": []}'),
        ("deep.yaml", "  encounter: A\n  ruleset: d6-pips\n"),
        ("broken.yaml", "encounter: A\nruleset: d6-pips\nnote: [\n"),
    ],
)
def test_fights_are_known_by_their_keys_however_these_are_written(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    assert find_file_type(tmp_path / name) == ENCOUNTER
    assert "character" not in run("check", tmp_path / name).out


@pytest.mark.parametrize("text", ["entires: []\n", '{"title": "B", "entries": []}', "- a\n"])
def test_a_book_is_known_by_its_name_too(tmp_path: Path, text: str) -> None:
    (tmp_path / "book.yaml").write_text(text)
    assert find_file_type(tmp_path / "book.yaml") == BOOK
    assert "does not say its ruleset" not in run("check", tmp_path).out


@pytest.mark.parametrize("name", ["a.pdf", "a.html", "a.json"])
def test_filled_sheets_are_left_to_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"sheetgen": "filled sheet", "format": 1}')
    said = run("check", tmp_path / name)
    assert (said.status, said.out.count("read it with `sheetgen read`")) == (0, 1)
