"""Formula trees in mathematical notation: `n(n+1)/2`, `10 + Heave 5`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Derived
from sheetgen.rules.formulas.evaluate import Scope, evaluate
from sheetgen.rules.formulas.expressions import (
    Binary,
    Call,
    Compare,
    Either,
    FormulaError,
    Logic,
    Lookup,
    Name,
    Number,
    Tree,
    Unary,
    Word,
    gathers,
    inputs,
    map_children,
    parse_formula,
    walk,
)
from sheetgen.rules.index import index_of, list_of_number

Label = Callable[[str], str]  # returns the label of a name of the ruleset
MODIFIERS: Final = "modifiers"

_RANK: Final = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2}
_SHOWN: Final = {"-": "−", "*": "×", "//": "/", "%": " mod "}
_POWERS: Final = " ¹²³⁴⁵⁶⁷⁸⁹"
_COMPARED: Final = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}


def formula_text(tree: Tree, label: Label = str) -> str:
    """Return `tree` as text, without spaces around single letters, as in `n(n+1)/2`."""
    match tree:
        case Number(value=value):
            return str(value)
        case Word(value=value):
            return value
        case Name(name=name):
            return label(name)
        case Unary(operator=operator, operand=operand):
            sign = "−" if operator == "-" else "not "
            return sign + _inside(operand, 3, label)
        case Binary():
            return _binary(tree, label)
        case Compare(first=first, rest=rest):
            parts = [formula_text(first, label)]
            for operator, right in rest:
                shown = _COMPARED.get(operator, operator)
                parts.append(f"{shown} {formula_text(right, label)}")
            return " ".join(parts)
        case Logic(operator=operator, parts=several):
            return f" {operator} ".join(formula_text(part, label) for part in several)
        case Either(test=test, yes=yes, no=no):
            parts = [formula_text(part, label) for part in (yes, test, no)]
            return "{} if {}, else {}".format(*parts)
        case (
            Call(function=function, arguments=arguments)
            | Lookup(name=function, arguments=arguments)
        ):
            return f"{function}({', '.join(formula_text(a, label) for a in arguments)})"


def figured_text(tree: Tree) -> tuple[str, ...]:
    """Return `tree` as text in parts: words, and at each odd place a name for its figure.

    What `modifiers` gives is called `modifiers.NAME`.
    """
    marked = formula_text(_without_calls(tree), lambda name: f"\0{name}\0")
    return tuple(marked.split("\0"))


def is_explained(tree: Tree, rules: Ruleset) -> bool:
    """Whether the terms of `tree` can be explained: they call nothing, or are lookups alone.

    Functions of numbers of things, `sum(gear.weight)`, are alike.
    """
    calls = (term for _, term in terms(tree) if isinstance(term, Call))
    things = partial(list_of_number, rules)
    alone = {c for c in calls if c.function in rules.lookups or gathers(c, things)}
    calls = (part for part in walk(tree) if isinstance(part, Call) and part.function != MODIFIERS)
    return all(call in alone for call in calls)


def _without_calls(tree: Tree) -> Tree:
    if isinstance(tree, Call) and tree.function == MODIFIERS and tree.arguments:
        return Name(f"{MODIFIERS}.{formula_text(tree.arguments[0])}", tree.at)
    return map_children(tree, _without_calls)


def _binary(tree: Binary, label: Label) -> str:
    if tree.operator == "*":
        return _product(tree, label)
    rank = _RANK[tree.operator]
    left = _inside(tree.left, rank, label)
    right = _inside(tree.right, rank + (tree.operator != "+"), label)
    shown = _SHOWN.get(tree.operator, tree.operator)
    close = rank == 2 or (len(left) <= 2 and len(right) <= 2)
    return f"{left}{shown}{right}" if close else f"{left} {shown} {right}"


def _product(tree: Tree, label: Label) -> str:
    """Return a product, with powers of repeated factors: `5n`, `n²`."""
    text = ""
    runs: list[tuple[str, int]] = []
    for factor in [_inside(f, 2, label) for f in _factors(tree)]:
        if (
            runs
            and runs[-1][0] == factor
            and runs[-1][1] < 9
            and (_plain(factor) or factor.startswith("("))
        ):
            runs[-1] = factor, runs[-1][1] + 1
        else:
            runs.append((factor, 1))
    for factor, times in runs:
        close = not text or factor.startswith("(") or (text.isdecimal() and _plain(factor))
        text += ("" if close else "×") + factor + (_POWERS[times] if times > 1 else "")
    return text


def _factors(tree: Tree) -> list[Tree]:
    if isinstance(tree, Binary) and tree.operator == "*":
        return [*_factors(tree.left), tree.right]
    return [tree]


def _plain(factor: str) -> bool:
    return len(factor) == 1 and factor.isalpha()


def _inside(tree: Tree, rank: int, label: Label) -> str:
    text = formula_text(tree, label)
    loose = isinstance(tree, Binary) and _RANK[tree.operator] < rank
    loose = loose or isinstance(tree, Compare | Logic | Either)
    return f"({text})" if loose else text


def terms(tree: Tree) -> list[tuple[str, Tree]]:
    """Return the terms of the sum `tree`, each with its sign."""
    if isinstance(tree, Binary) and tree.operator in ("+", "-"):
        right = terms(tree.right)
        if tree.operator == "-":
            right = [("+" if sign == "-" else "-", term) for sign, term in right]
        return terms(tree.left) + right
    return [("+", tree)]


def call_label(rules: Ruleset, call: Call) -> str:
    """Return what explanations call the value of a lookup, or of a function of numbers of things.

    `gear weight` is short for `sum(gear weight)`.
    """
    if call.function in rules.lookups:
        return call.function.replace("_", " ")
    alone = call.function == "sum" and len(call.arguments) == 1
    return formula_text(call.arguments[0] if alone else call, lambda name: label(rules, name))


def label(rules: Ruleset, name: str) -> str:
    """Return the label of a trait, a derived value, a pool or a number of the file."""
    if list_of_number(rules, name):
        return name.replace(".", " ").replace("_", " ")
    if name in rules.derived:
        rule = rules.derived[name]
        return rule.label or (rule.place and rule.use) or name.replace("_", " ")
    if name in rules.pools:
        return rules.pools[name].label
    if name in rules.character:
        return rules.character[name].label or name.replace("_", " ")
    return index_of(rules).titles.get(name, name.replace("_", " "))


def blank_how(rules: Ruleset, derived: Derived) -> str:
    """Return the formula of a value for an empty sheet: `10 + Heave`.

    Modifiers of worn and held items are left out, since an empty sheet has none. The text is
    empty if the formula has more than a reader can follow.
    """
    if derived.blank or derived.value is None:
        return derived.blank
    try:
        parts = [
            (sign, term)
            for sign, term in terms(parse_formula(derived.value))
            if not (isinstance(term, Call) and term.function == MODIFIERS)
        ]
    except FormulaError:
        return ""
    if not all(_readable(rules, term) for _, term in parts):
        return ""
    text = ""
    for sign, term in parts:
        shown = formula_text(_named(rules, term), lambda name: label(rules, name))
        text += (
            f" {'−' if sign == '-' else '+'} {shown}"
            if text
            else ("−" if sign == "-" else "") + shown
        )
    return text


def _readable(rules: Ruleset, term: Tree) -> bool:
    parts = tuple(walk(term))
    things = partial(list_of_number, rules)
    alone = (part for part in parts if isinstance(part, Call) and not gathers(part, things))
    calls = {part.function for part in alone}
    asks = any(isinstance(part, Either | Logic | Compare) for part in parts)
    known = {*_READ, *rules.lookups}
    return not asks and calls <= known and not inputs(term) & {*map(str, rules.options)}


_READ: Final = ("max", "min", "has", "picked")  # functions that a reader of a sheet can follow


def _named(rules: Ruleset, tree: Tree) -> Tree:
    """Return `tree` with `has(…)` and `picked(…)` replaced by the names of their choices."""
    if isinstance(tree, Call) and tree.function in ("has", "picked"):
        asked = tree.arguments[0]
        name = asked.name if isinstance(asked, Name) else ""
        bare = name.rpartition(".")[2]
        found = (c.entries[bare].name for c in rules.choices.values() if bare in c.entries)
        return Word(str(next(found, bare.replace("_", " "))), tree.at)
    return map_children(tree, lambda part: _named(rules, part))


MOST_DEPTH = 8  # how deeply named formulas may call each other


def general(tree: Tree, scope: Scope, depth: int = 0) -> Tree:
    """Return `tree` with named formulas expanded, and for each `if` the branch that applies.

    Args:
        scope: Where the conditions are evaluated; for a row of a table that of its last cell.

    Raises:
        FormulaError: A condition has no value, or formulas call each other too deeply.
    """
    match tree:
        case Either(test=test, yes=yes, no=no):
            return general(yes if evaluate(test, scope) else no, scope, depth)
        case Compare() | Logic():
            return tree
    tree = map_children(tree, lambda child: general(child, scope, depth))
    named = scope.formula(tree.function) if isinstance(tree, Call) else None
    if not isinstance(tree, Call) or named is None:
        return tree
    if depth >= MOST_DEPTH:
        raise FormulaError("named formulas call each other too deeply", tree.at)
    parameters, text = named
    if len(parameters) != len(tree.arguments):
        raise FormulaError(f"`{tree.function}` takes {len(parameters)} values", tree.at)
    arguments = dict(zip(parameters, tree.arguments, strict=True))
    return general(substitute(parse_formula(text), arguments), scope, depth + 1)


def substitute(tree: Tree, names: Mapping[str, Tree]) -> Tree:
    """Return `tree` with trees in place of some of its names."""
    if isinstance(tree, Name):
        return names.get(tree.name, tree)
    return map_children(tree, lambda child: substitute(child, names))
