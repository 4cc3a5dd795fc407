"""An encounter page: sections of strips, each with everything that its template draws."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sheetgen.model.build import Build, Value
from sheetgen.model.rulesets import prints
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.cards.cards import collect_numbers
from sheetgen.plan.cards.kinds import CardContext
from sheetgen.plan.fit import keep_units
from sheetgen.plan.pages.screen_blocks import BOLD, NAME, PLAIN, TextMeasure
from sheetgen.plan.pages.tables import Footnote, Letters, TableView
from sheetgen.plan.sheets.view import View
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import Things, value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.scopes import OptionScope
from sheetgen.units import MM

BLANK_PLAYERS: Final = 4  # empty rows for players if the file names none
MOST_BOXES: Final = 24  # boxes of one track; hits beyond that are counted in writing
MOST_COUNTED: Final = 10  # boxes of what is spent; more are counted in writing
_DOT: Final = "\u00a0·"  # it never begins a line
_WITH_NUMBER: Final = re.compile(r"(?<=[^\W\d]) (?=\d)")  # where no line breaks: "Group of 5"
_CODE: Final = re.compile(r"([−\d]+)(D(?:\+\d)?|\+)")


@frozen
class Fighter:
    """A checked combatant."""

    build: Build
    view: View
    kind: str
    copies: tuple[str, ...]  # the names of its copies, at least one
    notes: Mapping[str, str]  # footnotes by the name of the value that they are about
    picture: str = ""  # the name of its picture; "" without one


def plan_fight(
    title: str,
    players: Sequence[PlayerRow],
    fighters: Sequence[Fighter],
    page: prints.Encounters,
    values: Sequence[tuple[str, str]] = (),
) -> Fight:
    """Return the encounter page; each kind's combatants are sorted, the highest first."""
    sections, letters = [], Letters()
    for kind in dict.fromkeys((str(page.as_), *map(str, page.strips))):
        words = page.strips.get(kind)
        if words is None:
            continue
        members = [one for one in fighters if one.kind == kind]
        members.sort(key=lambda one, by=str(words.order): -collect_numbers(one.build).get(by, 0))  # type: ignore[misc]
        rows = tuple(players or (PlayerRow(""),) * BLANK_PLAYERS) if kind == page.as_ else ()
        if members or rows:
            strips = tuple(plan_strip(one, words, letters) for one in members)
            sections.append(EncounterSection(words, rows, strips))
    notes = tuple(Footnote(mark, text) for text, mark in letters.marks.items())
    return Fight(title, tuple(sections), notes, tuple(values))


def plan_strip(
    fighter: Fighter, words: prints.StripRules, letters: Letters | None = None
) -> StripView:
    """Return what a strip shows of a combatant; without letters, it has no footnotes."""
    texts = CardContext({name: text.text for name, text in fighter.view.texts.items()})
    fighter = fighter if letters is not None else replace(fighter, notes={})
    return _Texts(fighter, letters or Letters(), texts).strip(words)


@dataclass
class _Texts:
    """The texts of a combatant by name, as runs."""

    fighter: Fighter
    letters: Letters
    texts: Mapping[str, str]
    prefix: str = ""  # before the names of a row's columns, for footnotes: `weapons.2.`

    def text(self, name: str) -> str:
        """Return the text of that name; of a value or key, the last part may be left out."""
        stem = name.removesuffix(".value").removesuffix(".text")
        names = (name, stem, f"{stem}.value", f"{stem}.text")
        return next((self.texts[name] for name in names if name in self.texts), "")

    def strip(self, words: prints.StripRules) -> StripView:
        build, numbers = self.fighter.build, collect_numbers(self.fighter.build)
        sides, sided = [], words.sides
        if sided and numbers.get(str(sided.of), 0) > 0:
            start, over = numbers.get(str(sided.start), 0), numbers.get(str(sided.over), 0)
            sides = [(name, str(start + (at < over))) for at, name in enumerate(sided.names)]

        def figure(column: prints.FigureColumn) -> Run:
            run = self.run(column.of, "–")
            return replace(run, label=column.label, mark=self.mark(str(column.noted)))

        about = (f"{run.text}{run.small} {run.unit}".strip() for run in self.runs(words.about))
        return StripView(
            name=build.name or "?",
            about=_WITH_NUMBER.sub("\u00a0", " ".join(about)),
            corner=self.run(str(words.corner)),
            figures=tuple(map(figure, words.figures)),
            steps=tuple(map(figure, words.steps)),
            tracks=tuple(self.tracks(words, words.track, numbers)) if words.track else (),
            track_label=words.track.label if words.track else "",
            sides=tuple(sides),
            lines=tuple(map(tuple, self.lines(words.lines))),
            picture=self.fighter.picture,
        )

    def mark(self, name: str) -> str:
        """Return the letter of the footnote about a value, or ""."""
        note = self.fighter.notes.get(self.prefix + name)
        return self.letters.mark(note) if note else ""

    def run(self, name: str, default: str = "") -> Run:
        """Return the text of that name, with the dice of a roll."""
        text, build = self.text(name) or default, self.fighter.build
        roll, *rolled = f"{self.prefix}{name}".split(".roll.text")
        if rolled:
            pool = build.rolls.get(build.row_rolls.get(roll, roll), ())
            return Run(text, dice=tuple(die for die, count in pool for _ in range(count)))
        match = _CODE.fullmatch(text)
        return Run(match[1], match[2]) if match else Run(keep_units(text))

    def runs(self, parts: Sequence[prints.LinePiece]) -> list[Run]:
        """Return the parts of a line that have a text."""
        runs: list[Run] = []
        for part in parts:
            if not self.text(part.of):
                continue
            if part.apart and runs and not runs[-1].column:
                runs[-1] = replace(runs[-1], end=_DOT)
            run = replace(self.run(part.of), mark=self.mark(part.of), unit=part.unit)
            runs.append(replace(run, strong=part.strong, column=part.column))
        return runs

    def lines(self, lines: Sequence[prints.StripLine]) -> list[list[Run]]:
        """Return the lines below the name; `run` and `beside` join some to one."""
        result: list[list[Run]] = []
        for line in lines:
            sources = [self]
            if line.each:
                assert isinstance(self.texts, CardContext)
                sources = []
                for number, cells in enumerate(self.texts.rows(line.each), 1):
                    texts = {column or "name": text for column, text in cells.items()}
                    prefix = f"{line.each}.{number}."
                    sources.append(_Texts(self.fighter, self.letters, texts, prefix))
            rows = [row for row in (source.runs(line.parts) for source in sources) if row]
            if line.run and rows:
                for row in rows:
                    row[:-1] = [replace(run, tight=True) for run in row[:-1]]
                    row[-1] = replace(row[-1], end="" if row is rows[-1] else ",")
                rows = [[run for row in rows for run in row]]
            if line.beside and result and rows:
                text = [run for run in result[-1] if not run.column]
                columns = [run for run in result[-1] if run.column]
                text[-1:] = [replace(run, end=_DOT) for run in text[-1:]]
                result[-1] = [*text, *rows.pop(0), *columns]
            result += rows
        return result

    def tracks(
        self, words: prints.StripRules, track: prints.StripTrack, numbers: Mapping[str, int]
    ) -> Iterator[TrackView]:
        build = self.fighter.build
        boxes, marked = build.marked.get(str(track.of), (0, 0))
        counted = numbers.get(str(track.counts), 0) if track.counts else 0
        shown: list[tuple[str, bool]] = []
        for n in range(1, min(boxes, MOST_BOXES) + 1):
            inside = track.inside.replace("{n}", str(n)).replace("{left}", str(boxes - n))
            inside = track.words[n - 1] if n <= len(track.words) else inside
            shown.append((str(boxes + 1 - n) if counted else inside, n <= marked))
        last = self.texts.get(track.end, "" if "." in track.end else track.end)
        of_group = self.texts.get(track.counted, "" if "." in track.counted else track.counted)
        end, suffix = ("", of_group) if counted else (last, "")
        if boxes > MOST_BOXES:
            suffix, end = f"of {boxes} {of_group or last}", ""
            shown = [("", marked) for _, marked in shown]
        picked = {pick.entry for pick in build.picks}
        states = tuple(
            (
                word,
                state.of is not None and (state.of in picked or build.numbers.get(state.of, 0) > 0),
            )
            for state in words.states
            if (word := self.text(state.box) if "." in state.box[:-1] else state.box)
        )
        over, behind = (
            tuple(_boxes(one, numbers) for one in words.counters.values() if one.behind is side)
            for side in (False, True)
        )
        steps = build.steps.get(str(track.of), ())
        for name in self.fighter.copies:
            yield TrackView(
                name,
                tuple(shown),
                end,
                suffix,
                steps,
                states,
                tuple(filter(None, over)),
                tuple(filter(None, behind)),
            )


def _boxes(one: prints.StripCounter, numbers: Mapping[str, int]) -> tuple[str, int] | None:
    """Return the words before a counter's boxes and their number; None where it is left out."""
    most = 0 if one.boxes is None else numbers.get(str(one.boxes), 0)
    if one.boxes is not None and most <= 0:
        return None
    return (one.label, most) if most <= MOST_COUNTED else (f"{one.label} {most}", 0)


_COPIES: Final = 4  # the tracks of more copies are closer, or in pairs


@frozen
class Run:
    """Words in one style."""

    text: str  # without the last letters of a code, which are in `small`
    small: str = ""
    unit: str = ""  # the unit behind the text
    strong: bool = False
    end: str = ""  # punctuation between this run and the next
    label: str = ""
    mark: str = ""  # the letter of a footnote
    tight: bool = False  # whether the line must not break after it
    dice: tuple[str, ...] = ()  # drawn instead of `text`, which is for screen readers then
    column: int = 0  # the column of figures that it is printed in; 0 for the line of text


@frozen
class TrackView:
    """The boxes of one copy: the text in each, and whether it is marked."""

    name: str
    boxes: tuple[tuple[str, bool], ...]
    end: str  # the text of the box that ends the track
    suffix: str  # words behind the boxes
    steps: tuple[int, ...] = ()  # numbers of the boxes that lead to another state
    states: tuple[tuple[str, bool], ...] = ()  # boxes above the track; are they marked?
    # Words before further boxes, and their number: a number is written where it is 0.
    counters: tuple[tuple[str, int], ...] = ()
    behind: tuple[tuple[str, int], ...] = ()  # those behind the track

    @property
    def beside(self) -> bool:
        """Whether a single state stands before the track, which is short."""
        return len(self.states) == 1 and not self.counters and len(self.boxes) < 8


@frozen
class StripView:
    """One combatant with its copies."""

    name: str
    about: str
    corner: Run
    figures: tuple[Run, ...]
    steps: tuple[Run, ...]
    tracks: tuple[TrackView, ...]
    track_label: str
    sides: tuple[tuple[str, str], ...]
    lines: tuple[tuple[Run, ...], ...]
    picture: str = ""  # the name of its picture; "" without one
    copies: int = 0  # how many it has in all, if it is broken over pages
    continued: bool = False  # whether its lines are on the page before

    @property
    def count(self) -> int:
        """How many copies it has in all: its boxes are the same size on all pages."""
        return self.copies or len(self.tracks)

    @property
    def close(self) -> bool:
        """Whether three boxes of a track share a column of the ladder, instead of two."""
        most = max((len(track.boxes) + track.beside for track in self.tracks), default=0)
        suffixed = any(track.suffix for track in self.tracks)
        return most > (5 if suffixed else 6) or self.count > _COPIES

    @property
    def paired(self) -> bool:
        """Whether the tracks of two copies are side by side."""
        fit = all(
            len(t.boxes) + t.beside <= 3 and not t.suffix and len(t.name) < 3 for t in self.tracks
        )
        return fit and self.count > _COPIES


@frozen
class PlayerRow:
    """The row of a player's character: its name, and what its file says, if it has one."""

    name: str
    texts: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, Value] = field(default_factory=dict)
    fighter: Fighter | None = None

    def figure(self, column: prints.FigureColumn) -> str:
        """Return the figure of a column; empty where the sheet has none: it is written in."""
        stem = column.of.removesuffix(".value").removesuffix(".text")
        names = (column.of, f"{column.noted}.value", stem, f"{stem}.value")
        return next((self.texts[name] for name in names if self.texts.get(name)), "")


@frozen
class EncounterSection:
    """The combatants of one kind below a head of columns, and the players' rows."""

    words: prints.StripRules
    players: tuple[PlayerRow, ...]
    strips: tuple[StripView, ...]


@frozen
class Fight:
    """A planned encounter page; `values` are labels and figures of the whole encounter."""

    title: str
    sections: tuple[EncounterSection, ...]
    notes: tuple[Footnote, ...] = ()
    values: tuple[tuple[str, str], ...] = ()


class FightScope(OptionScope):
    """The names of an encounter: its derived values, and the numbers of who is in it."""

    def __init__(
        self,
        rules: Ruleset,
        options: Mapping[str, Value],
        fighters: Sequence[Fighter],
        players: Sequence[PlayerRow],
    ) -> None:
        super().__init__(rules, options)
        self.derived = rules.encounter.derived if rules.encounter is not None else {}
        # Numbers that formulas need, and some players do not have; "" without players.
        self.lacking: dict[str, None] = {}
        self.computed: dict[str, Value] = {}  # derived values that formulas have used so far
        self.lists: Mapping[str, Things] = {
            prints.MEMBERS: [(len(one.copies), build_numbers(one.build)) for one in fighters],
            prints.PLAYERS: [(1, one.numbers) for one in players],
        }

    def value(self, name: str) -> Value | None:
        """Return a derived value of the encounter, or an option."""
        rule = self.derived.get(name)
        if rule is None or rule.value is None:
            return super().value(name)
        if name not in self.computed:
            self.computed[name] = value_of(rule.value, self)
        return self.computed[name]

    def things(self, list_: str, numbers: Sequence[str]) -> Things | None:
        """Return the members or players that have all of `numbers`; players must have them."""
        if (found := self.lists.get(list_)) is None:
            return None
        known = [(count, {"any": 1, **values}) for count, values in found]
        there = [one for one in known if all(name in one[1] for name in numbers)]
        if list_ == prints.PLAYERS and (not known or len(there) < len(known)):
            self.lacking |= dict.fromkeys(numbers if known else ("",))
            raise FormulaError("not all players have this number")
        return there


def build_numbers(build: Build) -> dict[str, Value]:
    """Return all numbers of a build by name, fractions too."""
    values = ((i, d.value) for i, d in build.derived.items())
    exact = {i: v for i, v in values if v is not None and not isinstance(v, str)}
    return {**collect_numbers(build), **exact}


WIDTH: Final = 182.0  # the width of the narrower paper between its margins, in millimetres
GAP: Final = 5.0
_LARGE: Final = 13.0  # points of cells in large print
Named = tuple[str, TableView]


@frozen
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
    width, needed = measure.face_width, []
    for name, view in named:  # the width at which no cell wraps
        wide = [width(head.number + head.unit, BOLD, sizes.head) for head in view.heads]
        for row in view.rows:
            for at, cell in enumerate(row.cells[: len(wide)]):
                if cell.span == 1:
                    face = BOLD if at == 1 else PLAIN
                    wide[at] = max(wide[at], width(cell.number + cell.unit, face, sizes.cell))
        cells = sum(wide) / MM + 2.0 * (len(wide) - 1)
        if not view.heads[-1].figure and view.heads[-1].number:
            # The cells of wider tables of words wrap, so that two or three are side by side.
            across = 3 if sizes.cell < _LARGE else 2
            cells = min(cells, (WIDTH - (across - 1) * GAP) / across - 0.5)
        least = 38.0 if view.text else 34.0  # of a table with a text below it, and without
        needed.append(max(cells, width(name, NAME, sizes.name) / MM, least) + 0.5)
    for count in range(min(4, len(named)), 0, -1):
        columns = [list(named[at::count]) for at in range(count)]
        widths = [max(needed[at::count]) for at in range(count)]
        spare = WIDTH - sum(widths) - GAP * (count - 1)
        if spare >= 0 or count == 1:
            # A single table keeps its width: long lines are hard to read.
            more = max(0.0, spare) / count if count > 1 else 0.0
            return columns, [min(WIDTH, round(wide + more, 2)) for wide in widths]
    return [], []
