"""Numbers as text: rounded, in percent, in days, in thousands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from sheetgen.model import codes
from sheetgen.model.build import Value
from sheetgen.rules.formulas.expressions import FormulaError


def as_figure(value: Value) -> int | Fraction:
    """Return `value` as a number.

    Raises:
        FormulaError: It is a text.
    """
    if isinstance(value, str):
        raise FormulaError(f"`{value}` is not a number")
    return value


def half_up(value: int | Fraction) -> int:
    """Return `value` rounded to an integer, a half rounded up."""
    return int((Fraction(value) + Fraction(1, 2)) // 1)


def number_text(value: int | Fraction) -> str:
    """Return an integer, or a fraction such as `5/2`, as text."""
    if isinstance(value, Fraction) and value.denominator != 1:
        return f"{value.numerator}/{value.denominator}".replace("-", "−")
    return str(int(value)).replace("-", "−")


def whole_percent(value: int | Fraction) -> str:
    """Return a share in percent without decimals, a half rounded up."""
    return f"{half_up(value * 100)}%"


def days(value: int | Fraction) -> str:
    """Return a time in days with at most one decimal; less than a day in hours."""
    if value < 1:
        return f"{half_up(value * 24)}h"
    tenths = half_up(value * 10)
    return f"{tenths // 10}.{tenths % 10}" if tenths % 10 else str(tenths // 10)


def short_number(value: int | Fraction) -> str:
    """Return a large number in thousands, millions or billions: `1.3k`, `51k`, `5.3m`."""
    for unit, size in (("b", 10**9), ("m", 10**6), ("k", 10**3)):
        if value >= size:
            tenths = half_up(Fraction(value) / size * 10)
            if tenths < 100 and tenths % 10:
                return f"{tenths // 10}.{tenths % 10}{unit}"
            return f"{half_up(Fraction(value) / size)}{unit}"
    return number_text(value)


def exact_percent(chance: Fraction) -> str:
    """Return a chance in percent with one decimal; only exact 0 and 1 are `0%` and `100%`."""
    tenths = half_up(chance * 1000)
    if chance in (0, 1):
        return f"{tenths // 10}%"
    if tenths in (0, 1000):
        return "<0.1%" if tenths == 0 else ">99.9%"
    return f"{tenths // 10}.{tenths % 10}%"


def decimal(value: Fraction) -> str:
    """Return a number with at most two decimals, a half rounded up."""
    hundredths = half_up(abs(value) * 100)
    integer, rest = divmod(hundredths, 100)
    sign = "−" if value < 0 and hundredths else ""
    return f"{sign}{integer}.{rest:02d}".rstrip("0").rstrip(".")


def code(value: int | Fraction) -> str:
    """Return pips as a code of dice: `3D+2`."""
    return codes.code_text(int(value), pips=True)


def dice(value: int | Fraction) -> str:
    """Return a number of dice: `3D`."""
    return codes.code_text(int(value), pips=False)


FORMS: Final[Mapping[str, Callable[[int | Fraction], str]]] = {
    "number": number_text,
    "percent": whole_percent,
    "days": days,
    "short": short_number,
    "code": code,
    "dice": dice,
}
"""The formats of figures, by the name that a table uses."""
