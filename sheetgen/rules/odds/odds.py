"""The answer to a question about odds: what may come of it and how likely each is, exactly."""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.model.build import Value
from sheetgen.model.rulesets.odds import RollRules
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.evaluate import integer_value
from sheetgen.rules.formulas.option_scope import OptionScope
from sheetgen.rules.names import folded
from sheetgen.rules.odds.adds import added_dice
from sheetgen.rules.odds.answers import SYMBOLS, Answer, ResolvedRoll
from sheetgen.rules.odds.outcomes import answer_of_symbols
from sheetgen.rules.odds.sums import answer_of_sum, extra_of, goal, left_of
from sheetgen.rules.odds.target_numbers import target_numbers
from sheetgen.rules.odds.words import DicePool, Question, RollWords


def resolve_roll(
    roll: RollRules, rules: Ruleset | None = None, options: Mapping[str, Value] | None = None
) -> ResolvedRoll:
    """Return `roll` as it is played with `options`.

    Raises:
        FormulaError: One of its formulas cannot be worked out.
    """
    title = roll.label if rules is None else f"{rules.title}, {roll.label}"
    if roll.kind == SYMBOLS:
        named = {folded(n): id_ for id_, d in roll.dice.items() for n in (id_, *d.aliases, d.name)}
        shown = tuple(str(die.name) for die in roll.dice.values())
        if rules is None:
            return ResolvedRoll(roll, title, RollWords(named, shown=shown, fewer=False))
        added = added_dice(roll, rules, options)
        words = RollWords(
            named,
            shown=(*shown, *added.shown),
            fewer=False,
            adds=added.dice,
            states=added.states,
            refuses={folded(word): why for word, why in roll.refuses.items()},
            upgrades={str(die): str(better) for die, better in roll.upgrades.items()},
        )
        return ResolvedRoll(roll, title, words)
    targets, names = target_numbers(roll, rules)
    also = roll.targets.also if roll.targets else ()
    behind = {folded(name): number for name, number in roll.behind.items()}
    least = 0
    if roll.least is not None and rules is not None:
        least = integer_value(roll.least, OptionScope(rules, options))
    words = RollWords(
        letter=roll.letter.casefold(),
        faces=roll.faces,
        targets=targets,
        behind=behind,
        behind_dice={folded(name): number for name, number in roll.behind_dice.items()},
        refuses={folded(word): why for word, why in roll.refuses.items()},
        shown=(roll.letter, *names, *also, *roll.behind, *roll.behind_dice),
        pips=roll.pips,
        fewer=roll.fewer > 0,
    )
    return ResolvedRoll(roll, title, words, least)


def answer(question: Question, how: ResolvedRoll) -> Answer:
    """Return what may come of `question`.

    Raises:
        OddsError: It asks for more than is counted.
        FormulaError: The formula of an outcome cannot be worked out.
    """
    make = answer_of_symbols if how.roll.kind == SYMBOLS else answer_of_sum
    return make(question, how, _reading_of(question, how))


def pool_text(pool: DicePool, how: ResolvedRoll) -> str:
    """Return `pool` as a reader writes it."""
    if how.roll.kind == SYMBOLS:
        return (
            ", ".join(f"{n} {how.roll.dice[die].name}" for die, n in pool.dice.items() if n) or "–"
        )
    dice = left_of(pool, how)
    code = _code(dice, how) or f"0{how.roll.letter}"
    return f"{code}{pool.pips:+d}".replace("-", "−") if pool.pips else code


def _code(dice: Mapping[int, int], how: ResolvedRoll) -> str:
    usual, letter = how.roll.faces, how.roll.letter
    return " + ".join(f"{n}{letter}{'' if f == usual else f}" for f, n in dice.items())


def _reading_of(question: Question, how: ResolvedRoll) -> str:
    parts = [_side_text(question.pool, how)]
    if question.other is not None:
        parts += ["against", _side_text(question.other, how)]
    elif question.target is not None:
        parts += ["against", str(goal(question))]
        parts += ["+", _code(extra_of(question), how)] if question.extra else []
    more = [
        f"{number:+d}".replace("-", "−") if name in "+-" else f"{name} {number:+d}"
        for name, number in question.more
    ]
    for name, faces, count in question.extra:
        text = _code({faces: count}, how)
        more.append(f"+{text}" if name == "+" else f"{name} +{text}")
    if more and question.target is not None:
        more.insert(0, str(question.target))
    return " ".join(parts) + (f" ({', '.join(more)})" if more else "")


def _side_text(pool: DicePool, how: ResolvedRoll) -> str:
    text = pool_text(pool, how)
    if pool.actions == 1 or how.roll.kind == SYMBOLS:
        return text
    all_dice = pool_text(DicePool(pool.dice, pool.pips), how)
    return f"{text} ({all_dice}, {pool.actions} actions)"
