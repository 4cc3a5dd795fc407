"""The JSON Schema of a build, as `sheetgen show --format json` and `export --to json` write it."""

from __future__ import annotations

from typing import Any, Final

BUILD_VERSION: Final = 1
"""Raised when a reader of the previous version would misread a build."""

_TEXT: Final = {"type": "string"}
_WHOLE: Final = {"type": "integer"}
_PERHAPS: Final = {"type": ["integer", "null"]}


def build_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft-07) of a build."""
    rating = _object(
        {
            "name": _TEXT,
            "group": _TEXT,
            "own": _described("Own steps: dots, ranks, or pips (dice, if the rules have no pips)"),
            "total": _described("With the trait that governs it"),
            "free": _WHOLE,
            "stars": _WHOLE,
            "limit": _PERHAPS,
            "from": _list({"steps": _WHOLE, "why": _TEXT, "kind": _TEXT}),
        }
    )
    item = {
        "name": _TEXT,
        "under": _TEXT,
        "count": _WHOLE,
        "cost": _WHOLE,
        "attack": _PERHAPS,
        "damage": _PERHAPS,
        "modifies": _map(_WHOLE),
        "active": {"type": "boolean"},
    }
    line = {"session": _TEXT, "what": _TEXT, "gained": _WHOLE, "cost": _WHOLE, "left": _WHOLE}
    ledger = {"label": _TEXT, "gained": _WHOLE, "spent": _WHOLE, "left": _WHOLE}
    value = {
        "description": "A text is a fraction, such as 5/2, or a word; null is unknown",
        "type": ["integer", "boolean", "string", "null"],
    }
    build = _object(
        {
            "_credit": _TEXT,
            "ruleset": _TEXT,
            "version": _WHOLE,
            "file": _TEXT,
            "name": _TEXT,
            "options": _map(value),
            "picks": _list({"key": _TEXT, "of": _TEXT, "name": _TEXT, "from": _TEXT}),
            "ratings": _map(rating),
            "derived": _map(_object({"label": _TEXT, "value": value, "how": _TEXT})),
            "items": _list(item),
            "dice": {"type": "array", "items": _TEXT},
            "rolls": _map(_map(_WHOLE)),
            "tracks": _map({"type": "array", "items": _WHOLE, "minItems": 2, "maxItems": 2}),
            "lines": _map(_TEXT),
            "ledgers": _map(_object({**ledger, "lines": _list(line)})),
        }
    )
    build["properties"] |= {
        "$schema": _TEXT,
        "format": {"const": BUILD_VERSION},
        "kind": _TEXT,
        "licence": _TEXT,
        "pictures": _map(_TEXT),
        "findings": {"type": "array", "items": {"type": "object"}},
        "_seal": _TEXT,
    }
    draft = "http://json-schema.org/draft-07/schema#"
    return {"$schema": draft, "title": f"sheetgen build, version {BUILD_VERSION}", **build}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "additionalProperties": False,
    }


def _list(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": _object(properties)}


def _map(value: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": value}


def _described(text: str) -> dict[str, Any]:
    return {"type": "integer", "description": text}
