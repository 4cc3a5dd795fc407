"""Actors of Foundry from checked builds, with the items that they hold. Start with `make_actor`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sheetgen.model.build import Build, Owned, Value, parse_code, pick_line
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plugins.exchange.formats import no_place_note
from sheetgen.plugins.exchange.foundry.documents import (
    Document,
    escape_html,
    make_id,
    paragraph,
    plain_name,
    plain_value,
    put_leaf,
    source_data,
    table_html,
    write_source,
)
from sheetgen.plugins.exchange.foundry.mapping import (
    ActorMap,
    ExportScope,
    FoundryMap,
    ItemMap,
    Notes,
    PartScope,
    attribute_names,
    owned_names,
    rating_names,
)
from sheetgen.prints.characters import Character
from sheetgen.rules.formulas.evaluate import Scope, holds, number_text
from sheetgen.rules.index import index_of

SCHEMA: Final = 1
"""The version of what is in the flags."""

_NARROW: Final = re.compile(r"(.+?)\s*\((.+)\)\s*(\S+)")
_ALWAYS: Final = ("ruleset", "kind", "name", "portrait", "art")


@dataclass(frozen=True, slots=True)
class ActorContext:
    """What all actors of a module share."""

    module: str
    plan: FoundryMap
    notes: Notes


@dataclass(frozen=True, slots=True)
class ItemPart:
    """A thing of a build or a ruleset that becomes an item: its names in formulas, and its text."""

    name: str
    names: Mapping[str, Value]
    text: Sequence[str]
    special: str = ""


def make_actor(
    build: Build, one: Character, kind: str, context: ActorContext, key: str, image: str = ""
) -> Document:
    """Return the actor of a build.

    Args:
        kind: A key of the map's `actors`.
        key: The text that the actor's id is computed from, unique in the module.
        image: Its picture's path.
    """
    rules, plan = one.rules, context.plan.actors[kind]
    assert rules is not None
    scope, notes = ExportScope(build, rules), context.notes
    system: Document = {}
    for leaf, trait in plan.rated.items():
        rating = build.ratings.get(str(trait))
        put_leaf(system, leaf, rating.total * context.plan.pips if rating else 0)
    _put_leaves(system, plan, scope, notes)
    for leaf, name in plan.words.items():
        put_leaf(system, leaf, str(scope.value(str(name)) or ""))
    items = [*_items(build, rules, plan, scope, context, key)]
    rest = [*_remaining(build, one, plan, notes)]
    for number, (leaf, keys) in enumerate(plan.prose.items()):
        parts = [p for name in keys for p in _prose(build, rules, str(name))]
        put_leaf(system, leaf, "".join([*parts, *([] if number else rest)]))
    if plan.remarks is not None and not plan.prose and rest:
        form = notes.text(plan.remarks, scope)
        items.append(_item("Notes", form, {"description": "".join(rest)}, key, "remarks"))
    title = plain_name(build.name)
    token: Document = {"name": title, "actorLink": plan.linked, "disposition": plan.disposition}
    head = {"ruleset": str(rules.id), **({"kind": kind} if one.kind is not None else {})}
    source = write_source(head | source_data(one.source) | head)
    flags = {"sheetgen": SCHEMA, "ruleset": str(rules.id), "source": source}
    document = {
        "_id": make_id(context.module, "actor", key),
        "name": title,
        "type": notes.text(plan.type, scope),
        "folder": None,
        "sort": 0,
        "ownership": {"default": 0},
        "prototypeToken": {**token, **({"texture": {"src": image}} if image else {})},
        "system": system,
        "items": [item | {"sort": 100_000 * n} for n, item in enumerate(items, start=1)],
        "effects": [],
        "flags": {context.module: flags},
    }
    return {**document, **({"img": image} if image else {})}


def _put_leaves(system: Document, plan: ActorMap | ItemMap, scope: Scope, notes: Notes) -> None:
    """Set the leaves whose formulas and texts a map has."""
    for leaf, formula in plan.values.items():
        value = notes.value(formula, scope)
        if isinstance(value, bool | int | str):
            put_leaf(system, leaf, value)
    for leaf, words in plan.texts.items():
        put_leaf(system, leaf, notes.text(words, scope))


def _items(
    build: Build,
    rules: Ruleset,
    plan: ActorMap,
    scope: ExportScope,
    context: ActorContext,
    key: str,
) -> Iterator[Document]:
    """Yield the items of an actor; a part goes to the first map that takes it."""
    seen: Counter[str] = Counter()
    for of in dict.fromkeys(str(one.of) for one in plan.items):
        maps = [one for one in plan.items if one.of == of]
        for part in _parts(build, rules, of, plan.attributes):
            within = PartScope(scope, part.names)
            item = next((one for one in maps if takes(one, part.names)), None)
            if item is None or (
                item.when is not None and not context.notes.compute(item.when, within, holds)
            ):
                continue
            place = f"{of} {part.name}"
            seen[place] += 1
            yield make_item(part, item, within, context, f"{key} {place} {seen[place]}")


def takes(item: ItemMap, names: Mapping[str, Value]) -> bool:
    """Whether a map is for a thing with these names, by its tags."""
    return not item.where or any(f"tag.{tag}" in names for tag in item.where)


def make_item(
    part: ItemPart, item: ItemMap, scope: PartScope, context: ActorContext, key: str
) -> Document:
    """Return the item of a part; its id is computed from `key`."""
    system: Document = {}
    notes = context.notes
    for leaf, name in item.rated.items():
        value = scope.value(str(name))
        put_leaf(system, leaf, value * context.plan.pips if isinstance(value, int) else 0)
    _put_leaves(system, item, scope, notes)
    for word, leaves in item.numbers_after.items():
        pattern = rf"\b{re.escape(word)}\s+" + "/".join([r"([^\s/;,]{0,20})"] * len(leaves))
        match = re.search(pattern, part.special)
        for number, leaf in enumerate(leaves, start=1):
            put_leaf(system, str(leaf), match[number] if match else "")
    text = "".join(paragraph("", line) for line in part.text if line)
    put_leaf(system, "description", text)
    return _item(part.name, notes.text(item.type, scope), system, context.module, key)


def _item(name: str, form: str, system: Document, *key: str) -> Document:
    item = {"_id": make_id(*key, "item"), "name": plain_name(name), "type": form}
    return {**item, "system": system, "effects": [], "flags": {}}


def _parts(
    build: Build, rules: Ruleset, of: str, attributes: Mapping[str, str]
) -> Iterator[ItemPart]:
    """Yield the parts of a build in a group, or under a key."""
    index = index_of(rules)
    if of in rules.groups:
        for rating in build.ratings.values():
            if rating.group == of:
                trait = index.traits[rating.id][1] if rating.id in index.traits else None
                text = (rating.detail, str(trait.text) if trait is not None else "")
                names = rating_names(rating, rules, attributes)
                yield ItemPart(index.titles.get(rating.id, rating.name), names, text)
    for owned in build.items:
        if owned.key == of:
            names = owned_names(owned, rules, attributes)
            yield ItemPart(owned.name, names, [*owned_text(owned, rules)], owned.special)
    for pick in build.picks:
        if pick.key == of:
            line = pick_line(pick, build)
            yield ItemPart(line, {"name": line}, (pick.text,))
    for line in build.lists.get(of, ()):
        yield _narrow(line, build, rules, attributes) or ItemPart(
            line.partition(":")[0][:60], {"name": line}, (line,)
        )


def _narrow(
    line: str, build: Build, rules: Ruleset, attributes: Mapping[str, str]
) -> ItemPart | None:
    """Return the part of a line `Trait (narrow use) CODE`; None if it is none."""
    match = _NARROW.fullmatch(line)
    found = index_of(rules).all_traits.find(match[1]) if match else ()
    total = parse_code(match[3], pips=rules.pips) if match else ""
    if match is None or len(found) != 1 or not isinstance(total, int):
        return None
    above = str(index_of(rules).traits[found[0]][1].under or "")
    own = total - (build.ratings[above].total if above in build.ratings else 0)
    names = {"name": match[2], "skill": index_of(rules).titles[found[0]], "own": own}
    return ItemPart(match[2], names | attribute_names(above, attributes), (line,))


def owned_text(owned: Owned, rules: Ruleset) -> Iterator[str]:
    """Yield what an item does besides its numbers."""
    yield owned.special
    yield owned.conditional
    changes = ((rules.derived[id_].label, n) for id_, n in owned.modifies.items() if n)
    yield ", ".join(f"{label} {number_text(n) if n < 0 else f'+{n}'}" for label, n in changes)


# -- text --------------------------------------------------------------------------------------


def _prose(build: Build, rules: Ruleset, key: str) -> Iterator[str]:
    """Yield a key's text as HTML."""
    label = rules.character[key].label if key in rules.character else key
    if text := build.texts.get(key, ""):
        yield paragraph(label, text)
    if lines := build.lists.get(key, ()):
        items = "".join(f"<li>{escape_html(line)}</li>" for line in lines)
        yield f"{paragraph(label, '')}<ul>{items}</ul>"


def _remaining(build: Build, one: Character, plan: ActorMap, notes: Notes) -> Iterator[str]:
    """Yield as HTML what the system has no place for, and report each kind of it once."""
    rules = one.rules
    assert rules is not None
    index, placed = index_of(rules), represented_keys(rules, plan)
    where = "it is in the text"
    for raw, value in source_data(one.source).items():
        found = index.keys.find(raw)
        key = found[0] if found else raw
        if key in placed or value in ("", None, [], {}):
            continue
        label = rules.character[key].label if key in rules.character else raw.capitalize()
        notes.add(f"key {key}", no_place_note("foundry", f"`{key}`", where))
        yield paragraph(label, plain_value(value))
    shown = [build.derived[str(i)] for i in plan.figures if str(i) in build.derived]
    if shown:
        labels = ", ".join(value.label for value in shown)
        notes.add("figures", no_place_note("foundry", labels, "the text shows them"))
        yield table_html((value.label, value.shown) for value in shown)


def represented_keys(rules: Ruleset, plan: ActorMap) -> set[str]:
    """Return the keys of a file that the system has a place for."""
    keys = {*_ALWAYS, *map(str, plan.covers), *plan.read, *map(str, plan.words.values())}
    keys |= {str(key) for some in plan.prose.values() for key in some}
    keys |= {str(item.of) for item in plan.items}
    traits = {
        index_of(rules).traits[t][0]
        for t in map(str, plan.rated.values())
        if t in index_of(rules).traits
    }
    for id_, key in rules.character.items():
        groups = {*map(str, key.of or (id_,))}
        if key.kind in ("codes", "raises", "ratings") and groups & (traits | keys):
            keys.add(str(id_))
    return keys
