"""Panels of a screen: blocks in bands, at the largest size of type that the page holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.rulesets.overlays import origin_of, origin_of_table
from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.screens import BLOCKS, Panel, ScreenBlock
from sheetgen.model.source import Text
from sheetgen.plan.pages.screen_bands import BETWEEN, LOOSE, bands_height, bands_of, heights
from sheetgen.plan.pages.screen_blocks import (
    LEAST,
    MOST,
    BlockLayout,
    PanelSizes,
    as_curves,
    as_drawn,
    as_grid,
    lead_of,
    line_block,
)
from sheetgen.plan.pages.screen_lines import TextMeasure
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled as words
from sheetgen.rules.tables.screen_rows import BlockRows, NoSuchRow, rows_of
from sheetgen.rules.tables.tables import RulesetScope as Scope

MM: Final = 72 / 25.4
PAPERS: Final = {"a4": (297 * MM, 210 * MM), "letter": (279.4 * MM, 215.9 * MM)}
"""Width and height of papers on their long side."""

SIDE: Final = 10 * MM
GUTTER: Final = 9.5 * MM
TOP: Final = 25.5 * MM
"""Where the first heads begin, below a panel's own name."""

FOOT: Final = 12 * MM
"""What is kept free below the last block at least."""

_BELOW: Final = 7.9 * MM
"""Below and above the credit; `paper.css` has 7.1 mm below it."""

_CREDIT: Final = 0.78
_LEADING: Final = 1.1
"""Share of a line that the credit may take, and its leading; `paper.css` has the same."""

STEP: Final = 0.25


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block on its page."""

    left: float
    top: float
    width: float
    layout: BlockLayout


@dataclass(frozen=True, slots=True)
class PanelView:
    """A page of a screen, with all of its choices of place made."""

    id: str
    side: str
    title: str
    subtitle: str
    sizes: PanelSizes
    paper: tuple[float, float]
    blocks: tuple[PlacedBlock, ...]
    number: int = 1
    count: int = 1


def find_panels(rules: Ruleset, names: Sequence[str]) -> Iterator[tuple[str, Text, Panel]]:
    """Yield the side, the id and the panel of all that `names` mean: sides, or panels."""
    for side, screen in rules.screens.items():
        for id_, panel in screen.panels.items():
            if not names or id_ in names or side in names:
                key = id_ if isinstance(id_, Text) else Text(id_, rules.place)
                origin = origin_of(rules, key.span)
                label = f"{screen.label} · {origin.title}" if origin else screen.label
                yield label, key, panel


def list_panel_names(rules: Ruleset) -> tuple[str, ...]:
    """Return every name that may be asked for."""
    below = (str(id_) for screen in rules.screens.values() for id_ in screen.panels)
    return tuple(dict.fromkeys((*map(str, rules.screens), *below)))


def plan_screens(
    rules: Ruleset,
    names: Sequence[str],
    options: Mapping[str, Value],
    paper: str,
    measure: TextMeasure,
    credit: float,
) -> Checked[tuple[PanelView, ...]]:
    """Return the panels; one that does not fit its page is a finding, and is left out.

    Args:
        credit: Size of the credit, in points; several lines of it take room from the blocks.
    """
    size = PAPERS[paper]
    lines = measure.break_lines(rules.credit.short, credit, (size[0] - 2 * SIDE) * _CREDIT)
    foot = max(FOOT, _BELOW + len(lines) * credit * _LEADING)
    found: list[PanelView] = []
    findings: list[Finding] = []
    for side, id_, panel in find_panels(rules, names):
        said = [[*_said(rules, column, options, findings)] for column in panel.columns]
        filled = [column for column in said if column]
        if not filled:
            continue
        subtitle = _subtitle(rules, panel, options, findings)
        named = replace(panel, subtitle=subtitle)
        fitted = _fitted(side, id_, named, filled, size, foot, measure)
        if fitted.value is not None:
            found.append(fitted.value)
        findings += fitted.findings
    sides = [view.side for view in found]
    seen: dict[str, int] = {}
    for at, view in enumerate(found):
        seen[view.side] = seen.get(view.side, 0) + 1
        found[at] = replace(view, number=seen[view.side], count=sides.count(view.side))
    return Checked(tuple(found), tuple(findings))


Column = list[tuple[ScreenBlock, BlockRows]]


def _said(
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
            yield block, _from(rules, block, rows)


def _subtitle(
    rules: Ruleset, panel: Panel, options: Mapping[str, Value], findings: list[Finding]
) -> str:
    """Return what a panel says of itself, as the options have it."""
    try:
        return words(panel.subtitle, Scope(rules, options))
    except FormulaError as error:
        message = f"`{panel.subtitle}` cannot be worked out: {error}"
        findings.append(Finding(codes.UNANSWERED, panel.title.span, message))
        return ""


def _from(rules: Ruleset, block: ScreenBlock, rows: BlockRows) -> BlockRows:
    """Return rows that say whose they are, where a table of an overlay stands on a base's panel."""
    of_block = origin_of(rules, block.head.span)
    found = (origin_of_table(rules, str(table)) for table in block.tables)
    titles = dict.fromkeys(o.title for o in found if o is not None and o != of_block)
    if not titles:
        return rows
    return replace(rows, text=" ".join((rows.text, f"({', '.join(titles)})")).strip())


def _fitted(
    side: str,
    id_: Text,
    panel: Panel,
    columns: Sequence[Column],
    paper: tuple[float, float],
    foot: float,
    measure: TextMeasure,
) -> Checked[PanelView]:
    """Return the panel at the largest size at which it fits, or what is too much on it."""
    room = (paper[0] - 2 * SIDE - (len(columns) - 1) * GUTTER) / len(columns)
    high = paper[1] - TOP - foot
    size = MOST
    while True:
        sizes = PanelSizes(size)
        sets = [_sets(column, sizes, measure, room) for column in columns]
        spare = high - bands_height(bands_of(sets), sizes)
        wide = [one for column in sets for one in column if one.too_wide > 0.05]
        if spare >= 0 and not wide:
            break
        if size <= LEAST:
            finding = _too_wide(wide[0]) if wide else _too_high(id_, sets, sizes, high)
            return Checked(None, (finding,))
        size = max(LEAST, size - STEP)
    blocks = _placed(sets, sizes, spare, room)
    view = PanelView(str(id_), side, panel.title, panel.subtitle, sizes, paper, tuple(blocks))
    return Checked(view)


def _sets(
    column: Column, sizes: PanelSizes, measure: TextMeasure, room: float
) -> list[BlockLayout]:
    """Return the blocks of a column; all numbers, and all first words, are equally wide."""
    leads: dict[str, float] = {}
    for block, rows in column:
        lead = lead_of(block, rows, sizes, measure)
        leads[_first_of(block)] = max(lead, leads.get(_first_of(block), 0.0))
    found = []
    for block, rows in column:
        if block.kind == "grid":
            found.append(as_grid(block, rows, sizes, measure, room))
        elif block.kind == "curves":
            found.append(as_curves(block, rows, sizes, measure, room))
        elif block.kind in ("stations", "stairs"):
            found.append(as_drawn(block, rows, sizes, measure, room))
        else:
            lead = leads[_first_of(block)]
            found.append(line_block(block, rows, sizes, measure, room, lead))
    return found


def _first_of(block: ScreenBlock) -> str:
    """Return what the first cells of a block are: numbers, or words."""
    return "numbers" if block.kind in ("numbers", "ladder") else "words"


def _placed(
    sets: Sequence[Sequence[BlockLayout]], sizes: PanelSizes, spare: float, room: float
) -> Iterator[PlacedBlock]:
    """Yield the blocks in reading order: column by column; what is spare widens the gaps."""
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


def _too_wide(one: BlockLayout) -> Finding:
    message = f"`{one.block.head}` is {one.too_wide:.0f} pt wider than its column at {LEAST:g} pt"
    hint = "show fewer columns, or call them by shorter words"
    return Finding(codes.PANEL_FULL, one.block.head.span, message, hint)


def _too_high(
    id_: Text, sets: Sequence[Sequence[BlockLayout]], sizes: PanelSizes, high: float
) -> Finding:
    """Return which block is to go: the smallest without which the panel fits, or saves most."""
    over = bands_height(bands_of(sets), sizes) - high
    left: list[tuple[float, float, BlockLayout]] = []
    for column, blocks in enumerate(sets):
        for at, one in enumerate(blocks):
            rest = [
                [*blocks[:at], *blocks[at + 1 :]] if c == column else s for c, s in enumerate(sets)
            ]
            still = bands_height(bands_of(rest), sizes) - high
            left.append((max(0.0, still), one.height, one))
    still, _, block = min(left, key=lambda found: found[:2])
    message = f"the panel `{id_}` is {over:.0f} pt over its page at {LEAST:g} pt"
    hint = f"move the block `{block.block.head}` to another panel"
    hint += f"; {still:.0f} pt are left over then" if still else ""
    span = block.block.head.span
    return Finding(codes.PANEL_FULL, span if isinstance(span, Span) else id_.span, message, hint)
