"""Tokens of a theme: the mappings that its YAML files hold, laid together and checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sheetgen.model.prints import Role, Shape, Tick, Tokens

_COLOUR: Final = re.compile(r"#[0-9A-Fa-f]{6}")
_FACE: Final = re.compile(r"[a-z]+-[1-9]00i?")
_FONT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\.(ttf|otf)")
_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PATH: Final = re.compile(r"[MLCZ0-9 .,-]*")
_LETTERS: Final = re.compile(r"ascii|plain")
_CSS: Final = re.compile(r"[#A-Za-z0-9 .,%+*/()-]+")
_PARTS: Final = ("colours", "faces", "roles", "shapes", "ticks", "css", "letters")


def read_tokens(*mappings: Mapping[str, Any]) -> Tokens:
    """Return the tokens that `mappings` say together; a later one overrides an earlier.

    An entry of roles, shapes or ticks is overridden field by field, so that a theme
    says no more than what it changes.

    Raises:
        ValueError: A part or field is unknown, or a value is not what it should be; the
            message says where. Values end in style sheets and in PDF, so they are
            matched against patterns and never quoted.
    """
    laid: dict[str, dict[str, Any]] = {part: {} for part in _PARTS}
    for mapping in mappings:
        _lay(laid, mapping)
    tokens = Tokens(
        colours=_matching("colours", laid["colours"], _COLOUR),
        faces=_matching("faces", laid["faces"], _FONT),
        roles={name: _made(Role, "roles", name, v) for name, v in laid["roles"].items()},
        shapes={n: _made(Shape, "shapes", n, v) for n, v in laid["shapes"].items()},
        ticks={name: _made(Tick, "ticks", name, v) for name, v in laid["ticks"].items()},
        css=_matching("css", laid["css"], _CSS),
        letters=_matching("letters", laid["letters"], _LETTERS),
    )
    _check(tokens)
    return tokens


def _lay(laid: dict[str, dict[str, Any]], mapping: Mapping[str, Any]) -> None:
    for part, entries in mapping.items():
        if part not in laid:
            raise ValueError(f"tokens have no part `{part}`; they have {', '.join(_PARTS)}")
        for name, value in (entries or {}).items():
            if not _NAME.fullmatch(str(name)):
                raise ValueError(f"`{part}.{name}`: names are lower-case words with hyphens")
            before = laid[part].get(name)
            if isinstance(before, Mapping) and isinstance(value, Mapping):
                value = {**before, **value}
            laid[part][name] = value


def _matching(part: str, entries: Mapping[str, Any], pattern: re.Pattern[str]) -> dict[str, str]:
    for name, value in entries.items():
        if not pattern.fullmatch(str(value)):
            raise ValueError(f"`{part}.{name}` cannot be `{value}`")
    return {name: str(value) for name, value in entries.items()}


def _made(kind: Any, part: str, name: str, value: Any) -> Any:
    """Return `value` as a role, shape or tick, its numbers as numbers."""
    if not isinstance(value, Mapping):
        raise ValueError(f"`{part}.{name}` must say its parts, such as `{{face: …}}`")
    fields = {}
    for key, said in value.items():
        slot = kind.__dataclass_fields__.get(key)
        if slot is None:
            raise ValueError(f"`{part}.{name}` has no field `{key}`")
        fields[key] = _number(f"{part}.{name}.{key}", said) if "float" in slot.type else said
    try:
        return kind(**fields)
    except TypeError as error:
        raise ValueError(f"`{part}.{name}` lacks a field: {error}") from None


def _number(place: str, said: Any) -> float | None:
    if said is None:
        return None
    if isinstance(said, bool) or not isinstance(said, int | float) or abs(said) > 1000:
        raise ValueError(f"`{place}` must be a number of points, not `{said}`")
    return float(said)


def _check(tokens: Tokens) -> None:
    """Raise ValueError where one token names another that does not exist."""
    for name in tokens.faces:
        if not _FACE.fullmatch(name):
            raise ValueError(f"`faces.{name}`: a face is a family and a weight, `text-400`")
    _known("letters", tokens.letters, tokens.faces)
    for name, role in tokens.roles.items():
        _known(f"roles.{name}.face", [role.face], tokens.faces)
        _known(f"roles.{name}.colour", [role.colour], tokens.colours)
        _known(f"roles.{name}.align", [role.align], ("left", "center", "right"))
        if not 0 < role.least <= role.size:
            raise ValueError(f"`roles.{name}`: `least` lies between 0 and `size`")
    for name, shape in tokens.shapes.items():
        used = [colour for colour in (shape.fill, shape.stroke) if colour]
        _known(f"shapes.{name}", used, tokens.colours)
        if not isinstance(shape.path, str) or not _PATH.fullmatch(shape.path):
            raise ValueError(f"`shapes.{name}.path` may hold only M, L, C, Z and numbers")
    for name, tick in tokens.ticks.items():
        named = [shape for shape in (tick.frame, tick.on) if shape]
        _known(f"ticks.{name}", named, tokens.shapes)


def _known(place: str, names: Iterable[str], among: Iterable[str]) -> None:
    for name in names:
        if name not in among:
            raise ValueError(f"`{place}` names `{name}`, which the tokens do not have")
