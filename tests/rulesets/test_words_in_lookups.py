"""A lookup that is kept by class takes a class by its name, in tables too."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sheetgen.load.rulesets.content import rulesets_folder
from tests.cli.commands import run


@pytest.mark.slow
@pytest.mark.parametrize(("word", "clean"), [("hexer", True), ("hexxer", False)])
def test_a_name_is_a_row_of_a_lookup(word: str, clean: bool, tmp_path: Path) -> None:
    game = tmp_path / "game"
    shutil.copytree(rulesets_folder().parent / "skeletons" / "d20", game)
    changes = {
        "ruleset.yaml": [
            ("  slots_1: {", "  slots: {hexer: {1: 2, 3: 4}, otherwise: {1: 0}}\n  slots_1: {"),
            ("slots_1(level) if", "slots(hexer, level) if"),
        ],
        "reference.yaml": [("value: slots_1(n)", f'value: "slots({word}, n)"')],
    }
    for name, pairs in changes.items():
        text = (game / name).read_text("utf-8")
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        (game / name).write_text(text, "utf-8")
    said = run("check", game)
    assert (said.status == 0) is clean
    if clean:
        printed = run("tables", game, "--to", "md", "--out", "-").out
        (row,) = (line for line in printed.splitlines() if "first slots" in line)
        assert [cell.strip() for cell in row.split("|")[2:-1]] == ["2", "2", "4", "4", "4", "4"]
    else:
        assert "nothing is called `hexxer`" in said.err + said.out
        assert "did you mean `hexer`?" in said.err + said.out
