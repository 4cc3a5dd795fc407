"""Grants: what choices give without a price: steps of traits, starts of pools, dice, gear.

The step `apply_grants` adds to `draft.parts`, `pool_starts`, `granted_dice`, `granted_gear`,
`passing` and `focus`.
"""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.draft.records import PoolStart
from sheetgen.check.character.keys.values import parse_die
from sheetgen.model.build import Pick, RatingPart
from sheetgen.model.rulesets.choices import Grants
from sheetgen.model.source import ScalarNode


def apply_grants(draft: Draft) -> None:
    """Apply what the ruleset gives to everybody, then what each pick grants, in order."""
    for pick in granting_picks(draft):
        for grants in grants_of(draft, pick):
            _apply(draft, pick, grants)
        entry = draft.entry_of(pick)
        if entry is not None and entry.focus and entry.focus.skill:
            skill = str(entry.focus.skill)
            raised = entry.grants.raise_.get(skill) if entry.grants else None
            draft.focus[skill] = draft.early_int(raised) if raised is not None else 0


def granting_picks(draft: Draft) -> Iterator[Pick]:
    """Yield a pick without a catalogue, for what everybody is granted, then all picks."""
    yield Pick("", "", "", "given", draft.source.start)
    yield from draft.picks


def grants_of(draft: Draft, pick: Pick) -> tuple[Grants, ...]:
    """Return what `pick` grants: without a condition, then with conditions that hold now."""
    entry = draft.entry_of(pick)
    grants = entry.grants if entry is not None else None
    grants = grants if pick.catalogue else draft.rules.given
    if grants is None:
        return ()
    return tuple(_open_grants(draft, grants))


def _open_grants(draft: Draft, grants: Grants) -> Iterator[Grants]:
    """Yield a block of grants and those below `when` whose conditions hold."""
    if grants.if_ is None or draft.early_holds(grants.if_):
        yield grants
        for below in grants.when:
            yield from _open_grants(draft, below)


def _apply(draft: Draft, pick: Pick, grants: Grants) -> None:
    raised = {str(t): draft.early_int(f) for t, f in grants.raise_.items()}
    if grants.asked and pick.named in draft.index.traits:
        raised[pick.named] = raised.get(pick.named, 0) + grants.asked
    for trait, steps in raised.items():
        if steps:
            span = (pick.named_at if trait == pick.named else None) or pick.span
            part = RatingPart(steps * pick.times, pick.name, "grant", span, pick.key)
            draft.add(trait, part)
    for pool, amount in grants.start.items():
        start = PoolStart(
            draft.early_int(amount, final=False), pick.name, pick.catalogue, pick.span
        )
        draft.pool_starts.setdefault(str(pool), []).append(start)
    for faces in grants.dice:
        granted = parse_die(draft, ScalarNode(faces.span, str(faces), str(faces)))
        if granted:
            draft.granted_dice += [granted] * pick.times
    gear = [(str(i), pick.name, pick.span) for i in grants.gear]
    draft.granted_gear += gear * pick.times
    if grants.passes_limits:
        # Granted steps may exceed a limit, but not the boxes of a sheet.
        spread = grants.spread.among if grants.spread else ()
        for trait in (*raised, *map(str, spread)):
            group = draft.group_of(trait)
            boxes = draft.rules.groups[group].boxes if group else 0
            draft.passing[trait] = min(draft.granted(trait), boxes)
