"""The rows of a screen's block: of tables, joined and chosen from, and lines of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile, zip_longest
from typing import TYPE_CHECKING

from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.screens import ScreenBlock
from sheetgen.rules.formulas.evaluate import holds
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.tables.compute import FormulaError, compute_table
from sheetgen.rules.tables.tables import RulesetScope, is_printed

if TYPE_CHECKING:
    from sheetgen.rules.odds.grid import ComputedGrid

STRONG = "*"
"""Stands before and behind what is bold in a text."""

NOTE = "{note}"
"""In a note of a block's own, what the table says."""


@dataclass(frozen=True, slots=True)
class BlockRows:
    """What a block says.

    Attributes:
        heads: Over the cells; only grids show them.
        rows: Cells of each line: number or word, text, note; as many as the block has.
        text: Below them.
        grid: Of a table of odds: what its curves are drawn from.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text: str = ""
    grid: ComputedGrid | None = None


class NoSuchRow(FormulaError):
    """A block asks a table for a row, a column or words that the table does not have."""


def rows_of(rules: Ruleset, block: ScreenBlock, options: Mapping[str, Value]) -> BlockRows | None:
    """Return what `block` says, or None where its `when` does not hold.

    Raises:
        FormulaError: A figure has no value, or a table has not what is asked for.
    """
    scope = RulesetScope(rules, options)
    if block.when is not None and not holds(block.when, scope):
        return None
    if block.kind == "curves":
        return _curves(rules, block, options, scope)
    if block.tables and not any(_stands(rules, str(name), scope) for name in block.tables):
        return None
    said = [_table(rules, str(name), block, options) for name in block.tables]
    heads = said[0][0] if said else ()
    whole = [_joined(rows) for rows in zip(*(rows for _, rows in said), strict=True)]
    _known(block, {row[0] for row in whole}, heads)
    rows = [_noted(row, block, scope) for row in whole]
    own = [tuple(filled(str(cell), scope) for cell in row) for row in block.rows]
    shown = (*rows, *(row for row in own if any(row[1:]) or len(row) == 1))
    text = filled(str(block.text), scope) if block.text is not None else ""
    return BlockRows(tuple(block.call.get(h, h) for h in heads), shown, text)


def _stands(rules: Ruleset, name: str, scope: RulesetScope) -> bool:
    """Whether a table is printed; one that is not there is found where it is looked for."""
    return name not in rules.tables or is_printed(rules.tables[name], scope)


_Table = tuple[tuple[str, ...], list[tuple[str, ...]]]


def _table(rules: Ruleset, name: str, block: ScreenBlock, options: Mapping[str, Value]) -> _Table:
    """Return the heads and the rows of one table that the block shows."""
    if name not in rules.tables:
        raise NoSuchRow(f"there is no table `{name}`")
    computed = bool(rules.tables[name].lines)
    made = compute_table(rules, name, options, block.over if computed else ())
    heads = (*made.heads, *made.columns)
    rows = [(*row.labels, *row.cells) for row in made.rows if row.cells or not computed]
    wanted = block.columns or heads
    for head in wanted:
        if head not in heads:
            raise NoSuchRow(f"the table `{name}` has no column `{head}`")
    places = [heads.index(head) for head in wanted]
    firsts = {row[0] for row in rows}
    for label in block.only:
        if label not in firsts:
            raise NoSuchRow(f"the table `{name}` has no row `{label}`")
    kept = [row for row in rows if not block.only or row[0] in block.only]
    kept = kept[block.rows_from - 1 : block.rows_to or None]
    return tuple(heads[p] for p in places), [tuple(row[p] for p in places) for row in kept]


def _curves(
    rules: Ruleset, block: ScreenBlock, options: Mapping[str, Value], scope: RulesetScope
) -> BlockRows:
    """Return the curves of a table of odds."""
    name = str(block.tables[0]) if block.tables else ""
    if name not in rules.tables:
        raise NoSuchRow(f"there is no table `{name}`")
    grid = compute_table(rules, name, options).grid
    if grid is None or not grid.curves:
        raise NoSuchRow(f"no curves can be drawn of the table `{name}`")
    text = filled(str(block.text), scope) if block.text is not None else ""
    return BlockRows((), ((grid.label,),), text, grid)


def _known(block: ScreenBlock, firsts: set[str], heads: Sequence[str]) -> None:
    """Refuse words for rows that are not there; they would go unseen."""
    for label in (*block.notes, *block.call):
        if label not in firsts and label not in heads:
            raise NoSuchRow(f"no row of `{block.head}` begins with `{label}`")


def _joined(rows: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return one row for several that mean the same thing of different things."""
    if len(rows) == 1:
        return rows[0]
    first, *others = (list(cells) for cells in zip_longest(*rows, fillvalue=""))
    words = zip(*(text.split() for text in first), strict=False)
    shared = " ".join(found[0] for found in takewhile(lambda w: len({*w}) == 1, words))
    return (shared or first[0], *(_said(cells) for cells in others))


def _said(cells: Iterable[str]) -> str:
    """Return texts as one: what they begin with alike stands once."""
    different = [*dict.fromkeys(cells)]
    words = [text.split() for text in different]
    same = [*takewhile(lambda found: len({*found}) == 1, zip(*words, strict=False))]
    rest = [" ".join(each[len(same) :]) for each in words[1:]]
    return ", ".join([different[0], *(text for text in rest if text)])


def _noted(row: tuple[str, ...], block: ScreenBlock, scope: RulesetScope) -> tuple[str, ...]:
    """Return a table's row as the block has it: other words, its bold cell, its own note."""
    first, *others = row
    label = block.call.get(first, first)
    if block.drop:
        label = " ".join(word for word in label.split() if word != block.drop)
    cells = [label, *("" if cell == "–" and block.kind != "grid" else cell for cell in others)]
    own = block.notes.get(first)
    if own is not None:
        cells += [""] * (3 - len(cells))
        cells[2] = filled(str(own).replace(NOTE, "\0"), scope).replace("\0", cells[2])
    if block.kind in ("numbers", "ladder", "words") and block.strong <= len(cells):
        place = block.strong - 1
        before, comma, after = (
            cells[place].partition(", ") if len(block.tables) > 1 else (cells[place], "", "")
        )
        if before and STRONG not in before:
            cells[place] = f"{STRONG}{before}{STRONG}{comma}{after}"
    return tuple(cells)
