"""Mistakes in a ruleset other than wrong names: braces, boxes, places of cards, prices, its id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding, Hint
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.designs.templates import (
    CARDS,
    STANDARD,
    card_ids,
    load_design_file,
    load_theme_tokens,
)
from sheetgen.model.designs.card_files import CardFile
from sheetgen.model.rulesets.choices import Choice, Grants
from sheetgen.model.rulesets.items import Item
from sheetgen.model.rulesets.keys import KINDS_OF_FIELDS
from sheetgen.model.rulesets.origins import Composition
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.tables import EMBLEM, CardSet
from sheetgen.model.rulesets.traits import Group, Trait
from sheetgen.model.source import Text, text_place
from sheetgen.rules.formulas.evaluate import integer_value
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.index import walk_model
from sheetgen.rules.names import exact_form, folded
from sheetgen.rules.tables.tables import RulesetScope
from sheetgen.rules.tables.things import ThingScope, thing_name, things

_KEYWORD: Final = re.compile(r"\bkeyword\b")
_MODIFIERS: Final = re.compile(r"\bmodifiers\(\s*(\w+)\s*\)")
_ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]*")


def check_slips(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each mistake that this module knows."""
    yield from _own_id(rules)
    yield from _braces(rules)
    for group in rules.groups.values():
        yield from _above_boxes(rules, group)
    yield from _places(rules)
    yield from _derived(rules)
    yield from _prices(rules)
    yield from _keywords(rules)
    yield from _not_stated(rules)
    yield from _unread_keys(rules)
    yield from _unread_grants(rules)
    yield from _unread_modifiers(rules)
    yield from _figures(rules)
    yield from _same_names(rules)


def _own_id(rules: Ruleset) -> Iterator[Finding]:
    """Find an id that files and commands cannot use."""
    if not all(_ID.fullmatch(part) for part in rules.id.split("+")):
        message = f"`{rules.id}` is no id: use lower-case letters, digits, `-` and `_`"
        new = "-".join(folded(rules.id).split())
        hint = Hint(f"write `{new}`; what readers see is the `title`", rules.id, new)
        yield Finding(codes.WRONG_TYPE, rules.id.span, message, hint)


def _braces(rules: Ruleset) -> Iterator[Finding]:
    """Find braces without a partner: the text behind them is no formula."""
    for text in walk_model(rules):
        if not isinstance(text, Text) or text.count("{") == text.count("}"):
            continue
        opened = text.count("{") > text.count("}")
        message = f"`{text}`: a brace is {'not closed' if opened else 'closed but not opened'}"
        yield Finding(codes.BAD_FORMULA, text.span, message, "write a formula as `{formula}`")


def _above_boxes(rules: Ruleset, group: Group) -> Iterator[Finding]:
    """Find limits above the number of boxes of a sheet."""
    if not group.boxes:
        return
    if group.limit is not None:
        try:
            most = integer_value(group.limit.most, RulesetScope(rules))
        except FormulaError:  # it needs a character
            most = 0
        yield from _too_many(group, most, group.limit.most.span)
        for row in group.limit.sets.values():
            for traits in row.values():
                for trait, most in traits.items():
                    yield from _too_many(group, most, text_place(trait, rules.place))
    if group.open is not None:
        yield from _too_many(group, group.open.most, group.open.needs.span)


def _too_many(group: Group, most: int, span: Span) -> Iterator[Finding]:
    if most > group.boxes:
        message = f"{group.label or group.one} go up to {most}, and have {group.boxes} boxes"
        hint = f"write `boxes: {most}`, or a limit of at most {group.boxes}"
        yield Finding(codes.WRONG_TYPE, span, message, hint)


def _places(rules: Ruleset) -> Iterator[Finding]:
    """Find texts and lists of cards for places that the card does not have."""
    for cards in rules.card_sets.values():
        if cards.card not in card_ids():
            continue
        try:
            file = load_design_file(f"{cards.card}/card.yaml", CardFile)
            yield from _pictures(rules, cards, file)
        except DesignError:  # a print says so
            continue
        places = file.places
        for place in (*cards.texts, *cards.lists) if places else ():
            if not any(fnmatchcase(place, known) for known in places):
                span = text_place(place, cards.card.span)
                message = f"the card `{cards.card}` has no place `{place}`"
                hint = f"it has: {', '.join(places)}"
                yield Finding(codes.DANGLING, span, message, hint)


def _pictures(rules: Ruleset, cards: CardSet, file: CardFile) -> Iterator[Finding]:
    """Find words that choose a picture which the card does not have.

    A text with a picture in another place is printed in words too, so it needs none.
    """
    chosen = {name for entry in file.order for name, text in entry.pictures.items() if name == text}
    used = {place: text for place, text in cards.texts.items() if place in chosen}
    if not used and not cards.emblems:
        return
    shapes = load_theme_tokens(STANDARD, CARDS, *file.tokens, str(cards.card)).shapes
    for tag, picture in cards.emblems.items():
        if f"{EMBLEM}-{picture}" not in shapes:
            message = f"the card `{cards.card}` has no picture `{picture}` for the tag `{tag}`"
            known = sorted(s.partition("-")[2] for s in shapes if s.startswith(f"{EMBLEM}-"))
            hint = suggestion(picture, known, "pictures")
            yield Finding(codes.DANGLING, picture.span, message, hint)
    for place, text in used.items():
        prefix = f"{place}-"
        pictures = sorted(s.removeprefix(prefix) for s in shapes if s.startswith(prefix))
        for thing in (thing for of in cards.of for thing in things(rules, str(of)).values()):
            try:
                word = filled(text, ThingScope(rules, RulesetScope(rules), thing))
            except FormulaError:  # a finding of its own
                break
            if word and "-".join(word.lower().split()) not in pictures:
                message = f"the card `{cards.card}` has no picture `{word}` for {thing_name(thing)}"
                hint = f"use one of: {', '.join(pictures)}"
                yield Finding(codes.DANGLING, text.span, message, hint)
                break


def _derived(rules: Ruleset) -> Iterator[Finding]:
    """Find derived values without a formula, with two, or summed over nothing."""
    for id_, derived in rules.derived.items():
        span = text_place(id_, rules.place)
        if (derived.value is None) == (derived.sum is None):
            message = f"`{id_}` has {'two formulas' if derived.sum else 'no formula'}"
            yield Finding(codes.WRONG_TYPE, span, message, "write `value`, or `sum` with `over`")
        elif (derived.sum is None) != (not derived.over):
            message = f"`{id_}`: `sum` and `over` belong together"
            yield Finding(codes.WRONG_TYPE, span, message, "`over` names groups of traits")


def _prices(rules: Ruleset) -> Iterator[Finding]:
    """Find prices that no pool pays."""
    stated = (group for group in rules.groups.values() if group.stated)
    priced = [(group.price, group.pool) for group in stated]
    for catalogue in rules.choices.values():
        priced.append((catalogue.price, catalogue.pool))
        for entry in catalogue.entries.values():
            priced.append((entry.price, entry.pool or catalogue.pool))
            if entry.once and entry.most is not None:
                message = f"{entry.name} has `once` and `most`"
                yield Finding(codes.WRONG_TYPE, entry.most.span, message, "keep one of them")
    for price, pool in priced:
        if price is not None and not pool:
            hint = "name the pool, `pool: …`, or leave the price out"
            yield Finding(codes.MISSING_KEY, price.span, "no pool pays this price", hint)


def _keywords(rules: Ruleset) -> Iterator[Finding]:
    """Find keywords of traits that nothing shows: their author may expect prices to follow."""
    shown = (rules.tables, rules.card_sets, rules.references, rules.screens)
    texts = (text for part in shown for text in walk_model(part) if isinstance(text, Text))
    is_kind = rules.composition.one != Composition().one  # its tables are the ruleset's
    if is_kind or any(_KEYWORD.search(text) for text in texts):
        return
    for group in rules.groups.values():
        for trait in group.traits.values() if not group.boxes else ():
            if trait.keyword is not None:
                message = f"`keyword` of {trait.name} has no effect: no table or card shows it"
                hint = "prices do not follow it: a group of its own has its own price"
                yield Finding(codes.DANGLING, trait.keyword.span, message, hint)


def _not_stated(rules: Ruleset) -> Iterator[Finding]:
    """Find keys for ratings of groups in which authors do not write ratings."""
    for id_, key in rules.character.items():
        for of in (key.of or (id_,)) if key.kind == "ratings" else ():
            group = rules.groups.get(str(of))
            if group is not None and not group.stated:
                message = f"ratings of `{of}` would be ignored: the group is not `stated`"
                hint = "write `kind: codes`, or give the group `stated: true`"
                yield Finding(codes.DANGLING, text_place(id_, rules.place), message, hint)


def _unread_keys(rules: Ruleset) -> Iterator[Finding]:
    """Find what a key of the character's file says and its kind never reads."""
    for id_, key in rules.character.items():
        for field, kinds in KINDS_OF_FIELDS.items():
            value = getattr(key, field)
            unused = key.kind == "texts" and not key.narrows
            if not value or (key.kind in kinds and not unused):
                continue
            span = getattr(value, "span", text_place(id_, rules.place))
            message = f"`{field.rstrip('_')}` has no effect on a key of kind `{key.kind}`"
            hint = f"leave it out; these kinds read it: {', '.join(kinds)}"
            yield Finding(codes.DANGLING, span, message, hint)
        if key.kind in ("number", "flag") and (key.price is None) != (key.pool is None):
            span = key.price.span if key.price is not None else text_place(id_, rules.place)
            message = f"`price` and `pool` of `{id_}` belong together"
            yield Finding(codes.MISSING_KEY, span, message, "add the other, or leave both out")
    for group in rules.groups.values():
        if group.price is not None and not group.stated:
            message = (
                f"the price of {group.label or group.one} has no effect: nobody buys its steps"
            )
            hint = "write `stated: true`, or set the price under `groups` of `advances`"
            yield Finding(codes.DANGLING, group.price.span, message, hint)


def _unread_grants(rules: Ruleset) -> Iterator[Finding]:
    """Find points to spread, and steps for a trait that is named, where nobody can name them."""
    every = [(rules.given, False, False)]
    for catalogue in rules.choices.values():
        for entry in catalogue.entries.values():
            every.append((entry.grants, entry.asks is not None, True))
    for grants, asks, spreads in every:
        for number, block in enumerate(_blocks(grants)):
            if block.spread is not None and (number or not spreads):
                message = (
                    "`spread` has no effect here: only the `grants` of a choice ask for points"
                )
                hint = "move it out of `when`, to the `grants` of a choice"
                yield Finding(codes.DANGLING, block.spread.points.span, message, hint)
            if block.asked and not asks:
                message = "`asked` has no effect: this choice does not let its taker name a trait"
                hint = "add `asks: GROUP` to the choice, or use `raise`"
                span = next((text_place(t, rules.place) for t in block.raise_), rules.place)
                yield Finding(codes.DANGLING, span, message, hint)


def _blocks(grants: Grants | None) -> Iterator[Grants]:
    """Yield a block of grants, and all blocks below its `when`."""
    if grants is not None:
        yield grants
        for below in grants.when:
            yield from _blocks(below)


def _unread_modifiers(rules: Ruleset) -> Iterator[Finding]:
    """Find changes of derived values that no formula reads."""
    read = {n for t in walk_model(rules) if isinstance(t, Text) for n in _MODIFIERS.findall(t)}
    changed = [id_ for item in rules.gear.values() for id_ in item.modifies]
    changed += [item.gives for item in rules.gear.values() if item.gives is not None]
    for catalogue in rules.choices.values():
        changed += [id_ for entry in catalogue.entries.values() for id_ in entry.modifies]
    for id_ in dict.fromkeys(id_ for id_ in changed if id_ in rules.derived and id_ not in read):
        value, span = rules.derived[id_].value, text_place(id_, rules.place)
        if value is None or Path(value.span.file).parent != Path(span.file).parent:
            continue  # a module replaced the formula
        message = f"this has no effect: no formula has `modifiers({id_})`"
        hint = f"add `+ modifiers({id_})` to the `value` of `{id_}`"
        yield Finding(codes.DANGLING, span, message, hint)


def _figures(rules: Ruleset) -> Iterator[Finding]:
    """Find figures that are fixed, and below 0 or in the wrong order."""
    keys = rules.character.values()
    prices = [key.price for key in keys] + [key.count for key in keys]
    prices += [pool.start for pool in rules.pools.values()]
    prices += [group.price for group in rules.groups.values()]
    prices += [*rules.advances.groups.values(), rules.advances.gear] if rules.advances else []
    prices += [track.boxes for track in rules.tracks.values()]
    prices += [named.price for named in rules.advances.named.values()] if rules.advances else []
    for catalogue in rules.choices.values():
        prices += [catalogue.price, *(entry.price for entry in catalogue.entries.values())]
    for figure in prices:
        if figure is not None and (_fixed(rules, figure) or 0) < 0:
            message = f"`{figure}` is below 0"
            hint = "prices begin at 0; what gives points counts in the `start` of the pool, "
            hint += "such as `40 + 10 * has(ID)`"
            yield Finding(codes.WRONG_TYPE, figure.span, message, hint)
    for key in keys:
        if key.least is None or key.most is None or key.kind in ("raises", "choice"):
            continue
        least, most = _fixed(rules, key.least), _fixed(rules, key.most)
        if least is not None and most is not None and least > most:
            message = f"`most` is {most}, and `least` is {least}"
            yield Finding(codes.WRONG_TYPE, key.most.span, message, "swap the two, or raise `most`")


def _fixed(rules: Ruleset, formula: Text) -> int | None:
    """Return the number that a formula gives for every character; None if there is none."""
    try:
        return integer_value(formula, RulesetScope(rules, _FIRST_STEP))
    except FormulaError:
        return None


_FIRST_STEP: Final[Mapping[str, int]] = dict.fromkeys(("n", "total", "under", "limit"), 1)
"""Names in the prices of a step."""


def _same_names(rules: Ruleset) -> Iterator[Finding]:
    """Find things of one catalogue, or traits, with one name, and no alias to tell them apart."""
    traits = {id_: t for group in rules.groups.values() for id_, t in group.traits.items()}
    every: list[list[tuple[str, Trait | Choice | Item]]]
    every = [[*rules.gear.items()], [*traits.items()]]
    every += [[*catalogue.entries.items()] for catalogue in rules.choices.values()]
    for things_ in every:
        first: dict[str, tuple[str, Trait | Choice | Item]] = {}
        for id_, thing in things_:
            other, same = first.setdefault(exact_form(thing.name), (id_, thing))
            if same is not thing and not (thing.aliases and same.aliases):
                message = f"`{id_}` and `{other}` are both called {thing.name}"
                hint = "give each an alias of its own, `aliases: […]`, or another name"
                yield Finding(codes.TWO_OWNERS, text_place(id_, rules.place), message, hint)
