"""A filled sheet's own arithmetic: its program, and the figures of the one on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from sheetgen.check.character.builds import check_character
from sheetgen.model.build import Build
from sheetgen.model.live import Live, LiveFigures
from sheetgen.model.prints import Plate
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Source
from sheetgen.plan.scripts.inputs import Inputs
from sheetgen.plan.scripts.sheet_scripts import program_of
from sheetgen.plan.sheets.view import View, build_blank_view
from sheetgen.rules.formulas.javascript import js_literal

NOTHING: Final = Source("", "", None, "")
"""A character of whom nothing is said."""


def live_of(build: Build, view: View, rules: Ruleset, plate: Plate, *, flat: bool) -> Live | None:
    """Return what makes the sheet of `build` live; None where it has nothing to calculate.

    Args:
        flat: Whether marks stay as they are drawn, as in a PDF.
    """
    program = program_of(rules, plate, flat)
    if program is None or build.figures is None:
        return None
    figures = build.figures(program.wanted)
    told = _shown(view, program.inputs) | {"more": list(build.dice[program.inputs.dice :])}
    data = js_literal({**figures, **told})
    names = program.inputs.names
    return Live(program.script, data, program.outputs, program.cells, names, program.hints)


def blank_live_of(rules: Ruleset, chosen: Mapping[str, str], plate: Plate) -> Live | None:
    """Return what makes an empty sheet live: its sums, but no judgement of what they cost.

    What is written first on it is what a character begins with, and the rules of beginnings
    are not on the sheet: so no points are counted that steps are bought with. Nor does it know
    what the choices and the gear give that are written there, so its sums may be typed over.

    Args:
        chosen: Options.
    """
    build = check_character(NOTHING, rules, chosen).value
    known = build.figures if build is not None else None
    if build is None or known is None:
        return None
    bought = {str(rules.advances.pool)} if rules.advances is not None else set()

    def figures(wanted: LiveFigures) -> Mapping[str, Any]:
        told = dict(known(wanted))
        told["got"] = {pool: n for pool, n in told["got"].items() if pool not in bought}
        told |= {"own": {}, "free": {}, "base": {}, "blank": 1}
        return told | {"unsure": dict.fromkeys(told["got"], 1)}

    empty = replace(build, figures=figures)
    live = live_of(empty, build_blank_view(rules, build.options), rules, plate, flat=True)
    if live is None:
        return None
    marks = {place.name for place in plate.places if place.kind == "mark"}
    return replace(live, cells=frozenset(live.outputs) - marks)


def _shown(view: View, inputs: Inputs) -> dict[str, Mapping[str, object]]:
    """Return the numbers as they are printed, and the sums of the rows of ledgers on the sheet."""
    shown = {
        k: view.texts[k].text for k, s in inputs.keys.items() if "field" in s and k in view.texts
    }
    rows: dict[str, list[int]] = {}
    for pool, count in inputs.rows.items():
        stems = [f"{pool}.ledger.{n}" for n in range(1, count + 1)]
        sums = [
            sum(_figure(view, f"{stem}.{last}") for stem in stems) for last in ("gained", "cost")
        ]
        rows |= {pool: sums} if any(sums) else {}
    return {"shown": shown, "rows": rows}


def _figure(view: View, name: str) -> int:
    shown = view.texts.get(name)
    return int(shown.text.replace("−", "-")) if shown is not None else 0
