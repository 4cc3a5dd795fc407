"""Format values as YAML, in the quoting style of the text around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

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
    """Yield ways to write a scalar on one line, the preferred one first.

    Args:
        flow: Whether it is inside brackets, where fewer characters can be plain.
        style: The quote of the present value, or of its neighbours.
    """
    if value is None:
        yield "null" if flow else "~"
    elif isinstance(value, bool):
        yield "true" if value else "false"
    elif isinstance(value, (int, float)):
        yield str(value)
    else:
        yield from _texts(str(value), flow, style)


def quote_yaml(text: str, quote: str = '"') -> str:
    """Return `text` as a quoted scalar."""
    return next(format_scalars(text, flow=True, style=quote))


def quote_line(text: str) -> str:
    """Return `text` as a quoted scalar of a new file; control characters become spaces."""
    return quote_yaml("".join(c if c.isprintable() else " " for c in text))


def _texts(text: str, flow: bool, style: str) -> Iterator[str]:
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
