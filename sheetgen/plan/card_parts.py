"""What stands on a card, strip by strip, before any strip has a place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sheetgen.model.build import Build
from sheetgen.plan.card_choice import ENOUGH, scale
from sheetgen.plan.card_kinds import CardKind, Part, Subject
from sheetgen.plan.card_rows import bars, grid, rows, run_in, texts, worded
from sheetgen.plan.card_runs import NOTE
from sheetgen.plan.card_sections import beside
from sheetgen.plan.changes import CHANGE

BOX, END = "card-box", "card-end"
"""Shapes of a track."""


def subject_of(build: Build, told: Mapping[str, str]) -> Subject:
    """Return a checked build as what a card is about; `told` are the texts of its view."""
    tracks = {name: boxes for name, (boxes, _) in build.marked.items()}
    return Subject(build.name or "?", told, numbers_of(build), tracks)


def numbers_of(build: Build) -> dict[str, int]:
    """Return all whole numbers of a build by name: ratings, derived values, keys of its file."""
    derived = {i: d.value for i, d in build.derived.items() if isinstance(d.value, int)}
    ratings = {i: r.total for i, r in build.ratings.items()}
    return {**ratings, **derived, **build.numbers}


def parts_of(item: Mapping[str, Any], about: Subject, kind: CardKind) -> Iterator[Part]:
    """Yield the strips that one entry of a card's `order` makes; see templates/README.md."""
    told, numbers = about.told, about.numbers
    if not _wanted(item, about, kind):
        return
    if "beside" in item:
        yield from beside(item, told, kind)
    elif "strip" not in item:
        yield from texts(item, told, kind)
    elif "track" in item:
        yield _track(item, about, kind)
    elif "rings" in item:
        if numbers.get(str(item["rings"]["of"]), 0):  # what has none needs no room for them
            yield _rings(item, numbers, kind)
    elif "run" in item:
        yield from run_in(item, told, kind)
    elif "each" in item:
        yield from rows(item, told, kind)
    elif "grid" in item:
        yield from grid(item, about, kind)
    elif "dice" in item:
        yield _pool(item, about, kind)
    elif "bars" in item:
        yield bars(_named(item, about, kind), item, told)
    else:
        yield _named(item, about, kind)


def _wanted(item: Mapping[str, Any], about: Subject, kind: CardKind) -> bool:
    """Return whether an entry counts: in this step, for what has what it is about."""
    if kind.step not in item.get("in", [kind.step]):
        return False
    if "when" in item and not about.told.get(str(item["when"])):
        return False
    if "lacks" in item and about.told.get(str(item["lacks"])):
        return False
    if "with" in item and not about.numbers.get(str(item["with"])):
        return False
    return "unless" not in item or not about.numbers.get(str(item["unless"]))


def _named(item: Mapping[str, Any], about: Subject, kind: CardKind) -> Part:
    """Return a strip whose places are called as texts are.

    Of several the first in which no text has to shrink too far; before the last one is
    taken, the others are tried with `less` instead of `names`.
    """
    if not isinstance(item["strip"], list):
        return _filled(str(item["strip"]), item, about, kind)
    *some, last = (str(name) for name in item["strip"])
    shorter = {**item, "names": item.get("less", item.get("names", {}))}
    for said in (item, shorter):
        for name in some:
            part = _filled(name, said, about, kind)
            if scale(part, kind) >= float(item.get("enough", ENOUGH)):
                return part
    return _filled(last, item, about, kind)


def _filled(strip: str, item: Mapping[str, Any], about: Subject, kind: CardKind) -> Part:
    name, told, found = kind.strip(strip), about.told, {}
    for place in kind.places[name]:
        for key in (place, f"{place}.{CHANGE}"):
            if told.get(key):
                found[key] = told[key]
    for place, sources in item.get("names", {}).items():
        found[place] = _said(sources, told)
    for place, value in item.get("noted", {}).items():
        if letter := told.get(f"{value}.{NOTE}"):
            found[f"{place}.{NOTE}"] = letter
    found |= worded(item, found, told)
    marks = _shapes(item.get("shapes", {}), about.numbers)
    for place, text in item.get("pictures", {}).items():
        shape = f"{place}-{'-'.join(told.get(text, '').lower().split())}"
        marks |= {place: shape} if shape in kind.tokens.shapes else {}
    return Part(name, found, marks, low=bool(item.get("low")))


def _said(sources: Any, told: Mapping[str, str]) -> str:
    """Return the first of some texts that is there, or all of them: `{join: …, of: […]}`.

    `{since: WORDS, of: […]}`: of the first only what begins with these words.
    """
    if isinstance(sources, Mapping) and "since" in sources:
        _, found, rest = next((told[s] for s in sources["of"] if told.get(s)), "").partition(
            str(sources["since"])
        )
        return f"{found.lstrip()}{rest}"
    if isinstance(sources, Mapping):
        return str(sources["join"]).join(told[s] for s in sources["of"] if told.get(s))
    return next((told[s] for s in sources if told.get(s)), "")


def _shapes(wanted: Mapping[str, Any], numbers: Mapping[str, int]) -> dict[str, str]:
    """Return shapes that a number chooses: `{of: members, from: 2, to: 6, shape: tab-{n}}`."""
    found = {}
    for place, rule in wanted.items():
        n = numbers.get(str(rule["of"]), 0)
        chosen = str(rule["shape"]).replace("{n}", str(n))
        if not int(rule["from"]) <= n <= int(rule["to"]):
            chosen = str(rule.get("else", ""))
        if chosen:
            found[place] = chosen
    return found


def _track(item: Mapping[str, Any], about: Subject, kind: CardKind) -> Part:
    """Return a track: a box each, what it costs in it, and the word at the end.

    What has no room on its strip stands on another one, `beyond`. A group's boxes count
    down, on the strips `group`.
    """
    boxes = about.tracks[str(item["track"])]
    counted = about.numbers.get(str(item.get("counts", "")), 0)
    name, beyond = item["group"] if counted else (item["strip"], item.get("beyond", item["strip"]))
    last = f"box.{boxes}" if counted else f"end.{boxes + 1}"
    if last not in kind.places[kind.strip(str(name))]:
        name = beyond
    found, marks = {}, {}
    for n in range(1, boxes + 1):
        marks[f"box.{n}"] = BOX
        found[f"inside.{n}"] = (
            str(boxes + 1 - n) if counted else str(item["inside"]).replace("{n}", str(n))
        )
    if counted:
        words = str(item["counted"])
        found[f"after.{boxes}"] = about.told.get(words, "") if "." in words else words
    else:
        marks[f"end.{boxes + 1}"] = END
        found[f"word.{boxes + 1}"] = str(item["end"])
    return Part(kind.strip(str(name)), found, marks)


def _pool(item: Mapping[str, Any], about: Subject, kind: CardKind) -> Part:
    """Return a strip with a pool, die by die: the first of several that has room for it."""
    place, dice = str(item["dice"]), about.dice.get(str(item["dice"]), ())
    names = item["strip"] if isinstance(item["strip"], list) else [item["strip"]]
    roomy = (n for n in names if f"{place}.{len(dice)}" in kind.places[kind.strip(str(n))])
    part = _filled(str(next(roomy, names[-1])), item, about, kind)
    marks = {f"{place}.{n}": die for n, die in enumerate(dice, 1)}
    said = about.told.get(f"{place}.roll.text", "")
    return replace(part, marks={**part.marks, **marks}, said=said)


def _rings(item: Mapping[str, Any], numbers: Mapping[str, int], kind: CardKind) -> Part:
    """Return points spread over sides: a ring each, those of the start filled."""
    rule = item["rings"]
    count, start = numbers.get(str(rule["of"]), 0), numbers.get(str(rule["start"]), 0)
    over = numbers.get(str(rule["over"]), 0)
    found, marks = {}, {}
    for index, side in enumerate(rule["sides"]):
        here = start + (1 if index < over else 0)
        if count > int(rule["most"]):
            marks[f"box.{side}"], found[f"start.{side}"] = BOX, str(here)
            continue
        before = (int(rule["most"]) - count) // 2  # those that are fewer stand in the middle
        for n in range(1, count + 1):
            marks[f"{side}.{n + before}"] = "card-ring-on" if n <= here else "card-ring"
    return Part(kind.strip(str(item["strip"])), found, marks)


def numbered(head: Part, number: int, count: int) -> Part:
    """Return the head of one of several faces: which it is, its tab outlined but for the first.

    `status` is what of the kind stands on all of them.
    """
    kept = head.texts.get("status", "")
    kind = f"{number} of {count}"
    marks = {**head.marks, "tab": "tab-open"} if number > 1 else head.marks
    texts = {**head.texts, "kind": f"{kept} · {kind}" if kept else kind}
    return replace(head, texts=texts, marks=marks)
