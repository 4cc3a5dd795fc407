"""Cards: entries of a design's `order` to strips, one below the other, on the faces they need."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain, islice, pairwise, takewhile
from math import floor
from typing import Any, Final, TypeAlias

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span
from sheetgen.load.designs.designs import BACK
from sheetgen.load.designs.templates import design_error
from sheetgen.model.build import Build
from sheetgen.model.designs import Bars, CardEntry, Rings, TrackGrid
from sheetgen.model.pictures import Picture, PreparedPicture
from sheetgen.model.prints import CardFace, Filling, Place, Setting, Strip, TextPiece
from sheetgen.model.rulesets.prints import EMBLEM
from sheetgen.plan.cards.kinds import (
    CHANGE,
    DENSE,
    HEAD,
    NOTE,
    TAILS,
    WHAT,
    CardContext,
    CardKind,
    Run,
    StripDraft,
    Subject,
    align_runs,
    break_runs,
    figure_runs,
    headed,
    least_scale,
    set_runs,
    tails_of,
    wide,
)
from sheetgen.plan.fit import PADDING, fit, paragraphs, width, wrap
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
    cut: dict[str, None] = {}
    card = []
    for number, face in enumerate(faces, 1):
        strips: list[Strip] = []
        top = 0.0
        for draft in face:
            if not strips and count > 1:
                draft = face_heads(draft, number, count, kind)
            cut |= dict.fromkeys(_cut_texts(draft, kind))
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
    if cut:
        *others, last = (f"`{text}`" for text in [*cut][:_MOST_CUT])
        what = f"{', '.join(others)} and {last} are" if others else f"{last} is"
        where = "their places" if others else "its place"
        message = f"{what} too long for {where} on the card of {subject.name}, and "
        message += "are cut" if others else "is cut"
        hint = "shorten them" if others else "shorten it"
        hint += ", or use a larger card size"
        findings.append(Finding(codes.OVERFLOW, span, message, hint, Severity.WARNING))
    if count > 1:
        name, hint = subject.name, "use a larger card size, or shorten the texts"
        message = f"{name} continues on {count - 1} more card{'s' if count > 2 else ''}"
        findings.append(Finding(codes.MORE_ROWS, span, message, hint, Severity.WARNING))
    return tuple(card), (*of_pictures, *findings)


_MOST_CUT: Final = 3  # texts that are cut and that a finding names


def _cut_texts(draft: StripDraft, kind: CardKind) -> Iterator[str]:
    """Yield the texts of a strip that are cut, with their units; runs are broken to fit."""
    for name, place in kind.places[draft.name].items():
        text = draft.texts.get(name)
        if place.role and text and name not in draft.runs and not _scale(name, place, draft, kind):
            runs = figure_runs(text, tails_of(name, draft.texts), place.role, kind.tokens)
            yield "".join(part for part, _ in runs) or text


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

    `without` is the view of the build without the keys that raise it as a whole.
    """
    names = build.lists.get("names", ())
    tracks = {name: boxes for name, (boxes, _) in build.marked.items()}
    dice = {
        str(name): tuple(die for die, count in pool for _ in range(count))
        for name, pool in build.rolls.items()
    }
    marked = {name: on for name, (_, on) in build.marked.items()}
    about = collect_numbers(build), tracks, dice, next(iter(build.pictures.values()), None)
    texts = {name: shown.text for name, shown in view.texts.items()}
    if without is not None and (raised := find_raised_values(view, without)):
        texts |= {**raised, CHANGES: ""}  # the design has the words
    for n in range(max(1, build.numbers.get("copies", 1), len(names))):
        name = names[n] if n < len(names) else build.name
        yield Subject(name or "?", CardContext({**texts, "name": name}), *about, marked=marked)


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
    assert kind.plate is not None
    words = ", ".join(spoken).translate(kind.plate.spoken)
    return Filling(texts=settings, marks=marks), words, pieces


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
    steps = [step for step in kind.steps if step != DENSE]
    for step in steps:
        at = kind.at(step)
        long = (subject for subject in subjects if len(_lay_faces(subject, at)) > 1)
        if step == steps[-1] or next(islice(long, few, None), None) is None:
            return at
    return kind


_MANY: Final = 20  # of so many cards of a deck, one may continue on another face


def lay_faces(subject: Subject, kind: CardKind) -> list[list[StripDraft]]:
    """Return the strips of each face: of a single one, if the dense step has room for all."""
    faces = _lay_faces(subject, kind)
    if len(faces) > 1 and DENSE in kind.steps:
        dense = _lay_faces(subject, kind.at(DENSE))
        return dense if len(dense) == 1 else faces
    return faces


def _lay_faces(subject: Subject, kind: CardKind) -> list[list[StripDraft]]:
    """Return the strips of each face in one step.

    The picture is in the room that is left over on the last face, if it has a strip for it; on
    several faces, and where it has none, it takes the place of the drawn one, too.
    """
    faces = _split_faces(subject, kind)
    if subject.picture is not None and not (len(faces) == 1 and _add_picture(faces[0], kind)):
        faces = _split_faces(subject, kind.pictured_at())
        if len(faces) > 1:
            _add_picture(faces[-1], kind)
    for face in faces:
        _fill_face(face, subject, kind, last=face is faces[-1])
    return faces


_FULL: Final = 0.75  # of a face: less than this looks unfinished


def face_height(kind: CardKind) -> float:
    """Return the height that strips have on a face."""
    return kind.size[1] - kind.heights[kind.foot]


def _split_faces(subject: Subject, kind: CardKind) -> list[list[StripDraft]]:
    """Return the strips of each face; the first strip is the head of every face.

    A part of the card stays whole if what is before it fills most of the face. If it does not, a
    text of several strips fills the face before it goes on on the next.
    """
    drafts: list[StripDraft] = []
    parts: list[str | None] = []  # the part of the card that each strip belongs to
    for entry in kind.ordered(subject.order):
        made = cached_strips(entry, subject, kind)
        drafts += made
        parts += [entry.part] * len(made)
    room, head = face_height(kind), drafts[0]
    if len(drafts) > 1 and _is_rule(drafts[1], kind):  # the head ends with a band
        del drafts[1], parts[1]
        drafts[:1] = _begin(head, drafts[1:], kind)
    if _height(drafts, kind) <= room:
        return [drafts]
    faces: list[list[StripDraft]] = [drafts[:1]]
    used = _height(drafts[:1], kind)
    for number, draft in enumerate(drafts[1:], 1):
        height = kind.heights[draft.name]
        behind = takewhile(lambda other: other.attached, drafts[number + 1 :])
        needed = height + sum(kind.heights[other.name] for other in behind)
        # Attached strips move to the next face together, unless they need more than a face.
        together = needed <= room - kind.heights[head.name] and not draft.attached
        if used + (needed if together else height) > room + 0.01 and len(faces[-1]) > 1:
            first = parts.index(parts[number]) if parts[number] else number
            last = len(parts) - parts[::-1].index(parts[number])
            before, moved = faces[-1][: first - number], drafts[first:number]
            whole = _height([head, *drafts[first:last]], kind) <= room
            stays = bool(moved) and whole and _height(before, kind) >= _FULL * room
            face = before if stays else faces[-1]
            if _is_rule(face[-1], kind):
                face = face[:-1]
            if stays:
                moved = moved[_is_rule(moved[0], kind) :]
                after = [*_begin(head, moved, kind), *moved]
            else:
                start, draft = _split_text(draft, room - _height(face, kind), kind)
                face, height = [*face, *start], kind.heights[draft.name]
                again = [draft.again] if draft.again else []
                after = [*_begin(head, [*again, draft], kind), *again]
            faces[-1:] = [face, after]
            used = _height(after, kind)
        faces[-1].append(draft)
        used += height + draft.below
    return faces


def _is_rule(draft: StripDraft, kind: CardKind) -> bool:
    """Whether a strip only parts two others: it has no text, and is lower than a line of one."""
    line = kind.heights[f"{kind.text()}-1"]
    return not (draft.texts or draft.marks) and kind.heights[draft.name] < line


def _begin(head: StripDraft, strips: Sequence[StripDraft], kind: CardKind) -> list[StripDraft]:
    """Return the head of a face, with air below it if a text is next: other strips have some."""
    text = strips and "text" in strips[0].texts
    return [replace(head, below=2 * kind.air) if text else head]


def _split_text(
    draft: StripDraft, room: float, kind: CardKind
) -> tuple[list[StripDraft], StripDraft]:
    """Return the lines of a long text that fill a face, if any, and the rest; no line is alone."""
    stem, _, of = draft.name.rpartition("-")
    count = min(int(room / kind.heights[f"{stem}-1"] + 0.01), int(of) - 2) if draft.splits else 0
    if count < 2:
        return [], draft
    lines, runs = draft.texts["text"].split("\n"), draft.runs["text"]
    first = {**draft.texts, "text": "\n".join(lines[:count])}
    rest = {"text": "\n".join(lines[count:])}
    return (
        [replace(draft, name=f"{stem}-{count}", texts=first, below=0, runs={"text": runs[:count]})],
        replace(draft, name=f"{stem}-{int(of) - count}", texts=rest, runs={"text": runs[count:]}),
    )


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


def _fill_face(face: list[StripDraft], subject: Subject, kind: CardKind, *, last: bool) -> None:
    """Move the low strips to the foot of a face, and fill the space above them.

    Only the last face has lines to write on; others may have the drawing.

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
    for entry in (one for one in kind.fillers if last or one.drawing is not None):
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
_Reads: TypeAlias = tuple[tuple[str, ...], ...]  # texts, numbers and lists that an entry reads


def cached_strips(entry: CardEntry, subject: Subject, kind: CardKind) -> _Strips:
    """Return the strips of an entry, see `entry_strips`."""
    tracks = subject.tracks.items() if entry.track or entry.grid else ()
    marked = subject.marked.items() if entry.track else ()
    dice = subject.dice.items() if entry.dice else ()
    key = "strips", id(entry), kind.step, kind.dense, kind.pictured, *tracks, *marked, *dice
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


BOX, MARKED, END = "card-box", "card-box-on", "card-end"  # shapes of a track


def collect_numbers(build: Build) -> dict[str, int]:
    """Return all whole numbers of a build by name: ratings, derived values, keys of its file."""
    derived = {i: d.value for i, d in build.derived.items() if isinstance(d.value, int)}
    ratings = {i: r.total for i, r in build.ratings.items()}
    return {**ratings, **derived, **build.numbers}


def find_raised_values(view: View, without: View) -> dict[str, str]:
    """Return `NAME.change` to `+1` for each text of `view` whose only number is higher.

    `without` is the view of the same build without what raises it. Rows are matched by their
    names, since their order may differ.
    """

    def identity(name: str, view: View) -> tuple[str, str]:
        """Return a key for a text; that of a row has the row's own name instead of its number."""
        stem, _, column = name.rpartition(".")
        head, _, number = stem.rpartition(".")
        row = view.texts.get(f"{stem}.name")
        return (f"{head}.{column}", row.text) if number.isdigit() and row else (name, "")

    rows = {identity(name, without): name for name in without.texts}
    changes = {}
    for name, shown in view.texts.items():
        if (other := without.texts.get(rows.get(identity(name, view), ""))) is not None:
            here, before = re.findall(r"\d+", shown.text), re.findall(r"\d+", other.text)
            if len(here) == len(before) == 1 and int(here[0]) > int(before[0]):
                changes[f"{name}.{CHANGE}"] = f"+{int(here[0]) - int(before[0])}"
    return changes


def entry_strips(entry: CardEntry, subject: Subject, kind: CardKind) -> Iterator[StripDraft]:
    """Yield the strips of one entry of a card's `order`; see docs/reference/card-designs.md."""
    texts, numbers = subject.texts, subject.numbers
    if (
        not all(texts.get(name) for name in entry.when)
        or any(texts.get(name) for name in entry.lacks)
        or (entry.with_ is not None and not numbers.get(entry.with_))
        or (entry.unless is not None and numbers.get(entry.unless))
    ):
        return
    if entry.beside is not None:
        yield from section_strips(entry, entry.beside, texts, kind)
    elif not entry.strip:
        yield from text_rows(entry, texts, kind)
    elif entry.track is not None:
        tracks = subject.tracks if entry.track == "*" else (entry.track,)
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


def _plain_strip(entry: CardEntry, subject: Subject, kind: CardKind) -> StripDraft:
    """Return a strip whose places have the names of texts.

    If the entry names several strips, the first is used in which no text shrinks too far.
    Before the last one is used, the others are tried with `less` instead of `names`, and so is the
    last one if that cuts fewer texts. If the
    strip `grows`, the last one is used, and the room that is left over chooses another.
    """
    *some, last = kind.variants(entry.strip or ())
    if entry.grows:
        part = _fill_strip(last, entry, subject, kind)
        return replace(part, grows=tuple(map(kind.strip, entry.strip or ())))
    enough = ENOUGH if entry.enough is None else entry.enough
    less = entry if entry.less is None else replace(entry, names=entry.less)
    for one in (entry, less):
        for name in some:
            part = _fill_strip(name, one, subject, kind)
            if text_scale(part, kind) >= enough:
                return part
    filled = (_fill_strip(last, one, subject, kind) for one in (entry, less))
    return min(filled, key=lambda part: len([*_cut_texts(part, kind)]))


def _fill_strip(strip: str, entry: CardEntry, subject: Subject, kind: CardKind) -> StripDraft:
    name, texts = kind.strip(strip), subject.texts
    keys = (key for place in kind.places[name] for key in (place, f"{place}.{CHANGE}"))
    filled = {key: text for key in keys if (text := texts.get(key))}
    if entry.missing:
        for place, spot in kind.places[name].items():
            if spot.role:
                filled.setdefault(place, entry.missing)
    for place, sources in entry.names.items():
        of = sources if isinstance(sources, tuple) else sources.of
        existing = [texts[s] for s in of if texts.get(s)]
        if isinstance(sources, tuple):  # the first text that exists
            filled[place] = existing[0] if existing else ""
        elif sources.since is not None:  # the first from these words on, or all of it
            before, start, rest = (existing[0] if existing else "").partition(sources.since)
            filled[place] = f"{start.lstrip()}{rest}" if start else before
        else:
            filled[place] = (sources.join or "").join(existing)
    for place, value in entry.noted.items():
        if letter := texts.get(f"{value}.{NOTE}"):
            filled[f"{place}.{NOTE}"] = letter
    filled |= worded(entry, filled, texts)
    marks = dict[str, str]()
    for place, text in entry.pictures.items():
        picture = f"{place}-{'-'.join(texts.get(text, '').lower().split())}"
        marks |= {place: picture} if picture in kind.tokens.shapes else {}
    for place, rule in entry.shapes.items():  # {of: members, from: 2, to: 6, shape: tab-{n}}
        n = subject.numbers.get(rule.of, 0)
        in_range = rule.from_ <= n <= rule.to
        if in_range or (rule.else_ and place not in marks):
            marks[place] = str(rule.shape.replace("{n}", str(n)) if in_range else rule.else_)
    alt_text = describe_picture(name, marks, kind)
    return StripDraft(name, filled, marks, low=entry.low, alt_text=alt_text)


def describe_picture(strip: str, marks: Mapping[str, str], kind: CardKind) -> str:
    """Return what the picture of a strip shows, for screen readers."""
    shape = marks.get(EMBLEM, "")
    if not shape or EMBLEM not in kind.places[strip]:
        return ""
    label = kind.tokens.shapes[shape].label or shape.partition("-")[2].replace("-", " ")
    return f"picture of {label}"


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
    name = kind.strip(next(roomy, strips[-1]))
    texts, marks = {"label": subject.texts.get(f"{track}.label", "")}, {}
    for n in range(1, boxes + 1):
        marks[f"box.{n}"] = MARKED if n <= subject.marked.get(track, 0) else BOX
        own = subject.texts.get(f"{track}.inside.{n}", "")
        inside = (entry.inside or own).replace("{n}", str(n))
        place = kind.places[name].get(f"inside.{n}")
        if entry.short is not None and place is not None:
            role = kind.tokens.roles[place.role]
            edges = 2 * kind.tokens.shapes[BOX].width + 2 * PADDING  # that no text touches
            if width(inside, kind.metrics[role.face], role.least) > place.box.width - edges:
                inside = entry.short.replace("{n}", str(n))
        texts[f"inside.{n}"] = str(boxes + 1 - n) if counted else inside
    if counted:
        words = entry.counted or ""
        texts[f"after.{boxes}"] = subject.texts.get(words, "") if "." in words else words
    elif entry.end:
        marks[f"end.{boxes + 1}"] = END
        texts[f"word.{boxes + 1}"] = entry.end or ""
    return StripDraft(name, texts, marks)


def _dice_strip(entry: CardEntry, subject: Subject, kind: CardKind) -> StripDraft:
    """Return a strip with dice pools: the first of several strips with enough places."""
    pools = {str(place): subject.dice.get(place, ()) for place in entry.dice}
    last = {f"{place}.{len(dice)}" for place, dice in pools.items() if dice}
    names = entry.strip or ()
    roomy = (n for n in names if last <= kind.places[kind.strip(n)].keys())
    part = _fill_strip(next(roomy, names[-1]), entry, subject, kind)
    marks = {f"{place}.{n}": die for place, dice in pools.items() for n, die in enumerate(dice, 1)}
    texts = {place: subject.texts.get(f"{place}.roll.text", "") for place in pools}
    named = (f"{p} {text}" if len(texts) > 1 else text for p, text in texts.items() if text)
    return replace(part, marks={**part.marks, **marks}, alt_text="; ".join(named))


def _ring_strip(strip: str, rule: Rings, numbers: Mapping[str, int], kind: CardKind) -> StripDraft:
    """Return the points of each side as rings; the points at the start are filled."""
    count, start, over = (numbers.get(name, 0) for name in (rule.of, rule.start, rule.over))
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
    """Return the head of one of several faces, with its number.

    The number follows the kind if there is room for both. If not, the first face has the kind and
    the others have their number. `status` is the part of the kind that is printed on every face.
    """
    status, about = head.texts.get("status", ""), head.texts.get("kind", "")
    of = f"{number} of {count}"
    both = f"{about} · {of}" if about else of
    found = replace(head, texts={**head.texts, "kind": both})
    if text_scale(found, kind) > 0:
        return found
    short = f"{status} · {of}" if status else of
    shown = about if number == 1 and about else short
    return replace(head, texts={**head.texts, "kind": shown})


_FIGURE: Final = re.compile(r"\d+(/[1-9]\d*)?")
MOST_LINES: Final = 8  # lines of one strip of text; a longer text takes several strips
ENOUGH: Final = 0.65  # the least scale of a text, before another strip is tried


def text_scale(part: StripDraft, kind: CardKind) -> float:
    """Return the smallest scale of the texts of a strip; 0 if one is cut even so."""
    return min(role_scales(part, kind, kind.tokens.roles).values(), default=1.0)


def role_scales(part: StripDraft, kind: CardKind, roles: Container[str]) -> dict[str, float]:
    """Return the smallest scale of the texts of each of `roles` in a strip, at most 1."""
    scales: dict[str, float] = {}
    for name, place in kind.places[part.name].items():
        if place.role in roles and part.texts.get(name):
            scale = _scale(name, place, part, kind)
            scales[place.role] = min(scales.get(place.role, 1.0), scale)
    return scales


def _scale(name: str, place: Place, part: StripDraft, kind: CardKind) -> float:
    """Return the scale of a text with what follows it; 0 if it is cut even so."""
    text, tails = part.texts[name], tails_of(name, part.texts)
    key = "scale", place.name, text, tuple(tails.items())
    return kind.cached(key, partial(_scale_of, text, place, tails, kind))


def _scale_of(text: str, place: Place, tails: Mapping[str, str], kind: CardKind) -> float:
    role = kind.tokens.roles[place.role]
    if runs := figure_runs(text, tails, place.role, kind.tokens):
        return least_scale(runs, place, kind)
    setting, complete = fit(text, place, role, kind.metrics[role.face])
    return setting.size / role.size if complete else 0.0


def list_strips(entry: CardEntry, texts: CardContext, kind: CardKind) -> Iterator[StripDraft]:
    """Yield a strip for each row of a list, each followed by the row's text.

    All rows use the same strip of those that the entry names, or each its own if they are
    `varied`. `over` is an entry whose rows are heads: the last of them is repeated on each further
    face.
    """
    stem, parts, below = entry.each or "", [], []
    for row in texts.rows(stem):
        beneath = entry.text[0] if entry.text else ""
        columns = {f"{stem}.{column}": text for column, text in row.items() if column != beneath}
        part = StripDraft("", {**columns, **worded(entry, columns, texts)})
        if alt_text := row.get(entry.said or "", ""):
            part = replace(part, alt_text=alt_text, alt_only=True)
        parts.append(bars(part, entry.bars, columns) if entry.bars is not None else part)
        below.append(row.get(beneath, ""))
    alike = [[part] for part in parts] if entry.varied else [parts]
    names = [_choose_strip(some, entry, kind) for some in alike for _ in some]
    behind = [f"{text}.{WHAT}" for text, word in entry.words.items() if "." in word]
    for at, part in enumerate(parts):  # words that no strip has room for go on below it
        moved = [text for name in behind if (text := part.texts.get(name))]
        if moved and not text_scale(replace(part, name=names[at]), kind):
            kept = {name: text for name, text in part.texts.items() if name not in behind}
            parts[at] = replace(part, texts=kept)
            names[at] = _choose_strip([parts[at]], entry, kind)
            below[at] = " · ".join([*moved, *filter(None, [below[at]])])
    heads = list(list_strips(entry.over, texts, kind)) if entry.over is not None and parts else []
    yield from heads
    for part, name, text in zip(parts, names, below, strict=True):
        last = heads and part is parts[-1] and not text
        again = heads[-1] if heads else None
        bare = text and not any(part.texts.values())  # a further text of the row above
        if not bare:
            air, attached = kind.air if last else 0, entry.together and part is not parts[0]
            yield replace(part, name=name, again=again, below=air, attached=attached)
        if text:
            yield from (replace(p, attached=not bare) for p in text_strips(text, kind, entry))


def _choose_strip(parts: Sequence[StripDraft], entry: CardEntry, kind: CardKind) -> str:
    """Return the first strip that has a place for each text of some rows, none below `enough`.

    If there is none, it is the one where texts shrink least; if none has all places, the last.
    """
    enough = ENOUGH if entry.enough is None else entry.enough
    names = [kind.strip(one) for one in entry.strip or ()]
    places = {text for one in names for text in kind.places[one]}
    shown = {text for part in parts for text in part.texts} & places
    name, most = names[-1], -1.0
    for one in names if len(names) > 1 else ():
        if shown <= kind.places[one].keys():
            least = min((text_scale(replace(p, name=one), kind) for p in parts), default=1.0)
            name, most = (one, least) if least > most else (name, most)
            if least >= enough:
                break
    return name


def worded(entry: CardEntry, shown: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, str]:
    """Return the words behind texts: `words: {TEXT: WORD}`; a WORD with a dot names a text."""
    return {
        f"{name}.{WHAT}": shown.get(word, texts.get(word, "")) if "." in word else word
        for name, word in entry.words.items()
        if shown.get(name)
    }


def run_in(entry: CardEntry, stem: str, texts: CardContext, kind: CardKind) -> Iterator[StripDraft]:
    """Yield the rows of a list one after the other, in as many strips as they need.

    `run` names the roles of the columns: `{name: ROLE, code: ROLE}`.
    """
    name = kind.strip((entry.strip or ("",))[0])
    groups = []
    for row in texts.rows(stem):
        runs: list[tuple[str, str]] = []
        for column, role in (entry.run or {}).items():
            text, tails = row.get(column, ""), tails_of(column, row)
            runs += [(" ", str(role))] if text and any(one for one, _ in runs) else []
            runs += figure_runs(text, tails, str(role), kind.tokens) or [(text, str(role))]
        groups.append(tuple(runs))
    apart = "   " if entry.apart is None else entry.apart
    place, key = kind.places[name]["text"], ("packed", name, apart, entry.aligned, *groups)
    planned = partial(align_runs if entry.aligned else break_runs, groups, apart, place, kind)
    lines = kind.cached(key, planned)
    for number, line in enumerate(lines, 1):
        words = " ".join("".join(text for text, _ in line).split())
        below = kind.air if number == len(lines) else 0
        yield StripDraft(name, {"text": words}, below=below, runs={"text": [line]})


def text_rows(entry: CardEntry, texts: CardContext, kind: CardKind) -> Iterator[StripDraft]:
    """Yield the texts that an entry names, one below the other, or joined to one."""
    shown: list[str] = []
    for name in entry.text or ():
        stem, _, column = name.partition(".")
        if not column and texts.get(stem):
            shown.append(texts[stem])
        shown += [row[column] for row in texts.rows(stem) if row.get(column)]
        shown += [texts[name]] if column and texts.get(name) else []
    if entry.join is not None and shown:
        shown = [(entry.before or "") + entry.join.join(shown)]
    for text in shown:
        yield from text_strips(text, kind, entry)


def grid(strip: str, rule: TrackGrid, subject: Subject, kind: CardKind) -> Iterator[StripDraft]:
    """Yield the rows of a table of what is left of a number: one less each row and column.

    `{from: TEXT, down: TRACK, most: 4, across: 3, words: [ROW 0, ROW 1, ROW n], none: –}`;
    with `least: NUMBER` no cell is below that number.
    """
    name, text = kind.strip(strip), subject.texts.get(rule.from_, "")
    digits = text.rstrip("".join(c for c in text if not c.isdigit()))
    if not digits.isdecimal():
        message = f"`{rule.from_}` of {subject.name} is not a number"
        raise design_error(rule.from_, message, subject.texts)
    first, unit, words = int(digits), text[len(digits) :], rule.words
    count = min(boxes_of(rule.down, subject), rule.most)
    least = subject.numbers.get(rule.least, 0) if rule.least is not None else 0
    for n in range(count + 1):
        label = words[min(n, len(words) - 1)].replace("{n}", str(n))
        cells = (max(least, first - n - column) for column in range(rule.across))
        shown = (f"{left}{unit}" if left > 0 else rule.none for left in cells)
        yield StripDraft(name, {"label": label, **{str(c): t for c, t in enumerate(shown, 1)}})


def bars(part: StripDraft, rule: Bars, texts: Mapping[str, str]) -> StripDraft:
    """Return a strip with columns as high as numbers: `{of: LIST, most: 5, steps: 40}`.

    The highest number has all steps, the others their share, rounded. With `whole: NUMBER`
    that number has all steps, and shares are rounded down. `column` is the column of the
    list, `value` by default. A number above 0 has at least one step.
    """
    stem, column = rule.of, rule.column or "value"
    shown = (texts.get(f"{stem}.{n}.{column}", "") for n in range(1, rule.most + 1))
    values = [Fraction(text) if _FIGURE.fullmatch(text) else Fraction(0) for text in shown]
    steps, highest = rule.steps, Fraction(rule.whole or max(values, default=0))
    rounded = floor if rule.whole else round
    marks = {
        f"bar.{n}": f"bar-{min(steps, max(1, rounded(steps * value / highest)))}"
        for n, value in enumerate(values, 1)
        if value > 0
    }
    return replace(part, marks={**part.marks, **marks})


def boxes_of(track: str, subject: Subject) -> int:
    """Return how many boxes a track of the subject has, or raise a DesignError."""
    if track not in subject.tracks:
        raise design_error(track, f"{subject.name} has no track `{track}`", subject.tracks)
    return subject.tracks[track]


def text_strips(text: str, kind: CardKind, entry: CardEntry) -> tuple[StripDraft, ...]:
    """Return the strips of a text. The entry's `as` names another role, `low` the foot.

    A head of up to `heads` letters that ends with a colon, or with `after`, is set apart. Many
    cards have the same texts, and share drafts that are the same object.
    """
    how = kind.text(entry.as_ or ""), entry.after, entry.heads or 0, entry.low
    key = "lines", text, kind.air, *how
    return kind.cached(key, lambda: tuple(_break_text(text, kind, *how)))


def _break_text(
    text: str, kind: CardKind, stem: str, after: str, most: int, low: bool
) -> Iterator[StripDraft]:
    place = kind.places[f"{stem}-1"]["text"]
    role = kind.tokens.roles[place.role]
    room, metrics = place.box.width - 2 * PADDING, kind.metrics[role.face]
    lines = paragraphs(text, room, metrics, role.size)
    head = headed(lines[0], place.role, kind.tokens, most, after)
    if head and (more := wide(head, kind) - room) > 0:  # the head is bold, so wider
        lines = paragraphs(text, room - more, metrics, role.size)
        head = headed(lines[0], place.role, kind.tokens, most, after)
    runs: list[tuple[Run, ...]] = [((line, place.role),) for line in lines]
    runs[:1] = [head] if head else runs[:1]
    for start in range(0, len(lines), MOST_LINES):
        some = lines[start : start + MOST_LINES]
        below = kind.air if start + MOST_LINES >= len(lines) else 0
        texts, shown = {"text": "\n".join(some)}, {"text": runs[start : start + MOST_LINES]}
        name, splits = f"{stem}-{len(some)}", len(lines) > MOST_LINES
        yield StripDraft(name, texts, below=below, runs=shown, low=low, splits=splits)


# Places beside a text: beside its first line, and beside its second for the rest of a long label
# or for what qualifies the label.
LABEL, MORE, ABOUT = "label", "more", "about"


def section_strips(
    entry: CardEntry, stem: str, values: CardContext, kind: CardKind
) -> Iterator[StripDraft]:
    """Yield the strips of a list whose rows have `label`, `about` and `text`.

    The words on both sides of the entry's `strong` are bold, up to a comma or a full stop.
    """
    for row in values.rows(stem):
        place = kind.places[f"{kind.text()}-2"][LABEL]
        role, room = kind.tokens.roles[place.role], place.box.width - 2 * PADDING
        text, metrics = row.get("text", ""), kind.metrics[role.face]
        strong = _strong(text, entry.strong, kind) if entry.strong else None
        first, *rest = [strong] if strong else text_strips(text, kind, entry)
        label, about, more = row.get(LABEL, ""), row.get(ABOUT, ""), ""
        if " " in label and width(label, metrics, role.size) > room:  # words are not broken
            label, *rest_of_label = wrap(label, room, metrics, role.size)
            more = " ".join(rest_of_label)
        texts = {LABEL: label, **first.texts}
        if about and first.name.endswith("-1"):
            runs = figure_runs(label, {WHAT: about}, place.role, kind.tokens)
            if runs and wide(runs, kind) <= room:
                texts[f"{LABEL}.{WHAT}"], about = about, ""
        if more or about:
            texts[MORE if more else ABOUT] = more or about
            if first.name.endswith("-1"):
                (line,) = first.runs["text"]
                empty: tuple[Run, ...] = ((" ", line[0][1]),)
                first = replace(first, name=f"{first.name[:-1]}2", runs={"text": [line, empty]})
        yield replace(first, texts=texts)
        yield from (replace(part, attached=True) for part in rest)


def _strong(text: str, between: str, kind: CardKind) -> StripDraft | None:
    """Return a text whose words on both sides of `between` are bold, or None.

    It is broken as if all of it were bold. A text without such words, or a long one, has none.
    """
    start = text.find(between)
    if start < 0:
        return None
    place = kind.places[f"{kind.text()}-1"]["text"]
    head, size = kind.tokens.roles[place.role + HEAD], kind.tokens.roles[place.role].size
    room = place.box.width - 2 * PADDING
    lines = paragraphs(text, room, kind.metrics[head.face], size)
    if len(lines) > MOST_LINES:
        return None
    after = start + len(between)
    cut = re.search(r"[,.;]", text[after:])
    cuts = (0, start, after, after + cut.start() if cut else len(text), len(text))
    roles = (place.role + HEAD, place.role, place.role + HEAD, place.role)
    runs, at = [], 0
    for line in lines:
        at = text.index(line, at)
        end = at + len(line)
        pieces = zip(pairwise(cuts), roles, strict=True)
        found = tuple((text[max(a, at) : min(b, end)], name) for (a, b), name in pieces)
        runs.append(tuple(run for run in found if run[0]))
        at = end
    name = f"{kind.text()}-{len(lines)}"
    return StripDraft(name, {"text": "\n".join(lines)}, below=kind.air, runs={"text": runs})
