"""A name is found whatever its case, hyphens, blanks and accents; counts stand beside it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.cli.new import scaffold_files
from sheetgen.diag.findings import errors
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.rules.index import (
    Names,
    closest_names,
    file_stem,
    folded,
    index_of,
    names_of,
    split_count,
    split_times,
)
from tests.shelf import ruleset

RULESETS = [*ruleset_ids(), "lanterns"]


def all_names(book: str) -> Iterator[tuple[Names, str, str]]:
    """Yield names of a ruleset: where it is looked up, the name or alias, and its id."""
    rules, index = ruleset(book), index_of(ruleset(book))
    shelves: list[tuple[Names, Mapping[str, Any]]] = [
        *((index.by_group[id_], group.traits) for id_, group in rules.groups.items()),
        *((index.by_catalogue[id_], listed.entries) for id_, listed in rules.choices.items()),
        (index.gear, rules.gear),
        (index.advances, rules.advances.named if rules.advances else {}),
        (index.keys, rules.character),
    ]
    for names, things in shelves:
        for id_, thing in things.items():
            also = (getattr(thing, "name", id_), getattr(thing, "short", ""))
            for name in filter(None, (id_, *also, *thing.aliases)):
                if names is not index.gear or name != getattr(thing, "short", ""):
                    yield names, str(name), str(id_)


def varied(name: str, random: Random) -> str:
    """Return `name` as somebody else might write it."""
    letters = []
    for letter in name:
        if letter in " -_":
            letters.append(random.choice((" ", "-", "_", "  ", " - ", "‐", "\u00a0")))
        elif letter in "'’":
            letters.append(random.choice(("'", "’", "‘", "`", "")))
        elif letter.isascii() and letter.isalpha():
            letter = random.choice((letter.lower(), letter.upper()))
            accent = random.choice(("", "", "", "\u0301", "\u0308"))
            letters.append(unicodedata.normalize(random.choice(("NFC", "NFD")), letter + accent))
        else:
            letters.append(letter)
    return random.choice(("", " ")) + "".join(letters) + random.choice(("", " "))


@pytest.mark.parametrize("book", RULESETS)
def test_every_name_is_found_however_it_is_written(book: str) -> None:
    random = Random(book)
    count = 0
    for names, name, id_ in all_names(book):
        count += 1
        found = names.find(name)
        assert found, name
        assert id_ in found or name != names.shown[id_], (name, id_, found)
        for _ in range(3):
            other = varied(name, random)
            assert names.find(other) == found, (name, other)
    assert count > 20


@pytest.mark.parametrize("book", RULESETS)
def test_a_things_own_name_means_it(book: str) -> None:
    """Two things with one name would make both unreachable, but for a longer name."""
    for names, name, id_ in all_names(book):
        if name == names.shown[id_] and names.find(name) != (id_,):
            others = [n for found, n, i in all_names(book) if found is names and i == id_]
            assert any(names.find(other) == (id_,) for other in others), name


@given(st.text())
def test_any_text_can_be_looked_up(text: str) -> None:
    names = names_of([("a", "Heavy Thing", ["Hvy"])], {"grey": "gray"})
    assert names.find(text) in ((), ("a",))
    assert folded(folded(text)) == folded(text)


@given(st.text())
def test_any_text_is_split(text: str) -> None:
    name, times = split_times(text)
    assert 1 <= times <= 9999
    assert name == name.strip()


@given(
    st.text(st.sampled_from("abcXx '-éß"), min_size=1).map(str.strip).filter(bool),
    st.integers(1, 9999),
    st.sampled_from(("{} x{}", "{} X{}", "{} x {}", "{} ×{}", "{}  ×  {} ")),
)
def test_a_count_is_split_off(name: str, times: int, form: str) -> None:
    assert split_times(form.format(name, times)) == (name, times)
    assert split_times(f"{times} x {name}") == (name, times)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Medpac", ("Medpac", 1)),
        ("Medpac x2", ("Medpac", 2)),
        ("2x Medpac", ("Medpac", 2)),
        ("Medpac 2x", ("Medpac", 2)),
        ("Syntherope (45m) x3", ("Syntherope (45m)", 3)),
        ("Medpac x0", ("Medpac x0", 1)),
        ("Rx7", ("R", 7)),
        ("x2", ("", 2)),
        ("Box", ("Box", 1)),
    ],
)
def test_counts(text: str, found: tuple[str, int]) -> None:
    assert split_times(text) == found


@pytest.mark.parametrize(
    "name", ["Light Armours", "light armour", "LIGHT ARMORS", "duelling sabres"]
)
def test_a_plural_and_another_spelling_go_together(name: str) -> None:
    gear = index_of(ruleset("hyperspace-d6")).gear
    assert len(gear.find(name)) == 1


@pytest.mark.parametrize(
    ("text", "name", "beside"),
    [
        ("2 Ropes", "Ropes", "2"),
        ("Rope (2)", "Rope", "2"),
        ("Rope (x2)", "Rope", "2"),
        ("Rope(granted)", "Rope", "granted"),
        ("Rope", "Rope", ""),
        ("(2)", "(2)", ""),
        ("2", "2", ""),
    ],
)
def test_a_count_in_another_form_is_seen(text: str, name: str, beside: str) -> None:
    assert split_count(text) == (name, beside)


ALIKE = ["ガード", "カード", "Герой", "Герои", "कला", "कली", "น้ำ", "นำ", "한글", "한극", "★", "☆"]
"""Words whose letters differ in marks, or that are signs alone: no two are one name."""

NEAR = ["Bär", "Bar", "C", "C+", "C#", "Thing-a-bob", "Thingabob", "Ζεύς", "Ζευς"]
"""Words that count as one name where only one of them exists."""


def test_marks_of_other_scripts_make_other_names() -> None:
    assert len({folded(name) for name in ALIKE}) == len(ALIKE)
    assert len({file_stem(name) for name in (*ALIKE, *NEAR)}) == len(ALIKE) + len(NEAR)


@pytest.mark.parametrize("form", [str, str.lower, str.upper, lambda name: f" {name}  "])
def test_exact_name_wins(form: Any) -> None:
    names = names_of(((str(n), name, ()) for n, name in enumerate((*ALIKE, *NEAR))), {})
    for number, name in enumerate((*ALIKE, *NEAR)):
        assert names.find(form(name)) == (str(number),), name
        assert closest_names(form(name), (*ALIKE, *NEAR)) == {name}


def test_similar_name_means_all_that_are_similar() -> None:
    names = names_of([("1", "Bär", ()), ("2", "Bar", ()), ("3", "Ford", ["Bâr"])], {})
    assert names.find("Bår") == ("1", "2")
    assert names.hint("Bår") == "write one of: `Bär`, `Bar`"
    assert names.find("bâr") == ("3",)
    assert closest_names("Bår", ["Bär", "Bar", "Bor"]) == {"Bär", "Bar"}


@pytest.mark.parametrize(
    ("name", "others"),
    [
        (
            "Blaster Pistol",
            ["blasterpistol", "Blaster-Pistols", "BLASTER_PISTOL", "blasterpistols"],
        ),
        ("Vibroknife", ["Vibro-knife", "vibro knife", "Vibro–Knife"]),
        ("Breath Mask", ["breathmask", "Breath-mask"]),
        ("Gray Cat", ["grey-cat", "Grey Cats"]),
    ],
)
def test_blanks_and_hyphens_do_not_matter(name: str, others: list[str]) -> None:
    names = names_of([("1", name, ()), ("2", "Rope", ())], {"grey": "gray"})
    assert [names.find(other) for other in others] == [("1",)] * len(others)


def test_ruleset_may_have_names_that_differ_in_marks(tmp_path: Path) -> None:
    skills = dict(zip(SKILLS, (*NEAR[:5], *ALIKE[:2]), strict=True))
    for path, text in scaffold_files("Marks").items():
        for id_, name in skills.items() if path == "traits.yaml" else ():
            text = text.replace(f"{id_}: {{name: {id_.title()},", f'{id_}: {{name: "{name}",')
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    loaded = load_ruleset(tmp_path)
    assert loaded.value is not None
    assert not errors((*loaded.findings, *check_ruleset(loaded.value)))
    names = index_of(loaded.value).by_group["skills"]
    assert {names.find(name) for name in skills.values()} == {(id_,) for id_ in skills}
    several = index_of(loaded.value).among(("attributes", "skills"))
    assert {several.find(name) for name in skills.values()} == {(id_,) for id_ in skills}


SKILLS = ["scrap", "climb", "shoot", "notice", "tinker", "charm", "soothe"]


def test_stems_hold_no_sign_that_a_command_line_reads() -> None:
    assert file_stem("Edo $5 & ^C` <a|b> ~x = €9 C++ №3") == "edo-5-c-a-b-x-€9-c++-№3"
