"""Derived values: the step `compute_derived` computes each and explains how it comes about.

The formulas are evaluated in `draft/scope.py` (`DraftScope.derived`); this module writes the
values as prints show them, `10 + Heave 5 − 2 Thick Coat` beside the figure. `check_printed`
compares them with the values that a stat block prints.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.draft.scope import DraftScope, modifiers
from sheetgen.check.character.keys.values import parse_amount, parse_mapping
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.model.build import DerivedValue, Value
from sheetgen.model.rulesets.derived import Derived
from sheetgen.rules.formulas.evaluate import evaluate
from sheetgen.rules.formulas.expressions import (
    Call,
    Either,
    FormulaError,
    Name,
    Number,
    Tree,
    parse_formula,
)
from sheetgen.rules.formulas.how import label
from sheetgen.rules.formulas.lines import value_text
from sheetgen.rules.formulas.notation import formula_text, terms
from sheetgen.rules.formulas.numbers import FORMS, number_text
from sheetgen.rules.formulas.trees import walk
from sheetgen.rules.names import names_of

Form = Callable[[int | Fraction], str]
"""Formats a figure."""


def compute_derived(draft: Draft) -> None:
    """Compute all derived values of the ruleset."""
    for id_, rule in draft.rules.derived.items():
        value: Value | None = None
        try:
            value = DraftScope(draft, {}).derived(str(id_))
        except FormulaError as error:
            draft.report_formula_error(rule.value or rule.sum or "", error)
        how = _explain(draft, rule) if value is not None else ""
        text = _format(rule, value)
        draft.derived[str(id_)] = DerivedValue(str(id_), rule.label, value, how, text)


def _format(rule: Derived, value: Value | None) -> str:
    if value is None:
        return ""
    form = FORMS.get(str(rule.as_))
    return value_text(value) if form is None or isinstance(value, str) else form(value)


def _explain(draft: Draft, rule: Derived) -> str:
    """Return how a value comes about, with its figures: `10 + Heave 5 − 2 Thick Coat`."""
    form = FORMS.get(str(rule.as_), number_text)
    parts: list[tuple[str, str]] = []
    found = _readable_terms(rule.value) if rule.value is not None else None
    if found is None:
        return ""
    for sign, term in found:
        parts += _term(draft, sign, term, form)
    first = "−" if parts and parts[0][0] == "-" else ""
    text = first + (parts[0][1] if parts else "0")
    for sign, part in parts[1:]:
        text += f" {'−' if sign == '-' else '+'} {part}"
    return text


@lru_cache(maxsize=1024)
def _readable_terms(formula: str) -> tuple[tuple[str, Tree], ...] | None:
    """Return a formula's terms; None if it calls functions, which only rules authors read."""
    tree = parse_formula(formula)
    calls = any(isinstance(t, Call) and t.function != "modifiers" for t in walk(tree))
    return None if calls else tuple(terms(tree))


def _term(draft: Draft, sign: str, term: Tree, form: Form) -> list[tuple[str, str]]:
    if isinstance(term, Number):
        return [(sign, form(term.value))]
    if isinstance(term, Name):
        value = DraftScope(draft, {}).value(term.name)
        figure = "?" if value is None else value if isinstance(value, str) else form(value)
        return [(sign, f"{trait_label(draft, term.name)} {figure}")]
    if isinstance(term, Call) and term.function == "modifiers":
        found = modifiers(draft, _argument(term))
        return [("-" if n < 0 else "+", f"{name} {form(abs(n))}") for name, n in found]
    if isinstance(term, Either):
        try:
            chosen = term.yes if evaluate(term.test, DraftScope(draft, {})) else term.no
        except FormulaError:
            return []
        return _term(draft, sign, chosen, form) if chosen != Number(0, chosen.at) else []
    return [(sign, formula_text(term, lambda name: trait_label(draft, name)))]


def _argument(call: Call) -> str:
    argument = call.arguments[0] if call.arguments else None
    return argument.name if isinstance(argument, Name) else ""


def trait_label(draft: Draft, name: str) -> str:
    """Return what explanations call a name of a formula, such as a trait."""
    own = draft.own_traits.get(name)
    return own[0] if own else label(draft.rules, name)


def check_printed(draft: Draft) -> None:
    """Compare the derived values that a stat block prints with what the rules give."""
    derived = draft.rules.derived
    for id_, _, node in draft.ruleset_keys("printed"):
        names = names_of(((str(i), r.label, ()) for i, r in derived.items()), draft.rules.spellings)
        for name, below in parse_mapping(draft, node, draft.key_name(id_), "{Name: 12}"):
            found = names.find(name.raw)
            if len(found) != 1:
                message = f"the rules compute no `{name.raw}`"
                draft.report(codes.UNKNOWN_NAME, name.span, message, names.hint(name.raw))
                continue
            printed, computed = parse_amount(draft, below, name.raw), draft.derived[found[0]]
            if printed is None:
                continue
            draft.printed_values[found[0]] = printed
            if computed.value is not None and computed.value != printed:
                message = f"{computed.label} is printed as {printed}; "
                message += f"the rules give {computed.value}"
                hint = f"the print shows {computed.value}"
                hint = f"{computed.how}; {hint}" if computed.how else hint
                draft.report(codes.DISAGREE, name.span, message, hint, Severity.WARNING)
