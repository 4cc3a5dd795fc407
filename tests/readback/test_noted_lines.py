"""Names with notes in lists of texts: read as one line each, and changed row by row."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.readback.sheets import filled, hero, merged, named, said

LISTED = "allies: [The barge, {Mara: a friend}, {name: Old Tam, note: owes two}]"
MAPPED = "allies: {The barge: , Mara: a friend, Old Tam: owes two}"
LINES = ("The barge", "Mara: a friend", "Old Tam: owes two")


@pytest.mark.parametrize("entries", [LISTED, MAPPED])
@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ({}, LINES),
        ({"allies.2": "Mara: a rival"}, ("The barge", "Mara: a rival", "Old Tam: owes two")),
        ({"allies.1": ""}, LINES[1:]),
        ({"allies.4": "A cat"}, (*LINES, "A cat")),
    ],
)
def test_a_name_with_a_note_is_a_line(
    tmp_path: Path, entries: str, values: dict[str, str], lines: tuple[str, ...]
) -> None:
    path = tmp_path / "oshen.yaml"
    text = named("oshen_tal").read_text(encoding="utf-8")
    path.write_text(f"{text}\n{entries}\n", encoding="utf-8")
    assert hero(path).build.lists["allies"] == LINES
    into = merged(filled(path, values), path)
    assert not said(into)
    after = tmp_path / "after.yaml"
    after.write_text(into.after, encoding="utf-8")
    assert hero(after).build.lists["allies"] == lines
    if not values:
        assert into.after == into.before
