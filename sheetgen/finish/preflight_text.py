"""Word preflight findings: lengths, page numbers, and groups of similar messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from sheetgen.units import MM

ALIKE: Final = 3
"""Most findings that differ only in figures and are listed one by one."""

VARIES: Final = re.compile(r"`[^`]*`|[\d.,]+")


def group_alike(messages: Iterable[str]) -> Iterator[str]:
    """Yield messages; of many that differ only in figures, the first, and how many more."""
    groups: dict[str, list[str]] = {}
    for message in messages:
        groups.setdefault(VARIES.sub("", message), []).append(message)
    for alike in groups.values():
        if len(alike) <= ALIKE:
            yield from alike
        else:
            yield f"{alike[0]}; {len(alike) - 1:,} more times alike"


def format_mm(points: float) -> str:
    """Return a length in millimetres, to a thousandth."""
    return f"{points / MM:.3f}".rstrip("0").removesuffix(".")


def format_pages(numbers: Iterable[int], of: int) -> str:
    """Return page numbers in words: `page 3`, `pages 1–4, 7`, `all 18 pages`."""
    listed = sorted(set(numbers))
    if len(listed) == of and of > 1:
        return f"all {of} pages"
    ranges = format_ranges(listed)
    more = " and others" if len(ranges) > 12 else ""
    return f"page{'s' if len(listed) > 1 else ''} {', '.join(ranges[:12])}{more}"


def format_ranges(numbers: Iterable[int]) -> list[str]:
    """Return numbers as ranges: `1–4`, `7`."""
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(sorted(set(numbers))), lambda pair: pair[1] - pair[0])
    ]
    return [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]


def format_list(names: Iterable[str], most: int = 12) -> str:
    """Return names separated by commas; beyond `most`, how many more there are."""
    every = list(names)
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more
