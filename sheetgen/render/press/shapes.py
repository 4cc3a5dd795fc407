"""Draw shapes of the tokens as path operators (ISO 32000-1, 8.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.spans import Span
from sheetgen.model.prints import Shape, Tokens
from sheetgen.render.pdf.syntax import ink, pdf_number

_STEP: Final = re.compile(r"([MLCZ])([^MLCZ]*)")
_NUMBER: Final = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)")
_OPERATORS: Final = {"M": (2, b"m"), "L": (2, b"l"), "C": (6, b"c"), "Z": (0, b"h")}


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
    """Return the operators that draw `shape` in a box whose lower left is the origin.

    Raises:
        ValueError: The path has commands other than M, L, C and Z, all absolute.
    """
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
    if _STEP.sub("", shape.path).strip():
        raise ValueError(f"a path may only have the commands M, L, C and Z: `{shape.path}`")
    for letter, rest in _STEP.findall(shape.path):
        count, operator = _OPERATORS[letter]
        values = [float(value) for value in _NUMBER.findall(rest)]
        if (len(values) % count if count else values) or (count and not values):
            raise ValueError(f"`{letter}{rest.strip()}` takes {count} numbers")
        for start in range(0, len(values) or 1, count or 1):
            for i in range(start, start + count, 2):
                yield pdf_number(shape.inset + values[i] * across)
                # SVG counts downwards, PDF upwards.
                yield pdf_number(height - shape.inset - values[i + 1] * up)
            # More pairs after an M are lines, as SVG has it.
            yield b"l" if letter == "M" and start else operator
