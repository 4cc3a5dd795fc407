"""Items of the author's own, which the ruleset does not list, and options of listed items.

`gear.py` calls these functions while it reads items.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.trait_names import find_key_for, find_trait
from sheetgen.check.character.keys.values import (
    is_blank,
    list_items,
    parse_amount,
    parse_flag,
    parse_long_form,
    parse_text,
    parse_times,
    report_unknown_key,
)
from sheetgen.diag import codes
from sheetgen.diag.findings import NamesHint, Severity
from sheetgen.diag.near import nearest
from sheetgen.model.build import Owned, refused_name
from sheetgen.model.rulesets.choices import Choice
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.rules.names import folded, split_times

CODE = re.compile(r"\d{1,3}\s*[dD](?:\s*\+\s*\d)?")
"""A dice code, `5D`: what an item deals."""

_WITH_SKILL = re.compile(rf"({CODE.pattern})\s+(?=\D)(.+)")
"""A dice code and the trait that is rolled to attack, `5D SKILL`."""

_FORM = ("cost", "granted", "count", "note", "dice", "skill", "tags")


def read_own_item(
    draft: Draft, key_id: str, key: Key, name: ScalarNode, form: Node | None, count: int
) -> Owned | None:
    """Return an item of the author's own: with a cost or dice, or under an open key."""
    owned = _own_item(draft, key_id, key, name, form, count)
    keys = {folded(part.raw) for part, _ in form.entries} if isinstance(form, Pairs) else set()
    if owned is None or owned.granted or "cost" in keys:
        return owned
    if key.price is not None and owned.dice is None:
        message = f"`{owned.name}` has no dice to be priced by"
        hint = f"write `{{{owned.name}: 2D}}`, or `{{{owned.name}: {{cost: 12}}}}`"
        hint = f"{hint}; {key.why}" if key.why else hint
        draft.report(codes.MISSING_KEY, owned.span, message, hint)
    if key.pool is not None and not key.open:
        message = f"`{owned.name}` does not say what it costs"
        hint = f"write `{{{owned.name}: {{cost: 0}}}}`, or `{{{owned.name}: granted}}`"
        draft.report(codes.MISSING_KEY, owned.span, message, hint)
    return owned


def _own_item(
    draft: Draft, key_id: str, key: Key, name: ScalarNode, form: Node | None, count: int
) -> Owned | None:
    plain = split_times(name.raw)[0]
    owned = Owned(key_id, "", plain, name.span, count)
    if isinstance(form, Pairs):
        return _with_form(draft, key, owned, form)
    if isinstance(form, ScalarNode) and folded(form.raw) == "granted":
        return replace(owned, granted=True)
    if isinstance(form, ScalarNode) and CODE.fullmatch(form.raw):
        return _with_dice(draft, key, owned, form)
    if isinstance(form, ScalarNode) and (match := _WITH_SKILL.fullmatch(form.raw)):
        code, name = (ScalarNode(form.span, part, part) for part in match.groups())
        owned = replace(owned, skill=find_trait(draft, name) or "")
        return _with_dice(draft, key, owned, code)
    if not key.open:
        message = f"there is no item `{plain}`"
        hint = find_key_for(draft, plain) or draft.index.gear.hint(plain)
        if not hint or isinstance(hint, NamesHint):
            own = f"for a thing of your own write `{{{plain}: {{cost: 0}}}}`"
            hint = NamesHint(own, plain, tuple(draft.index.gear.shown.values()))
        draft.report(codes.UNKNOWN_NAME, name.span, message, hint)
        draft.refused_items.append(replace(owned, name=refused_name(plain)))
        return None
    if form is not None and not is_blank(form):
        message = f"`{plain}` is no item of these rules, and has no damage"
        hint = f"write its damage, `{{{plain}: 3D}}`, or `{{{plain}: {{…}}}}`"
        draft.report(codes.WRONG_TYPE, form.span, message, hint)
    hint = draft.index.gear.hint(plain)
    if hint.startswith("did"):
        message = f"`{plain}` is no item of these rules; it is kept as text"
        draft.report(codes.OPEN_NAME, name.span, message, hint, Severity.WARNING)
    return owned


def _with_dice(draft: Draft, key: Key, owned: Owned, node: Node) -> Owned:
    dice = parse_amount(draft, node, owned.name, dice=True)
    if dice == 0:
        message = f"`{owned.name}` has no dice"
        draft.report(codes.WRONG_TYPE, node.span, message, "write 1D or more, or leave them out")
    cost = draft.eval_int(key.price, n=dice) if key.price is not None and dice else owned.cost
    return replace(owned, dice=dice, cost=cost, tags=(*owned.tags, *map(str, key.tags)))


def _with_form(draft: Draft, key: Key, owned: Owned, form: Pairs) -> Owned:
    granted = False
    for part, (name, below) in parse_long_form(draft, form).items():
        match part:
            case "cost":
                owned = replace(owned, cost=parse_amount(draft, below, "cost") or 0)
            case "granted":
                granted = parse_flag(draft, below, "granted") is not False
            case "count":
                owned = replace(owned, count=parse_times(draft, below, owned.name) or 1)
            case "note":
                owned = replace(owned, special=parse_text(draft, below, "note") or "")
            case "dice":
                owned = _with_dice(draft, key, owned, below)
            case "skill":
                owned = replace(owned, skill=find_trait(draft, below) or "")
            case "tags":
                tags = (tag.raw for tag in list_items(below) if isinstance(tag, ScalarNode))
                owned = replace(owned, tags=(*owned.tags, *tags))
            case _:
                report_unknown_key(draft, name, f"for {owned.name}", _FORM)
    return replace(owned, cost=0, granted=True) if granted else owned


def add_options(draft: Draft, owned: Owned, catalogue_id: str, node: Node) -> Owned:
    """Return `owned` with the options of one catalogue that the author picked for it."""
    catalogue = draft.rules.choices[catalogue_id]
    names = draft.index.by_catalogue[catalogue_id]
    picked = list_items(node)
    if not catalogue.many and len(picked) > 1:
        message = f"{owned.name} takes one {catalogue.one}"
        draft.report(codes.WRONG_COUNT, node.span, message, "keep one")
    seen: set[str] = set()
    for item in picked:
        found = names.find(item.raw) if isinstance(item, ScalarNode) else ()
        raw = item.raw if isinstance(item, ScalarNode) else "this"
        hint = names.hint(raw)
        if len(found) == 1 and found[0] in seen:
            message = f"{names.shown[found[0]]} is picked twice"
            draft.report(codes.REPEATED, item.span, message, "keep one of the two")
        elif len(found) == 1:
            owned = _with_option(owned, catalogue.entries[found[0]])
        elif not catalogue.open or not isinstance(item, ScalarNode):
            message = f"there is no {catalogue.one} `{raw}`"
            draft.report(codes.UNKNOWN_NAME, item.span, message, hint)
        else:
            owned = replace(owned, name=f"{owned.name}, {raw}")
            if nearest(raw, names.shown.values()):
                message = f"the rules list no {catalogue.one} `{raw}`; it is kept as it is"
                draft.report(codes.OPEN_NAME, item.span, message, hint, Severity.WARNING)
        seen.update(found)
    return owned


def _with_option(owned: Owned, entry: Choice) -> Owned:
    changes = dict(owned.changes)
    for derived, formula in entry.modifies.items():
        changes[str(derived)] = (*changes.get(str(derived), ()), formula)
    dice = owned.dice + entry.dice if owned.dice is not None else None
    special = "; ".join(s for s in (owned.special, entry.special) if s)
    both = "; ".join(s for s in (owned.conditional, entry.conditional) if s)
    return replace(
        owned,
        dice=dice,
        changes=changes,
        special=special,
        conditional=both,
        name=f"{owned.name}, {entry.name}",
        tags=(*owned.tags, *map(str, entry.tags)),
    )
