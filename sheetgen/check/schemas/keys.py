"""The schema of a key of a character's file, by the kind of the key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sheetgen.check.schemas.descriptions import describe_choices, describe_gear, describe_traits
from sheetgen.check.schemas.names import (
    BEYOND_ASCII,
    TEXT,
    Schema,
    by_type,
    mapping_schema,
    name_schema,
)
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.index import Index
from sheetgen.rules.names import Names, names_of

_ANY: Final[Schema] = {}
_NUMBER: Final[Schema] = {
    "anyOf": [
        {"type": "integer", "minimum": 0, "maximum": 999_999},
        {"type": "string", "pattern": r"^\s*\+?\s*\d{1,6}\s*$"},
    ]
}
_CODE: Final[Schema] = {
    "anyOf": [
        {"type": "integer", "minimum": 0, "maximum": 999_999},
        {"type": "string", "pattern": r"^\s*\+?\s*\d{1,6}\s*([dD]\s*(\+\s*\d+\s*)?)?$"},
    ]
}
_FLAG: Final[Schema] = {"enum": [True, False, "yes", "no", "Yes", "No", "YES", "NO", None]}
_DIE: Final = r"^\s*(\d{1,2}\s*)?[dD]?\s*\d{1,4}\s*([x×]\s*\d+)?\s*$"


def _list_of(one: Schema) -> Schema:
    """Return the schema of a list; one value is a list of one, and nothing an empty list."""
    suggested = {"anyOf": [*_alternatives(one), {}]}  # editors complete from `anyOf`, not from `if`
    return {**by_type(_or_nothing(one), array=one), **suggested}


def _alternatives(schema: Schema) -> list[Schema]:
    return _alternatives(schema["else"]) if "else" in schema else schema.get("anyOf", [schema])


def _or_nothing(schema: Schema) -> Schema:
    if "else" in schema:
        return {**schema, "else": _or_nothing(schema["else"])}
    choices = schema.get("anyOf", [schema])
    return {"anyOf": [*choices, {"type": "null"}]}


def _text(_: Ruleset, __: Index, ___: str, key: Key) -> Schema:
    words = names_of(((word, word, ()) for word in key.values), {})
    return name_schema(words, {}) if key.values else {"type": TEXT}


def _texts(*_: Any) -> Schema:
    return _list_of({"type": [*TEXT, "object"]})


def _number(rules: Ruleset, index: Index, id_: str, key: Key) -> Schema:
    return {
        "anyOf": [
            {"type": "integer"},
            {"type": "string", "pattern": r"^[\s+\d-]*$"},
            {"type": "null"},
        ]
    }


def _flag(*_: Any) -> Schema:
    return _FLAG


def _sessions(*_: Any) -> Schema:
    one = {
        "type": "object",
        "properties": {
            "session": {"description": "Its number or name.", "type": TEXT},
            "gained": {"description": "What was gained.", **_NUMBER},
            "note": {"type": TEXT},
        },
        "patternProperties": {f"^[sSgGnN]|{BEYOND_ASCII}": _ANY},
        "additionalProperties": False,
    }
    return {"anyOf": [{"type": "array", "items": one}, {"type": "null"}, one]}


def _groups(rules: Ruleset, id_: str, key: Key) -> tuple[str, ...]:
    return tuple(str(group) for group in key.of or (id_,) if str(group) in rules.groups)


def _traits(rules: Ruleset, index: Index, id_: str, key: Key) -> tuple[Names, dict[str, str], bool]:
    """Return the names of the traits under a key, what to show, and whether others are allowed."""
    groups = _groups(rules, id_, key)
    names = index.among(groups) if groups else index.all_traits
    opened = any(group.open is not None for group in rules.groups.values())
    return names, describe_traits(rules, groups), opened


def _by_trait(value: Schema) -> Callable[[Ruleset, Index, str, Key], Schema]:
    def build(rules: Ruleset, index: Index, id_: str, key: Key) -> Schema:
        names, about, opened = _traits(rules, index, id_, key)
        return mapping_schema(names, value, about, opened=opened)

    return build


def _raises(rules: Ruleset, index: Index, id_: str, key: Key) -> Schema:
    names, about, opened = _traits(rules, index, id_, key)
    one = {"type": TEXT} if opened else name_schema(names, about)
    return _list_of(one)


def _choice(rules: Ruleset, index: Index, id_: str, key: Key) -> Schema:
    catalogue_id = str(key.of[0]) if key.of else id_
    catalogue = rules.choices[catalogue_id]
    names, about = index.by_catalogue[catalogue_id], describe_choices(rules, catalogue_id)
    one = name_schema(names, about, counted=True)
    if catalogue.open:
        one = {"anyOf": [*one["anyOf"], {"type": TEXT}]}
    detailed = mapping_schema(names, _ANY, about, opened=catalogue.open or bool(catalogue.custom))
    return _list_of(by_type(one, mapping=detailed))


def _items(rules: Ruleset, index: Index, id_: str, key: Key) -> Schema:
    about = describe_gear(rules)
    one = name_schema(index.gear, about, counted=True)
    if key.open:
        one = {"anyOf": [*one["anyOf"], {"type": TEXT}]}
    form: Schema = {
        "properties": {
            "count": {"description": "How many.", "type": ["integer", "string"]},
            "granted": {"description": "It costs nothing.", "type": ["boolean", "string"]},
            "cost": {"description": "What it costs instead.", "type": ["integer", "string"]},
            "name": {"description": "A name of its own.", "type": TEXT},
            "note": {"description": "Printed beside it.", "type": TEXT},
        }
    }
    form["anyOf"] = [{"type": ["object", "null", "integer", "boolean"]}, {"type": "string"}]
    detailed = {"type": "object", "additionalProperties": form}
    detailed["properties"] = dict.fromkeys(index.gear.shown.values(), form)
    return _list_of(by_type(one, mapping=detailed))


def _advances(rules: Ruleset, index: Index, *_: Any) -> Schema:
    rule = rules.advances
    groups = tuple(str(group) for group in rule.groups) if rule else ()
    names, about = index.among(groups), describe_traits(rules, groups)
    shown = [*names.shown.values(), *index.advances.shown.values()]
    listed: Schema = {"enum": list(dict.fromkeys(shown))}
    listed["markdownEnumDescriptions"] = [
        next((about.get(id_, "") for id_, name in names.shown.items() if name == one), "")
        for one in listed["enum"]
    ]
    one = _list_of({"anyOf": [listed, {"type": TEXT}]})
    return by_type(one, mapping={"additionalProperties": one})


def _dice(*_: Any) -> Schema:
    die = {"anyOf": [{"type": "string", "pattern": _DIE}, {"type": "integer"}, {"type": "object"}]}
    return _list_of(die)


def _rating(*_: Any) -> Schema:
    parts = {
        "dots": _CODE,
        "dice": _CODE,
        "ranks": _CODE,
        "rating": _CODE,
        "stars": _NUMBER,
        "max": _NUMBER,
        "note": {"type": TEXT},
    }
    plain: Schema = {"anyOf": [*_CODE["anyOf"], {"type": "null"}]}
    return by_type(plain, mapping={"properties": parts})


_STEPS: Final[Schema] = {
    "anyOf": [*_NUMBER["anyOf"], {"type": "array", "items": _NUMBER}, {"type": "null"}]
}

SCHEMAS_OF_KINDS: Final[dict[str, Callable[..., Schema]]] = {
    "text": _text,
    "texts": _texts,
    "number": _number,
    "flag": _flag,
    "sessions": _sessions,
    "choice": _choice,
    "choices": _choice,
    "ratings": _by_trait(_rating()),
    "raises": _raises,
    "refunds": _by_trait(_STEPS),
    "losses": _by_trait(_STEPS),
    "details": _by_trait({"type": TEXT}),
    "links": lambda *_: {"type": ["object", "null"]},
    "pinned": _by_trait({"type": ["string", "integer"]}),
    "dice": _dice,
    "dice_history": lambda *_: {"type": ["array", "object", "string", "null"]},
    "item": _items,
    "items": _items,
    "advances": _advances,
    "codes": _by_trait({"anyOf": [*_CODE["anyOf"], {"type": "null"}]}),
    "printed": lambda *_: {"type": ["object", "null"]},
}
"""The schema of each kind of key; a test compares the kinds with `KEY_KINDS`."""
