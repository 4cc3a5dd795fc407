"""Names that stand in the wrong place: where in a character's file they belong."""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.check.character.draft.draft import Draft
from sheetgen.diag.words import a
from sheetgen.rules.names import split_times


def place_for(draft: Draft, name: str) -> str:
    """Return a hint that says what `name` is and where to write it; empty if it is nothing.

    The caller has looked for it where it stands, and did not find it there.
    """
    if not any(letter.isalpha() for letter in name):
        return ""
    return next(_places(draft, split_times(name)[0]), "")


def _places(draft: Draft, name: str) -> Iterator[str]:
    for trait in draft.index.all_traits.find(name):
        group = draft.group_of(trait) or ""
        for key in _keys(draft, ("ratings", "raises", "codes"), group):
            one = draft.rules.groups[group].one
            yield _said(draft, draft.name_of(trait), a(one), key)
    for catalogue, names in draft.index.by_catalogue.items():
        for id_ in names.find(name):
            for key in _keys(draft, ("choice", "choices"), catalogue):
                yield _said(draft, names.shown[id_], a(draft.rules.choices[catalogue].one), key)
    for id_ in draft.index.gear.find(name):
        keys = (*_keys(draft, ("items",)), *_keys(draft, ("item",)))
        if keys:
            yield _said(draft, draft.index.gear.shown[id_], "an item", *keys)


def _keys(draft: Draft, kinds: tuple[str, ...], of: str = "") -> Iterator[str]:
    for id_, key in draft.rules.character.items():
        if key.kind in kinds and (not of or of in (key.of or (id_,))):
            yield str(id_)


def _said(draft: Draft, name: str, what: str, *keys: str) -> str:
    places = " or ".join(f"`{draft.key_name(key)}`" for key in keys)
    return f"{name} is {what}: write it under {places}"
