"""Picks at creation that raise traits, such as "three different skills by +1D".

The step `read_raises` adds steps of kind `pick` to `draft.parts`, and the number of picks under
each key to `draft.numbers`.
"""

from __future__ import annotations

from dataclasses import replace

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.keys import is_required
from sheetgen.check.character.keys.trait_names import find_counted_trait
from sheetgen.check.character.keys.values import is_blank, list_items
from sheetgen.check.character.options import option_hint
from sheetgen.diag import codes
from sheetgen.diag.findings import Hint
from sheetgen.diag.spans import Span
from sheetgen.diag.words import count_is
from sheetgen.model.build import RatingPart, refused_name
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.source import Node, ScalarNode
from sheetgen.rules.names import split_times

MOST_TIMES = 100
"""The most picks of one trait in one item of a list; it bounds the work that a file can ask for."""


def read_raises(draft: Draft) -> None:
    """Read the lists of traits that the author picks to raise."""
    for id_, key in draft.rules.character.items():
        if key.kind != "raises":
            continue
        if id_ in draft.entries:
            _read(draft, str(id_), key, draft.entries[id_])
        if key.most is not None:
            _check_height(draft, key, draft.early_int(key.most, final=False), key.most)


def _check_height(draft: Draft, key: Key, most: int, formula: str) -> None:
    """Report traits that have more steps by now, picked or not, than `key` allows at creation."""
    for id_ in (t for group in key.of for t in draft.traits_of(str(group))):
        steps, place = 0, None
        for part in draft.parts.get(id_, ()):
            steps += part.steps
            place = part.span if steps > most and place is None else place
        if steps > most:
            message = f"{draft.name_of(id_)} is {steps} at creation; at most {most}"
            hint = option_hint(draft.rules, formula)
            draft.report(codes.ABOVE_LIMIT, place or draft.source.start, message, hint)


def _offered(draft: Draft, key: Key) -> dict[str, str] | None:
    """Return the traits that may be named, with the choice that offers each.

    Returns:
        None if any trait may be named, or no choice that could offer one is picked.
    """
    if key.from_ is None:
        return None
    picks = [p for p in draft.picks if p.catalogue == key.from_]
    entries = [(p.name, draft.entry_of(p)) for p in picks]
    return {str(t): name for name, entry in entries if entry for t in entry.offers} or None


def _is_unfit(
    draft: Draft, id_: str, key: Key, trait: str, offered: dict[str, str] | None, span: Span
) -> bool:
    """Whether `trait` may not be named here; if so there is a finding."""
    if offered is not None and trait not in offered:
        who = next(iter(offered.values()))
        message = f"{who} does not offer {draft.name_of(trait)}"
        names = ", ".join(draft.name_of(other) for other in offered)
        draft.report(codes.REQUIREMENT, span, message, f"it offers: {names}")
        return True
    if key.fits is None:
        return False
    rule = draft.trait_rule(trait)
    needs = rule.needs if rule is not None else None
    closed = int(needs is not None and not draft.holds(needs))
    before = _rating_before(draft, id_, trait)
    if not draft.holds(key.fits, n=before, closed=closed):
        message = f"{draft.name_of(trait)} cannot be named under `{draft.key_name(id_)}`"
        draft.report(codes.REQUIREMENT, span, message, key.why)
        return True
    return False


def _rating_before(draft: Draft, id_: str, trait: str) -> int:
    """Return the rating of `trait` without the steps from keys after `id_` in the ruleset."""
    keys = list(map(str, draft.rules.character))
    later = frozenset(keys[keys.index(id_) + 1 :])
    return draft.own(trait) - sum(p.steps for p in draft.parts.get(trait, ()) if p.key in later)


def _read(draft: Draft, id_: str, key: Key, node: Node) -> None:
    seen: list[str] = []
    listed = list_items(node)
    by = draft.early_int(key.by, final=False) if key.by is not None else 1
    offered = _offered(draft, key)
    repeat = key.repeat is not None and draft.early_holds(key.repeat, final=False)
    for item in listed:
        found, times = find_counted_trait(draft, item, tuple(map(str, key.of)))
        if found is None:
            continue
        refused = not repeat and found in seen
        if not repeat and (found in seen or times > 1):
            message, hint = f"{draft.name_of(found)} is picked twice", "pick different ones"
            if times > 1 and isinstance(item, ScalarNode):
                name, plain = draft.name_of(found), split_times(item.raw)[0]
                message = f"{name} can be picked once here; it is picked {times} times"
                hint = Hint(f"write `{plain}`, and pick different ones", item.raw, plain)
            draft.report(codes.REPEATED, item.span, message, hint)
            times = 1
        if times > MOST_TIMES:
            message = f"{draft.name_of(found)} is picked {times} times"
            hint = f"pick it {MOST_TIMES} times at most"
            draft.report(codes.WRONG_COUNT, item.span, message, hint)
            continue
        label = key.label or id_
        for _ in range(times):
            part = RatingPart(by, label, "pick", item.span, id_)
            if refused or _is_unfit(draft, id_, key, found, offered, item.span):
                # a draft marks the trait; its rating stays
                draft.add(found, replace(part, steps=0, why=refused_name(label)))
                break
            seen.append(found)
            draft.add(found, part)
    draft.numbers[id_] = len(seen)
    taken = sum(split_times(item.raw)[1] if isinstance(item, ScalarNode) else 1 for item in listed)
    count = draft.early_int(key.count, final=False) if key.count is not None else taken
    if taken != count and not (is_required(draft, key) and is_blank(node)):
        names = "name" if count == 1 else "names"
        message = f"`{draft.key_name(id_)}` takes {count} {names}; {count_is(taken)} listed"
        more = "to take out" if taken > count else "still to make"
        hint = key.why or f"picks {more}: {abs(taken - count)}"
        hint = hint if count else f"leave `{draft.key_name(id_)}` out"
        draft.report(codes.WRONG_COUNT, draft.span_of(id_), message, hint)
