"""Files that `sheetgen new npc` writes: clean, legal by their level, the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from sheetgen.load.characters import RulesetCache
from sheetgen.prints.characters import Character, load_character_file
from tests.cli.commands import run

GAME = "hyperspace-d6"
SHELF = RulesetCache()


def _new(path: Path, *words: str) -> tuple[Character, ...]:
    said = run("new", "npc", GAME, "--out", path, *words)
    assert (said.status, said.out, said.err) == (0, f"{path}\n", "")
    found = load_character_file(path, SHELF, {})
    assert not [f for one in found for f in one.findings]
    return found


def _skills(one: Character) -> set[str]:
    assert one.build
    return {r.id for r in one.build.ratings.values() if r.group == "skills" and r.own and r.parts}


def test_what_is_given_is_taken(tmp_path: Path) -> None:
    words = ["--level", "formidable", "--skill", "blasters", "--skill", "search"]
    named = ["--name", 'Old: "Red" #1', "--gear", "Blaster Rifle"]
    (one,) = _new(tmp_path / "a.yaml", *words, *named)
    assert one.build
    assert one.build.name == 'Old: "Red" #1'
    assert _skills(one) == {"blasters", "search"}
    assert one.build.ratings["blasters"].total == 8
    assert [item.name for item in one.build.items] == ["Blaster Rifle"]


@pytest.mark.parametrize(
    ("level", "attribute", "skill", "count"),
    [
        ("common", 2, 3, 2),
        ("proficient", 3, 5, 2),
        ("formidable", 5, 8, 2),
        ("legendary", 7, 10, 3),
    ],
)
def test_a_gang_is_legal_by_its_level(
    tmp_path: Path, level: str, attribute: int, skill: int, count: int
) -> None:
    """Q-39: the same code in all six attributes; so many skills, each that much above."""
    gang = _new(tmp_path / "gang.yaml", "--level", level, "--count", "20", "--seed", "3")
    assert len({one.build.name for one in gang if one.build}) == 20
    for one in gang:
        assert one.build
        assert one.build.ratings["dexterity"].total == attribute
        assert len(_skills(one)) == count
        assert {one.build.ratings[s].total for s in _skills(one)} == {skill}
        held = {item.skill for item in one.build.items if "weapon" in item.tags}
        assert held - {"blasters"} <= _skills(one) | {"melee"}
    assert len({frozenset(_skills(one)) for one in gang}) > 8


def test_the_same_seed_makes_the_same_gang(tmp_path: Path) -> None:
    texts = []
    for name, seed in (("a", "7"), ("b", "7"), ("c", "8")):
        _new(tmp_path / name, "--count", "6", "--seed", seed)
        texts.append((tmp_path / name).read_text(encoding="utf-8"))
    assert texts[0] == texts[1] != texts[2]
    assert "name: Hask" in texts[0], "the algorithm has changed: old seeds draw others"


def test_more_than_there_are_names(tmp_path: Path) -> None:
    gang = _new(tmp_path / "a.yaml", "--count", "60")
    assert len({one.build.name for one in gang if one.build}) == 60


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--level", "formidabel"], 2, "did you mean `Formidable`?"),
        (["--skill", "blastrs"], 2, "did you mean `Blasters`?"),
        (["--skill", "alter"], 1, "Alter is not open to this build"),
        (["--skill", "search", "--skill", "Search"], 1, "Search is picked twice"),
        (["--skill", "a", "--count", "0"], 2, "--count"),
        (["--gear", "Blaster Rifel"], 0, "did you mean `Blaster Rifle`?"),
    ],
)
def test_wrong_wishes(tmp_path: Path, words: list[str], status: int, message: str) -> None:
    path = tmp_path / "x.yaml"
    said = run("new", "npc", GAME, "--out", path, *words)
    assert said.status == status
    assert message in said.err
    assert not path.exists() or not status


def test_nothing_is_written_over(tmp_path: Path) -> None:
    _new(tmp_path / "a.yaml")
    assert "SG402" in run("new", "npc", GAME, "--out", tmp_path / "a.yaml").err


def test_a_ruleset_that_makes_none(tmp_path: Path) -> None:
    assert run("new", "ruleset", "Bare", "--out", tmp_path / "bare").status == 0
    assert run("new", "npc", tmp_path / "bare", "--out", tmp_path / "a.yaml").status == 2


def test_kinds_are_listed_by_group() -> None:
    lines = [line.split("  ", 1) for line in run("list", GAME, "npc").out.splitlines()]
    groups = [group.strip() for _, group in lines]
    assert list(dict.fromkeys(groups)) == sorted(set(groups)), "each group stands together"
    assert ["Death Trooper", "Imperials"] in [[name, group.strip()] for name, group in lines]
    assert "npc (18)\nvehicle (27)\n" in run("list", GAME).out
    assert "AT-RT                        Walkers\n" in run("list", GAME, "vehicle").out


def test_check_names_the_entries_of_a_file_of_many(tmp_path: Path) -> None:
    path = tmp_path / "gang.yaml"
    _new(path, "--count", "2", "--name", "Bo")
    assert run("check", path).out == f"{path} (Bo 1): clean\n{path} (Bo 2): clean\n"
