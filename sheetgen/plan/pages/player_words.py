"""Tables as players read them: without remarks about the source, with signs of good print."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from sheetgen.plan.pages.footnotes import Footnote
from sheetgen.plan.pages.tables import PartView, RowView, TableCell, TablePage, TableView

_APOSTROPHE: Final = re.compile(r"(?<=\w)'")
_PERCENT: Final = re.compile(r"(\d+)\.(\d)\d*%")


class PlayerWords:
    """Texts without the codes of rulings, with typographic apostrophes.

    Args:
        rulings: The codes of the ruleset's rulings: `(Q-1)` and `(Q-1: …)` lose theirs.
    """

    def __init__(self, rulings: Iterable[str]) -> None:
        codes = "|".join(re.escape(code) for code in sorted(rulings, key=len, reverse=True))
        self._alone = re.compile(rf"\s*\((?:{codes})(?:, (?:{codes}))*\)") if codes else None
        self._before = re.compile(rf"\((?:{codes})[:,;] ") if codes else None

    def text(self, text: str) -> str:
        """Return a text as it is printed for players."""
        if self._alone is not None and self._before is not None and "(" in text:
            text = self._before.sub("(", self._alone.sub("", text))
        return curly(text)

    def page(self, page: TablePage) -> TablePage:
        """Return a page of tables without footnotes about its source."""
        bands = tuple(tuple(map(self.table, band)) for band in page.bands)
        return replace(page, label=self.text(page.label), about=self.text(page.about), bands=bands)

    def table(self, view: TableView) -> TableView:
        """Return a table without footnotes about its source; per cents have no decimals."""
        text = view.text.removesuffix(view.remark).rstrip() if view.remark else view.text
        about = view.about.removesuffix(view.origin).removesuffix(" · ")
        return replace(
            view,
            label=self.text(view.label),
            about=self.text(about if view.origin else view.about),
            heads=tuple(map(self._cell, view.heads)),
            parts=tuple(map(self._part, view.parts)),
            notes=(),
            text=self.text(text),
        )

    def _part(self, part: PartView) -> PartView:
        rows = tuple(RowView(tuple(map(self._cell, row.cells)), row.classes) for row in part.rows)
        return PartView(self.text(part.label), rows)

    def _cell(self, cell: TableCell) -> TableCell:
        number = self.text(cell.number)
        if cell.unit == "%":
            number = round_percent(f"{number}%").removesuffix("%")
        return replace(cell, number=number, mark="")


def curly(text: str) -> str:
    """Return a text with typographic apostrophes."""
    return _APOSTROPHE.sub("’", text)


def round_percent(text: str) -> str:
    """Return per cents without decimals, rounded half up; other texts are returned as they are."""
    match = _PERCENT.fullmatch(text)
    return f"{int(match[1]) + (match[2] >= '5')}%" if match else text


def typeset_page(page: TablePage) -> TablePage:
    """Return a page of tables, with footnotes and typographic apostrophes."""

    def table(view: TableView) -> TableView:
        notes: Sequence[Footnote] = [replace(note, text=curly(note.text)) for note in view.notes]
        parts = tuple(
            PartView(
                curly(part.label),
                tuple(
                    replace(row, cells=tuple(replace(c, number=curly(c.number)) for c in row.cells))
                    for row in part.rows
                ),
            )
            for part in view.parts
        )
        label, about, text = curly(view.label), curly(view.about), curly(view.text)
        named = replace(view, label=label, about=about, text=text)
        return replace(named, parts=parts, notes=tuple(notes), origin="")

    bands = tuple(tuple(map(table, band)) for band in page.bands)
    return replace(page, label=curly(page.label), about=curly(page.about), bands=bands)
