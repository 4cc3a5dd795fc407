"""A code of findings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding.

    Attributes:
        title: What is wrong, as a noun phrase.
        about: Why it matters and how to mend it.
    """

    id: str
    title: str
    about: str
