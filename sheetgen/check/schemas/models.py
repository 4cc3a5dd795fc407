"""The schema of files whose keys are the fields of a model: rulesets, books, designs.

It follows `load.shapes`: what that reads is valid here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from sheetgen.check.schemas.descriptions import escaped
from sheetgen.check.schemas.names import Schema
from sheetgen.load.key_texts import key_text
from sheetgen.load.shapes import MOST_NUMBER, model_fields
from sheetgen.model.shape import USUAL, DesignNumber, DiceCode, Formula, Length, OneOf, Range, Ref
from sheetgen.model.source import Text

_SCALAR: Final = ["string", "number", "boolean"]
_LEAVES: Final[dict[Any, Schema]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": USUAL.least, "maximum": USUAL.most},
    str: {"type": _SCALAR},
    Text: {"type": _SCALAR},
    Formula: {"type": _SCALAR},
    DiceCode: {"type": ["string", "integer"]},
    Length: {"type": "number", "minimum": 0, "maximum": MOST_NUMBER},
    DesignNumber: {"type": "number", "minimum": -MOST_NUMBER, "maximum": MOST_NUMBER},
}


def model_schema(
    model: Any, known: Mapping[str, Collection[str]], *, partial: bool = False
) -> Schema:
    """Return the schema of a mapping that is read as `model`.

    Args:
        known: Names to complete from, by `Ref.to`.
        partial: Whether required keys may be in another file of the same folder.
    """
    definitions: dict[str, Schema] = {}
    root = _of_model(model, known, definitions, partial=partial)
    return {**root, "definitions": definitions}


def _of_model(
    model: Any,
    known: Mapping[str, Collection[str]],
    definitions: dict[str, Schema],
    *,
    partial: bool = False,
) -> Schema:
    properties, needed = {}, []
    for key, spec in model_fields(model).items():
        text = key_text(model, spec.name)
        value = _of(spec.kind, known, definitions)
        properties[key] = {**value, "markdownDescription": escaped(text)} if text else value
        if spec.needed and not partial:
            needed.append(key)
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": needed} if needed else schema


def _of(kind: Any, known: Mapping[str, Collection[str]], definitions: dict[str, Schema]) -> Schema:
    """Return the schema of a value of the annotation `kind`."""
    if kind in _LEAVES:
        return dict(_LEAVES[kind])
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        name = kind.__name__
        if name not in definitions:
            definitions[name] = {}  # it may refer to itself
            definitions[name] = _of_model(kind, known, definitions)
        return {"allOf": [{"$ref": f"#/definitions/{name}"}]}
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _marked(args[0], args[1], known, definitions)
    if origin in (Union, UnionType):
        below = [_of(one, known, definitions) for one in args if one is not NoneType]
        nothing = [{"enum": [None, "none", "", "~", "null"]}] if NoneType in args else []
        return {"anyOf": [*below, *nothing]}
    if origin is tuple:
        one = _of(args[0], known, definitions)
        return {"anyOf": [{"type": "array", "items": one}, one, {"type": "null"}]}
    return {"type": "object", "additionalProperties": _of(args[1], known, definitions)}


def _marked(
    kind: Any,
    mark: Any,
    known: Mapping[str, Collection[str]],
    definitions: dict[str, Schema],
) -> Schema:
    if isinstance(mark, Range):
        return {"type": "integer", "minimum": mark.least, "maximum": mark.most}
    if isinstance(mark, OneOf):
        return {"enum": list(mark.words)}
    names = sorted(map(str, known.get(mark.to, ()))) if isinstance(mark, Ref) else []
    plain = _of(kind, known, definitions)
    return {"anyOf": [{"enum": names}, plain]} if names else plain
