"""What characters that are checked together may not have in common."""

from __future__ import annotations

from sheetgen.check.character.builds import check_character, find_shared_names
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.build import Build
from tests.shelf import ruleset


def build(name: str, unique: str, file: str) -> Build:
    head = f"name: {name}\nclass: Guardian\nxp: 9\nspecials: [Unique]\n"
    source = parse_yaml(f"{head}unique: {{{unique}: {{dots: 1, max: 2}}}}\n", file).value
    assert source is not None
    found = check_character(source, ruleset("keyword-dots")).value
    assert found is not None
    return found


def said(*builds: Build) -> list[str]:
    found = find_shared_names((one, ruleset("keyword-dots")) for one in builds)
    return [f"{f.severity.word} {f.code.id} {f.span} {f.message}" for f in found]


def test_a_word_of_ones_own_is_nobody_elses() -> None:
    """Q-36: case and hyphens tell no two words apart."""
    mira, ned = build("Mira", "Bone Songs", "a.yaml"), build("Ned", "bone-songs", "b.yaml")
    assert said(mira, ned) == [
        "warning SG209 b.yaml:5:10 `bone-songs` is a unique skill of Mira already (a.yaml:5:10)"
    ]
    assert said(mira, build("Ned", "Sand Talk", "b.yaml")) == []


def test_two_files_of_one_character_may_say_the_same() -> None:
    assert said(build("Mira", "Bone Songs", "a.yaml"), build("Mira", "Bone Songs", "b.yaml")) == []


def test_signs_tell_words_apart() -> None:
    assert said(build("Mira", "Echo", "a.yaml"), build("Ned", "Echo+", "b.yaml")) == []
    assert said(build("Mira", "Echo+", "a.yaml"), build("Ned", "ECHO+", "b.yaml"))
