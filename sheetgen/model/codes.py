"""Dice codes: a number of dice, or with pips a number of thirds of one (`3D+2` is 11)."""

from __future__ import annotations

import re
from typing import Final

PIPS: Final = 3
"""So many pips are a die."""

_CODE: Final = re.compile(
    r"(?P<sign>[+-]?)\s*(?P<dice>\d{1,6})\s*(?P<d>[dD]?)(?P<more>\s*\+\s*(?P<pips>\d))?"
)


def code_text(value: int, *, pips: bool) -> str:
    """Return a code as a reader writes it: `3D`, or with pips `3D+2`, `+1`, `−1D`."""
    if not pips:
        return f"{value}D".replace("-", "−")
    dice, rest = divmod(abs(value), PIPS)
    text = f"{dice}D" if dice or not rest else ""
    text += f"+{rest}" if rest else ""
    return f"−{text.removeprefix('+')}" if value < 0 else text


def parse_code(text: str, *, pips: bool) -> int | str:
    """Return what a written code counts; else what is wrong with it, in a few words.

    A bare number is a number of dice; with pips `+1` alone is a pip.
    """
    match = _CODE.fullmatch(text.strip())
    if match is None:
        return "is no code of dice" + (", such as 3D+2" if pips else ", such as 3D")
    number, more = int(match["dice"]), int(match["pips"] or 0)
    alone = match["sign"] == "+" and not match["d"] and not match["more"]
    sign = -1 if match["sign"] == "-" else 1
    if not pips:
        if match["more"]:
            return "has pips, and these rules have none"
        return sign * number
    if alone:
        return number
    if match["more"] and not match["d"]:
        return "is no code of dice, such as 3D+2"
    if more >= PIPS:
        better = code_text(number * PIPS + more, pips=True)
        return f"has {more} pips, and {PIPS} are a die: write {better}"
    return sign * (number * PIPS + more)
