"""Random `odds` sections, right and wrong ones: each is printed or refused with a finding."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from sheetgen.data import data_folder
from tests.cli.commands import Said, run
from tests.samples import count

pytestmark = pytest.mark.slow

SKELETON = data_folder() / "content" / "skeletons" / "ruleset"
COUNT = count(500, 12)
WRONG: tuple[Any, ...] = (
    *(None, "", 0, -1, 1, 7, 10**6, 10**30, 1.5, True, [], {}, "n / 0", "points", "x", "\u0663"),
    *([1], {"a": 1}, {"none": None}, "a" * 300, "<b>", "{n}", "2D", "vs", "\u00df", "\u202e"),
)
TEXTS = ("Check", "a longer label, with a comma", "\u00dcbung", "<i>", "7 & 8", "Harm")
WORDED = ("best(1, 2d20)", "explode(2d6)", "count(3d6, 5, -1)", "2d8+1", "best(2, explode(3d10))")
READ = ("total >= target", "total > 7", "natural == 20", "doubles and total > 3", "total % 2")
ODD_TEXTS = ("{text}", " ", "", "word" * 60, "\u0301\u200b", "\U0001f3b2 \u05d0", "%s\\n", "]]>")


class Draw(Random):
    """Random choices of which few, of some seeds, are odd ones."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.odd = (0.0, 0.0, 0.04, 0.2)[seed % 4]

    def of(self, usual: Sequence[Any], odd: Sequence[Any] = ()) -> Any:
        """Return one of `usual`, and now and then one of `odd`."""
        return self.choice(odd if odd and self.random() < self.odd else usual)

    def text(self) -> str:
        return str(self.of(TEXTS, ODD_TEXTS))


def _sum_roll(draw: Draw) -> dict[str, Any]:
    faces = draw.of((2, 3, 4, 6, 6, 6, 8, 10, 12, 20, 100), (1, 0, 1000, 1001))
    roll: dict[str, Any] = {"kind": "sum", "label": draw.text(), "faces": faces}
    pick = {
        "letter": lambda: draw.of(("D", "d", "W", "T", "dé"), ("vs", "x", "", "D6", "v", "+")),
        "pips": lambda: draw.random() < 0.5,
        "beat": lambda: draw.random() < 0.5,
        "under": lambda: draw.random() < 0.5,
        "fewer": lambda: draw.of((0, 1, 2, 50), (-1, 10**9)),
        "least": lambda: draw.of((0, 1, 3, "1 + 1", "start.coins - 40"), ("1000", "1 / 2", "-3")),
        "words": lambda: {
            draw.of(("luck", "wild"), ("D6", "vs")): draw.of(WORDED, ("2X", "", "best("))
        },
        "outcomes": lambda: {
            draw.of(("good", "bad")): {"label": draw.text(), "when": draw.of(READ, ("zap", "1 /"))}
            for _ in range(draw.randint(1, 3))
        },
        "no_dice": lambda: draw.of(("nothing", "fails"), ("x",)),
        "ties": lambda: draw.of(("first", "second", "neither"), ("third",)),
        "behind": lambda: {draw.of(("cover", "far range"), ("6", "")): draw.of((5, "none", -3))},
        "behind_dice": lambda: {draw.of(("fog", "half wall"), ("D",)): draw.of((1, 0), (40, -1))},
        "refuses": lambda: {"full cover": draw.text()},
        "targets": lambda: {
            "table": draw.of(("targets",), ("prices", "none")),
            "name": draw.of(("Task",), ("Number", "x")),
            "number": draw.of(("Number",), ("Task", "x")),
            "also": {"awful": draw.of(("Very hard",), ("Nothing",))},
        },
        "wild": lambda: {
            "name": draw.text(),
            "again": draw.random() < 0.5,
            "one": draw.of(("add", "complication", "subtract"), ("x",)),
            "marks": {draw.of((1, faces), (faces + 1, 0, "one")): draw.text()},
        },
    }
    return roll | {key: make() for key, make in pick.items() if draw.random() < 0.25}


def _symbol_roll(draw: Draw) -> dict[str, Any]:
    names = draw.sample(("good", "bad", "odd", "zeal"), draw.randint(1, 3))
    symbols = ("hit", "miss", "spark", "blank", "hit hit", "hit spark")
    dice = {
        name: {
            "name": draw.of((name.title(), name.upper()), ("Ten 10", "", "vs")),
            "faces": {
                draw.of(symbols, ("", "7", "unknown")): draw.of((1, 2, 3, 6), (0, -1, 90, 10**6))
                for _ in range(draw.randint(1, 4))
            },
        }
        for name in names
    }
    outcomes = ("hits >= 1", "hits", "sparks > hits", "hits + sparks >= 2 and sparks")
    roll: dict[str, Any] = {
        "kind": "symbols",
        "label": draw.text(),
        "dice": dice,
        "counts": {
            "hits": {"label": "hits", "adds": ["hit"], "less": ["miss"]},
            "sparks": {"label": draw.text(), "adds": draw.of((["spark"],), ([], ["hit"]))},
        },
        "outcomes": {
            draw.of(("success", "both", "hits")): {
                "label": draw.text(),
                "when": draw.of(outcomes, ("1 / hits", "has(x)", "hits >", "zap", "hits ** 99")),
            }
            for _ in range(draw.randint(1, 3))
        },
    }
    if draw.random() < 0.3:
        roll["upgrades"] = {draw.choice(names): draw.of(names, ("none",))}
    if draw.random() < 0.3:
        roll["adds"] = {draw.of(("fog",), ("good",)): {draw.of(names): draw.of((1, 0), (-1, 50))}}
    if draw.random() < 0.2:
        roll["targets"] = {
            "table": "targets",
            "name": "Task",
            "number": "Number",
            "die": draw.of((*names, names[0]), ("none",)),
        }
    return roll


def _pool(draw: Draw, roll: dict[str, Any]) -> str:
    if roll["kind"] == "symbols":
        dice = draw.sample([*roll["dice"]], draw.randint(1, len(roll["dice"])))
        return " ".join(f"{draw.of((0, 1, 2, 5), (41, 20))} {die}" for die in dice)
    code = f"{draw.of((1, 2, 3, 8, 40), (0, 100, 101, 9999))}{roll.get('letter', 'D')}"
    odd = ("-9", " ties first", " vs 3", "+", "é")
    pips = roll.get("pips", True)
    tail = draw.of(("", "", "+1" if pips else "", "8", f" + 1{roll.get('letter', 'D')}8"), odd)
    actions = ("", "", "", " 2 actions" if roll.get("fewer", 1) else "")
    return f"{code}{tail}{draw.of(actions, (' 0 actions', ' 99 actions'))}"


def _columns(draw: Draw, roll: dict[str, Any]) -> list[str]:
    many = draw.of((1, 2, 4, 6, 10), (11, 0))
    kind = draw.randrange(4)
    if roll["kind"] == "symbols" or kind == 0:
        return [_pool(draw, roll) for _ in range(many)]
    if kind == 1:
        words = ["10 cover"] * ("cover" in roll.get("behind", {})) + ["4", "8"]
        words += ["Plain", "Hard", "Very hard"] * ("targets" in roll)
        odd = ("awful", "10 fog", "half wall", "", "full cover")
        return [draw.of(words, odd) for _ in range(many)]
    numbers = [
        draw.of(("0", "1", "2", "3", "10", "30", "99", "100"), ("2999", "3001", "99999", "-4"))
        for _ in range(many)
    ]
    return sorted(numbers, key=int) if kind == 2 else numbers


def _grid(draw: Draw, rolls: dict[str, Any]) -> dict[str, Any]:
    id_ = draw.choice([*rolls])
    roll = rolls[id_]
    grid: dict[str, Any] = {
        "label": draw.text(),
        "rows": [_pool(draw, roll) for _ in range(draw.of((1, 1, 3, 7, 14), (15, 0)))],
        "over": _columns(draw, roll),
    }
    if rolls.keys() != {id_} or draw.random() < 0.3:
        grid["roll"] = id_
    if roll["kind"] == "sum" and draw.random() < 0.3:
        letter = f"\\g<1>{roll.get('letter', 'D')}"
        worded = [re.sub(r"(\d)d", letter, draw.choice(WORDED)) for _ in range(2)]
        grid["rows"] = worded
    if roll["kind"] == "sum" and roll.get("outcomes") and draw.random() < 0.6:
        del grid["over"]
    if roll["kind"] == "symbols" and draw.random() < 0.5:
        grid["outcome"] = [draw.of([*roll["outcomes"]], ("none",))] * draw.of((1,), (2,))
        grid["rows"] = grid["rows"][: 14 // len(grid["outcome"])]
    if draw.random() < 0.3:
        grid["curves"] = draw.random() < 0.5
    if draw.random() < 0.3:
        grid["call"] = {draw.of((*grid["rows"], *grid.get("over", ()), "x")): draw.text()}
    if draw.random() < 0.3:
        grid["text"] = draw.of((*TEXTS, "words " * 200))
    return grid


def _shuffled(draw: Draw, one: Any) -> Any:
    """Return mappings in another order of keys, at every depth."""
    if isinstance(one, list):
        return [_shuffled(draw, below) for below in one]
    if not isinstance(one, dict):
        return one
    return {key: _shuffled(draw, one[key]) for key in draw.sample([*one], len(one))}


def _spoiled(draw: Draw, one: Any) -> Any:
    """Return a section with one value replaced, left out or renamed, at a random depth."""
    if isinstance(one, list) and one and draw.random() < 0.8:
        at = draw.randrange(len(one))
        return [*one[:at], _spoiled(draw, one[at]), *one[at + 1 :]]
    if isinstance(one, dict) and one and draw.random() < 0.9:
        key = draw.choice([*one])
        rest = {k: v for k, v in one.items() if k != key}
        how = draw.random()
        if how < 0.15:
            return rest
        if how < 0.25:
            return rest | {draw.choice(("faces", "hits", "vs", "zap", "")): one[key]}
        return {k: _spoiled(draw, v) if k == key else v for k, v in one.items()}
    return draw.choice(WRONG)


def random_section(seed: int) -> dict[str, Any]:
    """Return an `odds` section; every third has something wrong in it."""
    draw = Draw(seed)
    kinds = draw.choices((_sum_roll, _symbol_roll), k=draw.randint(1, 3))
    ids = draw.sample(("check", "harm", "luck", "rolls"), len(kinds))
    rolls = {id_: kind(draw) for id_, kind in zip(ids, kinds, strict=True)}
    grids = {f"g{n}": _grid(draw, rolls) for n in range(draw.of((1, 1, 2, 3), (0, 14)))}
    section = _shuffled(draw, {"rolls": rolls, "grids": grids})
    return _spoiled(draw, section) if draw.random() < draw.odd * 2 else section


def game_with(folder: Path, seed: int) -> Path:
    """Write a small game whose odds are `random_section(seed)`."""
    shutil.copytree(SKELETON, folder)
    for path in [*folder.glob("*.*"), *folder.glob("*/*.yaml")]:
        text = path.read_text(encoding="utf-8")
        for word, value in (("@id@", "game"), ("@title@", "Game"), ("@quoted@", "Game")):
            text = text.replace(word, value)
        path.write_text(text.replace("@credit@", "ours"), encoding="utf-8")
    text = yaml.safe_dump({"odds": random_section(seed)}, allow_unicode=True, sort_keys=False)
    (folder / "odds.yaml").write_text(text, encoding="utf-8")
    return folder


def try_section(folder: Path, seed: int, prints: bool) -> list[Said]:
    """Check a game, compute its grids, and ask it a question; print it, too, with `prints`."""
    game = game_with(folder / "game", seed)
    said = [run("check", game), run("odds", game)]
    for question in ("4D vs 10", "2 good", "3 good vs 1 bad", "2W", "40D8 vs 4d 3 actions"):
        said.append(run("odds", question, "--ruleset", game, "--table"))
    if prints:
        said.append(run("odds", game, "--to", "pdf", "--to", "html", "--out", folder / "out"))
        cards = ("cards", game, "--kind", "odds", "--to", "html", "--out", folder / "out")
        said.append(run(*cards))
    return said


@pytest.mark.parametrize("seed", range(COUNT))
def test_a_random_section_is_printed_or_refused(tmp_path: Path, seed: int) -> None:
    checked, shown, *rest = try_section(tmp_path, seed, prints=seed % 8 == 0)
    assert checked.status in (0, 1)
    assert "this print failed" not in "".join(one.err + one.out for one in rest)
    if checked.status:
        assert "error[" in checked.out
    elif random_section(seed).get("grids"):
        assert shown.status == 0, shown.err
        assert seed % 8 or not any(one.status for one in rest[-2:])


@pytest.mark.parametrize("when", ["1 / hits", "2 > 1 / hits", "6 // (hits - 1)", "has(hits)"])
def test_an_outcome_without_a_value_is_found_though_no_grid_needs_it(
    when: str, tmp_path: Path
) -> None:
    game = game_with(tmp_path / "game", 0)
    roll = {
        "kind": "symbols",
        "label": "check",
        "dice": {"good": {"name": "Good", "faces": {"blank": 2, "hit": 4}}},
        "counts": {"hits": {"label": "hits", "adds": ["hit"]}},
        "outcomes": {"well": {"label": "well", "when": when}},
    }
    (game / "cards.yaml").unlink()
    (game / "odds.yaml").write_text(yaml.safe_dump({"odds": {"rolls": {"check": roll}}}))
    said = run("check", game)
    assert said.status == 1
    assert f"`{when}` has no value for some throws" in said.out


UNREAD = [("check", "upgrades", {"x": "y"}), ("luck", "beat", True)]


@pytest.mark.parametrize(("roll", "key", "value"), UNREAD)
def test_what_the_kind_of_a_roll_never_reads_is_found(
    roll: str, key: str, value: Any, tmp_path: Path
) -> None:
    game = game_with(tmp_path / "game", 0)
    rolls = {
        "check": {"kind": "sum", "label": "check"},
        "luck": {
            "kind": "symbols",
            "label": "luck",
            "dice": {"good": {"name": "Good", "faces": {"blank": 2, "hit": 4}}},
            "counts": {"hits": {"label": "hits", "adds": ["hit"]}},
            "outcomes": {"well": {"label": "well", "when": "hits >= 1"}},
        },
    }
    (game / "cards.yaml").unlink()
    (game / "odds.yaml").write_text(yaml.safe_dump({"odds": {"rolls": rolls}}))
    assert run("check", game).status == 0
    rolls[roll][key] = value
    (game / "odds.yaml").write_text(yaml.safe_dump({"odds": {"rolls": rolls}}))
    said = run("check", game)
    assert said.status == 1
    assert f"`{key}` has no effect on a roll of kind" in said.out
