"""Cards to what their template is told: a plate's strips, or a page of filled cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sheetgen.load.designs import Design
from sheetgen.model.cards import Face, Strip
from sheetgen.model.prints import Setting
from sheetgen.model.ruleset import Ruleset
from sheetgen.plan.card_parts import CardKind


def card_context(rules: Ruleset, design: Design) -> dict[str, Any]:
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
    }


def cards_context(
    blank: Mapping[str, Any], faces: Iterable[Face], kind: CardKind
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
                }
            )
        told.append({"name": face.name, "strips": strips})
    return {**blank, "mode": "page", "faces": told, "tops": tops, "roles": {}}


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
