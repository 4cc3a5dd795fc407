"""Masks of credentials: nothing that looks like a password, a key or a signature is shown."""

from __future__ import annotations

import re
from typing import Final

_START: Final = re.compile(r"(:///*)")
_QUOTES: Final = "`'\""
_PORT: Final = re.compile(r"(\[[0-9a-fA-F:]*\]|[^:]*)(:\d*)?$")
_DRIVE: Final = re.compile(r"[A-Za-z]:[/\\]")
"""Colons that come before no password: of a port, of a disk of Windows."""

_TOKEN: Final = re.compile(r"[^\s`'\"]*")


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
