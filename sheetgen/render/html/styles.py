"""Build CSS from design tokens, with the measures that the press uses, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final
from urllib.parse import quote

from sheetgen.model.prints import Role, Shape, Tick, Tokens
from sheetgen.units import PAPER_SIZES

ASCENT_LESS_DESCENT: Final = {"text": 0.3555, "figure": 0.383}
"""Half of (ascent − descent) in em, per family: how far a baseline lies below the middle
of its line box."""

CAP_HEIGHT: Final = {"text": 0.66, "figure": 0.72}
"""In em, per family."""

LINE: Final = 1.257
"""Height of a line box in em; Source Sans Pro's own, and enough for Manrope."""

_MARGINS: Final = {"a4": "11mm 11mm 0", "letter": "8.7mm 13.95mm 0"}
"""Margins of a sheet by paper, for `@page`; they leave 188 mm of width on each."""

_PX: Final = 4 / 3
"""Units of a picture without a view box, in a point."""

_STUB: Final = 0.8
"""How far a cut goes on along the edges, so that its joints are sharp; in such units."""

_KEPT: Final = 0.35
"""How far a plate's line stays from the edge on a page: browsers cut at whole pixels."""

_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?|[MLCZ]")
_LENGTH: Final = re.compile(r"(\d+(?:\.\d+)?)pt")


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
    parts = [*_faces(tokens, asset_url), _root(tokens)]
    if paper in _MARGINS:
        wide, high = PAPER_SIZES[paper]
        size = f"{wide:g}mm {high:g}mm"
        parts.append(f"@page {{ size: {size}; margin: {_MARGINS[paper]} }}")
    parts += [_drops(), *_corners(tokens, _KEPT if mode == "page" else 0.0)]
    if mode == "page":
        parts += [f".z-{n} {{ --z: {_n(n / 100)} }}" for n in range(50, 100)]
        parts += [_role(name, role) for name, role in tokens.roles.items()]
        parts += [rule for name, tick in tokens.ticks.items() for rule in _tick(tokens, name, tick)]
    parts += [
        f".s-{name} {{ background: {_image(tokens, shape, 11, 11)} }}"
        for name, shape in tokens.shapes.items()
        if shape.path
    ]
    return "\n".join(parts) + "\n"


def parse_face_name(face: str) -> tuple[str, str, str]:
    """Return the family, weight and style that a face such as `text-400i` names."""
    name, _, rest = face.partition("-")
    return name, rest.rstrip("i"), "italic" if rest.endswith("i") else "normal"


def _faces(tokens: Tokens, asset_url: Callable[[str], str]) -> Iterator[str]:
    for face in tokens.faces:
        name, weight, style = parse_face_name(face)
        url = asset_url(face)
        if url:
            yield (
                f"@font-face {{ font-family: {name}; font-weight: {weight}; "
                f'font-style: {style}; src: url("{url}") }}'
            )


def _root(tokens: Tokens) -> str:
    colours = [f"--{name}: {value};" for name, value in tokens.colours.items()]
    lengths = [f"--{name}: {value};" for name, value in tokens.css.items()]
    return ":root { " + " ".join(colours + lengths) + " }"


def _drops() -> str:
    """Return a custom property per family that turns a size into a drop to the baseline."""
    drops = " ".join(f"--drop-{name}: {drop};" for name, drop in ASCENT_LESS_DESCENT.items())
    return ":root { " + drops + " }"


def _corners(tokens: Tokens, kept: float) -> Iterator[str]:
    """Yield what draws a plate for each `cut-NAME: size weight`, and the lattice of dots.

    A plate's lines are background layers, not borders: a border cannot leave out a
    corner, and paper painted over it would leave a grey ghost on screens.
    """
    pitch, dot = (_points(tokens.css[f"lattice-{part}"]) for part in ("pitch", "dot"))
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_n(pitch)} {_n(pitch)}' "
        f"width='{_n(pitch)}pt' height='{_n(pitch)}pt'><circle cx='{_n(pitch / 2)}' "
        f"cy='{_n(pitch / 2)}' r='{_n(dot)}' fill='{tokens.colours['line']}'/></svg>"
    )
    yield f":root {{ --lattice: {svg_url(svg)} }}"
    for name, said in tokens.css.items():
        if name.startswith("cut-"):
            size, line = (_points(length) for length in said.split())
            yield f".{name} {{ background: {_plate(tokens, size, line, kept)} }}"


def _plate(tokens: Tokens, size: float, line: float, kept: float) -> str:
    """Return a plate as one picture of strokes, whatever the size of its box.

    An inner `svg` begins where its `x` and `y` say, so lines can end a length before an
    edge. Edges end where the cut begins: what overlaps looks heavier on screens.

    Args:
        size: Of the cut, in points.
        line: Weight of the line, in points.
        kept: How far the line stays from the edge of the box.
    """
    cut, weight = size * _PX, line * _PX
    half, stub = weight / 2 + kept, cut + _STUB
    mid, end, near = _n(half), _n(stub), _n(cut - half)
    strokes = (
        ("", f"-{_n(kept)}", f"<line x1='{mid}' x2='{mid}' y1='{_n(2 * kept)}' y2='100%'/>"),
        (f"-{_n(kept)}", "100%", f"<line x1='{_n(2 * kept)}' x2='100%' y1='-{mid}' y2='-{mid}'/>"),
        (f"-{end}", "", f"<line x1='{_n(stub + kept)}' x2='100%' y1='{mid}' y2='{mid}'/>"),
        (
            "100%",
            f"-{_n(kept)}",
            f"<line x1='-{mid}' x2='-{mid}' y1='{_n(stub + kept)}' y2='100%'/>",
        ),
        ("100%", "", f"<path d='M-{end} {mid} H-{near} L-{mid} {near} V{end}'/>"),
    )
    drawn = "".join(
        f"<svg x='{x or 0}' y='{y or 0}' overflow='visible'>{stroke}</svg>"
        for x, y, stroke in strokes
    )
    svg = (
        "<svg xmlns='http://www.w3.org/2000/svg' width='100%' height='100%'>"
        f"<g fill='none' stroke='{tokens.colours['ink']}' stroke-width='{_n(weight)}'>"
        f"{drawn}</g></svg>"
    )
    return svg_layer(svg)


def _role(name: str, role: Role) -> str:
    """Return the class of a role: its text stands on the role's baseline in any box.

    `--z` scales a text that was set smaller; a text on two lines (`folded`) stands in the
    middle of its box.
    """
    face, weight, style = parse_face_name(role.face)
    drop, cap = ASCENT_LESS_DESCENT[face], CAP_HEIGHT[face]
    line = role.leading or role.size * LINE
    if role.baseline is None:
        place = f"top: calc(50% - {_n(line / 2 + (drop - cap / 2) * role.size)}pt * var(--z, 1))"
    else:
        foot = _n(line / 2 - drop * role.size)
        place = f"bottom: calc({_n(role.baseline)}pt - {foot}pt * var(--z, 1))"
    sizes = "calc(var(--size) * var(--z, 1))", f"calc({_n(line)}pt * var(--z, 1))"
    slant = "italic " if style == "italic" else ""
    top = _n(2 + cap * role.size - line / 2 - drop * role.size)
    lead = role.leading or role.size * 1.15
    block = _n(lead + (drop - cap / 2 + 0.05) * role.size)
    return (
        f".r-{name} {{ --size: {_n(role.size)}pt; font: {slant}{weight} {'/'.join(sizes)} {face}; "
        f"height: {sizes[1]}; {place}; "
        f"text-align: {role.align}; color: var(--{role.colour}) }}\n"
        f".r-{name}.tall {{ top: {top}pt; bottom: auto; height: calc(100% - {top}pt) }}\n"
        f".r-{name}.folded {{ top: calc(50% - {block}pt * var(--z, 1)); bottom: auto; "
        f"line-height: calc({_n(lead)}pt * var(--z, 1)); "
        f"height: calc({_n(2 * lead + 1)}pt * var(--z, 1)) }}"
    )


def _tick(tokens: Tokens, name: str, tick: Tick) -> Iterator[str]:
    """Yield the classes of a tick style, its shapes at the style's own size."""
    width, height = (_points(tokens.css[f"tick-{name}-{side}"]) for side in ("w", "h"))
    images = {
        shape: _image(tokens, drawn, width, height)
        for shape, drawn in tokens.shapes.items()
        if drawn.path
    }
    frame, mark = images.get(tick.frame, "none"), images.get(tick.on, "none")
    yield f".t-{name} {{ --f: {frame}; --o: none; background: var(--o), var(--f) }}"
    yield f".t-{name}:is(:checked, .on) {{ --o: {mark} }}"
    yield f".t-{name}.f-none {{ --f: none }}"
    for shape in _others(tokens.css, name):
        yield f".t-{name}.f-{shape} {{ --f: {images[shape]} }}"
        yield f".t-{name}.o-{shape}:is(:checked, .on) {{ --o: {images[shape]} }}"


def _others(css: Mapping[str, str], tick: str) -> list[str]:
    """Return the shapes, besides its own, that boxes of a tick style may take."""
    return css.get(f"tick-{tick}-also", "").split()


def _image(tokens: Tokens, shape: Shape, width: float, height: float) -> str:
    """Return a shape as a background layer that fills its box, whatever its size."""
    fill = tokens.colours[shape.fill] if shape.fill else "none"
    pen = ""
    if shape.stroke:
        # A box of any size stretches the path, and must not stretch the pen.
        pen = (
            f" stroke='{tokens.colours[shape.stroke]}' stroke-width='{_n(shape.width * _PX)}'"
            " vector-effect='non-scaling-stroke'"
        )
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_n(width)} {_n(height)}' "
        f"preserveAspectRatio='none'><path d='{_stretched(shape, width, height)}' "
        f"fill='{fill}'{pen}/></svg>"
    )
    return svg_layer(svg)


def svg_layer(svg: str) -> str:
    """Return a drawing as a background layer that fills its box."""
    return f"{svg_url(svg)} 0 0 / 100% 100% no-repeat"


def svg_url(svg: str) -> str:
    """Return a drawing as a `data:` address for CSS."""
    data = quote(svg, safe=" ='/:.,-")
    return f'url("data:image/svg+xml,{data}")'


def _stretched(shape: Shape, width: float, height: float) -> str:
    """Return the path of `shape`, from its unit square to a box of that many points."""
    spans = (width - 2 * shape.inset, height - 2 * shape.inset)
    drawn: list[str] = []
    axis = 0
    for part in _NUMBER.findall(shape.path):
        if part in "MLCZ":
            drawn.append(part)
            axis = 0
        else:
            drawn.append(_n(shape.inset + float(part) * spans[axis]))
            axis = 1 - axis
    return " ".join(drawn)


def _points(length: str) -> float:
    match = _LENGTH.fullmatch(length)
    if match is None:
        raise ValueError(f"`{length}` must be in points, such as `11pt`")
    return float(match[1])


def _n(number: float) -> str:
    return f"{number:.3f}".rstrip("0").rstrip(".")
