"""A hint says what to do: each begins with a verb, or asks whether another name is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.test_architecture import MODULES

VERBS = frozenset(
    re.findall(
        r"\w+",
        """add allow ask assign begin build buy call change check choose close compare compute
        convert copy correct delete did do embed export extend fix give go import improve
        indent install keep leave let list look lower make mark move multiply name open pack pass
        photograph pick
        place print put raise read remove rename repeat replace report round run save say see
        select set shorten simplify spend split spread start state swap switch take tick try
        turn type update upload use wait write""",
    )
)
AT = {"Finding": 3, "report": 3, "FormError": 2, "StoreError": 1, "Hint": 0, "_Refused": 3}
"""The number of the argument of these calls that is a hint."""


def test_each_hint_begins_with_a_verb() -> None:
    wrong = []
    for path in MODULES:
        for number, text in hints_of(ast.parse(path.read_text(encoding="utf-8"))):
            first = re.match(r"\w+", text)
            if not text.startswith(("{}", "`{}` means", "RULESET", " ")) and (
                first is None or first[0] not in VERBS
            ):
                wrong.append(f"{path}:{number}: {text}")
    assert not wrong, "\n".join(wrong)


def hints_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and text of each hint that a module has as a literal; its values are `{}`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and node.value is not None:
            target, value = node.targets[0], node.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = [*zip(target.elts, value.elts, strict=True)]
            for name, given in pairs:
                if isinstance(name, ast.Name) and name.id == "hint":
                    yield from texts_of(given)
        elif isinstance(node, ast.Call):
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if (at := AT.get(called)) is not None and len(node.args) > at:
                yield from texts_of(node.args[at])


def texts_of(node: ast.expr) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.IfExp):
        yield from texts_of(node.body)
        yield from texts_of(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from texts_of(value)
    elif isinstance(node, ast.BinOp):
        yield from texts_of(node.left)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.lineno, node.value
    elif isinstance(node, ast.JoinedStr):
        parts = (str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values)
        yield node.lineno, "".join(parts)
