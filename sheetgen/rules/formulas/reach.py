"""The dependencies of formulas: all names, questions and functions, at any depth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.expressions import NAMING, Call, Name, Tree, parse_formula
from sheetgen.rules.formulas.lines import BRACES
from sheetgen.rules.formulas.trees import inputs, walk
from sheetgen.rules.index import index_of


@dataclass
class Reach:
    """The dependencies of some formulas, including those of the formulas that they name.

    Attributes:
        asks: Calls of functions in `NAMING`: function and names.
        functions: Named formulas.
    """

    rules: Ruleset
    names: set[str] = field(default_factory=set)
    asks: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)

    def add(self, formula: str) -> None:
        """Add the dependencies of `formula`."""
        self._tree(parse_formula(formula))

    def add_line(self, text: str) -> None:
        """Add the dependencies of the formulas in the braces of `text`."""
        for match in BRACES.finditer(text):
            self.add(match[1])

    def add_name(self, name: str) -> None:
        """Add a name and its dependencies."""
        if name in self.names:
            return
        self.names.add(name)
        derived = self.rules.derived.get(name)
        if derived is not None:
            self.add(derived.value if derived.value is not None else derived.sum or "0")
            for group in derived.over:
                self._all(self.rules.groups[group].traits)
        summed = index_of(self.rules).summed.get(name)
        if summed is not None:
            self._all([summed[0]] if summed[0] else [])
            if summed[1] is not None:
                self.add(summed[1])

    def _all(self, names: Iterable[str]) -> None:
        for name in names:
            self.add_name(str(name))

    def _tree(self, tree: Tree) -> None:
        self._all(inputs(tree))
        for part in walk(tree):
            if not isinstance(part, Call):
                continue
            named = tuple(a.name for a in part.arguments if isinstance(a, Name))
            if part.function in NAMING:
                seen = (part.function, named) in self.asks
                self.asks.add((part.function, named))
                if part.function in ("own", "free", "stars", "linked"):
                    self._all(named)
                elif part.function == "modifiers" and not seen:
                    for formula in index_of(self.rules).modifies.get("".join(named), ()):
                        self.add(formula)
            elif part.function not in self.functions:
                found = index_of(self.rules).formulas.get(part.function)
                if found is not None:
                    self.functions.add(part.function)
                    self.add(found[1])
