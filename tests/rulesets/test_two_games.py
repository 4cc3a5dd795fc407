"""Two games written from the documents alone: playbooks and bands, and step dice."""

from __future__ import annotations

import re
from pathlib import Path

import pymupdf
import pytest

from tests.cli.commands import run
from tests.shelf import TESTS

GAMES = TESTS / "rulesets" / "games"
LANTERN, SALTGLASS = GAMES / "lantern", GAMES / "saltglass"


def changed(folder: Path, game: Path, file: str, *changes: tuple[str, str]) -> Path:
    """Return a file of the game with parts of its text replaced, in `folder`."""
    text = (game / "characters" / file).read_text(encoding="utf-8")
    for old, new in (("ruleset: ..", f"ruleset: {game}"), *changes):
        assert old in text, old
        text = text.replace(old, new)
    path = folder / file
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("game", [LANTERN, SALTGLASS], ids=lambda game: game.name)
def test_all_files_are_clean(game: Path) -> None:
    said = run("check", game, *(one for one in sorted(game.iterdir()) if one.is_dir()))
    assert (said.status, said.err) == (0, ""), said.out


@pytest.mark.parametrize(
    ("game", "file", "lines"),
    [
        (LANTERN, "new", ["Grit +2 base −1, +2 +3", "Shade −1", "Armour 2", "Most hold 4"]),
        (LANTERN, "grown", ["Shade +3 base −1, +2 +3, advance +1", "Shade +2 to +3"]),
        (LANTERN, "grown", ["Grit −1 to +0", "Advances: 0 left"]),
        (SALTGLASS, "new", ["Reflex d8, Now d6 base d4, bought +2", "Guard 7", "Load 9 kg"]),
        (SALTGLASS, "new", ["Can carry 11 kg", "Pace 4", "Reflex d6–d8 −4 8", "Blade d4–d8"]),
        (SALTGLASS, "grown", ["Will d10, Now d6", "Grit d10", "Salt 8", "Chant d4–d10 −4 1"]),
        (SALTGLASS, "grown", ["Can carry 21 kg", "Torches d4–d8", "Silver: 215 left"]),
    ],
)
def test_values_and_steps_are_written_as_the_game_does(
    game: Path, file: str, lines: list[str]
) -> None:
    said = run("show", game / "characters" / f"{file}.yaml")
    shown = "\n".join(" ".join(line.split()) for line in said.out.splitlines())
    assert [line for line in lines if line not in shown] == []
    assert "of its own" not in shown


def test_what_comes_next_is_written_as_the_game_does() -> None:
    said = run("advance", "--all", SALTGLASS / "characters" / "grown.yaml")
    assert "Torches d8 to d10" in said.out
    assert "Will d10 to d12" in said.out
    said = run("advance", "--all", LANTERN / "characters" / "grown.yaml")
    assert "Shade +3 to +4  (the limit is +3)" in said.out


@pytest.mark.parametrize(
    ("game", "file", "old", "new", "message", "hint"),
    [
        (
            LANTERN,
            "grown",
            "[Shade, Grit]",
            "[Shade x2]",
            "Shade is +4; the limit is +3",
            "an advance of Shade",
        ),
        (LANTERN, "new", "[Tide, Heart]", "[Grit, Heart]", "Grit cannot be named", "each stat"),
        (LANTERN, "new", "Tallow skin]", "Bite]", "moves of other playbooks", "your own playbook"),
        (LANTERN, "new", "held: 2", "held: 9", "9 hold; at most 4 can be held", "spend some"),
        (
            SALTGLASS,
            "new",
            "Torches: d6",
            "Torches: d12",
            "Torches is d12; the limit is d10",
            "d10",
        ),
        (SALTGLASS, "new", "Reflex: d8", "Reflex: 8", "`8` is no die for Reflex", "write `d8`"),
        (SALTGLASS, "new", "Reflex: d8", "Reflex: 3", "`3` is no die", "write one of d4, d6"),
        (SALTGLASS, "new", "Reflex: d8", "Reflex: d7", "`d7` is no die", "write one of d4, d6"),
        (SALTGLASS, "new", "Reflex: d8", "Reflex: 0", "Reflex is 0, below the d4", "d4 or more"),
        (SALTGLASS, "new", "Torches: d6", "Torches: ", "`Torches` has no rating", "d4`"),
        (SALTGLASS, "new", "Rope x2", "Rope x4", "13 kg are too much", "leave something"),
        (SALTGLASS, "grown", "Veil]", "Veil, Mirror]", "3 can be picked; 4 are", "take 1 out"),
    ],
)
def test_what_the_game_forbids_is_refused_in_its_words(
    tmp_path: Path, game: Path, file: str, old: str, new: str, message: str, hint: str
) -> None:
    said = run("check", changed(tmp_path, game, f"{file}.yaml", (old, new)))
    assert said.status == 1
    assert message in said.out
    assert hint in said.out


def test_a_key_without_a_label_is_named_in_words(tmp_path: Path) -> None:
    old = 'fits: n == 0, why: each stat has one number of the array, label: "0"'
    game = variant(tmp_path, LANTERN, "ruleset.yaml", old, "fits: n == 0")
    file = game / "characters" / "new.yaml"
    assert "base −1, zero +1" in run("show", file).out
    old = ', label: "+2"'
    game = variant(tmp_path / "two", LANTERN, "ruleset.yaml", old, "")
    assert "base −1, plus two +3" in run("show", game / "characters" / "new.yaml").out


def variant(folder: Path, game: Path, file: str, old: str, new: str) -> Path:
    """Return a copy of the game in which a part of a file is replaced."""
    for one in sorted(game.rglob("*.yaml")):
        text = one.read_text(encoding="utf-8")
        path = folder / game.name / one.relative_to(game)
        path.parent.mkdir(parents=True, exist_ok=True)
        if one.name == file:
            assert old in text
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
    return folder / game.name


@pytest.mark.parametrize("name", ["deals", "deals.value", "deals.text"])
def test_a_strip_shows_a_number_of_the_file_by_any_of_its_names(tmp_path: Path, name: str) -> None:
    game = variant(tmp_path, LANTERN, "kinds.yaml", "of: deals.value", f"of: {name}")
    assert run("check", game).status == 0
    fight = game / "fights" / "bridge.yaml"
    said = run("encounter", fight, "--to", "html", "--out", tmp_path)
    page = (tmp_path / "bridge.html").read_text(encoding="utf-8")
    assert said.status == 0
    assert "–" not in page.partition("Drowned")[2].partition("Notes")[0]
    assert "Cold hand" in page  # a line for each text of a key of texts


def test_a_strip_with_an_unknown_last_part_is_found(tmp_path: Path) -> None:
    game = variant(tmp_path, LANTERN, "kinds.yaml", "of: deals.value", "of: deals.valeu")
    said = run("check", game)
    assert "there is no value `deals.valeu`" in said.out
    assert "did you mean `deals.value`" in said.out


def test_a_formula_that_a_kind_calls_takes_what_the_kind_has(tmp_path: Path) -> None:
    # The game is clean although its threats have no playbook: they do not call `own_moves`.
    old, new = '"max(1, toughness)"', '"max(1, own_moves())"'
    said = run("check", variant(tmp_path, LANTERN, "kinds.yaml", old, new))
    assert "nothing is called `playbook`, for a threat" in said.out


def test_a_thing_of_ones_own_says_what_is_rolled(tmp_path: Path) -> None:
    fang = "{Fang: {granted: true, attack: +4, damage: 1d6+2, tags: [weapon], weight: 1}}"
    path = changed(tmp_path, SALTGLASS, "grown.yaml", ("[Short bow", f"[{fang}, Short bow"))
    said = run("show", path, "--format", "json")
    assert said.status == 0
    assert '"1d6+2"' in said.out
    assert '"+4"' in said.out


def test_a_screen_leaves_no_column_empty_beside_a_full_one(tmp_path: Path) -> None:
    said = run("screen", LANTERN, "--out", tmp_path)
    assert said.status == 0
    with pymupdf.open(tmp_path / "lantern-screen.pdf") as document:
        page = document[0]
        heads = ("Bands", "Odds, per cent", "Defy the dark")
        halves = [int(2 * page.search_for(head)[0].x0 // page.rect.width) for head in heads]
    assert halves == [0, 0, 1]  # of two columns, since the moves are long


def test_names_are_bold_beside_sentences_on_a_screen(tmp_path: Path) -> None:
    said = run("screen", LANTERN, "--to", "html", "--out", tmp_path)
    assert said.status == 0
    page = (tmp_path / "lantern-screen.html").read_text(encoding="utf-8")
    assert re.search(r"<(b|strong)[^>]*>Defy the dark<", page)
    assert not re.search(r"<(b|strong)[^>]*>When you act", page)
    assert re.search(r"<(b|strong)[^>]*>You do it<", page)  # short words keep their weight


PRICED = """\
id: priced
title: Priced
version: 1
format: 1
credit: {short: Priced, long: "Priced, an example.", licence: CC0-1.0}
pips: PIPS
groups:
  skills:
    rating: RATING
    stated: true
    price: n
    pool: xp
    limit: {most: 4}
    traits: {fight: {name: Fight}, hide: {name: Hide}, ride: {name: Ride}}
pools: {xp: {label: XP, start: 100}}
choices: {folk: {label: Folk, one: folk, entries: {elf: {name: Elf, grants: {raise: {fight: 2}}}}}}
character:
  name: {kind: text, required: true}
  folk: {kind: choice}
  skills: {kind: ratings}
"""


@pytest.mark.parametrize(
    ("rating", "pips", "own", "said"),
    [
        (
            "dice",
            "true",
            ("+1", "3D", "1D"),
            ("Fight is +1, below the +2", "is 3D; the limit is 1D+1"),
        ),
        (
            "dice",
            "false",
            ("1D", "9D", "2D"),
            ("Fight is 1D, below the 2D", "is 9D; the limit is 4D"),
        ),
        ("die", "false", ("d4", "d12+1", "d6"), ("Fight is d4, below the d6", "limit is d10")),
        ("signed", "false", ("+1", "+9", "2"), ("Fight is +1, below the +2", "limit is +4")),
        ("dots", "false", ("1", "9", "2"), ("Fight is 1, below the 2", "is 9; the limit is 4")),
    ],
)
def test_messages_and_ledgers_write_ratings_as_files_do(
    rating: str, pips: str, own: tuple[str, str, str], said: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "priced").mkdir()
    text = PRICED.replace("RATING", rating).replace("PIPS", pips)
    (tmp_path / "priced" / "ruleset.yaml").write_text(text, encoding="utf-8")
    fight, hide, ride = own
    skills = f"{{Fight: {fight}, Hide: {hide}, Ride: {ride}}}"
    hero = tmp_path / "hero.yaml"
    hero.write_text(f"ruleset: ./priced\nname: Ada\nfolk: Elf\nskills: {skills}\n", "utf-8")
    shown = run("check", hero).out
    assert [words for words in said if words not in shown] == []
    last = hide if rating != "signed" else "+9"
    assert re.search(rf"Hide \S+–{re.escape(last)} ", run("show", hero).out)


@pytest.mark.many
@pytest.mark.parametrize(
    ("like", "tag", "attack", "shown"),
    [
        ("codes", "weapon", "45% aimed", "45% aimed"),
        ("steps", "weapon", "d8 aimed", "d8 aimed"),
        ("d20", "weapon", "+7 aimed", "+7 aimed"),
        ("percentile", "weapon", "45", "22"),  # a number, of which there is half
    ],
)
def test_words_that_an_author_wrote_for_an_attack_are_printed(
    like: str, tag: str, attack: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("new", "ruleset", "Tide", "--like", like, "--out", "tide")
    hero = Path("tide/characters/ada-quill.yaml")
    text = hero.read_text(encoding="utf-8")
    fang = f'{{Fang: {{cost: 0, tags: [{tag}], attack: "{attack}", damage: 1d6 and venom}}}}'
    hero.write_text(re.sub(r"(?m)^gear: \[", f"gear: [{fang}, ", text), encoding="utf-8")
    said = run("check", hero)
    assert (said.status, said.out) == (0, f"{hero}: clean\n")
    run("sheet", hero, "--to", "html", "--flatten")
    page = Path("output/ada-quill.html").read_text(encoding="utf-8")
    assert shown in page
    assert "1d6 and venom" in page


def test_what_a_print_cannot_compute_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("new", "ruleset", "Tide", "--like", "d20", "--out", "tide")
    rules = Path("tide/ruleset.yaml")
    text = rules.read_text(encoding="utf-8")
    odd = 'texts:\n  odd: {label: Odd, text: "{1 // (level - 3)}"}\n'
    odd += '  row: {label: Row, text: "{score_cost(level)}"}\n'
    rules.write_text(re.sub("(?m)^texts:.*\n", odd, text), encoding="utf-8")
    hero = Path("tide/characters/ada-quill.yaml")
    said = run("check", hero)
    assert said.status == 0
    assert "`{1 // (level - 3)}`: this divides by nothing" in said.out
    assert f"{hero}:5:1: warning[SG108]: Level: `score_cost` has no row for 3" in said.out
    hero.write_text(hero.read_text("utf-8").replace("level: 3", "level: 9\nlevl: 3"), "utf-8")
    assert "warning[SG108]" not in run("check", hero).out  # errors come first
