"""Stat blocks as people write them: each value is placed, and what is not stays in the notes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plugins.exchange.formats import ImportRequest, ImportResult
from sheetgen.plugins.exchange.pasted import blocks
from sheetgen.plugins.exchange.pasted.blocks import import_blocks
from sheetgen.plugins.exchange.words import TextMap, load_text_map
from tests.cli.commands import run
from tests.effort import at_most_calls
from tests.shelf import TESTS

CASES = yaml.safe_load((TESTS / "exchange" / "pasted.yaml").read_text("utf-8"))


@cache
def rules_of(name: str) -> Ruleset:
    word, _, shape = name.partition(" ")
    folder = rulesets_folder() / name
    if shape:
        folder = rulesets_folder().parent / "skeletons" / shape
    elif not folder.is_dir():
        folder = TESTS / "rulesets" / "games" / word
    found = load_ruleset(folder, complete=True).value
    assert found is not None
    return found


def pasted(name: str, text: str, what: str = "") -> ImportResult:
    rules = rules_of(name)
    plan = load_text_map(rules)
    assert not plan.findings
    request = ImportRequest(Path("block.txt"), rules, what=what)
    return import_blocks(request, text, plan.value or TextMap(), [])


def data_of(result: ImportResult) -> list[dict[str, Any]]:
    return [yaml.load(text, yaml.BaseLoader) for text in result.texts.values()]


def left_in(result: ImportResult) -> list[str]:
    found = [f for f in result.findings if f.code is codes.NOT_PLACED]
    return [f.message.split("`")[1] for f in found]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["style"].replace(" ", "-"))
def test_each_style_is_read(case: dict[str, Any]) -> None:
    result = pasted(case["rules"], case["text"])
    left = case.get("left", [])
    assert left_in(result) == left
    found = data_of(result)
    wanted = [yaml.load(yaml.safe_dump(one), yaml.BaseLoader) for one in case["files"]]
    for one in found:
        del one["ruleset"], one["kind"]
        if left and "notes" in one:
            del one["notes"]
    assert found == wanted
    for words in left:
        assert any(words in text for text in result.texts.values())


def test_a_text_is_shown_before_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Oss\nDEX 3D, blaster 4D, flib 2D\n"
    monkeypatch.setattr(blocks, "read_input", lambda _: Checked(text.encode()))
    done = run("import", "-", "--ruleset", "d6-pips")
    assert "oss.yaml: would be written\n" in done.out
    assert "  attributes: {Dexterity: 3D}\n" in done.out
    assert "stdin:2:21: warning[SG838]: `flib 2D` is not placed" in done.err
    assert "2 | DEX 3D, blaster 4D, flib 2D" in done.err


def test_each_cell_that_is_left_keeps_its_own_head() -> None:
    text = "| Name | DEX | STR | Rank | Home | Aim |\n| Oss | 3D | 2D | six | Quay | |\n"
    (one,) = data_of(result := pasted("d6-pips", text))
    assert one["notes"] == "Aim\nRank: six\nHome: Quay"
    assert left_in(result) == ["Aim", "six", "Quay"]


def test_a_file_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    block, there = tmp_path / "block.md", tmp_path / "oss.yaml"
    block.write_text("# Oss\nDEX 3D\n", "utf-8")
    there.write_text("mine", "utf-8")
    done = run("import", str(block), "--ruleset", "d6-pips", "--into", str(tmp_path))
    assert done.status == 1
    assert there.read_text("utf-8") == "mine"


PARTS = ["(", "[[", "**a** ", "Dex 3D\n", "Dex: ", "| a ", "pistol (4D), ", "4D+", "# a\n", "a; "]
PARTS += ["{{a|", "{{a|b=", "Dexterity (b) ", "[b]", "3D or ", "Dex  "]


@pytest.mark.many
@pytest.mark.parametrize("part", [*PARTS, "<b ", "blaster, foo\n", "1,", "&", "\t", "'''", " "])
def test_work_grows_with_the_text_alone(part: str) -> None:
    size = 10_000
    pasted("d6-pips", "Oss\nDEX 3D\n")  # names are indexed once
    with at_most_calls(400_000 + 900 * size):
        pasted("d6-pips", "Oss\nDEX 3D\nGear: " + part * (size // len(part)))


def test_work_grows_with_the_cells_of_a_table_alone() -> None:
    pasted("d6-pips", "Oss\nDEX 3D\n")
    text = "| DEX | STR | KNO |" * 400 + "\n" + "| 3D | 2D | x |" * 400 + "\n"
    with at_most_calls(2_000_000):
        pasted("d6-pips", "# A\nDEX 3D\n" + text)
