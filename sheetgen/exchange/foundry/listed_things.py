"""Export of what a ruleset lists, such as its gear, as items. Start with `make_things`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sheetgen.exchange.foundry.actors import ActorContext, ItemPart, make_item, owned_text
from sheetgen.exchange.foundry.documents import Document
from sheetgen.exchange.foundry.scope import PartScope, owned_names
from sheetgen.model.build import Owned, Value
from sheetgen.model.rulesets.choices import Choice
from sheetgen.model.rulesets.items import Item
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.tables.tables import RulesetScope
from sheetgen.rules.tables.things import ThingScope, tags_of, things


def make_things(
    rules: Ruleset, options: Mapping[str, Value], context: ActorContext
) -> Iterator[tuple[str, str, Document]]:
    """Yield the listed things as items, each from the first map that takes it: of, id and item."""
    outer = RulesetScope(rules, options)
    actors = context.plan.actors
    actor = actors.get("character") or next(iter(actors.values()), None)
    attributes = actor.attributes if actor is not None else {}
    taken: set[tuple[str, str]] = set()
    for item in context.plan.things:
        of = str(item.of)
        for id_, thing in things(rules, of).items():
            tags = {*map(str, tags_of(thing))}
            if (of, str(id_)) in taken or (item.where and not tags & {*item.where}):
                continue
            taken.add((of, str(id_)))
            scope = ThingScope(rules, outer, thing)
            owned = _as_owned(str(id_), thing, scope) if isinstance(thing, Item) else None
            names = owned_names(owned, rules, attributes) if owned is not None else {}
            text = [*owned_text(owned, rules)] if owned is not None else []
            if isinstance(thing, Item | Choice):
                text.append(str(scope.value("text") or ""))
            if isinstance(thing, Item) and thing.adds:
                text.append(f"+ {scope.short(str(thing.adds))}")
            special = owned.special if owned is not None else ""
            within, key = PartScope(scope, names), f"{of} {id_}"
            name = str(thing.name) if isinstance(thing, Item | Choice) else str(id_)
            part = ItemPart(name, names, text, special)
            made = make_item(part, item, within, context, f"{context.module} {key}")
            yield of, str(id_), made


def _as_owned(id_: str, item: Item, scope: ThingScope) -> Owned:
    """Return a listed item as if somebody owned one; its damage lacks the trait that it adds."""
    special, conditional, changes = (
        str(scope.value(name) or "") for name in ("special", "conditional", "modifies")
    )
    return Owned(
        key="",
        item=id_,
        name=str(item.name),
        span=item.name.span,
        tags=tuple(map(str, item.tags)),
        dice=item.dice,
        damage=item.dice,
        bonus=item.bonus,
        acting=0,
        special=special,
        conditional=", ".join(filter(None, (conditional, changes))),
    )
