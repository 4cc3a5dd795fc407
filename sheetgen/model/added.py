"""What a plan adds to a plate: places, and their structure elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sheetgen.model.prints import Place


@dataclass(frozen=True, slots=True)
class AddedTag:
    """A structure element that a plan adds to a plate, for text that has no place on its blank.

    Attributes:
        parent: Its number among the added ones; -1 for the element at which they are added.
        extra: Further entries of its dictionary.
        texts: Names of the places whose texts it contains, in reading order.
    """

    tag: str
    parent: int = -1
    extra: str = ""
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Added:
    """Places that a plan adds to a plate, and their structure.

    Attributes:
        anchor: The name of the mark whose structure element contains them.
    """

    anchor: str
    places: tuple[Place, ...]
    tags: tuple[AddedTag, ...]
