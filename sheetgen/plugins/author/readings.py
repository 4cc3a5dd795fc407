"""Parsing of printed figures and formulas: `1.3k`, `1,000`, `n(n+1)/2`, `5X`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import half_up
from sheetgen.rules.formulas.expressions import MOST_TEXT, FormulaError

_FIGURE: Final = re.compile(r"([+-]?\d+)(?:\.(\d+))?\s*([a-z%]*)\+?")
_SIZES: Final = {
    "": Fraction(1),
    "k": Fraction(1000),
    "m": Fraction(1_000_000),
    "b": Fraction(1_000_000_000),
    "%": Fraction(1, 100),
    "h": Fraction(1, 24),
    "d": Fraction(1),
}
_WORDS: Final = {
    word: str(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
}
_SIGNS: Final = str.maketrans('−–—×’‘“”"', "---x" + "'" * 5)
_POWER: Final = re.compile(r"\^\s*(\d)")
_TOUCHING: Final = re.compile(r"(?<=[0-9A-Za-z_)])\s*(?=\()|(?<=\))\s*(?=[0-9A-Za-z_])")


def normal_text(text: str) -> str:
    """Return `text` in the form in which it is compared.

    It is in lower case, with one kind of signs and quotes. Number words up to ten become digits,
    thousands lose their comma, and a dash alone becomes empty.
    """
    text = text.casefold().translate(_SIGNS)
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", " ".join(text.split()))
    text = re.sub(r"[a-z]+", lambda match: _WORDS.get(match[0], match[0]), text)
    return "" if text == "-" else text


@frozen
class PrintedFigure:
    """A printed number: its value, and the value of its last digit."""

    value: Fraction
    step: Fraction


def figure_in(text: str) -> PrintedFigure | None:
    """Return the number in `text`, or None; a `d` after it means dice."""
    match = _FIGURE.fullmatch(normal_text(text))
    if match is None or match[3] not in _SIZES:
        return None
    integer, rest, size = match[1], match[2] or "", _SIZES[match[3]]
    digits = Fraction(int(integer + rest), 10 ** len(rest))
    return PrintedFigure(digits * size, size / 10 ** len(rest))


WRONG, ROUNDING, TRUNCATED, TEXT = "wrong", "rounding", "truncated", "text"
INHERITED, UNDEFINED, UNPRICED = "inherited", "undefined", "unpriced"


def kind_of_difference(printed: str, exact: Fraction | int) -> str:
    """Return how a printed figure differs from the computed one."""
    read = figure_in(printed)
    if read is None:
        return TEXT
    steps = Fraction(exact) / read.step
    if half_up(steps) * read.step == read.value:
        return ROUNDING
    return TRUNCATED if steps // 1 * read.step == read.value else WRONG


def per_cent(printed: str, share: Fraction) -> str:
    """Return a share rounded to as many digits as are `printed`, and the exact share."""
    read = figure_in(printed)
    assert read is not None
    digits = len(printed.partition(".")[2].rstrip("% "))
    rounded = half_up(share / read.step)
    integer, rest = divmod(abs(rounded), 10**digits)
    sign = "-" if rounded < 0 else "+" if printed.lstrip().startswith("+") else ""
    text = f"{sign}{integer}.{rest:0{digits}d}%" if digits else f"{sign}{integer}%"
    return f"{text} ({share})"


def as_formula(printed: str, reads: Mapping[str, str]) -> str:
    """Return a printed formula in our language, with multiplication signs and expanded powers.

    Args:
        reads: The names that words of the printed formula stand for.

    Raises:
        FormulaError: A power has no base.
    """
    text = printed.strip()
    for word, name in sorted(reads.items(), key=lambda pair: -len(pair[0])):
        text = text.replace(word, name)
    text = _TOUCHING.sub("*", text)
    while match := _POWER.search(text):
        start = _base(text, match.start())
        base = text[start : match.start()].strip()
        power = "*".join([base] * int(match[1])) or "1"
        text = f"{text[:start]}({power}){text[match.end() :]}"
        if len(text) > MOST_TEXT:
            raise FormulaError(f"a formula has at most {MOST_TEXT} characters")
    return text


def _base(text: str, end: int) -> int:
    start = len(text[:end].rstrip())
    if start and text[start - 1] == ")":
        depth = 0
        for place in range(start - 1, -1, -1):
            depth += {")": 1, "(": -1}.get(text[place], 0)
            if depth == 0:
                return place
    word = re.search(r"\w+$", text[:start])
    if word is None:
        raise FormulaError("a power has no base", end)
    return word.start()
