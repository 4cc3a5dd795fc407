"""Text with formulas in braces, such as `1–{most}`."""

from __future__ import annotations

import re
from functools import lru_cache

from sheetgen.model.source import Text
from sheetgen.rules.formulas.arithmetic import Value
from sheetgen.rules.formulas.evaluate import Program, Scope, program_of
from sheetgen.rules.formulas.expressions import FormulaError

_RANGE_OF_ONE = re.compile(r"\b(\d+)–\1\b")
BRACES = re.compile(r"\{([^{}]*)\}")


def formulas_in(text: Text) -> tuple[Text, ...]:
    """Return the formulas in the braces of `text`, each with its span."""
    found = []
    for match in BRACES.finditer(text):
        plain = match[1].strip()
        start = match.start(1) + match[1].find(plain)
        found.append(Text(plain, text.span.within(start, len(plain))))
    return tuple(found)


def placed_formulas(text: Text | str) -> tuple[Text, ...]:
    """Return the formulas in a text of a file; a text without a span has none."""
    return formulas_in(text) if isinstance(text, Text) else ()


def filled(text: str, scope: Scope) -> str:
    """Return `text` with the values of its formulas.

    Raises:
        FormulaError: One of them has no value.
    """
    if "{" in text:
        first, rest = _split(text)
        try:
            text = first + "".join([value_text(run(scope)) + word for run, word in rest])
        except RecursionError:
            raise FormulaError("these values depend on each other too deeply") from None
    return _RANGE_OF_ONE.sub(r"\1", text) if "–" in text else text


@lru_cache(maxsize=4096)
def _split(text: str) -> tuple[str, tuple[tuple[Program, str], ...]]:
    """Return the words before the first formula of a text; each formula, and the words after."""
    first, *parts = BRACES.split(text)
    programs = map(program_of, parts[::2])
    return first, tuple(zip(programs, parts[1::2], strict=True))


def value_text(value: Value) -> str:
    """Return a value as text, with a true minus sign and fractions as `5/2`."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value) if value >= 0 else f"−{-value}"
    return f"{value.numerator}/{value.denominator}".replace("-", "−")
