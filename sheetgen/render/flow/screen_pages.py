"""Render the panels of a game master's screen as PDF or as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from sheetgen.model.prints import Tokens
from sheetgen.model.requests import PageFormat
from sheetgen.plan.pages.odds_chart import plan_chart
from sheetgen.plan.pages.screen_blocks import (
    HEIGHTS,
    LEAST_TITLE,
    NAME,
    PLAIN,
    Line,
    PanelSizes,
    ScreenCell,
    TextMeasure,
    initials,
)
from sheetgen.plan.pages.screens import SIDE, PanelView, PlacedBlock
from sheetgen.records import frozen
from sheetgen.render.flow.rendering import FlowTemplate, PageStyle, render_flow
from sheetgen.render.flow.table_pages import BOTTOM, LEFT, RIGHT, TOP, draw_odds_curves
from sheetgen.render.html.styles import draw_step, svg_layer
from sheetgen.units import MM

TEMPLATE: Final = FlowTemplate(
    "_screens/screens.html.j2",
    paper=("_screens/screens.css", "_screens/paper.css"),
    screen=("_screens/screens.css", "_shared/scroll.css", "_screens/page.css"),
)
# The size of a game's title on its picture, and below a picture of one page; the space beside it.
_POSTER: Final = 38.0
_POSTER_ALONE: Final = 46.0
_POSTER_MARGIN: Final = 80.0
_SCENE_TOP: Final = 9 * MM
_SCENE_FOOT: Final = 13.5 * MM
_SCENE_ALONE: Final = 47 * MM  # with the title below the picture
# What a panel's name leaves to the step of its line and what is behind it: usually, behind a long
# name, beside other panels, and before a subtitle; `_STEP` is the step's share.
_EARLY: Final = 77 * MM
_LATE: Final = 26 * MM
_SHORT: Final = 14 * MM
_STEP: Final = 8 * MM
_ABOUT: Final = 22 * MM


@frozen
class _Stop:
    """A station, or a stair with its tread; lengths are points from the lower edge."""

    left: float
    wide: float
    label: str
    says: str
    number: float = 0.0
    foot: float = 0.0
    thick: float = 0.0


@frozen
class _ScreenRow:
    """A row, each cell with the columns that it takes and whether it names the row."""

    cells: tuple[tuple[ScreenCell, int, bool], ...]
    height: float


@frozen
class _Block:
    """A block ready for the template."""

    kind: str
    head: str
    about: str
    left: float
    top: float
    width: float
    height: float
    size: float
    text: tuple[Line, ...]
    rules: tuple[tuple[float, float], ...] = ()
    columns: tuple[float, ...] = ()
    heads: tuple[ScreenCell, ...] = ()
    head_height: float = 0.0
    rows: tuple[_ScreenRow, ...] = ()
    stops: tuple[_Stop, ...] = ()
    tracks: tuple[tuple[float, float], ...] = ()
    drawing: str = ""
    mark: str = ""
    air: float = 0.0
    under: int = 0
    headed: float = 0.0
    folded: bool = False


def render_screens(
    kind: PageFormat, panels: Sequence[PanelView], style: PageStyle, context: Mapping[str, Any]
) -> bytes:
    """Return panels as a file: as PDF a page each, every block where it was planned."""
    tokens, measure = style.tokens, style.measure()
    if kind == "html":
        panels = [panel for panel in panels if panel.blocks]
    if kind == "pdf":
        step = draw_step(tokens, tokens.css["w-rule"].removesuffix("pt"), 14, 13.5, 0.5)
        wide, high = panels[0].paper
        css = f":root {{ --step: {svg_layer(step)} }}\n"
        css += f"@page panel {{ size: {wide:.2f}pt {high:.2f}pt; margin: 0 }}\n"
        style = replace(style, css=css)
    drawn = [
        {
            "id": panel.id,
            "side": panel.side,
            "sizes": panel.sizes,
            "paper": tuple(round(length - 0.02, 2) for length in panel.paper),
            "number": panel.number,
            "count": panel.count,
            "heads": [*_heads(panel, style, measure)],
            "origins": {o: initials(o) for b in panel.blocks if (o := b.layout.origin)},
            "part": panel.part,
        }
        for panel in panels
    ]
    return render_flow(kind, TEMPLATE, style, {**context, "panels": drawn})


def measure_scene(paper: tuple[float, float], count: int) -> tuple[float, float]:
    """Return width and height of a picture's part on each of `count` pages, in points."""
    below = _SCENE_FOOT if count > 1 else _SCENE_ALONE
    return paper[0] - 2 * SIDE, paper[1] - _SCENE_TOP - below


def _heads(panel: PanelView, style: PageStyle, measure: TextMeasure) -> Iterator[dict[str, Any]]:
    """Yield the names of a page's panels, all as large as the longest allows, with their blocks."""
    tokens, heads = style.tokens, panel.heads
    size, several = tokens.length("size-title"), len(heads) > 1
    drafts = []
    for head in heads:
        wide = measure.face_width(head.title, NAME, size)
        most, subtitle = 0.55 * head.width, head.subtitle
        told = measure.shrunk(subtitle, PLAIN, tokens.length("size-subtitle"), most)
        about = min(measure.face_width(subtitle, PLAIN, told), most)
        if several and wide + about + _ABOUT > head.width:
            subtitle, about = "", 0.0
        tail = _SHORT if several else _EARLY if wide <= head.width - _EARLY else _LATE
        late = head.width - ((about + _ABOUT) if about else min(tail, _LATE))
        drafts.append((head, wide, subtitle, told, tail, late))
    name = min((measure.shrunk(d[0].title, NAME, size, d[5]) for d in drafts), default=size)
    for head, wide, subtitle, told, tail, late in drafts:
        poster = _POSTER_ALONE if panel.part[1] < 2 else _POSTER  # smaller if it is long
        across = measure.face_width(head.title, NAME, poster)
        yield {
            "title": head.title,
            "subtitle": subtitle,
            "left": head.left,
            "width": head.width,
            "blocks": [
                _block(placed, panel.sizes, tokens)
                for placed in panel.blocks
                if head.left - 1 < placed.left < head.left + head.width
            ],
            "poster": round(min(poster, poster * (head.width - _POSTER_MARGIN) / across), 2),
            "name": name,
            "told": told,
            "late": round(late, 2),
            "tail": round(tail - _STEP, 2),
            "folded": wide * LEAST_TITLE > late * size,
        }


# Weights of the lines between rows, and of those of a ladder, from the top.
_HAIR: Final = 0.5
_LADDER: Final = (0.5, 1.1, 2.1, 3.6)
_MM: Final = 25.4 / 72


def _block(placed: PlacedBlock, sizes: PanelSizes, tokens: Tokens) -> _Block:
    """Return a block for the template; `air` is the space above the words of each row."""
    made, base = placed.layout, sizes.base
    block, kind, rows = made.block, str(made.block.kind), made.rows
    common = _Block(
        "numbers" if kind == "ladder" else kind,
        str(block.head),
        block.about,
        *(placed.left, placed.top, placed.width, made.height, made.size, made.text),
        mark=initials(made.origin),
        air=round(made.air / 2, 2),
        under=made.under,
        headed=made.headed,
        folded=made.headed - 1.3 * sizes.note * made.under > sizes.headed + 1,
    )
    if made.grid is not None:  # curves of odds, their letters as large as notes
        least = sizes.note * _MM
        wide, high = placed.width * _MM - LEFT - RIGHT, rows[0].height * _MM - TOP - BOTTOM
        says = f"Curves of {made.grid.label}: chances by what is rolled against"
        chart = plan_chart(made.grid, wide, high, least)
        curves = draw_odds_curves(chart, says, tokens.colours, least)
        return replace(common, head_height=rows[0].height, drawing=curves)
    if kind in ("stations", "stairs"):
        stops = []
        for at, cell in enumerate(rows[0].cells):
            label, told = cell.lines[0][0][0], cell.small[0][0][0]
            thick, foot = round(1.2 * 1.62**at, 2), round((1.55 + 0.42 * at) * base, 2)
            number = round(foot + thick + 0.02 * base, 2)
            where = round(cell.left, 2), round(cell.wide, 2)
            stops.append(_Stop(*where, label, told, number, foot, thick))
        tracks, clear = [], 0.34 * base + 2.5  # the lines between rings
        for one, other in pairwise(stops) if kind == "stations" else ():
            start = one.left + one.wide / 2 + clear
            end = other.left + other.wide / 2 - clear
            tracks.append((round(start, 2), round(end - start, 2)))
        common = replace(common, stops=tuple(stops), tracks=tuple(tracks))
        return replace(common, head_height=rows[0].height)
    # How far below the upper edge of the block its lines stand, and their weights.
    rules, below = [], made.headed
    if made.heads:
        below += HEIGHTS["grid"] * base
        rules.append((round(below, 2), _HAIR))
    for place, row in enumerate(rows[:-1]):
        below += row.height
        weight = _LADDER[min(place, 3)] if kind == "ladder" else _HAIR
        rules.append((round(below - weight, 2), weight))
    edges = sorted({cell.left for row in rows for cell in row.cells} | {0.0})
    edges += [placed.width]
    drawn = []
    for row in rows:  # each cell takes the columns up to the next one that has words
        shown = [cell for cell in row.cells if cell.lines and cell.lines != ((),)]
        starts = [*(edges.index(cell.left) for cell in shown), len(edges) - 1]
        starts[0] = 0
        spans = ((b - a, not n) for n, (a, b) in enumerate(pairwise(starts)))
        cells = tuple((cell, *span) for cell, span in zip(shown, spans, strict=True))
        drawn.append(_ScreenRow(cells, row.height))
    return replace(
        common,
        rules=tuple(rules),
        columns=tuple(round(b - a, 2) for a, b in pairwise(edges)),
        heads=made.heads,
        head_height=round(HEIGHTS["grid"] * base, 2),
        rows=tuple(drawn),
    )
