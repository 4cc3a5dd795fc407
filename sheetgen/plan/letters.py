"""Warnings about letters that no font of a print has, at the values that have them."""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterator
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.controls import strip_controls
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.model.designs.charsets import CHARSET
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source

_SHOWN: Final = 12
"""Letters that a warning names."""

_FONT: Final = "name a font that has it under `fonts` of a theme"
_LATIN: Final = "write it in Latin letters"
_HTML: Final = ", or print with `--to html`: browsers have more fonts"


def find_missing_letters(text: str, known: Container[int]) -> str:
    """Return the letters of a text that `known` code points cannot draw, each once, in order."""
    return "".join(
        c
        for c in dict.fromkeys(text)
        if ord(c) not in known and not is_unseen(c) and spell_out(c, known) == c
    )


def is_unseen(character: str) -> bool:
    """Whether nothing is drawn for a character: blanks, joiners, controls, variation selectors."""
    return (
        character.isspace()
        or unicodedata.category(character) in ("Cc", "Cf")
        or character in _SELECTORS
    )


_SELECTORS: Final = frozenset(map(chr, range(0xFE00, 0xFE10)))


def spell_out(text: str, known: Container[int]) -> str:
    """Return `text` with what letters stand for that `known` code points lack: `ﬁ` is `fi`."""
    return text if text.isascii() else "".join(_spelt(c, known) for c in text)


def _spelt(character: str, known: Container[int]) -> str:
    if ord(character) in known:
        return character
    plain = unicodedata.normalize("NFKC", character)
    return plain if all(ord(c) in known for c in plain) else character


def report_letters(
    missing: str, source: Source | None, span: Span, *, html: bool = True, text: str = ""
) -> Iterator[Finding]:
    """Yield a warning for each value of a file that has some of the letters `missing`.

    Args:
        missing: Letters that no font of a print has; none for no warning.
        source: The author's file.
        span: The place of the only warning if no value of the file has any of them.
        html: Whether there is an HTML file of the same print.
        text: Only values that are this text are printed; all without it.
    """
    nodes = _list_values(source.root) if missing and source is not None and source.root else ()
    printed = (node for node in nodes if not text or strip_controls(node.raw).strip() == text)
    found = [(node.span, [c for c in missing if c in node.raw]) for node in printed]
    places = [one for one in found if one[1]] or ([(span, list(missing))] if missing else [])
    for place, letters in places:
        named = (c if c.isprintable() else f"U+{ord(c):04X}" for c in letters[:_SHOWN])
        shown = " ".join(named) + (" …" if len(letters) > _SHOWN else "")
        message = f"no font of this print has {shown}"
        hint = _FONT if all(ord(c) in CHARSET for c in letters) else _LATIN
        hint += _HTML if html else ""
        yield Finding(codes.NO_GLYPH, place, message, hint, Severity.WARNING)


def _list_values(node: Node) -> Iterator[ScalarNode]:
    if isinstance(node, ScalarNode):
        yield node
    elif isinstance(node, Many):
        for item in node.items:
            yield from _list_values(item)
    elif isinstance(node, Pairs):
        for key, value in node.entries:
            yield key
            yield from _list_values(value)
