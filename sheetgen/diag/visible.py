"""Author text with control characters as escapes, safe for terminals."""

from __future__ import annotations

import unicodedata
from typing import Final

_SAFE: Final = ("Zs", "Cn", "Co")
"""Unicode categories that `str.isprintable` rejects although terminals show a space or a box."""

JOINERS: Final = "\u200c\u200d"
"""Format characters that scripts and emoji need and that are harmless."""

_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


class EscapedText(str):
    """Text that is already escaped, with our own colours and line breaks.

    `+` and f-strings turn it into a plain `str`, which is escaped again.
    """

    __slots__ = ()


def visible(text: str, keep: str = "") -> str:
    r"""Return `text` with control, format and bidi characters as escapes such as `\x1b`.

    Args:
        keep: Characters that stay as they are.
    """
    if text.isprintable():
        return text
    return "".join(c if c in keep or is_safe(c) else _escape(c) for c in text)


def visible_json(text: str) -> str:
    """Return JSON with these characters as JSON escapes; they occur only in strings."""
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(c if c in "\n\t" or is_safe(c) else _json_escape(c) for c in text)


def is_safe(character: str) -> bool:
    """Whether a terminal shows this character and does nothing else."""
    if character.isprintable() or character in JOINERS:
        return True
    return unicodedata.category(character) in _SAFE


def _escape(character: str) -> str:
    point = ord(character)
    if 0xDC80 <= point <= 0xDCFF:  # a byte of a file name that is not UTF-8
        return f"\\x{point - 0xDC00:02x}"
    if character in _SHORT:
        return _SHORT[character]
    if point <= 0xFF:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
