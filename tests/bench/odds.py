"""Speed of odds: what large questions take, worked out exactly.

    python tests/bench/odds.py

Figures are medians of processor time; the first of all includes what is loaded for it.
"""

from __future__ import annotations

from dataclasses import replace
from time import process_time

from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.kinds import plain_roll, read_odds
from sheetgen.model.rulesets.prints import Wild
from sheetgen.rules.odds.odds import answer, resolve_roll
from sheetgen.rules.odds.questions import parse_question
from tests.bench.bench import timed


def main() -> None:
    """Measure, and print a table."""
    plain = plain_roll()
    odds = read_odds(rulesets_folder() / "narrative-powers" / "odds.yaml")
    symbols = next(iter(odds.rolls.values()))
    wild = replace(plain, wild=Wild("wild die", again=True, one="subtract"))
    cases = [
        ("20D vs 70", wild, ", wild, its 1 subtracts"),
        ("20D vs 70", plain, ""),
        ("100D vs 99D", wild, ", wild, its 1 subtracts"),
        ("3 ability 2 proficiency vs 3 difficulty 1 challenge", symbols, ""),
        ("8 ability 8 proficiency vs 8 difficulty 8 challenge", symbols, ""),
    ]
    for expression, roll, more in cases:
        how = resolve_roll(roll)
        start = process_time()
        answer(parse_question(expression, how.words), how)
        first = process_time() - start
        again = timed(lambda e=expression, h=how: answer(parse_question(e, h.words), h), 5)
        print(f"{expression + more:<56} {first * 1e3:9.2f} ms, again {again * 1e3:9.2f} ms")


if __name__ == "__main__":
    main()
