"""Pages of a screen: blocks in columns, at the largest type size at which they fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.load.rulesets.rulesets import origin_of, origin_of_table
from sheetgen.model.build import Value
from sheetgen.model.rulesets.prints import BLOCKS, Panel, ScreenBlock
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.plan.pages.screen_blocks import (
    BETWEEN,
    LEAST,
    LOOSE,
    MOST,
    NAME,
    BlockLayout,
    PanelSizes,
    TextMeasure,
    as_curves,
    as_drawn,
    as_grid,
    bands_height,
    bands_of,
    folio_width,
    heights,
    lead_of,
    line_block,
)
from sheetgen.plan.pages.screen_packing import (
    COLUMNS,
    STEP,
    PackedBlock,
    PanelTopic,
    aired_columns,
    column_height,
    main_panels,
    pack_blocks,
    too_high,
    too_wide,
)
from sheetgen.plan.pages.tables import PlayerWords, round_percent
from sheetgen.rules.formulas.evaluate import filled as words
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.tables.compute import BlockRows, NoSuchRow, rows_of
from sheetgen.rules.tables.figures import RulesetScope as Scope
from sheetgen.units import MM, paper_points

SIDE: Final = 10 * MM
GUTTER: Final = 9.5 * MM
TOP: Final = 25.5 * MM
"""The top of the first heads, below the panel's name."""

FOOT: Final = 13 * MM
"""The least space below the last block."""

_BELOW: Final = 10 * MM
"""The space below and above the credit; `paper.css` has 7.9 mm below it."""

_CREDIT: Final = 0.78
_LEADING: Final = 1.1
"""The share of a line for the credit, and its leading, as in `paper.css`."""


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block on its page."""

    left: float
    top: float
    width: float
    layout: BlockLayout


@dataclass(frozen=True, slots=True)
class PanelView:
    """A planned page of a screen.

    Attributes:
        id: Its anchor in HTML; `first` is the panel that its first block is from.
    """

    id: str
    first: str
    side: str
    title: str
    subtitle: str
    sizes: PanelSizes
    paper: tuple[float, float]
    blocks: tuple[PlacedBlock, ...]
    number: int = 1
    count: int = 1


def plan_screens(
    rules: Ruleset,
    names: Sequence[str],
    options: Mapping[str, Value],
    paper: str,
    measure: TextMeasure,
    credit: float,
    title: float,
    *,
    art: bool = False,
) -> Checked[tuple[PanelView, ...]]:
    """Return the pages, each with blocks of one or more panels.

    What does not fit a page is left out, with a finding.

    Args:
        credit: The type size of the credit in points; its lines take space from the blocks.
        title: The type size of the panels' names.
        art: Whether the face of the game has a motif, for sides that show it.
    """
    high, wide = paper_points(paper)  # A panel lies on the paper's long side.
    room = wide - 2 * SIDE
    room = min(room * _CREDIT, room - folio_width(rules, credit, measure))
    lines = measure.break_lines(rules.credit.short, credit, room)
    foot = max(FOOT, _BELOW + len(lines) * credit * _LEADING)
    findings: list[Finding] = []
    topics = [*find_panel_topics(rules, names, options, findings)]
    page = _Page((wide, high), foot, measure, title)
    views: list[PanelView] = []
    for _, some in groupby(topics, key=lambda one: (one.side, one.fixed)):
        fitted = page.views([*some])
        views += fitted.value or ()
        findings += fitted.findings
    for screen in rules.screens.values() if art else ():
        places = [place for place, view in enumerate(views) if view.side == screen.label]
        if screen.art and places:
            last = views[places[-1]]
            view = replace(last, id=f"{last.id}-art", first="", title=rules.title, blocks=())
            views.insert(places[-1] + 1, replace(view, subtitle=""))
    sides = [view.side for view in views]
    seen: dict[str, int] = {}
    for at, view in enumerate(views):
        seen[view.side] = seen.get(view.side, 0) + 1
        again = sum(1 for other in views[:at] if other.first == view.id)
        anchor = f"{view.id}-{again + 1}" if again else view.id
        number, count = seen[view.side], sides.count(view.side)
        views[at] = replace(view, id=anchor, number=number, count=count)
    return Checked(tuple(views), tuple(findings))


@dataclass(frozen=True, slots=True)
class _Page:
    """The room of a page, and what is measured with."""

    paper: tuple[float, float]
    foot: float
    measure: TextMeasure
    title: float

    @property
    def high(self) -> float:
        """The height of columns."""
        return self.paper[1] - TOP - self.foot

    def room(self, columns: int) -> float:
        """Return the width of one of so many columns."""
        return (self.paper[0] - 2 * SIDE - (columns - 1) * GUTTER) / columns

    def views(self, topics: Sequence[PanelTopic]) -> Checked[list[PanelView]]:
        """Return the pages of panels that may share them."""
        if topics[0].fixed:
            views: list[PanelView] = []
            findings: list[Finding] = []
            for topic in topics:
                fitted = self._alone(topic)
                views += [fitted.value] if fitted.value is not None else []
                findings += fitted.findings
            return Checked(views, tuple(findings))
        return self._packed(topics)

    def _packed(self, topics: Sequence[PanelTopic]) -> Checked[list[PanelView]]:
        room, measure = self.room(COLUMNS), self.measure
        left_out: set[int] = set()
        findings: list[Finding] = []

        def lay_out(sizes: PanelSizes) -> list[PackedBlock]:
            blocks = [
                PackedBlock(topic, one)
                for topic in topics
                for column in topic.columns
                for one in _lay_out_column(column, sizes, measure, room)
            ]
            return [one for one in blocks if id(one.layout.block) not in left_out]

        packed = pack_blocks(lay_out, self.high)
        while packed.misfits:
            for one in packed.misfits:
                wide = one.layout.too_wide > 0.05
                over = one.layout.height - self.high
                findings.append(
                    too_wide(one.layout) if wide else too_high(one.topic.id, one.layout, over)
                )
                left_out.add(id(one.layout.block))
            packed = pack_blocks(lay_out, self.high)
        views = [self._view(sizes, page) for sizes, page in packed.pages]
        return Checked(views, tuple(findings))

    def _view(self, sizes: PanelSizes, columns: Sequence[Sequence[PackedBlock]]) -> PanelView:
        """Return a page of columns; spare space widens the gaps of each column."""
        room = self.room(COLUMNS)
        placed: list[PlacedBlock] = []
        for at, column in enumerate(aired_columns(columns, sizes, self.high)):
            spare = (self.high - column_height(column, sizes)) / max(1, len(column) - 1)
            gap = BETWEEN * sizes.base + min((LOOSE - BETWEEN) * sizes.base, spare)
            left, top = SIDE + at * (room + GUTTER), TOP
            for one in column:
                place = round(left, 2), round(top, 2), round(room, 2)
                placed.append(PlacedBlock(*place, one.layout))
                top += one.layout.height + gap
        panels = main_panels(columns)
        first, *others = panels
        title, subtitle = str(first.panel.title), "" if others else str(first.panel.subtitle)
        for other in others[:1]:
            longer = f"{title} · {other.panel.title}"
            if self.measure.face_width(longer, NAME, self.title) <= self._title_room():
                title = longer
        words = str(first.id), str(first.id), first.side, title, subtitle
        return PanelView(*words, sizes, self.paper, tuple(placed))

    def _title_room(self) -> float:
        return self.paper[0] - 2 * SIDE - 27 * MM

    def _alone(self, topic: PanelTopic) -> Checked[PanelView]:
        """Return a panel on a page of its own, its blocks in bands across the columns."""
        room, columns = self.room(len(topic.columns)), topic.columns
        size = MOST
        while True:
            sizes = PanelSizes(size)
            sets = [_lay_out_column(column, sizes, self.measure, room) for column in columns]
            spare = self.high - bands_height(bands_of(sets), sizes)
            wide = [one for column in sets for one in column if one.too_wide > 0.05]
            if spare >= 0 and not wide:
                break
            if size <= LEAST:
                high = max((one for column in sets for one in column), key=lambda one: one.height)
                finding = too_wide(wide[0]) if wide else too_high(topic.id, high, -spare)
                return Checked(None, (finding,))
            size = max(LEAST, size - STEP)
        blocks = tuple(_place_blocks(sets, sizes, spare, room))
        panel, named = topic.panel, (str(topic.id), str(topic.id), topic.side)
        words = *named, str(panel.title), str(panel.subtitle)
        return Checked(PanelView(*words, sizes, self.paper, blocks))


def _lay_out_column(
    column: Sequence[tuple[ScreenBlock, BlockRows]],
    sizes: PanelSizes,
    measure: TextMeasure,
    room: float,
) -> list[BlockLayout]:
    """Return the blocks of a column; all leads of one kind have the same width."""
    leads: dict[str, float] = {}
    for block, rows in column:
        lead = lead_of(block, rows, sizes, measure)
        leads[_lead_kind(block)] = max(lead, leads.get(_lead_kind(block), 0.0))
    blocks = []
    for block, rows in column:
        if block.kind == "grid":
            blocks.append(as_grid(block, rows, sizes, measure, room))
        elif block.kind == "curves":
            blocks.append(as_curves(block, rows, sizes, measure, room))
        elif block.kind in ("stations", "stairs"):
            blocks.append(as_drawn(block, rows, sizes, measure, room))
        else:
            lead = leads[_lead_kind(block)]
            blocks.append(line_block(block, rows, sizes, measure, room, lead))
    return blocks


def _lead_kind(block: ScreenBlock) -> str:
    """Return the kind of the first cells of a block: numbers or words."""
    return "numbers" if block.kind in ("numbers", "ladder") else "words"


def _place_blocks(
    sets: Sequence[Sequence[BlockLayout]], sizes: PanelSizes, spare: float, room: float
) -> Iterator[PlacedBlock]:
    """Yield the blocks in reading order, column by column; spare space widens the gaps."""
    bands = bands_of(sets)
    more = (LOOSE - BETWEEN) * sizes.base
    gap = BETWEEN * sizes.base + min(more, spare / max(1, len(bands) - 1))
    tops, top = [], TOP
    for height in heights(bands, sizes):
        tops.append(top)
        top += height + gap
    for column in range(len(sets)):
        left = SIDE + column * (room + GUTTER)
        for at, band in enumerate(bands):
            for place, one in band:
                if place == column:
                    yield PlacedBlock(round(left, 2), round(tops[at], 2), round(room, 2), one)


# The panels of a ruleset with the rows of their blocks, as the options let them be.


def find_panels(rules: Ruleset, names: Sequence[str]) -> Iterator[tuple[str, Text, Panel]]:
    """Yield side, id and panel of the sides or panels in `names`, or of all of them."""
    for side, screen in rules.screens.items():
        for id_, panel in screen.panels.items():
            if not names or id_ in names or side in names:
                key = id_ if isinstance(id_, Text) else Text(id_, rules.place)
                yield screen.label, key, panel


def list_panel_names(rules: Ruleset) -> tuple[str, ...]:
    """Return all names of sides and panels."""
    below = (str(id_) for screen in rules.screens.values() for id_ in screen.panels)
    return tuple(dict.fromkeys((*map(str, rules.screens), *below)))


def find_panel_topics(
    rules: Ruleset, names: Sequence[str], options: Mapping[str, Value], findings: list[Finding]
) -> Iterator[PanelTopic]:
    """Yield the panels that have blocks, with the rows of these."""
    for side, id_, panel in find_panels(rules, names):
        columns = [[*_filled_blocks(rules, column, options, findings)] for column in panel.columns]
        filled = [column for column in columns if column]
        if filled:
            named = replace(panel, subtitle=_subtitle(rules, panel, options, findings))
            fixed = any(not block.head for column in filled for block, _ in column)
            yield PanelTopic(side, id_, named, filled, fixed)


def _filled_blocks(
    rules: Ruleset,
    column: Sequence[ScreenBlock],
    options: Mapping[str, Value],
    findings: list[Finding],
) -> Iterator[tuple[ScreenBlock, BlockRows]]:
    for block in column:
        if str(block.kind) not in BLOCKS:
            message = f"there is no kind of block `{block.kind}`"
            span = block.kind.span if isinstance(block.kind, Text) else block.head.span
            findings.append(Finding(codes.DANGLING, span, message, f"one of {', '.join(BLOCKS)}"))
            continue
        try:
            rows = rows_of(rules, block, options)
            block = replace(block, about=words(block.about, Scope(rules, options)))
        except FormulaError as error:
            code = codes.DANGLING if isinstance(error, NoSuchRow) else codes.UNANSWERED
            message = f"the block `{block.head}` cannot be worked out: {error}"
            findings.append(Finding(code, block.head.span, message))
            continue
        if rows is not None and rows.rows:
            yield block, _for_players(rules, replace(rows, origin=_origin(rules, block)))


def _subtitle(
    rules: Ruleset, panel: Panel, options: Mapping[str, Value], findings: list[Finding]
) -> str:
    try:
        return words(panel.subtitle, Scope(rules, options))
    except FormulaError as error:
        message = f"`{panel.subtitle}` cannot be worked out: {error}"
        findings.append(Finding(codes.UNANSWERED, panel.title.span, message))
        return ""


def _for_players(rules: Ruleset, rows: BlockRows) -> BlockRows:
    """Return rows without the codes of rulings, with typographic apostrophes."""
    text = PlayerWords(rules.rulings).text
    cells = [tuple(round_percent(text(cell)) for cell in row) for row in rows.rows]
    return replace(rows, rows=tuple(cells), text=text(rows.text))


def _origin(rules: Ruleset, block: ScreenBlock) -> str:
    """Return the title of the overlay that a block or one of its tables comes from."""
    origins = (origin_of_table(rules, str(table)) for table in block.tables)
    found = (origin_of(rules, block.head.span), *origins)
    return next((origin.title for origin in found if origin is not None), "")
