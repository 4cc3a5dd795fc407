"""The dependencies of formulas: all names, questions and functions, at any depth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.expressions import (
    NAMING,
    Call,
    Compare,
    FormulaError,
    Name,
    Tree,
    Word,
    parse_formula,
)
from sheetgen.rules.formulas.lines import BRACES
from sheetgen.rules.formulas.trees import inputs, walk
from sheetgen.rules.index import index_of, walk_model


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


@lru_cache(maxsize=16)
def list_compared_words(ruleset: Ruleset) -> Mapping[str, frozenset[str]]:
    """Return the words that formulas about characters compare with a text of theirs, by its key."""
    parts = ruleset.character, ruleset.derived, ruleset.rules, ruleset.texts, ruleset.groups
    found: dict[str, set[str]] = {}
    texts = [text for text in walk_model(parts) if isinstance(text, str)]
    for text in texts:
        for formula in (text, *BRACES.findall(text)) if "'" in text or '"' in text else ():
            for name, word in _comparisons(formula):
                if name in ruleset.character and ruleset.character[name].kind == "text":
                    found.setdefault(name, set()).add(word)
    return {name: frozenset(words) for name, words in found.items()}


def _comparisons(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names that a formula compares with words; none of a text that is no formula."""
    try:
        parts = [part for part in walk(parse_formula(text)) if isinstance(part, Compare)]
    except FormulaError:  # Most are sentences; the checks report what should be a formula.
        return
    for part in parts:
        sides = part.first, *(right for _, right in part.rest)
        for (sign, _), pair in zip(part.rest, pairwise(sides), strict=True):
            for name, word in (pair, pair[::-1]) if sign in ("==", "!=") else ():
                if isinstance(name, Name) and isinstance(word, Word):
                    yield name.name, word.value
