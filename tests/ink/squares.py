"""Squares of a page: which things are near a box."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from tests.ink.outlines import Box

SIDE = 24
"""Points."""


class Cells:
    """The squares that boxes lie in."""

    def __init__(self, boxes: Iterable[Box]) -> None:
        self.used = {square for box in boxes for square in squares(box)}

    def __contains__(self, box: Box) -> bool:
        return not self.used.isdisjoint(squares(box))


class Boxed(Protocol):
    @property
    def box(self) -> Box: ...


T = TypeVar("T", bound=Boxed)


@dataclass
class Grid(Generic[T]):
    """Things by the squares of the page that they lie in."""

    things: Iterable[T]
    cells: dict[tuple[int, int], list[T]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for thing in self.things:
            for cell in squares(thing.box):
                self.cells[cell].append(thing)

    def near(self, box: Box) -> Iterable[T]:
        """Return the things whose boxes meet `box`, each once."""
        left, top, right, foot = box
        found: dict[int, T] = {}
        for cell in squares(box):
            for thing in self.cells.get(cell, ()):
                x0, y0, x1, y1 = thing.box
                if x0 <= right and x1 >= left and y0 <= foot and y1 >= top:
                    found[id(thing)] = thing
        return found.values()


def squares(box: Box) -> Iterator[tuple[int, int]]:
    for x in range(int(box[0] // SIDE), int(box[2] // SIDE) + 1):
        for y in range(int(box[1] // SIDE), int(box[3] // SIDE) + 1):
            yield x, y
