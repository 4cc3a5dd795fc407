"""What the steps of a check record in a draft: stated ratings, lost steps, starts, advances."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, TypeAlias

from sheetgen.diag.spans import Span
from sheetgen.model.build import Value
from sheetgen.records import frozen

Evaluate: TypeAlias = Callable[[Any, Any], int]
"""Evaluates a formula with the names of a scope."""


@frozen
class Guess:
    """A formula that a step needed before all ratings were known.

    Attributes:
        final: Whether it sees the finished character, or ratings before advances.
    """

    evaluate: Evaluate
    formula: str
    final: bool
    names: Mapping[str, Value]


@frozen
class Stated:
    """A rating as the author wrote it.

    Attributes:
        span: The place of the trait's name.
        most: The author's own limit for a trait of his.
        at: The place of the rating.
    """

    rating: int | None
    span: Span
    stars: int = 0
    detail: str = ""
    most: int | None = None
    at: Span | None = None


@frozen
class LostSteps:
    """Steps that a trait no longer has: sold or lost, as `key` of the file says."""

    steps: tuple[int, ...]
    span: Span
    key: str


@frozen
class PoolStart:
    """What a choice says that a pool starts with."""

    amount: int
    name: str
    catalogue: str
    span: Span


@frozen
class BoughtAdvance:
    """A step that was bought after creation.

    Attributes:
        trait: The trait that was raised; empty for an item or a named advance.
        raised: The steps that a named advance gave, by trait.
        after, adds: Of an item: its rating after the advance, and the trait added to its damage.
    """

    trait: str
    price: int
    raised: Mapping[str, int] = field(default_factory=dict)
    after: int = 0
    adds: str = ""


def with_count(name: str, count: int) -> str:
    """Return a name as ledgers and lists show several of it: `Name ×2`."""
    return f"{name} ×{count}" if count > 1 else name
