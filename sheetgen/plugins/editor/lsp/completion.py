"""What may be written at a cursor: keys, names and values; and what a name means."""

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
from sheetgen.check.character.purchases import limit_of
from sheetgen.load.characters import PART
from sheetgen.load.files import SUFFIXES, file_names
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.rulesets.kinds import entries_of
from sheetgen.load.rulesets.rulesets import is_ruleset
from sheetgen.load.yaml.format import format_scalars
from sheetgen.model.build import code_text
from sheetgen.model.requests import SelectionRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import raw_text
from sheetgen.plan.pages.tables import find_references
from sheetgen.plugins.editor.character_schemas import FORMULA, escaped
from sheetgen.plugins.editor.lsp.files import (
    OpenFile,
    RulesReader,
    SchemaNode,
    Texts,
    find_key,
    find_things,
    formula_names,
    rules_of,
)
from sheetgen.plugins.editor.lsp.text import ITEM, KEY, VALUE, CursorPlace, find_place
from sheetgen.plugins.editor.schemas import BOOK, ENCOUNTER
from sheetgen.prints.kinds import find_kind
from sheetgen.prints.screen import ScreenRequest
from sheetgen.prints.tables import TableRequest
from sheetgen.records import frozen
from sheetgen.registry import prints
from sheetgen.rules.formulas.evaluate import number_text
from sheetgen.rules.index import folded
from sheetgen.rules.tables.things import catalogues, things_of_kind

_QUOTED: Final = re.compile(r"^[\s\-?:,\[\]{}#&*!|>'\"%@`]|: | #|:$")
_QUOTED_IN_FLOW: Final = re.compile(r"[,\[\]{}]")


_TABLES: Final = (".csv", ".parquet")
_FILES: Final = {"template": SUFFIXES, **dict.fromkeys(("rows", "file"), _TABLES)}
_ENTRY_ID: Final = re.compile(r"\bid[ \t]*:[ \t]*[\"']?([\w-]+)")


@frozen
class Completion:
    """Something that may be written: `text` between the offsets `start` and `end`.

    Attributes:
        label: What the editor lists.
        sort: KEY, or VALUE for all else.
        about: Markdown.
    """

    label: str
    text: str
    start: int
    end: int
    sort: str = VALUE
    about: str = ""


def list_completions(
    file: OpenFile, offset: int, reader: RulesReader, texts: Texts
) -> list[Completion]:
    """Return what may be written at an offset of a file."""
    if (found := find_place(file.text, offset)) is None:
        return []
    place: CursorPlace = found

    def key_of(key: str, about: str) -> Completion:
        text = _written(key, place)
        if not re.match(r"\s*:", file.text[place.end : place.end + 20]):
            text += ": "
        return Completion(key, text, place.start, place.end, KEY, about)

    def value_of(value: str, about: str = "", before: str = "") -> Completion:
        text = before + _written(value, place)
        return Completion(value, text, place.start, place.end, VALUE, about)

    if place.path == ("ruleset",) or place.path[:-1] == ("ruleset",):
        return [value_of(name) for name in _rulesets(file)]
    schema = reader.schema(file)
    if schema is None:
        return [key_of("ruleset", "The ruleset.")] if place.sort == KEY and not place.path else []
    node = schema.at(place.path)
    if place.sort != KEY and (formula := _formula_place(file, place, offset, node)) is not None:
        names = formula_names(rules_of(file), place.path if file.sort == PART else ())
        place = formula
        return [value_of(name, names[name]) for name in names]
    written = {folded(other) for other in place.others}
    keys = {key: about for key, about in node.keys().items() if folded(key) not in written}
    values = node.values()
    if place.sort == VALUE and not values:
        values = dict.fromkeys(_higher_ratings(file, place, reader, texts), "")
    if file.kind == BOOK:
        names = dict.fromkeys(_names_in_book(file, place, reader), "")
        values = {**names, **values} if "kind" in place.path else {**values, **names}
        printed = written.intersection(prints())
        keys = {key: text for key, text in keys.items() if not printed or key not in prints()}
    elif file.kind == ENCOUNTER and place.path[-1:] == ("file",):
        values = dict.fromkeys(_files_beside(file, SUFFIXES), "")
    if place.sort == KEY and (keys or not any("items" in part for part in node.parts)):
        return [key_of(key, about) for key, about in keys.items()]
    if place.sort == KEY:
        item = "- " if not place.flow else ""
        return [value_of(v, about, item) for v, about in node.at((0,)).values().items()]
    left = {v: about for v, about in values.items() if folded(v) not in written or not v}
    more = [key for key in keys if key not in values] if place.sort == ITEM else []
    return [value_of(v, left[v]) for v in left] + [key_of(key, keys[key]) for key in more]


def _names_in_book(file: OpenFile, place: CursorPlace, reader: RulesReader) -> Iterator[str]:
    """Yield names at a place of a book: ids of entries, kinds of what an entry prints, files."""
    key = next((str(step) for step in reversed(place.path) if isinstance(step, str)), "")
    if place.path[:1] == ("combined",) and key == "of":
        yield from _ENTRY_ID.findall(file.text)
    elif key in prints():
        kind = find_kind(key)
        files = () if kind.job == "ruleset" else SUFFIXES
        yield from _files_beside(file, (*files, *_TABLES) if kind.joins else files)
    elif key in _FILES:
        yield from _files_beside(file, _FILES[key])
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


_MOST_STEPS = 12  # Ratings that are offered for one trait


def _higher_ratings(
    file: OpenFile, place: CursorPlace, reader: RulesReader, texts: Texts
) -> Iterator[str]:
    """Yield the higher ratings of the trait at a place, as they are written."""
    rules = rules_of(file)
    found = find_key(rules, place.path) if rules is not None else None
    if found is None or len(found[2]) != 1 or found[1].kind not in ("ratings", "codes"):
        return
    draft = reader.draft(file, place, texts, without=True)
    traits = draft.index.all_traits.find(str(found[2][0])) if draft is not None else ()
    if draft is None or found[0] not in draft.rules.character or len(traits) != 1:
        return
    group, own, limit = draft.group_rule(traits[0]), draft.own(traits[0]), limit_of(draft, *traits)
    dice = draft.in_dice(traits[0])
    if draft.is_stated(traits[0]) and group.price is not None and group.pool is not None:
        steps = range(own + 1, own + _MOST_STEPS + 1)
    else:
        die = 3 if draft.rules.pips and dice else 1
        steps = range(die, die * (_MOST_STEPS + 1), die)
    for step in steps:
        if limit is None or step <= limit:
            yield code_text(step, pips=draft.rules.pips) if dice else str(step)


def hover_text(
    file: OpenFile, offset: int, reader: RulesReader, texts: Texts
) -> tuple[str, int, int] | None:
    """Return Markdown about the word at an offset, and the offsets of the word; None for none."""
    place = find_place(file.text, offset)
    if place is None or not place.word:
        return None
    draft, parts = reader.draft(file, place, texts), list[str]()
    for thing in find_things(file, place):
        if thing.trait and draft is not None and draft.group_of(thing.trait):
            parts.append(_rating(draft, thing.trait))
            offers = (one for one in list_offers(draft, (thing.trait,)) if one.kind == "trait")
            if (offer := next(offers, None)) is not None:
                step = offer.refused
                if not step and has_pool(draft, offer.pool):
                    left = number_text(draft.left(offer.pool) - offer.price)
                    label = draft.rules.pools[offer.pool].label
                    step = f"{number_text(offer.price)} {label}, {left} left after it"
                parts += [f"Next step: {escaped(step)}"] if step else []
        parts.append(thing.describe())
    if not any(parts):
        parts = list(_hover_of_key(file, place, reader, draft))
    text = "\n\n".join(dict.fromkeys(filter(None, parts)))
    return (text, place.start, place.end) if text else None


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
