"""What stands on a card more than once: rows of lists, texts of any length, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Final

from sheetgen.load.designs.faults import design_error
from sheetgen.model.designs.card_files import Bars, CardEntry, TrackGrid
from sheetgen.model.source import Text
from sheetgen.plan.cards.choice import ENOUGH, roomy
from sheetgen.plan.cards.kinds import CardContext, CardKind, StripDraft, Subject
from sheetgen.plan.cards.runs import WHAT, Run, break_runs, figure_runs, headed, tails_of, wide
from sheetgen.plan.fit import PADDING, paragraphs

_NUMBER: Final = re.compile(r"\d+(/[1-9]\d*)?")

MOST_LINES: Final = 8
"""Of one strip of text; a longer text takes several."""


def list_strips(item: CardEntry, told: Mapping[str, str], kind: CardKind) -> Iterator[StripDraft]:
    """Yield a strip for each row of a list, and a text below it.

    Of several strips all rows stand on the one that has room for them. `over` is an entry
    whose rows stand above them, the last of these on each further face too.
    """
    stem, made, below = item.each or "", [], []
    for row in list_rows(stem, told):
        found = {f"{stem}.{column}": text for column, text in row.items()}
        words = worded(item, found, told)
        part = StripDraft("", {**found, **words})
        if said := row.get(item.said or "", ""):
            part = replace(part, alt_text=said, alt_only=True)
        made.append(bars(part, item.bars, found) if item.bars is not None else part)
        below.append(row.get(item.text[0] if item.text else "", ""))
    enough = ENOUGH if item.enough is None else item.enough
    name = roomy([kind.strip(one) for one in item.strip or ()], made, kind, enough)
    heads = list(list_strips(item.over, told, kind)) if item.over is not None and made else []
    yield from heads
    for part, text in zip(made, below, strict=True):
        last = heads and part is made[-1] and not text
        again = heads[-1] if heads else None
        yield replace(part, name=name, again=again, below=kind.air if last else 0)
        if text:
            yield from (replace(p, attached=True) for p in text_strips(text, kind, item))


def worded(item: CardEntry, found: Mapping[str, str], told: Mapping[str, str]) -> dict[str, str]:
    """Return the words behind texts: `words: {TEXT: WORD}`; a WORD with a dot names a text."""
    return {
        f"{name}.{WHAT}": found.get(word, told.get(word, "")) if "." in word else word
        for name, word in item.words.items()
        if found.get(name)
    }


def run_in(
    item: CardEntry, stem: str, told: Mapping[str, str], kind: CardKind
) -> Iterator[StripDraft]:
    """Yield strips of as many rows of a list as stand beside each other.

    `run` says in which roles the columns are set: `{name: ROLE, code: ROLE}`.
    """
    name = kind.strip((item.strip or ("",))[0])
    place = kind.places[name]["text"]
    groups = []
    for row in list_rows(stem, told):
        runs: list[tuple[str, str]] = []
        for column, role in (item.run or {}).items():
            text, tails = row.get(column, ""), tails_of(column, row)
            runs += [(" ", str(role))] if runs and text else []
            runs += figure_runs(text, tails, str(role), kind.tokens) or [(text, str(role))]
        groups.append(tuple(runs))
    assert kind.plate is not None
    plate, apart = kind.plate, "   " if item.apart is None else item.apart
    room = place.box.width - 2 * PADDING
    key = "packed", name, apart, tuple(groups)
    lines = kind.cached(key, lambda: break_runs(groups, apart, room, plate))
    for number, line in enumerate(lines, 1):
        said = "".join(text for text, _ in line)
        below = kind.air if number == len(lines) else 0
        yield StripDraft(name, {"text": " ".join(said.split())}, below=below, runs={"text": [line]})


def text_rows(item: CardEntry, told: Mapping[str, str], kind: CardKind) -> Iterator[StripDraft]:
    """Yield texts, each below the other, or joined to one."""
    found: list[str] = []
    for name in item.text or ():
        stem, _, column = name.partition(".")
        if not column and told.get(stem):
            found.append(told[stem])
        found += [row[column] for row in list_rows(stem, told) if row.get(column)]
        found += [told[name]] if column and told.get(name) else []
    if item.join is not None and found:
        found = [item.join.join(found)]
    for text in found:
        yield from text_strips(text, kind, item)


def grid(strip: str, rule: TrackGrid, about: Subject, kind: CardKind) -> Iterator[StripDraft]:
    """Yield the rows of a table of what is left of a number: one less each row and column.

    `{from: TEXT, down: TRACK, most: 4, across: 3, words: [ROW 0, ROW 1, ROW n], none: –}`;
    with `least: NUMBER` that much is always left.
    """
    name, text = kind.strip(strip), about.texts.get(rule.from_, "")
    digits = text.rstrip("".join(c for c in text if not c.isdigit()))
    if not digits.isdecimal():
        raise design_error(rule.from_, f"`{rule.from_}` of {about.name} is no number", about.texts)
    first, unit, words = int(digits), text[len(digits) :], rule.words
    count = min(boxes_of(rule.down, about), rule.most)
    least = about.numbers.get(rule.least, 0) if rule.least is not None else 0
    for n in range(count + 1):
        label = words[min(n, len(words) - 1)].replace("{n}", str(n))
        cells = (max(least, first - n - column) for column in range(rule.across))
        shown = (f"{left}{unit}" if left > 0 else rule.none for left in cells)
        yield StripDraft(name, {"label": label, **{str(c): t for c, t in enumerate(shown, 1)}})


def bars(part: StripDraft, rule: Bars, told: Mapping[str, str]) -> StripDraft:
    """Return a strip with columns as high as numbers: `{of: LIST, most: 5, steps: 40}`.

    The highest number has all steps, the others their share, rounded. With `whole: NUMBER`
    that number has them, and a step is only taken when it is reached. `column` names the
    column of the list, `value` without it. What is more than 0 has one step at least.
    """
    stem, column = rule.of, rule.column or "value"
    texts = (told.get(f"{stem}.{n}.{column}", "") for n in range(1, rule.most + 1))
    values = [Fraction(text) if _NUMBER.fullmatch(text) else Fraction(0) for text in texts]
    steps, whole = rule.steps, Fraction(rule.whole or max(values, default=0))
    high = floor if rule.whole else round
    marks = {
        f"bar.{n}": f"bar-{min(steps, max(1, high(steps * value / whole)))}"
        for n, value in enumerate(values, 1)
        if value > 0
    }
    return replace(part, marks={**part.marks, **marks})


def boxes_of(track: Text, about: Subject) -> int:
    """Return how many boxes a track has.

    Raises:
        DesignError: What the card is about has no such track.
    """
    if track not in about.tracks:
        raise design_error(track, f"{about.name} has no track `{track}`", about.tracks)
    return about.tracks[track]


def list_rows(stem: str, told: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the rows of a list, in order: their texts by column."""
    return (told if isinstance(told, CardContext) else CardContext(told)).rows(stem)


def text_strips(text: str, kind: CardKind, item: CardEntry) -> tuple[StripDraft, ...]:
    """Return the strips of a text: `as` of another role, `low`.

    Up to `heads` letters that end with a colon, or with what `after` says, are set apart.
    """
    stem, after = kind.text(item.as_ or ""), item.after
    most, low = item.heads or 0, item.low
    key = "lines", text, stem, after, most, low
    return kind.cached(key, lambda: tuple(_lines_of(text, kind, stem, after, most, low)))


def _lines_of(
    text: str, kind: CardKind, stem: str, after: str, most: int, low: bool
) -> Iterator[StripDraft]:
    place = kind.places[f"{stem}-1"]["text"]
    role = kind.tokens.roles[place.role]
    room, metrics = place.box.width - 2 * PADDING, kind.metrics[role.face]
    assert kind.plate is not None
    lines = paragraphs(text, room, metrics, role.size)
    head = headed(lines[0], place.role, kind.tokens, most, after)
    if head and (more := wide(head, kind.plate) - room) > 0:
        # Its first words are bolder, and so wider, than what the lines were broken by.
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
