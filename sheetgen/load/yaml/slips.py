"""Slips in YAML that its parser accepts or misunderstands: missing spaces, `#` within a text."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

from sheetgen.diag.findings import Hint
from sheetgen.load.yaml.format import quote_yaml

LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

CUT: Final = re.compile(r"(?<=[^\s#])[ \t]+(?P<rest>#+[^\s#].*?)(?=\s+#+\s|\s*$)")
"""What follows a text: a comment without a blank behind its `#`, which may be meant as text."""

KEY: Final = re.compile(r"\s*(?:- +)*(?:\"[^\"]*\"|'[^']*'|[^\s#:\"'\[{-][^:#\"]*?):(?=\s|$)")
"""A key and its colon at the beginning of a line."""

_COLON: Final = re.compile(
    r"(?P<before>\s*(?:- +)?|.*[{,]\s*)(?P<key>[^\W\d][\w' -]*):(?P<value>[^\s/:][^,}\]]*)"
)
_DASH: Final = re.compile(r"\s*(?P<dash>-)(?P<word>[^\W\d].*)")

_OPENS: Final = re.compile(r"(?:^|[:,\[{-])\s*[\[{]")
_ENDS: Final = re.compile(r"\s*(?:[,\]}]\s*$|:(?=\s|$)|$)")
_ENDS_IN_BRACKETS: Final = re.compile(r"\s*(?:[,\]}]|:(?=\s|$)|$)")
_HIGH: Final = r"\\u[dD][89abAB][0-9a-fA-F]{2}"
_LOW: Final = r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE: Final = re.compile(rf"({_HIGH}{_LOW})|({_HIGH}|{_LOW})|\\.")
"""A pair, half of one, or any other escape, which is skipped."""

_PRIVATE: Final = range(0xE000, 0xF8FF)


def uncut_text(line: str, start: int, at: int) -> tuple[str, str]:
    """Return the text of `line` from `start` that is cut at the `#` at `at`, plain and quoted."""
    cut = CUT.match(line, len(line[:at].rstrip()))
    rest = cut["rest"] if cut is not None else line[at:]
    end = (_ENDS_IN_BRACKETS if _OPENS.search(line[:at]) else _ENDS).search(rest)
    text = line[start:at] + rest[: end.start() if end else None]
    return text, quote_yaml(text)


def missing_blank(line: str) -> tuple[int, str, Hint] | None:
    """Return the column (from 0), message and hint for a missing space in `line`, or None."""
    colon = None if KEY.match(line) and "{" not in line else _COLON.match(line)
    if colon is not None:
        message = "a space is missing after this colon"
        old, new = (f"{colon['key']}:{blank}{colon['value'].strip()}" for blank in ("", " "))
        return colon.end("key"), message, Hint(f"write `{new}`", old, new)
    if (dash := _DASH.match(line)) is not None:
        message = "a space is missing after this dash"
        word = dash["word"].strip()
        return dash.start("dash"), message, Hint(f"write `- {word}`", f"-{word}", f"- {word}")
    return None


def torn_name(name: str) -> str:
    """Return the hint for a name such as `Key:3D` or `-Item`; empty if no space is missing."""
    if (lacks := missing_blank(name)) is None:
        return ""
    _, message, hint = lacks
    return Hint(f"{hint}: {message.replace('this', 'the')}", hint.old, hint.new)


def lone_half(text: str, column: int) -> int | None:
    """Return the column of a lone half of a pair at `column` or after it."""
    halves = (match for match in _ESCAPE.finditer(text) if match[2])
    return next((match.start() for match in halves if match.end() >= column), None)


class SurrogatePairs:
    r"""JSON's escapes of characters beyond U+FFFF, `\ud83d\udc09`, which YAML's parser refuses.

    Attributes:
        text: The text for the parser, with replacements of these escapes.
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
        units = (bytes.fromhex(pair[2:6] + pair[8:12]) for pair in pairs)
        return re.sub(self.letters, lambda _: next(units).decode("utf-16-be"), value)
