"""Named values that any print can show: texts, marked boxes, frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class ShownText(NamedTuple):
    """One text of a view.

    Attributes:
        label: What it is called where it has to be printed elsewhere.
        written: Whether the author wrote it or paid for it, so that it must not be lost.
        state: A suffix for its role, or empty.
    """

    text: str
    label: str = ""
    written: bool = True
    state: str = ""


@dataclass
class View:
    """All named values of a build.

    Attributes:
        ticks: Marked boxes, to the shape that marks them or "" for the usual one.
        frames: Boxes with another frame than usual, to the shape, or "" for none.
    """

    texts: dict[str, ShownText] = field(default_factory=dict)
    ticks: dict[str, str] = field(default_factory=dict)
    frames: dict[str, str] = field(default_factory=dict)

    def put(
        self, name: str, text: str, label: str = "", *, written: bool = True, state: str = ""
    ) -> None:
        """Add a text, unless there is nothing to show."""
        if text:
            self.texts[name] = ShownText(text, label or name, written, state)
