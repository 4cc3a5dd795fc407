"""What outputs are called: patterns with words in them, safe for every file system."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from sheetgen.diag import book_codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.model.source import Text
from sheetgen.rules.names import folded
from sheetgen.write.names import portable_name

WORDS: Final = ("stem", "name", "ruleset", "kind", "entry", "n")
"""What may stand in the name of an output, besides the columns of a CSV file."""


def check_pattern(name: Text | None, *, columns: bool) -> Iterator[Finding]:
    """Yield what is wrong with the pattern of a name.

    Args:
        columns: Whether it may have words of a CSV file in it.
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
    """Return the name of an output without its kind; a word that is not there is left out.

    Every file system can hold it; see `portable`.
    """
    found = "".join(
        text + (_plain(words.get(word, "")) if word is not None else "")
        for text, word, _, _ in string.Formatter().parse(pattern)
    )
    parts = [part.strip(" .-") for part in found.split("/")]
    return portable_name("/".join(parts)) or "print"


def output_name(pattern: str, words: Mapping[str, str], *, several: bool) -> str:
    """Return the name of one of the prints of a job; of several each has its own in it."""
    name = fill_pattern(pattern, words)
    if several and name == fill_pattern(pattern, {**words, "name": "", "n": ""}):
        return f"{name}-{fill_pattern('{name}', words)}"
    return name


def _plain(word: str) -> str:
    return folded(word).replace(" ", "-")[:80]
