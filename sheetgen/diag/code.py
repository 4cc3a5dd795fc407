"""The class of codes of findings."""

from __future__ import annotations

from sheetgen.records import frozen


@frozen
class Code:
    """A kind of finding, as `sheetgen explain` describes it.

    Attributes:
        title: What is wrong, as a noun phrase.
        about: Why it matters, and what to do.
    """

    id: str
    title: str
    about: str
