"""The scope of formulas that need no build: options, prices and named formulas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas import expressions as syntax
from sheetgen.rules.formulas.evaluate import BRACES, Scope, integer_value, value_of
from sheetgen.rules.formulas.expressions import FormulaError, parse_formula, walk
from sheetgen.rules.index import index_of, number_formulas, walk_model


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


@dataclass
class Reach:
    """The dependencies of some formulas, including those of the formulas that they name."""

    rules: Ruleset
    names: set[str] = field(default_factory=set)
    # calls of functions in `NAMING`: function and names
    asks: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)  # named formulas

    def add(self, formula: str) -> None:
        """Add the dependencies of `formula`."""
        tree = parse_formula(formula)
        self._all(syntax.inputs(tree))
        for part in walk(tree):
            if not isinstance(part, syntax.Call):
                continue
            named = tuple(a.name for a in part.arguments if isinstance(a, syntax.Name))
            if part.function in syntax.NAMING:
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

    def add_line(self, text: str) -> None:
        """Add the dependencies of the formulas in the braces of `text`."""
        for match in BRACES.finditer(text):
            self.add(match[1])

    def add_name(self, name: str) -> None:
        """Add a name and its dependencies."""
        if name in self.names:
            return
        self.names.add(name)
        for number in number_formulas(self.rules, name) if "." in name else ():
            self.add(number)
        derived = self.rules.derived.get(name)
        if derived is not None:
            self.add(derived.value if derived.value is not None else derived.sum or "0")
            for group in derived.over:
                self._all(self.rules.groups[group].traits)
        summed = index_of(self.rules).summed.get(name)
        if summed is not None:
            self._all([summed[0]] if summed[0] else [])
            for formula in summed[1:]:
                if formula is not None:
                    self.add(formula)

    def _all(self, names: Iterable[str]) -> None:
        for name in names:
            self.add_name(str(name))


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
        parts = [part for part in walk(parse_formula(text)) if isinstance(part, syntax.Compare)]
    except FormulaError:  # Most are sentences; the checks report what should be a formula.
        return
    for part in parts:
        sides = part.first, *(right for _, right in part.rest)
        for (sign, _), pair in zip(part.rest, pairwise(sides), strict=True):
            for name, word in (pair, pair[::-1]) if sign in ("==", "!=") else ():
                if isinstance(name, syntax.Name) and isinstance(word, syntax.Word):
                    yield name.name, word.value


NONE, OTHERS = "none", "others"
"""Keys of a limit set: no pick from the catalogue, and the traits without a key of their own."""


def limit_in_row(row: Mapping[str, int], trait: str, most: int) -> int:
    """Return the limit of `trait` in one row of a set."""
    return row.get(trait, row.get(OTHERS, most))


def closed(rules: Ruleset, catalogue: str, entry: str, scope: Scope) -> Iterator[str]:
    """Yield the names of the traits that the pick `entry` closes, or of a wholly closed group."""
    for group in rules.groups.values():
        rule = group.limit
        if rule is None or rule.by != catalogue:
            continue
        row = rule.sets.get(str(scope.value(str(rule.option))), {}).get(entry, {})
        try:
            most = integer_value(rule.most, scope)
        except FormulaError:  # it depends on the build, so that it closes nothing for everybody
            most = 1
        names = [trait for trait in group.traits if limit_in_row(row, trait, most) == 0]
        if names and len(names) == len(group.traits):
            yield f"all {group.label.lower()}"
        else:
            yield from (str(group.traits[trait].name) for trait in names)
