"""Parse single values of a character file: numbers, dice, texts; report what is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sheetgen.check.character.draft.draft import Draft
from sheetgen.diag import codes
from sheetgen.diag.code import Code
from sheetgen.diag.findings import Hint, NamesHint, Severity
from sheetgen.diag.near import name_hint, suggestion
from sheetgen.diag.spans import Span
from sheetgen.diag.words import repeated
from sheetgen.load.yaml.slips import torn_name
from sheetgen.model.codes import parse_code
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, raw_text
from sheetgen.rules.names import folded

_STEPS = re.compile(r"\+?\s*(-?\d{1,6})(?:\.0+)?\s*([dD]?)")
"""Also `3.0`, as spreadsheets write whole numbers."""

_LARGE = re.compile(r"[+-]?\s*\d{7,}\s*[dD]?")
_DIE = re.compile(r"[dD]\s*(\d{1,4})")
_PIPS = re.compile(r"\d{1,6}\s*[dD]\s*\+\s*\d+")
_MISTYPED = re.compile(r"(\+?\s*\d{1,3})\s*[^\W\d]{1,2}(\+[12])?")
"""A code of dice with another letter, or with one too many."""

_SOME_CODES = ("1D", "2D", "3D", "4D", "6D")
_SOME_NUMBERS = ("0", "1", "2", "3", "5", "10", "50", "100")
"""Codes and numbers that are tried in place of what is none; see `misspelt.py`."""

_FLAGS = {"true": True, "yes": True, "false": False, "no": False}
_FRACTION = re.compile(r"(?<=\d)\.0+$")
"""Spreadsheets write `3.0` for 3."""

MOST = 999_999
"""The largest number in a character file; a larger one fits on no sheet."""


def parse_number(draft: Draft, node: Node, what: str, dice: bool = False) -> int | None:
    """Return `node` as a whole number or, with `dice`, as a number of dice (`3D`, `+1D`)."""
    if dice and draft.rules.pips and isinstance(node, ScalarNode):
        return _code(draft, node, what)
    raw = _FRACTION.sub("", node.raw.strip()) if isinstance(node, ScalarNode) else ""
    match = _STEPS.fullmatch(raw)
    if match and (dice or not match[2]):
        return int(match[1])
    if isinstance(node, ScalarNode) and _LARGE.fullmatch(node.raw.strip()):
        draft.report(codes.WRONG_TYPE, node.span, f"`{what}` is too large", f"at most {MOST}")
        return None
    found = f", not `{node.raw}`" if isinstance(node, ScalarNode) and node.raw else ""
    message = f"`{what}` has to be a whole number{found}"
    hint = ""
    if match and match[2]:
        hint = Hint(f"these are no dice: write `{match[1]}`", match[0], match[1])
    if dice and isinstance(node, ScalarNode) and _PIPS.fullmatch(node.raw.strip()):
        plain = node.raw.split("+")[0].strip()
        hint = Hint(f"these rules have no pips: write `{plain}`", node.raw, plain)
    hint = hint or NamesHint("", raw_text(node), _SOME_NUMBERS)
    draft.report(codes.WRONG_TYPE, node.span, message, hint)
    return None


def _code(draft: Draft, node: ScalarNode, what: str) -> int | None:
    """Return a code of dice and pips as pips."""
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
    """Return a list of texts; a single text is a list of one, several lines without dashes too.

    A name with a note, `{Name: note}` or `{name: Name, note: note}`, is one text, `Name: note`.
    """
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


def report_repeated(draft: Draft, name: ScalarNode, first: str, first_span: Span) -> None:
    """Report a name that is written again, perhaps as another name of the same thing."""
    message = repeated(name.raw, name.span, first, first_span)
    draft.report(codes.REPEATED_KEY, name.span, message, "keep one of the two")


def report_unknown_key(draft: Draft, key: ScalarNode, where: str, known: Iterable[str]) -> None:
    """Report a key of a long form, such as `{count: 2}`, that does not exist."""
    message = f"there is no key `{key.raw}` {where}"
    draft.report(codes.UNKNOWN_KEY, key.span, message, suggestion(key.raw, known, "keys"))
