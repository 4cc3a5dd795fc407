"""What stands on a card, strip by strip, before any strip has a place."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sheetgen.model.build import Build
from sheetgen.model.prints import Place, Plate
from sheetgen.plan.fit import paragraphs

TEXT: Final = "body"
"""Begins the name of a strip of plain text; `body-3` has three lines."""

MOST_LINES: Final = 8
"""Of one strip of text; a longer text takes several."""

FOOTNOTES: Final = "footnotes"
"""What a design calls them, to say where they stand."""

BOX, END = "card-box", "card-end"
"""Shapes of a track."""


@dataclass(frozen=True, slots=True)
class CardKind:
    """How a kind of card is built, in points: `card.yaml` at one size.

    Attributes:
        heights: Of the strips by name, in the order of the plate's pages.
        order: What stands on a card; see templates/README.md.
        foot: The strip that ends each face.
        air: Below a text.
    """

    size: tuple[float, float]
    heights: Mapping[str, float]
    order: Sequence[Mapping[str, Any]]
    foot: str
    air: float


@dataclass(frozen=True, slots=True)
class Part:
    """One strip before it has a place: which, what stands in it, and room below it."""

    name: str
    texts: Mapping[str, str]
    marks: Mapping[str, str] = field(default_factory=dict)
    below: float = 0


@dataclass(frozen=True, slots=True)
class Subject:
    """What a card is about.

    Attributes:
        told: Its texts by name, as a view names them.
        numbers: Its whole numbers, which choose shapes.
        tracks: How many boxes each track has.
    """

    name: str
    told: Mapping[str, str]
    numbers: Mapping[str, int] = field(default_factory=dict)
    tracks: Mapping[str, int] = field(default_factory=dict)


def subject_of(build: Build, told: Mapping[str, str]) -> Subject:
    """Return a checked build as what a card is about; `told` are the texts of its view."""
    tracks = {name: boxes for name, (boxes, _) in build.marked.items()}
    return Subject(build.name or "?", told, numbers_of(build), tracks)


def numbers_of(build: Build) -> dict[str, int]:
    """Return all whole numbers of a build by name: ratings, derived values, keys of its file."""
    derived = {i: d.value for i, d in build.derived.items() if isinstance(d.value, int)}
    ratings = {i: r.total for i, r in build.ratings.items()}
    return {**ratings, **derived, **build.numbers}


def parts_of(
    item: Mapping[str, Any], about: Subject, kind: CardKind, plate: Plate
) -> Iterator[Part]:
    """Yield the strips that one entry of a card's `order` makes; see templates/README.md."""
    told, numbers = about.told, about.numbers
    name = str(item.get("strip", ""))
    if "when" in item and not told.get(str(item["when"])):
        return
    if "text" in item and not name:
        yield from _texts(item, told, kind, plate)
    elif "track" in item:
        names = {place.name for place in places_of(name, kind, plate)}
        yield _track(item, about, names)
    elif "rings" in item:
        if numbers.get(str(item["rings"]["of"]), 0):  # what has none needs no room for them
            yield _rings(item, numbers)
    elif "each" in item:
        yield from _rows(item, told, kind, plate)
    else:
        wanted = {place.name for place in places_of(name, kind, plate)}
        texts = {place: told[place] for place in wanted if told.get(place)}
        for place, sources in item.get("names", {}).items():
            texts[place] = _named(sources, told)
        yield Part(name, texts, _shapes(item.get("shapes", {}), numbers))


def _named(sources: Any, told: Mapping[str, str]) -> str:
    """Return the first of some texts that is there, or all of them: `{join: …, of: […]}`."""
    if isinstance(sources, Mapping):
        return str(sources["join"]).join(told[s] for s in sources["of"] if told.get(s))
    return next((told[s] for s in sources if told.get(s)), "")


def places_of(name: str, kind: CardKind, plate: Plate) -> list[Place]:
    """Return the places of the strip `name`."""
    page = list(kind.heights).index(name)
    return [place for place in plate.places if place.page == page]


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


def _track(item: Mapping[str, Any], about: Subject, there: Collection[str]) -> Part:
    """Return a track: a box each, what it costs in it, and the word at the end.

    Args:
        there: Places of its strip; what has no room among them stands on another strip.
    """
    boxes = about.tracks[str(item["track"])]
    counted = about.numbers.get(str(item.get("counts", "")), 0)
    name = str(item["strip"])
    last = f"{name}_box.{boxes}" if counted else f"{name}_end.{boxes + 1}"
    if last not in there:
        name = str(item.get("beyond", name))
    texts, marks = {}, {}
    for n in range(1, boxes + 1):
        marks[f"{name}_box.{n}"] = BOX
        inside = str(boxes + 1 - n) if counted else str(item["inside"]).replace("{n}", str(n))
        texts[f"{name}_inside.{n}"] = inside
    if not counted:
        marks[f"{name}_end.{boxes + 1}"] = END
        texts[f"{name}_word.{boxes + 1}"] = str(item["end"])
    return Part(name, texts, marks)


def _rings(item: Mapping[str, Any], numbers: Mapping[str, int]) -> Part:
    """Return points spread over sides: a ring each, those of the start filled."""
    rule = item["rings"]
    count, start = numbers.get(str(rule["of"]), 0), numbers.get(str(rule["start"]), 0)
    over = numbers.get(str(rule["over"]), 0)
    texts, marks = {}, {}
    for index, side in enumerate(rule["sides"]):
        here = start + (1 if index < over else 0)
        if count > int(rule["most"]):
            marks[f"box.{side}"], texts[f"start.{side}"] = BOX, str(here)
            continue
        for n in range(1, count + 1):
            marks[f"{side}.{n}"] = "card-ring-on" if n <= here else "card-ring"
    return Part(str(item["strip"]), texts, marks)


def _rows(
    item: Mapping[str, Any], told: Mapping[str, str], kind: CardKind, plate: Plate
) -> Iterator[Part]:
    """Yield a strip for each row of a list, or for each `by` rows, and a text below it."""
    stem, by = str(item["each"]), int(item.get("by", 1))
    rows = _listed(stem, told)
    for start in range(0, len(rows), by):
        texts: dict[str, str] = {}
        for n, row in enumerate(rows[start : start + by], 1):
            slot = f"n{n}" if by > 1 else "n"
            texts |= {f"{stem}.{slot}.{column}": text for column, text in row.items()}
        yield Part(str(item["strip"]), texts)
        below = rows[start].get(str(item.get("text", "")), "")
        if below:
            yield from _lines(below, kind, plate)


def _listed(stem: str, told: Mapping[str, str]) -> list[dict[str, str]]:
    rows: dict[int, dict[str, str]] = {}
    for name, text in told.items():
        parts = name.split(".")
        if parts[0] == stem and len(parts) > 1 and parts[1].isdigit():
            rows.setdefault(int(parts[1]), {})[".".join(parts[2:])] = text
    return [rows[n] for n in sorted(rows)]


def _texts(
    item: Mapping[str, Any], told: Mapping[str, str], kind: CardKind, plate: Plate
) -> Iterator[Part]:
    """Yield texts, each below the other, or joined to one."""
    found: list[str] = []
    for name in item["text"]:
        stem, _, column = str(name).partition(".")
        if not column and told.get(stem):
            found.append(told[stem])
        found += [row[column] for row in _listed(stem, told) if row.get(column)]
    if "join" in item and found:
        found = [str(item["join"]).join(found)]
    for text in found:
        yield from _lines(text, kind, plate)


def _lines(text: str, kind: CardKind, plate: Plate) -> Iterator[Part]:
    place = next(p for p in places_of(f"{TEXT}-1", kind, plate) if p.name.endswith("text"))
    role = plate.tokens.roles[place.role]
    lines = paragraphs(text, place.box.width - 1, plate.metrics[role.face], role.size)
    for start in range(0, len(lines), MOST_LINES):
        some = lines[start : start + MOST_LINES]
        last = start + MOST_LINES >= len(lines)
        yield Part(f"{TEXT}-{len(some)}", {"text": "\n".join(some)}, below=kind.air if last else 0)
