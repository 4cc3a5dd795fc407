"""Mistakes in one formula of a ruleset: its syntax, and the names and functions in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sheetgen.check.character.options import NUMBER, YES_OR_NO
from sheetgen.check.ruleset.local_names import naming_places
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.rules.formulas.evaluate import ONE
from sheetgen.rules.formulas.expressions import (
    COUNTING,
    NAMING,
    WRITING,
    Call,
    Compare,
    FormulaError,
    Name,
    Tree,
    parse_formula,
)
from sheetgen.rules.formulas.lines import formulas_in
from sheetgen.rules.formulas.trees import children, inputs, walk
from sheetgen.rules.index import Index

_LANGUAGE = "formulas know + - * / // %, comparisons, and, or, not, if … else, and functions"
"""A hint for what is no formula."""


def line(
    text: Text, rules: Ruleset, index: Index, known: Collection[str], *, build: bool = True
) -> Iterator[Finding]:
    """Yield what is wrong with the formulas in the braces of `text`."""
    for found in formulas_in(text):
        yield from formula(found, rules, index, known, build=build)


def formula(
    text: Text, rules: Ruleset, index: Index, known: Collection[str], *, build: bool = True
) -> Iterator[Finding]:
    """Yield what is wrong with the formula `text`.

    Args:
        known: Names that have a value there.
        build: Whether a build is there to be asked; tables, screens and odds have none.
    """
    try:
        tree = parse_formula(text)
    except FormulaError as error:
        span = text.span.within(error.offset, error.width)
        yield Finding(codes.BAD_FORMULA, span, f"`{text}`: {error}", _LANGUAGE)
        return
    for part in walk(tree):
        if isinstance(part, Call):
            yield from _call(part, text, rules, index, build)
    for name in sorted(inputs(tree).difference(known)):
        meant = _meant(name, tree, rules, index)
        unread = rules.odds is None and name.startswith("odds.")  # characters need no odds.yaml
        if name in meant or unread:
            continue
        at = next(t.at for t in walk(tree) if isinstance(t, Name) and t.name == name)
        hint = suggestion(name, sorted(meant or known))
        message = f"nothing is called `{name}`"
        if places := naming_places(name):
            message += " here"
            hint = f"only these formulas see it: {', '.join(places)}"
        elif name in index.traits or name in rules.derived:
            message += " here"
            hint = "use names of options: no build is here whose ratings could count"
        yield Finding(codes.UNKNOWN_IN_FORMULA, text.span.within(at, len(name)), message, hint)


def _meant(name: str, tree: Tree, rules: Ruleset, index: Index) -> set[str]:
    """Return the words that what `name` is compared with may be: of options, ids of things."""
    found: set[str] = set()
    for part in walk(tree):
        names = {t.name for t in children(part) if isinstance(t, Name)}
        if isinstance(part, Compare) and name in names:
            for option in names & set(rules.options):
                found |= {*rules.options[option].values} - {NUMBER, YES_OR_NO}
            found |= set(index.formulas) if "keyword" in names else set()
            found |= set(rules.odds.rolls if rules.odds and "roll" in names else ())
    return found


def _call(call: Call, text: Text, rules: Ruleset, index: Index, build: bool) -> Iterator[Finding]:
    span = text.span.within(call.at, len(call.function))
    if call.function not in NAMING | COUNTING | WRITING and call.function not in index.formulas:
        hint = suggestion(call.function, sorted({*NAMING, *COUNTING, *WRITING, *index.formulas}))
        message = f"there is no function `{call.function}`"
        yield Finding(codes.UNKNOWN_IN_FORMULA, span, message, hint)
        return
    takes = _takes(call.function, index)
    if len(call.arguments) != takes and (takes or not call.arguments):
        message = f"`{call.function}` takes {takes or 'at least one'} value{'s' * (takes > 1)}"
        yield Finding(codes.BAD_FORMULA, span, message, f"{len(call.arguments)} are written here")
    if call.function not in NAMING:
        return
    if not build:
        message = f"`{call.function}` asks a build, and no build is here"
        hint = "use options, or put it into a text or rule of characters"
        yield Finding(codes.UNKNOWN_IN_FORMULA, span, message, hint)
        return
    names = [a for a in call.arguments if isinstance(a, Name)]
    known = _askable(call.function, rules, index)
    for place, name in enumerate(names):
        allowed = set(rules.character) if call.function == "holds" and place == 0 else known
        if name.name not in allowed:
            message = f"`{call.function}` finds no `{name.name}`"
            hint = suggestion(name.name, sorted(allowed))
            at = text.span.within(name.at, len(name.name))
            yield Finding(codes.UNKNOWN_IN_FORMULA, at, message, hint)


def _takes(function: str, index: Index) -> int:
    """Return how many values a function takes; 0 for one or more."""
    if function in index.formulas:
        return len(index.formulas[function][0])
    if function == "holds":
        return 2
    return 0 if function in COUNTING - ONE else 1


def _askable(function: str, rules: Ruleset, index: Index) -> set[str]:
    """Return the names that a function of `NAMING` may be asked about."""
    if function in ("has", "picked"):
        entries = {
            name
            for catalogue, listed in rules.choices.items()
            for id_ in listed.entries
            for name in (str(id_), str(catalogue), f"{catalogue}.{id_}")
        }
        return entries | index.tags
    if function == "modifiers":
        return set(rules.derived)
    if function in ("items", "holds"):
        return set(rules.gear) | index.tags
    return set(index.traits)
