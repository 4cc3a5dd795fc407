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
