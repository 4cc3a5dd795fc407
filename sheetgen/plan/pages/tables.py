"""Worked tables as they are printed: pages, footnote letters, numbers and what hangs behind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sheetgen.model.differences import Difference
from sheetgen.plan.pages.footnotes import Footnote, Letters
from sheetgen.rules.names import folded
from sheetgen.rules.tables.compute import ComputedTable, TableRow

_NUMBER: Final = re.compile(r"(.*?\d[\d.,]*)([kmbhD%+]{0,2})")

MOST_SHORT: Final = 34
"""A table with no more lines than this is never cut."""

MOST_SHORT_WIDE: Final = 20
"""The same where the paper lies on its long side."""

MOST_FIGURES: Final = 100
"""Columns of figures that would be wider than this together are each as wide as they need."""

MOST_BESIDE: Final = 74
"""The same for a table beside another one."""

ONE_LINE: Final = 44
"""A longer text among others takes two lines, roughly."""

LONG: Final = 28
"""A column with longer texts than this is set as sentences are."""

CHARACTER: Final = 1.85
"""Width of a letter of the body, in millimetres; columns are a little too wide for it."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell: digits, what hangs behind them, and the letter of a footnote."""

    number: str
    unit: str = ""
    mark: str = ""
    label: bool = False
    figure: bool = False
    classes: str = ""
    span: int = 1


@dataclass(frozen=True, slots=True)
class RowView:
    """A row with its classes."""

    cells: tuple[TableCell, ...]
    classes: str = ""


@dataclass(frozen=True, slots=True)
class PartView:
    """Rows that belong together, perhaps under a heading."""

    label: str
    rows: tuple[RowView, ...]


@dataclass(frozen=True, slots=True)
class TableView:
    """A table ready for a template.

    Attributes:
        made: What it was computed from, if it was.
        width: Millimetres that its columns need at the standard size; 0 where columns of words
            adapt to the room there is.
        share: Millimetres that it takes beside other tables; 0 for an equal share.
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
    width: int = 0
    share: int = 0


@dataclass(frozen=True, slots=True)
class TablePage:
    """Tables that are printed together, band below band."""

    id: str
    label: str
    about: str
    bands: tuple[tuple[TableView, ...], ...]
    wide: bool = False

    @property
    def tables(self) -> Iterator[TableView]:
        """Every table, from top to bottom."""
        for band in self.bands:
            yield from band


def is_of_words(made: ComputedTable) -> bool:
    """Whether a table has columns of words, not of numbers only."""
    return not made.table.lines and not all(made.figures)


def lead_width(made: ComputedTable) -> int:
    """Return the width that the labels of a table need."""
    return _width(_labels(made, 0))


def figure_width(made: ComputedTable) -> int:
    """Return the width that the widest column of figures among words needs."""
    columns = [(made.columns[at], *(r.cells[at] for r in made.rows)) for at in _figured(made)]
    return max((_width(texts) + 4 for texts in columns), default=0)


def _figured(made: ComputedTable) -> list[int]:
    return [at for at, figure in enumerate(made.figures) if figure]


def plan_table_page(
    made: ComputedTable,
    wrong: Iterable[Difference],
    letters: Letters,
    grid: tuple[int, int] = (0, 0),
    *,
    wide: bool = False,
    beside: bool = False,
) -> TableView:
    """Return `made` as it is printed.

    Args:
        grid: Widths of labels and of figures, where they line up with other tables'.
        wrong: Where a source prints other figures; those of this table are footnoted.
        letters: Of its page.
        wide: Whether that lies on its long side.
        beside: Whether the table has others beside it.
    """
    said = _said(made, wrong)
    notes: dict[str, str] = {}

    def marked(row: int, cell: int) -> str:
        texts = said.get((row, cell), ())
        for text in texts:
            notes[letters.mark(text)] = text
        return ", ".join(letters.mark(text) for text in texts)

    table = made.table
    words = is_of_words(made)
    parts: list[PartView] = []
    for at, row in enumerate(made.rows):
        view = _row(row, made, at, marked)
        if row.part or row.apart or row.total or not parts:
            parts.append(PartView(row.part, (view,)))
        else:
            parts[-1] = replace(parts[-1], rows=(*parts[-1].rows, view))
    classes = "fixed of-words" if words else "fixed of-figures"
    fits = _lines(made) <= (MOST_SHORT_WIDE if wide else MOST_SHORT)
    if words and not fits:
        classes += " close"
    lead, figure = grid[0] or lead_width(made), grid[1] or figure_width(made)
    crowded = sum(made.figures) * figure > (MOST_BESIDE if beside else MOST_FIGURES)
    heads = tuple(_heads(made, lead, figure, crowded))
    return TableView(
        made,
        table.label,
        table.about,
        heads,
        tuple(parts),
        tuple(Footnote(mark, text) for mark, text in notes.items()),
        made.text,
        classes,
        fits,
        width=0 if words else sum(int(n) for head in heads for n in _FIXED.findall(head.classes)),
    )


_FIXED: Final = re.compile(r"\bw-(\d+)")


def _lines(made: ComputedTable) -> int:
    """Return how many lines a table takes, roughly."""
    heads = sum(1 for row in made.rows if row.part)
    long = sum(1 for row in made.rows if any(len(text) > ONE_LINE for text in row.cells))
    return len(made.rows) + heads + long


def _said(made: ComputedTable, wrong: Iterable[Difference]) -> Mapping[tuple[int, int], list[str]]:
    """Return what is to be said of cells, and of whole rows under the cell -1."""
    said: dict[tuple[int, int], list[str]] = {}
    for at, row in enumerate(made.rows):
        for cell, aside in row.asides.items():
            said.setdefault((at, cell), []).append(f"{aside}.")
    labels = {folded(row.labels[0]): at for at, row in enumerate(made.rows)}
    for one in wrong:
        named = labels.get(folded(one.what.partition(",")[0]), one.row) if one.note else one.row
        line, at = made.places.get(one.what, (named, one.cell))
        here = one.table == made.id or one.what in made.places
        if here and 0 <= line < len(made.rows):
            ruling = f" ({one.ruling})" if one.ruling else ""
            text = f"{one.note or f'Source prints {one.printed}'}{ruling}."
            said.setdefault((line, at), []).append(text)
    return said


def _heads(made: ComputedTable, lead: int, wide: int, crowded: bool) -> Iterator[TableCell]:
    totals = [f"{row.labels[0]} a" for row in made.rows if row.total]
    over = _width(totals) - lead if totals and len(made.heads) == 2 else 0
    classes = f"lead w-{lead}", f"also w-{over}" if over > 0 else "also"
    yield from (
        TableCell(h, label=True, classes=classes[at > 0]) for at, h in enumerate(made.heads)
    )
    last = len(made.columns) - 1
    for at, (head, figure) in enumerate(zip(made.columns, made.figures, strict=True)):
        texts = [head, *(row.cells[at] for row in made.rows)]
        if figure:
            tint = " tint" if at in made.tinted else ""
            own = _width(texts, 5) if crowded else wide
            narrow = f" w-{own}" if not made.table.lines else ""
            yield _cell(head, figure=True, classes="f" + tint + narrow)
        else:
            yield TableCell(
                head, classes="" if at == last else f"w-{min(66 if crowded else 46, _width(texts))}"
            )
    if made.table.any_ and not made.table.turned:
        formulas = [made.table.any_, *(row.formula for row in made.rows)]
        yield TableCell(
            made.table.any_, classes=f"any w-{_width([f[: len(f) * 3 // 4] for f in formulas], 6)}"
        )


def _labels(made: ComputedTable, at: int) -> list[str]:
    if len(made.heads) > 1:  # a label that stands alone may run on over the next ones
        return [made.heads[at], *(row.labels[at] for row in made.rows if row.labels[1])]
    return [made.heads[at], *(row.labels[at] for row in made.rows)]


def _width(texts: Sequence[str], more: int = 3) -> int:
    """Return a width for the longest of `texts`, in even millimetres."""
    return min(70, 2 * round((max(map(len, texts)) * CHARACTER + more) / 2))


def _row(row: TableRow, made: ComputedTable, at: int, marked: Callable[[int, int], str]) -> RowView:
    whole = marked(at, -1)
    cells = [
        TableCell(
            label, mark=whole if place == 0 else "", label=True, classes="also" if place else ""
        )
        for place, label in enumerate(row.labels)
        if place == 0 or label or not row.total
    ]
    cells[0] = replace(cells[0], span=1 + len(row.labels) - len(cells))
    for place, (text, figure) in enumerate(zip(row.cells, made.figures, strict=True)):
        tint = " tint" if place in made.tinted else ""
        strong = " name" if place < len(made.strong) and made.strong[place] else ""
        if figure:
            whole_codes = any("D+" in other.cells[place] for other in made.rows)
            made_cell = (TableCell if whole_codes else _cell)(text, figure=True, classes="f" + tint)
            cells.append(replace(made_cell, mark=marked(at, place)))
        else:
            kind = "said" if max(len(r.cells[place]) for r in made.rows) > LONG else ""
            cells.append(TableCell(text, mark=marked(at, place), classes=(kind + strong).strip()))
    if made.table.any_ and not made.table.turned:
        cells.append(TableCell(row.formula, classes="any"))
    return RowView(tuple(cells), "total" if row.total else "")


def _cell(text: str, *, figure: bool, classes: str) -> TableCell:
    match = _NUMBER.fullmatch(text)
    if match is None:
        return TableCell(text, figure=figure, classes=classes)
    return TableCell(match[1], match[2], figure=figure, classes=classes)
