"""Build what makes a sheet live: the program of its design, and the data of its character."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sheetgen.check.character.builds import check_character
from sheetgen.model.build import Build
from sheetgen.model.live import Live, LiveFigures
from sheetgen.model.prints import Plate
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import EMPTY_SOURCE
from sheetgen.plan.scripts.inputs import Inputs
from sheetgen.plan.scripts.sheet_scripts import build_program
from sheetgen.plan.sheets.view import View, build_blank_view
from sheetgen.rules.formulas.javascript import js_literal


def build_live(
    build: Build, view: View, rules: Ruleset, plate: Plate, *, flat: bool
) -> Live | None:
    """Return what makes the sheet of `build` live; None if it calculates nothing.

    Args:
        flat: Whether marks cannot change, as in a PDF.
    """
    program = build_program(rules, plate, flat)
    if program is None or build.figures is None:
        return None
    figures = build.figures(program.figures)
    printed = _printed(view, program.inputs) | {"more": list(build.dice[program.inputs.dice :])}
    data = js_literal({**figures, **printed})
    names = program.inputs.names
    return Live(program.script, data, program.outputs, program.cells, names, program.hints)


def build_blank_live(rules: Ruleset, chosen: Mapping[str, str], plate: Plate) -> Live | None:
    """Return what makes an empty sheet live: its sums, without the costs of advances.

    A reader first writes what a character starts with, and the rules for that are not on the
    sheet, so points for advances are not counted. The effects of choices and gear are unknown,
    so the sums may be overwritten.

    Args:
        chosen: Options.
    """
    build = check_character(EMPTY_SOURCE, rules, chosen).value
    known = build.figures if build is not None else None
    if build is None or known is None:
        return None
    bought = {str(rules.advances.pool)} if rules.advances is not None else set()

    def figures(requested: LiveFigures) -> Mapping[str, Any]:
        data = dict(known(requested))
        data["got"] = {pool: n for pool, n in data["got"].items() if pool not in bought}
        data |= {"own": {}, "free": {}, "base": {}, "blank": 1}
        return data | {"unsure": dict.fromkeys(data["got"], 1)}

    empty = replace(build, figures=figures)
    live = build_live(empty, build_blank_view(rules, build.options), rules, plate, flat=True)
    if live is None:
        return None
    marks = {place.name for place in plate.places if place.kind == "mark"}
    return replace(live, cells=frozenset(live.outputs) - marks)


def _printed(view: View, inputs: Inputs) -> dict[str, Mapping[str, object]]:
    """Return the printed texts of numbers, the boxes of tracks, the sums of rows of ledgers."""
    shown = {k: view.texts[k].text for k in inputs.keys if k in view.texts}
    rows: dict[str, list[int]] = {}
    for pool, count in inputs.rows.items():
        stems = [f"{pool}.ledger.{n}" for n in range(1, count + 1)]
        sums = [
            sum(_figure(view, f"{stem}.{last}") for stem in stems) for last in ("gained", "cost")
        ]
        rows |= {pool: sums} if any(sums) else {}
    tracks = {track: n for spec in inputs.keys.values() for track, n, _ in spec["tracks"]}
    ticked = {
        track: sum(f"{track}.box.{n}" in view.ticks for n in range(1, boxes + 1))
        for track, boxes in tracks.items()
    }
    return {"shown": shown, "rows": rows, "ticked": ticked}


def _figure(view: View, name: str) -> int:
    shown = view.texts.get(name)
    return int(shown.text.replace("−", "-")) if shown is not None else 0
