"""Builds as JSON: what `sheetgen show --format json` prints, versioned, with a JSON Schema."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any, Final

from sheetgen.model.build import Build, pick_line
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.evaluate import value_text

BUILD_VERSION: Final = 1  # Raised when a reader of the previous version would misread a build.


_TEXT: Final = {"type": "string"}
_WHOLE: Final = {"type": "integer"}
_PERHAPS: Final = {"type": ["integer", "null"]}
_OF_LEDGERS: Final = {"label": _TEXT, "gained": _WHOLE, "spent": _WHOLE, "left": _WHOLE}
_OF_RATINGS: Final = {
    "name": _TEXT,
    "group": _TEXT,
    "own": {
        **_WHOLE,
        "description": "Own steps: dots, ranks, or pips (dice, if the rules have no pips)",
    },
    "total": {**_WHOLE, "description": "With the trait that governs it"},
    "free": _WHOLE,
    "stars": _WHOLE,
    "limit": _PERHAPS,
}
_OF_PARTS: Final = {"steps": _WHOLE, "why": _TEXT, "kind": _TEXT}
_OF_LINES: Final = dict.fromkeys(("session", "what"), _TEXT) | dict.fromkeys(
    ("gained", "cost", "left"), _WHOLE
)


def build_data(build: Build, rules: Ruleset) -> dict[str, Any]:
    """Return `build` for JSON; fractions are texts such as `5/2`, so that they stay exact."""
    pictures = {key: one.summary for key, one in build.pictures.items()}
    path = os.path.relpath(build.file).replace(os.sep, "/")
    return {
        "_credit": rules.credit.short,
        "ruleset": build.ruleset,
        "version": build.version,
        "file": (path.rsplit("/", 1)[-1] if path.startswith("../") else path),
        "name": build.name,
        "options": dict(build.options),
        "picks": [
            {"key": p.key, "of": p.catalogue, "name": pick_line(p, build), "from": p.because}
            for p in build.picks
        ],
        "ratings": {
            r.id: {
                **{key: getattr(r, key) for key in _OF_RATINGS},
                "from": [{key: getattr(part, key) for key in _OF_PARTS} for part in r.parts],
            }
            for r in build.ratings.values()
        },
        "derived": {
            d.id: {
                "label": d.label,
                "value": value_text(d.value) if isinstance(d.value, Fraction) else d.value,
                "shown": d.shown,
                "how": d.how,
            }
            for d in build.derived.values()
        },
        "items": [
            {
                "name": i.name,
                "under": i.key,
                "count": i.count,
                "cost": i.cost,
                "attack": i.rolled.get("attack", i.attack),
                "damage": i.rolled.get("damage", i.damage),
                "modifies": dict(i.modifies),
                "active": bool(i.acting),
            }
            for i in build.items
        ],
        "dice": [f"d{faces}" for faces in build.dice],
        "rolls": {id_: dict(dice) for id_, dice in build.rolls.items()},
        "tracks": {id_: list(boxes) for id_, boxes in build.marked.items()},
        "lines": dict(build.lines),
        **({"pictures": pictures} if pictures else {}),
        "ledgers": {
            ledger.pool: {
                **{key: getattr(ledger, key) for key in _OF_LEDGERS},
                "lines": [{key: getattr(line, key) for key in _OF_LINES} for line in ledger.lines],
            }
            for ledger in build.ledgers.values()
        },
    }


def build_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft-07) of a build."""
    rating = _object({**_OF_RATINGS, "from": _list(_OF_PARTS)})
    rolled = {"type": ["integer", "string", "null"]}
    item = {"name": _TEXT, "under": _TEXT, "count": _WHOLE, "cost": _WHOLE, "attack": rolled}
    item |= {"damage": rolled, "modifies": _map(_WHOLE), "active": {"type": "boolean"}}
    value = {
        "description": "As formulas count it, codes of dice in pips or dice; `shown` is as prints "
        "write it. A text is a fraction, such as 5/2, or a word; null is unknown",
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
            "derived": _map(
                _object({"label": _TEXT, "value": value, "shown": _TEXT, "how": _TEXT})
            ),
            "items": _list(item),
            "dice": {"type": "array", "items": _TEXT},
            "rolls": _map(_map(_WHOLE)),
            "tracks": _map({"type": "array", "items": _WHOLE, "minItems": 2, "maxItems": 2}),
            "lines": _map(_TEXT),
            "ledgers": _map(_object({**_OF_LEDGERS, "lines": _list(_OF_LINES)})),
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
