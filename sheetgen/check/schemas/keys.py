"""The schema of a key of a character's file, by the kind of the key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sheetgen.check.character.links import MOST_LETTERS
from sheetgen.check.schemas.descriptions import describe_choices, describe_gear, describe_traits
from sheetgen.check.schemas.names import (
    TEXT,
    Schema,
    by_type,
    long_form,
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
        {"type": "string", "pattern": r"^\s*\+?\s*\d{1,6}(\.0+)?\s*$"},
    ]
}
_CODE: Final[Schema] = {
    "anyOf": [
        {"type": "integer", "minimum": 0, "maximum": 999_999},
        {"type": "string", "pattern": r"^\s*\+?\s*\d{1,6}\s*([dD]\s*(\+\s*\d+\s*)?)?$"},
    ]
}
_FLAG: Final[Schema] = {"enum": [True, False, "yes", "no", "Yes", "No", "YES", "NO", None]}
_AMOUNT: Final[Schema] = {"anyOf": [*_NUMBER["anyOf"], {"type": "null"}]}


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
    if key.least is not None:
        return _AMOUNT
    written = {"type": "string", "pattern": r"^\s*\+?\s*-?\d{1,6}(\.0+)?\s*$"}
    return {"anyOf": [{"type": "integer"}, written, {"type": "null"}]}


def _flag(*_: Any) -> Schema:
    return _FLAG


def _sessions(*_: Any) -> Schema:
    one = long_form(
        {
            "session": {"description": "Its number or name.", "type": TEXT},
            "gained": {"description": "What was gained.", **_NUMBER},
            "note": {"description": "Printed beside it.", "type": TEXT},
        }
    )
    return {"anyOf": [{"type": "array", "items": one}, {"type": "null"}, one]}


def _groups(rules: Ruleset, id_: str, key: Key) -> tuple[str, ...]:
    return tuple(str(group) for group in key.of or (id_,) if str(group) in rules.groups)


def _traits(
    rules: Ruleset, index: Index, id_: str, key: Key, *, own: bool = True
) -> tuple[Names, dict[str, str], bool]:
    """Return the names of the traits under a key, what to show, and whether others are allowed."""
    groups = _groups(rules, id_, key)
    names = index.among(groups) if groups else index.all_traits
    opened = own and any(rules.groups[g].open is not None for g in groups or rules.groups)
    return names, describe_traits(rules, tuple(map(str, groups))), opened


def _by_trait(value: Schema) -> Callable[..., Schema]:
    def build(*of: Any, own: bool = True) -> Schema:
        names, about, opened = _traits(*of, own=own)
        return mapping_schema(names, value, about, opened=opened)

    return build


def _raises(*of: Any, own: bool = True) -> Schema:
    names, about, opened = _traits(*of, own=own)
    one = name_schema(names, about, counted=True)
    return _list_of({"anyOf": [*one["anyOf"], {"type": TEXT}]} if opened else one)


def _choice(rules: Ruleset, index: Index, id_: str, key: Key) -> Schema:
    catalogue_id = str(key.of[0]) if key.of else id_
    catalogue = rules.choices[catalogue_id]
    names, about = index.by_catalogue[catalogue_id], describe_choices(rules, catalogue_id)
    one = name_schema(names, about, counted=True)
    if catalogue.open:
        one = {"anyOf": [*one["anyOf"], {"type": TEXT}]}
    opened = catalogue.open or bool(catalogue.custom)
    detailed = mapping_schema(names, _ANY, about, opened=opened)
    if (custom := catalogue.custom) is not None:
        detailed["properties"] |= {"custom": {"type": TEXT}}
        if custom.spread is not None:
            among = (str(custom.spread.of),)
            spread = mapping_schema(
                index.among(among), _CODE, describe_traits(rules, among), opened=True
            )
            detailed["properties"][among[0]] = spread
        if custom.focus is not None:
            focus = name_schema(index.among((str(custom.focus.of),)), {})["anyOf"]
            detailed["properties"]["focus"] = {"anyOf": [*focus, {"type": TEXT}]}
    for entry_id, name in names.shown.items():
        group = str(catalogue.entries[entry_id].asks)
        if group in rules.groups:
            asked = name_schema(index.among((group,)), describe_traits(rules, (group,)))
            opened = rules.groups[group].open is not None
            asked = {"anyOf": [*asked["anyOf"], {"type": TEXT}]} if opened else asked
            detailed["properties"][name] = {**detailed["properties"][name], **asked}
    return _list_of(by_type(one, mapping=detailed))


def _items(rules: Ruleset, index: Index, id_: str, key: Key) -> Schema:
    about = describe_gear(rules)
    one = name_schema(index.gear, about, counted=True)
    if key.open:
        one = {"anyOf": [*one["anyOf"], {"type": TEXT}]}
    asked = {str(ask): of for item in rules.gear.values() for ask, of in item.asks.items()}
    values = {
        "count": {"description": "How many.", "type": ["integer", "string"]},
        "granted": {"description": "It costs nothing.", "type": ["boolean", "string"]},
        "cost": {"description": "What it costs instead.", "type": ["integer", "string"]},
        "name": {"description": "A name of its own.", "type": TEXT},
        "note": {"description": "Printed beside it.", "type": TEXT},
        "dice": {"description": "The dice of an item of your own.", "type": ["integer", "string"]},
        "skill": {"description": "What attacks with it are rolled with.", "type": TEXT},
        "tags": {"description": "Tags of an item of your own.", **_list_of({"type": TEXT})},
        **{ask: _asked(rules, index, str(of)) for ask, of in asked.items()},
    }
    short = {"type": ["null", "integer", "boolean", "string"]}
    form = by_type(short, mapping=long_form(values))
    own = form if key.open else by_type({"type": "string"}, mapping=long_form(values))
    detailed = mapping_schema(index.gear, form, {}, opened=False)
    return _list_of(by_type(one, mapping={**detailed, "additionalProperties": own}))


def _asked(rules: Ruleset, index: Index, catalogue: str) -> Schema:
    one = name_schema(index.by_catalogue[catalogue], describe_choices(rules, catalogue))
    opened = [{"type": TEXT}] if rules.choices[catalogue].open else []
    return _list_of({"anyOf": [*one["anyOf"], *opened]})


def _advances(rules: Ruleset, index: Index, *_: Any, own: bool) -> Schema:
    rule = rules.advances
    groups = tuple(map(str, rule.groups)) if rule else ()
    known = [name_schema(index.among(groups), describe_traits(rules, groups), counted=True)]
    known += [name_schema(index.advances, {}, counted=True)] if index.advances.shown else []
    if rule is not None and rule.gear is not None:
        known += [name_schema(index.gear, describe_gear(rules), counted=True)]
    forms = [form for one in known for form in one["anyOf"]]
    one = _list_of({"anyOf": [*forms, *([{"type": TEXT}] if own else [])]})
    return by_type(one, mapping={"additionalProperties": one})


NAMING_KINDS: Final = ("advances", "details", "links", "losses", "pinned", "raises", "refunds")
"""Kinds of keys that may name a trait or an item of the author's own, given under another key."""


def own_names(rules: Ruleset, index: Index, id_: str, key: Key, kind: str) -> Schema | None:
    """Return the schema of values of a key that give no names of the author's own; or None.

    Args:
        kind: The kind of the key that may name them.
    """
    if kind == "advances":
        if key.kind not in ("item", "items") or not (rules.advances and rules.advances.gear):
            return None
        one = name_schema(index.gear, {}, counted=True)
        detailed = mapping_schema(index.gear, {"not": {"type": "object"}}, {}, opened=False)
        return _list_of(by_type(one, mapping=detailed))
    names, _, opened = _traits(rules, index, id_, key)
    if key.kind != "ratings" or not opened:
        return None
    return mapping_schema(names, _ANY, {}, opened=False)


def _dice(rules: Ruleset, *_: Any) -> Schema:
    faces = [str(rung) for rung in rules.dice.ladder] if rules.dice else []
    rungs = f"[dD]?\\s*0*({'|'.join(faces)})"
    times = r"(\s*[x×]\s*\d{1,4}|\s+\d{1,4}\s*[x×])?"
    several = rf"^\s*(\d{{1,4}}\s*[x×]?\s*)?{rungs}{times}\s*$"
    one = _die(rules, several)
    counted = {"type": "object", "patternProperties": {several: _ANY}}
    return _list_of(by_type(one, mapping={**counted, "additionalProperties": False}))


def _die(rules: Ruleset, pattern: str = "") -> Schema:
    faces = [int(rung) for rung in rules.dice.ladder] if rules.dice else []
    pattern = pattern or rf"^\s*([dD]\s*)?0*({'|'.join(map(str, faces))})\s*$"
    listed = {"enum": [f"d{rung}" for rung in faces]}
    return {"anyOf": [listed, {"enum": faces}, {"type": "string", "pattern": pattern}]}


def _pinned(rules: Ruleset, *of: Any, own: bool) -> Schema:
    return _by_trait(_die(rules))(rules, *of, own=own)


def _links(*of: Any, own: bool) -> Schema:
    schema: Schema = {"type": ["object", "null"], "additionalProperties": _raises(*of, own=own)}
    return {**schema, "propertyNames": {"maxLength": MOST_LETTERS}}


def _printed(rules: Ruleset, *_: Any) -> Schema:
    derived = ((str(id_), rule.label, ()) for id_, rule in rules.derived.items())
    names = names_of(derived, rules.spellings)
    return mapping_schema(names, {"type": ["integer", "string"]}, {}, opened=False)


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
    return by_type(plain, mapping=long_form(parts))


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
    "links": _links,
    "pinned": _pinned,
    "dice": _dice,
    "dice_history": lambda *_: {"type": ["array", "object", "string", "null"]},
    "item": _items,
    "items": _items,
    "advances": _advances,
    "codes": _by_trait({"anyOf": [*_CODE["anyOf"], {"type": "null"}]}),
    "printed": _printed,
}
"""The schema of each kind of key; a test compares the kinds with `KEY_KINDS`."""
