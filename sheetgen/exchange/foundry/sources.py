"""Author's files as plain data, and plain data as YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sheetgen.load.yaml.format import format_block, format_flow
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source
from sheetgen.rules.names import folded


def source_data(source: Source | None) -> dict[str, Any]:
    """Return the keys of an author's entry as plain data."""
    root = node_data(source.root) if source is not None and source.root is not None else {}
    return root if isinstance(root, dict) else {}


def node_data(node: Node) -> Any:
    """Return a node as plain data; a quoted scalar is a text."""
    if isinstance(node, Pairs):
        return {key.raw: node_data(below) for key, below in node.entries}
    if isinstance(node, Many):
        return [node_data(item) for item in node.items]
    assert isinstance(node, ScalarNode)
    if node.quoted or isinstance(node.value, str):
        return node.raw
    return node.value


def write_source(data: Mapping[str, Any]) -> str:
    """Return data as YAML, a line for each key; texts of several lines are blocks."""
    lines = []
    for key, value in data.items():
        block = format_block(value, "  ", "\n") if isinstance(value, str) else None
        lines.append(f"{format_flow(key)}: {block or format_flow(value)}\n")
    return "".join(lines)


def plain_value(value: Any) -> str:
    """Return data as a text for readers: `Name: 2, Other: 3`."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {plain_value(below)}" for key, below in value.items())
    if isinstance(value, list):
        return "; ".join(map(plain_value, value))
    return "yes" if value is True else "no" if value is False else str(value)


def overlay_files(gear: str, title: str, rules: Ruleset, extends: str) -> dict[str, str]:
    """Return the files of an overlay with gear; only that of the gear if it extends nothing."""
    stem = "-".join(re.findall("[a-z0-9]+", folded(title))) or "items"
    files = {f"gear-{stem}.yaml": gear}
    if not extends:
        return files
    line = f"Items of a pack of Foundry, {title}."
    head = {"id": f"{stem}-items", "title": title, "extends": extends, "version": 1, "format": 1}
    credit = {"short": line, "long": line, "licence": "none stated"}
    return {"ruleset.yaml": write_source(head | {"lang": rules.lang, "credit": credit}), **files}
