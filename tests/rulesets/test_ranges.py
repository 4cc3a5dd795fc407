"""Wrong values in every place of a ruleset's YAML are findings, never tracebacks."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest

from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from tests.cli.commands import run

pytestmark = pytest.mark.slow

WRONG = ("-3", "0", "1000000000000", "1.5", "true", "null", "[]", "{}", "x", '""')
PLACE = re.compile(r"(?<=: )(-?\d+|true|false|[A-Za-z][\w ]*|\[[^\[\]{}]*\])(?=[,}\]\n])")
"""Single values and lists, in blocks and in braces."""

SAMPLE = 40


@pytest.mark.parametrize("game", ["d6-pips", "keyword-dots"])
def test_wrong_values_are_findings(game: str, tmp_path: Path) -> None:
    draw = random.Random(20)
    folder = tmp_path / game
    shutil.copytree(rulesets_folder() / game, folder)
    files = sorted(p for p in folder.glob("*.yaml"))
    for _ in range(SAMPLE):
        path = draw.choice(files)
        text = path.read_text(encoding="utf-8")
        places = list(PLACE.finditer(text))
        if not places:
            continue
        at, value = draw.choice(places), draw.choice(WRONG)
        path.write_text(text[: at.start()] + value + text[at.end() :], encoding="utf-8")
        loaded = load_ruleset(folder, complete=True)
        assert loaded.value is not None or loaded.findings, (path.name, at[0], value)
        if loaded.value is not None:
            check_ruleset(loaded.value)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("value", "wanted"), [("-3", "1 to 1,000"), ("1000000000000", "1 to 1,000"), ("1.5", "a whole")]
)
def test_a_whole_number_has_its_range(value: str, wanted: str, tmp_path: Path) -> None:
    shutil.copytree(rulesets_folder() / "keyword-dots", tmp_path / "game")
    path = tmp_path / "game" / "screen.yaml"
    path.write_text(re.sub(r"strong: \d+", f"strong: {value}", path.read_text(), count=1))
    said = [f.message for f in load_ruleset(tmp_path / "game", complete=True).findings]
    assert any(f"`strong` has to be {wanted}" in message for message in said), said


WRONG_NUMBERS = ("-3", "0", "1", "999", "1000000000000")
NUMBER = re.compile(r"(?<=: )-?\d+(?=[,}\]\n])")
MUTANTS = 4


@pytest.mark.parametrize("game", ruleset_ids())
def test_wrong_numbers_end_no_command(game: str, tmp_path: Path) -> None:
    """Guards prints that trust a figure: what check accepts, tables and lists can be made of."""
    draw = random.Random(game)
    folder = tmp_path / game
    shutil.copytree(rulesets_folder() / game, folder)
    files = [p for p in sorted(folder.rglob("*.yaml")) if NUMBER.search(p.read_text("utf-8"))]
    for _ in range(MUTANTS):
        path = draw.choice(files)
        text = path.read_text(encoding="utf-8")
        at, value = draw.choice(list(NUMBER.finditer(text))), draw.choice(WRONG_NUMBERS)
        path.write_text(text[: at.start()] + value + text[at.end() :], encoding="utf-8")
        for words in (("check",), ("list",), ("tables", "--to", "json", "--out", tmp_path / "out")):
            said = run(words[0], folder, *words[1:])
            assert said.status in (0, 1), (path.name, text[at.start() - 40 : at.end()], value)
            assert said.status == 0 or re.search(r"error\[|^Error: ", said.out + said.err, re.M)
        path.write_text(text, encoding="utf-8")
