"""Steps of ratings that a character no longer has: sold, or lost in play.

The step `read_lost_steps` fills `draft.lost_steps`. The rating in the file is what is left. A
rating is a row of steps from 1 up without gaps, in every game: so a number of lost steps counts
from the highest down. A list names the steps; a step that is lost and still below the rating
was bought again.
"""

from __future__ import annotations

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.draft.records import LostSteps
from sheetgen.check.character.keys.trait_names import find_trait
from sheetgen.check.character.keys.values import is_blank, parse_amount, parse_mapping
from sheetgen.diag import codes
from sheetgen.model.source import Many, Node, ScalarNode

MOST_STEPS = 99
"""The highest step that can be lost; it bounds the numbers in a file."""

SOLD, LOST = "refunds", "losses"
"""Kinds of keys."""


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
                _read(draft, id_, trait, name, below)
                by_number = not isinstance(below, Many)
                lost = draft.lost_steps.get(trait, ())
                both = {is_sold(draft, one) for one in lost} == {True, False}
                if both and (by_number or counted[trait]):
                    _report_unordered(draft, trait, name)
                elif kind == SOLD:
                    counted[trait] = by_number
    for trait in draft.lost_steps:
        _check_no_gaps(draft, trait)


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


def _read(draft: Draft, key: str, id_: str, name: ScalarNode, node: Node) -> None:
    named = _parse_steps(draft, id_, name, node)
    if any(not 1 <= step <= MOST_STEPS for step in named):
        message = f"steps of {draft.name_of(id_)} have numbers from 1 to {MOST_STEPS}"
        hint = f"write `{name.raw}: 1` for one step that went"
        draft.report(codes.REFUND, node.span, message, hint)
    elif named:
        draft.lost_steps.setdefault(id_, []).append(LostSteps(named, name.span, key))


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


def _check_no_gaps(draft: Draft, id_: str) -> None:
    """Report steps that went although steps between them and the rating did not."""
    lost = {step for g in draft.lost_steps[id_] for step in g.steps}
    own, reached = draft.own(id_), draft.reached(id_)
    lacking = [str(step) for step in range(own + 1, reached) if step not in lost]
    if lacking:
        message = f"{draft.name_of(id_)} is {own}; step {reached} went, but not "
        message += ", ".join(lacking)
        span = draft.lost_steps[id_][-1].span
        draft.report(codes.REFUND, span, message, "steps go from the top down; name all of them")
