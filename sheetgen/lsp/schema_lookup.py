"""Look up in the schema of a file what may be at a place, and what there is to read about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sheetgen.check.schemas.descriptions import escaped
from sheetgen.check.schemas.models import FORMULA, NOTHING
from sheetgen.check.schemas.names import Schema
from sheetgen.lsp.text.lines import Step

_MOST_DEPTH = 12
"""References within references that are followed; models may contain themselves."""


@dataclass(frozen=True, slots=True)
class SchemaNode:
    """What a schema says about a place.

    Attributes:
        root: The schema of the file, for references.
        parts: All schemas that may hold there: those of `anyOf`, of both branches of an `if`, …
    """

    root: Schema
    parts: tuple[Schema, ...]

    def at(self, path: tuple[Step, ...]) -> SchemaNode:
        """Return the node at `path` below this one."""
        node = self
        for step in path:
            node = node._below(step)
        return node

    def _below(self, step: Step) -> SchemaNode:
        if isinstance(step, int):
            found: list[Any] = [part["items"] for part in self.parts if "items" in part]
        else:
            found = [below for part in self.parts for below in _of_key(part, step)]
        return _node(self.root, found)

    def keys(self) -> dict[str, str]:
        """Return the keys that a mapping here may have, with Markdown about each."""
        keys: dict[str, str] = {}
        for part in self.parts:
            for key, below in part.get("properties", {}).items():
                keys[key] = keys.get(key) or _node(self.root, [below]).text()
        return keys

    def values(self) -> dict[str, str]:
        """Return the values that may be here, in words of YAML, with Markdown about each."""
        values: dict[str, str] = {}
        for part in self.parts:
            listed = part.get("enum", ())
            if listed == NOTHING:
                continue
            texts = part.get("markdownEnumDescriptions", [""] * len(listed))
            for value, text in zip(listed, texts, strict=True):
                if value not in (None, ""):
                    shown = str(value).lower() if isinstance(value, bool) else str(value)
                    values.setdefault(shown, text)
            if part.get("type") == "boolean":
                values |= {"true": "", "false": ""}
        return values

    def text(self) -> str:
        """Return Markdown about the place, or ""."""
        texts = (p.get("markdownDescription") or p.get("description") for p in self.parts)
        titles = (f"**{escaped(part['title'])}**" for part in self.parts if "title" in part)
        return "\n\n".join((*islice(titles, 1), *islice(filter(None, texts), 1)))

    def is_formula(self) -> bool:
        """Whether a formula may be here."""
        return any(part.get("$comment") == FORMULA for part in self.parts)

    def holds_list(self) -> bool:
        """Whether a list may be here."""
        return any("items" in part for part in self.parts)


def schema_node(schema: Schema) -> SchemaNode:
    """Return the node of the whole file."""
    return _node(schema, [schema])


def _node(root: Schema, schemas: list[Any]) -> SchemaNode:
    return SchemaNode(root, tuple(p for one in schemas for p in _parts(root, one, _MOST_DEPTH)))


def _parts(root: Schema, schema: Any, depth: int) -> Iterator[Schema]:
    if not isinstance(schema, dict) or not depth:
        return
    yield schema
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield from _parts(root, root["definitions"][name], depth - 1)
    for key in ("then", "else"):
        yield from _parts(root, schema.get(key), depth - 1)
    for key in ("anyOf", "allOf"):
        for one in schema.get(key, ()):
            yield from _parts(root, one, depth - 1)


def _of_key(schema: Schema, key: str) -> Iterator[Any]:
    """Yield the schemas of the value under `key`: by its name, its spellings, or of any key."""
    properties = schema.get("properties", {})
    if key in properties:
        yield properties[key]
        return
    patterns = [
        below
        for pattern, below in schema.get("patternProperties", {}).items()
        if below and re.search(pattern, key)
    ]
    if patterns:
        yield from patterns
    elif isinstance(schema.get("additionalProperties"), dict):
        yield schema["additionalProperties"]
