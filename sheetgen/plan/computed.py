"""A sheet computed from a ruleset alone: its parts in order, laid out on pages.

Order: the title block, derived values, tracks and pools, traits and rolls, possessions, texts,
printed tables, then ledgers and notes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from typing import Any, Final

from sheetgen.check.character.items import has_tags
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.rulesets.traits import Catalogue, Choice, Group, Item, ItemRows, Track
from sheetgen.records import frozen
from sheetgen.rules.formulas.expressions import inputs as names_in
from sheetgen.rules.formulas.expressions import parse_formula
from sheetgen.rules.formulas.notation import blank_how
from sheetgen.rules.index import index_of
from sheetgen.rules.tables.compute import PrintedTable
from sheetgen.rules.tables.things import all_grants

GRID: Final = 12  # columns of the grid
Row = Mapping[str, Any]


@frozen
class SheetBlock:
    """A block of a sheet: a head, and rows below it."""

    kind: str  # the macro of the template that draws it
    title: str
    height: float  # the height of its head, or of the whole block if it has no rows
    span: int = 4  # how many columns of the grid it needs
    rows: tuple[Row, ...] = ()
    live: bool = False  # whether it is used in play, and has an index tick
    grows: int = 0  # how many empty rows like its last may be added if there is space
    hint: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """The height with all rows."""
        return self.height + sum(float(row["height"]) for row in self.rows)


@frozen
class Band:
    """A strip across a page."""

    # `flow` for columns of blocks, `spread` for one block with its rows in columns, or the name of
    # a macro.
    kind: str
    span: int
    height: float
    columns: tuple[tuple[Any, ...], ...]  # blocks, or rows
    before: float  # the gap above it
    block: SheetBlock | None = None


@dataclass
class SheetPage:
    """A page, and the height that is left on it."""

    left: float
    bands: list[Band] = field(default_factory=list)


def balance(
    blocks: Sequence[SheetBlock], columns: int, gap: float
) -> tuple[tuple[SheetBlock, ...], ...]:
    """Return blocks in at most so many columns, in order, the highest as low as possible."""

    def filled(most: float) -> list[list[SheetBlock]]:
        found: list[list[SheetBlock]] = [[]]
        top = 0.0
        for block in blocks:
            need = block.total + (gap if found[-1] else 0)
            if found[-1] and top + need > most + 0.01:
                found.append([])
                top, need = 0.0, block.total
            found[-1].append(block)
            top += need
        return found

    edges, heights = range(len(blocks)), [block.total for block in blocks]
    sums = {
        sum(heights[i:j]) + gap * (j - i - 1) for i in edges for j in range(i + 1, len(heights) + 1)
    }
    fits = (found for most in sorted(sums) if len(found := filled(most)) <= columns)
    return tuple(map(tuple, next(fits)))


def spread_out(blocks: Sequence[SheetBlock]) -> list[SheetBlock]:
    """Return blocks with as many rows as they have lines, if their rows stand in columns."""
    return [replace(one, rows=one.rows[:: GRID // one.span]) for one in blocks]


class PageLayout:
    """Places bands on pages from the top."""

    def __init__(self, first: float, later: float, gap: float) -> None:
        self.pages = [SheetPage(first)]
        self.later = later
        self.gap = gap
        self.pending: list[SheetBlock] = []

    @property
    def page(self) -> SheetPage:
        """The page that is being filled."""
        return self.pages[-1]

    @property
    def room(self) -> float:
        """The height left on the page for a band, without the gap above it."""
        return self.page.left - self.gap

    def turn(self) -> SheetPage:
        """Start a new page, and return it."""
        self.pages.append(SheetPage(self.later))
        return self.page

    def put(self, band: Band) -> None:
        """Add a band to the first page that has room for it, or to a new one."""
        fits = (page for page in self.pages if band.height <= page.left - self.gap)
        page = self.page if not self.page.bands else next(fits, None) or self.turn()
        page.bands.append(band)
        page.left -= band.height + self.gap

    def pend(self, *blocks: SheetBlock) -> None:
        """Queue blocks, to be placed side by side with those before and after them."""
        self.pending += blocks

    def flush(self) -> None:
        """Place the queued blocks: in columns, across the page, and on its halves."""
        blocks, self.pending = self.pending, []
        half = GRID // 2
        for alike in (
            [block for block in blocks if block.span < half],
            *([block] for block in blocks if block.span > half),
            [block for block in blocks if block.span == half],
        ):
            if not alike:
                continue
            self.flow(alike, max(block.span for block in alike))

    def flow(self, blocks: Sequence[SheetBlock], span: int) -> None:
        """Add blocks in balanced columns of at least `span`; the rest goes to further pages."""
        rest = list(blocks)
        while rest:
            # What is lower so has its rows in columns, one block below the other. A row of several
            # lines is one place: it grows, but is not repeated in columns.
            if all(one.kind == "rows" and "lines" not in one.rows[-1] for one in rest):
                columns = balance(rest, GRID // span, self.gap)
                if self._height(spread_out(rest)) <= max(map(self._height, columns)):
                    for one in rest:
                        self.spread(one)
                    return
            for count in range(len(rest), 0, -1):
                columns = balance(rest[:count], GRID // span, self.gap)
                high = max(self._height(column) for column in columns)
                if high <= self.room or (count == 1 and not self.page.bands):
                    break
            else:
                self.turn()
                continue
            self.put(Band("flow", GRID // len(columns), high, columns, self.gap))
            rest = rest[count:]

    def _height(self, column: Sequence[SheetBlock]) -> float:
        return sum(block.total for block in column) + self.gap * (len(column) - 1)

    def spread(self, block: SheetBlock) -> None:
        """Add a block with its rows in columns; the rest goes to further pages."""
        rest, title, across = list(block.rows), block.title, GRID // block.span
        while rest:
            high = max(row["height"] for row in rest)
            deep = -(-len(rest) // across)
            fit = int((self.room - block.height + 0.01) // high)
            if fit < min(deep, 3) and self.page.bands:
                self.turn()
                continue
            if 0 < (over := deep - fit) < 3 and fit + over >= 6:
                fit -= 3 - over  # three rows at least are on each page
            deep = min(deep, max(1, fit))
            now, rest = rest[: deep * across], rest[deep * across :]
            columns = tuple(tuple(now[i : i + deep]) for i in range(0, len(now), deep))
            part = replace(block, title=title, rows=tuple(now))
            height = block.height + deep * high
            self.put(Band("spread", block.span, height, columns, self.gap, part))
            title = f"{block.title}, continued"

    def grow(self) -> None:
        """Fill the space that is left on each page with rows of the blocks that may grow."""
        self.flush()
        for page in self.pages:
            for place, band in enumerate(page.bands):
                block = band.block
                if band.kind == "flow":
                    page.bands[place] = self._grown(page, band)
                elif band.kind == "spread" and block and block.grows and page.left >= 0:
                    # As many more rows as fit, equally many in each column.
                    last, across = block.rows[-1], GRID // band.span
                    deep = len(band.columns[0]) + min(block.grows, int(page.left // last["height"]))
                    rows = (*block.rows, *_more_rows(last, deep * across - len(block.rows)))
                    columns = tuple(rows[i : i + deep] for i in range(0, len(rows), deep))
                    more = (deep - len(band.columns[0])) * last["height"]
                    page.left -= more
                    page.bands[place] = replace(band, height=band.height + more, columns=columns)

    def _grown(self, page: SheetPage, band: Band) -> Band:
        """Return a `flow` band whose last blocks have more rows, up to one height."""
        ends = [column[-1] for column in band.columns if column[-1].grows]
        if not ends:
            return band
        pitches = [_pitch(end.rows[-1]) for end in ends]
        spare = min(page.left, max(e.grows * pitch for e, pitch in zip(ends, pitches, strict=True)))
        most = band.height + max(0, int(spare // max(pitches))) * max(pitches)
        columns = []
        for column in band.columns:
            last = column[-1]
            if last.grows:
                row = last.rows[-1]
                count = int((most - self._height(column) + 0.01) // _pitch(row))
                if "lines" in row:
                    height = row["height"] + count * _pitch(row)
                    longer = {**row, "lines": row["lines"] + count, "height": height}
                    last = replace(last, rows=(*last.rows[:-1], longer))
                else:
                    last = replace(last, rows=(*last.rows, *_more_rows(row, count)))
            columns.append((*column[:-1], last))
        page.left -= most - band.height
        return replace(band, height=most, columns=tuple(columns))


def _more_rows(last: Row, count: int) -> Iterator[Row]:
    return ({**last, "n": last["n"] + k} for k in range(1, count + 1))


def _pitch(row: Row) -> float:
    return float(row.get("pitch", row["height"]))


def _count_entries(catalogue: Catalogue, rows: ItemRows) -> tuple[int, int]:
    """Return how many entries a list may show, and how many rows it can need; 0 if unknown."""
    entries = catalogue.entries.items()
    fits = [e for id_, e in entries if has_tags(rows, {str(id_), *map(str, e.tags)})]
    named = any(entry.asks or entry.may_say for entry in fits)  # Each may be picked several times.
    endless = catalogue.open or catalogue.custom is not None or named
    return len(fits), 0 if endless else len(fits)


_FIGURE: Final = re.compile(r"[-+−–≤≥\d]|$")


def is_ticked(key: Key, catalogue: Catalogue | None) -> bool:
    """Whether a choice is a few boxes to tick: a state, or what has no text of its own."""
    if key.kind != "choice" or catalogue is None or catalogue.open or catalogue.custom:
        return False
    entries = catalogue.entries.values()
    plain = not any(e.text or e.grants or e.asks or e.may_say for e in entries)
    short = all(len(entry.name) <= 22 for entry in entries)
    return short and 2 <= len(entries) <= 8 and (key.passing or (plain and not key.required))


_MOST_ROWS: Final = 20  # the most rows of a long track; boxes beyond them are not drawn


def id_label(id_: str) -> str:
    """Return an id as a label: `at_hand` is `At hand`."""
    return id_.replace("_", " ").capitalize()


class SheetParts:
    """The parts of a computed sheet of a ruleset, laid out by `sizes`, in points."""

    def __init__(
        self, rules: Ruleset, sizes: Mapping[str, Any], tables: Mapping[str, PrintedTable]
    ) -> None:
        self.rules, self.sizes, self.tables = rules, sizes, tables
        room = sizes["room"]
        self.layout = PageLayout(room, room - sizes["page_head"], sizes["gap"])
        hidden = {str(track.marked) for track in rules.tracks.values()}
        hidden |= {str(w) for pool in rules.pools.values() for w in (pool.adds, pool.override)}

        self.ticked: dict[str, Key] = {}
        keys: dict[str, Key] = {}
        for id_, key in rules.character.items():
            if is_ticked(key, rules.choices.get(key.catalogue(id_))):
                self.ticked[str(id_)] = key
            elif key.kind == "number":
                keys |= {str(id_): key} if id_ not in hidden and key.pool is None else {}
            elif key.kind in ("choice", "item") or (key.kind == "text" and not key.lines):
                keys[str(id_)] = key
        self.first = "name" if "name" in keys else next(iter(keys), "name")
        rest: list[Row] = [
            {"name": id_, "label": self.label(id_), "strong": key.kind == "choice"}
            for id_, key in keys.items()
            if id_ != self.first
        ]
        # Longer labels have no room in a cell; further keys get lines on the page.
        self.cells = [cell for cell in rest if len(cell["label"]) <= 24][:10]
        self.later = [cell for cell in rest if cell not in self.cells]
        self.index = index_of(rules)
        self.titles = self.index.titles
        self.group_of = {
            str(id_): g
            for g, group in rules.groups.items()
            for id_, trait in group.traits.items()
            if not trait.internal
        }
        self.below: dict[str, list[str]] = {}
        for group in rules.groups.values():
            for id_, trait in group.traits.items():
                if trait.under is not None and str(trait.under) in self.group_of:
                    self.below.setdefault(str(trait.under), []).append(str(id_))
        self.rolled = {str(r.each): str(i) for i, r in rules.rolls.items() if r.each}
        kinds = {key.kind for key in rules.character.values()}
        self.links, self.pinned = "links" in kinds, "pinned" in kinds
        self.numbers: dict[str, Row] = {}  # tracks that are numbers
        for id_, track in rules.tracks.items():
            # Nobody counts fifty boxes: a track whose marks are a number of the file, and whose
            # boxes are a derived value, is this number beside that value.
            marked, most = str(track.marked or ""), str(track.boxes)
            number = rules.character.get(marked) if track.shown > sizes["long_track"] else None
            if number is None or number.kind != "number" or number.pool is not None:
                continue
            if most in rules.derived and most not in [row["id"] for row in self.numbers.values()]:
                row = {**self._value(most), "label": track.label or id_label(str(id_)), "use": ""}
                self.numbers[str(id_)] = {**row, "key": marked, "key_label": number.label or "Lost"}
        # Values that have a number plate, and the others. If one band is too narrow for all, those
        # with a `use` come first, on two bands.
        tracked = list(self.numbers.values())
        elsewhere = {*rules.tracks, *(row["id"] for row in tracked)}
        derived = rules.derived.items()
        shown = [self._value(str(i)) for i, d in derived if d.label and str(i) not in elsewhere]
        words = sizes["longest_use"]
        alone = [
            row
            for row in shown
            if len(row["use"]) <= words
            and len(row["label"]) <= words * (0.7 if row["use"] else 0.5)
        ]
        # On a plate, units are as large as the number.
        alone = [row for row in alone if len(rules.derived[row["id"]].unit) <= 4]
        used = [row for row in alone if row["use"]]
        if len(tracked + alone) > GRID // sizes["stat_spans"][0] and used:
            alone = used
        self.plates = tracked + alone
        while self.plates and len(self.plates) > 2 * (GRID // self._stat_span(self.plates)):
            self.plates.pop()
        self.others = [row for row in shown if row not in self.plates]

    def pages(self) -> tuple[Mapping[str, Any], ...]:
        """Return the pages, as plain data."""
        sizes, layout = self.sizes, self.layout
        label = self.label(self.first) if self.first in self.rules.character else "Name"
        name = {"name": self.first, "label": label, "strong": True}
        beside = 1 if len(self.cells) > 2 else 0
        rows = [(name, *self.cells[:beside])]
        # Rows have three cells; of fewer than three, one or two beside the portrait.
        many = len(self.cells) - beside
        across = 3 if many == 3 or not beside else max(1, min(3, (many + 1) // 2))
        rows += [tuple(self.cells[i : i + across]) for i in range(beside, len(self.cells), across)]
        least = sizes["portrait"] if self.cells else 2 * sizes["cells"]
        height = max(sizes["who"] + sizes["cells"] * (len(rows) - 1), least)
        layout.put(Band("who", GRID, height, tuple(rows), 0))
        classes = [*self.owned(leveled=True)]
        small = [block for block in classes if block.span == sizes["wide"]]
        running = [*small, *self.tracks(), *self.picks(), *self.dice()]
        # A small group has plates, too, beside few others.
        plates = self.trait_plates()
        if self.plates and len(self.plates + plates) > GRID // 2:
            plates = []
        self.stats(running, plates + self.plates)
        layout.pend(*self.long_tracks())
        layout.flush()
        layout.pend(*(block for block in classes if block not in small))
        late = running if all(block.kind == "pick" for block in running) else ()
        layout.pend(*(() if late else running))
        if plates and 2 * sizes["wide"] == GRID:  # else lists across the page come first
            layout.flush()
        self.traits({str(row["group"]) for row in plates})
        self.lists(of_gear=True)
        layout.pend(*late, *self.pools())
        self.values()
        self.rolls()
        self.texts()
        self.effects()
        self.lists(of_gear=False)
        layout.pend(*self.besides(), *self.owned())
        layout.flush()
        self.reminders()
        tables = [self._table(id_, table) for id_, table in self.tables.items()]
        fits = [b for b in tables if b is not None and b.height <= layout.later - sizes["gap"]]
        layout.pend(*(block for block in fits if block.span < GRID))
        layout.flush()
        for block in (block for block in fits if block.span == GRID):
            layout.flow([block], GRID)
        layout.grow()
        self._overleaf()
        pages = tuple({"bands": [asdict(band) for band in page.bands]} for page in layout.pages)
        # Steps of making a character stand above the first block that is about them.
        steps = self.rules.creation.keys() - {cell["name"] for cell in (name, *self.cells)}
        for band in (band for page in pages for band in page["bands"]):
            blocks = [block for column in band["columns"] for block in column]
            for block in [band["block"]] if band["block"] else blocks:
                if "more" not in block:
                    continue
                names = [block["more"].get("id", ""), block["more"].get("stem", "")]
                parts = ("stem", "id", "name", "group")
                names += [row.get(key, "") for row in block["rows"] for key in parts]
                about = {str(name).partition(".")[0] for name in names} & steps
                if about:
                    step = min(about, key=sorted(steps).index)
                    block["more"] = {**block["more"], "step": step}
                    steps.remove(step)
        return pages

    def span(self, needs: float) -> int:
        """Return the fewest columns of the grid that are `needs` points wide."""
        spans = (int(span) for span in self.sizes["spans"] if needs <= self.width(span))
        return next(spans, GRID)

    def width(self, span: int) -> float:
        """Return the width of `span` columns of the grid, in points."""
        return (16 * span - 4) * 72 / 25.4

    def labelled(self, rows: Iterable[Row], span: int) -> tuple[Row, ...]:
        """Return rows, each a line higher if its label has no room beside its place."""
        room = min(0.62 * self.width(span), self.sizes["label_room"]) / self.sizes["label_letter"]
        line = self.sizes["line"]
        return tuple(
            {**row, "above": True, "height": row["height"] + line}
            if len(row["label"]) > room
            else row
            for row in rows
        )

    def block(
        self, title: str, rows: Iterable[Row], span: int = 0, *, live: bool = False, grows: int = 0
    ) -> SheetBlock:
        """Return a block of rows, as wide as most if it has no `span`."""
        span, rows = span or self.sizes["wide"], tuple(rows)
        return SheetBlock("rows", title, self.sizes["head"], span, rows, live, grows)

    def label(self, id_: str) -> str:
        """Return the label of a key of the character's file."""
        key = self.rules.character[id_]
        if not key.label and key.kind == "choice" and set(key.of[:1]) & set(self.rules.choices):
            return id_label(self.rules.choices[key.of[0]].one)
        return key.label or id_label(id_)

    def _table(self, id_: str, table: PrintedTable) -> SheetBlock | None:
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
        figures = [all(map(_FIGURE.match, map(str, column[1:]))) for column in columns]
        more = {"heads": heads, "rows": table.rows, "text": table.text, "figures": figures}
        return SheetBlock("printed", table.label or id_label(id_), height, span, more=more)

    def _overleaf(self) -> None:
        """Add ledgers and notes: on the rest of the page, or on a page of their own."""
        sizes, pools = self.sizes, self.rules.pools
        # The points that are earned in play have the ledger, others short ones.
        main = str(self.rules.advances.pool) if self.rules.advances else ""
        order = sorted(pools.items(), key=lambda one: (one[0] != main, one[1].adds is None))
        logs = [{"id": str(id_), "label": pool.label} for id_, pool in order]
        keys = self.rules.character.items()
        notes = [str(id_) for id_, key in keys if key.kind == "text" and key.lines]
        full = sizes["ledger_head"] + sizes["most_ledger"] * sizes["ledger"] if logs else 0
        if notes and full > self.layout.room >= sizes["least_notes"]:
            self._put_overleaf([], notes)  # the ledgers have a page of their own
            notes = []
        if self.layout.room < max(full, sizes["least_notes"]) and (notes or logs):
            self.layout.turn()
        if notes or logs or self.layout.room > sizes["least_notes"]:
            self._put_overleaf(logs, notes)

    def _put_overleaf(self, logs: Sequence[Row], notes: Sequence[str]) -> None:
        """Add ledgers and notes on what is left of the last page."""
        sizes, room = self.sizes, self.layout.room
        rows = int((room - sizes["ledger_head"]) // sizes["ledger"]) if logs else 0
        rows = min(rows, sizes["most_ledger"])
        each = sizes["purse_head"] + sizes["purse"] * sizes["purse_rows"] + sizes["gap"]
        least = len(notes) * (sizes["head"] + sizes["gap"] + 4 * sizes["pitch"])
        purses = logs[1:][: max(0, int((room + sizes["gap"] - least) // each))]
        many = sizes["purse_rows"]
        if purses and not notes:  # as many rows as there is room for
            many += int((room / len(purses) - each) // sizes["purse"])
        left = room - len(purses) * each + sizes["gap"]
        share = left / max(1, len(notes)) - sizes["head"] - sizes["gap"]
        count = max(1, int(share // sizes["pitch"]))
        ledger = sizes["ledger_head"] + rows * sizes["ledger"] + sizes["gap"] if logs else 0
        spare = room - ledger - sizes["head"]
        drawn = spare > sizes["least_ledger"] and (logs or not notes)
        more = {
            "sketch": int(spare // sizes["pitch"]) if drawn else 0,
            "ledger": logs[0] if logs else {},
            "rows": rows,
            "purses": purses,
            "purse_rows": many,
            "notes": [{"name": n, "label": self.label(n), "count": count} for n in notes],
            "side": 7 if logs and (notes or purses) else GRID,
        }
        block = SheetBlock("overleaf", "", room, more=more)
        self.layout.put(Band("overleaf", GRID, room, (), sizes["gap"], block))

    def trait_plates(self) -> list[Row]:
        """Return the first small group of traits that only have a number, as number plates."""
        for id_, group in self.rules.groups.items():
            alone = not any(t in self.below or trait.under for t, trait in group.traits.items())
            plain = not (group.boxes or group.columns or group.open or id_ in self.rolled)
            if alone and plain and 2 < len(group.traits) <= GRID // 2:
                plate = {"use": "", "how": "", "long": 0, "key": "", "group": str(id_)}
                rows = (self.row(str(t)) for t in group.traits)
                return [
                    {**plate, "id": r["stem"], **{k: r[k] for k in ("label", "own")}} for r in rows
                ]
        return []

    def traits(self, plates: Collection[str] = ()) -> None:
        """Add all groups in order, but for those with number plates.

        Traits with others under them come first. Groups of equally many traits stand side by
        side, and a long one in columns of its own.
        """
        traits = {i: t for g in self.rules.groups.values() for i, t in g.traits.items()}
        in_tree = {str(i) for i, trait in traits.items() if str(trait.under) in self.group_of}
        rooted = {self.group_of[id_] for id_ in self.below if id_ not in in_tree}
        # Their siblings without any traits below them are heads, too.
        trees = [i for i, g in self.group_of.items() if g in rooted and i not in in_tree]
        self.layout.pend(*(block for id_ in trees for block in self._tree(id_)))
        groups = (self._group(i, g, {*in_tree, *trees}) for i, g in self.rules.groups.items())
        pairs = zip(self.rules.groups, groups, strict=True)
        blocks = [block for id_, block in pairs if block and id_ not in plates]
        for _, some in groupby(blocks, key=lambda block: len(block.rows)):
            run = [*some]
            alone = len(run) == 1 and len(run[0].rows) >= 8
            if alone or len(run) > 2:
                self.layout.flush()
            if len(run) > 2 and len(run) * max(block.span for block in run) <= GRID:
                self.layout.flow(run, GRID // len(run))
            elif alone:
                self.layout.spread(run[0])
            else:  # beside other blocks
                self.layout.pend(*run)

    def _group(self, id_: str, group: Group, elsewhere: Collection[str]) -> SheetBlock | None:
        shown = (str(t) for t, trait in group.traits.items() if not trait.internal)
        rows = [self.row(trait) for trait in shown if trait not in elsewhere]
        if group.open is not None:
            row = {"kind": "named", "label": " " * 18, "boxes": group.open.most}
            row |= {"links": False, "dice": False, "height": self.sizes["dots"]}
            one = group.one.capitalize()
            rows += [{**row, "stem": f"{id_}.{n}", "said": f"{one} {n}"} for n in range(1, 5)]
        elif not rows:
            return None
        span = max(self.span(self._needs(row)) for row in rows)
        block = self.block(group.label or id_label(id_), rows, span, live=True)
        return replace(block, more={"heads": [head for _, head in rows[0].get("columns", ())]})

    def _tree(self, root: str) -> Iterator[SheetBlock]:
        rows, head = tuple(map(self.row, self._under(root, 0))), self.row(root)
        most, title = self.sizes["most_rows"], self.titles[root]
        span = max(self.span(self._needs(row)) for row in (*rows, {**head, "tree": True}))
        high = self.sizes["tree_dots" if head["boxes"] or head["columns"] else "tree"]
        yield SheetBlock("tree", title, high, span, rows[:most], live=True, more=head)
        for start in range(most, len(rows), most):
            yield self.block(f"{title}, continued", rows[start : start + most], span)

    def _under(self, id_: str, deep: int) -> Iterator[str]:
        for below in self.below.get(id_, ()) if deep < 8 else ():  # cycles have their own findings
            yield from (below, *self._under(below, deep + 1))

    def row(self, id_: str) -> Row:
        """Return the row of a trait."""
        group_id = self.group_of[id_]
        group = self.rules.groups[group_id]
        trait = group.traits[id_]
        roll = f"{group_id}.{id_}" if group_id in self.rolled else ""
        kind = "dots" if group.boxes else "code"
        whole = self.index.typed_part(id_) == "total"
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
            "dice": self.pinned and bool(group.boxes),
            "columns": [(n, column.label) for n, column in group.columns.items() if column.label],
            "own": not (whole and (group.stated or trait.base or group.base)),
            "height": self.sizes["rolled" if roll else kind],
        }

    def _needs(self, row: Row) -> float:
        """Return the width that a row needs, in points, estimated from its letters."""
        sizes, boxes = self.sizes, self.sizes["box"] * row["boxes"]
        if row.get("tree"):
            word = sizes["title_letter"] * len(row["label"])
            code = 0 if row["boxes"] else sizes["tree_code_wide" if row["wide"] else "tree_code"]
            beside = sizes["tree_code"] * len(row["columns"])
            return max(float(word + code + beside), float(boxes))
        letters = len(row["label"])  # a long name has two lines
        word = sizes["letter"] * min(letters, max(17, letters / 2 + 3)) * 0.85
        if row["kind"] == "code":
            beside = sizes["beside"] * len(row["columns"])
            return float(word + beside + sizes["code_wide" if row["wide"] else "code_narrow"])
        links = sizes["link"] * row["links"] + sizes["die"] * row["dice"]
        return float(word + boxes + sizes["over"] + links)

    def _value(self, id_: str) -> Row:
        derived = self.rules.derived[id_]
        how = blank_how(self.rules, derived)
        worked = blank_how(self.rules, replace(derived, blank=""))
        entries = (e for c in self.rules.choices.values() for e in c.entries.values())
        changed = [len(e.name) + 5 for e in entries if id_ in e.modifies]
        items = self.rules.gear.values()
        changed += [len(i.name) + 5 for i in items if id_ in (i.gives, *i.modifies)]
        long = len(worked) + 3 * (1 + worked.count("+")) + max(changed, default=0)  # with figures
        long = max(len(how), long)
        plain = " if " not in worked and long <= self.sizes["longest_how"]
        plain = plain and bool(names_in(parse_formula(derived.value or "0")) or derived.sum)
        row: Row = {"id": id_, "label": derived.label, "use": derived.use, "key": ""}
        shown = {"how": how if plain else "", "long": long if plain else 0}
        return {**row, "wide": bool(derived.unit), **shown}

    def stats(self, running: list[SheetBlock], every: list[Row]) -> None:
        """Add number plates, and beside them as many blocks of `running` as fit."""
        if not every:
            return
        span = self._stat_span(every)
        across = -(-len(every) // (1 if len(every) * span <= GRID else 2))
        if not running or (GRID - span * across) < self.sizes["wide"]:  # nothing is beside them
            span = min(GRID // across, span + 1 + (not running))
        for start in range(0, len(every), across):
            self._band(every[start : start + across], span, running)

    def _band(self, rows: list[Row], span: int, running: list[SheetBlock]) -> None:
        sizes = self.sizes
        wide = (self.width(span) - 12) / sizes["hint_letter"]
        broken = int(wide * 0.9)  # letters of a line that ends with a whole word
        # A formula that has no room on three lines is left out.
        rows = [{**r, "how": "", "long": 0} if r["long"] > 3 * broken else r for r in rows]
        how = 3 if any(row["key"] or row["long"] > wide for row in rows) else 1
        use = max(-(-len(row["use"]) // broken) for row in rows)
        below = sizes["stat_how"] if how == 3 else sizes["stat_line"]
        height = max(sizes["stat_least"], sizes["stat"] + below + sizes["stat_line"] * use)
        columns: list[tuple[Any, ...]] = [(row,) for row in rows]
        beside, rest = [], GRID - span * len(rows)
        for _ in range(rest // sizes["wide"]):
            column: list[SheetBlock] = []
            left = 1.25 * height + sizes["near"]  # the band grows with what stands beside
            while running and running[0].total + sizes["near"] <= left + 0.01:
                left -= running[0].total + sizes["near"]
                column.append(running.pop(0))
            beside += [tuple(column)] if column else []
        for stack in beside:
            high = sum(one.total for one in stack) + sizes["near"] * (len(stack) - 1)
            height = max(height, high)
        more = {"how": how, "use": use, "beside": [list(map(asdict, c)) for c in beside]}
        block = SheetBlock("stats", "", 0, rest // max(1, len(beside)), more=more)
        self.layout.put(Band("stats", span, height, tuple(columns), sizes["gap"], block))

    def _stat_span(self, rows: list[Row]) -> int:
        longest = max(len(row["label"]) for row in rows) * self.sizes["stat_letter"]
        spans = self.sizes["stat_spans"]
        return int(next((s for s in spans if self.width(s) - 12 >= longest), spans[-1]))

    def long_tracks(self) -> Iterator[SheetBlock]:
        """Yield tracks whose boxes are cells in long rows."""
        sizes = self.sizes
        for id_, track in self.rules.tracks.items():
            if track.shown > sizes["long_track"] and str(id_) not in self.numbers:
                across = sizes["long_across"]
                deep = min(_MOST_ROWS, -(-track.shown // across))
                maximum = str(id_) if id_ in self.rules.derived else ""
                drawn = min(track.shown, across * _MOST_ROWS)
                more = {"id": str(id_), "across": across, "count": drawn, "max": maximum}
                height = sizes["head"] + max(sizes["long_least"], sizes["long_row"] * deep)
                label = track.label or id_label(str(id_))
                yield SheetBlock("long", label, height, sizes["long_span"], live=True, more=more)

    def tracks(self) -> Iterator[SheetBlock]:
        """Yield tracks to mark; several with few boxes share a block."""
        sizes, flags = self.sizes, []
        boxed = {i: t for i, t in self.rules.tracks.items() if 0 < t.shown <= sizes["long_track"]}
        for id_, track in boxed.items():
            label = track.label or id_label(str(id_))
            needs = len(label) * sizes["letter"] * 0.85 + sizes["wound"] * track.shown
            needs += sizes["off_track"]
            if track.shown <= 5 and not track.steps and needs <= self.width(sizes["wide"]):
                row = {"kind": "flag", "stem": str(id_), "count": track.shown, "label": label}
                flags.append({**row, "height": sizes["line"]})
            else:
                yield self._track(str(id_), track, label)
        yield from [self.block("To mark", flags, live=True)] if flags else []

    def _track(self, id_: str, track: Track, label: str) -> SheetBlock:
        """Return the block of a track, with the names of its steps at their boxes or below."""
        sizes, wide = self.sizes, self.width(self.sizes["wide"])
        deep = -(-track.shown // min(sizes["boxes_across"], int(wide // sizes["wound"])))
        across = -(-track.shown // deep)
        # Beside a title of more than this share of the width nothing fits.
        low = len(label) * sizes["title_letter"] > 0.4 * wide
        more = {"id": id_, "count": track.shown, "across": across, "low": low, "legend": False}
        more |= {"max": id_ if id_ in self.rules.derived else "", "names": ()}
        height = sizes["track_head"] + sizes["boxes"] * deep + sizes["hint"] * low
        places = [str(box).strip() for box in track.steps.values()]
        known = all(place.isdigit() for place in places)  # else they vary with the character
        at = dict(zip(map(int, places), track.steps, strict=True)) if known else {}
        names = [at.get(n, "").replace("_", " ") for n in range(1, track.shown + 1)]
        longest = max(map(len, names)) * sizes["hint_letter"]
        below = bool(at) and deep == 1 and longest <= wide / across
        if below or 2 * len(at) < track.shown:
            more |= {"names": names} if below else {"legend": bool(track.steps)}
            height += sizes["hint"] if track.steps else 0
            return SheetBlock("track", label, height, sizes["wide"], live=True, more=more)
        row = {"kind": "step", "stem": id_, "height": sizes["step"], "said": label}
        rows = tuple({**row, "box": n, "label": name} for n, name in enumerate(names, 1))
        shown = label, sizes["head"], sizes["wide"], rows
        return SheetBlock("steps", *shown, live=True, more=more)

    def pools(self) -> Iterator[SheetBlock]:
        """Yield the block with what is left of each pool."""
        sizes, rows = self.sizes, []
        for id_, pool in self.rules.pools.items():
            fits = len(pool.text) * sizes["hint_letter"] <= self.width(sizes["wide"])
            row = {"kind": "pool", "id": str(id_), "label": pool.label}
            row |= {"use": pool.text if fits else ""}
            rows.append({**row, "height": sizes["rolled" if row["use"] else "line"]})
        yield from [self.block("To spend", rows, live=True)] if rows else []

    def picks(self) -> Iterator[SheetBlock]:
        """Yield a block for each choice with few entries: boxes to tick."""
        sizes = self.sizes
        for id_, key in self.ticked.items():
            catalogue = self.rules.choices[key.catalogue(id_)]
            entries = [(str(i), entry.name) for i, entry in catalogue.entries.items()]
            longest = max(len(name) for _, name in entries) * sizes["letter"] + sizes["wound"] * 1.4
            across = max(1, min(3, int(self.width(sizes["wide"]) // longest)))
            height = sizes["head"] + sizes["step"] * -(-len(entries) // across)
            more = {"id": id_, "entries": entries, "across": across}
            live = key.passing
            yield SheetBlock("pick", self.label(id_), height, sizes["wide"], live=live, more=more)

    def dice(self) -> Iterator[SheetBlock]:
        """Yield the block of bought dice, if the ruleset has them."""
        kinds = {key.kind for key in self.rules.character.values()}
        if (dice := self.rules.dice) is not None and "dice" in kinds:
            height = self.sizes["head"] + self.sizes["dice"]
            yield SheetBlock("dice", dice.label, height, self.sizes["wide"], live=True)

    def values(self) -> None:
        """Add the derived values without a number plate."""
        sizes, values = self.sizes, self.others
        longest, label = (max((len(r[key]) for r in values), default=0) for key in ("use", "label"))
        needs = max(longest * sizes["hint_letter"], label * sizes["letter"] + sizes["value_figure"])
        span = next((s for s in (sizes["wide"], sizes["half"]) if needs <= self.width(s)), GRID)
        rows = tuple({"kind": "value", "height": sizes["rolled"], **row} for row in values)
        put = self.layout.pend if 0 < len(rows) <= 8 and span < GRID else self.layout.spread
        put(self.block("Values", rows, span))

    def rolls(self) -> None:
        """Add the dice pools that do not belong to a trait."""
        row = {"kind": "roll", "height": self.sizes["line"]}
        rows = (
            {**row, "stem": str(id_), "label": roll.label or id_label(str(id_))}
            for id_, roll in self.rules.rolls.items()
            if not roll.each
        )
        self.layout.spread(self.block("Rolls", self.labelled(rows, self.sizes["wide"]), live=True))

    def lists(self, *, of_gear: bool) -> None:
        """Add lists of several columns as tables, across the page or half of it.

        Those of items, such as attacks, come right after what is rolled for them.
        """
        lists = self.rules.lists.items()
        chosen = [(i, r) for i, r in lists if len(r.columns) > 1 and (r.of == "gear") == of_gear]
        if of_gear and chosen:
            self.layout.flush()
        for id_, rows in chosen:
            listed, columns = (
                self.rules.choices.get(str(rows.of).removeprefix("choices.")),
                rows.columns.items(),
            )
            many, most = _count_entries(listed, rows) if listed is not None else (0, 0)
            longest = {str(name): _longest(self.rules, rows, str(text)) for name, text in columns}
            label = rows.label or id_label(str(id_))
            self.layout.pend(self._listed(str(id_), label, longest, many, most))
        if of_gear and chosen:
            self.layout.flush()

    def _listed(
        self, id_: str, label: str, longest: Mapping[str, int], many: int, most: int = 0
    ) -> SheetBlock:
        """Return a table to write in, with columns as wide as the letters of their longest texts.

        There are `many` entries to choose from, and at most `most` rows, if that is not 0.
        """
        sizes = self.sizes
        heads = {name: "" if name in ("name", "text") else id_label(name) for name in longest}
        least = {n: max(len(heads[n]) * 1.25, 5.0) + 2 for n in longest}  # capitals are wide
        need = {n: max(least[n], letters + 2.5) for n, letters in longest.items()}
        half = sum(need.values()) * sizes["letter"] <= self.width(sizes["half"])
        span = sizes["half"] if half else GRID
        room = self.width(span) / sizes["letter"]
        widest = max(need, key=lambda name: need[name])
        # High rows have room for two lines in the other columns, too.
        for limit in (float(max(need.values())), sizes["words_across"] / 2):
            need |= {n: min(each, limit) for n, each in need.items() if n != widest}
            shares = {name: -int(-19.7 * letters // room) for name, letters in need.items()}
            shares[widest] = 0  # the others are rounded up, and give way where there is no room
            while sum(shares.values()) > 14:
                shares[max(shares, key=lambda name: shares[name])] -= 1
            shares[widest] = 20 - sum(shares.values())
            across = int(max(1, shares[widest] * room / 20 - 2.5))
            lines = min(6, -(-longest[widest] // across))
            if lines < 3:
                break
        height = sizes["line"] if lines < 2 else sizes["two_lines"]
        height = height if lines < 3 else sizes["printed"] * lines + sizes["near"]
        row = {"kind": "listed", "stem": id_, "height": height}
        row |= {"tall": widest if lines > 2 else "", "columns": list(longest)}
        more = {"heads": heads, "shares": shares}
        count = min(max(sizes["list_rows"], min(many, 2 * sizes["list_rows"])), most or 99)
        shown = label, sizes["head"], span, tuple({**row, "n": n} for n in range(1, count + 1))
        more |= {"lines": lines}
        grows = min(4, most - count) if most else 4
        return SheetBlock("listed", *shown, len(longest) > 2, grows, more=more)

    def owned(self, *, leveled: bool = False) -> Iterator[SheetBlock]:
        """Yield blocks of lines: lists of one column, and keys with several entries or lines.

        With `leveled`, only those of picks whose number is a level, which are near the top.
        """
        lists = self.rules.lists
        whole = {str(r.of) for r in lists.values() if r.where is None} | set(map(str, lists))
        picked = {str(rows.of) for rows in lists.values()}
        for id_, key in self.rules.character.items():
            name, label = str(id_), self.label(str(id_))
            catalogue = key.catalogue(name)
            if key.kind == "choices" and name not in lists and f"choices.{catalogue}" not in picked:
                listed = self.rules.choices[catalogue]
                entries = listed.entries.values()
                if leveled is not any(b.once for e in entries for b in all_grants(e.grants)):
                    continue
                if leveled and not any(e.text for e in entries):
                    yield self.block(label, self._lines(name, ".name", 2), live=True)
                    continue
                longest = {"name": max((len(e.name) for e in entries), default=0)}
                longest["text"] = max((len(e.text) for e in entries), default=0)
                most = 0 if listed.open or listed.custom else len(entries)
                most = most if all(entry.once for entry in entries) else 0
                yield self._listed(name, label, longest, len(entries), most)
            elif leveled:
                continue
            elif key.kind == "texts" and name not in lists:
                yield self.block(label, self._lines(name, "", 4), grows=4)
            elif key.kind == "items" and name not in whole and "gear" not in whole:
                row = {"kind": "block", "stem": name, "n": 1, "label": label, "lines": 4}
                row |= {"pitch": self.sizes["pitch"], "height": 4 * self.sizes["pitch"]}
                yield self.block(label, (row,), grows=12)
        for id_, rows in () if leveled else lists.items():
            if len(rows.columns) == 1:
                many = 8 if rows.of == "gear" or rows.of in self.rules.character else 4
                lines = self._lines(str(id_), f".{next(iter(rows.columns))}", many)
                yield self.block(rows.label or id_label(str(id_)), lines, grows=4)

    def _lines(self, stem: str, suffix: str, count: int) -> tuple[Row, ...]:
        row = {"kind": "line", "stem": stem, "suffix": suffix, "height": self.sizes["line"]}
        label = self.label(stem) if stem in self.rules.character else id_label(stem)
        return tuple({**row, "n": n, "label": label} for n in range(1, count + 1))

    def besides(self) -> Iterator[SheetBlock]:
        """Yield the block of keys that have no cell in the title block."""
        sizes = self.sizes
        rows = [{"kind": "labelled", "height": sizes["line"], **cell} for cell in self.later]
        long = any(len(row["label"]) > 18 for row in rows)  # as in `rows.html.j2`
        span = sizes["half" if long else "wide"]
        yield from [self.block("Besides", self.labelled(rows, span), span)] if rows else []

    def texts(self) -> None:
        """Add lines of text: short ones in columns, long ones across the page."""
        sizes = self.sizes
        rows: dict[int, list[Row]] = {1: [], 2: [], 3: []}
        for id_, line in self.rules.texts.items():
            blank = len(line.blank) // 2 if "{" in line.blank else len(line.blank)
            length = max(blank, len(line.text) // 2 if "{" in line.text else 0)
            size = 1 + (length > sizes["words_across"])
            size = 3 if size == 2 and length > sizes["most_words"] else size
            row = {"kind": "text", "mark": f"{id_}.text", "ticks": (), "tall": size == 3}
            row |= {"label": line.label or id_label(str(id_))}
            rows[size].append({**row, "height": sizes["line"] * (1 + (size == 3))})
        for size, title in ((1, "At a glance"), (2, "At hand"), (3, "Rules at hand")):
            if rows[size]:
                span = sizes["half"] if size == 1 else GRID
                long = any(len(row["label"]) > 18 for row in rows[size])  # as in `rows.html.j2`
                narrow = size == 1 and len(rows[size]) < 5 and not long
                span = sizes["wide"] if narrow else span
                put = self.layout.pend if narrow else self.layout.spread
                put(self.block(title, self.labelled(rows[size], span), span))

    def effects(self) -> None:
        """Add the texts of the choices in the title block; few choices to tick on the blank."""
        sizes, longest = self.sizes, 0
        rows: list[Row] = []
        across = [self.width(span) - sizes["label_room"] for span in (sizes["half"], GRID)]
        span = sizes["half"]
        for id_, key in self.rules.character.items():
            catalogue = key.catalogue(id_) if key.kind == "choice" else ""
            of = self.rules.choices.get(catalogue)
            if of is not None and any(entry.text for entry in of.entries.values()):
                longest = max(longest, *(len(entry.text) for entry in of.entries.values()))
                row = {"kind": "text", "label": self.label(str(id_)), "mark": f"{id_}_text"}
                most = max(len(entry.name) for entry in of.entries.values())
                needs = len(of.entries) * (most * sizes["letter"] + sizes["box"])
                ticks = needs <= across[1] and not of.open
                span = GRID if ticks and needs > across[0] else span
                rows.append({**row, "ticks": tuple(of.entries) if ticks else ()})
        span = GRID if len(rows) == 1 else span
        tall = longest > sizes["words_across"] * (2 if span == GRID else 1)
        rows = [{**row, "tall": tall, "height": sizes["line"] * (1 + tall)} for row in rows]
        if rows:
            self.layout.pend(self.block("What it does", self.labelled(rows, span), span))

    def reminders(self) -> None:
        """Add the one-line reminders of the rules."""
        wide = self.width(self.sizes["half"]) / self.sizes["hint_letter"]
        long = any(len(line) > wide for line in self.rules.reminders)
        hint = {"kind": "hint", "height": self.sizes["hint"]}
        rows = ({**hint, "label": line} for line in self.rules.reminders)
        self.layout.spread(self.block("Reminders", rows, GRID if long else self.sizes["half"]))


def _longest(rules: Ruleset, rows: ItemRows, text: str) -> int:
    """Return about how many letters the longest cell of a column has."""

    def field(thing: Choice | Item, name: str) -> object:
        """Return what a column shows of a thing, if it is a text of the rules."""
        if name.startswith("fact.") and isinstance(thing, Choice):
            return thing.facts.get(name.removeprefix("fact."), "")
        if name == "computed" and isinstance(thing, Choice):
            return thing.computed or thing.text
        if name == "note" and isinstance(thing, Item):
            return "; ".join(filter(None, (thing.special, thing.conditional)))
        shown = name in ("name", "text", "special", "conditional")
        return getattr(thing, name, "") if shown else ""

    def filled(match: re.Match[str]) -> str:
        values = [str(field(thing, match[1].strip())) for thing in found]
        return max(values, key=len, default="") or "00000"

    catalogue = rules.choices.get(str(rows.of).removeprefix("choices."))
    found = [
        thing
        for id_, thing in (rules.gear if catalogue is None else catalogue.entries).items()
        if has_tags(rows, {str(id_), *map(str, thing.tags)})
    ]
    return len(re.sub(r"\{([^{}]*)\}", filled, text))
