"""Entries of a card's `order` to strips, before the strips have places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from sheetgen.model.build import Build
from sheetgen.model.designs.card_files import CardEntry, JoinedTexts, Rings, ShapeRule
from sheetgen.model.source import Text
from sheetgen.plan.cards.kinds import CardContext, CardKind, StripDraft, Subject
from sheetgen.plan.cards.rows import (
    ENOUGH,
    bars,
    boxes_of,
    grid,
    list_strips,
    run_in,
    text_rows,
    text_scale,
    worded,
)
from sheetgen.plan.cards.runs import CHANGE, NOTE
from sheetgen.plan.cards.sections import section_strips
from sheetgen.plan.fit import PADDING, width
from sheetgen.plan.sheets.view import View

BOX, END = "card-box", "card-end"
"""Shapes of a track."""

EVERY: Final = "*"
"""The `track` of an entry for each track of the subject."""

_NUMBER: Final = re.compile(r"\d+")


def build_subject(name: str, build: Build, texts: CardContext) -> Subject:
    """Return the subject of a build's card with a name; `texts` are those of its view."""
    tracks = {name: boxes for name, (boxes, _) in build.marked.items()}
    dice = {
        str(name): tuple(die for die, count in pool for _ in range(count))
        for name, pool in build.rolls.items()
    }
    picture = next(iter(build.pictures.values()), None)
    return Subject(name or "?", texts, collect_numbers(build), tracks, dice, picture)


def collect_numbers(build: Build) -> dict[str, int]:
    """Return all whole numbers of a build by name: ratings, derived values, keys of its file."""
    derived = {i: d.value for i, d in build.derived.items() if isinstance(d.value, int)}
    ratings = {i: r.total for i, r in build.ratings.items()}
    return {**ratings, **derived, **build.numbers}


def find_raised_values(view: View, without: View) -> dict[str, str]:
    """Return `NAME.change` to `+1` for each text of `view` whose only number is higher.

    Args:
        view: Of a build.
        without: Of the same build without what raises it. Rows are matched by their names,
            since their order may differ.
    """
    rows = {_identity(name, without): name for name in without.texts}
    changes = {}
    for name, shown in view.texts.items():
        other = without.texts.get(rows.get(_identity(name, view), ""))
        if other is None:
            continue
        here, before = _NUMBER.findall(shown.text), _NUMBER.findall(other.text)
        if len(here) == len(before) == 1 and int(here[0]) > int(before[0]):
            changes[f"{name}.{CHANGE}"] = f"+{int(here[0]) - int(before[0])}"
    return changes


def _identity(name: str, view: View) -> tuple[str, str]:
    """Return a key for a text; that of a row has the row's own name instead of its number."""
    stem, _, column = name.rpartition(".")
    head, _, number = stem.rpartition(".")
    row = view.texts.get(f"{stem}.name")
    if not number.isdigit() or row is None:
        return name, ""
    return f"{head}.{column}", row.text


def entry_strips(entry: CardEntry, subject: Subject, kind: CardKind) -> Iterator[StripDraft]:
    """Yield the strips of one entry of a card's `order`; see docs/reference/card-designs.md."""
    texts, numbers = subject.texts, subject.numbers
    if not _applies(entry, subject):
        return
    if entry.beside is not None:
        yield from section_strips(entry, entry.beside, texts, kind)
    elif not entry.strip:
        yield from text_rows(entry, texts, kind)
    elif entry.track is not None:
        tracks = subject.tracks if entry.track == EVERY else (entry.track,)
        yield from (_track_strip(entry, track, subject, kind) for track in tracks)
    elif entry.rings is not None:
        if numbers.get(entry.rings.of, 0):
            yield replace(_ring_strip(entry.strip[0], entry.rings, numbers, kind), low=entry.low)
    elif entry.run is not None and entry.each is not None:
        yield from run_in(entry, entry.each, texts, kind)
    elif entry.each is not None:
        yield from list_strips(entry, texts, kind)
    elif entry.grid is not None:
        yield from grid(entry.strip[0], entry.grid, subject, kind)
    elif entry.dice:
        yield _dice_strip(entry, subject, kind)
    elif entry.bars is not None:
        yield bars(_plain_strip(entry, subject, kind), entry.bars, texts)
    else:
        yield _plain_strip(entry, subject, kind)


def _applies(entry: CardEntry, subject: Subject) -> bool:
    if entry.when and not all(subject.texts.get(name) for name in entry.when):
        return False
    if entry.lacks is not None and subject.texts.get(entry.lacks):
        return False
    if entry.with_ is not None and not subject.numbers.get(entry.with_):
        return False
    return entry.unless is None or not subject.numbers.get(entry.unless)


def _plain_strip(entry: CardEntry, subject: Subject, kind: CardKind) -> StripDraft:
    """Return a strip whose places have the names of texts.

    If the entry names several strips, the first is used in which no text shrinks too far.
    Before the last one is used, the others are tried with `less` instead of `names`. If the
    strip `grows`, the last one is used, and the room that is left over chooses another.
    """
    *some, last = kind.variants(entry.strip or ())
    if entry.grows:
        part = _fill_strip(last, entry, entry.names, subject, kind)
        return replace(part, grows=tuple(map(kind.strip, entry.strip or ())))
    enough = ENOUGH if entry.enough is None else entry.enough
    for names in (entry.names, entry.names if entry.less is None else entry.less):
        for name in some:
            part = _fill_strip(name, entry, names, subject, kind)
            if text_scale(part, kind) >= enough:
                return part
    return _fill_strip(last, entry, entry.names, subject, kind)


def _fill_strip(
    strip: str,
    entry: CardEntry,
    names: Mapping[str, tuple[Text, ...] | JoinedTexts],
    subject: Subject,
    kind: CardKind,
) -> StripDraft:
    name, texts, filled = kind.strip(strip), subject.texts, {}
    for key in kind.filled_places(name):
        if text := texts.get(key):
            filled[key] = text
    if entry.missing:
        for place, spot in kind.places[name].items():
            if spot.role:
                filled.setdefault(place, entry.missing)
    for place, sources in names.items():
        filled[place] = _combine_texts(sources, texts)
    for place, value in entry.noted.items():
        if letter := texts.get(f"{value}.{NOTE}"):
            filled[f"{place}.{NOTE}"] = letter
    filled |= worded(entry, filled, texts)
    marks = _choose_shapes(entry.shapes, subject.numbers)
    for place, text in entry.pictures.items():
        shape = f"{place}-{'-'.join(texts.get(text, '').lower().split())}"
        marks |= {place: shape} if shape in kind.tokens.shapes else {}
    return StripDraft(name, filled, marks, low=entry.low)


def _combine_texts(sources: tuple[Text, ...] | JoinedTexts, texts: Mapping[str, str]) -> str:
    """Return the first text that exists, or all of them joined: `{join: …, of: […]}`.

    `{since: WORDS, of: […]}` returns the part of the first text from these words on, or all of
    it if they are not in it.
    """
    if isinstance(sources, tuple):
        return next((texts[s] for s in sources if texts.get(s)), "")
    existing = [texts[s] for s in sources.of if texts.get(s)]
    if sources.since is not None:
        before, start, rest = (existing[0] if existing else "").partition(sources.since)
        return f"{start.lstrip()}{rest}" if start else before
    return (sources.join or "").join(existing)


def _choose_shapes(rules: Mapping[str, ShapeRule], numbers: Mapping[str, int]) -> dict[str, str]:
    """Return shapes that a number chooses: `{of: members, from: 2, to: 6, shape: tab-{n}}`."""
    shapes = {}
    for place, rule in rules.items():
        n = numbers.get(rule.of, 0)
        in_range = rule.from_ <= n <= rule.to
        if shape := rule.shape.replace("{n}", str(n)) if in_range else rule.else_:
            shapes[place] = str(shape)
    return shapes


def _track_strip(entry: CardEntry, track: str, subject: Subject, kind: CardKind) -> StripDraft:
    """Return a track: boxes with their penalties, and the word at the end.

    A track with too many boxes for its strip is drawn on the strip `beyond`. The boxes of a
    group count down, on the strips `group`.
    """
    boxes = boxes_of(track, subject)
    counted = subject.numbers.get(entry.counts, 0) if entry.counts else 0
    strips = entry.group if counted else (*(entry.strip or ())[:1], *entry.beyond)
    last = f"end.{boxes + 1}" if entry.end and not counted else f"box.{boxes}"
    roomy = (one for one in strips if last in kind.places[kind.strip(one)])
    name = next(roomy, strips[-1])
    texts, marks = {"label": subject.texts.get(f"{track}.label", "")}, {}
    for n in range(1, boxes + 1):
        marks[f"box.{n}"] = BOX
        key = "inside", kind.strip(name), entry.inside, entry.short, n
        inside = kind.cached(key, partial(_inside, entry, name, n, kind))
        texts[f"inside.{n}"] = str(boxes + 1 - n) if counted else inside
    if counted:
        words = entry.counted or ""
        texts[f"after.{boxes}"] = subject.texts.get(words, "") if "." in words else words
    elif entry.end:
        marks[f"end.{boxes + 1}"] = END
        texts[f"word.{boxes + 1}"] = entry.end or ""
    return StripDraft(kind.strip(name), texts, marks)


def _inside(entry: CardEntry, strip: str, number: int, kind: CardKind) -> str:
    """Return the text in a box: `inside`, or `short` if that would touch the box's edges."""
    text = (entry.inside or "").replace("{n}", str(number))
    place = kind.places[kind.strip(strip)].get(f"inside.{number}")
    if entry.short is None or place is None:
        return text
    role = kind.tokens.roles[place.role]
    edges = 2 * kind.tokens.shapes[BOX].width + 2 * PADDING
    if width(text, kind.metrics[role.face], role.least) <= place.box.width - edges:
        return text
    return entry.short.replace("{n}", str(number))


def _dice_strip(entry: CardEntry, subject: Subject, kind: CardKind) -> StripDraft:
    """Return a strip with dice pools: the first of several strips with enough places."""
    pools = {str(place): subject.dice.get(place, ()) for place in entry.dice}
    last = {f"{place}.{len(dice)}" for place, dice in pools.items() if dice}
    names = entry.strip or ()
    roomy = (n for n in names if last <= kind.places[kind.strip(n)].keys())
    part = _fill_strip(next(roomy, names[-1]), entry, entry.names, subject, kind)
    marks = {f"{place}.{n}": die for place, dice in pools.items() for n, die in enumerate(dice, 1)}
    texts = {place: subject.texts.get(f"{place}.roll.text", "") for place in pools}
    alt_text = "; ".join(
        f"{place} {text}" if len(texts) > 1 else text for place, text in texts.items() if text
    )
    return replace(part, marks={**part.marks, **marks}, alt_text=alt_text)


def _ring_strip(strip: str, rule: Rings, numbers: Mapping[str, int], kind: CardKind) -> StripDraft:
    """Return the points of each side as rings; the points at the start are filled."""
    count, start = numbers.get(rule.of, 0), numbers.get(rule.start, 0)
    over = numbers.get(rule.over, 0)
    texts, marks = {}, {}
    for index, side in enumerate(rule.sides):
        here = start + (1 if index < over else 0)
        if count > rule.most:
            marks[f"box.{side}"], texts[f"start.{side}"] = BOX, str(here)
            continue
        before = (rule.most - count) // 2  # centre the rings
        for n in range(1, count + 1):
            marks[f"{side}.{n + before}"] = "card-ring-on" if n <= here else "card-ring"
    return StripDraft(kind.strip(strip), texts, marks)


def face_heads(head: StripDraft, number: int, count: int, kind: CardKind) -> StripDraft:
    """Return the head of one of several faces: its number, and an outlined tab after the first.

    The number follows the kind, in the first head, no higher, that has room for both. If none
    has, the first face has the kind and the others have their number. `status` is the part of the
    kind that is printed on every face.
    """
    status, about = head.texts.get("status", ""), head.texts.get("kind", "")
    marks = {**head.marks, "tab": "tab-open"} if number > 1 else head.marks
    of = f"{number} of {count}"
    both = f"{about} · {of}" if about else of
    stem = head.name.partition("-")[0]
    for name in (head.name, *(one for one in kind.heights if one.partition("-")[0] == stem)):
        if kind.heights[name] <= kind.heights[head.name]:
            found = replace(head, name=name, texts={**head.texts, "kind": both}, marks=marks)
            if text_scale(found, kind) > 0:
                return found
    short = f"{status} · {of}" if status else of
    shown = about if number == 1 and about else short
    return replace(head, texts={**head.texts, "kind": shown}, marks=marks)
