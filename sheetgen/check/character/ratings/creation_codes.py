"""Codes of creation: ratings that the file states as a stat block prints them.

The step `read_codes` adds them to `draft.parts` and `listed_codes`; `lift_codes` raises all of
them together, by what a key such as a level says.
"""

from __future__ import annotations

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.trait_names import find_trait
from sheetgen.check.character.keys.values import parse_amount, parse_mapping, report_repeated
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.diag.spans import Span
from sheetgen.model.build import RatingPart
from sheetgen.model.codes import code_text
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.source import Node, ScalarNode
from sheetgen.rules.names import folded


def read_codes(draft: Draft) -> None:
    """Read the codes under all keys of codes, then check what each key allows.

    Under a key with `whole` a code includes its parent: 3D under a trait of
    2D is one die of its own. Keys without `whole` are therefore read first.
    """
    keys = sorted(draft.ruleset_keys("codes"), key=lambda one: one[1].whole)
    read = [(id_, key, *_read(draft, id_, key, node)) for id_, key, node in keys]
    for id_, key, places, complete in read:  # What one key allows may depend on another.
        _check(draft, id_, key, places, complete=complete)


Places = dict[str, Span]
"""The place of each trait's name."""


def _read(draft: Draft, id_: str, key: Key, node: Node) -> tuple[Places, bool]:
    """Read the codes under a key; return their places, and whether all could be read."""
    groups = tuple(map(str, key.of))
    seen: dict[str, ScalarNode] = {}
    read: dict[str, int] = {}
    complete = True
    for name, below in parse_mapping(draft, node, draft.key_name(id_), key.example or "{Name: 2}"):
        found = find_trait(draft, name, groups, listed=True)
        if found is None:
            complete = False
            continue
        merged = found in seen and _merged(draft, found, seen[found], name)
        if found in seen and not merged:
            report_repeated(draft, name, seen[found].raw, seen[found].span)
            continue
        seen[found] = name
        code = parse_amount(draft, below, name.raw, draft.in_dice(found))
        if code is not None:
            read[found] = max(code, read.get(found, 0))
    for found, code in read.items():
        _add(draft, found, key, code, seen[found])
    places = {found: name.span for found, name in seen.items()}
    return places, complete and len(read) == len(seen)


def _merged(draft: Draft, trait: str, first: ScalarNode, second: ScalarNode) -> bool:
    """Whether a module merged two traits into one, whose names both are; if so, warn."""
    absorbed = {folded(name) for name in draft.index.traits[trait][1].absorbs}
    names = {folded(first.raw), folded(second.raw)}
    if len(names) == 1 or not absorbed & names:
        return False
    message = f"`{first.raw}` and `{second.raw}` are one trait here, {draft.name_of(trait)}"
    hint = "the higher code is kept"
    draft.report(codes.REPEATED, second.span, message, hint, Severity.WARNING)
    return True


def _check(draft: Draft, id_: str, key: Key, places: Places, *, complete: bool) -> None:
    """Report codes that are too low or too high at creation, and a wrong sum.

    Without `complete`, some codes could not be read; then too little is no finding.
    """
    traits = [t for group in key.of for t in draft.traits_of(str(group))]
    dice = any(draft.rules.groups[str(group)].rating == "dice" for group in key.of)

    def shown(steps: int) -> str:
        return code_text(steps, pips=draft.rules.pips) if dice else str(steps)

    least = draft.early_int(key.least, final=False) if key.least is not None else None
    most = draft.early_int(key.most, final=False) if key.most is not None else None
    for one in traits:
        own, place = draft.own(one), places.get(one, draft.span_of(id_))
        if least is not None and own < least and (complete or own):
            message = f"{draft.name_of(one)} is {shown(own)}; it is at least {shown(least)}"
            draft.report(codes.BAD_SPREAD, place, message, key.why)
        if most is not None and own > most:
            message = f"{draft.name_of(one)} is {shown(own)} at creation; at most {shown(most)}"
            draft.report(codes.ABOVE_LIMIT, place, message, key.why)
    if key.count is None or not complete:
        return
    count, spent = draft.early_int(key.count, final=False), sum(draft.own(one) for one in traits)
    if spent != count:
        message = f"`{draft.key_name(id_)}` has {shown(count)} to place; it places {shown(spent)}"
        more = "to take out" if spent > count else "still to place"
        severity = Severity.ERROR if spent > count or key.required else Severity.WARNING
        hint = f"{more}: {shown(abs(count - spent))}"
        draft.report(codes.BAD_SPREAD, draft.span_of(id_), message, hint, severity)


def _add(draft: Draft, found: str, key: Key, code: int, name: ScalarNode) -> None:
    rule = draft.index.traits[found][1]
    under = draft.total(rule.under) if key.whole and rule.under else 0
    steps = code - under - draft.own(found)
    if key.whole and code < under:
        above = draft.name_of(str(rule.under))
        message = f"{draft.name_of(found)} is {code}, but {above} alone is {under}"
        hint = f"write the whole code, {above} included: {under} or more"
        draft.report(codes.BELOW_GRANT, name.span, message, hint)
        steps = 0
    draft.add(found, RatingPart(steps, key.label, "pick", name.span))
    draft.listed_codes.append(found)


def lift_codes(draft: Draft) -> None:
    """Raise every code that the file lists by the formula `lifts` of a key.

    The formula sees `raised`: the steps that the key gave the trait that governs the listed one.
    """
    for id_, key in draft.rules.character.items():
        if key.lifts is None or id_ not in draft.entries:
            continue
        for found in draft.listed_codes:
            under = draft.index.traits[found][1].under
            if under is None:
                continue
            parts = draft.parts.get(str(under), ())
            raised = sum(p.steps for p in parts if p.why == (key.label or id_))
            if steps := draft.early_int(key.lifts, final=False, raised=raised):
                part = RatingPart(steps, key.label or str(id_), "pick", draft.span_of(str(id_)))
                draft.add(found, part)
