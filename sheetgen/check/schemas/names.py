"""Names as JSON Schema: a list of spellings to complete from, and a pattern for all others."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from sheetgen.rules.names import Names

Schema: TypeAlias = dict[str, Any]

TEXT: Final = ["string", "number", "boolean", "null"]
"""Types of a text: YAML reads `007` and `true` as other things, `check` keeps them as written."""

_COUNT: Final = r"(?:\s*[x×]\s*[1-9][0-9]{0,3}|\s+[1-9][0-9]{0,3}\s*[x×])?"
_FIRST: Final = r"(?:[1-9][0-9]{0,3}\s*[x×]\s+)?"
BEYOND_ASCII: Final = r"[^\x00-\x7f]"
"""A pattern of names that are valid unseen: patterns of all accents would be long."""


def name_schema(names: Names, about: Mapping[str, str], *, counted: bool = False) -> Schema:
    """Return the schema of one of `names`.

    Args:
        about: Markdown about each, by id.
        counted: Whether a count may follow, as in `Name x2`.
    """
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
    """Return the schema of a mapping from `names` to values.

    Args:
        opened: Whether other keys are allowed.
    """
    properties = {
        name: {**value, **_described(about.get(id_, ""))} for id_, name in names.shown.items()
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


_NO_MORE: Final[Schema] = {"additionalProperties": False}


def by_type(plain: Schema, *, array: Schema | None = None, mapping: Schema | None = None) -> Schema:
    """Return a schema that depends on the type of a value, so that messages are about that type.

    Args:
        plain: Of texts and numbers, and of lists and mappings without a schema of their own.
        array: Of each item of a list.
        mapping: Of mappings.
    """
    schema = plain
    if mapping is not None:
        mapping = {"type": "object", **mapping}
        schema = {"if": {"type": "object"}, "then": mapping, "else": schema}
    if array is not None:
        listed = {"type": "array", "items": array}
        schema = {"if": {"type": "array"}, "then": listed, "else": schema}
    return schema


def name_pattern(names: Names, *, counted: bool = False) -> str:
    """Return a pattern, for JavaScript, of all spellings in ASCII that `names` finds."""
    joined = {key.replace(" ", "") for key in names.ids if " " in key}
    keys = (key for key in names.ids if key not in joined)
    forms = {form for key in keys for form in _forms(key, names.spellings)}
    words = "|".join(map(_spelling, sorted(forms))) or "(?!)"
    first, count = (_FIRST, _COUNT) if counted else ("", "")
    return rf"^[\W_]*{first}(?:{words})[\W_]*[sS]{{0,2}}{count}[\W_]*$"


def _forms(key: str, spellings: Mapping[str, str]) -> Iterator[str]:
    """Yield a folded name, without its plural, in each spelling of its words."""
    key = key[:-1] if key.endswith("s") else key
    if key.isascii():
        yield key
        words = key.split(" ")
        for other, word in spellings.items():
            if word in words and other.isascii():
                yield " ".join(other if one == word else one for one in words)


def _spelling(key: str) -> str:
    """Return the pattern of a folded name: any case, with punctuation and blanks or without."""
    return r"[\W_]*".join(any_case(word, r"\W*") for word in key.split(" "))


def any_case(word: str, between: str = "") -> str:
    """Return the pattern of a word in lower or upper case, with `between` after each letter."""
    return between.join(f"[{one}{one.upper()}]" if one.isalpha() else one for one in word)


def _described(text: str) -> Schema:
    return {"markdownDescription": text} if text else {}


def standard_schema(schema: Schema) -> Schema:
    """Return `schema` in the keywords of draft-07 alone, as strict validators want it.

    Markdown becomes plain descriptions, values with texts become constants, a value of several
    types becomes alternatives, and no pattern matches a key that is a property.
    """
    found = dict(schema)
    for key, value in schema.items():
        if key in _MAPS:
            found[key] = {name: _standard(one) for name, one in value.items()}
        elif key in _LISTS:
            found[key] = [_standard(one) for one in value]
        elif key in _ONE:
            found[key] = _standard(value)
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
        found["patternProperties"] = {
            _without(pattern, found["properties"]): value
            for pattern, value in found["patternProperties"].items()
        }
    return found


def _standard(schema: Any) -> Any:
    return standard_schema(schema) if isinstance(schema, dict) else schema


def _without(pattern: str, keys: Iterable[str]) -> str:
    """Return a pattern of what `pattern` matches, but for those of `keys`."""
    matched = [_SYNTAX.sub(r"\\\g<0>", key) for key in keys if re.search(pattern, key)]
    return rf"^(?!(?:{'|'.join(matched)})$)[\s\S]*(?:{pattern})" if matched else pattern


_NULLABLE: Final = 2
_MARKS: Final = re.compile(r"\*\*|\\(?=[\\`*_\[\]<>#|])")
_SYNTAX: Final = re.compile(r"[\\^$.*+?()\[\]{}|/]")


def share_definitions(schema: Schema) -> Schema:
    """Return `schema` with its large parts that occur several times under `definitions`."""
    counts = Counter(json.dumps(part) for part in _parts(schema))
    texts = [text for text, many in counts.items() if many > 1 and len(text) > _LARGE]
    keys = {text: f"part{number}" for number, text in enumerate(texts)}
    found = {name: _below(json.loads(text), keys) for text, name in keys.items()}
    return {**_below(schema, keys), **({"definitions": found} if found else {})}


_LARGE: Final = 200
"""Length, as JSON, from which on a part is shared."""

_MAPS: Final = ("properties", "patternProperties", "definitions")
_LISTS: Final = ("anyOf", "allOf")
_ONE: Final = ("items", "additionalProperties", "if", "then", "else", "not", "propertyNames")


def _parts(schema: Schema) -> Iterator[Schema]:
    """Yield every schema inside `schema`."""
    for key, value in schema.items():
        below: Iterable[Any] = ()
        if key in _MAPS:
            below = value.values()
        elif key in _LISTS or key in _ONE:
            below = value if isinstance(value, list) else (value,)
        for one in below:
            if isinstance(one, dict):
                yield one
                yield from _parts(one)


def _below(schema: Schema, keys: Mapping[str, str]) -> Schema:
    """Return `schema` with references in place of the shared parts inside it."""

    def shared(part: Any) -> Any:
        if not isinstance(part, dict):
            return part
        name = keys.get(json.dumps(part))
        return {"$ref": f"#/definitions/{name}"} if name else _below(part, keys)

    found = dict(schema)
    for key, value in schema.items():
        if key in _MAPS:
            found[key] = {name: shared(part) for name, part in value.items()}
        elif key in _LISTS:
            found[key] = [shared(part) for part in value]
        elif key in _ONE:
            found[key] = shared(value)
    return found
