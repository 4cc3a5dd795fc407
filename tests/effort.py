"""How much work a call does, counted: the same on a slow machine and beside busy processes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class TooMuchWork(AssertionError):
    """More calls than a test allows."""


@contextmanager
def at_most_calls(most: int) -> Iterator[None]:
    """Stop what runs inside at its call number `most + 1`, of Python's or of C's functions."""
    left = most

    def count(_frame: FrameType, event: str, _what: Any) -> None:
        nonlocal left
        if event in ("call", "c_call"):
            left -= 1
            if left < 0:
                sys.setprofile(None)
                raise TooMuchWork(f"more than {most} calls")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)


def growth(work: Callable[[int], object], size: int, times: int = 16) -> float:
    """Return how many times longer `work` takes for `times` its size; about `times` if linear.

    For work inside one C function, where no calls can be counted, such as a regular expression.
    """

    def seconds(count: int) -> float:
        taken = []
        for _ in range(3):
            start = time.process_time()
            work(count)
            taken.append(time.process_time() - start)
        return max(min(taken), 1e-3)

    return seconds(size * times) / seconds(size)
