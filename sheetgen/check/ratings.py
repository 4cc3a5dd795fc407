"""Ratings that the author writes, picks that raise traits, and steps that were sold."""

from __future__ import annotations

from dataclasses import replace

from sheetgen.check.draft import Draft, Stated
from sheetgen.check.keys import trait
from sheetgen.check.values import amount, blank, items, pairs, text
from sheetgen.diag import codes
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.model.ruleset import Group, Key
from sheetgen.model.source import Leaf, Node, Pairs
from sheetgen.rules.names import folded

_PARTS = ("rating", "dots", "dice", "ranks", "stars", "max", "note")
"""Keys of the long form of a rating: `{dots: 6, stars: 2}`."""


def read_ratings(draft: Draft) -> None:
    """Read the ratings of all groups whose ratings the author states."""
    for id_, node in draft.entries.items():
        key = draft.rules.character[id_]
        if key.kind != "ratings":
            continue
        group_id = str(key.of[0]) if key.of else id_
        group = draft.rules.groups[group_id]
        for name, below in pairs(draft, node, id_):
            found = _trait(draft, group_id, group, name)
            if found is None:
                continue
            if found in draft.stated:
                first = draft.stated[found].span.line
                message = f"`{name.raw}` stands twice; first in line {first}"
                draft.say(codes.SAID_TWICE, name.span, message, "keep one of the two")
            else:
                draft.stated[found] = _stated(draft, group, name, below)
    for id_, node in draft.entries.items():
        if draft.rules.character[id_].kind == "details":
            for name, below in pairs(draft, node, id_):
                found = trait(draft, name)
                if found:
                    _detail(draft, found, name.span, text(draft, below, name.raw) or "")


def _detail(draft: Draft, id_: str, span: Span, note: str) -> None:
    old = draft.stated.get(id_) or Stated(None, span)
    draft.stated[id_] = replace(old, detail=note)


def _trait(draft: Draft, group_id: str, group: Group, name: Leaf) -> str | None:
    if group.open is None:
        return trait(draft, name, (group_id,))
    others = draft.index.all_traits.find(name.raw)
    if others and group.open.name_differs:
        message = f"`{name.raw}` is the name of a trait already"
        draft.say(codes.REPEATED, name.span, message, "give the new one a name of its own")
        return None
    id_ = folded(name.raw).replace(" ", "_")
    if not id_:
        draft.say(codes.WRONG_TYPE, name.span, f"a name for this {group.one} has to stand here")
        return None
    draft.own_traits[id_] = name.raw, group_id
    return id_


def _stated(draft: Draft, group: Group, name: Leaf, node: Node) -> Stated:
    if not isinstance(node, Pairs):
        if blank(node):
            message = f"`{name.raw}` has no rating"
            draft.say(codes.MISSING_KEY, name.span, message, f"write `{name.raw}: 1`, or more")
            return Stated(None, name.span)
        return Stated(amount(draft, node, name.raw), name.span)
    stated = Stated(None, name.span)
    for key, below in node.entries:
        if key.raw in ("rating", "dots", "dice", "ranks"):
            stated = replace(stated, rating=amount(draft, below, key.raw))
        elif key.raw == "stars":
            stated = replace(stated, stars=amount(draft, below, key.raw) or 0)
        elif key.raw == "max":
            stated = replace(stated, most=amount(draft, below, key.raw))
        elif key.raw == "note":
            stated = replace(stated, detail=text(draft, below, key.raw) or "")
        else:
            message = f"there is no key `{key.raw}` in a rating"
            hint = suggestion(key.raw, _PARTS, "keys")
            draft.say(codes.UNKNOWN_KEY, key.span, message, hint)
    return stated


def read_refunds(draft: Draft) -> None:
    """Read the steps that were sold, trait by trait."""
    for id_, node in draft.entries.items():
        key = draft.rules.character[id_]
        if key.kind != "refunds":
            continue
        if not blank(node) and key.requires is not None and not draft.holds(key.requires):
            draft.say(codes.REFUND, draft.at(id_), "no step can be sold by this build", key.why)
        for name, below in pairs(draft, node, id_):
            found = trait(draft, name, tuple(map(str, key.of)))
            sold = amount(draft, below, name.raw)
            if found and sold:
                old = draft.stated.get(found) or Stated(None, name.span)
                draft.stated[found] = replace(old, sold=sold)


def check_ratings(draft: Draft) -> None:
    """Find ratings below what is granted, stars without ground, and bad new traits."""
    for id_, stated in draft.stated.items():
        granted = draft.granted(id_)
        if stated.rating is not None and stated.rating + stated.sold < granted:
            name = draft.name_of(id_)
            message = f"{name} is {stated.rating}, but {granted} are granted"
            hint = f"write the whole rating, {granted} or more, or leave {name} out"
            draft.say(codes.BELOW_GRANT, stated.span, message, hint)
        if stated.rating is None and stated.sold > granted:
            name = draft.name_of(id_)
            message = f"{name}: {stated.sold} sold, but only {granted} there"
            hint = f"write what is left of {name} among the ratings too"
            draft.say(codes.REFUND, stated.span, message, hint)
        if stated.stars > draft.own(id_):
            dots = draft.own(id_)
            message = f"{draft.name_of(id_)} has more stars ({stated.stars}) than dots ({dots})"
            draft.say(codes.STARS, stated.span, message, "a star replaces a dot")
    for group_id, group in draft.rules.groups.items():
        _stars(draft, str(group_id), group)
        if group.open is not None:
            _named_by_author(draft, str(group_id), group)


def _stars(draft: Draft, group_id: str, group: Group) -> None:
    starred = [t for t in draft.traits_of(group_id) if _stars_of(draft, t)]
    used = sum(_stars_of(draft, t) for t in starred)
    allowed = draft.taken(str(group.stars)) if group.stars else 0
    if used > allowed:
        last = draft.stated[starred[-1]]
        found = next(
            (
                c.entries[str(group.stars)].name
                for c in draft.rules.choices.values()
                if group.stars and str(group.stars) in c.entries
            ),
            "",
        )
        message = f"{group.label or group_id} with stars: {used}; granted: {allowed}"
        hint = f"each star needs one take of {found}" if found else "no stars here"
        draft.say(codes.STARS, last.span, message, hint)


def _stars_of(draft: Draft, id_: str) -> int:
    stated = draft.stated.get(id_)
    return stated.stars if stated else 0


def _named_by_author(draft: Draft, group_id: str, group: Group) -> None:
    rule = group.open
    mine = [t for t, (_, g) in draft.own_traits.items() if g == group_id]
    if rule is None or not mine:
        return
    allowed = draft.taken(str(rule.needs))
    if len(mine) > allowed:
        span = draft.stated[mine[-1]].span
        message = f"{group.label}: {len(mine)} named; {allowed} allowed"
        entries = (c.entries.get(str(rule.needs)) for c in draft.rules.choices.values())
        needed = next((entry.name for entry in entries if entry), rule.needs)
        draft.say(codes.WRONG_COUNT, span, message, f"each needs one take of {needed}")
    for id_ in mine:
        stated = draft.stated[id_]
        name = draft.name_of(id_)
        if stated.most is None:
            message = f"`{name}` does not say its highest rating"
            hint = (
                f"write `{name}: {{dots: {stated.rating or 1}, max: {rule.most}}}`, or a lower max"
            )
            draft.say(codes.MISSING_KEY, stated.span, message, hint)
        elif not 1 <= stated.most <= rule.most:
            message = f"the highest rating of `{name}` is {stated.most}, not 1 to {rule.most}"
            draft.say(codes.ABOVE_LIMIT, stated.span, message)


def read_raises(draft: Draft) -> None:
    """Read the lists of traits that the author picks to raise."""
    for id_, key in draft.rules.character.items():
        if key.kind == "raises" and id_ in draft.entries:
            _raises(draft, str(id_), key, draft.entries[id_])


def _raises(draft: Draft, id_: str, key: Key, node: Node) -> None:
    seen: list[str] = []
    listed = items(node)
    repeat = key.repeat is not None and draft.holds(key.repeat)
    for item in listed:
        found = trait(draft, item, tuple(map(str, key.of)))
        if found is None:
            continue
        if found in seen and not repeat:
            message = f"{draft.name_of(found)} is picked twice"
            draft.say(codes.REPEATED, item.span, message, "pick different ones")
            continue
        seen.append(found)
        if key.most is not None and draft.own(found) + key.by > draft.whole(key.most):
            message = f"{draft.name_of(found)} would have more than {draft.whole(key.most)}"
            draft.say(codes.ABOVE_LIMIT, item.span, message, key.why)
        draft.add(found, key.by, key.label or id_, "pick", item.span)
    count = draft.whole(key.count) if key.count is not None else len(listed)
    if len(listed) != count:
        message = f"`{id_}` picks {count}; {len(listed)} stand here"
        more = "to take out" if len(listed) > count else "still to make"
        hint = key.why or f"picks {more}: {abs(len(listed) - count)}"
        draft.say(codes.WRONG_COUNT, draft.at(id_), message, hint)
