"""Contexts of templates: plates and pages of sheets and cards, facts for scripts, short sheets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, Final

from sheetgen.diag.findings import Finding
from sheetgen.load.designs.designs import Design
from sheetgen.load.designs.templates import design_error
from sheetgen.load.rulesets.content import design_label
from sheetgen.model.build import Build, Value, code_text, pick_line
from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.prints import CardFace, Plan
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.computed import SheetParts, id_label, is_ticked
from sheetgen.plan.fit import is_block, shrunk_sizes
from sheetgen.plan.pages.screen_blocks import SignWriter
from sheetgen.plan.sheets.sheets import PlannedSheet
from sheetgen.plan.sheets.view import build_view, describe_character
from sheetgen.rules.tables.compute import is_printed, printed
from sheetgen.rules.tables.things import RulesetScope

if TYPE_CHECKING:
    from sheetgen.plan.cards.kinds import CardKind


def build_blank_context(
    rules: Ruleset,
    facts: Mapping[str, Any],
    style: tuple[str, str],
    options: Mapping[str, Value] | None = None,
) -> dict[str, Any]:
    """Return the context of a plate: everything that does not depend on a character.

    `facts` are the values of the design's `sheet.yaml`, `style` is a theme and a paper.
    """
    theme, paper = style
    flow = facts.get("flow")
    scope = RulesetScope(rules, options)
    shown = [str(id_) for id_, table in rules.tables.items() if is_printed(table, scope)]
    own = (*facts["tables"], *(n for n in facts.get("if_there", ()) if n in shown))
    names = tuple(shown) if flow else own
    for missing in (name for name in names if name not in rules.tables):
        raise design_error(missing, f"{rules.title} has no table `{missing}`", rules.tables)
    tables = {name: printed(rules, rules.tables[name], options) for name in names}
    bands: tuple[Mapping[str, Any], ...] = ()
    if flow:
        measures = {**flow["standard"], **flow.get(theme, {})}
        bands = SheetParts(rules, {**measures, "room": measures["rooms"][paper]}, tables).pages()
    return {
        "mode": "plate",
        "lang": rules.lang,
        "title": f"{facts['title']}, {rules.title}",
        "rules": rules,
        "sheet": facts,
        "theme": theme,
        "paper": paper,
        "tables": tables,
        "flow": bands,
    }


def build_filled_context(blank: Mapping[str, Any], planned: PlannedSheet) -> dict[str, Any]:
    """Return the context of a filled page: the blank one, with the content of each place."""
    page = planned.plan.leaves[0]
    filling, texts = page.filling, page.filling.texts
    roles = page.plate.tokens.roles
    marked = (p for p in page.plate.places if p.kind == "mark" and p.name in texts)
    blocks = {place.name for place in marked if is_block(place, roles[place.role])}
    two = [(n, s) for n, s in texts.items() if len(s.lines) == 2]
    several = (n for n, s in texts.items() if len(s.lines) > 1 or n in blocks)
    return {
        **blank,
        "mode": "page",
        "title": planned.plan.title,
        "moved": planned.moved,
        "sizes": shrunk_sizes(page.plate, texts),
        "folded": {n for n, _ in two},
        "indents": {n: len(s.lines[1]) - len(s.lines[1].lstrip()) for n, s in two},
        "wrapped": {n: 0 if n in blocks else len(texts[n].lines) for n in several},
        "values": {name: setting.value for name, setting in texts.items()},
        "roles": {name: setting.role for name, setting in texts.items() if setting.role},
        "ticks": filling.ticks,
        "frames": filling.frames,
        "marks": filling.marks,
    }


def build_page_facts(
    plan: Plan, rules: Ruleset, findings: Iterable[Finding], odds: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return what the script of an HTML sheet needs besides the page itself: ids, findings, values.

    `findings` are about the character when it was printed; `odds`: see `compute_sheet_odds`.
    """
    version, filling = plan.meta["version"], plan.leaves[0].filling
    texts = {name: setting.value for name, setting in filling.texts.items() if setting.value}
    return {
        "ruleset": plan.meta["ruleset"],
        "version": int(version) if version.isdecimal() else version,
        "character": plan.meta["character"],
        "digest": plan.meta["source"],
        "sheet": design_label(rules.sheet or "plain"),
        "pools": {str(id_): pool.label for id_, pool in rules.pools.items()},
        "findings": [
            {
                "code": finding.code.id,
                "severity": finding.severity.word,
                "message": finding.message,
                "hint": finding.hint,
                "line": finding.span.line,
            }
            for finding in findings
        ],
        "odds": odds,
        "printed": texts | dict.fromkeys(filling.ticks, True),
    }


_COUNTED: Final = re.compile(r" ×(\d{1,2})$")  # of a name that is there several times
_MOST: Final = 100  # the most boxes of a track; of a longer one the number is printed


def build_short_sheet(build: Build, rules: Ruleset) -> Mapping[str, Any]:
    """Return the parts of a short sheet as plain data, in the order of play.

    It has what a character has, and nothing else.
    """
    pool = SignWriter(rules).pool
    shown = {name: pool(text.text) for name, text in build_view(build, rules).texts.items()}
    listed = {str(rows.of).removeprefix("choices.") for rows in rules.lists.values()}
    dice = any(group.rating == "dice" for group in rules.groups.values())

    def uses(name: str) -> int:
        counted = _COUNTED.search(name)
        return int(counted[1]) if counted else 0

    stats = []  # the values that others ask for: those whose use is said, and dice to roll
    for derived in build.derived.values():
        value = rules.derived.get(derived.id)
        if value is not None and derived.label and derived.value and (value.use or value.as_):
            stats.append({"label": derived.label, "value": derived.shown, "use": str(value.use)})
    tracks = []
    for id_, (boxes, marked) in build.marked.items():
        track = rules.tracks[id_]
        # A value that only says how many boxes a track has is not printed a second time.
        named = id_label(str(id_)) if track.label is None else track.label
        same = [one for one in stats if (one["label"], one["value"]) == (named, str(boxes))]
        stats = [one for one in stats if one not in same]
        steps = zip(build.steps.get(id_, ()), track.steps, strict=False)
        tracks.append(
            {
                "label": named,
                "use": same[0]["use"] if same else "",
                "boxes": [n <= marked for n in range(1, boxes + 1)] if boxes <= _MOST else [],
                "count": boxes,
                "marked": marked,
                "steps": [(box, name.replace("_", " ")) for box, name in steps if box > 0],
            }
        )
    states = []  # choices that pass, such as conditions: one entry holds at a time
    for id_, key in rules.character.items():
        of = key.catalogue(id_)
        if key.passing and is_ticked(key, rules.choices.get(of)):
            held = {pick.entry for pick in build.picks if pick.catalogue == of}
            entries = [(e.name, i in held) for i, e in rules.choices[of].entries.items()]
            states.append((key.label or id_label(str(id_)), entries))
    groups = []  # of traits: those that all have, and of others those that were raised
    for id_, group in rules.groups.items():
        rows = []
        for rating in build.ratings.values() if not group.internal else ():
            trait = group.traits.get(rating.id)
            begun = rating.base and group.rating == "die"  # a die that everybody has
            raised = rating.own or begun or not (group.boxes or (trait and trait.under))
            if rating.group == id_ and raised and (rating.total > 0 or group.rating == "signed"):
                stem, figure = f"{id_}.{rating.id}", "code" if group.rating == "dice" else "total"
                total = shown.get(f"{stem}.{figure}", str(rating.total))
                row = {"name": rating.name, "total": total, "focus": rating.focus}
                row["roll"] = shown.get(f"{stem}.roll.text", "")
                rows.append({**row, "note": shown.get(f"{stem}.detail", "")})
        if rows:
            groups.append({"label": group.label, "rows": rows})
    lists = []  # such as weapons and powers, with all their columns and dice to roll
    for id_, found in build.rows.items():
        if not found:
            continue
        rule = rules.lists[id_]
        columns = [name for name in rule.columns if any(row.get(name) for row in found)]
        rolls = [shown.get(f"{id_}.{n}.roll.text", "") for n in range(1, len(found) + 1)]
        heads = ["" if name in ("name", "text") else id_label(str(name)) for name in columns]
        coded = rule.of == "gear" and dice and not rules.pips  # an attack of 3 is 3D
        filled = []
        for listed_row, roll in zip(found, rolls, strict=True):
            texts = (listed_row.get(name, "") for name in columns)
            cells = [code_text(int(t), pips=False) if coded and t.isdecimal() else t for t in texts]
            cells += [roll] if any(rolls) else []
            many = rule.uses or uses(listed_row.get(str(columns[0]), "")) if columns else 0
            filled.append({"cells": cells, "uses": many})
        heads += ["Roll"] if any(rolls) else []
        label = rule.label or id_label(str(id_))
        run_in = len(rule.columns) > 4  # of all columns, so that lists of one kind look alike
        lists.append({"label": label, "heads": heads, "rows": filled, "run_in": run_in})
    lines = [  # labelled lines that are computed, and what the author wrote in words
        (line.label, build.lines[id_])
        for id_, line in rules.texts.items()
        if line.label and build.lines.get(id_)
    ]
    for id_, key in rules.character.items():
        words = "; ".join(build.lists.get(id_, ())) or build.texts.get(id_, "")
        if words and id_ != "name" and key.kind in ("text", "texts") and id_ not in rules.lists:
            lines.append((key.label or id_label(str(id_)), words))
    picks = ((pick_line(p, build), p) for p in build.picks if p.catalogue not in listed)
    return {
        "name": build.name,
        "identity": describe_character(build, rules, "").removeprefix(" · "),
        "stats": stats,
        "tracks": tracks,
        "states": states,
        "pools": [(one.label, str(one.left).replace("-", "−")) for one in build.ledgers.values()],
        "groups": groups,
        "lists": lists,
        "picks": [
            {"name": name, "text": pick.text, "uses": uses(name)}
            for name, pick in picks
            if pick.entry and pick.text
        ],
        "texts": lines,
        "credit": rules.credit.short,
    }


# Widths in pixels that usual phones and tablets just exceed, from the widest.
_SCREENS: Final = (900, 767, 679, 599, 479, 429, 411, 389, 374, 359, 319, 279)
_LARGE: Final = 1.4  # how much larger a card is on a screen that has room, than on paper
_EDGES: Final = 24  # pixels beside a card on such a screen, including the scroll bar
_PHONE, _PHONE_EDGES = 479, 8  # pixels of the widest phone, and beside a card on it
_LEAST: Final = 11  # pixels of the smallest letters
_SMALL: Final = 0.97  # a card that is smaller on a phone gives its side margins away
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
                    "pieces": {
                        name: [[*line] for _, line in groupby(pieces, key=lambda one: one.line)]
                        for name, pieces in strip.pieces.items()
                    },
                }
            )
        cards.append({"name": face.name, "strips": strips})
    page = {"mode": "page", "faces": cards, "tops": tops, "roles": {}, "pictures": pictures}
    return {**blank, **page}


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
