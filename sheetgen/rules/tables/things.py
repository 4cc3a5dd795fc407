"""The things of a catalogue, and the names by which formulas know what each is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sheetgen.model.build import Value
from sheetgen.model.rulesets.odds import OddsGrid
from sheetgen.model.rulesets.ruleset import Choice, Grants, Item, Ruleset, Trait
from sheetgen.model.source import Text
from sheetgen.rules.formulas.evaluate import value_of
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.formulas.numbers import as_figure
from sheetgen.rules.index import fact_names, index_of
from sheetgen.rules.limits import closed
from sheetgen.rules.names import Names
from sheetgen.rules.tables.tables import RulesetScope

Thing = Item | Choice | Trait | OddsGrid

ODDS = "odds"
"""What the grids of odds are called where cards are made of things; `odds.ID` is one of them."""

ITEM_NAMES = ("skill", "cost", "dice", "adds", "bonus", "special", "conditional", "modifies")
ENTRY_NAMES = (
    *("focus", "focus_skill", "once", "points", "least", "most", "price", "dice", "offers", "roll"),
    *("brings", "closed"),
)
TRAIT_NAMES = ("short", "keyword", "under")
GRID_NAMES = ("about", "roll")
COMMON_NAMES = ("name", "text", "note")
"""What formulas may say of things, besides `raises.TRAIT`, `start.POOL` and `tag.TAG`."""


def things(rules: Ruleset, of: str) -> Mapping[str, Thing]:
    """Return what `of` means, by id: `gear`, `choices.ID`, `groups.ID`, `odds`, `odds.ID`.

    What means nothing has no things.
    """
    what, _, id_ = of.partition(".")
    if of == "gear":
        return rules.gear
    if what == ODDS and rules.odds is not None:
        grids = rules.odds.grids.items()
        return {name: grid for name, grid in grids if of == ODDS or name == id_}
    if what == "choices" and id_ in rules.choices:
        return rules.choices[id_].entries
    if what == "groups" and id_ in rules.groups:
        return rules.groups[id_].traits
    return {}


def catalogues(rules: Ruleset) -> list[str]:
    """Return all that `of` of a table can mean."""
    choices = (f"choices.{id_}" for id_ in rules.choices)
    return ["gear", *choices, *(f"groups.{id_}" for id_ in rules.groups)]


def carded(rules: Ruleset) -> list[str]:
    """Return all that `of` of a card set can mean: catalogues, and grids of odds."""
    grids = rules.odds.grids if rules.odds is not None else {}
    odds = [ODDS, *(f"{ODDS}.{id_}" for id_ in grids)] if grids else []
    return [*catalogues(rules), *odds]


def things_of_kind(rules: Ruleset, of: str) -> Names:
    """Return the names of the things that `of` means."""
    index, (what, _, id_) = index_of(rules), of.partition(".")
    if of == "gear":
        return index.gear
    return index.by_catalogue[id_] if what == "choices" else index.by_group[id_]


def tags_of(thing: Thing) -> tuple[Text, ...]:
    """Return the tags of a thing; traits and grids have none."""
    return () if isinstance(thing, Trait | OddsGrid) else thing.tags


def thing_name(thing: Thing) -> str:
    """Return the name of a thing as the rules write it; that of a grid is its label."""
    return thing.label if isinstance(thing, OddsGrid) else str(thing.name)


def known_names(rules: Ruleset, *of: str) -> set[str]:
    """Return every name that a text about the things of `of` may use."""
    index = index_of(rules)
    kinds = {_kind_of(one) for one in of}
    found = {*COMMON_NAMES, *rules.options, *(f"tag.{tag}" for tag in index.tags)}
    found.update(*(_OF[kind] for kind in kinds))
    if Choice in kinds:
        found |= {f"raises.{trait}" for trait in index.traits}
        found |= {f"start.{pool}" for pool in rules.pools}
        found |= {f"fact.{name}" for name in fact_names(rules)}
    return found


def _kind_of(of: str) -> type:
    """Return what the things of a catalogue are."""
    kinds = {"gear": Item, "choices": Choice, "groups": Trait}
    return kinds.get(of.partition(".")[0], OddsGrid)


class ThingScope:
    """The scope of formulas about one thing: what it is, the options, and no build."""

    def __init__(self, rules: Ruleset, scope: RulesetScope, thing: Thing) -> None:
        self.rules = rules
        self.scope = scope
        self.thing = thing
        self.titles = index_of(rules).titles

    def value(self, name: str) -> Value | None:
        """Return what `name` is of the thing; what it has none of is 0, or no words."""
        head, dot, rest = name.partition(".")
        if dot and head in ("raises", "start"):
            return self._granted(head, rest)
        if dot and head == "fact":
            facts = self.thing.facts if isinstance(self.thing, Choice) else {}
            if rest in facts:
                return filled(facts[rest], self)
            return "" if rest in fact_names(self.rules) else None
        if dot and head == "tag":
            return rest in tags_of(self.thing)
        if name == "name" and isinstance(self.thing, Trait):
            return self._title(self.thing)
        if name == "name":
            return thing_name(self.thing)
        if name in COMMON_NAMES:
            return str(filled(getattr(self.thing, name, ""), self))
        if name in _OF[type(self.thing)]:
            return self._said(name)
        if any(name in names for names in _OF.values()):
            return 0 if name in _NUMBERS else ""
        return self.scope.value(name)

    def _title(self, trait: Trait) -> str:
        """Return the name of a trait as sheets show it, told from its namesakes."""
        traits = index_of(self.rules).traits.items()
        return next(self.titles[id_] for id_, (_, other) in traits if other is trait)

    def _said(self, name: str) -> Value:
        thing = self.thing
        if isinstance(thing, Item):
            return self._of_item(thing, name)
        if isinstance(thing, Choice):
            return self._of_entry(thing, name)
        if isinstance(thing, OddsGrid):
            return thing.about if name == "about" else self._rolled(thing)
        if name == "under":
            return self.titles.get(str(thing.under), "")
        return str(getattr(thing, name) or "")

    def _rolled(self, grid: OddsGrid) -> str:
        """Return the id of the roll of a grid: the first of the rules where it names none."""
        rolls = self.rules.odds.rolls if self.rules.odds is not None else ()
        return str(grid.roll or next(iter(rolls), ""))

    def _of_item(self, item: Item, name: str) -> Value:
        if name == "modifies":
            return self._modifiers(item)
        said = getattr(item, name)
        if name == "adds":
            return self._short(str(said)) if said else ""
        if name == "skill":
            return self.titles.get(str(said), "")
        if name in ("special", "conditional"):
            return filled(str(said), self)
        return 0 if said is None else int(said)

    def _of_entry(self, entry: Choice, name: str) -> Value:
        if name == "focus":
            return entry.focus.name if entry.focus else ""
        if name == "focus_skill":
            return self.titles.get(str(entry.focus.skill), "") if entry.focus else ""
        if name == "once":
            return entry.once
        if name == "dice":
            return entry.dice
        if name == "offers":
            return ", ".join(self.titles.get(str(trait), str(trait)) for trait in entry.offers)
        if name == "roll":
            return str(entry.roll or "")
        if name == "brings":
            return ", ".join(self._brought(entry))
        if name == "closed":
            return ", ".join(self._closed(entry))
        if name == "price":
            price = entry.price or self._catalogue_price(entry)
            return value_of(price, self.scope) if price else 0
        spread = entry.grants.spread if entry.grants else None
        if spread is None:
            return 0
        if name == "points":
            return value_of(spread.points, self.scope)
        return spread.least if name == "least" else spread.most or 0

    def _brought(self, entry: Choice) -> Iterator[str]:
        """Yield the names of the choices and items that an entry gives in any case."""
        grants = entry.grants
        if grants is None:
            return
        entries = {str(i): e for c in self.rules.choices.values() for i, e in c.entries.items()}
        yield from (str(entries[id_].name) for id_ in grants.take if id_ in entries)
        yield from (str(self.rules.gear[id_].name) for id_ in grants.gear if id_ in self.rules.gear)

    def _closed(self, entry: Choice) -> Iterator[str]:
        for id_, catalogue in self.rules.choices.items():
            for name, other in catalogue.entries.items():
                if other is entry:
                    yield from closed(self.rules, str(id_), str(name), self.scope)

    def _catalogue_price(self, entry: Choice) -> Text | None:
        for catalogue in self.rules.choices.values():
            if any(entry is other for other in catalogue.entries.values()):
                return catalogue.price
        return None

    def _granted(self, head: str, id_: str) -> Value:
        if not isinstance(self.thing, Choice):
            return 0
        given = (g.raise_ if head == "raises" else g.start for g in all_grants(self.thing.grants))
        return sum(as_figure(value_of(steps[id_], self.scope)) for steps in given if id_ in steps)

    def _modifiers(self, item: Item) -> str:
        said = [(k, as_figure(value_of(v, self.scope))) for k, v in item.modifies.items()]
        label = {str(id_): derived.label for id_, derived in self.rules.derived.items()}
        return ", ".join(f"{int(n):+d} {label[str(k)]}" for k, n in said if n).replace("-", "−")

    def _short(self, trait: str) -> str:
        return index_of(self.rules).traits[trait][1].short or self.titles[trait]

    def ask(self, function: str, names: Sequence[str]) -> Value:
        """Refuse: nobody was built."""
        return self.scope.ask(function, names)

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        """Return the named formula `name`."""
        return self.scope.formula(name)


_OF: Mapping[type, tuple[str, ...]] = {
    Item: ITEM_NAMES,
    Choice: ENTRY_NAMES,
    Trait: TRAIT_NAMES,
    OddsGrid: GRID_NAMES,
}


_NUMBERS = ("cost", "dice", "bonus", "once", "points", "least", "most", "price")


def all_grants(grants: Grants | None) -> Iterator[Grants]:
    """Yield what is given in any case, and what under a condition."""
    if grants is not None:
        yield grants
        for more in grants.when:
            yield from all_grants(more)
