"""Stat blocks as people write them: each value is placed, and what is not stays in the notes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from sheetgen.diag import codes
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plugins.exchange.formats import ImportRequest, ImportResult
from sheetgen.plugins.exchange.pasted.blocks import import_blocks
from sheetgen.plugins.exchange.pasted.words import TextMap, load_text_map
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
