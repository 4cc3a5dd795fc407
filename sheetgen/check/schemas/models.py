"""The schema of files whose keys are the fields of a model: rulesets, books, designs.

It follows `load.shapes`: what that reads is valid here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from sheetgen.check.schemas.names import Schema
from sheetgen.load.key_texts import key_text
from sheetgen.load.shapes import MOST_NUMBER, model_fields
from sheetgen.model.shape import USUAL, DesignNumber, DiceCode, Formula, Length, OneOf, Range, Ref
from sheetgen.model.source import Node, Text

NOTHING: Final = [None, "none", "", "~", "null"]
"""Words for nothing, where a value may be left out."""

FORMULA: Final = "formula"
"""The comment in the schema of a formula, for editors that complete names in it."""

_SCALAR: Final = ["string", "number", "boolean"]
_LEAVES: Final[dict[Any, Schema]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": USUAL.least, "maximum": USUAL.most},
    str: {"type": _SCALAR},
    Text: {"type": _SCALAR},
    Node: {},
    Formula: {"type": _SCALAR, "$comment": FORMULA},
    DiceCode: {"type": ["string", "integer"]},
    Length: {"type": "number", "minimum": 0, "maximum": MOST_NUMBER},
    DesignNumber: {"type": "number", "minimum": -MOST_NUMBER, "maximum": MOST_NUMBER},
}


def _fields(model: Any) -> tuple[Any, ...]:
    return dataclasses.fields(model) if dataclasses.is_dataclass(model) else ()


@dataclasses.dataclass(frozen=True, slots=True)
class _SchemaWriter:
    """Writes schemas of models; those inside others go to `definitions`.

    Attributes:
        known: Names to complete from, by `Ref.to`.
        words: Schemas of names of which there are no others, by `Ref.to`.
        partial: Whether another file may have required keys.
    """

    known: Mapping[str, Collection[str]]
    words: Mapping[str, Schema]
    partial: bool
    definitions: dict[str, Schema] = dataclasses.field(default_factory=dict)

    def model(self, model: Any, *, partial: bool) -> Schema:
        """Return the schema of a mapping that is read as `model`."""
        properties, needed = {}, []
        inherited = {f.name for base in model.__bases__ for f in _fields(base)}
        fields = model_fields(model).items()
        for key, spec in sorted(fields, key=lambda one: one[1].name in inherited):
            text = key_text(model, spec.name)
            value = self.value(spec.kind)
            properties[key] = {**value, "markdownDescription": text} if text else value
            if spec.needed and not partial:
                needed.append(key)
        schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
        return {**schema, "required": needed} if needed else schema

    def value(self, kind: Any) -> Schema:
        """Return the schema of a value of the annotation `kind`."""
        if kind in _LEAVES:
            return dict(_LEAVES[kind])
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            name = kind.__name__
            if name not in self.definitions:
                self.definitions[name] = {}  # it may refer to itself
                self.definitions[name] = self.model(kind, partial=self.partial)
                if hasattr(kind, "SHORT"):
                    short = {"anyOf": [{"type": _SCALAR}, self.definitions[name]]}
                    self.definitions[name] = short
            return {"allOf": [{"$ref": f"#/definitions/{name}"}]}
        origin, args = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self.marked(args[0], args[1])
        if origin in (Union, UnionType):
            below = [self.value(one) for one in args if one is not NoneType]
            nothing = [{"enum": NOTHING}] if NoneType in args else []
            return {"anyOf": [*below, *nothing]}
        if origin is tuple:
            one = self.value(args[0])
            return {"anyOf": [{"type": "array", "items": one}, one, {"type": "null"}]}
        each = self.value(args[1])
        schema: Schema = {"type": "object", "additionalProperties": each}
        mark = get_args(args[0])[1] if get_origin(args[0]) is Annotated else None
        names = sorted({*map(str, self.known.get(mark.to, ()))}) if isinstance(mark, Ref) else []
        return {**schema, "properties": dict.fromkeys(names, each)} if names else schema

    def marked(self, kind: Any, mark: Any) -> Schema:
        """Return the schema of a value with a mark: a range, some words, a name."""
        if isinstance(mark, Range):
            return {"type": "integer", "minimum": mark.least, "maximum": mark.most}
        if isinstance(mark, OneOf):
            return {"enum": list(mark.words)}
        if isinstance(mark, Ref) and mark.to in self.words:
            return self.words[mark.to]
        names = sorted({*map(str, self.known.get(mark.to, ()))}) if isinstance(mark, Ref) else []
        plain = self.value(kind)
        return {"anyOf": [{"enum": names}, plain]} if names else plain


def model_schema(
    model: Any,
    known: Mapping[str, Collection[str]],
    words: Mapping[str, Schema] | None = None,
    *,
    shared: bool = False,
    over: bool = False,
) -> Schema:
    """Return the schema of a file that is read as `model`.

    Args:
        known: Names to complete from, by `Ref.to`.
        words: Schemas of names of which there are no others, by `Ref.to`.
        shared: Whether several files share the keys of the top.
        over: Whether the file changes others, so that keys may be missing everywhere.
    """
    writer = _SchemaWriter(known, words or {}, over)
    return {**writer.model(model, partial=shared or over), "definitions": writer.definitions}
