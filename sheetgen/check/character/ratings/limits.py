"""The highest ratings: of a class, of what an author recorded, and what lifts them."""

from __future__ import annotations

from sheetgen.check.character.draft.draft import Draft
from sheetgen.diag import codes
from sheetgen.diag.spans import Span
from sheetgen.model.rulesets.traits import Group, Limit
from sheetgen.rules.limits import NONE, limit_in_row


def limit_of(draft: Draft, trait: str) -> int | None:
    """Return the highest own rating of `trait` that its group allows; None for no limit.

    This is what the boxes of a sheet show: it counts what a choice grants beyond a
    limit, but not what another choice lets be bought beyond it.
    """
    stated = draft.stated.get(trait)
    if trait in draft.own_traits:
        return stated.most if stated else None
    group = draft.rules.groups[draft.group_of(trait) or ""]
    if group.limit is None:
        return None
    listed = _listed(draft, group.limit, trait)
    return max(listed, draft.passing.get(trait, 0))


def find_limits(draft: Draft) -> None:
    """Find the limits of all traits, once all choices are known."""
    for id_, group in draft.rules.groups.items():
        if group.limit is None and group.open is None:
            continue
        for trait in draft.traits_of(str(id_)):
            limit = limit_of(draft, trait)
            if limit is not None:
                draft.limits[trait] = limit


def check_limits(draft: Draft) -> None:
    """Find ratings above their limits."""
    for id_, group in draft.rules.groups.items():
        if group.limit is None and group.open is None:
            continue
        for trait in draft.traits_of(str(id_)):
            limit = limit_of(draft, trait)
            if limit is None:
                continue
            reached = draft.reached(trait)
            if reached <= limit or _bad_most(draft, group, trait):
                continue
            if draft.own(trait) > limit and not lifted(draft, group, trait, draft.own(trait)):
                _say(draft, group, trait, limit)
            elif not lifted(draft, group, trait, reached):
                _say_gone(draft, group, trait, limit)


def _listed(draft: Draft, limit: Limit, trait: str) -> int:
    """Return what the set in force says of `trait`."""
    most = draft.whole(limit.most, under=_under(draft, trait))
    chosen = limit.sets.get(str(draft.options.get(str(limit.option), "")), {})
    picks = [p.entry for p in draft.picks if p.catalogue == limit.by]
    if not picks:
        return limit_in_row(chosen.get(NONE, {}), trait, most)
    return min(limit_in_row(chosen.get(entry, {}), trait, most) for entry in picks)


def _under(draft: Draft, trait: str) -> int:
    """Return the rating of what `trait` stands under; nought where it stands under nothing."""
    found = draft.index.traits.get(trait)
    above = found[1].under if found else None
    return draft.total(str(above)) if above else 0


def lifted(draft: Draft, group: Group, trait: str, rating: int) -> bool:
    """Whether a choice lets `trait` be bought up to `rating`, beyond its limit.

    It has to be one of which a first step can be had in the ordinary way.
    """
    limit = group.limit
    if limit is None or limit.raised_by is None or trait in draft.own_traits:
        return False
    if not draft.taken(str(limit.raised_by)) or _listed(draft, limit, trait) < 1:
        return False
    ceiling = draft.whole(limit.ceiling) if limit.ceiling is not None else 0
    return not ceiling or rating <= ceiling


def _bad_most(draft: Draft, group: Group, trait: str) -> bool:
    """Whether the author's own limit for a trait of his is none; that is said already."""
    stated = draft.stated.get(trait)
    most = stated.most if stated else None
    return group.open is not None and most is not None and not 1 <= most <= group.open.most


def _say(draft: Draft, group: Group, trait: str, limit: int) -> None:
    name, of = draft.name_of(trait), _for_whom(draft, group, trait)
    message = f"{name} is {draft.own(trait)}; {_limit_text(draft, group, trait, limit)}"
    hint = f"at most {limit}{_lifting(draft, group, trait)}"
    if not limit:
        hint = f"{name} is closed{of}; take it out"
    draft.say(codes.ABOVE_LIMIT, raised_at(draft, trait), message, hint)


def _say_gone(draft: Draft, group: Group, trait: str, limit: int) -> None:
    """Say that steps are gone that never can have been there."""
    name, reached = draft.name_of(trait), draft.reached(trait)
    gone = next(g for g in draft.gone[trait] if max(g.dots, default=0) > limit)
    of = _for_whom(draft, group, trait)
    text = _limit_text(draft, group, trait, limit)
    message = f"{name} was {reached} before steps of it went; {text}"
    hint = f"at most {limit} in all{_lifting(draft, group, trait)}; if steps were bought again, "
    hint += f"name those that went: `{{{name}: [{limit}]}}`"
    if not limit:
        hint = f"{name} is closed{of}; it was never there"
    draft.say(codes.ABOVE_LIMIT, gone.span, message, hint)


def _limit_text(draft: Draft, group: Group, trait: str, limit: int) -> str:
    """Return the limit in words: that of the rules, and what granted more than it."""
    of = _for_whom(draft, group, trait)
    listed = limit
    if group.limit is not None and trait not in draft.own_traits:
        listed = _listed(draft, group.limit, trait)
    if listed >= limit:
        return f"the limit{of} is {limit}"
    return f"the limit{of} is {listed}, and {granted_by(draft, trait)} raises it to {limit}"


def granted_by(draft: Draft, trait: str) -> str:
    """Return the names of what granted steps of `trait`."""
    grants = (part.why for part in draft.parts.get(trait, ()) if part.kind == "grant")
    return " and ".join(dict.fromkeys(grants))


def _for_whom(draft: Draft, group: Group, trait: str) -> str:
    by = [p.name for p in draft.picks if group.limit and p.catalogue == group.limit.by]
    return f" for {by[0]}" if by and trait not in draft.own_traits else ""


def raised_at(draft: Draft, trait: str) -> Span:
    """Return where the file states `trait`, or else what raised it."""
    if trait in draft.stated:
        return draft.stated[trait].span
    raised = (part.span for part in draft.parts.get(trait, ()) if part.span is not None)
    return next(raised, draft.source.start)


def _lifting(draft: Draft, group: Group, trait: str) -> str:
    """Return `, or take X` if that helps `trait` beyond its limit."""
    if group.limit is None or trait in draft.own_traits or _listed(draft, group.limit, trait) < 1:
        return ""
    raised_by = str(group.limit.raised_by or "")
    for catalogue in draft.rules.choices.values():
        if raised_by in catalogue.entries and not draft.taken(raised_by):
            return f", or take {catalogue.entries[raised_by].name}"
    return ""
