"""A build to a card: strips under each other, and what does not fit on a second card."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.load.designs import Design
from sheetgen.model.build import Build
from sheetgen.model.cards import Face, Strip
from sheetgen.model.prints import Filling, Place, Plate, Setting
from sheetgen.model.ruleset import Ruleset
from sheetgen.plan.fit import fit, paragraphs
from sheetgen.plan.view import Shown, View

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


def card_of(
    build: Build, view: View, kind: CardKind, plate: Plate, span: Span, notes: Mapping[str, str]
) -> tuple[tuple[Face, ...], tuple[Finding, ...]]:
    """Return the faces of a card, and a finding where there is more than one.

    Args:
        build: Its numbers choose shapes.
        view: What it can show.
        kind: Of card.
        plate: Whose pages are the strips.
        span: What findings point at.
        notes: Footnotes by the name of what they are about: `dodge` to its text.
    """
    numbers = _numbers(build)
    told = {name: shown.text for name, shown in view.texts.items()}
    told[FOOTNOTES] = _footnotes(notes)
    parts: list[Part] = []
    for item in kind.order:
        parts += _parts(item, told, numbers, build, kind, plate)
    parts = [_noted(part, notes, kind, plate) for part in parts]
    foot = Part(kind.foot, {})
    faces = _faces(parts, foot, kind)
    name = build.name or "?"
    made = tuple(
        _face(name, face, number, len(faces), kind, plate) for number, face in enumerate(faces, 1)
    )
    if len(made) == 1:
        return made, ()
    message = f"{name} continues on {len(made) - 1} more card{'s' if len(made) > 2 else ''}"
    hint = "take a larger card, or say less"
    return made, (Finding(codes.MORE_ROWS, span, message, hint, Severity.WARNING),)


def card_kind(design: Design) -> CardKind:
    """Return how a design builds its cards."""
    facts = design.facts
    card = facts["card"]
    size = (float(card["width"]), float(card["height"]))
    foot = str(facts["foot"]["strip"])
    return CardKind(size, facts["heights"], facts["order"], foot, float(facts["air"]))


def card_context(rules: Ruleset, design: Design) -> dict[str, Any]:
    """Return what the template of a card's strips is told."""
    return {
        "mode": "plate",
        "lang": rules.lang,
        "title": f"{design.facts['title']}, {rules.title}",
        "rules": rules,
        "theme": design.theme,
        "paper": design.paper,
        "tables": {},
        "design": design.sheet,
        "card": design.facts["card"],
    }


def cards_context(
    blank: Mapping[str, Any], faces: Iterable[Face], kind: CardKind
) -> dict[str, Any]:
    """Return what the template of a page of cards is told, and where strips begin, in points."""
    names = list(kind.heights)
    tops: dict[float, int] = {}
    told = []
    for face in faces:
        strips = []
        for strip in face.strips:
            texts = strip.filling.texts
            step = tops.setdefault(round(strip.top, 2), len(tops))
            strips.append(
                {
                    "name": names[strip.page],
                    "step": step,
                    "values": {name: _said(setting) for name, setting in texts.items()},
                    "sizes": _sizes(strip),
                    "marks": strip.filling.marks,
                }
            )
        told.append({"name": face.name, "strips": strips})
    return {**blank, "mode": "page", "faces": told, "tops": tops, "roles": {}}


def _said(setting: Setting) -> str:
    return "\n".join(setting.lines)


def _sizes(strip: Strip) -> dict[str, int]:
    """Return in percent how far texts were shrunk to fit."""
    sizes: dict[str, int] = {}
    for place in strip.plate.places:
        setting = strip.filling.texts.get(place.name)
        if place.page == strip.page and setting is not None:
            full = strip.plate.tokens.roles[setting.role or place.role].size
            percent = max(50, int(100 * setting.size / full + 0.01))
            sizes |= {place.name: percent} if percent < 100 else {}
    return sizes


def tops_css(tops: Mapping[float, int]) -> str:
    """Return the classes that say where strips begin: a page allows no style of its own."""
    return "".join(f".in-page .y{step} {{ top: {top:g}pt }}\n" for top, step in tops.items())


def copies(build: Build, view: View) -> Iterator[tuple[Build, View]]:
    """Yield a build as often as it wants to be printed, each copy under its own name."""
    names = build.lists.get("names", ())
    for n in range(max(1, build.numbers.get("copies", 1), len(names))):
        name = names[n] if n < len(names) else build.name
        texts = {**view.texts, "name": Shown(name, "Name")}
        yield replace(build, name=name), View(texts, view.ticks, view.frames)


def _numbers(build: Build) -> dict[str, int]:
    derived = {i: d.value for i, d in build.derived.items() if isinstance(d.value, int)}
    ratings = {i: r.total for i, r in build.ratings.items()}
    return {**ratings, **derived, **build.numbers}


def _parts(
    item: Mapping[str, Any],
    told: Mapping[str, str],
    numbers: Mapping[str, int],
    build: Build,
    kind: CardKind,
    plate: Plate,
) -> Iterator[Part]:
    name = str(item.get("strip", ""))
    if "text" in item and not name:
        yield from _texts(item, told, kind, plate)
    elif "track" in item:
        names = {place.name for place in _places(name, kind, plate)}
        yield _track(item, build, numbers, names)
    elif "rings" in item:
        if numbers.get(str(item["rings"]["of"]), 0):  # what has none needs no room for them
            yield _rings(item, numbers)
    elif "each" in item:
        yield from _rows(item, told, kind, plate)
    else:
        wanted = {place.name for place in _places(name, kind, plate)}
        texts = {place: told[place] for place in wanted if told.get(place)}
        for place, sources in item.get("names", {}).items():
            texts[place] = _named(sources, told)
        yield Part(name, texts, _shapes(item.get("shapes", {}), numbers))


def _named(sources: Any, told: Mapping[str, str]) -> str:
    """Return the first of some texts that is there, or all of them: `{join: …, of: […]}`."""
    if isinstance(sources, Mapping):
        return str(sources["join"]).join(told[s] for s in sources["of"] if told.get(s))
    return next((told[s] for s in sources if told.get(s)), "")


def _places(name: str, kind: CardKind, plate: Plate) -> list[Place]:
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


def _track(
    item: Mapping[str, Any], build: Build, numbers: Mapping[str, int], there: Collection[str]
) -> Part:
    """Return a track: a box each, what it costs in it, and the word at the end.

    Args:
        there: Places of its strip; what has no room among them stands on another strip.
    """
    boxes, _ = build.marked[str(item["track"])]
    counted = numbers.get(str(item.get("counts", "")), 0)
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
    place = next(p for p in _places(f"{TEXT}-1", kind, plate) if p.name.endswith("text"))
    role = plate.tokens.roles[place.role]
    lines = paragraphs(text, place.box.width - 1, plate.metrics[role.face], role.size)
    for start in range(0, len(lines), MOST_LINES):
        some = lines[start : start + MOST_LINES]
        last = start + MOST_LINES >= len(lines)
        yield Part(f"{TEXT}-{len(some)}", {"text": "\n".join(some)}, below=kind.air if last else 0)


def _noted(part: Part, notes: Mapping[str, str], kind: CardKind, plate: Plate) -> Part:
    """Return `part` with a letter at each value that has a footnote."""
    if not notes:
        return part
    letters = dict(zip(notes, "abcdefgh", strict=False))
    names = {place.name for place in _places(part.name, kind, plate)}
    found = {f"{n}.mark": letter for n, letter in letters.items() if f"{n}.mark" in names}
    return replace(part, texts={**part.texts, **found}) if found else part


def _footnotes(notes: Mapping[str, str]) -> str:
    lettered = zip("abcdefgh", notes.values(), strict=False)
    return " ".join(f"{letter} {text}" for letter, text in lettered)


def _faces(parts: Sequence[Part], foot: Part, kind: CardKind) -> list[list[Part]]:
    """Return the parts face by face; the first one begins every face."""
    room = kind.size[1] - kind.heights[foot.name]
    head = parts[0]
    faces: list[list[Part]] = [[head]]
    used = kind.heights[head.name]
    for part in parts[1:]:
        height = kind.heights[part.name]
        if used + height > room + 0.01 and len(faces[-1]) > 1:
            faces.append([head])
            used = kind.heights[head.name]
        faces[-1].append(part)
        used += height + part.below
    for face in faces:
        face.append(foot)
    return faces


def _face(
    name: str, parts: Iterable[Part], number: int, count: int, kind: CardKind, plate: Plate
) -> Face:
    pages = list(kind.heights)
    strips: list[Strip] = []
    top = 0.0
    for part in parts:
        if part.name == kind.foot:
            top = kind.size[1] - kind.heights[part.name]
        if not strips and count > 1:
            part = _numbered(part, number, count)
        strips.append(_strip(part, pages.index(part.name), top, plate))
        top += kind.heights[part.name] + part.below
    return Face(name, kind.size, tuple(strips), number, count)


def _numbered(head: Part, number: int, count: int) -> Part:
    texts = {**head.texts, "kind": f"{number} of {count}"}
    marks = {**head.marks, "tab": "tab-open"} if number > 1 else head.marks
    return replace(head, texts=texts, marks=marks)


def _strip(part: Part, page: int, top: float, plate: Plate) -> Strip:
    settings: dict[str, Setting] = {}
    marks: dict[str, str] = {}
    said: list[str] = []
    for place in plate.places:
        if place.page != page:
            continue
        # Each strip of text has its own place; all are called alike in the design.
        text = part.texts.get(place.name) or part.texts.get(place.name.rpartition(".")[2], "")
        if place.role and text:
            settings[place.name] = _set(text, place, plate)
            said.append(f"{place.label} {text}" if place.label != "Text" else text)
        elif not place.role and place.name in part.marks:
            marks[place.name] = part.marks[place.name]
    filling = Filling(texts=settings, marks=marks)
    return Strip(plate, page, filling, top, ", ".join(said))


def _set(text: str, place: Place, plate: Plate) -> Setting:
    role = plate.tokens.roles[place.role]
    if "\n" in text:
        return Setting(text, tuple(text.split("\n")), role.size)
    setting, _ = fit(text, place, role, plate.metrics[role.face])
    return setting
