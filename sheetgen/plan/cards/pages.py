"""Cards to what their template is told: a plate's strips, or a page of filled cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby, pairwise
from typing import Any, Final

from sheetgen.load.designs.designs import Design
from sheetgen.model.cards import CardFace, Strip, TextPiece
from sheetgen.model.prints import Setting
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.cards.kinds import CardKind

_SCREENS: Final = (640, 560, 480, 420, 390, 360, 320, 280)
"""Widths of narrow screens in pixels, from the widest."""

_EDGES: Final = 24
"""Pixels beside a card on such a screen, the scroll bar's included."""


def build_card_context(rules: Ruleset, design: Design) -> dict[str, Any]:
    """Return what the template of a card's strips is told."""
    return {
        "mode": "plate",
        "lang": rules.lang,
        "title": f"{design.facts['title']}, {rules.title}",
        "rules": rules,
        "theme": design.theme,
        "paper": design.paper,
        "tables": {},
        "design": design.sheet,
        "card": design.facts["card"],
        "colours": design.tokens.colours,  # of drawings, which style sheets do not reach
    }


def build_cards_context(
    blank: Mapping[str, Any], faces: Iterable[CardFace], kind: CardKind
) -> dict[str, Any]:
    """Return what the template of a page of cards is told, and where strips begin, in points."""
    names = list(kind.heights)
    tops: dict[float, int] = {}
    told = []
    for face in faces:
        strips = []
        for strip in face.strips:
            texts = strip.filling.texts
            step = tops.setdefault(round(strip.top, 2), len(tops))
            strips.append(
                {
                    "name": names[strip.page],
                    "step": step,
                    "values": {name: _said(setting) for name, setting in texts.items()},
                    "sizes": _sizes(strip),
                    "marks": strip.filling.marks,
                    "said": strip.alt_text if strip.alt_differs else "",
                    "pieces": {name: _lines(pieces) for name, pieces in strip.pieces.items()},
                }
            )
        told.append({"name": face.name, "strips": strips})
    return {**blank, "mode": "page", "faces": told, "tops": tops, "roles": {}}


def _lines(pieces: Iterable[TextPiece]) -> list[list[TextPiece]]:
    return [list(line) for _, line in groupby(pieces, key=lambda piece: piece.line)]


def _said(setting: Setting) -> str:
    return "\n".join(setting.lines)


def _sizes(strip: Strip) -> dict[str, int]:
    """Return in percent how far texts were shrunk to fit."""
    sizes: dict[str, int] = {}
    for place in strip.plate.places:
        setting = strip.filling.texts.get(place.name)
        if place.page == strip.page and setting is not None:
            full = strip.plate.tokens.roles[setting.role or place.role].size
            percent = max(50, int(100 * setting.size / full + 0.01))
            sizes |= {place.name: percent} if percent < 100 else {}
    return sizes


def tops_css(tops: Mapping[float, int]) -> str:
    """Return the classes that say where strips begin: a page allows no style of its own."""
    return "".join(f".in-page .y{step} {{ top: {top:g}pt }}\n" for top, step in tops.items())


def narrow_css(kind: CardKind) -> str:
    """Return what makes cards smaller on screens that are narrower than they are.

    It is for browsers only: the layout engine knows no such condition.
    """
    pixels = kind.size[0] * 4 / 3
    return "".join(
        f"@media screen and (max-width: {most}px) {{ main {{ zoom: {zoom:.3f} }} }}\n"
        for most, least in pairwise(_SCREENS)
        if (zoom := (least - _EDGES) / pixels) < 1
    )
