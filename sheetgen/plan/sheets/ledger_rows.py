"""Rows of a ledger on a sheet: gains with purchases, sessions of saving in one row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from sheetgen.check.character.keys.sessions import joined_name, session_number
from sheetgen.check.character.ratings.die_steps import DIE, join_die_steps
from sheetgen.model.build import Ledger, LedgerLine
from sheetgen.plan.sheets.shown import View

_PLAIN_ROWS = 12
"""The most rows of a ledger in which every session has a row of its own."""


def put_ledger(view: View, ledger: Ledger) -> None:
    """Add what is left of a pool, and the rows of its ledger."""
    label = f"{ledger.label} ledger"
    view.put(f"{ledger.pool}.left", _figure(ledger.left), ledger.label, written=False)
    for number, line in enumerate(ledger_rows(ledger.lines), start=1):
        row = f"{ledger.pool}.ledger.{number}"
        view.put(f"{row}.session", line.session, label)
        view.put(f"{row}.gained", str(line.gained) if line.gained else "", label)
        view.put(f"{row}.what", line.what, label)
        view.put(f"{row}.cost", str(line.cost) if line.cost else "", label)
        view.put(f"{row}.left", _figure(line.left), label)


def _figure(number: int) -> str:
    return str(number).replace("-", "−")


def ledger_rows(lines: Iterable[LedgerLine]) -> list[LedgerLine]:
    """Return `lines` as rows: without lines that change nothing, sessions with their purchase.

    In a long ledger, sessions in which points were only saved are one row with the next, and
    the steps of a die are one row.
    """
    rows: list[LedgerLine] = []
    for line in lines:
        if not (line.gained or line.cost or line.session):
            continue
        last = rows[-1] if rows else None
        if last is not None and _only_gain(last) and last.session == line.session != "":
            rows[-1] = replace(line, gained=last.gained + line.gained)
        else:
            rows.append(line)
    return _join_steps(_join_savings(rows)) if len(rows) > _PLAIN_ROWS else rows


def _join_steps(rows: Iterable[LedgerLine]) -> list[LedgerLine]:
    """Return `rows` with the steps of a die, one after another, in one row."""
    joined: list[LedgerLine] = []
    for row in rows:
        last = joined[-1] if joined else None
        words = join_die_steps(last.what, row.what) if last and _bought_alike(last, row) else None
        if last is not None and words is not None:
            joined[-1] = replace(row, what=words, cost=last.cost + row.cost)
        else:
            joined.append(row)
    return joined


def _bought_alike(last: LedgerLine, row: LedgerLine) -> bool:
    return last.kind == row.kind == DIE and not (row.gained or last.gained or row.session)


def _only_gain(line: LedgerLine) -> bool:
    return bool(line.session and line.gained) and not (line.what or line.cost)


def _join_savings(rows: Sequence[LedgerLine]) -> list[LedgerLine]:
    """Return `rows` with sessions that only saved, and the session after them, in one row."""
    runs: list[list[LedgerLine]] = [[row] for row in rows[:1]]
    for before, row in pairwise(rows):
        has_note = bool(row.what) and not row.cost
        if _only_gain(before) and row.gained and not has_note and _follows(before, row):
            runs[-1].append(row)
        else:
            runs.append([row])
    return [
        replace(
            run[-1],
            gained=sum(row.gained for row in run),
            session=joined_name(run[0].session, run[-1].session),
        )
        for run in runs
    ]


def _follows(before: LedgerLine, row: LedgerLine) -> bool:
    """Whether a row is of the session after that of `before`; sessions with names never are."""
    first, second = session_number(before.session), session_number(row.session)
    return first is not None and second == first + 1
