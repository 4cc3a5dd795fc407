"""The words of a ruleset's rolls: target numbers by name, and words that add dice to a pool."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from sheetgen.model.build import Value
from sheetgen.model.rulesets.odds import RollRules
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import integer_value
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.option_scope import OptionScope
from sheetgen.rules.names import folded

_NUMBER = re.compile(r"\d+")


def target_numbers(
    roll: RollRules, rules: Ruleset | None
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return target numbers by folded name, and the names as they are printed.

    They come from a table of the ruleset. Of `30+` or `11–15` the first number counts. A table or
    column that does not exist gives nothing; the ruleset's checks report it.
    """
    numbers = dict(_rows(roll, rules))
    found = {folded(name): number for name, number in numbers.items()}
    for other, name in (roll.targets.also if roll.targets else {}).items():
        if folded(name) in found:
            found.setdefault(folded(other), found[folded(name)])
    return found, tuple(numbers)


def _rows(roll: RollRules, rules: Ruleset | None) -> Iterator[tuple[str, int]]:
    table = rules.tables.get(str(roll.targets.table)) if rules and roll.targets else None
    if table is None or roll.targets is None:
        return
    heads = [str(head) for head in table.columns]
    if roll.targets.name not in heads or roll.targets.number not in heads:
        return
    name, number = heads.index(roll.targets.name), heads.index(roll.targets.number)
    for row in table.rows:
        figure = _NUMBER.search(row[number])
        if figure is not None:
            yield row[name], int(figure[0])


class _StateScope(OptionScope):
    """The scope of a character who is in one state, and of whom nothing else is known."""

    def __init__(
        self, rules: Ruleset, options: Mapping[str, Value] | None, names: Sequence[str]
    ) -> None:
        super().__init__(rules, options)
        self.names = names

    def ask(self, function: str, names: Sequence[str]) -> Value:
        if function == "has":
            return int(names[0] in self.names)
        raise FormulaError(f"`{function}` needs a character, and only a state is known")


@frozen
class AddedDice:
    """Words that add dice to a pool.

    Attributes:
        dice: The dice, by folded word.
        states: The words of which only one may be used at a time.
        shown: The words as they are printed.
    """

    dice: Mapping[str, Mapping[str, int]]
    states: frozenset[str]
    shown: tuple[str, ...]


def added_dice(roll: RollRules, rules: Ruleset, options: Mapping[str, Value] | None) -> AddedDice:
    """Return the words that add dice to a pool of `roll`.

    Raises:
        FormulaError: One of the formulas has no value.
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
    return AddedDice(found, frozenset(map(folded, states)), (*names, *states, *others))


def _states(
    roll: RollRules, rules: Ruleset, options: Mapping[str, Value] | None
) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield the names of states, with the dice that the roll of states adds for each."""
    if roll.states is None or roll.states.of not in rules.choices:
        return
    of = str(roll.states.of)
    dice = rules.rolls[str(roll.states.roll)].dice if roll.states.roll in rules.rolls else {}
    for id_, entry in rules.choices[of].entries.items():
        has = (str(id_), of, f"{of}.{id_}", *map(str, entry.tags))
        scope = _StateScope(rules, options, has)
        counts = {str(die): integer_value(formula, scope) for die, formula in dice.items()}
        yield from ((str(name), counts) for name in (entry.name, *entry.aliases))
