"""What may be written at a cursor: keys, names and values, with prices."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from sheetgen.check.character.advancement import list_offers
from sheetgen.check.character.builds import build_rating
from sheetgen.check.character.draft import Draft
from sheetgen.check.character.ledger import has_pool
from sheetgen.check.character.ratings import limit_of
from sheetgen.load.characters import PART
from sheetgen.load.files import SUFFIXES, file_names
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.rulesets.kinds import entries_of
from sheetgen.load.rulesets.rulesets import is_ruleset
from sheetgen.load.yaml.format import format_scalars
from sheetgen.model.build import code_text
from sheetgen.model.requests import SelectionRequest
from sheetgen.model.rulesets.ruleset import ITEM_KINDS, Key, Ruleset
from sheetgen.model.source import raw_text
from sheetgen.plan.pages.tables import find_references
from sheetgen.plugins.editor.character_schemas import FORMULA, escaped
from sheetgen.plugins.editor.lsp.files import (
    TRAIT,
    NamedThing,
    OpenFile,
    RulesReader,
    SchemaNode,
    Texts,
    describe_thing,
    find_key,
    find_things,
    formula_names,
    rules_of,
)
from sheetgen.plugins.editor.lsp.text import ITEM, KEY, VALUE, CursorPlace, find_place
from sheetgen.plugins.editor.schemas import BOOK, ENCOUNTER
from sheetgen.prints.kinds import find_kind
from sheetgen.prints.tables import ScreenRequest, TableRequest
from sheetgen.records import frozen
from sheetgen.registry import prints
from sheetgen.rules.formulas.evaluate import number_text
from sheetgen.rules.index import folded, index_of
from sheetgen.rules.tables.things import catalogues, things_of_kind

_QUOTED: Final = re.compile(r"^[\s\-?:,\[\]{}#&*!|>'\"%@`]|: | #|:$")
_QUOTED_IN_FLOW: Final = re.compile(r"[,\[\]{}]")


_TABLES: Final = (".csv", ".parquet")
_FILES: Final = {"template": SUFFIXES, **dict.fromkeys(("rows", "file"), _TABLES)}
_ENTRY_ID: Final = re.compile(r"\bid[ \t]*:[ \t]*[\"']?([\w-]+)")


def _suffixes(key: str) -> tuple[str, ...]:
    """Return the suffixes of the files that a key of a book names."""
    if key not in prints():
        return _FILES.get(key, ())
    kind = find_kind(key)
    files = () if kind.job == "ruleset" else SUFFIXES
    return (*files, *_TABLES) if kind.joins else files


@frozen
class Completion:
    """Something that may be written: `text` between the offsets `start` and `end`.

    Attributes:
        label: What the editor lists.
        sort: KEY, or VALUE for all else.
        detail: The price, and what is left after it.
        about: Markdown.
    """

    label: str
    text: str
    start: int
    end: int
    sort: str = VALUE
    detail: str = ""
    about: str = ""


def list_completions(
    file: OpenFile, offset: int, reader: RulesReader, texts: Texts
) -> list[Completion]:
    """Return what may be written at an offset of a file."""
    place = find_place(file.text, offset)
    if place is None:
        return []
    if place.path == ("ruleset",) or place.path[:-1] == ("ruleset",):
        return [_of_value(place, name, "", "") for name in _rulesets(file)]
    schema = reader.schema(file)
    if schema is None:
        known = [_of_key(file, place, "ruleset", "", "The ruleset.")]
        return known if place.sort == KEY and not place.path else []
    node = schema.at(place.path)
    if place.sort != KEY and (formula := _formula_place(file, place, offset, node)) is not None:
        names = formula_names(rules_of(file), place.path if file.sort == PART else ())
        return [_of_value(formula, name, "", names[name]) for name in names]
    prices = _prices(file, place, reader, texts)
    written = {folded(other) for other in place.others}
    keys = {key: about for key, about in node.keys().items() if folded(key) not in written}
    values = dict.fromkeys(prices, "") if place.sort == VALUE and not node.values() else {}
    values |= node.values()
    if file.kind == BOOK:
        names = dict.fromkeys(_names_in_book(file, place, reader), "")
        values = {**names, **values} if "kind" in place.path else {**values, **names}
        printed = written.intersection(prints())
        keys = {key: text for key, text in keys.items() if not printed or key not in prints()}
    elif file.kind == ENCOUNTER and place.path[-1:] == ("file",):
        values = dict.fromkeys(_files_beside(file, SUFFIXES), "")
    if place.sort == KEY and (keys or not any("items" in part for part in node.parts)):
        return [_of_key(file, place, key, prices.get(key, ""), keys[key]) for key in keys]
    if place.sort == KEY:
        item = "- " if not place.flow else ""
        listed = node.at((0,)).values()
        return [_of_value(place, v, prices.get(v, ""), listed[v], item) for v in listed]
    left = {v: about for v, about in values.items() if folded(v) not in written or not v}
    found = [_of_value(place, v, prices.get(v, ""), left[v]) for v in left]
    more = [key for key in keys if key not in values] if place.sort == ITEM else []
    return [*found, *(_of_key(file, place, key, "", keys[key]) for key in more)]


def _names_in_book(file: OpenFile, place: CursorPlace, reader: RulesReader) -> Iterator[str]:
    """Yield names at a place of a book: ids of entries, kinds of what an entry prints, files."""
    key = next((str(step) for step in reversed(place.path) if isinstance(step, str)), "")
    if place.path[:1] == ("combined",) and key == "of":
        yield from _ENTRY_ID.findall(file.text)
    elif suffixes := _suffixes(key):
        yield from _files_beside(file, suffixes)
    elif key in ("kind", "only", "group"):
        for printed, kinds, rules in reader.printed_rules(file, place):
            if key == "kind":
                yield from map(str, (*rules.kinds, *rules.card_sets))
                continue
            request = find_kind(printed).request
            if request is TableRequest and key == "only":
                yield from (*find_references(rules), *map(str, rules.tables))
            elif request is ScreenRequest and key == "only":
                yield from (id_ for one in rules.screens.values() for id_ in one.panels)
                yield from rules.screens
            elif issubclass(request, SelectionRequest):
                yield from _names_of_cards(key, kinds, rules)


def _names_of_cards(key: str, kinds: Collection[str], rules: Ruleset) -> Iterator[str]:
    """Yield the names (`only`) or groups of what a ruleset has cards of."""
    folder = Path(rules.place.file).parent
    for id_, kind in rules.kinds.items():
        for source in entries_of(folder, kind) if id_ in kinds or not kinds else ():
            value = source.get("name" if key == "only" else "group")
            yield from (raw_text(value),) if value is not None else ()
    sets = [one for id_, one in rules.card_sets.items() if id_ in kinds or not kinds]
    for of in (of for one in sets for of in one.of) if key == "only" else ():
        yield from things_of_kind(rules, of).shown.values() if of in catalogues(rules) else ()


def _files_beside(file: OpenFile, suffixes: tuple[str, ...]) -> list[str]:
    """Return the names of the files with these suffixes in the folder of a file, without it."""
    names = sorted(file_names(file.path.parent))
    return [name for name in names if name.endswith(suffixes) and name != file.path.name]


def _formula_place(
    file: OpenFile, place: CursorPlace, offset: int, node: SchemaNode
) -> CursorPlace | None:
    """Return the place of the name at a cursor in a formula, or in the braces of a text."""
    before = file.text[place.start : offset]
    braces = file.sort == PART and before.rfind("{") > before.rfind("}")
    if not braces and all(part.get("$comment") != FORMULA for part in node.parts):
        return None
    name = re.compile(r"[\w.]*$").search(before)
    rest = re.compile(r"\w*").match(file.text, offset)
    assert name is not None
    assert rest is not None
    return replace(place, start=offset - len(name[0]), end=rest.end())


def _of_key(file: OpenFile, place: CursorPlace, key: str, detail: str, about: str) -> Completion:
    text = _written(key, place)
    if not re.match(r"\s*:", file.text[place.end : place.end + 20]):
        text += ": "
    return Completion(key, text, place.start, place.end, KEY, detail, about)


def _of_value(
    place: CursorPlace, value: str, detail: str, about: str, before: str = ""
) -> Completion:
    text = before + _written(value, place)
    return Completion(value, text, place.start, place.end, VALUE, detail, about)


def _written(text: str, place: CursorPlace) -> str:
    """Return a name as YAML: in quotes where it needs them."""
    if _QUOTED.search(text) or (place.flow and _QUOTED_IN_FLOW.search(text)):
        return next(format_scalars(text, flow=place.flow))
    return text


def _rulesets(file: OpenFile) -> Iterator[str]:
    """Yield the rulesets that a file may name: those that come with us, and folders beside it."""
    yield from ruleset_ids()
    folder = file.path.parent
    try:
        yield from (f"./{name}" for name in sorted(file_names(folder)) if is_ruleset(folder / name))
    except OSError:
        return
    if is_ruleset(folder.parent):
        yield ".."


def _prices(
    file: OpenFile, place: CursorPlace, reader: RulesReader, texts: Texts
) -> dict[str, str]:
    """Return the price of each name or value that may be at a place."""
    rules = rules_of(file)
    found = find_key(rules, place.path) if rules is not None else None
    if found is None:
        return {}
    id_, key, rest = found
    draft = reader.draft(file, place, texts, without=True)
    if draft is None or id_ not in draft.rules.character:
        return {}
    if place.sort == VALUE and len(rest) == 1 and key.kind in ("ratings", "codes"):
        traits = draft.index.all_traits.find(str(rest[0]))
        return rating_prices(draft, traits[0]) if len(traits) == 1 else {}
    return name_prices(draft, id_, key)


_MOST_STEPS = 12  # Ratings that are offered for one trait


def price_text(draft: Draft, pool: str, price: int) -> str:
    """Return a price and what is left after it: `6 XP, 3 left after it`."""
    if not has_pool(draft, pool):
        return ""
    label = draft.rules.pools[pool].label
    left = number_text(draft.left(pool) - price)
    return f"{number_text(price)} {label}, {left} left after it"


def name_prices(draft: Draft, id_: str, key: Key) -> dict[str, str]:
    """Return what each name under a key would cost now, or why it cannot be had, by name."""
    if key.kind in ("ratings", "advances"):
        groups = [str(of) for of in key.of or (id_,) if of in draft.rules.groups]
        ids = [trait for group in groups for trait in draft.traits_of(group)] or None
        offers = (offer for offer in list_offers(draft, ids) if offer.kind in ("trait", "named"))
        found = {o.what: o.refused or price_text(draft, o.pool, o.price) for o in offers}
        return {name: text for name, text in found.items() if text}
    if key.kind in ("choice", "choices"):
        catalogue, found = draft.rules.choices[str(key.of[0]) if key.of else id_], {}
        for entry in catalogue.entries.values():
            pool, price = entry.pool or catalogue.pool, entry.price or catalogue.price
            if entry.requires is not None and not draft.holds(entry.requires):
                found[str(entry.name)] = entry.why or "not open to this build"
            elif pool is not None and price is not None:
                found[str(entry.name)] = price_text(draft, str(pool), draft.eval_int(price))
        return found
    if key.kind in ITEM_KINDS and key.pool is not None:
        costs = {str(i): one.cost for i, one in draft.rules.gear.items() if one.cost is not None}
        shown = index_of(draft.rules).gear.shown
        return {shown[i]: price_text(draft, str(key.pool), cost) for i, cost in costs.items()}
    return {}


def rating_prices(draft: Draft, trait: str) -> dict[str, str]:
    """Return what each higher rating of a trait would cost, by the rating as it is written."""
    group = draft.group_rule(trait)
    own, limit = draft.own(trait), limit_of(draft, trait)
    if not draft.is_stated(trait) or group.price is None or group.pool is None:
        die = 3 if draft.rules.pips and draft.in_dice(trait) else 1
        steps = (step for step in range(die, die * (_MOST_STEPS + 1), die))
        within = [step for step in steps if limit is None or step <= limit]
        return dict.fromkeys((_code_of(draft, trait, step) for step in within), "")
    found, cost = {}, 0
    for step in range(own + 1, min(own + _MOST_STEPS, own if limit is None else limit) + 1):
        cost += draft.price(trait, step)
        found[_code_of(draft, trait, step)] = price_text(draft, str(group.pool), cost)
    return found


def _code_of(draft: Draft, trait: str, steps: int) -> str:
    return code_text(steps, pips=draft.rules.pips) if draft.in_dice(trait) else str(steps)


def hover_text(
    file: OpenFile, offset: int, reader: RulesReader, texts: Texts
) -> tuple[str, int, int] | None:
    """Return Markdown about the word at an offset, and the offsets of the word; None for none."""
    place = find_place(file.text, offset)
    if place is None or not place.word:
        return None
    draft = reader.draft(file, place, texts)
    parts = [part for thing in find_things(file, place) for part in _of_thing(file, thing, draft)]
    if not parts:
        parts = list(_hover_of_key(file, place, reader, draft))
    text = "\n\n".join(dict.fromkeys(filter(None, parts)))
    return (text, place.start, place.end) if text else None


def _of_thing(file: OpenFile, thing: NamedThing, draft: Draft | None) -> Iterator[str]:
    if thing.sort == TRAIT and draft is not None and draft.group_of(thing.id):
        yield _rating(draft, thing.id)
        offers = (one for one in list_offers(draft, (thing.id,)) if one.kind == "trait")
        offer = next(offers, None)
        step = offer and (offer.refused or price_text(draft, offer.pool, offer.price))
        yield f"Next step: {escaped(step)}" if step else ""
    rules = file.rules
    assert rules is not None
    yield describe_thing(rules, thing)


def _rating(draft: Draft, trait: str) -> str:
    """Return a trait's rating, and where it comes from."""
    rating = build_rating(draft, trait)
    shown = partial(draft.rules.rating_text, rating.group)
    text = f"**{escaped(rating.name)}**"
    if rating.total or rating.own:
        text += f" {shown(rating.total)}"
    if 0 < rating.own != rating.total:
        text += f" ({shown(rating.own)} of its own)"
    if rating.limit is not None:
        text += f", at most {shown(rating.limit)}"
    parts = (
        f"- {escaped(part.why)}: {'−' if part.steps < 0 else '+'}{shown(abs(part.steps))}"
        for part in rating.parts
    )
    return "\n".join((text, "", *parts)) if rating.parts else text


def _hover_of_key(
    file: OpenFile, place: CursorPlace, reader: RulesReader, draft: Draft | None
) -> Iterator[str]:
    """Yield what there is about a key or value, and the points that the key pays with or earns."""
    schema = reader.schema(file)
    if schema is None:
        return
    is_key = place.sort == KEY
    node = schema.at((*place.path, place.word) if is_key else place.path)
    yield node.text() if is_key else node.values().get(place.word, node.text())
    found = find_key(draft.rules, (*place.path, place.word)) if draft is not None else None
    if draft is None or found is None or found[2] or not is_key:
        return
    for id_, pool in draft.rules.pools.items():
        if found[0] in (pool.adds, found[1].pool, id_) and id_ in draft.lines:
            gained = sum(line.gained for line in draft.lines[str(id_)])
            left = draft.left(str(id_))
            numbers = f"{gained} gained, {gained - left} spent, {left} left".replace("-", "−")
            yield f"{escaped(pool.label)}: {numbers}"
