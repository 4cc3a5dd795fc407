"""Purchases of rating steps: what was bought, bought again, sold and lost, and its price.

The step `pay_ratings` adds the ledger lines of stated ratings; `rating_parts` gives the build
what each rating is made of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from sheetgen.check.character.draft import Draft, LostSteps
from sheetgen.check.character.values import find_trait, is_blank, parse_amount, parse_mapping
from sheetgen.diag import codes
from sheetgen.diag.findings import Hint, Span
from sheetgen.model.build import RatingPart
from sheetgen.model.rulesets.traits import Group, Limit
from sheetgen.model.source import Many, Node, ScalarNode
from sheetgen.rules.scopes import NONE, limit_in_row

RATING = "rating"  # kind of the ledger lines for steps of stated ratings


def count_purchases(draft: Draft, trait: str, granted: int) -> Counter[int]:
    """Return how often each step of `trait` was paid for, if the first `granted` are free.

    A step that was sold or lost and bought again counts more than once.
    """
    bought = Counter(step for lost in draft.lost_steps.get(trait, ()) for step in lost.steps)
    bought.update(range(1, draft.own(trait) + 1))
    bought.subtract(range(1, granted + 1))
    return +bought


def count_lost(draft: Draft, trait: str, sold: bool) -> Counter[int]:
    """Return how often each step of `trait` was sold, or else lost."""
    several = (one for one in draft.lost_steps.get(trait, ()) if is_sold(draft, one) is sold)
    return Counter(step for one in several for step in one.steps)


def refund_of_steps(draft: Draft, trait: str, steps: Iterable[int]) -> int:
    """Return the points that selling `steps` of `trait` brings: their price, if no key sets it."""
    granted, total = draft.granted(trait), 0
    sold = (g for g in draft.lost_steps.get(trait, ()) if is_sold(draft, g))
    rule = next((draft.rules.character[g.key].price for g in sold), None)
    for n in steps:
        paid = draft.price(trait, n)
        if rule is not None:
            total += draft.eval_int(rule, n=n, free=granted, paid=paid)
        elif n > granted:
            total += paid
    return total


def price_of_steps(draft: Draft, trait: str, steps: Iterable[int]) -> int:
    """Return the price of `steps` of `trait`."""
    return sum(draft.price(trait, n) for n in steps)


def pay_ratings(draft: Draft) -> None:
    """Pay for the steps of stated ratings that were not granted; credit the steps sold."""
    paid = [
        (str(group.pool), trait)
        for id_, group in draft.rules.groups.items()
        if _is_bought(group)
        for trait in draft.traits_of(str(id_))
    ]
    for pool, trait in paid:
        name, granted = draft.name_of(trait), draft.granted(trait)
        bought = count_purchases(draft, trait, granted)
        first = range(granted + 1, draft.reached(trait) + 1)
        if first:
            what = f"{name} {format_steps(draft, trait, first)}"
            draft.spend(pool, what, price_of_steps(draft, trait, first), kind=RATING)
        bought.subtract(first)
        again = sorted((+bought).elements())
        if again:
            what = f"{name} {format_steps(draft, trait, again)} again"
            draft.spend(pool, what, price_of_steps(draft, trait, again), kind=RATING)
    for pool, trait in paid:
        for lost in draft.lost_steps.get(trait, ()):
            sold = is_sold(draft, lost)
            steps = format_steps(draft, trait, lost.steps)
            what = f"{draft.name_of(trait)} {steps} {'sold' if sold else 'lost'}"
            draft.spend(pool, what, -refund_of_steps(draft, trait, lost.steps) if sold else 0)


def _is_bought(group: Group) -> bool:
    return group.stated and group.price is not None and group.pool is not None


def format_steps(draft: Draft, trait: str, steps: Iterable[int]) -> str:
    """Return own steps of `trait` by the ratings that they reach: `3`, `2–4`, `d6–d10`, `4, 4`."""
    listed = sorted(steps)
    shown = [draft.written_rating(trait, step) for step in listed]
    if len(listed) > 1 and listed == list(range(listed[0], listed[-1] + 1)):
        return f"{shown[0]}–{shown[-1]}"
    return ", ".join(shown)


def rating_parts(draft: Draft, trait: str) -> tuple[RatingPart, ...]:
    """Return the parts of the rating of `trait`: granted, bought, sold and lost steps."""
    parts = tuple(draft.parts.get(trait, ()))
    if not _is_bought(draft.group_rule(trait)):
        return parts
    bought = sum(count_purchases(draft, trait, draft.granted(trait)).values())
    lost = [
        RatingPart(-len(one.steps), "sold" if is_sold(draft, one) else "lost", "gone", one.span)
        for one in draft.lost_steps.get(trait, ())
    ]
    return (*parts, *([RatingPart(bought, "bought", "bought")] if bought else ()), *lost)


MOST_STEPS = 99  # the highest step that can be lost; it bounds the numbers in a file
SOLD, LOST = "refunds", "losses"  # kinds of keys


def read_lost_steps(draft: Draft) -> None:
    """Read the steps that were sold, then those that were lost, trait by trait.

    Numbers under both keys are a finding: they do not tell which steps went first, and so what
    selling them brought.
    """
    counted: dict[str, bool] = {}
    for kind in (SOLD, LOST):
        for id_, key, node in draft.file_keys(kind):
            if not is_blank(node) and key.requires is not None and not draft.holds(key.requires):
                message = "no step can be sold by this build"
                draft.report(codes.REFUND, draft.span_of(id_), message, key.why)
            for name, below in parse_mapping(draft, node, draft.key_name(id_)):
                trait = find_trait(draft, name, tuple(map(str, key.of)))
                if not trait:
                    continue
                named = _parse_steps(draft, trait, name, below)
                if any(not 1 <= step <= MOST_STEPS for step in named):
                    message = f"steps of {draft.name_of(trait)} have numbers from 1 to {MOST_STEPS}"
                    hint = f"write `{name.raw}: 1` for one step that went"
                    draft.report(codes.REFUND, below.span, message, hint)
                elif named:
                    draft.lost_steps.setdefault(trait, []).append(LostSteps(named, name.span, id_))
                by_number = not isinstance(below, Many)
                lost = draft.lost_steps.get(trait, ())
                both = {is_sold(draft, one) for one in lost} == {True, False}
                if both and (by_number or counted[trait]):
                    _report_unordered(draft, trait, name)
                elif kind == SOLD:
                    counted[trait] = by_number
    for trait in draft.lost_steps:
        # Report steps that went although steps between them and the rating did not.
        gone = {step for one in draft.lost_steps[trait] for step in one.steps}
        own, reached = draft.own(trait), draft.reached(trait)
        lacking = [str(step) for step in range(own + 1, reached) if step not in gone]
        if lacking:
            message = f"{draft.name_of(trait)} is {own}; step {reached} went, but not "
            message += ", ".join(lacking)
            span = draft.lost_steps[trait][-1].span
            hint = "name all of them: steps go from the top down"
            draft.report(codes.REFUND, span, message, hint)


def is_sold(draft: Draft, lost: LostSteps) -> bool:
    """Whether steps were sold, and not lost in play."""
    return draft.rules.character[lost.key].kind == SOLD


def _report_unordered(draft: Draft, id_: str, name: ScalarNode) -> None:
    top = draft.reached(id_)
    message = f"{draft.name_of(id_)}: steps were sold and lost; numbers do not say which went first"
    sold = next(lost.key for lost in draft.lost_steps[id_] if is_sold(draft, lost))
    lost = draft.lost_steps[id_][-1].key
    hint = f"name the steps: `{draft.key_name(sold)}: {{{name.raw}: [{top}]}}`, "
    hint += f"`{draft.key_name(lost)}: {{{name.raw}: [{top - 1}]}}`, or the other way round"
    draft.report(codes.REFUND, name.span, message, hint)


def _parse_steps(draft: Draft, id_: str, name: ScalarNode, node: Node) -> tuple[int, ...]:
    """Return the numbers of the lost steps; none, and a finding, if too many were lost."""
    stated = draft.stated.get(id_)
    unstated = stated is None or stated.rating is None
    own, reached = draft.own(id_), draft.reached(id_)
    if isinstance(node, Many):
        steps = [parse_amount(draft, item, name.raw) for item in node.items]
        named = tuple(step for step in steps if step is not None)
        too_many = unstated and max(named, default=0) > reached
    else:
        count = min(parse_amount(draft, node, name.raw) or 0, MOST_STEPS + 1)
        top = own if unstated else reached + count
        named = tuple(range(max(top - count, 0) + 1, top + 1))
        too_many = unstated and count > own
    if too_many:
        message = f"{draft.name_of(id_)}: more steps are sold or lost than there were ({own})"
        hint = f"write what is left of {draft.name_of(id_)} among the ratings too"
        draft.report(codes.REFUND, name.span, message, hint)
        return ()
    return named


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
            name, of = draft.name_of(trait), _for_whom(draft, group, trait)
            is_, most = (draft.written_rating(trait, steps) for steps in (own, limit))
            message = f"{name} is {is_}; {_limit_text(draft, group, trait, limit)}"
            hint: str = Hint(
                f"lower it to {most}{_lifting(draft, group, trait)}",
                draft.typed_rating(is_),
                draft.typed_rating(most),
                f"Set {name} to {most}",
                draft.stated[trait].at if trait in draft.stated else None,
            )
            if not limit and not draft.base(trait):
                hint = f"take it out: {name} is closed{of}"
            draft.report(codes.ABOVE_LIMIT, raised_at(draft, trait), message, hint)
        elif not may_exceed(draft, group, trait, reached):
            # Report lost steps that are above the limit, so that they cannot have been bought.
            name, had = draft.name_of(trait), draft.written_rating(trait, reached)
            lost = next(g for g in draft.lost_steps[trait] if max(g.steps, default=0) > limit)
            of = _for_whom(draft, group, trait)
            text = _limit_text(draft, group, trait, limit)
            message = f"{name} was {had} before steps of it went; {text}"
            most = draft.written_rating(trait, limit)
            hint = f"lower it to {most} in all{_lifting(draft, group, trait)}; if steps were "
            hint += f"bought again, name those that went: `{{{name}: [{limit}]}}`"
            if not limit:
                hint = f"take it out: {name} is closed{of}"
            draft.report(codes.ABOVE_LIMIT, lost.span, message, hint)


def _listed(draft: Draft, limit: Limit, trait: str) -> int:
    rule = draft.trait_rule(trait)
    under = draft.total(str(rule.under)) if rule is not None and rule.under else 0
    most = draft.eval_int(limit.most, under=under, free=draft.granted(trait))
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


def _limit_text(draft: Draft, group: Group, trait: str, limit: int) -> str:
    of = _for_whom(draft, group, trait)
    listed = limit
    if group.limit is not None and trait not in draft.own_traits:
        listed = _listed(draft, group.limit, trait)
    allowed, raised = (draft.written_rating(trait, n) for n in (listed, limit))
    if listed >= limit:
        return f"the limit{of} is {raised}"
    return f"the limit{of} is {allowed}, and {granted_by(draft, trait)} raises it to {raised}"


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
    if group.limit is None or trait in draft.own_traits or _listed(draft, group.limit, trait) < 1:
        return ""
    raised_by = str(group.limit.raised_by or "")
    name = "" if draft.times_taken(raised_by) else draft.choice_name(raised_by)
    return f", or take {name}" if name else ""
