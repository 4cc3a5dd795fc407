"""Sheets filled by programs of others come back as they were typed, for every character."""

from __future__ import annotations

import io
import random
from itertools import product
from pathlib import Path

import pikepdf
import pytest

from sheetgen.diag.findings import Severity
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.readback.topics import normalize_text
from tests.readback.sheets import (
    CHARACTERS,
    PROGRAMS,
    blank_sheet,
    filled,
    hero,
    merged,
    named,
    printed,
    random_values,
    read_bytes,
)
from tests.samples import by_turns, some_characters
from tests.viewers.scripted import terminal

pytestmark = pytest.mark.many

FIRST = {path.parent.name: path for path in reversed(CHARACTERS)}
FAST = [program for program in PROGRAMS if program != "mupdf"]
SOME = some_characters(CHARACTERS)
TRIED = list(dict.fromkeys([*product(PROGRAMS, FIRST.values()), *by_turns(FAST, SOME)]))
"""Each program fills in one character of each game, and all characters of the sample are filled in.

MuPDF sets each page anew after each field: it gets a few of one character of each game.
"""


@pytest.mark.slow
@pytest.mark.parametrize(("program", "path"), TRIED, ids=lambda one: getattr(one, "stem", one))
def test_every_field_comes_back(program: str, path: Path, tmp_path: Path) -> None:
    values = random_values(path, len(program))
    if program == "mupdf":  # nor does it empty a field
        rng = random.Random(1)
        values = {n: values[n] for n in rng.sample(sorted(values), 25) if values[n]}
    sheet = read_bytes(PROGRAMS[program](printed(path), values), tmp_path)
    assert sheet.fields.keys() == blank_sheet(path).fields.keys()
    found = {name: normalize_text(field.filled) for name, field in sheet.fields.items()}
    before = read_bytes(printed(path), tmp_path).fields  # rows of a full ledger are joined
    told = {name: field.filled for name, field in before.items()} | values
    assert found == {name: normalize_text(text) for name, text in told.items()}
    assert sheet.ruleset == str(hero(path).rules.id)
    assert sheet.character == hero(path).build.name


@pytest.mark.parametrize("path", CHARACTERS, ids=lambda path: path.stem)
def test_an_untouched_sheet_changes_nothing(path: Path) -> None:
    into = merged(blank_sheet(path), path)
    assert into.after == into.before
    assert not into.changes
    assert not into.findings


@pytest.mark.slow
@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_what_is_typed_everywhere_is_merged_and_a_second_read_changes_nothing(path: Path) -> None:
    """Random values break rules of games; files stay readable, comments stay, nothing is lost."""
    values = random_values(path, 7)
    sheet = filled(path, values)
    into = merged(sheet, path)
    read = parse_yaml(into.after, str(path))
    assert read.value is not None
    assert not [f for f in read.findings if f.severity is Severity.ERROR]
    comments = [line for line in into.before.splitlines() if line.startswith("#")]
    assert [line for line in into.after.splitlines() if line.startswith("#")] == comments
    keys = [key.raw for key, _ in parse_yaml(into.before, "").value.root.entries]
    after = [key.raw for key, _ in read.value.root.entries]
    assert [key for key in after if key in keys] == [key for key in keys if key in after]
    again = merged(sheet, path, into.after)
    assert again.after == again.before
    plain_texts = (c for c in into.changes if c.label in ("Player", "Concept", "Campaign"))
    assert all(change.state == "merged" for change in plain_texts)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_field_that_is_filled_in_does_not_change_one_that_looked_alike(program: str) -> None:
    """Equal texts share an appearance; a program that fills one in must not draw on it."""
    content = printed(named("brakka_sool"))
    one, other = "attributes.dexterity.total", "attributes.perception.total"
    before = appearances(content)
    assert before[one] == before[other]
    after = appearances(PROGRAMS[program](content, {one: "5"}))
    assert after[other][1] == before[other][1]


def appearances(content: bytes) -> dict[str, tuple[tuple[int, int], bytes]]:
    """Return what each field of text looks like: the object, and what it draws."""
    with pikepdf.open(io.BytesIO(content)) as pdf:
        found = dict(terminal(pdf.Root.AcroForm.Fields))
        texts = {n: f.AP.N for n, f in found.items() if str(f.FT) == "/Tx" and "/AP" in f}
        return {name: (look.objgen, look.read_bytes()) for name, look in texts.items()}
