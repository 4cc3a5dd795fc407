"""Proofs: what the two sources get wrong is found, and nothing else; an author's own too."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.plugins.author.comparisons import (
    ROUNDING,
    TRUNCATED,
    WRONG,
    as_formula,
    figure_in,
    kind_of_difference,
    normal_text,
)
from tests.cli.commands import run

GOLDEN = Path(__file__).parent / "golden"

PROVED = [id_ for id_ in ruleset_ids() if (rulesets_folder() / id_ / "proof.yaml").is_file()]
"""Rulesets that are held against a source."""


def proved(*words: str | Path) -> list[dict[str, object]]:
    said = run("proof", *words, "--format", "json")
    assert said.status == 0, said.err
    assert said.err == ""
    found = json.loads(said.out)["differences"]
    assert isinstance(found, list)
    return found


def test_the_errata_of_the_dots() -> None:
    found = [(d["line"], d["kind"], d["printed"], d["ruling"]) for d in proved("keyword-dots")]
    assert Counter(kind for _, kind, _, _ in found)["unpriced"] == 16
    assert [one for one in found if one[1] in ("wrong", "truncated", "rounding")] == [
        (121, "wrong", "19", ""),
        (289, "truncated", "20k", ""),
        (289, "rounding", "4k", ""),
        (345, "wrong", "175m", ""),
        (345, "rounding", "4k", ""),
        (345, "truncated", "331k", ""),
    ]
    text = {(line, ruling) for line, kind, _, ruling in found if kind == "text"}
    assert text == {
        *((15, "Q-26"), (23, "Q-28"), (317, "Q-39"), (345, "Q-39"), (405, "Q-51"), (475, "Q-39")),
        *((377, "Q-29"), (417, "Q-27"), (429, "Q-33"), (585, "Q-13"), (801, "Q-13")),
    }
    assert {line for line, kind, _, _ in found if kind == "undefined"} == {41}


def test_the_errata_of_the_pools() -> None:
    found = proved("hyperspace-d6")
    by = {
        kind: [(d["line"], d["printed"]) for d in found if d["kind"] == kind]
        for kind in ("wrong", "text", "undefined", "unpriced", "truncated", "rounding")
    }
    assert by["wrong"] == [(211, "12"), (228, "13"), (337, "12"), (338, "12")]
    assert by["text"] == [
        *((53, "Twi'lek"), (217, "Sense 4D"), (262, "12D, no focus"), (476, "6"), (477, "6")),
        *((478, "6"), (518, "6"), (577, "2"), (629, "200"), (722, "Pilot 4; Evade of 12")),
        (722, "16"),
    ]
    assert by["undefined"] == [
        *((86, "Evade"), (208, "Laser Cannon"), (346, "Intimidation")),
        *((561, "Blaster"), (563, "Blaster"), (564, "Blaster"), (669, "Blaster")),
    ]
    assert [line for line, _ in by["unpriced"]] == [554, 562]
    assert by["truncated"] == by["rounding"] == []


def test_the_other_reading_agrees_with_the_printed_row() -> None:
    found = proved("keyword-dots", "--set", "dice.buy=printed")
    assert [(d["line"], d["what"]) for d in found if d["ruling"] == "Q-13"] == [
        (557, "second die"),
        (557, "third die"),
        (585, "buy a → d2, the formula printed for it"),
    ]


@pytest.mark.parametrize("form", ["text", "md"])
@pytest.mark.parametrize("id_", PROVED)
def test_lists_are_as_they_were(id_: str, form: str, accept: bool) -> None:
    said = run("proof", id_, "--format", form)
    golden = GOLDEN / f"{id_}.{form}"
    if accept:
        GOLDEN.mkdir(exist_ok=True)
        golden.write_text(said.out, encoding="utf-8")
    assert said.out == golden.read_text(encoding="utf-8")


@pytest.mark.slow
def test_it_is_written_as_pages(tmp_path: Path) -> None:
    said = run("proof", "keyword-dots", "--to", "pdf", "--to", "html", "--out", tmp_path)
    assert said.status == 0, said.err
    assert [Path(line).name for line in said.out.splitlines()] == [
        "keyword-dots-proof.pdf",
        "keyword-dots-proof.html",
    ]


def own(tmp_path: Path, folder: str = "printed") -> Path:
    """Return an author's ruleset with figures beside it, of which one is wrong."""
    game = tmp_path / "game"
    (game / folder).mkdir(parents=True)
    (game / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    (game / "proof.yaml").write_text(PROOF, encoding="utf-8")
    (game / folder / "costs.csv").write_text(
        "line,name,n1,n2,n3\n7,Cubed,1,8,28\n", encoding="utf-8"
    )
    return game


@pytest.mark.parametrize("folder", ["printed", "seeds"])
def test_an_author_proves_his_own(folder: str, tmp_path: Path) -> None:
    found = proved(own(tmp_path, folder))
    assert [(d["line"], d["printed"], d["computed"]) for d in found] == [(7, "28", "27")]
    said = run("tables", tmp_path / "game", "--notes", "--to", "md", "--out", "-")
    assert "Source prints 28." in said.out


def test_figures_that_agree_are_not_reported(tmp_path: Path) -> None:
    game = own(tmp_path)
    (game / "printed" / "costs.csv").write_text("line,name,n1,n2,n3\n7,Cubed,1,8,27\n")
    said = run("proof", game)
    assert said.status == 0
    assert "no differences" in said.out


@pytest.mark.parametrize(
    ("file", "text", "part"),
    [
        ("printed/costs.csv", "line,name\n7,Cubed\n", "`costs.csv` has no column `n1`"),
        ("printed/costs.csv", "line,name,n1,n2,n3\n7,Cubed,1\n", "this row has 3 cells"),
        ("printed/costs.csv", "line,name,n1,n2,n3\nx,Cubed,1,2,3\n", "has to be the number"),
        ("printed/costs.csv", "name,n1,n2,n3\n", "one of them `line`"),
        ("printed/costs.csv", 'line,name,n1,n2,n3\n7,"Cubed,1,2,3\n', "this is not CSV"),
        ("proof.yaml", "proof: [{file: no.csv}]", "there is no file `no.csv`"),
        ("proof.yaml", "proof: [{file: costs.csv, table: x}]", "there is no table `x`"),
        ("proof.yaml", "proof: [{file: costs.csv, of: x}]", "there is nothing called `x`"),
        ("proof.yaml", "proof: [{fiel: costs.csv}]", "did you mean `file`?"),
        ("proof.yaml", "", "this file is empty"),
    ],
)
def test_what_is_broken_is_told(file: str, text: str, part: str, tmp_path: Path) -> None:
    game = own(tmp_path)
    (game / file).write_text(text, encoding="utf-8")
    said = run("proof", game)
    assert said.status == 1
    assert part in said.err
    assert said.out == ""


def test_a_ruleset_without_figures_is_told(tmp_path: Path) -> None:
    game = own(tmp_path)
    shutil.rmtree(game / "printed")
    said = run("proof", game)
    assert said.status == 1
    assert "no printed figures" in said.err


def test_wrong_usage() -> None:
    assert run("proof").status == 2
    assert run("proof", "keyword-dots", "--format", "json", "--to", "pdf").status == 2
    assert run("proof", "keyword-dots", "--to", "docx").status == 2


def test_no_source_is_known_by_heart() -> None:
    """The data says what is compared; no printed figure that is wrong stands in it."""
    for id_ in PROVED:
        text = (rulesets_folder() / id_ / "proof.yaml").read_text(encoding="utf-8")
        for wrong in ("175m", "331k", "207m", ": 19", "Laser"):
            assert wrong not in text


@pytest.mark.parametrize(
    ("printed", "exact", "kind"),
    [
        *(("20k", 20736, TRUNCATED), ("4k", 4096, ROUNDING), ("175m", 207_360_000, WRONG)),
        *(("19", 10, WRONG), ("1.3k", 1296, ROUNDING), ("a week", 5, "text")),
    ],
)
def test_kinds_of_differences(printed: str, exact: int, kind: str) -> None:
    assert kind_of_difference(printed, exact) == kind


@given(st.integers(min_value=0, max_value=10**9))
def test_printed_numbers_are_read_back(value: int) -> None:
    read = figure_in(f"{value:,}")
    assert read is not None
    assert read.value == value


@given(st.text(max_size=40))
def test_any_text_can_be_compared(text: str) -> None:
    assert normal_text(normal_text(text)) == normal_text(normal_text(normal_text(text)))
    figure_in(text)


def test_printed_formulas_are_read() -> None:
    assert as_formula("n(n+1)/2", {}) == "n*(n+1)/2"
    assert as_formula("5+#dice", {"#dice": "n"}) == "5+n"
    assert as_formula("(n-1)^2", {}) == "((n-1)*(n-1))"


GAME = """\
id: game
title: Game
version: 1
format: 1
credit: {short: My game, long: My own game, licence: CC0-1.0}
tables:
  costs: {label: Costs, corner: Name, over: [1, 2, 3], lines: [{label: Cubed, value: n * n * n}]}
"""
PROOF = """\
proof:
  - {file: costs.csv, table: costs, label: [name], columns: {n1: "1", n2: "2", n3: "3"}}
"""


def test_changes_of_figures_that_are_cut_off_are_no_errors_of_their_own() -> None:
    """-7.56 is 40.24 less 47.8 as printed; +4.2 is not 57.87 less 53.75."""
    said = run("proof", "narrative-powers", "--format", "json")
    found = {kind: [] for kind in ("wrong", "inherited", "truncated")}
    for one in json.loads(said.out)["differences"]:
        found[one["kind"]].append((one["line"], one["printed"]))
    assert found["inherited"] == [(38, "-7.56%"), (39, "-6.74%"), (39, "+7.97%")]
    assert found["wrong"] == [(40, "+4.2%")]
    assert [line for line, _ in found["truncated"]] == [37, 38, 40, 41]
