"""Points that an author spreads over traits, for a choice that has points or one of his own.

`picks.py` calls these functions while it reads picks.
"""

from __future__ import annotations

from typing import TypeAlias

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.trait_names import find_trait
from sheetgen.check.character.keys.values import (
    is_blank,
    parse_long_form,
    parse_mapping,
    parse_number,
    parse_text,
    report_repeated,
    report_unknown_key,
)
from sheetgen.diag import codes
from sheetgen.diag.spans import Span
from sheetgen.diag.words import a
from sheetgen.model.build import Pick, RatingPart, Value
from sheetgen.model.rulesets.choices import Catalogue, CustomFocus, PointSpread
from sheetgen.model.source import Node, Pairs, ScalarNode

_Amounts: TypeAlias = dict[str, tuple[int | None, Span]]
"""Points by trait, with the place of each; None for a value that is no number."""


def spread_points(draft: Draft, pick: Pick, spread: PointSpread, node: Node | None) -> None:
    """Read, check and grant the points of a choice from a catalogue."""
    among = _among(draft, spread)
    if node is None:
        form = ", ".join(f"{draft.name_of(t)}: …" for t in among)
        message = f"`{pick.name}` has to say where its points go"
        hint = f"write `{{{pick.name}: {{{form}}}}}`"
        draft.report(codes.ASKS, pick.span, message, hint)
        return
    amounts = _amounts(draft, node, pick.name, among)
    if amounts is None:
        return
    _check(draft, spread, amounts, among, node.span, pick.name)
    _grant(draft, pick, spread, amounts)


def custom_choice(draft: Draft, key: str, catalogue_id: str, node: Pairs) -> None:
    """Read a choice of the author's own: `{custom: Name, attributes: {…}, focus: …}`."""
    catalogue = draft.rules.choices[catalogue_id]
    custom = catalogue.custom
    if custom is None:
        message = f"{a(catalogue.one)} of one's own is not part of these rules"
        draft.report(codes.WRONG_TYPE, node.span, message)
        return
    if custom.switch and not draft.options.get(custom.switch, True):
        message = f"{a(catalogue.one)} of one's own is switched off at this table"
        hint = f"set the option `{custom.switch}`, or pick from the list"
        draft.report(codes.SWITCHED_OFF, node.span, message, hint)
    below = parse_long_form(draft, node)
    known = custom_keys(catalogue)
    for name, (leaf, _) in below.items():
        if name not in known:
            report_unknown_key(draft, leaf, f"in {a(catalogue.one)} of one's own", known)
    name = parse_text(draft, below["custom"][1], "custom") or catalogue.one
    pick = Pick(key, catalogue_id, "", name, node.span, text=custom.note)
    draft.picks.append(pick)
    if custom.spread is not None:
        _custom_spread(draft, pick, custom.spread, below.get(str(custom.spread.of)))
    if custom.focus is not None:
        _focus(draft, pick, custom.focus, below.get("focus"))


def custom_keys(catalogue: Catalogue) -> tuple[str, ...]:
    """Return the keys of a choice of the author's own; none where there is no such choice."""
    custom = catalogue.custom
    if custom is None:
        return ()
    spread = (str(custom.spread.of),) if custom.spread else ()
    return ("custom", *spread, *(("focus",) if custom.focus else ()))


def _custom_spread(
    draft: Draft, pick: Pick, spread: PointSpread, found: tuple[ScalarNode, Node] | None
) -> None:
    if found is None:
        message = f"`{pick.name}` needs `{spread.of}`"
        draft.report(codes.MISSING_KEY, pick.span, message)
        return
    among = _among(draft, spread)
    amounts = _amounts(draft, found[1], str(spread.of), among)
    if amounts is None:
        return
    for id_ in among:
        amounts.setdefault(id_, (_base(spread, id_), found[0].span))
    _check(draft, spread, amounts, among, found[0].span, pick.name)
    _grant(draft, pick, spread, amounts)


def _grant(draft: Draft, pick: Pick, spread: PointSpread, amounts: _Amounts) -> None:
    """Grant the points, at most the highest number of each trait; `_check` reports more."""
    for id_, (steps, _) in amounts.items():
        most = spread.most_of.get(id_, spread.most)
        granted = steps or 0 if most is None else min(steps or 0, most)
        if granted:
            draft.add(id_, RatingPart(granted, pick.name, "grant", pick.span))


def _focus(
    draft: Draft, pick: Pick, rule: CustomFocus, found: tuple[ScalarNode, Node] | None
) -> None:
    if found is None:
        if rule.required:
            message = f"`{pick.name}` needs a `focus`"
            draft.report(codes.MISSING_KEY, pick.span, message)
        return
    node = found[1]
    if isinstance(node, Pairs) and len(node.entries) == 1:
        node = node.entries[0][1]
    id_ = find_trait(draft, node, (str(rule.of),))
    if id_ is not None:
        draft.add(id_, RatingPart(rule.by, focus_label(pick), "grant", node.span))
        draft.focus[id_] = rule.by


def focus_label(pick: Pick) -> str:
    """Return the source of the steps that the focus of the author's own choice gives."""
    return f"{pick.name} focus"


def _among(draft: Draft, spread: PointSpread) -> tuple[str, ...]:
    if spread.of is not None:
        return draft.traits_of(str(spread.of))
    return tuple(map(str, spread.among))


def _amounts(draft: Draft, node: Node, what: str, among: tuple[str, ...]) -> _Amounts | None:
    """Return the points by trait, with the place of each; None if nothing can be read."""
    amounts: _Amounts = {}
    groups = tuple(dict.fromkeys(draft.group_of(t) or "" for t in among))
    example = f"{{{', '.join(f'{draft.name_of(t)}: 1' for t in among[:2])}, …}}"
    if not isinstance(node, Pairs) and not is_blank(node):
        parse_mapping(draft, node, what, example)
        return None
    for name, value in parse_mapping(draft, node, what, example):
        id_ = find_trait(draft, name, groups)
        if id_ is None:
            continue
        steps = parse_number(draft, value, name.raw, draft.in_dice(id_))
        if id_ not in among:
            names = ", ".join(draft.name_of(t) for t in among)
            message = f"no points of `{what}` can go to {draft.name_of(id_)}"
            draft.report(codes.BAD_SPREAD, name.span, message, f"they go among: {names}")
        elif id_ in amounts:
            report_repeated(draft, name, draft.name_of(id_), amounts[id_][1])
        else:
            amounts[id_] = steps, value.span
    return amounts


def _base(spread: PointSpread, id_: str) -> int:
    return spread.base_of.get(id_, spread.base)


def _check(
    draft: Draft,
    spread: PointSpread,
    amounts: _Amounts,
    among: tuple[str, ...],
    span: Span,
    what: str,
) -> None:
    """Report traits with too few or too many points, and a wrong total.

    The total is not checked while points could not be read; these have their finding.
    """
    for id_ in among:
        steps, place = amounts.get(id_, (0, span))
        if steps is None:
            continue
        least = max(spread.least, _base(spread, id_))
        most = spread.most_of.get(id_, spread.most)
        if steps < least:
            message = f"{draft.name_of(id_)} has {steps}; `{what}` needs at least {least}"
            draft.report(codes.BAD_SPREAD, place, message)
        if most is not None and steps > most:
            message = f"{draft.name_of(id_)} has {steps}; `{what}` allows at most {most}"
            draft.report(codes.BAD_SPREAD, place, message)
    spread_out = {t: amounts.get(t, (0, span))[0] for t in among}
    values: dict[str, Value] = {t: n for t, n in spread_out.items() if n is not None}
    if len(values) < len(spread_out):
        return
    points = draft.early_int(spread.points, final=False, **values)
    spent = sum(int(values[t]) - _base(spread, t) for t in among)
    if spent != points:
        message = f"`{what}` spreads {points} points; {spent} are spread here"
        more = "to take out" if spent > points else "still to place"
        hint = f"points {more}: {abs(points - spent)}"
        draft.report(codes.BAD_SPREAD, span, message, hint)
