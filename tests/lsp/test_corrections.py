"""Corrections do what the hints of findings promise, and change nothing else in the file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sheetgen.diag.findings import split_lines
from sheetgen.plugins.editor.lsp.server import OpenFilesChecker, find_correction
from tests.cli.commands import CHARACTERS

KOR = "d6-pips/kor_ashveld"
VEXA = "keyword-dots/vexa-thorne"


@pytest.mark.parametrize(
    ("name", "old", "new", "title"),
    [
        (KOR, "Herder whose", "A: herder whose", "Change `A: herder whose herd was sold` to"),
        (KOR, "Herder whose", '"Herder" whose', 'Change `"Herder" whose herd was sold` to'),
        (KOR, "points: 4", "points:4", "Change `points:4` to `points: 4`"),
        (KOR, "{Riding: +2D", "{Riding:+2D", "Change `Riding:+2D` to `Riding: +2D`"),
        (KOR, "\ngear: [Spear, Bow,", "\ngear:\n  - Spear\n  -Bow\n# [", "Change `-Bow`"),
        (KOR, "\nname:", "\n  name:", "Do not indent it"),
        (KOR, "[Spear, Bow", "[Speer, Bow", "Change `Speer` to `Spear`"),
        (VEXA, "class: Sith Warrior\n", "", "Add `class: "),
        (VEXA, "Saber Block: 3", "Saber Block: 9", "Set Saber Block to 5"),
    ],
)
def test_a_correction_keeps_its_promise(
    tmp_path: Path, name: str, old: str, new: str, title: str
) -> None:
    path = tmp_path / "character.yaml"
    text = (CHARACTERS / f"{name}.yaml").read_text(encoding="utf-8")
    assert old in text
    text = text.replace(old, new, 1)
    real = os.path.realpath(path)
    checker = OpenFilesChecker()
    lines = split_lines(text)
    found = checker.check(str(path), {real: text})
    (finding, correction) = next(
        (finding, one)
        for finding in found
        if (one := find_correction(finding, lines)) is not None and one.title.startswith(title)
    )
    span = correction.span
    line = lines[span.line - 1]
    lines[span.line - 1] = (
        line[: span.column - 1] + correction.text + line[span.column - 1 + span.width :]
    )
    after = "\n".join(lines)
    assert finding.message not in [one.message for one in checker.check(str(path), {real: after})]
    assert [x for x in text.split("\n") if "#" in x] == [x for x in after.split("\n") if "#" in x]
