"""A formula's tree as JavaScript, for viewers of PDF and for browsers.

What is written calls the functions of `$`, which engine.js gives: they compute as
`evaluate` does, exactly. `s` is the scope. Only what the oldest viewers understand is
written (ECMAScript 5), and nothing is ever evaluated from a text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from sheetgen.rules.formulas.expressions import (
    NAMING,
    Binary,
    Call,
    Compare,
    Either,
    Logic,
    Name,
    Number,
    Tree,
    Unary,
    Word,
    parse_formula,
)
from sheetgen.rules.formulas.lines import BRACES

_ARITHMETIC: Final = {"+": "a", "-": "s", "*": "m", "/": "d", "//": "f", "%": "r"}
_FUNCTIONS: Final = {
    "min": "mn",
    "max": "mx",
    "sum": "sm",
    "abs": "ab",
    "ceil": "ce",
    "floor": "fl",
    "code": "cd",
    "as_percent": "pc",
}


def function(formula: str) -> str:
    """Return a JavaScript function of a scope that gives the value of `formula`.

    Raises:
        FormulaError: It is no formula.
    """
    return f"function(s){{return {javascript(parse_formula(formula))}}}"


def template(text: str) -> str:
    """Return a line with formulas in braces as an array of texts and functions."""
    parts: list[str] = []
    end = 0
    for match in BRACES.finditer(text):
        parts += [js_string(text[end : match.start()])] if match.start() > end else []
        parts.append(function(match[1]))
        end = match.end()
    parts += [js_string(text[end:])] if end < len(text) else []
    return array(*parts)


def js_string(text: str) -> str:
    """Return `text` as a literal that is safe inside HTML and in every viewer: ASCII only."""
    return json.dumps(text).replace("<", "\\u003c").replace(">", "\\u003e")


def js_literal(value: Any) -> str:
    """Return plain data (dicts, lists, texts, numbers) as a literal, as `js_string` does texts."""
    return quoted_json(json.dumps(value, separators=(",", ":")))


def quoted_json(text: str) -> str:
    """Return JSON in ASCII in which no tag can end; marks of tags stand only in its texts."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e")


def array(*parts: str) -> str:
    """Return expressions as an array."""
    return f"[{','.join(parts)}]"


def record(parts: Iterable[tuple[str, str]]) -> str:
    """Return an object of expressions by their names, each once."""
    named = dict(parts).items()
    return "{" + ",".join(f"{js_string(name)}:{value}" for name, value in named) + "}"


def javascript(tree: Tree) -> str:
    """Return `tree` as an expression."""
    return _WRITERS[type(tree)](tree)


def _number(tree: Number) -> str:
    return json.dumps(tree.value)


def _word(tree: Word) -> str:
    return js_string(tree.value)


def _name(tree: Name) -> str:
    return f"$.v(s,{js_string(tree.name)})"


def _unary(tree: Unary) -> str:
    inner = javascript(tree.operand)
    return f"!$.t({inner})" if tree.operator == "not" else f"$.g({inner})"


def _binary(tree: Binary) -> str:
    return f"$.{_ARITHMETIC[tree.operator]}({javascript(tree.left)},{javascript(tree.right)})"


def _compare(tree: Compare) -> str:
    """Write a comparison; what follows in a chain is worked out only if it is reached."""
    first = _compared(tree.first)
    if len(tree.rest) == 1:
        operator, right = tree.rest[0]
        return f"$.c({quoted_json(json.dumps(operator))},{first},{_compared(right)})"
    rest = ",".join(
        f"{quoted_json(json.dumps(operator))},function(){{return {_compared(right)}}}"
        for operator, right in tree.rest
    )
    return f"$.h({first},[{rest}])"


def _compared(tree: Tree) -> str:
    """Write one side; a name that nothing carries is a bare word there."""
    return f"$.w(s,{js_string(tree.name)})" if isinstance(tree, Name) else javascript(tree)


def _logic(tree: Logic) -> str:
    joint = "&&" if tree.operator == "and" else "||"
    return f"({joint.join(f'$.t({javascript(part)})' for part in tree.parts)})"


def _either(tree: Either) -> str:
    return f"($.t({javascript(tree.test)})?{javascript(tree.yes)}:{javascript(tree.no)})"


def _call(tree: Call) -> str:
    if tree.function in NAMING:
        names = " ".join(a.name for a in tree.arguments if isinstance(a, Name))
        return f"$.q({js_string(tree.function)},{js_string(names)})"
    values = ",".join(javascript(argument) for argument in tree.arguments)
    if tree.function in _FUNCTIONS:
        return f"$.{_FUNCTIONS[tree.function]}([{values}])"
    return f"$.k(s,{js_string(tree.function)},[{values}])"


_WRITERS: Final[Mapping[type, Callable[[Any], str]]] = {
    Number: _number,
    Word: _word,
    Name: _name,
    Unary: _unary,
    Binary: _binary,
    Compare: _compare,
    Logic: _logic,
    Either: _either,
    Call: _call,
}
