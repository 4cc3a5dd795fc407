"""Ratings that the author states: dots, stars, limits of his own traits, notes.

The step `read_ratings` fills `draft.stated` and `draft.own_traits`; `check_ratings` runs once
everything that changes a rating is read. A star replaces one step of a rating, so that a rating
has at most as many stars as steps.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from sheetgen.check.character import values
from sheetgen.check.character.draft import Draft, Stated
from sheetgen.check.character.keys import is_required
from sheetgen.check.character.purchases import LOST, format_granting, limit_of
from sheetgen.diag import codes
from sheetgen.diag.findings import Hint, Severity, Span
from sheetgen.diag.words import count_is
from sheetgen.model.build import RatingPart, code_text, parse_code, parse_step_die, refused_name
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.rulesets.traits import Group
from sheetgen.model.source import Node, Pairs, ScalarNode, raw_text
from sheetgen.records import frozen
from sheetgen.rules.formulas.expressions import inputs, parse_formula
from sheetgen.rules.index import exact_form, folded, split_times

RATED = ("rating", "dots", "dice", "ranks")
_PARTS = (*RATED, "stars", "max", "note")
"""Keys of the long form of a rating, `{dots: 6, stars: 2}`; the first four mean the same."""
_STEPS = {"dots": "dot", "ranks": "rank", "dice": "die"}
"""One step of a rating, by the unit of its group."""

MOST_RATING = 9_999
"""The largest rating: each of its steps is paid for, which takes time and memory."""


def read_ratings(draft: Draft) -> None:
    """Read the ratings of all groups whose ratings the author states, and notes beside traits."""
    for id_, key, node in draft.file_keys("ratings"):
        groups = tuple(map(str, key.of or (id_,)))
        entries = values.parse_mapping(draft, node, draft.key_name(id_))
        for name, below in values.indent(
            draft, entries, lambda _, value: values.is_blank(value), _is_part
        ):
            trait = _find_or_name(draft, groups, name)
            if trait is None:
                continue
            if trait in draft.stated:
                values.report_repeated(draft, name, draft.name_of(trait), draft.stated[trait].span)
            else:
                draft.stated[trait] = _read_rating(draft, trait, name, below)
    for id_, _, node in draft.file_keys("details"):
        for name, below in values.parse_mapping(draft, node, draft.key_name(id_), "{Name: a note}"):
            trait = values.find_trait(draft, name)
            if trait:
                stated = draft.stated.get(trait) or Stated(None, name.span)
                detail = values.parse_text(draft, below, name.raw) or ""
                draft.stated[trait] = replace(stated, detail=detail)


def _is_part(key: ScalarNode, _: bool) -> bool:
    return folded(key.raw) in _PARTS


def _find_or_name(draft: Draft, groups: tuple[str, ...], name: ScalarNode) -> str | None:
    opened = [(g, rule) for g in groups if (rule := draft.rules.groups[g].open) is not None]
    closed = tuple(g for g in groups if draft.rules.groups[g].open is None)
    if not opened or (closed and draft.index.among(closed).find(name.raw)):
        return values.find_trait(draft, name, groups, listed=True)
    group_id, rule = opened[0]
    group = draft.rules.groups[group_id]
    id_ = folded(name.raw).replace(" ", "_")
    if not id_:
        draft.report(codes.WRONG_TYPE, name.span, f"this {group.one} needs a name")
        return None
    while id_ in draft.own_traits and exact_form(draft.own_traits[id_][0]) != exact_form(name.raw):
        id_ += "_"
    others = draft.index.all_traits.find(name.raw)
    named = {folded(draft.index.all_traits.shown[other]) for other in others}
    if rule.name_differs and (folded(name.raw) in named or id_ in draft.index.traits):
        message = f"`{name.raw}` is the name of a trait already"
        draft.report(codes.REPEATED, name.span, message, "give the new one a name of its own")
        id_ = f"{id_}.{group_id}"  # It counts in all sums beside its namesake.
    draft.own_traits[id_] = name.raw, group_id
    return id_


def _read_rating(draft: Draft, id_: str, name: ScalarNode, node: Node) -> Stated:
    stated = Stated(None, name.span)
    if not isinstance(node, Pairs):
        if values.is_blank(node):
            _report_no_rating(draft, name, id_)
            return stated
        return _with_rating(draft, stated, id_, name.raw, node)
    rated = ""
    for part, (key, below) in values.parse_long_form(draft, node).items():
        if part in RATED and rated:
            message = f"`{key.raw}` means the same as `{rated}`"
            draft.report(codes.REPEATED_KEY, key.span, message, "keep one of the two")
        elif part in RATED:
            rated = key.raw
            stated = _with_rating(draft, stated, id_, key.raw, below)
        elif part == "stars":
            stated = replace(stated, stars=values.parse_amount(draft, below, key.raw) or 0)
        elif part == "max":
            stated = replace(stated, most=values.parse_amount(draft, below, key.raw))
        elif part == "note":
            stated = replace(stated, detail=values.parse_text(draft, below, key.raw) or "")
        else:
            values.report_unknown_key(draft, key, "in a rating", _PARTS)
    if not rated and not draft.granted(id_):  # A granted rating may be left out.
        _report_no_rating(draft, name, id_)
    return stated


def _with_rating(draft: Draft, stated: Stated, id_: str, name: str, node: Node) -> Stated:
    if draft.group_rule(id_).rating == "die" and (step := parse_step_die(raw_text(node))):
        return replace(stated, rating=step, at=node.span)
    if draft.group_rule(id_).rating == "die" and re.match("d|[1-9]", raw := raw_text(node)):
        hint = "write one of d4, d6, d8, d10, d12, d12+1 and so on"
        if parse_step_die(f"d{raw}"):
            hint = Hint(f"write `d{raw}`", raw, f"d{raw}")
        message = f"`{raw}` is no die for {draft.name_of(id_)}"
        draft.report(codes.WRONG_TYPE, node.span, message, hint)
        return stated
    signed = draft.group_rule(id_).rating == "signed"  # its base may be below 0
    parse = values.parse_number if signed else values.parse_amount
    rating = parse(draft, node, name, draft.in_dice(id_))
    if rating is not None and rating > MOST_RATING:
        hint = f"write at most {MOST_RATING}"
        draft.report(codes.WRONG_TYPE, node.span, f"`{name}` is too large", hint)
        rating = None
    return replace(stated, rating=rating, at=node.span)


def _report_no_rating(draft: Draft, name: ScalarNode, id_: str) -> None:
    least = {"die": "d4", "dice": "1D"}.get(str(draft.group_rule(id_).rating), "1")
    message = f"`{name.raw}` has no rating"
    draft.report(codes.MISSING_KEY, name.span, message, f"write `{name.raw}: {least}`, or more")


def check_ratings(draft: Draft) -> None:
    """Report ratings below what is granted, stars that nothing grants, and bad new traits."""
    for id_, stated in draft.stated.items():
        granted, own = draft.granted(id_), draft.own(id_)
        if stated.rating is not None and (own < 0 or draft.reached(id_) < granted):
            name, least = draft.name_of(id_), draft.written_rating(id_, granted)
            written = draft.written_rating(id_, stated.rating - draft.base(id_))
            written = written if stated.rating else "0"
            hint = f"write the whole rating, {least} or more, or leave {name} out"
            lost = [
                draft.key_name(str(i)) for i, k in draft.rules.character.items() if k.kind == LOST
            ]
            hint += f"; what was lost in play goes under `{lost[0]}`" if lost else ""
            who = format_granting(draft, id_)
            message = f"{name} is {written}, below the {least} that {who}"
            title = f"Set {name} to {least}"
            typed = draft.typed_rating
            hint = Hint(hint, typed(written), typed(least), title, stated.at)
            draft.report(codes.BELOW_GRANT, stated.span, message, hint)
        if stated.stars > max(own, 0) and (stated.rating is not None or granted):
            step, steps = step_words(draft.group_rule(id_))
            message = f"{draft.name_of(id_)} has more stars ({stated.stars}) than {steps} ({own})"
            draft.report(codes.STARS, stated.span, message, f"remove stars: each replaces a {step}")
    stars = any(stated.stars for stated in draft.stated.values())
    for group_id, group in draft.rules.groups.items():
        if stars or group.stars:
            _check_stars(draft, str(group_id), group)
        if group.open is not None:
            mine = draft.named_traits(str(group_id))
            if not mine:
                continue
            allowed = draft.times_taken(str(group.open.needs))
            if len(mine) > allowed:
                span = draft.stated[mine[-1]].span
                message = f"{group.label}: {len(mine)} named; {allowed} allowed"
                needed = draft.choice_name(str(group.open.needs)) or group.open.needs
                draft.report(codes.WRONG_COUNT, span, message, f"take {needed} once for each")
            for id_ in mine:
                stated = draft.stated[id_]
                name = draft.name_of(id_)
                if stated.most is None:
                    message = f"`{name}` does not say its highest rating"
                    form = f"{{dots: {stated.rating or 1}, max: {group.open.most}}}"
                    hint = f"write `{name}: {form}`, or a lower max"
                    draft.report(codes.MISSING_KEY, stated.span, message, hint)
                elif not 1 <= stated.most <= group.open.most:
                    message = f"the highest rating of `{name}` is {stated.most}, "
                    message += f"not 1 to {group.open.most}"
                    draft.report(codes.ABOVE_LIMIT, stated.span, message)


def step_words(group: Group) -> tuple[str, str]:
    """Return what messages call one step of a rating of `group`, and several."""
    unit = str(group.rating)
    return (_STEPS[unit], unit) if unit in _STEPS else ("step", "steps")


def _check_stars(draft: Draft, group_id: str, group: Group) -> None:
    starred = [t for t in draft.traits_of(group_id) if _stars_of(draft, t)]
    used = sum(_stars_of(draft, t) for t in starred)
    allowed = draft.times_taken(str(group.stars)) if group.stars else 0
    if used < allowed:
        free = allowed - used
        pick = next(p for p in draft.picks if str(group.stars) in draft.pick_names(p))
        message = (
            f"{pick.name}: no rating has {'its star' if free == 1 else f'{free} of its stars'} yet"
        )
        rated = str(group.rating) if group.rating in RATED else "rating"
        hint = f"write a rating of {group.label.lower()} as `{{{rated}: 2, stars: 1}}`"
        draft.report(codes.CAVEAT, pick.span, message, hint, Severity.NOTE)
    if used > allowed:
        granting = draft.choice_name(str(group.stars or ""))
        message = f"{group.label or group_id} with stars: {used}; granted: {allowed}"
        hint = f"take {granting} for each star, or remove stars" if granting else "remove the stars"
        draft.report(codes.STARS, draft.stated[starred[-1]].span, message, hint)


def _stars_of(draft: Draft, id_: str) -> int:
    """Return the stars of a trait, at most as many as its steps; more have their finding."""
    stated = draft.stated.get(id_)
    return min(stated.stars, draft.own(id_)) if stated else 0


def read_codes(draft: Draft) -> None:
    """Read the codes under all keys of codes, then check what each key allows.

    Under a key with `whole` a code includes its parent: 3D under a trait of
    2D is one die of its own. Keys without `whole` are therefore read first.
    """
    keys = sorted(draft.ruleset_keys("codes"), key=lambda one: one[1].whole)
    read = [(id_, key, *_read_code(draft, id_, key, node)) for id_, key, node in keys]
    for id_, key, places, complete in read:  # What one key allows may depend on another.
        _check_code(draft, id_, key, places, complete=complete)


Places = dict[str, Span]  # the place of each trait's name


def _read_code(draft: Draft, id_: str, key: Key, node: Node) -> tuple[Places, bool]:
    """Read the codes under a key; return their places, and whether all could be read."""
    groups = tuple(map(str, key.of))
    seen: dict[str, ScalarNode] = {}
    read: dict[str, int] = {}
    complete = True
    for name, below in values.parse_mapping(
        draft, node, draft.key_name(id_), key.example or "{Name: 2}"
    ):
        found = values.find_trait(draft, name, groups, listed=True)
        if found is None:
            complete = False
            continue
        merged = found in seen and _merged(draft, found, seen[found], name)
        if found in seen and not merged:
            values.report_repeated(draft, name, seen[found].raw, seen[found].span)
            continue
        seen[found] = name
        code = values.parse_amount(draft, below, name.raw, draft.in_dice(found))
        if code is not None:
            read[found] = max(code, read.get(found, 0))
    for found, code in read.items():
        name = seen[found]
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
    places = {found: name.span for found, name in seen.items()}
    return places, complete and len(read) == len(seen)


def _merged(draft: Draft, trait: str, first: ScalarNode, second: ScalarNode) -> bool:
    """Whether a module merged two traits into one, whose names both are; if so, warn."""
    absorbed = {folded(name) for name in draft.index.traits[trait][1].absorbs}
    names = {folded(first.raw), folded(second.raw)}
    if len(names) == 1 or not absorbed & names:
        return False
    message = f"`{first.raw}` and `{second.raw}` are one trait here, {draft.name_of(trait)}"
    hint = "keep one of the two; the higher code counts"
    draft.report(codes.REPEATED, second.span, message, hint, Severity.WARNING)
    return True


def _check_code(draft: Draft, id_: str, key: Key, places: Places, *, complete: bool) -> None:
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
        severity = Severity.ERROR if spent > count or key.required else Severity.WARNING
        hint = f"place {shown(count - spent)} more"
        if spent > count:
            hint = f"take {shown(spent - count)} out"
        draft.report(codes.BAD_SPREAD, draft.span_of(id_), message, hint, severity)


def lift_codes(draft: Draft) -> None:
    """Raise every code that the file lists by the formula `lifts` of a key.

    The formula sees `raised`: the steps that the key gave the trait that governs the listed one.
    """
    for id_, key in draft.rules.character.items():
        if key.lifts is None or id_ not in draft.entries:
            continue
        label = key.label or id_.replace("_", " ")
        for found in draft.listed_codes:
            under = draft.index.traits[found][1].under
            if under is None:
                continue
            parts = draft.parts.get(str(under), ())
            raised = sum(p.steps for p in parts if p.why == label)
            if steps := draft.early_int(key.lifts, final=False, raised=raised):
                part = RatingPart(steps, label, "pick", draft.span_of(str(id_)))
                draft.add(found, part)


MOST_STEPS: Final = 300
"""The most steps that a use may be above its trait: each has a price, which takes time."""

_FORM: Final = re.compile(r"(.+?)\s*\(([^()]*)\)\s*:?\s*(.*)")


@frozen
class NarrowUse:
    """A use of `trait` with its whole code; `what` is the text before the code."""

    what: str
    trait: str
    code: int
    span: Span


def read_narrow_uses(draft: Draft) -> None:
    """Report uses of traits that do not exist, or are too low or too high, and count the price."""
    for id_, key, _ in draft.ruleset_keys("texts"):
        if key.narrows:
            uses = find_narrow_uses(draft, id_, key, report=True)
            # Return the price of all steps above the traits, but for the `count` of creation.
            left: list[list[int]] = []
            for use in uses:
                first = draft.total(use.trait) + 1
                codes_ = range(first, min(use.code, first - 1 + MOST_STEPS) + 1)
                left.append([step_price(draft, key, use.trait, code) for code in codes_])
            free = draft.early_int(key.count, final=False) if key.count is not None else 0
            for _ in range(min(free, sum(map(len, left)))):
                max(filter(None, left), key=lambda prices: prices[0]).pop(0)
            draft.numbers[id_] = sum(map(sum, left))


def find_narrow_uses(
    draft: Draft, id_: str, key: Key, *, report: bool = False
) -> tuple[NarrowUse, ...]:
    """Return the uses that a key lists and that can be read; with `report`, report the others."""
    places = [item.span for item in values.list_items(draft.entries[id_])]
    texts = draft.lists.get(id_, ())
    if len(places) != len(texts):
        places = [draft.entries[id_].span] * len(texts)
    before: set[tuple[str, str]] = set()
    kept, uses = len(draft.findings), []
    for text, span in zip(texts, places, strict=True):
        use = _read_use(draft, key, text, span)
        if use is None:
            continue
        same = use.trait, folded(use.what.partition("(")[2])
        if same in before:
            message = f"`{use.what}` is listed twice"
            draft.report(codes.REPEATED, span, message, "keep one of the two")
            continue
        before.add(same)
        total, name = draft.total(use.trait), draft.name_of(use.trait)
        limit = limit_of(draft, use.trait)
        own = use.code - total + draft.own(use.trait)
        code, whole = _shown(draft, use.trait, use.code), _shown(draft, use.trait, total)
        if use.code < total:
            message = f"`{use.what}` is {code}; {name} alone is {whole}"
            hint = f"leave it out, or raise it above {whole}"
            draft.report(codes.BELOW_GRANT, use.span, message, hint, Severity.WARNING)
        elif (limit is not None and own > limit) or use.code - total > MOST_STEPS:
            room = MOST_STEPS if limit is None else limit - draft.own(use.trait)
            most = total + min(MOST_STEPS, room)
            message = f"`{use.what}` is {code}; at most {_shown(draft, use.trait, most)}"
            draft.report(codes.ABOVE_LIMIT, use.span, message, "lower it")
        uses.append(use)
    if not report:
        del draft.findings[kept:]
    return tuple(uses)


def _read_use(draft: Draft, key: Key, text: str, span: Span) -> NarrowUse | None:
    match = _FORM.fullmatch(text.strip())
    groups = tuple(map(str, key.narrows))
    one = draft.rules.groups[groups[0]].one
    if match is None or not match[2].strip():
        message = f"`{text}` does not say which {one} it is a use of"
        if match is not None:
            message = f"`{text}` does not say which use of {match[1].strip()} it is"
        hint = f"write `{key.example.strip('[]') or 'Name (use) 5'}`"
        draft.report(codes.WRONG_TYPE, span, message, hint)
        return None
    names = draft.index.among(groups)
    found = names.find(match[1])
    if len(found) != 1:
        message = f"there is no {one} `{match[1]}`"
        draft.report(codes.UNKNOWN_NAME, span, message, names.hint(match[1]))
        return None
    trait, what = found[0], f"{match[1].strip()} ({match[2].strip()})"
    code = parse_code(match[3], pips=draft.rules.pips) if draft.in_dice(trait) else None
    if code is None and match[3].isascii() and match[3].isdigit() and len(match[3]) < 5:
        code = int(match[3])
    if not isinstance(code, int):
        message = f"`{what}` has no code" if not match[3] else f"`{match[3]}` is no code"
        shown = _shown(draft, trait, draft.total(trait) + 1)
        hint = f"write its whole code, such as `{what} {shown}`"
        draft.report(codes.WRONG_TYPE, span, message, hint, Severity.WARNING)
        return None
    return NarrowUse(what, trait, code, span)


def _shown(draft: Draft, trait: str, steps: int) -> str:
    return draft.rules.rating_text(draft.group_of(trait) or "", steps)


def step_price(draft: Draft, key: Key, trait: str, code: int) -> int:
    """Return the price of the step of a use that reaches `code`."""
    n = code - draft.total(trait) + draft.own(trait)
    return draft.eval_int(key.price, n=n, total=code) if key.price is not None else 0


MOST_TIMES = 100
"""The most picks of one trait in one item of a list; it bounds the work that a file can ask for."""


def read_raises(draft: Draft) -> None:
    """Read the lists of traits that the author picks to raise."""
    for id_, key in draft.rules.character.items():
        if key.kind != "raises":
            continue
        if id_ in draft.entries:
            _read_raise(draft, str(id_), key, draft.entries[id_])
        if key.most is not None:
            # Report traits that have more steps by now, picked or not, than `key` allows at
            # creation.
            most = draft.early_int(key.most, final=False)
            for id_ in (t for group in key.of for t in draft.traits_of(str(group))):
                steps, place = 0, None
                for part in draft.parts.get(id_, ()):
                    steps += part.steps
                    place = part.span if steps > most and place is None else place
                if steps > most:
                    message = f"{draft.name_of(id_)} is {steps} at creation; at most {most}"
                    hint = option_hint(draft.rules, key.most)
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
        draft.report(codes.REQUIREMENT, span, message, f"pick one of: {names}")
        return True
    if key.fits is None:
        return False
    rule = draft.trait_rule(trait)
    needs = rule.needs if rule is not None else None
    closed = int(needs is not None and not draft.holds(needs))
    # Return the rating of `trait` without the steps from keys after `id_` in the ruleset.
    keys = list(map(str, draft.rules.character))
    later = frozenset(keys[keys.index(id_) + 1 :])
    before = draft.own(trait) - sum(p.steps for p in draft.parts.get(trait, ()) if p.key in later)
    if not draft.holds(key.fits, n=before, closed=closed):
        message = f"{draft.name_of(trait)} cannot be named under `{draft.key_name(id_)}`"
        draft.report(codes.REQUIREMENT, span, message, key.why)
        return True
    return False


def _read_raise(draft: Draft, id_: str, key: Key, node: Node) -> None:
    seen: list[str] = []
    listed = values.list_items(node)
    by = draft.early_int(key.by, final=False) if key.by is not None else 1
    offered = _offered(draft, key)
    repeat = key.repeat is not None and draft.early_holds(key.repeat, final=False)
    for item in listed:
        found, times = values.find_counted_trait(draft, item, tuple(map(str, key.of)))
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
        label = key.label or id_.replace("_", " ")
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
    if taken != count and not (is_required(draft, key) and values.is_blank(node)):
        names = "name" if count == 1 else "names"
        message = f"`{draft.key_name(id_)}` takes {count} {names}; {count_is(taken)} listed"
        hint = f"take {taken - count} out" if taken > count else f"pick {count - taken} more"
        hint = key.why or hint
        hint = hint if count else f"leave `{draft.key_name(id_)}` out"
        draft.report(codes.WRONG_COUNT, draft.span_of(id_), message, hint)


def option_hint(rules: Ruleset, formula: str) -> str:
    """Return a hint that names the option that `formula` uses; empty if it uses none."""
    named = sorted(inputs(parse_formula(formula)) & {str(id_) for id_ in rules.options})
    return f"the option `{named[0]}` sets it" if named else ""
