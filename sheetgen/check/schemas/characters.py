"""The schema of files that a ruleset describes: characters, and its other kinds.

It refuses only what `check` refuses, too: a key or a name that does not exist, a value of
another shape. What needs the whole build (sums, limits, requirements) is left to `check`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sheetgen.check.character.keys.corrections import PICTURE_KEYS
from sheetgen.check.schemas.descriptions import (
    describe_choices,
    describe_gear,
    describe_traits,
    escaped,
    price_line,
)
from sheetgen.check.schemas.models import model_schema
from sheetgen.check.schemas.names import (
    BEYOND_ASCII,
    TEXT,
    Schema,
    by_type,
    mapping_schema,
    name_pattern,
    name_schema,
)
from sheetgen.model.pictures import PictureFile
from sheetgen.model.rulesets.keys import KEY_KINDS, Key
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.index import Index, index_of
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
_OWN: Final = ("cost", "granted", "count", "note", "dice", "skill", "tags", "name")


def character_schema(rules: Ruleset, *, based_on: str = "") -> Schema:
    """Return the schema of files whose keys are `rules.character`.

    Args:
        based_on: The key that names another file, which then gives required keys.
    """
    index = index_of(rules)
    keys = {str(id_): key for id_, key in rules.character.items()}
    written = names_of(
        ((id_, id_.replace("_", " "), key.aliases) for id_, key in keys.items()), rules.spellings
    )
    properties: dict[str, Schema] = {
        "ruleset": {
            "description": "The ruleset, and what is put over it.",
            "type": [*TEXT, "array"],
        },
        "options": _options(rules),
        **dict.fromkeys(PICTURE_KEYS, _picture()),
    }
    patterns: dict[str, Schema] = {BEYOND_ASCII: {}}
    patterns |= {_any_case(key): properties[key] for key in PICTURE_KEYS}
    rest: list[Schema] = []
    for id_, key in keys.items():
        value = {**_value(rules, index, id_, key), **_about(rules, id_, key)}
        shown = id_.replace("_", " ")
        properties[shown] = value
        patterns[name_pattern(_one_name(written, id_))] = value
        if _must_be_written(rules, id_, key):
            rest.append(_required(written, shown, id_, based_on))
    return {
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "additionalProperties": False,
        **({"allOf": rest} if rest else {}),
    }


def _any_case(key: str) -> str:
    return rf"^[\W_]*{''.join(f'[{letter}{letter.upper()}]' for letter in key)}[\W_]*$"


def _picture() -> Schema:
    schema = model_schema(PictureFile, {})
    about = "A picture, JPEG, PNG or SVG, in the folder of this file or below it."
    del schema["definitions"]
    return {"anyOf": [{"type": TEXT}, schema], "markdownDescription": about}


def _one_name(names: Names, id_: str) -> Names:
    ids = {form: found for form, found in names.ids.items() if id_ in found}
    return Names(ids, {id_: names.shown[id_]}, names.spellings)


def _must_be_written(rules: Ruleset, id_: str, key: Key) -> bool:
    """Whether every file has to have `key`: neither a choice nor an option can spare it."""
    if not key.required or key.count is not None:
        return False
    catalogue = str(key.of[0]) if key.of else id_
    brought = (
        entry.grants.set
        for entries in rules.choices.values()
        for entry in entries.entries.values()
        if entry.grants
    )
    return key.kind != "choice" or not any(catalogue in map(str, given) for given in brought)


def _required(names: Names, shown: str, id_: str, based_on: str) -> Schema:
    """Return a condition: without the key in any spelling, `shown` is missing."""
    spelt = [name_pattern(_one_name(names, one)) for one in (id_, based_on) if one]
    there = [{"pattern": pattern} for pattern in (*spelt, BEYOND_ASCII)]
    return {
        "if": {"propertyNames": {"not": {"anyOf": there}}},
        "then": {"required": [shown]},
    }


def _about(rules: Ruleset, id_: str, key: Key) -> Schema:
    kind = KEY_KINDS[str(key.kind)]
    parts = [f"**{escaped(key.label or id_.replace('_', ' '))}**", escaped(key.text), kind]
    pool = rules.pools.get(str(key.pool))
    if pool is not None:
        parts.append(f"Paid with {escaped(pool.label)}.")
    parts += [price_line(rules, rules.groups[str(g)]) for g in key.of if str(g) in rules.groups]
    about: Schema = {"markdownDescription": "\n\n".join(filter(None, dict.fromkeys(parts)))}
    return about


def _options(rules: Ruleset) -> Schema:
    def value(option: Any) -> Schema:
        words = [str(word) for word in option.values]
        if "yes or no" in words:
            known: Schema = {"enum": [True, False, "yes", "no"]}
        elif "number" in words:
            known = {"type": ["integer", "string"]}
        else:
            known = {"anyOf": [{"enum": words}, {"type": TEXT}]}
        about = f"{escaped(option.text)}\n\nDefault: {escaped(str(option.default))}"
        return {**known, "markdownDescription": about}

    properties = {str(id_): value(option) for id_, option in rules.options.items()}
    return {
        "type": ["object", "null"],
        "description": "How this table reads the open points of the rules.",
        "properties": properties,
        "additionalProperties": False,
    }


def _value(rules: Ruleset, index: Index, id_: str, key: Key) -> Schema:
    return _KINDS[str(key.kind)](rules, index, id_, key)


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


def _text(*_: Any) -> Schema:
    return {"type": TEXT}


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

_KINDS: Final[dict[str, Callable[..., Schema]]] = {
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
