"""Build CSS from design tokens, with the measures that the press uses, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final
from urllib.parse import quote

from sheetgen.model.prints import Role, Shape, Tick, Tokens
from sheetgen.render.html.drawings import draw
from sheetgen.render.html.face_styles import PX, draw_bar, draw_plate, draw_rule
from sheetgen.units import PAPER_SIZES, Box
from sheetgen.units.paths import num, stretch

ASCENT_LESS_DESCENT: Final = {"text": 0.3555, "figure": 0.383, "display": 0.383}
"""Half of (ascent − descent) in em, per family: how far a baseline lies below the middle
of its line box. A face has its own values as tokens, `drop-display`."""

CAP_HEIGHT: Final = {"text": 0.66, "figure": 0.72, "display": 0.72}
"""In em, per family; a face has its own values as tokens, `cap-display`."""

DISPLAY: Final = "display-700"
"""The font of names, titles and covers."""

LINE: Final = 1.257
"""Height of a line box in em; Source Sans Pro's own, and enough for Manrope."""

_MARGINS: Final = {"a4": "11mm 11mm 0", "letter": "8.7mm 13.95mm 0"}
"""Margins of a sheet by paper, for `@page`; they leave 188 mm of width on each."""

_BESIDE: Final = {paper: f"0 {margin.split()[1]} 0" for paper, margin in _MARGINS.items()}
"""The same without the upper margin, which is part of a page in a browser; see `screen.css`."""

_WHITE: Final = "#FFFFFF"

_KEPT: Final = 0.75
"""How far a plate's line stays from the edge on a page: browsers cut at whole pixels."""


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
        margins = _MARGINS[paper] if mode == "plate" else _BESIDE[paper]
        tinted = mode == "plate" and tokens.colours["paper"].upper() != _WHITE
        ground = f"; background: {tokens.colours['paper']}" if tinted else ""  # margins included
        parts.append(f"@page {{ size: {size}; margin: {margins}{ground} }}")
    parts += [_drops(tokens), *_face(tokens), *_corners(tokens, _KEPT if mode == "page" else 0.0)]
    if mode == "page":
        parts += [f".z-{n} {{ --z: {num(n / 100)} }}" for n in range(50, 100)]
        parts += [_role(tokens, name, role) for name, role in tokens.roles.items()]
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
        if face != _drawn_as(tokens, face):
            continue
        name, weight, style = parse_face_name(face)
        url = asset_url(face)
        if url:
            yield (
                f"@font-face {{ font-family: {name}; font-weight: {weight}; "
                f'font-style: {style}; src: url("{url}") }}'
            )


def _drawn_as(tokens: Tokens, face: str) -> str:
    """Return the first face with the same font file, so that no page has a font twice."""
    return next(name for name, file in tokens.faces.items() if file == tokens.faces[face])


def _root(tokens: Tokens) -> str:
    colours = [f"--{name}: {value};" for name, value in tokens.colours.items()]
    lengths = [f"--{name}: {value};" for name, value in tokens.css.items()]
    return ":root { " + " ".join(colours + lengths) + " }"


def _drops(tokens: Tokens) -> str:
    """Return a custom property per family that turns a size into a drop to the baseline."""
    drops = " ".join(
        f"--drop-{family}: {_measure(tokens, 'drop', family)};" for family in ASCENT_LESS_DESCENT
    )
    return ":root { " + drops + " }"


def _measure(tokens: Tokens, what: str, family: str) -> float:
    usual = ASCENT_LESS_DESCENT if what == "drop" else CAP_HEIGHT
    return float(tokens.css.get(f"{what}-{family}", usual[family]))


def _face(tokens: Tokens) -> Iterator[str]:
    """Yield what a face sets: the fonts of names and titles, rules, ornament and motif.

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
    values["bar"] = svg_layer(draw_bar(tokens))
    values["streak"] = values["bar"] if "ornament" in tokens.drawings else "none"
    for name in ("motif", "ornament"):
        drawing = tokens.drawings.get(name)
        values[name] = svg_url(draw(tokens, drawing)) if drawing is not None else "none"
        values[f"{name}-ratio"] = num(drawing.box[0] / drawing.box[1]) if drawing else "1"
    behind, share = tokens.drawings.get("motif"), float(tokens.css.get("motif-behind", 0))
    values["motif-behind"] = svg_url(draw(tokens, behind, share)) if behind and share else "none"
    yield ":root { " + " ".join(f"--{name}: {value};" for name, value in values.items()) + " }"


def _corners(tokens: Tokens, kept: float) -> Iterator[str]:
    """Yield what draws a plate for each `cut-NAME: size weight`, and the lattices.

    A plate's lines are background layers, not borders: a border cannot leave out a
    corner, and paper painted over it would leave a grey ghost on screens.
    """
    pitch, dot = tokens.length("lattice-pitch"), tokens.length("lattice-dot")
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {num(pitch)} {num(pitch)}' "
        f"width='{num(pitch)}pt' height='{num(pitch)}pt'><circle cx='{num(pitch / 2)}' "
        f"cy='{num(pitch / 2)}' r='{num(dot)}' fill='{tokens.colours['line']}'/></svg>"
    )
    yield f":root {{ --lattice: {svg_url(svg)}; --crosses: {svg_url(_cross(tokens))} }}"
    for name, value in tokens.css.items():
        if name.startswith("cut-"):
            size, line = (float(length.removesuffix("pt")) for length in value.split())
            yield f".{name} {{ background: {svg_layer(draw_plate(tokens, size, line, kept))} }}"


def _cross(tokens: Tokens) -> str:
    """Return one tile of a grid to draw maps on: a small cross in the middle."""
    pitch, arm = tokens.length("lattice-square"), tokens.length("lattice-arm")
    middle, start, end = (num(at) for at in (pitch / 2, pitch / 2 - arm, pitch / 2 + arm))
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {num(pitch)} {num(pitch)}' "
        f"width='{num(pitch)}pt' height='{num(pitch)}pt'><path d='M{start} {middle} H{end} "
        f"M{middle} {start} V{end}' stroke='{tokens.colours['line']}' stroke-width='0.4'/></svg>"
    )


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
    width, height = tokens.length(f"tick-{name}-w"), tokens.length(f"tick-{name}-h")
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
        # A box of any size stretches the path, and stretches the pen only by its `weight`.
        pen = f" stroke='{tokens.colours[shape.stroke]}' stroke-width="
        if shape.weight:
            pen += f"'{num(shape.weight * width)}'"
        else:
            pen += f"'{num(shape.width * PX)}' vector-effect='non-scaling-stroke'"
    box = Box(shape.inset, shape.inset, width - 2 * shape.inset, height - 2 * shape.inset)
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {num(width)} {num(height)}' "
        f"preserveAspectRatio='none'><path d='{stretch(shape.path, box)}' "
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
