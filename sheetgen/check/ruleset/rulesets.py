"""Check a ruleset: its formulas, references, cycles, options, tables, screens and odds."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from sheetgen.check.character.builds import check_character
from sheetgen.check.character.options import describe_values, parse_option
from sheetgen.check.ruleset import formulas, prints
from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding, Hint, Severity, Span, errors, in_order
from sheetgen.diag.words import a, suggestion
from sheetgen.load.designs import templates
from sheetgen.load.designs.designs import PLAIN, list_shown_names
from sheetgen.load.designs.themes import ruleset_face
from sheetgen.load.rulesets.content import CARD_FILE, STARTER, design_label, starter_text
from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.load.yaml.format import quote_line
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.build import parse_array_number
from sheetgen.model.designs import CardFile
from sheetgen.model.rulesets import ruleset
from sheetgen.model.rulesets.prints import EMBLEM, MEMBERS, PLAYERS, CardSet, Encounters, StripRules
from sheetgen.model.rulesets.traits import Choice, Item, Trait
from sheetgen.model.source import Pairs, Text, text_place
from sheetgen.rules import index as naming
from sheetgen.rules.formulas.evaluate import filled, formulas_in, integer_value
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import Index, exact_form, folded, index_of, split_times, walk_model
from sheetgen.rules.tables import things as facts
from sheetgen.rules.tables.compute import lists_of_kind
from sheetgen.rules.tables.things import RulesetScope, all_grants, known_names, thing_name, things

MOST_RUNGS = 40  # the longest ladder of dice

# The most columns beside the ratings of a group: a generated sheet has room for these.
MOST_COLUMNS = 3
MOST_OF_LIST = 15  # the most columns of a list on a generated sheet; more would have no width

COLUMNS = {
    "gear": (
        *("name", "times", "count", "cost", "special", "conditional", "note", "modifiers"),
        *("remark", "dice", "attack", "damage", "bonus"),
    ),
    "choices": ("name", "times", "text", "computed"),
    "groups": ("name", "own", "total"),
}
"""The names that columns of a list see as well, by what the rows are."""


def check_ruleset(rules: ruleset.Ruleset) -> tuple[Finding, ...]:
    """Return all findings about `rules` without its kinds, which `check_kinds` checks.

    Findings about the rules of a kind name it: the ruleset itself may have none of them.
    """
    with_kinds, rules = rules, replace(rules, kinds={})
    index = index_of(rules)
    found = [*_formulas(rules, index), *formulas.check_references(rules, index)]
    found += (*formulas.check_ids(rules), *formulas.check_owners(rules))
    found += (*formulas.check_cycles(rules, index), *formulas.check_lookups(rules))
    for more in (
        prints.check_tables(with_kinds),
        prints.check_rows_left_out(with_kinds),
        _without_build(with_kinds, index),
        prints.check_screens(rules),
        prints.check_card_sets(rules),
        *(check(rules) for check in _SLIPS),
        _kind_pictures(with_kinds),
        prints.check_odds(rules),
    ):
        try:
            found.extend(more)
        except LookupError:  # a missing name that stops a check is found already
            if not errors(found):
                raise
    words, hint = kind_words(rules), "name under `keeps` of the kind what it takes over"
    hint += ", and add keys that formulas need to its `character`"
    return in_order(
        replace(f, message=f"{f.message}{words}", hint=_kind_hint(f) or hint) if words else f
        for f in _without_echoes(found, rules)
    )


def kind_words(rules: ruleset.Ruleset) -> str:
    """Return how findings about the rules of a kind end; "" for those of characters."""
    one = rules.composition.one
    return f", for {a(one)}" if one != ruleset.Composition().one else ""


def _kind_hint(finding: Finding) -> str:
    """Return the hint of a finding about a kind; "" where it only lists what the kind has."""
    unknown = finding.code in (codes.UNKNOWN_IN_FORMULA, codes.DANGLING)
    return "" if unknown and finding.hint.startswith("use one of") else finding.hint


def _without_echoes(found: list[Finding], rules: ruleset.Ruleset) -> Iterator[Finding]:
    """Yield the findings, but not that something cannot be computed for a reason already found.

    What uses a named formula with a mistake cannot be computed either.
    """
    reasons = [f.message for f in found if f.code is not codes.UNANSWERED]
    named = {(text.span.file, text.span.line) for text in rules.formulas.values()}
    broken = any((f.span.file, f.span.line) in named for f in found)
    for finding in found:
        if finding.code is not codes.UNANSWERED:
            yield finding
            continue
        reason = finding.message.rpartition(": ")[2]
        if not broken and not any(reason in r for r in reasons):
            yield finding
        reasons.append(reason)


def check_undefined_words(rules: ruleset.Ruleset) -> Iterator[Finding]:
    """Yield a note, for authors, for each word that choices use and the rules do not define."""
    seen: set[str] = set()
    for catalogue in rules.choices.values():
        for entry in catalogue.entries.values():
            for word in entry.undefined:
                if word not in seen:
                    message = f"`{word}` is not defined in the rules; {entry.name} uses it"
                    hint = "write into the section what it means; prints say that it is not defined"
                    yield Finding(codes.UNDEFINED, word.span, message, hint, Severity.NOTE)
                seen.add(str(word))


def numbers_of_build(rules: ruleset.Ruleset, index: Index) -> set[str]:
    """Return the names that every formula of a build sees."""
    choices = (str(id_) for id_, key in rules.character.items() if key.kind == "choice")
    others = (*rules.options, *rules.derived, *rules.pools, *formulas.counted_keys(rules))
    return {*index.traits, *others, *choices}


def _formulas(rules: ruleset.Ruleset, index: Index) -> Iterator[Finding]:
    known = numbers_of_build(rules, index)
    # A kind need not have what a formula takes that only characters call.
    uncalled = _uncalled(rules, index) if kind_words(rules) else ()
    for text, local in formulas.local_formulas(rules):
        if any(text is one for one in uncalled):
            continue
        yield from formulas.check_formula(text, rules, index, known | local)
    for text, local in formulas.formulas_without_build(rules):
        there = prints.without_build(rules) | local
        yield from formulas.check_formula(text, rules, index, there, build=False)
    for line, names in _lines_of_build(rules, index):
        yield from formulas.check_line(line, rules, index, known.union(names))


def _uncalled(rules: ruleset.Ruleset, index: Index) -> list[Text]:
    """Return the named formulas that no formula, text or keyword of `rules` comes to."""
    left: dict[str, Text] = {str(h).partition("(")[0]: f for h, f in rules.formulas.items()}
    texts = [*formulas.local_formulas(rules), *formulas.formulas_without_build(rules)]
    named = {id(formula) for formula in rules.formulas.values()}
    todo = [str(text) for text, _ in texts if id(text) not in named]
    todo += [str(text) for text, _ in _lines_of_build(rules, index)]
    traits = (trait for group in rules.groups.values() for trait in group.traits.values())
    todo += [f"{trait.keyword}()" for trait in traits]
    while todo:
        calls = re.findall(r"(\w+) *\(", todo.pop())
        todo += [str(left.pop(name)) for name in dict.fromkeys(calls) if name in left]
    return [*left.values()]


def _lines_of_build(rules: ruleset.Ruleset, index: Index) -> Iterator[tuple[Text, Iterable[str]]]:
    yield from ((line.text, ()) for line in rules.texts.values())
    for catalogue in rules.choices.values():
        for entry in catalogue.entries.values():
            texts = (entry.computed, *(section.computed for section in entry.sections))
            yield from ((text, ()) for text in texts if text is not None)
    for item in rules.gear.values():
        own = ("dice", "bonus", "count", "cost", *index_of(rules).numbers)
        yield from ((text, own) for text in naming.attack_texts(item).values())
    yield from ((rule.message, ()) for rule in rules.rules.values())
    for key in rules.character.values():
        yield from ((rule.message, formulas.names_of_each(rules, key)) for rule in key.each)
    for rows in rules.lists.values():
        of = rows.of.partition(".")[0]
        kind = "choices" if of == "choices" else "groups" if of in rules.groups else "gear"
        names = {*COLUMNS[kind], *(index.numbers if kind != "groups" else ())}
        names |= {f"fact.{name}" for name in index.facts} if kind == "choices" else set()
        yield from ((column, names) for column in rows.columns.values())


def _without_build(rules: ruleset.Ruleset, index: Index) -> Iterator[Finding]:
    texts = (_texts_of_options, prints.texts_of_tables, prints.texts_of_cards)
    for find in (*texts, prints.texts_of_screens):
        for text, names in find(rules):
            yield from formulas.check_line(text, rules, index, names, build=False)


def _texts_of_options(rules: ruleset.Ruleset) -> Iterator[tuple[Text | str, set[str]]]:
    known = prints.without_build(rules)
    yield from ((line.blank, known) for line in rules.texts.values())
    steps = (*rules.creation.values(), *rules.creation_details.values())
    yield from ((step, known) for step in steps)
    for group in rules.groups.values():
        yield from ((text, known) for t in group.traits.values() for text in (t.text, t.note))
    for id_, catalogue in rules.choices.items():
        names = known | known_names(rules, f"choices.{id_}")
        for entry in catalogue.entries.values():
            yield from ((text, known) for text in (entry.text, entry.note, *entry.facts.values()))
            yield from ((section.text, names) for section in entry.sections)
    for item in rules.gear.values():
        yield from ((item.text, known), (item.special, known))
        yield item.conditional, {*known, "bonus"}


_KEYWORD: Final = re.compile(r"\bkeyword\b")
_MODIFIERS: Final = re.compile(r"\bmodifiers\(\s*(\w+)\s*\)")
_ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]*")


def _places(rules: ruleset.Ruleset) -> Iterator[Finding]:
    for cards in rules.card_sets.values():
        if templates.find_design_file(cards.card, CARD_FILE) is None:
            continue
        label = design_label(cards.card)
        try:
            file = templates.load_design_file(f"{cards.card}/card.yaml", CardFile)
            yield from _pictures(rules, cards, file)
        except DesignError:  # a print says so
            continue
        places = file.places
        for place in (*cards.texts, *cards.lists) if places else ():
            if not any(fnmatchcase(place, known) for known in places):
                span = text_place(place, cards.card.span)
                message = f"the card `{label}` has no place `{place}`"
                yield Finding(codes.DANGLING, span, message, f"use one of: {', '.join(places)}")


def _kind_pictures(rules: ruleset.Ruleset) -> Iterator[Finding]:
    pairs = [(k.card or templates.KIND_CARD, k.emblems) for k in rules.kinds.values()]
    for card, emblems in (*pairs, (templates.KIND_CARD, rules.emblems)):
        if emblems and templates.find_design_file(card, CARD_FILE) is not None:
            try:
                file = templates.load_design_file(f"{card}/card.yaml", CardFile)
                shapes = _card_shapes(rules, str(card), file)
            except DesignError:  # a print says so
                continue
            yield from _unknown_pictures(emblems, shapes, design_label(card))


def _card_shapes(rules: ruleset.Ruleset, card: str, file: CardFile) -> Collection[str]:
    face = ruleset_face(rules)
    shared = (templates.CARDS, templates.EMBLEMS, *file.tokens)
    return templates.load_theme_tokens(templates.STANDARD, *shared, card, face=face).shapes


def _unknown_pictures(
    emblems: Mapping[str, Text], shapes: Collection[str], label: str
) -> Iterator[Finding]:
    for name, picture in emblems.items():
        if f"{EMBLEM}-{picture}" not in shapes:
            message = f"the card `{label}` has no picture `{picture}` for `{name}`"
            known = sorted(s.partition("-")[2] for s in shapes if s.startswith(f"{EMBLEM}-"))
            hint = suggestion(picture, known, "pictures")
            if len(known) > 20 and "mean" not in hint:
                hint = "list all pictures with `sheetgen list art`"
            yield Finding(codes.DANGLING, picture.span, message, hint)


def _pictures(rules: ruleset.Ruleset, cards: CardSet, file: CardFile) -> Iterator[Finding]:
    """Find words that choose a picture which the card does not have.

    A text with a picture in another place is printed in words too, so it needs none.
    """
    chosen = {name for entry in file.order for name, text in entry.pictures.items() if name == text}
    used = {place: text for place, text in cards.texts.items() if place in chosen}
    if not used and not cards.emblems:
        return
    label = design_label(cards.card)
    shapes = _card_shapes(rules, str(cards.card), file)
    yield from _unknown_pictures(cards.emblems, shapes, label)
    for place, text in used.items():
        prefix = f"{place}-"
        pictures = sorted(s.removeprefix(prefix) for s in shapes if s.startswith(prefix))
        for thing in (thing for of in cards.of for thing in things(rules, str(of)).values()):
            try:
                word = filled(text, facts.ThingScope(rules, RulesetScope(rules), thing))
            except FormulaError:  # a finding of its own
                break
            if word and "-".join(word.lower().split()) not in pictures:
                message = f"the card `{label}` has no picture `{word}` for {thing_name(thing)}"
                hint = f"use one of: {', '.join(pictures)}"
                yield Finding(codes.DANGLING, text.span, message, hint)
                break


def _fixed(rules: ruleset.Ruleset, formula: Text) -> int | None:
    """Return the number that a formula gives for every character; None if there is none."""
    try:
        return integer_value(formula, RulesetScope(rules, _FIRST_STEP))
    except FormulaError:
        return None


_FIRST_STEP: Final[Mapping[str, int]] = dict.fromkeys(
    ("n", "total", "under", "limit", "free", "offered"), 1
)
"""Names in the prices of a step."""


def _basics(rules: ruleset.Ruleset) -> Iterator[Finding]:
    """Find mistakes in the id, in options and the ladder of dice, and braces without a match."""
    if not all(_ID.fullmatch(part) for part in rules.id.split("+")):
        message = f"`{rules.id}` is no id: use lower-case letters, digits, `-` and `_`"
        new = "-".join(folded(rules.id).split())
        hint: str = Hint(f"write `{new}`; what readers see is the `title`", rules.id, new)
        yield Finding(codes.WRONG_TYPE, rules.id.span, message, hint)
    for id_, option in rules.options.items():
        if parse_option(option, str(option.default)) is None:
            message = f"the default `{option.default}` of `{id_}` is none of its values"
            hint = f"write {describe_values(option)}"
            yield Finding(codes.BAD_OPTION, text_place(id_, rules.place), message, hint)
    ladder = list(rules.dice.ladder) if rules.dice else []
    rising = 1 <= len(ladder) <= MOST_RUNGS and ladder == sorted({*ladder}) and ladder[0] > 0
    if rules.dice is not None and not rising:
        message = f"`ladder` has to be 1 to {MOST_RUNGS} numbers of faces, rising"
        hint = "write it such as `[4, 6, 8]`"
        yield Finding(codes.WRONG_TYPE, rules.dice.pool.span, message, hint)
    for text in (text for text in walk_model(rules) if isinstance(text, Text)):
        if (opened := text.count("{")) != (closed := text.count("}")):
            slip = "not closed" if opened > closed else "closed but not opened"
            message, hint = f"`{text}`: a brace is {slip}", "write a formula as `{formula}`"
            yield Finding(codes.BAD_FORMULA, text.span, message, hint)


def _groups(rules: ruleset.Ruleset) -> Iterator[Finding]:
    """Find limits above the boxes, columns without room, and prices and keywords without effect."""
    shown = (rules.tables, rules.card_sets, rules.references, rules.screens)
    texts = (text for part in shown for text in walk_model(part) if isinstance(text, Text))
    is_kind = rules.composition.one != ruleset.Composition().one  # its tables are the ruleset's
    unshown = not is_kind and not any(_KEYWORD.search(text) for text in texts)
    for group in rules.groups.values():
        name, limits = group.label or group.one, list[tuple[int, Span]]()
        if group.limit is not None:
            with suppress(FormulaError):  # it needs a character
                most = integer_value(group.limit.most, RulesetScope(rules))
                limits.append((most, group.limit.most.span))
            rows = (row for picks in group.limit.sets.values() for row in picks.values())
            limits += [(n, text_place(t, rules.place)) for row in rows for t, n in row.items()]
        if group.open is not None:
            limits.append((group.open.most, text_place(group.open.needs or "", rules.place)))
        for most, span in limits if group.boxes else ():
            if most > group.boxes:
                message = f"{name} go up to {most}, and have {group.boxes} boxes"
                hint = f"write `boxes: {most}`, or a limit of at most {group.boxes}"
                yield Finding(codes.WRONG_TYPE, span, message, hint)
        bases = [b for b in (group.base, *(t.base for t in group.traits.values())) if b is not None]
        for base in bases[:1] if group.boxes else ():
            message = f"{name} begin at a `base`, which boxes do not show"
            hint = "let everybody have the first steps, `given: {raise: …}`, or write no `boxes`"
            yield Finding(codes.WRONG_TYPE, base.span, message, hint)
        for number, (id_, column) in enumerate(group.columns.items()):
            if group.boxes or number >= MOST_COLUMNS:
                message = f"`{id_}` has no room beside the ratings of {name}"
                hint = f"write at most {MOST_COLUMNS} columns, and none beside boxes"
                yield Finding(codes.WRONG_TYPE, column.value.span, message, hint)
        if group.price is not None and not group.stated:
            message = f"the price of {name} has no effect: nobody buys its steps"
            hint = "write `stated: true`, or set the price under `groups` of `advances`"
            yield Finding(codes.DANGLING, group.price.span, message, hint)
        for trait in group.traits.values() if unshown and not group.boxes else ():
            if trait.keyword is not None:  # its author may expect prices to follow
                message = f"`keyword` of {trait.name} has no effect: no table or card shows it"
                hint = "give what has another price a group of its own; "
                hint += "prices do not follow a keyword"
                yield Finding(codes.DANGLING, trait.keyword.span, message, hint)
    for id_, listed in rules.lists.items() if not is_kind else ():
        if len(listed.columns) > MOST_OF_LIST and (rules.sheet or PLAIN) == PLAIN:
            message = f"the list `{id_}` has {len(listed.columns)} columns; a generated sheet has "
            message += f"room for {MOST_OF_LIST}"
            hint = "write several texts in one column, such as `{one} {other}`"
            yield Finding(codes.WRONG_TYPE, text_place(id_, rules.place), message, hint)


def _keys(rules: ruleset.Ruleset) -> Iterator[Finding]:
    """Find what a key of the file says in vain, and values that lack their formula."""
    for id_, key in rules.character.items():
        place = text_place(id_, rules.place)
        for of in (key.of or (id_,)) if key.kind == "ratings" else ():
            if of in rules.groups and not rules.groups[of].stated:
                message = f"ratings of `{of}` would be ignored: the group is not `stated`"
                hint = "write `kind: codes`, or give the group `stated: true`"
                yield Finding(codes.DANGLING, place, message, hint)
        for word in key.values if key.kind == "ratings" else ():
            units = [getattr(rules.groups.get(of), "rating", None) for of in key.of or (id_,)]
            if all(parse_array_number(word, unit) is None for unit in units):
                hint = "write [d10, d8, d6]" if units[0] == "die" else "write [15, 14, 13]"
                message = f"`{word}` is no number of an array"
                yield Finding(codes.WRONG_TYPE, word.span, message, f"{hint}, or the like")
        for field, kinds in ruleset.KINDS_OF_FIELDS.items():
            value = getattr(key, field)
            unused = key.kind == "texts" and not key.narrows
            if value and (key.kind not in kinds or unused):
                message = f"`{field.rstrip('_')}` has no effect on a key of kind `{key.kind}`"
                hint = f"leave it out; these kinds read it: {', '.join(kinds)}"
                yield Finding(codes.DANGLING, getattr(value, "span", place), message, hint)
        if key.kind in ruleset.VALUE_KINDS and (key.price is None) != (key.pool is None):
            span = key.price.span if key.price is not None else place
            message = f"`price` and `pool` of `{id_}` belong together"
            yield Finding(codes.MISSING_KEY, span, message, "add the other, or leave both out")
        if key.least and key.most and key.kind not in ("raises", "choice"):
            least, most = _fixed(rules, key.least), _fixed(rules, key.most)
            if least is not None and most is not None and least > most:
                message = f"`most` is {most}, and `least` is {least}"
                hint = "swap the two, or raise `most`"
                yield Finding(codes.WRONG_TYPE, key.most.span, message, hint)
    elsewhere = [rule for key in rules.character.values() for rule in key.each]
    elsewhere += rules.encounter.rules.values() if rules.encounter else ()
    for rule in (rule for rule in elsewhere if rule.creation):
        message = "`creation` has no effect on rules of links, pinned dice and encounters"
        hint = "leave it out; what must hold at creation is a condition under `rules` of the game"
        yield Finding(codes.DANGLING, rule.require.span, message, hint)
    for id_, derived in rules.derived.items():
        message = hint = ""
        if (derived.value is None) == (derived.sum is None):
            message = f"`{id_}` has {'two formulas' if derived.sum else 'no formula'}"
            hint = "write `value`, or `sum` with `over`"
        elif (derived.sum is None) != (not derived.over):
            message = f"`{id_}`: `sum` and `over` belong together"
            hint = "name groups of traits under `over`"
        if message and not derived.place:
            yield Finding(codes.WRONG_TYPE, text_place(id_, rules.place), message, hint)


def _prices(rules: ruleset.Ruleset) -> Iterator[Finding]:
    """Find prices that no pool pays, and fixed figures below 0."""
    priced = [(group.price, group.pool) for group in rules.groups.values() if group.stated]
    advances, keys = rules.advances, rules.character.values()
    figures = [key.price for key in keys] + [key.count for key in keys]
    figures += [pool.start for pool in rules.pools.values()]
    figures += [group.price for group in rules.groups.values()]
    figures += [track.boxes for track in rules.tracks.values()]
    figures += [*advances.groups.values(), advances.gear] if advances else []
    figures += [named.price for named in advances.named.values()] if advances else []
    for catalogue in rules.choices.values():
        priced.append((catalogue.price, catalogue.pool))
        figures += [catalogue.price, *(entry.price for entry in catalogue.entries.values())]
        for entry in catalogue.entries.values():
            priced.append((entry.price, entry.pool or catalogue.pool))
            if entry.once and entry.most is not None:
                message = f"{entry.name} has `once` and `most`"
                yield Finding(codes.WRONG_TYPE, entry.most.span, message, "keep one of them")
    for price, pool in priced:
        if price is not None and not pool:
            hint = "name the pool, `pool: …`, or leave the price out"
            yield Finding(codes.MISSING_KEY, price.span, "no pool pays this price", hint)
    for figure in figures:
        if figure is not None and (_fixed(rules, figure) or 0) < 0:
            hint = "write a price from 0 on; what gives points counts in the `start` of the pool, "
            hint += "such as `40 + 10 * has(ID)`"
            yield Finding(codes.WRONG_TYPE, figure.span, f"`{figure}` is below 0", hint)


def _grants(rules: ruleset.Ruleset) -> Iterator[Finding]:
    """Find points to spread, steps for a trait that is named, and changes that nothing reads."""
    entries = [entry for listed in rules.choices.values() for entry in listed.entries.values()]
    every = [(rules.given, False, False)]
    every += [(entry.grants, entry.asks is not None, True) for entry in entries]
    for grants, asks, spreads in every:
        for number, block in enumerate(all_grants(grants)):
            if block.spread is not None and (number or not spreads):
                message = "`spread` has no effect here: "
                message += "only the `grants` of a choice ask for points"
                hint = "move it out of `when`, to the `grants` of a choice"
                yield Finding(codes.DANGLING, block.spread.points.span, message, hint)
            if block.asked and not asks:
                message = "`asked` has no effect: this choice does not let its taker name a trait"
                hint = "add `asks: GROUP` to the choice, or use `raise`"
                span = next((text_place(t, rules.place) for t in block.raise_), rules.place)
                yield Finding(codes.DANGLING, span, message, hint)
    read = {n for t in walk_model(rules) if isinstance(t, Text) for n in _MODIFIERS.findall(t)}
    items = rules.gear.values()
    changed = [*(id_ for item in items for id_ in item.modifies)]
    changed += [item.gives for item in items if item.gives is not None]
    changed += [id_ for entry in entries for id_ in entry.modifies]
    for id_ in dict.fromkeys(id_ for id_ in changed if id_ in rules.derived and id_ not in read):
        value, span = rules.derived[id_].value, text_place(id_, rules.place)
        if value is not None and Path(value.span.file).parent == Path(span.file).parent:
            # Else a module replaced the formula.
            message = f"this has no effect: no formula has `modifiers({id_})`"
            hint = f"add `+ modifiers({id_})` to the `value` of `{id_}`"
            yield Finding(codes.DANGLING, span, message, hint)


def _names(rules: ruleset.Ruleset) -> Iterator[Finding]:
    """Find numbers of things, and things, that have the name of another, and no alias."""
    taken = {*naming.ITEM_NUMBERS, *COLUMNS["gear"], *COLUMNS["choices"], "granted", "tags"}
    for thing in naming.numbered_things(rules):
        for name in (name for name in thing.numbers if name in taken):
            span = text_place(name, thing.name.span)
            message = f"`{name}` of {thing.name} has the name of what every thing has"
            yield Finding(codes.TWO_OWNERS, span, message, "rename it")
    traits = {id_: t for group in rules.groups.values() for id_, t in group.traits.items()}
    catalogues = (catalogue.entries for catalogue in rules.choices.values())
    every: tuple[Mapping[str, Item | Trait | Choice], ...] = (rules.gear, traits, *catalogues)
    for things_ in every:
        first: dict[str, tuple[str, Trait | Choice | Item]] = {}
        for id_, one in things_.items():
            other, same = first.setdefault(exact_form(one.name), (id_, one))
            if same is not one and not (one.aliases and same.aliases):
                message = f"`{id_}` and `{other}` are both called {one.name}"
                hint = "give each an alias of its own, `aliases: […]`, or another name"
                yield Finding(codes.TWO_OWNERS, text_place(id_, rules.place), message, hint)


# Checks that each look for one kind of mistake.
_SLIPS: Final = (_basics, _groups, _places, _keys, _prices, _grants, _names)

_OF_ALL = ("name",)  # values that a strip may show of every kind
_LASTS: Final = ("", "value", "text", "how")  # what the name of a number may end with


def check_kinds(rules: ruleset.Ruleset, found: Collection[Finding]) -> Iterator[Finding]:
    """Yield findings about each kind, encounters and pieces that are not in `found` already."""
    for id_, kind in rules.kinds.items():
        wrong = [*formulas.check_known_names(_names_of_kind(id_, kind, rules), rules.place)]
        yield from wrong
        if wrong:  # names of parts that it should keep would be unknown
            continue
        own = kind_rules(rules, str(id_))
        yield from _kind(kind, own, rules)
        if (maker := kind.maker) is not None:
            known_names = formulas.known_names_of(own, index_of(own))
            yield from formulas.check_marked_names(maker, known_names, rules.place)
            gear, some = index_of(own).gear, (one for ones in maker.suits.values() for one in ones)
            unknown = (t for t in (*maker.also, *some) if t and not gear.find(split_times(t)[0]))
            lacking = ((thing, gear.shown.values(), "item") for thing in unknown)
            yield from formulas.check_known_names(lacking, rules.place)
        common = {(finding.span, f"{finding.message}{kind_words(own)}") for finding in found}
        yield from (f for f in check_ruleset(own) if (f.span, f.message) not in common)
    if rules.encounter is not None:
        tables = {*rules.tables, *rules.references}
        there = {"strip": rules.encounter.strips, "kind": rules.kinds, "table or page": tables}
        there["key or trait"] = ("combatants", PLAYERS, "notes", "party")
        yield from formulas.check_marked_names(rules.encounter, there, rules.place)
        yield from _of_encounter(rules, rules.encounter)
        for name, strip in rules.encounter.strips.items():
            if name in rules.kinds:
                own = kind_rules(rules, str(name))
                lists = lists_of_kind(rules, str(name))
                known_names = {**formulas.known_names_of(own, index_of(own)), "list": lists}
                yield from formulas.check_marked_names(strip, known_names, rules.place)
                yield from formulas.check_known_names(_shown(strip, own, lists), rules.place)
    if rules.pieces is not None:
        known = {*list_shown_names(rules), *_OF_ALL, *rules.pools}
        shown = [one.of for one in rules.pieces.about] + [one.of for one in rules.pieces.tent]
        names = (Text(name.partition(".")[0], name.span) for name in shown)
        yield from formulas.check_known_names(
            ((name, known, "value") for name in names), rules.place
        )


def _names_of_kind(id_: str, kind: ruleset.Kind, rules: ruleset.Ruleset) -> formulas.DependentNames:
    known = formulas.known_names_of(rules, index_of(rules))
    yield from ((name, known["part of the rules"], "part of the rules") for name in kind.keeps)
    yield from ((key, kind.character, "key") for key in (kind.based_on, *kind.own))
    yield kind.card, known["card"], "card"
    if kind.block is not None:
        own = kind_rules(rules, str(id_))
        shown = {*own.character, *own.derived, *own.groups, *own.lists, *own.texts}
        named = (
            getattr(kind.block, part) for part in ("headline", *ruleset.PARTS_OF_BLOCK, "hidden")
        )
        yield from ((name, shown, "part of the card") for names in named for name in names)
        yield from ((part, ruleset.PARTS_OF_BLOCK, "part of a card") for part in kind.block.order)


def _kind(kind: ruleset.Kind, own: ruleset.Ruleset, rules: ruleset.Ruleset) -> Iterator[Finding]:
    """Find what a card would print twice or leave empty, and mistakes in what a kind is given."""
    for part in ("order", "headline", *ruleset.PARTS_OF_BLOCK) if kind.block is not None else ():
        names: tuple[Text, ...] = getattr(kind.block, part)
        for name in (name for at, name in enumerate(names) if name in names[:at]):
            message = f"`{part}` of the card has `{name}` twice"
            yield Finding(codes.WRONG_TYPE, name.span, message, "keep one of the two")
    with suppress(DesignError):  # a print says so
        file = templates.load_design_file(f"{kind.card}/card.yaml", CardFile) if kind.card else None
        order = file.order if file and not file.places else ()
        shown = {str(name) for entry in order for name in (entry.each, entry.track) if name}
        missing, message = sorted(shown - {*list_shown_names(own)}), ""
        if kind.card and file and file.places and kind.card != templates.KIND_CARD:
            message = f"the card `{design_label(kind.card)}` shows things, not files of a kind"
        elif kind.card and missing:
            message = f"the card `{design_label(kind.card)}` shows what {kind.label} lack: "
            message += ", ".join(missing)
        if kind.card and message:
            hint = "leave `card` out: then the card is made from what the kind has"
            yield Finding(codes.DANGLING, kind.card.span, message, hint)
    if rules.given is not None and kind.given is None and "given" not in kind.keeps:
        # A kind that has the traits of `given` has to say whether they are raised.
        places = index_of(rules).traits
        groups = {places[str(trait)][0] for trait in rules.given.raise_ if trait in places}
        kept = {str(name).removeprefix("groups.") for name in kind.keeps}
        if groups and ("groups" in kept or groups <= kept):
            message = f"what `given` raises is not given to {a(kind.one)}"
            hint = "add `given` to the `keeps` of the kind, or write `given: {}` there"
            place = text_place(next(iter(kind.character)), rules.place)
            yield Finding(codes.CAVEAT, place, message, hint, severity=Severity.NOTE)
    # What a file takes over from whoever it names sees the names of that one.
    texts = {str(id_) for id_, key in own.character.items() if key.kind == "text"}
    for key in own.character.values():
        for its in (kind_rules(rules, str(one)) for one in key.of if one in rules.kinds):
            index, known = index_of(its), numbers_of_build(its, index_of(its)) | texts
            for formula in key.gives.values():
                yield from formulas.check_formula(formula, its, index, known)


def _of_encounter(rules: ruleset.Ruleset, page: Encounters) -> Iterator[Finding]:
    """Yield the mistakes in the formulas of an encounter's derived values and rules."""
    known = {*rules.options, *page.derived}
    lists, numbers = frozenset((MEMBERS, PLAYERS)), _numbers_of_fight(rules, page)
    index = copy(index_of(rules))
    index.lists, index.numbers = lists, dict.fromkeys(numbers, ())
    texts: list[Text] = [value.value for value in page.derived.values() if value.value is not None]
    for id_ in (id_ for id_, value in page.derived.items() if value.value is None):
        place = text_place(id_, rules.place)
        yield Finding(codes.MISSING_KEY, place, f"`{id_}` has no `value`", "write a formula")
    for rule in page.rules.values():
        texts += [rule.require, *formulas_in(rule.message)]
    for text in texts:
        yield from formulas.check_formula(text, rules, index, known, build=False, lists=True)
    named = {str(id_): [value.value] for id_, value in page.derived.items() if value.value}
    yield from formulas.find_cycles(named)


def _numbers_of_fight(rules: ruleset.Ruleset, page: Encounters) -> set[str]:
    owns = [kind_rules(rules, str(kind)) for kind in page.strips if kind in rules.kinds]
    return {n for own in (rules, *owns) for n in numbers_of_build(own, index_of(own))}


def check_party(rules: ruleset.Ruleset, party: Iterable[str]) -> Iterator[Finding]:
    """Yield a finding for each number of players that no character has."""
    known = _numbers_of_fight(rules, rules.encounter) if rules.encounter is not None else ()
    for name in (name for name in party if name not in known):
        message = f"no character of {rules.title} has a number `{name}`"
        hint = suggestion(name, sorted(known), "numbers")
        yield Finding(codes.UNKNOWN_NAME, text_place(name, rules.place), message, hint)


def _shown(
    strip: StripRules, own: ruleset.Ruleset, lists: Mapping[str, Collection[str]]
) -> formulas.DependentNames:
    heads = {*list_shown_names(own), *_OF_ALL}
    pieces = (*strip.about, *(p for line in strip.lines if line.each is None for p in line.parts))
    figures = (figure.of for figure in (*strip.figures, *strip.steps))
    for name in (strip.corner, *figures, *(piece.of for piece in pieces)):
        head, _, last = ("", "", "") if name is None else name.partition(".")
        yield None if name is None else Text(head, name.span), heads, "value"
        if last not in _LASTS and (head in own.derived or head in own.character):
            known = {head, *(f"{head}.{one}" for one in _LASTS[1:])}
            numbers = head in own.derived or own.character[head].kind in ruleset.VALUE_KINDS
            yield name if numbers else None, known, "value"
    rolled = {str(roll.each) for roll in own.rolls.values()}
    for line in (line for line in strip.lines if line.each in lists):
        known, rows = {*lists[str(line.each)]}, own.lists.get(str(line.each))
        known |= {"roll.text"} if rows is not None and (rows.roll or rows.of in rolled) else set()
        yield from ((part.of, known, "column") for part in line.parts)


FIRST: Final = "Ada Quill"  # the character that a starter is checked with


def check_starter(rules: ruleset.Ruleset) -> tuple[Finding, ...]:
    """Return the errors and warnings that new characters of `rules` would begin with."""
    folders = [Path(origin.folder) for origin in reversed(rules.composition.origins)]
    folder = next((f for f in folders if os.path.isfile(f / STARTER)), None)
    if folder is None:
        return ()
    path = folder / STARTER
    try:
        text = starter_text(folder.absolute())
    except DesignError as error:
        return error.findings
    parsed = parse_yaml(text.replace("{name}", quote_line(FIRST)), str(path))
    root = parsed.value.root if parsed.value is not None else None
    if parsed.value is None or not isinstance(root, Pairs):
        return parsed.findings or (_lacks(path, "keys", "name: {name}"),)
    found = [*parsed.findings, *check_character(parsed.value, rules).findings]
    if root.get("ruleset") is None:
        found.append(_lacks(path, "ruleset", f"ruleset: {rules.id}"))
    if "{name}" not in text:
        found.append(_lacks(path, "{name}", "name: {name}"))
    return tuple(f for f in found if f.severity is not Severity.NOTE)


def _lacks(path: Path, what: str, line: str) -> Finding:
    message = f"the starter of new characters has no `{what}`"
    return Finding(codes.MISSING_KEY, Span(str(path), 1, 1), message, f"write `{line}`")
