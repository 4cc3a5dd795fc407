"""The schema of files that a ruleset describes: characters, and its other kinds.

It refuses only what `check` refuses, too: a key or a name that does not exist, a value of
another shape. What needs the whole build (sums, limits, requirements) is left to `check`.
"""

from __future__ import annotations

from typing import Any

from sheetgen.check.character.keys.corrections import PICTURE_KEYS
from sheetgen.check.schemas.descriptions import escaped, price_line
from sheetgen.check.schemas.keys import NAMING_KINDS, SCHEMAS_OF_KINDS, own_names
from sheetgen.check.schemas.models import model_schema
from sheetgen.check.schemas.names import (
    BEYOND_ASCII,
    TEXT,
    Schema,
    key_pattern,
    name_pattern,
    name_schema,
)
from sheetgen.model.pictures import PictureFile
from sheetgen.model.rulesets.keys import KEY_KINDS, Key
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.index import index_of
from sheetgen.rules.names import Names, names_of


def character_schema(rules: Ruleset, *, based_on: str = "", stock: Names | None = None) -> Schema:
    """Return the schema of files whose keys are `rules.character`.

    Args:
        based_on: The key that names another file, which then gives required keys.
        stock: The names of these files.
    """
    keys = {str(id_): key for id_, key in rules.character.items()}
    written = names_of(
        ((id_, id_.replace("_", " "), key.aliases) for id_, key in keys.items()), rules.spellings
    )
    pictures = dict.fromkeys(PICTURE_KEYS, _picture())
    properties: dict[str, Schema] = {}
    patterns: dict[str, Schema] = {BEYOND_ASCII: {}}
    patterns |= {key_pattern(key): pictures[key] for key in PICTURE_KEYS}
    rest: list[Schema] = []
    by_use = sorted(keys.items(), key=lambda one: (one[0] != based_on, _rank(one[1])))
    for id_, key in by_use:
        value, closed = _values(rules, written, id_, key, based_on)
        if stock is not None and stock.shown and id_ == based_on:
            value = name_schema(stock, {})
        value = {**value, **_about(rules, id_, key)}
        rest += [closed] if closed is not None else []
        shown = id_.replace("_", " ")
        properties[shown] = value
        patterns[name_pattern(_one_name(written, id_))] = value
        if _must_be_written(rules, id_, key):
            rest.append(_required(written, shown, id_, based_on))
    properties |= {
        "options": _options(rules),
        **pictures,
        "ruleset": {
            "description": "The ruleset, and what is put over it.",
            "type": [*TEXT, "array"],
        },
    }
    return {
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "additionalProperties": False,
        **({"allOf": rest} if rest else {}),
    }


def _rank(key: Key) -> int:
    """Return how late a key is offered: those that every file has and that build it come first."""
    plain = {"number": 2, "flag": 3, "text": 4, "texts": 4, "details": 4}
    return 0 if key.required else 1 if key.values else plain.get(str(key.kind), 1)


def _values(
    rules: Ruleset, written: Names, id_: str, key: Key, based_on: str
) -> tuple[Schema, Schema | None]:
    """Return the schema of a key's values, and the condition under which it knows all names.

    Traits and items of the author's own may be named as those of the ruleset. If nothing in the
    file gives such names, only the ruleset's are valid.
    """
    index, build = index_of(rules), SCHEMAS_OF_KINDS[str(key.kind)]
    if key.kind not in NAMING_KINDS:
        return build(rules, index, id_, key), None
    givers: dict[str, Schema | bool] = {
        name_pattern(_one_name(written, str(other))): values
        for other, rule in rules.character.items()
        if (values := own_names(rules, index, str(other), rule, str(key.kind))) is not None
    }
    value = build(rules, index, id_, key, own=bool(givers))
    closed = build(rules, index, id_, key, own=False)
    if value == closed:
        return value, None
    if based_on in written.shown:
        givers[name_pattern(_one_name(written, based_on))] = False
    none_given = {"type": "object", "patternProperties": {**givers, BEYOND_ASCII: False}}
    this = {name_pattern(_one_name(written, id_)): closed}
    return value, {"if": none_given, "then": {"type": "object", "patternProperties": this}}


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
    there = [{"type": "string", "pattern": pattern} for pattern in (*spelt, BEYOND_ASCII)]
    return {
        "if": {"type": "object", "propertyNames": {"not": {"anyOf": there}}},
        "then": {"type": "object", "properties": {shown: {}}, "required": [shown]},
    }


def _about(rules: Ruleset, id_: str, key: Key) -> Schema:
    kind = KEY_KINDS[str(key.kind)]
    parts = [escaped(key.text), kind]
    pool = rules.pools.get(str(key.pool))
    if pool is not None:
        parts.append(f"Paid with {escaped(pool.label)}.")
    parts += [price_line(rules, rules.groups[str(g)]) for g in key.of if str(g) in rules.groups]
    text = "\n\n".join(filter(None, dict.fromkeys(parts)))
    return {"title": key.label or id_.replace("_", " "), "markdownDescription": text}


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
