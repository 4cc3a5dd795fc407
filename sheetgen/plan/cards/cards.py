"""Cards: strips one below the other, on as many faces as they need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.load.designs.card_designs import BACK
from sheetgen.model.build import Build
from sheetgen.model.cards import CardFace, Strip, TextPiece
from sheetgen.model.pictures import Picture, PreparedPicture
from sheetgen.model.prints import Filling, Place, Setting
from sheetgen.plan.cards.faces import face_height, lay_faces
from sheetgen.plan.cards.kinds import CardContext, CardKind, StripDraft, Subject
from sheetgen.plan.cards.parts import build_subject, face_heads, find_raised_values
from sheetgen.plan.cards.rows import role_scales, text_scale
from sheetgen.plan.cards.runs import (
    CHANGE,
    NOTE,
    TAILS,
    WHAT,
    figure_runs,
    least_scale,
    set_runs,
    tails_of,
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
