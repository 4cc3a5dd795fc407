"""A build to a card: strips under each other, and what does not fit on a second card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.model.build import Build
from sheetgen.model.cards import CardFace, Strip, TextPiece
from sheetgen.model.designs.card_files import Fill
from sheetgen.model.prints import Filling, Place, Setting
from sheetgen.plan.cards.kinds import CardContext, CardKind, StripDraft, Subject
from sheetgen.plan.cards.parts import build_subject, entry_strips, face_heads
from sheetgen.plan.cards.runs import NOTE, TAILS, WHAT, figure_runs, set_runs, tails_of
from sheetgen.plan.fit import fit
from sheetgen.plan.sheets.changes import CHANGE, find_raised_values
from sheetgen.plan.sheets.view import View

FOOTNOTES, CHANGES = "footnotes", "changes"
"""What a design calls them, to say where they stand."""

_LETTERS: Final = "abcdefgh"


def plan_card(
    about: Subject, kind: CardKind, span: Span, notes: Mapping[str, str]
) -> tuple[tuple[CardFace, ...], tuple[Finding, ...]]:
    """Return the faces of a card, and a finding where there is more than one.

    Args:
        about: What it is a card of.
        kind: Of card.
        span: What findings point at.
        notes: Footnotes by the name of what they are about.
    """
    about = replace(
        about, texts=CardContext({**about.texts, **_noted(notes), **_changed(about, kind)})
    )
    faces: list[list[StripDraft]] = []
    for step in kind.steps:
        at = kind.at(step)
        parts: list[StripDraft] = []
        for item in at.order:
            parts += entry_strips(item, about, at) if item.fill is None else ()
        faces = _faces(parts, at)
        if len(faces) == 1:
            break
    _fill(faces[-1], at)
    made = tuple(
        _face(about.name, face, number, len(faces), at) for number, face in enumerate(faces, 1)
    )
    if len(made) == 1:
        return made, ()
    message = f"{about.name} continues on {len(made) - 1} more card{'s' if len(made) > 2 else ''}"
    hint = "take a larger card, or say less"
    return made, (Finding(codes.MORE_ROWS, span, message, hint, Severity.WARNING),)


def list_copies(build: Build, view: View, without: View | None = None) -> Iterator[Subject]:
    """Yield a build as often as it wants to be printed, each copy under its own name.

    Args:
        build: Checked.
        view: Of it.
        without: The view of what it would be without what raised it as a whole.
    """
    names = build.lists.get("names", ())
    told = {name: shown.text for name, shown in view.texts.items()}
    told |= find_raised_values(view, without) if without is not None else {}
    for n in range(max(1, build.numbers.get("copies", 1), len(names))):
        name = names[n] if n < len(names) else build.name
        yield build_subject(replace(build, name=name), {**told, "name": name})


def _noted(notes: Mapping[str, str]) -> dict[str, str]:
    """Return the footnotes as rows, and the letter of each value that has one."""
    told = {}
    for letter, (name, text) in zip(_LETTERS, notes.items(), strict=False):
        told[f"{name}.{NOTE}"] = letter
        told[f"{FOOTNOTES}.{len(told)}.text"] = f"{letter} {text}"
    return told


def _changed(about: Subject, kind: CardKind) -> dict[str, str]:
    there = f".{CHANGE}\n" in "\n".join([*about.texts, ""])  # a search for each is slow
    return {CHANGES: kind.changed.note if kind.changed else ""} if there else {}


def _faces(parts: Sequence[StripDraft], kind: CardKind) -> list[list[StripDraft]]:
    """Return the parts face by face; the first one begins every face."""
    room = _room(kind)
    if sum([kind.heights[part.name] + part.below for part in parts]) <= room:
        return [list(parts)]
    head = parts[0]
    faces: list[list[StripDraft]] = [[head]]
    used = kind.heights[head.name]
    rest = parts[1:]
    for number, part in enumerate(rest):
        height = kind.heights[part.name]
        behind = takewhile(lambda other: other.attached, rest[number + 1 :])
        needed = height + sum(kind.heights[other.name] for other in behind)
        # What belongs together moves on together, unless it is longer than a whole face.
        whole = needed <= room - kind.heights[head.name] and not part.attached
        if used + (needed if whole else height) > room + 0.01 and len(faces[-1]) > 1:
            faces.append([head, part.again] if part.again else [head])
            used = sum(kind.heights[above.name] + above.below for above in faces[-1])
        faces[-1].append(part)
        used += height + part.below
    return faces


def _room(kind: CardKind) -> float:
    return kind.size[1] - kind.heights[kind.foot]


def _fill(face: list[StripDraft], kind: CardKind) -> None:
    """Send what stands low to the foot of a face, and fill the room above it.

    An entry `{strip: S, fill: {least: 2, most: 6, first: S2}}` does the latter.
    """
    left = _room(kind) - sum(kind.heights[part.name] + part.below for part in face)
    first = next((n for n, part in enumerate(face) if part.low), len(face))
    for item in kind.order:
        if item.strip and item.fill and kind.step in (item.in_ or (kind.step,)):
            added = _filling(item.strip[0], item.fill, left, kind)
            left -= sum(kind.heights[part.name] + part.below for part in added)
            face[first:first] = added
    if first and left > 0:
        face[first - 1] = replace(face[first - 1], below=face[first - 1].below + left)


def _filling(name: str, rule: Fill, left: float, kind: CardKind) -> list[StripDraft]:
    top = rule.first or name
    count = int((left - kind.heights[top] + 0.01) / kind.heights[name]) + 1
    if left < kind.heights[top] or count < rule.least:
        return []
    lines = [StripDraft(top, {}), *[StripDraft(name, {})] * (min(count, rule.most) - 1)]
    spare = left - sum(kind.heights[part.name] for part in lines)
    return [*lines[:-1], replace(lines[-1], below=min(kind.air, spare))]


def _face(
    name: str, parts: Iterable[StripDraft], number: int, count: int, kind: CardKind
) -> CardFace:
    pages = {name: page for page, name in enumerate(kind.heights)}
    strips: list[Strip] = []
    top = 0.0
    for part in parts:
        if not strips and count > 1:
            part = face_heads(part, number, count)
        strips.append(_strip(part, pages[part.name], top, kind))
        top += kind.heights[part.name] + part.below
    strips.append(_strip(StripDraft(kind.foot, {}), pages[kind.foot], _room(kind), kind))
    return CardFace(name, kind.size, tuple(strips), number, count)


def _strip(part: StripDraft, page: int, top: float, kind: CardKind) -> Strip:
    """Return a strip where it stands; what is on it is kept, since many cards say the same."""
    texts, marks, runs = part.texts, part.marks, part.runs
    key = (
        *("strip", part.name, tuple(texts), tuple(texts.values())),
        *(tuple(marks), tuple(marks.values()), part.alt_text, part.alt_only),
        tuple([(name, tuple(lines)) for name, lines in runs.items()]) if runs else (),
    )
    filling, said, pieces = kind.cached(key, lambda: _on_strip(part, kind))
    assert kind.plate is not None
    return Strip(kind.plate, page, filling, top, said, pieces, part.alt_only)


def _on_strip(
    part: StripDraft, kind: CardKind
) -> tuple[Filling, str, Mapping[str, tuple[TextPiece, ...]]]:
    """Return what fills a strip, what a screen reader says of it, and its texts in pieces."""
    settings: dict[str, Setting] = {}
    pieces: dict[str, tuple[TextPiece, ...]] = {}
    marks: dict[str, str] = {}
    said: list[str] = []
    texts = part.texts
    for name, place in kind.places[part.name].items():
        text = texts.get(name, "")
        if place.role and text:
            runs = part.runs.get(name)
            key = (place.name, text, _tails(name, texts), runs and tuple(runs))
            settings[place.name], there, spoken = kind.cached(
                key,
                lambda n=name, t=text, p=place: _told(n, t, p, part, kind),  # type: ignore[misc]
            )
            if there:
                pieces[place.name] = there
            said.append(spoken)
        elif not place.role and name in part.marks:
            marks[place.name] = part.marks[name]
    if part.alt_text:
        said = [part.alt_text] if part.alt_only else [*said, part.alt_text]
    return Filling(texts=settings, marks=marks), ", ".join(said), pieces


def _tails(name: str, texts: Mapping[str, str]) -> tuple[str | None, ...]:
    """Return what follows the text called `name`, for whoever asks whether it is the same."""
    start = f"{name}."
    return tuple([texts.get(start + what) for what in TAILS])


def _told(
    name: str, text: str, place: Place, part: StripDraft, kind: CardKind
) -> tuple[Setting, tuple[TextPiece, ...], str]:
    """Return how a text is set, and what a screen reader says of it."""
    setting, there = _set(name, text, place, part, kind)
    return setting, there, _spoken(name, text, place, part, kind)


def _set(
    name: str, text: str, place: Place, part: StripDraft, kind: CardKind
) -> tuple[Setting, tuple[TextPiece, ...]]:
    """Return how a text is set, and in which pieces where it is set in more than one."""
    assert kind.plate is not None
    role = kind.tokens.roles[place.role]
    lines = part.runs.get(name)
    if lines is None:
        run = figure_runs(text, tails_of(name, part.texts), place.role, kind.tokens)
        lines = [run] if run else None
    if lines:
        there = set_runs(lines, place, kind.plate)
        shown = tuple("".join(word for word, _ in line) for line in lines)
        size = next((p.size for p in there if p.role == place.role), there[0].size)
        return Setting(text, shown, size), there
    if "\n" in text:
        return Setting(text, tuple(text.split("\n")), role.size), ()
    setting, _ = fit(text, place, role, kind.metrics[role.face])
    return setting, ()


def _spoken(name: str, text: str, place: Place, part: StripDraft, kind: CardKind) -> str:
    """Return what a screen reader says of a text: its label, and what was added to it."""
    words = " ".join(text.split())
    said = words if place.label == "Text" else f"{place.label} {words}"
    if what := part.texts.get(f"{name}.{WHAT}"):
        said += f" {what}"
    if change := part.texts.get(f"{name}.{CHANGE}"):
        said += f" ({change} {kind.changed.said if kind.changed else ''})"
    if note := part.texts.get(f"{name}.{NOTE}"):
        said += f" (footnote {note})"
    return said
