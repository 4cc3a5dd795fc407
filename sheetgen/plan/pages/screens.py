"""Pages of a screen: blocks in columns, at the largest type size at which they fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain, groupby, product
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.load.rulesets.rulesets import origin_of, origin_of_table
from sheetgen.model.build import Value
from sheetgen.model.rulesets.prints import BLOCKS, Panel, ScreenBlock
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.plan.fit import find_lowest
from sheetgen.plan.pages.screen_blocks import (
    BETWEEN,
    HEIGHTS,
    LEAST,
    LOOSE,
    MOST,
    SPARSE,
    BlockLayout,
    PanelSizes,
    SignWriter,
    TextMeasure,
    bands_of,
    folio_width,
    heights,
    lay_out_column,
)
from sheetgen.plan.pages.tables import PlayerWords, round_percent
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import filled as words
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.tables.compute import BlockRows, NoSuchRow, rows_of
from sheetgen.rules.tables.things import RulesetScope as Scope
from sheetgen.units import MM, paper_points

SIDE: Final = 10 * MM
GUTTER: Final = 9.5 * MM
TOP: Final = 25.5 * MM  # the top of the first heads, below the panel's name
FOOT: Final = 13 * MM  # the least space below the last block
STEP: Final = 0.25  # the step of type sizes that are tried, in points
COLUMNS: Final = 3
UNEVEN: Final = 0.5  # columns that differ by more than this share of the page may be fewer
MOST_PARTS: Final = 3  # the most pages of a picture; the middle of the second has what it is about
USUAL: Final = 1.5  # the gap between two blocks, in type sizes, before rows of a page get air


@frozen
class PlacedBlock:
    """A block on its page."""

    left: float
    top: float
    width: float
    layout: BlockLayout


@frozen
class PanelHead:
    """The name of a panel above its columns."""

    left: float
    width: float
    title: str
    subtitle: str = ""


@frozen
class PanelView:
    """A planned page of a screen."""

    id: str  # its anchor in HTML; `first` is the panel that its first block is from
    first: str
    side: str
    heads: tuple[PanelHead, ...]  # the names of its panels, from left to right
    sizes: PanelSizes
    paper: tuple[float, float]
    blocks: tuple[PlacedBlock, ...]
    number: int = 1
    count: int = 1
    part: tuple[int, int] = (0, 0)  # of a picture over several pages, from 0, and their number


def plan_screens(
    rules: Ruleset,
    names: Sequence[str],
    options: Mapping[str, Value],
    paper: str,
    measure: TextMeasure,
    credit: float,
    small: float,
) -> Checked[tuple[PanelView, ...]]:
    """Return the pages, each with blocks of one or more panels.

    What does not fit a page is left out, with a finding.

    Args:
        credit: The type size of the credit in points; its lines take space from the blocks.
        small: The least type size of all other text.
    """
    high, wide = paper_points(paper)  # A panel lies on the paper's long side.
    # The credit takes a share of its line, with this leading and these margins in `paper.css`.
    room = wide - 2 * SIDE
    room = min(room * 0.78, room - folio_width(rules, credit, measure))
    lines = measure.break_lines(rules.credit.short, credit, room)
    foot = max(FOOT, 10 * MM + len(lines) * credit * 1.1)
    findings: list[Finding] = []
    topics = [*find_panel_topics(rules, names, options, findings)]
    least = PanelSizes(max(LEAST, small), small)
    page = _Page((wide, high), foot, measure, findings, least)
    views: list[PanelView] = []
    for (_, fixed), some in groupby(topics, key=lambda one: (one.side, one.fixed)):
        for found in map(page.plan_alone, some) if fixed else [page.plan_packed([*some])]:
            views += found
    chosen = [(id_, screen) for id_, screen in rules.screens.items() if screen.art]
    if views and chosen and (not names or chosen[-1][0] in names):
        # The pages of the picture over the players' side, the first with the game's title. They
        # and the players' panels are as many as the panels at the other side, so that panels have
        # pages at their backs.
        pages = Counter(view.side for view in views)
        own = pages.pop(chosen[-1][1].label, 0)
        count = min(MOST_PARTS, max(1, max(pages.values()) - own if pages else own))
        for at in range(count):
            heads = () if at else (PanelHead(SIDE, wide - 2 * SIDE, rules.title),)
            shown = f"picture-{at + 1}", "", rules.title, heads, page.least, page.paper, ()
            views.append(PanelView(*shown, part=(at, count)))
    sides = [view.side for view in views]
    for at, view in enumerate(views):
        again = sum(1 for other in views[:at] if other.first == view.id)
        anchor = f"{view.id}-{again + 1}" if again else view.id
        number, count = sides[: at + 1].count(view.side), sides.count(view.side)
        views[at] = replace(view, id=anchor, number=number, count=count)
    return Checked(tuple(views), tuple(findings))


@frozen
class _Page:
    """The room of a page, what is measured with, and findings about what does not fit it."""

    paper: tuple[float, float]
    foot: float
    measure: TextMeasure
    findings: list[Finding]
    least: PanelSizes

    @property
    def high(self) -> float:
        return self.paper[1] - TOP - self.foot

    def room(self, columns: int) -> float:
        return (self.paper[0] - 2 * SIDE - (columns - 1) * GUTTER) / columns

    def plan_packed(self, topics: Sequence[PanelTopic]) -> Iterator[PanelView]:
        """Yield the pages of panels that may share them, each in the largest size it can have.

        Panels with a block that is too wide for its column, or too high for the page, have fewer
        columns.
        """
        room = self.room(COLUMNS)

        def is_large(topic: PanelTopic) -> bool:
            every = (lay_out_column(c, self.least, self.measure, room) for c in topic.columns)
            return not all(_fits(PackedBlock(topic, one), self.high) for one in chain(*every))

        for large, some in groupby(topics, is_large):
            yield from self._plan_columns([*some], COLUMNS - large)

    def _plan_columns(self, topics: Sequence[PanelTopic], across: int) -> Iterator[PanelView]:
        drafts = self._lay_out(topics, across)
        _, least = drafts[0]
        misfits = {at for at, one in enumerate(least) if not _fits(one, self.high)}
        for one in (least[at] for at in sorted(misfits)):
            self._report(one.topic.id, one.layout, one.layout.height - self.high)
        drafts = [(sizes, _without(blocks, misfits)) for sizes, blocks in drafts]
        for start, stop in _split_pages(_without(least, misfits), self.least, self.high, across):
            count, (sizes, columns) = across, self._largest(drafts, start, stop, across)
            # A long list in a narrow column keeps all of its page small.
            if count == COLUMNS and unevenness(columns, sizes, self.high, count) > UNEVEN:
                wider = self._lay_out(topics, COLUMNS - 1)
                wider = [(one, _without(blocks, misfits)) for one, blocks in wider]
                larger, fewer = self._largest(wider, start, stop, COLUMNS - 1)
                if larger.base > sizes.base:
                    count, sizes, columns = COLUMNS - 1, larger, fewer
            yield self._view(sizes, columns, count)

    def _lay_out(self, topics: Sequence[PanelTopic], count: int) -> list[_Draft]:
        """Return the blocks of panels in each size, in columns of which a page has `count`."""
        drafts: list[_Draft] = []
        every = [(topic, column) for topic in topics for column in topic.columns]
        room = self.room(count)
        for step in range(round((SPARSE - self.least.base) / STEP) + 1):
            sizes = replace(self.least, base=self.least.base + step * STEP)
            laid_out = ((t, lay_out_column(c, sizes, self.measure, room)) for t, c in every)
            drafts.append((sizes, [PackedBlock(t, one) for t, some in laid_out for one in some]))
        return drafts

    def _largest(
        self, drafts: Sequence[_Draft], start: int, stop: int, count: int
    ) -> tuple[PanelSizes, list[PackedColumn]]:
        """Return the largest size of some blocks in `count` columns, and these, if any."""
        for sizes, blocks in reversed(drafts):
            some = blocks[start:stop]
            high = self.high * (1 if sizes.base <= MOST else 0.75)
            fit = all(_fits(one, high) for one in some)
            if fit and (columns := arrange_page(some, sizes, high, count)):
                return sizes, columns
        return drafts[0][0], []

    def _view(
        self, sizes: PanelSizes, columns: Sequence[Sequence[PackedBlock]], count: int
    ) -> PanelView:
        """Return a page of `count` columns with the air in all rows that its height allows.

        Rows of a column that ends early get a little more. What is left widens its gaps.
        """
        base, counts, spares = sizes.base, [], []
        for column in columns:
            counts.append(sum(len(one.layout.rows) for one in column if not one.layout.is_drawn))
            gaps = (len(column) - 1) * (USUAL - BETWEEN) * base
            spares.append(max(0.0, self.high - column_height(column, sizes) - gaps))
        rooms = [spare / max(1, count) for spare, count in zip(spares, counts, strict=True)]
        even = min(0.42 * base, *rooms)  # the most that each row of a page gets
        room = self.room(count)
        placed: list[PlacedBlock] = []
        for at, (column, most) in enumerate(zip(columns, rooms, strict=True)):
            air = round(min(even + 0.3 * base, most), 2)
            aired = [replace(one, layout=one.layout.aired(air)) for one in column]
            spare = (self.high - column_height(aired, sizes)) / max(1, len(aired) - 1)
            gap = BETWEEN * base + min((LOOSE - BETWEEN) * base, spare)
            left, top = SIDE + at * (room + GUTTER), TOP
            for one in aired:
                place = round(left, 2), round(top, 2), round(room, 2)
                placed.append(PlacedBlock(*place, one.layout))
                top += one.layout.height + gap
        heads: list[PanelHead] = []
        for topic, some in groupby(enumerate(columns), lambda one: one[1][0].topic):
            places = [at for at, _ in some]
            left = round(SIDE + places[0] * (room + GUTTER), 2)
            across = round(len(places) * (room + GUTTER) - GUTTER, 2)
            heads.append(PanelHead(left, across, str(topic.panel.title), str(topic.panel.subtitle)))
        first = columns[0][0].topic
        words = str(first.id), str(first.id), first.side, tuple(heads)
        return PanelView(*words, sizes, self.paper, tuple(placed))

    def plan_alone(self, topic: PanelTopic) -> Iterator[PanelView]:
        """Yield the page of a panel that shares it with none; bands of blocks cross the columns."""
        room, size = self.room(len(topic.columns)), MOST
        while True:
            sizes = replace(self.least, base=size)
            sets = [[*lay_out_column(one, sizes, self.measure, room)] for one in topic.columns]
            bands = bands_of(sets)
            high, gap = heights(bands, sizes), BETWEEN * sizes.base
            spare = self.high - (sum(high) + (len(bands) - 1) * BETWEEN * sizes.base)
            every = [one for column in sets for one in column]
            wide = [one for one in every if one.too_wide > 0.05]
            if spare >= 0 and not wide:
                break
            if size <= self.least.base:
                one = wide[0] if wide else max(every, key=lambda one: one.height)
                self._report(topic.id, one, -spare)
                return
            size = max(self.least.base, size - STEP)
        gap += min((LOOSE - BETWEEN) * sizes.base, spare / max(1, len(bands) - 1))
        tops = [*accumulate((band + gap for band in high), initial=TOP)]
        # In reading order, column by column.
        blocks = tuple(
            PlacedBlock(round(SIDE + at * (room + GUTTER), 2), round(top, 2), round(room, 2), one)
            for at in range(len(sets))
            for band, top in zip(bands, tops, strict=False)
            for column, one in band
            if column == at
        )
        across = self.paper[0] - 2 * SIDE
        head = PanelHead(SIDE, across, str(topic.panel.title), str(topic.panel.subtitle))
        words = str(topic.id), str(topic.id), topic.side, (head,)
        yield PanelView(*words, sizes, self.paper, blocks)

    def _report(self, id_: Text, one: BlockLayout, over: float) -> None:
        """Report a block of a panel that is too wide, or `over` its page in height."""
        head, least = one.block.head, self.least.base
        if one.too_wide > 0.05:
            message = f"`{head}` is {one.too_wide:.0f} pt wider than its column at {least:g} pt"
            hint = "shorten the words of its first column, or show fewer columns"
        else:
            message = f"the panel `{id_}` is {over:.0f} pt over its page at {least:g} pt"
            hint = f"move rows of the block `{head}` to another block"
        self.findings.append(Finding(codes.PANEL_FULL, head.span, message, hint))


def list_panel_names(rules: Ruleset) -> tuple[str, ...]:
    """Return all names of sides and panels."""
    below = (str(id_) for screen in rules.screens.values() for id_ in screen.panels)
    return tuple(dict.fromkeys((*map(str, rules.screens), *below)))


def find_panel_topics(
    rules: Ruleset, names: Sequence[str], options: Mapping[str, Value], findings: list[Finding]
) -> Iterator[PanelTopic]:
    """Yield the panels that have blocks, with the rows of these.

    `names` are sides or panels; all of them if it is empty.
    """
    signs, scope = SignWriter(rules), Scope(rules, options)
    shown = PlayerWords(rules.rulings, signs=signs)

    def filled(column: Sequence[ScreenBlock]) -> Iterator[tuple[ScreenBlock, BlockRows]]:
        for block in column:
            if str(block.kind) not in BLOCKS:
                message = f"there is no kind of block `{block.kind}`"
                span = block.kind.span if isinstance(block.kind, Text) else block.head.span
                hint = f"use one of {', '.join(BLOCKS)}"
                findings.append(Finding(codes.DANGLING, span, message, hint))
                continue
            try:
                rows = rows_of(rules, block, options)
                block = replace(block, about=shown.text(words(block.about, scope)))
            except FormulaError as error:
                code = codes.DANGLING if isinstance(error, NoSuchRow) else codes.UNANSWERED
                message = f"the block `{block.head}` cannot be worked out: {error}"
                findings.append(Finding(code, block.head.span, message))
                continue
            if rows is not None and rows.rows:
                overlays = (origin_of_table(rules, str(table)) for table in block.tables)
                found = (origin_of(rules, block.head.span), *overlays)
                origin = next((one.title for one in found if one is not None), "")
                put = shown.cell if block.kind in HEIGHTS and block.kind != "grid" else shown.text
                cells = tuple(
                    (signs.first(row[0], block.signs) or put(row[0]), *map(put, row[1:]))
                    for row in rows.rows
                )
                cells = tuple(tuple(map(round_percent, row)) for row in cells)
                yield block, replace(rows, rows=cells, text=shown.text(rows.text), origin=origin)

    named = (
        (screen.label, id_ if isinstance(id_, Text) else Text(id_, rules.place), panel)
        for side, screen in rules.screens.items()
        for id_, panel in screen.panels.items()
        if not names or id_ in names or side in names
    )
    for side, id_, panel in named:
        columns = [[*filled(column)] for column in panel.columns]
        full = [column for column in columns if column]
        if full:
            try:
                subtitle = words(panel.subtitle, scope)
            except FormulaError as error:
                message = f"`{panel.subtitle}` cannot be worked out: {error}"
                findings.append(Finding(codes.UNANSWERED, panel.title.span, message))
                subtitle = ""
            panel = replace(panel, subtitle=subtitle)
            fixed = any(not b.head or b.bands > 1 for column in full for b, _ in column)
            yield PanelTopic(side, id_, panel, full, fixed)


@frozen
class PanelTopic:
    """A panel of the ruleset, which may share pages with others."""

    side: str  # the label of its side
    id: Text
    panel: Panel
    columns: list[list[tuple[ScreenBlock, BlockRows]]]  # its blocks, with their rows
    # Whether it has a page of its own, its columns as they are written: blocks without a heading
    # continue those beside them, and some are several bands high.
    fixed: bool


@frozen
class PackedBlock:
    """A block, and the panel that it is from."""

    topic: PanelTopic
    layout: BlockLayout


PackedColumn = list[PackedBlock]
_Draft = tuple[PanelSizes, list[PackedBlock]]  # all blocks in one size


def _without(blocks: Sequence[PackedBlock], left_out: Container[int]) -> list[PackedBlock]:
    return [one for at, one in enumerate(blocks) if at not in left_out]


def _split_pages(
    blocks: Sequence[PackedBlock], sizes: PanelSizes, high: float, across: int
) -> list[tuple[int, int]]:
    """Return the blocks of each page, in as few pages as possible that are about equally full.

    A panel that fits a page is not split: each has one place, where a game master looks for it.
    """
    best: list[tuple[int, float, list[tuple[int, int]]]] = [(0, 0.0, [])]
    for stop in range(1, len(blocks) + 1):
        found = []
        for start in range(stop - 1, -1, -1):
            full = sum(one.layout.height for one in blocks[start:stop]) / (across * high)
            columns = arrange_page(blocks[start:stop], sizes, high, across) if full <= 1 else []
            if not columns:
                break
            uneven = unevenness(columns, sizes, high, across)
            split = stop < len(blocks) and blocks[stop].topic is blocks[stop - 1].topic
            count, cost, pages = best[start]
            cost += (1 - full) ** 2 + uneven**2 / 3
            found.append((count + 1 + 2 * split, cost, [*pages, (start, stop)]))
        best.append(min(found))
    return best[-1][2]


def arrange_page(
    blocks: Sequence[PackedBlock], sizes: PanelSizes, high: float, across: int
) -> list[PackedColumn]:
    """Return the blocks of a page in columns, no column with two panels; none if they do not fit.

    Panels keep their order, so that each has its place.
    """
    panels = [[*some] for _, some in groupby(blocks, key=lambda one: one.topic.id)]
    if len(panels) > across:
        return []
    found = []
    for shares in product(range(1, across + 1), repeat=len(panels)):
        if sum(shares) == across:
            pairs = zip(panels, shares, strict=True)
            parts = [page_columns(some, sizes, high, count, across) for some, count in pairs]
            found += [[*chain.from_iterable(parts)]] if all(parts) else []
    return min(found, key=lambda one: unevenness(one, sizes, high, across), default=[])


def page_columns(
    blocks: Sequence[PackedBlock], sizes: PanelSizes, high: float, count: int, across: int
) -> list[PackedColumn]:
    """Return blocks in `count` of the `across` columns, about equally high; none if none fit."""
    found: list[list[PackedColumn]] = []
    for fill in (partial(_in_order, 1), partial(_in_order, 4)):
        columns = fill(blocks, sizes, high, count)
        if not columns:
            continue
        low = max(one.layout.height for one in blocks)
        lower = find_lowest(lambda limit: fill(blocks, sizes, limit, count) or None, low, high, 1)  # noqa: B023
        columns = lower or columns
        # Where some were left empty beside full ones, the highest is divided.
        while len(columns) < count and any(len(column) > 1 for column in columns):
            several = (at for at, column in enumerate(columns) if len(column) > 1)
            at = max(several, key=lambda at: column_height(columns[at], sizes))
            full = columns[at]
            halves = [[full[:cut], full[cut:]] for cut in range(1, len(full))]
            best = min(halves, key=lambda two: max(column_height(one, sizes) for one in two))
            columns = [*columns[:at], *best, *columns[at + 1 :]]
        found.append(columns)
    # Columns whose heights differ by less than half of this share of the page are even.
    share = 0.12 * high
    return min(found, key=lambda one: round(unevenness(one, sizes, share, across)), default=[])


def unevenness(
    columns: Sequence[PackedColumn], sizes: PanelSizes, high: float, across: int
) -> float:
    """Return by how much the columns of a page, so many, differ in height, as a share of it."""
    heights = [column_height(column, sizes) for column in columns]
    return (max(heights) - (min(heights) if len(columns) == across else 0.0)) / high


def _in_order(
    further: int, blocks: Sequence[PackedBlock], sizes: PanelSizes, high: float, count: int
) -> list[PackedColumn]:
    """Return blocks in columns; the highest of some that fits moves before one that does not."""
    rest: list[PackedBlock] = [*blocks]
    columns: list[PackedColumn] = [[]]
    while rest:
        left = high - column_height(columns[-1], sizes)
        left -= BETWEEN * sizes.base if columns[-1] else 0.0
        if rest[0].layout.height <= left:
            columns[-1].append(rest.pop(0))
            continue
        fitting = [one for one in rest[:further] if one.layout.height <= left]
        if fitting:
            best = max(fitting, key=lambda one: one.layout.height)
            columns[-1].append(best)
            rest = [one for one in rest if one is not best]
        else:
            columns.append([])
    return columns if len(columns) <= count else []


def _fits(one: PackedBlock, high: float) -> bool:
    return one.layout.too_wide <= 0.05 and one.layout.height <= high


def column_height(column: Sequence[PackedBlock], sizes: PanelSizes) -> float:
    """Return the height of a column with the least gaps between its blocks."""
    return sum(one.layout.height for one in column) + (len(column) - 1) * BETWEEN * sizes.base
