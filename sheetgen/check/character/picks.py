"""Picks: what the file picks from each catalogue of choices, and what those bring along.

The step `read_picks` fills `draft.picks`; `check_picks` runs once all ratings are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sheetgen.check.character import ledger, values
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

MOST_PICKS = 600
"""The most picks of a file that bring others along: choices may take each other in many orders."""


def read_picks(draft: Draft) -> None:
    """Read the picks of the file, then add the picks that these bring along."""
    for id_, key, node in draft.file_keys("choice", "choices"):
        if values.is_blank(node):
            continue
        catalogue = key.catalogue(id_)
        nodes = values.list_entries(node) if key.kind == "choices" else values.list_items(node)
        before = len(draft.picks)
        for item in nodes:
            _read_pick(draft, id_, catalogue, item)
        if key.kind == "choice":
            most, picks = _most(draft, key), draft.picks[before:]
            taken = len(values.list_items(node)) + sum(pick.times - 1 for pick in picks)
            if taken > most:
                one = draft.rules.choices[catalogue].one
                room = f"one {one}" if most == 1 else f"at most {most} times {a(one)}"
                message = f"{room} can be picked here; {taken} are picked"
                hint = "keep one" if most == 1 else f"keep {most} at most"
                draft.report(codes.WRONG_COUNT, node.span, message, hint)
            if most == 1:  # Later steps need each of them once.
                draft.picks[before:] = [replace(pick, times=1) for pick in picks]
    for pick in tuple(granting_picks(draft)):
        _bring(draft, pick, grants_of(draft, pick), ())
    for id_, pick, grants in _list_advanced(draft):
        before = len(draft.picks)
        _bring(draft, pick, ((pick, grants),), ())
        draft.taken_later.setdefault(id_, []).append(draft.picks[before:])


def _list_advanced(draft: Draft) -> Iterator[tuple[str, Pick, Grants]]:
    """Yield each named advance of the file, as often as it is bought: id, and what it takes."""
    named = draft.rules.advances.named if draft.rules.advances is not None else {}
    for _, _, node in draft.ruleset_keys("advances"):
        sessions = [below for _, below in node.entries] if isinstance(node, Pairs) else [node]
        for item in (item for one in sessions for item in values.list_items(one)):
            raw = item.raw if isinstance(item, ScalarNode) else ""
            name, times = (raw, 1) if draft.index.advances.find(raw) else split_times(raw)
            for id_ in draft.index.advances.find(name)[:1] if times <= ledger.MOST_STEPS else ():
                pick = Pick("", "", "", str(named[id_].name), item.span)
                yield from [(id_, pick, Grants(take=named[id_].take))] * times


def _bring(
    draft: Draft, pick: Pick, granted: Iterable[tuple[Pick, Grants]], above: tuple[str, ...]
) -> None:
    """Add what `pick` brings along, and that in turn, but none of those `above` again."""
    for taken, grants in granted:
        before = len(draft.picks)
        for of, id_ in grants.set.items():
            same = [p for p in draft.picks if p.catalogue == of]
            set_ = draft.rules.choices[of].entries[id_]
            if not same:
                keys = draft.rules.character.items()
                fits = (str(i) for i, k in keys if of in (k.of or (i,)) and k.kind == "choice")
                key = next(fits, "")
                draft.picks.append(_brought(draft, pick, str(of), str(id_), set_, key))
            for other in (p for p in same if p.entry != id_):
                one = draft.rules.choices[of].one
                message = f"`{pick.name}` takes the {one} {set_.name}, not {other.name}"
                hint = f"leave `{draft.key_name(other.key)}` out, or pick another than "
                hint += f"`{pick.name}`"
                draft.report(codes.CONTRADICTION, other.span, message, hint)
        for entry in grants.take:
            catalogues = [str(i) for i, one in draft.rules.choices.items() if entry in one.entries]
            for catalogue in catalogues[:1] * (taken.times if entry not in above else 0):
                found = draft.rules.choices[catalogue].entries[entry]
                if len(draft.picks) >= MOST_PICKS:
                    message = f"`{pick.name}` brings along more than {MOST_PICKS} choices"
                    hint = "let fewer choices take others in turn, or take each `once: true`"
                    if all(f.code is not codes.TOO_MUCH for f in draft.findings):
                        draft.report(codes.TOO_MUCH, pick.span, message, hint)
                    return
                if not (found.once and any(p.entry == entry and p.because for p in draft.picks)):
                    draft.picks.append(_brought(draft, pick, catalogue, str(entry), found, ""))
        for brought in draft.picks[before:]:
            _bring(draft, brought, grants_of(draft, brought), (*above, brought.entry))


def _most(draft: Draft, key: Key) -> int:  # 0 for any number of choices
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
    if not found:
        plain, count = split_times(name.raw)
        found = names.find(plain)
    if len(found) == 1:
        shown = str(catalogue.entries[found[0]].name)
        text = draft.fill_options(catalogue.entries[found[0]].text)
        return Pick(key, catalogue_id, found[0], shown, name.span, count, text=text)
    hint = spelling_hint(names, name.raw) or values.find_key_for(draft, name.raw)
    hint = hint or names.hint(name.raw)
    if found:
        options = ", ".join(f"`{catalogue.entries[id_].name}`" for id_ in found)
        draft.report(codes.AMBIGUOUS, name.span, f"`{name.raw}` may be {options}")
    elif not catalogue.open:
        message = f"there is no {catalogue.one} `{name.raw}`"
        draft.report(codes.UNKNOWN_NAME, name.span, message, hint)
    else:
        message = f"the rules list no {catalogue.one} `{name.raw}`; it is kept, without limits"
        draft.report(codes.OPEN_NAME, name.span, message, hint, Severity.WARNING)
        return Pick(key, catalogue_id, "", name.raw, name.span, count)
    draft.refused_picks.append(Pick(key, catalogue_id, "", refused_name(name.raw), name.span))
    return None


def _read_detail(draft: Draft, pick: Pick, detail: Node | None) -> Pick:
    entry = draft.entry_of(pick)
    if entry is None:
        return replace(pick, named=detail.raw) if isinstance(detail, ScalarNode) else pick
    spread = entry.grants.spread if entry.grants else None
    if spread is not None:
        if detail is None:
            among = draft.traits_of(str(spread.of)) if spread.of else map(str, spread.among)
            form = ", ".join(f"{draft.name_of(t)}: …" for t in among)
            message = f"`{pick.name}` has to say where its points go"
            hint = f"write `{{{pick.name}: {{{form}}}}}`"
            draft.report(codes.ASKS, pick.span, message, hint)
        else:
            _spread(draft, pick, spread, detail, pick.name, None)
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
        if detail is not None and not values.is_blank(detail):
            message, hint = f"`{pick.name}` takes no detail", f"write `{pick.name}` alone"
            if entry.may_say:
                message = f"what `{pick.name}` says has to be text"
                hint = f"write `{{{pick.name}: in your words}}`"
            draft.report(codes.ASKS, detail.span, message, hint)
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
        if id_ not in draft.key_names:  # The place of what the formula asks for.
            tree = parse_formula(key.count or "0")
            asked = {n.name for part in walk(tree) for n in children(part) if isinstance(n, Name)}
            named = [p for p in draft.picks if p.key and asked & {*draft.pick_names(p)}]
            place = draft.place_of(inputs(tree))
            span = named[-1].span if named else place[1] if place else span
            span = span.of_absent(str(id_))
        draft.report(codes.WRONG_COUNT, span, message, hint, rule=key.ruling)
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
                    draft.granted_parts.append((taker, trait, part))
            for pool, amount in grants.start.items():
                points = draft.early_int(amount, final=False)
                start = PoolStart(points, pick.name, pick.catalogue, pick.span)
                draft.pool_starts.setdefault(str(pool), []).append(start)
            for faces in grants.dice:
                granted = values.parse_die(draft, ScalarNode(faces.span, str(faces), str(faces)))
                if granted:
                    draft.granted_dice += [granted] * pick.times
            draft.granted_gear += [(str(i), pick.span, taker) for i in grants.gear] * pick.times
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
    yield Pick("", "", "", "the rules", draft.source.start)
    yield from draft.picks


def grants_of(draft: Draft, pick: Pick) -> tuple[tuple[Pick, Grants], ...]:
    """Return what `pick` grants, with conditions last; what is given once, beside one pick."""
    entry = draft.entry_of(pick)
    grants = (entry.grants if entry else None) if pick.catalogue else draft.rules.given
    return tuple(_open_grants(draft, pick, grants)) if grants is not None else ()


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


def custom_choice(draft: Draft, key: str, catalogue_id: str, node: Pairs) -> None:
    """Read a choice of the author's own: `{custom: Name, attributes: {…}, focus: …}`."""
    catalogue = draft.rules.choices[catalogue_id]
    custom, what = catalogue.custom, f"{a(catalogue.one)} of one's own"
    if custom is None:
        draft.report(codes.WRONG_TYPE, node.span, f"{what} is not part of these rules")
        return
    if custom.switch and not draft.options.get(custom.switch, True):
        hint = f"set the option `{custom.switch}`, or pick from the list"
        draft.report(codes.SWITCHED_OFF, node.span, f"{what} is switched off at this table", hint)
    below, known = values.parse_long_form(draft, node), custom_keys(catalogue)
    for name, (leaf, _) in below.items():
        if name not in known:
            values.report_unknown_key(draft, leaf, f"in {what}", known)
    name = values.parse_text(draft, below["custom"][1], "custom") or catalogue.one
    pick = Pick(key, catalogue_id, "", name, node.span, text=custom.note)
    draft.picks.append(pick)
    if custom.spread is not None and str(custom.spread.of) in below:
        leaf, points = below[str(custom.spread.of)]
        _spread(draft, pick, custom.spread, points, str(custom.spread.of), leaf)
    elif custom.spread is not None:
        draft.report(codes.MISSING_KEY, pick.span, f"`{pick.name}` needs `{custom.spread.of}`")
    if custom.focus is not None and custom.focus.required and "focus" not in below:
        draft.report(codes.MISSING_KEY, pick.span, f"`{pick.name}` needs a `focus`")
    if custom.focus is not None and "focus" in below:
        named = below["focus"][1]
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


def focus_label(pick: Pick) -> str:
    """Return the source of the steps that the focus of the author's own choice gives."""
    return f"{pick.name} focus"


def _spread(
    draft: Draft, pick: Pick, spread: PointSpread, node: Node, what: str, key: ScalarNode | None
) -> None:
    """Read, check and grant points, but no total while some could not be read; `key` is custom."""
    among = draft.traits_of(str(spread.of)) if spread.of else tuple(map(str, spread.among))
    example = f"{{{', '.join(f'{draft.name_of(t)}: 1' for t in among[:2])}, …}}"
    entries = values.parse_mapping(draft, node, what, example)
    if not isinstance(node, Pairs) and not values.is_blank(node):
        return
    groups = tuple(dict.fromkeys(draft.group_of(t) or "" for t in among))
    amounts: dict[str, tuple[int | None, Span]] = {}
    for name, value in entries:
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
    span, what = key.span if key else node.span, pick.name
    base = {t: spread.base_of.get(t, spread.base) for t in among}
    for id_ in among:
        steps, place = amounts.setdefault(id_, (base[id_] if key else 0, span))
        least, most = max(spread.least, base[id_]), spread.most_of.get(id_, spread.most)
        message = f"{draft.name_of(id_)} has {steps}; `{what}` "
        if steps is not None and steps < least:
            draft.report(codes.BAD_SPREAD, place, f"{message}needs at least {least}")
        if steps is not None and most is not None and steps > most:
            draft.report(codes.BAD_SPREAD, place, f"{message}allows at most {most}")
    placed: dict[str, Value] = {t: n for t in among if (n := amounts[t][0]) is not None}
    if len(placed) == len(base):
        points = draft.early_int(spread.points, final=False, **placed)
        spent = sum(int(placed[t]) - base[t] for t in among)
        if spent != points:
            message = f"`{what}` spreads {points} points; {spent} are spread here"
            more = f"place {points - spent} more"
            hint = f"take {spent - points} out" if spent > points else more
            draft.report(codes.BAD_SPREAD, span, message, hint)
    for id_, (steps, _) in amounts.items():
        most = spread.most_of.get(id_, spread.most)
        if granted := steps or 0 if most is None else min(steps or 0, most):  # more is reported
            draft.add(id_, RatingPart(granted, pick.name, "grant", pick.span))
