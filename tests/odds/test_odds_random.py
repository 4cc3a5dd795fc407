"""Random expressions end in an answer or in a finding, within bounds."""

from __future__ import annotations

import random
from functools import cache

import pytest

from sheetgen.cli.odds import odds_data, odds_lines
from sheetgen.prints import odds
from sheetgen.prints.odds import OddsQuestion, answer_question
from tests.effort import at_most_calls

DICE = ("D", "d", "D6", "d1", "d0", "d1000", "d1000000", "boost", "setback", "red", "d\u0663", "")
WORDS = (
    *("vs", "v", ">=", "opposed", "ties first", "ties", "actions 2", "3 actions", "cover"),
    *("cover 5", "hard", "moderate", "and", "with", "+", "-", "\u2212", "\u00b2", "(", "{", "%"),
)
COUNT = 150
MOST_CALLS = 20_000_000
NUMBERS = ("", "0", "1", "4", "17", "100", "101", "9999", "10000", "9" * 12)


def expression(draw: random.Random) -> str:
    """Return dice against something, with words that may not belong there."""
    parts = [draw.choice(NUMBERS) + draw.choice(DICE)]
    for _ in range(draw.randrange(6)):
        parts.append(draw.choice(WORDS))
        parts.append(draw.choice(NUMBERS) + draw.choice(DICE))
    return draw.choice(("", " ")).join(parts)


@pytest.mark.parametrize("said", ["d1", "d0", "0D", "0D6 vs 0", "d1000000", "", " ", "D0 vs d0"])
@pytest.mark.parametrize("table", [True, False])
def test_no_dice_and_dice_that_nobody_has(said: str, table: bool) -> None:
    found = answer_question(OddsQuestion(said))
    assert found.findings or [*odds_lines(found.value, table=table)]  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("wild", ["", "subtract"])
def test_random_expressions(wild: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(20)
    monkeypatch.setattr(odds, "load_ruleset", cache(odds.load_ruleset))
    for _ in range(COUNT):
        said = expression(draw)
        with at_most_calls(MOST_CALLS):
            found = answer_question(OddsQuestion(said, wild=wild))
        if found.value is None:
            assert found.findings, said
        else:
            odds_data(found.value)
            assert all(isinstance(line, str) for line in odds_lines(found.value, table=True)), said


def test_more_totals_than_are_counted_are_a_finding() -> None:
    [finding] = answer_question(OddsQuestion("99d1000 vs 3")).findings
    assert finding.message == "these dice can exceed the highest total that is counted, 3,000"
