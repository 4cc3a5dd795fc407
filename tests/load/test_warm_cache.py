"""A warm cache changes no print: each number of each file of a small game, changed on its own."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sheetgen.load.cache import cache_path
from tests.cli.commands import run
from tests.samples import spread

pytestmark = pytest.mark.slow

GAME = Path(__file__).parent.parent / "live" / "games" / "delve"
_NUMBER = re.compile(r"(?<![\w.-])\d+(?![\w.%])")


def numbers(folder: Path) -> Iterator[tuple[str, int, str]]:
    """Yield each number of a folder's files: the file, its place, and another number."""
    for path in sorted(folder.rglob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        for match in _NUMBER.finditer(text):
            line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if not line.startswith(("format:", "version:", "#")):
                yield str(path.relative_to(folder)), match.start(), str(int(match[0]) + 1)


def change(folder: Path, case: tuple[str, int, str]) -> None:
    """Write another number into a file of `folder`."""
    name, at, other = case
    text = (folder / name).read_text(encoding="utf-8")
    (folder / name).write_text(_NUMBER.sub(other, text[at:], count=1).join((text[:at], "")))


def forget(cold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the cache be empty, apart from what is made of fonts and of no file of a game."""
    fonts = [p for p in cache_path("").glob("*") if p.suffix in (".face", ".woff2", ".font")]
    monkeypatch.setenv("XDG_CACHE_HOME", str(cold))
    cache_path("").mkdir(parents=True)
    for path in fonts:
        (cache_path("") / path.name).symlink_to(path)


CASES = [*numbers(GAME)]
_ODDS = [case for case in CASES if case[0] == "odds.yaml"]


@pytest.mark.parametrize("case", [*spread(CASES, 8), *spread(_ODDS, 3)], ids=str)
def test_a_warm_cache_prints_what_a_cold_one_does(
    case: tuple[str, int, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = shutil.copytree(GAME, tmp_path / "delve")
    printed(game)  # the cache is warm with the game as it was
    change(game, case)
    warm = printed(game)
    forget(tmp_path / "cold", monkeypatch)
    assert warm == printed(game)


def printed(game: Path) -> dict[str, bytes]:
    """Return the sheet of the game's character, as a new process prints it.

    A process that ran other tests has loaded libraries in which streams compress to other bytes.
    """
    out = game.parent / "out"
    command = (sys.executable, "-m", "sheetgen", "sheet", game / "characters" / "orsolya.yaml")
    options = ("--draft", "--force", "--to", "html", "--to", "pdf", "--out", out)
    subprocess.run([*command, *options], check=True, capture_output=True)
    return {path.suffix: path.read_bytes() for path in out.iterdir()}


KINDS = """
kinds:
  npc:
    one: NPC
    label: NPCs
    folder: npcs
    keeps: [groups, gear, derived, tracks]
    character:
      name: {kind: text, required: true, label: Name}
      attributes: {kind: codes, of: attributes, label: Attributes}
      skills: {kind: codes, of: skills, whole: true, label: Skills}
      gear: {kind: items, open: true, label: Gear}
      hurt: {kind: number, least: 0, label: Hurt}
      copies: {kind: number, least: 1, label: Copies}
    lists:
      weapons: {of: gear, where: weapon, columns: {name: "{name}", damage: "{damage}"}}
encounter:
  as: npc
  rounds: 6
  tables: [targets]
  strips:
    npc:
      label: Combatant
      order: wits
      figures: [{label: Guard, of: guard.value}, {label: Shell, of: shell.value}]
      track: {of: harm, end: out}
      lines: [{each: weapons, parts: [{of: name}, {of: damage, unit: harm}]}]
"""
NPCS = """
ruleset: ./rules
kind: npc
entries:
  - {name: Wolf, attributes: {BOD: 3D, WIT: 2D, HRT: 1D}, skills: {Scrap: 4D}, gear: [{Fangs: 2D}]}
  - {name: Raider, copies: 2, attributes: {BOD: 2D, WIT: 2D, HRT: 2D}, gear: [Spear], hurt: 1}
"""
FIGHT = """
ruleset: ./rules
encounter: Ambush
combatants: [{file: foes.yaml}, {kind: npc, name: Chief, attributes: {BOD: 4D}, hurt: 2}]
"""
BOOK = """
title: All of it
out: out
defaults: {to: [pdf, html]}
entries:
  - {id: sheets, sheets: heroes, draft: true}
  - {id: rows, sheets: people.csv, template: heroes/ada-quill.yaml, draft: true}
  - {id: blanks, blanks: ./rules}
  - {id: cards, cards: foes.yaml, to: [pdf]}
  - {id: gear, cards: ./rules, kind: gear, to: [pdf]}
  - {id: oddity, cards: ./rules, kind: odds, to: [pdf]}
  - {id: pieces, pieces: foes.yaml, kind: "token, tent", to: [pdf]}
  - {id: tables, tables: ./rules}
  - {id: screens, screens: ./rules}
  - {id: odds, odds: ./rules}
  - {id: fight, encounters: fight.yaml}
combined:
  - {name: all, of: [sheets, tables, odds], numbers: true, cover: {title: All 9 of it}}
"""


def write_game(folder: Path) -> Path:
    """Write a small game that has every kind of print, with a book of them all."""
    rules = folder / "rules"
    run("new", "ruleset", "Tiny Game", "--out", rules)
    (rules / "characters").rename(folder / "heroes")
    hero = folder / "heroes" / "ada-quill.yaml"
    hero.write_text(hero.read_text().replace("ruleset: ..", "ruleset: ../rules"))
    more = {"rules/kinds.yaml": KINDS, "foes.yaml": NPCS, "fight.yaml": FIGHT, "book.yaml": BOOK}
    for name, text in {**more, "people.csv": "name\nAda\nBo\n"}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def built_game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the game, with the book's prints as they are at first."""
    game = write_game(tmp_path_factory.mktemp("built") / "game")
    said = run("build", game / "book.yaml", "--jobs", "1")
    assert said.status == 0, said.err
    return game


@pytest.fixture(scope="module")
def numbered_places(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, int, str]]:
    return [*numbers(write_game(tmp_path_factory.mktemp("places") / "game"))]


BUILT = 80
"""Numbers of the game's files; some builds are a sample of them."""


@pytest.mark.parametrize("number", spread(range(BUILT), 3))
def test_a_book_built_again_is_what_a_cold_build_makes(
    number: int,
    built_game: Path,
    numbered_places: list[tuple[str, int, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = numbered_places[number * len(numbered_places) // BUILT]
    game = shutil.copytree(built_game, tmp_path / "game")
    change(game, case)
    warm = run("build", game / "book.yaml", "--jobs", "1")
    found = outputs(game / "out")
    forget(tmp_path / "cold", monkeypatch)
    cold = run("build", game / "book.yaml", "--jobs", "1", "--out", tmp_path / "out")
    assert warm.status == cold.status, (case, warm.err, cold.err)
    if not cold.status:
        assert found == outputs(tmp_path / "out"), case
    assert found != outputs(built_game / "out") or cold.err, case


def outputs(folder: Path) -> dict[str, bytes]:
    """Return what a build wrote, by name, apart from its own records."""
    files = (p for p in folder.rglob("*") if p.is_file() and not p.name.startswith("."))
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}
