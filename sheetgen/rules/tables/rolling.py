"""Random tables: tables whose rows are rolled for, with exact chances, also one inside another."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.words import suggestion
from sheetgen.model.build import Value
from sheetgen.model.rulesets.prints import Table
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text, text_place
from sheetgen.records import frozen
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.scopes import RulesetScope
from sheetgen.rules.tables.figures import settle_table

WEIGHTS: Final = "weights"  # in a table's `dice`: the first cell of a row says how often it comes
_SUM: Final = re.compile(r"(\d{0,2})[dD](\d{1,4}|%)")
_DIGITS: Final = re.compile(r"[dD](([2-9])\2{1,2})")  # d66: each die is a digit
_RANGE: Final = re.compile(
    r"(\d{1,6})(?: *(?:[-–—−]|to) *(\d{1,6}))?|(\d{1,6}) *([+−–-])", re.ASCII
)
_WEIGHT: Final = re.compile(r"[1-9]\d{0,3}", re.ASCII)
_INNER: Final = re.compile(r"\[\[([^\[\]]+)\]\]")
_REAL_DICE: Final = (2, 3, 4, 6, 8, 10, 12, 20, 100)
_MOST_RESULTS: Final = 10_000
_MOST_SUM: Final = 1_000  # number of several dice times their faces
_MOST_ROLLS: Final = 200  # of tables inside tables

Weights = Mapping[int, int]  # how often each result of the dice comes


@frozen
class RolledRow:
    """A row of a random table: what the dice show for it, and how likely that is."""

    shown: str
    cells: tuple[str, ...]
    chance: Fraction
    results: frozenset[int]


@frozen
class Roll:
    """A roll on a random table, and the rolls on tables that its row names.

    Attributes:
        text: The row, with what was rolled on those tables in place of their names.
    """

    id: str
    label: str
    dice: str
    value: int
    row: RolledRow
    text: str
    inner: tuple[Roll, ...] = ()


@lru_cache(maxsize=100)
def parse_dice(dice: str) -> Weights | None:
    """Return how often each result of dice comes: `2d6`, `d66`, `d100`, `d%`; None if unknown."""
    if found := _DIGITS.fullmatch(dice):
        faces = range(1, int(found[2]) + 1)
        digits = product(map(str, faces), repeat=len(found[1]))
        return {int("".join(one)): 1 for one in digits}
    found = _SUM.fullmatch(dice)
    number, faces_of = (int(found[1] or 1), int(found[2].replace("%", "100"))) if found else (0, 0)
    if not 0 < number * faces_of <= (_MOST_RESULTS if number == 1 else _MOST_SUM):
        return None
    if number == 1:
        return dict.fromkeys(range(1, faces_of + 1), 1)
    sums = Counter({0: 1})
    for _ in range(number):
        sums = Counter(
            {
                total: sum(sums[total - face] for face in range(1, faces_of + 1))
                for total in range(min(sums) + 1, max(sums) + faces_of + 1)
            }
        )
    return sums


def _results(cell: str, weights: Weights) -> list[int] | None:
    """Return the results of the dice that a first cell names; None if it cannot be read."""
    least, most = min(weights), max(weights)
    found = _RANGE.fullmatch(cell.strip())
    if found is None:
        return None
    if found[3]:
        ends = (int(found[3]), most) if found[4] == "+" else (least, int(found[3]))
    else:
        ends = int(found[1]), int(found[2] or found[1])
    first, last = (100 if most == 100 and end == 0 else end for end in ends)  # 00 is 100
    inside = first in weights and last in weights and first <= last
    return [one for one in weights if first <= one <= last] if inside else None


def _weigh(table: Table, rows: Sequence[tuple[Text | str, ...]]) -> tuple[Weights, list[list[int]]]:
    """Return how often each result of a table's dice comes, and the results of each row.

    Raises:
        FormulaError: The table is none to roll on.
    """
    if table.dice == WEIGHTS:
        ends, results = 0, list[list[int]]()
        for row in rows:
            if not _WEIGHT.fullmatch(row[0]):
                raise FormulaError(f"`{row[0]}` is no weight")
            count = int(row[0])
            results.append([*range(ends + 1, ends + count + 1)])
            if (ends := ends + count) > _MOST_RESULTS:
                raise FormulaError(f"its weights add up to more than {_MOST_RESULTS:,}")
        return dict.fromkeys(range(1, ends + 1), 1), results
    weights = parse_dice(table.dice or "")
    if weights is None:
        raise FormulaError("it is no random table")
    return weights, [_results(row[0], weights) or [] for row in rows]


def rolled_rows(table: Table) -> tuple[RolledRow, ...]:
    """Return the rows of a random table, with what the dice show for each.

    Args:
        table: With its formulas evaluated.

    Raises:
        FormulaError: The table is none to roll on.
    """
    weights, results = _weigh(table, table.rows)
    total = sum(weights.values())
    shown = [re.sub(r" *(?:[-–—−]|to) *", "–", row[0]) for row in table.rows]
    if table.dice == WEIGHTS:
        ends = ((str(found[0]), str(found[-1])) for found in results)
        ranges = ["–".join(dict.fromkeys(one)) for one in ends]
        shown = ranges if total in _REAL_DICE else [f"{len(found)} of {total}" for found in results]
    chances = (Fraction(sum(weights[one] for one in found), total or 1) for found in results)
    each = zip(shown, table.rows, chances, results, strict=True)
    return tuple(RolledRow(text, row[1:], c, frozenset(found)) for text, row, c, found in each)


def show_rolls(table: Table, rules: Ruleset) -> Table:
    """Return a random table as it is printed: ranges of the dice, and names of other tables."""
    if table.dice is None:
        return table

    def name(match: re.Match[str]) -> str:
        inner = rules.tables.get(match[1])
        return f"→ {(inner.label if inner is not None else '') or match[1]}"

    found = rolled_rows(table)
    rows = tuple((one.shown, *(_INNER.sub(name, cell) for cell in one.cells)) for one in found)
    total = sum(len(one.results) for one in found)
    die = table.dice == WEIGHTS and total in _REAL_DICE
    return replace(
        table, rows=rows, columns=(f"d{total}" if die else table.columns[0], *table.columns[1:])
    )


def roll_table(
    rules: Ruleset, id_: str, seed: int, options: Mapping[str, Value] | None = None
) -> Roll:
    """Return a roll on a random table; equal seeds give equal rolls.

    Raises:
        FormulaError: The table is none to roll on, or there are too many rolls.
    """
    scope, count = RulesetScope(rules, options), 0

    def roll(name: str) -> Roll:
        nonlocal count
        count += 1
        if name not in rules.tables or count > _MOST_ROLLS:
            problem = "too many tables are rolled on" if count > _MOST_ROLLS else "there is none"
            raise FormulaError(f"`{name}`: {problem}")
        table = settle_table(rules.tables[name], scope)
        weights, _ = _weigh(table, table.rows)
        number = hashlib.sha256(f"{seed} {id_} {count}".encode()).digest()
        place = int.from_bytes(number) % sum(weights.values())
        for value in weights:
            if (place := place - weights[value]) < 0:
                break
        row = next(one for one in rolled_rows(table) if value in one.results)
        inner: list[Roll] = []

        def fill(match: re.Match[str]) -> str:
            inner.append(roll(match[1]))
            return inner[-1].text

        text = ", ".join(_INNER.sub(fill, cell) for cell in row.cells if cell)
        dice = str(table.dice) if table.dice != WEIGHTS else f"d{len(weights)}"
        return Roll(name, str(table.label) or name, dice, value, row, text, tuple(inner))

    return roll(id_)


def check_rolls(rules: Ruleset, id_: str, table: Table) -> Iterator[Finding]:
    """Yield findings about a random table: ranges, gaps, weights, and tables that it names."""

    def refuse(text: Text | str, message: str, hint: str) -> Finding:
        place = text_place(text, text_place(id_, rules.place))
        return Finding(codes.BAD_ROLLS, place, message, hint)

    dice = table.dice or ""
    weights = parse_dice(dice) if dice != WEIGHTS else {}
    if weights is None:
        hint = "write `d6`, `2d6`, `d66`, `d100` or `weights`"
        yield refuse(dice, f"`{dice}` is no dice", hint)
        return
    taken: dict[int, str] = {}
    right = 0
    for cell in (row[0] for row in table.rows):
        results = _results(cell, weights) if weights else []
        twice = next((one for one in results or () if one in taken), None)
        if not weights and not _WEIGHT.fullmatch(cell):
            yield refuse(cell, f"`{cell}` is no weight", "write how often the row comes: 1, 2, 3")
        elif results is None:
            first, last = min(weights), max(weights)
            hint = f"write results from {first} to {last}, such as `{first}-{first + 1}`"
            yield refuse(cell, f"{dice} never shows `{cell}`", hint)
        elif twice is not None:
            message = f"{twice} is in the row `{taken[twice]}` too"
            yield refuse(cell, message, "change one of the ranges")
        else:
            right += 1
            taken |= dict.fromkeys(results, str(cell))
    if right == len(table.rows) and (missing := [one for one in weights if one not in taken]):
        # It is told at the row before the gap.
        before = [r[0] for r in table.rows if min(_results(r[0], weights) or [0]) < missing[0]]
        more = " and others" if missing[1:] else ""
        message = f"no row of the table `{id_}` has {missing[0]}{more}"
        hint = "add a row, or make a range larger"
        yield refuse(before[-1] if before else table.rows[0][0], message, hint)
    for name, cell in _inner_names(table):
        inner = rules.tables.get(name)
        if inner is None or inner.dice is None:
            known = [str(one) for one, other in rules.tables.items() if other.dice is not None]
            message = f"there is no random table `{name}`"
            yield refuse(cell, message, suggestion(name, known, "tables"))
        elif _leads_to(rules, name, str(id_)):
            message = f"`{id_}` and `{name}` roll on each other without end"
            yield refuse(cell, message, "take one of the names out")


def _inner_names(table: Table) -> Iterator[tuple[str, Text | str]]:
    cells = (cell for row in table.rows for cell in row[1:]) if table.dice is not None else ()
    yield from ((name, cell) for cell in cells for name in _INNER.findall(cell))


def _leads_to(rules: Ruleset, name: str, end: str) -> bool:
    seen = [name]
    for one in seen:
        table = rules.tables.get(one)
        names = dict.fromkeys(inner for inner, _ in _inner_names(table)) if table else {}
        seen += (inner for inner in names if inner not in seen)
    return end in seen
