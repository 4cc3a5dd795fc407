"""Limits of ratings: by class, by the author for a trait of his own, and what raises them.

The step `find_limits` fills `draft.limits`, which prices may depend on; `check_limits` reports
ratings above their limits once all ratings are known.
"""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.check.character.draft.draft import Draft
from sheetgen.diag import codes
from sheetgen.diag.findings import Hint
from sheetgen.diag.spans import Span
from sheetgen.model.rulesets.traits import Group, Limit
from sheetgen.rules.limits import NONE, limit_in_row


def limit_of(draft: Draft, trait: str) -> int | None:
    """Return the highest own rating of `trait` that its group allows; None for no limit.

    The boxes of a sheet show this limit. It includes steps that a choice grants beyond the
    limit, but not steps that another choice lets the player buy beyond it (see `may_exceed`).
    """
    if trait in draft.own_traits:
        stated = draft.stated.get(trait)
        return stated.most if stated else None
    group = draft.group_rule(trait)
    if group.limit is None:
        return None
    listed = _listed(draft, group.limit, trait)
    return max(listed, draft.passing.get(trait, 0))


def find_limits(draft: Draft) -> None:
    """Find the limits of all traits, once all choices are known."""
    draft.limits |= {trait: limit for _, trait, limit in _limits(draft)}


def _limits(draft: Draft) -> Iterator[tuple[Group, str, int]]:
    for id_, group in draft.rules.groups.items():
        if group.limit is not None or group.open is not None:
            for trait in draft.traits_of(str(id_)):
                if (limit := limit_of(draft, trait)) is not None:
                    yield group, trait, limit


def check_limits(draft: Draft) -> None:
    """Report ratings above their limits."""
    for group, trait, limit in _limits(draft):
        own, reached = draft.own(trait), draft.reached(trait)
        if reached <= limit or _has_bad_limit(draft, group, trait):
            continue
        if own > limit and not may_exceed(draft, group, trait, own):
            _report(draft, group, trait, limit)
        elif not may_exceed(draft, group, trait, reached):
            _report_lost(draft, group, trait, limit)


def _listed(draft: Draft, limit: Limit, trait: str) -> int:
    """Return the limit of `trait` in the set of limits that the options choose."""
    rule = draft.trait_rule(trait)
    under = draft.total(str(rule.under)) if rule is not None and rule.under else 0
    most = draft.eval_int(limit.most, under=under)
    chosen = limit.sets.get(str(draft.options.get(str(limit.option), "")), {})
    picks = [p.entry for p in draft.picks if p.catalogue == limit.by]
    if not picks:
        return limit_in_row(chosen.get(NONE, {}), trait, most)
    return min(limit_in_row(chosen.get(entry, {}), trait, most) for entry in picks)


def may_exceed(draft: Draft, group: Group, trait: str, rating: int) -> bool:
    """Whether a choice allows to buy `trait` up to `rating`, beyond its limit.

    A trait whose limit is 0 stays closed.
    """
    limit = group.limit
    if limit is None or limit.raised_by is None or trait in draft.own_traits:
        return False
    if not draft.times_taken(str(limit.raised_by)) or _listed(draft, limit, trait) < 1:
        return False
    ceiling = draft.eval_int(limit.ceiling) if limit.ceiling is not None else 0
    return not ceiling or rating <= ceiling


def _has_bad_limit(draft: Draft, group: Group, trait: str) -> bool:
    """Whether the author's limit for a trait of his own is out of range; it has its finding."""
    stated = draft.stated.get(trait)
    most = stated.most if stated else None
    return group.open is not None and most is not None and not 1 <= most <= group.open.most


def _report(draft: Draft, group: Group, trait: str, limit: int) -> None:
    name, of = draft.name_of(trait), _for_whom(draft, group, trait)
    message = f"{name} is {draft.own(trait)}; {_limit_text(draft, group, trait, limit)}"
    hint: str = Hint(
        f"lower it to {limit}{_lifting(draft, group, trait)}",
        str(draft.own(trait)),
        str(limit),
        f"Set {name} to {limit}",
        draft.stated[trait].at if trait in draft.stated else None,
    )
    if not limit:
        hint = f"take it out: {name} is closed{of}"
    draft.report(codes.ABOVE_LIMIT, raised_at(draft, trait), message, hint)


def _report_lost(draft: Draft, group: Group, trait: str, limit: int) -> None:
    """Report lost steps that are above the limit, so that they cannot have been bought."""
    name, reached = draft.name_of(trait), draft.reached(trait)
    lost = next(g for g in draft.lost_steps[trait] if max(g.steps, default=0) > limit)
    of = _for_whom(draft, group, trait)
    text = _limit_text(draft, group, trait, limit)
    message = f"{name} was {reached} before steps of it went; {text}"
    hint = (
        f"lower it to {limit} in all{_lifting(draft, group, trait)}; if steps were bought again, "
    )
    hint += f"name those that went: `{{{name}: [{limit}]}}`"
    if not limit:
        hint = f"take it out: {name} is closed{of}"
    draft.report(codes.ABOVE_LIMIT, lost.span, message, hint)


def _limit_text(draft: Draft, group: Group, trait: str, limit: int) -> str:
    """Return the limit in words, and the choice that raises it if one does."""
    of = _for_whom(draft, group, trait)
    listed = limit
    if group.limit is not None and trait not in draft.own_traits:
        listed = _listed(draft, group.limit, trait)
    if listed >= limit:
        return f"the limit{of} is {limit}"
    return f"the limit{of} is {listed}, and {granted_by(draft, trait)} raises it to {limit}"


def granted_by(draft: Draft, trait: str) -> str:
    """Return the names of the choices that granted steps of `trait`."""
    grants = (part.why for part in draft.parts.get(trait, ()) if part.kind == "grant")
    return " and ".join(dict.fromkeys(grants))


def format_granting(draft: Draft, trait: str) -> str:
    """Return who grants steps of `trait`, with the verb, for messages."""
    who = granted_by(draft, trait)
    return f"{who} grants" if who and who != "given" else "the rules grant"


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
    """Return `, or take X` if choice X lets `trait` exceed its limit."""
    if group.limit is None or trait in draft.own_traits or _listed(draft, group.limit, trait) < 1:
        return ""
    raised_by = str(group.limit.raised_by or "")
    name = "" if draft.times_taken(raised_by) else draft.choice_name(raised_by)
    return f", or take {name}" if name else ""
