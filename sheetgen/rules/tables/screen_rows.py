"""The rows of a screen's block: selected and joined rows of tables, and lines of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile, zip_longest
from typing import TYPE_CHECKING

from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.screens import ScreenBlock
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import holds
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.tables.compute import compute_table
from sheetgen.rules.tables.tables import RulesetScope, is_printed

if TYPE_CHECKING:
    from sheetgen.rules.odds.grid import ComputedGrid

STRONG = "*"
"""The mark before and after bold text."""

NOTE = "{note}"
"""The placeholder for the table's note in a note of the block."""


@frozen
class BlockRows:
    """The content of a block.

    Attributes:
        heads: The column heads; only grids show them.
        rows: The cells of each line: number or word, text, note.
        text: The text below the rows.
        grid: The grid of a table of odds, for its curves.
        odds: Whether the cells are chances in per cent.
        origin: The title of the overlay that the block comes from.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text: str = ""
    grid: ComputedGrid | None = None
    odds: bool = False
    origin: str = ""


class NoSuchRow(FormulaError):
    """A block names a row, a column or words that its table does not have."""


def rows_of(rules: Ruleset, block: ScreenBlock, options: Mapping[str, Value]) -> BlockRows | None:
    """Return the content of `block`, or None if its `when` is false.

    Raises:
        FormulaError: A figure has no value, or a table lacks a row or column.
    """
    scope = RulesetScope(rules, options)
    if block.when is not None and not holds(block.when, scope):
        return None
    if block.kind == "curves":
        return _curves(rules, block, options, scope)
    if block.tables and not any(_is_printed(rules, str(name), scope) for name in block.tables):
        return None
    tables = [_table(rules, str(name), block, options) for name in block.tables]
    heads = tables[0][0] if tables else ()
    joined = [_joined(rows) for rows in zip(*(rows for _, rows in tables), strict=True)]
    _check_labels(block, {row[0] for row in joined}, heads)
    rows = [_noted(row, block, scope) for row in joined]
    own = [tuple(filled(str(cell), scope) for cell in row) for row in block.rows]
    shown = (*rows, *(row for row in own if any(row[1:]) or len(row) == 1))
    text = filled(str(block.text), scope) if block.text is not None else ""
    odds = any(rules.tables[str(name)].odds is not None for name in block.tables)
    return BlockRows(tuple(block.call.get(h, h) for h in heads), shown, text, odds=odds)


def _is_printed(rules: Ruleset, name: str, scope: RulesetScope) -> bool:
    """Whether a table is printed; a table that does not exist is reported later."""
    return name not in rules.tables or is_printed(rules.tables[name], scope)


_Table = tuple[tuple[str, ...], list[tuple[str, ...]]]


def _table(rules: Ruleset, name: str, block: ScreenBlock, options: Mapping[str, Value]) -> _Table:
    """Return the heads and rows of one table that the block shows."""
    if name not in rules.tables:
        raise NoSuchRow(f"there is no table `{name}`")
    computed = bool(rules.tables[name].lines)
    table = compute_table(rules, name, options, block.over if computed else ())
    heads = (*table.heads, *table.columns)
    rows = [(*row.labels, *row.cells) for row in table.rows if row.cells or not computed]
    columns = block.columns or heads
    for head in columns:
        if head not in heads:
            raise NoSuchRow(f"the table `{name}` has no column `{head}`")
    places = [heads.index(head) for head in columns]
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


def _check_labels(block: ScreenBlock, firsts: set[str], heads: Sequence[str]) -> None:
    """Refuse words for rows that do not exist; they would never show."""
    for label in (*block.notes, *block.call):
        if label not in firsts and label not in heads:
            raise NoSuchRow(f"no row of `{block.head}` begins with `{label}`")


def _joined(rows: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return one row for several of the same meaning."""
    if len(rows) == 1:
        return rows[0]
    first, *others = (list(cells) for cells in zip_longest(*rows, fillvalue=""))
    words = zip(*(text.split() for text in first), strict=False)
    shared = " ".join(found[0] for found in takewhile(lambda w: len({*w}) == 1, words))
    return (shared or first[0], *(_join_texts(cells) for cells in others))


def _join_texts(cells: Iterable[str]) -> str:
    """Return several texts as one, without repeating their common beginning."""
    different = [*dict.fromkeys(cells)]
    words = [text.split() for text in different]
    same = [*takewhile(lambda found: len({*found}) == 1, zip(*words, strict=False))]
    rest = [" ".join(each[len(same) :]) for each in words[1:]]
    return ", ".join([different[0], *(text for text in rest if text)])


def _noted(row: tuple[str, ...], block: ScreenBlock, scope: RulesetScope) -> tuple[str, ...]:
    """Return a table's row with the block's words, bold cell and note."""
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
