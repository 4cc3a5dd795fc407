"""Places, read off the form widgets that a plate was laid out with."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from sheetgen.model.prints import Place, Tokens
from sheetgen.units import Box

if TYPE_CHECKING:
    import pikepdf

KINDS: Final = ("text", "lines", "tick", "mark")
_NAME: Final = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_]+)*")


class PlateError(ValueError):
    """A template asks for something that no plate can hold."""


def page_size(page: pikepdf.Page) -> tuple[float, float]:
    """Return width and height of the trimmed page, in points."""
    left, bottom, right, top = (float(v) for v in page.trimbox)
    return round(right - left, 3), round(top - bottom, 3)


def read_place(widget: Any, page: int, height: float) -> Place:
    """Return the place that `widget`, on a page of `height`, stands for.

    Raises:
        PlateError: Its name is not of the form `p|KIND|ROLE|NAME`.
    """
    told = str(widget.T).split("|")
    if len(told) != 4 or told[0] != "p" or told[1] not in KINDS:
        raise PlateError(f"`{widget.T}` is no place; write p|KIND|ROLE|NAME")
    _, kind, role, name = told
    if not _NAME.fullmatch(name):
        raise PlateError(f"`{name}` is no name of a place; use a-z, 0-9, _ and dots")
    # The engine flips rectangles together with the page, and leaves them so.
    x0, y0, x1, y1 = (float(v) for v in widget.Rect)
    left, right, bottom, top = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    box = Box(
        round(left, 3),
        round(height - top, 3),
        round(right - left, 3),
        round(top - bottom, 3),
    )
    return Place(name, kind, role, str(widget.get("/TU", "")) or name, page, box)


def check_places(places: Iterable[Place], tokens: Tokens) -> None:
    """Refuse places that cannot all be filled and read back.

    Raises:
        PlateError: Two have one name, one is named like the group of another, a role
            or style is not in `tokens`, or a box is flat.
    """
    names: set[str] = set()
    groups: set[str] = set()
    for place in places:
        if place.name in names:
            raise PlateError(f"two places are named `{place.name}`")
        names.add(place.name)
        parts = place.name.split(".")
        groups |= {".".join(parts[:end]) for end in range(1, len(parts))}
        known: Iterable[str] = tokens.ticks if place.kind == "tick" else tokens.roles
        unset = place.kind == "mark" and not place.role
        if not unset and place.role not in known:
            what = "tick style" if place.kind == "tick" else "role"
            raise PlateError(f"`{place.name}` has the {what} `{place.role}`: no such token")
        if place.box.width <= 0 or place.box.height <= 0:
            raise PlateError(f"the box of `{place.name}` is flat")
    if both := names & groups:
        raise PlateError(f"`{min(both)}` is a place and also a group of places")
