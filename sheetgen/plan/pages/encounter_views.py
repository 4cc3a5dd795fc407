"""What the template of an encounter page draws: sections, strips, tracks, and runs of words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from sheetgen.model.rulesets.encounters import FigureColumn, StripRules
from sheetgen.plan.pages.footnotes import Footnote

_WIDE: Final = 6
_WIDE_SUFFIXED: Final = 5
"""The most boxes of a track in one row, two a column; the second if words follow the boxes."""

_COPIES: Final = 4
_PAIRED: Final = 3
"""The tracks of more copies than `_COPIES` are printed in pairs if none has more boxes."""


@dataclass(frozen=True, slots=True)
class Run:
    """Words in one style.

    Attributes:
        text: Without the last letters of a code, which are in `small`.
        unit: The unit behind the text.
        end: Punctuation between this run and the next.
        mark: The letter of a footnote.
        tight: Whether the line must not break after it.
        dice: Drawn instead of `text`, which is for screen readers then.
        column: The column of figures that it is printed in; 0 for the line of text.
    """

    text: str
    small: str = ""
    unit: str = ""
    strong: bool = False
    end: str = ""
    label: str = ""
    mark: str = ""
    tight: bool = False
    dice: tuple[str, ...] = ()
    column: int = 0


@dataclass(frozen=True, slots=True)
class TrackView:
    """The boxes of one copy: the text in each, and whether it is marked.

    Attributes:
        name: The name of the copy.
        end: The text of the box that ends the track.
        suffix: Words behind the boxes.
        steps: Numbers of the boxes that lead to another state.
        states: Boxes of states above the track, and whether each is marked.
    """

    name: str
    boxes: tuple[tuple[str, bool], ...]
    end: str
    suffix: str
    steps: tuple[int, ...] = ()
    states: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class StripView:
    """One combatant with its copies.

    Attributes:
        picture: The name of its picture; "" without one.
    """

    name: str
    about: str
    corner: Run
    figures: tuple[Run, ...]
    steps: tuple[Run, ...]
    tracks: tuple[TrackView, ...]
    track_label: str
    sides: tuple[tuple[str, str], ...]
    lines: tuple[tuple[Run, ...], ...]
    picture: str = ""

    @property
    def close(self) -> bool:
        """Whether three boxes of a track share a column of the ladder, instead of two."""
        tracks = self.tracks
        most = max((len(track.boxes) for track in tracks), default=0)
        suffixed = any(track.suffix for track in tracks)
        return most > (_WIDE_SUFFIXED if suffixed else _WIDE) or len(tracks) > _COPIES

    @property
    def paired(self) -> bool:
        """Whether the tracks of two copies are side by side."""
        fit = all(len(t.boxes) <= _PAIRED and not t.suffix and len(t.name) < 3 for t in self.tracks)
        return fit and len(self.tracks) > _COPIES


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """The row of a player's character: its name, and the texts of its sheet if it has a file."""

    name: str
    texts: Mapping[str, str] = field(default_factory=dict)

    def figure(self, column: FigureColumn) -> str:
        """Return the figure of a column; empty where the sheet has none: it is written in."""
        stem = column.of.removesuffix(".text")
        names = (column.of, f"{column.noted}.value", f"{stem}.value")
        return next((self.texts[name] for name in names if self.texts.get(name)), "")


@dataclass(frozen=True, slots=True)
class EncounterSection:
    """The combatants of one kind below a head of columns, and the players' rows."""

    words: StripRules
    players: tuple[PlayerRow, ...]
    strips: tuple[StripView, ...]


@dataclass(frozen=True, slots=True)
class Fight:
    """A planned encounter page."""

    title: str
    sections: tuple[EncounterSection, ...]
    notes: tuple[Footnote, ...] = ()
