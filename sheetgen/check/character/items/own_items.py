"""Items that the ruleset does not list: an author's own, as far as a key allows them."""

from __future__ import annotations

import re
from dataclasses import replace

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.elsewhere import place_for
from sheetgen.check.character.keys.keys import trait
from sheetgen.check.character.keys.values import (
    amount,
    blank,
    flag,
    list_items,
    parse_text,
    parse_times,
    parts,
)
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.diag.near import suggestion
from sheetgen.model.build import Owned
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.rules.names import folded, split_times

CODE = re.compile(r"\d{1,3}\s*[dD]")
"""A dice code, `5D`: what an item deals."""

_FORM = ("cost", "granted", "count", "note", "dice", "skill", "tags")


def own_item(
    draft: Draft, key_id: str, key: Key, name: ScalarNode, form: Node | None, count: int
) -> Owned | None:
    """Return an item of the author's own: with a cost or dice, or where its key is open."""
    owned = _own_item(draft, key_id, key, name, form, count)
    if owned is not None and key.price is not None and not owned.granted:
        _unpriced(draft, key, owned, form)
    return owned


def _unpriced(draft: Draft, key: Key, owned: Owned, form: Node | None) -> None:
    """Find what is priced by its dice, and has neither dice nor a cost."""
    said = {folded(part.raw) for part, _ in form.entries} if isinstance(form, Pairs) else set()
    if owned.dice is None and "cost" not in said:
        message = f"`{owned.name}` has no dice to be priced by"
        hint = f"write `{{{owned.name}: 2D}}`, or `{{{owned.name}: {{cost: 12}}}}`"
        draft.say(codes.MISSING_KEY, owned.span, message, f"{hint}; {key.why}" if key.why else hint)


def _own_item(
    draft: Draft, key_id: str, key: Key, name: ScalarNode, form: Node | None, count: int
) -> Owned | None:
    plain = split_times(name.raw)[0]
    owned = Owned(key_id, "", plain, name.span, count)
    if isinstance(form, Pairs):
        return _formed(draft, key, owned, form)
    if isinstance(form, ScalarNode) and folded(form.raw) == "granted":
        return replace(owned, granted=True)
    if isinstance(form, ScalarNode) and CODE.fullmatch(form.raw):
        return _armed(draft, key, owned, form)
    if not key.open:
        message = f"there is no item `{plain}`"
        hint = place_for(draft, plain) or draft.index.gear.hint(plain)
        if not hint or hint.startswith("use"):
            hint = f"for a thing of your own write `{{{plain}: {{cost: 0}}}}`"
        draft.say(codes.UNKNOWN_NAME, name.span, message, hint)
        return None
    if form is not None and not blank(form):
        message = f"`{plain}` is no item of these rules, and has no damage"
        hint = f"write its damage, `{{{plain}: 3D}}`, or `{{{plain}: {{…}}}}`"
        draft.say(codes.WRONG_TYPE, form.span, message, hint)
    hint = draft.index.gear.hint(plain)
    if hint.startswith("did"):
        message = f"`{plain}` is no item of these rules; it is kept as text"
        draft.say(codes.OPEN_NAME, name.span, message, hint, Severity.WARNING)
    return owned


def _armed(draft: Draft, key: Key, owned: Owned, node: Node) -> Owned:
    dice = amount(draft, node, owned.name, dice=True)
    if dice == 0:
        message = f"`{owned.name}` has no dice"
        draft.say(codes.WRONG_TYPE, node.span, message, "write 1D or more, or leave them out")
    # What is installed costs by its dice.
    cost = draft.whole(key.price, n=dice) if key.price is not None and dice else owned.cost
    return replace(owned, dice=dice, cost=cost, tags=(*owned.tags, *map(str, key.tags)))


def _formed(draft: Draft, key: Key, owned: Owned, form: Pairs) -> Owned:
    granted = False
    for part, (name, below) in parts(draft, form).items():
        match part:
            case "cost":
                owned = replace(owned, cost=amount(draft, below, "cost") or 0)
            case "granted":
                granted = flag(draft, below, "granted") is not False
            case "count":
                owned = replace(owned, count=parse_times(draft, below, owned.name) or 1)
            case "note":
                owned = replace(owned, special=parse_text(draft, below, "note") or "")
            case "dice":
                owned = _armed(draft, key, owned, below)
            case "skill":
                owned = replace(owned, skill=trait(draft, below) or "")
            case "tags":
                tags = (tag.raw for tag in list_items(below) if isinstance(tag, ScalarNode))
                owned = replace(owned, tags=(*owned.tags, *tags))
            case _:
                message = f"there is no key `{name.raw}` for {owned.name}"
                hint = suggestion(name.raw, _FORM, "keys")
                draft.say(codes.UNKNOWN_KEY, name.span, message, hint)
    return replace(owned, cost=0, granted=True) if granted else owned
