"""Colours as `#RRGGBB`: their parts, and their contrast as WCAG 2 defines it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

READABLE: Final = 4.5
"""Least contrast of a text with its ground; see WCAG 2, 1.4.3."""

Rgb = tuple[float, float, float]


def parse_colour(colour: str) -> tuple[int, int, int]:
    """Return the parts of a colour, from 0 to 255.

    Raises:
        ValueError: `colour` is not six hexadecimal digits after a `#`.
    """
    if len(colour) != 7 or colour[0] != "#":
        raise ValueError(f"`{colour}` is not a colour; write it as #rrggbb")
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mix_with_paper(colours: Mapping[str, str], name: str, share: float) -> str:
    """Return a colour mixed with that of the paper: prints have no transparency."""
    pairs = zip(*(parse_colour(colours[one]) for one in (name, "paper")), strict=True)
    return "#" + "".join(f"{round(c * share + p * (1 - share)):02X}" for c, p in pairs)


def linear_parts(colour: str) -> Rgb:
    """Return the parts of a colour as shares of light, from 0 to 1."""
    r, g, b = (_to_linear(part / 255) for part in parse_colour(colour))
    return r, g, b


def measure_contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, `#RRGGBB`, as WCAG 2 defines it."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    r, g, b = linear_parts(colour)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def _to_linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
