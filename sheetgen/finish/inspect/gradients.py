"""Find the heaviest colour of a gradient: a shading, by itself or as a pattern."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

from sheetgen.finish.inspect.colour_spaces import Space
from sheetgen.finish.inspect.functions import function_of, pairs_of
from sheetgen.finish.inspect.painting import Colour, unpacked
from sheetgen.load.bounds import pass_memory_error

_STEPS: Final = 256
"""Places of a function of one variable at which it is computed."""

_STEPS_OF_TWO: Final = 24
"""The same for each of two variables."""

_MOST_POINTS: Final = 200_000
"""Points of a mesh."""


def colour_of_gradient(shading: Any, space: Space, *, background: bool) -> Colour:
    """Return the colour of a shading with the most ink; without components if it is not known.

    Args:
        background: Whether what is beyond the gradient is filled too, as in patterns.
    """
    try:
        found = list(_colours(shading, space))
        if background and "/Background" in shading:
            found.append(tuple(float(number) for number in shading.Background))
        heaviest = max(found, key=lambda numbers: sum(space.inks(numbers).values()))
    except Exception as error:  # noqa: BLE001 - libraries raise anything
        pass_memory_error(error)
        heaviest = ()
    return Colour(space.family, heaviest if space.plates else (), space)


def _colours(shading: Any, space: Space) -> Iterator[tuple[float, ...]]:
    kind = int(shading.get("/ShadingType", 0))
    function = function_of(shading.Function) if "/Function" in shading else None
    if kind in (4, 5, 6, 7):
        points = _points_of_mesh(shading, kind, 1 if function else space.count)
        if function is None:
            yield from points
            return
        ends = [number for point in points for number in point]
        low, high = min(ends), max(ends)
        yield from (tuple(function([low + (high - low) * n / _STEPS])) for n in range(_STEPS + 1))
        return
    if function is None:
        raise ValueError("no function")
    domain = pairs_of(shading.get("/Domain", [0, 1, 0, 1]))
    count, variables = (_STEPS_OF_TWO, 2) if kind == 1 else (_STEPS, 1)
    places = [
        [low + (high - low) * n / count for n in range(count + 1)]
        for low, high in domain[:variables]
    ]
    if variables == 1:  # the ends of the parts are often the heaviest
        places[0] += _bounds(shading.Function, 0)
    for values in product(*places):
        yield tuple(function(values))


def _bounds(function: Any, depth: int) -> list[float]:
    import pikepdf

    if isinstance(function, pikepdf.Array) or depth:
        return []
    edges = [float(number) for number in list(function.get("/Bounds", []))[:1000]]
    return edges + [edge - 1e-6 for edge in edges]


def _points_of_mesh(shading: Any, kind: int, numbers: int) -> Iterator[tuple[float, ...]]:
    """Yield the components at the points of a mesh (8.7.4.5.5 to 8.7.4.5.8)."""
    data = unpacked(shading)
    place, bits = int(shading.BitsPerCoordinate), int(shading.BitsPerComponent)
    flag = int(shading.get("/BitsPerFlag", 0)) if kind != 5 else 0
    decode = pairs_of(shading.Decode)[2:]
    at, end = 0, len(data) * 8
    for _ in range(_MOST_POINTS):
        points, colours = 1, 1
        if kind in (6, 7):
            continued = at + flag <= end and _bits(data, at, flag) & 3
            points = (12 if kind == 6 else 16) - (4 if continued else 0)
            colours = 2 if continued else 4
        at += flag + 2 * points * place
        for _ in range(colours):
            if at + numbers * bits > end:
                return
            found = []
            for low, high in decode[:numbers]:
                found.append(low + _bits(data, at, bits) * (high - low) / ((1 << bits) - 1))
                at += bits
            yield tuple(found)
        at = (at + 7) // 8 * 8
    raise ValueError("a large mesh")


def _bits(data: bytes, at: int, count: int) -> int:
    piece = int.from_bytes(data[at // 8 : (at + count + 7) // 8])
    return (piece >> (-(at + count) % 8)) & ((1 << count) - 1)
