"""Signs: words of a game, such as those of its dice, that pages show as small drawings.

In a planned text a sign is one letter for private use, so that texts are measured and broken as
others are. `spell_signs` turns these letters into markup; screen readers hear the words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sheetgen.load.designs.themes import list_signs
from sheetgen.model.rulesets.ruleset import Ruleset

_FOR: Final = 0xE100  # a sign that stands for its word
_BESIDE: Final = 0xE800  # a sign before its word
_LAST: Final = 0xEFFF
_MOST: Final = 4  # so many equal signs are shown one by one
_PARTS: Final = re.compile(f"<[^>]*>|[{chr(_FOR)}-{chr(_LAST)}]")
_SPACES: Final = str.maketrans("01", "\xa0\u2007")
SignPairs = Sequence[tuple[str, str]]  # words and the shapes that show them


class SignWriter:
    """Puts the signs of a ruleset into its texts."""

    def __init__(self, rules: Ruleset) -> None:
        self._places = {(str(w), str(s)): at for at, (w, s) in enumerate(list_signs(rules))}
        self._words = {str(word): str(shape) for word, shape in rules.signs.items()}
        names = "|".join(map(re.escape, sorted(self._words, key=len, reverse=True)))
        # Numbers of ranges, shares and products stay numbers.
        alone = r"(?<![\w.,+−–—/:×-])(?<!\d to )(?<!\d or )(?<!\d [x×] )"
        self._counted = re.compile(rf"{alone}([1-9])[  ]?(\*?)({names})(?!\w)(\*?)")
        self._leading = re.compile(rf"\*?({names})(?=\*?(?:,|$))")

    def text(self, text: str) -> str:
        """Return a text with signs for words behind a number."""
        return self._counted.sub(self._shown, text) if self._words and text else text

    def cell(self, text: str) -> str:
        """Return the text of a cell, which may also have a sign before a word that leads it."""
        found = self._leading.match(text) if self._words else None
        if found is None:
            return text
        sign = chr(_BESIDE + self._places[found[1], self._words[found[1]]])
        return text[: found.start(1)] + sign + text[found.start(1) :]

    def first(self, text: str, signs: Mapping[str, str]) -> str:
        """Return the sign that a block shows instead of a first cell; empty if there is none."""
        shape = signs.get(text)
        return "" if shape is None else chr(_FOR + self._places[text, str(shape)])

    def _shown(self, found: re.Match[str]) -> str:
        count, word = int(found[1]), found[3]
        sign = chr(_FOR + self._places[word, self._words[word]])
        shown = "\xa0".join([sign] * count) if count <= _MOST else f"{count}\xa0{sign}"
        paired = found[2] and found[4]
        return shown if paired else f"{found[2]}{shown}{found[4]}"


def count_signs(text: str) -> int:
    """Return how many letters of a text are signs."""
    return 0 if text.isascii() else sum(_FOR <= ord(c) <= _LAST for c in text)


def spell_silence(place: int) -> str:
    """Return the letters that become the sign at a place in a font of signs, beside its word.

    They are spaces behind a word joiner: WeasyPrint does not draw text that is only spaces.
    """
    return "\u2060" + f"{place:08b}".translate(_SPACES)


def spell_signs(html: str, pairs: SignPairs) -> str:
    """Return markup with an element for each sign; attributes have its word."""

    def spelt(found: re.Match[str]) -> str:
        part = found[0]
        if part[0] == "<":
            return part if part.isascii() else "".join(map(said, part))
        place, beside = ord(part) - _FOR, ord(part) >= _BESIDE
        place -= _BESIDE - _FOR if beside else 0
        if place >= len(pairs):  # an author's own letter
            return part
        text = spell_silence(place) if beside else pairs[place][0]
        return f'<span class="sign-of">{text}</span>'

    def said(letter: str) -> str:
        at = ord(letter)
        if _BESIDE <= at < _BESIDE + len(pairs):  # its word follows
            return ""
        return pairs[at - _FOR][0] if _FOR <= at < _FOR + len(pairs) else letter

    return _PARTS.sub(spelt, html) if pairs else html
