"""A filled sheet's own arithmetic: its program, and the figures of the one on it."""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.model.build import Build
from sheetgen.model.live import Live
from sheetgen.model.prints import Plate
from sheetgen.model.ruleset import Ruleset
from sheetgen.plan.program_inputs import Inputs
from sheetgen.plan.programs import program_of
from sheetgen.plan.view import View
from sheetgen.rules.javascript import literal


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
    data = literal({**figures, **told})
    return Live(program.script, data, program.outputs, program.cells, program.inputs.names)


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
