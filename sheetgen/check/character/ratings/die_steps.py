"""Words for bought dice in a ledger: of a step, and of several steps in one row."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from sheetgen.records import frozen

DIE: Final = "die"
"""The kind of the lines of a ledger that bought a die, or a step of one."""

_STEP: Final = re.compile(r"(a )?d(\d{1,4})(?: to d(\d{1,4}))?, with (.+)")


@frozen
class DieSteps:
    """A bought die, or steps of one die from a size to another.

    Attributes:
        new: Whether the die itself was bought.
        held: How many dice were held then, in words.
    """

    new: bool
    first: int
    last: int
    held: str

    def __str__(self) -> str:
        size = f"d{self.first}" + (f" to d{self.last}" if self.last != self.first else "")
        return f"{'a ' if self.new else ''}{size}, with {self.held}"

    def has(self, other: DieSteps) -> bool:
        """Whether `other` is among these steps."""
        inside = self.first <= other.first and other.last <= self.last
        return inside and self.held == other.held and self.new >= other.new


def parse_die_steps(text: str) -> DieSteps | None:
    """Return the steps that the words of a ledger's row name."""
    found = _STEP.fullmatch(text.strip())
    if found is None:
        return None
    new, first, last, held = found.groups()
    return DieSteps(bool(new), int(first), int(last or first), held)


def join_die_steps(one: str, other: str) -> str | None:
    """Return the words for both rows if `other` continues the steps of the die of `one`."""
    before, after = parse_die_steps(one), parse_die_steps(other)
    if before is None or after is None or after.new or before.held != after.held:
        return None
    return str(replace(before, last=after.last)) if before.last == after.first else None
