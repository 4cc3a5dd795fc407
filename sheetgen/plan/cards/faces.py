"""The faces of a card: which strips are on each, the picture, and what fills the room left over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from sheetgen.model.designs.card_files import Fill
from sheetgen.plan.cards.cached_strips import cached_strips
from sheetgen.plan.cards.kinds import FACE, CardKind, StripDraft, Subject


def share_text_size(subjects: Sequence[Subject], kind: CardKind) -> CardKind:
    """Return a kind whose steps begin with the largest text that all of these cards have room for.

    A deck has one size of text: a reader takes larger text for what matters more.
    """
    sizes = [kind.at(step).text() for step in kind.steps]
    if len({*sizes}) == 1:
        return kind
    used = max(kind.steps.index(lay_faces(subject, kind)[2].step) for subject in subjects)
    return replace(kind, steps=kind.steps[sizes.index(sizes[used]) :])


def lay_faces(subject: Subject, kind: CardKind) -> tuple[list[list[StripDraft]], int, CardKind]:
    """Return the strips of each face, how many faces have text, and the kind in the used step.

    The picture is on the first face if there is room for it beside all of the text. If not, it is
    on the last one, or on a face of its own.
    """
    picture = subject.picture
    for step in kind.steps if picture is not None else ():
        at = kind.at(step, pictured=True)
        faces = _split_faces(_drafts(subject, at), at)
        if len(faces) == 1 and _add_picture(faces[0], at):
            _fill_face(faces[0], at)
            return faces, 1, at
    for step in kind.steps:
        at = kind.at(step)
        faces = _split_faces(_drafts(subject, at), at)
        if len(faces) == 1:
            break
    count = len(faces)
    if picture is not None and not _add_picture(faces[-1], at):
        own = [faces[0][0]]
        faces += [own] if _add_picture(own, at) else []
    for face in faces[count - 1 :]:
        _fill_face(face, at)
    return faces, count, at


def _drafts(subject: Subject, kind: CardKind) -> list[StripDraft]:
    return [draft for entry in kind.entries for draft in cached_strips(entry, subject, kind)]


def face_height(kind: CardKind) -> float:
    """Return the height that strips have on a face."""
    return kind.size[1] - kind.heights[kind.foot]


def _split_faces(drafts: Sequence[StripDraft], kind: CardKind) -> list[list[StripDraft]]:
    """Return the strips of each face; the first strip is the head of every face."""
    room = face_height(kind)
    if sum([kind.heights[draft.name] + draft.below for draft in drafts]) <= room:
        return [list(drafts)]
    head = drafts[0]
    faces: list[list[StripDraft]] = [[head]]
    used = kind.heights[head.name]
    rest = drafts[1:]
    for number, draft in enumerate(rest):
        height = kind.heights[draft.name]
        behind = takewhile(lambda other: other.attached, rest[number + 1 :])
        needed = height + sum(kind.heights[other.name] for other in behind)
        # Attached strips move to the next face together, unless they need more than a face.
        together = needed <= room - kind.heights[head.name] and not draft.attached
        if used + (needed if together else height) > room + 0.01 and len(faces[-1]) > 1:
            faces.append([head, draft.again] if draft.again else [head])
            used = sum(kind.heights[above.name] + above.below for above in faces[-1])
        faces[-1].append(draft)
        used += height + draft.below
    return faces


def _room(face: Sequence[StripDraft], kind: CardKind) -> float:
    return face_height(kind) - sum(kind.heights[draft.name] + draft.below for draft in face)


def _first_low(face: Sequence[StripDraft]) -> int:
    return next((n for n, draft in enumerate(face) if draft.low), len(face))


def _add_picture(face: list[StripDraft], kind: CardKind) -> bool:
    """Add the largest strip for a picture that a face has room for; return whether it has one."""
    if any(draft.name.endswith(f"-{FACE}") for draft in face):
        return True
    room = _room(face, kind)
    names = (
        kind.strip(name) for entry in kind.order if entry.picture for name in entry.strip or ()
    )
    found = next((name for name in names if kind.heights.get(name, room + 1) <= room), None)
    if found is not None:
        below = min(kind.air, room - kind.heights[found])
        face.insert(_first_low(face), StripDraft(found, {}, below=below))
    return found is not None


def _fill_face(face: list[StripDraft], kind: CardKind) -> None:
    """Move the low strips to the foot of a face, and fill the space above them.

    Strips that grow take it first. An entry `{strip: S, fill: {least: 2, most: 6, first: S2}}`
    fills the rest with strips; of several strips, with the first that it has room for.
    """
    for number, draft in enumerate(face):
        if draft.grows:
            room = _room(face, kind) + kind.heights[draft.name]
            names = (name for name in draft.grows if kind.heights[name] <= room)
            face[number] = replace(draft, name=next(names, draft.name))
    left, first = _room(face, kind), _first_low(face)
    for entry in kind.fillers:
        assert entry.fill is not None
        tried = (_filler(name, entry.fill, left, kind) for name in entry.strip or ())
        added: list[StripDraft] = next(filter(None, tried), [])
        left -= sum(kind.heights[draft.name] + draft.below for draft in added)
        face[first:first] = added
    if first and left > 0:
        face[first - 1] = replace(face[first - 1], below=face[first - 1].below + left)


def _filler(name: str, rule: Fill, left: float, kind: CardKind) -> list[StripDraft]:
    top = rule.first or name
    count = int((left - kind.heights[top] + 0.01) / kind.heights[name]) + 1
    if left < kind.heights[top] or count < rule.least:
        return []
    lines = [StripDraft(top, {}), *[StripDraft(name, {})] * (min(count, rule.most) - 1)]
    spare = left - sum(kind.heights[draft.name] for draft in lines)
    return [*lines[:-1], replace(lines[-1], below=min(kind.air, spare))]
