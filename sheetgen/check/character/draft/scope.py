"""The names that formulas see while a character is checked, and derived values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from sheetgen.model.build import Owned, Value
from sheetgen.rules.formulas.evaluate import value_of
from sheetgen.rules.formulas.expressions import FormulaError

if TYPE_CHECKING:
    from sheetgen.check.character.draft.draft import Draft


class DraftScope:
    """The names of a draft; `names` of the place where a formula is take precedence."""

    def __init__(self, draft: Draft, names: Mapping[str, Value]) -> None:
        self.draft = draft
        self.names = names

    def value(self, name: str) -> Value | None:
        """Return the value of `name`; None if nothing has that name."""
        if name in self.names:
            return self.names[name]
        draft = self.draft
        found = draft.known.get(name)
        if found is None:
            found = self._find(name)
            changes = name in draft.computing or name in draft.rules.pools
            if found is not None and draft.settled is not None and not changes:
                draft.known[name] = found
        return found

    def _find(self, name: str) -> Value | None:
        draft = self.draft
        if name in draft.options:
            return draft.options[name]
        if name in draft.index.traits:
            return draft.total(name)
        if name in draft.rules.derived:
            return self.derived(name)
        if name in draft.rules.pools:
            return draft.left(name)
        if name in draft.rules.character:
            return draft.numbers.get(name, 0)
        return None

    def derived(self, name: str) -> Value | None:
        """Return the derived value `name`, computing it and those that it needs."""
        draft = self.draft
        if name in draft.derived:
            return draft.derived[name].value
        if name in draft.computing:
            raise FormulaError(f"`{name}` needs itself")
        return draft.cached(name, lambda: self._compute(name))

    def _compute(self, name: str) -> Value:
        rule = self.draft.rules.derived[name]
        if rule.value is not None:
            return value_of(rule.value, DraftScope(self.draft, {}))
        total: int | Fraction = 0
        for trait in (t for g in rule.over for t in self.draft.traits_of(g)):
            each = value_of(rule.sum or "0", TraitScope(self.draft, trait))
            total += each if not isinstance(each, str) else 0
        return total

    def stars(self, trait: str) -> int:
        """Return the stars of `trait`."""
        stated = self.draft.stated.get(trait)
        return stated.stars if stated else 0

    def ask(self, function: str, names: Sequence[str]) -> Value:
        """Return the result of `function` for `names`; see docs/reference/formulas.md."""
        key, cache = (function, *names), self.draft.cache
        if key not in cache:
            answer = self._answer(function, names)
            if self.draft.settled is None:
                return answer
            cache[key] = answer
        found: Value = cache[key]
        return found

    def _answer(self, function: str, names: Sequence[str]) -> Value:
        draft = self.draft
        name = names[0] if names else ""
        if function == "has":
            return draft.times_taken(name)
        if function == "picked":
            return draft.times_taken(name, picked=True)
        if function == "own":
            return draft.own(name)
        if function == "free":
            return min(draft.granted(name), draft.own(name))
        if function == "stars":
            return self.stars(name)
        if function == "linked":
            links = [traits for traits in draft.links.values() if name in traits]
            return sum(draft.own(other) for link in links for other in link if other != name)
        if function == "modifiers":
            return sum(amount for _, amount in modifiers(draft, name))
        if function == "items":
            return sum(i.count for i in draft.items if name in (*i.tags, i.item))
        if function == "best":
            return max((i.dice or 0 for i in draft.items if name in (*i.tags, i.item)), default=0)
        if function == "holds" and len(names) == 2:
            return sum(
                i.count for i in draft.items if i.key == name and names[1] in (*i.tags, i.item)
            )
        raise FormulaError(f"`{function}` takes other names")

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        """Return the named formula `name`."""
        return self.draft.index.formulas.get(name)


_OF_A_TRAIT: Final[Mapping[str, Callable[[Draft, str], int]]] = {
    "n": lambda draft, trait: draft.own(trait),
    "free": lambda draft, trait: min(draft.granted(trait), draft.own(trait)),
    "stars": lambda draft, trait: DraftScope(draft, {}).stars(trait),
    "reached": lambda draft, trait: draft.reached(trait),
    "limit": lambda draft, trait: draft.limit(trait),
}


class TraitScope(DraftScope):
    """The names of one trait of a sum, before those of the draft."""

    def __init__(self, draft: Draft, trait: str) -> None:
        super().__init__(draft, {})
        self.trait = trait

    def value(self, name: str) -> Value | None:
        """Return the value of `name`; None if nothing has that name."""
        compute = _OF_A_TRAIT.get(name)
        return compute(self.draft, self.trait) if compute is not None else super().value(name)


def modifiers(draft: Draft, derived: str) -> Iterator[tuple[str, int]]:
    """Yield what changes a derived value, and by how much: active items, and picks."""
    for name, formulas, times in find_modifiers(draft, derived):
        if amount := sum(map(draft.eval_int, formulas)) * times:
            yield name, amount


def find_modifiers(
    draft: Draft, derived: str, without: Collection[str] = ()
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Yield what changes a derived value: its name, the formulas of the amount, and how often.

    Args:
        without: Keys whose picks are left out.
    """
    for item in draft.items:
        if item.active and derived in item.changes:
            listed = draft.rules.gear.get(item.item)
            yield (listed.short if listed else "") or item.name, item.changes[derived], 1
    for pick in draft.picks:
        entry = draft.entry_of(pick) if pick.key not in without else None
        if entry and derived in entry.modifies:
            yield entry.name, (entry.modifies[derived],), pick.times


def item_changes(draft: Draft, item: Owned) -> dict[str, int]:
    """Return by how much an item changes derived values while it is worn or held."""
    return {d: sum(map(draft.eval_int, formulas)) for d, formulas in item.changes.items()}
