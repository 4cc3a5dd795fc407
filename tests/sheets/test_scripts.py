"""Letters of many alphabets: seen in every viewer, kept, copied out, and at little weight."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pikepdf
import pytest

from tests.printing import FULLEST, GAMES, Sheet, character_from, opened, printed, unseen, values
from tests.render.ua_rules import faults
from tests.render.viewers import qpdf_says, text_of
from tests.sheets.test_every_sheet import MOST_BYTES

NAME = "Żółć Ωμέγα Жёлудь"
LONG = "Zażółć gęślą jaźń. Ξεσκεπάζω την ψυχοφθόρα. Съешь же ещё этих мягких булок."


@cache
def _written(game: str) -> Sheet:
    """Return the fullest sheet of `game`, its name, player and notes in three alphabets."""
    body, *_ = FULLEST[game].read_text().partition("\nnotes:")
    told = {"name": NAME, "player": NAME}
    lines = [_retold(line, told) for line in body.splitlines()]
    return printed(character_from("\n".join([*lines, f"notes: {LONG}", ""]), game))


def _retold(line: str, told: dict[str, str]) -> str:
    key, colon, _ = line.partition(":")
    return f"{key}: {told[key]}" if colon and key in told else line


@pytest.mark.many
@pytest.mark.parametrize("game", GAMES)
def test_values_in_three_alphabets_are_seen_kept_and_small(game: str) -> None:
    one = _written(game)
    assert qpdf_says(one.pdf) == ""
    assert faults(one.pdf) == []
    assert unseen(one.plan, one.pdf) == []
    kept = values(one.pdf)
    assert (kept["name"], kept["player"], kept["notes"]) == (NAME, NAME, LONG)
    words = Counter(text_of(one.pdf).split())
    assert words >= Counter(LONG.split()) + Counter(NAME.split()) + Counter(NAME.split())
    assert len(one.pdf) <= MOST_BYTES


@pytest.mark.parametrize("game", GAMES)
def test_each_font_is_embedded_once_whatever_the_letters(game: str) -> None:
    with opened(_written(game).pdf) as pdf:
        described = [
            one
            for one in pdf.objects
            if isinstance(one, pikepdf.Dictionary) and one.get("/Type") == "/FontDescriptor"
        ]
        names = Counter(str(one.FontName).partition("+")[2] for one in described)
        files = Counter(one.FontFile2.read_bytes() for one in described)
    assert max(names.values()) == 1, names
    assert max(files.values()) == 1
