"""Draw curves of odds as an SVG chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Final

from sheetgen.plan.pages.odds_chart import Chart, CurveName

# Margins for labels around the frame, in millimetres.
LEFT: Final = 9.4
RIGHT: Final = 3.0
TOP: Final = 2.4
BOTTOM: Final = 8.0
# Type sizes of the labels below the frame, left of it, and in rings, in millimetres.
FOOT: Final = 3.7
LEVEL: Final = 3.1
NAME: Final = 2.7
SHORT: Final = 2  # letters of a label that may be centred at the edge of the picture


def draw_odds_curves(chart: Chart, alt: str, colours: Mapping[str, str], least: float = 0) -> str:
    """Return the chart as SVG, with a view box in millimetres.

    Args:
        alt: The text for screen readers.
        colours: Of the theme's tokens: `ink`, `accent`, `paper`.
        least: The smallest type size, in millimetres.
    """
    wide, high = chart.width + LEFT + RIGHT, chart.height + TOP + BOTTOM
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-LEFT:g} {-TOP:g} {wide:g} {high:g}" '
        f'role="img" aria-label="{escape(alt)}" font-family="figure" fill="{colours["ink"]}">'
    )
    parts = [head, f"<title>{escape(alt)}</title>"]
    parts += _frame(chart, colours, least)
    parts += _curves(chart, colours)
    parts += [part for name in chart.names for part in _name(name, colours, max(NAME, least))]
    return "".join((*parts, "</svg>"))


def _frame(chart: Chart, colours: Mapping[str, str], least: float) -> Iterator[str]:
    foot, level_size = max(FOOT, least), max(LEVEL, least)
    thin = f'stroke="{colours["ink"]}" stroke-width="0.18" fill="none"'
    for place, (x, label) in enumerate(chart.across, 1):
        yield f'<path d="M{x:.2f} 0 V{chart.height:.2f}" {thin}/>'
        edge = {1: "start", len(chart.across): "end"}.get(place, "middle")
        anchor = edge if len(label) > SHORT else "middle"  # A word must stay in the picture.
        yield (
            f'<text x="{x:.2f}" y="{chart.height + 0.9 + foot:.2f}" text-anchor="{anchor}" '
            f'font-size="{foot:.2f}" font-weight="700">{escape(label)}</text>'
        )
    for y, level in chart.levels:
        strong = level == 50
        line = f'stroke="{colours["accent"]}" stroke-width="0.7"' if strong else thin
        yield f'<path d="M0 {y:.2f} H{chart.width:.2f}" {line}/>'
        yield (
            f'<text x="-1.4" y="{y + 0.36 * level_size:.2f}" text-anchor="end" '
            f'font-size="{level_size:.2f}" font-weight="{700 if strong else 500}">{level}</text>'
        )


def _curves(chart: Chart, colours: Mapping[str, str]) -> Iterator[str]:
    for points in chart.curves:
        if len(points) > 1:
            path = " L".join(f"{x:.2f} {y:.2f}" for x, y in points)
            yield (
                f'<path d="M{path}" fill="none" stroke="{colours["ink"]}" stroke-width="0.45" '
                'stroke-linejoin="round"/>'
            )
        for x, y in points if len(points) == 1 else ():
            yield f'<circle cx="{x:.2f}" cy="{y:.2f}" r="0.6"/>'


def _name(name: CurveName, colours: Mapping[str, str], size: float) -> Iterator[str]:
    yield (
        f'<rect x="{name.x - name.wide:.2f}" y="{name.y - name.high:.2f}" '
        f'width="{2 * name.wide:.2f}" height="{2 * name.high:.2f}" rx="{name.high:g}" '
        f'fill="{colours["paper"]}" stroke="{colours["ink"]}" stroke-width="0.25"/>'
    )
    yield (
        f'<text x="{name.x:.2f}" y="{name.y + 0.36 * size:.2f}" text-anchor="middle" '
        f'font-size="{size:.2f}" font-weight="700">{escape(name.text)}</text>'
    )
