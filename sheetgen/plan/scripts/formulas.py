"""Compile formulas of a program to JavaScript, and collect the names that they use."""

from __future__ import annotations

from collections.abc import Iterable, Set

from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.scripts.inputs import Inputs
from sheetgen.rules.formulas.javascript import function, template
from sheetgen.rules.formulas.lines import BRACES
from sheetgen.rules.formulas.reach import Reach
from sheetgen.rules.index import index_of


class Formulas:
    """Compiles formulas, and collects what all of them use in `reach`."""

    def __init__(self, rules: Ruleset, inputs: Inputs) -> None:
        self.rules, self.inputs, self.index = rules, inputs, index_of(rules)
        self.reach = Reach(rules)

    def function(self, formula: str | None) -> str:
        """Return a formula as a function; None as `0`."""
        if formula is None:
            return "0"
        self.reach.add(formula)
        return function(formula)

    def template(self, text: str) -> str:
        """Return a text with formulas in braces as an array."""
        self.reach.add_line(text)
        return template(text)

    def live(self, formulas: Iterable[str], own: Set[str] = frozenset()) -> bool:
        """Return whether any of `formulas` depends on fields of the sheet.

        Args:
            own: Names that the formulas see before those of the character.
        """
        reach = Reach(self.rules)
        for formula in formulas:
            reach.add(formula)
        entries = (names for state in self.inputs.states.values() for names in state.values())
        states = {name for names in entries for name in names}
        asked = (names for function, names in reach.asks if function in ("has", "picked"))
        changed = {
            ("modifiers", (str(derived),))
            for catalogue, listed in self.rules.choices.items()
            for id_, entry in listed.entries.items()
            if f"{catalogue}.{id_}" in states
            for derived in entry.modifies
        }
        moves = (reach.names - own) & self.inputs.live or states & {n for ns in asked for n in ns}
        return bool(moves or changed & reach.asks)

    def live_text(self, text: str, own: Set[str] = frozenset()) -> bool:
        """Return whether a formula in the braces of `text` depends on fields of the sheet."""
        return "{" in text and self.live(BRACES.findall(text), own)
