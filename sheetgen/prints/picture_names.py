"""Names of pictures of cards: after what a card shows, unique, and safe for every file system."""

from __future__ import annotations

import hashlib
from collections.abc import Container

from sheetgen.model.prints import CardPage, CardPlan, PlacedFace
from sheetgen.rules.index import folded
from sheetgen.write import free_name, portable_name


def list_picture_names(plan: CardPlan) -> tuple[str, ...]:
    """Return the name of each page of a plan with one card a page.

    A page without a card has none, and neither have repetitions of the game's own back.
    """
    names: dict[str, None] = {}
    listed: list[str] = []
    backs: list[tuple[PlacedFace, ...]] = []
    front = ""
    for number, page in enumerate(plan.pages):
        is_back = bool(plan.duplex) and number % 2 == 1
        if not page.placed or page.placed in backs:
            listed.append("")
            continue
        if not is_back:
            front = name = unique_name(page.placed[0].face.name, names)
        elif has_own_back(page):
            name = unique_name(f"{front}-back", names)
        else:
            backs.append(page.placed)
            name = unique_name("back", names)
        names[name] = None
        listed.append(name)
    return tuple(listed)


def has_own_back(page: CardPage) -> bool:
    """Whether a back shows more of its card, not the back of the game."""
    return bool(page.placed) and page.placed[0].face.parts > 1


def unique_name(text: str, taken: Container[str], *, ascii_only: bool = False) -> str:
    """Return a name that is not among the names `taken`, which this function returned.

    Letters that `ascii_only` drops count in a digest, so that the name depends on `text` alone.
    """
    plain = folded(text)
    if ascii_only and not plain.isascii():
        digest = hashlib.sha256(plain.encode()).hexdigest()[:6]
        plain = " ".join("".join(c if c.isascii() else " " for c in plain).split())
        plain = f"{plain or 'card'} {digest}"
    name = portable_name(plain.replace(" ", "-"))
    return free_name(name if any(map(str.isalnum, name)) else "card", taken)
