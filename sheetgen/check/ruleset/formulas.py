"""Mistakes in one formula of a ruleset: its syntax, its names, and its functions."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, TypeAlias, Union, get_args, get_origin

from sheetgen.check.character.options import NUMBER, YES_OR_NO
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Hint, Span
from sheetgen.diag.words import a, suggestion
from sheetgen.load.catalogues import ENTRY_ID
from sheetgen.load.designs.templates import card_ids, sheet_ids
from sheetgen.load.designs.themes import face_ids
from sheetgen.load.rulesets.content import CARD_FILE, OWN, SHEET_FILE, list_own_designs
from sheetgen.load.rulesets.kinds import PARTS
from sheetgen.load.rulesets.rulesets import FACE_FILE
from sheetgen.load.shapes import model_fields
from sheetgen.model.build import parse_figure
from sheetgen.model.rulesets.ruleset import VALUE_KINDS, Composition, Key, Ruleset
from sheetgen.model.rulesets.traits import Derived, DiceMix, Grants
from sheetgen.model.source import Formula, LookupTable, LookupText, OneOf, Ref, Text, text_place
from sheetgen.rules.formulas import expressions as syntax
from sheetgen.rules.formulas.evaluate import ONE, formulas_in, placed_formulas
from sheetgen.rules.formulas.expressions import FormulaError, Tree, parse_formula, walk
from sheetgen.rules.index import ITEM_NUMBERS, Index, folded, numbered_things, walk_model
from sheetgen.rules.scopes import Reach
from sheetgen.rules.tables.compute import OTHERS, kind_of_tables
from sheetgen.rules.tables.things import listed, tags_of, things

_LANGUAGE = "formulas have + - * / // %, comparisons, and, or, not, if … else, and functions"

# What to write instead of what other notations have; the first that a formula has counts.
_SLIPS: Final = {
    r"\b\d*[dD]\d+\b": "write `dice(1, 8, 2)` for 1d8+2, or use numbers: formulas roll no dice",
    r"\*\*|\^": "write a power as a product, such as `n * n`",
    "&&": "write `and`",
    r"\|\|": "write `or`",
    "!(?!=)": "write `not`",
    "=>": "write `>=`",
    "=<": "write `<=`",
    "(?<![<>=!])=(?!=)": "compare with `==`",
    r"\d,\d{3}\b": "write numbers without commas",
    r"\d\.\d": "write a fraction, such as `1/2` or `9/2`",
    r"\bif\b(?!.*\belse\b)": "write what it is otherwise, too, such as `2 if n > 3 else 1`",
    r"\d\s*\(|\)\s*\(|\b\d+[A-Za-z]|\d\s+x\s|[×·]": "multiply with `*`",
    "[÷]": "divide with `/`, or with `//` to round down",
}

_FUNCTIONS: Final = syntax.NAMING | syntax.COUNTING | syntax.WRITING
_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"]*\"")


def check_line(
    text: Text | str, rules: Ruleset, index: Index, known: Collection[str], *, build: bool = True
) -> Iterator[Finding]:
    """Yield the mistakes in the formulas in the braces of `text`; see `check_formula`."""
    for formula in placed_formulas(text):
        yield from check_formula(formula, rules, index, known, build=build)


def check_formula(
    text: Text,
    rules: Ruleset,
    index: Index,
    known: Collection[str],  # the names that have a value at its place
    *,
    build: bool = True,  # whether it is evaluated for one; tables, screens and odds have none
    lists: bool = False,  # whether it sees lists of things although there is no build
) -> Iterator[Finding]:
    """Yield the mistakes in the formula `text`."""
    try:
        tree = parse_formula(text)
    except FormulaError as error:
        span = text.span.within(error.offset, error.width)
        bare = _QUOTED.sub("''", text)
        hint = next((hint for slip, hint in _SLIPS.items() if re.search(slip, bare)), _LANGUAGE)
        if not text.isascii() and bare.isascii():
            hint = "write plain letters in quotes, and `-` for a minus"
        if (opened := text.count("(")) != (closed := text.count(")")):
            hint = f"write a `{')' if opened > closed else '('}` more, or one less of the other"
        yield Finding(codes.BAD_FORMULA, span, f"`{text}`: {error}", hint)
        return
    for part in walk(tree):
        if isinstance(part, syntax.Call):
            yield from _call(part, text, rules, index, build)
    for name in sorted(syntax.inputs(tree).difference(known)):
        if (build or lists) and name.rpartition(".")[0] in index.lists:
            yield from _number_of_things(name, tree, text, index)
            continue
        words = _words_for(name, tree, rules, index)
        unread = rules.odds is None and name.startswith("odds.")  # characters need no odds.yaml
        if name in words or unread:
            continue
        at = next(t.at for t in walk(tree) if isinstance(t, syntax.Name) and t.name == name)
        hint = suggestion(name, sorted(words or known))
        message = f"nothing is called `{name}`"
        head = next((head for head, named in rules.formulas.items() if named is text), "")
        if head and "(" not in head:
            hint = f"write `{head}({name}): …`: a named formula lists what it takes"
        elif (group := name.partition(".")[0]) in rules.groups:
            hint = f"write a derived value: `{{sum: total > 2, over: [{group}]}}` counts its traits"
        elif places := [place for place, names in PLACES.values() if name in names]:
            message += " here"
            hint = f"use it only in these formulas: {', '.join(places)}"
        elif name in index.traits or name in rules.derived:
            message += " here"
            hint = "use names of options: this formula sees no character"
        yield Finding(codes.UNKNOWN_IN_FORMULA, text.span.within(at, len(name)), message, hint)


def _number_of_things(name: str, tree: Tree, text: Text, index: Index) -> Iterator[Finding]:
    """Yield what is wrong with `LIST.NUMBER`: its name, or that nothing gathers its values."""
    number = name.rpartition(".")[2]
    calls = (part for part in walk(tree) if isinstance(part, syntax.Call) and syntax.gathers(part))
    inside = [arg for call in calls for arg in call.arguments if name in syntax.gathered_names(arg)]

    def times(*trees: Tree) -> int:
        parts = [part for tree in trees for part in walk(tree)]
        return sum(isinstance(part, syntax.Name) and part.name == name for part in parts)

    hint = suggestion(number, sorted({*ITEM_NUMBERS, *index.numbers}))
    message = f"no thing has a number `{number}`"
    lists = {one.rpartition(".")[0] for arg in inside for one in syntax.gathered_names(arg)}
    if number in {*ITEM_NUMBERS, *index.numbers}:
        if times(tree) > times(*inside):
            message = f"`{name}` is the number of several things"
            hint = f"write `sum({name})`, `max({name})`, or `min(…, {name})` for a cap"
        elif len(lists & index.lists) > 1 or any(map(syntax.gathers, chain(*map(walk, inside)))):
            message = "one value takes numbers of one list, and no sum"
            hint = "compute the other in a derived value, and use its name"
        else:
            return
    at = next(t.at for t in walk(tree) if isinstance(t, syntax.Name) and t.name == name)
    yield Finding(codes.BAD_FORMULA, text.span.within(at, len(name)), message, hint)


def _words_for(name: str, tree: Tree, rules: Ruleset, index: Index) -> set[str]:
    """Return the words that `name` may be: what it is compared with, or rows of a lookup."""
    found: set[str] = set()
    for part in walk(tree):
        if isinstance(part, syntax.Call) and part.function in rules.lookups:
            table = parse_formula(index.formulas[part.function][1])
            rows = [table.rows] if isinstance(table, syntax.Lookup) else []
            for argument in part.arguments:
                if isinstance(argument, syntax.Name) and argument.name == name:
                    found |= {key for row in rows for key in row.keys if isinstance(key, str)}
                cells = (cell for row in rows for cell in (*row.cells, row.otherwise))
                rows = [cell for cell in cells if isinstance(cell, syntax.LookupRows)]
        names = {t.name for t in syntax.children(part) if isinstance(t, syntax.Name)}
        if isinstance(part, syntax.Compare) and name in names:
            for option in names & set(rules.options):
                found |= {*rules.options[option].values} - {NUMBER, YES_OR_NO}
            found |= set(index.formulas) if "keyword" in names else set()
            for key in names:
                found |= _words_of(key, rules)
            found |= set(rules.odds.rolls if rules.odds and "roll" in names else ())
    return found


def _call(
    call: syntax.Call, text: Text, rules: Ruleset, index: Index, build: bool
) -> Iterator[Finding]:
    span = text.span.within(call.at, len(call.function))
    if call.function not in _FUNCTIONS | index.formulas.keys():
        hint = suggestion(call.function, sorted(_FUNCTIONS | index.formulas.keys()))
        message = f"there is no function `{call.function}`"
        yield Finding(codes.UNKNOWN_IN_FORMULA, span, message, hint)
        return
    # The number of values that a function takes; 0 for one or more.
    takes = 0 if call.function in {"dice", "boxes", *syntax.COUNTING} - ONE else 1
    takes = 2 if call.function == "holds" else takes
    if call.function in index.formulas:
        takes = len(index.formulas[call.function][0])
    if len(call.arguments) != takes and (takes or not call.arguments):
        message = f"`{call.function}` takes {takes or 'at least one'} value{'s' * (takes > 1)}"
        hint = f"write {takes or 'one'}, not the {len(call.arguments)} here"
        yield Finding(codes.BAD_FORMULA, span, message, hint)
    if call.function not in syntax.NAMING:
        return
    if not build:
        message = f"`{call.function}` cannot be used here: this formula sees no character"
        hint = "use options, or move the formula to a text or rule of characters"
        yield Finding(codes.UNKNOWN_IN_FORMULA, span, message, hint)
        return
    known = _arguments_of(call.function, rules, index)
    for place, name in enumerate(n for n in call.arguments if isinstance(n, syntax.Name)):
        allowed = set(rules.character) if call.function == "holds" and place == 0 else known
        counts = call.function in ("has", "picked", "items", "best")
        if name.name not in allowed and not (counts and name.name in rules.composition.unkept):
            span = text.span.within(name.at, len(name.name))
            message = f"`{call.function}` finds no `{name.name}`"
            hint = suggestion(name.name, sorted(allowed))
            yield Finding(codes.UNKNOWN_IN_FORMULA, span, message, hint)


def check_lookups(rules: Ruleset) -> Iterator[Finding]:
    """Yield the mistakes in the rows of lookups, and in their names."""
    named = {str(head).partition("(")[0]: head for head in rules.formulas}
    for head in (head for name, head in named.items() if name in _FUNCTIONS):
        message = f"`{head}` has the name of a function of all rulesets, which counts instead"
        yield Finding(codes.TWO_OWNERS, text_place(head, rules.place), message, "rename it")
    for id_, table in rules.lookups.items():
        name = Text(id_, text_place(id_, rules.place))
        for place, message, hint in _find_slips(name, table):
            yield Finding(codes.WRONG_TYPE, text_place(place, name.span), message, hint)
        if id_ in _FUNCTIONS or id_ in named:
            message = f"`{id_}` is a lookup and a function"
            yield Finding(codes.TWO_OWNERS, name.span, message, "rename the lookup")
        asked = {arg.name for arg in _first_arguments(id_, rules) if isinstance(arg, syntax.Name)}
        for words in filter(None, (_words_of(asked_for, rules) for asked_for in sorted(asked))):
            rows = {str(row): row for row in table if row not in LookupText.APART}
            for row in sorted(rows.keys() - set(words)):
                message = f"`{name}` has a row for `{row}`, which nothing picks"
                hint = suggestion(row, sorted(words))
                yield Finding(codes.DANGLING, text_place(rows[row], name.span), message, hint)
            lacking = [word for word in sorted(words) if word not in (*rows, *_NO_ENTRY)]
            if lacking and LookupText.OTHERWISE not in table:
                message = f"`{name}` has no row for {', '.join(f'`{word}`' for word in lacking)}"
                hint = f"add the rows, or `{LookupText.OTHERWISE}: …`"
                yield Finding(codes.DANGLING, name.span, message, hint)


MOST_ROWS: Final = 200  # the most rows of a lookup; a spreadsheet's function takes no more than 254
_RANGE: Final = re.compile(r"\d+\s*(?:[-–]\s*\d+|\+)")


def _find_slips(name: Text, table: LookupTable) -> Iterator[tuple[Text, str, str]]:
    """Yield what is wrong with the rows of a lookup: its place, a message and a hint."""
    rows = [key for key in table if key not in LookupText.APART]
    if not 1 <= len(rows) <= MOST_ROWS:
        yield name, f"`{name}` needs 1 to {MOST_ROWS} rows", f"write `{name}: {{1: 2, 5: 3}}`"
    if table.get(LookupText.EXACT, "true") not in ("true", "false"):
        yield name, f"`{LookupText.EXACT}` of `{name}` is `true` or `false`", "write `exact: true`"
    numbers = [parse_figure(key) for key in rows]
    seen: set[object] = set()
    for key, number in zip(rows, numbers, strict=True):
        place = key if isinstance(key, Text) else name
        if number is None and _RANGE.fullmatch(key):
            hint = "write its first number: a row counts up to the next one"
            yield place, f"`{key}` in `{name}` is a range", hint
        elif number is None and any(one is not None for one in numbers):
            hint = "write only numbers, or only words"
            yield place, f"`{key}` in `{name}` is no number, and other rows are numbers", hint
        elif number is not None and number in seen:
            yield place, f"`{name}` has two rows for {key}", "remove one of them"
        seen.add(number)
    for key, cell in table.items():
        if isinstance(cell, Mapping):
            yield from _find_slips(key if isinstance(key, Text) else name, cell)
        elif len(cell) > syntax.MOST_WORD:
            message = f"a value of `{name}` has more than {syntax.MOST_WORD} letters"
            yield cell, message, "shorten it, or put it into a text"


def _first_arguments(lookup: str, rules: Ruleset) -> Iterator[Tree]:
    for text in walk_model(rules):
        if isinstance(text, Text) and f"{lookup}(" in text:
            for formula in (text,) if isinstance(text, Formula) else formulas_in(text):
                with suppress(FormulaError):
                    for part in walk(parse_formula(formula)):
                        if isinstance(part, syntax.Call) and part.function == lookup:
                            yield from part.arguments[:1]


_NO_ENTRY: Final = ("none", "other")
"""What a key of a choice is to formulas without a pick, and with one of the author's own."""


def _words_of(name: str, rules: Ruleset) -> set[str]:
    """Return the words that an option, or a key of a choice, may be to formulas."""
    if name in rules.options:
        return {*map(str, rules.options[name].values)} - {NUMBER, YES_OR_NO}
    key = rules.character.get(name)
    if key is None or key.kind != "choice":
        return set()
    catalogue = rules.choices.get(key.catalogue(name))
    return {*map(str, catalogue.entries), *_NO_ENTRY} if catalogue is not None else set()


def _arguments_of(function: str, rules: Ruleset, index: Index) -> set[str]:
    if function in ("has", "picked"):
        ids = ((str(of), str(id_)) for of, one in rules.choices.items() for id_ in one.entries)
        entries = {name for of, id_ in ids for name in (id_, of, f"{of}.{id_}")}
        return entries | index.tags
    if function == "modifiers":
        return set(rules.derived)
    if function in ("items", "holds", "best"):
        return set(rules.gear) | index.tags
    return set(index.traits)


_PLACES: Final = """\
Group.price: `price` of a group
  n: the step that is bought
  limit: the trait's limit, 999 where there is none
  total: the whole rating after it
  free: steps that were granted
  under: the rating of the trait that governs it, 0 where none does
  offered: 1 where a choice of the file offers the trait
Limit.most: `most` of a limit
  under: the rating of the trait that governs it, 0 where none does
  free: steps that were granted
RatingColumn.value: `value` of a column of a group
  total: the whole rating
  n: its own steps
  under: the rating of the trait that governs it, 0 where none does
Dice.buy: `buy` of `dice`
  count: how many dice there are with the new one
  faces: faces of the new die
Dice.upgrade: `upgrade` of `dice`
  count: how many dice there are
  faces: faces of the rung that is reached
Advances.groups: `groups` of `advances`
  n: own steps after the advance
  total: the whole rating after it
  under: the rating of the trait that governs it, 0 where none does
  focus: steps that came with a focus
  offered: 1 where a choice of the file offers the trait
Advances.gear: `gear` of `advances`
  n: the item's dice or bonus after the advance
  adds: the rating that its damage adds
Derived.sum: `sum` of a derived value
  n: the trait's own rating
  free: the part of it that was granted
  stars: its stars
  reached: the highest rating that it ever had
  limit: its limit
  total: the whole rating
ComputedRow.value: `value` in a table's `lines`
  n: the value of the column
  count: the same as `n`
  faces: `faces` of the row
DiceMix.dice: `dice` of a roll with `each`
  n: the trait's own rating
  under: the rating of the trait that governs it
Key.fits: `fits` of a key
  closed: 1 where what the trait needs does not hold
  n: the trait's steps above its base, without what later keys give
Key.lifts: `lifts` of a key
  raised: steps that the key gave the trait that governs the listed one
refunds.price: `price` of a key of `refunds`
  n: the step that is sold
  free: the part of the rating that was granted
  paid: the price of the step by its group
texts.price: `price` of a key of `texts`
  n: steps above the parent of the trait, with this one
  total: the whole code with this step
item.price: `price` of a key of `item`
  n: dice of an item of the author's own
items.price: `price` of a key of `items`
  n: dice of an item of the author's own
links.each: `each` of a key of `links`
  link: the name of the link
  size: how many traits it has
  weakest: its trait with the lowest rating
  least: the rating of that trait
  repeats: traits that it has twice
  elsewhere: traits of earlier links; also the id of each group: how many it has
pinned.each: `each` of a key of `pinned`
  skill: the trait
  die: the die
  n: the trait's rating
  faces: faces of the die
  there: how many dice of that kind there are
  pins: how many of them are pinned so far
"""
"""By class and field of the model, or by the kind of a key and its field: the place, and what each
of its names means."""


PLACES: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    head: (place, dict(names))
    for block in re.split(r"\n(?! )", _PLACES.strip())
    for (head, place), *names in [[one.strip().split(": ", 1) for one in block.splitlines()]]
}


def local_formulas(rules: Ruleset) -> Iterator[tuple[Formula, frozenset[str]]]:
    """Yield every formula of a build, with the names that its place gives."""
    of_builds = replace(rules, tables={}, screens={}, odds=None, encounter=None)
    yield from _below(rules, of_builds, frozenset())


def formulas_without_build(rules: Ruleset) -> Iterator[tuple[Formula, frozenset[str]]]:
    """Yield the formulas of tables, screens and odds, with the names that their places give."""
    for part in (rules.tables, rules.screens, rules.odds):
        yield from _below(rules, part, frozenset())


def names_of_each(rules: Ruleset, key: Key) -> frozenset[str]:
    """Return the names that the rules under `each` of `key` see."""
    groups = rules.groups if key.kind == "links" else ()
    return _of(f"{key.kind}.each").union(map(str, groups))


def _below(
    rules: Ruleset, value: Any, names: frozenset[str]
) -> Iterator[tuple[Formula, frozenset[str]]]:
    if isinstance(value, Formula):
        yield value, names
    elif isinstance(value, Derived) and value.place:
        return  # the formula of its column is checked
    elif dataclasses.is_dataclass(value) and not isinstance(value, Span):
        for field in dataclasses.fields(value):
            inner = _of(f"{type(value).__name__}.{field.name}")
            if isinstance(value, Key) and field.name == "gives":
                continue  # they see the names of whoever is named: `check_kinds`
            if isinstance(value, Key) and field.name == "each":
                inner = names_of_each(rules, value)
            elif isinstance(value, Key) and f"{value.kind}.{field.name}" in PLACES:
                inner = _of(f"{value.kind}.{field.name}")
            elif isinstance(value, DiceMix) and value.each is None:
                inner = frozenset()
            yield from _below(rules, getattr(value, field.name), names | inner)
    elif isinstance(value, Mapping):
        for head, below in value.items():
            if value is rules.formulas:
                listed = str(head).partition("(")[2].rstrip(") ").split(",")
                yield below, frozenset(name.strip() for name in listed if name.strip())
            else:
                yield from _below(rules, below, names)
    elif isinstance(value, tuple):
        for below in value:
            yield from _below(rules, below, names)


def _of(place: str) -> frozenset[str]:
    return frozenset(PLACES[place][1] if place in PLACES else ())


def check_cycles(rules: Ruleset, index: Index) -> Iterator[Finding]:
    """Return a finding for each circle of values, traits or named formulas."""
    formulas: dict[str, list[Text]] = {}
    totals: dict[str, set[str]] = {}
    for id_, derived in rules.derived.items():
        formulas[str(id_)] = [text for text in (derived.value, derived.sum) if text is not None]
        reach = Reach(rules)
        with suppress(FormulaError):
            reach.add(derived.sum or "0")
        if "total" in reach.names:
            groups = (rules.groups[of] for of in derived.over if of in rules.groups)
            totals[str(id_)] = {str(trait) for group in groups for trait in group.traits}
    for id_, (_, trait) in index.traits.items():
        base = index.summed.get(id_, ("", None, None))[2]
        formulas[id_] = [text for text in (base, trait.needs, trait.under) if text is not None]
    for block in walk_model((rules.given, rules.choices)):
        for raised, formula in block.raise_.items() if isinstance(block, Grants) else ():
            formulas.setdefault(str(raised), []).insert(0, formula)
    for head, formula in rules.formulas.items():
        formulas[str(head).split("(")[0] + "()"] = [formula]
    for thing in numbered_things(rules):
        for name, formula in thing.numbers.items():
            formulas.setdefault(f".{name}", []).append(formula)
    return find_cycles(formulas, totals)


def find_cycles(
    formulas: Mapping[str, Sequence[Text]], more: Mapping[str, set[str]] | None = None
) -> Iterator[Finding]:
    """Yield a finding for each circle of formulas, which are listed by the name that they give.

    A name needs the names in its formulas, and those that `more` lists for it.
    """
    asked = {name: [*map(_needed_names, texts)] for name, texts in formulas.items()}
    more = more or {}
    needs = {n: set().union(more.get(n, ()), *each) & formulas.keys() for n, each in asked.items()}
    reported: set[str] = set()
    for name in needs:
        path = [] if name in reported else _path_back(name, needs)
        if path:
            reported.update(path)
            message = "these depend on each other: " + " → ".join(path)
            hint = "compute one of them from other things"
            texts = formulas[name]
            text = next((one for one in texts if path[1] in _needed_names(one)), texts[0])
            yield Finding(codes.CYCLE, text.span, message, hint)


def _needed_names(text: Text) -> set[str]:
    try:
        tree = parse_formula(text)
    except FormulaError:
        return set()
    calls = {f"{part.function}()" for part in walk(tree) if isinstance(part, syntax.Call)}
    numbers = {f".{name.rpartition('.')[2]}" for name in syntax.inputs(tree) if "." in name}
    return {*syntax.inputs(tree), *calls, *numbers}


def _path_back(start: str, needs: Mapping[str, set[str]]) -> list[str]:
    paths = [[start]]
    seen: set[str] = set()
    while paths:
        path = paths.pop(0)
        for name in sorted(needs[path[-1]]):
            if name == start:
                return [*path, start]
            if name not in seen:
                seen.add(name)
                paths.append([*path, name])
    return []


KnownNames: TypeAlias = Mapping[str, Collection[str]]  # what names may be, by `Ref.to`

DependentNames: TypeAlias = Iterable[tuple[object, Iterable[str], str]]
"""A name (or None), what it may be, and what messages call such a thing."""


def known_names_of(rules: Ruleset, index: Index) -> dict[str, Collection[str]]:
    """Return what the names of a ruleset may be, by `Ref.to`."""
    numbers = [*counted_keys(rules), *rules.derived]
    key_tags = {tag for key in rules.character.values() for tag in key.tags}
    rows_of_keys = (i for i, k in rules.character.items() if k.kind in ("item", "items", "texts"))
    choice_lists = [f"choices.{id_}" for id_ in rules.choices]
    cards = [rules.sheet, *(kind.card for kind in rules.kinds.values())]
    cards += [one.card for one in rules.card_sets.values()]
    own_cards = (*card_ids(), *_own_designs(rules, CARD_FILE, *cards))
    own_sheets = (*sheet_ids(), *_own_designs(rules, SHEET_FILE, rules.sheet))
    return {
        "card": own_cards,
        "catalogue": rules.choices,
        "choice": {str(id_) for listed in rules.choices.values() for id_ in listed.entries},
        "derived value": rules.derived,
        "formula": index.formulas,
        "grid of odds": rules.odds.grids if rules.odds else (),
        "group": rules.groups,
        "group or text": {*rules.groups, "text"},
        "item": rules.gear,
        "key": rules.character,
        "key or trait": {*rules.character, *index.traits},
        "list": rules.lists,
        "number": {*index.traits, *numbers},
        "number without a rating": numbers,
        "option": rules.options,
        "part of the rules": {
            *PARTS,
            "advances",
            "given",
            *(f"{part}.{id_}" for part in PARTS for id_ in getattr(rules, part)),
        },
        "pool": rules.pools,
        "roll": rules.rolls,
        "roll of odds": rules.odds.rolls if rules.odds else (),
        "roll or trait": {*rules.rolls, *index.traits},
        "face": (*face_ids(), *([rules.face] if Path(rules.face or "").name == FACE_FILE else ())),
        "sheet": own_cards if rules.composition.one != Composition().one else own_sheets,
        "table": rules.tables,
        "tag": {*index.tags, *key_tags},
        "things with rows": {*rows_of_keys, *rules.groups, "gear", *choice_lists},
        "track": rules.tracks,
        "trait": index.traits,
        "trait or key": {*index.traits, *rules.character},
    }


def _own_designs(rules: Ruleset, file: str, *used: str | None) -> Iterator[str]:
    """Yield the names of designs in a ruleset's folders; the paths of those in use instead."""
    paths = [name for name in used if name and os.path.isabs(name)]
    yield from paths
    taken = {OWN + os.path.basename(path) for path in paths}
    folders = (Path(origin.folder) for origin in rules.composition.origins)
    yield from (name for name in list_own_designs(folders, file) if name not in taken)


def check_references(rules: Ruleset, index: Index) -> Iterator[Finding]:
    """Yield a finding for each name that leads nowhere, but for those in odds and encounters."""
    plain = dataclasses.replace(rules, kinds={}, encounter=None, odds=None)
    yield from check_marked_names(plain, known_names_of(rules, index), rules.place)
    yield from check_known_names(_dependent(rules, index), rules.place)


def check_marked_names(model: Any, known: KnownNames, place: Span) -> Iterator[Finding]:
    """Yield a finding for each marked name in `model` that is not among those `known`."""
    for name, mark in _marked_names(model, type(model)):
        if isinstance(mark, OneOf):
            yield from check_known_names(((name, mark.words, mark.what),), place)
        elif mark.to in known:
            yield from check_known_names(((name, known[mark.to], mark.what or mark.to),), place)


def check_known_names(
    names: Iterable[tuple[object, Iterable[str], str]], place: Span
) -> Iterator[Finding]:
    """Yield a finding for each name that is none of those that it may be."""
    for name, known, what in names:
        if isinstance(name, str) and name not in known:
            hint = suggestion(name, sorted(map(str, known)))
            message = f"there is no {what} `{name}`"
            yield Finding(codes.DANGLING, text_place(name, place), message, hint)


def _marked_names(value: Any, kind: Any) -> Iterator[tuple[str, Ref | OneOf]]:
    if value is None:
        return
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        for spec in model_fields(kind).values():
            yield from _marked_names(getattr(value, spec.name), spec.kind)
        return
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated and isinstance(args[1], Ref | OneOf):
        yield value, args[1]
    elif origin in (Union, UnionType):
        yield from _marked_names(value, args[0])
    elif origin is tuple:
        for one in value:
            yield from _marked_names(one, args[0])
    elif origin is Mapping:
        for key, below in value.items():
            yield from _marked_names(key, args[0])
            yield from _marked_names(below, args[1])


def _dependent(rules: Ruleset, index: Index) -> DependentNames:
    for group in rules.groups.values():
        if (limit := group.limit) is None:
            continue
        by = rules.choices.get(str(limit.by))
        for row in limit.sets.values():
            yield from ((pick, {*(by.entries if by else ()), "none"}, "choice") for pick in row)
            for traits in row.values():
                yield from ((trait, {*group.traits, "others"}, "trait") for trait in traits)
        option = rules.options.get(str(limit.option))
        if option is not None and NUMBER not in option.values:
            values = ("True", "False") if YES_OR_NO in option.values else option.values
            yield from ((name, values, "value of its option") for name in limit.sets)
    for grants in walk_model((rules.choices, rules.given)):
        if isinstance(grants, Grants):
            for catalogue, entry in grants.set.items():
                if catalogue in rules.choices:
                    yield entry, rules.choices[catalogue].entries, "choice"
    for id_, key in rules.character.items():
        if key.kind in ("choice", "choices"):
            yield from ((of, rules.choices, "catalogue") for of in key.of or (id_,))
            yield from ((of, key.of[:1], "second catalogue for one key,") for of in key.of[1:])
        elif key.kind in ("ratings", "raises", "refunds", "losses", "codes"):
            yield from ((of, rules.groups, "group") for of in key.of or (id_,))
        elif not key.gives:  # `of` are kinds then, which the rules of a kind do not have
            yield from ((of, {*rules.character, *rules.pools}, "key") for of in key.of)
    yield from ((step, rules.creation, "step") for step in rules.creation_details)
    for table in rules.tables.values():
        if not kind_of_tables(table.of):
            yield table.of, listed(rules), "catalogue"
            there = things(rules, str(table.of))
            known = {*index.tags, OTHERS, *there}.union(*map(tags_of, there.values()))
            for tag in (*table.where, *table.without, *table.parts):
                yield tag, known, "tag"


def counted_keys(rules: Ruleset) -> Iterator[str]:
    """Yield the keys of a character's file that are numbers to formulas."""
    for id_, key in rules.character.items():
        if key.kind in ("number", "flag", "raises") or key.narrows:
            yield str(id_)


def check_ids(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each id that form fields and formulas cannot use."""
    groups = rules.groups.values()
    parts = [rules.groups, rules.choices, rules.gear, rules.derived, rules.tracks, rules.texts]
    parts += [rules.lists, rules.pools, rules.character, rules.rolls, rules.lookups]
    parts += [*(g.traits for g in groups), *(c.entries for c in rules.choices.values())]
    parts += [*(g.columns for g in groups), *(t.numbers for t in numbered_things(rules))]
    for id_ in (id_ for part in parts for id_ in part):
        derived = rules.derived.get(id_)
        if not (derived and derived.place) and not ENTRY_ID.fullmatch(id_):
            word = "_".join(folded(id_).split())
            shown = "what readers see is its `name`"
            fix = Hint(f"write `{word}`; {shown}", id_, word)
            hint = fix if ENTRY_ID.fullmatch(word) else f"begin with a letter; {shown}"
            message = f"`{id_}` is no id: use lower-case letters, digits and `_`"
            yield Finding(codes.WRONG_TYPE, text_place(id_, rules.place), message, hint)


def check_owners(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each id that formulas or fields of sheets could read as two things."""
    seen: dict[str, str] = {}
    keys = [i for i, k in rules.character.items() if k.kind in VALUE_KINDS and i not in rules.pools]
    spaces: tuple[tuple[str, Iterable[str]], ...] = (
        *((a(group.one), group.traits) for group in rules.groups.values()),
        *(("a derived value", rules.derived), ("an option", rules.options)),
        *(("a pool", rules.pools), ("a key of the character's file", keys)),
    )
    for what, names in spaces:
        for name in names:
            if name in seen:
                span = text_place(name, rules.place)
                message = f"`{name}` is {seen[name]} and {what}"
                yield Finding(codes.TWO_OWNERS, span, message, "rename one")
            seen[name] = what
    # A field `ID` of a generated sheet beside fields such as `ID.box.1`.
    below = {**dict.fromkeys(rules.lists, "a list"), **dict.fromkeys(rules.tracks, "a track")}
    below |= dict.fromkeys(rules.groups, "a group")
    shown = {*(t.marked for t in rules.tracks.values()), *(p.adds for p in rules.pools.values())}
    for id_, key in rules.character.items() if rules.sheet in (None, "plain") else ():
        whole = key.kind in ("text", "number", "choice", "item") and not key.lines
        if whole and id_ in below and id_ not in shown and key.pool is None:
            message = f"`{id_}` is a key of the character's file and {below[id_]}"
            message += ": both have fields of this name on the sheet"
            yield Finding(codes.TWO_OWNERS, text_place(id_, rules.place), message, "rename one")
