"""Codes of dice: what is written is read back, with pips and without."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheetgen.model.build import code_text, parse_code


@given(st.integers(0, 900))
def test_a_code_is_read_back(value: int) -> None:
    assert parse_code(code_text(value, pips=True), pips=True) == value
    assert parse_code(code_text(value, pips=False), pips=False) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("3D+2", 11), ("4D", 12), ("4", 12), ("+1", 1), ("+1D", 3), ("2d + 1", 7), ("-1D", -3)],
)
def test_pips_are_thirds_of_a_die(text: str, value: int) -> None:
    assert parse_code(text, pips=True) == value


@pytest.mark.parametrize(
    ("text", "pips", "told"),
    [
        ("3D+3", True, "has 3 pips, and 3 are a die: write 4D"),
        ("3D+1", False, "has pips, and these rules have none"),
        ("3x", True, "is no code of dice, such as 3D+2"),
        ("2+1", True, "is no code of dice, such as 3D+2"),
        ("", False, "is no code of dice, such as 3D"),
    ],
)
def test_what_is_no_code_is_told(text: str, pips: bool, told: str) -> None:
    assert parse_code(text, pips=pips) == told


def test_what_is_taken_away_has_a_true_minus() -> None:
    assert [code_text(n, pips=True) for n in (-3, -1, 0, 1, 3)] == ["−1D", "−1", "0D", "+1", "1D"]
