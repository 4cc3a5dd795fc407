"""What an author states, while it is checked: ratings, steps that went, starts, advances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sheetgen.diag.spans import Span


@dataclass(frozen=True, slots=True)
class Stated:
    """A rating as the author wrote it."""

    rating: int | None
    span: Span
    stars: int = 0
    detail: str = ""
    most: int | None = None


@dataclass(frozen=True, slots=True)
class LostSteps:
    """Steps that a trait no longer has: sold or lost, as `key` of the file says."""

    steps: tuple[int, ...]
    span: Span
    key: str


@dataclass(frozen=True, slots=True)
class PoolStart:
    """What a choice says that a pool starts with."""

    amount: int
    name: str
    catalogue: str
    span: Span


@dataclass(frozen=True, slots=True)
class BoughtAdvance:
    """A step that was bought after creation.

    Attributes:
        trait: What was raised; empty for an item or a named advance.
        raised: What a named advance raised.
        after, adds: Of an item: its rating since, and the trait that its damage adds.
    """

    trait: str
    price: int
    raised: Mapping[str, int] = field(default_factory=dict)
    after: int = 0
    adds: str = ""
