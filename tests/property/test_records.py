"""Frozen classes behave as frozen dataclasses do."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, field, replace

import pytest

from sheetgen.records import frozen, frozen_by_identity


@frozen
class Pair:
    """Two values, and one that is not compared."""

    first: int
    rest: list[int] = field(default_factory=list)
    word: str = field(default="w", compare=False, repr=False)


@frozen
class Named:
    """A class with a hash of its own."""

    names: dict[str, int]

    def __hash__(self) -> int:
        """Return a constant."""
        return 7


@frozen_by_identity
class Node:
    """A class whose objects are not compared."""

    value: int = 1


def test_values_are_compared_and_shown() -> None:
    assert Pair(1) == Pair(1, [], word="other") != Pair(2)
    assert repr(Pair(1, [2])) == "Pair(first=1, rest=[2])"
    assert Pair(1).rest is not Pair(1).rest
    assert Pair(1).__eq__(1) is NotImplemented
    assert hash(Named({})) == 7
    assert Node() != Node()


def test_nothing_can_be_changed_except_in_a_copy() -> None:
    with pytest.raises(FrozenInstanceError):
        Pair(1).first = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del Node().value
    with pytest.raises((AttributeError, FrozenInstanceError)):
        Pair(1).other = 2  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        Pair()  # type: ignore[call-arg]
    assert replace(Pair(1), first=3) == Pair(3)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))]
)
def test_copies_are_equal(copied) -> None:  # type: ignore[no-untyped-def]
    one = Pair(1, [2], "x")
    assert copied(one) == one
    assert copied(one).word == "x"
    assert copied(Node(5)).value == 5
