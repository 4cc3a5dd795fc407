"""A word of 80 letters breaks, shrinks or is reported on every print: none leaves its page."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sheetgen.diag import codes
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.prints.kinds import PrintContext, find_kind, print_request
from sheetgen.prints.tables import ScreenRequest
from tests.cli.commands import run
from tests.ink.collisions import find_collisions
from tests.ink.prints import DECK_MARGIN, PAPER_MARGIN
from tests.ink.test_additions import lost, prints

pytestmark = pytest.mark.many

STEM = "onaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft"


def word(letter: str) -> str:
    """Return a word of 80 letters that begins with `letter`."""
    return letter.upper() + STEM[:79]


def game_with(
    folder: Path, file: str, change: Callable[[dict[str, Any]], object], of: str = "d6-pips"
) -> Path:
    """Return a copy of a shipped game with one file changed."""
    game = folder / "game"
    shutil.copytree(rulesets_folder() / of, game)
    rules = yaml.safe_load((game / file).read_text(encoding="utf-8"))
    change(rules)
    (game / file).write_text(yaml.safe_dump(rules, sort_keys=False), encoding="utf-8")
    return game


def in_panels(rules: dict[str, Any]) -> None:
    fight, checks = (rules["screens"]["gm"]["panels"][name] for name in ("fight", "checks"))
    fight |= {"title": word("a"), "subtitle": word("b")}
    dice, more = checks["columns"][1][0], checks["columns"][2]
    dice["head"], dice["rows"][0] = word("c"), ["6", word("d"), word("e")]
    more[0]["about"], more[1]["rows"][0][0] = word("f"), word("g")
    grid = {"head": "Grid", "kind": "grid", "rows": [[word("h"), "1", "2"], ["b", "3", "4"]]}
    words = {"head": "List", "kind": "list", "rows": [[word("i")], [word("j"), "x"]]}
    rules["screens"]["gm"]["panels"]["own"] = {"title": "Own", "columns": [[grid, words]]}


def in_odds(rules: dict[str, Any]) -> None:
    (grid, *_) = rules["odds"]["grids"].values()
    grid |= {"label": word("a"), "about": word("b"), "text": f"{word('c')} {'as said ' * 300}"}


def in_tables(rules: dict[str, Any]) -> None:
    rules["references"]["play"] |= {"label": word("a"), "about": word("b")}
    rules["tables"]["cover"] |= {"label": word("c"), "text": word("d")}


def in_encounters(rules: dict[str, Any]) -> None:
    rules["encounter"] |= {"init": word("a"), "round": word("b"), "notes": word("c")}
    strip = rules["encounter"]["strips"]["npc"]
    strip |= {"label": word("d"), "figures_about": word("e")}
    strip["steps"][1]["label"], strip["figures"][1]["label"] = word("f"), word("j")
    strip["lines"][0]["parts"][2]["unit"] = word("g")


KINDS = {
    "screens": ("screen.yaml", in_panels, 10),
    "odds": ("odds.yaml", in_odds, 3),
    "tables": ("reference.yaml", in_tables, 4),
    "encounters": ("encounter.yaml", in_encounters, 10),
}


CASES = [(kind, "standard", "a4") for kind in KINDS]
CASES += [("encounters", theme, "letter") for theme in ("standard", "large-print")]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "theme", "paper"), CASES)
def test_long_words_stay_on_their_page(kind: str, theme: str, paper: str, tmp_path: Path) -> None:
    file, change, count = KINDS[kind]
    of = game_with(tmp_path, file, change)
    look: dict[str, str] = {}
    if kind == "encounters":
        fight = {"ruleset": "./game", "encounter": word("z"), "players": ["Ada", word("h")]}
        members = [{"npc": "Guard", "count": 2}, {"npc": "Hunter", "name": word("i")}]
        of = tmp_path / "fight.yaml"
        of.write_text(yaml.safe_dump({**fight, "combatants": members, "notes": "Rain"}))
        look = {"theme": theme, "paper": paper}
    found = prints(find_kind(kind).request((str(of),), **look))
    assert [f.message for one in found for f in one.findings if f.code is codes.PANEL_FULL] == []
    files = [one.files["pdf"] for one in found]
    assert files
    collisions = [one for file in files for one in find_collisions(file, PAPER_MARGIN)]
    assert [str(one) for one in collisions if "too near" not in one.kind] == []
    assert lost([word(chr(ord("a") + n)) for n in range(count)], *files) == []


@pytest.mark.slow
@pytest.mark.parametrize("game", ["hyperspace-d6", "narrative-powers"])
def test_long_words_stay_on_their_cards(game: str, tmp_path: Path) -> None:
    def change(rules: dict[str, Any]) -> None:
        for id_, letters in zip([*rules["gear"]][-3:], ("abc", "def", "ghi"), strict=True):
            name, special, text = map(word, letters)
            rules["gear"][id_] |= {"name": name, "special": special, "text": text}

    of = game_with(tmp_path, "gear.yaml", change, game)
    files = [
        one.files["pdf"] for one in prints(find_kind("cards").request((str(of),), of_kind="gear"))
    ]
    collisions = [one for file in files for one in find_collisions(file, DECK_MARGIN)]
    assert [str(one) for one in collisions if "too near" not in one.kind] == []
    assert lost([word(letter) for letter in "adg"], *files) == []


def test_rows_of_a_grid_need_no_heads(tmp_path: Path) -> None:
    rows = [["Fast", "1", "2"], ["Slow", "3"]]
    block = {"head": "Pace", "kind": "grid", "rows": rows}

    def change(rules: dict[str, Any]) -> None:
        rules["screens"]["gm"]["panels"] = {"own": {"title": "Own", "columns": [[block]]}}

    said = run("screen", game_with(tmp_path, "screen.yaml", change), "--out", tmp_path / "out")
    assert said.status == 0, said.all


@pytest.mark.slow
def test_what_no_line_has_room_for_is_reported(tmp_path: Path) -> None:
    def change(rules: dict[str, Any]) -> None:
        rows = rules["screens"]["gm"]["panels"]["checks"]["columns"][1][0]["rows"]
        rows[0][0] = word("a")  # a figure: it is never broken

    game = game_with(tmp_path, "screen.yaml", change)
    found = print_request(ScreenRequest((str(game),)), PrintContext())
    (full,) = [f for one in found for f in one.findings if f.code is codes.PANEL_FULL]
    assert "wider than its column" in full.message
