"""Parse single values of a character file: numbers, dice, texts; report what is none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from sheetgen.check.character.draft import Draft
from sheetgen.diag import codes
from sheetgen.diag.codes import NO_ALT, Code
from sheetgen.diag.findings import Hint, NamesHint, Severity, Span, split_lines
from sheetgen.diag.words import a, name_hint, nearest, repeated, suggestion
from sheetgen.load.yaml.format import torn_name
from sheetgen.model.build import parse_code
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Text, raw_text
from sheetgen.rules.index import closest_names, folded, split_times
from sheetgen.rules.scopes import list_compared_words

# Also `3.0`, as spreadsheets write whole numbers.
_STEPS = re.compile(r"\+?\s*(-?\d{1,6})(?:\.0+)?\s*([dD]?)")
_LARGE = re.compile(r"[+-]?\s*\d{7,}\s*[dD]?")
_DIE = re.compile(r"[dD]\s*(\d{1,4})")
_PIPS = re.compile(r"\d{1,6}\s*[dD]\s*\+\s*\d+")
# A code of dice with another letter, or with one too many.
_MISTYPED = re.compile(r"(\+?\s*\d{1,3})\s*[^\W\d]{1,2}(\+[12])?")
# Codes and numbers that are tried in place of what is none; see `without_consequences`.
_SOME_CODES = ("1D", "2D", "3D", "4D", "6D")
_SOME_NUMBERS = ("0", "1", "2", "3", "5", "10", "50", "100")
_FLAGS = {"true": True, "yes": True, "false": False, "no": False}
_FRACTION = re.compile(r"(?<=\d)\.0+$")  # spreadsheets write `3.0` for 3
MOST = 999_999  # the largest number in a character file; a larger one fits on no sheet


def parse_number(draft: Draft, node: Node, what: str, dice: bool = False) -> int | None:
    """Return `node` as a whole number or, with `dice`, as a number of dice (`3D`, `+1D`)."""
    if dice and draft.rules.pips and isinstance(node, ScalarNode):
        found = parse_code(node.raw, pips=True)
        if isinstance(found, int):
            return found
        shown = f"; `{node.raw}` {found}" if node.raw else ""
        message = f"`{what}` has to be a code of dice{shown}"
        slip = _MISTYPED.fullmatch(node.raw)
        meant = f"{slip[1]}D{slip[2] or ''}" if slip else ""
        hint = Hint(f"did you mean `{meant}`?", node.raw, meant) if slip else ""
        hint = hint or NamesHint("", node.raw, _SOME_CODES)
        draft.report(codes.WRONG_TYPE, node.span, message, hint)
        return None
    text = raw_text(node).strip().replace("−", "-")  # prints write the sign
    match = _STEPS.fullmatch(_FRACTION.sub("", text))
    if match and (dice or not match[2]):
        return int(match[1])
    if isinstance(node, ScalarNode) and _LARGE.fullmatch(node.raw.strip()):
        draft.report(codes.WRONG_TYPE, node.span, f"`{what}` is too large", f"write at most {MOST}")
        return None
    found = f", not `{node.raw}`" if isinstance(node, ScalarNode) and node.raw else ""
    message = f"`{what}` has to be a whole number{found}"
    hint = ""
    if match and match[2]:
        hint = Hint(f"write without dice: `{match[1]}`", match[0], match[1])
    if dice and isinstance(node, ScalarNode) and _PIPS.fullmatch(node.raw.strip()):
        plain = node.raw.split("+")[0].strip()
        hint = Hint(f"write without pips, which these rules lack: `{plain}`", node.raw, plain)
    hint = hint or NamesHint("", raw_text(node), _SOME_NUMBERS)
    draft.report(codes.WRONG_TYPE, node.span, message, hint)
    return None


def parse_times(draft: Draft, node: Node, what: str, code: Code = codes.WRONG_COUNT) -> int | None:
    """Return `node` as a count of 1 or more; less is a finding with `code`."""
    found = parse_number(draft, node, "count")
    if found is not None and found < 1:
        message = f"`{what}` is counted {found} times; a count is 1 or more"
        draft.report(code, node.span, message, "leave it out if there is none")
        return None
    return found


def parse_amount(draft: Draft, node: Node, what: str, dice: bool = False) -> int | None:
    """Return `node` as a whole number of 0 or more."""
    found = parse_number(draft, node, what, dice)
    if found is not None and found < 0:
        message = f"`{what}` cannot be below 0"
        hint = NamesHint("", raw_text(node), _SOME_NUMBERS)
        draft.report(codes.WRONG_TYPE, node.span, message, hint)
        return None
    return found


def parse_flag(draft: Draft, node: Node, what: str) -> bool | None:
    """Return the truth value of `node`; None, and a finding, if it is neither true nor false."""
    raw = node.raw.strip().lower() if isinstance(node, ScalarNode) else ""
    if raw not in _FLAGS:
        message = f"`{what}` has to be `true` or `false`"
        hint = name_hint(node.raw, _FLAGS, "") if isinstance(node, ScalarNode) else ""
        draft.report(codes.WRONG_TYPE, node.span, message, hint)
    return _FLAGS.get(raw)


def parse_text(draft: Draft, node: Node, what: str) -> str | None:
    """Return `node` as text; a number is kept as it was written."""
    if isinstance(node, ScalarNode):
        return "" if is_blank(node) else node.raw
    draft.report(codes.WRONG_TYPE, node.span, f"`{what}` has to be text")
    return None


def parse_texts(draft: Draft, node: Node, what: str) -> tuple[str, ...]:
    """Return a list of texts, one of a single text; `{Name: note}` is one text, `Name: note`."""
    if isinstance(node, ScalarNode) and not node.quoted and len(node.raw) > node.span.width:
        message = f"`{what}` is a list, and these lines are one item of it"
        hint = "begin each item with a dash, or put a long text in quotes"
        draft.report(codes.WRONG_TYPE, node.span, message, hint, Severity.WARNING)
    items = node.items if isinstance(node, Many) else (node,)
    found = (text for item in items for text in _noted_texts(draft, item, what))
    return tuple(text for text in found if text)


def _noted_texts(draft: Draft, node: Node, what: str) -> Iterator[str]:
    """Yield the texts of one item: itself, or each name with its note."""
    if not isinstance(node, Pairs):
        yield parse_text(draft, node, what) or ""
        return
    entries = [(key.raw, below) for key, below in node.entries]
    if [folded(key) for key, _ in entries] in (["name"], ["name", "note"], ["note", "name"]):
        by_key = {folded(key): below for key, below in entries}
        named = parse_text(draft, by_key["name"], f"name in {what}") or ""
        entries = [(named, by_key.get("note", node))]
    for name, below in entries:
        note = (parse_text(draft, below, what) or "") if below is not node else ""
        yield ": ".join(filter(None, (name.strip(), note.strip())))


def parse_die(draft: Draft, node: Node) -> int | None:
    """Return the faces of a die, written `d8` (or `8`)."""
    raw = node.raw.strip() if isinstance(node, ScalarNode) else ""
    match = _DIE.fullmatch(raw)
    plain = raw.isascii() and raw.isdigit() and len(raw) < 5
    faces = int(match[1]) if match else int(raw) if plain else 0
    ladder = draft.rules.dice.ladder if draft.rules.dice else ()
    if faces in ladder:
        return faces
    shown = f"`{raw}`" if raw else "this"
    names = tuple(f"d{rung}" for rung in ladder)
    hint = name_hint(raw, names, f"dice: {', '.join(names)}")
    draft.report(codes.BAD_DICE, node.span, f"{shown} is not a die of these rules", hint)
    return None


def parse_mapping(
    draft: Draft, node: Node, what: str, example: str = "{Name: 2}"
) -> tuple[tuple[ScalarNode, Node], ...]:
    """Return the entries of a mapping; none, and a finding, if `node` is no mapping."""
    if isinstance(node, Pairs):
        return node.entries
    if is_blank(node):
        return ()
    shape = "list" if example.startswith("[") else "mapping"
    hint = torn_name(node.raw[: node.span.width]) if isinstance(node, ScalarNode) else ""
    message = f"`{what}` has to be a {shape}, such as `{example}`"
    draft.report(codes.WRONG_TYPE, node.span, message, hint)
    return ()


def parse_long_form(draft: Draft, node: Pairs) -> dict[str, tuple[ScalarNode, Node]]:
    """Return the entries of a long form, `{count: 2}`, by key in small letters."""
    found: dict[str, tuple[ScalarNode, Node]] = {}
    for key, below in node.entries:
        first = found.setdefault(folded(key.raw).replace(" ", "_"), (key, below))
        if first[0] is not key:
            report_repeated(draft, key, first[0].raw, first[0].span)
    return found


def list_items(node: Node) -> tuple[Node, ...]:
    """Return the items of a list; a single value is a list of one, a blank one an empty list."""
    if isinstance(node, Many):
        return node.items
    return () if is_blank(node) else (node,)


def list_entries(node: Node) -> tuple[Node, ...]:
    """Return the items of a list; `{One: 2, Two: 1}` reads like `[{One: 2}, {Two: 1}]`."""
    if isinstance(node, Pairs) and len(node.entries) > 1:
        return tuple(Pairs(key.span, ((key, below),)) for key, below in node.entries)
    return list_items(node)


def is_blank(node: Node) -> bool:
    """Whether nothing is written after the key."""
    return isinstance(node, ScalarNode) and node.value is None and not node.quoted


def report_repeated(
    draft: Draft, name: ScalarNode, first: str, at: Span, hint: str = "keep one of the two"
) -> None:
    """Report a name that is written again, perhaps as another name of the same thing."""
    draft.report(codes.REPEATED_KEY, name.span, repeated(name.raw, name.span, first, at), hint)


def report_unknown_key(draft: Draft, key: ScalarNode, where: str, known: Iterable[str]) -> None:
    """Report a key of a long form, such as `{count: 2}`, that does not exist."""
    message = f"there is no key `{key.raw}` {where}"
    draft.report(codes.UNKNOWN_KEY, key.span, message, suggestion(key.raw, known, "keys"))


def find_trait(
    draft: Draft, node: Node, groups: tuple[str, ...] = (), listed: bool = False
) -> str | None:
    """Return the id of the trait of some groups, or any, that `node` names, or None with a finding.

    `listed`: a key of the file holds such traits, so that the hint may name another key.
    """
    what = " or ".join(draft.rules.groups[g].one for g in groups if g in draft.rules.groups)
    what = what or "trait"
    if not isinstance(node, ScalarNode):
        one = node.entries[0][0].raw if isinstance(node, Pairs) and len(node.entries) == 1 else ""
        message, hint = f"write the name of {a(what)} here", f"write `{one}` alone" if one else ""
        draft.report(codes.WRONG_TYPE, node.span, message, hint)
        return None
    names = draft.index.among(groups) if groups else draft.index.all_traits
    meant = closest_names(node.raw, (name for name, _ in draft.own_traits.values()))
    for id_, (name, group) in draft.own_traits.items():
        open_ = draft.rules.groups[group].open
        collides = open_ is not None and open_.name_differs and names.find(node.raw)
        if name in meant and (not groups or group in groups) and not collides:
            return id_
    found = names.find(node.raw)
    if len(found) == 1:
        return found[0]
    if found:
        several = []
        for id_ in found:
            rule = draft.index.traits[id_][1]
            every = draft.index.all_traits
            alone = (n for n in (rule.name, *rule.aliases) if every.find(n) == (id_,))
            several.append(f"`{next(alone, id_)}`")
        message = f"`{node.raw}` is the name of {len(found)} traits"
        hint = f"write one of: {', '.join(sorted(several))}"
        draft.report(codes.AMBIGUOUS, node.span, message, hint)
        return None
    plain, count = split_times(node.raw)
    if count > 1 and len(known := names.find(plain)) == 1:
        message = f"{draft.name_of(known[0])} can be picked once here; it is picked {count} times"
        hint = Hint(f"write `{plain}`, and pick different ones", node.raw, plain)
        draft.report(codes.REPEATED, node.span, message, hint)
        return known[0]
    hint = torn_name(node.raw) or (find_key_for(draft, node.raw) if listed else "")
    hint = hint or names.hint(node.raw)
    draft.report(codes.UNKNOWN_NAME, node.span, f"there is no {what} `{node.raw}`", hint)
    return None


def find_counted_trait(
    draft: Draft, node: Node, groups: tuple[str, ...] = ()
) -> tuple[str | None, int]:
    """Return the trait that an item of a list names, or None with a finding, and its count."""
    plain, count = split_times(node.raw) if isinstance(node, ScalarNode) else ("", 1)
    if isinstance(node, ScalarNode) and plain != node.raw.strip():
        names = draft.index.among(groups) if groups else draft.index.all_traits
        if not names.find(node.raw) and len(known := names.find(plain)) == 1:
            return known[0], count
    return find_trait(draft, node, groups, listed=bool(groups)), 1


def find_key_for(draft: Draft, name: str) -> str:
    """Return a hint that says what `name` is and under which key to write it; "" if unknown."""
    if not any(letter.isalpha() for letter in name):
        return ""
    if named := _find_named(draft, name):
        id_, shown, one = named
        return f"{shown} is {a(one)}: write it under `{draft.key_name(id_)}`"
    plain, index, rules = split_times(name)[0], draft.index, draft.rules
    keys = [i for kind in ("items", "item") for i, k in rules.character.items() if k.kind == kind]
    places = " or ".join(f"`{draft.key_name(key)}`" for key in keys)
    item = next((index.gear.shown[i] for i in index.gear.find(plain)), "") if keys else ""
    return f"{item} is an item: write it under {places}" if item else ""


def _find_named(draft: Draft, name: str) -> tuple[str, str, str] | None:
    """Return the key that takes a trait or an entry of a catalogue, its name and its kind."""
    plain, index, rules = split_times(name)[0], draft.index, draft.rules
    found = list[tuple[str, str, tuple[str, ...], str]]()
    for trait in index.all_traits.find(plain):
        group = index.traits[trait][0]
        one = rules.groups[group].one
        found.append((draft.name_of(trait), one, ("ratings", "raises", "codes"), group))
    for catalogue, names in index.by_catalogue.items():
        one = rules.choices[catalogue].one
        named = (names.shown[i] for i in names.find(plain))
        found += ((name, one, ("choice", "choices"), catalogue) for name in named)
    for shown, one, kinds, of in found:
        for id_, key in rules.character.items():
            if key.kind in kinds and of in (key.of or (id_,)):
                return str(id_), shown, one
    return None


PICTURE_KEYS = ("portrait", "art")  # keys of pictures, which every file may have in any ruleset

# Keys that every character file may have, in any ruleset.
OUR_KEYS = ("ruleset", "options", *PICTURE_KEYS)

Entries = tuple[tuple[ScalarNode, Node], ...]


def correct_list(draft: Draft, name: ScalarNode, node: Node, known: Callable[[str], bool]) -> Node:
    """Return `node` as the list meant, with words `known`; report other forms of a list."""
    items, alone = node.items if isinstance(node, Many) else (node,), not isinstance(node, Many)
    found, noted = list[Node](), False
    for item in items:
        rows = _rows(draft, item)
        means = [known(split_times(leaf.raw)[0]) for leaf, _ in rows]
        several = len(rows) > 1 and (alone or all(means))
        if not any(means) or not (several or any(mark for _, mark in rows)):
            found.append(item)
            continue
        if not noted:
            _report_rows(draft, name, item, rows, alone=alone)
        noted = True
        found += (leaf for leaf, _ in rows)
    return node if tuple(found) == items else Many(node.span, tuple(found))


_Row: TypeAlias = tuple[ScalarNode, str]
"""One line of a text of several lines, or one part between commas, and the mark before it: `- `
before an item that is indented too far, `-` for a dash without a space."""


def _rows(draft: Draft, node: Node) -> list[_Row]:
    """Return the lines of an unquoted text, or its parts between commas; none of one name."""

    def row(span: Span, text: str, part: str) -> _Row:
        word = part.strip().rstrip(",")
        mark = "- " if word.startswith("- ") else "-" if word.startswith("-") else ""
        word = word[len(mark) :].strip()
        return ScalarNode(span.within(max(0, text.find(word)), len(word)), word, word), mark

    if not isinstance(node, ScalarNode) or node.quoted:
        return []
    place, left, rows = node.span, node.raw, list[_Row]()
    if len(left) <= place.width:
        return [row(place, left, part) for part in left.split(",")] if {*",-"} & {*left} else []
    column, lines = place.column, split_lines(draft.source.text.lstrip("\ufeff"))
    for number, line in enumerate(lines[place.line - 1 :], start=place.line):
        text = line[column - 1 :].split(" #")[0].rstrip()
        plain = text.lstrip()
        if not plain or not left.startswith(plain):
            break
        at = Span(place.file, number, column + len(text) - len(plain), len(plain))
        rows.append(row(at, plain, plain))
        column, left = 1, left[len(plain) :].lstrip()
    return rows if not left else []


def _report_rows(
    draft: Draft, name: ScalarNode, item: Node, rows: list[_Row], *, alone: bool
) -> None:
    over = None if alone else next((leaf for leaf, mark in rows[1:] if mark == "- "), None)
    torn = [leaf for leaf, mark in rows if mark == "-"]
    (first, _), (last, mark) = rows[0], rows[-1]
    span = item.span
    if over is not None:
        span, message = over.span, f"`- {over.raw}` is indented further than `{first.raw}` above it"
        hint = "begin all items of one list in the same column"
    elif torn:
        span, more = torn[0].span, ", with a space after each dash" if len(torn) > 1 else ""
        message = "a space is missing after the dash" if alone else "this name begins with a dash"
        word = torn[0].raw
        hint = f"write `- {word}`{more}" if alone else f"write `{word}`, without a dash"
    elif first.span.line != last.span.line:
        one = first if alone else rows[1][0]
        span, message = one.span, f"`{name.raw}` is a list; this line has no dash"
        hint = f"write `- {one.raw}`{', and a dash before each of the others' if not mark else ''}"
    else:
        message = f"`{name.raw}` has to be a list"
        hint = f"write `[{', '.join(leaf.raw for leaf, _ in rows)}]`"
    draft.report(codes.WRONG_TYPE, span, message, hint)


def indent_names(draft: Draft, entries: Entries) -> list[tuple[ScalarNode, Node]]:
    """Return the keys of a file; names of traits that follow an empty key become its value."""
    index, kinds = draft.index, ("ratings", "raises", "items", "choices", "codes", "pins")
    names = (index.all_traits, index.gear, *index.by_catalogue.values())

    def holds(key: ScalarNode, node: Node) -> bool:
        ids = index.keys.find(key.raw) if is_blank(node) else ()
        return bool(ids) and draft.rules.character[ids[0]].kind in kinds

    def is_name(key: ScalarNode, misspelt: bool) -> bool:
        """Whether a key of the file is a name of the ruleset, or may be a misspelt one."""
        if index.keys.find(key.raw) or key.raw in OUR_KEYS:
            return False
        if any(n.find(key.raw) for n in names):
            return True
        near = misspelt or any(nearest(key.raw, n.shown.values()) for n in names)
        known = (*map(draft.key_name, draft.rules.character), *OUR_KEYS)
        return near and not nearest(key.raw, known)

    return indent(draft, entries, holds, is_name)


def indent(
    draft: Draft,
    entries: Entries,
    holds: Callable[[ScalarNode, Node], bool],  # whether an empty key may have others below it
    belongs: Callable[[ScalarNode, bool], bool],  # also whether a key before it belongs there
) -> list[tuple[ScalarNode, Node]]:
    """Return `entries`; keys that lack an indent move below the empty key before them."""
    found: list[tuple[ScalarNode, Node]] = []
    stray: dict[int, list[tuple[ScalarNode, Node]]] = {}
    for key, node in entries:
        under = len(found) - 1
        if found and holds(*found[under]) and belongs(key, under in stray):
            stray.setdefault(under, []).append((key, node))
        else:
            found.append((key, node))
    for under, below in stray.items():
        name, empty = found[under]
        first, last = below[0][0], below[-1][0]
        message = f"`{first.raw}` is not indented further than `{name.raw}`, to which it belongs"
        rows = f"lines {first.span.line} to {last.span.line}" if len(below) > 1 else "this line"
        hint = f"begin {rows} with {name.span.column + 1} spaces"
        draft.report(codes.WRONG_TYPE, first.span, message, hint)
        found[under] = name, Pairs(empty.span, tuple(below))
    return found


LISTS = ("raises", "choices", "items", "advances")  # kinds of keys whose values are lists of names
MOST_NAMED = 12  # choices that a hint names; for a longer catalogue the hint names `sheetgen list`


def read_keys(draft: Draft) -> None:
    """Match the file's keys with the ruleset's; report those that are unknown or repeated."""
    root = draft.source.root
    unknown: list[tuple[ScalarNode, Node]] = []
    for key, node in indent_names(draft, root.entries) if isinstance(root, Pairs) else ():
        if key.raw in OUR_KEYS and key.raw not in PICTURE_KEYS:
            continue
        found = draft.index.keys.find(key.raw)
        if not found and (id_ := folded(key.raw)) in PICTURE_KEYS:
            if id_ not in draft.picture_nodes:
                draft.picture_nodes[id_], draft.key_names[id_] = node, Text(key.raw, key.span)
            elif key.span.file == draft.source.file:
                report_repeated(draft, key, draft.key_names[id_], draft.key_names[id_].span)
        elif key.raw in OUR_KEYS:
            continue
        elif not found:
            unknown.append((key, node))
        elif found[0] in draft.entries:
            if key.span.file != draft.source.file:
                continue  # From the file's base, under another name of the same key.
            first = draft.key_names[found[0]]
            report_repeated(draft, key, first, first.span, "put both under one key")
        else:
            _read_key(draft, found[0], key, node)
    for key, node in unknown:
        known = [*(id_.replace("_", " ") for id_ in draft.rules.character), *OUR_KEYS]
        hint = torn_name(key.raw)
        if not hint and not nearest(key.raw, known):
            places = (find_key_for(draft, name) for name in (*_names_in(node), key.raw))
            hint = next(filter(None, places), "")
            taken = set(map(folded, draft.key_names.values()))
            free = tuple(name for name in known if folded(name) not in taken)
            hint = NamesHint(hint, key.raw, free) if hint else ""
        hint = hint or suggestion(key.raw, known, "keys")
        message = f"{a(draft.rules.composition.one)} of {draft.rules.title} has no `{key.raw}`"
        draft.report(codes.UNKNOWN_KEY, key.span, message, hint)
        # A misspelt key counts as the one that is meant, which else would be missing.
        meant = nearest(key.raw, (*draft.index.keys.shown.values(), *OUR_KEYS))
        if not meant and isinstance(node, ScalarNode) and (named := _find_named(draft, node.raw)):
            choice = draft.rules.character[named[0]].kind == "choice"
            meant = named[0] if choice else ""
        for id_ in draft.index.keys.find(meant)[:1]:
            if id_ not in draft.entries and meant not in OUR_KEYS:
                _read_key(draft, id_, replace(key, raw=meant.replace("_", " ")), node)


def _read_key(draft: Draft, id_: str, key: ScalarNode, node: Node) -> None:
    """Take a key; under a key of lists, names without dashes or brackets become a list."""
    kind = draft.rules.character[id_].kind
    if kind == "raises" and isinstance(node, Pairs):
        names = tuple(name for name, _ in node.entries)
        message = f"`{key.raw}` is a list of names, without values"
        hint = f"write `[{', '.join(name.raw for name in names)}]`"
        draft.report(codes.WRONG_TYPE, node.span, message, hint)
        node = Many(node.span, names)
    if kind in LISTS:
        known = (draft.index.all_traits, draft.index.gear, *draft.index.by_catalogue.values())
        node = correct_list(draft, key, node, lambda word: any(n.find(word) for n in known))
    draft.entries[id_], draft.key_names[id_] = node, Text(key.raw, key.span)


def _names_in(node: Node) -> list[str]:
    if isinstance(node, ScalarNode):
        return [node.raw]
    if isinstance(node, Pairs):
        return [key.raw for key, _ in node.entries]
    return [name for item in node.items for name in _names_in(item)]


def read_plain_keys(draft: Draft) -> None:
    """Read texts, numbers, flags and lists of texts."""
    for id_, node in draft.entries.items():
        key, name = draft.rules.character[id_], draft.key_name(id_)
        if key.kind == "text":
            draft.texts[id_] = _read_word(draft, id_, key, parse_text(draft, node, name) or "")
        elif key.kind == "texts":
            draft.lists[id_] = parse_texts(draft, node, name)
        elif is_blank(node):
            continue
        elif key.kind == "number":
            parse = parse_number if key.least is None else parse_amount
            if (number := parse(draft, node, name)) is None:
                continue
            draft.numbers[id_] = number
            if key.least is not None and number < (least := draft.early_int(key.least)):
                draft.report(codes.WRONG_TYPE, node.span, f"`{name}` is at least {least}")
        elif key.kind == "flag":
            draft.numbers[id_] = int(parse_flag(draft, node, name) or False)
        elif key.kind == "sessions":
            check_sessions(draft, key, name, node)


def _read_word(draft: Draft, id_: str, key: Key, text: str) -> str:
    """Return the text of a key; if it is one of several words, as the rules spell it."""
    compared = list_compared_words(draft.rules)
    if not text.strip() or not (key.values or id_ in compared):
        return text
    name, span = draft.key_name(id_), draft.entries[id_].span
    if not key.values:
        words = compared[id_]
        if text not in words and (near := nearest(text, sorted(words))):
            message = f"the rules compare `{name}` with `{near}`, not with `{text}`"
            hint = Hint(f"did you mean `{near}`?", text, near)
            draft.report(codes.UNKNOWN_NAME, span, message, hint, Severity.WARNING)
        return text
    for word in closest_names(text, key.values):
        return word
    message = f"`{name}` cannot be `{text}`"
    draft.report(codes.UNKNOWN_NAME, span, message, suggestion(text, key.values))
    return text


def check_missing_keys(draft: Draft) -> None:
    """Report required keys that neither the file nor a choice gives."""
    picked = {pick.catalogue for pick in draft.picks}
    for id_, key in draft.index.required.items():
        brought = key.kind == "choice" and picked.intersection(key.of)
        there = id_ in draft.entries and not _empty(key, draft.entries[id_])
        if not there and not brought and is_required(draft, key):
            name = draft.key_name(id_)
            line = f"{name}: {key.example or {'number': '0'}.get(str(key.kind), '…')}"
            hint = key.why or f"write `{line}`" + _alternatives(draft, id_, key)
            root = draft.source.root
            at_margin = isinstance(root, Pairs) and root.entries[0][0].span.column == 1
            if key.example and not key.why and at_margin:
                hint = Hint(hint, "", line, f"Add `{line}`", draft.source.start)
            draft.report(codes.MISSING_KEY, draft.span_of(id_), f"`{name}` is missing", hint)


def check_requirements(draft: Draft) -> None:
    """Report keys whose requirement does not hold, but for those that steps of prices check."""
    for id_, node in draft.entries.items():
        key = draft.rules.character[id_]
        paid = key.kind in ("number", "flag", "refunds", "losses")
        if key.requires is None or paid or _empty(key, node):
            continue
        if not draft.holds(key.requires):
            message = f"`{draft.key_name(id_)}` is not open to this build"
            draft.report(codes.REQUIREMENT, draft.span_of(id_), message, key.why)


def is_required(draft: Draft, key: Key) -> bool:
    """Whether the file needs `key`: a key of picks only if there are picks to make."""
    counts = key.kind == "raises" and key.count is not None
    return key.required and not (counts and not draft.early_int(key.count or "0", final=False))


def _empty(key: Key, node: Node) -> bool:
    if isinstance(node, Many) and key.kind == "choice":
        return not node.items
    if isinstance(node, ScalarNode) and key.kind == "text":
        return not node.raw.strip() or is_blank(node)
    return is_blank(node)


def _alternatives(draft: Draft, id_: str, key: Key) -> str:
    catalogue = key.catalogue(id_)
    found = draft.rules.choices.get(catalogue) if key.kind == "choice" else None
    entries = found.entries.values() if found is not None else ()
    names = [str(entry.name) for entry in entries if entry.name != key.example]
    if len(names) > MOST_NAMED:
        return f", or another: `sheetgen list {draft.rules.id} {catalogue}` shows them"
    return f", or one of: {', '.join(names)}" if names else ""


def read_pictures(draft: Draft) -> None:
    """Put the pictures of the file into `draft.pictures`; ask for a description once."""
    if not draft.picture_nodes:
        return
    from sheetgen.load.pictures import read_picture

    name = draft.texts.get("name", "") or "somebody"
    for key, node in draft.picture_nodes.items():
        if is_blank(node):
            continue
        alt = f"{'Portrait' if key == 'portrait' else 'Picture'} of {name}"
        read = read_picture(node, key, alt)
        reported = any(finding.code is NO_ALT for finding in draft.findings)
        draft.findings += [f for f in read.findings if not (reported and f.code is NO_ALT)]
        if read.value is not None:
            draft.pictures[key] = read.value


SESSIONS = "sessions"  # a kind of key; its `of` names the key of what a session gains
_PARTS = ("session", "gained", "note")
_JOINED = re.compile(r"sessions\s+(\d{1,6})\s*[–-]\s*(\d{1,6})", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:session\s+)?0*(\d{1,6})", re.IGNORECASE)


class Gain(NamedTuple):
    """What a session gained; `gained` is None for a value that is no number."""

    session: str
    gained: int | None
    note: str = ""


class Bought(NamedTuple):
    """A purchase at the end of a session, and its place in the file."""

    session: str
    what: str
    price: int
    span: Span


def check_sessions(draft: Draft, key: Key, name: str, node: Node) -> None:
    """Report a value that is no list of sessions; `gains` reads it for the ledger."""
    if plain := _long_forms(node):
        message = f"`{name}` says of each session what it gained"
        draft.report(codes.WRONG_TYPE, node.span, message, f"write `[{', '.join(plain)}]`")
        return
    for item in list_items(node):
        entries = parse_mapping(draft, item, name, key.example or "[{session: 1, gained: 2}]")
        for part, (leaf, value) in parse_long_form(draft, Pairs(item.span, entries)).items():
            if part == "gained":
                parse_amount(draft, value, "gained")
            elif part not in _PARTS:
                report_unknown_key(draft, leaf, f"in `{name}`", _PARTS)


def _long_forms(node: Node) -> list[str]:
    """Return the sessions that `[3, 4]` or `{1: 3, 2: 4}` mean in long form; none for another."""
    named: list[tuple[str, Node]] = []
    if isinstance(node, Pairs):
        named = [(key.raw, below) for key, below in node.entries]
    elif isinstance(node, Many):
        named = [(str(n), item) for n, item in enumerate(node.items, start=1)]
    values = [(name, raw_text(below)) for name, below in named if folded(name) not in _PARTS]
    if len(values) < len(named) or not all(raw.isdecimal() for _, raw in values):
        return []
    return [f"{{session: {name}, gained: {raw}}}" for name, raw in values]


def session_name(raw: str) -> str:
    """Return the name of a session as prints show it: `Session 3` for `3`."""
    match = _NUMBERED.fullmatch(raw.strip())
    return f"Session {match[1]}" if match else raw.strip()


def session_number(shown: str) -> int | None:
    """Return the number in `Session 3`; None for a session that has a name."""
    return int(match[1]) if (match := _NUMBERED.fullmatch(shown)) else None


def joined_name(first: str, last: str) -> str:
    """Return the name of consecutive sessions in one row: `Sessions 3–7`, or of the only one."""
    return first if first == last else f"Sessions {session_number(first)}–{session_number(last)}"


def joined_sessions(shown: str) -> range:
    """Return the numbers of the sessions in `Sessions 3–7`; none for another name."""
    match = _JOINED.fullmatch(shown.strip())
    return range(int(match[1]), int(match[2]) + 1) if match else range(0)


def order_sessions(names: Iterable[str]) -> list[str]:
    """Return names of sessions in the order of play: by number, or else as they are listed."""
    found = list(dict.fromkeys(names))
    named = any(session_number(name) is None for name in found)
    return found if named else sorted(found, key=lambda name: session_number(name) or 0)


def numbers_sessions(rules: Ruleset, adds: Iterable[str]) -> bool:
    """Whether entries without a session have the number of their place as its name.

    They have none where the keys `adds` add to no pool of advances, though the game has such a
    pool: such an entry may be a reward.
    """
    return rules.advances is None or str(rules.pools[str(rules.advances.pool)].adds) in adds


def read_gains(draft: Draft, pool: str) -> list[Gain] | None:
    """Return the sessions with what each gained of `pool`; None if the file lists none."""
    adds = str(draft.rules.pools[pool].adds or "")
    numbered = numbers_sessions(draft.rules, [adds])
    for _, key, node in draft.ruleset_keys(SESSIONS):
        if adds in key.of:
            listed = enumerate(list_items(node), start=1)
            return [_gain(draft, item, str(number) if numbered else "") for number, item in listed]
    return None


def _gain(draft: Draft, node: Node, number: str) -> Gain:
    if not isinstance(node, Pairs):
        return Gain(session_name(number), None)
    entries = {folded(key.raw): below for key, below in node.entries}
    name, gained = entries.get("session"), entries.get("gained")
    shown = session_name(name.raw if isinstance(name, ScalarNode) else number)
    said = entries.get("note")
    note = said.raw.strip() if isinstance(said, ScalarNode) and not is_blank(said) else ""
    if gained is None:
        return Gain(shown, 0 if set(entries) <= set(_PARTS) else None, note)
    return Gain(shown, parse_amount(draft, gained, "gained"), note)


def check_too_early(draft: Draft, pool: str, bought: Iterable[Bought]) -> None:
    """Report purchases in a session by which too little had been gained.

    Of consecutive purchases that are too expensive only the first is reported. Points that are
    spent without a session could have been spent at any time.
    """
    listed = read_gains(draft, pool)
    if not listed or any(gain.gained is None for gain in listed):
        return
    change: dict[str, list[Bought | int]] = {gain.session: [] for gain in listed}
    for gain in listed:
        change[gain.session].append(gain.gained or 0)
    for one in bought:
        change.setdefault(one.session, []).append(one)
    left = sum(line.gained for line in draft.lines[pool] if not line.session)
    early, lacking = list[tuple[Bought, int, str]](), list[tuple[Bought, int]]()
    for session in order_sessions(change):
        for step in change[session]:
            before, left = left, left + (step if isinstance(step, int) else -step.price)
            if lacking and left >= 0:
                early.append((*lacking.pop(), f"buy it in {session}: by then there is enough"))
            elif isinstance(step, Bought) and left < 0 <= before:
                lacking.append((step, before))
    label = draft.rules.pools[pool].label
    hint = f"take something out: all that is bought costs {-left} {label} more than is gained"
    for step, there, hint in (*early, *((*one, hint) for one in lacking)):
        message = f"{step.what} costs {step.price} {label}; {there} are left in {step.session}"
        message += f", so {step.price - there} are missing"
        draft.report(codes.OVERSPENT, step.span, message, hint)
