"""The things of a catalogue, and the facts about them that formulas know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sheetgen.model.build import Value, code_text
from sheetgen.model.rulesets.prints import OddsGrid
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Choice, Grants, Item, Trait
from sheetgen.model.source import Text
from sheetgen.records import frozen
from sheetgen.rules.formulas import evaluate
from sheetgen.rules.formulas.evaluate import Scope, as_figure, filled, holds, value_of, value_text
from sheetgen.rules.formulas.expressions import FormulaError, parse_formula
from sheetgen.rules.formulas.notation import formula_text, label
from sheetgen.rules.index import Names, index_of
from sheetgen.rules.scopes import OptionScope, closed

if TYPE_CHECKING:
    from sheetgen.model.rulesets.prints import ComputedGrid


@frozen
class CreationStep:
    """A step of making a character."""

    number: int
    name: str  # what it is about, as its box is called
    text: str  # what an empty sheet says there
    details: str  # what only tables say


Thing = Item | Choice | Trait | OddsGrid | CreationStep

CREATION = "creation"  # the name of the steps of making a character, which tables list
ODDS = "odds"  # the name of the grids of odds among the things of cards; `odds.ID` is one grid

COMMON_NAMES = ("name", "text", "note")
"""The facts of all things, besides `raises.TRAIT`, `start.POOL` and `tag.TAG`."""


def things(rules: Ruleset, of: str) -> Mapping[str, Thing]:
    """Return the things of `gear`, `creation`, `choices.ID`, `groups.ID`, `odds` or `odds.ID`."""
    what, _, id_ = of.partition(".")
    if of == "gear":
        return rules.gear
    if of == CREATION:
        return creation_steps(rules)
    if what == ODDS and rules.odds is not None:
        grids = rules.odds.grids.items()
        return {name: grid for name, grid in grids if of == ODDS or name == id_}
    if what == "choices" and id_ in rules.choices:
        return rules.choices[id_].entries
    if what == "groups" and id_ in rules.groups:
        return rules.groups[id_].traits
    return {}


def creation_steps(rules: Ruleset) -> Mapping[str, CreationStep]:
    """Return the steps of making a character, each named like the box that it is about."""
    found = {}
    for number, (id_, text) in enumerate(rules.creation.items(), start=1):
        named = rules.groups[id_].label if id_ in rules.groups else label(rules, str(id_))
        name = f"{named[:1].upper()}{named[1:]}"
        found[str(id_)] = CreationStep(number, name, text, rules.creation_details.get(id_, ""))
    return found


def catalogues(rules: Ruleset) -> list[str]:
    """Return all catalogues of things to have."""
    choices = (f"choices.{id_}" for id_ in rules.choices)
    return ["gear", *choices, *(f"groups.{id_}" for id_ in rules.groups)]


def listed(rules: Ruleset) -> list[str]:
    """Return all values of a table's `of` that are no kinds of files."""
    return [CREATION, *catalogues(rules)]


def carded(rules: Ruleset) -> list[str]:
    """Return all values of a card set's `of`: catalogues, and grids of odds."""
    grids = rules.odds.grids if rules.odds is not None else {}
    odds = [ODDS, *(f"{ODDS}.{id_}" for id_ in grids)] if grids else []
    return [*catalogues(rules), *odds]


def things_of_kind(rules: Ruleset, of: str) -> Names:
    """Return the names of the things of `of`."""
    index, (what, _, id_) = index_of(rules), of.partition(".")
    if of == "gear":
        return index.gear
    return index.by_catalogue[id_] if what == "choices" else index.by_group[id_]


def tags_of(thing: Thing) -> tuple[Text, ...]:
    """Return the tags of a thing; that of a trait is the trait that it stands under."""
    if isinstance(thing, Trait):
        return (thing.under,) if thing.under is not None else ()
    return () if isinstance(thing, OddsGrid | CreationStep) else thing.tags


def thing_name(thing: Thing) -> str:
    """Return the name of a thing in the rules; that of a grid is its label."""
    return thing.label if isinstance(thing, OddsGrid) else str(thing.name)


def known_names(rules: Ruleset, *of: str) -> set[str]:
    """Return the names that a text about the things of `of` may use."""
    index = index_of(rules)
    classes = {"gear": Item, "choices": Choice, "groups": Trait, CREATION: CreationStep}
    kinds: set[type] = {classes.get(one.partition(".")[0], OddsGrid) for one in of}
    found = {*COMMON_NAMES, *index.numbers, *rules.options, *(f"tag.{tag}" for tag in index.tags)}
    found.update(*(_FACTS[kind] for kind in kinds))
    if Choice in kinds:
        found |= {f"raises.{trait}" for trait in index.traits}
        found |= {f"start.{pool}" for pool in rules.pools}
        found |= {f"fact.{name}" for name in index_of(rules).facts}
    return found


class RulesetScope(OptionScope):
    """The scope of a table's formulas: options, named formulas and odds, without a build."""

    def __init__(self, rules: Ruleset, options: Mapping[str, Value] | None = None) -> None:
        super().__init__(rules, options)
        self.chances: dict[str, Fraction | None] = {}
        self.grids: dict[str, ComputedGrid] = {}

    def value(self, name: str) -> Value | None:
        """Return the value of an option, of `price.NAME` or of `odds.GRID.OUTCOME.COLUMN`."""
        head, dot, rest = name.partition(".")
        if not dot or head != "odds":
            return super().value(name)
        from sheetgen.rules.odds.odds import grid_chance  # Few tables are odds.

        if rest not in self.chances:
            self.chances[rest] = grid_chance(self.rules, rest, self.options, self.grids)
        return self.chances[rest]


class ThingScope(evaluate.OuterScope):
    """The scope of formulas about one thing: its facts and the options, without a build."""

    def __init__(self, rules: Ruleset, scope: RulesetScope, thing: Thing) -> None:
        super().__init__(scope)
        self.options = scope.options
        self.rules = rules
        self.thing = thing
        self.titles = index_of(rules).titles

    def value(self, name: str) -> Value | None:
        """Return the fact `name` of the thing; a fact of other classes is 0 or an empty text."""
        head, dot, rest = name.partition(".")
        if dot and head in ("raises", "start"):
            return self._granted(head, rest)
        if dot and head == "fact":
            facts = self.thing.facts if isinstance(self.thing, Choice) else {}
            if rest in facts:
                return filled(facts[rest], self)
            return "" if rest in index_of(self.rules).facts else None
        if dot and head == "tag":
            return rest in tags_of(self.thing)
        if name == "name" and isinstance(self.thing, Trait):
            traits = index_of(self.rules).traits.items()
            return next(self.titles[id_] for id_, (_, other) in traits if other is self.thing)
        if name == "name":
            return thing_name(self.thing)
        if name in index_of(self.rules).numbers:
            numbers = self.thing.numbers if isinstance(self.thing, Item | Choice) else {}
            formula = numbers.get(name, "0")
            try:
                return value_of(formula, self.outer)
            except FormulaError:  # It needs a character.
                return formula_text(parse_formula(formula), lambda one: label(self.rules, one))
        if name in COMMON_NAMES:
            return str(filled(getattr(self.thing, name, ""), self))
        if name in _FACTS[type(self.thing)]:
            return _FACTS[type(self.thing)][name](self, self.thing)
        if any(name in names for names in _FACTS.values()):
            return 0 if name in _NUMBERS else ""
        return self.outer.value(name)

    def price(self, entry: Choice) -> Value:
        """Return what a choice costs: its own price, or that of its catalogue."""
        listed = self.rules.choices.values()
        prices = (c.price for c in listed if any(entry is one for one in c.entries.values()))
        formula = entry.price or next(prices, None)
        return value_of(formula, self.outer) if formula else 0

    def spread(self, entry: Choice, name: str) -> Value:
        """Return the points that a choice spreads, or the least or most for each trait."""
        spread = entry.grants.spread if entry.grants else None
        if spread is None:
            return 0
        if name == "points":
            return value_of(spread.points, self.outer)
        return spread.least if name == "least" else spread.most or 0

    def grants(self, entry: Choice) -> Iterator[str]:
        """Yield the names of the choices and items that an entry grants without conditions."""
        grants = entry.grants
        if grants is None:
            return
        entries = {str(i): e for c in self.rules.choices.values() for i, e in c.entries.items()}
        yield from (str(entries[id_].name) for id_ in grants.take if id_ in entries)
        yield from (str(self.rules.gear[id_].name) for id_ in grants.gear if id_ in self.rules.gear)

    def closes(self, entry: Choice) -> Iterator[str]:
        """Yield the names of the traits that an entry closes."""
        for id_, catalogue in self.rules.choices.items():
            for name, other in catalogue.entries.items():
                if other is entry:
                    yield from closed(self.rules, str(id_), str(name), self.outer)

    def _granted(self, head: str, id_: str) -> Value:
        if not isinstance(self.thing, Choice):
            return 0
        given = (g.raise_ if head == "raises" else g.start for g in all_grants(self.thing.grants))
        return sum(as_figure(value_of(steps[id_], self.outer)) for steps in given if id_ in steps)

    def modifiers(self, item: Item) -> str:
        """Return what an item adds to derived values, in one text."""
        amounts = [(k, as_figure(value_of(v, self.outer))) for k, v in item.modifies.items()]
        label = {str(id_): derived.label for id_, derived in self.rules.derived.items()}
        return ", ".join(f"{evaluate.signed_text(int(n))} {label[str(k)]}" for k, n in amounts if n)

    def short(self, trait: str) -> str:
        """Return the short name of a trait."""
        return index_of(self.rules).traits[trait][1].short or self.titles[trait]


# The facts of each class of things that formulas know, by name.
_FACTS: Mapping[type, Mapping[str, Callable[[ThingScope, Any], Value]]] = {
    Item: {
        "skill": lambda scope, item: scope.titles.get(str(item.skill), ""),
        "cost": lambda _, item: int(item.cost or 0),
        "dice": lambda _, item: int(item.dice or 0),
        "adds": lambda scope, item: scope.short(str(item.adds)) if item.adds else "",
        "bonus": lambda _, item: int(item.bonus or 0),
        "special": lambda scope, item: filled(str(item.special), scope),
        "conditional": lambda scope, item: filled(str(item.conditional), scope),
        "modifies": lambda scope, item: scope.modifiers(item),
    },
    Choice: {
        "focus": lambda _, entry: entry.focus.name if entry.focus else "",
        "focus_skill": lambda scope, entry: (
            scope.titles.get(str(entry.focus.skill), "") if entry.focus else ""
        ),
        "once": lambda _, entry: entry.once,
        "points": lambda scope, entry: scope.spread(entry, "points"),
        "least": lambda scope, entry: scope.spread(entry, "least"),
        "most": lambda scope, entry: scope.spread(entry, "most"),
        "price": lambda scope, entry: scope.price(entry),
        "dice": lambda _, entry: entry.dice,
        "offers": lambda scope, entry: ", ".join(
            scope.titles.get(str(trait), str(trait)) for trait in entry.offers
        ),
        "roll": lambda _, entry: str(entry.roll or ""),
        "brings": lambda scope, entry: ", ".join(scope.grants(entry)),
        "closed": lambda scope, entry: ", ".join(scope.closes(entry)),
    },
    Trait: {
        "short": lambda _, trait: str(trait.short or ""),
        "keyword": lambda _, trait: str(trait.keyword or ""),
        "under": lambda scope, trait: scope.titles.get(str(trait.under), ""),
    },
    CreationStep: {
        "number": lambda _, step: step.number,
        "details": lambda scope, step: filled(step.details, scope),
    },
    OddsGrid: {
        "about": lambda _, grid: grid.about,
        "roll": lambda scope, grid: str(
            grid.roll or next(iter(scope.rules.odds.rolls if scope.rules.odds else ()), "")
        ),
    },
}
_NUMBERS = ("number", "cost", "dice", "bonus", "once", "points", "least", "most", "price")


def all_grants(grants: Grants | None) -> Iterator[Grants]:
    """Yield `grants` and the conditional grants inside it."""
    if grants is not None:
        yield grants
        for more in grants.when:
            yield from all_grants(more)


def grant_texts(rules: Ruleset, entry: Choice, scope: Scope) -> Iterator[str]:
    """Yield what `entry` grants without conditions, and what it allows to take."""
    if entry.grants is not None:
        yield from _granted(rules, entry.grants, scope)
    if entry.focus is not None:
        yield f"focus {entry.focus.name}"
    if entry.offers:
        titles = index_of(rules).titles
        yield "offers " + ", ".join(titles.get(str(id_), str(id_)) for id_ in entry.offers)
    if entry.requires is not None and entry.why:
        with suppress(FormulaError):  # it depends on the character
            if holds(entry.requires, scope):
                return
        yield f"not open to all: {entry.why}"


def closed_texts(rules: Ruleset, catalogue: str, name: str, scope: Scope) -> Iterator[str]:
    """Yield the traits that the choice closes under the limits in force."""
    index = index_of(rules).titles
    names = [index.get(trait, trait) for trait in closed(rules, catalogue, name, scope)]
    if names:
        yield "closed: " + ", ".join(names)


def _granted(rules: Ruleset, grants: Grants, scope: Scope) -> Iterator[str]:
    figures = []
    for trait, steps in grants.raise_.items():
        group_id, rule = index_of(rules).traits.get(trait, ("", None))
        if rule is None or not rule.internal:
            name = (rule.short if rule else "") or index_of(rules).titles.get(trait, trait)
            figures.append(name)
            with suppress(FormulaError):  # it depends on the character
                value = value_of(steps, scope)
                in_dice = rule is not None and rules.groups[group_id].rating == "dice"
                in_dice = in_dice and isinstance(value, int)
                shown = code_text(int(value), pips=rules.pips) if in_dice else value_text(value)
                figures[-1] = f"{name} {shown}"
    if figures:
        yield ", ".join(figures)
    entries = {str(i): str(e.name) for c in rules.choices.values() for i, e in c.entries.items()}
    if grants.take:
        yield "brings " + ", ".join(entries.get(id_, id_) for id_ in grants.take)
    for pool, amount in grants.start.items():
        label = rules.pools[str(pool)].label if str(pool) in rules.pools else str(pool)
        yield f"starts with {_value(amount, scope)} {label}"
    if grants.gear:
        yield "has " + ", ".join(
            str(rules.gear[id_].name) if id_ in rules.gear else id_ for id_ in grants.gear
        )
    if grants.dice:
        yield "dice " + ", ".join(grants.dice)


def _value(formula: str, scope: Scope) -> str:
    try:
        return value_text(value_of(formula, scope))
    except FormulaError:
        return ""
