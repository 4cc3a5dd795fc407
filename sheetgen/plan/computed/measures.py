"""What the parts of a sheet that is worked out have in common: the rules and the measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.computed.flow import GRID


class Measured:
    """Something of `rules` that is laid out by the measures `told` of a sheet, in points."""

    def __init__(self, rules: Ruleset, told: Mapping[str, Any]) -> None:
        self.rules = rules
        self.told = told

    def span(self, needs: float) -> int:
        """Return the narrowest columns of the grid that are `needs` points wide."""
        for span in self.told["spans"]:
            if needs <= self.width(span):
                return int(span)
        return GRID

    def width(self, span: int) -> float:
        """Return how wide `span` columns of the grid are, in points."""
        return (16 * span - 4) * 72 / 25.4

    def label(self, id_: str) -> str:
        """Return what a key of the character's file is called on the sheet."""
        key = self.rules.character[id_]
        if not key.label and key.kind == "choice" and set(key.of[:1]) & set(self.rules.choices):
            return id_label(self.rules.choices[key.of[0]].one)
        return key.label or id_label(id_)


def id_label(id_: str) -> str:
    """Return an id as a label: `at_hand` is `At hand`."""
    return id_.replace("_", " ").capitalize()
