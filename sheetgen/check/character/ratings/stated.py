"""Ratings that the author states: dots, stars, limits of his own traits, notes.

The step `read_ratings` fills `draft.stated` and `draft.own_traits`; `check_ratings` runs once
everything that changes a rating is read. A star replaces one step of a rating, so that a rating
has at most as many stars as steps.
"""

from __future__ import annotations

from dataclasses import replace

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.draft.records import Stated
from sheetgen.check.character.keys.corrections import indent
from sheetgen.check.character.keys.trait_names import find_trait
from sheetgen.check.character.keys.values import (
    is_blank,
    parse_amount,
    parse_long_form,
    parse_mapping,
    parse_text,
    report_repeated,
    report_unknown_key,
)
from sheetgen.check.character.ratings.limits import format_granting
from sheetgen.check.character.ratings.lost_steps import LOST
from sheetgen.diag import codes
from sheetgen.diag.findings import Hint, Severity
from sheetgen.model.rulesets.traits import Group, OpenGroup
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.rules.names import exact_form, folded

RATED = ("rating", "dots", "dice", "ranks")
_PARTS = (*RATED, "stars", "max", "note")
"""Keys of the long form of a rating, `{dots: 6, stars: 2}`; the first four mean the same."""
_STEPS = {"dots": "dot", "ranks": "rank", "dice": "die"}
"""One step of a rating, by the unit of its group."""

MOST_RATING = 9_999
"""The largest rating: each of its steps is paid for, which takes time and memory."""


def read_ratings(draft: Draft) -> None:
    """Read the ratings of all groups whose ratings the author states, and notes beside traits."""
    for id_, key, node in draft.file_keys("ratings"):
        groups = tuple(map(str, key.of or (id_,)))
        entries = parse_mapping(draft, node, draft.key_name(id_))
        for name, below in indent(draft, entries, lambda _, value: is_blank(value), _is_part):
            trait = _find_or_name(draft, groups, name)
            if trait is None:
                continue
            if trait in draft.stated:
                report_repeated(draft, name, draft.name_of(trait), draft.stated[trait].span)
            else:
                draft.stated[trait] = _read_rating(draft, trait, name, below)
    for id_, _, node in draft.file_keys("details"):
        for name, below in parse_mapping(draft, node, draft.key_name(id_), "{Name: a note}"):
            trait = find_trait(draft, name)
            if trait:
                stated = draft.stated.get(trait) or Stated(None, name.span)
                detail = parse_text(draft, below, name.raw) or ""
                draft.stated[trait] = replace(stated, detail=detail)


def _is_part(key: ScalarNode, _: bool) -> bool:
    return folded(key.raw) in _PARTS


def _find_or_name(draft: Draft, groups: tuple[str, ...], name: ScalarNode) -> str | None:
    """Return the trait of `groups` that `name` means; in an open group it may be a new one."""
    opened = [(g, rule) for g in groups if (rule := draft.rules.groups[g].open) is not None]
    closed = tuple(g for g in groups if draft.rules.groups[g].open is None)
    if not opened or (closed and draft.index.among(closed).find(name.raw)):
        return find_trait(draft, name, groups, listed=True)
    group_id, rule = opened[0]
    group = draft.rules.groups[group_id]
    id_ = folded(name.raw).replace(" ", "_")
    if not id_:
        draft.report(codes.WRONG_TYPE, name.span, f"this {group.one} needs a name")
        return None
    while id_ in draft.own_traits and exact_form(draft.own_traits[id_][0]) != exact_form(name.raw):
        id_ += "_"
    others = draft.index.all_traits.find(name.raw)
    named = {folded(draft.index.all_traits.shown[other]) for other in others}
    if rule.name_differs and (folded(name.raw) in named or id_ in draft.index.traits):
        message = f"`{name.raw}` is the name of a trait already"
        draft.report(codes.REPEATED, name.span, message, "give the new one a name of its own")
        id_ = f"{id_}.{group_id}"  # It counts in all sums beside its namesake.
    draft.own_traits[id_] = name.raw, group_id
    return id_


def _read_rating(draft: Draft, id_: str, name: ScalarNode, node: Node) -> Stated:
    stated = Stated(None, name.span)
    if not isinstance(node, Pairs):
        if is_blank(node):
            _report_no_rating(draft, name)
            return stated
        return _with_rating(draft, stated, id_, name.raw, node)
    rated = ""
    for part, (key, below) in parse_long_form(draft, node).items():
        if part in RATED and rated:
            message = f"`{key.raw}` means the same as `{rated}`"
            draft.report(codes.REPEATED_KEY, key.span, message, "keep one of the two")
        elif part in RATED:
            rated = key.raw
            stated = _with_rating(draft, stated, id_, key.raw, below)
        elif part == "stars":
            stated = replace(stated, stars=parse_amount(draft, below, key.raw) or 0)
        elif part == "max":
            stated = replace(stated, most=parse_amount(draft, below, key.raw))
        elif part == "note":
            stated = replace(stated, detail=parse_text(draft, below, key.raw) or "")
        else:
            report_unknown_key(draft, key, "in a rating", _PARTS)
    if not rated and not draft.granted(id_):  # A granted rating may be left out.
        _report_no_rating(draft, name)
    return stated


def _with_rating(draft: Draft, stated: Stated, id_: str, name: str, node: Node) -> Stated:
    rating = parse_amount(draft, node, name, draft.in_dice(id_))
    if rating is not None and rating > MOST_RATING:
        hint = f"at most {MOST_RATING}"
        draft.report(codes.WRONG_TYPE, node.span, f"`{name}` is too large", hint)
        rating = None
    return replace(stated, rating=rating, at=node.span)


def _report_no_rating(draft: Draft, name: ScalarNode) -> None:
    message = f"`{name.raw}` has no rating"
    draft.report(codes.MISSING_KEY, name.span, message, f"write `{name.raw}: 1`, or more")


def check_ratings(draft: Draft) -> None:
    """Report ratings below what is granted, stars that nothing grants, and bad new traits."""
    for id_, stated in draft.stated.items():
        granted, own = draft.granted(id_), draft.own(id_)
        if stated.rating is not None and draft.reached(id_) < granted:
            name = draft.name_of(id_)
            hint = f"write the whole rating, {granted} or more, or leave {name} out"
            lost = [
                draft.key_name(str(i)) for i, k in draft.rules.character.items() if k.kind == LOST
            ]
            hint += f"; what was lost in play goes under `{lost[0]}`" if lost else ""
            who = format_granting(draft, id_)
            message = f"{name} is {stated.rating}, below the {granted} that {who}"
            title = f"Set {name} to {granted}"
            hint = Hint(hint, str(stated.rating), str(granted), title, stated.at)
            draft.report(codes.BELOW_GRANT, stated.span, message, hint)
        if stated.stars > own and (stated.rating is not None or granted):
            step, steps = step_words(draft.group_rule(id_))
            message = f"{draft.name_of(id_)} has more stars ({stated.stars}) than {steps} ({own})"
            draft.report(codes.STARS, stated.span, message, f"remove stars: each replaces a {step}")
    stars = any(stated.stars for stated in draft.stated.values())
    for group_id, group in draft.rules.groups.items():
        if stars or group.stars:
            _check_stars(draft, str(group_id), group)
        if group.open is not None:
            _check_named_traits(draft, str(group_id), group, group.open)


def step_words(group: Group) -> tuple[str, str]:
    """Return what messages call one step of a rating of `group`, and several."""
    unit = str(group.rating)
    return (_STEPS[unit], unit) if unit in _STEPS else ("step", "steps")


def _check_stars(draft: Draft, group_id: str, group: Group) -> None:
    starred = [t for t in draft.traits_of(group_id) if _stars_of(draft, t)]
    used = sum(_stars_of(draft, t) for t in starred)
    allowed = draft.times_taken(str(group.stars)) if group.stars else 0
    if used < allowed:
        _report_unplaced_stars(draft, group, allowed - used)
    if used > allowed:
        granting = draft.choice_name(str(group.stars or ""))
        message = f"{group.label or group_id} with stars: {used}; granted: {allowed}"
        hint = f"take {granting} for each star, or remove stars" if granting else "remove the stars"
        draft.report(codes.STARS, draft.stated[starred[-1]].span, message, hint)


def _report_unplaced_stars(draft: Draft, group: Group, free: int) -> None:
    """Note that stars were granted which no rating has yet."""
    pick = next(p for p in draft.picks if str(group.stars) in draft.pick_names(p))
    message = (
        f"{pick.name}: no rating has {'its star' if free == 1 else f'{free} of its stars'} yet"
    )
    rated = str(group.rating) if group.rating in RATED else "rating"
    hint = f"write a rating of {group.label.lower()} as `{{{rated}: 2, stars: 1}}`"
    draft.report(codes.CAVEAT, pick.span, message, hint, Severity.NOTE)


def _stars_of(draft: Draft, id_: str) -> int:
    """Return the stars of a trait, at most as many as its steps; more have their finding."""
    stated = draft.stated.get(id_)
    return min(stated.stars, draft.own(id_)) if stated else 0


def _check_named_traits(draft: Draft, group_id: str, group: Group, rule: OpenGroup) -> None:
    """Report too many traits that the author named, and missing or wrong limits of these."""
    mine = draft.named_traits(group_id)
    if not mine:
        return
    allowed = draft.times_taken(str(rule.needs))
    if len(mine) > allowed:
        span = draft.stated[mine[-1]].span
        message = f"{group.label}: {len(mine)} named; {allowed} allowed"
        needed = draft.choice_name(str(rule.needs)) or rule.needs
        draft.report(codes.WRONG_COUNT, span, message, f"each needs one take of {needed}")
    for id_ in mine:
        stated = draft.stated[id_]
        name = draft.name_of(id_)
        if stated.most is None:
            message = f"`{name}` does not say its highest rating"
            form = f"{{dots: {stated.rating or 1}, max: {rule.most}}}"
            hint = f"write `{name}: {form}`, or a lower max"
            draft.report(codes.MISSING_KEY, stated.span, message, hint)
        elif not 1 <= stated.most <= rule.most:
            message = f"the highest rating of `{name}` is {stated.most}, not 1 to {rule.most}"
            draft.report(codes.ABOVE_LIMIT, stated.span, message)
