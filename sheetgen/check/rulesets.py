"""A ruleset's own mistakes: formulas, references, cycles, options; each at its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sheetgen.check.local_names import local_formulas, of_each, places_of
from sheetgen.check.odds import odds
from sheetgen.check.options import NUMBER, YES_OR_NO, known_values, option_value
from sheetgen.check.references import counted, cycles, ids, owners, references
from sheetgen.check.screens import screens, texts_of_screens
from sheetgen.check.slips import slips
from sheetgen.check.tables import card_sets, tables, texts_of_tables
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, errors, in_order
from sheetgen.diag.near import suggestion
from sheetgen.model.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.rules.expressions import (
    COUNTING,
    NAMING,
    WRITING,
    Call,
    Compare,
    FormulaError,
    Name,
    Tree,
    parse,
)
from sheetgen.rules.index import Index, fact_names, index_of
from sheetgen.rules.lines import formulas_in, placed_formulas
from sheetgen.rules.trees import children, inputs, walk

_LANGUAGE = "formulas know + - * / // %, comparisons, and, or, not, if … else, and functions"
"""A hint for what is no formula."""

MOST_RUNGS = 40
"""Dice on a ladder; nobody sells more kinds."""

COLUMNS = frozenset(
    {
        *("name", "total", "own", "times", "count", "cost", "special", "conditional", "note"),
        *("modifiers", "dice", "attack", "damage", "bonus"),
    }
)
"""Names that the columns of a list may use besides."""


def check_ruleset(rules: Ruleset) -> tuple[Finding, ...]:
    """Return all findings about `rules` itself; its kinds have rules of their own."""
    whole, rules = rules, replace(rules, kinds={})
    index = index_of(rules)
    found = [
        *_formulas(rules, index),
        *_of_options(rules, index),
        *references(rules, index),
        *ids(rules),
        *owners(rules),
        *cycles(rules, index),
        *_ladder(rules),
        *_options(rules),
    ]
    for more in (
        tables(whole),
        _tabled(whole, index),
        screens(rules),
        card_sets(rules),
        slips(rules),
    ):
        _add(found, more)
    _add(found, odds(rules))
    return in_order(found)


def _add(found: list[Finding], more: Iterator[Finding]) -> None:
    """Add findings of what is worked out; a name that leads nowhere is said already.

    Raises:
        LookupError: Something is not there, and nothing was said of it.
    """
    try:
        found.extend(more)
    except LookupError:
        if not errors(found):
            raise


def undefined(rules: Ruleset) -> Iterator[Finding]:
    """Yield a note for each word that choices use and the rules do not define.

    It is for the author of the rules: players read it on the print, where it stands.
    """
    seen: set[str] = set()
    for catalogue in rules.choices.values():
        for entry in catalogue.entries.values():
            for word in entry.undefined:
                if word not in seen:
                    message = f"`{word}` is not defined in the rules; {entry.name} uses it"
                    yield Finding(
                        codes.UNDEFINED, word.span, message, _OPEN, severity=Severity.NOTE
                    )
                seen.add(str(word))


_OPEN = "write what it means into the section; prints say that it is not defined"


def _formulas(rules: Ruleset, index: Index) -> Iterator[Finding]:
    known = {*index.traits, *rules.options, *rules.derived, *rules.pools, *counted(rules)}
    for formula, local in local_formulas(rules):
        yield from _formula(formula, rules, index, known | local)
    for line in rules.texts.values():
        yield from _line(line.text, rules, index, known)
    for rule in rules.rules.values():
        yield from _line(rule.message, rules, index, known)
    for key in rules.character.values():
        for rule in key.each:
            yield from _line(rule.message, rules, index, known | of_each(rules, key))
    facts = {"text", *(f"fact.{name}" for name in fact_names(rules))}
    for rows in rules.lists.values():
        for column in rows.columns.values():
            yield from _line(Text(column, column.span), rules, index, known | COLUMNS | facts)


def _line(text: Text, rules: Ruleset, index: Index, known: set[str]) -> Iterator[Finding]:
    """Yield what is wrong with the formulas in the braces of `text`."""
    for formula in formulas_in(text):
        yield from _formula(formula, rules, index, known)


def _of_options(rules: Ruleset, index: Index) -> Iterator[Finding]:
    """Yield mistakes in texts that know options, and no build."""
    for text, more in _texts_of_options(rules):
        for formula in placed_formulas(text):
            yield from _formula(formula, rules, index, {*rules.options, *more})


def _texts_of_options(rules: Ruleset) -> Iterator[tuple[Text | str, tuple[str, ...]]]:
    """Yield blank lines, texts of traits, choices and items, and the names besides options."""
    yield from ((line.blank, ()) for line in rules.texts.values())
    for group in rules.groups.values():
        yield from ((text, ()) for t in group.traits.values() for text in (t.text, t.note))
    for catalogue in rules.choices.values():
        yield from ((text, ()) for e in catalogue.entries.values() for text in (e.text, e.note))
    for item in rules.gear.values():
        yield from ((item.text, ()), (item.special, ()), (item.conditional, ("bonus",)))


def _tabled(rules: Ruleset, index: Index) -> Iterator[Finding]:
    for text, names in (*texts_of_tables(rules), *texts_of_screens(rules)):
        yield from _formula(text, rules, index, names)


def _formula(text: Text, rules: Ruleset, index: Index, known: set[str]) -> Iterator[Finding]:
    try:
        tree = parse(text)
    except FormulaError as error:
        span = text.span.within(error.offset, error.width)
        yield Finding(codes.BAD_FORMULA, span, f"`{text}`: {error}", _LANGUAGE)
        return
    words = _words(tree, rules)
    for part in walk(tree):
        if isinstance(part, Call):
            yield from _call(part, text, rules, index)
    for name in sorted(inputs(tree) - known - words):
        at = next(t.at for t in walk(tree) if isinstance(t, Name) and t.name == name)
        hint = suggestion(name, sorted(_meant(name, tree, rules) or known))
        message = f"nothing is called `{name}`"
        places = places_of(name)
        if places:
            message += " here"
            hint = f"only these formulas see it: {', '.join(places)}"
        span = text.span.within(at, len(name))
        yield Finding(codes.UNKNOWN_IN_FORMULA, span, message, hint)


def _words(tree: Tree, rules: Ruleset) -> set[str]:
    """Return the bare words that an option is compared with."""
    names = {part.name for part in walk(tree) if isinstance(part, Name)}
    return {name for name in names if name in _meant(name, tree, rules)}


def _meant(name: str, tree: Tree, rules: Ruleset) -> set[str]:
    """Return the values of the options that `name` is compared with."""
    found: set[str] = set()
    for part in walk(tree):
        names = {t.name for t in children(part) if isinstance(t, Name)}
        if isinstance(part, Compare) and name in names:
            for option in names & set(rules.options):
                found |= {*rules.options[option].values} - {NUMBER, YES_OR_NO}
    return found


def _call(call: Call, text: Text, rules: Ruleset, index: Index) -> Iterator[Finding]:
    span = text.span.within(call.at, len(call.function))
    if call.function not in NAMING | COUNTING | WRITING and call.function not in index.formulas:
        hint = suggestion(call.function, sorted({*NAMING, *COUNTING, *WRITING, *index.formulas}))
        message = f"there is no function `{call.function}`"
        yield Finding(codes.UNKNOWN_IN_FORMULA, span, message, hint)
    if call.function not in NAMING:
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


def _ladder(rules: Ruleset) -> Iterator[Finding]:
    if rules.dice is None:
        return
    ladder = rules.dice.ladder
    if not 1 <= len(ladder) <= MOST_RUNGS or list(ladder) != sorted({*ladder}) or ladder[0] < 1:
        message = f"`ladder` has to be 1 to {MOST_RUNGS} numbers of faces, rising"
        yield Finding(codes.WRONG_TYPE, rules.dice.pool.span, message, "such as `[4, 6, 8]`")


def _options(rules: Ruleset) -> Iterator[Finding]:
    for id_, option in rules.options.items():
        if option_value(option, str(option.default)) is None:
            span = id_.span if isinstance(id_, Text) else rules.place
            message = f"the default `{option.default}` of `{id_}` is none of its values"
            yield Finding(codes.BAD_OPTION, span, message, f"it is {known_values(option)}")
