"""A whole sheet from a ruleset's data alone: its parts in order, laid out on pages.

Order: who it is, what others ask for, what runs down, what is rolled, what is owned, who it
is in the story, then what is written between sessions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from sheetgen.model.ruleset import Key, Ruleset
from sheetgen.plan.flow import GRID, Band, Block, Layout, Row
from sheetgen.plan.flow_traits import Traits
from sheetgen.rules.how import blank_how
from sheetgen.rules.tables import Printed

_CELLS: Final = 3
"""Cells in a row of the title block."""

_FLAG: Final = 2
"""A track of so few boxes is only marked."""


class Parts:
    """The parts of the sheet of `rules`, by the measures `told`."""

    def __init__(
        self, rules: Ruleset, told: Mapping[str, Any], tables: Mapping[str, Printed]
    ) -> None:
        self.rules = rules
        self.told = told
        self.tables = tables
        self.traits = Traits(rules, told)
        self.cells = [str(id_) for id_, key in rules.character.items() if self._is_cell(id_, key)]
        self.later = self.cells[1 + _CELLS * 3 + 1 :]

    def pages(self) -> tuple[Mapping[str, Any], ...]:
        """Return the pages, as plain data."""
        told = self.told
        layout = Layout(told["room"], told["room"] - told["page_head"], told["gap"])
        layout.put(self._who())
        running = [*self._tracks(), *self._pools(), *self._dice()]
        self._stats(layout, running)
        layout.pend(*self._long_tracks())
        layout.flush()
        layout.pend(*running)
        self.traits.put(layout)
        self._values(layout)
        self._rolls(layout)
        self._lists(layout)
        layout.pend(*self._words(), *self._owned())
        self._texts(layout)
        self._effects(layout)
        self._reminders(layout)
        self._tables(layout)
        layout.grow()
        self._overleaf(layout)
        return tuple({"bands": [asdict(band) for band in page.bands]} for page in layout.pages)

    # -- who ------------------------------------------------------------------------------

    def _is_cell(self, id_: str, key: Key) -> bool:
        if key.kind == "number":
            tracks = {str(track.marked) for track in self.rules.tracks.values()}
            pools = {str(w) for p in self.rules.pools.values() for w in (p.adds, p.override)}
            return id_ not in tracks | pools and key.pool is None
        return key.kind in ("choice", "item") or (key.kind == "text" and not key.lines)

    def _label(self, id_: str) -> str:
        key = self.rules.character[id_]
        if not key.label and key.kind == "choice" and str(key.of[0]) in self.rules.choices:
            return self.rules.choices[key.of[0]].label or _words(id_)
        return key.label or _words(id_)

    def _cell(self, id_: str) -> Row:
        strong = self.rules.character[id_].kind == "choice"
        return {"name": id_, "label": self._label(id_), "strong": strong}

    def _who(self) -> Band:
        first = "name" if "name" in self.cells else next(iter(self.cells), "name")
        rest = [self._cell(id_) for id_ in self.cells if id_ != first and id_ not in self.later]
        rows = [[{"name": first, "label": "Name", "strong": True}, *rest[:1]]]
        rows += [rest[i : i + _CELLS] for i in range(1, len(rest), _CELLS)]
        height = self.told["who"] + self.told["cells"] * (len(rows) - 1)
        return Band("who", GRID, height, tuple(map(tuple, rows)), 0)

    # -- what others ask for, what runs down --------------------------------------------------

    def _values_of(self) -> tuple[list[Row], list[Row]]:
        """Return the derived values that stand alone, and those in rows."""
        derived, tracks = self.rules.derived, self.rules.tracks
        shown = [self._value(str(i)) for i, d in derived.items() if d.label and i not in tracks]
        alone = [row for row in shown if len(row["use"]) <= self.told["longest_use"]]
        used = [row for row in alone if row["use"]]
        alone = used if len(alone) > GRID // self.told["stat_spans"][0] and used else alone
        while alone and len(alone) * self._stat_span(alone) > GRID:
            alone = alone[:-1]
        return alone, [row for row in shown if row not in alone]

    def _value(self, id_: str) -> Row:
        derived = self.rules.derived[id_]
        how = blank_how(self.rules, derived)
        plain = " if " not in how and len(how) <= self.told["longest_how"]
        return {"id": id_, "label": derived.label, "use": derived.use, "how": how if plain else ""}

    def _stats(self, layout: Layout, running: list[Block]) -> None:
        """Add the number plates, and beside them as much of what runs down as finds room."""
        rows, told = self._values_of()[0], self.told
        if not rows:
            return
        span = self._stat_span(rows)
        wide = (self.traits.width(span) - 12) / told["hint_letter"]
        how = 3 if max(len(row["how"]) for row in rows) + 3 > wide else 1
        use = max(-(-len(row["use"]) // int(wide * 0.9)) for row in rows)
        height = max(told["stat_least"], told["stat"] + told["stat_line"] * (how + use))
        columns: list[tuple[Any, ...]] = [(row,) for row in rows]
        beside = []
        for _ in range((GRID - span * len(rows)) // told["wide"]):
            column: list[Block] = []
            left = height + told["near"]
            while running and running[0].whole + told["near"] <= left + 0.01:
                left -= running[0].whole + told["near"]
                column.append(running.pop(0))
            beside += [tuple(column)] if column else []
        more = {"how": how, "use": use, "beside": [list(map(asdict, c)) for c in beside]}
        block = Block("stats", "", 0, span=told["wide"], more=more)
        layout.put(Band("stats", span, height, tuple(columns), told["gap"], block))

    def _stat_span(self, rows: list[Row]) -> int:
        longest = max(len(row["label"]) for row in rows) * self.told["title_letter"]
        spans = self.told["stat_spans"]
        return int(next((s for s in spans if self.traits.width(s) - 12 >= longest), spans[-1]))

    def _long_tracks(self) -> Iterator[Block]:
        told = self.told
        for id_, track in self.rules.tracks.items():
            if track.shown > told["long_track"]:
                deep = -(-track.shown // 25)
                maximum = str(id_) if id_ in self.rules.derived else ""
                more = {"id": str(id_), "rows": deep, "max": maximum}
                height = told["head"] + max(told["long_least"], told["long_row"] * deep)
                label = track.label or _words(str(id_))
                yield Block("long", label, height, told["long_span"], live=True, more=more)

    def _tracks(self) -> Iterator[Block]:
        told, flags = self.told, []
        for id_, track in self.rules.tracks.items():
            label = track.label or _words(str(id_))
            if track.shown > told["long_track"]:
                continue
            if track.shown > _FLAG:
                across = told["boxes_across"]
                deep = -(-track.shown // across)
                maximum = str(id_) if id_ in self.rules.derived else ""
                more = {"id": str(id_), "count": track.shown, "across": across, "max": maximum}
                use = self.rules.derived[id_].use if maximum else ""
                height = told["track_head"] + told["boxes"] * deep
                yield Block("track", label, height, told["wide"], live=True, more={**more, "use": use})
            elif track.shown:
                row = {"kind": "flag", "stem": str(id_), "count": track.shown, "label": label}
                flags.append({**row, "height": told["line"]})
        if flags:
            yield Block("rows", "To mark", told["head"], told["wide"], tuple(flags), live=True)

    def _pools(self) -> Iterator[Block]:
        for id_, pool in self.rules.pools.items():
            told = self.told
            more = {"id": str(id_), "text": pool.text}
            wide = self.traits.width(told["wide"]) - told["pool_figure"]
            lines = -(-len(pool.text) * told["hint_letter"] // wide)
            height = max(told["pool"], told["head"] + told["stat_line"] * lines)
            yield Block("pool", pool.label, height, told["wide"], live=True, more=more)

    # -- what is rolled -----------------------------------------------------------------------

    def _values(self, layout: Layout) -> None:
        rows = [{"kind": "value", "height": self.told["rolled"], **row} for row in self._values_of()[1]]
        self._spread(layout, "Values", rows)

    def _rolls(self, layout: Layout) -> None:
        rows = [
            {"kind": "roll", "stem": str(id_), "label": roll.label or _words(str(id_)), "height": self.told["line"]}
            for id_, roll in self.rules.rolls.items()
            if not roll.each
        ]
        self._spread(layout, "Rolls", rows, live=True)

    def _spread(self, layout: Layout, title: str, rows: list[Row], *, live: bool = False) -> None:
        block = Block("rows", title, self.told["head"], self.told["wide"], tuple(rows), live)
        layout.spread(block)

    # -- what is owned, who it is in the story ------------------------------------------------

    def _lists(self, layout: Layout) -> None:
        told = self.told
        for id_, rows in self.rules.lists.items():
            if len(rows.columns) < 2:
                continue
            columns = [str(name) for name in rows.columns]
            row = {"kind": "listed", "stem": str(id_), "columns": columns, "height": told["line"]}
            many = tuple({**row, "n": n} for n in range(1, told["list_rows"] + 1))
            live = not layout.page.bands or len(columns) > 2
            block = Block("listed", _words(str(id_)), told["head"], GRID, many, live, grows=3)
            layout.flow([block], GRID)

    def _owned(self) -> Iterator[Block]:
        """Yield blocks of lines: lists of one column, keys of several things or lines."""
        wide, single = self.told["wide"], {}
        for id_, rows in self.rules.lists.items():
            if len(rows.columns) == 1:
                column = next(iter(rows.columns))
                single[str(id_)] = f".{column}"
        listed = {str(rows.of) for rows in self.rules.lists.values()} | set(self.rules.lists)
        for id_, key in self.rules.character.items():
            if key.kind == "choices":
                rows = self._lines("pair", str(id_), "", 4)
                yield Block("rows", self._label(str(id_)), self.told["head"], wide, rows, grows=6)
            elif key.kind == "texts":
                rows = self._lines("line", str(id_), "", 4)
                yield Block("rows", self._label(str(id_)), self.told["head"], wide, rows, grows=6)
            elif key.kind == "items" and id_ not in listed and "gear" not in listed:
                row = {"kind": "block", "stem": str(id_), "n": 1, "height": self.told["line"] * 2}
                label = self._label(str(id_))
                yield Block("rows", label, self.told["head"], wide, ({**row, "label": label},))
        for id_, suffix in single.items():
            rows = self._lines("line", id_, suffix, 4)
            yield Block("rows", _words(id_), self.told["head"], wide, rows, grows=6)

    def _lines(self, kind: str, stem: str, suffix: str, count: int) -> tuple[Row, ...]:
        row = {"kind": kind, "stem": stem, "suffix": suffix, "height": self.told["line"]}
        label = self._label(stem) if stem in self.rules.character else _words(stem)
        return tuple({**row, "n": n, "label": label} for n in range(1, count + 1))

    def _words(self) -> Iterator[Block]:
        """Yield what found no cell in the title block."""
        rows = tuple(
            {"kind": "labelled", "height": self.told["line"], **self._cell(id_)} for id_ in self.later
        )
        if rows:
            yield Block("rows", "Besides", self.told["head"], self.told["wide"], rows)

    def _dice(self) -> Iterator[Block]:
        kinds = {key.kind for key in self.rules.character.values()}
        if self.rules.dice is not None and "dice" in kinds:
            height = self.told["head"] + self.told["dice"]
            yield Block("dice", self.rules.dice.label, height, self.told["wide"], live=True)

    def _texts(self, layout: Layout) -> None:
        """Add lines of text: short ones in columns, longer ones across the page."""
        told, rows = self.told, {1: [], 2: [], 3: []}
        for id_, line in self.rules.texts.items():
            length = max(len(line.blank), len(str(line.text)) // 2 if "{" in line.text else 0)
            size = 1 if length <= told["words_across"] else 2 if length <= told["most_words"] else 3
            row = {"kind": "text", "stem": str(id_), "label": _words(str(id_))}
            rows[size].append({**row, "height": told["line"] * (2 if size == 3 else 1)})
        for size, title in ((1, "At a glance"), (2, "At hand"), (3, "Rules at hand")):
            if rows[size]:
                span = told["half"] if size == 1 else GRID
                layout.spread(Block("rows", title, told["head"], span, tuple(rows[size])))

    def _effects(self, layout: Layout) -> None:
        rows = []
        for id_, key in self.rules.character.items():
            of = self.rules.choices.get(key.of[0]) if key.kind == "choice" and key.of else None
            if of is not None and any(entry.text for entry in of.entries.values()):
                row = {"kind": "text", "stem": f"{id_}_text", "label": self._label(str(id_))}
                rows.append({**row, "mark": f"{id_}_text", "height": self.told["line"] * 2})
        if rows:
            layout.spread(Block("rows", "What it does", self.told["head"], self.told["half"], tuple(rows)))

    def _reminders(self, layout: Layout) -> None:
        if self.rules.reminders:
            wide = self.traits.width(self.told["half"]) / self.told["hint_letter"]
            span = GRID if max(map(len, self.rules.reminders)) > wide else self.told["half"]
            rows = tuple({"kind": "hint", "label": line, "height": self.told["hint"]} for line in self.rules.reminders)
            layout.spread(Block("rows", "Reminders", self.told["head"], span, rows))

    # -- what is looked up, what is written between sessions ----------------------------------

    def _tables(self, layout: Layout) -> None:
        made = [self._table(id_, table) for id_, table in self.tables.items()]
        fits = [b for b in made if b is not None and b.height <= layout.later - self.told["gap"]]
        layout.pend(*(block for block in fits if block.span < GRID))
        layout.flush()
        for block in fits:
            if block.span == GRID:
                layout.flow([block], GRID)

    def _table(self, id_: str, table: Printed) -> Block | None:
        """Return a printed table; None if it has no rows, or is too wide for the page."""
        told = self.told
        if not table.rows:
            return None
        heads = table.columns
        if len(heads) < len(table.rows[0]):
            heads = (table.corner, *heads)
        columns = list(zip(heads, *table.rows, strict=False))
        widths = [max(len(str(cell)) for cell in column) for column in columns]
        need = sum(widths) * told["table_letter"] + told["table_gap"] * (len(widths) - 1)
        span = max(self.traits.span(need), told["wide"])
        if need > self.traits.width(span):
            return None
        lines = -(-len(table.text) * told["hint_letter"] // self.traits.width(span))
        height = told["head"] + told["printed"] * (1 + len(table.rows)) + told["hint"] * lines
        figures = [all(_is_figure(str(cell)) for cell in column[1:]) for column in columns]
        more = {"heads": heads, "rows": table.rows, "text": table.text, "figures": figures}
        return Block("printed", table.label or _words(id_), height, span, more=more)

    def _overleaf(self, layout: Layout) -> None:
        """Add ledgers and notes, as high as what is left of the page, or a page of their own."""
        told = self.told
        notes = [str(id_) for id_, key in self.rules.character.items() if key.kind == "text" and key.lines]
        pools = list(self.rules.pools)
        if not notes and not pools:
            return
        if layout.room < told["least_notes"] + (told["least_ledger"] if pools else 0):
            layout.turn()
        room = layout.room
        purses = [{"id": str(p), "label": self.rules.pools[p].label} for p in pools[1:]]
        side = 7 if pools and (notes or purses) else GRID
        rows = int((room - told["ledger_head"]) // told["ledger"]) if pools else 0
        most = told["most_ledger"]
        high = room if rows <= most or notes else told["ledger_head"] + most * told["ledger"]
        rows = min(rows, most)
        each = told["purse_head"] + told["purse"] * told["purse_rows"]
        left = high - len(purses) * (each + told["gap"])
        lattice = [int((left / max(1, len(notes)) - told["head"] - told["gap"]) // told["pitch"])] * len(notes)
        if purses and notes and lattice[0] < 4:
            lattice = [4] * len(notes)
            purses = purses[: max(0, int((high - 90) // (each + told["gap"])))]
        more = {
            "ledger": {"id": str(pools[0]), "label": self.rules.pools[pools[0]].label} if pools else {},
            "rows": rows,
            "purses": purses,
            "purse_rows": told["purse_rows"],
            "notes": [{"name": n, "label": self._label(n), "count": c} for n, c in zip(notes, lattice, strict=True)],
            "side": side,
        }
        layout.put(Band("overleaf", GRID, high, (), told["gap"], Block("overleaf", "", high, more=more)))


def _words(id_: str) -> str:
    return id_.replace("_", " ").capitalize()


def _is_figure(cell: str) -> bool:
    """Whether a cell of a table is a number, or begins like one."""
    return cell[:1] in "+−-–≤≥" or cell[:1].isdigit() or not cell
