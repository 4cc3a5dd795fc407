"""Short sheets: what a character has, and nothing else, from the data of any ruleset."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sheetgen.model.build import Build, Pick, Rating, code_text, pick_line
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.computed.parts import id_label
from sheetgen.plan.sheets.view import View, build_view, describe_character

_COUNTED: Final = re.compile(r" ×(\d{1,2})$")
"""The end of a name that a character has several times, each to be used up."""

_MOST: Final = 100
"""The most boxes of a track; of a longer one the number is printed."""


def build_short_sheet(build: Build, rules: Ruleset) -> Mapping[str, Any]:
    """Return the parts of a short sheet as plain data, in the order of play."""
    view = build_view(build, rules)
    listed = {str(rows.of).removeprefix("choices.") for rows in rules.lists.values()}
    return {
        "name": build.name,
        "identity": describe_character(build, rules, "").removeprefix(" · "),
        "stats": [*_list_stats(build, rules)],
        "tracks": [*_list_tracks(build, rules)],
        "pools": [(one.label, str(one.left).replace("-", "−")) for one in build.ledgers.values()],
        "groups": [*_list_groups(build, rules, view)],
        "lists": [*_list_rows(build, rules, view)],
        "picks": [
            {"name": pick_line(one, build), "text": one.text, "uses": _uses(pick_line(one, build))}
            for one in build.picks
            if one.catalogue not in listed and _is_said(one)
        ],
        "texts": [*_list_texts(build, rules)],
        "credit": rules.credit.short,
    }


def _is_said(pick: Pick) -> bool:
    return bool(pick.entry and pick.text)


def _uses(name: str) -> int:
    counted = _COUNTED.search(name)
    return int(counted[1]) if counted else 0


def _list_stats(build: Build, rules: Ruleset) -> Iterator[Mapping[str, str]]:
    """Yield the values that others ask for: those whose use is said, and dice to roll."""
    for derived in build.derived.values():
        rule = rules.derived.get(derived.id)
        if rule is None or not derived.label or not derived.value:
            continue
        if rule.use or rule.as_ is not None:
            yield {"label": derived.label, "value": derived.shown, "use": str(rule.use)}


def _list_tracks(build: Build, rules: Ruleset) -> Iterator[Mapping[str, Any]]:
    for id_, (boxes, marked) in build.marked.items():
        track = rules.tracks[id_]
        steps = dict(zip(build.steps.get(id_, ()), track.steps, strict=False))
        yield {
            "label": track.label or id_label(str(id_)),
            "boxes": [n <= marked for n in range(1, boxes + 1)] if boxes <= _MOST else [],
            "count": boxes,
            "marked": marked,
            "steps": [(box, name.replace("_", " ")) for box, name in steps.items() if box > 0],
        }


def _list_groups(build: Build, rules: Ruleset, view: View) -> Iterator[Mapping[str, Any]]:
    """Yield groups of traits: those that all have, and of others those that were raised."""
    for id_, group in rules.groups.items():
        rows = []
        for rating in build.ratings.values():
            if rating.group != id_ or rating.total <= 0:
                continue
            trait = group.traits.get(rating.id)
            if not rating.own and (group.boxes or (trait is not None and trait.under)):
                continue
            rows.append(_row_of(rating, group.rating == "dice", view))
        if rows:
            yield {"label": group.label, "rows": rows, "dots": bool(group.boxes)}


def _row_of(rating: Rating, coded: bool, view: View) -> Mapping[str, Any]:
    name, figure = f"{rating.group}.{rating.id}", "code" if coded else "total"
    texts = {key: view.texts.get(f"{name}.{key}") for key in (figure, "roll.text", "detail")}
    found = {key: shown.text for key, shown in texts.items() if shown is not None}
    return {
        "name": rating.name,
        "total": found.get(figure, str(rating.total)),
        "roll": found.get("roll.text", ""),
        "note": found.get("detail", ""),
        "focus": rating.focus,
    }


def _list_rows(build: Build, rules: Ruleset, view: View) -> Iterator[Mapping[str, Any]]:
    """Yield lists, such as weapons and powers, with all their columns and dice to roll."""
    for id_, rows in build.rows.items():
        if not rows:
            continue
        rule = rules.lists[id_]
        columns = [name for name in rule.columns if any(row.get(name) for row in rows)]
        rolls = [view.texts.get(f"{id_}.{n}.roll.text") for n in range(1, len(rows) + 1)]
        heads = ["" if name in ("name", "text") else id_label(str(name)) for name in columns]
        # Where codes are whole dice, an attack of 3 is 3D.
        coded = rule.of == "gear" and not rules.pips
        coded = coded and any(group.rating == "dice" for group in rules.groups.values())
        yield {
            "label": rule.label or id_label(str(id_)),
            "heads": [*heads, *(["Roll"] if any(rolls) else [])],
            "rows": [
                {
                    "cells": [
                        *(_cell(row.get(name, ""), coded) for name in columns),
                        *([roll.text if roll else ""] if any(rolls) else []),
                    ],
                    "uses": rule.uses or _uses(row.get(str(columns[0]), "")) if columns else 0,
                }
                for row, roll in zip(rows, rolls, strict=True)
            ],
        }


def _cell(text: str, coded: bool) -> str:
    return code_text(int(text), pips=False) if coded and text.isdecimal() else text


def _list_texts(build: Build, rules: Ruleset) -> Iterator[tuple[str, str]]:
    """Yield what the author wrote in words, and labelled lines that are computed."""
    for id_, line in rules.texts.items():
        if line.label and build.lines.get(id_):
            yield line.label, build.lines[id_]
    for id_, key in rules.character.items():
        label = key.label or id_label(str(id_))
        words = "; ".join(build.lists.get(id_, ())) or build.texts.get(id_, "")
        if words and id_ != "name" and key.kind in ("text", "texts") and id_ not in rules.lists:
            yield label, words
