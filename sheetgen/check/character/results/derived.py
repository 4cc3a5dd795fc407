"""Derived values: the step `compute_derived` computes each and explains how it comes about.

The formulas are evaluated in `draft/scope.py` (`DraftScope.derived`); this module writes the
values as prints show them, `10 + Heave 5 − 2 Thick Coat` beside the figure. `check_printed`
compares them with the values that a stat block prints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import TypeAlias

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.draft.formula_inputs import find_input_values
from sheetgen.check.character.draft.scope import DraftScope, modifiers
from sheetgen.check.character.keys.values import parse_amount, parse_mapping
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.model.build import DerivedValue, Value
from sheetgen.model.rulesets.derived import Derived
from sheetgen.rules.formulas.evaluate import Program, compile_tree
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
from sheetgen.rules.formulas.notation import MODIFIERS, figured_text, terms
from sheetgen.rules.formulas.numbers import FORMS, number_text
from sheetgen.rules.formulas.trees import walk
from sheetgen.rules.index import keep_in_cache
from sheetgen.rules.names import names_of

Form: TypeAlias = Callable[[int | Fraction], str]
"""Formats a figure."""

Parts: TypeAlias = Sequence[tuple[str, str]]
Explainer: TypeAlias = Callable[[DraftScope, Form], Parts]


def compute_derived(draft: Draft) -> None:
    """Compute all derived values of the ruleset."""
    scope, cache = draft.scope(), draft.index.derived_values
    for id_, rule in draft.rules.derived.items():
        formula = rule.value
        given = None
        if formula is not None and not draft.own_traits:  # whose names explanations have
            given = find_input_values(scope, (formula,))
        key = id_, given
        if given is None or (found := cache.get(key)) is None:
            reported = len(draft.findings)
            found = _compute(scope, id_, rule)
            if given is not None and len(draft.findings) == reported:
                keep_in_cache(cache, key, found)
        draft.derived[found.id] = found


def _compute(scope: DraftScope, id_: str, rule: Derived) -> DerivedValue:
    value: Value | None = None
    try:
        value = scope.derived(id_)
    except FormulaError as error:
        scope.draft.report_formula_error(rule.value or rule.sum or "", error)
    how = _explain(scope, rule) if value is not None else ""
    return DerivedValue(str(id_), rule.label, value, how, _format(rule, value))


def _format(rule: Derived, value: Value | None) -> str:
    if value is None:
        return ""
    form = FORMS.get(str(rule.as_))
    return value_text(value) if form is None or isinstance(value, str) else form(value)


def _explain(scope: DraftScope, rule: Derived) -> str:
    """Return how a value comes about, with its figures: `10 + Heave 5 − 2 Thick Coat`."""
    explained = _explainers(rule.value) if rule.value is not None else None
    if explained is None:
        return ""
    form = FORMS.get(str(rule.as_), number_text)
    parts = [part for explain in explained for part in explain(scope, form)]
    if not parts:
        return "0"
    (sign, text), *rest = parts
    text = f"−{text}" if sign == "-" else text
    for sign, part in rest:
        text += f" − {part}" if sign == "-" else f" + {part}"
    return text


@lru_cache(maxsize=1024)
def _explainers(formula: str) -> tuple[Explainer, ...] | None:
    """Return functions for a formula's terms.

    Returns:
        None if it calls functions, which only rules authors read.
    """
    tree = parse_formula(formula)
    calls = any(isinstance(t, Call) and t.function != "modifiers" for t in walk(tree))
    return None if calls else tuple(_explainer(sign, term) for sign, term in terms(tree))


def _explainer(sign: str, term: Tree) -> Explainer:
    """Return a function from a scope and a form to a term's parts: their signs and texts."""
    if isinstance(term, Number):
        number = term.value
        return lambda _, form: ((sign, form(number)),)
    if isinstance(term, Name):
        return partial(_named, sign, term.name)
    if isinstance(term, Call) and term.function == "modifiers":
        return partial(_modifiers, _argument(term))
    if isinstance(term, Either):
        test, yes, no = compile_tree(term.test), _chosen(sign, term.yes), _chosen(sign, term.no)
        return partial(_either, test, yes, no)
    return partial(_arithmetic, sign, figured_text(term))


def _arithmetic(sign: str, parts: tuple[str, ...], scope: DraftScope, form: Form) -> Parts:
    """Return a term of several names as one part: `2×Threshold 4`."""
    text = ""
    for place, part in enumerate(parts):
        first, _, derived = part.partition(".")
        if place % 2 == 0:
            text += part
        elif first == MODIFIERS and derived:
            total = sum(amount for _, amount in modifiers(scope.draft, derived))
            text += f"{MODIFIERS} {form(total)}"
        else:
            text += _named("", part, scope, form)[0][1]
    return ((sign, text),)


def _chosen(sign: str, term: Tree) -> Explainer:
    """Return the function for one side of `… if … else …`; a 0 is left out."""
    if term == Number(0, term.at):
        return lambda _, __: ()
    return _explainer(sign, term)


def _named(sign: str, name: str, scope: DraftScope, form: Form) -> Parts:
    value = scope.value(name)
    figure = "?" if value is None else value if isinstance(value, str) else form(value)
    return ((sign, f"{trait_label(scope.draft, name)} {figure}"),)


def _modifiers(derived: str, scope: DraftScope, form: Form) -> Parts:
    found = modifiers(scope.draft, derived)
    return [("-" if n < 0 else "+", f"{name} {form(abs(n))}") for name, n in found]


def _either(test: Program, yes: Explainer, no: Explainer, scope: DraftScope, form: Form) -> Parts:
    try:
        chosen = yes if test(scope) else no
    except FormulaError:
        return ()
    return chosen(scope, form)


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
