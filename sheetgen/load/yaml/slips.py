"""Missing spaces in YAML, which turn a key or an item into a text."""

from __future__ import annotations

import re
from typing import Final

KEY: Final = re.compile(r"\s*(?:- +)*(?:\"[^\"]*\"|'[^']*'|[^\s#:\"'\[{-][^:#\"]*?):(?=\s|$)")
"""A key and its colon at the beginning of a line."""

_COLON: Final = re.compile(
    r"(?P<before>\s*(?:- +)?|.*[{,]\s*)(?P<key>[^\W\d][\w' -]*):(?P<value>[^\s/:][^,}\]]*)"
)
_DASH: Final = re.compile(r"\s*(?P<dash>-)(?P<word>[^\W\d].*)")


def missing_blank(line: str) -> tuple[int, str, str] | None:
    """Return the column (from 0), message and hint for a missing space in `line`, or None."""
    colon = None if KEY.match(line) and "{" not in line else _COLON.match(line)
    if colon is not None:
        message = "a space is missing after this colon"
        return colon.end("key"), message, f"write `{colon['key']}: {colon['value'].strip()}`"
    dash = _DASH.match(line)
    if dash is not None:
        message = "a space is missing after this dash"
        return dash.start("dash"), message, f"write `- {dash['word'].strip()}`"
    return None


def torn_name(name: str) -> str:
    """Return the hint for a name such as `Key:3D` or `-Item`; empty if no space is missing."""
    lacks = missing_blank(name)
    return f"{lacks[1].replace('this', 'the')}: {lacks[2]}" if lacks is not None else ""
