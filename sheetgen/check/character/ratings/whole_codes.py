"""Ratings as a stat block prints them: whole codes, and what lifts them all."""

from __future__ import annotations

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.keys import trait
from sheetgen.check.character.keys.values import amount, pairs
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.diag.spans import Span
from sheetgen.diag.words import repeated
from sheetgen.model.build import Value
from sheetgen.model.codes import code_text
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.source import Node, ScalarNode
from sheetgen.rules.names import folded, names_of

CODES = "codes"
PRINTED = "printed"
"""Kinds of keys; see content/rulesets/README.md."""


def read_codes(draft: Draft) -> None:
    """Read ratings that are written as they stand in a stat block.

    Under a key with `whole` a code holds what the trait stands under: 3D under a trait
    of 2D is one die of its own. Plain codes are read first, therefore.
    """
    keys = [(str(i), k) for i, k in draft.rules.character.items() if k.kind == CODES]
    read: list[tuple[str, Key, Places, bool]] = []
    for id_, key in sorted(keys, key=lambda pair: pair[1].whole):
        if id_ in draft.entries:
            read.append((id_, key, *_read(draft, id_, key, draft.entries[id_])))
    for id_, key, places, complete in read:  # what one allows may rest on another
        _check(draft, id_, key, places, complete=complete)


Places = dict[str, Span]
"""Where each trait is named."""


def _read(draft: Draft, id_: str, key: Key, node: Node) -> tuple[Places, bool]:
    """Read the codes under a key; return where they stand, and whether all can be read."""
    groups = tuple(map(str, key.of))
    seen: dict[str, ScalarNode] = {}
    read: dict[str, int] = {}
    complete = True
    for name, below in pairs(draft, node, draft.written(id_), key.example or "{Name: 2}"):
        found = trait(draft, name, groups, listed=True)
        if found is None:
            complete = False
            continue
        merged = found in seen and _merged(draft, found, seen[found], name)
        if found in seen and not merged:
            message = repeated(name.raw, name.span, seen[found].raw, seen[found].span)
            draft.say(codes.REPEATED_KEY, name.span, message, "keep one of the two")
            continue
        seen[found] = name
        dice = draft.rules.groups[draft.group_of(found) or ""].rating == "dice"
        code = amount(draft, below, name.raw, dice)
        if code is not None:
            read[found] = max(code, read.get(found, 0))
    for found, code in read.items():
        _add(draft, found, key, code, seen[found])
    places = {found: name.span for found, name in seen.items()}
    return places, complete and len(read) == len(seen)


def _merged(draft: Draft, trait: str, first: ScalarNode, second: ScalarNode) -> bool:
    """Whether two names were two traits before a module made one of them; that is said."""
    absorbed = {folded(name) for name in draft.index.traits[trait][1].absorbs}
    if folded(first.raw) == folded(second.raw) or not absorbed & {
        folded(first.raw),
        folded(second.raw),
    }:
        return False
    message = f"`{first.raw}` and `{second.raw}` are one trait here, {draft.name_of(trait)}"
    hint = "the higher code is kept"
    draft.say(codes.REPEATED, second.span, message, hint, Severity.WARNING)
    return True


def _check(draft: Draft, id_: str, key: Key, places: Places, *, complete: bool) -> None:
    """Find codes that are too low or too high at creation, and a wrong sum of all.

    What cannot be read is said already; then too little is no finding.
    """
    traits = [t for group in key.of for t in draft.traits_of(str(group))]
    dice = any(draft.rules.groups[str(group)].rating == "dice" for group in key.of)

    def said(steps: int) -> str:
        return code_text(steps, pips=draft.rules.pips) if dice else str(steps)

    least = draft.whole(key.least) if key.least is not None else None
    most = draft.whole(key.most) if key.most is not None else None
    for one in traits:
        own, place = draft.own(one), places.get(one, draft.at(id_))
        if least is not None and own < least and (complete or own):
            message = f"{draft.name_of(one)} is {said(own)}; it is at least {said(least)}"
            draft.say(codes.BAD_SPREAD, place, message, key.why)
        if most is not None and own > most:
            message = f"{draft.name_of(one)} is {said(own)} at creation; at most {said(most)}"
            draft.say(codes.ABOVE_LIMIT, place, message, key.why)
    if key.count is None or not complete:
        return
    count, spent = draft.whole(key.count), sum(draft.own(one) for one in traits)
    if spent != count:
        message = f"`{draft.written(id_)}` has {said(count)} to place; it places {said(spent)}"
        more = "to take out" if spent > count else "still to place"
        severity = Severity.ERROR if spent > count or key.required else Severity.WARNING
        hint = f"{more}: {said(abs(count - spent))}"
        draft.say(codes.BAD_SPREAD, draft.at(id_), message, hint, severity)


def _add(draft: Draft, found: str, key: Key, code: int, name: ScalarNode) -> None:
    rule = draft.index.traits[found][1]
    under = draft.total(rule.under) if key.whole and rule.under else 0
    steps = code - under - draft.own(found)
    if key.whole and code < under:
        above = draft.name_of(str(rule.under))
        message = f"{draft.name_of(found)} is {code}, but {above} alone is {under}"
        hint = f"write the whole code, {above} included: {under} or more"
        draft.say(codes.BELOW_GRANT, name.span, message, hint)
        steps = 0
    draft.add(found, steps, key.label, "pick", name.span)
    draft.codes.append(found)


def lift(draft: Draft) -> None:
    """Raise every code that the file lists by what a key with `lifts` says.

    `raised` is by how much that key raised what the trait stands under.
    """
    for id_, key in draft.rules.character.items():
        if key.lifts is None or id_ not in draft.entries:
            continue
        for found in draft.codes:
            under = draft.index.traits[found][1].under
            if under is None:
                continue
            parts = draft.parts.get(str(under), ())
            raised = sum(p.steps for p in parts if p.why == (key.label or id_))
            if steps := draft.whole(key.lifts, raised=raised):
                draft.add(found, steps, key.label or str(id_), "pick", draft.at(str(id_)))


def check_printed(draft: Draft) -> None:
    """Compare what a stat block prints with what the rules give."""
    keys = draft.rules.character.items()
    printed = [id_ for id_, key in keys if key.kind == PRINTED and id_ in draft.entries]
    if not printed:
        return
    derived = draft.rules.derived
    names = names_of(((str(i), r.label, ()) for i, r in derived.items()), draft.rules.spellings)
    for id_ in printed:
        for name, below in pairs(draft, draft.entries[id_], draft.written(str(id_)), "{Name: 12}"):
            found = names.find(name.raw)
            if len(found) != 1:
                message = f"the rules compute no `{name.raw}`"
                draft.say(codes.UNKNOWN_NAME, name.span, message, names.hint(name.raw))
                continue
            said = amount(draft, below, name.raw)
            computed = draft.derived[found[0]]
            if said is not None:
                _compare(draft, found[0], said, computed.value, computed.how, name.span)


def _compare(draft: Draft, id_: str, said: int, value: Value | None, how: str, span: Span) -> None:
    draft.printed[id_] = said
    if value is not None and value != said:
        message = f"{draft.rules.derived[id_].label} is printed as {said}; the rules give {value}"
        hint = f"{how}; the print shows {value}" if how else f"the print shows {value}"
        draft.say(codes.DISAGREE, span, message, hint, Severity.WARNING)
