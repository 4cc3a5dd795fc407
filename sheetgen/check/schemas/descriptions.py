"""What an editor shows beside a name: its text, price, limit and requirement, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.model.codes import code_text
from sheetgen.model.rulesets.choices import Catalogue, Choice
from sheetgen.model.rulesets.items import Item
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Group, Trait
from sheetgen.rules.brings import closed_texts, grant_texts
from sheetgen.rules.formulas.expressions import parse_formula
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.formulas.notation import formula_text
from sheetgen.rules.index import index_of
from sheetgen.rules.tables.tables import RulesetScope

_SPECIAL = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>#|"})


def describe_traits(rules: Ruleset, groups: tuple[str, ...]) -> dict[str, str]:
    """Return Markdown about the traits of `groups`, or of all if it is empty, by id."""
    scope = RulesetScope(rules)
    return {
        str(id_): _joined(_of_trait(rules, group, trait, scope))
        for group_id, group in rules.groups.items()
        if not groups or str(group_id) in groups
        for id_, trait in group.traits.items()
    }


def describe_choices(rules: Ruleset, catalogue: str) -> dict[str, str]:
    """Return Markdown about the choices of a catalogue, by id."""
    scope, found = RulesetScope(rules), rules.choices[catalogue]
    return {
        str(id_): _joined(_of_choice(rules, found, entry, str(id_), catalogue, scope))
        for id_, entry in found.entries.items()
    }


def describe_gear(rules: Ruleset) -> dict[str, str]:
    """Return Markdown about all items, by id."""
    scope = RulesetScope(rules)
    return {str(id_): _joined(_of_item(rules, item, scope)) for id_, item in rules.gear.items()}


def _of_trait(rules: Ruleset, group: Group, trait: Trait, scope: RulesetScope) -> Iterator[str]:
    yield escaped(filled(trait.text, scope))
    if trait.under:
        yield f"Under {escaped(index_of(rules).titles[str(trait.under)])}."
    yield price_line(rules, group)
    if group.limit is not None:
        yield f"At most: {_formula(group.limit.most)}"
    if trait.needs is not None and trait.why:
        yield f"Not open to all: {escaped(trait.why)}"


def price_line(rules: Ruleset, group: Group) -> str:
    """Return the price of a step of a group's traits: `Price of step n: 2n XP`."""
    pool = rules.pools.get(str(group.pool))
    if group.price is None or pool is None:
        return ""
    return f"Price of step n: {_formula(group.price)} {escaped(pool.label)}"


def _of_choice(
    rules: Ruleset,
    catalogue: Catalogue,
    entry: Choice,
    id_: str,
    catalogue_id: str,
    scope: RulesetScope,
) -> Iterator[str]:
    yield escaped(filled(entry.text, scope))
    yield escaped("; ".join(grant_texts(rules, entry, scope)))
    yield escaped("; ".join(closed_texts(rules, catalogue_id, id_, scope)))
    pool = rules.pools.get(str(entry.pool or catalogue.pool))
    if entry.price is not None and pool is not None:
        yield f"Price: {_formula(entry.price)} {escaped(pool.label)}"


def _of_item(rules: Ruleset, item: Item, scope: RulesetScope) -> Iterator[str]:
    yield escaped(filled(item.text, scope))
    if item.dice is not None:
        yield f"Dice: {code_text(item.dice, pips=rules.pips)}"
    yield escaped(filled(item.special, scope))
    yield "Not for sale." if item.cost is None else f"Cost: {item.cost:,}"


def _formula(formula: str) -> str:
    return escaped(formula_text(parse_formula(formula)))


def escaped(text: str) -> str:
    """Return `text` as Markdown that shows it as it is."""
    return text.translate(_SPECIAL)


def _joined(parts: Iterator[str]) -> str:
    return "\n\n".join(filter(None, parts))
