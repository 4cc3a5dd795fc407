"""Documents of Foundry: ids, text that is safe in them, and their entries in a pack."""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeGuard

Document = dict[str, Any]

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

COLLECTIONS: Final[Mapping[str, tuple[str, Sequence[str]]]] = {
    "Actor": ("actors", ("items", "effects")),
    "Item": ("items", ("effects",)),
    "JournalEntry": ("journal", ("pages", "categories")),
    "RollTable": ("tables", ("results",)),
}
"""The collection of each type of pack, and the lists of documents that its documents embed."""

_ACTIVE: Final = re.compile(r"\[(?=\[)|@(?=\w+\[)")
"""What Foundry turns into rolls and links."""

_MOST_LEAVES: Final = 200
_MOST_PATH: Final = 100

JOINER: Final = "\u2060"
"""A word joiner: an invisible character that keeps Foundry from seeing a roll or a link."""


def make_id(*names: str) -> str:
    """Return the id of a document: 16 letters and digits, equal for equal names."""
    number = int.from_bytes(hashlib.sha256("\n".join(names).encode()).digest(), "big")
    letters = []
    for _ in range(16):
        number, rest = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[rest])
    return "".join(letters)


def escape_html(text: str) -> str:
    """Return `text` as HTML in which nothing is markup, a roll or a link."""
    return html.escape(_ACTIVE.sub(lambda found: found[0] + JOINER, text))


def plain_name(text: str) -> str:
    """Return `text` as a name: one line, never empty."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split()) or "?"


def paragraph(label: str, text: str) -> str:
    """Return a paragraph, its label in bold; lines of `text` stay lines."""
    head = f"<strong>{escape_html(label)}</strong> " if label else ""
    return f"<p>{head}{escape_html(text.strip()).replace(chr(10), '<br>')}</p>"


def table_html(rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> str:
    """Return rows of texts as a table."""
    lines = [_row(heads, "th")] if any(heads) else []
    return f"<table>{''.join([*lines, *(_row(row, 'td') for row in rows)])}</table>"


def _row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape_html(cell)}</{tag}>' for cell in cells)}</tr>"


def put_leaf(data: Document, leaf: str, value: Any) -> None:
    """Set the leaf of nested data: `move.value` is `value` in `move`."""
    *path, last = leaf.split(".")
    for part in path:
        data = data.setdefault(part, {})
    data[last] = value


def get_leaf(data: Any, leaf: str) -> Any:
    """Return a leaf of nested data; None where there is none."""
    for part in leaf.split("."):
        data = data.get(part) if isinstance(data, Mapping) else None
    return data


def list_leaves(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the leaves of nested data and their paths, at most so many; long paths are cut."""
    found = 0
    below: list[tuple[str, Any]] = [("", data)]
    while below and found < _MOST_LEAVES:
        leaf, value = below.pop()
        if isinstance(value, Mapping):
            above = f"{leaf[:_MOST_PATH]}." if leaf else ""
            inner = [(above + str(key)[:_MOST_PATH], one) for key, one in value.items()]
            below += reversed(inner)
        else:
            found += 1
            yield leaf, value
    if below:
        yield "more", f"{len(below)}"


def dump_json(value: Any) -> bytes:
    """Return JSON, equal for equal values."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def pack_entries(kind: str, documents: Iterable[Document]) -> dict[str, bytes]:
    """Return the entries of a pack by key; embedded documents have entries of their own.

    Args:
        kind: The type of the pack, such as `Actor`. A folder is a document with the key `sorting`.
    """
    entries: dict[str, bytes] = {}
    for document in documents:
        collection, lists = COLLECTIONS[kind]
        if "sorting" in document:
            collection, lists = "folders", ()
        _add_entries(entries, collection, document["_id"], document, lists)
    return entries


def _add_entries(
    entries: dict[str, bytes], path: str, ids: str, document: Document, lists: Sequence[str]
) -> None:
    own = dict(document)
    for name in lists:
        below = document.get(name, [])
        own[name] = [one["_id"] for one in below]
        for one in below:
            deeper = ("effects",) if name == "items" else ()
            _add_entries(entries, f"{path}.{name}", f"{ids}.{one['_id']}", one, deeper)
    entries[f"!{path}!{ids}"] = dump_json(own)


def unpack_entries(entries: Mapping[str, Any]) -> dict[str, list[Document]]:
    """Return the documents of a pack by type, embedded ones in their lists.

    Args:
        entries: Parsed JSON by key. Documents of unknown types are left out.
    """
    below: dict[str, dict[str, Document]] = {}
    found: dict[str, list[Document]] = {}
    types = {collection: kind for kind, (collection, _) in COLLECTIONS.items()}
    for key, document in entries.items():
        _, path, ids = ("", *key.lstrip("!").split("!", 1), "")[:3]
        if not isinstance(document, dict):
            continue
        if "." in path:
            parent, _, own = ids.rpartition(".")
            below.setdefault(f"{path}!{parent}", {})[own] = document
        elif path in types:
            found.setdefault(types[path], []).append({**document, "_id": ids})
    for kind, documents in found.items():
        collection, lists = COLLECTIONS[kind]
        for document in documents:
            for name in lists:
                embedded = below.get(f"{collection}.{name}!{document['_id']}", {})
                listed = document.get(name)
                order = [i for i in listed if i in embedded] if _is_texts(listed) else []
                document[name] = [embedded[i] for i in dict.fromkeys((*order, *embedded))]
    return found


def _is_texts(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
