"""Rows of a ledger: sums stay exact, and a row says something."""

from __future__ import annotations

import random

from sheetgen.model.build import LedgerLine
from sheetgen.plan.sheets.ledger_rows import ledger_rows


def lines(seed: int, count: int) -> list[LedgerLine]:
    chance, left, found = random.Random(seed), 5, [LedgerLine("at creation", 5, 0, 5)]
    for number in range(1, count + 1):
        gained, cost = chance.randint(0, 4), chance.choice((0, 0, 3))
        session = f"Session {number}" if chance.random() < 0.9 else f"The {number}th"
        left += gained
        found.append(LedgerLine("", gained, 0, left, session, "gain"))
        if cost:
            left -= cost
            found.append(LedgerLine("Skill", 0, cost, left, session, "advance"))
    found.append(LedgerLine("Comlink (granted)", 0, 0, left, kind="item"))
    return found


def test_joined_rows_add_up() -> None:
    for seed in range(40):
        before = lines(seed, 30)
        rows, left = ledger_rows(before), 0
        assert len(rows) < len(before)
        for row in rows:
            left += row.gained - row.cost
            assert row.left == left
            assert row.session or row.gained or row.cost
        assert left == before[-1].left


def test_a_short_ledger_has_a_row_for_each_session() -> None:
    saved = [LedgerLine("", 4, 0, 4 * n, f"Session {n}", "gain") for n in range(1, 6)]
    assert ledger_rows(saved) == saved
    long = [LedgerLine("", 4, 0, 4 * n, f"Session {n}", "gain") for n in range(1, 14)]
    (row,) = ledger_rows(long)
    assert (row.session, row.gained, row.left) == ("Sessions 1–13", 52, 52)
