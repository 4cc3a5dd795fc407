"""Small words of messages."""

from __future__ import annotations


def a(noun: str) -> str:
    """Return `noun` with its article: `a skill`, `an attribute`, `an HTML file`."""
    initials = noun[:2].isupper()  # spoken letter by letter: an HTML file, a PDF
    vowel = noun[:1] in "AEFHILMNORSX" if initials else noun[:1].lower() in "aeio"
    return f"{'an' if vowel else 'a'} {noun}"
