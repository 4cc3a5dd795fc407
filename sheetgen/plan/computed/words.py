"""Words of a sheet that is worked out: lists, lines to write on, texts, reminders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sheetgen.model.rulesets.choices import Choice
from sheetgen.plan.computed.flow import GRID, PageLayout, Row, SheetBlock
from sheetgen.plan.computed.measures import Measured, id_label


class TextParts(Measured):
    """What is owned, what a choice does, what is looked at in play."""

    def lists(self, layout: PageLayout) -> None:
        """Add lists of several columns as tables across the page."""
        told = self.told
        for id_, rows in self.rules.lists.items():
            if len(rows.columns) < 2:
                continue
            columns = [str(name) for name in rows.columns]
            row = {"kind": "listed", "stem": str(id_), "columns": columns, "height": told["line"]}
            count = told["list_rows"] + (2 if "." in str(rows.of) else 0)
            many = tuple({**row, "n": n} for n in range(1, count + 1))
            live = not layout.page.bands or len(columns) > 2
            block = SheetBlock(
                "listed", id_label(str(id_)), told["head"], GRID, many, live, grows=4
            )
            layout.flow([block], GRID)

    def owned(self) -> Iterator[SheetBlock]:
        """Yield blocks of lines: lists of one column, keys of several things or lines."""
        head, wide = self.told["head"], self.told["wide"]
        lists = self.rules.lists
        whole = {str(r.of) for r in lists.values() if r.where is None} | set(map(str, lists))
        for id_, key in self.rules.character.items():
            name, label = str(id_), self.label(str(id_))
            if key.kind in ("choices", "texts"):
                lines = self._lines("pair" if key.kind == "choices" else "line", name, "", 4)
                texts = [e.text for c in key.of or (id_,) for e in self._entries(str(c))]
                span = self.told["half"] if max(map(len, texts), default=0) > 30 else wide
                yield SheetBlock("rows", label, head, span, lines, grows=6)
            elif key.kind == "items" and name not in whole and "gear" not in whole:
                row = {"kind": "block", "stem": name, "n": 1, "label": label}
                row["height"] = self.told["line"] * 2
                yield SheetBlock("rows", label, head, wide, (row,))
        for id_, rows in lists.items():
            if len(rows.columns) == 1:
                lines = self._lines("line", str(id_), f".{next(iter(rows.columns))}", 4)
                yield SheetBlock("rows", id_label(str(id_)), head, wide, lines, grows=6)

    def _entries(self, catalogue: str) -> Iterable[Choice]:
        found = self.rules.choices.get(catalogue)
        return found.entries.values() if found is not None else ()

    def _lines(self, kind: str, stem: str, suffix: str, count: int) -> tuple[Row, ...]:
        row = {"kind": kind, "stem": stem, "suffix": suffix, "height": self.told["line"]}
        label = self.label(stem) if stem in self.rules.character else id_label(stem)
        return tuple({**row, "n": n, "label": label} for n in range(1, count + 1))

    def besides(self, later: Sequence[Row]) -> Iterator[SheetBlock]:
        """Yield what found no cell in the title block."""
        told = self.told
        rows = tuple({"kind": "labelled", "height": told["line"], **cell} for cell in later)
        if rows:
            yield SheetBlock("rows", "Besides", told["head"], told["wide"], rows)

    def texts(self, layout: PageLayout) -> None:
        """Add lines of text: short ones in columns, longer ones across the page."""
        told = self.told
        rows: dict[int, list[Row]] = {1: [], 2: [], 3: []}
        for id_, line in self.rules.texts.items():
            blank = len(line.blank) // 2 if "{" in line.blank else len(line.blank)
            length = max(blank, len(line.text) // 2 if "{" in line.text else 0)
            size = 1 if length <= told["words_across"] else 2 if length <= told["most_words"] else 3
            row = {"kind": "text", "mark": f"{id_}.text", "label": id_label(str(id_))}
            tall = size == 3
            rows[size].append({**row, "tall": tall, "height": told["line"] * (1 + tall)})
        for size, title in ((1, "At a glance"), (2, "At hand"), (3, "Rules at hand")):
            if rows[size]:
                span = told["half"] if size == 1 else GRID
                layout.spread(SheetBlock("rows", title, told["head"], span, tuple(rows[size])))

    def effects(self, layout: PageLayout) -> None:
        """Add what the choices of the title block do."""
        told, longest = self.told, 0
        rows: list[Row] = []
        for id_, key in self.rules.character.items():
            of = self.rules.choices.get(key.of[0]) if key.kind == "choice" and key.of else None
            if of is not None and any(entry.text for entry in of.entries.values()):
                longest = max(longest, *(len(entry.text) for entry in of.entries.values()))
                name = f"{id_}_text"
                rows.append({"kind": "text", "label": self.label(str(id_)), "mark": name})
        tall = longest > told["words_across"]
        rows = [{**row, "tall": tall, "height": told["line"] * (1 + tall)} for row in rows]
        layout.spread(SheetBlock("rows", "What it does", told["head"], told["half"], tuple(rows)))

    def reminders(self, layout: PageLayout) -> None:
        """Add the one-line reminders of the rules."""
        if self.rules.reminders:
            wide = self.width(self.told["half"]) / self.told["hint_letter"]
            span = GRID if max(map(len, self.rules.reminders)) > wide else self.told["half"]
            rows = tuple(
                {"kind": "hint", "label": line, "height": self.told["hint"]}
                for line in self.rules.reminders
            )
            layout.spread(SheetBlock("rows", "Reminders", self.told["head"], span, rows))
