"""Check a ruleset: its formulas, references, cycles, options, tables, screens and odds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sheetgen.check.character.options import describe_values, parse_option
from sheetgen.check.ruleset.cycles import check_cycles
from sheetgen.check.ruleset.formulas import check_formula, check_line
from sheetgen.check.ruleset.local_names import formulas_without_build, local_formulas, names_of_each
from sheetgen.check.ruleset.odds import check_odds
from sheetgen.check.ruleset.references import (
    check_ids,
    check_owners,
    check_references,
    counted_keys,
)
from sheetgen.check.ruleset.screens import check_screens, texts_of_screens
from sheetgen.check.ruleset.slips import check_slips
from sheetgen.check.ruleset.tables import (
    check_card_sets,
    check_rows_left_out,
    check_tables,
    texts_of_cards,
    texts_of_tables,
    without_build,
)
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, errors, in_order
from sheetgen.diag.words import a
from sheetgen.model.rulesets.origins import Composition
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text, text_place
from sheetgen.rules.formulas.lines import placed_formulas
from sheetgen.rules.index import Index, index_of
from sheetgen.rules.tables.things import known_names

MOST_RUNGS = 40
"""The longest ladder of dice."""

COLUMNS = {
    "gear": (
        *("name", "times", "count", "cost", "special", "conditional", "note", "modifiers"),
        *("dice", "attack", "damage", "bonus"),
    ),
    "choices": ("name", "times", "text", "computed"),
    "groups": ("name", "own", "total"),
}
"""The names that columns of a list see as well, by what the rows are."""


def check_ruleset(rules: Ruleset) -> tuple[Finding, ...]:
    """Return all findings about `rules` without its kinds, which `check_kinds` checks.

    Findings about the rules of a kind name it: the ruleset itself may have none of them.
    """
    with_kinds, rules = rules, replace(rules, kinds={})
    index = index_of(rules)
    found = [
        *_formulas(rules, index),
        *_of_options(rules, index),
        *check_references(rules, index),
        *check_ids(rules),
        *check_owners(rules),
        *check_cycles(rules, index),
        *_ladder(rules),
        *_options(rules),
    ]
    for more in (
        check_tables(with_kinds),
        check_rows_left_out(with_kinds),
        _table_formulas(with_kinds, index),
        check_screens(rules),
        check_card_sets(rules),
        check_slips(rules),
    ):
        _add(found, more)
    _add(found, check_odds(rules))
    words, hint = kind_words(rules), "`keeps` of the kind names what it takes over"
    return in_order(
        replace(f, message=f"{f.message}{words}", hint=_kind_hint(f) or hint) if words else f
        for f in _without_echoes(found, rules)
    )


def kind_words(rules: Ruleset) -> str:
    """Return how findings about the rules of a kind end; "" for those of characters."""
    one = rules.composition.one
    return f", for {a(one)}" if one != Composition().one else ""


def _kind_hint(finding: Finding) -> str:
    """Return the hint of a finding about a kind; "" where it only lists what the kind has."""
    unknown = finding.code in (codes.UNKNOWN_IN_FORMULA, codes.DANGLING)
    return "" if unknown and finding.hint.startswith("use one of") else finding.hint


def _without_echoes(found: list[Finding], rules: Ruleset) -> Iterator[Finding]:
    """Yield the findings, but not that something cannot be computed for a reason already found.

    What uses a named formula with a mistake cannot be computed either.
    """
    reasons = [f.message for f in found if f.code is not codes.UNANSWERED]
    named = {(text.span.file, text.span.line) for text in rules.formulas.values()}
    broken = any((f.span.file, f.span.line) in named for f in found)
    for finding in found:
        if finding.code is not codes.UNANSWERED:
            yield finding
            continue
        reason = finding.message.rpartition(": ")[2]
        if not broken and not any(reason in r for r in reasons):
            yield finding
        reasons.append(reason)


def _add(found: list[Finding], more: Iterator[Finding]) -> None:
    """Add findings of a check that computes; a missing name that stops it is found already.

    Raises:
        LookupError: Something is missing, and no finding is about it.
    """
    try:
        found.extend(more)
    except LookupError:
        if not errors(found):
            raise


def check_undefined_words(rules: Ruleset) -> Iterator[Finding]:
    """Yield a note for each word that choices use and the rules do not define.

    The note is for the ruleset's author; prints tell players.
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


_OPEN = "write into the section what it means; prints say that it is not defined"


def numbers_of_build(rules: Ruleset, index: Index) -> set[str]:
    """Return the names that every formula of a build sees."""
    return {*index.traits, *rules.options, *rules.derived, *rules.pools, *counted_keys(rules)}


def _formulas(rules: Ruleset, index: Index) -> Iterator[Finding]:
    known = numbers_of_build(rules, index)
    for text, local in local_formulas(rules):
        yield from check_formula(text, rules, index, known | local)
    for text, local in formulas_without_build(rules):
        yield from check_formula(text, rules, index, without_build(rules) | local, build=False)
    entries = [entry for one in rules.choices.values() for entry in one.entries.values()]
    lines = [
        *(line.text for line in rules.texts.values()),
        *(entry.computed for entry in entries),
        *(section.computed for entry in entries for section in entry.sections),
        *(rule.message for rule in rules.rules.values()),
    ]
    for line in (one for one in lines if one is not None):
        yield from check_line(line, rules, index, known)
    for key in rules.character.values():
        for rule in key.each:
            yield from check_line(rule.message, rules, index, known | names_of_each(rules, key))
    for rows in rules.lists.values():
        of = rows.of.partition(".")[0]
        kind = "choices" if of == "choices" else "groups" if of in rules.groups else "gear"
        facts = {f"fact.{n}" for n in index_of(rules).facts} if kind == "choices" else set()
        for column in rows.columns.values():
            yield from check_line(column, rules, index, known.union(COLUMNS[kind], facts))


def _of_options(rules: Ruleset, index: Index) -> Iterator[Finding]:
    """Yield mistakes in texts whose formulas see options, and no build."""
    known = without_build(rules)
    for text, more in _texts_of_options(rules):
        for formula in placed_formulas(text):
            yield from check_formula(formula, rules, index, known.union(more), build=False)


def _texts_of_options(rules: Ruleset) -> Iterator[tuple[Text | str, Iterable[str]]]:
    """Yield blank lines and texts of traits, choices and items, with the names that they add."""
    yield from ((text_line.blank, ()) for text_line in rules.texts.values())
    for group in rules.groups.values():
        yield from ((text, ()) for t in group.traits.values() for text in (t.text, t.note))
    for id_, catalogue in rules.choices.items():
        names = known_names(rules, f"choices.{id_}")
        for entry in catalogue.entries.values():
            yield from ((text, ()) for text in (entry.text, entry.note, *entry.facts.values()))
            yield from ((section.text, names) for section in entry.sections)
    for item in rules.gear.values():
        yield from ((item.text, ()), (item.special, ()), (item.conditional, ("bonus",)))


def _table_formulas(rules: Ruleset, index: Index) -> Iterator[Finding]:
    texts = (*texts_of_tables(rules), *texts_of_cards(rules), *texts_of_screens(rules))
    for text, names in texts:
        yield from check_formula(text, rules, index, names, build=False)


def _ladder(rules: Ruleset) -> Iterator[Finding]:
    if rules.dice is None:
        return
    ladder = rules.dice.ladder
    if not 1 <= len(ladder) <= MOST_RUNGS or list(ladder) != sorted({*ladder}) or ladder[0] < 1:
        message = f"`ladder` has to be 1 to {MOST_RUNGS} numbers of faces, rising"
        yield Finding(codes.WRONG_TYPE, rules.dice.pool.span, message, "such as `[4, 6, 8]`")


def _options(rules: Ruleset) -> Iterator[Finding]:
    for id_, option in rules.options.items():
        if parse_option(option, str(option.default)) is None:
            message = f"the default `{option.default}` of `{id_}` is none of its values"
            hint = f"write {describe_values(option)}"
            yield Finding(codes.BAD_OPTION, text_place(id_, rules.place), message, hint)
