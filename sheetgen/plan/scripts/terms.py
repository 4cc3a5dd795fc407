"""How a derived value comes about, for a program: the terms of its sum, before the figures."""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.model.rulesets.derived import Derived
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.expressions import Call, Either, Name, Number, Tree, parse_formula
from sheetgen.rules.formulas.how import label
from sheetgen.rules.formulas.javascript import javascript, js_string
from sheetgen.rules.formulas.notation import formula_text, terms
from sheetgen.rules.formulas.trees import walk


def terms_of(rules: Ruleset, rule: Derived) -> str:
    """Return the terms of `rule` as an array: sign, kind, and what the kind needs.

    Kinds, as `check/character/derived.py` writes them: `n` a number, `v` a name with its
    figure, `m` what items add, `e` one of two by a test, `w` words. One that calls functions is for
    authors only and has none.
    """
    tree = parse_formula(rule.value or "0")
    if any(isinstance(part, Call) and part.function != "modifiers" for part in walk(tree)):
        return "0"
    return _array(_term(rules, sign, term) for sign, term in terms(tree))


def _term(rules: Ruleset, sign: str, term: Tree) -> str:
    head = js_string("-" if sign == "-" else "+")
    if isinstance(term, Number):
        return f'[{head},"n",{int(term.value)}]'
    if isinstance(term, Name):
        return f'[{head},"v",{js_string(label(rules, term.name))},{js_string(term.name)}]'
    if isinstance(term, Call):
        first = term.arguments[0] if term.arguments else None
        return f'[{head},"m",{js_string(first.name if isinstance(first, Name) else "")}]'
    if isinstance(term, Either):
        yes, no = (_array(_branch(rules, sign, part)) for part in (term.yes, term.no))
        return f'[{head},"e",function(s){{return {javascript(term.test)}}},{yes},{no}]'
    return f'[{head},"w",{js_string(formula_text(term, lambda name: label(rules, name)))}]'


def _branch(rules: Ruleset, sign: str, part: Tree) -> Iterator[str]:
    """Yield what a branch adds; one that is nought adds nothing."""
    if part != Number(0, part.at):
        yield _term(rules, sign, part)


def _array(parts: Iterator[str]) -> str:
    return f"[{','.join(parts)}]"
