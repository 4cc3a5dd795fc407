"""Steps of ratings that an author no longer has: sold, or lost in play.

The rating that the file states is what is left. A number says how many steps went, from
the top down; a list names each of them, and then a step that stands again was bought again.
"""

from __future__ import annotations

from sheetgen.check.character.draft.draft import Draft, LostSteps
from sheetgen.check.character.keys.keys import trait
from sheetgen.check.character.keys.values import amount, blank, pairs
from sheetgen.diag import codes
from sheetgen.model.source import Many, Node, ScalarNode

MOST_STEPS = 99
"""No trait ever had more steps than this to lose."""

SOLD, LOST = "refunds", "losses"
"""Kinds of keys."""


def read_gone(draft: Draft) -> None:
    """Read the steps that were sold, then those that were lost, trait by trait.

    Numbers do not say which of both went first, and so what is paid back: that is a finding.
    """
    counted: dict[str, bool] = {}
    for kind in (SOLD, LOST):
        for id_, node in draft.entries.items():
            key = draft.rules.character[id_]
            if key.kind != kind:
                continue
            if not blank(node) and key.requires is not None and not draft.holds(key.requires):
                message = "no step can be sold by this build"
                draft.report(codes.REFUND, draft.span_of(id_), message, key.why)
            for name, below in pairs(draft, node, draft.key_name(id_)):
                found = trait(draft, name, tuple(map(str, key.of)))
                if found:
                    _read(draft, id_, found, name, below)
                    by_number = not isinstance(below, Many)
                    kinds = {
                        draft.rules.character[g.key].kind for g in draft.lost_steps.get(found, ())
                    }
                    if kinds == {SOLD, LOST} and (by_number or counted[found]):
                        _unordered(draft, found, name)
                    elif kind == SOLD:
                        counted[found] = by_number
    for trait_id in draft.lost_steps:
        _check(draft, trait_id)


def _unordered(draft: Draft, id_: str, name: ScalarNode) -> None:
    """Say that steps were sold and lost, and nobody knows which of them first."""
    top = draft.reached(id_)
    message = f"{draft.name_of(id_)}: steps were sold and lost; numbers do not say which went first"
    sold = next(g.key for g in draft.lost_steps[id_] if draft.rules.character[g.key].kind == SOLD)
    lost = draft.lost_steps[id_][-1].key
    hint = f"name the steps: `{draft.key_name(sold)}: {{{name.raw}: [{top}]}}`, "
    hint += f"`{draft.key_name(lost)}: {{{name.raw}: [{top - 1}]}}`, or the other way round"
    draft.report(codes.REFUND, name.span, message, hint)


def _read(draft: Draft, key: str, id_: str, name: ScalarNode, node: Node) -> None:
    named = _named(draft, id_, name, node)
    if any(not 1 <= dot <= MOST_STEPS for dot in named):
        message = f"steps of {draft.name_of(id_)} have numbers from 1 to {MOST_STEPS}"
        draft.report(
            codes.REFUND, node.span, message, f"write `{name.raw}: 1` for one step that went"
        )
    elif named:
        draft.lost_steps.setdefault(id_, []).append(LostSteps(named, name.span, key))


def _named(draft: Draft, id_: str, name: ScalarNode, node: Node) -> tuple[int, ...]:
    """Return the numbers of the steps that went; nothing, and a finding, if too many did."""
    stated = draft.stated.get(id_)
    unstated = stated is None or stated.rating is None
    own, reached = draft.own(id_), draft.reached(id_)
    if isinstance(node, Many):
        dots = [amount(draft, item, name.raw) for item in node.items]
        named = tuple(d for d in dots if d is not None)
        too_many = unstated and max(named, default=0) > reached
    else:
        count = min(amount(draft, node, name.raw) or 0, MOST_STEPS + 1)
        top = own if unstated else reached + count
        named = tuple(range(max(top - count, 0) + 1, top + 1))
        too_many = unstated and count > own
    if too_many:
        message = f"{draft.name_of(id_)}: more steps went than were there ({own})"
        hint = f"write what is left of {draft.name_of(id_)} among the ratings too"
        draft.report(codes.REFUND, name.span, message, hint)
        return ()
    return named


def _check(draft: Draft, id_: str) -> None:
    """Find steps that went though steps above what is left did not."""
    gone = {dot for g in draft.lost_steps[id_] for dot in g.steps}
    own, reached = draft.own(id_), draft.reached(id_)
    lacking = [str(dot) for dot in range(own + 1, reached) if dot not in gone]
    if lacking:
        message = (
            f"{draft.name_of(id_)} is {own}; step {reached} went, but not {', '.join(lacking)}"
        )
        span = draft.lost_steps[id_][-1].span
        draft.report(codes.REFUND, span, message, "steps go from the top down; name all of them")
