"""A warm cache changes no print: each number of each file of a small game, changed on its own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sheetgen.load.authors.characters import RulesetCache
from sheetgen.load.cache import cache_path
from sheetgen.model.requests import PrintRequest
from sheetgen.prints.characters import load_character
from sheetgen.prints.sheet import print_sheet
from tests.samples import spread

GAME = Path(__file__).parent.parent / "live" / "games" / "delve"
_NUMBER = re.compile(r"(?<![\w.-])\d+(?![\w.%])")


def numbers() -> Iterator[tuple[str, int, str]]:
    """Yield each number of the game's files: the file, its place, and another number."""
    for path in sorted(GAME.glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        for match in _NUMBER.finditer(text):
            line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if not line.startswith(("format:", "version:", "#")):
                yield path.name, match.start(), str(int(match[0]) + 1)


CASES = [*numbers()]
_ODDS = [case for case in CASES if case[0] == "odds.yaml"]


@pytest.mark.parametrize("case", [*spread(CASES, 8), *spread(_ODDS, 3)], ids=str)
def test_a_warm_cache_prints_what_a_cold_one_does(
    case: tuple[str, int, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = shutil.copytree(GAME, tmp_path / "delve")
    printed(game)  # the cache is warm with the game as it was
    name, at, other = case
    text = (game / name).read_text(encoding="utf-8")
    (game / name).write_text(_NUMBER.sub(other, text[at:], count=1).join((text[:at], "")))
    warm = printed(game)
    cold = tmp_path / "cold"
    fonts = [p for p in cache_path("").glob("*") if p.suffix in (".face", ".woff2", ".font")]
    monkeypatch.setenv("XDG_CACHE_HOME", str(cold))
    cache_path("").mkdir(parents=True)
    for path in fonts:  # they are made of no file of the game
        (cache_path("") / path.name).symlink_to(path)
    assert warm == printed(game)


def printed(game: Path) -> dict[str, bytes]:
    """Return the sheet of the game's character, as a new process prints it."""
    one = load_character(game / "characters" / "orsolya.yaml", RulesetCache(), {})
    return print_sheet(one, PrintRequest(formats=("html", "pdf"), draft=True)).files
