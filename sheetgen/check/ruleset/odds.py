"""Mistakes in a ruleset's rolls of dice and in its printed grids of odds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sheetgen.check.ruleset.references import check_known_names, check_marked_names, known_names_of
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.model.rulesets.odds import OddsGrid, RollRules, SymbolDie, TargetNumbers
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text, text_place
from sheetgen.rules.formulas.expressions import FormulaError, parse_formula
from sheetgen.rules.formulas.trees import inputs
from sheetgen.rules.index import index_of
from sheetgen.rules.names import folded
from sheetgen.rules.odds.answers import SUM, SYMBOLS
from sheetgen.rules.odds.grid import MOST_COLUMNS, MOST_ROWS, GridError, questions_of, roll_of
from sheetgen.rules.odds.odds import resolve_roll
from sheetgen.rules.odds.outcomes import chance_of
from sheetgen.rules.odds.symbols import symbols_on, throw_pool
from sheetgen.rules.odds.words import MOST_FACES, SIGNS


def check_odds(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each roll and grid that cannot be computed."""
    if rules.odds is None:
        return
    if not rules.odds.rolls:
        yield Finding(
            codes.MISSING_KEY, rules.place, "`odds` has no roll", "name one under `rolls`"
        )
        return
    found = [*check_marked_names(rules.odds, known_names_of(rules, index_of(rules)), rules.place)]
    for id_, roll in rules.odds.rolls.items():
        found += _roll(id_, roll, rules)
    yield from found
    if not found:  # a wrong roll makes rows and columns wrong too
        for grid in rules.odds.grids.values():
            yield from _grid(grid, rules)


def _roll(id_: str, roll: RollRules, rules: Ruleset) -> Iterator[Finding]:
    if roll.kind == SUM:
        yield from _sum(text_place(id_, rules.place), roll, rules)
    elif roll.kind == SYMBOLS:
        found = [*_symbols(text_place(id_, rules.place), roll), *_words(roll, rules)]
        yield from found or _unanswered(roll)


def _sum(span: Span, roll: RollRules, rules: Ruleset) -> Iterator[Finding]:
    if not 2 <= roll.faces <= MOST_FACES:
        yield Finding(codes.WRONG_TYPE, span, f"`faces` has to be 2 to {MOST_FACES}")
    if not roll.letter.isalpha() or roll.letter.casefold() in SIGNS:
        yield Finding(codes.WRONG_TYPE, span, "`letter` has to be letters, such as D")
    if roll.wild is not None:
        known = [str(face) for face in range(1, roll.faces + 1)]
        for face in roll.wild.marks:
            yield from check_known_names([(face, known, "face of the die")], rules.place)
    if roll.targets is not None:
        yield from _targets(roll.targets, rules)


def _targets(targets: TargetNumbers, rules: Ruleset) -> Iterator[Finding]:
    table = rules.tables.get(str(targets.table))
    for head in (targets.name, targets.number) if table is not None else ():
        yield from check_known_names(
            [(head, table.columns if table else (), "column")], rules.place
        )


def _words(roll: RollRules, rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each word of a roll of symbols that has no meaning."""
    if roll.targets is not None:
        yield from _targets(roll.targets, rules)
        yield from check_known_names([(roll.targets.die or "", roll.dice, "die")], rules.place)
    for adds in roll.adds.values():
        for die in adds:
            yield from check_known_names([(die, roll.dice, "die")], rules.place)
    for die in (*roll.upgrades, *roll.upgrades.values()):
        yield from check_known_names([(die, roll.dice, "die")], rules.place)
    dice = {
        folded(text) for id_, die in roll.dice.items() for text in (id_, die.name, *die.aliases)
    }
    for word in (*roll.adds, *roll.refuses):
        if folded(word) in dice:
            message = f"`{word}` is a die already"
            yield Finding(codes.TWO_OWNERS, word.span, message, "call it something else")


def _symbols(span: Span, roll: RollRules) -> Iterator[Finding]:
    for what, found in (("dice", roll.dice), ("counts", roll.counts), ("outcomes", roll.outcomes)):
        if not found:
            message = f"a roll of symbols needs `{what}`"
            yield Finding(codes.MISSING_KEY, span, message)
    known = {s for count in roll.counts.values() for s in (*count.adds, *count.less)}
    owners: dict[str, str] = {}
    for id_, die in roll.dice.items():
        yield from _die(die, known)
        if any(map(str.isdigit, die.name)):
            message = f"no expression can name a die with a digit, as in `{die.name}`"
            yield Finding(codes.WRONG_TYPE, die.name.span, message, "write a word, such as `Ten`")
        for name in dict.fromkeys(folded(text) for text in (id_, die.name, *die.aliases)):
            if name in owners:
                message = f"`{name}` means the dice {owners[name]} and {die.name}"
                yield Finding(codes.TWO_OWNERS, die.name.span, message, "rename one")
            owners[name] = str(die.name)
    for outcome in roll.outcomes.values():
        yield from _outcome(outcome.when, roll.counts)


def _die(die: SymbolDie, known: set[Text]) -> Iterator[Finding]:
    if not 1 <= sum(die.faces.values()) <= MOST_FACES or min(die.faces.values()) < 1:
        message = f"the faces of {die.name} have to be whole numbers from 1 on"
        hint = "`faces: {blank: 2, hit: 3, hit hit: 1}` is a die of six"
        yield Finding(codes.WRONG_TYPE, die.name.span, message, hint)
    for face in die.faces:
        for symbol in symbols_on(face):
            if symbol not in known:
                span = text_place(face, die.name.span)
                message = f"no count adds or takes off `{symbol}`"
                yield Finding(codes.DANGLING, span, message, suggestion(symbol, sorted(known)))


def _outcome(when: Text, counts: Mapping[str, object]) -> Iterator[Finding]:
    try:
        needed = inputs(parse_formula(when))
    except FormulaError as error:
        span = when.span.within(error.offset, error.width)
        yield Finding(codes.BAD_FORMULA, span, f"`{when}`: {error}")
        return
    for name in sorted(needed - set(counts)):
        span = when.span.within(max(0, when.find(name)), len(name))
        hint = suggestion(name, [str(id_) for id_ in counts], "counts")
        yield Finding(codes.UNKNOWN_IN_FORMULA, span, f"nothing is called `{name}`", hint)


def _unanswered(roll: RollRules) -> Iterator[Finding]:
    """Yield a finding for each outcome that has no value for a throw, such as `1 / hits`."""
    pools = [{str(die): 1} for die in roll.dice]
    pools.append({str(die): 1 for die in [*roll.dice][:_MOST_KINDS]})
    thrown = [throw_pool(roll, pool) for pool in pools]
    for outcome in roll.outcomes.values():
        try:
            for found in thrown:
                chance_of(outcome.when, found)
        except FormulaError as error:
            message = f"`{outcome.when}` has no value for some throws: {error}"
            hint = "compare counts, such as `hits >= 1`"
            yield Finding(codes.UNANSWERED, outcome.when.span, message, hint)


_MOST_KINDS: Final = 8
"""Dice that are tried together; more would take long."""


def _grid(grid: OddsGrid, rules: Ruleset) -> Iterator[Finding]:
    assert rules.odds is not None
    if (
        not 1 <= len(grid.rows) * max(1, len(grid.outcome)) <= MOST_ROWS
        or not 1 <= len(grid.over) <= MOST_COLUMNS
    ):
        span = next(iter((*grid.rows, *grid.over)), Text("", rules.place)).span
        message = f"a grid of odds has 1 to {MOST_ROWS} rows and 1 to {MOST_COLUMNS} columns"
        yield Finding(codes.WRONG_TYPE, span, message, "make two of it")
        return
    roll = roll_of(rules, grid)
    for outcome in grid.outcome:
        yield from check_known_names([(outcome, roll.outcomes, "outcome")], rules.place)
    try:
        questions_of(grid, resolve_roll(roll, rules))
    except GridError as wrong:
        place = next(text for text in (*grid.rows, *grid.over) if text == wrong.place)
        span = place.span.within(wrong.error.at, wrong.error.width)
        yield Finding(codes.BAD_FORMULA, span, str(wrong), wrong.error.hint)
    except FormulaError:
        return  # the formula itself is a finding already
