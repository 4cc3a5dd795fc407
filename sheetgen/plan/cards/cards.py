"""Cards: strips one below the other, on as many faces as they need."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final, TypeAlias

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span
from sheetgen.load.designs.designs import BACK
from sheetgen.model.build import Build
from sheetgen.model.designs.sheets import CardEntry, Fill
from sheetgen.model.pictures import Picture, PreparedPicture
from sheetgen.model.prints import CardFace, Filling, Place, Setting, Strip, TextPiece
from sheetgen.plan.cards.kinds import (
    CHANGE,
    FACE,
    NOTE,
    TAILS,
    WHAT,
    CardContext,
    CardKind,
    StripDraft,
    Subject,
    figure_runs,
    least_scale,
    set_runs,
    tails_of,
)
from sheetgen.plan.cards.strips import (
    build_subject,
    entry_strips,
    face_heads,
    find_raised_values,
    role_scales,
    text_scale,
)
from sheetgen.plan.fit import fit
from sheetgen.plan.sheets.view import View

FOOTNOTES, CHANGES = "footnotes", "changes"
"""Names by which the entries of a design place them."""

Size: TypeAlias = tuple[float, float]
Prepare: TypeAlias = Callable[[Picture, Size], PreparedPicture]


class _NoPicture(Exception):
    """A picture cannot be read to its end."""


_LETTERS: Final = "abcdefgh"


def plan_card(
    subject: Subject,
    kind: CardKind,
    span: Span,
    notes: Mapping[str, str],
    prepare: Callable[[Picture, Size], Checked[PreparedPicture]],
) -> tuple[tuple[CardFace, ...], tuple[Finding, ...]]:
    """Return the faces of a card, without a picture that cannot be read; and findings.

    Args:
        span: The place that findings point at.
        notes: Footnotes by the name of the value that they are about.
        prepare: Returns a picture for a box of this width and height.
    """
    findings: list[Finding] = []

    def prepared(picture: Picture, size: Size) -> PreparedPicture:
        found = prepare(picture, size)
        findings.extend(found.findings)
        if found.value is None:
            raise _NoPicture
        return found.value

    try:
        card, more = _plan(subject, kind, span, notes, prepared)
    except _NoPicture:
        card, more = _plan(replace(subject, picture=None), kind, span, notes, prepared)
    return card, (*findings, *more)


def _plan(
    subject: Subject, kind: CardKind, span: Span, notes: Mapping[str, str], prepare: Prepare
) -> tuple[tuple[CardFace, ...], tuple[Finding, ...]]:
    subject = add_notes(subject, kind, notes)
    faces, texts, at = lay_faces(subject, kind)
    count = len(faces)
    cut = _report_cut(subject, [draft for face in faces for draft in face], at, span)
    card = tuple(
        _build_face(subject, face, n, count, at, prepare) for n, face in enumerate(faces, 1)
    )
    if count == 1:
        return card, cut
    if texts == 1:
        message = (
            f"the text of {subject.name} leaves no room for the picture, which has its own card"
        )
        hint = "use a larger card size, or shorten the texts"
        return card, (*cut, Finding(codes.MORE_ROWS, span, message, hint, Severity.WARNING))
    message = f"{subject.name} continues on {count - 1} more card{'s' if count > 2 else ''}"
    hint = "use a larger card size, or shorten the texts"
    return card, (*cut, Finding(codes.MORE_ROWS, span, message, hint, Severity.WARNING))


def _report_cut(
    subject: Subject, drafts: Sequence[StripDraft], kind: CardKind, span: Span
) -> tuple[Finding, ...]:
    """Return a warning for texts of a card that are too long for their places at any size."""
    plain = (draft for draft in drafts if not draft.runs)  # runs are broken to fit
    if all(text_scale(draft, kind) for draft in plain):
        return ()
    message = f"a text of {subject.name} is too long for its place on the card, and is cut"
    hint = "shorten its name or its group, or use a larger card size"
    return (Finding(codes.OVERFLOW, span, message, hint, Severity.WARNING),)


def build_back(kind: CardKind) -> CardFace:
    """Return the back of a card that has no other face there."""
    assert kind.plate is not None
    strip = Strip(kind.plate, [*kind.heights].index(BACK), Filling(), 0.0)
    return CardFace("Back", kind.size, (strip,))


def join_faces(faces: Sequence[CardFace], kind: CardKind) -> Iterator[CardFace]:
    """Yield cards that hold several faces, one below the other (`per_card`)."""
    width, height = kind.size
    for start in range(0, len(faces), kind.per_card):
        some = faces[start : start + kind.per_card]
        strips = tuple(
            replace(strip, top=strip.top + n * height)
            for n, face in enumerate(some)
            for strip in face.strips
        )
        name = " · ".join(dict.fromkeys(face.name for face in some))
        yield CardFace(name, (width, height * kind.per_card), strips)


def list_copies(build: Build, view: View, without: View | None = None) -> Iterator[Subject]:
    """Yield the subject of each copy of a checked build, with the copy's own name.

    Args:
        without: The view of the build without the keys that raise it as a whole.
    """
    names = build.lists.get("names", ())
    texts = {name: shown.text for name, shown in view.texts.items()}
    if without is not None and (raised := find_raised_values(view, without)):
        texts |= {**raised, CHANGES: ""}  # the design has the words
    for n in range(max(1, build.numbers.get("copies", 1), len(names))):
        name = names[n] if n < len(names) else build.name
        yield build_subject(name, build, CardContext({**texts, "name": name}))


def add_notes(subject: Subject, kind: CardKind, notes: Mapping[str, str]) -> Subject:
    """Return a subject with the texts of its footnotes, and with what explains its changes."""
    added = _note_texts(notes)
    if subject.texts.get(CHANGES) == "" and kind.changed:
        added[CHANGES] = kind.changed.note
    if not added:
        return subject
    return replace(subject, texts=CardContext({**subject.texts, **added}))


def _note_texts(notes: Mapping[str, str]) -> dict[str, str]:
    """Return the footnotes as rows of a list, and the letter of each value that has one."""
    texts = {}
    for letter, (name, text) in zip(_LETTERS, notes.items(), strict=False):
        texts[f"{name}.{NOTE}"] = letter
        texts[f"{FOOTNOTES}.{len(texts)}.text"] = f"{letter} {text}"
    return texts


def _build_face(
    subject: Subject,
    drafts: Iterable[StripDraft],
    number: int,
    count: int,
    kind: CardKind,
    prepare: Prepare,
) -> CardFace:
    pages = kind.pages
    strips: list[Strip] = []
    top = 0.0
    for draft in drafts:
        if not strips and count > 1:
            draft = face_heads(draft, number, count, kind)
        strip = _build_strip(draft, pages[draft.name], top, kind)
        if subject.picture is not None:
            strip = _with_picture(strip, draft.name, subject.picture, kind, prepare)
        strips.append(strip)
        top += kind.heights[draft.name] + draft.below
    strips.append(
        _build_strip(StripDraft(kind.foot, {}), pages[kind.foot], face_height(kind), kind)
    )
    return CardFace(subject.name, kind.size, tuple(strips), number, count)


def _build_strip(draft: StripDraft, page: int, top: float, kind: CardKind) -> Strip:
    """Return a strip at its place; it is cached, since many cards share drafts.

    The cache keeps the draft, so that no other one has the same id. A draft with space below may
    be of one card only.
    """
    if draft.below:
        return _place_strip(draft, page, top, kind)
    key = "placed", id(draft), top
    found: tuple[StripDraft, Strip] | None = kind.cache.get(key)
    if found is None:
        found = kind.cached(key, lambda: (draft, _place_strip(draft, page, top, kind)))
    return found[1]


def _place_strip(draft: StripDraft, page: int, top: float, kind: CardKind) -> Strip:
    """Return a strip at its place; drafts with the same texts share its content in a cache."""
    parts, alt = (draft.texts, draft.marks, draft.runs), (draft.alt_text, draft.alt_only)
    key = "strip", draft.name, alt, *[id(part) if part else 0 for part in parts]
    found = kind.cached(key, lambda: (draft, *_fill_strip_places(draft, kind)))
    _, filling, alt_text, pieces = found
    assert kind.plate is not None
    return Strip(kind.plate, page, filling, top, alt_text, pieces, draft.alt_only)


def _with_picture(
    strip: Strip, name: str, picture: Picture, kind: CardKind, prepare: Prepare
) -> Strip:
    """Return a strip with the picture of its subject in the place that it may have for one."""
    places = (place for place in kind.places[name].values() if place.kind == "picture")
    pictures = {
        place.name: prepare(picture, (place.box.width, place.box.height)) for place in places
    }
    return replace(strip, filling=replace(strip.filling, pictures=pictures)) if pictures else strip


def _fill_strip_places(
    draft: StripDraft, kind: CardKind
) -> tuple[Filling, str, Mapping[str, tuple[TextPiece, ...]]]:
    """Return the filling of a strip, its text for screen readers, and its texts in pieces."""
    settings: dict[str, Setting] = {}
    pieces: dict[str, tuple[TextPiece, ...]] = {}
    marks: dict[str, str] = {}
    spoken: list[str] = []
    texts, scales = draft.texts, role_scales(draft, kind, kind.figure_roles)
    for name, place in kind.places[draft.name].items():
        text = texts.get(name, "")
        if place.role and text:
            runs = draft.runs.get(name)
            most = scales.get(place.role, 1.0)  # The figures of a row have one size.
            key = (place.name, text, _tail_key(name, texts), runs and tuple(runs), most)
            settings[place.name], in_pieces, words = kind.cached(
                key,
                lambda n=name, t=text, p=place, m=most: _set_and_describe(n, t, p, draft, kind, m),  # type: ignore[misc]
            )
            if in_pieces:
                pieces[place.name] = in_pieces
            spoken.append(words)
        elif not place.role and name in draft.marks:
            marks[place.name] = draft.marks[name]
    if draft.alt_text:
        spoken = [draft.alt_text] if draft.alt_only else [*spoken, draft.alt_text]
    return Filling(texts=settings, marks=marks), ", ".join(spoken), pieces


def _tail_key(name: str, texts: Mapping[str, str]) -> tuple[str | None, ...]:
    start = f"{name}."
    return tuple([texts.get(start + what) for what in TAILS])


def _set_and_describe(
    name: str, text: str, place: Place, draft: StripDraft, kind: CardKind, most: float
) -> tuple[Setting, tuple[TextPiece, ...], str]:
    setting, pieces = _set_text(name, text, place, draft, kind, most)
    return setting, pieces, _describe(name, text, place, draft, kind)


def _set_text(
    name: str, text: str, place: Place, draft: StripDraft, kind: CardKind, most: float
) -> tuple[Setting, tuple[TextPiece, ...]]:
    """Return the setting of a text, and its pieces if it has several roles."""
    assert kind.plate is not None
    role = kind.tokens.roles[place.role]
    lines = draft.runs.get(name)
    if lines is None:
        run = figure_runs(text, tails_of(name, draft.texts), place.role, kind.tokens)
        if run and not least_scale(run, place, kind.plate):
            text, run = "".join(part for part, _ in run), ()  # cut like any other text
        lines = [run] if run else None
    if lines:
        pieces = set_runs(lines, place, kind.plate, most)
        shown = tuple("".join(word for word, _ in line) for line in lines)
        size = next((p.size for p in pieces if p.role == place.role), pieces[0].size)
        return Setting(text, shown, size), pieces
    if "\n" in text:
        return Setting(text, tuple(text.split("\n")), role.size), ()
    setting, _ = fit(text, place, role, kind.metrics[role.face])
    size = min(setting.size, round(max(role.least, most * role.size), 2))
    return setting._replace(size=size), ()


def _describe(name: str, text: str, place: Place, draft: StripDraft, kind: CardKind) -> str:
    """Return a text for screen readers: with its label, its change and its footnote."""
    words = " ".join(text.split())
    words = words if place.label == "Text" else f"{place.label} {words}"
    if what := draft.texts.get(f"{name}.{WHAT}"):
        words += f" {what}"
    if change := draft.texts.get(f"{name}.{CHANGE}"):
        words += f" ({change} {kind.changed.said if kind.changed else ''})"
    if note := draft.texts.get(f"{name}.{NOTE}"):
        words += f" (footnote {note})"
    return words


# The faces of a card: which strips are on each, the picture, and what fills the room left over.


def share_text_size(subjects: Sequence[Subject], kind: CardKind) -> CardKind:
    """Return a kind whose steps begin with the largest text that all of these cards have room for.

    A deck has one size of text: a reader takes larger text for what matters more.
    """
    sizes = [kind.at(step).text() for step in kind.steps]
    charts = any(entry.bars is not None for entry in kind.order)  # whose steps set rows, not text
    if charts or len({*sizes}) == 1:
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


# The strips of an entry, from a cache: cards of a deck repeat most values.


_Strips: TypeAlias = tuple[StripDraft, ...]
_Reads: TypeAlias = tuple[tuple[str, ...], ...]
"""Names of texts, names of numbers, and lists that an entry reads."""

_MOST_READS: Final = 8
"""Sets of names that an entry may read, by what it finds; an entry with more is not cached."""

_MOST_STRIPS: Final = 1000


def cached_strips(entry: CardEntry, subject: Subject, kind: CardKind) -> _Strips:
    """Return the strips of an entry, see `entry_strips`."""
    tracks = subject.tracks.items() if entry.track or entry.grid else ()
    dice = subject.dice.items() if entry.dice else ()
    key = "strips", id(entry), kind.step, kind.pictured, *tracks, *dice
    known: dict[_Reads, dict[Any, _Strips]] | None = kind.cache.get(key)
    if known is None:
        known = kind.cached(key, dict)
    for reads, made in known.items():
        if (found := made.get(_values(subject, reads))) is not None:
            return found
    texts: Any = _Recorder(subject.texts)
    numbers: Any = _Recorder(subject.numbers)
    strips = (*entry_strips(entry, replace(subject, texts=texts, numbers=numbers), kind),)
    reads = tuple(texts.names), tuple(numbers.names), tuple(texts.stems)
    if reads in known or len(known) < _MOST_READS:
        made = known.setdefault(reads, {})
        if len(made) == _MOST_STRIPS:
            made.clear()
        made[_values(subject, reads)] = strips
    return strips


def _values(subject: Subject, reads: _Reads) -> tuple[Hashable, ...]:
    names, numbers, stems = reads
    texts = subject.texts
    values: tuple[Hashable, ...] = (*map(texts.get, names),)
    if numbers:
        values += (*map(subject.numbers.get, numbers),)
    if stems:
        values += (*map(texts.list_texts, stems),)
    return values


class _Recorder(CardContext):
    """Texts or numbers by name, which records the names and the lists that are read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.names: dict[str, None] = {}
        self.stems: dict[str, None] = {}

    def get(self, name: str, default: Any = None) -> Any:
        self.names[name] = None
        return super().get(name, default)

    def __getitem__(self, name: str) -> Any:
        self.names[name] = None
        return super().__getitem__(name)

    def rows(self, stem: str) -> list[dict[str, str]]:
        self.stems[stem] = None
        return CardContext(self).rows(stem)
