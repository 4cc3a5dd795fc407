"""`sheetgen odds`: exact odds of a roll, and the grids of odds that a ruleset lists."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import typer

from sheetgen.cli import console, parameters
from sheetgen.cli.console import Reporter, is_utf8, set_options, write_lines
from sheetgen.cli.outputs import printing_command
from sheetgen.cli.parameters import argument, flag, option, rulesets, word
from sheetgen.diag.words import suggestion
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.rulesets.rulesets import JOINT, find_packed, is_ruleset
from sheetgen.model.build import Value
from sheetgen.model.requests import SharedOptions
from sheetgen.model.rulesets.prints import ComputedGrid, Side, WildMode
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.prints import odds
from sheetgen.prints.rulesets import load_checked_ruleset
from sheetgen.rules.formulas.evaluate import decimal, exact_percent
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import folded
from sheetgen.rules.odds.odds import MODES, Answer, cell_text, goal
from sheetgen.rules.odds.questions import WINNERS
from sheetgen.rules.tables.compute import Roll, roll_table, rolled_rows, settle_table, show_rolls
from sheetgen.rules.tables.things import RulesetScope
from sheetgen.units import PaperName

WIDE = 40  # Characters of the longest bar


@partial(printing_command, presets=False)
def command(
    shared: SharedOptions,
    expression: Annotated[
        str,
        argument(
            'A question such as "5D vs 14 cover 5", or a ruleset.', "EXPRESSION|RULESET", rulesets
        ),
    ],
    ruleset: parameters.Ruleset = "",
    roll: str = word("--roll NAME", "A roll of the ruleset, such as damage, or a random table."),
    seed: int | None = option(
        "--seed", "Roll on the table as it was rolled with this number.", min=0, default=None
    ),
    behind: list[str] = option(
        "--behind WHAT",
        "Add to the target number, such as cover or 'cover 5'; several times.",
        default=parameters.NONE,
    ),
    wild: WildMode | None = option(
        "--wild",
        "Add a wild die: it rolls again on its highest face, and this is what its 1 does.",
        choices=MODES,
        default=None,
    ),
    ties: Side | None = option(
        "--ties", "The side that wins equal totals.", choices=WINNERS, default=None
    ),
    table: bool = flag("--table", "Show how likely each number is, as bars."),
    form: parameters.Format = "text",
    kinds: parameters.PagesTo = parameters.NONE,
    paper: Literal["a5", PaperName] = option(
        "--paper", "The size of the paper.", shown=True, default="a5"
    ),
    strict: parameters.Strict = False,
    settings: parameters.Settings = parameters.NONE,
) -> odds.OddsRequest | None:
    """Compute how likely a roll is, as an exact fraction: "4D+2 vs 15", "5D vs 14 cover 5".

    Both sides may be dice ("4D vs 3D"). Dice with symbols have the names of their ruleset. For
    a RULESET it shows the odds that the ruleset lists; --to prints them.

    Example: sheetgen odds "5D vs 14" --ruleset RULESET

    Guide: docs/guides/odds.md
    """
    a_roll = " " in expression or expression[:1].isdigit()
    if kinds and a_roll and not is_ruleset(Path(expression)):
        message = "files hold the odds that a ruleset lists; name the RULESET, or no file"
        raise typer.BadParameter(message, param_hint="RULESET")
    if kinds:
        return odds.OddsRequest((expression,), **shared)
    options, reporter = set_options(settings), Reporter(strict)
    if seed is not None and not roll:
        raise click.UsageError("--seed needs a random table; name it with --roll")
    known = {*ruleset_ids(), *dict(find_packed(Path()))}
    of_games = all(part.strip() in known for part in expression.split(JOINT))  # such as `a+b`
    lines: Iterable[str] = ()
    data: Any = None
    if of_games or is_ruleset(Path(expression)):
        checked = load_checked_ruleset(expression, options)
        reporter.report(checked.findings)
        if checked.rules is not None and roll:
            lines, data = _roll_on_table(checked.rules, checked.options, roll, seed, table)
        elif checked.rules is not None:
            grids = odds.compute_grids(checked.rules, checked.options)
            reporter.report(grids.findings)
            if grids.value == ():
                message = f"{checked.rules.title} lists no odds"
                message += "; write a grid under `odds` in odds.yaml"
                raise typer.BadParameter(message, param_hint="RULESET")
            lines, data = grid_lines(grids.value or ()), grid_data(grids.value or ())
    else:
        if not ruleset and (roll or options):
            raise click.UsageError("--roll and --set need a ruleset; name it with --ruleset")
        asked = " ".join((expression, *behind))
        reporter.lines[odds.EXPRESSION] = [asked]
        question = odds.OddsQuestion(asked, ruleset, roll, wild or "", ties or "", options)
        found = odds.answer_question(question)
        reporter.report(found.findings)
        if found.value is not None:
            lines, data = odds_lines(found.value, table=table), odds_data(found.value)
        elif any(finding.span.file == odds.EXPRESSION for finding in found.findings):
            sys.exit(console.EXIT_BAD_USAGE)
    if form != "json":
        write_lines(*lines)
    elif data is not None:
        console.write_json(data)
    reporter.exit()
    return None


def _roll_on_table(
    rules: Ruleset, options: Mapping[str, Value], name: str, seed: int | None, table: bool
) -> tuple[Iterable[str], dict[str, Any]]:
    """Return a roll on a random table, as lines and for JSON; with `table`, its chances instead."""
    known = {str(i): str(t.label) for i, t in rules.tables.items() if t.dice is not None}
    called = [i for i, label in known.items() if folded(name) in (folded(i), folded(label))]
    if not called:
        message = f"{rules.title} has no random table `{name}`"
        hint = suggestion(name, known, "tables")
        raise typer.BadParameter(f"{message}; {hint}".rstrip("; "), param_hint="--roll")
    if table:
        found = settle_table(rules.tables[called[0]], RulesetScope(rules, options))
        rows, words = rolled_rows(found), [row[1:] for row in show_rolls(found, rules).rows]
        wide, exact = max(len(row.shown) for row in rows), [_exact_text(r.chance) for r in rows]
        longest = max(map(len, exact))
        shown = [f"{found.label or found.columns[-1]} ({found.dice})"]
        for row, fraction, cells in zip(rows, exact, words, strict=True):
            percent = f"{exact_percent(row.chance):>6}{fraction:<{longest}}"
            shown.append(f"{row.shown:>{wide}}  {percent}   {', '.join(filter(None, cells))}")
        data = [{"row": row.shown, **_chance(row.chance), "cells": [*row.cells]} for row in rows]
        about = {"table": called[0], "label": str(found.label), "dice": str(found.dice)}
        return shown, {**about, "rows": data}
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    try:
        rolled = roll_table(rules, called[0], seed, options)
    except FormulaError as error:
        raise typer.BadParameter(str(error), param_hint="--roll") from error
    lines = rolled.text, "", *roll_lines(rolled), f"seed {seed}"
    return lines, {"seed": seed, **roll_data(rolled)}


def roll_lines(rolled: Roll, depth: int = 0) -> Iterator[str]:
    """Yield a line for a roll on a random table, and one for each roll inside it."""
    chance = rolled.row.chance
    shown = f"{'  ' * depth}{rolled.label}: {rolled.dice} shows {rolled.value} ({rolled.row.shown})"
    yield f"{shown}, {exact_percent(chance)}{_exact_text(chance)}"
    for inner in rolled.inner:
        yield from roll_lines(inner, depth + 1)


def roll_data(rolled: Roll) -> dict[str, Any]:
    """Return a roll on a random table for JSON."""
    return {
        "table": rolled.id,
        "label": rolled.label,
        "dice": rolled.dice,
        "value": rolled.value,
        "row": rolled.row.shown,
        **_chance(rolled.row.chance),
        "text": rolled.text,
        "rolls": [roll_data(inner) for inner in rolled.inner],
    }


def odds_lines(found: Answer, *, table: bool) -> Iterator[str]:
    """Yield the lines of an answer; with `table` how its numbers are spread, too."""
    yield found.reading
    yield found.rolling.title
    yield ""
    labels = [f"{'  ' if chance.part else ''}{chance.label}" for chance in found.chances]
    spreads = [spread for spread in found.spreads if any(n for n, _, _ in spread.rows)]
    if not found.chances and not spreads:  # no dice at all: the total is 0
        spreads = list(found.spreads)
    means = [(f"mean {one.label}", one.mean) for one in spreads if one.mean is not None]
    wide = max(map(len, [*labels, *(label for label, _ in means)]), default=0)
    for label, chance in zip(labels, found.chances, strict=True):
        exact = _exact_text(chance.value)
        yield f"{label:<{wide}}  {exact_percent(chance.value):>6}{exact}"
    for label, mean in means:
        yield f"{label:<{wide}}  {decimal(mean):>6}{_exact_text(mean)}"
    full, light = ("█", "░") if is_utf8() else ("#", "-")
    roll, question = found.rolling.roll, found.question
    target = goal(question) + (roll.beat != roll.under) if question.target is not None else None
    for spread in spreads if table else ():
        # A line for each number: how likely it is, how likely it or more, and a bar.
        wide = max(len(spread.label), 4)
        most = max(share for _, share, _ in spread.rows)
        yield from ("", f"{spread.label:>{wide}}  exactly  or {'less' if roll.under else 'more'}")
        for number, share, more in spread.rows:
            failed = target is not None and (number < target) != roll.under
            bar = (light if failed else full) * int(Fraction(WIDE) * share / most + Fraction(1, 2))
            shown = str(number).replace("-", "−")
            beyond = 1 - more + share if roll.under else more
            shares = f"{exact_percent(share):>7}  {exact_percent(beyond):>7}"
            yield f"{shown:>{wide}}  {shares}  {bar}".rstrip()
        if spread.endless:
            yield f"{'more':>{wide}}  without end"


def _exact_text(value: Fraction) -> str:
    """Return a fraction behind its number; one of many digits is only in JSON."""
    text = f"   {value}".replace("-", "−")
    return text if value.denominator > 1 and len(text) <= WIDE * 2 else ""


def odds_data(found: Answer) -> dict[str, Any]:
    """Return an answer for JSON: fractions as text, exactly, and per cent to one decimal."""
    return {
        "expression": found.question.text,
        "understood": found.reading,
        "roll": found.rolling.title,
        "chances": [{"id": c.id, "label": c.label, **_chance(c.value)} for c in found.chances],
        "numbers": [
            {
                "label": spread.label,
                "mean": None if spread.mean is None else str(spread.mean),
                "endless": spread.endless,
                "spread": [
                    {"number": number, "exactly": str(chance), "or_more": str(more)}
                    for number, chance, more in spread.rows
                ],
            }
            for spread in found.spreads
        ],
    }


def _chance(chance: Fraction) -> dict[str, Any]:
    return {"exact": str(chance), "percent": _rounded(chance)}


def _rounded(chance: Fraction) -> float:
    return float(int(chance * 1000 + Fraction(1, 2))) / 10


def grid_lines(grids: Sequence[ComputedGrid]) -> Iterator[str]:
    """Yield the lines of grids, one below the other."""
    for place, grid in enumerate(grids):
        if place:
            yield ""
        yield f"{grid.label} ({grid.about})" if grid.about else grid.label
        first = max(len(row) for row in grid.rows)
        wide = [max(len(column), 3) for column in grid.columns]
        heads = "  ".join(f"{c:>{w}}" for c, w in zip(grid.columns, wide, strict=True))
        yield f"{'':<{first}}  {heads}"
        for row, cells in zip(grid.rows, grid.cells, strict=True):
            shown = (f"{cell_text(c):>{w}}" for c, w in zip(cells, wide, strict=True))
            yield f"{row:<{first}}  {'  '.join(shown)}"


def grid_data(grids: Sequence[ComputedGrid]) -> list[dict[str, Any]]:
    """Return grids for JSON, exactly."""
    return [
        {
            "id": grid.id,
            "label": grid.label,
            "columns": list(grid.columns),
            "rows": [
                {"row": row, "exact": [str(c) for c in cells], "percent": [*map(_rounded, cells)]}
                for row, cells in zip(grid.rows, grid.cells, strict=True)
            ],
        }
        for grid in grids
    ]
