r"""JSON's escapes of characters beyond U+FFFF, `\ud83d\udc09`, which YAML's parser refuses.

The parser gets the text with each pair replaced by an escape of the same length, which keeps
all positions; afterwards, the values get the intended characters.
"""

from __future__ import annotations

import re
from typing import Final

_HIGH: Final = r"\\u[dD][89abAB][0-9a-fA-F]{2}"
_LOW: Final = r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE: Final = re.compile(rf"({_HIGH}{_LOW})|({_HIGH}|{_LOW})|\\.")
"""A pair, half of one, or any other escape, which is skipped."""

_PRIVATE: Final = range(0xE000, 0xF8FF)


def lone_half(text: str, column: int) -> int | None:
    """Return the column of a lone half of a pair at `column` or after it."""
    halves = (match for match in _ESCAPE.finditer(text) if match[2])
    return next((match.start() for match in halves if match.end() >= column), None)


class SurrogatePairs:
    """The surrogate pairs of a text, and their replacements.

    Attributes:
        text: The text for the parser.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at: dict[int, str] = {}
        if "\\ud" not in text and "\\uD" not in text:
            return
        lower = text.lower()
        unused = (n for n in _PRIVATE if f"{n:04x}" not in lower and chr(n) not in text)
        free = next(unused, None)
        if free is None:  # no unused character: the parser refuses the pairs
            return
        self.escape = f"\\u{free:04x}" * 2
        self.letters = chr(free) * 2

        def replaced(found: re.Match[str]) -> str:
            if not found[1]:
                return found[0]
            self.at[found.start()] = found[1]
            return self.escape

        self.text = _ESCAPE.sub(replaced, text)

    def restored(self, value: str, style: str | None, start: int, end: int) -> str:
        """Return a parsed value, from `start` to `end` of the text, with its pairs restored."""
        if not self.at or (self.letters not in value and self.escape not in value):
            return value
        pairs = iter([pair for at, pair in self.at.items() if start <= at < end])
        if style != '"':  # there are no escapes
            return re.sub(re.escape(self.escape), lambda _: next(pairs), value)
        return re.sub(self.letters, lambda _: _character(next(pairs)), value)


def _character(pair: str) -> str:
    units = bytes.fromhex(pair[2:6] + pair[8:12])
    return units.decode("utf-16-be")
