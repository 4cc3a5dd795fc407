"""Find what a laid-out blank prints over something else: the rules have more than it has room for.

Designs are drawn for the rules that they come with. An overlay may add a skill, a row of a table
or a long name, which pushes a part over the next one. The engine does not complain about this.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

_PX: Final = 0.75  # points of the engine's unit
# Points by which two texts, or a place and something else, may overlap: slack of their boxes.
_TEXTS, _PLACES = 1.0, 2.1
# A text of so few letters belongs to the place that it is in, such as the D of a dice code.
_UNIT: Final = 2
_ASCENT, _DESCENT = 0.66, 0.2  # extent of letters above and below their baseline, of their size
_EDGE: Final = 1.5  # points by which letters may leave the printable page
_UNPRINTED: Final = 7.7 * 72 / 25.4  # points at the foot of paper that printers leave
_PAPER: Final = 180 * 72 / 25.4  # points: the height of a page of paper is more
PAGE_EDGE: Final = "the edge of the page"
# Places that are mostly empty, and set their words at one end: texts may reach into them.
_QUIET: Final = ("onward.", "continued")
# Endings of places that print only while the place of the same name is empty.
_TWINS: Final = ("_blank", "_short")


class Crowded(ValueError):
    """A blank prints something over something else: `pairs` of words or labels of places."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        super().__init__(pairs)  # these are what pickling keeps
        self.pairs = pairs

    def __str__(self) -> str:
        return "; ".join(f"“{one}” over “{other}”" for one, other in self.pairs[:3])


@dataclass(slots=True)
class _Inked:
    """A line of text, or a place, in points from the top left of the page."""

    page: int
    left: float
    top: float
    right: float
    foot: float
    words: str
    name: str = ""
    column: float = math.inf  # the right edge of the section that a text is in


def check_room(document: Any) -> None:
    """Raise `Crowded` if parts of a laid-out document are over each other or leave the page."""
    pairs: list[tuple[str, str]] = []
    for number, page in enumerate(document.pages):
        found = sorted(_list_inked(number, page), key=lambda one: one.top)
        pairs += _list_overlaps(found)
        pairs += _list_outside(found, page)
    if pairs:
        raise Crowded(list(dict.fromkeys(pairs)))


def _list_inked(number: int, page: Any) -> Iterator[_Inked]:
    from weasyprint.formatting_structure.boxes import TextBox

    for box, column in _walk(page._page_box, math.inf):
        if box.element_tag == "input":
            _, _, _, name = str(box.element.get("name")).split("|")
            if not name.startswith(_QUIET):
                left, top = box.content_box_x() * _PX, box.content_box_y() * _PX
                right, foot = left + box.width * _PX, top + box.height * _PX
                label = str(box.element.get("title") or name)
                yield _Inked(number, left, top, right, foot, label, name)
        elif box.element_tag == "i" and "die" in str(box.element.get("class")).split():
            left, top = box.content_box_x() * _PX, box.content_box_y() * _PX
            right, foot = left + box.width * _PX, top + box.height * _PX
            yield _Inked(number, left, top, right, foot, "a die", column=column)
        elif isinstance(box, TextBox) and box.text.strip():
            size, left = box.style["font_size"] * _PX, box.position_x * _PX
            base = (box.position_y + box.baseline) * _PX
            top, foot = base - _ASCENT * size, base + _DESCENT * size
            right, words = left + box.width * _PX, box.text.strip()
            yield _Inked(number, left, top, right, foot, words, column=column)


def _walk(box: Any, column: float) -> Iterator[tuple[Any, float]]:
    """Yield a box and those in it, each with the right edge of its section."""
    if box.element_tag == "section":
        column = (box.border_box_x() + box.border_width()) * _PX
    yield box, column
    for child in getattr(box, "children", ()):
        yield from _walk(child, column)


def _list_overlaps(found: list[_Inked]) -> Iterator[tuple[str, str]]:
    """Yield what overlaps, of things in the order of their tops."""
    for at, one in enumerate(found):
        for other in found[at + 1 :]:
            if other.top > one.foot:
                break
            across = min(one.right, other.right) - max(one.left, other.left)
            down = min(one.foot, other.foot) - other.top
            slack = _PLACES if one.name or other.name else _TEXTS
            if min(across, down) > slack and not _belong(one, other):
                yield one.words, other.words


def _belong(one: _Inked, other: _Inked) -> bool:
    """Whether two things may share a spot: a unit in its place, one place for two cases, steps."""
    if not one.name and not other.name:
        return False
    if one.name and other.name:
        short, long = sorted((one.name, other.name), key=len)
        if long.removeprefix(short) in _TWINS or f"to_draw.{short}" == long:
            return True
        # Names of steps of a track: each is printed at some of the boxes only.
        stems = {name.rpartition(".")[0] for name in (short, long)}
        return len(stems) == 1 and stems.pop().endswith(".step")
    text = other if one.name else one
    return len(text.words) <= _UNIT or not any(map(str.isalnum, text.words))


def _list_outside(found: Iterable[_Inked], page: Any) -> Iterator[tuple[str, str]]:
    box = page._page_box
    foot = (box.content_box_y() + box.height) * _PX + _EDGE
    high = box.margin_height() * _PX
    if high > _PAPER:  # what is smaller is cut from paper
        foot = min(foot, high - _UNPRINTED + _EDGE)
    right = (box.content_box_x() + box.width) * _PX + _EDGE
    for one in found:
        if one.foot > foot or (one.right > right and not one.name):
            yield one.words, PAGE_EDGE
        elif one.right > one.column + _EDGE:
            yield one.words, "the next column"
