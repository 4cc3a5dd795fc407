"""Cells of spreadsheets: values of YAML as texts, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sheetgen.load.yaml import edit
from sheetgen.load.yaml.format import format_block, format_flow
from sheetgen.load.yaml.tree import parse_yaml, scalar
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, items_of, raw_text

MOST_CELL: Final = 100_000  # Characters of a cell that is imported
MOST_VALUES: Final = 100_000  # Values of all cells of an import
_FLOW: Final = ("[", "{", '"')


class BadCell(ValueError):
    """A cell that cannot be read; the message is the reason."""


def count_values(text: str) -> int:
    """Return how many values a cell, or front matter, may have at the most."""
    return 1 + sum(map(text.count, ",;[{\n"))


def format_cell(node: Node | None, *, is_text: bool) -> str:
    """Return the text of a cell for the value `node`; one of a text key is written as it is."""
    if node is None:
        return ""
    if isinstance(node, ScalarNode):
        return node.raw if is_text or _is_plain(node) or not node.raw else flow_yaml(node)
    parts = _pair_parts(node) if isinstance(node, Pairs) else _item_parts(node)
    return "; ".join(parts) if parts else flow_yaml(node)


def _is_plain(node: Node) -> bool:
    """Whether a cell can hold the scalar `node` without quotes, alone or among others."""
    if not isinstance(node, ScalarNode) or not node.raw or node.raw != node.raw.strip():
        return False
    if node.quoted and not isinstance(scalar(node.raw), str):
        return False
    raw = node.raw
    return not (raw.startswith(_FLOW) or any(s in raw for s in (";", ": ", "\n")) or raw[-1] == ":")


def _pair_parts(node: Pairs) -> list[str]:
    plain = (replace(key, quoted=False) for key, _ in node.entries)  # keys are always texts
    if not all(_is_plain(part) for part in (*plain, *(value for _, value in node.entries))):
        return []
    return [f"{key.raw}: {raw_text(value)}" for key, value in node.entries]


def _item_parts(node: Many) -> list[str]:
    """Return the parts of a list; none if its text would be read as a scalar or a mapping."""
    parts = []
    for item in node.items:
        pairs = _pair_parts(item) if isinstance(item, Pairs) and len(item.entries) == 1 else []
        if not pairs and not _is_plain(item):
            return []
        parts += pairs or [raw_text(item)]
    plain = any(isinstance(item, ScalarNode) for item in node.items)
    return parts if len(parts) > 1 and plain else []


def flow_yaml(node: Node) -> str:
    """Return `node` as YAML on one line."""
    if isinstance(node, Pairs):
        keys = (k.raw if k.raw.isdecimal() else format_flow(k.raw) for k, _ in node.entries)
        parts = zip(keys, (flow_yaml(value) for _, value in node.entries), strict=True)
        return "{" + ", ".join(map(": ".join, parts)) + "}"
    if isinstance(node, Many):
        return "[" + ", ".join(map(flow_yaml, node.items)) + "]"
    if not node.quoted and not isinstance(node.value, str):
        return node.raw or "~"
    return format_flow(node.raw, '"' if node.quoted else "")


def parse_cell(text: str, *, is_text: bool) -> str:
    """Return the YAML of a cell, for behind `key: `; several lines are indented.

    Raises:
        BadCell: The cell cannot be read.
    """
    if len(text) > MOST_CELL:
        raise BadCell(f"it has {len(text):,} characters; at most {MOST_CELL:,} are read")
    text = text.replace("\r\n", "\n")
    if is_text:
        return format_block(text, "  ", "\n") or format_flow(text)
    text = text.strip()
    if text.startswith(_FLOW):
        root = parse_yaml(text, "").value
        node = root.root if root is not None else None
        if node is None or (isinstance(node, ScalarNode) and not node.quoted):
            raise BadCell("the brackets or quotes in it are not closed, or it is no YAML")
        return flow_yaml(node)
    parts = [part.strip() for part in text.split(";") if part.strip()]
    if len(parts) == 1 and ": " not in text:
        return _plain_yaml(parts[0])
    pairs = [part.partition(": ") for part in parts]
    if all(colon for _, colon, _ in pairs):
        if len({key for key, _, _ in pairs}) < len(pairs):
            raise BadCell("it has the same name twice")
        return "{" + ", ".join(_pair_yaml(key, value) for key, _, value in pairs) + "}"
    items = (
        "{" + _pair_yaml(key, value) + "}" if colon else _plain_yaml(key)
        for key, colon, value in pairs
    )
    return "[" + ", ".join(items) + "]"


def _pair_yaml(key: str, value: str) -> str:
    return f"{format_flow(key.strip())}: {_plain_yaml(value.strip())}"


def _plain_yaml(text: str) -> str:
    return text if text and not isinstance(scalar(text), str) else format_flow(text)


def scalar_texts(node: Node) -> list[str] | None:
    """Return the texts of a list of scalars, or of one scalar; None for other values."""
    items = items_of(node)
    texts = [item.raw for item in items if isinstance(item, ScalarNode)]
    return texts if len(texts) == len(items) else None


def cell_texts(cell: str) -> list[str] | None:
    """Return the texts of a cell that holds a list of scalars; None for other cells."""
    try:
        parsed = parse_yaml(f"key: {parse_cell(cell, is_text=False)}\n", "").value
    except BadCell:
        return None
    root = parsed.root if parsed is not None else None
    return scalar_texts(root.entries[0][1]) if isinstance(root, Pairs) else None


def unquoted(node: Many) -> Many:
    """Return a list without quotes: all texts of a property are quoted, an author's are not."""
    items = (replace(i, quoted=False) if isinstance(i, ScalarNode) else i for i in node.items)
    return replace(node, items=tuple(items))


def put_entries(text: str, path: edit.KeyPath, old: edit.Data, new: edit.Data) -> str:
    """Return `text` with a value changed, entry by entry, so that comments between them stay."""
    if isinstance(old, dict) and isinstance(new, dict) and old:
        for key in [k for k in old if k not in new]:
            text = edit.drop_entry(text, (*path, key))
        for key, value in new.items():
            if key not in old:
                text = edit.add_entry(text, path, key, value)
            elif old[key] != value:
                text = put_entries(text, (*path, key), old[key], value)
        return text
    if isinstance(old, list) and isinstance(new, list) and old:
        if new[: len(old)] == old:
            return edit.append_items(text, path, new[len(old) :])
        if len(new) == len(old):
            for number, value in enumerate(new):
                if old[number] != value:
                    text = put_entries(text, (*path, number), old[number], value)
            return text
    return edit.put_value(text, path, new)
