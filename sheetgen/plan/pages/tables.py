"""Pages of computed tables: cells, column widths and footnotes, ready for the templates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sheetgen.model.rulesets.proof import Difference
from sheetgen.plan.pages.footnotes import Footnote, Letters
from sheetgen.rules.names import folded
from sheetgen.rules.tables.compute import ComputedTable, TableRow

_NUMBER: Final = re.compile(r"(.*?\d[\d.,]*)([kmbhD%+]{0,2})")

MOST_SHORT: Final = 34
"""A table with no more lines than this is never split between pages."""

MOST_SHORT_WIDE: Final = 20
"""The same on landscape paper."""

MOST_FIGURES: Final = 100
"""The widest that columns of figures together may be, in millimetres, and still be equally wide."""

MOST_BESIDE: Final = 74
"""The same for a table beside another."""

ONE_LINE: Final = 44
"""A longer text takes about two lines."""

LONG: Final = 28
"""If a text of a table is longer than this, all its columns of words are set in small type."""

CHARACTER: Final = 1.85
"""Width of a letter of the body in millimetres, rounded up."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell: digits, the unit behind them, and the letter of a footnote."""

    number: str
    unit: str = ""
    mark: str = ""
    label: bool = False
    figure: bool = False
    classes: str = ""
    span: int = 1


@dataclass(frozen=True, slots=True)
class RowView:
    """A row and its CSS classes."""

    cells: tuple[TableCell, ...]
    classes: str = ""


@dataclass(frozen=True, slots=True)
class PartView:
    """Rows that belong together, with an optional heading."""

    label: str
    rows: tuple[RowView, ...]


@dataclass(frozen=True, slots=True)
class TableView:
    """A table ready for a template.

    Attributes:
        worked: The computed table, if it has one.
        remark: The end of `text`, which is about the source.
        origin: The title of the overlay that it comes from, which is at the end of `about`.
    """

    worked: ComputedTable | None
    label: str
    about: str
    heads: tuple[TableCell, ...]
    parts: tuple[PartView, ...]
    notes: tuple[Footnote, ...]
    text: str
    classes: str
    short: bool
    drawing: str = ""
    remark: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class TablePage:
    """Tables that are printed together in bands, one below the other."""

    id: str
    label: str
    about: str
    bands: tuple[tuple[TableView, ...], ...]
    wide: bool = False

    @property
    def origins(self) -> tuple[str, ...]:
        """The titles of the overlays that tables of this page come from."""
        return tuple(dict.fromkeys(view.origin for view in self.tables if view.origin))

    @property
    def tables(self) -> Iterator[TableView]:
        """Every table, from top to bottom."""
        for band in self.bands:
            yield from band


def is_of_words(worked: ComputedTable) -> bool:
    """Return whether a table has columns of words, not of figures only."""
    return not worked.table.lines and not all(worked.figures)


def lead_width(worked: ComputedTable) -> int:
    """Return the width that the row labels of a table need, in millimetres."""
    labels = [row.labels[0] for row in worked.rows]
    if len(worked.heads) > 1:  # a label without a second one may reach over the next columns
        labels = [row.labels[0] for row in worked.rows if row.labels[1]]
    return _width([worked.heads[0], *labels])


def figure_width(worked: ComputedTable) -> int:
    """Return the width of the widest column of figures, in millimetres; 0 without figures."""
    columns = [at for at, figure in enumerate(worked.figures) if figure]
    return max((_width(_column(worked, at)) + 4 for at in columns), default=0)


def plan_table_page(
    worked: ComputedTable,
    differences: Iterable[Difference],
    letters: Letters,
    grid: tuple[int, int],
    *,
    wide: bool,
    beside: bool,
) -> TableView:
    """Return a computed table as it is printed.

    Args:
        differences: Figures that a source prints differently. Those of this table get a
            footnote.
        letters: The footnotes of the page.
        grid: Widths of labels and of figures, if they are shared with other tables.
        wide: Whether the page is landscape.
        beside: Whether other tables stand beside this one.
    """
    notes = _cell_notes(worked, differences)
    words = is_of_words(worked)
    fits = _line_count(worked) <= (MOST_SHORT_WIDE if wide else MOST_SHORT)
    classes = "fixed of-words" if words else "fixed of-figures"
    classes += " close" if words and not fits else ""
    lead, figure = grid[0] or lead_width(worked), grid[1] or figure_width(worked)
    crowded = sum(worked.figures) * figure > (MOST_BESIDE if beside else MOST_FIGURES)
    heads = tuple(_heads(worked, lead, figure, crowded))
    parts = tuple(_parts(worked, notes, letters))
    placed = sorted(place for place in notes if place[1] < len(worked.columns))
    texts = dict.fromkeys(text for place in placed for text in notes[place])
    return TableView(
        worked,
        worked.table.label,
        worked.table.about,
        heads,
        parts,
        tuple(Footnote(letters.mark(text), text) for text in texts),
        " ".join(filter(None, (worked.text, worked.table.remark))),
        classes,
        fits,
        remark=str(worked.table.remark),
    )


def _line_count(worked: ComputedTable) -> int:
    heads = sum(1 for row in worked.rows if row.part)
    long = sum(1 for row in worked.rows if any(len(text) > ONE_LINE for text in row.cells))
    return len(worked.rows) + heads + long


def _cell_notes(
    worked: ComputedTable, differences: Iterable[Difference]
) -> Mapping[tuple[int, int], list[str]]:
    """Return the footnotes of cells by row and column; those of a whole row have column -1."""
    notes: dict[tuple[int, int], list[str]] = {}
    for at, row in enumerate(worked.rows):
        for cell, aside in row.asides.items():
            notes.setdefault((at, cell), []).append(f"{aside}.")
    labels = {folded(row.labels[0]): at for at, row in enumerate(worked.rows)}
    for one in differences:
        named = labels.get(folded(one.what.partition(",")[0]), one.row) if one.note else one.row
        line, at = worked.places.get(one.what, (named, one.cell))
        here = one.table == worked.id or one.what in worked.places
        if here and 0 <= line < len(worked.rows):
            ruling = f" ({one.ruling})" if one.ruling else ""
            text = f"{one.note or f'Source prints {one.printed}'}{ruling}."
            notes.setdefault((line, at), []).append(text)
    return notes


def _heads(worked: ComputedTable, lead: int, wide: int, crowded: bool) -> Iterator[TableCell]:
    totals = [f"{row.labels[0]} a" for row in worked.rows if row.total]
    over = _width(totals) - lead if totals and len(worked.heads) == 2 else 0
    classes = f"lead w-{lead}", f"also w-{over}" if over > 0 else "also"
    yield from (
        TableCell(h, label=True, classes=classes[at > 0]) for at, h in enumerate(worked.heads)
    )
    last = len(worked.columns) - 1
    for at, (head, figure) in enumerate(zip(worked.columns, worked.figures, strict=True)):
        texts = _column(worked, at)
        if figure:
            tint = " tint" if at in worked.tinted else ""
            own = _width(texts, 5) if crowded else wide
            narrow = f" w-{own}" if not worked.table.lines else ""
            yield _figure_cell(head, "f" + tint + narrow)
        else:
            yield TableCell(
                head, classes="" if at == last else f"w-{min(66 if crowded else 46, _width(texts))}"
            )
    if worked.table.any_ and not worked.table.turned:
        formulas = [worked.table.any_, *(row.formula for row in worked.rows)]
        width = _width([f[: len(f) * 3 // 4] for f in formulas], 6)
        yield TableCell(worked.table.any_, classes=f"any w-{width}")


def _column(worked: ComputedTable, at: int) -> list[str]:
    return [worked.columns[at], *(row.cells[at] for row in worked.rows)]


def _width(texts: Sequence[str], more: int = 3) -> int:
    """Return a width for the longest of `texts`, in even millimetres."""
    return min(70, 2 * round((max(map(len, texts)) * CHARACTER + more) / 2))


def _parts(
    worked: ComputedTable, notes: Mapping[tuple[int, int], list[str]], letters: Letters
) -> Iterator[PartView]:
    """Yield the rows in parts; footnotes get their letters in reading order."""
    kinds = [_column_classes(worked, at) for at in range(len(worked.columns))]
    plain = [any("D+" in row.cells[at] for row in worked.rows) for at in range(len(kinds))]
    label = ""
    rows: list[RowView] = []
    for at, row in enumerate(worked.rows):
        if (row.part or row.apart or row.total) and rows:
            yield PartView(label, tuple(rows))
            rows = []
        label = row.part if not rows else label
        marks = {
            column: ", ".join(letters.mark(text) for text in notes.get((at, column), ()))
            for column in range(-1, len(kinds))
        }
        cells = _row_labels(row, marks[-1])
        for column, (text, figure) in enumerate(zip(row.cells, worked.figures, strict=True)):
            if figure and not plain[column]:
                cell = _figure_cell(text, kinds[column])
            else:
                cell = TableCell(text, figure=figure, classes=kinds[column])
            cells.append(replace(cell, mark=marks[column]))
        if worked.table.any_ and not worked.table.turned:
            cells.append(TableCell(row.formula, classes="any"))
        rows.append(RowView(tuple(cells), "total" if row.total else ""))
    if rows:
        yield PartView(label, tuple(rows))


def _column_classes(worked: ComputedTable, at: int) -> str:
    """Return the classes of a column's cells; all columns of words have one size of type."""
    if worked.figures[at]:
        return "f tint" if at in worked.tinted else "f"
    strong = at < len(worked.strong) and worked.strong[at]
    words = [n for n, figure in enumerate(worked.figures) if not figure]
    long = any(len(row.cells[n]) > LONG for row in worked.rows for n in words)
    return " ".join(["said"] * long + ["name"] * strong)


def _row_labels(row: TableRow, mark: str) -> list[TableCell]:
    """Return the labels of a row; the first spans the columns of labels that it lacks."""
    cells = [
        TableCell(
            label, mark=mark if place == 0 else "", label=True, classes="also" if place else ""
        )
        for place, label in enumerate(row.labels)
        if place == 0 or label or not row.total
    ]
    cells[0] = replace(cells[0], span=1 + len(row.labels) - len(cells))
    return cells


def _figure_cell(text: str, classes: str) -> TableCell:
    match = _NUMBER.fullmatch(text)
    number, unit = match.groups() if match else (text, "")
    return TableCell(number, unit, figure=True, classes=classes)
