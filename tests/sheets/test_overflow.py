"""Too much of everything: each word is printed somewhere, and it is said what moved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sheetgen.diag import codes
from sheetgen.diag.findings import Span
from sheetgen.load.rulesets.content import starter_text
from sheetgen.materials.plates import PlateStore
from sheetgen.plan.sheets.sheets import fill_plate
from sheetgen.plan.sheets.view import build_view
from sheetgen.render.press.press import press
from tests.printing import (
    GAMES,
    LAST,
    LOOKS,
    USUAL,
    Sheet,
    character_from,
    expected_values,
    printed,
    unseen,
    values,
)
from tests.render.ua_rules import faults
from tests.render.viewers import qpdf_says, text_of
from tests.samples import count
from tests.shelf import ruleset

pytestmark = pytest.mark.many


def _notes(letters: int) -> str:
    words, length, number = [], 0, 0
    while length < letters:
        words.append(f"note{number}")
        length += len(words[-1]) + 1
        number += 1
    half = len(words) // 2
    return " ".join(words[:half]) + "\n\n" + " ".join(words[half:])


@cache
def _overfull(game: str) -> str:
    """Return a character with more than any sheet has room for, in what every game has."""
    long = " ".join(f"concept{n}" for n in range(30))
    made = {
        "ruleset": game,
        "name": "Bartholomew Maximilian Featherstonehaugh the Umpteenth of Lower Wherever",
        "player": "A player with quite a long name too",
        "notes": _notes(3000),
    }
    more = {
        "concept": long,
        "appearance": long.replace("concept", "looks"),
        "holdings": [f"holding{n} of some size" for n in range(25)],
        "gear": [{f"Trinket{n}": "granted"} for n in range(40)],
    }
    if game == LAST:
        more = {
            "offhand": long.replace("concept", "hand"),
            "materials": [f"material{n} of some size" for n in range(25)],
            "equipment": [f"Trinket{n}" for n in range(40)],
        }
    return yaml.safe_dump({**made, **more}, allow_unicode=True)


@cache
def _overfull_sheet(game: str, look: tuple[str, str]) -> Sheet:
    return printed(character_from(_overfull(game), game), look, formats=("pdf", "html"))


def _written(game: str) -> set[str]:
    """Return all words of that character, its keys and the word `granted` aside."""

    def texts(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value
        elif isinstance(value, list):
            for item in value:
                yield from texts(item)
        else:
            yield str(value)

    made = yaml.safe_load(_overfull(game))
    return _words(" ".join(t for key, v in made.items() if key != "ruleset" for t in texts(v)))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text))


def _clean(game: str, notes: str) -> str:
    """Return a character without errors, and with little to say."""
    return starter_text(game).replace("{name}", "Bo") + f"\nnotes: {notes}\n"


@pytest.mark.slow
@pytest.mark.parametrize("look", [USUAL, *(x for x in LOOKS if "large-print" in x)])
@pytest.mark.parametrize("game", GAMES)
def test_every_word_is_on_a_page(game: str, look: tuple[str, str]) -> None:
    one = _overfull_sheet(game, look)
    assert _written(game) - _words(text_of(one.pdf)) == set()
    said = {finding.code.id for finding in one.printed.findings}
    assert {codes.OVERFLOW.id, codes.MORE_ROWS.id} <= said
    assert len(one.plan.leaves) > 1
    assert qpdf_says(one.pdf) == ""
    assert faults(one.pdf) == []
    assert values(one.pdf) == expected_values(one.plan)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_what_is_shown_of_it_can_be_seen(game: str) -> None:
    one = _overfull_sheet(game, USUAL)
    assert unseen(one.plan, one.pdf) == []


@pytest.mark.parametrize("game", GAMES)
def test_every_word_is_in_the_html(game: str) -> None:
    html = _overfull_sheet(game, USUAL).printed.files["html"].decode()
    assert _written(game) - _words(html) == set()


@pytest.mark.parametrize("game", GAMES)
def test_what_fits_is_not_said_to_move(game: str) -> None:
    """Guards against crying wolf: a short character has one leaf, and nothing is said."""
    one = printed(character_from(_clean(game, "short"), game))
    assert len(one.plan.leaves) == 1
    assert one.planned.moved == ()
    assert [f for f in one.printed.findings if f.code.id.startswith("SG30")] == []


@pytest.mark.parametrize("game", GAMES)
def test_a_page_says_that_it_goes_on(game: str) -> None:
    one = _overfull_sheet(game, USUAL)
    pages = len(one.plan.leaves[0].plate.sizes)
    assert f"continued on page {pages + 1}" in " ".join(text_of(one.pdf).split())


LETTERS = st.characters(
    categories=("L", "N", "P", "S"), exclude_characters="\u00ad\ufeff", codec="utf-8"
)
WORD = st.text(LETTERS, min_size=1, max_size=12)
TEXT = st.lists(WORD, min_size=1, max_size=60).map(" ".join)
BLOCK = st.lists(TEXT, min_size=1, max_size=8).map("\n".join)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=count(25, 2), deadline=None, derandomize=True, database=None)
@given(name=TEXT, notes=BLOCK, player=TEXT)
def test_no_word_is_ever_lost(game: str, name: str, notes: str, player: str) -> None:
    """Any text: all of it stands in a field, and a field that shows less is followed up."""
    _overfull_sheet(game, USUAL)  # It makes both plates.
    said = {"ruleset": game, "name": name, "player": player, "notes": notes}
    one = printed(character_from(yaml.safe_dump(said), game))
    kept = values(one.pdf)
    for key in ("name", "player", "notes"):
        assert kept[key].split() == said[key].split()
    drawn = [s for leaf in one.plan.leaves[1:] for s in leaf.filling.texts.values()]
    moved = "".join("".join("".join(s.lines).split()) for s in drawn)
    leaf = one.plan.leaves[0]
    for key in ("name", "player", "notes"):
        shown = "".join("".join(leaf.filling.texts[key].lines).split())
        whole = "".join(said[key].split())
        assert shown == whole or whole in moved, key
    assert press(one.plan) == one.pdf


@pytest.mark.parametrize("look", [USUAL, ("a4", "large-print")])
@pytest.mark.parametrize("game", GAMES)
def test_what_is_off_a_track_is_a_figure(game: str, look: tuple[str, str]) -> None:
    rules = ruleset(game)
    build = character_from(_clean(game, "short"), game).build
    assert build is not None
    off = {id_: (track.shown + 50, track.shown + 20) for id_, track in rules.tracks.items()}
    plate = PlateStore().find_design(rules, look[1], look[0], None).value
    assert plate is not None
    filled = fill_plate(build_view(replace(build, marked=off), rules), plate.sheet, Span(""))
    texts = filled.filling.texts
    told = {id_: " ".join(texts[f"{id_}.over"].lines) for id_ in off if f"{id_}.over" in texts}
    moved = {one.label: one.text for one in filled.moved}
    for id_, track in rules.tracks.items():
        assert "+50 off track, 20 marked" in (told.get(str(id_)), moved.get(track.label))


def test_rows_of_a_list_and_fields_side_by_side_have_one_size() -> None:
    text = (
        "ruleset: keyword-dots\nname: Bo\nclass: Guardian\nwield: Pike\n"
        "offhand: A crane that was somebody's hand once\n"
        "allies: [Bes, 'Old Bes, who keeps the lighthouse at the end of the sunken quay']\n"
    )
    made = printed(character_from(text, "keyword-dots"), draft=True)
    texts = made.plan.leaves[0].filling.texts
    assert texts["wield"].size == texts["offhand"].size < 10
    assert texts["allies.1"].size == texts["allies.2"].size == 8
