"""Cards of odds: every chance on its card, bars to a fixed whole, heads again, figures apart."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag.findings import Finding
from sheetgen.load.designs.designs import load_card
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.prints import CardFace, Place, Strip
from sheetgen.model.requests import CardRequest
from sheetgen.model.rulesets.prints import ComputedGrid
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.imposition import CARDS, DeckLayout, impose
from sheetgen.plan.pages.screen_blocks import SignWriter
from sheetgen.prints.cards import (
    ChosenCard,
    Deck,
    build_deck,
    press_deck,
    render_card_page,
    thing_cards,
)
from sheetgen.prints.odds import compute_grids
from sheetgen.prints.rulesets import load_checked_ruleset
from sheetgen.render.press.press import press_cards
from sheetgen.rules.odds.odds import HALF, cell_text
from tests.render.ua_rules import faults
from tests.render.viewers import qpdf_says, text_of
from tests.samples import by_turns

pytestmark = pytest.mark.slow

GAMES = ("d6-pips", "hyperspace-d6", "narrative-powers")
OWN_PLATES = "hyperspace-d6"
SIZES = ("poker", "tarot", "index", "a6", "half-letter")
THEMES = ("standard", "ink-saver", "mono", "large-print")
LOOKS = sorted({*by_turns(SIZES, (*THEMES, "standard")), ("poker", "standard")})
"""Each size, and each theme."""

STEPS = 50
HIGH = 0.66
"""Of their size: how high figures are."""

ROWS = [f"{n}D" for n in range(1, 15)]
OVER = [str(n) for n in (3, 5, 10, 12, 15, 17, 20, 25, 30, 40)]
SETS = """card_sets:
  odds:
    label: Cards of odds
    of: [{of}]
    card: odds-card
    texts: {{name: "{{name}}", kind: "{{roll}}", about: "{{about}}", text: "{{text}}"}}
"""


def _own(folder: Path, rows: Sequence[str], over: Sequence[str], **more: object) -> Ruleset:
    """Return a ruleset with one grid, `own`."""
    of = str(more.pop("of", "odds"))
    shutil.copytree(rulesets_folder() / "hyperspace-d6", folder, dirs_exist_ok=True)
    said = "".join(f"      {key}: {value}\n" for key, value in more.items())
    (folder / "odds.yaml").write_text(
        "odds:\n  rolls:\n    try: {kind: sum, label: try, faces: 6, letter: D, pips: false}\n"
        f"  grids:\n    own:\n      label: Own\n      rows: [{', '.join(rows)}]\n"
        f"      over: [{', '.join(repr(one) for one in over)}]\n{said}",
        encoding="utf-8",
    )
    (folder / "cards.yaml").write_text(SETS.format(of=of), encoding="utf-8")
    rules = load_ruleset((folder,), complete=True).value
    assert rules is not None
    return _alike(rules)


def _alike(rules: Ruleset) -> Ruleset:
    """Return `rules` under a name that all of these share, and with it the plate of a size.

    Strips of cards are the same for all rules; laying them out takes most of a test's time.
    """
    return replace(rules, digest="cards of odds")


@cache
def _game(name: str) -> tuple[tuple[ChosenCard, ...], tuple[ComputedGrid, ...]]:
    """Return the cards and the grids of a game; but one shares its plates, see `_alike`."""
    given = load_checked_ruleset(name)
    assert given.rules is not None
    grids = compute_grids(given.rules, given.options).value
    assert grids is not None
    rules = given.rules if name == OWN_PLATES else _alike(given.rules)
    return tuple(thing_cards(rules, "odds", given.options)), grids


def _wrong(rules: Ruleset) -> list[Finding]:
    """Return what is found in the file of cards."""
    return [f for f in check_ruleset(rules) if Path(f.span.file).name == "cards.yaml"]


def _deck(cards: Sequence[ChosenCard], size: str = "poker", theme: str = "standard") -> Deck:
    layout = DeckLayout(impose(CARDS[size], "a4"))
    made = build_deck(cards, layout, CardRequest(size=size, theme=theme)).value
    assert made is not None
    return made


def _places(strip: Strip) -> Mapping[str, Place]:
    """Return the places of a strip by name, without that of the strip."""
    here = (place for place in strip.plate.places if place.page == strip.page)
    return {place.name.partition(".")[2]: place for place in here}


def _texts(strip: Strip) -> dict[str, str]:
    return {name.partition(".")[2]: said.value for name, said in strip.filling.texts.items()}


def _marks(strip: Strip) -> dict[str, str]:
    return {name.partition(".")[2]: shape for name, shape in strip.filling.marks.items()}


def _rows(face: CardFace) -> list[Strip]:
    return [s for s in face.strips if any(n.startswith("rows.") for n in _texts(s))]


def _heads(face: CardFace) -> list[Strip]:
    return [s for s in face.strips if any(n.startswith("heads.") for n in _texts(s))]


@pytest.mark.parametrize(
    ("game", "size", "theme"),
    [
        *((game, "poker", "standard") for game in GAMES[:-1]),
        *((GAMES[-1], *look) for look in LOOKS),
    ],
)
def test_every_chance_stands_on_its_card(game: str, size: str, theme: str) -> None:
    cards, grids = _game(game)
    faces = _deck(cards, size, theme).faces
    assert [face.name for face in faces] == [grid.label for grid in grids]
    signs = SignWriter(cards[0].rules)
    for face, grid in zip(faces, grids, strict=True):
        (heads,), rows = _heads(face), _rows(face)
        assert tuple(_texts(heads).values()) == grid.columns
        for strip, row, cells in zip(rows, grid.rows, grid.cells, strict=True):
            told = _texts(strip)
            assert told.get("rows.code", told.get("rows.label")) == signs.text(row)
            for number, chance in enumerate(cells, 1):
                kind = "good" if chance >= HALF else "value"
                assert told[f"rows.{number}.{kind}"] == cell_text(chance)
                step = max(1, int(STEPS * chance)) if chance else 0
                assert _marks(strip).get(f"bar.{number}") == (f"bar-{step}" if step else None)


def _spoken(pool: str) -> str:
    """Return a pool of dice with signs as it is read: `1A 2P` is three signs, `2D` is a code."""
    return re.sub(r"(\d)([ABCPS])\b", lambda m: " ".join([m[2]] * int(m[1])), pool)


@pytest.mark.parametrize("game", GAMES)
def test_screen_readers_hear_each_chance_with_its_column(game: str) -> None:
    cards, grids = _game(game)
    for face, grid in zip(_deck(cards).faces, grids, strict=True):
        for strip, row, cells in zip(_rows(face), grid.rows, grid.cells, strict=True):
            assert strip.alt_differs
            alt = strip.alt_text.replace("\xa0", " ")
            assert alt.startswith(f"{_spoken(row)}: {grid.columns[0]} ")
            assert strip.alt_text.count("%") == len(cells)
            assert not set("<>–") & set(strip.alt_text)


def test_a_chance_just_under_a_half_has_less_than_half_a_bar(tmp_path: Path) -> None:
    rules = _own(tmp_path / "own", ["3D"], ["10", "11", "12"])
    (face,) = _deck([*thing_cards(rules, "odds", {})]).faces
    (row,) = _rows(face)
    assert _texts(row)["rows.2.good"] == "50"
    assert [_marks(row)[f"bar.{n}"] for n in (1, 2, 3)] == ["bar-31", "bar-25", "bar-18"]


@pytest.mark.parametrize(
    ("game", "size", "theme"),
    [(OWN_PLATES, "poker", "standard"), *((GAMES[-1], *look) for look in LOOKS)],
)
def test_prints_are_sound(game: str, size: str, theme: str) -> None:
    cards, grids = _game(game)
    layout = DeckLayout(impose(CARDS[size], "a4"))
    made = press_deck(cards, layout, CardRequest(formats=("pdf", "html"), size=size, theme=theme))
    unchanged = [f"the theme `{theme}` leaves cards as they are in `standard`"]
    said = [finding.message for finding in made.findings]
    assert said == (unchanged if theme == "large-print" and size != "half-letter" else [])
    data = made.files["pdf"]
    assert qpdf_says(data) == ""
    assert faults(data) == []
    words = " ".join(text_of(data).split())
    assert all(grid.label in words and grid.about in words for grid in grids)
    page = made.files["html"].decode()
    for row in {grid.rows[0] for grid in grids}:
        labels = sum(row in grid.rows for grid in grids)
        assert page.count(f'role="img" aria-label="{_spoken(row)}: ') == labels
    assert "s-bar-" in page


def test_a_module_changes_the_card() -> None:
    said = []
    for value in ("yes", "no"):
        given = load_checked_ruleset("d6-pips", {"modules.wild_die": value})
        assert given.rules is not None
        face = _deck([*thing_cards(_alike(given.rules), "odds", given.options)]).faces[0]
        said.append([strip.alt_text for strip in _rows(face)])
    assert said[0] != said[1]
    assert said[1][0].startswith("2D: 5 83%, 10 17%, 15 0%")


def test_the_largest_grid_stands_on_one_small_card(tmp_path: Path) -> None:
    rules = _own(tmp_path / "own", ROWS, OVER, about="per cent, at or over the number")
    deck = _deck([*thing_cards(rules, "odds", {})])
    assert deck.findings == ()
    (face,) = deck.faces
    assert len(_rows(face)) == len(ROWS)
    _figures_are_apart(face)


def test_figures_are_whole_and_apart(tmp_path: Path) -> None:
    """Of grids of every number of columns, and of rows of every height."""
    rules = _own(tmp_path / "own", ROWS, OVER)
    assert rules.odds is not None
    own = rules.odds.grids["own"]
    grids = {
        f"own{rows}x{count}": replace(own, rows=own.rows[14 - rows :], over=own.over[:count])
        for rows in (2, 7, 10, 12, 14)
        for count in range(1, 11)
    }
    cards = thing_cards(replace(rules, odds=replace(rules.odds, grids=grids)), "odds", {})
    faces = [
        face for card in cards for face in _deck([card]).faces
    ]  # a deck has rows of one height
    assert len(faces) == len(grids)
    assert len({_rows(face)[0].page for face in faces}) == len(grids)
    for face in faces:
        _figures_are_apart(face)


def _figures_are_apart(face: CardFace) -> None:
    """Each figure has its full size, of 6.5 points or more, below its bar and in its column."""
    width = face.size[0]
    (heads,) = _heads(face)
    ends = {
        name.split(".")[1]: place.box.x + place.box.width
        for name, place in _places(heads).items()
        if name in _texts(heads)
    }
    assert max(ends.values()) <= width - 3
    for strip in _rows(face):
        places = _places(strip)
        for name, text in _texts(strip).items():
            if name in ("rows.code", "rows.label"):
                continue
            number, place = name.split(".")[1], places[name]
            role = strip.plate.tokens.roles[place.role]
            setting = next(s for n, s in strip.filling.texts.items() if n.endswith(f".{name}"))
            assert setting.size == pytest.approx(role.size, abs=0.01), (name, text)
            assert setting.size >= 6.5
            assert place.box.x + place.box.width == pytest.approx(ends[number], abs=0.05)
            bar = places[f"bar.{number}"].box
            top = place.box.y + place.box.height - (role.baseline or 0) - HIGH * setting.size
            assert top - (bar.y + bar.height) > 0.9
            assert bar.x + bar.width == pytest.approx(ends[number], abs=0.05)


def test_long_names_stand_above_their_rows_and_heads_again_on_the_next_face(tmp_path: Path) -> None:
    called = {row: f"someone who has been at it for {row} years" for row in ROWS[:10]}
    called |= {number: f"Difficulty {number}" for number in OVER}
    said = ", ".join(f'"{key}": {value}' for key, value in called.items())
    rules = _own(tmp_path / "own", ROWS[:10], OVER, call=f"{{{said}}}", text="Below all.")
    deck = _deck([*thing_cards(rules, "odds", {})])
    assert len(deck.faces) > 1
    assert [finding.code.id for finding in deck.findings] == ["SG302"]
    found: list[str] = []
    for face in deck.faces:
        rows = _rows(face)
        assert len(_heads(face)) == (1 if rows else 0)
        for strip in (*rows, *_heads(face)):
            for setting in strip.filling.texts.values():
                assert "…" not in "".join(setting.lines)
        found += [_texts(strip)["rows.label"] for strip in rows]
    assert found == [called[row] for row in ROWS[:10]]


@pytest.mark.parametrize(
    ("of", "message"),
    [
        ("odds.owm", "there is no grid of odds `odds.owm`"),
        ("odd", "there is no catalogue `odd`"),
    ],
)
def test_a_grid_that_is_not_there_is_a_finding(tmp_path: Path, of: str, message: str) -> None:
    rules = _own(tmp_path / "own", ["3D"], ["11"], of=of)
    (finding,) = _wrong(rules)
    assert (finding.code.id, finding.message) == ("SG105", message)
    assert (finding.span.line, finding.span.column) == (4, 10)


def test_cards_of_odds_need_odds(tmp_path: Path) -> None:
    _own(tmp_path / "own", ["3D"], ["11"])
    (tmp_path / "own" / "odds.yaml").unlink()
    rules = load_ruleset((tmp_path / "own",), complete=True).value
    assert rules is not None
    assert [f.message for f in _wrong(rules)] == ["the rules have no grid of odds"]


def test_a_card_may_be_of_one_grid(tmp_path: Path) -> None:
    rules = _own(tmp_path / "own", ["3D"], ["11"], of="odds.own")
    assert _wrong(rules) == []
    (card,) = thing_cards(rules, "odds", {})
    assert card.about.texts["rows.1.1.share"] == str(Fraction(1, 2))
    assert card.about.texts["kind"] == "try"


def test_no_chance_is_smaller_than_seven_points() -> None:
    """Also on cards of ten columns, which is the most that they have."""
    tokens = load_card("odds-card", "standard", "poker", (178.58, 249.45)).value
    assert tokens is not None
    roles = tokens.tokens.roles
    sizes = [roles[f"card-{kind}-{n}"].least for kind in ("good", "share") for n in range(1, 6)]
    assert min(sizes) >= 7


def test_signs_are_drawn_and_read_as_words() -> None:
    deck = _deck(_game("narrative-powers")[0])
    letters = {
        letter for face in deck.faces for s in face.strips for letter in "".join(_texts(s).values())
    }
    signs = {letter for letter in letters if "\ue100" <= letter < "\uf000"}
    assert signs
    text, page = text_of(press_cards(deck.plan)), render_card_page(deck).decode()
    assert "against Difficulty Difficulty" in " ".join(text.split())
    assert '<span class="sign-of">Difficulty</span>' in page
    assert not signs & {*text, *page}
