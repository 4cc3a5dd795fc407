"""The first pages of a combined file: a cover with its title and credits, and its contents."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sheetgen.model.pictures import PreparedPicture
from sheetgen.plan.pages.screen_blocks import NAME, TextMeasure
from sheetgen.records import frozen
from sheetgen.render.flow.rendering import LOGO_SIZE, FlowTemplate, PageStyle, render_flow
from sheetgen.render.flow.table_pages import own_styles
from sheetgen.render.html.styles import draw, draw_panel, svg_url
from sheetgen.units import MM, PAPER_SIZES

FOLDER: Final = "_books"
TEMPLATE: Final = FlowTemplate(
    "_books/cover.html.j2", paper=("_books/cover.css",), screen=("_books/cover.css",)
)
_MARGIN: Final = 18.0
_FOOT: Final = 12.0  # millimetres between the last line of credits and the edge
_GAP: Final = 4 * MM  # between credits and a logo
_PLATE: Final = 20 * MM  # at both sides of words on a plate
_CLEAR: Final = 10.0  # millimetres between words and credits
_PANEL: Final = 9.0  # millimetres between a panel of the accent and the edges of the page
_PANEL_CORNER: Final = 30.0  # points of its corner
_LOWER: Final = 107.0  # millimetres of the page below the panel
_UNDRAWN: Final = 120.0  # height of a panel without a motif
# Millimetres of the panel above and below its motif, most of them for the title.
_TITLE_ROOM: Final = 62.0
# Millimetres of a panel above much text; between a motif and a title that has no panel.
_LEAST_PANEL: Final = 130.0
_DROP: Final = 38.0
_LEAST_DROP: Final = 9.0
_MEASURE: Final = 132.0  # millimetres of the longest line of words
# As long as the longest line; each line of the contents shows the end of it.
_DOTS: Final = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {wide} 1.2' width='{wide}pt' "
    "height='1.2pt'><path d='M{start} .6 H0' fill='none' stroke='{ink}' stroke-width='1.1' "
    "stroke-linecap='round' stroke-dasharray='0 4'/></svg>"
)
_LINES: Final = 3  # lines that a title may take before it is set smaller
_SMALLER: Final = 0.88
_TIGHT: Final = 0.97  # titles are set closer than their letters are wide


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
) -> bytes:
    """Return a cover as a tagged PDF; its links are to `part:0` and so on.

    Args:
        lines_after: Returns the contents of the file for a cover of so many pages.
        context: See `render_flow`.
        pictures: A `cover` as large as the page, and a `logo`; the style has their files.

    Raises:
        LayoutError, NoEngine: The layout engine warned, or cannot be loaded.
    """
    import pikepdf

    css = own_styles(style.tokens) + _styles(cover, str(context["paper"]), style, pictures)
    style = replace(style, css=css)
    context = {**context, "front": cover, "drawn": "motif" in style.tokens.drawings}
    context["panel"] = style.tokens.fills and "cover" not in pictures
    context["pictures"] = {name: one.alt for name, one in pictures.items()}
    data, count = b"", 0
    for pages in (1, 2, 3):  # contents that fill a page move the pages that they name
        pages = max(pages, count)
        lines = lines_after(pages)
        data = render_flow("pdf", TEMPLATE, style, {**context, "lines": lines})
        with pikepdf.open(io.BytesIO(data)) as pdf:
            count = len(pdf.pages)
        if count == pages:
            break
    return data


def _styles(
    cover: CoverText, paper: str, style: PageStyle, pictures: Mapping[str, PreparedPicture]
) -> str:
    """Return the page with room for its credits, and how large its title is set."""
    measure = style.measure()
    wide, high = PAPER_SIZES[paper]
    room = (wide - 2 * _MARGIN) * MM
    size = style.tokens.length("size-cover-credit")
    pictured, logo = "cover" in pictures, "logo" in pictures
    beside = room - (LOGO_SIZE[0] + _GAP if logo else 0.0)
    count = sum(measure.count_lines(line, size, beside) for line in cover.credits)
    count += measure.count_lines(cover.foot, size, beside / 1.05) if cover.foot else 0
    high_words = size * 1.45 * count + size if count else 0.0
    credits = max(high_words, LOGO_SIZE[1] if logo else 0.0) / MM + 2.6 if count or logo else 0.0
    below = _FOOT + credits + _CLEAR
    long = round(_MEASURE * MM, 1)
    svg = _DOTS.format(wide=long, start=long - 0.6, ink=style.tokens.colours["label"])
    dots = f"{svg_url(svg)} 100% 100% / {long}pt 1.2pt"
    placed = ""  # Where pictures lie in their boxes; what lies outside is clipped.
    for name, picture in pictures.items():
        parts = zip(("left", "bottom", "width", "height"), picture.at, strict=True)
        box = "; ".join(f"{side}: {100 * part:.4f}%" for side, part in parts)
        placed += f".{_PICTURE_CLASSES[name]} img {{ {box} }}\n"
    title = _title_size(cover.title, room - pictured * _PLATE, style, measure)
    words = _words_height(cover, style, measure) + below
    if style.tokens.fills and not pictured:
        panel = _panel_styles(style, wide, high, words)
    else:
        lines = measure.count_lines(cover.title, title * _TIGHT, room, NAME)
        art = style.tokens.length("art") + 8 + _MARGIN
        drop = high - art - 1.08 * title * lines / MM - words
        panel = f":root {{ --drop: {min(_DROP, max(_LEAST_DROP, drop)):.1f}mm }}\n"
    return (
        f"@page cover {{ size: {wide:g}mm {high:g}mm; margin: {_MARGIN:g}mm }}\n"
        f"@page cover:first {{ margin-bottom: {_MARGIN if pictured else below:.2f}mm }}\n"
        f".full {{ left: {-_MARGIN:g}mm; top: {-_MARGIN:g}mm; width: {wide:g}mm; "
        f"height: {high:g}mm }}\n{placed}{panel}"
        f":root {{ --size-here: {title:.1f}pt; "
        f"--measure: {_MEASURE:g}mm; --dots: {dots} no-repeat; --below: {_FOOT - below:.2f}mm; "
        f"--page-room: {high - 2 * _MARGIN - 1:g}mm }}\n"
    )


def _words_height(cover: CoverText, style: PageStyle, measure: TextMeasure) -> float:
    """Return the height of what is below the title, in millimetres, as `cover.css` sets it."""
    room = _MEASURE * MM
    title, text = style.tokens.length("size-subtitle"), style.tokens.length("size-cover-text")
    high = 16 + (5 + 4 + 6) * MM  # the title line, and above and below it
    high += 1.3 * title * measure.count_lines(cover.subtitle, title, room / 1.06)
    lines = sum(measure.count_lines(one, text, room) for one in cover.paragraphs)
    return (high + 1.5 * text * (lines + 0.4 * len(cover.paragraphs))) / MM


def _panel_styles(style: PageStyle, wide: float, high: float, words: float) -> str:
    """Return the panel, and the motif in the colour of the paper on it.

    `words`: millimetres that the text and the credits below it need.
    """
    tokens = style.tokens
    drawing = tokens.drawings.get("motif")
    tall = high - _LOWER if drawing is not None else _UNDRAWN
    tall = min(tall, max(_LEAST_PANEL, high - _PANEL - words))
    across = wide - 2 * _PANEL
    panel = draw_panel(tokens, across * MM, tall * MM, _PANEL_CORNER)
    inks = dict.fromkeys(("accent", "line", "ink"), tokens.colours["paper"])
    inks["paper"] = tokens.colours["accent"]
    turned = replace(tokens, colours={**tokens.colours, **inks})
    motif = svg_url(draw(turned, drawing)) if drawing is not None else "none"
    return (
        f".panel {{ left: {_PANEL - _MARGIN:g}mm; top: {_PANEL - _MARGIN:g}mm; "
        f"width: {across:.1f}mm; height: {tall:.1f}mm; "
        f"background: {svg_url(panel)} 0 0 / 100% 100% no-repeat }}\n"
        f".panel .art {{ height: {tall - _TITLE_ROOM:.1f}mm; background-image: {motif} }}\n"
        f".on-panel .front {{ padding-top: {tall + _PANEL - _MARGIN:.1f}mm }}\n"
    )


def _title_size(title: str, room: float, style: PageStyle, measure: TextMeasure) -> float:
    """Return the largest size, in points, at which a title takes few lines and no word breaks."""
    size, least = style.tokens.length("size-cover"), style.tokens.length("size-cover-least")
    longest = max(title.split(), key=len, default="")
    while size > least:
        fits = measure.face_width(longest, NAME, size) * _TIGHT <= room
        if fits and measure.count_lines(title, size * _TIGHT, room, NAME) <= _LINES:
            break
        size *= _SMALLER
    return max(size, least)
