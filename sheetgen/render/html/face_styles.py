"""What a face draws as CSS: corners of plates, rules above titles, ornament and motif."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sheetgen.model.prints import Tokens
from sheetgen.units import Box
from sheetgen.units.paths import num, stretch, transform

PX: Final = 4 / 3
"""Units of a picture without a view box, in a point."""

_STUB: Final = 0.8
"""How far a corner extends along the edges, so that its joints are sharp; in such units."""

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
_BOTH: Final = ("round", "hexagon")
_LEFT: Final = 0.55
"""Corners that the upper left of a plate has, too, smaller: words begin there."""


def draw_plate(tokens: Tokens, size: float, line: float, kept: float) -> str:
    """Return a plate as an SVG of strokes, whatever the size of its box.

    An inner `svg` begins at its own `x` and `y`, so lines can end a length before an edge.
    Edges end where a corner begins: overlapping lines are heavier on screens.

    Args:
        size: Of the corner, in points.
        line: Weight of the line, in points.
        kept: How far the line stays from the edge of the box.
    """
    kind = tokens.css["corner"]
    across, down, low, path = CORNERS[kind]
    upper, lower = (across * size * PX, down * size * PX), (low * size * PX,) * 2
    left = (upper[0] * _LEFT, upper[1] * _LEFT) if kind in _BOTH else (0.0, 0.0)
    weight = line * PX
    mid = weight / 2 + kept
    strokes = [
        _edge("top", left[0], upper[0], mid, kept),
        _edge("right", upper[1], lower[1], mid, kept),
        _edge("bottom", lower[0], lower[0], mid, kept),
        _edge("left", left[1], lower[1], mid, kept),
        *(
            _corner(x, y, corner, path, mid)
            for x, y, corner in ((1, 0, upper), (0, 0, left), (1, 1, lower), (0, 1, lower))
            if corner[0]
        ),
    ]
    return (
        "<svg xmlns='http://www.w3.org/2000/svg' width='100%' height='100%'>"
        f"<g fill='none' stroke='{tokens.colours['ink']}' stroke-width='{num(weight)}'>"
        f"{''.join(strokes)}</g></svg>"
    )


def draw_panel(tokens: Tokens, wide: float, high: float, size: float) -> str:
    """Return a filled plate of the accent as an SVG; all lengths are in points.

    Args:
        size: Of the corner.
    """
    across, down, _, path = CORNERS[tokens.css["corner"]]
    start = wide - across * size
    corner = transform(path, lambda x, y: (start + x * across * size, y * down * size))
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {num(wide)} {num(high)}'>"
        f"<path d='M0 0 H{num(start)} {corner} V{num(high)} H0 Z' "
        f"fill='{tokens.colours['accent']}'/></svg>"
    )


def _edge(side: str, start: float, end: float, mid: float, kept: float) -> str:
    """Return an edge that begins and ends a length from its corners."""
    first = start + _STUB if start else kept
    last = end + _STUB if end else kept
    begin, back = num(first + last), num(last)
    near = side in ("top", "left")
    at = num(mid) if near else f"-{num(mid)}"
    if side in ("top", "bottom"):
        down = "" if near else " y='100%'"
        line = f"<line x1='{begin}' x2='100%' y1='{at}' y2='{at}'/>"
        return f"<svg x='-{back}'{down} overflow='visible'>{line}</svg>"
    across = "" if near else " x='100%'"
    line = f"<line x1='{at}' x2='{at}' y1='{begin}' y2='100%'/>"
    return f"<svg{across} y='-{back}' overflow='visible'>{line}</svg>"


def _corner(x: int, y: int, size: tuple[float, float], path: str, mid: float) -> str:
    """Return the path of a corner, mirrored where it is not the upper right one."""
    across, down = size
    drawn = transform(path, lambda x, y: (x * (across - mid) - across, mid + y * (down - mid)))
    start = f"M-{num(across + _STUB)} {num(mid)} H-{num(across)}"
    end = f"V{num(down + _STUB)}"
    flip = f" transform='scale({1 if x else -1},{-1 if y else 1})'" if (x, y) != (1, 0) else ""
    at = (" x='100%'" if x else "") + (" y='100%'" if y else "")
    return f"<svg{at} overflow='visible'><path d='{start} {drawn} {end}'{flip}/></svg>"


def draw_rule(tokens: Tokens, *, live: bool) -> tuple[str, float]:
    """Return the line above a title as an SVG, and its height in points.

    Args:
        live: Whether it has the index of what is touched in play.
    """
    css, ink, accent = tokens.css, tokens.colours["ink"], tokens.colours["accent"]
    weight, index = map(tokens.length, ("w-section", "w-index"))
    w, i = weight * PX, index * PX
    kind = css["rule"]
    strokes: list[str] = []

    def bar(x: str, y: float, wide: str, high: float, colour: str) -> None:
        strokes.append(_rect(x, y, wide, high, colour))

    long = num(34 * PX)  # 12 mm, the length of the index
    height = i if live else w
    if kind == "plain":
        bar("0", 0, "100%", w, ink)
        if live:
            bar("0", 0, long, i, accent)
    elif kind == "double":
        bar("0", 0, "100%", w, ink)
        bar("0", w + 1.7, "100%", 0.55, accent if live else ink)
        height = w + 2.3
    elif kind == "broken":
        gap, short = 3.4, 15.0
        high = i if live else i * 0.72
        bar("0", 0, long, high, accent if live else ink)
        start, end, mid = 34 * PX + gap, short + gap, num(w / 2)
        strokes.append(
            f"<svg x='-{num(end)}' overflow='visible'><line x1='{num(start + end)}' x2='100%' "
            f"y1='{mid}' y2='{mid}' stroke='{ink}' stroke-width='{num(w)}'/></svg>"
        )
        strokes.append(
            f"<svg x='100%' overflow='visible'>{_rect(f'-{short}', 0, f'{short}', high, ink)}</svg>"
        )
        height = high
    elif kind == "taper":
        thick = i if live else w * 1.9
        strokes.append(_taper(0, thick, 0.45, "100%", ink))
        if live:
            strokes.append(_taper(0, thick, thick * 0.55, "26%", accent))
            strokes.append(_taper(thick + 1.2, 0.9, 0.3, "16%", accent))
        else:
            strokes.append(_taper(thick + 1.2, 0.7, 0.3, "11%", ink))
        height = thick + 2.1
    else:
        half, point, wide = num(i / 2), num(i * 0.6), 34 * PX if live else i * 4
        strokes.append(
            f"<path d='M0 {half} l{point} -{half} H{num(wide - i * 0.6)} l{point} {half} "
            f"l-{point} {half} H{point} Z' fill='{accent if live else ink}'/>"
        )
        strokes.append(
            f"<svg x='{num(wide + 2)}' overflow='visible'>"
            f"{_rect('0', i / 2 - w / 2, '100%', w, ink)}</svg>"
        )
        height = i
    svg = (
        "<svg xmlns='http://www.w3.org/2000/svg' width='100%' height='100%'>"
        f"{''.join(strokes)}</svg>"
    )
    return svg, height / PX


BARS: Final[Mapping[str, str]] = {
    "plain": "M0 0 L1 0 L1 1 L0 1 Z",
    "double": "M0 0 L1 0 L1 .56 L0 .56 Z M0 .82 L1 .82 L1 1 L0 1 Z",
    "taper": "M0 0 L1 0 L.97 .4 L0 .4 Z M.03 .56 L.62 .56 L.6 .76 L.016 .76 Z "
    "M0 .88 L.34 .88 L.33 1 L0 1 Z",
    "broken": "M0 0 L.52 0 L.52 1 L0 1 Z M.57 0 L.84 0 L.84 1 L.57 1 Z M.89 0 L1 0 L1 1 L.89 1 Z",
    "bevel": "M0 .5 L.04 0 L.96 0 L1 .5 L.96 1 L.04 1 Z",
}
"""The bar below the name of a page for each rule of a face, in a unit square."""


def draw_bar(tokens: Tokens) -> str:
    """Return the bar of the accent below the name of a page, as an SVG that fills its box."""
    path = stretch(BARS[tokens.css["rule"]], Box(0, 0, 100, 10))
    return (
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 10' preserveAspectRatio='none'>"
        f"<path d='{path}' fill='{tokens.colours['accent']}'/></svg>"
    )


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
"""The step of a title line for each corner: from the lower left (0, 1) to the upper right."""


def draw_step(tokens: Tokens, line: str, box: float, low: float, high: float) -> str:
    """Return the step of a page's title line, in the form of the corners of plates.

    Args:
        line: Weight of the line, in points.
        box: Width and height of its room.
        low: Where the line comes in, below the top of the room.
        high: Where it leaves.
    """
    place = Box(0.3, high, box - 0.8, low - high)
    step = stretch(_STEPS[tokens.css["corner"]], place)
    path = f"M-.5 {num(low)} H.3 {step} H{num(box + 1)}"
    size = num(box)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {size} {size}' width='{size}pt' "
        f"height='{size}pt'><path d='{path}' fill='none' stroke='{tokens.colours['ink']}' "
        f"stroke-width='{line}'/></svg>"
    )


def _rect(x: str, y: float, wide: str, high: float, colour: str) -> str:
    return f"<rect x='{x}' y='{num(y)}' width='{wide}' height='{num(high)}' fill='{colour}'/>"


def _taper(y: float, first: float, last: float, wide: str, colour: str) -> str:
    """Return a line that is thick at its left and thin at its right end."""
    points = f"0,0 100,0 100,{num(last)} 0,{num(first)}"
    return (
        f"<svg x='0' y='{num(y)}' width='{wide}' height='{num(first)}' "
        f"viewBox='0 0 100 {num(first)}' preserveAspectRatio='none'>"
        f"<polygon points='{points}' fill='{colour}'/></svg>"
    )
