"""Missing spaces in YAML, which turn a key or an item into a text."""

from __future__ import annotations

import re
from typing import Final

from sheetgen.diag.findings import Hint

KEY: Final = re.compile(r"\s*(?:- +)*(?:\"[^\"]*\"|'[^']*'|[^\s#:\"'\[{-][^:#\"]*?):(?=\s|$)")
"""A key and its colon at the beginning of a line."""

_COLON: Final = re.compile(
    r"(?P<before>\s*(?:- +)?|.*[{,]\s*)(?P<key>[^\W\d][\w' -]*):(?P<value>[^\s/:][^,}\]]*)"
)
_DASH: Final = re.compile(r"\s*(?P<dash>-)(?P<word>[^\W\d].*)")


def missing_blank(line: str) -> tuple[int, str, Hint] | None:
    """Return the column (from 0), message and hint for a missing space in `line`, or None."""
    colon = None if KEY.match(line) and "{" not in line else _COLON.match(line)
    if colon is not None:
        message = "a space is missing after this colon"
        old, new = (f"{colon['key']}:{blank}{colon['value'].strip()}" for blank in ("", " "))
        return colon.end("key"), message, Hint(f"write `{new}`", old, new)
    dash = _DASH.match(line)
    if dash is not None:
        message = "a space is missing after this dash"
        word = dash["word"].strip()
        return dash.start("dash"), message, Hint(f"write `- {word}`", f"-{word}", f"- {word}")
    return None


def torn_name(name: str) -> str:
    """Return the hint for a name such as `Key:3D` or `-Item`; empty if no space is missing."""
    lacks = missing_blank(name)
    if lacks is None:
        return ""
    _, message, hint = lacks
    return Hint(f"{message.replace('this', 'the')}: {hint}", hint.old, hint.new)
