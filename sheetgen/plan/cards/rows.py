"""Strips that a card repeats: rows of lists, lines of text, rows of tables."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Final

from sheetgen.load.designs.faults import design_error
from sheetgen.model.designs.card_files import Bars, CardEntry
from sheetgen.model.designs.card_grids import TrackGrid
from sheetgen.model.prints import Place
from sheetgen.plan.cards.kinds import CardContext, CardKind, StripDraft, Subject
from sheetgen.plan.cards.runs import (
    WHAT,
    Run,
    break_runs,
    figure_runs,
    headed,
    least_scale,
    tails_of,
    wide,
)
from sheetgen.plan.fit import PADDING, fit, paragraphs

_NUMBER: Final = re.compile(r"\d+(/[1-9]\d*)?")

MOST_LINES: Final = 8
"""Lines of one strip of text; a longer text takes several strips."""

ENOUGH: Final = 0.65
"""The least scale of a text; if it has to shrink further, another strip is tried."""


def text_scale(part: StripDraft, kind: CardKind) -> float:
    """Return the smallest scale of the texts of a strip; 0 if one is cut even so."""
    return min(role_scales(part, kind, kind.tokens.roles).values(), default=1.0)


def role_scales(part: StripDraft, kind: CardKind, roles: Container[str]) -> dict[str, float]:
    """Return the smallest scale of the texts of each of `roles` in a strip, at most 1."""
    scales: dict[str, float] = {}
    for name, place in kind.places[part.name].items():
        if place.role in roles and (text := part.texts.get(name)):
            tails = tails_of(name, part.texts)
            key = "scale", place.name, text, tuple(tails.values())
            scale = kind.cached(key, lambda t=text, p=place, f=tails: _scale_of(t, p, f, kind))  # type: ignore[misc]
            scales[place.role] = min(scales.get(place.role, 1.0), scale)
    return scales


def _scale_of(text: str, place: Place, tails: Mapping[str, str], kind: CardKind) -> float:
    role = kind.tokens.roles[place.role]
    if runs := figure_runs(text, tails, place.role, kind.tokens):
        assert kind.plate is not None
        return least_scale(runs, place, kind.plate)
    setting, complete = fit(text, place, role, kind.metrics[role.face])
    return setting.size / role.size if complete else 0.0


def _choose_strip(
    names: Sequence[str], parts: Sequence[StripDraft], kind: CardKind, enough: float
) -> str:
    """Return the first strip that has a place for each text of `parts`, none below `enough`.

    If there is none, return the strip where texts shrink least; if no strip has all places,
    the last one.
    """
    if len(names) == 1:
        return names[0]
    every = set().union(*(kind.places[name] for name in names))
    shown = {text for part in parts for text in part.texts} & every
    best, most = names[-1], -1.0
    for name in (name for name in names if shown <= set(kind.places[name])):
        least = min((text_scale(replace(part, name=name), kind) for part in parts), default=1.0)
        if least >= enough:
            return name
        best, most = (name, least) if least > most else (best, most)
    return best


def list_strips(entry: CardEntry, texts: CardContext, kind: CardKind) -> Iterator[StripDraft]:
    """Yield a strip for each row of a list, each followed by the row's text.

    All rows use the same strip of those that the entry names. `over` is an entry whose rows
    are heads: the last of them is repeated on each further face.
    """
    stem, parts, below = entry.each or "", [], []
    for row in texts.rows(stem):
        columns = {f"{stem}.{column}": text for column, text in row.items()}
        part = StripDraft("", {**columns, **worded(entry, columns, texts)})
        if alt_text := row.get(entry.said or "", ""):
            part = replace(part, alt_text=alt_text, alt_only=True)
        parts.append(bars(part, entry.bars, columns) if entry.bars is not None else part)
        below.append(row.get(entry.text[0] if entry.text else "", ""))
    enough = ENOUGH if entry.enough is None else entry.enough
    name = _choose_strip([kind.strip(one) for one in entry.strip or ()], parts, kind, enough)
    heads = list(list_strips(entry.over, texts, kind)) if entry.over is not None and parts else []
    yield from heads
    for part, text in zip(parts, below, strict=True):
        last = heads and part is parts[-1] and not text
        again = heads[-1] if heads else None
        yield replace(part, name=name, again=again, below=kind.air if last else 0)
        if text:
            yield from (replace(p, attached=True) for p in text_strips(text, kind, entry))


def worded(entry: CardEntry, shown: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, str]:
    """Return the words behind texts: `words: {TEXT: WORD}`; a WORD with a dot names a text."""
    return {
        f"{name}.{WHAT}": shown.get(word, texts.get(word, "")) if "." in word else word
        for name, word in entry.words.items()
        if shown.get(name)
    }


def run_in(entry: CardEntry, stem: str, texts: CardContext, kind: CardKind) -> Iterator[StripDraft]:
    """Yield the rows of a list one after the other, in as many strips as they need.

    `run` names the roles of the columns: `{name: ROLE, code: ROLE}`.
    """
    assert kind.plate is not None
    name = kind.strip((entry.strip or ("",))[0])
    groups = []
    for row in texts.rows(stem):
        runs: list[tuple[str, str]] = []
        for column, role in (entry.run or {}).items():
            text, tails = row.get(column, ""), tails_of(column, row)
            runs += [(" ", str(role))] if runs and text else []
            runs += figure_runs(text, tails, str(role), kind.tokens) or [(text, str(role))]
        groups.append(tuple(runs))
    plate, apart = kind.plate, "   " if entry.apart is None else entry.apart
    place = kind.places[name]["text"]
    key = "packed", name, apart, tuple(groups)
    lines = kind.cached(key, lambda: break_runs(groups, apart, place, plate))
    for number, line in enumerate(lines, 1):
        words = " ".join("".join(text for text, _ in line).split())
        below = kind.air if number == len(lines) else 0
        yield StripDraft(name, {"text": words}, below=below, runs={"text": [line]})


def text_rows(entry: CardEntry, texts: CardContext, kind: CardKind) -> Iterator[StripDraft]:
    """Yield the texts that an entry names, one below the other, or joined to one."""
    shown: list[str] = []
    for name in entry.text or ():
        stem, _, column = name.partition(".")
        if not column and texts.get(stem):
            shown.append(texts[stem])
        shown += [row[column] for row in texts.rows(stem) if row.get(column)]
        shown += [texts[name]] if column and texts.get(name) else []
    if entry.join is not None and shown:
        shown = [(entry.before or "") + entry.join.join(shown)]
    for text in shown:
        yield from text_strips(text, kind, entry)


def grid(strip: str, rule: TrackGrid, subject: Subject, kind: CardKind) -> Iterator[StripDraft]:
    """Yield the rows of a table of what is left of a number: one less each row and column.

    `{from: TEXT, down: TRACK, most: 4, across: 3, words: [ROW 0, ROW 1, ROW n], none: –}`;
    with `least: NUMBER` no cell is below that number.
    """
    name, text = kind.strip(strip), subject.texts.get(rule.from_, "")
    digits = text.rstrip("".join(c for c in text if not c.isdigit()))
    if not digits.isdecimal():
        message = f"`{rule.from_}` of {subject.name} is not a number"
        raise design_error(rule.from_, message, subject.texts)
    first, unit, words = int(digits), text[len(digits) :], rule.words
    count = min(boxes_of(rule.down, subject), rule.most)
    least = subject.numbers.get(rule.least, 0) if rule.least is not None else 0
    for n in range(count + 1):
        label = words[min(n, len(words) - 1)].replace("{n}", str(n))
        cells = (max(least, first - n - column) for column in range(rule.across))
        shown = (f"{left}{unit}" if left > 0 else rule.none for left in cells)
        yield StripDraft(name, {"label": label, **{str(c): t for c, t in enumerate(shown, 1)}})


def bars(part: StripDraft, rule: Bars, texts: Mapping[str, str]) -> StripDraft:
    """Return a strip with columns as high as numbers: `{of: LIST, most: 5, steps: 40}`.

    The highest number has all steps, the others their share, rounded. With `whole: NUMBER`
    that number has all steps, and shares are rounded down. `column` is the column of the
    list, `value` by default. A number above 0 has at least one step.
    """
    stem, column = rule.of, rule.column or "value"
    shown = (texts.get(f"{stem}.{n}.{column}", "") for n in range(1, rule.most + 1))
    values = [Fraction(text) if _NUMBER.fullmatch(text) else Fraction(0) for text in shown]
    steps, highest = rule.steps, Fraction(rule.whole or max(values, default=0))
    rounded = floor if rule.whole else round
    marks = {
        f"bar.{n}": f"bar-{min(steps, max(1, rounded(steps * value / highest)))}"
        for n, value in enumerate(values, 1)
        if value > 0
    }
    return replace(part, marks={**part.marks, **marks})


def boxes_of(track: str, subject: Subject) -> int:
    """Return how many boxes a track of the subject has.

    Raises:
        DesignError: The subject has no such track.
    """
    if track not in subject.tracks:
        raise design_error(track, f"{subject.name} has no track `{track}`", subject.tracks)
    return subject.tracks[track]


def text_strips(text: str, kind: CardKind, entry: CardEntry) -> tuple[StripDraft, ...]:
    """Return the strips of a text. The entry's `as` names another role, `low` the foot.

    A head of up to `heads` letters that ends with a colon, or with `after`, is set apart.
    """
    stem, after = kind.text(entry.as_ or ""), entry.after
    most, low = entry.heads or 0, entry.low
    key = "lines", text, stem, after, most, low
    return kind.cached(key, lambda: tuple(_break_text(text, kind, stem, after, most, low)))


def _break_text(
    text: str, kind: CardKind, stem: str, after: str, most: int, low: bool
) -> Iterator[StripDraft]:
    assert kind.plate is not None
    place = kind.places[f"{stem}-1"]["text"]
    role = kind.tokens.roles[place.role]
    room, metrics = place.box.width - 2 * PADDING, kind.metrics[role.face]
    lines = paragraphs(text, room, metrics, role.size)
    head = headed(lines[0], place.role, kind.tokens, most, after)
    if head and (more := wide(head, kind.plate) - room) > 0:  # the head is bold, so wider
        lines = paragraphs(text, room - more, metrics, role.size)
        head = headed(lines[0], place.role, kind.tokens, most, after)
    runs: list[tuple[Run, ...]] = [((line, place.role),) for line in lines]
    runs[:1] = [head] if head else runs[:1]
    for start in range(0, len(lines), MOST_LINES):
        some = lines[start : start + MOST_LINES]
        last = start + MOST_LINES >= len(lines)
        yield StripDraft(
            f"{stem}-{len(some)}",
            {"text": "\n".join(some)},
            below=kind.air if last else 0,
            runs={"text": runs[start : start + MOST_LINES]},
            low=low,
        )
