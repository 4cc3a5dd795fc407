"""Small words of messages."""

from __future__ import annotations


def a(noun: str) -> str:
    """Return `noun` with its article: `a skill`, `an attribute`."""
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"
