"""What choices give: steps of traits, starts of pools, dice and gear."""

from __future__ import annotations

from sheetgen.check.character.draft.draft import Draft, Start
from sheetgen.check.character.keys.values import die
from sheetgen.check.character.picks.picks import GIVEN, entry_of, given_of, pick_grants
from sheetgen.model.build import Pick
from sheetgen.model.rulesets.choices import Grants
from sheetgen.model.source import ScalarNode


def apply_grants(draft: Draft) -> None:
    """Apply what everybody is granted, then what every pick grants, in their order."""
    everybody = Pick("", "", "", GIVEN, draft.source.start)
    for grants in given_of(draft):
        _apply(draft, everybody, grants)
    for pick in draft.picks:
        entry = entry_of(draft, pick)
        for grants in pick_grants(draft, pick):
            _apply(draft, pick, grants)
        if entry is not None and entry.focus and entry.focus.skill:
            skill = str(entry.focus.skill)
            raised = entry.grants.raise_.get(skill) if entry.grants else None
            draft.focus[skill] = draft.whole(raised) if raised is not None else 0


def _apply(draft: Draft, pick: Pick, grants: Grants) -> None:
    raised = {str(t): draft.whole(f) for t, f in grants.raise_.items()}
    if grants.asked and pick.named in draft.index.traits:
        raised[pick.named] = raised.get(pick.named, 0) + grants.asked
    for trait, steps in raised.items():
        if steps:
            place = pick.named_at if trait == pick.named else None
            draft.add(trait, steps * pick.times, pick.name, "grant", place or pick.span, pick.key)
    for pool, amount in grants.start.items():
        start = Start(draft.whole(amount), pick.name, pick.catalogue, pick.span)
        draft.starts.setdefault(str(pool), []).append(start)
    for faces in grants.dice:
        found = die(draft, ScalarNode(faces.span, str(faces), str(faces)))
        if found:
            draft.granted_dice.append(found)
    draft.granted_gear += [(str(i), pick.name, pick.span) for i in grants.gear]
    if grants.passes_limits:
        _pass_limits(draft, pick, grants, raised)


def _pass_limits(draft: Draft, pick: Pick, grants: Grants, raised: dict[str, int]) -> None:
    """Let what was granted stand above the limits, though never above the boxes."""
    spread = grants.spread.among if grants.spread else ()
    for trait in (*raised, *map(str, spread)):
        group = draft.group_of(trait)
        boxes = draft.rules.groups[group].boxes if group else 0
        draft.passing[trait] = min(draft.granted(trait), boxes)
