"""Contexts of the cards' templates: the strips of a plate, and a page of filled cards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby, pairwise
from typing import Any, Final

from sheetgen.load.designs.designs import Design
from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.prints import CardFace, TextPiece
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.cards.kinds import CardKind
from sheetgen.plan.fit import shrunk_sizes

# Widths in pixels that usual phones and tablets just exceed, from the widest.
_SCREENS: Final = (900, 767, 679, 599, 479, 429, 411, 389, 374, 359, 319, 279)
# How much larger than on paper a card is on a screen that has room: its notes can be read.
_LARGE: Final = 1.4
_EDGES: Final = 24  # pixels beside a card on such a screen, including the scroll bar
# The widest phone, whose scroll bar takes no room, and the pixels beside a card on it.
_PHONE, _PHONE_EDGES = 479, 8
_LEAST: Final = 11  # pixels of the smallest letters
# A card that would be smaller than this on a phone gives its side margins away.
_SMALL: Final = 0.97
_PRINTED: Final = """@media print {
  @page { size: auto; margin: 9mm }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact }
  main { display: flex; flex-wrap: wrap; justify-content: center }
  .in-page h1 { display: none }
  .card { flex: none; outline: .3pt solid var(--edge) }
  .pen { appearance: none; -webkit-appearance: none }
}
"""
"""How a browser prints cards: as many abreast as fit, three by three at poker size, with lines to
cut at. The layout engine knows neither these margins nor all of these properties."""


def build_card_context(rules: Ruleset, design: Design) -> dict[str, Any]:
    """Return the template context of a card's blank strips."""
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
        "corner": design.tokens.css["corner"],
        "colours": design.tokens.colours,  # of drawings, which style sheets do not reach
    }


def build_cards_context(
    blank: Mapping[str, Any],
    faces: Iterable[CardFace],
    kind: CardKind,
    show: Callable[[Mapping[str, PreparedPicture]], Mapping[str, Mapping[str, str]]],
) -> dict[str, Any]:
    """Return the template context of a page of cards; `tops` are the strips' tops in points."""
    names = list(kind.heights)
    tops: dict[float, int] = {}
    cards = []
    pictures: dict[str, Mapping[str, str]] = {}
    for number, face in enumerate(faces):
        strips = []
        for strip in face.strips:
            texts = strip.filling.texts
            keys = {name: f"{number}.{name}" for name in strip.filling.pictures}
            pictures |= show({keys[n]: one for n, one in strip.filling.pictures.items()})
            step = tops.setdefault(round(strip.top, 2), len(tops))
            strips.append(
                {
                    "name": names[strip.page],
                    "step": step,
                    "values": {n: "\n".join(setting.lines) for n, setting in texts.items()},
                    "sizes": shrunk_sizes(strip.plate, texts, strip.page),
                    "marks": strip.filling.marks,
                    "pictures": {n: {**pictures[key], "key": key} for n, key in keys.items()},
                    "said": strip.alt_text if strip.alt_differs else "",
                    "pieces": {name: _lines(pieces) for name, pieces in strip.pieces.items()},
                }
            )
        cards.append({"name": face.name, "strips": strips})
    page = {"mode": "page", "faces": cards, "tops": tops, "roles": {}, "pictures": pictures}
    return {**blank, **page}


def _lines(pieces: Iterable[TextPiece]) -> list[list[TextPiece]]:
    return [list(line) for _, line in groupby(pieces, key=lambda piece: piece.line)]


def tops_css(tops: Mapping[float, int]) -> str:
    """Return CSS classes for the tops of strips: the page's policy forbids inline styles."""
    return "".join(f".in-page .y{step} {{ top: {top:g}pt }}\n" for top, step in tops.items())


def narrow_css(kind: CardKind, margin: float) -> str:
    """Return CSS for browsers only: cards fill the width of a narrow screen, and print abreast.

    A phone need not show `margin`, a part of a card's side margin in points.
    """
    pixels = kind.size[0] * 4 / 3
    # Short texts beside which there is room are no smaller than the least letters.
    enlarged = "card-dice-what", "card-row", "card-fact", "card-kind"
    large = f".in-page :is({', '.join(f'.r-{role}' for role in enlarged)})"
    large += " { font-size: max(calc(var(--size) * var(--z, 1)), var(--least)) }"
    rules = [_PRINTED, f"@media screen {{ {_zoomed(_LARGE)} {large} }}\n"]
    for most, below in pairwise(_SCREENS):
        room = below + 1 - (_EDGES if below > _PHONE else _PHONE_EDGES)
        abreast = max(1, int(room / pixels / (_LARGE - 0.1)))
        zoom = room / (abreast * pixels + (abreast - 1) * 16)  # with a gap between two cards
        more = ""
        if zoom < _SMALL:
            zoom, more = (below + 1) / (pixels - margin * 8 / 3), "main { overflow-x: clip }"
        rules.append(f"@media screen and (max-width: {most}px) {{ {_zoomed(zoom)} {more} }}\n")
    return "".join(rules)


def _zoomed(zoom: float) -> str:
    """Return the rules of a zoom, with the least size of letters before it."""
    return f"main {{ zoom: {zoom:.3f} }} .card {{ --least: {_LEAST / zoom:.2f}px }}"
