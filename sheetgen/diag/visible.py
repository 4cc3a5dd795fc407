"""Author text with control characters as escapes, safe for terminals."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_SAFE: Final = ("Zs", "Cn", "Co")
"""Unicode categories that `str.isprintable` rejects although terminals show a space or a box."""

JOINERS: Final = "\u200c\u200d"
"""Format characters that scripts and emoji need and that are harmless."""

_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_DROPPED: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]"
)
"""Control characters except tab and line breaks, and characters that change the text direction."""

_START: Final = re.compile(r"(:///*)")
_QUOTES: Final = "`'\""
_PORT: Final = re.compile(r"(\[[0-9a-fA-F:]*\]|[^:]*)(:\d*)?$")
_DRIVE: Final = re.compile(r"[A-Za-z]:[/\\]")
"""Colons that come before no password: of a port, of a disk of Windows."""

_TOKEN: Final = re.compile(r"[^\s`'\"]*")


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


def strip_controls(text: str) -> str:
    """Return `text` without control characters; one that separates words becomes a space."""
    return _DROPPED.sub(lambda found: " " if found[0].isspace() else "", text)


def controls_in(text: str) -> str:
    r"""Return the control characters of `text` for a message, such as "`\x1b`, `\x07`"."""
    found = dict.fromkeys(_DROPPED.findall(text))
    return ", ".join(f"`{visible(one)}`" for one in found)


def has_controls(text: str) -> bool:
    """Whether `text` has a character that `strip_controls` removes."""
    return not text.isprintable() and _DROPPED.search(text) is not None


def mask_secrets(text: str, filler: str = "") -> str:
    """Return a text whose addresses have no credentials: `scheme://***@host/path?***`.

    User information ends at the last `@` before the next address, since a password may hold any
    character: blanks, quotes, slashes, `@`. Too much is masked rather than too little.

    Args:
        filler: A character that replaces each masked one, to keep columns; by default `***`
            replaces all.
    """
    if "://" not in text:
        return text
    before, *pieces = _START.split(text)
    masked = [before]
    for start, rest in zip(pieces[::2], pieces[1::2], strict=True):
        masked += [start, _mask_address(rest, start, filler)]
    return "".join(masked)


def _mask_address(rest: str, start: str, filler: str) -> str:
    """Return what follows `://` without user information, keys and the query."""
    line, newline, more = rest.partition("\n")
    at = line.rfind("@")
    before = line[: max(at, 0)]
    if at >= 0 and (":" in before or not re.search(r"[/\s]", before)):
        return _mask(before, filler) + "@" + _mask_query(line[at + 1 :], filler) + newline + more
    token = _TOKEN.match(line)
    assert token is not None
    host = token[0] if start.endswith("///") else re.split("[/?#]", token[0])[0]
    if ":" in host and not (_DRIVE if start.endswith("///") else _PORT).match(host):
        return _mask(token[0], filler) + _mask_query(line[token.end() :], filler) + newline + more
    return _mask_query(line, filler) + newline + more


def _mask_query(text: str, filler: str) -> str:
    """Return a text whose first query is masked, up to a quote that closes it or a blank."""
    address, mark, query = text.partition("?")
    if not mark or re.search(r"\s", address):
        return text
    end = max(query.rfind(quote) for quote in _QUOTES)
    if filler or end < 0:
        blank = re.search(r"\s", query)
        end = len(query) if filler or blank is None else blank.start()
    return f"{address}?{_mask(query[:end], filler)}{query[end:]}"


def _mask(text: str, filler: str) -> str:
    return filler * len(text) if filler else "***"
