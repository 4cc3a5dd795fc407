"""Ratings that the author writes, and picks that raise traits."""

from __future__ import annotations

from dataclasses import replace

from sheetgen.check.character.draft.draft import Draft, Stated
from sheetgen.check.character.keys.keys import is_required, trait
from sheetgen.check.character.keys.torn import nested
from sheetgen.check.character.keys.values import amount, blank, list_items, pairs, parse_text, parts
from sheetgen.check.character.options import set_by
from sheetgen.check.character.picks.picks import entry_of
from sheetgen.check.character.ratings.lost_steps import LOST
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.diag.words import count_is, repeated
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.rulesets.traits import Group
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.rules.names import folded, split_times

_RATED = ("rating", "dots", "dice", "ranks")
_PARTS = (*_RATED, "stars", "max", "note")
"""Keys of the long form of a rating: `{dots: 6, stars: 2}`; of the first ones one stands."""


def read_ratings(draft: Draft) -> None:
    """Read the ratings of all groups whose ratings the author states."""
    for id_, node in draft.entries.items():
        key = draft.rules.character[id_]
        if key.kind != "ratings":
            continue
        groups = tuple(map(str, key.of or (id_,)))
        entries = pairs(draft, node, draft.written(id_))
        for name, below in nested(draft, entries, lambda _, value: blank(value), _is_part):
            found = _trait(draft, groups, name)
            if found is None:
                continue
            group = draft.rules.groups[draft.group_of(found) or groups[0]]
            if found in draft.stated:
                first = draft.stated[found].span
                message = repeated(name.raw, name.span, draft.name_of(found), first)
                draft.say(codes.REPEATED_KEY, name.span, message, "keep one of the two")
            else:
                draft.stated[found] = _stated(draft, found, group, name, below)
    for id_, node in draft.entries.items():
        if draft.rules.character[id_].kind == "details":
            for name, below in pairs(draft, node, draft.written(id_), "{Name: a note}"):
                found = trait(draft, name)
                if found:
                    _detail(draft, found, name.span, parse_text(draft, below, name.raw) or "")


def _is_part(key: ScalarNode, _: bool) -> bool:
    return folded(key.raw) in _PARTS


def _detail(draft: Draft, id_: str, span: Span, note: str) -> None:
    old = draft.stated.get(id_) or Stated(None, span)
    draft.stated[id_] = replace(old, detail=note)


def _trait(draft: Draft, groups: tuple[str, ...], name: ScalarNode) -> str | None:
    """Return the trait of one of `groups` that `name` means, in an open one a new one."""
    opened = [(g, rule) for g in groups if (rule := draft.rules.groups[g].open) is not None]
    closed = tuple(g for g in groups if draft.rules.groups[g].open is None)
    if not opened or (closed and draft.index.among(closed).find(name.raw)):
        return trait(draft, name, groups, listed=True)
    group_id, rule = opened[0]
    group = draft.rules.groups[group_id]
    id_ = folded(name.raw).replace(" ", "_")
    if not id_:
        draft.say(codes.WRONG_TYPE, name.span, f"this {group.one} needs a name")
        return None
    others = draft.index.all_traits.find(name.raw)
    named = {folded(draft.index.all_traits.shown[other]) for other in others}
    if rule.name_differs and (folded(name.raw) in named or id_ in draft.index.traits):
        message = f"`{name.raw}` is the name of a trait already"
        draft.say(codes.REPEATED, name.span, message, "give the new one a name of its own")
        id_ = f"{id_}.{group_id}"  # it counts in all sums, beside the one whose name it has
    draft.own_traits[id_] = name.raw, group_id
    return id_


def _stated(draft: Draft, id_: str, group: Group, name: ScalarNode, node: Node) -> Stated:
    stated, dice = Stated(None, name.span), group.rating == "dice"
    if not isinstance(node, Pairs):
        if blank(node):
            _no_rating(draft, name)
            return stated
        return replace(stated, rating=amount(draft, node, name.raw, dice))
    rated = ""
    for part, (key, below) in parts(draft, node).items():
        if part in _RATED and rated:
            message = f"`{key.raw}` means the same as `{rated}`"
            draft.say(codes.REPEATED_KEY, key.span, message, "keep one of the two")
        elif part in _RATED:
            rated = key.raw
            stated = replace(stated, rating=amount(draft, below, key.raw, dice))
        elif part == "stars":
            stated = replace(stated, stars=amount(draft, below, key.raw) or 0)
        elif part == "max":
            stated = replace(stated, most=amount(draft, below, key.raw))
        elif part == "note":
            stated = replace(stated, detail=parse_text(draft, below, key.raw) or "")
        else:
            message = f"there is no key `{key.raw}` in a rating"
            hint = suggestion(key.raw, _PARTS, "keys")
            draft.say(codes.UNKNOWN_KEY, key.span, message, hint)
    if not rated and not draft.granted(id_):  # what is granted need not be repeated
        _no_rating(draft, name)
    return stated


def _no_rating(draft: Draft, name: ScalarNode) -> None:
    message = f"`{name.raw}` has no rating"
    draft.say(codes.MISSING_KEY, name.span, message, f"write `{name.raw}: 1`, or more")


def check_ratings(draft: Draft) -> None:
    """Find ratings below what is granted, stars without ground, and bad new traits."""
    for id_, stated in draft.stated.items():
        granted, dots = draft.granted(id_), draft.own(id_)
        if stated.rating is not None and draft.reached(id_) < granted:
            name = draft.name_of(id_)
            message = f"{name} is {stated.rating}, but {count_is(granted)} granted"
            hint = f"write the whole rating, {granted} or more, or leave {name} out"
            lost = [
                draft.written(str(i)) for i, k in draft.rules.character.items() if k.kind == LOST
            ]
            hint += f"; what was lost in play goes under `{lost[0]}`" if lost else ""
            draft.say(codes.BELOW_GRANT, stated.span, message, hint)
        if stated.stars > dots and (stated.rating is not None or granted):
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
    if used < allowed:
        _unplaced(draft, group, allowed - used)
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


def _unplaced(draft: Draft, group: Group, free: int) -> None:
    """Say that stars were granted which no rating has; there may be a dot for them later."""
    pick = next(p for p in draft.picks if str(group.stars) in draft.called(p))
    message = (
        f"{pick.name}: no rating has {'its star' if free == 1 else f'{free} of its stars'} yet"
    )
    hint = f"write a rating of {group.label.lower()} as `{{{_rated(group)}: 2, stars: 1}}`"
    draft.say(codes.CAVEAT, pick.span, message, hint, Severity.NOTE)


def _rated(group: Group) -> str:
    return str(group.rating) if group.rating in _RATED else "rating"


def _stars_of(draft: Draft, id_: str) -> int:
    """Return the stars of a trait that stand on dots; more of them are said already."""
    stated = draft.stated.get(id_)
    return min(stated.stars, draft.own(id_)) if stated else 0


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
        if key.kind != "raises":
            continue
        if id_ in draft.entries:
            _raises(draft, str(id_), key, draft.entries[id_])
        if key.most is not None:
            _too_high(draft, key, draft.whole(key.most), set_by(draft.rules, key.most))


def _too_high(draft: Draft, key: Key, most: int, hint: str) -> None:
    """Find traits with more steps by now, picks or not, than `key` allows at creation."""
    for id_ in (t for group in key.of for t in draft.traits_of(str(group))):
        steps, place = 0, None
        for part in draft.parts.get(id_, ()):
            steps += part.steps
            place = part.span if steps > most and place is None else place
        if steps > most:
            message = f"{draft.name_of(id_)} is {steps} at creation; at most {most}"
            draft.say(codes.ABOVE_LIMIT, place or draft.source.start, message, hint)


def _offered(draft: Draft, key: Key) -> dict[str, str] | None:
    """Return what may be named, to who offers it; None where everything may."""
    if key.from_ is None:
        return None
    picks = [p for p in draft.picks if p.catalogue == key.from_ and entry_of(draft, p)]
    entries = [(p.name, entry_of(draft, p)) for p in picks]
    found = {str(t): name for name, entry in entries if entry for t in entry.offers}
    return found or None


def _unfit(
    draft: Draft, id_: str, key: Key, trait: str, offered: dict[str, str] | None, span: Span
) -> bool:
    """Whether `trait` may not be named here; that is said."""
    if offered is not None and trait not in offered:
        who = next(iter(offered.values()))
        message = f"{who} does not offer {draft.name_of(trait)}"
        names = ", ".join(draft.name_of(other) for other in offered)
        draft.say(codes.REQUIREMENT, span, message, f"it offers: {names}")
        return True
    needs = draft.index.traits[trait][1].needs if trait in draft.index.traits else None
    closed = int(needs is not None and not draft.holds(needs))
    before = _rating_before(draft, id_, trait)
    if key.fits is not None and not draft.holds(key.fits, n=before, closed=closed):
        message = f"{draft.name_of(trait)} cannot be named under `{draft.written(id_)}`"
        draft.say(codes.REQUIREMENT, span, message, key.why)
        return True
    return False


def _rating_before(draft: Draft, id_: str, trait: str) -> int:
    """Return the rating of `trait` without what the ruleset's keys after `id_` give."""
    keys = list(map(str, draft.rules.character))
    later = frozenset(keys[keys.index(id_) + 1 :])
    return draft.own(trait) - sum(p.steps for p in draft.parts.get(trait, ()) if p.key in later)


def _raises(draft: Draft, id_: str, key: Key, node: Node) -> None:
    seen: list[str] = []
    listed = list_items(node)
    by = draft.whole(key.by) if key.by is not None else 1
    offered = _offered(draft, key)
    repeat = key.repeat is not None and draft.holds(key.repeat)
    for item in listed:
        found = trait(draft, item, tuple(map(str, key.of)), listed=True)
        if found is None:
            continue
        if found in seen and not repeat:
            message = f"{draft.name_of(found)} is picked twice"
            draft.say(codes.REPEATED, item.span, message, "pick different ones")
            continue
        if _unfit(draft, id_, key, found, offered, item.span):
            continue
        seen.append(found)
        draft.add(found, by, key.label or id_, "pick", item.span, id_)
    draft.numbers[id_] = len(seen)
    taken = sum(split_times(item.raw)[1] if isinstance(item, ScalarNode) else 1 for item in listed)
    count = draft.whole(key.count) if key.count is not None else taken
    if taken != count and not (is_required(draft, key) and blank(node)):
        names = "name" if count == 1 else "names"
        message = f"`{draft.written(id_)}` takes {count} {names}; {count_is(taken)} listed"
        more = "to take out" if taken > count else "still to make"
        hint = key.why or f"picks {more}: {abs(taken - count)}"
        hint = hint if count else f"leave `{draft.written(id_)}` out"
        draft.say(codes.WRONG_COUNT, draft.at(id_), message, hint)
