"""Build what makes a sheet live: the program of its design, and the data of its character."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, Final

from sheetgen.check.character.builds import check_character
from sheetgen.model.build import Build, Value, step_die_text
from sheetgen.model.prints import Live, LiveFigures, Plate
from sheetgen.model.rulesets.prints import OddsGrid, RollRules
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import EMPTY_SOURCE
from sheetgen.plan.scripts.places import Inputs
from sheetgen.plan.scripts.sheet_scripts import build_program
from sheetgen.plan.sheets.view import View, build_blank_view
from sheetgen.rules.formulas.evaluate import exact_percent
from sheetgen.rules.formulas.notation import js_literal
from sheetgen.rules.odds.distributions import bounded_work
from sheetgen.rules.odds.odds import (
    SUCCESS,
    SYMBOLS,
    GridError,
    ResolvedRoll,
    answer,
    chances_of_sum,
    fails,
    goal,
    known_outcomes,
    of_outcomes,
    questions_of,
    reach,
    resolve_roll,
    roll_of,
    totals_of,
)
from sheetgen.rules.odds.questions import (
    DicePool,
    OddsError,
    Question,
    parse_question,
    target_numbers,
)


def build_live(
    build: Build, view: View, rules: Ruleset, plate: Plate, *, flat: bool
) -> Live | None:
    """Return what makes the sheet of `build` live; None if it calculates nothing.

    It is `flat` if marks cannot change, as in a PDF.
    """
    program = build_program(rules, plate, flat)
    if program is None or build.figures is None:
        return None
    figures = build.figures(program.figures)
    printed = _printed(view, program.inputs) | {"more": list(build.dice[program.inputs.dice :])}
    computed = program.outputs, program.cells, program.inputs.names, program.hints
    data = js_literal({**figures, **printed})
    return Live(program.script, data, *computed, program.unfollowed)


def build_blank_live(rules: Ruleset, chosen: Mapping[str, str], plate: Plate) -> Live | None:
    """Return what makes an empty sheet live: its sums, without the costs of advances.

    A reader first writes what a character starts with, and the rules for that are not on the
    sheet, so points for advances are not counted. The effects of choices and gear are unknown,
    so the sums may be overwritten.
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
        sums = []
        for last in ("gained", "cost"):
            found = (view.texts.get(f"{stem}.{last}") for stem in stems)
            sums.append(sum(int(one.text.replace("−", "-")) for one in found if one is not None))
        rows |= {pool: sums} if any(sums) else {}
    tracks = {track: n for spec in inputs.keys.values() for track, n, _ in spec["tracks"]}
    ticked = {
        track: sum(f"{track}.box.{n}" in view.ticks for n in range(1, boxes + 1))
        for track, boxes in tracks.items()
    }
    return {"shown": shown, "rows": rows, "ticked": ticked}


MOST_DICE: Final = 15  # most dice of a code in the table
MOST_POOL: Final = 6  # most dice with symbols in a pool in the table


def compute_sheet_odds(rules: Ruleset, options: Mapping[str, Value]) -> dict[str, Any] | None:
    """Return the odds of a ruleset as plain data; None if it prints none.

    Codes can be tapped where a grid is of sums, and pools where one is of dice with symbols.

    Raises:
        GridError: A row or a column of a grid cannot be read.
        FormulaError: A formula of a roll cannot be computed.
    """
    own = list(rules.odds.rolls.values()) if rules.odds is not None else []
    grids = list(rules.odds.grids.values()) if rules.odds is not None else []
    if not grids and not any(roll.rated for roll in own):
        return None
    found = [(grid, resolve_roll(roll_of(rules, grid), rules, options)) for grid in grids]
    drawn = [(grid, how) for grid, how in found if how.roll.kind == SYMBOLS]
    sums = [grid for grid, how in found if how.roll.kind != SYMBOLS]
    rated = [roll for roll in own if roll.rated]
    with bounded_work():
        data = _symbols(rules, *drawn[0]) if drawn else {}
        if not sums and not rated:
            return data
        rolls = [_roll_odds(rules, roll, sums, options) for roll in own if roll.kind != SYMBOLS]
    letter = roll_of(rules, sums[0]).letter if sums else rated[0].letter
    return data | {"letter": letter, "rolls": [one for one in rolls if one["heads"]]}


def _roll_odds(
    rules: Ruleset, roll: RollRules, grids: Sequence[OddsGrid], options: Mapping[str, Value]
) -> dict[str, Any]:
    """Return the odds of a roll: against the target numbers of a grid, and of its outcomes."""
    how = resolve_roll(roll, rules, options)
    over = next((grid for grid in grids if roll_of(rules, grid) is roll), None)
    questions: list[list[Question]] = [[]]
    if over is not None or (grids and not roll.outcomes):
        with contextlib.suppress(GridError):  # columns of another roll, with words of its own
            questions = questions_of(over or grids[0], how)
    goals = [goal(one) for one in questions[0] if one.target is not None]
    # A target number has the name of the last level that begins at or below it.
    known, names = target_numbers(roll, rules)
    levels = [*zip(names, known.values(), strict=False)][::-1]
    asked: list[tuple[str, Question]] = []
    if roll.rated:  # what ratings roll that a sheet may show: numbers, and dice such as d8
        steps = (step_die_text(step) for step in range(1, 9))
        for rating in (*map(str, range(-10, MOST_RATING + 1)), *steps):
            text = str(how.roll.rated).replace("{n}", rating).replace("+ -", "- ")
            with contextlib.suppress(OddsError):  # a number where a die has to be, or too many dice
                question = parse_question(text, how.words)
                asked += [(f"={rating}", question)] if question.other is None else []
    else:
        for dice, pips in product(range(1, MOST_DICE + 1), range(3 if how.roll.pips else 1)):
            hand = DicePool({str(how.roll.faces): dice}, pips)
            asked.append((f"{dice}+{pips}" if pips else str(dice), Question("", hand)))
    against = any(question.target is not None for _, question in asked)
    goals = [] if against else goals or [*known.values()]
    ids = {id_ for _, question in asked for id_, _ in known_outcomes(question, how)}
    shown = [id_ for id_ in map(str, roll.outcomes) if id_ in ids]
    heads = [[next((n for n, least in levels if least <= g), ""), str(g)] for g in goals]
    heads += [[SUCCESS, ""]] if against and not shown else []
    heads += [[roll.outcomes[id_].label, ""] for id_ in shown]
    table = {}
    for code, question in asked if heads else ():
        totals, lost = totals_of(question.pool, how), fails(question.pool, how)
        chances = [Fraction(0) if lost else reach(totals, goal, how) for goal in goals]
        chances += [chances_of_sum(question, how)[0].value] if against and not shown else []
        chances += of_outcomes(question, shown, how) if shown else ()
        table[code] = " ".join(exact_percent(chance).removesuffix("%") for chance in chances)
    return {"label": roll.label, "heads": heads, "table": table}


MOST_RATING: Final = 100  # the highest number of which a page knows the odds


def _symbols(rules: Ruleset, grid: OddsGrid, how: ResolvedRoll) -> dict[str, Any]:
    call = {str(key): heading for key, heading in grid.call.items()}
    against = {die for over in grid.over for die in parse_question(str(over), how.words).pool.dice}
    order = [str(die) for die in how.roll.dice if str(die) not in against]
    pools: dict[str, list[str]] = {}
    # The smallest pools of the dice of each of the ruleset's own rolls, without dice that oppose.
    rolls = {frozenset(map(str, roll.dice)) for roll in rules.rolls.values()}
    for dice in sorted(rolls, key=sorted):
        kinds = [die for die in order if die in dice]
        if len(kinds) < len(dice) or not 0 < len(kinds) < 3:
            continue
        counts = product(range(MOST_POOL + 1), repeat=len(kinds))
        for some in sorted((p for p in counts if 0 < sum(p) <= MOST_POOL), key=sum):
            pool = [(die, count) for die, count in zip(kinds, some, strict=True) if count]
            words = " ".join(f"{count} {die}" for die, count in pool)
            asked = [parse_question(f"{words} vs {over}", how.words) for over in grid.over]
            rows = zip(*(answer(question, how).chances for question in asked), strict=True)
            per_cent = ([exact_percent(one.value).removesuffix("%") for one in row] for row in rows)
            name = " ".join(f"{die}:{count}" for die, count in pool)
            pools[name] = [*map(" ".join, per_cent)]
    used = {part.partition(":")[0] for name in pools for part in name.split()}
    return {
        "label": grid.label,
        "over": grid.about.rpartition("against ")[2],
        "dice": {die: str(how.roll.dice[die].name) for die in order if die in used},
        "columns": [call.get(str(over), str(over)) for over in grid.over],
        "outcomes": [outcome.label for outcome in how.roll.outcomes.values()],
        "pools": pools,
    }
