"""What may be written at a cursor: keys, names and values, with prices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from sheetgen.check.schemas.files import BOOK
from sheetgen.load.authors.sorts import PART
from sheetgen.load.files import SUFFIXES, file_names
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.rulesets.rulesets import is_ruleset
from sheetgen.load.yaml.format import format_scalars
from sheetgen.lsp.files import OpenFile, RulesReader, Texts
from sheetgen.lsp.prices import name_prices, rating_prices
from sheetgen.lsp.schema_lookup import SchemaNode
from sheetgen.lsp.text.places import ITEM, KEY, VALUE, CursorPlace, find_place
from sheetgen.lsp.things import find_key, formula_names, rules_of
from sheetgen.model.books import PRINTS
from sheetgen.rules.names import folded

_QUOTED: Final = re.compile(r"^[\s\-?:,\[\]{}#&*!|>'\"%@`]|: | #|:$")
_QUOTED_IN_FLOW: Final = re.compile(r"[,\[\]{}]")


_NAME_BEFORE: Final = re.compile(r"[\w.]*$")
_NAME_AT: Final = re.compile(r"\w*")
_TABLES: Final = (".csv", ".parquet")
_FILES: Final = {
    **dict.fromkeys(("encounters", "cards", "pieces", "template"), SUFFIXES),
    **dict.fromkeys(("rows", "file"), _TABLES),
    "sheets": (*SUFFIXES, *_TABLES),
}
_ENTRY_ID: Final = re.compile(r"\bid[ \t]*:[ \t]*[\"']?([\w-]+)")


@dataclass(frozen=True, slots=True)
class Completion:
    """Something that may be written.

    Attributes:
        label: What the editor lists.
        text: What is written between the offsets `start` and `end`.
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
        printed = written.intersection(PRINTS)
        keys = {key: text for key, text in keys.items() if not printed or key not in PRINTS}
    found = []
    if place.sort == KEY and (keys or not node.holds_list()):
        found = [_of_key(file, place, key, prices.get(key, ""), keys[key]) for key in keys]
    elif place.sort == KEY:
        item = "- " if not place.flow else ""
        listed = node.at((0,)).values()
        found = [_of_value(place, v, prices.get(v, ""), listed[v], item) for v in listed]
    else:
        left = {v: about for v, about in values.items() if folded(v) not in written or not v}
        found = [_of_value(place, v, prices.get(v, ""), left[v]) for v in left]
    if place.sort == ITEM:
        more = [key for key in keys if key not in values]
        found += [_of_key(file, place, key, "", keys[key]) for key in more]
    return found


def _names_in_book(file: OpenFile, place: CursorPlace, reader: RulesReader) -> Iterator[str]:
    """Yield names at a place of a book: ids of entries, kinds of what an entry prints, files."""
    key = next((str(step) for step in reversed(place.path) if isinstance(step, str)), "")
    if place.path[:1] == ("combined",) and key == "of":
        yield from _ENTRY_ID.findall(file.text)
    elif suffixes := _FILES.get(key):
        yield from sorted(name for name in file_names(file.path.parent) if name.endswith(suffixes))
    elif key == "kind":
        for rules in reader.printed_rules(file, place):
            yield from map(str, (*rules.kinds, *rules.card_sets))


def _formula_place(
    file: OpenFile, place: CursorPlace, offset: int, node: SchemaNode
) -> CursorPlace | None:
    """Return the place of the name at a cursor in a formula, or in the braces of a text."""
    before = file.text[place.start : offset]
    braces = file.sort == PART and before.rfind("{") > before.rfind("}")
    if not braces and not node.is_formula():
        return None
    start = offset - len(_NAME_BEFORE.search(before)[0])  # type: ignore[index]
    end = offset + len(_NAME_AT.match(file.text, offset)[0])  # type: ignore[index]
    return replace(place, start=start, end=end)


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
