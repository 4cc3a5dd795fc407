"""The whole way of a question about odds, on one screen: whose dice, read, work out, print.

Commands call these functions and print what they return, as they do with the pipeline's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sheetgen.check.character.options import options_of
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, errors
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import RULESET, Span
from sheetgen.load.designs.designs import load_page_design
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.modules import switches_of
from sheetgen.load.rulesets.odds import plain_roll, with_odds
from sheetgen.load.rulesets.rulesets import find_ruleset, load_ruleset
from sheetgen.model.build import Value
from sheetgen.model.rulesets.odds import RollRules, Wild
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Source
from sheetgen.prints.requests import PrintRequest, told_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.odds.answers import SYMBOLS, Answer, ResolvedRoll
from sheetgen.rules.odds.grid import ComputedGrid, GridError, compute_grid
from sheetgen.rules.odds.odds import answer, resolve_roll
from sheetgen.rules.odds.percents import exact_percent
from sheetgen.rules.odds.reader import count_known_words, parse_question
from sheetgen.rules.odds.wild import COMPLICATION, SUBTRACT
from sheetgen.rules.odds.words import OddsError

PLACE = "expression"
"""What a finding calls the expression, which stands in no file."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked, and how it is to be taken.

    Attributes:
        ruleset: Whose dice they are; found by the expression's own words where it is empty.
        roll: Which of its rolls.
        wild: What a 1 of the wild die does, where one is wanted that the rules do not have.
        ties: Who wins them, where the rules are not to say.
        options: How the table plays.
    """

    expression: str
    ruleset: str = ""
    roll: str = ""
    wild: str = ""
    ties: str = ""
    options: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Ruled:
    """A ruleset that is fit to be asked, and how it is played."""

    rules: Ruleset | None
    options: Mapping[str, Value]
    findings: tuple[Finding, ...] = ()


def load_checked_rules(name: str, chosen: Mapping[str, str] | None = None) -> Ruled:
    """Return the ruleset called `name`, or in that folder, if it has no mistakes."""
    found = find_ruleset(name, Span(RULESET), Path())
    if found.value is None:
        return Ruled(None, {}, found.findings)
    switches = switches_of(None, chosen or {})
    loaded = load_ruleset(found.value, complete=True, switches=switches)
    rules = loaded.value
    if rules is None or errors(loaded.findings):
        return Ruled(None, {}, loaded.findings)
    options, wrong = options_of(Source("", "", None, ""), rules, chosen or {})
    findings = (*loaded.findings, *check_ruleset(rules), *wrong)
    return Ruled(None if errors(findings) else rules, options, findings)


def ask(asked: Ask) -> Checked[Answer]:
    """Return the answer, or findings: about the expression, or about the ruleset."""
    if asked.ruleset:
        given = load_checked_rules(asked.ruleset, asked.options)
        if given.rules is None:
            return Checked(None, given.findings)
        rolls = [*_rolls(given.rules, given.options, asked)]
        if not rolls:
            return Checked(None, (*given.findings, _no_roll(asked, given.rules)))
        return _fits(_first(asked.expression, rolls), asked)
    plain = resolve_roll(_as_asked(plain_roll(), asked))
    try:
        return Checked(answer(parse_question(asked.expression, plain.words), plain))
    except OddsError as error:
        return _fits(_guessed(asked, plain, error), asked)


def _guessed(asked: Ask, plain: ResolvedRoll, error: OddsError) -> Checked[Answer]:
    """Return the answer of the only ruleset whose words these are.

    Where several rulesets give different answers, a finding asks for one of them. A code such
    as 5D is of dice that are added up wherever a ruleset can read it so.
    """
    shipped = {id_: [*_shipped(id_, asked)] for id_ in with_odds()}
    tried = ((id_, _first(asked.expression, rolls)) for id_, rolls in shipped.items() if rolls)
    found = {id_: answered.value for id_, answered in tried if answered.value is not None}
    if not found:
        every = [roll for rolls in shipped.values() for roll in rolls]
        return _first(asked.expression, [plain, *every])
    sums = {id_: answer for id_, answer in found.items() if answer.rolling.roll.kind != SYMBOLS}
    found = sums or found
    id_, first = next(iter(found.items()))
    if all((a.reading, a.chances) == (first.reading, first.chances) for a in found.values()):
        title = f"{first.rolling.title} (found by its words; --ruleset {id_})"
        return Checked(replace(first, rolling=replace(first.rolling, title=title)))
    read = (f"{id_} ({a.reading}: {exact_percent(a.chances[0].value)})" for id_, a in found.items())
    span = Span(PLACE, 1, error.at + 1, error.width)
    hint = f"name one with --ruleset: {', '.join(read)}"
    return Checked(None, (Finding(codes.BAD_ODDS, span, "rulesets read this differently", hint),))


def _fits(found: Checked[Answer], asked: Ask) -> Checked[Answer]:
    """Return `found`, unless it is of dice that have no wild one and no ties."""
    if found.value is None or found.value.rolling.roll.kind != SYMBOLS:
        return found
    for option, said in (("--wild", asked.wild), ("--ties", asked.ties)):
        if said:
            message = f"{option} is about totals, and these dice have symbols"
            return Checked(None, (Finding(codes.BAD_ODDS, Span(PLACE), message),))
    return found


def _shipped(id_: str, asked: Ask) -> Iterator[ResolvedRoll]:
    """Yield the rolls of a ruleset that comes with us."""
    rules = load_ruleset(rulesets_folder() / id_, complete=True).value
    if rules is not None:
        known = {k: v for k, v in (asked.options or {}).items() if k in rules.options}
        options, _ = options_of(Source("", "", None, ""), rules, known)
        yield from _rolls(rules, options, asked)


def _rolls(rules: Ruleset, options: Mapping[str, Value], asked: Ask) -> Iterator[ResolvedRoll]:
    """Yield the rolls that may be meant; plain dice where a ruleset says nothing of its own."""
    own = rules.odds.rolls if rules.odds is not None else {}
    if not own and not asked.roll:
        yield resolve_roll(_as_asked(plain_roll(), asked))
    for id_, roll in own.items():
        if asked.roll in ("", id_):
            yield resolve_roll(_as_asked(roll, asked), rules, options)


def _as_asked(roll: RollRules, asked: Ask) -> RollRules:
    if roll.kind == SYMBOLS:
        return roll
    if asked.ties:
        roll = replace(roll, ties=asked.ties)
    if not asked.wild:
        return roll
    marks = {COMPLICATION: {"1": COMPLICATION}, SUBTRACT: {"1": "it and the highest other go"}}
    name = roll.wild.name if roll.wild is not None else "wild die"
    return replace(roll, wild=Wild(name, True, asked.wild, marks.get(asked.wild, {})))


def _first(expression: str, rolls: Sequence[ResolvedRoll]) -> Checked[Answer]:
    """Return the answer of the first roll that can read the expression.

    If none can, the one that knows most of its words says what is wrong.
    """
    wrong: list[OddsError] = []
    for how in rolls:
        try:
            return Checked(answer(parse_question(expression, how.words), how))
        except OddsError as error:
            wrong.append(error)
        except FormulaError as error:
            return Checked(None, (Finding(codes.UNANSWERED, Span(PLACE), str(error)),))
    known = [count_known_words(expression, how.words) for how in rolls]
    best = wrong[known.index(max(known))]
    span = Span(PLACE, 1, best.at + 1, best.width)
    return Checked(None, (Finding(codes.BAD_ODDS, span, str(best), best.hint),))


def _no_roll(asked: Ask, rules: Ruleset) -> Finding:
    known = [str(id_) for id_ in rules.odds.rolls] if rules.odds is not None else []
    message = f"{rules.title} has no roll `{asked.roll}`"
    return Finding(codes.DANGLING, Span("--roll"), message, suggestion(asked.roll, known, "rolls"))


def grids_of(rules: Ruleset, options: Mapping[str, Value]) -> Checked[tuple[ComputedGrid, ...]]:
    """Return the grids that a ruleset prints, worked out."""
    made: list[ComputedGrid] = []
    for id_, grid in (rules.odds.grids if rules.odds is not None else {}).items():
        try:
            made.append(compute_grid(rules, str(id_), grid, options))
        except (GridError, FormulaError) as error:
            message = f"the grid `{id_}` cannot be worked out: {error}"
            return Checked(None, (Finding(codes.UNANSWERED, rules.place, message),))
    return Checked(tuple(made))


def print_odds(
    grids: Sequence[ComputedGrid], rules: Ruleset, title: str, request: PrintRequest
) -> Checked[Mapping[str, bytes]]:
    """Return pages of odds, a grid and its curves each, in every kind that is wanted."""
    from sheetgen.render.flow.odds_pages import FOLDER, odds_html, odds_pdf
    from sheetgen.render.flow.pages import LayoutError

    look = load_page_design(request.theme, "a4", FOLDER)  # they have papers of their own besides
    if look.value is None:
        return Checked(None, look.findings)
    texts, tokens, faces = look.value
    told = told_of(rules, title, request)
    files: dict[str, bytes] = {}
    for kind in request.kinds:
        make = odds_pdf if kind == "pdf" else odds_html
        fonts = {face: font_bytes(name) for face, name in faces.items()}
        try:
            files[kind] = make(grids, texts, tokens, fonts, told)
        except LayoutError as error:
            span = Span(f"templates/{FOLDER}")
            return Checked(None, (Finding(codes.BAD_TEMPLATE, span, str(error)),))
    return Checked(files)
