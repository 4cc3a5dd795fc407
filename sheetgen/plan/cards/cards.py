"""Cards: strips one below the other, on as many faces as they need."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice, takewhile
from typing import Any, Final, TypeAlias

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span
from sheetgen.load.designs.designs import BACK
from sheetgen.model.build import Build
from sheetgen.model.designs.sheets import CardEntry
from sheetgen.model.pictures import Picture, PreparedPicture
from sheetgen.model.prints import CardFace, Filling, Place, Setting, Strip, TextPiece
from sheetgen.model.rulesets.prints import EMBLEM
from sheetgen.plan.cards.kinds import (
    CHANGE,
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
    collect_numbers,
    describe_picture,
    entry_strips,
    face_heads,
    find_raised_values,
    role_scales,
    text_scale,
)
from sheetgen.plan.fit import fit
from sheetgen.plan.sheets.view import View

FOOTNOTES, CHANGES = "footnotes", "changes"  # names by which the entries of a design place them
Size: TypeAlias = tuple[float, float]


def plan_card(
    subject: Subject,
    kind: CardKind,
    span: Span,
    notes: Mapping[str, str],
    prepare: Callable[[Picture, Size], Checked[PreparedPicture]],
) -> tuple[tuple[CardFace, ...], tuple[Finding, ...]]:
    """Return the faces of a card, without a picture that cannot be read to its end; and findings.

    Args:
        span: The place that findings point at.
        notes: Footnotes by the name of the value that they are about.
        prepare: Returns a picture for a box of this width and height.
    """
    noted = add_notes(subject, kind, notes)
    faces, findings, of_pictures = lay_faces(noted, kind), list[Finding](), list[Finding]()
    count = len(faces)
    plain = (draft for face in faces for draft in face if not draft.runs)  # runs are broken to fit
    if not all(text_scale(draft, kind) for draft in plain):
        message = f"a text of {subject.name} is too long for its place on the card, and is cut"
        hint = "shorten its name or its group, or use a larger card size"
        findings.append(Finding(codes.OVERFLOW, span, message, hint, Severity.WARNING))
    card = []
    for number, face in enumerate(faces, 1):
        strips: list[Strip] = []
        top = 0.0
        for draft in face:
            if not strips and count > 1:
                draft = face_heads(draft, number, count, kind)
            strip = _build_strip(draft, top, kind)
            pictures: dict[str, PreparedPicture] = {}
            for place in kind.places[draft.name].values():
                if subject.picture is not None and place.kind == "picture":
                    found = prepare(subject.picture, (place.box.width, place.box.height))
                    of_pictures += found.findings
                    if found.value is None:
                        bare = replace(subject, picture=None)
                        without, more = plan_card(bare, kind, span, notes, prepare)
                        return without, (*of_pictures, *more)
                    pictures[place.name] = found.value
            if pictures:
                strip = replace(strip, filling=replace(strip.filling, pictures=pictures))
            strips.append(strip)
            top += kind.heights[draft.name] + draft.below
        foot = StripDraft(kind.foot, {"number": subject.count} if subject.count else {})
        strips.append(_build_strip(foot, face_height(kind), kind))
        card.append(CardFace(subject.name, kind.size, tuple(strips), number, count))
    if count > 1:
        name, hint = subject.name, "use a larger card size, or shorten the texts"
        message = f"{name} continues on {count - 1} more card{'s' if count > 2 else ''}"
        findings.append(Finding(codes.MORE_ROWS, span, message, hint, Severity.WARNING))
    return tuple(card), (*of_pictures, *findings)


def build_back(kind: CardKind, deck: str, emblem: str) -> CardFace:
    """Return the back of a card that has no other face there, with the sign of its deck."""
    shape = f"{EMBLEM}-{emblem}"
    marks = {EMBLEM: shape} if shape in kind.tokens.shapes else {}
    strip = _build_strip(StripDraft(BACK, {"deck": deck}, marks), 0.0, kind)
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
    tracks = {name: boxes for name, (boxes, _) in build.marked.items()}
    dice = {
        str(name): tuple(die for die, count in pool for _ in range(count))
        for name, pool in build.rolls.items()
    }
    about = collect_numbers(build), tracks, dice, next(iter(build.pictures.values()), None)
    texts = {name: shown.text for name, shown in view.texts.items()}
    if without is not None and (raised := find_raised_values(view, without)):
        texts |= {**raised, CHANGES: ""}  # the design has the words
    for n in range(max(1, build.numbers.get("copies", 1), len(names))):
        name = names[n] if n < len(names) else build.name
        yield Subject(name or "?", CardContext({**texts, "name": name}), *about)


def add_notes(subject: Subject, kind: CardKind, notes: Mapping[str, str]) -> Subject:
    """Return a subject with the texts of its footnotes, and with what explains its changes."""
    added = {}
    for letter, (name, text) in zip("abcdefgh", notes.items(), strict=False):
        added[f"{name}.{NOTE}"] = letter
        added[f"{FOOTNOTES}.{len(added)}.text"] = f"{letter} {text}"
    if subject.texts.get(CHANGES) == "" and kind.changed:
        added[CHANGES] = kind.changed.note
    if not added:
        return subject
    return replace(subject, texts=CardContext({**subject.texts, **added}))


def _build_strip(draft: StripDraft, top: float, kind: CardKind) -> Strip:
    """Return a strip at its place; it is cached, since many cards share drafts.

    The cache keeps the draft, so that no other one has the same id. A draft with space below may
    be of one card only.
    """
    placed = "placed", id(draft), top
    found: tuple[StripDraft, Strip] | None = None if draft.below else kind.cache.get(placed)
    if found is not None:
        return found[1]
    # Drafts with the same texts share their content, too.
    parts, alt = (draft.texts, draft.marks, draft.runs), (draft.alt_text, draft.alt_only)
    key = "strip", draft.name, alt, *[id(part) if part else 0 for part in parts]
    filled = kind.cached(key, lambda: (draft, *_fill_strip_places(draft, kind)))
    _, filling, alt_text, pieces = filled
    assert kind.plate is not None
    page = kind.pages[draft.name]
    strip = Strip(kind.plate, page, filling, top, alt_text, pieces, draft.alt_only)
    return strip if draft.below else kind.cached(placed, lambda: (draft, strip))[1]


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
            tails = tuple([texts.get(f"{name}.{what}") for what in TAILS])
            key = (place.name, text, tails, runs and tuple(runs), most)
            settings[place.name], in_pieces, words = kind.cached(
                key, partial(_set_text, name, text, place, draft, kind, most)
            )
            if in_pieces:
                pieces[place.name] = in_pieces
            spoken.append(words)
        elif not place.role and name in draft.marks:
            marks[place.name] = draft.marks[name]
    if draft.alt_text:
        spoken = [draft.alt_text] if draft.alt_only else [*spoken, draft.alt_text]
    return Filling(texts=settings, marks=marks), ", ".join(spoken), pieces


def _set_text(
    name: str, text: str, place: Place, draft: StripDraft, kind: CardKind, most: float
) -> tuple[Setting, tuple[TextPiece, ...], str]:
    """Return the setting of a text, its pieces if it has several roles, and what is read out."""
    role, words = kind.tokens.roles[place.role], _describe(name, text, place, draft, kind)
    lines = draft.runs.get(name)
    if lines is None:
        run = figure_runs(text, tails_of(name, draft.texts), place.role, kind.tokens)
        if run and not least_scale(run, place, kind):
            text, run = "".join(part for part, _ in run), ()  # cut like any other text
        lines = [run] if run else None
    if lines:
        pieces = set_runs(lines, place, kind, most)
        shown = tuple("".join(word for word, _ in line) for line in lines)
        size = next((p.size for p in pieces if p.role == place.role), pieces[0].size)
        return Setting(text, shown, size), pieces, words
    if "\n" in text:
        return Setting(text, tuple(text.split("\n")), role.size), (), words
    setting, _ = fit(text, place, role, kind.metrics[role.face])
    size = min(setting.size, round(max(role.least, most * role.size), 2))
    return setting._replace(size=size), (), words


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


def settle_step(subjects: Sequence[Subject], kind: CardKind) -> CardKind:
    """Return a kind with the one step that all cards of a deck have.

    It is the first with which all of them fit on one face; in a large deck a few may continue on
    another face. So a deck has one size of text, and its zones are at the same height.
    """
    few = round(len(subjects) / _MANY)
    for step in kind.steps:
        at = kind.at(step)
        long = (subject for subject in subjects if len(lay_faces(subject, at)) > 1)
        if step == kind.steps[-1] or next(islice(long, few, None), None) is None:
            return at
    return kind


# Of so many cards of a deck, one may continue on another face for the sake of the others.
_MANY: Final = 20


def lay_faces(subject: Subject, kind: CardKind) -> list[list[StripDraft]]:
    """Return the strips of each face.

    The picture is in the room that is left over on the only face, if it has a strip for it; else it
    takes the place of the drawn one.
    """
    faces = _split_faces(subject, kind)
    if subject.picture is not None and not (len(faces) == 1 and _add_picture(faces[0], kind)):
        faces = _split_faces(subject, kind.pictured_at())
    _fill_face(faces[-1], subject, kind)
    return faces


def face_height(kind: CardKind) -> float:
    """Return the height that strips have on a face."""
    return kind.size[1] - kind.heights[kind.foot]


def _split_faces(subject: Subject, kind: CardKind) -> list[list[StripDraft]]:
    """Return the strips of each face; the first strip is the head of every face."""
    drafts = [
        draft
        for entry in kind.ordered(subject.order)
        for draft in cached_strips(entry, subject, kind)
    ]
    room = face_height(kind)
    if _height(drafts, kind) <= room:
        return [drafts]
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
            used = _height(faces[-1], kind)
        faces[-1].append(draft)
        used += height + draft.below
    return faces


def _height(drafts: Sequence[StripDraft], kind: CardKind) -> float:
    return sum([kind.heights[draft.name] + draft.below for draft in drafts])


def _add_picture(face: list[StripDraft], kind: CardKind) -> bool:
    """Add the largest strip for a picture that a face has room for; return whether it has one."""
    room = face_height(kind) - _height(face, kind)
    strips = (entry.strip or () for entry in kind.order if entry.picture)
    names = map(kind.strip, chain.from_iterable(strips))
    found = next((name for name in names if kind.heights.get(name, room + 1) <= room), None)
    if found is not None:
        below = min(kind.air, room - kind.heights[found])
        first = next((n for n, draft in enumerate(face) if draft.low), len(face))
        face.insert(first, StripDraft(found, {}, below=below))
    return found is not None


def _fill_face(face: list[StripDraft], subject: Subject, kind: CardKind) -> None:
    """Move the low strips to the foot of a face, and fill the space above them.

    Strips that grow take it first. An entry `{strip: S, fill: {least: 2, most: 6, first: S2}}`
    fills the rest with strips; of several strips, with the first that it has room for.
    """
    for number, draft in enumerate(face):
        if draft.grows:
            room = face_height(kind) - _height(face, kind) + kind.heights[draft.name]
            names = (name for name in draft.grows if kind.heights[name] <= room)
            face[number] = replace(draft, name=next(names, draft.name))
    left = face_height(kind) - _height(face, kind)
    first = next((n for n, draft in enumerate(face) if draft.low), len(face))
    for entry in kind.fillers:
        rule = entry.fill
        assert rule is not None
        for name in entry.strip or ():
            top = rule.first or name
            count = int((left - kind.heights[top] + 0.01) / kind.heights[name]) + 1
            if left >= kind.heights[top] and count >= rule.least:
                # The first has the picture of the subject if it has a place for it.
                shape = f"{EMBLEM}-{subject.texts.get(EMBLEM, '')}"
                drawn = EMBLEM in kind.places[top] and shape in kind.tokens.shapes
                marks = {EMBLEM: shape} if drawn else {}
                said = describe_picture(top, marks, kind)
                lines = [StripDraft(top, {}, marks, alt_text=said)]
                lines += [StripDraft(name, {})] * (min(count, rule.most) - 1)
                below = min(kind.air, left - _height(lines, kind))
                lines[-1] = replace(lines[-1], below=below)
                left -= _height(lines, kind)
                face[first:first] = lines
                break
    if first and left > 0:
        face[first - 1] = replace(face[first - 1], below=face[first - 1].below + left)


_Strips: TypeAlias = tuple[StripDraft, ...]
# Names of texts, names of numbers, and lists that an entry reads.
_Reads: TypeAlias = tuple[tuple[str, ...], ...]


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
    if reads in known or len(known) < 8:  # sets of names that the entry may read, by what it finds
        made = known.setdefault(reads, {})
        if len(made) == 1000:
            made.clear()
        made[_values(subject, reads)] = strips
    return strips


def _values(subject: Subject, reads: _Reads) -> tuple[Hashable, ...]:
    (names, numbers, stems), texts = reads, subject.texts
    of_numbers = map(subject.numbers.get, numbers)
    return (*map(texts.get, names), *of_numbers, *map(texts.list_texts, stems))


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
