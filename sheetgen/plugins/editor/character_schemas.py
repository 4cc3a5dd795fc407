"""The schema of files that a ruleset describes: characters, and its other kinds.

It refuses only what `check` refuses, too: a key or a name that does not exist, a value of
another shape. What needs the whole build (sums, limits, requirements) is left to `check`.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeAlias, Union, get_args, get_origin

from sheetgen.check.character.ledger import MOST_LETTERS
from sheetgen.check.character.ratings import MOST_RATING
from sheetgen.check.character.values import PICTURE_KEYS
from sheetgen.load.shapes import MOST_NUMBER, key_texts, model_fields
from sheetgen.model import source
from sheetgen.model.build import code_text
from sheetgen.model.pictures import PictureFile
from sheetgen.model.rulesets.ruleset import KEY_KINDS, Key, Ruleset
from sheetgen.model.rulesets.traits import Choice, Group, Item, Trait
from sheetgen.rules.formulas.evaluate import filled
from sheetgen.rules.formulas.expressions import parse_formula
from sheetgen.rules.formulas.notation import formula_text
from sheetgen.rules.index import Index, Names, index_of, names_of
from sheetgen.rules.tables.things import RulesetScope, closed_texts, grant_texts

_NO_MORE: Final[Schema] = {"additionalProperties": False}
_ONE: Final = ("items", "additionalProperties", "if", "then", "else", "not", "propertyNames")
_NULLABLE: Final = 2
_MARKS: Final = re.compile(r"\*\*|\\(?=[\\`*_\[\]<>#|])")
_SYNTAX: Final = re.compile(r"[\\^$.*+?()\[\]{}|/]")
NAMING_KINDS: Final = ("advances", "details", "links", "losses", "pinned", "raises", "refunds")
"""Kinds of keys that may name a trait or an item of the author's own, given under another key."""
COMMON: Final = {  # Sentences for keys that mean the same in every model.
    "aliases": "Other names.",
    "label": "What readers see.",
    "name": "What readers see.",
    "ruling": "The code of the ruling that it follows.",
    "text": "A text for readers.",
    "why": "What the finding says where `requires`, `needs` or another condition does not hold.",
}


def character_schema(rules: Ruleset, *, based_on: str = "", stock: Names | None = None) -> Schema:
    """Return the schema of files; the key `based_on` names a file of `stock` with its keys."""
    keys = {str(id_): key for id_, key in rules.character.items()}
    written = names_of(
        ((id_, id_.replace("_", " "), key.aliases) for id_, key in keys.items()), rules.spellings
    )
    picture = model_schema(PictureFile, {})
    del picture["definitions"]
    about = "A picture, JPEG, PNG or SVG, in the folder of this file or below it."
    picture = {"anyOf": [{"type": TEXT}, picture], "markdownDescription": about}
    pictures = dict.fromkeys(PICTURE_KEYS, picture)
    properties: dict[str, Schema] = {}
    patterns: dict[str, Schema] = {BEYOND_ASCII: {}}
    patterns |= {key_pattern(key): picture for key in PICTURE_KEYS}
    rest: list[Schema] = []

    def rank(entry: tuple[str, Key]) -> tuple[bool, int]:
        # Keys that every file has and that build it are offered first.
        id_, key = entry
        plain = {"number": 2, "flag": 3, "text": 4, "texts": 4, "details": 4}
        late = 0 if key.required else 1 if key.values else plain.get(str(key.kind), 1)
        return id_ != based_on, late

    for id_, key in sorted(keys.items(), key=rank):
        value, closed = _values(rules, written, id_, key, based_on)
        if stock is not None and stock.shown and id_ == based_on:
            value = name_schema(stock, {})
        shown = id_.replace("_", " ")
        parts = [escaped(key.text), KEY_KINDS[key.kind]]
        if (pool := rules.pools.get(str(key.pool))) is not None:
            parts.append(f"Paid with {escaped(pool.label)}.")
        groups = (rules.groups[str(g)] for g in key.of if str(g) in rules.groups)
        parts += [price_line(rules, group) for group in groups]
        about = _joined(dict.fromkeys(parts))
        value = {**value, "title": key.label or shown, "markdownDescription": about}
        rest += [closed] if closed is not None else []
        properties[shown] = value
        patterns[_key_named(written, id_)] = value
        # Whether every file has to have the key: neither a choice nor an option can spare it.
        if key.required and (key.kind != "raises" or _constant(key.count or "1")):
            entries = (entry for one in rules.choices.values() for entry in one.entries.values())
            given = {str(one) for entry in entries if entry.grants for one in entry.grants.set}
            if key.kind != "choice" or key.catalogue(id_) not in given:
                # Without the key in any spelling, `shown` is missing.
                spelt = [_key_named(written, one) for one in (id_, based_on) if one]
                names = ({"type": "string", "pattern": one} for one in (*spelt, BEYOND_ASCII))
                without = {"type": "object", "propertyNames": {"not": {"anyOf": [*names]}}}
                needed = {"type": "object", "properties": {shown: {}}, "required": [shown]}
                rest.append({"if": without, "then": needed})
                if not based_on:  # what a file is based on may give it, too
                    filled_in: Schema = {spelt[0]: {"not": {"enum": [None, []]}}}
                    rest.append({"type": "object", "patternProperties": filled_in})

    def option(rule: Any) -> Schema:
        words = [str(word) for word in rule.values]
        known: Schema = {"anyOf": [{"enum": words}, {"type": TEXT}]}
        if "yes or no" in words:
            known = {"enum": [True, False, "yes", "no"]}
        elif "number" in words:
            known = {"type": ["integer", "string"]}
        about = f"{escaped(rule.text)}\n\nDefault: {escaped(str(rule.default))}"
        return {**known, "markdownDescription": about}

    options = {
        "type": ["object", "null"],
        "description": "How this table reads the open points of the rules.",
        "properties": {str(id_): option(rule) for id_, rule in rules.options.items()},
        "additionalProperties": False,
    }
    ruleset = {"description": "The ruleset, and what is put over it.", "type": [*TEXT, "array"]}
    properties |= {"options": options, **pictures, "ruleset": ruleset}
    return {
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "additionalProperties": False,
        **({"allOf": rest} if rest else {}),
    }


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
    givers: dict[str, Schema | bool] = {}
    for other, rule in rules.character.items():
        pattern = _key_named(written, str(other))
        # Values that give no names of the author's own.
        if key.kind == "advances":
            if rule.kind in ("item", "items") and rules.advances and rules.advances.gear:
                detailed = mapping_schema(index.gear, {"not": {"type": "object"}}, {}, opened=False)
                named = name_schema(index.gear, {}, counted=True)
                givers[pattern] = _list_of(by_type(named, mapping=detailed))
        elif rule.kind == "ratings":
            names, _, opened = _traits(rules, index, str(other), rule)
            if opened:
                givers[pattern] = mapping_schema(names, _ANY, {}, opened=False)
    value = build(rules, index, id_, key, own=bool(givers))
    closed = build(rules, index, id_, key, own=False)
    if value == closed:
        return value, None
    if based_on in written.shown:
        givers[_key_named(written, based_on)] = False
    none_given = {"type": "object", "patternProperties": {**givers, BEYOND_ASCII: False}}
    this = {_key_named(written, id_): closed}
    return value, {"if": none_given, "then": {"type": "object", "patternProperties": this}}


def _key_named(names: Names, id_: str) -> str:
    """Return the pattern of all spellings of one key."""
    ids = {form: found for form, found in names.ids.items() if id_ in found}
    return name_pattern(Names(ids, {id_: names.shown[id_]}, names.spellings))


Schema: TypeAlias = dict[str, Any]

TEXT: Final = ["string", "number", "boolean", "null"]  # YAML reads `007` and `true` as others
_COUNT: Final = r"(?:\s*[x×]\s*[1-9][0-9]{0,3}|\s+[1-9][0-9]{0,3}\s*[x×])?"
_FIRST: Final = r"(?:[1-9][0-9]{0,3}\s*[x×]\s+)?"
BEYOND_ASCII: Final = r"[^\x00-\x7f]"  # names valid unseen: all accents would be long


def name_schema(names: Names, about: Mapping[str, str], *, counted: bool = False) -> Schema:
    """Return the schema of one of `names`, with Markdown about each; perhaps `counted`."""
    shown = list(dict.fromkeys(names.shown.values()))
    texts = {name: about.get(id_, "") for id_, name in names.shown.items()}
    listed: Schema = {"enum": shown}
    if any(texts.values()):
        listed["markdownEnumDescriptions"] = [texts[name] for name in shown]
    if not shown:
        return {"anyOf": [{"type": TEXT}]}
    pattern = f"{name_pattern(names, counted=counted)}|{BEYOND_ASCII}"
    numbers = [int(key) for key in names.ids if key.isascii() and key.isdecimal()]
    spelt = {"type": "string", "pattern": pattern}
    return {"anyOf": [listed, spelt, *([{"enum": numbers}] if numbers else [])]}


def mapping_schema(
    names: Names, value: Schema, about: Mapping[str, str], *, opened: bool
) -> Schema:
    """Return the schema of a mapping of `names` to values, of other keys too if `opened`."""
    properties = {
        name: {**value, "markdownDescription": about[id_]} if about.get(id_) else value
        for id_, name in names.shown.items()
    }
    schema: Schema = {"type": ["object", "null"], "properties": properties}
    if opened:
        schema["additionalProperties"] = value
    else:
        schema["patternProperties"] = {f"{name_pattern(names)}|{BEYOND_ASCII}": value}
        schema["additionalProperties"] = False
    return schema


def long_form(values: Mapping[str, Schema]) -> Schema:
    """Return the schema of a mapping with some of these keys, each in any spelling."""
    patterns = {key_pattern(key): value for key, value in values.items()}
    schema: Schema = {"type": "object", "properties": dict(values)}
    return {**schema, "patternProperties": {BEYOND_ASCII: {}, **patterns}, **_NO_MORE}


def key_pattern(key: str) -> str:
    """Return the pattern of a key of one or several words in any case and with any signs."""
    return rf"^[\W_]*{_spelling(key.replace('_', ' '))}[\W_]*$"


def by_type(plain: Schema, *, array: Schema | None = None, mapping: Schema | None = None) -> Schema:
    """Return a schema by the type of a value (`array`: of each item), which messages then name."""
    if mapping is not None:
        mapping = {"type": "object", **mapping}
        plain = {"if": {"type": "object"}, "then": mapping, "else": plain}
    if array is not None:
        plain = {"if": {"type": "array"}, "then": {"type": "array", "items": array}, "else": plain}
    return plain


def name_pattern(names: Names, *, counted: bool = False) -> str:
    """Return a pattern, for JavaScript, of all spellings in ASCII that `names` finds."""
    joined = {key.replace(" ", "") for key in names.ids if " " in key}
    forms: set[str] = set()  # Folded names, without their plural, in each spelling of their words.
    for key in names.ids:
        one = key[:-1] if key.endswith("s") else key
        if key not in joined and one.isascii():
            words = one.split(" ")
            forms.add(one)
            for other, word in names.spellings.items():
                if word in words and other.isascii():
                    forms.add(" ".join(other if one == word else one for one in words))
    spelt = "|".join(map(_spelling, sorted(forms))) or "(?!)"
    first, count = (_FIRST, _COUNT) if counted else ("", "")
    return rf"^[\W_]*{first}(?:{spelt})[\W_]*[sS]{{0,2}}{count}[\W_]*$"


def _spelling(key: str) -> str:
    """Return the pattern of a folded name: any case, with punctuation and blanks or without."""

    def either(letter: str) -> str:
        return f"[{letter}{letter.upper()}]" if letter.isalpha() else letter

    return r"[\W_]*".join(r"\W*".join(map(either, word)) for word in key.split(" "))


def _map_below(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    found = dict(schema)
    for key, value in schema.items():
        if key in ("properties", "patternProperties", "definitions"):
            below = value.items()
            found[key] = {n: change(one) if isinstance(one, dict) else one for n, one in below}
        elif key in ("anyOf", "allOf"):
            found[key] = [change(one) if isinstance(one, dict) else one for one in value]
        elif key in _ONE and isinstance(value, dict):
            found[key] = change(value)
    return found


def standard_schema(schema: Schema) -> Schema:
    """Return `schema` in the keywords of draft-07 alone, as strict validators want it.

    Markdown becomes plain descriptions, values with texts become constants, a value of several
    types becomes alternatives, and no pattern matches a key that is a property.
    """
    found = _map_below(schema, standard_schema)
    if about := found.pop("markdownDescription", ""):
        found["description"] = _MARKS.sub("", about)
    if texts := found.pop("markdownEnumDescriptions", ()):
        values = zip(found.pop("enum"), texts, strict=True)
        found["anyOf"] = [
            {"const": value, **({"description": _MARKS.sub("", text)} if text else {})}
            for value, text in values
        ]
    types = found.get("type")
    if "enum" in found or "const" in found:
        found.pop("type", None)
    elif isinstance(types, list) and (len(types) > _NULLABLE or "null" not in types):
        found["anyOf"] = [{"type": one} for one in found.pop("type")]
    if "properties" in found and "patternProperties" in found:
        patterns, found["patternProperties"] = found["patternProperties"], {}
        for pattern, value in patterns.items():
            keys = [key for key in found["properties"] if re.search(pattern, key)]
            but = "|".join(_SYNTAX.sub(r"\\\g<0>", key) for key in keys)
            other = rf"^(?!(?:{but})$)[\s\S]*(?:{pattern})" if keys else pattern
            found["patternProperties"][other] = value
    return found


def share_definitions(schema: Schema) -> Schema:
    """Return `schema` with its large parts that occur several times under `definitions`."""
    counts: Counter[str] = Counter()

    def count(part: Schema) -> Schema:
        counts[json.dumps(part)] += 1
        return _map_below(part, count)

    _map_below(schema, count)
    texts = [text for text, many in counts.items() if many > 1 and len(text) > _LARGE]
    keys = {text: f"part{number}" for number, text in enumerate(texts)}

    def shared(part: Schema) -> Schema:
        name = keys.get(json.dumps(part))
        return {"$ref": f"#/definitions/{name}"} if name else _map_below(part, shared)

    found = {name: _map_below(json.loads(text), shared) for text, name in keys.items()}
    return {**_map_below(schema, shared), **({"definitions": found} if found else {})}


_LARGE: Final = 200  # Length, as JSON, from which on a part is shared


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
_AMOUNT: Final[Schema] = {"anyOf": [*_NUMBER["anyOf"], {"type": "null"}]}
_COUNTED: Final[Schema] = {
    "anyOf": [{"type": "integer", "minimum": 1, "maximum": 999_999}, _NUMBER["anyOf"][1]]
}
_FLAG: Final[Schema] = {
    "anyOf": [{"type": "boolean"}, {"type": "string", "pattern": r"^\s*[yYnNtTfF]\w*\s*$"}]
}
_DICE: Final[Schema] = {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": r"\d"}]}
_SIGNED: Final[Schema] = {
    "anyOf": [
        {"type": "integer"},
        {"type": "string", "pattern": r"^\s*\+?\s*[-−]?\d{1,6}(\.0+)?\s*$"},
        {"type": "null"},
    ]
}


def _list_of(one: Schema, **bounds: Any) -> Schema:
    """Return the schema of a list with `bounds`; one value is a list of one, null none."""
    suggested = {"anyOf": [*_alternatives(one), {}]}  # editors complete from `anyOf`, not from `if`
    schema = by_type(_or_nothing(one), array=one)
    schema["then"] |= bounds
    return {**schema, **suggested}


def _constant(formula: str | None) -> int | None:
    text = str(formula).strip()
    return int(text) if re.fullmatch(r"-?\d{1,6}", text) else None


def _alternatives(schema: Schema) -> list[Schema]:
    return _alternatives(schema["else"]) if "else" in schema else schema.get("anyOf", [schema])


def _or_nothing(schema: Schema) -> Schema:
    if "else" in schema:
        return {**schema, "else": _or_nothing(schema["else"])}
    return {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}


def _plain(rules: Ruleset, index: Index, id_: str, key: Key) -> Schema:
    """Return the schema of values that name neither traits nor things of the ruleset."""
    match key.kind:
        case "text":
            words = names_of(((word, word, ()) for word in key.values), {})
            return name_schema(words, {}) if key.values else {"type": TEXT}
        case "texts":
            return _list_of({"type": [*TEXT, "object"]})
        case "number":
            whole, *others = _SIGNED["anyOf"] if key.least is None else _AMOUNT["anyOf"]
            most = _constant(key.most)
            return {"anyOf": [whole if most is None else {**whole, "maximum": most}, *others]}
        case "flag":
            return {"enum": [True, False, "yes", "no", "Yes", "No", "YES", "NO", None]}
        case "sessions":
            one = long_form(
                {
                    "session": {"description": "Its number or name.", "type": TEXT},
                    "gained": {"description": "What was gained.", **_NUMBER},
                    "note": {"description": "Printed beside it.", "type": TEXT},
                }
            )
            return {"anyOf": [{"type": "array", "items": one}, {"type": "null"}, one]}
        case "dice":
            faces = [str(rung) for rung in rules.dice.ladder] if rules.dice else []
            rungs = f"[dD]?\\s*0*({'|'.join(faces)})"
            times = r"(\s*[x×]\s*\d{1,4}|\s+\d{1,4}\s*[x×])?"
            several = rf"^\s*(\d{{1,4}}\s*[x×]?\s*)?{rungs}{times}\s*$"
            counted = {"type": "object", "patternProperties": {several: _ANY}, **_NO_MORE}
            return _list_of(by_type(_die(rules, several), mapping=counted))
        case "printed":
            derived = ((str(id_), rule.label, ()) for id_, rule in rules.derived.items())
            names = names_of(derived, rules.spellings)
            return mapping_schema(names, {"type": ["integer", "string"]}, {}, opened=False)
        case _:  # the history of dice
            return {"type": ["array", "object", "string", "null"]}


def _traits(
    rules: Ruleset, index: Index, id_: str, key: Key, *, own: bool = True
) -> tuple[Names, dict[str, str], bool]:
    """Return the names of the traits under a key, what to show, and whether others are allowed."""
    groups = tuple(str(group) for group in key.of or (id_,) if str(group) in rules.groups)
    names = index.among(groups) if groups else index.all_traits
    opened = own and any(rules.groups[g].open is not None for g in groups or rules.groups)
    return names, describe_traits(rules, tuple(map(str, groups))), opened


def _or_text(one: Schema, opened: bool = True) -> Schema:
    """Return the schema of a name; if others are allowed, of any text, too."""
    return {"anyOf": [*one["anyOf"], {"type": TEXT}]} if opened else one


def _of_traits(rules: Ruleset, index: Index, id_: str, key: Key, *, own: bool = True) -> Schema:
    """Return the schema of values by traits, or of a list of traits; `own`: of authors, too."""
    names, about, opened = _traits(rules, index, id_, key, own=own)
    value: Schema = {"type": TEXT}  # of details
    if key.kind == "ratings":
        groups = (rules.groups.get(str(group)) for group in key.of or (id_,))
        kinds = {group.rating for group in groups if group is not None}
        more = [_STEP_DIE] if "die" in kinds else []
        if "signed" in kinds:
            more += [{"type": "integer", "maximum": MOST_RATING}, _SIGNED["anyOf"][1]]
        plain = [{**_CODE["anyOf"][0], "maximum": MOST_RATING}, _CODE["anyOf"][1], *more]
        rated: Schema = {name: {"anyOf": plain} for name in ("dots", "dice", "ranks", "rating")}
        rated |= {"stars": _NUMBER, "max": _NUMBER, "note": {"type": TEXT}}
        value = by_type({"anyOf": [*plain, {"type": "null"}]}, mapping=long_form(rated))
    elif key.kind in ("refunds", "losses"):
        several = {"type": "array", "items": _NUMBER}
        value = {"anyOf": [*_NUMBER["anyOf"], several, {"type": "null"}]}
    elif key.kind == "pinned":
        value = _die(rules)
    elif key.kind == "codes":
        value = {"anyOf": [*_CODE["anyOf"], {"type": "null"}]}
    elif key.kind in ("raises", "links"):
        bounds, count = dict[str, Any](), None
        if key.kind == "raises":
            count = _constant(key.count)
            if key.repeat is None:
                bounds["uniqueItems"] = True
                bounds |= {"minItems": count} if count is not None else {}
        bounds |= {"maxItems": count} if count is not None else {}
        one = _list_of(_or_text(name_schema(names, about, counted=True), opened), **bounds)
        linked = {"additionalProperties": one, "propertyNames": {"maxLength": MOST_LETTERS}}
        return one if key.kind == "raises" else {"type": ["object", "null"], **linked}
    return mapping_schema(names, value, about, opened=opened)


def _choice(rules: Ruleset, index: Index, id_: str, key: Key) -> Schema:
    catalogue_id = key.catalogue(id_)
    catalogue = rules.choices[catalogue_id]
    names, about = index.by_catalogue[catalogue_id], describe_choices(rules, catalogue_id)
    one = _or_text(name_schema(names, about, counted=True), catalogue.open)
    opened = catalogue.open or bool(catalogue.custom)
    detailed = mapping_schema(names, _ANY, about, opened=opened)
    if (custom := catalogue.custom) is not None:
        detailed["properties"] |= {"custom": {"type": TEXT}}
        if custom.spread is not None:
            among = (str(custom.spread.of),)
            texts = describe_traits(rules, among)
            spread = mapping_schema(index.among(among), _CODE, texts, opened=True)
            detailed["properties"][among[0]] = spread
        if custom.focus is not None:
            focus = name_schema(index.among((str(custom.focus.of),)), {})
            detailed["properties"]["focus"] = _or_text(focus)
    for entry_id, name in names.shown.items():
        group = str(catalogue.entries[entry_id].asks)
        if group in rules.groups:
            asked = name_schema(index.among((group,)), describe_traits(rules, (group,)))
            asked = _or_text(asked, rules.groups[group].open is not None)
            detailed["properties"][name] = {**detailed["properties"][name], **asked}
    if catalogue.custom is None or key.kind == "choices":
        detailed["minProperties"] = 1
    most = (1 if key.most is None else _constant(key.most)) if key.kind == "choice" else None
    if key.kind == "choice" and catalogue.custom is None:
        detailed["maxProperties"] = 1  # `Name: detail`
    bounds: Schema = {} if most is None else {"maxItems": most}
    if catalogue.entries and all(entry.once for entry in catalogue.entries.values()):
        bounds["uniqueItems"] = True
    return _list_of(by_type(one, mapping=detailed), **bounds)


def _items(rules: Ruleset, index: Index, id_: str, key: Key) -> Schema:
    one = _or_text(name_schema(index.gear, describe_gear(rules), counted=True), key.open)
    asked = {}
    asks = [ask for item in rules.gear.values() for ask in item.asks.items()]
    for ask, of in {str(ask): str(of) for ask, of in asks}.items():
        named = name_schema(index.by_catalogue[of], describe_choices(rules, of))
        asked[ask] = _list_of(_or_text(named, rules.choices[of].open))
    values = {
        "count": {"description": "How many.", **_COUNTED},
        "granted": {"description": "It costs nothing.", **_FLAG},
        "cost": {"description": "What it costs instead.", **_NUMBER},
        "name": {"description": "A name of its own.", "type": TEXT},
        "note": {"description": "Printed beside it.", "type": TEXT},
        "dice": {"description": "The dice of an item of your own.", **_DICE},
        "skill": {"description": "What attacks with it are rolled with.", "type": TEXT},
        "attack": {"description": "What is rolled, as it is printed.", "type": TEXT},
        "damage": {"description": "Its damage, as it is printed.", "type": TEXT},
        "tags": {"description": "Tags of an item of your own.", **_list_of({"type": TEXT})},
        **{name: {"description": "A number of it.", "type": TEXT} for name in index.numbers},
        **asked,
    }
    form = by_type({"type": ["null", "integer", "boolean", "string"]}, mapping=long_form(values))
    own = form if key.open else by_type({"type": "string"}, mapping=long_form(values))
    detailed = mapping_schema(index.gear, form, {}, opened=False) | {"minProperties": 1}
    return _list_of(by_type(one, mapping={**detailed, "additionalProperties": own}))


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


def _die(rules: Ruleset, pattern: str = "") -> Schema:
    faces = [int(rung) for rung in rules.dice.ladder] if rules.dice else []
    pattern = pattern or rf"^\s*([dD]\s*)?0*({'|'.join(map(str, faces))})\s*$"
    listed = {"enum": [f"d{rung}" for rung in faces]}
    # As ranges, so that editors do not offer a number beside each die.
    plain = ({"type": "integer", "minimum": one, "maximum": one} for one in faces)
    return {"anyOf": [listed, {"type": "string", "pattern": pattern}, *plain]}


_STEP_DIE: Final[Schema] = {"type": "string", "pattern": r"^[dD]([468]|10|12(\+[1-9]\d?)?)$"}

SCHEMAS_OF_KINDS: Final[dict[str, Callable[..., Schema]]] = {
    **dict.fromkeys(
        ("text", "texts", "number", "flag", "sessions", "dice", "dice_history", "printed"), _plain
    ),
    **dict.fromkeys(("ratings", "refunds", "losses", "details", "pinned", "codes"), _of_traits),
    **dict.fromkeys(("raises", "links"), _of_traits),
    **dict.fromkeys(("choice", "choices"), _choice),
    **dict.fromkeys(("item", "items"), _items),
    "advances": _advances,
}
"""The schema of each kind of key; a test compares the kinds with `KEY_KINDS`."""


_SPECIAL = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>#|"})


def describe_traits(rules: Ruleset, groups: tuple[str, ...]) -> dict[str, str]:
    """Return Markdown about the traits of `groups`, or of all if it is empty, by id."""
    scope, found = RulesetScope(rules), {}
    for group_id, group in rules.groups.items():
        for id_, trait in group.traits.items() if str(group_id) in (groups or rules.groups) else ():
            parts = [escaped(filled(trait.text, scope))]
            if trait.under:
                parts.append(f"Under {escaped(index_of(rules).titles[str(trait.under)])}.")
            parts.append(price_line(rules, group))
            if group.limit is not None:
                parts.append(f"At most: {_formula(group.limit.most)}")
            if trait.needs is not None and trait.why:
                parts.append(f"Not open to all: {escaped(trait.why)}")
            found[str(id_)] = _joined(parts)
    return found


def describe_choices(rules: Ruleset, catalogue: str) -> dict[str, str]:
    """Return Markdown about the choices of a catalogue, by id."""
    scope, found, rule = RulesetScope(rules), {}, rules.choices[catalogue]
    for id_, entry in rule.entries.items():
        parts = [escaped(filled(entry.text, scope))]
        parts.append(escaped("; ".join(grant_texts(rules, entry, scope))))
        parts.append(escaped("; ".join(closed_texts(rules, catalogue, str(id_), scope))))
        pool = rules.pools.get(str(entry.pool or rule.pool))
        if entry.price is not None and pool is not None:
            parts.append(f"Price: {_formula(entry.price)} {escaped(pool.label)}")
        found[str(id_)] = _joined(parts)
    return found


def describe_gear(rules: Ruleset) -> dict[str, str]:
    """Return Markdown about all items, by id."""
    scope, found = RulesetScope(rules), {}
    for id_, item in rules.gear.items():
        parts = [escaped(filled(item.text, scope))]
        if item.dice is not None:
            parts.append(f"Dice: {code_text(item.dice, pips=rules.pips)}")
        parts.append(escaped(filled(item.special, scope)))
        parts.append("Not for sale." if item.cost is None else f"Cost: {item.cost:,}")
        found[str(id_)] = _joined(parts)
    return found


def price_line(rules: Ruleset, group: Group) -> str:
    """Return the price of a step of a group's traits: `Price of step n: 2n XP`."""
    pool = rules.pools.get(str(group.pool))
    if group.price is None or pool is None:
        return ""
    return f"Price of step n: {_formula(group.price)} {escaped(pool.label)}"


def _formula(formula: str) -> str:
    return escaped(formula_text(parse_formula(formula)))


def escaped(text: str) -> str:
    """Return `text` as Markdown that shows it as it is."""
    return text.translate(_SPECIAL)


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(filter(None, parts))


NOTHING: Final = [None, "none", "", "~", "null"]  # Words for nothing, where a value may be left out
FORMULA: Final = "formula"  # the comment in a formula's schema: editors complete names in it
_SCALAR: Final = ["string", "number", "boolean"]
_LEAVES: Final[dict[Any, Schema]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": source.USUAL.least, "maximum": source.USUAL.most},
    str: {"type": _SCALAR},
    source.Text: {"type": _SCALAR},
    source.Node: {},
    source.Formula: {"type": _SCALAR, "$comment": FORMULA},
    source.DiceCode: {"type": ["string", "integer"]},
    source.Length: {"type": "number", "minimum": 0, "maximum": MOST_NUMBER},
    source.DesignNumber: {"type": "number", "minimum": -MOST_NUMBER, "maximum": MOST_NUMBER},
}


def model_schema(
    model: Any,
    known: Mapping[str, Collection[str]],
    words: Mapping[str, Schema] | None = None,
    *,
    shared: bool = False,
    over: bool = False,
) -> Schema:
    """Return the schema of a file that is read as `model`; models inside it are `definitions`.

    `known` are names to complete from, `words` schemas of names of which there are no others, by
    `Ref.to`. Several files may have `shared` keys at the top; one `over` others may lack any key.
    """
    definitions: dict[str, Schema] = {}

    def mapping_of(model: Any, *, partial: bool) -> Schema:
        properties, needed = {}, []
        bases = filter(dataclasses.is_dataclass, model.__bases__)
        inherited = {field.name for base in bases for field in dataclasses.fields(base)}
        fields = model_fields(model).items()
        for key, spec in sorted(fields, key=lambda one: one[1].name in inherited):
            text = key_text(model, spec.name)
            value = value_of(spec.kind)
            properties[key] = {**value, "markdownDescription": text} if text else value
            if spec.needed and not partial:
                needed.append(key)
        schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
        return {**schema, "required": needed} if needed else schema

    def value_of(kind: Any) -> Schema:
        if kind in _LEAVES:
            return dict(_LEAVES[kind])
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            name = kind.__name__
            if name not in definitions:
                definitions[name] = {}  # it may refer to itself
                definitions[name] = mapping_of(kind, partial=over)
                if hasattr(kind, "SHORT"):
                    definitions[name] = {"anyOf": [{"type": _SCALAR}, definitions[name]]}
            return {"allOf": [{"$ref": f"#/definitions/{name}"}]}
        origin, args = get_origin(kind), get_args(kind)
        if origin is Annotated:
            plain, mark = args[:2]
            if isinstance(mark, source.Range):
                return {"type": "integer", "minimum": mark.least, "maximum": mark.most}
            if isinstance(mark, source.OneOf):
                return {"enum": list(mark.words)}
            if isinstance(mark, source.Ref) and words and mark.to in words:
                return words[mark.to]
            names = names_at(mark)
            return {"anyOf": [{"enum": names}, value_of(plain)]} if names else value_of(plain)
        if origin in (Union, UnionType):
            below = [value_of(one) for one in args if one is not NoneType]
            nothing = [{"enum": NOTHING}] if NoneType in args else []
            return {"anyOf": [*below, *nothing]}
        if origin is tuple:
            one = value_of(args[0])
            return {"anyOf": [{"type": "array", "items": one}, one, {"type": "null"}]}
        each = value_of(args[1])
        schema: Schema = {"type": "object", "additionalProperties": each}
        if args[1] in (Item, Choice, Trait):
            return {**schema, "properties": _FROM_ROWS}
        mark = get_args(args[0])[1] if get_origin(args[0]) is Annotated else None
        if words and mark is not None and mark.to in words:
            properties = dict.fromkeys(words[mark.to]["enum"], each)
            return {"type": "object", "properties": properties, "additionalProperties": False}
        names = names_at(mark)
        return {**schema, "properties": dict.fromkeys(names, each)} if names else schema

    def names_at(mark: Any) -> list[str]:
        return sorted({*map(str, known.get(mark.to, ()))}) if isinstance(mark, source.Ref) else []

    return {**mapping_of(model, partial=shared or over), "definitions": definitions}


_FROM_ROWS: Final[Schema] = {  # Beside entries, the file that has more of them.
    "rows": {
        "anyOf": [{"type": "string", "pattern": r"\.[cC][sS][vV]$"}, {"type": "object"}],
        "markdownDescription": "A CSV file in the ruleset's folder, with an entry in each row.",
    },
    "heads": {
        "type": "object",
        "markdownDescription": "Keys, by the heads of columns that are called otherwise.",
    },
}


def key_text(model: Any, name: str) -> str:
    """Return the sentence of the field `name`: its model's own, or that of all fields so named."""
    own = (key_texts(one).get(name) for one in model.__mro__[:-1])
    return next(filter(None, own), COMMON.get(name.rstrip("_"), ""))
