"""Names that a player typed: the choices, items and traits that they mean, in any spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sheetgen.check.character.draft.draft import Draft
from sheetgen.rules.names import Names, folded, split_times


class Typed(NamedTuple):
    """A name that a player typed, parsed.

    Attributes:
        id: The id of the thing; empty if the ruleset has no such name.
        detail: The text after the name.
    """

    id: str
    name: str
    times: int = 1
    detail: str = ""


def parse_typed_name(names: Names, text: str) -> Typed:
    """Return the parsed name: `Name`, `Name ×2`, `Name: detail`, `Name, what it does`."""
    for name, detail in _parts(text.strip()):
        found = names.find(name)
        times = 1
        if not found:
            name, times = split_times(name)
            found = names.find(name) if name else ()
        if len(found) == 1:
            return Typed(found[0], names.shown[found[0]], times, detail)
    name, times = split_times(text)
    return Typed("", name or text.strip(), times)


def _parts(text: str) -> Iterator[tuple[str, str]]:
    yield text, ""
    for mark in (":", ",", "("):
        name, sign, detail = text.partition(mark)
        if sign and name.strip():
            yield name.strip(), detail.strip(" )" if mark == "(" else " ")


def parse_choice(draft: Draft, catalogue: str, text: str) -> tuple[Typed, str]:
    """Return the choice that `text` picks from a catalogue, and the trait that it names."""
    found = parse_typed_name(draft.index.by_catalogue[catalogue], text)
    entry = draft.rules.choices[catalogue].entries.get(found.id)
    if entry is None or entry.asks not in draft.rules.groups:
        return found, ""
    named = draft.index.among((str(entry.asks),)).find(found.detail) if found.detail else ()
    return found, named[0] if len(named) == 1 else ""


def choice_key(draft: Draft, catalogue: str, text: str) -> str:
    """Return the text of a choice in a form for comparison."""
    if not text.strip():
        return ""
    found, trait = parse_choice(draft, catalogue, text)
    return f"{found.id or found.name} {found.times} {trait or found.detail}"


def item_key(draft: Draft, text: str) -> str:
    """Return the text of an item in a form for comparison."""
    found = parse_typed_name(draft.index.gear, text)
    return f"{found.id or found.name} {found.times}"


def is_only(names: Names, text: str, detail: str) -> bool:
    """Whether `text` is a known name with its count and `detail`, and no other letters."""
    name = split_times(text.strip())[0]
    if detail:
        name = name.removesuffix(")").rstrip().removesuffix(detail).rstrip(" :,(")
    bare = re.sub(r"[\s'’-]", "", name).casefold()
    return bool(names.find(name)) and folded(name).replace(" ", "") == bare


def split_list(text: str, known: Iterable[str]) -> list[str]:
    """Return the parts of `text` between commas; names in `known` may contain commas."""
    held = sorted((name for name in known if "," in name), key=len, reverse=True)
    pattern = "|".join([*(re.escape(name) for name in held), r"[^,\n;]+"])
    found = (match[0].strip() for match in re.finditer(pattern, text))
    return [piece for piece in found if piece]


def catalogue_of(draft: Draft, key: str) -> str:
    """Return the catalogue that a key of choices picks from."""
    of = draft.rules.character[key].of
    return str(of[0]) if of else key
