"""An encounter page: sections of strips, each with everything that its template draws."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sheetgen.model.build import Build
from sheetgen.model.rulesets.encounters import (
    Encounters,
    FigureColumn,
    LinePiece,
    Sides,
    StripLine,
    StripRules,
    StripTrack,
)
from sheetgen.plan.cards.kinds import CardContext
from sheetgen.plan.cards.parts import collect_numbers
from sheetgen.plan.fit import keep_units
from sheetgen.plan.pages.encounter_views import (
    EncounterSection,
    Fight,
    PlayerRow,
    Run,
    StripView,
    TrackView,
)
from sheetgen.plan.pages.footnotes import Footnote, Letters
from sheetgen.plan.sheets.view import View

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
