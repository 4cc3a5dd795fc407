"""Texts of a computed sheet: lists, lines to write on, texts of choices, reminders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sheetgen.model.rulesets.choices import Choice
from sheetgen.plan.computed.flow import GRID, Measured, PageLayout, Row, SheetBlock, id_label

_LONG: Final = 18
"""Letters of a label that needs more than its usual share of a row; as in `rows.html.j2`."""


class TextParts(Measured):
    """Lists, possessions, texts and reminders."""

    def lists(self, layout: PageLayout) -> None:
        """Add lists of several columns as tables across the page."""
        sizes = self.sizes
        for id_, rows in self.rules.lists.items():
            if len(rows.columns) < 2:
                continue
            columns = [str(name) for name in rows.columns]
            row = {"kind": "listed", "stem": str(id_), "columns": columns, "height": sizes["line"]}
            count = sizes["list_rows"] + (2 if "." in str(rows.of) else 0)
            many = tuple({**row, "n": n} for n in range(1, count + 1))
            live = not layout.page.bands or len(columns) > 2
            block = SheetBlock(
                "listed", id_label(str(id_)), sizes["head"], GRID, many, live, grows=4
            )
            layout.flow([block], GRID)

    def owned(self) -> Iterator[SheetBlock]:
        """Yield blocks of lines: lists of one column, and keys with several entries or lines."""
        head, wide = self.sizes["head"], self.sizes["wide"]
        lists = self.rules.lists
        whole = {str(r.of) for r in lists.values() if r.where is None} | set(map(str, lists))
        for id_, key in self.rules.character.items():
            name, label = str(id_), self.label(str(id_))
            if key.kind in ("choices", "texts") and name not in lists:
                lines = self._lines("pair" if key.kind == "choices" else "line", name, "", 4)
                texts = [e.text for c in key.of or (id_,) for e in self._entries(str(c))]
                span = self.sizes["half"] if max(map(len, texts), default=0) > 30 else wide
                yield SheetBlock("rows", label, head, span, lines, grows=6)
            elif key.kind == "items" and name not in whole and "gear" not in whole:
                row = {"kind": "block", "stem": name, "n": 1, "label": label, "lines": 4}
                row["pitch"] = self.sizes["pitch"]
                row["height"] = 4 * self.sizes["pitch"]
                yield SheetBlock("rows", label, head, wide, (row,), grows=12)
        for id_, rows in lists.items():
            if len(rows.columns) == 1:
                lines = self._lines("line", str(id_), f".{next(iter(rows.columns))}", 4)
                yield SheetBlock("rows", id_label(str(id_)), head, wide, lines, grows=6)

    def _entries(self, catalogue: str) -> Iterable[Choice]:
        found = self.rules.choices.get(catalogue)
        return found.entries.values() if found is not None else ()

    def _lines(self, kind: str, stem: str, suffix: str, count: int) -> tuple[Row, ...]:
        row = {"kind": kind, "stem": stem, "suffix": suffix, "height": self.sizes["line"]}
        label = self.label(stem) if stem in self.rules.character else id_label(stem)
        return tuple({**row, "n": n, "label": label} for n in range(1, count + 1))

    def besides(self, later: Sequence[Row]) -> Iterator[SheetBlock]:
        """Yield the block of keys that have no cell in the title block."""
        sizes = self.sizes
        rows = tuple({"kind": "labelled", "height": sizes["line"], **cell} for cell in later)
        long = any(len(row["label"]) > _LONG for row in rows)
        if rows:
            span = sizes["half" if long else "wide"]
            yield SheetBlock("rows", "Besides", sizes["head"], span, rows)

    def texts(self, layout: PageLayout) -> None:
        """Add lines of text: short ones in columns, long ones across the page."""
        sizes = self.sizes
        rows: dict[int, list[Row]] = {1: [], 2: [], 3: []}
        for id_, line in self.rules.texts.items():
            blank = len(line.blank) // 2 if "{" in line.blank else len(line.blank)
            length = max(blank, len(line.text) // 2 if "{" in line.text else 0)
            size = (
                1 if length <= sizes["words_across"] else 2 if length <= sizes["most_words"] else 3
            )
            row = {"kind": "text", "mark": f"{id_}.text", "label": line.label or id_label(str(id_))}
            tall = size == 3
            rows[size].append({**row, "tall": tall, "height": sizes["line"] * (1 + tall)})
        for size, title in ((1, "At a glance"), (2, "At hand"), (3, "Rules at hand")):
            if rows[size]:
                span = sizes["half"] if size == 1 else GRID
                layout.spread(SheetBlock("rows", title, sizes["head"], span, tuple(rows[size])))

    def effects(self, layout: PageLayout) -> None:
        """Add the texts of the choices in the title block."""
        sizes, longest = self.sizes, 0
        rows: list[Row] = []
        for id_, key in self.rules.character.items():
            catalogue = next(iter(key.of), id_) if key.kind == "choice" else ""
            of = self.rules.choices.get(catalogue)
            if of is not None and any(entry.text for entry in of.entries.values()):
                longest = max(longest, *(len(entry.text) for entry in of.entries.values()))
                name = f"{id_}_text"
                rows.append({"kind": "text", "label": self.label(str(id_)), "mark": name})
        tall = longest > sizes["words_across"]
        rows = [{**row, "tall": tall, "height": sizes["line"] * (1 + tall)} for row in rows]
        layout.spread(SheetBlock("rows", "What it does", sizes["head"], sizes["half"], tuple(rows)))

    def reminders(self, layout: PageLayout) -> None:
        """Add the one-line reminders of the rules."""
        if self.rules.reminders:
            wide = self.width(self.sizes["half"]) / self.sizes["hint_letter"]
            span = GRID if max(map(len, self.rules.reminders)) > wide else self.sizes["half"]
            rows = tuple(
                {"kind": "hint", "label": line, "height": self.sizes["hint"]}
                for line in self.rules.reminders
            )
            layout.spread(SheetBlock("rows", "Reminders", self.sizes["head"], span, rows))
