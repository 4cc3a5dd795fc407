"""The design of a card at one size: heights of its strips, and tokens scaled to that size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from sheetgen.diag.findings import Checked, DesignError
from sheetgen.load.designs.checks import check_card_file
from sheetgen.load.designs.designs import Design, set_values
from sheetgen.load.designs.faults import check_option, raise_findings
from sheetgen.load.designs.game_faces import ruleset_face
from sheetgen.load.designs.own_themes import find_theme
from sheetgen.load.designs.templates import (
    CARDS,
    STANDARD,
    card_ids,
    load_design_file,
    load_template_texts,
)
from sheetgen.load.designs.tokens import missing_fonts
from sheetgen.model.designs.card_files import CardFile
from sheetgen.model.designs.card_grids import TraitColumns
from sheetgen.model.prints import Role, Tokens
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.units import MM

TEMPLATE: Final = f"{CARDS}/card.html.j2"
SIZES: Final = f"{CARDS}/sizes.css"
_TraitList: TypeAlias = tuple[str, list[tuple[str, str, int]]]
"""A head, and the traits under it: id, name, number of lines."""

_MOST_COLUMNS: Final = 4

BACK: Final = "back"
"""The strip that fills the back of a card with an odd number of faces."""

_OUTSIDE: Final = ("card-note",)
"""Roles of text on the paper beside cards. Their size does not depend on the cards'."""

MOST_LINES: Final = 8
"""Strips of text have 1 to 8 lines: `body-1` to `body-8`."""

MARGIN: Final = 2.8
"""Modules that all designs keep free at their sides and above: 3, minus the overhang of slanted
and round letters."""

_SIDE: Final = 3
"""Modules from the side of a card to its text."""

FOOT: Final = 2.55
"""The same below, unless `card.yaml` has a `foot_margin`."""


def load_card(
    design: str,
    theme: str,
    size: str,
    trim: tuple[float, float],
    cut: tuple[float, float] | None = None,
    safe: float = 0.0,
    rules: Ruleset | None = None,
) -> Checked[Design]:
    """Return the design of a card, or findings for an unknown design, theme or size.

    Args:
        design: The folder under templates/.
        size: A name of the design's `modules`.
        trim: Width and height of that size, in points.
        cut: Width and height that a printer cuts instead, in points.
        safe: The distance that text keeps from that cut, in points. If the design's own
            margins are smaller, the whole card is scaled down.
        rules: The ruleset whose face it has.
    """
    if findings := [*check_option("card", design, card_ids())]:
        return Checked(None, tuple(findings))
    texts = load_template_texts(design, CARDS)
    try:
        found = find_theme(theme)
        file = load_design_file(f"{design}/card.yaml", CardFile)
        tokens = found.tokens(CARDS, *file.tokens, design, face=ruleset_face(rules))
        raise_findings((*check_card_file(file, texts, tokens), *missing_fonts(tokens)))
    except DesignError as error:
        return Checked(None, error.findings)
    if findings := [*check_option("size", size, tuple(file.modules))]:
        return Checked(None, tuple(findings))
    facts = set_values(file)
    for key, value in set_values(file.sizes[size]).items() if size in file.sizes else ():
        facts[key] = {**facts.get(key, {}), **value} if isinstance(value, dict) else value
    adds = facts.pop("adds", {})
    lists = {name: listed for name, listed in adds.items() if isinstance(listed, TraitColumns)}
    columns = {name: _list_columns(listed, rules) for name, listed in lists.items()}
    tall = {name: _columns_height(lists[name], found) for name, found in columns.items()}
    facts["strips"] = {**facts["strips"], **adds, **tall}
    scale = float(file.modules[size])
    if cut is not None:
        # The width in modules stays the same, so that texts break as on cards printed at home.
        margin = MARGIN * scale * MM
        smaller = min(1.0, (cut[0] - 2 * safe) / (trim[0] - 2 * margin))
        scale, width = scale * smaller, trim[0] * smaller
        foot = max(0.0, safe - _foot_margin(facts) * scale * MM)
        trim = width, cut[1] - (cut[0] - width) / 2 - foot
    heights = dict(_heights(facts["strips"], facts["texts"], scale))
    heights[BACK] = round(trim[1], 3)
    facts |= {
        "heights": heights,
        "card": {
            "width": trim[0],
            "height": trim[1] / int(facts.get("per_card", 1)),
            "heights": heights,
            "columns": columns,
            "foot": _foot_room(facts, trim[0] / scale),
        },
        "air": float(facts["air"]) * scale * MM,
        "templates": {STANDARD: TEMPLATE},
        "css": {STANDARD: [*facts["css"], SIZES]},
        "screen": [],
    }
    texts[SIZES] = _write_size_css(trim, scale, heights, _foot_margin(facts))
    return Checked(
        Design(design, size, found.base, STANDARD, facts, texts, _scale_tokens(tokens, scale))
    )


def _list_columns(listed: TraitColumns, rules: Ruleset | None) -> list[list[_TraitList]]:
    """Return the lists of each column. Names that are too long for a line have several."""
    groups = {str(id_): group for id_, group in rules.groups.items()} if rules is not None else {}
    if not {listed.of, listed.under} <= groups.keys():
        return []
    lists: dict[str, _TraitList] = {
        str(id_): (str(head.name), [])
        for id_, head in groups[listed.under].traits.items()
        if str(id_) != listed.without
    }
    per = max(listed.lists, -(-len(lists) // _MOST_COLUMNS))
    starts = range(0, len(lists), per)
    letters = max(1, listed.letters // max(1, len(starts)) - listed.code)
    for id_, trait in groups[listed.of].traits.items():
        if str(trait.under) in lists:
            lines = -(-len(trait.name) // letters)
            lists[str(trait.under)][1].append((str(id_), str(trait.name), lines))
    return [[*lists.values()][start : start + per] for start in starts]


def _columns_height(listed: TraitColumns, columns: list[list[_TraitList]]) -> float:
    heights = [
        sum(listed.head + listed.row * sum(lines for *_, lines in traits) for _, traits in lists)
        for lists in columns
    ]
    return listed.above + max(heights, default=0.0)


def _heights(
    strips: Mapping[str, Any], texts: Mapping[str, Any], scale: float
) -> Iterator[tuple[str, float]]:
    """Yield name and height of each strip in the order of the plate's pages."""
    for name, modules in strips.items():
        yield name, round(float(modules) * scale * MM, 3)
    for name, modules in texts.items():
        for lines in range(1, MOST_LINES + 1):
            yield f"{name}-{lines}", round(float(modules) * scale * MM * lines, 3)


def _foot_margin(facts: Mapping[str, Any]) -> float:
    return float(facts.get("foot_margin", FOOT))


def _foot_room(facts: Mapping[str, Any], width: float) -> dict[str, float]:
    """Return the room of the credit in points, as if the card were of poker size."""
    foot = float(facts["strips"].get(facts["foot"].strip, 0)) - _foot_margin(facts)
    return {"width": round(width - 2 * _SIDE * MM, 3), "height": round(foot * MM, 3)}


def _write_size_css(
    trim: tuple[float, float], scale: float, heights: Mapping[str, float], foot: float
) -> str:
    width, height = trim
    rules = [
        f":root {{ --m: {scale * MM:.4f}pt; --k: {scale:g}; --foot: {foot:g} }}",
        f".strip {{ width: {width:.3f}pt }}",
        f".card {{ width: {width:.3f}pt; height: {height:.3f}pt }}",
    ]
    for name, tall in heights.items():
        rules.append(f"@page {name} {{ size: {width:.3f}pt {tall:g}pt; margin: 0 }}")
        rules.append(f".in-plate .{name} {{ page: {name}; height: {tall:g}pt }}")
        rules.append(f".in-page .{name} {{ height: {tall:g}pt }}")
        rules.append(f".{name} {{ --h: {tall:g}pt }}")
    return "\n".join(rules) + "\n"


def _scale_tokens(tokens: Tokens, scale: float) -> Tokens:
    return replace(
        tokens,
        roles={n: r if n in _OUTSIDE else _scale_role(r, scale) for n, r in tokens.roles.items()},
        shapes={
            name: replace(shape, inset=shape.inset * scale, width=shape.width * scale)
            for name, shape in tokens.shapes.items()
        },
    )


def _scale_role(role: Role, scale: float) -> Role:
    return replace(
        role,
        size=round(role.size * scale, 3),
        least=round(role.least * scale, 3),
        leading=round(role.leading * scale, 3),
        baseline=None if role.baseline is None else round(role.baseline * scale, 3),
    )
