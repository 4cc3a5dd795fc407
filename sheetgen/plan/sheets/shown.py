"""Named values that any print can show: texts, marked boxes, frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class ShownText(NamedTuple):
    """One text of a view.

    Attributes:
        label: Its label if it is printed on a continuation page.
        written: Whether the author wrote or bought it, so that it must be printed somewhere.
        state: A suffix for its role, or "".
    """

    text: str
    label: str = ""
    written: bool = True
    state: str = ""


_new = tuple.__new__


@dataclass
class View:
    """All named values of a build.

    Attributes:
        ticks: The shapes that mark boxes, by name; "" is the default shape.
        frames: The shapes of boxes with a special frame, by name; "" is no frame.
        blank: Whether the sheet is empty, so that pools of dice are outlines to shade.
    """

    texts: dict[str, ShownText] = field(default_factory=dict)
    ticks: dict[str, str] = field(default_factory=dict)
    frames: dict[str, str] = field(default_factory=dict)
    blank: bool = False

    def put(
        self, name: str, text: str, label: str = "", *, written: bool = True, state: str = ""
    ) -> None:
        """Add a text unless it is empty."""
        if text:
            # Half as long as a call of the class; views have hundreds of texts.
            self.texts[name] = _new(ShownText, (text, label or name, written, state))
