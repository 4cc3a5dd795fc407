"""Exact chances as people read them."""

from __future__ import annotations

from fractions import Fraction

from sheetgen.rules.formulas.numbers import half_up


def exact_percent(chance: Fraction) -> str:
    """Return a chance in per cent with one decimal; only what is sure is 0 or 100."""
    tenths = half_up(chance * 1000)
    if chance in (0, 1):
        return f"{tenths // 10}%"
    if tenths in (0, 1000):
        return "<0.1%" if tenths == 0 else ">99.9%"
    return f"{tenths // 10}.{tenths % 10}%"


def decimal(value: Fraction) -> str:
    """Return a number with at most two decimals, a half rounded upwards."""
    hundredths = half_up(abs(value) * 100)
    whole, rest = divmod(hundredths, 100)
    sign = "−" if value < 0 and hundredths else ""
    return f"{sign}{whole}.{rest:02d}".rstrip("0").rstrip(".")
