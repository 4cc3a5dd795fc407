"""The things of a ruleset that words of an author's file name, and where they are defined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sheetgen.check.character.inheritance import stock_names
from sheetgen.check.character.keys.corrections import OUR_KEYS
from sheetgen.check.schemas.descriptions import (
    describe_choices,
    describe_gear,
    describe_traits,
    escaped,
)
from sheetgen.check.schemas.files import ENCOUNTER
from sheetgen.diag.spans import Span
from sheetgen.load.rulesets.kinds import ENTRIES, entries_of, kind_rules
from sheetgen.lsp.files import OpenFile
from sheetgen.lsp.renaming import find_ids
from sheetgen.lsp.text.lines import Step
from sheetgen.lsp.text.places import KEY, CursorPlace, find_place
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Many, Node, Pairs, Source, Text, raw_text
from sheetgen.rules.formulas.expressions import COUNTING, NAMING, WRITING
from sheetgen.rules.index import index_of
from sheetgen.rules.names import folded, split_times
from sheetgen.rules.tables.things import known_names

TRAIT = "trait"
CHOICE = "choice"
ITEM_OF_GEAR = "item"
ADVANCE = "advance"
STOCK = "stock"

_SORTS_OF_KEYS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("choice", "choices"), (CHOICE,)),
    **dict.fromkeys(("item", "items"), (ITEM_OF_GEAR,)),
    "advances": (TRAIT, ADVANCE, ITEM_OF_GEAR),
    **dict.fromkeys(
        ("ratings", "raises", "refunds", "losses", "details", "links", "pinned", "codes"), (TRAIT,)
    ),
}
"""What the names under a key of each kind may name."""


@dataclass(frozen=True, slots=True)
class NamedThing:
    """Something that a word names.

    Attributes:
        sort: TRAIT, CHOICE, ITEM_OF_GEAR, ADVANCE or STOCK.
        holder: The group, the catalogue or the kind that has it, or "".
    """

    sort: str
    id: str
    holder: str = ""


def rules_of(file: OpenFile) -> Ruleset | None:
    """Return the rules whose keys a file has: those of its kind."""
    if file.rules is not None and file.kind in file.rules.kinds:
        return kind_rules(file.rules, file.kind)
    return file.rules


def formula_names(rules: Ruleset | None, path: tuple[Step, ...]) -> dict[str, str]:
    """Return the names that formulas may use: traits, values, options, functions; with Markdown.

    Args:
        path: The place in a file of rules. Tables and cards know things instead of a build.
    """
    functions = dict.fromkeys(sorted(NAMING | COUNTING | WRITING), "A function.")
    if rules is None:
        return functions
    index = index_of(rules)
    part, id_, *_ = (*path, "", "")
    if part in ("tables", "card_sets") and (holder := getattr(rules, str(part)).get(id_)):
        of = [holder.of] if isinstance(holder.of, Text) else holder.of or ()
        things = dict.fromkeys(sorted(known_names(rules, *map(str, of))), "Of the thing.")
        return {**things, **dict.fromkeys([*index.formulas, *sorted(COUNTING | WRITING)], "")}
    traits = {id_: rules.groups[group].label for id_, (group, *_) in index.traits.items()}
    values = {str(id_): derived.label for id_, derived in rules.derived.items()}
    pools = {str(id_): pool.label for id_, pool in rules.pools.items()}
    options = {str(id_): str(option.text) for id_, option in rules.options.items()}
    own = {str(id_): "A formula of the ruleset." for id_ in index.formulas}
    keys = {str(id_): key.label for id_, key in rules.character.items() if key.kind == "number"}
    return {**traits, **values, **keys, **pools, **options, **own, **functions}


def find_key(rules: Ruleset, path: tuple[Step, ...]) -> tuple[str, Key, tuple[Step, ...]] | None:
    """Return id and rules of the file's key that `path` is under, and the rest of the path."""
    if path[:1] == (ENTRIES,) and len(path) > 1:
        path = path[2:]
    ids = index_of(rules).keys.find(str(path[0])) if path else ()
    return (ids[0], rules.character[ids[0]], path[1:]) if ids else None


def find_things(file: OpenFile, place: CursorPlace) -> list[NamedThing]:
    """Return what the word at a place may name."""
    rules = rules_of(file)
    if rules is None:
        return []
    name = split_times(place.word)[0]
    if stock := list(_find_stock(file, place)):
        return stock
    if file.kind == ENCOUNTER:
        sorts: tuple[str, ...] = (TRAIT, CHOICE, ITEM_OF_GEAR)
        return list(_find(rules, name, sorts, (), tuple(map(str, rules.choices))))
    found = find_key(rules, place.path)
    if found is None:
        return []
    id_, key, below = found
    if key.kind in ("choice", "choices") and any(isinstance(step, str) for step in below):
        return list(_find(rules, name, (TRAIT,), (), ()))  # What the choice asks for.
    of = tuple(map(str, key.of)) or (id_,)
    groups = tuple(group for group in of if group in rules.groups)
    return list(_find(rules, name, _SORTS_OF_KEYS.get(str(key.kind), ()), groups, of))


def _find_stock(file: OpenFile, place: CursorPlace) -> Iterator[NamedThing]:
    """Yield what comes with the rules and is named as what a file or a combatant is based on."""
    key = place.path[-1] if place.path and place.sort != KEY else ""
    rules = file.rules
    for id_, kind in rules.kinds.items() if rules is not None else ():
        if (
            rules is not None
            and kind.based_on
            and isinstance(key, str)
            and folded(key) == folded(kind.based_on)
        ):
            names = stock_names(stock_of(rules, str(id_)), rules.spellings)
            yield from (NamedThing(STOCK, n, str(id_)) for n in names.find(place.word))


def stock_of(rules: Ruleset, kind: str) -> tuple[Source, ...]:
    """Return the sources of what comes with the rules of one kind."""
    return tuple(entries_of(Path(rules.place.file).parent, rules.kinds[kind]))


def _describe_stock(source: Source) -> str:
    """Return Markdown about an entry that comes with the rules: its keys and values."""
    root = source.root
    entries = (
        [e for e in root.entries if e[0].raw not in OUR_KEYS] if isinstance(root, Pairs) else []
    )
    return "\n".join(f"- {escaped(key.raw)}: {escaped(_plain(node))}" for key, node in entries)


def _plain(node: Node) -> str:
    if isinstance(node, Pairs):
        return ", ".join(f"{key.raw} {_plain(below)}" for key, below in node.entries)
    return ", ".join(map(_plain, node.items)) if isinstance(node, Many) else raw_text(node)


def _find(
    rules: Ruleset, name: str, sorts: Iterable[str], groups: tuple[str, ...], of: tuple[str, ...]
) -> Iterator[NamedThing]:
    index = index_of(rules)
    for sort in sorts:
        if sort == TRAIT:
            names = index.among(groups) if groups else index.all_traits
            yield from (NamedThing(TRAIT, id_, index.traits[id_][0]) for id_ in names.find(name))
        elif sort == CHOICE:
            for catalogue in of:
                known = index.by_catalogue.get(catalogue)
                yield from (
                    NamedThing(CHOICE, i, catalogue) for i in (known.find(name) if known else ())
                )
        elif sort == ITEM_OF_GEAR:
            yield from (NamedThing(ITEM_OF_GEAR, id_) for id_ in index.gear.find(name))
        else:
            yield from (NamedThing(ADVANCE, id_) for id_ in index.advances.find(name))


def describe_thing(rules: Ruleset, thing: NamedThing) -> str:
    """Return Markdown about a thing: its text, price, limit and requirement."""
    if thing.sort == TRAIT:
        return describe_traits(rules, (thing.holder,)).get(thing.id, "")
    if thing.sort == STOCK:
        return _describe_stock(stock_of(rules, thing.holder)[int(thing.id)])
    if thing.sort == CHOICE:
        return describe_choices(rules, thing.holder).get(thing.id, "")
    return describe_gear(rules).get(thing.id, "") if thing.sort == ITEM_OF_GEAR else ""


def place_of_thing(rules: Ruleset, thing: NamedThing) -> Span | None:
    """Return where the ruleset's files define a thing."""
    holders: dict[str, Mapping[Any, object]] = {ITEM_OF_GEAR: rules.gear}
    if thing.sort == STOCK:
        source = stock_of(rules, thing.holder)[int(thing.id)]
        name = source.get("name")
        return name.span if name is not None else source.start
    if thing.sort == TRAIT:
        holders[TRAIT] = rules.groups[thing.holder].traits
    elif thing.sort == CHOICE:
        holders[CHOICE] = rules.choices[thing.holder].entries
    elif thing.sort == ADVANCE and rules.advances is not None:
        holders[ADVANCE] = rules.advances.named
    return place_of_id(holders.get(thing.sort, {}), thing.id)


def place_of_id(mapping: Mapping[Any, object], id_: str) -> Span | None:
    """Return where a key of a mapping of the ruleset is written."""
    return next((key.span for key in mapping if key == id_ and isinstance(key, Text)), None)


def find_definitions(file: OpenFile, offset: int) -> list[Span]:
    """Return where the word at an offset is defined."""
    place = find_place(file.text, offset)
    rules = rules_of(file)
    if ids := find_ids(file, offset):
        return [id_.span for id_ in ids]
    if place is None:
        return []
    if place.path[:1] == ("ruleset",):
        return [Span(str(Path(folder) / "ruleset.yaml")) for folder in file.folders]
    if rules is None:
        return []
    whole = file.rules or rules
    spans = [place_of_thing(whole, thing) for thing in find_things(file, place)]
    if file.kind == ENCOUNTER and place.path[:1] == ("tables",):
        spans = [place_of_id(rules.tables, place.word)]
    if not spans:
        in_fight = file.kind == ENCOUNTER and place.path[:1] == ("combatants",)
        kinds = [kind_rules(rules, str(id_)) for id_ in rules.kinds] if in_fight else [rules]
        path = (*place.path[2 if in_fight else 0 :], place.word)
        keys = ((one, found) for one in kinds if (found := find_key(one, path)) and not found[2])
        spans = [place_of_id(one.character, found[0]) for one, found in keys]
    return list(dict.fromkeys(span for span in spans if span is not None))
