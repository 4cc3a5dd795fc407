"""A fight as it is printed: sections of strips, each with all that its place on the page needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from sheetgen.plan.cards.parts import collect_numbers
from sheetgen.plan.pages.letters import Footnote, Letters
from sheetgen.plan.sheets.view import View

BLANK_PLAYERS: Final = 4
"""Rows for players whom nobody named."""

MOST_BOXES: Final = 24
"""Of one track; who has more counts on paper."""

ROLL: Final = ".roll.text"
"""Ends the name of a view's text that says a pool of dice."""

_DOT: Final = " ·"
_CODE: Final = re.compile(r"([−\d]+)(D(?:\+\d)?|\+)")


@dataclass(frozen=True, slots=True)
class Fighter:
    """A checked combatant.

    Attributes:
        copies: What each of its copies is called, one at least.
        notes: Footnotes, by the derived value that they are about.
    """

    build: Build
    view: View
    kind: str
    copies: tuple[str, ...]
    notes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Run:
    """Words set alike.

    Attributes:
        text: With the last letter of a code apart, as `small`.
        unit: Behind it.
        end: A mark between it and the next.
        mark: The letter of a footnote.
        tight: Whether no line ends behind it.
        dice: Drawn instead of `text`, which a screen reader reads.
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


@dataclass(frozen=True, slots=True)
class TrackView:
    """Boxes of one copy: what stands in each, and whether it is marked.

    Attributes:
        steps: Which boxes lead to another state.
        states: Boxes of states above them, and whether each is marked.
    """

    name: str
    boxes: tuple[tuple[str, bool], ...]
    end: str
    suffix: str
    steps: tuple[int, ...] = ()
    states: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class StripView:
    """One combatant, and its copies."""

    name: str
    about: str
    corner: Run
    figures: tuple[Run, ...]
    steps: tuple[Run, ...]
    tracks: tuple[TrackView, ...]
    track_label: str
    sides: tuple[tuple[str, str], ...]
    lines: tuple[tuple[Run, ...], ...]


@dataclass(frozen=True, slots=True)
class EncounterSection:
    """All of a kind, below one head of columns; players stand in one of them."""

    words: StripRules
    players: tuple[str, ...]
    strips: tuple[StripView, ...]


@dataclass(frozen=True, slots=True)
class Fight:
    """A whole page."""

    title: str
    sections: tuple[EncounterSection, ...]
    notes: tuple[Footnote, ...] = ()


def plan_fight(
    title: str, players: tuple[str, ...], fighters: Sequence[Fighter], page: Encounters
) -> Fight:
    """Return the fight: who has most of what a kind is ordered by stands first."""
    sections, letters = [], Letters()
    kinds = dict.fromkeys((str(page.as_), *map(str, page.strips)))
    for kind in kinds:
        words = page.strips.get(kind)
        if words is None:
            continue
        mine = [one for one in fighters if one.kind == kind]
        mine.sort(key=lambda one, by=str(words.order): -collect_numbers(one.build).get(by, 0))  # type: ignore[misc]
        there = (players or ("",) * BLANK_PLAYERS) if kind == page.as_ else ()
        if mine or there:
            strips = tuple(_strip(one, words, letters) for one in mine)
            sections.append(EncounterSection(words, there, strips))
    notes = tuple(Footnote(mark, text) for text, mark in letters.marks.items())
    return Fight(title, tuple(sections), notes)


def _strip(one: Fighter, words: StripRules, letters: Letters) -> StripView:
    told = {name: shown.text for name, shown in one.view.texts.items()}
    numbers = collect_numbers(one.build)
    return StripView(
        name=one.build.name or "?",
        about=" · ".join(_words(run) for run in _runs(words.about, told, one.build)),
        corner=_shown(str(words.corner), told, one.build),
        figures=tuple(_figures(words.figures, told, one, letters)),
        steps=tuple(_figures(words.steps, told, one, letters)),
        tracks=tuple(_tracks(words, words.track, one, numbers, told)) if words.track else (),
        track_label=words.track.label if words.track else "",
        sides=tuple(_sides(words.sides, numbers)) if words.sides else (),
        lines=tuple(tuple(line) for line in _lines(words.lines, told, one.build)),
    )


def _figures(
    columns: Sequence[FigureColumn],
    told: Mapping[str, str],
    one: Fighter,
    letters: Letters,
) -> Iterator[Run]:
    for column in columns:
        note = one.notes.get(str(column.noted))
        run = replace(_shown(column.of, told, one.build, "–"), label=column.label)
        yield replace(run, mark=letters.mark(note)) if note else run


def _shown(name: str, told: Mapping[str, str], build: Build, otherwise: str = "") -> Run:
    """Return the text of that name, with the dice of a roll."""
    text = told.get(name, otherwise)
    if name.endswith(ROLL):
        pool = build.rolls.get(name.removesuffix(ROLL), ())
        return Run(text, dice=tuple(die for die, count in pool for _ in range(count)))
    match = _CODE.fullmatch(text)
    return Run(match[1], match[2]) if match else Run(text)


def _words(run: Run) -> str:
    return f"{run.text}{run.small} {run.unit}".strip()


def _runs(parts: Sequence[LinePiece], told: Mapping[str, str], build: Build) -> list[Run]:
    runs: list[Run] = []
    for part in parts:
        if not told.get(part.of):
            continue
        if part.apart and runs:
            runs[-1] = replace(runs[-1], end=_DOT)
        run = _shown(part.of, told, build)
        runs.append(replace(run, unit=part.unit, strong=part.strong))
    return runs


def _lines(lines: Sequence[StripLine], told: Mapping[str, str], build: Build) -> list[list[Run]]:
    made: list[list[Run]] = []
    for line in lines:
        rows = [
            _runs(line.parts, row, build)
            for row in (_listed(line.each, told) if line.each else [told])
        ]
        rows = [row for row in rows if row]
        if line.run and rows:
            rows = [[run for row in _ended(rows) for run in row]]
        if line.beside and made and rows:
            made[-1] = [*made[-1][:-1], replace(made[-1][-1], end=_DOT), *rows.pop(0)]
        made += rows
    return made


def _ended(rows: Sequence[list[Run]]) -> Iterator[list[Run]]:
    """Yield rows with a comma behind each but the last."""
    for n, row in enumerate(rows, 1):
        last = row[-1]
        comma = "," if n < len(rows) else ""
        yield [*(replace(run, tight=True) for run in row[:-1]), replace(last, end=comma)]


def _listed(stem: str, told: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the rows of a list: texts by column."""
    rows: dict[int, dict[str, str]] = {}
    for name, text in told.items():
        first, _, rest = name.partition(".")
        number, _, column = rest.partition(".")
        if first == stem and number.isdecimal():
            rows.setdefault(int(number), {})[column] = text
    return [rows[n] for n in sorted(rows)]


def _tracks(
    words: StripRules,
    track: StripTrack,
    one: Fighter,
    numbers: Mapping[str, int],
    texts: Mapping[str, str],
) -> Iterator[TrackView]:
    boxes, marked = one.build.marked.get(str(track.of), (0, 0))
    counted = numbers.get(str(track.counts), 0) if track.counts else 0
    inside = [
        str(boxes + 1 - n) if counted else track.inside.replace("{n}", str(n))
        for n in range(1, min(boxes, MOST_BOXES) + 1)
    ]
    shown = tuple((text, n <= marked) for n, text in enumerate(inside, 1))
    last = texts.get(track.end, "" if "." in track.end else track.end)
    end = "" if counted else last
    of_group = texts.get(track.counted, "" if "." in track.counted else track.counted)
    told = of_group if counted else ""
    if boxes > MOST_BOXES:
        told, end = f"of {boxes} {of_group or last}", ""
        shown = tuple(("", marked) for _, marked in shown)
    for name in one.copies:
        steps = one.build.steps.get(str(track.of), ())
        yield TrackView(name, shown, end, told, steps, tuple(_states(words, one.build)))


def _states(words: StripRules, build: Build) -> Iterator[tuple[str, bool]]:
    """Yield the boxes of states, marked where the file says that they hold."""
    picked = {pick.entry for pick in build.picks}
    for state in words.states:
        yield state.box, state.of in picked or build.numbers.get(str(state.of), 0) > 0


def _sides(sides: Sides, numbers: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    if numbers.get(str(sides.of), 0) <= 0:
        return
    for at, name in enumerate(sides.names):
        more = 1 if at < numbers.get(str(sides.over), 0) else 0
        yield name, str(numbers.get(str(sides.start), 0) + more)
