"""The first pages of a combined file: a cover with its title and credits, and its contents."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import pikepdf

from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.tokens import Drawing
from sheetgen.plan.pages.screen_blocks import NAME
from sheetgen.records import frozen
from sheetgen.render.flow.rendering import (
    LOGO_SIZE,
    SCENE,
    FlowTemplate,
    PageStyle,
    own_styles,
    render_flow,
)
from sheetgen.render.html.styles import draw_panel, draw_scene, svg_url
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
# Millimetres between the picture, the title, the words and the foot of the panel.
_AIR, _PANEL_FOOT = 9.0, 7.0
_LEAST_SCENE: Final = 70.0  # the least height of a picture
_STRIP: Final = 110.0  # the most of one below contents
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
    scene: Drawing,
) -> bytes:
    """Return a cover as a tagged PDF; its links are to `part:0` and so on.

    `lines_after` returns the contents of the file for a cover of so many pages. `pictures` may be
    a `cover` as large as the page, and a `logo`; the style has their files. A cover without a
    picture has a `scene`. `context`: see `render_flow`.
    """
    paper = str(context["paper"])
    wide, high = PAPER_SIZES[paper]
    # The page has room for its credits, and its title is as large as it may be.
    title, below, panel, shown, named, fits = _measure_cover(cover, paper, style, pictures)
    long = round(_MEASURE * MM, 1)
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
        data = render_flow("pdf", TEMPLATE, style, {**context, "lines": lines})
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
    across -= ("cover" in pictures) * _PLATE
    while title > least:
        fits = measure.face_width(longest, NAME, title) * _TIGHT <= across
        if fits and measure.count_lines(cover.title, title * _TIGHT, across, NAME) <= _LINES:
            break
        title *= _SMALLER
    title = max(title, least)
    if "cover" in pictures:
        return title, _FOOT + credits + _CLEAR, 0.0, 0.0, 0.0, False
    lines = measure.count_lines(cover.title, title * _TIGHT, room, NAME)
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
