"""A build to a card: strips under each other, and what does not fit on a second card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.load.designs import Design
from sheetgen.model.build import Build
from sheetgen.model.cards import Face, Strip
from sheetgen.model.prints import Filling, Place, Plate, Setting
from sheetgen.plan.card_parts import (
    FOOTNOTES,
    CardKind,
    Part,
    Subject,
    parts_of,
    places_of,
    subject_of,
)
from sheetgen.plan.fit import fit
from sheetgen.plan.view import View


def card_of(
    about: Subject, kind: CardKind, plate: Plate, span: Span, notes: Mapping[str, str]
) -> tuple[tuple[Face, ...], tuple[Finding, ...]]:
    """Return the faces of a card, and a finding where there is more than one.

    Args:
        about: What it is a card of.
        kind: Of card.
        plate: Whose pages are the strips.
        span: What findings point at.
        notes: Footnotes by the name of what they are about: `dodge` to its text.
    """
    about = replace(about, told={**about.told, FOOTNOTES: _footnotes(notes)})
    parts: list[Part] = []
    for item in kind.order:
        parts += parts_of(item, about, kind, plate)
    parts = [_noted(part, notes, kind, plate) for part in parts]
    foot = Part(kind.foot, {})
    faces = _faces(parts, foot, kind)
    name = about.name
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


def copies(build: Build, view: View) -> Iterator[Subject]:
    """Yield a build as often as it wants to be printed, each copy under its own name."""
    names = build.lists.get("names", ())
    told = {name: shown.text for name, shown in view.texts.items()}
    for n in range(max(1, build.numbers.get("copies", 1), len(names))):
        name = names[n] if n < len(names) else build.name
        yield subject_of(replace(build, name=name), {**told, "name": name})


def _noted(part: Part, notes: Mapping[str, str], kind: CardKind, plate: Plate) -> Part:
    """Return `part` with a letter at each value that has a footnote."""
    if not notes:
        return part
    letters = dict(zip(notes, "abcdefgh", strict=False))
    names = {place.name for place in places_of(part.name, kind, plate)}
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
