"""The scope of worked examples: given values, and those that follow from them."""

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
"""The deepest nesting of derived values."""


class ExampleScope(RulesetScope):
    """A scope of given values, traits, derived values and options, without a build.

    Attributes:
        totals: Total ratings by trait; traits under these have at least as much.
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
        """Return a given value, a rating, a derived value or its formula (`how.`), or an option."""
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
            raise FormulaError(f"`{name}` needs a character")
        self.depth += 1
        try:
            return value_of(formula, self)
        finally:
            self.depth -= 1

    def ask(self, function: str, names: Sequence[str]) -> Value:
        """Return the given value of `function.name`, or 0."""
        return self.names.get(".".join((function, *names)), 0)
