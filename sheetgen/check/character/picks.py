"""Picks: what the file picks from each catalogue of choices, and what those bring along.

The step `read_picks` fills `draft.picks`; `check_picks` runs once all ratings are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from sheetgen.check.character import values
from sheetgen.check.character.draft import NO_LIMIT, Draft, PoolStart
from sheetgen.diag import codes
from sheetgen.diag.findings import Hint, Severity, Span
from sheetgen.diag.words import a
from sheetgen.model.build import Pick, RatingPart, Value, refused_name
from sheetgen.model.rulesets.ruleset import Key
from sheetgen.model.rulesets.traits import Catalogue, Choice, Grants, PointSpread
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.rules.formulas.expressions import Name, children, inputs, parse_formula, walk
from sheetgen.rules.index import folded, spelling_hint, split_times


def read_picks(draft: Draft) -> None:
    """Read the picks of the file, then add the picks that these bring along."""
    for id_, key, node in draft.file_keys("choice", "choices"):
        if values.is_blank(node):
            continue
        catalogue = str(key.of[0]) if key.of else id_
        nodes = values.list_entries(node) if key.kind == "choices" else values.list_items(node)
        before = len(draft.picks)
        for item in nodes:
            _read_pick(draft, id_, catalogue, item)
        if key.kind == "choice":
            most, picks = _most(draft, key), draft.picks[before:]
            unread = len(values.list_items(node)) - len(picks)
            taken = unread + sum(pick.times for pick in picks)
            if taken > most:
                one = draft.rules.choices[catalogue].one
                room = f"one {one}" if most == 1 else f"at most {most} times {a(one)}"
                message = f"{room} can be picked here; {taken} are picked"
                hint = "keep one" if most == 1 else f"keep {most} at most"
                draft.report(codes.WRONG_COUNT, node.span, message, hint)
            if most == 1:  # Later steps need each of them once.
                draft.picks[before:] = [
                    pick if pick.times == 1 else replace(pick, times=1) for pick in picks
                ]
    for pick in tuple(granting_picks(draft)):
        _bring(draft, pick, ())


def _bring(draft: Draft, pick: Pick, above: tuple[str, ...]) -> None:
    """Add what `pick` brings along, and what that brings along in turn.

    Args:
        above: The choices that brought `pick` along; none of them is brought by it again.
    """
    for taken, grants in grants_of(draft, pick):
        before = len(draft.picks)
        for catalogue, entry in grants.set.items():
            _set(draft, pick, str(catalogue), str(entry))
        for entry in grants.take:
            for _ in range(taken.times if entry not in above else 0):
                _take(draft, pick, str(entry))
        for brought in draft.picks[before:]:
            _bring(draft, brought, (*above, brought.entry))


def _most(draft: Draft, key: Key) -> int:
    """Return how many choices may be picked under `key`; 0 for any number."""
    if key.kind != "choice":
        return 0
    return draft.early_int(key.most, final=False) if key.most is not None else 1


def _read_pick(draft: Draft, key: str, catalogue_id: str, node: Node) -> None:
    """Read one pick: a name, `Name x2`, `{Name: detail}` or `{custom: …}`."""
    catalogue = draft.rules.choices[catalogue_id]
    detail: Node | None = None
    name = node
    if isinstance(node, Pairs):
        if any(folded(leaf.raw) == "custom" for leaf, _ in node.entries):
            custom_choice(draft, key, catalogue_id, node)
            return
        if len(node.entries) != 1:
            keys = custom_keys(catalogue)
            meant = [leaf for leaf, _ in node.entries if folded(leaf.raw) not in keys]
            if len(meant) == 1 and keys:
                message = f"there is no key `{meant[0].raw}` in {a(catalogue.one)} of one's own"
                hint = Hint("write `custom: Name`", meant[0].raw, "custom")
                draft.report(codes.UNKNOWN_KEY, meant[0].span, message, hint)
                return
            message = f"write one {catalogue.one} here: a name, or `Name: detail`"
            own = "write one of your own as `{custom: Name, …}`" if catalogue.custom else ""
            draft.report(codes.WRONG_TYPE, node.span, message, own)
            return
        name, detail = node.entries[0]
    if not isinstance(name, ScalarNode):
        draft.report(codes.WRONG_TYPE, node.span, f"write the name of {a(catalogue.one)} here")
        return
    pick = _named(draft, key, catalogue_id, catalogue, name)
    if pick is not None:
        draft.picks.append(_read_detail(draft, pick, detail))


def _named(
    draft: Draft, key: str, catalogue_id: str, catalogue: Catalogue, name: ScalarNode
) -> Pick | None:
    names = draft.index.by_catalogue[catalogue_id]
    found, count = names.find(name.raw), 1
    refused = Pick(key, catalogue_id, "", refused_name(name.raw), name.span)
    if not found:
        plain, count = split_times(name.raw)
        found = names.find(plain)
    if len(found) == 1:
        shown = str(catalogue.entries[found[0]].name)
        text = draft.fill_options(catalogue.entries[found[0]].text)
        return Pick(key, catalogue_id, found[0], shown, name.span, count, text=text)
    if found:
        options = ", ".join(f"`{catalogue.entries[id_].name}`" for id_ in found)
        draft.report(codes.AMBIGUOUS, name.span, f"`{name.raw}` may be {options}")
        draft.refused_picks.append(refused)
        return None
    hint = spelling_hint(names, name.raw) or values.find_key_for(draft, name.raw)
    hint = hint or names.hint(name.raw)
    message = f"there is no {catalogue.one} `{name.raw}`"
    if not catalogue.open:
        draft.report(codes.UNKNOWN_NAME, name.span, message, hint)
        draft.refused_picks.append(refused)
        return None
    message = f"the rules list no {catalogue.one} `{name.raw}`; it is kept, without limits"
    draft.report(codes.OPEN_NAME, name.span, message, hint, Severity.WARNING)
    return Pick(key, catalogue_id, "", name.raw, name.span, count)


def _read_detail(draft: Draft, pick: Pick, detail: Node | None) -> Pick:
    entry = draft.entry_of(pick)
    if entry is None:
        return replace(pick, named=detail.raw) if isinstance(detail, ScalarNode) else pick
    spread = entry.grants.spread if entry.grants else None
    if spread is not None:
        spread_points(draft, pick, spread, detail)
        if pick.times == 1 or _most(draft, draft.rules.character[pick.key]) == 1:
            return pick
        message = f"`{pick.name}` is taken {pick.times} times, but has points only once"
        draft.report(codes.WRONG_COUNT, pick.span, message, "write it out for each take")
        return replace(pick, times=1)
    if entry.asks is None and entry.may_say and isinstance(detail, ScalarNode):
        return replace(pick, named=detail.raw)
    if entry.asks is None and isinstance(detail, ScalarNode) and type(detail.value) is int:
        return replace(pick, times=pick.times * (values.parse_times(draft, detail, pick.name) or 1))
    if entry.asks is None:
        if entry.may_say and detail is not None and not values.is_blank(detail):
            message = f"what `{pick.name}` says has to be text"
            hint = f"write `{{{pick.name}: in your words}}`"
            draft.report(codes.ASKS, detail.span, message, hint)
        elif detail is not None and not values.is_blank(detail):
            message = f"`{pick.name}` takes no detail"
            draft.report(codes.ASKS, detail.span, message, f"write `{pick.name}` alone")
        return pick
    if detail is None or (isinstance(detail, ScalarNode) and not str(detail.raw).strip()):
        group = draft.rules.groups.get(entry.asks)
        what = group.one if group else "text"
        first = next((str(t.name) for t in group.traits.values()), "…") if group else "…"
        message = f"`{pick.name}` has to name {a(what)}"
        hint = f"write `{{{pick.name}: {first}}}`, or another"
        draft.report(codes.ASKS, pick.span, message, hint)
        return pick
    if entry.asks not in draft.rules.groups:
        return replace(pick, named=detail.raw if isinstance(detail, ScalarNode) else "")
    found = values.find_trait(draft, detail, (str(entry.asks),))
    return replace(pick, named=found or "", named_at=detail.span)


def _set(draft: Draft, pick: Pick, catalogue: str, id_: str) -> None:
    same = [p for p in draft.picks if p.catalogue == catalogue]
    entry = draft.rules.choices[catalogue].entries[id_]
    if not same:
        keys = draft.rules.character.items()
        fits = (i for i, k in keys if catalogue in (k.of or (i,)) and k.kind == "choice")
        draft.picks.append(_brought(draft, pick, catalogue, id_, entry, str(next(fits, ""))))
    for other in same:
        if other.entry != id_:
            one = draft.rules.choices[catalogue].one
            message = f"`{pick.name}` takes the {one} {entry.name}, not {other.name}"
            hint = f"leave `{draft.key_name(other.key)}` out, or pick another than `{pick.name}`"
            draft.report(codes.CONTRADICTION, other.span, message, hint)


def _take(draft: Draft, pick: Pick, id_: str) -> None:
    for catalogue, entries in draft.rules.choices.items():
        entry = entries.entries.get(id_)
        if entry is not None:
            again = any(p.entry == id_ and p.because for p in draft.picks)
            if not (entry.once and again):
                draft.picks.append(_brought(draft, pick, str(catalogue), id_, entry, ""))
            return


def _brought(draft: Draft, pick: Pick, catalogue: str, id_: str, entry: Choice, key: str) -> Pick:
    text = draft.fill_options(entry.text)
    return Pick(key, catalogue, id_, str(entry.name), pick.span, because=pick.name, text=text)


def check_picks(draft: Draft) -> None:
    """Report picks whose requirement does not hold, and picks taken too often."""
    counts: dict[tuple[str, str], list[Pick]] = {}
    for pick in draft.picks:
        entry = draft.entry_of(pick)
        if entry is None:
            continue
        counts.setdefault((pick.catalogue, pick.entry), []).append(pick)
        if entry.requires is not None and not draft.holds(entry.requires):
            one = draft.rules.choices[pick.catalogue].one
            message = f"the {one} `{pick.name}` is not open to this build"
            draft.report(codes.REQUIREMENT, pick.span, message, entry.why)
    _check_counts(draft)
    for (catalogue, id_), picks in counts.items():
        entry = draft.rules.choices[catalogue].entries[id_]
        own = sum(pick.times for pick in picks if not pick.because)
        if entry.once and own and sum(pick.times for pick in picks) > 1:
            because = next((p.because for p in picks if p.because), "")
            last = next((p for p in reversed(picks) if not p.because), picks[-1])
            taken = sum(pick.times for pick in picks)
            message = f"`{last.name}` can be taken only once; it is taken {taken} times"
            hint = f"leave it out: it comes with {because} already" if because else "take it once"
            draft.report(codes.TOO_OFTEN, last.span, message, hint)
        elif entry.most is not None and own > (most := draft.eval_int(entry.most)):
            last = next(pick for pick in reversed(picks) if not pick.because)
            message = f"`{last.name}` can be taken {most} times at most; it is taken {own} times"
            fewer = Hint(f"take it {most} times", f"x{own}", f"x{most}")
            hint = fewer if most > 0 else f"take `{last.name}` out"
            draft.report(codes.TOO_OFTEN, last.span, message, hint)


def _check_counts(draft: Draft) -> None:
    """Report keys with more or fewer picks than their `count`, or more than their `most`."""
    for id_, key in draft.rules.character.items():
        if key.kind != "choices" or (key.count is None and key.most is None):
            continue
        taken = sum(pick.times for pick in draft.picks if pick.key == id_)
        taken += sum(pick.key == id_ for pick in draft.refused_picks)
        least = draft.eval_int(key.count) if key.count is not None else 0
        most = least if key.count is not None else NO_LIMIT
        most = min(most, draft.eval_int(key.most)) if key.most is not None else most
        if least <= taken <= most:
            continue
        due, rule = (most, "can be") if taken > most else (least, "to be")
        message = f"`{draft.key_name(str(id_))}`: {max(due, 0)} {rule} picked; "
        message += f"{taken} {'is' if taken == 1 else 'are'} picked"
        hint = f"take {taken - due} out" if taken > most else f"pick {due - taken} more"
        hint = f"{hint}: {key.why}" if key.why else hint
        span = draft.span_of(str(id_))
        if id_ not in draft.key_names:
            span = _place_of_reason(draft, key.count) or span
        draft.report(codes.WRONG_COUNT, span, message, hint, rule=key.ruling)


def _place_of_reason(draft: Draft, formula: str | None) -> Span | None:
    """Return the place of the last pick, or of the number, that a formula asks for."""
    tree = parse_formula(formula or "0")
    asked = {n.name for part in walk(tree) for n in children(part) if isinstance(n, Name)}
    picks = [p for p in draft.picks if p.key and asked & {*draft.pick_names(p)}]
    found = draft.place_of(inputs(tree))
    return picks[-1].span if picks else found[1] if found else None


def apply_grants(draft: Draft) -> None:
    """Apply what the ruleset gives to everybody, then what each pick grants, in order."""
    for taker in granting_picks(draft):
        for pick, grants in grants_of(draft, taker):
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
                granted = values.parse_die(draft, ScalarNode(faces.span, str(faces), str(faces)))
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
        entry = draft.entry_of(taker)
        if entry is not None and entry.focus and entry.focus.skill:
            skill = str(entry.focus.skill)
            steps_of = entry.grants.raise_.get(skill) if entry.grants else None
            draft.focus[skill] = draft.early_int(steps_of) if steps_of is not None else 0


def granting_picks(draft: Draft) -> Iterator[Pick]:
    """Yield a pick without a catalogue, for what everybody is granted, then all picks."""
    yield Pick("", "", "", "given", draft.source.start)
    yield from draft.picks


def grants_of(draft: Draft, pick: Pick) -> tuple[tuple[Pick, Grants], ...]:
    """Return what `pick` grants: without a condition, then with conditions that hold now.

    Each is beside the pick; what is given once, beside one that is taken once.
    """
    entry = draft.entry_of(pick)
    grants = entry.grants if entry is not None else None
    grants = grants if pick.catalogue else draft.rules.given
    if grants is None:
        return ()
    return tuple(_open_grants(draft, pick, grants))


def _open_grants(
    draft: Draft, pick: Pick, grants: Grants, once: bool = False
) -> Iterator[tuple[Pick, Grants]]:
    if grants.once and next((p for p in draft.picks if p.entry == pick.entry), pick) is not pick:
        return
    if grants.if_ is None or draft.early_holds(grants.if_):
        once = once or grants.once
        yield replace(pick, times=1) if once and pick.times > 1 else pick, grants
        for below in grants.when:
            yield from _open_grants(draft, pick, below, once)


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
    below = values.parse_long_form(draft, node)
    known = custom_keys(catalogue)
    for name, (leaf, _) in below.items():
        if name not in known:
            values.report_unknown_key(draft, leaf, f"in {a(catalogue.one)} of one's own", known)
    name = values.parse_text(draft, below["custom"][1], "custom") or catalogue.one
    pick = Pick(key, catalogue_id, "", name, node.span, text=custom.note)
    draft.picks.append(pick)
    if custom.spread is not None:
        _custom_spread(draft, pick, custom.spread, below.get(str(custom.spread.of)))
    if custom.focus is not None:
        found = below.get("focus")
        if found is None:
            if custom.focus.required:
                message = f"`{pick.name}` needs a `focus`"
                draft.report(codes.MISSING_KEY, pick.span, message)
            return
        named = found[1]
        if isinstance(named, Pairs) and len(named.entries) == 1:
            named = named.entries[0][1]
        id_ = values.find_trait(draft, named, (str(custom.focus.of),))
        if id_ is not None:
            draft.add(id_, RatingPart(custom.focus.by, focus_label(pick), "grant", named.span))
            draft.focus[id_] = custom.focus.by


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
    if not isinstance(node, Pairs) and not values.is_blank(node):
        values.parse_mapping(draft, node, what, example)
        return None
    for name, value in values.parse_mapping(draft, node, what, example):
        id_ = values.find_trait(draft, name, groups)
        if id_ is None:
            continue
        steps = values.parse_number(draft, value, name.raw, draft.in_dice(id_))
        if id_ not in among:
            names = ", ".join(draft.name_of(t) for t in among)
            message = f"no points of `{what}` can go to {draft.name_of(id_)}"
            draft.report(codes.BAD_SPREAD, name.span, message, f"spread them among: {names}")
        elif id_ in amounts:
            values.report_repeated(draft, name, draft.name_of(id_), amounts[id_][1])
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
    placed: dict[str, Value] = {t: n for t, n in spread_out.items() if n is not None}
    if len(placed) < len(spread_out):
        return
    points = draft.early_int(spread.points, final=False, **placed)
    spent = sum(int(placed[t]) - _base(spread, t) for t in among)
    if spent != points:
        message = f"`{what}` spreads {points} points; {spent} are spread here"
        hint = f"take {spent - points} out" if spent > points else f"place {points - spent} more"
        draft.report(codes.BAD_SPREAD, span, message, hint)
