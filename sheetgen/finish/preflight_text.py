"""How preflight words its findings: lengths, pages, and what many pages have alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from sheetgen.units import MM

ALIKE: Final = 3
"""So many findings that differ only in figures are listed; of more, the first, and how many."""

VARIES: Final = re.compile(r"`[^`]*`|[\d.,]+")


def group_alike(messages: Iterable[str]) -> Iterator[str]:
    """Yield messages; of many that differ only in figures the first, and how many there are."""
    found: dict[str, list[str]] = {}
    for message in messages:
        found.setdefault(VARIES.sub("", message), []).append(message)
    for alike in found.values():
        if len(alike) <= ALIKE:
            yield from alike
        else:
            yield f"{alike[0]}; {len(alike) - 1:,} more times alike"


def format_mm(points: float) -> str:
    """Return a length in millimetres, to a thousandth."""
    return f"{points / MM:.3f}".rstrip("0").removesuffix(".")


def format_pages(numbers: Iterable[int], of: int) -> str:
    """Return which pages these are: `page 3`, `pages 1–4, 7`, `all 18 pages`."""
    listed = sorted(set(numbers))
    if len(listed) == of and of > 1:
        return f"all {of} pages"
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(listed), lambda pair: pair[1] - pair[0])
    ]
    said = ", ".join(f"{r[0]}–{r[-1]}" if len(r) > 1 else str(r[0]) for r in runs[:12])
    more = " and others" if len(runs) > 12 else ""
    return f"page{'s' if len(listed) > 1 else ''} {said}{more}"


def format_list(names: Iterable[str], most: int = 12) -> str:
    """Return `names` in a row; beyond `most` only how many more there are."""
    every = list(names)
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more
