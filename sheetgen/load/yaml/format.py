"""Format values as YAML in the style of the text around them, and find slips in its lines.

Slips are what the parser accepts or misunderstands: missing spaces, `#` within a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import yaml

from sheetgen.diag.findings import Hint

_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_PLAIN: Final = re.compile(
    r"(?:(?![\s\-?:,\[\]{}#&*!|>'\"%@`]|\.\.\.)|-(?=[^\s-]))[^\n\t]*(?<![\s:])"
)
_SPECIAL: Final = re.compile(r": | #|[\x00-\x1f]")
_OTHERS: Final = re.compile(
    r"(?i)(y|yes|n|no|on|off|true|false|null|~|)|[-+]?[0-9._:]+([eE][-+]?[0-9]+)?|0[xo][0-9a-f]+|=|<<|\d{4}-\d\d?-\d\d?.*"
)
"""Texts that some YAML parser reads as another type."""


def format_scalars(value: Any, *, flow: bool, style: str = "") -> Iterator[str]:
    """Yield ways to write a scalar on one line, in brackets if `flow`, the preferred one first.

    `style` is the quote of the present value, or of its neighbours.
    """
    if value is None:
        yield "null" if flow else "~"
        return
    if isinstance(value, (bool, int, float)):
        yield str(value).lower() if isinstance(value, bool) else str(value)
        return
    text = str(value)
    single = "'" + text.replace("'", "''") + "'"
    double = '"' + "".join(map(_escaped, text)) + '"'
    plain = _PLAIN.fullmatch(text) and not _SPECIAL.search(text) and not _OTHERS.fullmatch(text)
    if plain and flow and re.search(r"[,\[\]{}?]", text):
        plain = None
    one_line = not re.search(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    if style == "'" and one_line:
        yield single
    elif style == '"':
        yield double
    if plain and one_line:
        yield text
    if one_line and '"' in text and "'" not in text:
        yield single
    yield double


def quote_yaml(text: str, quote: str = '"') -> str:
    """Return `text` as a quoted scalar."""
    return next(format_scalars(text, flow=True, style=quote))


def quote_line(text: str) -> str:
    """Return `text` as a quoted scalar of a new file; control characters become spaces."""
    return quote_yaml("".join(c if c.isprintable() else " " for c in text))


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isprintable() or letter == "\xa0":
        return letter
    point = ord(letter)
    return f"\\U{point:08x}" if point > 0xFFFF else f"\\u{point:04x}"


def format_block(text: str, indent: str, nl: str) -> str | None:
    """Return a text of several lines as a literal block; None if it cannot be one."""
    lines = text.split("\n")
    if len(lines) < 2 or not lines[0].strip() or lines[0][:1] in " \t":
        return None
    chomp = "" if lines[-1] == "" else "-"
    body = lines[:-1] if lines[-1] == "" else lines
    if not body[-1].strip():
        return None
    return nl.join([f"|{chomp}", *(f"{indent}{line}" if line else "" for line in body)])


def format_flow(value: Any, style: str = "") -> str:
    """Return any value on one line: `{Name: 2}`, `[one, two]`."""
    if isinstance(value, dict):
        keys = (k if k.isdecimal() and style != '"' else format_flow(k, style) for k in value)
        parts = map("{}: {}".format, keys, (format_flow(v, style) for v in value.values()))
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(format_flow(item, style) for item in value) + "]"
    return next(format_scalars(value, flow=True, style=style))


LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# What follows a text: a comment without a blank behind its `#`, which may be meant as text.
CUT: Final = re.compile(r"(?<=[^\s#])[ \t]+(?P<rest>#+[^\s#].*?)(?=\s+#+\s|\s*$)")
# A key and its colon at the beginning of a line.
KEY: Final = re.compile(r"\s*(?:- +)*(?:\"[^\"]*\"|'[^']*'|[^\s#:\"'\[{-][^:#\"]*?):(?=\s|$)")
_COLON: Final = re.compile(
    r"(?P<before>\s*(?:- +)?|.*[{,]\s*)(?P<key>[^\W\d][\w' -]*):(?P<value>[^\s/:][^,}\]]*)"
)
_DASH: Final = re.compile(r"\s*(?P<dash>-)(?P<word>[^\W\d].*)")

_OPENS: Final = re.compile(r"(?:^|[:,\[{-])\s*[\[{]")
_ENDS: Final = re.compile(r"\s*(?:[,\]}]\s*$|:(?=\s|$)|$)")
_ENDS_IN_BRACKETS: Final = re.compile(r"\s*(?:[,\]}]|:(?=\s|$)|$)")
_HIGH: Final = r"\\u[dD][89abAB][0-9a-fA-F]{2}"
_LOW: Final = r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
# A pair, half of one, or any other escape, which is skipped.
_ESCAPE: Final = re.compile(rf"({_HIGH}{_LOW})|({_HIGH}|{_LOW})|\\.")
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
    r"""JSON's escapes of characters beyond U+FFFF, `\ud83d\udc09`, which YAML's parser refuses."""

    def __init__(self, text: str) -> None:
        self.text = text  # for the parser, with replacements of these escapes
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
