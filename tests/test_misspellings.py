"""A word that is misspelt in our own code is found before the code runs: by its types."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shelf import TESTS

pytestmark = pytest.mark.slow

ROOT = TESTS.parent

PLANTED = (
    # names of arguments
    ("cli/outputs.py", "theme=given", "theem=given"),
    ("plugins/tabletop/pieces.py", "copies=entry.copies,", "copeis=entry.copies,"),
    ("cli/sheet.py", "draft=draft,", "darft=draft,"),
    ("check/character/builds.py", "severity=Severity", "severty=Severity"),
    # names of attributes
    ("prints/tables.py", "request.numbers", "request.nubmers"),
    ("books/workers.py", '"entry": job.entry', '"entry": job.entyr'),
    ("plugins/editor/preview/previewer.py", "own.joined", "own.jioned"),
    # kinds, formats, papers
    ("prints/cards.py", 'request.wants("pdf")', 'request.wants("pfd")'),
    ("finish/pictures.py", 'format_ == "png"', 'format_ == "pgn"'),
    ("plan/imposition.py", 'request.backs == "fold"', 'request.backs == "flod"'),
    ("model/prints.py", '("mark", "picture")', '("mrak", "picture")'),
    ("render/press/prepared.py", 'place.kind == "tick"', 'place.kind == "tikc"'),
    ("check/character/values.py", 'key.kind == "choice"', 'key.kind == "chioce"'),
    ("rules/tables/things.py", '].rating == "dice"', '].rating == "dcie"'),
    ("cli/odds.py", 'default="a5"', 'default="5a"'),
    # states
    ("model/designs.py", 'self.colour == "rgb"', 'self.colour == "rbg"'),
    ("load/characters.py", 'else "manual"', 'else "manaul"'),
    ("readback/things.py", 'node.kind == "leaf"', 'node.kind == "laef"'),
    ("prints/rulesets.py", 'find_hook("proof")', 'find_hook("porof")'),
    # keys of records
    ("books/planning.py", "preset=preset,", "prestet=preset,"),
    ("load/yaml/edit.py", '"list" if is_list', '"lsit" if is_list'),
)
"""In which module of ours, what stands there, and how it is misspelt."""


def test_types_find_each_misspelling(tmp_path: Path) -> None:
    """All at once: a finding of one hides no other."""
    shutil.copytree(ROOT / "sheetgen", tmp_path / "sheetgen")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name, right, wrong in PLANTED:
        file = tmp_path / "sheetgen" / name
        before, found, after = file.read_text(encoding="utf-8").partition(right)
        assert found, f"{name} has no `{right}`"
        file.write_text(before + wrong + after, encoding="utf-8")
    files = [f"sheetgen/{name}" for name, _, _ in PLANTED]
    assert len(set(files)) == len(files) >= 20
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", tmp_path / "cache"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    reported = set(re.findall(r"^(\S+\.py):\d+: error", done.stdout, re.MULTILINE))
    assert [file for file in files if file not in reported] == []
