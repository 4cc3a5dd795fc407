"""Render a game master's screen, the pages of an encounter, and the cover of a combined file."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate, pairwise, zip_longest
from typing import Any, Final

from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.prints import Tokens
from sheetgen.model.requests import PageFormat
from sheetgen.model.tokens import Drawing
from sheetgen.plan.pages.encounters import WIDTH, Fight, Run, StripView, TableSizes, columns_of
from sheetgen.plan.pages.screen_blocks import (
    BOLD,
    HEIGHTS,
    LEAST_TITLE,
    NAME,
    PLAIN,
    PanelSizes,
    TextMeasure,
    initials,
    plan_chart,
)
from sheetgen.plan.pages.screens import SIDE, PanelView, PlacedBlock
from sheetgen.plan.pages.tables import TablePage
from sheetgen.records import frozen
from sheetgen.render.flow import table_pages
from sheetgen.render.flow.layout import BlockMeasure, PageMeasure, measure_pages
from sheetgen.render.flow.rendering import (
    LOGO_SIZE,
    SCENE,
    FlowTemplate,
    PageStyle,
    lay_out_flow,
    own_styles,
    render_flow,
    render_flow_markup,
)
from sheetgen.render.html.styles import draw_panel, draw_scene, draw_step, svg_layer, svg_url
from sheetgen.units import MM, PAPER_SIZES

TEMPLATE: Final = FlowTemplate(
    "_screens/screens.html.j2",
    paper=("_screens/screens.css", "_screens/paper.css"),
    screen=("_screens/screens.css", "_shared/scroll.css", "_screens/page.css"),
)
# The size of a game's title on its picture, and below a picture of one page; the space beside it.
_POSTER, _POSTER_ALONE, _POSTER_MARGIN = 38.0, 46.0, 80.0
# Above a picture, below it, and below one that has the title there.
_SCENE_TOP, _SCENE_FOOT, _SCENE_ALONE = 9 * MM, 13.5 * MM, 47 * MM
# What a panel's name leaves to the step of its line and what is behind it: usually, behind a long
# name, beside other panels, and before a subtitle; `_STEP` is the step's share.
_EARLY, _LATE, _SHORT, _ABOUT = 77 * MM, 26 * MM, 14 * MM, 22 * MM
_STEP: Final = 8 * MM


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
    return paper[0] - 2 * SIDE, paper[1] - _SCENE_TOP - (_SCENE_FOOT if count > 1 else _SCENE_ALONE)


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


def _block(placed: PlacedBlock, sizes: PanelSizes, tokens: Tokens) -> dict[str, Any]:
    """Return a block for the template; `air` is the space above the words of each row."""
    made, base = placed.layout, sizes.base
    block, kind, rows = made.block, str(made.block.kind), made.rows
    shown: dict[str, Any] = {
        "kind": "numbers" if kind == "ladder" else kind,
        "head": str(block.head),
        "about": block.about,
        "left": placed.left,
        "top": placed.top,
        "width": placed.width,
        "height": made.height,
        "size": made.size,
        "text": made.text,
        "mark": initials(made.origin),
        "air": round(made.air / 2, 2),
        "under": made.under,
        "headed": made.headed,
        "folded": made.headed - 1.3 * sizes.note * made.under > sizes.headed + 1,
        # Those of other kinds of blocks are empty.
        **dict.fromkeys(("rules", "columns", "heads", "rows", "stops", "tracks", "drawing"), ()),
    }
    if made.grid is not None:  # curves of odds, their letters as large as notes
        least = sizes.note * _MM
        wide, high = (
            placed.width * _MM - table_pages.LEFT - table_pages.RIGHT,
            rows[0].height * _MM - table_pages.TOP - table_pages.BOTTOM,
        )
        says = f"Curves of {made.grid.label}: chances by what is rolled against"
        chart = plan_chart(made.grid, wide, high, least)
        curves = table_pages.draw_odds_curves(chart, says, tokens.colours, least)
        return {**shown, "head_height": rows[0].height, "drawing": curves}
    if kind in ("stations", "stairs"):  # a stair has a tread; lengths are from the lower edge
        stops = []
        for at, cell in enumerate(rows[0].cells):
            thick, foot = round(1.2 * 1.62**at, 2), round((1.55 + 0.42 * at) * base, 2)
            stop = {"left": round(cell.left, 2), "wide": round(cell.wide, 2), "foot": foot}
            stop |= {"number": round(foot + thick + 0.02 * base, 2), "thick": thick}
            stops.append({**stop, "label": cell.lines[0][0][0], "says": cell.small[0][0][0]})
        tracks, clear = [], 0.34 * base + 2.5  # the lines between rings
        for one, other in pairwise(rows[0].cells) if kind == "stations" else ():
            start = round(one.left, 2) + round(one.wide, 2) / 2 + clear
            end = round(other.left, 2) + round(other.wide, 2) / 2 - clear
            tracks.append((round(start, 2), round(end - start, 2)))
        return {**shown, "stops": stops, "tracks": tracks, "head_height": rows[0].height}
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
        cells = [cell for cell in row.cells if cell.lines and cell.lines != ((),)]
        starts = [*(edges.index(cell.left) for cell in cells), len(edges) - 1]
        starts[0] = 0
        spans = ((b - a, not n) for n, (a, b) in enumerate(pairwise(starts)))
        spanned = [(cell, *span) for cell, span in zip(cells, spans, strict=True)]
        drawn.append({"cells": spanned, "height": row.height})
    return {
        **shown,
        "rules": rules,
        "heads": made.heads,
        "rows": drawn,
        "columns": [round(b - a, 2) for a, b in pairwise(edges)],
        "head_height": round(HEIGHTS["grid"] * base, 2),
    }


_COMMON: Final = ("_tables/tables.css", "_encounters/encounter.css")
ENCOUNTER: Final = FlowTemplate(
    "_encounters/encounter.html.j2",
    paper=(*_COMMON, "_encounters/paper.css"),
    screen=(*_COMMON, "_encounters/screen.css"),
)
LEAST_LINES: Final = (3, 2, 1)  # to write notes on, by how close a page is set
# Width and height of a combatant's picture in points; `encounter.css` has the same.
FACE_SIZE: Final = (20 * MM, 20 * MM)
_GAPS: Final = 5.6  # millimetres beside the name of a combatant; `encounter.css` has the same
# Per cent of its size that a name is set at for its longest word; `encounter.css` has the same.
_SMALLER: Final = (100, 94, 88, 82, 76, 70)
# What a name on several lines is set at beside a player; `encounter.css` has the same.
_OF_PLAYER: Final = 0.84
# Where a page is set closest: the share of a player's row, the leading of its name, and
# millimetres below it. `_BESIDE`: millimetres behind it.
_CLOSEST, _LEADING, _BELOW, _BESIDE = 0.8, 1.12, 0.5, 2.4
# The share of a page that may be empty at its foot, before another strip than the next is there,
# and points that are left there in any case.
_MOST_EMPTY, _HALF_EMPTY, _SLACK = 0.14, 0.26, 3.0
_MOST_FILLED: Final = 50  # the most strips that are broken or moved
_CONTINUED: Final = ", continued"
# What an author's names may hold, and no font draws.
_UNSEEN: Final = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " ")


def render_encounter(
    kind: PageFormat,
    fight: Fight,
    tables: Sequence[TablePage],
    style: PageStyle,
    context: Mapping[str, Any],
    complaints: list[str],
) -> bytes:
    """Return the pages of an encounter; a PDF repeats heads of columns, and breaks few strips.

    `context`, see `render_flow`, also has `author_notes`, and the `words` of the ruleset.
    `complaints` takes the engine's warnings, also of letters that no font has.
    """
    measure, tokens = style.measure(), style.tokens
    views = [view for page in table_pages.drawn_pages(tables, tokens) for view in page.tables]
    # A page that has the same title as its only table prints the title once.
    names = [view.label or page.label for page in tables for view in page.tables]
    sizes = TableSizes(*map(tokens.length, ("size-head", "size-caps", "size-cell")))
    columns, widths = columns_of(list(zip(names, views, strict=True)), measure, sizes)
    css = own_styles(tokens)
    css += "".join(f".g-{at} {{ width: {wide}mm }}\n" for at, wide in enumerate(widths))
    css += table_pages.page_styles(style, context) if kind == "pdf" else ""
    style = replace(style, css=css)
    context = {**context, "columns": columns, "fits": _fitting(style, measure)}
    size, room = tokens.length("size-line"), 2 * tokens.length("column") * MM

    def placed(run: Run) -> Run:
        """Return a run that is wider than its column of figures in the line of text."""
        text = "" if run.dice else f"{run.text}{run.small} {run.unit}"
        return replace(run, column=0) if measure.face_width(text, BOLD, size) > room else run

    def shown(one: StripView) -> StripView:
        return replace(one, lines=tuple(tuple(map(placed, line)) for line in one.lines))

    sections = (replace(one, strips=tuple(map(shown, one.strips))) for one in fight.sections)
    context["fight"] = replace(fight, sections=tuple(sections))
    context |= {"shapes": tokens.shapes, "colours": tokens.colours, "noted": True}
    if kind == "html":
        return render_flow(
            kind,
            ENCOUNTER,
            style,
            {**context, "fit": 0, "least": LEAST_LINES[0], "lines_below": {}},
        )

    files, own = {**style.fonts, **style.assets}, bool(context["author_notes"])

    def markup(fit: int, noted: bool, fight: Fight, lines: Mapping[int, int]) -> str:
        least = 0 if fit and own else LEAST_LINES[fit]
        shown = {"fight": fight, "lines_below": lines, "fit": fit, "least": least, "noted": noted}
        return render_flow_markup(ENCOUNTER, style, {**context, **shown}).translate(_UNSEEN)

    @cache
    def measured(fit: int, noted: bool) -> tuple[PageMeasure, ...]:
        return measure_pages(markup(fit, noted, context["fight"], {}), files)

    # The page is set as little close as takes no page more than the closest. Lines to write on
    # have no page of their own.
    way = 0, True
    if (count := len(measured(*way))) != 1:
        closest = min(len(LEAST_LINES) - 1, int(tokens.css["closest"]))
        least = len(measured(closest, own))
        if least != count:
            ways = [(n, True) for n in range(1, closest + (not own))]
            ways += [] if own else [(n, False) for n in range(closest)]
            found = (one for one in ways if len(measured(*one)) == least)
            way = next(found, (closest, own))
    fight, pages = context["fight"], measured(*way)
    for _ in range(_MOST_FILLED):
        if (better := _fill_page(fight, pages)) is None:
            break
        fight, pages = better, measure_pages(markup(*way, better, {}), files)
    lines = _lines_below(pages, tokens.length("pitch") * MM)
    return lay_out_flow(markup(*way, fight, lines), style, fight.title, complaints)


def _fill_page(fight: Fight, pages: Sequence[PageMeasure]) -> Fight | None:
    """Return a fight in which the first page that ends empty is filled; None if no page can be.

    The next strip breaks between the tracks of two copies; its continuation repeats the name, the
    figures and the ladder. If it cannot, and much is empty, a later strip of its section moves up.
    """
    for at, (page, following) in enumerate(pairwise(pages)):
        if not page.blocks or not following.blocks:
            continue
        last, block = page.blocks[-1], following.blocks[0]
        room, most = page.foot - last.foot - _SLACK, page.foot - page.top
        if last.number == block.number:  # it is higher than a page
            fitting = sum(name == "track" for name, _ in last.parts)
        elif room < _MOST_EMPTY * most:
            continue
        else:
            if _section_of(fight, last.number) != _section_of(fight, block.number):
                room -= block.top - following.top + 4 * MM
            fitting = sum(height <= room for height in _heights(block))
        if (filled := _broken_at(fight, block.number, fitting)) is not None:
            return filled
        later = [one for page in pages[at + 1 :] for one in page.blocks]
        pieces = Counter(one.number for one in later)
        for one in later if room > _HALF_EMPTY * most else ():
            fits = one.foot - one.top <= room and pieces[one.number] == 1
            if fits and (filled := _moved(fight, one.number, block.number)) is not None:
                return filled
    return None


def _moved(fight: Fight, number: int, to: int) -> Fight | None:
    """Return a fight whose strip `number` is before the strip `to` of its section."""
    at = _section_of(fight, number)
    before = sum(len(one.players) + len(one.strips) for one in fight.sections[:at])
    section = fight.sections[at]
    strips, first = [*section.strips], before + len(section.players)
    broken = (one.copies for one in strips[to - first : number - first + 1])
    if not first <= to < number or any(broken):
        return None
    strips.insert(to - first, strips.pop(number - first))
    sections = [*fight.sections]
    sections[at] = replace(section, strips=tuple(strips))
    return replace(fight, sections=tuple(sections))


def _heights(block: BlockMeasure) -> list[float]:
    """Return how high a strip is with its first track, its first two, and so on."""
    left, tracks, sides = (
        [foot for name, foot in block.parts if name == part] for part in ("left", "track", "side")
    )
    feet = [max(pair) for pair in zip_longest(tracks, sides, fillvalue=0.0)]
    below = block.foot - max([*left, *feet], default=block.foot)
    return [max([*left, *feet[: n + 1]]) - block.top + below for n in range(len(feet))]


def _section_of(fight: Fight, number: int) -> int:
    """Return the section of a block: players and strips are numbered in one row."""
    ends = accumulate(len(one.players) + len(one.strips) for one in fight.sections)
    return next((at for at, end in enumerate(ends) if number < end), len(fight.sections))


def _broken_at(fight: Fight, number: int, tracks: int) -> Fight | None:
    sections = list(fight.sections)
    for at, section in enumerate(sections):
        number -= len(section.players)
        if 0 <= number < len(section.strips):
            strip = section.strips[number]
            if not 0 < tracks < len(strip.tracks):
                return None
            name = strip.name.removesuffix(_CONTINUED) + _CONTINUED
            one = replace(strip, tracks=strip.tracks[:tracks], copies=strip.count)
            rest = replace(one, name=name, tracks=strip.tracks[tracks:], continued=True)
            strips = *section.strips[:number], one, rest, *section.strips[number + 1 :]
            sections[at] = replace(section, strips=strips)
            return replace(fight, sections=tuple(sections))
        number -= len(section.strips)
    return None


def _lines_below(pages: Sequence[PageMeasure], pitch: float) -> dict[int, int]:
    """Return how many lines to write on are below blocks, by their number: they fill pages."""
    lines = {}
    for page in pages[:-1]:
        room = page.foot - page.blocks[-1].foot - _SLACK if page.blocks else 0.0
        if room > _MOST_EMPTY * (page.foot - page.top):
            lines[page.blocks[-1].number] = int(room / pitch)
    return lines


def _fitting(style: PageStyle, measure: TextMeasure) -> Callable[..., str]:
    """Return a function for the classes of a name: one line, smaller, or broken and smaller.

    A player's name that is broken has to fit its row, or the row is as high as the name needs.
    """
    sizes = style.tokens.length("size-fighter"), (least := style.tokens.length("size-long"))
    high = (style.tokens.length("player") * _CLOSEST - _BELOW) * MM / _LEADING
    column, box, gutter = map(style.tokens.length, ("column", "init-box", "gutter"))
    beside = (WIDTH - (8 * column + box + gutter) - _GAPS) * MM

    def fits(name: str, of_player: bool = False) -> str:
        room = beside - (_BESIDE * MM if of_player else 0)
        for size, name_class in zip(sizes, ("", "long"), strict=True):
            if measure.face_width(name, NAME, size) <= room:
                return name_class
        usual = least * (_OF_PLAYER if of_player else 1)
        shares = [one for one in _SMALLER if measure.longest(name, NAME, usual * one / 100) <= room]
        for share in shares or _SMALLER[-1:]:
            size = usual * share / 100
            if not of_player or measure.count_lines(name, size, room, NAME) * size <= high:
                return f"folded s-{share}"
        return f"folded s-{(shares or _SMALLER)[-1]} tall"

    return fits


FOLDER: Final = "_books"
COVER: Final = FlowTemplate(
    "_books/cover.html.j2", paper=("_books/cover.css",), screen=("_books/cover.css",)
)
_MARGIN: Final = 18.0
_FOOT: Final = 12.0  # millimetres between the last line of credits and the edge
_GAP: Final = 4 * MM  # between credits and a logo
_PLATE: Final = 20 * MM  # at both sides of words on a plate
_CLEAR: Final = 10.0  # millimetres between words and credits
_PANEL: Final = 9.0  # millimetres between a panel of the accent and the edges of the page
_PANEL_CORNER: Final = 30.0  # points of its corner
# Millimetres between the picture, the title, the words and the foot of the panel.
_AIR, _PANEL_FOOT = 9.0, 7.0
_LEAST_SCENE: Final = 70.0  # the least height of a picture
_STRIP: Final = 140.0  # the most of one below contents
_MEASURE: Final = 132.0  # millimetres of the longest line of words
# As long as the longest line; each line of the contents shows the end of it.
_DOTS: Final = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {wide} 1.2' width='{wide}pt' "
    "height='1.2pt'><path d='M{start} .6 H0' fill='none' stroke='{ink}' stroke-width='1.1' "
    "stroke-linecap='round' stroke-dasharray='0 4'/></svg>"
)
_LINES: Final = 3  # lines that a title may take before it is set smaller
_SHRUNK: Final = 0.88


@frozen
class CoverText:
    """What a cover says."""

    title: str
    subtitle: str = ""
    paragraphs: Sequence[str] = ()
    foot: str = ""  # the line below all credits
    credits: Sequence[str] = ()  # a line for each ruleset


@frozen
class ContentsLine:
    """A line of the contents."""

    label: str
    part: int  # the place of the part that it leads to, from 0
    page: int  # of the file, counted from 1
    below: bool = False  # whether it is a part of the entry above it


_PICTURE_CLASSES: Final = {"cover": "full", "logo": "logo"}


def render_cover(
    cover: CoverText,
    lines_after: Callable[[int], Sequence[ContentsLine]],
    style: PageStyle,
    context: Mapping[str, Any],
    pictures: Mapping[str, PreparedPicture],
    scene: Drawing,
) -> bytes:
    """Return a cover as a tagged PDF; its links are to `part:0` and so on.

    `lines_after` returns the contents of the file for a cover of so many pages. `pictures` may be
    a `cover` as large as the page, and a `logo`; the style has their files. A cover without a
    picture has a `scene`. `context`: see `render_flow`.
    """
    import pikepdf

    paper = str(context["paper"])
    wide, high = PAPER_SIZES[paper]
    # The page has room for its credits, and its title is as large as it may be.
    title, below, panel, shown, named, fits = _measure_cover(cover, paper, style, pictures)
    long = round((wide - 2 * _MARGIN) * MM, 1)
    svg = _DOTS.format(wide=long, start=long - 0.6, ink=style.tokens.colours["label"])
    dots = f"{svg_url(svg)} 100% 100% / {long}pt 1.2pt"
    placed = ""  # Where pictures lie in their boxes; what lies outside is clipped.
    for name, picture in pictures.items():
        parts = zip(("left", "bottom", "width", "height"), picture.at, strict=True)
        box = "; ".join(f"{side}: {100 * part:.4f}%" for side, part in parts)
        placed += f".{_PICTURE_CLASSES[name]} img {{ {box} }}\n"
    foot = _PANEL + _PANEL_FOOT if fits else _FOOT
    first = _MARGIN if "cover" in pictures else below
    css = own_styles(style.tokens)
    css += (
        f"@page cover {{ size: {wide:g}mm {high:g}mm; margin: {_MARGIN:g}mm }}\n"
        f"@page cover:first {{ margin-bottom: {first:.2f}mm }}\n"
        f".full {{ left: {-_MARGIN:g}mm; top: {-_MARGIN:g}mm; width: {wide:g}mm; "
        f"height: {high:g}mm }}\n{placed}"
        f":root {{ --size-here: {title:.1f}pt; "
        f"--measure: {_MEASURE:g}mm; --dots: {dots} no-repeat; --below: {foot - below:.2f}mm; "
        f"--page-room: {high - 2 * _MARGIN - 1:g}mm }}\n"
    )
    assets = dict(style.assets)
    if "cover" not in pictures:
        across = (wide - 2 * _PANEL) * MM
        drawn = panel * MM, _PANEL_CORNER, scene, shown * MM
        assets[SCENE] = draw_panel(style.tokens, across, *drawn).encode()
        words = shown + _AIR + named if fits else panel
        # Where the panel is, and the colour of the words on it.
        css += (
            f".panel {{ left: {_PANEL - _MARGIN:g}mm; top: {_PANEL - _MARGIN:g}mm; "
            f"width: {wide - 2 * _PANEL:.1f}mm; height: {panel:.1f}mm }}\n"
            f".front {{ padding-top: {words + _PANEL - _MARGIN:.1f}mm }}\n"
            f".panel h1 {{ top: {shown + _AIR:.1f}mm }}\n"
            f":root {{ --on: var(--{'paper' if style.tokens.fills else 'ink'}) }}\n"
        )
    context = {**context, "front": cover, "scene": str(scene.label), "full": fits}
    context["panel"] = "cover" not in pictures
    context["pictures"] = {name: one.alt for name, one in pictures.items()}
    data, count = b"", 0
    for pages in (1, 2, 3):  # contents that fill a page move the pages that they name
        pages = max(pages, count)
        lines = lines_after(pages)
        row = style.tokens.length("contents-row") / MM
        strip = min(_STRIP, high - 2 * _MARGIN - 36 - 1.3 * row * len(lines))
        context["strip"] = round(strip, 1) if strip > _LEAST_SCENE / 2 else 0
        ratio = (wide - 2 * _MARGIN) / max(strip, 1)
        assets["strip"] = draw_scene(style.tokens, scene, ratio).encode()
        style = replace(style, css=css, assets=assets)
        data = render_flow("pdf", COVER, style, {**context, "lines": lines})
        with pikepdf.open(io.BytesIO(data)) as pdf:
            count = len(pdf.pages)
        if count == pages:
            break
    return data


def _measure_cover(
    cover: CoverText, paper: str, style: PageStyle, pictures: Mapping[str, PreparedPicture]
) -> tuple[float, float, float, float, float, bool]:
    """Return lengths of a cover in millimetres, but for the title's size, which is first.

    Then the lower margin with the credits, the heights of the panel, of the picture on it, and of
    the title. The last value is whether all words are on the panel; otherwise only the title is.
    """
    measure = style.measure()
    wide, high = PAPER_SIZES[paper]
    room = (wide - 2 * _MARGIN) * MM
    size = style.tokens.length("size-cover-credit")
    logo = "logo" in pictures
    beside = room - (LOGO_SIZE[0] + _GAP if logo else 0.0)
    count = sum(measure.count_lines(line, size, beside) for line in cover.credits)
    count += measure.count_lines(cover.foot, size, beside / 1.05) if cover.foot else 0
    high_words = size * 1.45 * count + size if count else 0.0
    credits = max(high_words, LOGO_SIZE[1] if logo else 0.0) / MM + 2.6 if count or logo else 0.0
    # The largest size at which the title takes few lines and no word breaks.
    title, least = style.tokens.length("size-cover"), style.tokens.length("size-cover-least")
    longest, across = max(cover.title.split(), key=len, default=""), room
    # Titles are set closer or wider than their letters are.
    space = re.fullmatch(r"(-?\d*\.?\d+)em", style.tokens.css.get("name-space", "-.02em"))
    spaced = len(cover.title) * (float(space[1]) if space else 0.0)
    # Widths of letters are rounded.
    tight = 1.002 + spaced / (measure.face_width(cover.title, NAME, 1) or 1)
    across -= ("cover" in pictures) * _PLATE
    while title > least:
        fits = measure.face_width(longest, NAME, title) * tight <= across
        if fits and measure.count_lines(cover.title, title * tight, across, NAME) <= _LINES:
            break
        title *= _SHRUNK
    title = max(title, least)
    if "cover" in pictures:
        return title, _FOOT + credits + _CLEAR, 0.0, 0.0, 0.0, False
    lines = measure.count_lines(cover.title, title * tight, room, NAME)
    named = 1.08 * title * lines / MM
    # What is below the title is as high as `cover.css` sets it.
    subtitle, text = map(style.tokens.length, ("size-subtitle", "size-cover-text"))
    tall = 9 * MM  # above and below the subtitle
    tall += 1.3 * subtitle * measure.count_lines(cover.subtitle, subtitle, _MEASURE * MM / 1.06)
    lines = sum(measure.count_lines(one, text, _MEASURE * MM) for one in cover.paragraphs)
    words = (tall + 1.5 * text * (lines + 0.4 * len(cover.paragraphs))) / MM
    panel = high - 2 * _PANEL
    scene = panel - _PANEL_FOOT - credits - words - named - 2 * _AIR
    below = _PANEL + _PANEL_FOOT + credits + _AIR
    if scene >= _LEAST_SCENE:
        return title, below, panel, scene, named, True
    below = _FOOT + credits + _CLEAR
    panel = max(_LEAST_SCENE + named + 2 * _AIR, panel - words - below)
    return title, below, panel, panel - named - 2 * _AIR, named, False
