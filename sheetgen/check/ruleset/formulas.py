"""Mistakes in one formula of a ruleset: its syntax, its names, and its functions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from sheetgen.check.character.options import NUMBER, YES_OR_NO
from sheetgen.check.ruleset.local_names import naming_places
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.rules.formulas.arithmetic import ONE
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

_LANGUAGE = "formulas have + - * / // %, comparisons, and, or, not, if … else, and functions"

_SLIPS: Final = {
    r"\b\d*[dD]\d+\b": "formulas roll no dice: use numbers and names",
    r"\*\*|\^": "write a power as a product, such as `n * n`",
    "&&": "write `and`",
    r"\|\|": "write `or`",
    "!(?!=)": "write `not`",
    "=>": "write `>=`",
    "=<": "write `<=`",
    "(?<![<>=!])=(?!=)": "compare with `==`",
    r"\d,\d{3}\b": "write numbers without commas",
    r"\d\.\d": "write a fraction, such as `1/2` or `9/2`",
    r"\bif\b(?!.*\belse\b)": "write what it is otherwise, too, such as `2 if n > 3 else 1`",
    r"\d\s*\(|\)\s*\(|\b\d+[A-Za-z]|\d\s+x\s|[×·]": "multiply with `*`",
    "[÷]": "divide with `/`, or with `//` to round down",
}
"""What to write instead of what other notations have; the first that a formula has counts."""


_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"]*\"")


def check_line(
    text: Text, rules: Ruleset, index: Index, known: Collection[str]
) -> Iterator[Finding]:
    """Yield the mistakes in the formulas in the braces of `text`."""
    for formula in formulas_in(text):
        yield from check_formula(formula, rules, index, known)


def check_formula(
    text: Text, rules: Ruleset, index: Index, known: Collection[str], *, build: bool = True
) -> Iterator[Finding]:
    """Yield the mistakes in the formula `text`.

    Args:
        known: The names that have a value at its place.
        build: Whether it is evaluated for a build; tables, screens and odds have none.
    """
    try:
        tree = parse_formula(text)
    except FormulaError as error:
        span = text.span.within(error.offset, error.width)
        bare = _QUOTED.sub("''", text)
        hint = next((hint for slip, hint in _SLIPS.items() if re.search(slip, bare)), _LANGUAGE)
        if not text.isascii() and bare.isascii():
            hint = "a text in quotes has plain letters only; write `-` for a minus there"
        if (opened := text.count("(")) != (closed := text.count(")")):
            hint = f"write a `{')' if opened > closed else '('}` more, or one less of the other"
        yield Finding(codes.BAD_FORMULA, span, f"`{text}`: {error}", hint)
        return
    for part in walk(tree):
        if isinstance(part, Call):
            yield from _call(part, text, rules, index, build)
    for name in sorted(inputs(tree).difference(known)):
        words = _words_for(name, tree, rules, index)
        unread = rules.odds is None and name.startswith("odds.")  # characters need no odds.yaml
        if name in words or unread:
            continue
        at = next(t.at for t in walk(tree) if isinstance(t, Name) and t.name == name)
        hint = suggestion(name, sorted(words or known))
        message = f"nothing is called `{name}`"
        head = next((head for head, named in rules.formulas.items() if named is text), "")
        if head and "(" not in head:
            hint = f"write `{head}({name}): …`: a named formula lists what it takes"
        elif places := naming_places(name):
            message += " here"
            hint = f"only these formulas see it: {', '.join(places)}"
        elif name in index.traits or name in rules.derived:
            message += " here"
            hint = "use names of options: this formula sees no character"
        yield Finding(codes.UNKNOWN_IN_FORMULA, text.span.within(at, len(name)), message, hint)


def _words_for(name: str, tree: Tree, rules: Ruleset, index: Index) -> set[str]:
    """Return the words that `name` may be, by what it is compared with: an option, an id."""
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
        hint = f"it has {len(call.arguments)} here"
        yield Finding(codes.BAD_FORMULA, span, message, hint)
    if call.function not in NAMING:
        return
    if not build:
        message = f"`{call.function}` cannot be used here: this formula sees no character"
        hint = "use options, or move the formula to a text or rule of characters"
        yield Finding(codes.UNKNOWN_IN_FORMULA, span, message, hint)
        return
    names = [a for a in call.arguments if isinstance(a, Name)]
    known = _arguments_of(call.function, rules, index)
    for place, name in enumerate(names):
        allowed = set(rules.character) if call.function == "holds" and place == 0 else known
        counts = call.function in ("has", "picked", "items", "best")
        if name.name not in allowed and not (counts and name.name in rules.composition.unkept):
            message = f"`{call.function}` finds no `{name.name}`"
            hint = suggestion(name.name, sorted(allowed))
            at = text.span.within(name.at, len(name.name))
            yield Finding(codes.UNKNOWN_IN_FORMULA, at, message, hint)


def _takes(function: str, index: Index) -> int:
    """Return the number of values that a function takes; 0 for one or more."""
    if function in index.formulas:
        return len(index.formulas[function][0])
    if function == "holds":
        return 2
    return 0 if function in COUNTING - ONE else 1


def _arguments_of(function: str, rules: Ruleset, index: Index) -> set[str]:
    """Return the names that a function of `NAMING` takes."""
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
    if function in ("items", "holds", "best"):
        return set(rules.gear) | index.tags
    return set(index.traits)
