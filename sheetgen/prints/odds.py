"""Answer questions about odds, and print the grids of odds that a ruleset lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, Final, Literal

from sheetgen.check.character.options import resolve_options
from sheetgen.diag import codes
from sheetgen.diag.findings import RULESET, Checked, Finding, Span
from sheetgen.diag.words import suggestion
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.kinds import plain_roll, with_odds
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.build import Value
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.prints import ComputedGrid, RollRules, Side, Wild, WildMode
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import EMPTY_SOURCE
from sheetgen.plan.pages.screen_blocks import SignWriter
from sheetgen.plan.pages.tables import PlayerWords
from sheetgen.prints import rulesets
from sheetgen.prints.kinds import PrintKind, PrintResult, name_words
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import exact_percent
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import file_stem
from sheetgen.rules.odds.distributions import bounded_work
from sheetgen.rules.odds.odds import (
    COMPLICATION,
    SUBTRACT,
    SYMBOLS,
    Answer,
    GridError,
    ResolvedRoll,
    answer,
    compute_grid,
    resolve_roll,
)
from sheetgen.rules.odds.questions import OddsError, count_known_words, parse_question

EXPRESSION = "expression"  # The file name in findings about the expression, which is in no file.


@frozen
class OddsQuestion:
    """A question about odds."""

    expression: str
    ruleset: str = ""  # Whose dice are rolled; empty: found by the expression's words.
    roll: str = ""  # The id of one of the ruleset's rolls.
    wild: WildMode | Literal[""] = ""  # What a 1 of it does; adds one.
    ties: Side | Literal[""] = ""  # Who wins ties, instead of what the rules say.
    options: Mapping[str, str] | None = None


def answer_question(request: OddsQuestion) -> Checked[Answer]:
    """Return the answer, or findings about the expression or the ruleset."""
    if request.ruleset:
        checked = rulesets.load_checked_ruleset(request.ruleset, request.options)
        if checked.rules is None:
            return Checked(None, checked.findings)
        own = answer_for_rules(checked.rules, checked.options, request)
        return Checked(own.value, (*checked.findings, *own.findings))
    plain = resolve_roll(_with_request(plain_roll(), request))
    try:
        return Checked(answer(parse_question(request.expression, plain.words), plain))
    except FormulaError as error:
        return Checked(None, (Finding(codes.UNANSWERED, Span(EXPRESSION), str(error)),))
    except OddsError as error:
        at, width = error.at, error.width
    # It has words of a ruleset, of which there may be only one that knows them.
    shipped: dict[str, list[ResolvedRoll]] = {}
    for id_ in with_odds():
        rules = load_ruleset(rulesets_folder() / id_, complete=True).value
        known = {k: v for k, v in (request.options or {}).items() if rules and k in rules.options}
        chosen = resolve_options(EMPTY_SOURCE, rules, known)[0] if rules is not None else {}
        shipped[id_] = [*_rolls(rules, chosen, request)] if rules is not None else []
    tried = (
        (id_, _answer_first(request.expression, rolls)) for id_, rolls in shipped.items() if rolls
    )
    found = {id_: answered.value for id_, answered in tried if answered.value is not None}
    if not found:
        every = [roll for rolls in shipped.values() for roll in rolls]
        return _check_symbols(_answer_first(request.expression, [plain, *every]), request)
    # A code such as 5D means dice that are added up if any ruleset reads it so.
    sums = {id_: answer for id_, answer in found.items() if answer.rolling.roll.kind != SYMBOLS}
    found = sums or found
    id_, first = next(iter(found.items()))
    if all((a.reading, a.chances) == (first.reading, first.chances) for a in found.values()):
        title = f"{first.rolling.title} (found by its words; --ruleset {id_})"
        named = replace(first, rolling=replace(first.rolling, title=title))
        return _check_symbols(Checked(named), request)
    read = (f"{id_} ({a.reading}: {exact_percent(a.chances[0].value)})" for id_, a in found.items())
    span, hint = Span(EXPRESSION, 1, at + 1, width), f"name one with --ruleset: {', '.join(read)}"
    return Checked(None, (Finding(codes.BAD_ODDS, span, "rulesets read this differently", hint),))


def answer_for_rules(
    rules: Ruleset, options: Mapping[str, Value], request: OddsQuestion
) -> Checked[Answer]:
    """Return the answer by the rolls of a loaded ruleset."""
    rolls = [*_rolls(rules, options, request)]
    if not rolls:
        known = [str(i) for i in rules.odds.rolls] if rules.odds else []
        message = f"{rules.title} has no roll `{request.roll}`"
        hint = suggestion(request.roll, known, "rolls")
        return Checked(None, (Finding(codes.DANGLING, Span("--roll"), message, hint),))
    return _check_symbols(_answer_first(request.expression, rolls), request)


def _check_symbols(found: Checked[Answer], request: OddsQuestion) -> Checked[Answer]:
    """Return `found`, or a finding if `--wild` or `--ties` is used with dice with symbols."""
    option = "--wild" if request.wild else "--ties" if request.ties else ""
    if not option or found.value is None or found.value.rolling.roll.kind != SYMBOLS:
        return found
    message = f"{option} needs dice with totals; these dice have symbols"
    return Checked(None, (Finding(codes.BAD_ODDS, Span(EXPRESSION), message),))


def _rolls(
    rules: Ruleset, options: Mapping[str, Value], request: OddsQuestion
) -> Iterator[ResolvedRoll]:
    """Yield the rolls that may be meant; plain dice if the ruleset describes none."""
    own = rules.odds.rolls if rules.odds is not None else {}
    if not own and not request.roll:
        yield resolve_roll(_with_request(plain_roll(), request))
    for id_, roll in own.items():
        if request.roll in ("", id_):
            yield resolve_roll(_with_request(roll, request), rules, options)


def _with_request(roll: RollRules, request: OddsQuestion) -> RollRules:
    if roll.kind == SYMBOLS:
        return roll
    if request.ties:
        roll = replace(roll, ties=request.ties)
    if not request.wild:
        return roll
    marks = {COMPLICATION: {"1": COMPLICATION}, SUBTRACT: {"1": "it and the highest other go"}}
    name = roll.wild.name if roll.wild is not None else "wild die"
    return replace(roll, wild=Wild(name, True, request.wild, marks.get(request.wild, {})))


def _answer_first(expression: str, rolls: Sequence[ResolvedRoll]) -> Checked[Answer]:
    """Return the answer of the first roll that reads it, or the error of the likeliest one."""
    wrong: list[OddsError] = []
    for roll in rolls:
        try:
            return Checked(answer(parse_question(expression, roll.words), roll))
        except OddsError as error:
            wrong.append(error)
        except FormulaError as error:
            return Checked(None, (Finding(codes.UNANSWERED, Span(EXPRESSION), str(error)),))
    known = [count_known_words(expression, roll.words) for roll in rolls]
    best = wrong[known.index(max(known))]
    span = Span(EXPRESSION, 1, best.at + 1, best.width)
    return Checked(None, (Finding(codes.BAD_ODDS, span, str(best), best.hint),))


def compute_grids(
    rules: Ruleset, options: Mapping[str, Value]
) -> Checked[tuple[ComputedGrid, ...]]:
    """Return the grids that a ruleset prints, with their chances computed."""
    computed: list[ComputedGrid] = []
    with bounded_work():
        for id_, grid in (rules.odds.grids if rules.odds is not None else {}).items():
            try:
                computed.append(compute_grid(rules, str(id_), grid, options))
            except (GridError, FormulaError) as error:
                message = f"the grid `{id_}` cannot be computed: {error}"
                return Checked(None, (Finding(codes.UNANSWERED, rules.place, message),))
    return Checked(tuple(computed))


@frozen
class OddsRequest(PrintRequest):
    """Grids of odds to print."""

    kind: ClassVar[str] = "odds"


def _print_grids(
    request: OddsRequest, checked: rulesets.CheckedRuleset, rules: Ruleset
) -> Iterator[PrintResult]:
    from sheetgen.render.flow.table_pages import FOLDER, render_odds

    grids = compute_grids(rules, checked.options)
    # The pages have papers of their own.
    style = rulesets.load_page_style(request, rules, FOLDER, paper="a4")
    yield PrintResult(findings=(*grids.findings, *style.findings))
    if grids.value == ():
        hint = "write a grid under `odds` in odds.yaml"
        none = Finding(codes.EMPTY, request.at(RULESET), f"{rules.title} lists no odds", hint)
        yield PrintResult(findings=(none,))
    elif grids.value and style.value is not None:
        page = rulesets.page_context(rules, f"Odds: {rules.title}", request)
        words = PlayerWords(rules.rulings, signs=SignWriter(rules))
        shown = [replace(grid, text=words.text(grid.text)) for grid in grids.value]
        parts = shown, style.value, page
        printed = rulesets.render_pages(request, lambda one: render_odds(one, *parts), FOLDER)
        stem = file_stem(f"{rules.id}-{request.kind}")
        yield replace(printed, words=name_words(rules, request.kind), stem=stem)


ODDS_KIND: Final = PrintKind(
    OddsRequest,
    "Odds",
    partial(rulesets.print_rulesets, print_one=_print_grids, proof=False),
    job="ruleset",
    read_entry=lambda _, shared: OddsRequest(**shared),
    word=OddsRequest.kind,
)
