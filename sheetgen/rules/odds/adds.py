"""Words that add dice to a pool of symbols: difficulties, states, and what else a ruleset names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sheetgen.model.build import Value
from sheetgen.model.rulesets.choices import Choice
from sheetgen.model.rulesets.odds import RollRules
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.evaluate import integer_value
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.option_scope import OptionScope
from sheetgen.rules.names import folded
from sheetgen.rules.odds.target_numbers import target_numbers


class _InState(OptionScope):
    """The scope of somebody who is in one state and of whom nothing else is known."""

    def __init__(
        self, rules: Ruleset, options: Mapping[str, Value] | None, names: Sequence[str]
    ) -> None:
        super().__init__(rules, options)
        self.names = names

    def ask(self, function: str, names: Sequence[str]) -> Value:
        if function == "has":
            return int(names[0] in self.names)
        raise FormulaError(f"`{function}` needs a build, and only a state is known")


@dataclass(frozen=True, slots=True)
class Added:
    """Words that add dice.

    Attributes:
        dice: Dice by folded word.
        states: Those words of which only one counts.
        shown: The words as they are printed.
    """

    dice: Mapping[str, Mapping[str, int]]
    states: frozenset[str]
    shown: tuple[str, ...]


def added_dice(roll: RollRules, rules: Ruleset, options: Mapping[str, Value] | None) -> Added:
    """Return the words that add dice to a pool of `roll`.

    Raises:
        FormulaError: One of the formulas cannot be worked out.
    """
    found: dict[str, Mapping[str, int]] = {}
    names: tuple[str, ...] = ()
    if roll.targets is not None and roll.targets.die is not None:
        numbers, names = target_numbers(roll, rules)
        found |= {name: {str(roll.targets.die): number} for name, number in numbers.items()}
    states = dict(_states(roll, rules, options))
    scope = OptionScope(rules, options)
    others = {
        str(word): {str(die): integer_value(formula, scope) for die, formula in adds.items()}
        for word, adds in roll.adds.items()
    }
    found |= {folded(word): dice for word, dice in (states | others).items()}
    return Added(found, frozenset(map(folded, states)), (*names, *states, *others))


def _states(
    roll: RollRules, rules: Ruleset, options: Mapping[str, Value] | None
) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield the names of states, with the dice of the roll that says what they add."""
    if roll.states is None or roll.states.of not in rules.choices:
        return
    dice = rules.rolls[str(roll.states.roll)].dice if roll.states.roll in rules.rolls else {}
    for id_, entry in rules.choices[str(roll.states.of)].entries.items():
        scope = _InState(rules, options, _names(str(roll.states.of), str(id_), entry))
        counts = {str(die): integer_value(formula, scope) for die, formula in dice.items()}
        for name in (entry.name, *entry.aliases):
            yield str(name), counts


def _names(catalogue: str, id_: str, entry: Choice) -> tuple[str, ...]:
    return (id_, catalogue, f"{catalogue}.{id_}", *map(str, entry.tags))
