"""The scope of formulas that need no build: options, prices and named formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.evaluate import value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import index_of


class OptionScope:
    """A scope of options, prices of advances, and named formulas."""

    def __init__(self, rules: Ruleset, options: Mapping[str, Value] | None = None) -> None:
        self.rules = rules
        defaults: dict[str, Value] = {str(i): o.default for i, o in rules.options.items()}
        self.options: Mapping[str, Value] = {**defaults, **(options or {})}
        self.formulas = index_of(rules).formulas
        self.priced = rules.advances.named if rules.advances else {}

    def value(self, name: str) -> Value | None:
        """Return the value of an option, or the price `price.NAME`."""
        head, dot, rest = name.partition(".")
        if dot and head == "price" and rest in self.priced:
            return value_of(self.priced[rest].price, self)
        return self.options.get(name)

    def ask(self, function: str, names: Sequence[str]) -> Value:
        """Refuse, since there is no build."""
        raise FormulaError(f"`{function}` needs a character, and a table has none")

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        """Return the named formula `name`."""
        return self.formulas.get(name)
