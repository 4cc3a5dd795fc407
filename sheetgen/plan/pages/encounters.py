"""An encounter page: sections of strips, each with everything that its template draws."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sheetgen.model.build import Build
from sheetgen.model.rulesets.prints import (
    Encounters,
    FigureColumn,
    LinePiece,
    Sides,
    StripLine,
    StripRules,
    StripTrack,
)
from sheetgen.plan.cards.kinds import CardContext
from sheetgen.plan.cards.strips import collect_numbers
from sheetgen.plan.fit import keep_units
from sheetgen.plan.pages.screen_blocks import BOLD, NAME, PLAIN, TextMeasure
from sheetgen.plan.pages.tables import Footnote, Letters, TableView
from sheetgen.plan.sheets.view import View
from sheetgen.units import MM

BLANK_PLAYERS: Final = 4
"""Empty rows for players if the file names none."""

MOST_BOXES: Final = 24
"""Boxes of one track; hits beyond that are counted in writing."""

ROLL: Final = ".roll.text"
"""The end of the name of a text that describes a dice pool."""

_DOT: Final = "\u00a0·"
"""It never begins a line."""
_CODE: Final = re.compile(r"([−\d]+)(D(?:\+\d)?|\+)")


@dataclass(frozen=True, slots=True)
class Fighter:
    """A checked combatant.

    Attributes:
        copies: The names of its copies, at least one.
        notes: Footnotes by the name of the value that they are about.
        picture: The name of its picture; "" without one.
    """

    build: Build
    view: View
    kind: str
    copies: tuple[str, ...]
    notes: Mapping[str, str]
    picture: str = ""


def plan_fight(
    title: str, players: Sequence[PlayerRow], fighters: Sequence[Fighter], page: Encounters
) -> Fight:
    """Return the encounter page; each kind's combatants are sorted, the highest first."""
    sections, letters = [], Letters()
    kinds = dict.fromkeys((str(page.as_), *map(str, page.strips)))
    for kind in kinds:
        words = page.strips.get(kind)
        if words is None:
            continue
        members = [one for one in fighters if one.kind == kind]
        members.sort(key=lambda one, by=str(words.order): -collect_numbers(one.build).get(by, 0))  # type: ignore[misc]
        rows = tuple(players or (PlayerRow(""),) * BLANK_PLAYERS) if kind == page.as_ else ()
        if members or rows:
            strips = tuple(_Texts(one, letters).strip(words) for one in members)
            sections.append(EncounterSection(words, rows, strips))
    notes = tuple(Footnote(mark, text) for text, mark in letters.marks.items())
    return Fight(title, tuple(sections), notes)


def plan_strip(fighter: Fighter, words: StripRules) -> StripView:
    """Return what a strip shows of a combatant, without footnotes."""
    return _Texts(replace(fighter, notes={}), Letters()).strip(words)


@dataclass
class _Texts:
    """The texts of a combatant by name, as runs.

    Attributes:
        prefix: Before the names of a row's columns, for footnotes: `weapons.2.`.
    """

    fighter: Fighter
    letters: Letters
    texts: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""

    def __post_init__(self) -> None:
        if not self.prefix:
            shown = self.fighter.view.texts.items()
            self.texts = CardContext({name: text.text for name, text in shown})

    def strip(self, words: StripRules) -> StripView:
        """Return the combatant's strip."""
        build, numbers = self.fighter.build, collect_numbers(self.fighter.build)
        return StripView(
            name=build.name or "?",
            about=" ".join(
                f"{run.text}{run.small} {run.unit}".strip() for run in self.runs(words.about)
            ),
            corner=self.run(str(words.corner)),
            figures=tuple(map(self.figure, words.figures)),
            steps=tuple(map(self.figure, words.steps)),
            tracks=tuple(self.tracks(words, words.track, numbers)) if words.track else (),
            track_label=words.track.label if words.track else "",
            sides=tuple(_sides(words.sides, numbers)) if words.sides else (),
            lines=tuple(map(tuple, self.lines(words.lines))),
            picture=self.fighter.picture,
        )

    def mark(self, name: str) -> str:
        """Return the letter of the footnote about a value, or ""."""
        note = self.fighter.notes.get(self.prefix + name)
        return self.letters.mark(note) if note else ""

    def run(self, name: str, default: str = "") -> Run:
        """Return the text of that name, with the dice of a roll."""
        text = self.texts.get(name, default)
        if name.endswith(ROLL):
            pool = self.fighter.build.rolls.get(name.removesuffix(ROLL), ())
            return Run(text, dice=tuple(die for die, count in pool for _ in range(count)))
        match = _CODE.fullmatch(text)
        return Run(match[1], match[2]) if match else Run(keep_units(text))

    def figure(self, column: FigureColumn) -> Run:
        """Return the figure of a column, with its label and the mark of its footnote."""
        run = self.run(column.of, "–")
        return replace(run, label=column.label, mark=self.mark(str(column.noted)))

    def runs(self, parts: Sequence[LinePiece]) -> list[Run]:
        """Return the parts of a line that have a text."""
        runs: list[Run] = []
        for part in parts:
            if not self.texts.get(part.of):
                continue
            if part.apart and runs and not runs[-1].column:
                runs[-1] = replace(runs[-1], end=_DOT)
            run = self.run(part.of)
            mark = self.mark(part.of)
            run = replace(run, unit=part.unit, strong=part.strong, mark=mark)
            runs.append(replace(run, column=part.column))
        return runs

    def rows(self, list_: str) -> list[_Texts]:
        """Return the rows of a list, in order."""
        assert isinstance(self.texts, CardContext)
        return [
            _Texts(self.fighter, self.letters, row, f"{list_}.{number}.")
            for number, row in enumerate(self.texts.rows(list_), 1)
        ]

    def lines(self, lines: Sequence[StripLine]) -> list[list[Run]]:
        """Return the lines below the name; `run` and `beside` join some to one."""
        result: list[list[Run]] = []
        for line in lines:
            sources = self.rows(line.each) if line.each else [self]
            rows = [row for row in (source.runs(line.parts) for source in sources) if row]
            if line.run and rows:
                rows = [[run for row in _with_commas(rows) for run in row]]
            if line.beside and result and rows:
                text = [run for run in result[-1] if not run.column]
                columns = [run for run in result[-1] if run.column]
                text[-1:] = [replace(run, end=_DOT) for run in text[-1:]]
                result[-1] = [*text, *rows.pop(0), *columns]
            result += rows
        return result

    def tracks(
        self, words: StripRules, track: StripTrack, numbers: Mapping[str, int]
    ) -> Iterator[TrackView]:
        """Yield the track of each copy."""
        build = self.fighter.build
        boxes, marked = build.marked.get(str(track.of), (0, 0))
        counted = numbers.get(str(track.counts), 0) if track.counts else 0
        inside = [
            str(boxes + 1 - n) if counted else _in_box(track, n, boxes)
            for n in range(1, min(boxes, MOST_BOXES) + 1)
        ]
        shown = tuple((text, n <= marked) for n, text in enumerate(inside, 1))
        last = self.texts.get(track.end, "" if "." in track.end else track.end)
        of_group = self.texts.get(track.counted, "" if "." in track.counted else track.counted)
        end, suffix = ("", of_group) if counted else (last, "")
        if boxes > MOST_BOXES:
            suffix, end = f"of {boxes} {of_group or last}", ""
            shown = tuple(("", marked) for _, marked in shown)
        picked = {pick.entry for pick in build.picks}
        states = tuple(
            (state.box, state.of in picked or build.numbers.get(str(state.of), 0) > 0)
            for state in words.states
        )
        for name in self.fighter.copies:
            yield TrackView(name, shown, end, suffix, build.steps.get(str(track.of), ()), states)


def _in_box(track: StripTrack, number: int, boxes: int) -> str:
    """Return the text in a box of a track."""
    if number <= len(track.words):
        return track.words[number - 1]
    return track.inside.replace("{n}", str(number)).replace("{left}", str(boxes - number))


def _with_commas(rows: Sequence[list[Run]]) -> Iterator[list[Run]]:
    for n, row in enumerate(rows, 1):
        comma = "," if n < len(rows) else ""
        yield [*(replace(run, tight=True) for run in row[:-1]), replace(row[-1], end=comma)]


def _sides(sides: Sides, numbers: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    if numbers.get(str(sides.of), 0) <= 0:
        return
    for at, name in enumerate(sides.names):
        more = 1 if at < numbers.get(str(sides.over), 0) else 0
        yield name, str(numbers.get(str(sides.start), 0) + more)


# What the template of an encounter page draws: sections, strips, tracks, and runs of words.


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


# Tables of an encounter page side by side, in columns that all rows share.


WIDTH: Final = 182.0
"""The width of the narrower paper between its margins, in millimetres."""

GAP: Final = 5.0
_PAD: Final = 2.0
"""The gap between the columns of a table, in millimetres."""

_MOST: Final = 4
_LEAST: Final = 34.0
_TEXT: Final = 38.0
"""The least width of a table that has a text below it, in millimetres."""

_WORDS: Final = (WIDTH - 2 * GAP) / 3
"""The width of a table of words that would be wider: its cells wrap, and three are side by side."""

Named = tuple[str, TableView]


@dataclass(frozen=True, slots=True)
class TableSizes:
    """Type sizes of tables in points: names, heads and cells."""

    name: float
    head: float
    cell: float


def columns_of(
    named: Sequence[Named], measure: TextMeasure, sizes: TableSizes
) -> tuple[list[list[Named]], list[float]]:
    """Return columns of tables, and their widths in millimetres.

    As many tables as fit are side by side, and share the space that is left.
    """
    needed = [_width(name, view, measure, sizes) for name, view in named]
    for count in range(min(_MOST, len(named)), 0, -1):
        columns = [list(named[at::count]) for at in range(count)]
        widths = [max(needed[at::count]) for at in range(count)]
        spare = WIDTH - sum(widths) - GAP * (count - 1)
        if spare >= 0 or count == 1:
            # A single table keeps its width: long lines are hard to read.
            more = max(0.0, spare) / count if count > 1 else 0.0
            return columns, [min(WIDTH, round(wide + more, 2)) for wide in widths]
    return [], []


def _width(name: str, view: TableView, measure: TextMeasure, sizes: TableSizes) -> float:
    """Return the width at which no cell of a table wraps, in millimetres."""
    columns = [measure.face_width(head.number + head.unit, BOLD, sizes.head) for head in view.heads]
    for part in view.parts:
        for row in part.rows:
            for at, cell in enumerate(row.cells[: len(columns)]):
                if cell.span == 1:
                    face = BOLD if at == 1 else PLAIN
                    wide = measure.face_width(cell.number + cell.unit, face, sizes.cell)
                    columns[at] = max(columns[at], wide)
    cells = sum(columns) / MM + _PAD * (len(columns) - 1)
    if not view.heads[-1].figure and view.heads[-1].number:
        cells = min(cells, _WORDS - 0.5)
    least = _TEXT if view.text else _LEAST
    return max(cells, measure.face_width(name, NAME, sizes.name) / MM, least) + 0.5
