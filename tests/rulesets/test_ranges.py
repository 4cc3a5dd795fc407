"""Wrong values in every place of a ruleset's YAML are findings, never tracebacks."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest

from sheetgen.check.rulesets import check_ruleset
from sheetgen.load.content import rulesets_folder
from sheetgen.load.rulesets import load_ruleset

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
        loaded = load_ruleset(folder, whole=True)
        assert loaded.value is not None or loaded.findings, (path.name, at[0], value)
        if loaded.value is not None:
            check_ruleset(loaded.value)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("value", "wanted"), [("-3", "0 to 1,000"), ("1000000000000", "0 to 1,000"), ("1.5", "a whole")]
)
def test_a_whole_number_has_its_range(value: str, wanted: str, tmp_path: Path) -> None:
    shutil.copytree(rulesets_folder() / "keyword-dots", tmp_path / "game")
    path = tmp_path / "game" / "screen.yaml"
    path.write_text(re.sub(r"strong: \d+", f"strong: {value}", path.read_text(), count=1))
    said = [f.message for f in load_ruleset(tmp_path / "game", whole=True).findings]
    assert any(f"`strong` has to be {wanted}" in message for message in said), said
