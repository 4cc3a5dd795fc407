"""Compile the terms of a derived value's sum, which a sheet shows beside the value."""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.model.rulesets.derived import Derived
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.expressions import Call, Either, Name, Number, Tree, parse_formula
from sheetgen.rules.formulas.how import label
from sheetgen.rules.formulas.javascript import javascript, js_literal
from sheetgen.rules.formulas.notation import MODIFIERS, figured_text, terms
from sheetgen.rules.formulas.trees import walk


def format_terms(rules: Ruleset, rule: Derived) -> str:
    """Return the terms of `rule` as an array: sign, kind, and the arguments of the kind.

    Kinds, as in `check/character/derived.py`: `n` a number, `v` a name with its value, `m` what
    items add, `e` one of two terms by a test, `w` words. A formula with function calls has no
    terms; the result is `0`.
    """
    tree = parse_formula(rule.value or "0")
    if any(isinstance(part, Call) and part.function != "modifiers" for part in walk(tree)):
        return "0"
    return _array(_term(rules, sign, term) for sign, term in terms(tree))


def _term(rules: Ruleset, sign: str, term: Tree) -> str:
    head = js_literal("-" if sign == "-" else "+")
    if isinstance(term, Number):
        return f'[{head},"n",{int(term.value)}]'
    if isinstance(term, Name):
        return f'[{head},"v",{js_literal(label(rules, term.name))},{js_literal(term.name)}]'
    if isinstance(term, Call):
        first = term.arguments[0] if term.arguments else None
        return f'[{head},"m",{js_literal(first.name if isinstance(first, Name) else "")}]'
    if isinstance(term, Either):
        yes, no = (_array(_branch(rules, sign, part)) for part in (term.yes, term.no))
        return f'[{head},"e",function(s){{return {javascript(term.test)}}},{yes},{no}]'
    parts = (_part(rules, place, part) for place, part in enumerate(figured_text(term)))
    return f'[{head},"w",{_array(parts)}]'


def _part(rules: Ruleset, place: int, part: str) -> str:
    """Return words of a term, or the label of a figure and the name of its value."""
    first, _, derived = part.partition(".")
    if place % 2 == 0:
        return js_literal(part)
    if first == MODIFIERS and derived:
        return f"[{js_literal(first)},0,{js_literal(derived)}]"
    return f"[{js_literal(label(rules, part))},{js_literal(part)}]"


def _branch(rules: Ruleset, sign: str, part: Tree) -> Iterator[str]:
    """Yield the term of a branch; none if it is zero."""
    if part != Number(0, part.at):
        yield _term(rules, sign, part)


def _array(parts: Iterator[str]) -> str:
    return f"[{','.join(parts)}]"
