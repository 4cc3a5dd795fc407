"""A sheet computed from a ruleset alone: its parts in order, laid out on pages.

Order: the title block, derived values, tracks and pools, traits and rolls, possessions, texts,
printed tables, then ledgers and notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.rulesets.traits import Choice, Group
from sheetgen.plan.computed.flow import GRID, Band, Measured, PageLayout, Row, SheetBlock, id_label
from sheetgen.rules.formulas.notation import blank_how
from sheetgen.rules.index import index_of
from sheetgen.rules.tables.figures import PrintedTable

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


# Traits of a computed sheet: lists of a group, and trees of traits under other traits.


_SHORT: Final = 8
"""The most rows of a block in one column beside other blocks."""


class Traits(Measured):
    """The traits of a ruleset as blocks."""

    def __init__(self, rules: Ruleset, sizes: Mapping[str, Any]) -> None:
        super().__init__(rules, sizes)
        self.titles = index_of(rules).titles
        self.group_of = {str(t): g for g, group in rules.groups.items() for t in group.traits}
        self.below: dict[str, list[str]] = {}
        for group in rules.groups.values():
            for id_, trait in group.traits.items():
                if trait.under is not None and str(trait.under) in self.group_of:
                    self.below.setdefault(str(trait.under), []).append(str(id_))
        self.rolled = {str(r.each): str(i) for i, r in rules.rolls.items() if r.each}
        kinds = {key.kind for key in rules.character.values()}
        self.links, self.dice = "links" in kinds, "pinned" in kinds

    def put(self, layout: PageLayout) -> None:
        """Add all groups in order; traits with others under them come first."""
        trees = [str(id_) for id_ in self.group_of if self._is_root(str(id_))]
        blocks = [block for id_ in trees for block in self._tree(id_)]
        if len(blocks) * max([b.span for b in blocks], default=0) >= GRID:
            layout.flow(blocks, self._best(blocks, layout))
        else:
            layout.pend(*blocks)
        for id_, group in self.rules.groups.items():
            rows = [self.row(str(t)) for t in group.traits if not self._is_in_tree(str(t))]
            if group.open is not None:
                rows += self._open_rows(str(id_), group)
            if not rows:
                continue
            label = group.label or id_label(str(id_))
            span = max(self.span(self._needs(row)) for row in rows)
            block = SheetBlock("rows", label, self.sizes["head"], span, tuple(rows), live=True)
            if len(rows) <= _SHORT:
                layout.pend(block)
            else:
                layout.spread(block)

    def _is_root(self, id_: str) -> bool:
        trait = self.rules.groups[self.group_of[id_]].traits[id_]
        return id_ in self.below and str(trait.under) not in self.group_of

    def _is_in_tree(self, id_: str) -> bool:
        trait = self.rules.groups[self.group_of[id_]].traits[id_]
        return id_ in self.below or str(trait.under) in self.group_of

    def _tree(self, root: str) -> Iterator[SheetBlock]:
        rows = tuple(self._under(root, 0))
        head = self.row(root)
        most, title = self.sizes["most_rows"], self.titles[root]
        span = max(self.span(self._needs(row)) for row in (*rows, {**head, "tree": True}))
        high = self.sizes["tree_dots" if head["boxes"] else "tree"]
        yield SheetBlock("tree", title, high, span, rows[:most], live=True, more=head)
        for start in range(most, len(rows), most):
            part = rows[start : start + most]
            yield SheetBlock("rows", f"{title}, continued", self.sizes["head"], span, part)

    def _under(self, id_: str, deep: int) -> Iterator[Row]:
        if deep < 8:  # cycles have findings of their own
            for below in self.below.get(id_, ()):
                yield self.row(below)
                yield from self._under(below, deep + 1)

    def _best(self, blocks: list[SheetBlock], layout: PageLayout) -> int:
        """Return the span at which trees need the least height; the widest of equal ones."""
        least = max(block.span for block in blocks)
        spans = [span for span in (2, 3, 4, 6, GRID) if span >= least]
        heights = {span: layout.height(blocks, span) for span in spans}
        return min(reversed(spans), key=heights.__getitem__)

    def row(self, id_: str) -> Row:
        """Return the row of a trait."""
        group_id = self.group_of[id_]
        group = self.rules.groups[group_id]
        trait = group.traits[id_]
        roll = f"{group_id}.{id_}" if group_id in self.rolled else ""
        kind = "dots" if group.boxes else "code"
        return {
            "kind": kind,
            "stem": f"{group_id}.{id_}",
            "label": self.titles[id_],
            "short": trait.short,
            "keyword": str(trait.keyword or "").replace("_", " ") if group.boxes else "",
            "boxes": group.boxes,
            "unit": "D" if group.rating == "dice" and not self.rules.pips else "",
            "wide": self.rules.pips and group.rating == "dice",
            "roll": roll,
            "links": self.links and bool(group.boxes),
            "dice": self.dice and bool(group.boxes),
            "height": self.sizes["rolled" if roll else kind],
        }

    def _open_rows(self, id_: str, group: Group) -> list[Row]:
        most = group.open.most if group.open else 0
        row = {
            "kind": "named",
            "label": " " * 18,
            "links": False,
            "dice": False,
            "boxes": most,
            "height": self.sizes["dots"],
        }
        label = group.one.capitalize()
        return [{**row, "stem": f"{id_}.{n}", "said": f"{label} {n}"} for n in range(1, 5)]

    def _needs(self, row: Row) -> float:
        """Return the width that a row needs, in points, estimated from its letters."""
        sizes = self.sizes
        if row.get("tree"):
            word = sizes["title_letter"] * len(row["label"])
            code = 0 if row["boxes"] else sizes["tree_code_wide" if row["wide"] else "tree_code"]
            return max(float(word + code), self._boxes(row))
        word = sizes["letter"] * len(row["label"]) * 0.85
        if row["kind"] == "code":
            return float(word + sizes["code_wide" if row["wide"] else "code_narrow"])
        links = sizes["link"] * row["links"] + sizes["die"] * row["dice"]
        return float(word + self._boxes(row) + sizes["over"] + links)

    def _boxes(self, row: Row) -> float:
        return float(self.sizes["box"] * row["boxes"])


# Figures of a computed sheet: derived values, tracks, pools, dice, rolls.


_FLAG: Final = 2
"""A track with no more boxes than this is a row of boxes to mark."""

_MOST_ROWS: Final = 20
"""The most rows of a long track; boxes beyond them are not drawn, as on any sheet."""

_TITLE: Final = 0.4
"""The share of a track's width that its title may fill; beside a longer one nothing fits."""


class Figures(Measured):
    """Derived values, tracks, pools, dice."""

    def _values_of(self) -> tuple[list[Row], list[Row]]:
        derived, tracks = self.rules.derived, self.rules.tracks
        shown = [self._value(str(i)) for i, d in derived.items() if d.label and i not in tracks]
        alone = [row for row in shown if len(row["use"]) <= self.sizes["longest_use"]]
        used = [row for row in alone if row["use"]]
        alone = used if len(alone) > GRID // self.sizes["stat_spans"][0] and used else alone
        while alone and len(alone) * self._stat_span(alone) > GRID:
            alone = alone[:-1]
        return alone, [row for row in shown if row not in alone]

    def _value(self, id_: str) -> Row:
        derived = self.rules.derived[id_]
        how = blank_how(self.rules, derived)
        worked = blank_how(self.rules, replace(derived, blank=""))
        long = max(len(how), len(worked) + 3 * (1 + worked.count("+")))  # with its figures
        plain = " if " not in worked and long <= self.sizes["longest_how"]
        shown = {"how": how, "long": long} if plain else {"how": "", "long": 0}
        return {"id": id_, "label": derived.label, "use": derived.use, **shown}

    def stats(self, layout: PageLayout, running: list[SheetBlock]) -> None:
        """Add the number plates, and beside them as many blocks of `running` as fit."""
        rows, sizes = self._values_of()[0], self.sizes
        if not rows:
            return
        span = self._stat_span(rows)
        wide = (self.width(span) - 12) / sizes["hint_letter"]
        how = 3 if max(row["long"] for row in rows) > wide else 1
        use = max(-(-len(row["use"]) // int(wide * 0.9)) for row in rows)
        height = max(sizes["stat_least"], sizes["stat"] + sizes["stat_line"] * (how + use))
        columns: list[tuple[Any, ...]] = [(row,) for row in rows]
        beside = []
        for _ in range((GRID - span * len(rows)) // sizes["wide"]):
            column: list[SheetBlock] = []
            left = height + sizes["near"]
            while running and running[0].total + sizes["near"] <= left + 0.01:
                left -= running[0].total + sizes["near"]
                column.append(running.pop(0))
            beside += [tuple(column)] if column else []
        more = {"how": how, "use": use, "beside": [list(map(asdict, c)) for c in beside]}
        block = SheetBlock("stats", "", 0, span=sizes["wide"], more=more)
        layout.put(Band("stats", span, height, tuple(columns), sizes["gap"], block))

    def _stat_span(self, rows: list[Row]) -> int:
        longest = max(len(row["label"]) for row in rows) * self.sizes["title_letter"]
        spans = self.sizes["stat_spans"]
        return int(next((s for s in spans if self.width(s) - 12 >= longest), spans[-1]))

    def long_tracks(self) -> Iterator[SheetBlock]:
        """Yield tracks whose boxes are cells in rows of 25."""
        sizes = self.sizes
        for id_, track in self.rules.tracks.items():
            if track.shown > sizes["long_track"]:
                deep = min(_MOST_ROWS, -(-track.shown // 25))
                maximum = str(id_) if id_ in self.rules.derived else ""
                drawn = min(track.shown, 25 * _MOST_ROWS)
                more = {"id": str(id_), "rows": deep, "count": drawn, "max": maximum}
                height = sizes["head"] + max(sizes["long_least"], sizes["long_row"] * deep)
                label = track.label or id_label(str(id_))
                yield SheetBlock("long", label, height, sizes["long_span"], live=True, more=more)

    def tracks(self) -> Iterator[SheetBlock]:
        """Yield tracks to mark; those with a box or two share a block."""
        sizes, flags = self.sizes, []
        for id_, track in self.rules.tracks.items():
            label = track.label or id_label(str(id_))
            if track.shown > sizes["long_track"]:
                continue
            if track.shown > _FLAG:
                deep = -(-track.shown // sizes["boxes_across"])
                across = -(-track.shown // deep)
                maximum = str(id_) if id_ in self.rules.derived else ""
                more = {"id": str(id_), "count": track.shown, "across": across, "max": maximum}
                low = len(label) * sizes["title_letter"] > _TITLE * self.width(sizes["wide"])
                more |= {"low": low}
                height = sizes["track_head"] + sizes["boxes"] * deep + sizes["hint"] * low
                yield SheetBlock("track", label, height, sizes["wide"], live=True, more=more)
            elif track.shown:
                row = {"kind": "flag", "stem": str(id_), "count": track.shown, "label": label}
                flags.append({**row, "height": sizes["line"]})
        if flags:
            yield SheetBlock(
                "rows", "To mark", sizes["head"], sizes["wide"], tuple(flags), live=True
            )

    def pools(self) -> Iterator[SheetBlock]:
        """Yield a block for what is left of each pool."""
        for id_, pool in self.rules.pools.items():
            sizes = self.sizes
            more = {"id": str(id_), "text": pool.text}
            wide = self.width(sizes["wide"]) - sizes["pool_figure"]
            lines = -(-len(pool.text) * sizes["hint_letter"] // wide)
            height = max(sizes["pool"], sizes["head"] + sizes["stat_line"] * lines)
            yield SheetBlock("pool", pool.label, height, sizes["wide"], live=True, more=more)

    def dice(self) -> Iterator[SheetBlock]:
        """Yield the block of bought dice, if the ruleset has them."""
        kinds = {key.kind for key in self.rules.character.values()}
        if self.rules.dice is not None and "dice" in kinds:
            height = self.sizes["head"] + self.sizes["dice"]
            yield SheetBlock("dice", self.rules.dice.label, height, self.sizes["wide"], live=True)

    def values(self, layout: PageLayout) -> None:
        """Add the derived values without a number plate."""
        sizes, high = self.sizes, self.sizes["rolled"]
        values = self._values_of()[1]
        longest = max((len(row["use"]) for row in values), default=0)
        label = max((len(row["label"]) for row in values), default=0)
        needs = max(longest * sizes["hint_letter"], label * sizes["letter"] + sizes["value_figure"])
        span = next((s for s in (sizes["wide"], sizes["half"]) if needs <= self.width(s)), GRID)
        rows = tuple({"kind": "value", "height": high, **row} for row in values)
        layout.spread(SheetBlock("rows", "Values", sizes["head"], span, rows))

    def rolls(self, layout: PageLayout) -> None:
        """Add the dice pools that do not belong to a trait."""
        sizes, row = self.sizes, {"kind": "roll", "height": self.sizes["line"]}
        rows = tuple(
            {**row, "stem": str(id_), "label": roll.label or id_label(str(id_))}
            for id_, roll in self.rules.rolls.items()
            if not roll.each
        )
        layout.spread(SheetBlock("rows", "Rolls", sizes["head"], sizes["wide"], rows, live=True))


# Texts of a computed sheet: lists, lines to write on, texts of choices, reminders.


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
