"""What the YAML parser's messages mean to an author, and what to do."""

from __future__ import annotations

from typing import Final

OTHER: Final = (
    "this is not YAML",
    "is a quote or bracket left open, or a space missing after a colon?",
)


MISTAKES: Final[dict[str, tuple[str, str]]] = {
    "mapping values are not allowed": (
        "this line has a second colon, or is indented too far",
        "put a text with a colon and a space in it in quotes",
    ),
    "hexdecimal number": (
        r"this escape needs more digits: 2 behind `\x`, 4 behind `\u`, 8 behind `\U`",
        r"write `\\` for a backslash, or put the text in single quotes",
    ),
    "unknown escape character": (
        "no escape begins with this character",
        r"write `\\` for a backslash, or put the text in single quotes",
    ),
    "quoted scalar": (
        "the quote that is opened here is never closed",
        "write a quote at the end of the text",
    ),
    "flow sequence": (
        "the list that is opened here is not closed, or lacks a comma",
        "a list is written `[one, two]`",
    ),
    "flow mapping": (
        "the mapping that is opened here is not closed, or lacks a comma",
        "a mapping is written `{one: 1, two: 2}`",
    ),
    "could not find expected ':'": ("this line has no colon", "a line is written `key: value`"),
    "block mapping": ("this does not line up with the keys above", "indent keys alike"),
    "block collection": ("this does not line up with the list above", "indent items alike"),
    "block sequence entries": (
        "an item of a list cannot begin here",
        "write `- …` in a line of its own",
    ),
    "cannot start any token": (
        "a text cannot begin with this character",
        "put the text in quotes",
    ),
}
"""Words of the parser's complaints, and what an author should read."""
