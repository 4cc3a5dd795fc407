"""Draw shapes of the tokens as path operators (ISO 32000-1, 8.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.spans import Span
from sheetgen.model.prints import Shape, Tokens
from sheetgen.render.pdf.syntax import ink, pdf_number
from sheetgen.units.paths import segments

_OPERATORS: Final = {"M": b"m", "L": b"l", "C": b"c", "Z": b"h"}


def missing_token(what: str, name: str) -> DesignError:
    """Return the error for a role or a shape that the tokens lack."""
    message = f"the tokens have no {what} `{name}`"
    hint = f"add it under `{what}s` of the design's tokens.yaml"
    return DesignError((Finding(codes.BAD_DESIGN, Span("templates"), message, hint),))


def find_shape(tokens: Tokens, name: str) -> Shape:
    """Return the shape called `name`.

    Raises:
        DesignError: There is none.
    """
    if name not in tokens.shapes:
        raise missing_token("shape", name)
    return tokens.shapes[name]


def draw_shape(shape: Shape, width: float, height: float, colours: Mapping[str, str]) -> bytes:
    """Return the operators that draw `shape` in a box whose lower left is the origin."""
    painting = _painting(shape)
    if not painting:
        return b""
    state = []
    if shape.fill:
        state.append(ink(colours[shape.fill]))
    if shape.stroke:
        state.append(ink(colours[shape.stroke], stroke=True))
        state.append(pdf_number(shape.weight * width or shape.width) + b" w")
    return b" ".join([*state, *_path(shape, width, height), painting])


def _painting(shape: Shape) -> bytes:
    if shape.fill:
        return b"B" if shape.stroke else b"f"
    return b"S" if shape.stroke else b""


def _path(shape: Shape, width: float, height: float) -> Iterator[bytes]:
    across = max(width - 2 * shape.inset, 0)
    up = max(height - 2 * shape.inset, 0)
    for letter, values in segments(shape.path):
        for x, y in zip(values[::2], values[1::2], strict=True):
            yield pdf_number(shape.inset + x * across)
            # SVG counts downwards, PDF upwards.
            yield pdf_number(height - shape.inset - y * up)
        yield _OPERATORS[letter]
