"""Names of traits in a file: the trait that a name means, and where a misplaced name belongs."""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.check.character.draft.draft import Draft
from sheetgen.diag import codes
from sheetgen.diag.findings import Hint
from sheetgen.diag.words import a
from sheetgen.load.yaml.slips import torn_name
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.rules.names import closest_names, split_times


def find_trait(
    draft: Draft, node: Node, groups: tuple[str, ...] = (), listed: bool = False
) -> str | None:
    """Return the id of the trait that `node` names, or None with a finding.

    Args:
        groups: The groups that it may be in; none for any.
        listed: Whether `node` is under a key of the file that holds such traits. Then the
            hint for an unknown name may name another key.
    """
    what = " or ".join(draft.rules.groups[g].one for g in groups if g in draft.rules.groups)
    what = what or "trait"
    if not isinstance(node, ScalarNode):
        one = node.entries[0][0].raw if isinstance(node, Pairs) and len(node.entries) == 1 else ""
        message, hint = f"write the name of {a(what)} here", f"write `{one}` alone" if one else ""
        draft.report(codes.WRONG_TYPE, node.span, message, hint)
        return None
    names = draft.index.among(groups) if groups else draft.index.all_traits
    meant = closest_names(node.raw, (name for name, _ in draft.own_traits.values()))
    for id_, (name, group) in draft.own_traits.items():
        open_ = draft.rules.groups[group].open
        collides = open_ is not None and open_.name_differs and names.find(node.raw)
        if name in meant and (not groups or group in groups) and not collides:
            return id_
    found = names.find(node.raw)
    if len(found) == 1:
        return found[0]
    if found:
        aliases = ", ".join(sorted(_unambiguous_alias(draft, id_) for id_ in found))
        message = f"`{node.raw}` is the name of {len(found)} traits"
        draft.report(codes.AMBIGUOUS, node.span, message, f"write one of: {aliases}")
        return None
    plain, count = split_times(node.raw)
    if count > 1 and len(known := names.find(plain)) == 1:
        message = f"{draft.name_of(known[0])} can be picked once here; it is picked {count} times"
        hint = Hint(f"write `{plain}`, and pick different ones", node.raw, plain)
        draft.report(codes.REPEATED, node.span, message, hint)
        return known[0]
    hint = torn_name(node.raw) or (find_key_for(draft, node.raw) if listed else "")
    hint = hint or names.hint(node.raw)
    draft.report(codes.UNKNOWN_NAME, node.span, f"there is no {what} `{node.raw}`", hint)
    return None


def find_counted_trait(
    draft: Draft, node: Node, groups: tuple[str, ...] = ()
) -> tuple[str | None, int]:
    """Return the trait that an item of a list names, or None with a finding, and its count."""
    plain, count = split_times(node.raw) if isinstance(node, ScalarNode) else ("", 1)
    if isinstance(node, ScalarNode) and plain != node.raw.strip():
        names = draft.index.among(groups) if groups else draft.index.all_traits
        if not names.find(node.raw) and len(known := names.find(plain)) == 1:
            return known[0], count
    return find_trait(draft, node, groups, listed=bool(groups)), 1


def _unambiguous_alias(draft: Draft, id_: str) -> str:
    """Return the first name of a trait that no other trait has."""
    rule = draft.index.traits[id_][1]
    names = (rule.name, *rule.aliases)
    return f"`{next((n for n in names if draft.index.all_traits.find(n) == (id_,)), id_)}`"


def find_key_for(draft: Draft, name: str) -> str:
    """Return a hint that says what `name` is and under which key to write it; empty if unknown.

    Callers have looked `name` up for the key that it is under, without success.
    """
    if not any(letter.isalpha() for letter in name):
        return ""
    return next(_places(draft, split_times(name)[0]), "")


def _places(draft: Draft, name: str) -> Iterator[str]:
    for trait in draft.index.all_traits.find(name):
        group = draft.group_of(trait) or ""
        for key in _keys(draft, ("ratings", "raises", "codes"), group):
            yield _place_hint(draft, draft.name_of(trait), a(draft.rules.groups[group].one), key)
    for catalogue, names in draft.index.by_catalogue.items():
        for id_ in names.find(name):
            for key in _keys(draft, ("choice", "choices"), catalogue):
                one = a(draft.rules.choices[catalogue].one)
                yield _place_hint(draft, names.shown[id_], one, key)
    for id_ in draft.index.gear.find(name):
        keys = (*_keys(draft, ("items",)), *_keys(draft, ("item",)))
        if keys:
            yield _place_hint(draft, draft.index.gear.shown[id_], "an item", *keys)


def _keys(draft: Draft, kinds: tuple[str, ...], of: str = "") -> Iterator[str]:
    for id_, key in draft.rules.character.items():
        if key.kind in kinds and (not of or of in (key.of or (id_,))):
            yield str(id_)


def _place_hint(draft: Draft, name: str, what: str, *keys: str) -> str:
    places = " or ".join(f"`{draft.key_name(key)}`" for key in keys)
    return f"{name} is {what}: write it under {places}"
