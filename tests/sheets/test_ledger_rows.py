"""Rows of a ledger: sums stay exact, and a row says something."""

from __future__ import annotations

import random

from sheetgen.check.character.ledger import parse_die_steps
from sheetgen.model.build import LedgerLine
from sheetgen.plan.sheets.view import ledger_rows


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


def bought(what: str, cost: int, left: int) -> LedgerLine:
    return LedgerLine(what, 0, cost, left, kind="die")


def test_steps_of_one_die_are_one_row_of_a_long_ledger() -> None:
    steps = [
        bought("a d2, with 1 die", 5, 95),
        bought("d2 to d3, with 1 die", 4, 91),
        bought("d3 to d4, with 1 die", 5, 86),
        bought("a d2, with 2 dice", 10, 76),
        bought("d2 to d3, with 2 dice", 5, 71),
        bought("d8 to d10, with 2 dice", 12, 59),
    ]
    assert ledger_rows(steps) == steps
    others = [LedgerLine(f"Skill {n}", 0, 1, 200 - n, kind="rating") for n in range(12)]
    rows = [(row.what, row.cost, row.left) for row in ledger_rows([*others, *steps])[12:]]
    assert rows == [
        ("a d2 to d4, with 1 die", 14, 86),
        ("a d2 to d3, with 2 dice", 15, 71),
        ("d8 to d10, with 2 dice", 12, 59),
    ]


def test_a_row_of_several_steps_has_each_of_them() -> None:
    row = parse_die_steps("a d2 to d6, with 1 die")
    inside = ("a d2, with 1 die", "d2 to d3, with 1 die", "d3 to d6, with 1 die")
    outside = ("a d8, with 1 die", "d6 to d8, with 1 die", "d2 to d3, with 2 dice")
    assert row is not None
    assert [row.has(parse_die_steps(one)) for one in (*inside, *outside)] == [True] * 3 + [
        False
    ] * 3


def test_a_die_of_very_many_digits_in_a_filled_sheet_is_no_step() -> None:
    """Guards `int`, which refuses more than 4300 digits."""
    assert parse_die_steps(f"d{'9' * 5000}, with 1 die") is None
