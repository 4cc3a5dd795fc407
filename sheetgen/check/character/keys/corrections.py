"""Correct values that YAML reads otherwise than the author meant: lists without dashes, indents."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.values import is_blank
from sheetgen.diag import codes
from sheetgen.diag.near import nearest
from sheetgen.diag.spans import Span, split_lines
from sheetgen.model.source import Many, Node, Pairs, ScalarNode
from sheetgen.records import frozen
from sheetgen.rules.names import split_times

PICTURE_KEYS = ("portrait", "art")
"""Keys of pictures, which every file may have in any ruleset."""

OUR_KEYS = ("ruleset", "options", *PICTURE_KEYS)
"""Keys that every character file may have, in any ruleset."""

_ONE_DASH = "this name begins with a dash"
_SAME_COLUMN = "begin all items of one list in the same column"


Entries = tuple[tuple[ScalarNode, Node], ...]


@frozen
class _Row:
    """One line of a text of several lines, or one part between commas.

    Attributes:
        mark: `- ` before an item that is indented too far, `-` for a dash without a space.
    """

    span: Span
    word: str
    mark: str


def correct_list(draft: Draft, name: ScalarNode, node: Node, known: Callable[[str], bool]) -> Node:
    """Return `node` as the list that the author meant; report other forms of a list.

    Args:
        name: The key.
        known: Whether a word is a name of the ruleset.
    """
    if all(map(_is_one_name, node.items if isinstance(node, Many) else (node,))):
        return node
    if isinstance(node, Many):
        return Many(node.span, tuple(_split(draft, name, node.items, known, alone=False)))
    if isinstance(node, ScalarNode):
        split = tuple(_split(draft, name, (node,), known, alone=True))
        return node if split == (node,) else Many(node.span, split)
    return node


def _is_one_name(node: Node) -> bool:
    """Whether a node is surely one name, as most are: quoted, or in one line without a comma."""
    if not isinstance(node, ScalarNode):
        return True
    raw = node.raw
    return node.quoted or not (len(raw) > node.span.width or "," in raw or "-" in raw)


def names_as_list(draft: Draft, name: ScalarNode, node: Node) -> Node:
    """Return `node` as a list of names; the keys of a mapping are the names, with a finding."""
    if not isinstance(node, Pairs):
        return node
    keys = tuple(key for key, _ in node.entries)
    hint = f"write `[{', '.join(key.raw for key in keys)}]`"
    draft.report(
        codes.WRONG_TYPE, node.span, f"`{name.raw}` is a list of names, without values", hint
    )
    return Many(node.span, keys)


def _split(
    draft: Draft,
    name: ScalarNode,
    items: tuple[Node, ...],
    known: Callable[[str], bool],
    *,
    alone: bool,
) -> Iterator[Node]:
    """Yield `items`; an item that holds several names is split."""
    noted = False
    for item in items:
        rows = _rows(draft, item) if isinstance(item, ScalarNode) else []
        torn = any(row.mark for row in rows)
        means = [known(split_times(row.word)[0]) for row in rows] if torn or len(rows) > 1 else []
        several = len(rows) > 1 and (alone or all(means))
        if not isinstance(item, ScalarNode) or not any(means) or not (torn or several):
            yield item
        else:
            if not noted:
                _report(draft, name, item, rows, alone=alone)
            noted = True
            yield from (ScalarNode(row.span, row.word, row.word) for row in rows)


def _rows(draft: Draft, leaf: ScalarNode) -> list[_Row]:
    """Return the lines of an unquoted text, or its parts between commas."""
    if leaf.quoted:
        return [_Row(leaf.span, leaf.raw, "")]
    if len(leaf.raw) <= leaf.span.width:
        return [_row(leaf.span, leaf.raw, part) for part in leaf.raw.split(",")]
    lines = split_lines(draft.source.text.lstrip("\ufeff"))
    rows: list[_Row] = []
    column, left = leaf.span.column, leaf.raw
    for number in range(leaf.span.line, len(lines) + 1):
        text = lines[number - 1][column - 1 :].split(" #")[0].rstrip()
        plain = text.lstrip()
        if not plain or not left.startswith(plain):
            break
        place = Span(leaf.span.file, number, column + len(text) - len(plain), len(plain))
        rows.append(_row(place, plain, plain))
        column, left = 1, left[len(plain) :].lstrip()
    return rows if not left else [_Row(leaf.span, leaf.raw, "")]


def _row(span: Span, text: str, part: str) -> _Row:
    word = part.strip().rstrip(",")
    mark = "- " if word.startswith("- ") else "-" if word.startswith("-") else ""
    word = word[len(mark) :].strip()
    return _Row(span.within(max(0, text.find(word)), len(word)), word, mark)


def _report(
    draft: Draft, name: ScalarNode, item: ScalarNode, rows: list[_Row], *, alone: bool
) -> None:
    over = None if alone else next((row for row in rows[1:] if row.mark == "- "), None)
    torn = next((row for row in rows if row.mark == "-"), None)
    if over is not None:
        message = f"`- {over.word}` is indented further than `{rows[0].word}` above it"
        draft.report(codes.WRONG_TYPE, over.span, message, _SAME_COLUMN)
    elif torn is not None:
        message = "a space is missing after the dash"
        more = ", with a space after each dash" if sum(row.mark == "-" for row in rows) > 1 else ""
        hint = f"write `- {torn.word}`{more}" if alone else f"the item is `{torn.word}`: no dash"
        draft.report(codes.WRONG_TYPE, torn.span, message if alone else _ONE_DASH, hint)
    elif rows[0].span.line != rows[-1].span.line:
        one = rows[0] if alone else rows[1]
        message = f"`{name.raw}` is a list; this line has no dash"
        more = ", and a dash before each of the others" if not rows[-1].mark else ""
        hint = f"write `- {one.word}`{more}"
        draft.report(codes.WRONG_TYPE, one.span, message, hint)
    else:
        message = f"`{name.raw}` has to be a list"
        words = ", ".join(row.word for row in rows)
        draft.report(codes.WRONG_TYPE, item.span, message, f"write `[{words}]`")


def indent_names(draft: Draft, entries: Entries) -> list[tuple[ScalarNode, Node]]:
    """Return the keys of a file; names of traits that follow an empty key become its value."""
    return indent(
        draft,
        entries,
        lambda key, node: _holds_names(draft, key, node),
        lambda key, more: _is_name(draft, key, misspelt=more),
    )


def indent(
    draft: Draft,
    entries: Entries,
    holds: Callable[[ScalarNode, Node], bool],
    belongs: Callable[[ScalarNode, bool], bool],
) -> list[tuple[ScalarNode, Node]]:
    """Return `entries`; keys that lack an indent move below the empty key before them.

    Args:
        holds: Whether a key is empty and may have others below it.
        belongs: Whether a key belongs below it; the flag is set once a key before it does.
    """
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


def _holds_names(draft: Draft, key: ScalarNode, node: Node) -> bool:
    """Whether a key is empty, and its kind holds names with values."""
    if not is_blank(node):
        return False
    ids = draft.index.keys.find(key.raw)
    kind = draft.rules.character[ids[0]].kind if ids else ""
    return kind in ("ratings", "raises", "items", "choices", "codes", "pins")


def _is_name(draft: Draft, key: ScalarNode, *, misspelt: bool) -> bool:
    """Whether a key of the file is a name of the ruleset, or may be a misspelt one."""
    names = (draft.index.all_traits, draft.index.gear, *draft.index.by_catalogue.values())
    keys = (*map(draft.key_name, draft.rules.character), *OUR_KEYS)
    if draft.index.keys.find(key.raw) or key.raw in OUR_KEYS:
        return False
    if any(n.find(key.raw) for n in names):
        return True
    near = any(nearest(key.raw, n.shown.values()) for n in names)
    return (misspelt or near) and not nearest(key.raw, keys)
