"""Hints for misspelt names: near spellings, parts, other forms of a word, and nothing silly."""

from __future__ import annotations

import pytest

from sheetgen.diag.words import MOST_SEARCHES, nearest

NAMES = ("Soothe", "Medicine", "John Smith", "Command", "Interrupt", "Strength", "Stealth")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("sothe", "Soothe"),
        ("soothing", "Soothe"),
        ("strengthen", "Strength"),
        ("stealthy", "Stealth"),
        ("medical", "Medicine"),
        ("Command Skill", "Command"),
        ("skill of stealth", "Stealth"),
        ("power of skill", ""),
        ("smtih", "John Smith"),
        ("combat", ""),
        ("interest", ""),
        ("street", ""),
        ("smoothly", ""),
    ],
)
def test_a_word_means_what_is_near_it(word: str, meant: str) -> None:
    assert nearest(word, NAMES) == meant


def test_hints_are_bounded_in_a_run() -> None:
    """A file of 50,000 misspelt names takes seconds, not minutes."""
    found = [nearest("sothe", NAMES) for _ in range(MOST_SEARCHES + 1)]
    assert (found[-2], found[-1]) == ("Soothe", "")
