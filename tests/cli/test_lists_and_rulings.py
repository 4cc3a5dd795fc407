"""Lists of rulesets by any name of a part, and the rulings that codes on prints lead to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sheetgen.load.rulesets.content import ruleset_ids, starter_text
from sheetgen.model.rulesets.traits import Group
from tests.cli.commands import run
from tests.shelf import TESTS, ruleset


@pytest.mark.many
@pytest.mark.parametrize("book", ruleset_ids())
def test_a_list_finds_its_part_by_any_of_its_names(book: str) -> None:
    rules = ruleset(book)
    parts = {**rules.groups, **rules.choices}
    for id_, part in parts.items():
        names = [id_, id_.replace("_", " "), part.label, part.label.lower(), part.one]
        for name in filter(None, names):
            said = run("list", book, str(name))
            assert said.status == 0 or "means several parts" in said.err, (name, said.err)
            if name == id_:
                held = part.traits if isinstance(part, Group) else part.entries
                assert len(said.out.splitlines()) == len(held)


@pytest.mark.parametrize(
    ("what", "line"),
    [
        (("keyword-dots", "force powers"), "Jump"),
        (("keyword-dots", "class"), "two weapons; brings Dual Wield"),
        (("keyword-dots", "CLASS"), "closed: Choke, Sith Lord"),
        (("hyperspace-d6", "species"), "DEX 2D, KNO 2D, MEC 2D, PER 1D, STR 1D, TEC 2D, Steal 1D"),
        (("narrative-powers", "class"), "offers Athletics, Arms"),
    ],
)
def test_a_list_says_what_a_choice_brings_and_closes(what: tuple[str, ...], line: str) -> None:
    assert line in run("list", *what).out


def test_a_starter_names_lists_that_work() -> None:
    for book in ruleset_ids():
        for line in starter_text(book).splitlines():
            if "sheetgen list" in line:
                words = line.partition("sheetgen list ")[2].split()
                assert run("list", *words).status == 0, words


@pytest.mark.many
@pytest.mark.parametrize("book", ruleset_ids())
def test_every_ruling_that_files_or_prints_cite_is_explained(book: str) -> None:
    files = (TESTS.parent / "content/rulesets" / book).rglob("*.yaml")
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    text += run("tables", book, "--to", "md", "--out", "-").out
    cited = set(re.findall(r"\b[AQR]-?\d+[a-z]?\b", text)) - {"R2"}  # R2-D2
    assert cited
    for code in cited:
        assert run("explain", code, "--ruleset", book).status == 0, code


@pytest.mark.parametrize("book", ruleset_ids())
def test_a_ruling_is_an_open_point_and_its_reading_in_sentences(book: str) -> None:
    for id_, ruling in ruleset(book).rulings.items():
        for text in (ruling.about, ruling.read):
            assert re.fullmatch(r"[`A-Z0-9].*[.?]", text), (id_, text)
        assert len(re.findall(r"[.?](?: |$)", f"{ruling.about} {ruling.read}")) in range(2, 6), id_
        assert not re.search(r"\b[a-c]\)|\bL\d|^[a-c][;:]| / ", ruling.read), (id_, ruling.read)


def test_a_ruling_says_its_option_and_what_it_rests_on() -> None:
    said = run("explain", "q27", "--ruleset", "keyword-dots").out
    assert "Open: Jedi Master shortens rest by n/(n+1)" in said
    assert "Read here: Rest takes 1 - n/(n+1) of its time" in said
    assert "Rests on: the text, line 417" in said
    assert "Option: master.hits = no (yes or no)" in said
    assert "It counts for: Days of rest" in said
    assert "--ruleset hyperspace-d6" in run("explain", "Q-27").out
    assert run("explain", "Q-999", "--ruleset", "keyword-dots").status == 2
    assert run("explain", "SG204", "--ruleset", "keyword-dots").out.startswith("SG204")


def test_the_list_of_rulesets_has_their_titles() -> None:
    lines = run("list", "rulesets").out.splitlines()
    assert [line.split()[0] for line in lines] == [*ruleset_ids()]
    for line, book in zip(lines, ruleset_ids(), strict=True):
        assert line.endswith(ruleset(book).title)


@pytest.mark.parametrize("book", ruleset_ids())
def test_a_list_has_the_parts_that_only_files_of_a_kind_have(book: str) -> None:
    rules = ruleset(book)
    for kind in rules.kinds.values():
        for part in {*kind.groups, *kind.choices} - {*rules.groups, *rules.choices}:
            assert run("list", book, str(part)).status == 0, part
            assert f"\n{part} (" in run("list", book).out


def test_there_is_nothing_to_build_in_a_folder_without_files(tmp_path: Path) -> None:
    said = run("build", tmp_path)
    assert said.status == 1
    assert "there is nothing to build here" in said.err
    (tmp_path / "other.yaml").write_text("a: b\n", "utf-8")
    assert "no file of this folder has `ruleset:` (`other.yaml`)" in run("build", tmp_path).err


def test_a_ruleset_in_place_of_a_file_is_named_as_such() -> None:
    said = run("sheet", ruleset_ids()[0])
    assert said.status == 1
    assert f"`sheetgen sheet --blank {ruleset_ids()[0]}`" in said.err
