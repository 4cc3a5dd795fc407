"""Ratings that the author states: dots, stars, limits of his own traits, notes.

The step `read_ratings` fills `draft.stated` and `draft.own_traits`; `check_ratings` runs once
everything that changes a rating is read. A star replaces one step of a rating, so that a rating
has at most as many stars as steps.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import accumulate
from typing import Final

from sheetgen.check.character import values
from sheetgen.check.character.draft import Draft, LostSteps, Stated
from sheetgen.diag import codes
from sheetgen.diag.findings import Hint, Severity, Span
from sheetgen.diag.words import count_is
from sheetgen.model.build import (
    RatingPart,
    code_text,
    parse_array_number,
    parse_code,
    parse_step_die,
    refused_name,
)
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.rulesets.traits import Group, Limit
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, raw_text
from sheetgen.records import frozen
from sheetgen.rules.formulas.expressions import fixed_integer, inputs_of
from sheetgen.rules.index import exact_form, folded, split_times
from sheetgen.rules.scopes import NONE, limit_in_row

RATED = ("rating", "dots", "dice", "ranks")
# Keys of the long form of a rating, `{dots: 6, stars: 2}`; the first four mean the same.
_PARTS = (*RATED, "stars", "max", "note")
# One step of a rating, by the unit of its group.
_STEPS = {"dots": "dot", "ranks": "rank", "dice": "die"}
MOST_RATING = 9_999
"""The largest rating: each of its steps is paid for, which takes time and memory."""


def read_ratings(draft: Draft) -> None:
    """Read the ratings of all groups whose ratings the author states, and notes beside traits."""
    for id_, key, node in draft.file_keys("ratings"):
        groups = tuple(map(str, key.of or (id_,)))
        entries = values.parse_mapping(draft, node, draft.key_name(id_))
        blank, is_part = lambda _, at: values.is_blank(at), lambda at, _: folded(at.raw) in _PARTS
        for name, below in values.indent(draft, entries, blank, is_part):
            trait = _find_or_name(draft, groups, name)
            if trait in draft.stated:
                values.report_repeated(draft, name, draft.name_of(trait), draft.stated[trait].span)
            elif trait is not None:
                draft.stated[trait] = _read_rating(draft, trait, name, below)
    for id_, _, node in draft.file_keys("details"):
        for name, below in values.parse_mapping(draft, node, draft.key_name(id_), "{Name: a note}"):
            if trait := values.find_trait(draft, name):
                stated = draft.stated.get(trait) or Stated(None, name.span)
                detail = values.parse_text(draft, below, name.raw) or ""
                draft.stated[trait] = replace(stated, detail=detail)


def _find_or_name(draft: Draft, groups: tuple[str, ...], name: ScalarNode) -> str | None:
    opened = [(g, rule) for g in groups if (rule := draft.rules.groups[g].open) is not None]
    if not opened or draft.index.among(groups).find(name.raw):  # open groups may list traits, too
        return values.find_trait(draft, name, groups, listed=True)
    (group_id, rule), id_ = opened[0], folded(name.raw).replace(" ", "_")
    if not id_:
        message = f"this {draft.rules.groups[group_id].one} needs a name"
        draft.report(codes.WRONG_TYPE, name.span, message)
        return None
    others = draft.index.all_traits.find(name.raw)
    named = {folded(draft.index.all_traits.shown[other]) for other in others}
    if rule.name_differs and (folded(name.raw) in named or id_ in draft.index.traits):
        message = f"`{name.raw}` is the name of a trait already"
        draft.report(codes.REPEATED, name.span, message, "give the new one a name of its own")
    own = draft.own_traits
    # It counts in all sums beside its namesake.
    while id_ in draft.index.traits or (
        id_ in own and exact_form(own[id_][0]) != exact_form(name.raw)
    ):
        id_ += "_"
    own[id_] = name.raw, group_id
    return id_


def _read_rating(draft: Draft, id_: str, name: ScalarNode, node: Node) -> Stated:
    stated, rated = Stated(None, name.span), ""
    if not isinstance(node, Pairs) and not values.is_blank(node):
        return _with_rating(draft, stated, id_, name.raw, node)
    form = values.parse_long_form(draft, node) if isinstance(node, Pairs) else {}
    for part, (key, below) in form.items():
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
    # A granted rating may be left out of a long form.
    if not rated and not (isinstance(node, Pairs) and draft.granted(id_)):
        least = {"die": "d4", "dice": "1D"}.get(str(draft.group_rule(id_).rating), "1")
        message, hint = f"`{name.raw}` has no rating", f"write `{name.raw}: {least}`, or more"
        draft.report(codes.MISSING_KEY, name.span, message, hint)
    return stated


def _with_rating(draft: Draft, stated: Stated, id_: str, name: str, node: Node) -> Stated:
    unit, raw = draft.group_rule(id_).rating, raw_text(node)
    if unit == "die" and (step := parse_step_die(raw)):
        return replace(stated, rating=step, at=node.span)
    if unit == "die" and re.match("d|[1-9]", raw):
        hint = "write one of d4, d6, d8, d10, d12, d12+1 and so on"
        if parse_step_die(f"d{raw}"):
            hint = Hint(f"write `d{raw}`", raw, f"d{raw}")
        message = f"`{raw}` is no die for {draft.name_of(id_)}"
        draft.report(codes.WRONG_TYPE, node.span, message, hint)
        return stated
    # The base of a signed rating may be below 0.
    parse = values.parse_number if unit == "signed" else values.parse_amount
    rating = parse(draft, node, name, draft.in_dice(id_))
    if rating is not None and rating > MOST_RATING:
        hint = f"write at most {MOST_RATING}"
        draft.report(codes.WRONG_TYPE, node.span, f"`{name}` is too large", hint)
        rating = None
    return replace(stated, rating=rating, at=node.span)


def check_ratings(draft: Draft) -> None:
    """Report ratings below what is granted, stars that nothing grants, and bad new traits."""
    arrays = [(i, key) for i, key, _ in draft.ruleset_keys("ratings") if key.values]
    assigned = {t for i, key in arrays for of in key.of or (i,) for t in draft.traits_of(str(of))}
    for id_, stated in draft.stated.items():
        granted, own = draft.granted(id_), draft.own(id_)
        low = own < min(granted, 0) or draft.reached(id_) < granted
        if stated.rating is not None and low and id_ not in assigned:
            name, least = draft.name_of(id_), draft.written_rating(id_, granted)
            written = draft.written_rating(id_, stated.rating - draft.base(id_))
            written, typed = written if stated.rating else "0", draft.typed_rating
            hint = f"write the whole rating, {least} or more, or leave {name} out"
            for lost in [i for i, k in draft.rules.character.items() if k.kind == LOST][:1]:
                hint += f"; what was lost in play goes under `{draft.key_name(lost)}`"
            message = f"{name} is {written}, below the {least} that {format_granting(draft, id_)}"
            hint = Hint(hint, typed(written), typed(least), f"Set {name} to {least}", stated.at)
            draft.report(codes.BELOW_GRANT, stated.span, message, hint)
        if stated.stars > max(own, 0) and (stated.rating is not None or granted):
            step, steps = step_words(draft.group_rule(id_))
            message = f"{draft.name_of(id_)} has more stars ({stated.stars}) than {steps} ({own})"
            draft.report(codes.STARS, stated.span, message, f"remove stars: each replaces a {step}")
    stars = any(stated.stars for stated in draft.stated.values())
    for group_id, group in draft.rules.groups.items():
        if stars or group.stars:
            _check_stars(draft, str(group_id), group)
        mine = draft.named_traits(group_id)
        if group.open is not None and mine:
            needs = group.open.needs
            allowed = draft.times_taken(needs) if needs is not None else len(mine)
            if needs is not None and len(mine) > allowed:
                message = f"{group.label}: {len(mine)} named; {allowed} allowed"
                needed = draft.choice_name(needs) or needs
                span, hint = draft.stated[mine[-1]].span, f"take {needed} once for each"
                draft.report(codes.WRONG_COUNT, span, message, hint)
            for id_ in mine:
                stated, name = draft.stated[id_], draft.name_of(id_)
                if needs is None and stated.most is None:
                    continue
                if stated.most is None:
                    message = f"`{name}` does not say its highest rating"
                    form = f"{{dots: {stated.rating or 1}, max: {group.open.most}}}"
                    hint = f"write `{name}: {form}`, or a lower max"
                    draft.report(codes.MISSING_KEY, stated.span, message, hint)
                elif not 1 <= stated.most <= group.open.most:
                    message = f"the highest rating of `{name}` is {stated.most}, "
                    message += f"not 1 to {group.open.most}"
                    draft.report(codes.ABOVE_LIMIT, stated.span, message)


def check_arrays(draft: Draft) -> None:
    """Report ratings that are no numbers of their key's array, and numbers that no trait has."""
    for id_, key, _ in draft.ruleset_keys("ratings"):
        traits = [trait for of in key.of or (id_,) for trait in draft.traits_of(str(of))]
        if not key.values or not traits:
            continue
        array, left = ", ".join(key.values), [*map(str, key.values)]
        wrong: list[tuple[str, Stated, int]] = []
        for trait in traits:
            stated, base = draft.stated.get(trait), draft.base(trait)
            granted, n = draft.granted(trait), base
            if stated is not None and stated.rating is not None:
                n = max([stated.rating, *(base + n for n in draft.list_lost(trait))]) - granted
            unit = draft.group_rule(trait).rating
            if same := [word for word in left if parse_array_number(word, unit) == n]:
                left.remove(same[0])
            elif stated is not None and n != base:
                wrong.append((trait, stated, n))
        rest = ", ".join(left)
        for trait, stated, n in wrong:
            group, own = draft.group_rule(trait), draft.written_rating(trait, n - draft.base(trait))
            more = " without what is granted" if draft.granted(trait) else ""
            message = f"{draft.name_of(trait)} is {own}{more}; each of {array} is for one "
            hint = f"write one that is left: {rest}" if rest else "leave it out"
            draft.report(codes.BAD_SPREAD, stated.at or stated.span, message + group.one, hint)
        if left and not wrong:
            message = (
                f"`{draft.key_name(id_)}`: {rest} {'is' if len(left) == 1 else 'are'} not assigned"
            )
            draft.report(codes.BAD_SPREAD, draft.span_of(id_), message, f"assign each of {array}")


def step_words(group: Group) -> tuple[str, str]:
    """Return what messages call one step of a rating of `group`, and several."""
    unit = str(group.rating)
    return (_STEPS[unit], unit) if unit in _STEPS else ("step", "steps")


def _check_stars(draft: Draft, group_id: str, group: Group) -> None:
    starred = [t for t in draft.traits_of(group_id) if _stars_of(draft, t)]
    used = sum(_stars_of(draft, t) for t in starred)
    allowed = draft.times_taken(str(group.stars)) if group.stars else 0
    if used < allowed:
        free = "its star" if allowed - used == 1 else f"{allowed - used} of its stars"
        pick = next(p for p in draft.picks if str(group.stars) in draft.pick_names(p))
        message = f"{pick.name}: no rating has {free} yet"
        rated = str(group.rating) if group.rating in RATED else "rating"
        hint = f"give a rating of {group.label.lower()} a star: `{{{rated}: 2, stars: 1}}`"
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
    complete = isinstance(node, Pairs) or values.is_blank(node)
    for name, below in values.parse_mapping(
        draft, node, draft.key_name(id_), key.example or "{Name: 2}"
    ):
        found = values.find_trait(draft, name, groups, listed=True)
        if found is None:
            complete = False
            continue
        if found in seen:
            absorbed = {folded(one) for one in draft.index.traits[found][1].absorbs}
            first, names = seen[found], {folded(seen[found].raw), folded(name.raw)}
            if len(names) == 1 or not absorbed & names:
                values.report_repeated(draft, name, first.raw, first.span)
                continue
            # A module merged two traits into one, whose names both are.
            message = f"`{first.raw}` and `{name.raw}` are one trait here, {draft.name_of(found)}"
            hint = "keep one of the two; the higher code counts"
            draft.report(codes.REPEATED, name.span, message, hint, Severity.WARNING)
        seen[found] = name
        code = values.parse_amount(draft, below, name.raw, draft.in_dice(found))
        if code is not None:
            read[found] = max(code, read.get(found, 0))
    for found, code in read.items():
        span, above = seen[found].span, draft.index.traits[found][1].under
        under = draft.total(above) if key.whole and above else 0
        steps = code - under - draft.own(found)
        if key.whole and code < under:
            named, least, steps = draft.name_of(str(above)), _shown(draft, found, under), 0
            written = _shown(draft, found, code)
            message = f"{draft.name_of(found)} is {written}, but {named} alone is {least}"
            hint = f"write the whole code, {named} included: {least} or more"
            draft.report(codes.BELOW_GRANT, span, message, hint)
        draft.add(found, RatingPart(steps, key.label, "pick", span))
        draft.listed_codes.append(found)
    return {found: name.span for found, name in seen.items()}, complete and len(read) == len(seen)


def _check_code(draft: Draft, id_: str, key: Key, places: Places, *, complete: bool) -> None:
    """Report codes that are too high, a wrong sum and, if all are `complete`, too low ones."""
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
    if key.count is None:
        return
    count, spent = draft.early_int(key.count, final=False), sum(draft.own(one) for one in traits)
    draft.unplaced[id_] = count - spent
    if complete and spent != count:
        message = f"`{draft.key_name(id_)}` has {shown(count)} to place; it places {shown(spent)}"
        severity = Severity.ERROR if spent > count or key.required else Severity.WARNING
        more = f"place {shown(count - spent)} more"
        hint = f"take {shown(spent - count)} out" if spent > count else more
        draft.report(codes.BAD_SPREAD, draft.span_of(id_), message, hint, severity)


def lift_codes(draft: Draft) -> None:
    """Raise every listed code by `lifts` of a key, which sees the steps of the governing trait."""
    for id_, key in draft.rules.character.items():
        if key.lifts is None or id_ not in draft.entries:
            continue
        label = key.label or id_.replace("_", " ")
        for found in draft.listed_codes:
            under = draft.index.traits[found][1].under
            raised = sum(p.steps for p in draft.parts.get(str(under), ()) if p.why == label)
            if under and (steps := draft.early_int(key.lifts, final=False, raised=raised)):
                draft.add(found, RatingPart(steps, label, "pick", draft.span_of(id_)))


# The most steps that a use may be above its trait: each has a price, which takes time.
_MOST_ABOVE: Final = 300
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
            # The price of all steps above the traits, but for the `count` of creation.
            left: list[list[int]] = []
            for use in find_narrow_uses(draft, id_, key, report=True):
                first = draft.total(use.trait) + 1
                above = range(first, min(use.code, first - 1 + _MOST_ABOVE) + 1)
                left.append([step_price(draft, key, use.trait, code) for code in above])
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
        elif (limit is not None and own > limit) or use.code - total > _MOST_ABOVE:
            room = _MOST_ABOVE if limit is None else limit - draft.own(use.trait)
            most = total + min(_MOST_ABOVE, room)
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


def check_raised(draft: Draft) -> None:
    """Report ratings at creation that are higher than a key of raises allows, picked or not."""
    for key in (key for key in draft.rules.character.values() if key.kind == "raises" and key.most):
        most = draft.early_int(key.most or "0", final=False)
        for trait in (t for group in key.of for t in draft.traits_of(str(group))):
            rating, parts = draft.own(trait) + draft.base(trait), draft.parts.get(trait, [])
            stated = draft.stated.get(trait)
            if rating > most and (parts or stated):
                sums = accumulate((part.steps for part in parts), initial=draft.base(trait))
                each = zip([*sums][1:], parts, strict=True)
                above = (part.span for n, part in each if n > most and part.span is not None)
                place = next(above, stated.at or stated.span if stated else draft.source.start)
                shown, limit = (_shown(draft, trait, n) for n in (rating, most))
                message = f"{draft.name_of(trait)} is {shown} at creation; at most {limit}"
                hint = option_hint(draft.rules, key.most or "")
                draft.report(codes.ABOVE_LIMIT, place, message, hint)


def _is_unfit(
    draft: Draft, id_: str, key: Key, trait: str, offered: dict[str, str], span: Span
) -> bool:
    if offered and trait not in offered:
        message = f"{next(iter(offered.values()))} does not offer {draft.name_of(trait)}"
        names = ", ".join(draft.name_of(other) for other in offered)
        draft.report(codes.REQUIREMENT, span, message, f"pick one of: {names}")
        return True
    if key.fits is None:
        return False
    rule, keys = draft.trait_rule(trait), list(map(str, draft.rules.character))
    closed = int(rule is not None and rule.needs is not None and not draft.holds(rule.needs))
    # The rating of `trait` without the steps from keys after `id_` in the ruleset.
    later = keys[keys.index(id_) + 1 :]
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
    # The traits that may be named, with the choice that offers each; none for any.
    picks = [p for p in draft.picks if p.catalogue == key.from_]
    entries = [(p.name, draft.entry_of(p)) for p in picks]
    offered = {str(t): name for name, entry in entries if entry for t in entry.offers}
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
    if taken != count and not (values.is_required(draft, key) and values.is_blank(node)):
        names = "name" if count == 1 else "names"
        message = f"`{draft.key_name(id_)}` takes {count} {names}; {count_is(taken)} listed"
        hint = f"take {taken - count} out" if taken > count else f"pick {count - taken} more"
        hint = key.why or hint
        hint = hint if count else f"leave `{draft.key_name(id_)}` out"
        draft.report(codes.WRONG_COUNT, draft.span_of(id_), message, hint)


def option_hint(rules: Ruleset, formula: str) -> str:
    """Return a hint that names the option that `formula` uses; empty if it uses none."""
    named = sorted(inputs_of(formula) & {str(id_) for id_ in rules.options})
    return f"the option `{named[0]}` sets it" if named else ""


RATING = "rating"  # kind of the ledger lines for steps of stated ratings


def count_purchases(draft: Draft, trait: str, granted: int) -> Counter[int]:
    """Return how often each step of `trait` beyond those `granted` was paid for, again included."""
    bought = Counter(step for lost in draft.lost_steps.get(trait, ()) for step in lost.steps)
    bought.update(range(min(granted, 0) + 1, draft.own(trait) + 1))
    bought.subtract(range(1, granted + 1))
    return +bought


def count_lost(draft: Draft, trait: str, sold: bool) -> Counter[int]:
    """Return how often each step of `trait` was sold, or else lost."""
    several = (one for one in draft.lost_steps.get(trait, ()) if is_sold(draft, one) is sold)
    return Counter(step for one in several for step in one.steps)


def refund_of_steps(draft: Draft, trait: str, steps: Iterable[int]) -> int:
    """Return the points that selling `steps` of `trait` brings: their price, if no key sets it."""
    granted, total = draft.granted(trait), 0
    sold = (g for g in draft.lost_steps.get(trait, ()) if is_sold(draft, g))
    rule = next((draft.rules.character[g.key].price for g in sold), None)
    for n in steps:
        paid, free = draft.price(trait, n), n <= granted
        whole = 0 if free else paid
        total += whole if rule is None else draft.eval_int(rule, n=n, free=granted, paid=paid)
    return total


def price_of_steps(draft: Draft, trait: str, steps: Iterable[int]) -> int:
    """Return the price of `steps` of `trait`."""
    return sum(draft.price(trait, n) for n in steps)


def pay_ratings(draft: Draft) -> None:
    """Pay for the steps of stated ratings that were not granted; credit the steps sold."""
    rated = draft.rated_traits()
    paid = {
        trait: str(group.pool)
        for id_, group in draft.rules.groups.items()
        if _is_bought(group)
        for trait in draft.traits_of(str(id_))
        if trait in rated
    }
    for trait, pool in paid.items():
        granted = draft.granted(trait)
        bought = count_purchases(draft, trait, granted)
        first = range(granted + 1, draft.reached(trait) + 1)
        bought.subtract(first)
        for steps, word in (([*first], ""), (sorted((+bought).elements()), " again")):
            if steps:
                what = f"{draft.name_of(trait)} {format_steps(draft, trait, steps)}{word}"
                draft.spend(pool, what, price_of_steps(draft, trait, steps), kind=RATING)
    for trait, pool in paid.items():
        for lost in draft.lost_steps.get(trait, ()):
            sold = is_sold(draft, lost)
            gone = format_steps(draft, trait, lost.steps)
            what = f"{draft.name_of(trait)} {gone} {'sold' if sold else 'lost'}"
            draft.spend(pool, what, -refund_of_steps(draft, trait, lost.steps) if sold else 0)


def _is_bought(group: Group) -> bool:
    return group.stated and group.price is not None and group.pool is not None


def format_steps(draft: Draft, trait: str, steps: Iterable[int]) -> str:
    """Return own steps of `trait` by the ratings that they reach: `3`, `2–4`, `d6–d10`, `4, 4`."""
    listed = sorted(steps)
    shown = [draft.written_rating(trait, step) for step in listed]
    if len(listed) > 1 and listed == list(range(listed[0], listed[-1] + 1)):
        return f"{shown[0]}–{shown[-1]}"
    return ", ".join(shown)


def rating_parts(draft: Draft, trait: str) -> tuple[RatingPart, ...]:
    """Return the parts of the rating of `trait`: granted, bought, sold and lost steps."""
    parts = tuple(draft.parts.get(trait, ()))
    if not _is_bought(draft.group_rule(trait)):
        return parts
    bought = sum(count_purchases(draft, trait, draft.granted(trait)).values())
    bought -= draft.advance_steps(trait)
    lost = []
    for one in draft.lost_steps.get(trait, ()):
        why = "sold" if is_sold(draft, one) else "lost"
        lost.append(RatingPart(-len(one.steps), why, "gone", one.span))
    own = [RatingPart(bought, "bought", "bought")] if bought else []
    own += [part for part in parts if part.kind == "advance"]
    return (*(part for part in parts if part.kind != "advance"), *own, *lost)


MOST_STEPS = 99  # the highest step that can be lost; it bounds the numbers in a file
SOLD, LOST = "refunds", "losses"  # kinds of keys


def read_lost_steps(draft: Draft) -> None:
    """Read the steps that were sold, then those that were lost, trait by trait.

    Numbers under both keys are a finding: they do not tell which steps went first, and so what
    selling them brought.
    """
    counted: dict[str, bool] = {}
    for kind in (SOLD, LOST):
        for id_, key, node in draft.file_keys(kind):
            needs = None if values.is_blank(node) else key.requires
            if needs is not None and not draft.holds(needs):
                message = "no step can be sold by this build"
                draft.report(codes.REFUND, draft.span_of(id_), message, key.why)
            for name, below in values.parse_mapping(draft, node, draft.key_name(id_)):
                trait = values.find_trait(draft, name, tuple(map(str, key.of)))
                if not trait:
                    continue
                named = _parse_steps(draft, trait, name, below)
                if any(not 1 <= step <= MOST_STEPS for step in named):
                    message = f"steps of {draft.name_of(trait)} have numbers from 1 to {MOST_STEPS}"
                    hint = f"write `{name.raw}: 1` for one step that went"
                    draft.report(codes.REFUND, below.span, message, hint)
                elif named:
                    draft.lost_steps.setdefault(trait, []).append(LostSteps(named, name.span, id_))
                by_number = not isinstance(below, Many)
                gone = {is_sold(draft, s): s.key for s in reversed(draft.lost_steps.get(trait, []))}
                if len(gone) > 1 and (by_number or counted[trait]):
                    top = draft.reached(trait)
                    sold, lost = draft.key_name(gone[True]), draft.key_name(gone[False])
                    message = f"{draft.name_of(trait)}: steps were sold and lost; "
                    message += "numbers do not say which went first"
                    hint = f"name the steps: `{sold}: {{{name.raw}: [{top}]}}`, "
                    hint += f"`{lost}: {{{name.raw}: [{top - 1}]}}`, or the other way round"
                    draft.report(codes.REFUND, name.span, message, hint)
                elif kind == SOLD:
                    counted[trait] = by_number
    for trait in draft.lost_steps:
        # Report steps that went although steps between them and the rating did not.
        steps = {step for one in draft.lost_steps[trait] for step in one.steps}
        own, reached = draft.own(trait), draft.reached(trait)
        if lacking := ", ".join(str(n) for n in range(own + 1, reached) if n not in steps):
            message = f"{draft.name_of(trait)} is {own}; step {reached} went, but not {lacking}"
            hint = "name all of them: steps go from the top down"
            draft.report(codes.REFUND, draft.lost_steps[trait][-1].span, message, hint)


def is_sold(draft: Draft, lost: LostSteps) -> bool:
    """Whether steps were sold, and not lost in play."""
    return draft.rules.character[lost.key].kind == SOLD


def _parse_steps(draft: Draft, id_: str, name: ScalarNode, node: Node) -> tuple[int, ...]:
    """Return the numbers of the lost steps; none, and a finding, if too many were lost."""
    stated = draft.stated.get(id_)
    unstated = stated is None or stated.rating is None
    own, reached = draft.own(id_), draft.reached(id_)
    if isinstance(node, Many):
        steps = [values.parse_amount(draft, item, name.raw) for item in node.items]
        named = tuple(step for step in steps if step is not None)
        too_many = unstated and max(named, default=0) > reached
    else:
        count = min(values.parse_amount(draft, node, name.raw) or 0, MOST_STEPS + 1)
        top = own if unstated else reached + count
        named = tuple(range(max(top - count, 0) + 1, top + 1))
        too_many = unstated and count > own
    if too_many:
        message = f"{draft.name_of(id_)}: more steps are sold or lost than there were ({own})"
        hint = f"write what is left of {draft.name_of(id_)} among the ratings too"
        draft.report(codes.REFUND, name.span, message, hint)
        return ()
    return named


def limit_of(draft: Draft, trait: str) -> int | None:
    """Return the highest own rating of `trait` that its group allows; None for no limit.

    The boxes of a sheet show this limit. It includes steps that a choice grants beyond the
    limit, but not steps that another choice lets the player buy beyond it (see `may_exceed`).
    """
    limit, opened = draft.group_rule(trait).limit, draft.group_rule(trait).open
    if trait in draft.own_traits:
        stated = draft.stated.get(trait)
        most = opened.most if opened is not None and opened.needs is None else None
        return stated.most if stated and stated.most is not None else most
    return max(_listed(draft, limit, trait), draft.passing.get(trait, 0)) if limit else None


def find_limits(draft: Draft) -> None:
    """Find the limits of all traits, once all choices are known."""
    draft.limits |= {trait: limit for _, trait, limit in _limits(draft)}


def _limits(draft: Draft) -> Iterator[tuple[Group, str, int]]:
    for id_, group in draft.rules.groups.items():
        if group.limit is not None or group.open is not None:
            for trait in draft.traits_of(str(id_)):
                if (limit := limit_of(draft, trait)) is not None:
                    yield group, trait, limit


def check_limits(draft: Draft) -> None:
    """Report ratings above their limits."""
    for group, trait, limit in _limits(draft):
        own, reached = draft.own(trait), draft.reached(trait)
        stated, typed = draft.stated.get(trait), draft.typed_rating
        own_limit = stated.most if stated else None
        if group.open and own_limit is not None and not 1 <= own_limit <= group.open.most:
            continue  # The author's limit for a trait of his own has its finding.
        now = own > limit and not may_exceed(draft, group, trait, own)
        if reached <= limit or not (now or not may_exceed(draft, group, trait, reached)):
            continue
        name, most = draft.name_of(trait), draft.written_rating(trait, limit)
        listed, lifting = limit, ""
        if group.limit is not None and trait not in draft.own_traits:
            listed = _listed(draft, group.limit, trait)
            raised_by = str(group.limit.raised_by or "")
            if listed >= 1 and not draft.times_taken(raised_by):
                lifting = draft.choice_name(raised_by)
                lifting = f", or take {lifting}" if lifting else ""
        text = f"the limit{_for_whom(draft, group, trait)} is {draft.written_rating(trait, listed)}"
        if listed < limit:
            text += f", and {granted_by(draft, trait)} raises it to {most}"
        if now:
            is_, span = draft.written_rating(trait, own), raised_at(draft, trait)
            message, at = f"{name} is {is_}; {text}", stated.at if stated else None
            words = f"lower it to {most}{lifting}"
            hint: str = Hint(words, typed(is_), typed(most), f"Set {name} to {most}", at)
            steps = [part for part in draft.parts.get(trait, ()) if part.kind == "advance"]
            if steps and own - draft.advance_steps(trait) <= limit:
                span, over = steps[-1].span or span, own - limit
                hint = f"leave out {'an advance' if over == 1 else f'{over} advances'} of {name}"
        else:  # Lost steps are above the limit, so that they cannot have been bought.
            lost = draft.lost_steps[trait]
            span = next(one.span for one in lost if max(one.steps, default=0) > limit)
            had = draft.written_rating(trait, reached)
            message = f"{name} was {had} before steps of it went; {text}"
            hint = f"lower it to {most} in all{lifting}; if steps were "
            hint += f"bought again, name those that went: `{{{name}: [{limit}]}}`"
        if not limit and not (now and draft.base(trait)):
            hint = f"take it out: {name} is closed{_for_whom(draft, group, trait)}"
        draft.report(codes.ABOVE_LIMIT, span, message, hint)


def _listed(draft: Draft, limit: Limit, trait: str) -> int:
    if (most := fixed_integer(limit.most)) is None:
        under, free = draft.total_above(trait), draft.granted(trait)
        most = draft.eval_limit(limit.most, under=under, free=free)
    chosen = limit.sets.get(str(draft.options.get(str(limit.option), "")), {})
    picks = [p.entry for p in draft.picks if p.catalogue == limit.by]
    if not picks:
        return limit_in_row(chosen.get(NONE, {}), trait, most)
    return min(limit_in_row(chosen.get(entry, {}), trait, most) for entry in picks)


def may_exceed(draft: Draft, group: Group, trait: str, rating: int) -> bool:
    """Whether a choice allows to buy `trait` up to `rating`, beyond a limit other than 0."""
    limit = group.limit
    if limit is None or limit.raised_by is None or trait in draft.own_traits:
        return False
    if not draft.times_taken(str(limit.raised_by)) or _listed(draft, limit, trait) < 1:
        return False
    ceiling = draft.eval_int(limit.ceiling) if limit.ceiling is not None else 0
    return not ceiling or rating <= ceiling


def granted_by(draft: Draft, trait: str) -> str:
    """Return the names of the choices that granted steps of `trait`."""
    grants = (part.why for part in draft.parts.get(trait, ()) if part.kind == "grant")
    return " and ".join(dict.fromkeys(grants))


def format_granting(draft: Draft, trait: str) -> str:
    """Return who grants steps of `trait`, with the verb, for messages."""
    who = granted_by(draft, trait)
    return "the rules grant" if who in ("", "the rules") else f"{who} grants"


def _for_whom(draft: Draft, group: Group, trait: str) -> str:
    by = [p.name for p in draft.picks if group.limit and p.catalogue == group.limit.by]
    return f" for {by[0]}" if by and trait not in draft.own_traits else ""


def raised_at(draft: Draft, trait: str) -> Span:
    """Return where the file states `trait`, or else what raised it."""
    if trait in draft.stated:
        return draft.stated[trait].span
    raised = (part.span for part in draft.parts.get(trait, ()) if part.span is not None)
    return next(raised, draft.source.start)
