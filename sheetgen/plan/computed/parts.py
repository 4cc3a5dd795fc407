"""A sheet computed from a ruleset alone: its parts in order, laid out on pages.

Order: the title block, derived values, tracks and pools, traits and rolls, possessions, texts,
printed tables, then ledgers and notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from sheetgen.model.rulesets.keys import Key
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.computed.figures import Figures
from sheetgen.plan.computed.flow import GRID, Band, Measured, PageLayout, Row, SheetBlock, id_label
from sheetgen.plan.computed.traits import Traits
from sheetgen.plan.computed.words import TextParts
from sheetgen.rules.tables.tables import PrintedTable

_CELLS: Final = 3
"""The most cells in a row of the title block; few cells make two rows beside the portrait."""

_MOST_CELLS: Final = 10
"""Cells of the title block besides the name; further keys get lines on the page."""

_LONGEST_LABEL: Final = 24
"""Letters of the longest label that a cell has room for."""


class SheetParts(Measured):
    """The parts of a computed sheet."""

    def __init__(
        self, rules: Ruleset, sizes: Mapping[str, Any], tables: Mapping[str, PrintedTable]
    ) -> None:
        super().__init__(rules, sizes)
        self.tables = tables
        cells = [str(id_) for id_, key in rules.character.items() if self._is_cell(id_, key)]
        self.first = "name" if "name" in cells else next(iter(cells), "name")
        rest = [self._cell(id_) for id_ in cells if id_ != self.first]
        short = [cell for cell in rest if len(cell["label"]) <= _LONGEST_LABEL]
        self.cells = short[:_MOST_CELLS]
        self.later = [cell for cell in rest if cell not in self.cells]

    def pages(self) -> tuple[Mapping[str, Any], ...]:
        """Return the pages, as plain data."""
        sizes = self.sizes
        layout = PageLayout(sizes["room"], sizes["room"] - sizes["page_head"], sizes["gap"])
        figures, texts = Figures(self.rules, sizes), TextParts(self.rules, sizes)
        layout.put(self._who())
        running = [*figures.tracks(), *figures.pools(), *figures.dice()]
        figures.stats(layout, running)
        layout.pend(*figures.long_tracks())
        layout.flush()
        layout.pend(*running)
        Traits(self.rules, sizes).put(layout)
        figures.values(layout)
        figures.rolls(layout)
        texts.lists(layout)
        layout.pend(*texts.besides(self.later), *texts.owned())
        texts.texts(layout)
        texts.effects(layout)
        texts.reminders(layout)
        self._tables(layout)
        layout.grow()
        self._overleaf(layout)
        return tuple({"bands": [asdict(band) for band in page.bands]} for page in layout.pages)

    def _is_cell(self, id_: str, key: Key) -> bool:
        if key.kind == "number":
            tracks = {str(track.marked) for track in self.rules.tracks.values()}
            pools = {str(w) for p in self.rules.pools.values() for w in (p.adds, p.override)}
            return id_ not in tracks | pools and key.pool is None
        return key.kind in ("choice", "item") or (key.kind == "text" and not key.lines)

    def _cell(self, id_: str) -> Row:
        strong = self.rules.character[id_].kind == "choice"
        return {"name": id_, "label": self.label(id_), "strong": strong}

    def _who(self) -> Band:
        label = self.label(self.first) if self.first in self.rules.character else "Name"
        name = {"name": self.first, "label": label, "strong": True}
        beside = 1 if len(self.cells) > 2 else 0
        rows = [(name, *self.cells[:beside])]
        across = max(1, min(_CELLS, (len(self.cells) + 1 - beside) // 2 if beside else _CELLS))
        rows += [tuple(self.cells[i : i + across]) for i in range(beside, len(self.cells), across)]
        height = self.sizes["who"] + self.sizes["cells"] * (len(rows) - 1)
        height = max(height, self.sizes["portrait"])
        return Band("who", GRID, height, tuple(rows), 0)

    def _tables(self, layout: PageLayout) -> None:
        blocks = [self._table(id_, table) for id_, table in self.tables.items()]
        fits = [b for b in blocks if b is not None and b.height <= layout.later - self.sizes["gap"]]
        layout.pend(*(block for block in fits if block.span < GRID))
        layout.flush()
        for block in fits:
            if block.span == GRID:
                layout.flow([block], GRID)

    def _table(self, id_: str, table: PrintedTable) -> SheetBlock | None:
        """Return the block of a table; None if it has no rows or is too wide for the page."""
        sizes = self.sizes
        if not table.rows:
            return None
        heads = table.columns
        if len(heads) < len(table.rows[0]):
            heads = (table.corner, *heads)
        columns = list(zip(heads, *table.rows, strict=False))
        widths = [max(len(str(cell)) for cell in column) for column in columns]
        need = sum(widths) * sizes["table_letter"] + sizes["table_gap"] * (len(widths) - 1)
        span = max(self.span(need), sizes["wide"])
        if need > self.width(span):
            return None
        lines = -(-len(table.text) * sizes["hint_letter"] // self.width(span))
        height = sizes["head"] + sizes["printed"] * (1 + len(table.rows)) + sizes["hint"] * lines
        figures = [all(_is_figure(str(cell)) for cell in column[1:]) for column in columns]
        more = {"heads": heads, "rows": table.rows, "text": table.text, "figures": figures}
        return SheetBlock("printed", table.label or id_label(id_), height, span, more=more)

    def _overleaf(self, layout: PageLayout) -> None:
        """Add ledgers and notes: on the rest of the page, or on a page of their own."""
        sizes, pools = self.sizes, self.rules.pools
        logs = [{"id": str(id_), "label": pool.label} for id_, pool in pools.items()]
        keys = self.rules.character.items()
        notes = [str(id_) for id_, key in keys if key.kind == "text" and key.lines]
        if not notes and not logs:
            return
        if layout.room < sizes["least_notes"] + (sizes["least_ledger"] if logs else 0):
            layout.turn()
        room = layout.room
        rows = int((room - sizes["ledger_head"]) // sizes["ledger"]) if logs else 0
        rows = min(rows, sizes["most_ledger"])
        high = room if notes else sizes["ledger_head"] + rows * sizes["ledger"]
        each = sizes["purse_head"] + sizes["purse"] * sizes["purse_rows"] + sizes["gap"]
        least = len(notes) * (sizes["head"] + sizes["gap"] + 4 * sizes["pitch"])
        purses = logs[1:][: max(0, int((high + sizes["gap"] - least) // each))]
        left = high - len(purses) * each + sizes["gap"]
        share = left / max(1, len(notes)) - sizes["head"] - sizes["gap"]
        count = max(1, int(share // sizes["pitch"]))
        spare = high - sizes["ledger_head"] - rows * sizes["ledger"] - sizes["head"] - sizes["gap"]
        more = {
            "sketch": int(spare // sizes["pitch"]) if logs and spare > sizes["least_ledger"] else 0,
            "ledger": logs[0] if logs else {},
            "rows": rows,
            "purses": purses,
            "purse_rows": sizes["purse_rows"],
            "notes": [{"name": n, "label": self.label(n), "count": count} for n in notes],
            "side": 7 if logs and (notes or purses) else GRID,
        }
        block = SheetBlock("overleaf", "", high, more=more)
        layout.put(Band("overleaf", GRID, high, (), sizes["gap"], block))


def _is_figure(cell: str) -> bool:
    return cell[:1] in "+−-–≤≥" or cell[:1].isdigit() or not cell
