"""Expressions: what is understood, what a ruleset adds to it, and what is said of a mistake."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.kinds import plain_roll
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.rules.odds.odds import Answer, ResolvedRoll, answer, resolve_roll
from sheetgen.rules.odds.questions import OddsError, count_known_words, parse_question

OMENS = Path(__file__).parent / "omens"
SPACE = "hyperspace-d6"


@cache
def how(
    ruleset: str = "", roll: str = "", options: tuple[tuple[str, str], ...] = ()
) -> ResolvedRoll:
    if not ruleset:
        return resolve_roll(plain_roll())
    folder = OMENS if ruleset == "omens" else rulesets_folder() / ruleset
    rules = load_ruleset(folder, complete=True).value
    assert rules is not None
    assert rules.odds is not None
    rolls = rules.odds.rolls
    return resolve_roll(rolls[roll] if roll else next(iter(rolls.values())), rules, dict(options))


def answered(expression: str, rules: ResolvedRoll | None = None) -> Answer:
    rules = rules or how()
    return answer(parse_question(expression, rules.words), rules)


def chance(expression: str, rules: ResolvedRoll | None = None) -> Fraction:
    return answered(expression, rules).chances[0].value


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("4D+2 vs 15", "4D+2 against 15"),
        ("4d + 2 VS. 15", "4D+2 against 15"),
        ("4D+2 >= 15", "4D+2 against 15"),
        ("5D", "5D"),
        ("D", "1D"),
        ("5D vs 14 cover 5 actions 2", "4D (5D, 2 actions) against 19 (14, cover +5)"),
        ("5D vs 14 2 actions", "4D (5D, 2 actions) against 14"),
        ("5D actions 3 vs 14", "3D (5D, 3 actions) against 14"),
        ("5D vs 14 +5 -2", "5D against 17 (14, +5, −2)"),
        ("5D-1D vs 12", "4D against 12"),
        ("5D − 1D + 1 vs 12", "4D+1 against 12"),
        ("4D+2 vs 3D+1 opposed", "4D+2 against 3D+1"),
        ("4D vs 3D cover 5", "4D against 3D (cover +5)"),
        ("4D vs 3D actions 2", "4D against 2D (3D, 2 actions)"),
        ("d8+d4+3 vs 9", "1D8 + 1D4+3 against 9"),
        ("2d10, 1d6 vs 9", "2D10 + 1D against 9"),
        ("5D actions 9 vs 3", "0D (5D, 9 actions) against 3"),
        ("3 + 5D vs 12", "5D+3 against 12"),
        ("5D vs 15 cover 1D", "5D against 15 + 1D (15, cover +1D)"),
        ("5D vs 15 cover 2D+1", "5D against 16 + 2D (15, +1, cover +2D)"),
        ("5D vs 15 +1D", "5D against 15 + 1D (15, +1D)"),  # as `moderate +1D` is read
        ("5D vs 1D+15", "5D against 1D+15"),  # the dice of another roll come first
        ("4D vs 3D cover 1d8", "4D against 3D (cover +1D8)"),
    ],
)
def test_what_is_understood(expression: str, said: str) -> None:
    assert answered(expression).reading == said


@pytest.mark.parametrize(
    ("expression", "message", "at", "hint"),
    [
        ("", "nothing is asked", 0, "4D vs 15"),
        ("4D vs", "the target number is missing", 5, "4D vs 15"),
        ("5D at", "something is missing after `at`", 3, "4D vs 15"),
        ("vs 15", "`vs` is not expected here", 0, "4D vs 15"),
        ("15 4X", "unknown word `X`", 4, "use one of: D"),
        ("5D vs 14 covr", "unknown word `covr`", 9, "did you mean `cover`?"),
        ("5D vs 14 cover", "how much is `cover`?", 9, "write `cover 5`"),
        ("5D vs 14 15", "`15` is not expected here", 9, ""),
        ("5D cover 5", "`cover` is not expected here", 3, ""),
        ("5D vs 14 opposed", "this is a number", 9, ""),
        ("4D vs 3D ties none", "who wins ties?", 14, "ties first"),
        ("5D vs 14 actions", "the number of actions is missing", 16, ""),
        ("5D vs 14 actions 0", "must be at least one action", 17, ""),
        ("999D", "at most 100 dice", 0, ""),
        ("5D vs 123456789012", "may be at most 9999", 6, ""),
        ("4D1 vs 3", "at least 2 faces", 2, ""),
        ("5D * 2", "`*` is not expected here", 3, ""),
        ("5D vs 15 cover 100D1000", "may show at most 300 together", 15, ""),
        ("3.5D vs 3", "`3.5` is not a whole number", 0, "3D+1"),
        ("3,5D vs 3", "`3,5` is not a whole number", 0, "3D+1"),
        (".5D vs 3", "`.5` is not a whole number", 0, "3D+1"),
        ("5D vs 10.5", "`10.5` is not a whole number", 6, ""),
        ("3 5D vs 3", "a plus or minus sign is missing after `3`", 0, "4D vs 15"),
        ("5D vs 15 cover 5 -1D", "dice cannot be subtracted from a number", 19, ""),
        ("D" * 300, "at most 200 characters", 200, ""),
    ],
)
def test_mistakes_have_a_place_and_a_hint(
    expression: str, message: str, at: int, hint: str
) -> None:
    with pytest.raises(OddsError) as caught:
        answered(expression)
    assert message in str(caught.value)
    assert caught.value.at == at
    assert hint in caught.value.hint


@given(st.text(max_size=60))
def test_no_text_breaks_the_parser(text: str) -> None:
    for rules in (how(), how("omens"), how("omens", "climb")):
        wrong = None
        try:
            parse_question(text, rules.words)
        except OddsError as error:
            wrong = error
        assert wrong is None or 0 <= wrong.at <= len(text)
        known = count_known_words(text, rules.words)
        assert known <= len(text)  # No word is counted twice.


@pytest.mark.parametrize(
    ("ruleset", "text", "known"),
    [
        ("", "", 0),
        ("", "15", 0),
        ("", "D" * 300, 0),
        ("", "4D vs 15", 1),
        ("", "4D vs moderate", 1),
        (SPACE, "4D vs moderate", 2),
        ("", "4D+1D vs 15 cover 5", 3),
        ("", "4D nothing known", 1),
    ],
)
def test_words_of_a_roll_are_counted(ruleset: str, text: str, known: int) -> None:
    assert count_known_words(text, how(ruleset).words) == known


words = st.sampled_from(["4", "D", "H", "vs", "+", "-", "cover", "actions", "15", "ties", "first"])


@given(st.lists(words, max_size=9))
def test_no_order_of_words_breaks_an_answer(said: list[str]) -> None:
    for rules in (how(), how("omens", "climb")):
        try:
            found = answered(" ".join(said), rules)
        except OddsError:
            continue
        assert all(0 <= c.value <= 1 for c in found.chances)


# -- what a ruleset says -------------------------------------------------------------------------


def test_targets_have_names_and_cover_a_number() -> None:
    check = how(SPACE)
    assert chance("5D vs moderate", check) == chance("5D vs 15")
    assert chance("5D vs Very difficult", check) == chance("5D vs 25")
    assert chance("5D vs hard", check) == chance("5D vs 20")
    assert chance("5D vs heroic", check) == chance("5D vs 30")
    assert chance("5D vs 10 cover extreme range", check) == chance("5D vs 20")
    assert chance("5D vs 10 cover 2", check) == chance("5D vs 12")
    assert chance("5D vs 10 cover 2 actions", check) == chance("4D vs 15")
    climb = how("omens", "climb")
    assert answered("4H vs rather high wind", climb).reading.endswith("15 (12, wind +3)")
    assert answered("4H vs sky", climb).reading.endswith("18")


@pytest.mark.parametrize(
    ("expression", "left"),
    [
        ("3H + 2H10 + 1H12 vs 9 actions 3", "1H + 2H10 + 1H12"),
        ("3H + 2H10 + 1H12 vs 9 actions 5", "2H10"),
        ("1H + 2H10 vs 9 actions 9", "0H"),
    ],
)
def test_actions_cost_the_usual_dice_first_then_the_largest(expression: str, left: str) -> None:
    """In every game whose further actions cost dice."""
    assert answered(expression, how("omens", "climb")).reading.partition(" (")[0] == left


def test_a_die_that_adds_like_any_other_is_told_of() -> None:
    """Its 1 and 6 mean something besides, on a success and on a failure."""
    found = answered("3D vs 10", how(SPACE))
    values = {c.id: c.value for c in found.chances}
    rolls = [(a, b, c) for a in range(1, 7) for b in range(1, 7) for c in range(1, 7)]
    good = [r for r in rolls if sum(r) >= 10]
    assert values == {
        "success": Fraction(len(good), 216),
        "face_1": Fraction(1, 6),
        "face_1_and_success": Fraction(sum(r[0] == 1 for r in good), 216),
        "face_6": Fraction(1, 6),
        "face_6_and_success": Fraction(sum(r[0] == 6 for r in good), 216),
    }


def test_cover_in_dice_raises_the_number_by_what_they_show() -> None:
    by_hand = sum((chance(f"5D vs {15 + shown}") for shown in range(1, 7)), Fraction(0)) / 6
    assert chance("5D vs 15 cover 1D") == by_hand
    assert chance("2D vs 1D cover 1D ties first") == chance("2D vs 2D ties first")
    wild = how("second-edition-update")
    against = sum((chance(f"3D vs {11 + shown}", wild) for shown in range(1, 7)), Fraction(0)) / 6
    assert chance("3D vs moderate cover 1D", wild) == against


NARRATIVE = "narrative-powers"
DIFFICULTIES = ("Simple", "Easy", "Average", "Hard", "Daunting", "Formidable")


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        *((f"2A vs {name}", f"2A vs {n}D") for n, name in enumerate(DIFFICULTIES) if n),
        ("2A vs simple", "2A"),
        ("1A 2P vs 2D winded", "1A 2P vs 2D 1S"),
        ("1A 2P FATIGUED vs Average", "1A 2P vs 2D 2S"),
        ("1A 2P vs Average, Exhausted", "1A 2P vs 3D"),
        ("1A 2P vs Average and crippled", "1A 2P vs 2D 1C"),
        ("1A 2P vs Average normal", "1A 2P vs 2D"),
        ("1A 2P vs Average staggered", "1A 2P vs 2D"),
        ("1A 2P vs Hard taunted long range", "1A 2P vs 3D 2S"),
        ("2A 2 boosts vs 1 setback die", "2A 2B vs 1S"),
        ("saving throw winded", "1A vs 1S"),
        ("3A vs Hard upgraded twice", "3A vs 1D 2C"),
        ("3A upgraded vs Hard", "2A 1P vs 3D"),
        ("3A vs Easy upgraded 3 times", "3A vs 2C"),
        ("3A vs Simple upgraded", "3A vs 1D"),
        ("3A vs Hard upgraded 2 setback", "3A vs 2D 1C 2S"),
    ],
)
def test_symbol_dice_are_called_by_the_words_of_the_tables(expression: str, said: str) -> None:
    rules = how(NARRATIVE)
    assert answered(expression, rules).chances == answered(said, rules).chances


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("2A vs Hard helpless", "who is Helpless takes no actions"),
        ("2A vs Hard winded fatigued", "`fatigued` and `winded` cannot be combined"),
        ("2A vs 2 winded", "`winded` takes no number"),
        ("2 boost upgraded", "no die here can be upgraded"),
        ("2A vs Hrad", "unknown word `Hrad`"),
    ],
)
def test_words_of_tables_that_do_not_fit_are_refused(expression: str, message: str) -> None:
    with pytest.raises(OddsError) as caught:
        answered(expression, how(NARRATIVE))
    assert message in str(caught.value)


def test_words_follow_the_options_of_the_table() -> None:
    strict = how(NARRATIVE, "", (("taunt.die", "challenge"), ("long_range.die", "difficulty")))
    wanted = answered("2A vs 4D 1C", strict).chances
    assert answered("2A vs Hard taunted long range", strict).chances == wanted


def test_damage_has_to_beat_and_has_no_such_die() -> None:
    found = answered("4D vs 10", how(SPACE, "damage"))
    assert [c.id for c in found.chances] == ["success"]
    assert found.chances[0].value == chance("4D vs 11")


def test_no_dice_left_mean_what_the_table_says() -> None:
    """Q-25: no roll succeeds, or one die is always left."""
    assert chance("2D vs 0 actions 3", how(SPACE)) == 0
    one = how(SPACE, "", (("dice.minimum", "one"),))
    assert chance("2D vs 3 actions 3", one) == Fraction(2, 3)
    assert chance("2D vs 0 actions 3") == 1  # plain: nothing is a total of 0
    assert chance("1D actions 2 vs 1D", how(SPACE)) == 0


def test_ties_go_where_the_ruleset_says() -> None:
    equal = Fraction(146, 1296)
    for rules, extra, mine in (
        (how(), "", 0),
        (how(), " ties first", equal),
        (how(SPACE), "", equal),
        (how(SPACE), " ties second", 0),
    ):
        high = (1 - equal) / 2
        found = {c.id: c.value for c in answered("2D vs 2D" + extra, rules).chances}
        assert found["success"] == high + mine
        assert found["tie"] == equal
        assert found["success"] + found["second"] <= 1


def test_codes_without_pips_are_refused_with_a_hint() -> None:
    with pytest.raises(OddsError) as caught:
        answered("4D+2 vs 15", how(SPACE))
    assert "no pips" in str(caught.value)
    assert "5D" in caught.value.hint
