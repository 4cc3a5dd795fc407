"""A card's design at one size: its strips, their heights, and tokens to that scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, DesignError, Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.designs.checks import card_findings
from sheetgen.load.designs.designs import Design, refused, said_by
from sheetgen.load.designs.templates import (
    CARDS,
    STANDARD,
    card_ids,
    design_file,
    template_texts,
    theme_ids,
    theme_tokens,
)
from sheetgen.load.designs.tokens import missing_fonts
from sheetgen.model.designs.card_files import CardFile
from sheetgen.model.prints import Role, Shape, Tokens
from sheetgen.units import MM

TEMPLATE: Final = f"{CARDS}/card.html.j2"
SIZES: Final = f"{CARDS}/sizes.css"
_OUTSIDE: Final = ("card-note",)
"""Roles of what stands on the paper beside cards, whatever the size of these."""

MOST_LINES: Final = 8
"""Of one strip of text: `body-1` to `body-8`."""


MARGIN: Final = 2.8
"""Modules that all designs keep free at their sides and above: 3, less what slanted and round
letters overhang."""

FOOT: Final = 2.55
"""The same below, where a `card.yaml` says no other `foot_margin`."""


def load_card(
    design: str,
    theme: str,
    size: str,
    trim: tuple[float, float],
    cut: tuple[float, float] | None = None,
    safe: float = 0.0,
) -> Checked[Design]:
    """Return the design of a card, or findings for a design, theme or size that is not there.

    Args:
        design: The folder under templates/.
        theme: Of all prints.
        size: A name of the design's `modules`.
        trim: Width and height of that size, in points.
        cut: Width and height that a printer cuts instead.
        safe: How far text has to keep from that cut, in points; where the design's own
            margins are less, all of the card is so much smaller.
    """
    findings = [*_known("card", design, card_ids()), *_known("theme", theme, theme_ids())]
    if findings:
        return Checked(None, tuple(findings))
    texts = template_texts(design, CARDS)
    try:
        file = design_file(f"{design}/card.yaml", CardFile)
        tokens = theme_tokens(theme, CARDS, *file.tokens, design)
        refused((*card_findings(file, texts, tokens), *missing_fonts(tokens)))
    except DesignError as error:
        return Checked(None, error.findings)
    if findings := _known("size", size, tuple(file.modules)):
        return Checked(None, tuple(findings))
    facts = said_by(file)
    for key, value in said_by(file.sizes[size]).items() if size in file.sizes else ():
        facts[key] = {**facts[key], **value} if isinstance(value, dict) else value
    scale = float(file.modules[size])
    if cut is not None:
        # As wide in modules as ever, so that what fits at home fits at the printer's.
        margin = MARGIN * scale * MM
        smaller = min(1.0, (cut[0] - 2 * safe) / (trim[0] - 2 * margin))
        scale, width = scale * smaller, trim[0] * smaller
        foot = max(0.0, safe - float(facts.get("foot_margin", FOOT)) * scale * MM)
        trim = width, cut[1] - (cut[0] - width) / 2 - foot
    heights = dict(_heights(facts["strips"], facts["texts"], scale))
    facts |= {
        "heights": heights,
        "card": {"width": trim[0], "height": trim[1], "heights": heights},
        "air": float(facts["air"]) * scale * MM,
        "templates": {STANDARD: TEMPLATE},
        "css": {STANDARD: [*facts["css"], SIZES]},
        "screen": [],
    }
    texts[SIZES] = _sizes(trim, scale, heights)
    return Checked(Design(design, size, theme, STANDARD, facts, texts, _scaled(tokens, scale)))


def _heights(
    strips: Mapping[str, Any], texts: Mapping[str, Any], scale: float
) -> Iterator[tuple[str, float]]:
    """Yield the strips in the order of the pages; those of text for each number of lines."""
    for name, modules in strips.items():
        yield name, round(float(modules) * scale * MM, 3)
    for name, modules in texts.items():
        for lines in range(1, MOST_LINES + 1):
            yield f"{name}-{lines}", round(float(modules) * scale * MM * lines, 3)


def _sizes(trim: tuple[float, float], scale: float, heights: Mapping[str, float]) -> str:
    width, height = trim
    rules = [
        f":root {{ --m: {scale * MM:.4f}pt; --k: {scale:g} }}",
        f".strip {{ width: {width:.3f}pt }}",
        f".card {{ width: {width:.3f}pt; height: {height:.3f}pt }}",
    ]
    for name, tall in heights.items():
        rules.append(f"@page {name} {{ size: {width:.3f}pt {tall:g}pt; margin: 0 }}")
        rules.append(f".in-plate .{name} {{ page: {name}; height: {tall:g}pt }}")
        rules.append(f".in-page .{name} {{ height: {tall:g}pt }}")
        rules.append(f".{name} {{ --h: {tall:g}pt }}")
    return "\n".join(rules) + "\n"


def _scaled(tokens: Tokens, scale: float) -> Tokens:
    """Return `tokens` with all that is drawn on a card `scale` times as large."""
    return replace(
        tokens,
        roles={n: r if n in _OUTSIDE else _role(r, scale) for n, r in tokens.roles.items()},
        shapes={name: _shape(shape, scale) for name, shape in tokens.shapes.items()},
    )


def _role(role: Role, scale: float) -> Role:
    return replace(
        role,
        size=round(role.size * scale, 3),
        least=round(role.least * scale, 3),
        leading=round(role.leading * scale, 3),
        baseline=None if role.baseline is None else round(role.baseline * scale, 3),
    )


def _shape(shape: Shape, scale: float) -> Shape:
    return replace(shape, inset=shape.inset * scale, width=shape.width * scale)


def _known(what: str, name: str, known: tuple[str, ...]) -> list[Finding]:
    if name in known:
        return []
    hint = suggestion(name, known, f"{what}s")
    return [Finding(codes.UNKNOWN_DESIGN, Span(f"--{what}"), f"there is no {what} `{name}`", hint)]
