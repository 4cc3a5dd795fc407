"""What the value of a formula depends on: keys for caches of values that characters share.

Most characters of a game have the same few ratings, so most of their values are the same. Once
a draft is settled, a formula gives the same value for all drafts in which its inputs are equal.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import TypeAlias

from sheetgen.check.character.draft.scope import DraftScope, modifiers
from sheetgen.rules.formulas.expressions import (
    COUNTING,
    NAMING,
    WRITING,
    Call,
    FormulaError,
    Name,
    parse_formula,
)
from sheetgen.rules.formulas.trees import inputs, walk

Names: TypeAlias = tuple[str, ...]
Inputs: TypeAlias = tuple[Names, tuple[tuple[str, Names], ...], Names]
"""Names; questions such as `has(thing)`, as function and names; what `modifiers` is asked of."""


def find_input_values(scope: DraftScope, formulas: tuple[str, ...]) -> Hashable:
    """Return the values of all inputs of some formulas; None if one of them has none.

    None is also returned for formulas that call formulas of the ruleset.
    """
    try:
        found = _find_inputs(formulas)
        if found is None:
            return None
        names, questions, modified = found
        values: list[Hashable] = [scope.value(name) for name in names]
        answers = [scope.ask(function, of) for function, of in questions]
    except FormulaError:
        return None  # Perhaps only a branch that is not taken needs it.
    findings = scope.draft.findings
    reported = len(findings)
    changes = [tuple(modifiers(scope.draft, name)) for name in modified]
    if len(findings) > reported:
        del findings[reported:]
        return None
    for at, value in enumerate(values):
        if value is True or value is False:
            values[at] = (value,)  # Not the same as 1 and 0.
    return (*values, *answers, *changes)


@lru_cache(maxsize=4096)
def _find_inputs(formulas: tuple[str, ...]) -> Inputs | None:
    names: dict[str, None] = {}
    questions: dict[tuple[str, Names], None] = {}
    modified: dict[str, None] = {}
    for tree in map(parse_formula, formulas):
        names |= dict.fromkeys(sorted(inputs(tree)))
        for call in (part for part in walk(tree) if isinstance(part, Call)):
            of = tuple(one.name for one in call.arguments if isinstance(one, Name))
            if call.function == "modifiers":
                modified |= dict.fromkeys(of)
            elif call.function in NAMING:
                questions[call.function, of] = None
            elif call.function not in (*COUNTING, *WRITING):
                return None
    return tuple(names), tuple(questions), tuple(modified)
