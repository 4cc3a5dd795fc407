"""What stands on a card, strip by strip, before any strip has a place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sheetgen.model.build import Build
from sheetgen.model.designs.card_files import CardEntry, JoinedTexts, Rings, ShapeRule
from sheetgen.model.source import Text
from sheetgen.plan.cards.choice import ENOUGH, scale
from sheetgen.plan.cards.kinds import CardKind, StripDraft, Subject
from sheetgen.plan.cards.rows import bars, boxes_of, grid, list_strips, run_in, text_rows, worded
from sheetgen.plan.cards.runs import NOTE
from sheetgen.plan.cards.sections import section_strips
from sheetgen.plan.sheets.changes import CHANGE

BOX, END = "card-box", "card-end"
"""Shapes of a track."""


def build_subject(build: Build, texts: Mapping[str, str]) -> Subject:
    """Return a checked build as what a card is about; `told` are the texts of its view."""
    tracks = {name: boxes for name, (boxes, _) in build.marked.items()}
    dice = {
        str(name): tuple(die for die, count in pool for _ in range(count))
        for name, pool in build.rolls.items()
    }
    return Subject(build.name or "?", texts, collect_numbers(build), tracks, dice)


def collect_numbers(build: Build) -> dict[str, int]:
    """Return all whole numbers of a build by name: ratings, derived values, keys of its file."""
    derived = {i: d.value for i, d in build.derived.items() if isinstance(d.value, int)}
    ratings = {i: r.total for i, r in build.ratings.items()}
    return {**ratings, **derived, **build.numbers}


def entry_strips(item: CardEntry, about: Subject, kind: CardKind) -> Iterator[StripDraft]:
    """Yield the strips that one entry of a card's `order` makes; see templates/README.md."""
    told, numbers = about.texts, about.numbers
    if not _wanted(item, about, kind):
        return
    if item.beside is not None:
        yield from section_strips(item, item.beside, told, kind)
    elif not item.strip:
        yield from text_rows(item, told, kind)
    elif item.track is not None:
        yield _track(item, item.track, about, kind)
    elif item.rings is not None:
        if numbers.get(item.rings.of, 0):  # what has none needs no room for them
            yield _rings(item.strip[0], item.rings, numbers, kind)
    elif item.run is not None and item.each is not None:
        yield from run_in(item, item.each, told, kind)
    elif item.each is not None:
        yield from list_strips(item, told, kind)
    elif item.grid is not None:
        yield from grid(item.strip[0], item.grid, about, kind)
    elif item.dice:
        yield _pool(item, about, kind)
    elif item.bars is not None:
        yield bars(_named(item, about, kind), item.bars, told)
    else:
        yield _named(item, about, kind)


def _wanted(item: CardEntry, about: Subject, kind: CardKind) -> bool:
    """Return whether an entry counts: in this step, for what has what it is about."""
    if item.in_ is not None and kind.step not in item.in_:
        return False
    if item.when is not None and not about.texts.get(item.when):
        return False
    if item.lacks is not None and about.texts.get(item.lacks):
        return False
    if item.with_ is not None and not about.numbers.get(item.with_):
        return False
    return item.unless is None or not about.numbers.get(item.unless)


def _named(item: CardEntry, about: Subject, kind: CardKind) -> StripDraft:
    """Return a strip whose places are called as texts are.

    Of several the first in which no text has to shrink too far; before the last one is
    taken, the others are tried with `less` instead of `names`.
    """
    *some, last = item.strip or ()
    enough = ENOUGH if item.enough is None else item.enough
    shorter = replace(item, names=item.names if item.less is None else item.less)
    for said in (item, shorter):
        for name in some:
            part = _filled(name, said, about, kind)
            if scale(part, kind) >= enough:
                return part
    return _filled(last, item, about, kind)


def _filled(strip: str, item: CardEntry, about: Subject, kind: CardKind) -> StripDraft:
    name, told, found = kind.strip(strip), about.texts, {}
    for place in kind.places[name]:
        for key in (place, f"{place}.{CHANGE}"):
            if told.get(key):
                found[key] = told[key]
    for place, sources in item.names.items():
        found[place] = _said(sources, told)
    for place, value in item.noted.items():
        if letter := told.get(f"{value}.{NOTE}"):
            found[f"{place}.{NOTE}"] = letter
    found |= worded(item, found, told)
    marks = _shapes(item.shapes, about.numbers)
    for place, text in item.pictures.items():
        shape = f"{place}-{'-'.join(told.get(text, '').lower().split())}"
        marks |= {place: shape} if shape in kind.tokens.shapes else {}
    return StripDraft(name, found, marks, low=item.low)


def _said(sources: tuple[Text, ...] | JoinedTexts, told: Mapping[str, str]) -> str:
    """Return the first of some texts that is there, or all of them: `{join: …, of: […]}`.

    `{since: WORDS, of: […]}`: of the first only what begins with these words.
    """
    if isinstance(sources, tuple):
        return next((told[s] for s in sources if told.get(s)), "")
    there = [told[s] for s in sources.of if told.get(s)]
    if sources.since is not None:
        _, found, rest = (there[0] if there else "").partition(sources.since)
        return f"{found.lstrip()}{rest}"
    return (sources.join or "").join(there)


def _shapes(wanted: Mapping[str, ShapeRule], numbers: Mapping[str, int]) -> dict[str, str]:
    """Return shapes that a number chooses: `{of: members, from: 2, to: 6, shape: tab-{n}}`."""
    found = {}
    for place, rule in wanted.items():
        n = numbers.get(rule.of, 0)
        chosen = rule.shape.replace("{n}", str(n))
        if not rule.from_ <= n <= rule.to:
            chosen = rule.else_ or ""
        if chosen:
            found[place] = chosen
    return found


def _track(item: CardEntry, track: Text, about: Subject, kind: CardKind) -> StripDraft:
    """Return a track: a box each, what it costs in it, and the word at the end.

    What has no room on its strip stands on another one, `beyond`. A group's boxes count
    down, on the strips `group`.
    """
    boxes = boxes_of(track, about)
    counted = about.numbers.get(item.counts, 0) if item.counts else 0
    strips = item.group if counted else (*(item.strip or ())[:1], *filter(None, [item.beyond]))
    name = strips[0]
    last = f"box.{boxes}" if counted else f"end.{boxes + 1}"
    if last not in kind.places[kind.strip(name)]:
        name = strips[-1]
    found, marks = {}, {}
    for n in range(1, boxes + 1):
        marks[f"box.{n}"] = BOX
        found[f"inside.{n}"] = (
            str(boxes + 1 - n) if counted else (item.inside or "").replace("{n}", str(n))
        )
    if counted:
        words = item.counted or ""
        found[f"after.{boxes}"] = about.texts.get(words, "") if "." in words else words
    else:
        marks[f"end.{boxes + 1}"] = END
        found[f"word.{boxes + 1}"] = item.end or ""
    return StripDraft(kind.strip(name), found, marks)


def _pool(item: CardEntry, about: Subject, kind: CardKind) -> StripDraft:
    """Return a strip with pools, die by die: the first of several that has room for them."""
    pools = {str(place): about.dice.get(place, ()) for place in item.dice}
    last = {f"{place}.{len(dice)}" for place, dice in pools.items() if dice}
    names = item.strip or ()
    roomy = (n for n in names if last <= kind.places[kind.strip(n)].keys())
    part = _filled(next(roomy, names[-1]), item, about, kind)
    marks = {f"{place}.{n}": die for place, dice in pools.items() for n, die in enumerate(dice, 1)}
    told = {place: about.texts.get(f"{place}.roll.text", "") for place in pools}
    said = "; ".join(
        f"{place} {text}" if len(told) > 1 else text for place, text in told.items() if text
    )
    return replace(part, marks={**part.marks, **marks}, alt_text=said)


def _rings(strip: str, rule: Rings, numbers: Mapping[str, int], kind: CardKind) -> StripDraft:
    """Return points spread over sides: a ring each, those of the start filled."""
    count, start = numbers.get(rule.of, 0), numbers.get(rule.start, 0)
    over = numbers.get(rule.over, 0)
    found, marks = {}, {}
    for index, side in enumerate(rule.sides):
        here = start + (1 if index < over else 0)
        if count > rule.most:
            marks[f"box.{side}"], found[f"start.{side}"] = BOX, str(here)
            continue
        before = (rule.most - count) // 2  # those that are fewer stand in the middle
        for n in range(1, count + 1):
            marks[f"{side}.{n + before}"] = "card-ring-on" if n <= here else "card-ring"
    return StripDraft(kind.strip(strip), found, marks)


def face_heads(head: StripDraft, number: int, count: int) -> StripDraft:
    """Return the head of one of several faces: which it is, its tab outlined but for the first.

    `status` is what of the kind stands on all of them.
    """
    kept = head.texts.get("status", "")
    kind = f"{number} of {count}"
    marks = {**head.marks, "tab": "tab-open"} if number > 1 else head.marks
    texts = {**head.texts, "kind": f"{kept} · {kind}" if kept else kind}
    return replace(head, texts=texts, marks=marks)
