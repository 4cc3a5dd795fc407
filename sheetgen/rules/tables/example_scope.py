"""The scope of worked examples: a few values are given, and the rest follows from the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.evaluate import value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.how import blank_how
from sheetgen.rules.index import index_of
from sheetgen.rules.tables.tables import RulesetScope

MOST_DEPTH = 20
"""How many derived values may need one another."""


class ExampleScope(RulesetScope):
    """Some values, the traits and derived values that follow, options, and no build.

    Attributes:
        totals: Ratings as a whole, by trait; where there are some, other traits under
            those have as many.
    """

    def __init__(
        self,
        rules: Ruleset,
        names: Mapping[str, Value],
        totals: Mapping[str, int] | None = None,
        options: Mapping[str, Value] | None = None,
    ) -> None:
        super().__init__(rules, options)
        self.rules = rules
        self.names = names
        self.totals = totals or {}
        self.depth = 0

    def value(self, name: str) -> Value | None:
        """Return what is given, a rating, a derived value (or `how.` it comes), or an option."""
        traits = index_of(self.rules).traits
        if name in self.totals:
            return self.totals[name]
        if name in traits:
            under = self.value(str(traits[name][1].under)) if traits[name][1].under else 0
            own, below = self.names.get(name, 0), under or 0
            if isinstance(own, str) or isinstance(below, str):
                raise FormulaError(f"`{name}` is not a number")
            return own + below
        if name in self.names:
            return self.names[name]
        head, dot, rest = name.partition(".")
        if dot and head == "how" and rest in self.rules.derived:
            return blank_how(self.rules, self.rules.derived[rest])
        if name in self.rules.derived:
            return self._derived(name)
        if name in self.rules.pools:
            return value_of(self.rules.pools[name].start, self)
        return super().value(name)

    def _derived(self, name: str) -> Value:
        formula = self.rules.derived[name].value
        if formula is None or self.depth > MOST_DEPTH:
            raise FormulaError(f"`{name}` needs a build")
        self.depth += 1
        try:
            return value_of(formula, self)
        finally:
            self.depth -= 1

    def ask(self, function: str, names: Sequence[str]) -> Value:
        """Return what is given as `function.name`; nothing was taken, and nothing is held."""
        return self.names.get(".".join((function, *names)), 0)
