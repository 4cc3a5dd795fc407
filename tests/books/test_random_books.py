"""Random books, right and wrong ones: each entry and combined file is written or has a finding."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from sheetgen.data import data_folder
from sheetgen.load.rulesets.content import ruleset_ids
from tests.cli.commands import CHARACTERS, Said, run, starter
from tests.samples import count

pytestmark = pytest.mark.slow

COUNT = count(200, 30)
GAMES = sorted(ruleset_ids())
FIGHTS = data_folder() / "content" / "encounters"
HEROES = ("hyperspace-d6/rivet", "keyword-dots/ilo-tamarack")
TABLE = "who,job\nAna Bo,Scoundrel\nCy Dex,Scout\n"
TEMPLATE = """
ruleset: hyperspace-d6
name: $who
species: Human
profession: $job
skills: [Blasters, Deceive, Pilot]
edge: Luck
burden: Wanted
"""
PIXEL = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 6"><path d="M0 0h9v6z"/></svg>'
PRESETS = ("home-a4", "home-letter", "ink-saver", "drivethru-card", "mpc", "pod-book")
WRONG: tuple[Any, ...] = (
    None,
    "",
    0,
    -1,
    10**9,
    True,
    [],
    {},
    "x",
    ["x"],
    {"x": 1},
    "../up",
    "{n}",
)


class Draw(Random):
    """Random choices of which few, of some seeds, are odd ones."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.odd = (0.0, 0.0, 0.03, 0.15)[seed % 4]

    def of(self, usual: Sequence[Any], odd: Sequence[Any] = ()) -> Any:
        """Return one of `usual`, and now and then one of `odd`."""
        return self.choice(odd if odd and self.random() < self.odd else usual)

    def some(self, makers: dict[str, Any], chance: float) -> dict[str, Any]:
        """Return some of the keys, each with what its maker makes."""
        return {key: make() for key, make in makers.items() if self.random() < chance}


def _options(draw: Draw, kind: str = "") -> dict[str, Any]:
    """Return how an entry is printed; without a kind, what makes sense for most."""
    makers = {
        "to": lambda: draw.of((["pdf"], ["html"], ["pdf", "html"]), (["png"], ["tts"], ["x"], [])),
        "paper": lambda: draw.of(("a4", "letter"), ("a5", "A4", "x")),
        "theme": lambda: draw.of(("standard", "ink-saver", "large-print", "mono"), ("x", "x.yaml")),
        "for": lambda: draw.of(PRESETS if kind == "cards" else (*PRESETS[:3], "pod-book"), ("x",)),
        "flatten": lambda: draw.random() < 0.5,
        "calc": lambda: draw.random() < 0.5,
        "qr": lambda: draw.random() < 0.5,
        "archive": lambda: draw.random() < 0.5,
        "draft": lambda: draw.random() < 0.5,
    }
    cards = {
        "size": lambda: draw.of(("poker", "tarot", "index", "a6", "half-letter"), ("30", "2in")),
        "grid": lambda: draw.of(("2x2", "1x1"), ("9x9", "0x0", "x")),
        "gutter": lambda: draw.of(("2mm", "0"), ("9in", "x")),
        "bleed": lambda: draw.of(("3mm", "0.125in"), ("9in", "x")),
        "backs": lambda: draw.of(("long-edge", "short-edge", "fold"), ("x",)),
        "single": lambda: draw.random() < 0.5,
        "marks": lambda: draw.random() < 0.5,
        **{key: makers[key] for key in ("to", "theme", "for", "archive")},
    }
    odd = {
        "dpi": lambda: draw.of((36, 72, 0, 10**6)),
        "transparent": lambda: draw.random() < 0.5,
        "each": lambda: draw.random() < 0.5,
        "base_url": lambda: draw.of(("https://example.org/deck", "x")),
        "options": lambda: {draw.of(("limits", "x")): draw.of(("house", "text", "x"))},
        **cards,
    }
    pictures = {"to": ["png"], "dpi": 36, "transparent": draw.random() < 0.5}
    more = pictures if kind and draw.random() < 0.06 else {}
    return draw.some(cards if kind == "cards" else makers, 0.12) | draw.some(odd, draw.odd) | more


def _entry(draw: Draw, number: int) -> dict[str, Any]:
    """Return an entry of one kind."""
    game = draw.of(GAMES, ("x", "./game"))
    what: dict[str, Any] = draw.of(
        (
            {"sheets": draw.of(("heroes", "heroes/rivet.yaml", ["heroes", "bo.yaml"]), ("none",))},
            {"sheets": "heroes/*.yaml", "joined": True},
            {"sheets": "people.csv", "template": "template.yaml"},
            {"rows": "people.csv", "template": draw.of(("template.yaml",), ("none.yaml",))},
            {"blanks": game},
            {"cards": game, "kind": draw.of(("npc",), ("gear", "odds", "vehicle", "x"))},
            {"tables": game},
            {"screens": game},
            {"encounters": draw.of(("fights/salt-bridge.yaml",), ("heroes", "none", "fights"))},
            {
                "pieces": draw.of(("fights", "heroes", game)),
                "kind": draw.of(("token", "tent, badge")),
            },
            {"odds": game},
        ),
        (
            {},
            {"cards": game},
            {"sheets": "heroes", "odds": game},
            {"sheets": []},
            {"rows": {"database": "x"}},
        ),
    )
    makers = {
        "id": lambda: f"e{draw.of((number,), (1, 'é', '../x', ''))}",
        "title": lambda: draw.of(("A part", "<b> & more", "word " * 30)),
        "name": lambda: draw.of(
            (f"e{number}/{{name}}", f"{number}-{{n}}-{{stem}}"),
            ("x", "{x}", "../x", "/x", "a" * 400),
        ),
        "group": lambda: draw.of(([],), (["Imperials"], ["x"])),
        "only": lambda: draw.of(([],), (["combat"], ["x"])),
        "copies": lambda: draw.of((1, 2, 3), (0, 1001, "x")),
    }
    chance = {"id": 0.7, "group": 0.1, "only": 0.1}
    more = {k: m() for k, m in makers.items() if draw.random() < chance.get(k, 0.2)}
    return {**more, **_options(draw, next(iter(what), "x")), **what}


def _combined(draw: Draw, ids: Sequence[str], number: int) -> dict[str, Any]:
    cover = {
        "title": lambda: draw.of(("X", "A very long title of a book with <marks> & more"), ("",)),
        "subtitle": lambda: draw.of(("second line", "")),
        "text": lambda: draw.of(("some words", "many words " * 80)),
        "foot": lambda: draw.of(("a line", "x" * 300)),
        "face": lambda: draw.of(("stencil", "star-lanes"), ("x", "x/face.yaml")),
        "picture": lambda: draw.of(
            ("logo.svg", {"file": "logo.svg", "fit": "whole"}), ("none.png",)
        ),
    }
    made = {
        "of": lambda: (
            [*draw.sample([*ids], draw.randint(0, len(ids))), *draw.of(([],), (["x"],))]
        ),
        "title": lambda: draw.of(("All of it", "")),
        "cover": lambda: {"title": "X"} | draw.some(cover, 0.4),
        "numbers": lambda: draw.random() < 0.5,
        "duplex": lambda: draw.random() < 0.6,
    }
    return {"name": draw.of((f"all-{number}",), ("../x", "all", "")), **draw.some(made, 0.6)}


def _spoiled(draw: Draw, one: Any) -> Any:
    """Return a book with one value replaced, left out or doubled, at a random depth."""
    if isinstance(one, list) and one and draw.random() < 0.85:
        at = draw.randrange(len(one))
        below = [_spoiled(draw, one[at])] if draw.random() < 0.9 else [one[at], one[at]]
        return [*one[:at], *below, *one[at + 1 :]]
    if isinstance(one, dict) and one and draw.random() < 0.9:
        key = draw.choice([*one])
        if draw.random() < 0.15:
            return {k: v for k, v in one.items() if k != key}
        return {k: _spoiled(draw, v) if k == key else v for k, v in one.items()}
    return draw.choice(WRONG)


def random_book(seed: int) -> dict[str, Any]:
    """Return a book; some have wrong values."""
    draw = Draw(seed)
    entries = [_entry(draw, number) for number in range(draw.of((1, 1, 2, 3), (0, 5)))]
    ids = [one["id"] for one in entries if "id" in one]
    makers = {
        "title": lambda: draw.of(("A book", "<b>")),
        "out": lambda: draw.of(("out",), ("..", ".", "heroes")),
        "defaults": lambda: _options(draw),
        "combined": lambda: [_combined(draw, ids, n) for n in range(draw.randint(1, 2))],
        "logo": lambda: draw.of(("logo.svg",), ("none.svg", "../logo.svg")),
        "cover": lambda: draw.of(("logo.svg",), ("people.csv",)),
        "back": lambda: draw.of(("logo.svg",), ("people.csv",)),
    }
    chance = {"combined": 0.75}
    more = {k: m() for k, m in makers.items() if draw.random() < chance.get(k, 0.15)}
    book = {**more, "entries": entries}
    return _spoiled(draw, book) if draw.random() < draw.odd * 3 else book


def try_book(folder: Path, seed: int) -> tuple[Said, Said, Said]:
    """Write a random book with the files that it names; check it, build it, and build it again."""
    heroes = folder / "heroes"
    heroes.mkdir()
    for name in HEROES:
        shutil.copy(CHARACTERS / f"{name}.yaml", heroes)
    shutil.copytree(FIGHTS / "hyperspace-d6", folder / "fights")
    starter(folder, "d6-pips")
    for name, text in (("people.csv", TABLE), ("template.yaml", TEMPLATE), ("logo.svg", PIXEL)):
        (folder / name).write_text(text, encoding="utf-8")
    text = yaml.safe_dump(random_book(seed), allow_unicode=True, sort_keys=False)
    book = folder / "book.yaml"
    book.write_text(text, encoding="utf-8")
    return (
        run("check", book),
        run("build", book, "--jobs", "1", "--out", folder / "built"),
        run("build", book, "--jobs", "1", "--out", folder / "built"),
    )


def find_bugs(said: Sequence[Said]) -> list[str]:
    """Return what is wrong with the answers to a random book."""
    _, built, again = said
    wrong = ["a print failed"] * any("this print failed" in one.err + one.out for one in said)
    for one in said:
        if one.status and "error[" not in one.err + one.out and "Error:" not in one.err:
            wrong.append("no finding says why")
    if not built.status and "0 written" not in again.out + again.err:
        wrong.append("an unchanged book was built again")
    return wrong


@pytest.mark.parametrize("seed", range(COUNT))
def test_a_random_book_is_built_or_refused(tmp_path: Path, seed: int) -> None:
    said = try_book(tmp_path, seed)
    assert not find_bugs(said), "\n".join(one.all for one in said)
