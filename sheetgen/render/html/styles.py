"""Build CSS from design tokens, with the measures that the press uses, too."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from sheetgen.model.prints import Role, Shape, Tick, Tokens
from sheetgen.model.tokens import (
    READABLE,
    Drawing,
    Rgb,
    linear_parts,
    measure_contrast,
    mix_with_paper,
)
from sheetgen.units import PAPER_SIZES, Box, num, stretch, transform

# Half of (ascent − descent) in em, per family: how far a baseline lies below the middle of its line
# box. A face has its own values as tokens, `drop-display`.
ASCENT_LESS_DESCENT: Final = {"text": 0.3555, "figure": 0.383, "display": 0.383}
# In em, per family; a face has its own values as tokens, `cap-display`.
CAP_HEIGHT: Final = {"text": 0.66, "figure": 0.72, "display": 0.72}
DISPLAY: Final = "display-700"  # the font of names, titles and covers
LINE: Final = 1.257  # height of a line box in em; Source Sans Pro's own, and enough for Manrope
# Margins of a sheet by paper, for `@page`; they leave 188 mm of width on each.
_MARGINS: Final = {"a4": "11mm 11mm 0", "letter": "8.7mm 13.95mm 0"}
# The same without the upper margin, which is part of a page in a browser; see `screen.css`.
_BESIDE: Final = {paper: f"0 {margin.split()[1]} 0" for paper, margin in _MARGINS.items()}
_WHITE: Final = "#FFFFFF"
_SVG: Final = "<svg xmlns='http://www.w3.org/2000/svg'"
# How far a plate's line stays from the edge on a page: browsers cut at whole pixels.
_KEPT: Final = 0.75


def build_token_styles(
    tokens: Tokens, paper: str, mode: str, asset_url: Callable[[str], str]
) -> str:
    """Return the part of a design's CSS that follows from `tokens`.

    Faces, colours and lengths as custom properties, a class `r-ROLE` for each role,
    `t-STYLE` for each tick style (with `f-SHAPE` for another frame, `o-SHAPE` for another
    mark), and `s-SHAPE` for each shape that is drawn alone.

    Args:
        tokens: Of one theme; they were checked when they were read.
        paper: `a4` or `letter`; of what is on no paper of its own, anything else.
        mode: `plate` or `page`; only a page has texts and marks in its places.
        asset_url: Gives the address of a face's font.
    """
    parts = []
    for face in tokens.faces:
        # Faces with the same font file are drawn as the first, so that no page has a font twice.
        if face == _drawn_as(tokens, face) and (url := asset_url(face)):
            family, weight, style = parse_face_name(face)
            parts.append(
                f"@font-face {{ font-family: {family}; font-weight: {weight}; "
                f'font-style: {style}; src: url("{url}") }}'
            )
    parts.append(_properties({**tokens.colours, **tokens.css}))
    if paper in _MARGINS:
        wide, high = PAPER_SIZES[paper]
        size = f"{wide:g}mm {high:g}mm"
        margins = _MARGINS[paper] if mode == "plate" else _BESIDE[paper]
        tinted = mode == "plate" and tokens.colours["paper"].upper() != _WHITE
        ground = f"; background: {tokens.colours['paper']}" if tinted else ""  # margins included
        parts.append(f"@page {{ size: {size}; margin: {margins}{ground} }}")
    # For each family, what turns a size into a drop to the baseline.
    drops = {f"drop-{name}": _measure(tokens, "drop", name) for name in ASCENT_LESS_DESCENT}
    parts += [_properties(drops), _face(tokens)]
    parts += _corners(tokens, _KEPT if mode == "page" else 0.0)
    if mode == "page":
        parts += [f".z-{n} {{ --z: {num(n / 100)} }}" for n in range(50, 100)]
        # A second line that is indented, in spaces of a fifth of an em.
        hung = ".folded.i-{0} {{ padding-left: {1}em; text-indent: -{1}em }}"
        parts += [hung.format(n, n / 5) for n in range(1, 17)]
        parts += [_role(tokens, name, role) for name, role in tokens.roles.items()]
        parts += [rule for name, tick in tokens.ticks.items() for rule in _tick(tokens, name, tick)]
    parts += [
        f".s-{name} {{ background: {_image(shape, *_paints(tokens, shape), 11, 11)} }}"
        for name, shape in tokens.shapes.items()
        if shape.path
    ]
    return "\n".join(parts) + "\n"


def parse_face_name(face: str) -> tuple[str, str, str]:
    """Return the family, weight and style that a face such as `text-400i` names."""
    name, _, rest = face.partition("-")
    return name, rest.rstrip("i"), "italic" if rest.endswith("i") else "normal"


def _drawn_as(tokens: Tokens, face: str) -> str:
    return next(name for name, file in tokens.faces.items() if file == tokens.faces[face])


def _properties(values: Mapping[str, object]) -> str:
    return ":root { " + " ".join(f"--{name}: {value};" for name, value in values.items()) + " }"


def _measure(tokens: Tokens, what: str, family: str) -> float:
    usual = ASCENT_LESS_DESCENT if what == "drop" else CAP_HEIGHT
    return float(tokens.css.get(f"{what}-{family}", usual[family]))


def _face(tokens: Tokens) -> str:
    """Return what a face sets: the fonts of names and titles, rules, ornament and motif.

    Pages take the font of names as `--display`, with `--display-weight`; a letter that it
    lacks comes from the next font of the list.
    """
    family, weight, _ = parse_face_name(_drawn_as(tokens, DISPLAY))
    stack = ", ".join(dict.fromkeys((family, "figure", "text")))
    if tokens.css["titles"] == "display":
        title = "var(--display)", "var(--display-weight)", "var(--drop-display)", "normal"
    else:
        title = "text", "600", "var(--drop-text)", "all-small-caps"
    names = ("title-font", "title-weight", "title-drop", "title-caps")
    values = {"display": stack, "display-weight": weight, **dict(zip(names, title, strict=True))}
    for name, live in (("rule", False), ("rule-live", True)):
        svg, height = draw_rule(tokens, live=live)
        values |= {name: svg_layer(svg), f"{name}-h": f"{num(height)}pt"}
    path = stretch(BARS[tokens.css["rule"]], Box(0, 0, 100, 10))
    bar = f"<path d='{path}' fill='{tokens.colours['accent']}'/></svg>"
    values["bar"] = svg_layer(f"{_SVG} viewBox='0 0 100 10' preserveAspectRatio='none'>{bar}")
    values["streak"] = values["bar"] if "ornament" in tokens.drawings else "none"
    for name in ("motif", "ornament"):
        drawing = tokens.drawings.get(name)
        values[name] = svg_url(draw(tokens, drawing)) if drawing is not None else "none"
        values[f"{name}-ratio"] = num(drawing.box[0] / drawing.box[1]) if drawing else "1"
    behind, share = tokens.drawings.get("motif"), float(tokens.css.get("motif-behind", 0))
    values["motif-behind"] = svg_url(draw(tokens, behind, share)) if behind and share else "none"
    return _properties(values)


def _corners(tokens: Tokens, kept: float) -> Iterator[str]:
    """Yield what draws a plate for each `cut-NAME: size weight`, and the lattices.

    A plate's lines are background layers, not borders: a border cannot leave out a
    corner, and paper painted over it would leave a grey ghost on screens.
    """
    pitch, dot = tokens.length("lattice-pitch"), tokens.length("lattice-dot")
    line_colour = tokens.colours["line"]
    middle = num(pitch / 2)
    circle = f"<circle cx='{middle}' cy='{middle}' r='{num(dot)}' fill='{line_colour}'/></svg>"
    lattice = svg_url(f"{_square(num(pitch))}{circle}")
    # One tile of a grid to draw maps on: a small cross in the middle.
    pitch, arm = tokens.length("lattice-square"), tokens.length("lattice-arm")
    middle, start, end = (num(at) for at in (pitch / 2, pitch / 2 - arm, pitch / 2 + arm))
    cross = (
        f"<path d='M{start} {middle} H{end} M{middle} {start} V{end}' stroke='{line_colour}' "
        "stroke-width='0.4'/></svg>"
    )
    yield f":root {{ --lattice: {lattice}; --crosses: {svg_url(_square(num(pitch)) + cross)} }}"
    for name, value in tokens.css.items():
        if name.startswith("cut-"):
            size, line = (float(length.removesuffix("pt")) for length in value.split())
            yield f".{name} {{ background: {svg_layer(draw_plate(tokens, size, line, kept))} }}"


def _square(side: str) -> str:
    """Return the beginning of an SVG of so many points."""
    return f"{_SVG} viewBox='0 0 {side} {side}' width='{side}pt' height='{side}pt'>"


def _role(tokens: Tokens, name: str, role: Role) -> str:
    """Return the class of a role: its text is on the role's baseline in any box.

    `--z` scales a text that was set smaller; a text on two lines (`folded`) stands in the
    middle of its box.
    """
    face, weight, style = parse_face_name(_drawn_as(tokens, role.face))
    drop, cap = (_measure(tokens, what, face) for what in ("drop", "cap"))
    spare = ", figure, text" if face == "display" else ""
    line = role.leading or role.size * LINE
    if role.baseline is None:
        place = f"top: calc(50% - {num(line / 2 + (drop - cap / 2) * role.size)}pt * var(--z, 1))"
    else:
        foot = num(line / 2 - drop * role.size)
        place = f"bottom: calc({num(role.baseline)}pt - {foot}pt * var(--z, 1))"
    sizes = "calc(var(--size) * var(--z, 1))", f"calc({num(line)}pt * var(--z, 1))"
    slant = "italic " if style == "italic" else ""
    top = num(2 + cap * role.size - line / 2 - drop * role.size)
    kept = f"; line-height: {num(line)}pt" if role.leading else ""
    lead = role.leading or role.size * 1.15
    block = num(lead + (drop - cap / 2 + 0.125) * role.size)
    return (
        f".r-{name} {{ --size: {num(role.size)}pt; "
        f"font: {slant}{weight} {'/'.join(sizes)} {face}{spare}; "
        f"height: {sizes[1]}; {place}; "
        f"text-align: {role.align}; color: var(--{role.colour}) }}\n"
        f".r-{name}.tall {{ top: {top}pt; bottom: auto; height: calc(100% - {top}pt){kept} }}\n"
        f".r-{name}.folded {{ top: calc(50% - {block}pt * var(--z, 1)); bottom: auto; "
        f"line-height: calc({num(lead)}pt * var(--z, 1)); "
        f"height: calc({num(2 * lead + 1)}pt * var(--z, 1)) }}"
    )


def _tick(tokens: Tokens, name: str, tick: Tick) -> Iterator[str]:
    """Yield the classes of a tick style, its shapes at the style's own size."""
    size = tokens.length(f"tick-{name}-w"), tokens.length(f"tick-{name}-h")
    shapes = ((shape, drawn) for shape, drawn in tokens.shapes.items() if drawn.path)
    images = {shape: _image(drawn, *_paints(tokens, drawn), *size) for shape, drawn in shapes}
    frame, mark = images.get(tick.frame, "none"), images.get(tick.on, "none")
    yield f".t-{name} {{ --f: {frame}; --o: none; background: var(--o), var(--f) }}"
    yield f".t-{name}:is(:checked, .on) {{ --o: {mark} }}"
    yield f".t-{name}.f-none {{ --f: none }}"
    for shape in tokens.css.get(f"tick-{name}-also", "").split():  # that some boxes take instead
        yield f".t-{name}.f-{shape} {{ --f: {images[shape]} }}"
        yield f".t-{name}.o-{shape}:is(:checked, .on) {{ --o: {images[shape]} }}"


def _paints(tokens: Tokens, shape: Shape) -> tuple[str, str]:
    """Return the colours of the fill and of the stroke of a shape; "" for none."""
    colours = {"": "", **tokens.colours}
    return colours[shape.fill or ""], colours[shape.stroke or ""]


@lru_cache(maxsize=1000)  # all designs of a theme draw the same ones
def _image(shape: Shape, fill: str, stroke: str, width: float, height: float) -> str:
    """Return a shape as a background layer that fills its box, whatever its size."""
    pen = ""
    if stroke:
        # A box of any size stretches the path, and stretches the pen only by its `weight`.
        pen = f" stroke='{stroke}' stroke-width="
        if shape.weight:
            pen += f"'{num(shape.weight * width)}'"
        else:
            pen += f"'{num(shape.width * PX)}' vector-effect='non-scaling-stroke'"
    box = Box(shape.inset, shape.inset, width - 2 * shape.inset, height - 2 * shape.inset)
    return svg_layer(
        f"{_SVG} viewBox='0 0 {num(width)} {num(height)}' preserveAspectRatio='none'>"
        f"<path d='{stretch(shape.path, box)}' fill='{fill or 'none'}'{pen}/></svg>"
    )


def svg_layer(svg: str) -> str:
    """Return a drawing as a background layer that fills its box."""
    return f"{svg_url(svg)} 0 0 / 100% 100% no-repeat"


def svg_url(svg: str) -> str:
    """Return a drawing as a `data:` address for CSS."""
    return f'url("{svg_address(svg)}")'


def svg_address(svg: str) -> str:
    """Return a drawing as a `data:` address."""
    return "data:image/svg+xml," + quote(svg, safe=" ='/:.,-")


PX: Final = 4 / 3  # units of a picture without a view box, in a point
# How far a corner extends along the edges, so that its joints are sharp; in such units.
_STUB: Final = 0.8
CORNERS: Final[Mapping[str, tuple[float, float, float, str]]] = {
    # Share of the size across and down, share of it at the lower corners, and the path from the
    # end of the upper edge (0, 0) to the end of the right edge (1, 1).
    "cut": (1, 1, 0, "L1 1"),
    "slant": (2.1, 1, 0, "L1 1"),
    "notch": (0.62, 0.62, 0, "L0 1 L1 1"),
    "step": (1, 1, 0, "L0 .5 L.5 .5 L.5 1 L1 1"),
    "round": (0.9, 0.9, 0.9, "C.55 0 1 .45 1 1"),
    "scoop": (0.86, 0.86, 0, "C0 .55 .45 1 1 1"),
    "hexagon": (0.56, 0.97, 0.3, "L1 1"),
    "square": (0, 0, 0, ""),
}
# Corners that the upper left of a plate has, too, smaller: words begin there.
_BOTH: Final = ("round", "hexagon")
_LEFT: Final = 0.55


def draw_plate(tokens: Tokens, size: float, line: float, kept: float) -> str:
    """Return a plate as an SVG of strokes, whatever the size of its box.

    An inner `svg` begins at its own `x` and `y`, so lines can end a length before an edge.
    Edges end where a corner begins: overlapping lines are heavier on screens.

    Args:
        size, line: Of the corner, and weight of the line, in points.
        kept: How far the line stays from the edge of the box.
    """
    kind = tokens.css["corner"]
    across, down, low, path = CORNERS[kind]
    upper, lower = (across * size * PX, down * size * PX), (low * size * PX,) * 2
    left = (upper[0] * _LEFT, upper[1] * _LEFT) if kind in _BOTH else (0.0, 0.0)
    weight = line * PX
    mid = weight / 2 + kept
    strokes = []
    top, right, foot = (left[0], upper[0]), (upper[1], lower[1]), (lower[0], lower[0])
    for at, ends in enumerate((top, right, foot, (left[1], lower[1]))):
        first, last = (length + _STUB if length else kept for length in ends)
        begin, back = num(first + last), num(last)
        far, level = at in (1, 2), f"{'-' if at in (1, 2) else ''}{num(mid)}"
        if at % 2 == 0:
            beside = " y='100%'" if far else ""
            edge = f"<line x1='{begin}' x2='100%' y1='{level}' y2='{level}'/>"
            strokes.append(f"<svg x='-{back}'{beside} overflow='visible'>{edge}</svg>")
        else:
            beside = " x='100%'" if far else ""
            edge = f"<line x1='{level}' x2='{level}' y1='{begin}' y2='100%'/>"
            strokes.append(f"<svg{beside} y='-{back}' overflow='visible'>{edge}</svg>")
    for x, y, (wide, high) in ((1, 0, upper), (0, 0, left), (1, 1, lower), (0, 1, lower)):
        if wide:  # the path of a corner is mirrored where it is not the upper right one
            box = Box(-wide, mid, wide - mid, high - mid)
            drawn = f"M-{num(wide + _STUB)} {num(mid)} H-{num(wide)} {stretch(path, box)} "
            drawn += f"V{num(high + _STUB)}"
            turn = f" transform='scale({1 if x else -1},{-1 if y else 1})'"
            flip = turn if (x, y) != (1, 0) else ""
            corner = (" x='100%'" if x else "") + (" y='100%'" if y else "")
            strokes.append(f"<svg{corner} overflow='visible'><path d='{drawn}'{flip}/></svg>")
    return (
        f"{_SVG} width='100%' height='100%'><g fill='none' stroke='{tokens.colours['ink']}' "
        f"stroke-width='{num(weight)}'>{''.join(strokes)}</g></svg>"
    )


def draw_panel(
    tokens: Tokens, wide: float, high: float, size: float, scene: Drawing, below: float
) -> str:
    """Return a plate of the accent with a scene on its upper part, `below` high, in points.

    A theme without fills has only a line around both. `size`: of the corner.
    """
    across, down, _, path = CORNERS[tokens.css["corner"]]
    start = wide - across * size
    corner = transform(path, lambda x, y: (start + x * across * size, y * down * size))
    outline = f"M0 0 H{num(start)} {corner} V{num(high)} H0 Z"
    fill, line = tokens.colours["accent"] if tokens.fills else "none", ""
    if not tokens.fills:
        pen = f"fill='none' stroke='{tokens.colours['ink']}' stroke-width='1.2'"
        line = f"<path d='{outline} M0 {num(below)} H{num(wide)}' {pen}/>"
    drawn = draw_scene(tokens, scene, wide / below, within=(wide, below))
    return (
        f"{_SVG} viewBox='0 0 {num(wide)} {num(high)}' width='{num(wide)}' height='{num(high)}'>"
        f"<clipPath id='edge'><path d='{outline}'/></clipPath><path d='{outline}' fill='{fill}'/>"
        f"<g clip-path='url(#edge)'>{drawn}</g>{line}</svg>"
    )


def draw_rule(tokens: Tokens, *, live: bool) -> tuple[str, float]:
    """Return the line above a title as an SVG, and its height in points.

    A `live` one has the index of what is touched in play.
    """
    css, ink, accent = tokens.css, tokens.colours["ink"], tokens.colours["accent"]
    line, index = tokens.length("w-section") * PX, tokens.length("w-index") * PX
    kind, shown = css["rule"], accent if live else ink
    long = 34 * PX  # 12 mm, the length of the index
    height = index if live else line
    if kind == "plain":
        strokes = [_rect("0", 0, "100%", line, ink)]
        strokes += [_rect("0", 0, num(long), index, accent)] if live else []
    elif kind == "double":
        below = _rect("0", line + 1.7, "100%", 0.55, shown)
        strokes, height = [_rect("0", 0, "100%", line, ink), below], line + 2.3
    elif kind == "broken":
        gap, short = 3.4, 15.0
        height = index if live else index * 0.72
        start, end, mid = long + gap, short + gap, num(line / 2)
        pen = f"y1='{mid}' y2='{mid}' stroke='{ink}' stroke-width='{num(line)}'"
        strokes = [
            _rect("0", 0, num(long), height, shown),
            _moved(f"-{num(end)}", f"<line x1='{num(start + end)}' x2='100%' {pen}/>"),
            _moved("100%", _rect(f"-{short}", 0, f"{short}", height, ink)),
        ]
    elif kind == "taper":
        thick = index if live else line * 1.9
        strokes, height = [_taper(0, thick, 0.45, "100%", ink)], thick + 2.1
        if live:
            strokes.append(_taper(0, thick, thick * 0.55, "26%", accent))
            strokes.append(_taper(thick + 1.2, 0.9, 0.3, "16%", accent))
        else:
            strokes.append(_taper(thick + 1.2, 0.7, 0.3, "11%", ink))
    else:
        half, point, height = num(index / 2), num(index * 0.6), index
        wide = long if live else index * 4
        bevel = f"M0 {half} l{point} -{half} H{num(wide - index * 0.6)} l{point} {half} "
        bevel += f"l-{point} {half} H{point} Z"
        rest = _rect("0", index / 2 - line / 2, "100%", line, ink)
        strokes = [f"<path d='{bevel}' fill='{shown}'/>", _moved(num(wide + 2), rest)]
    return f"{_SVG} width='100%' height='100%'>{''.join(strokes)}</svg>", height / PX


# The bar below the name of a page for each rule of a face, in a unit square.
BARS: Final[Mapping[str, str]] = {
    "plain": "M0 0 L1 0 L1 1 L0 1 Z",
    "double": "M0 0 L1 0 L1 .56 L0 .56 Z M0 .82 L1 .82 L1 1 L0 1 Z",
    "taper": "M0 0 L1 0 L.97 .4 L0 .4 Z M.03 .56 L.62 .56 L.6 .76 L.016 .76 Z "
    "M0 .88 L.34 .88 L.33 1 L0 1 Z",
    "broken": "M0 0 L.52 0 L.52 1 L0 1 Z M.57 0 L.84 0 L.84 1 L.57 1 Z M.89 0 L1 0 L1 1 L.89 1 Z",
    "bevel": "M0 .5 L.04 0 L.96 0 L1 .5 L.96 1 L.04 1 Z",
}


# The step of a title line for each corner: from the lower left (0, 1) to the upper right.
_STEPS: Final[Mapping[str, str]] = {
    "cut": "L1 0",
    "slant": "L1 0",
    "notch": "L.5 1 L.5 0 L1 0",
    "step": "L.3 1 L.3 .66 L.6 .66 L.6 .33 L1 .33 L1 0",
    "round": "C.6 1 .4 0 1 0",
    "scoop": "C.05 .5 .5 0 1 0",
    "hexagon": "L.2 1 L.62 0 L1 0",
    "square": "L0 0 L1 0",
}


def draw_step(tokens: Tokens, line: str, box: float, low: float, high: float) -> str:
    """Return the step of a page's title line, in the form of the corners of plates.

    The line is so many points heavy, and its room `box` wide and high. It comes in `low` below the
    top of the room, and leaves `high` below it.
    """
    step = stretch(_STEPS[tokens.css["corner"]], Box(0.3, high, box - 0.8, low - high))
    path = f"M-.5 {num(low)} H.3 {step} H{num(box + 1)}"
    pen = f"stroke='{tokens.colours['ink']}' stroke-width='{line}'"
    return f"{_square(num(box))}<path d='{path}' fill='none' {pen}/></svg>"


def _moved(x: str, drawn: str) -> str:
    return f"<svg x='{x}' overflow='visible'>{drawn}</svg>"


def _rect(x: str, y: float, wide: str, high: float, colour: str) -> str:
    return f"<rect x='{x}' y='{num(y)}' width='{wide}' height='{num(high)}' fill='{colour}'/>"


def _taper(y: float, first: float, last: float, wide: str, colour: str) -> str:
    points = f"0,0 100,0 100,{num(last)} 0,{num(first)}"
    return (
        f"<svg x='0' y='{num(y)}' width='{wide}' height='{num(first)}' "
        f"viewBox='0 0 100 {num(first)}' preserveAspectRatio='none'>"
        f"<polygon points='{points}' fill='{colour}'/></svg>"
    )


_MEDIA: Final = "@media screen and (prefers-color-scheme: dark)"
_GROUNDS: Final = {"paper": 0.235, "desk": 0.175}  # lightness of the colours that all others lie on
_TINT: Final = 0.012  # most chroma of a ground
_MOST: Final = 13.0  # most contrast with the paper: more of it dazzles in a dim room
# Least chroma of a colour, and its most contrast: a lighter one would be pale.
_COLOURED, _MOST_COLOURED = 0.06, 6.5
# How much more contrast than READABLE a text gets, for grounds that are not quite paper.
_SPARE: Final = 1.05
_RULE: Final = re.compile(r"([^{}]*)\{([^{}]*)\}")
_DRAWN: Final = "%23"
_DRAWN_COLOUR: Final = re.compile(f"{_DRAWN}([0-9A-Fa-f]{{6}})(?![0-9A-Fa-f])")
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
Lch = tuple[float, float, float]


def build_dark_styles(colours: Mapping[str, str], styles: str) -> str:
    """Return what makes a page dark on screens that ask for it, for right behind `styles`.

    Custom properties change, and so do drawings that hold colours: those of `styles`, and SVG
    elements of the page by their attributes. Pictures stay on light paper: a drawing in black ink
    may be transparent. `colours` are those of the light page, by name.
    """
    dark = derive_dark_colours(tuple(colours.items()))
    pictures = f"img.picture, img.place.picture {{ background: {colours.get('paper', _WHITE)} }}"
    # SVG elements whose attributes hold a colour; of names with equal colours, the first.
    names = {value: name for name, value in reversed([*colours.items()])}.items()
    strokes = (
        f'[{key}="{value}"] {{ {key}: var(--{name}) }}'
        for value, name in names
        for key in ("fill", "stroke")
    )
    return _on_dark_screens(_properties(dark), pictures, *_drawings(colours, styles), *strokes)


def build_dark_drawings(colours: Mapping[str, str], styles: str) -> str:
    """Return only the drawings of `styles` in dark colours; empty if there are none."""
    return _on_dark_screens(*_drawings(colours, styles))


def _on_dark_screens(*rules: str) -> str:
    return f"{_MEDIA} {{\n" + "\n".join(rules) + "\n}\n" if rules else ""


@lru_cache(maxsize=16)
def derive_dark_colours(colours: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return `colours`, name by name, as they are on dark paper."""
    light = dict(colours)
    tint = _lch(light.get("desk", _WHITE))
    dark = {name: _hex((level, min(tint[1], _TINT), tint[2])) for name, level in _GROUNDS.items()}
    paper = light.get("paper", _WHITE)
    return {
        name: dark.get(name) or _lifted(value, measure_contrast(value, paper), dark["paper"])
        for name, value in colours
    }


def _lifted(colour: str, contrast: float, paper: str) -> str:
    """Return `colour`, lighter than dark `paper` by `contrast`."""
    _, chroma, hue = _lch(colour)
    target = min(contrast, _MOST if chroma < _COLOURED else _MOST_COLOURED)
    if contrast >= READABLE:
        target = max(target, READABLE * _SPARE)
    low, high = _GROUNDS["paper"], 1.0
    for _ in range(14):
        middle = (low + high) / 2
        if measure_contrast(_hex((middle, chroma, hue)), paper) < target:
            low = middle
        else:
            high = middle
    return _hex((high, chroma, hue))


def _drawings(colours: Mapping[str, str], styles: str) -> Iterator[str]:
    """Yield the declarations of `styles` that hold drawings in `colours`, in dark ones.

    Other colours of drawings are mixed with the paper, and keep their contrast with it.
    """
    if _DRAWN not in styles:
        return
    dark = derive_dark_colours(tuple(colours.items()))
    turned = {colours[name].upper(): dark[name] for name in reversed([*colours])}

    def turn(found: re.Match[str]) -> str:
        colour = f"#{found[1].upper()}"
        if colour not in turned:
            contrast = measure_contrast(colour, colours.get("paper", _WHITE))
            turned[colour] = _lifted(colour, contrast, dark["paper"])
        return _DRAWN + turned[colour][1:]

    for selector, body in _RULE.findall(_COMMENT.sub("", styles)):
        drawn = [part.strip() for part in body.split(";") if _DRAWN in part]
        if drawn:
            yield f"{selector.strip()} {{ {_DRAWN_COLOUR.sub(turn, '; '.join(drawn))} }}"


def _lch(colour: str) -> Lch:
    r, g, b = linear_parts(colour)
    long = math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    middle = math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    short = math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    light = 0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short
    return light, math.hypot(a, b), math.atan2(b, a)


def _rgb(colour: Lch) -> Rgb:
    light, chroma, hue = colour
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (light - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )


def _hex(colour: Lch) -> str:
    """Return a colour as `#RRGGBB`, with as much of its chroma as the gamut holds."""
    light, chroma, hue = colour
    while chroma > 0 and not all(-1e-4 <= part <= 1 + 1e-4 for part in _rgb((light, chroma, hue))):
        chroma = chroma - 0.004 if chroma > 0.004 else 0.0
    written = "#"
    for part in _rgb((light, chroma, hue)):
        part = min(1.0, max(0.0, part))
        curved = 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055
        written += f"{round(255 * curved):02X}"
    return written


# Polygons that are thinner than this on average, in units of the drawing, are lines.
_SLENDER: Final = 4.5
_POINTS: Final = re.compile(r"(-?[\d.]+)[ ,]+(-?[\d.]+)")
# Paler fills are only outlined where no colour may be mixed, so that they stay pale.
_PALE: Final = 0.6


def draw(tokens: Tokens, drawing: Drawing, share: float = 1) -> str:
    """Return a drawing as an SVG in its own box.

    Themes make it thinner (`motif-weight`), without mixed colours (`motif-tint`), or only
    the outlines of its wide fills (`motif-fills`). `share` says how strong its colours are, from 0
    to 1; a pale one is without its middle.
    """
    css, colours = tokens.css, tokens.colours
    weight, least = float(css["motif-weight"]), float(css["motif-tint"])
    wide, high = map(num, drawing.box)
    paths = []
    for stroke in drawing.paths:
        if stroke.central and share != 1:
            continue
        tint = min(1.0, max(stroke.tint * share, least))
        drawn = f"<path d='{stroke.path}'"
        outlined = not float(css["motif-fills"]) and not _is_slender(stroke.path)
        fills = bool(stroke.fill) and not outlined and (stroke.tint > _PALE or least < 1)
        if fills:
            drawn += f" fill='{mix_with_paper(colours, stroke.fill, tint)}'"
        if pen := stroke.stroke or ("" if fills else stroke.fill):
            width = num(stroke.width * weight * (1 if stroke.stroke else 0.7))
            drawn += f" stroke='{mix_with_paper(colours, pen, tint)}' stroke-width='{width}'"
        paths.append(f"{drawn}/>")
    head = f"{_SVG} viewBox='0 0 {wide} {high}' fill='none' stroke-linejoin='round'>"
    return f"{head}{''.join(paths)}</svg>"


def draw_scene(
    tokens: Tokens,
    scene: Drawing,
    ratio: float,
    middle: float = 0.5,
    within: tuple[float, float] | None = None,
) -> str:
    """Return a part of a scene as an SVG of this ratio of width to height.

    Where a theme has no wide fills or no mixed colours, what they would fill is outlined and hides
    what is behind it. The scene's middle is at `middle`, a share of the width. `within` is its size
    as a part of another SVG.
    """
    wide, high = float(scene.box[0]), float(scene.box[1])
    across = min(wide, high * ratio)
    down = across / ratio
    left = min(wide - across, max(0.0, wide / 2 - middle * across))
    view = " ".join(map(num, (left, (high - down) / 2, across, down)))
    css, colours, paper, paths = tokens.css, tokens.colours, "paper", ""
    weight, least = float(css["motif-weight"]), float(css["motif-tint"])
    for one in scene.paths:
        tint, width, fill, pen = max(float(one.tint), least), float(one.width), one.fill, one.stroke
        pale = least == 1 and one.tint <= _PALE
        if fill not in ("", paper) and (pale or not float(css["motif-fills"])):
            fill, pen, width = paper, fill, 1.0
        paths += f"<path d='{one.path}'"
        if fill:
            paths += f" fill='{mix_with_paper(colours, fill, tint)}'"
        if pen:
            stroke = mix_with_paper(colours, pen, tint)
            paths += f" stroke='{stroke}' stroke-width='{num(width * weight)}'"
        paths += "/>"
    head, (shown, deep) = ("<svg", within) if within else (_SVG, (across, down))
    size = f"viewBox='{view}' width='{num(shown)}' height='{num(deep)}'"
    return f"{head} {size} fill='none' stroke-linejoin='round'>{paths}</svg>"


def _is_slender(path: str) -> bool:
    """Return whether a path has only thin polygons: they are lines, and have no outline."""
    if set(re.findall("[A-Za-z]", path)) - {*"MLZ"}:
        return False
    covered = around = 0.0
    for one in path.split("Z"):
        points = [complex(float(x), float(y)) for x, y in _POINTS.findall(one)]
        sides = [*zip(points, [*points[1:], *points[:1]], strict=True)]
        covered += abs(sum((a.conjugate() * b).imag for a, b in sides)) / 2
        around += sum(abs(b - a) for a, b in sides)
    return 2 * covered < _SLENDER * around
