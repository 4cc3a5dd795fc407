"""How many cases tests try: samples, or every combination with `SHEETGEN_TEST_ALL=1`.

A sample is always the same one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
Case = tuple[Any, ...]

ALL = os.environ.get("SHEETGEN_TEST_ALL") == "1"
FEW = 2  # cases of each test that is marked `many`, in `make test`


def cover(*values: Sequence[Any]) -> list[Case]:
    """Return combinations in which every two values of two parameters occur together."""
    rows = list(product(*values))
    if ALL:
        return rows
    lacking = {pair for row in rows for pair in _pairs(row)}
    chosen: list[Case] = []
    while lacking:
        chosen.append(max(rows, key=lambda row: len(lacking & _pairs(row))))
        lacking -= _pairs(chosen[-1])
    return chosen


def _pairs(row: Case) -> set[tuple[tuple[int, Any], ...]]:
    return set(combinations(enumerate(row), 2))


def by_turns(*values: Sequence[Any]) -> list[Case]:
    """Return combinations in which every value of every parameter occurs."""
    if ALL:
        return list(product(*values))
    return [tuple(v[n % len(v)] for v in values) for n in range(max(map(len, values)))]


def spread(cases: Iterable[T], most: int) -> list[T]:
    """Return at most `most` cases, at even distances."""
    found = list(cases)
    return found if ALL else found[:: -(-len(found) // most) or 1]


def some_characters(paths: Sequence[Path]) -> list[Path]:
    """Return of each folder the characters with the longest and the shortest file, and no more."""
    by_size = sorted(paths, key=lambda path: (path.parent, path.stat().st_size))
    ends = ({path.parent: path for path in one} for one in (by_size, reversed(by_size)))
    chosen = {path for end in ends for path in end.values()}
    return [path for path in paths if ALL or path in chosen]


def count(all_: int, share: int) -> int:
    """Return how many random cases are tried: all, or one of `share`."""
    return all_ if ALL else -(-all_ // share)
