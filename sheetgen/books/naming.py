"""Names of outputs: patterns with placeholders, safe for every file system."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from sheetgen.diag import book_codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.model.source import Text
from sheetgen.rules.names import file_stem
from sheetgen.write.names import portable_name

WORDS: Final = ("stem", "name", "ruleset", "kind", "entry", "n")
"""Placeholders in names of outputs, besides the columns of a CSV file."""


def check_pattern(name: Text | None, *, columns: bool) -> Iterator[Finding]:
    """Yield findings about the pattern of a name.

    Args:
        columns: Whether columns of a CSV file are allowed as placeholders.
    """
    if name is None:
        return
    try:
        words = [word for _, word, spec, sign in string.Formatter().parse(name) if word is not None]
    except ValueError as error:
        message = f"`{name}` cannot be read: {error}"
        yield Finding(book_codes.BAD_PATTERN, name.span, message)
        return
    for word in words:
        if word not in WORDS and not columns:
            message, hint = f"no name has a `{{{word}}}`", suggestion(word, WORDS, "words")
            yield Finding(book_codes.BAD_PATTERN, name.span, message, hint)
    parts = Path(name).parts
    if ".." in parts or Path(name).is_absolute() or name.endswith("/"):
        message = "a name stays inside the folder of the outputs"
        yield Finding(book_codes.BAD_PATTERN, name.span, message, "leave out `..` and `/`")


def fill_pattern(pattern: str, words: Mapping[str, str]) -> str:
    """Return the name of an output without its extension; unknown placeholders are left out.

    Every file system accepts it; see `portable_name`.
    """
    filled = "".join(
        text + (_plain(words.get(word, "")) if word is not None else "")
        for text, word, _, _ in string.Formatter().parse(pattern)
    )
    parts = [part.strip(" .-") for part in filled.split("/")]
    return portable_name("/".join(parts)) or "print"


def output_name(pattern: str, words: Mapping[str, str], *, several: bool) -> str:
    """Return the name of a print of a job; with several prints, it contains the print's own."""
    name = fill_pattern(pattern, words)
    if several and name == fill_pattern(pattern, {**words, "name": "", "n": ""}):
        return f"{name}-{fill_pattern('{name}', words)}"
    return name


def _plain(word: str) -> str:
    return file_stem(word)[:80]
