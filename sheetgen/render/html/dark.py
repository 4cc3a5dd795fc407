"""Styles for readers who prefer dark screens, derived from the light colours in one place.

Each colour keeps its contrast with the paper, so what can be read on light pages can be read
on dark ones. Hue and chroma stay as the gamut allows. Paper is never dark.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from sheetgen.model.designs.colours import READABLE, Rgb, linear_parts, measure_contrast

_MEDIA: Final = "@media screen and (prefers-color-scheme: dark)"
_GROUNDS: Final = {"paper": 0.235, "desk": 0.175}
"""Lightness of the colours that all others lie on."""

_TINT: Final = 0.012
"""Most chroma of a ground."""

_MOST: Final = 13.0
"""Most contrast with the paper: more of it dazzles in a dim room."""

_COLOURED: Final = 0.06
_MOST_COLOURED: Final = 6.5
"""Least chroma of a colour, and its most contrast: a lighter one would be pale."""

_SPARE: Final = 1.05
"""How much more contrast than READABLE a text gets, for grounds that are not quite paper."""

_RULE: Final = re.compile(r"([^{}]*)\{([^{}]*)\}")
_DRAWN: Final = "%23"
_DRAWN_COLOUR: Final = re.compile(f"{_DRAWN}([0-9A-Fa-f]{{6}})(?![0-9A-Fa-f])")
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)

Lch = tuple[float, float, float]


def build_dark_styles(colours: Mapping[str, str], styles: str) -> str:
    """Return what makes a page dark on screens that ask for it, for right behind `styles`.

    Custom properties change, and so do drawings that hold colours: those of `styles`, and SVG
    elements of the page by their attributes. Pictures stay on light paper: a drawing in black ink
    may be transparent.

    Args:
        colours: Of the light page, by name.
        styles: Those that were generated from the same tokens.
    """
    dark = derive_dark_colours(tuple(colours.items()))
    own = " ".join(f"--{name}: {value};" for name, value in dark.items())
    pictures = f"img.picture, img.place.picture {{ background: {colours.get('paper', '#FFFFFF')} }}"
    drawings = (*_drawings(colours, styles), *_strokes(colours))
    return _on_dark_screens(f":root {{ {own} }}", pictures, *drawings)


def build_dark_drawings(colours: Mapping[str, str], styles: str) -> str:
    """Return only the drawings of `styles` in dark colours; empty if there are none."""
    drawings = tuple(_drawings(colours, styles))
    return _on_dark_screens(*drawings) if drawings else ""


def _on_dark_screens(*rules: str) -> str:
    return f"{_MEDIA} {{\n" + "\n".join(rules) + "\n}\n"


@lru_cache(maxsize=16)
def derive_dark_colours(colours: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return `colours`, name by name, as they are on dark paper."""
    light = dict(colours)
    tint = _lch(light.get("desk", "#FFFFFF"))
    dark = {name: _hex((level, min(tint[1], _TINT), tint[2])) for name, level in _GROUNDS.items()}
    paper = light.get("paper", "#FFFFFF")
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
            contrast = measure_contrast(colour, colours.get("paper", "#FFFFFF"))
            turned[colour] = _lifted(colour, contrast, dark["paper"])
        return _DRAWN + turned[colour][1:]

    for selector, body in _RULE.findall(_COMMENT.sub("", styles)):
        drawn = [part.strip() for part in body.split(";") if _DRAWN in part]
        if drawn:
            yield f"{selector.strip()} {{ {_DRAWN_COLOUR.sub(turn, '; '.join(drawn))} }}"


def _strokes(colours: Mapping[str, str]) -> Iterator[str]:
    """Yield rules for SVG elements whose attributes hold a colour."""
    for value, name in {value: name for name, value in reversed([*colours.items()])}.items():
        for key in ("fill", "stroke"):
            yield f'[{key}="{value}"] {{ {key}: var(--{name}) }}'


def _curved(value: float) -> float:
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


def _lch(colour: str) -> Lch:
    """Return lightness, chroma and hue of a colour in OKLab."""
    r, g, b = linear_parts(colour)
    long = math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    middle = math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    short = math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    light = 0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short
    return light, math.hypot(a, b), math.atan2(b, a)


def _rgb(colour: Lch) -> Rgb:
    """Return a colour as its linear parts, which may lie outside of the gamut."""
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
    parts = (round(255 * _curved(min(1.0, max(0.0, part)))) for part in _rgb((light, chroma, hue)))
    return "#" + "".join(f"{part:02X}" for part in parts)
