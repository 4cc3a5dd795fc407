"""Sessions that a ledger joins in one row: each stays in the file, and their sum is the row's."""

from __future__ import annotations

import pytest

from tests.readback.sheets import blank_sheet, filled, merged, named, said


@pytest.mark.parametrize(
    ("cells", "gained", "notes"),
    [
        ({"gained": "14"}, {7: 6}, ""),
        ({"gained": "3"}, {5: 3, 6: 0, 7: 0}, ""),
        ({"gained": ""}, {5: 0, 6: 0, 7: 0}, ""),
        ({"session": "The siege", "gained": "14"}, {7: 6}, "gained 14, session The siege"),
        ({"session": "Session 7", "gained": "14"}, {7: 6}, ""),
    ],
)
def test_a_row_of_several_sessions_keeps_its_sum(
    cells: dict[str, str], gained: dict[int, int], notes: str
) -> None:
    path = named("jorra_kest")
    fields = blank_sheet(path).fields
    row = next(n for n, f in fields.items() if f.filled == "Sessions 5–7").removesuffix("session")
    sheet = filled(path, {f"{row}{column}": text for column, text in cells.items()})
    into = merged(sheet, path)
    for session, number in (dict.fromkeys(range(1, 21), 4) | gained).items():
        assert into.after.count(f"{{session: {session}, gained: {number}}}") == 1
    assert into.after.count("{session:") == 20
    assert notes in into.after
    assert ("notes:" in into.after) == bool(notes)
    again = merged(sheet, path, into.after)
    assert again.after == into.after
    assert "SG806" not in said(again)


def test_a_gain_beside_a_session_of_a_joined_row_adds_to_it() -> None:
    path = named("jorra_kest")
    sheet = filled(path, {"cp.ledger.14.session": "Session 6", "cp.ledger.14.gained": "9"})
    into = merged(sheet, path)
    assert "{session: 6, gained: 13}" in into.after
    assert merged(sheet, path, into.after).after == into.after
