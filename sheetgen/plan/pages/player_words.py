"""Tables as players read them: without remarks about the source, with typographic apostrophes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from sheetgen.plan.fit import set_apostrophes
from sheetgen.plan.pages.tables import PartView, RowView, TableCell, TablePage, TableView

_PERCENT: Final = re.compile(r"(\d{1,9})\.(\d)\d*%")


class PlayerWords:
    """Texts without the codes of rulings, with typographic apostrophes.

    Args:
        rulings: The codes of the ruleset's rulings: `(Q-1)` and `(Q-1: …)` lose theirs.
        notes: Whether tables keep these codes, footnotes, and remarks about their source.
        data: Whether the texts are data, with apostrophes as written, and per cents with decimals.
    """

    def __init__(self, rulings: Iterable[str], *, notes: bool = False, data: bool = False) -> None:
        codes = "|".join(re.escape(code) for code in sorted(rulings, key=len, reverse=True))
        self._alone = re.compile(rf"\s*\((?:{codes})(?:, (?:{codes}))*\)")
        self._before = re.compile(rf"\((?:{codes})[:,;] ")
        self._coded, self._notes, self._data = bool(codes) and not notes, notes, data

    def text(self, text: str) -> str:
        """Return a text as it is printed."""
        if self._coded and "(" in text:
            text = self._before.sub("(", self._alone.sub("", text))
        return text if self._data else set_apostrophes(text)

    def page(self, page: TablePage) -> TablePage:
        """Return a page of tables as it is printed."""
        bands = tuple(tuple(map(self.table, band)) for band in page.bands)
        return replace(page, label=self.text(page.label), about=self.text(page.about), bands=bands)

    def table(self, view: TableView) -> TableView:
        """Return a table; without its notes, per cents have no decimals."""
        text, about, notes, origin = view.text, view.about, view.notes, ""
        if not self._notes:
            text = text.removesuffix(view.remark).rstrip() if view.remark else text
            about = about.removesuffix(view.origin).removesuffix(" · ") if view.origin else about
            notes, origin = (), view.origin
        return replace(
            view,
            label=self.text(view.label),
            about=self.text(about),
            heads=tuple(map(self._cell, view.heads)),
            parts=tuple(map(self._part, view.parts)),
            notes=tuple(replace(note, text=self.text(note.text)) for note in notes),
            text=self.text(text),
            origin=origin,
        )

    def _part(self, part: PartView) -> PartView:
        rows = tuple(RowView(tuple(map(self._cell, row.cells)), row.classes) for row in part.rows)
        return PartView(self.text(part.label), rows)

    def _cell(self, cell: TableCell) -> TableCell:
        number = self.text(cell.number)
        if self._notes:
            return replace(cell, number=number)
        if cell.unit == "%" and not self._data:
            number = round_percent(f"{number}%").removesuffix("%")
        return replace(cell, number=number, mark="")


def round_percent(text: str) -> str:
    """Return per cents without decimals, rounded half up; other texts are returned as they are."""
    match = _PERCENT.fullmatch(text)
    return f"{int(match[1]) + (match[2] >= '5')}%" if match else text
