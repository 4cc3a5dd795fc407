"""The index of a ruleset's names, built once for each ruleset."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, fields, is_dataclass
from typing import Any, TypeVar

from sheetgen.diag.spans import Span
from sheetgen.model.build import DerivedValue, Rating, Value
from sheetgen.model.rulesets.choices import Choice
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Group, Trait
from sheetgen.model.source import Text
from sheetgen.records import frozen
from sheetgen.rules.names import Names, names_of

_HEAD = re.compile(r"(\w+)\(([\w, ]*)\)")


_MOST_CACHED = 4096
"""Values that each cache of an index holds."""

K = TypeVar("K")
V = TypeVar("V")


@frozen
class Index:
    """The names of a ruleset's things.

    Attributes:
        traits: Group id and trait, by trait id.
        formulas: Parameters and text of the named formulas, by name.
        titles: The name to show for each trait: its own, or an alias if another trait has the same.
        by_place: Ids of the traits of each group, in order.
        stated: Ids of the traits whose ratings an author writes.
        summed: Traits whose rating includes others: the trait it is under, if that is added, and
            what it needs.
        together: A cache of the names of several groups.
        modifies: The formulas by which choices and items change each derived value.
        blocks: The traits that have no rating of their own needs nor a limit, by the trait whose
            rating they include: until a file raises one, all of them have that rating.
        required: The keys of a file that are required, by id.
        options: The default of each option.
        derived_values: A cache of derived values, by id and by what the formula depends on.
        kept_rules: Rules that hold, by id and by what they depend on.
        computed_lines: A cache of all computed lines of text, by what their formulas depend on.
        pick_names: A cache of the names under which formulas find a pick, by catalogue and entry.
        plain_ratings: A cache of the ratings that no file changed, by trait, total and limit.
        plain_blocks: The same of blocks, by the trait and its rating.
        by_group, by_catalogue: Names of the traits of each group, and of the choices of each
            catalogue.
    """

    traits: Mapping[str, tuple[str, Trait]]
    formulas: Mapping[str, tuple[tuple[str, ...], str]]
    all_traits: Names
    titles: Mapping[str, str]
    by_place: Mapping[str, tuple[str, ...]]
    stated: frozenset[str]
    summed: Mapping[str, tuple[str, Text | None]]
    by_group: Mapping[str, Names]
    by_catalogue: Mapping[str, Names]
    gear: Names
    keys: Names
    required: Mapping[str, Key]
    options: Mapping[str, Value]
    advances: Names
    tags: frozenset[str]
    facts: frozenset[str]
    modifies: Mapping[str, tuple[str, ...]]
    blocks: Mapping[str, tuple[str, ...]]
    together: dict[tuple[str, ...], Names] = field(default_factory=dict)
    derived_values: dict[tuple[str, object], DerivedValue] = field(default_factory=dict)
    kept_rules: dict[tuple[str, object], None] = field(default_factory=dict)
    computed_lines: dict[object, Mapping[str, str]] = field(default_factory=dict)
    pick_names: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    plain_ratings: dict[tuple[str, int, int | None], Rating] = field(default_factory=dict)
    plain_blocks: dict[tuple[str, int], Mapping[str, Rating]] = field(default_factory=dict)

    def among(self, groups: Iterable[str]) -> Names:
        """Return the names of the traits of several groups together."""
        chosen = tuple(groups)
        if len(chosen) == 1 and chosen[0] in self.by_group:
            return self.by_group[chosen[0]]
        if chosen not in self.together:
            self.together[chosen] = self._of_all(chosen)
        return self.together[chosen]

    def _of_all(self, chosen: tuple[str, ...]) -> Names:
        traits = ((id_, self.traits[id_][1]) for of in chosen for id_ in self.by_place.get(of, ()))
        return names_of((_called(id_, trait) for id_, trait in traits), self.all_traits.spellings)


def keep_in_cache(cache: dict[K, V], key: K, value: V) -> None:
    """Add a value to one of the caches of an index, which is emptied when it is full."""
    if len(cache) >= _MOST_CACHED:
        cache.clear()
    cache[key] = value


_INDEXES: dict[int, tuple[Ruleset, Index]] = {}
_MOST_INDEXES = 64
"""An editor's session loads a ruleset anew for each change of its files."""


def index_of(ruleset: Ruleset) -> Index:
    """Return the index of `ruleset`; the latest are kept."""
    cached = _INDEXES.get(id(ruleset))
    if cached is None or cached[0] is not ruleset:
        while len(_INDEXES) >= _MOST_INDEXES:
            _INDEXES.pop(next(iter(_INDEXES)), None)
        cached = _INDEXES[id(ruleset)] = ruleset, _index(ruleset)
    return cached[1]


def _index(ruleset: Ruleset) -> Index:
    spell = ruleset.spellings
    advances = ruleset.advances.named if ruleset.advances else {}
    traits = {
        str(id_): (str(group_id), trait)
        for group_id, group in ruleset.groups.items()
        for id_, trait in group.traits.items()
    }
    all_traits = names_of((n for g in ruleset.groups.values() for n in _traits(g)), spell)
    summed = dict(_summed(ruleset, traits))
    return Index(
        traits=traits,
        formulas=_formulas(ruleset),
        all_traits=all_traits,
        titles={id_: _title(trait, all_traits) for id_, (_, trait) in traits.items()},
        by_place={str(id_): tuple(map(str, g.traits)) for id_, g in ruleset.groups.items()},
        stated=frozenset(id_ for id_, (of, _) in traits.items() if ruleset.groups[of].stated),
        summed=summed,
        blocks=_blocks(ruleset, traits, summed),
        by_group={
            str(id_): names_of(_traits(group), spell) for id_, group in ruleset.groups.items()
        },
        by_catalogue={
            str(id_): names_of(_entries(catalogue.entries), spell)
            for id_, catalogue in ruleset.choices.items()
        },
        gear=names_of(
            ((str(i), item.name, item.aliases) for i, item in ruleset.gear.items()),
            spell,
        ),
        keys=names_of(
            ((str(i), str(i), key.aliases) for i, key in ruleset.character.items()),
            spell,
        ),
        required={id_: key for id_, key in ruleset.character.items() if key.required},
        options={str(id_): option.default for id_, option in ruleset.options.items()},
        advances=names_of(
            ((str(i), named.name, named.aliases) for i, named in advances.items()),
            spell,
        ),
        tags=frozenset(_tags(ruleset)),
        facts=_fact_names(ruleset),
        modifies=_modifies(ruleset),
    )


def _summed(
    ruleset: Ruleset, traits: Mapping[str, tuple[str, Trait]]
) -> Iterable[tuple[str, tuple[str, Text | None]]]:
    for id_, (group, trait) in traits.items():
        under = trait.under if ruleset.groups[group].sums else None
        if under is not None or trait.needs is not None:
            yield id_, (str(under or ""), trait.needs)


def _blocks(
    ruleset: Ruleset,
    traits: Mapping[str, tuple[str, Trait]],
    summed: Mapping[str, tuple[str, Text | None]],
) -> dict[str, tuple[str, ...]]:
    blocks: dict[str, list[str]] = {}
    for id_, (group, _) in traits.items():
        under, needs = summed.get(id_, ("", None))
        if needs is None and ruleset.groups[group].limit is None:
            blocks.setdefault(under, []).append(id_)
    return {under: tuple(block) for under, block in blocks.items()}


def walk_model(model: Any) -> Iterator[Any]:
    """Yield `model` and every value in it, however deep."""
    yield model
    if is_dataclass(model) and not isinstance(model, Span):
        for field in fields(model):
            yield from walk_model(getattr(model, field.name))
    elif isinstance(model, Mapping):
        for value in model.values():
            yield from walk_model(value)
    elif isinstance(model, tuple):
        for value in model:
            yield from walk_model(value)


def _modifies(ruleset: Ruleset) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    entries = (e for c in ruleset.choices.values() for e in c.entries.values())
    gear = ruleset.gear.values()
    for modifies in (*(e.modifies for e in entries), *(item.modifies for item in gear)):
        for derived, formula in modifies.items():
            found.setdefault(str(derived), {})[formula] = None
    return {derived: tuple(formulas) for derived, formulas in found.items()}


def _fact_names(ruleset: Ruleset) -> frozenset[str]:
    """Return the names of the facts of all choices."""
    entries = (e for c in ruleset.choices.values() for e in c.entries.values())
    return frozenset(str(name) for entry in entries for name in entry.facts)


def _traits(group: Group) -> Iterable[tuple[str, str, Iterable[str]]]:
    return (_called(str(id_), trait) for id_, trait in group.traits.items())


def _called(id_: str, trait: Trait) -> tuple[str, str, Iterable[str]]:
    """Return the id, the name and the other names of a trait."""
    return id_, trait.name, [*trait.aliases, *([trait.short] if trait.short else [])]


def _title(trait: Trait, names: Names) -> str:
    """Return the name of `trait`, or its first unambiguous alias if others have the same name."""
    if len(names.find(trait.name)) < 2:
        return str(trait.name)
    alone = (str(alias) for alias in trait.aliases if len(names.find(alias)) == 1)
    return next(alone, str(trait.name))


def _entries(entries: Mapping[str, Choice]) -> Iterable[tuple[str, str, Iterable[str]]]:
    return ((str(id_), entry.name, entry.aliases) for id_, entry in entries.items())


def _tags(ruleset: Ruleset) -> Iterable[str]:
    for item in ruleset.gear.values():
        yield from map(str, item.tags)
    for catalogue in ruleset.choices.values():
        if catalogue.custom:
            yield from map(str, catalogue.custom.tags)
        for entry in catalogue.entries.values():
            yield from map(str, entry.tags)


def _formulas(ruleset: Ruleset) -> dict[str, tuple[tuple[str, ...], str]]:
    """Return the named formulas: `geometric(n)` is one with a parameter."""
    found = {}
    for head, text in ruleset.formulas.items():
        match = _HEAD.fullmatch(head.strip())
        name = match[1] if match else str(head)
        names = re.split(r"[,\s]+", match[2].strip()) if match and match[2] else []
        found[name] = tuple(n for n in names if n), str(text)
    return found
