"""A plate unpacked for the press: all that can be spelt before a value is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from sheetgen.model.prints import Place, Plate, Shape
from sheetgen.render.acroform import Path
from sheetgen.render.appearances import Style, styles, typefaces
from sheetgen.render.pdf_syntax import literal, number, numbers, text_string
from sheetgen.render.plate_files import unpack
from sheetgen.render.shapes import drawing

Size: TypeAlias = tuple[float, float]
"""Width and height."""


@dataclass(frozen=True, slots=True)
class SharedObject:
    """See `pdf_objects.Shared`."""

    template: bytes
    refs: tuple[int, ...]
    data: bytes | None
    digest: str


@dataclass(frozen=True, slots=True)
class Row:
    """One tag.

    Attributes:
        parent: Index of the tag above it; -1 for the document.
        kids: What (`row`, `mcid`, `place`, `link`), which, and on which page.
        page: Of its first content; -1 if it has none of its own.
        place: Index of the place that it holds, or -1.
    """

    tag: bytes
    parent: int
    extra: bytes
    kids: tuple[tuple[str, int, int], ...]
    page: int
    place: int


@dataclass(frozen=True, slots=True)
class Slot:
    """A place, spelt out as far as it goes.

    Attributes:
        index: Of the place in the plate.
        at: Its lower left on the page, as PDF counts.
        moved: Moves the origin there.
        group: Index of its group of names; -1 at the top.
        style: How its text is set; None for ticks and shapes.
        head: First part of its widget.
        blank_tail: Last part of the widget of a text that is empty.
        form: First part of the form that draws a text.
        blank: That form, drawing nothing. Each field has its own: some programs write
            into a field's form, and would write into all that shared it.
        frame: Draws the frame of a tick.
        on: Shape of the mark of a tick.
    """

    index: int
    place: Place
    size: Size
    at: tuple[float, float]
    moved: bytes
    group: int = -1
    style: Style | None = None
    head: bytes = b""
    blank_tail: bytes = b""
    form: bytes = b""
    blank: bytes = b""
    frame: bytes = b""
    on: str = ""


@dataclass(frozen=True, slots=True)
class PageSlots:
    """What one page has of each kind."""

    ticks: list[Slot]
    shapes: list[Slot]
    labels: list[Slot]
    fields: list[Slot]


class Prepared:
    """One plate, ready to be filled any number of times.

    Attributes:
        fields: Slots that become widgets, in reading order.
        groups: Names that have other names below them, parents first.
        fields_of: The places in `fields` of each group; of -1, those without one.
        frames: What pages call the frames of ticks, by shape and size.
        field_faces: Faces that a reader types in.
    """

    def __init__(self, plate: Plate) -> None:
        header, datas = unpack(plate.body)
        self.plate = plate
        self.header: Mapping[str, Any] = header
        streams = iter(datas)
        self.shared = [
            SharedObject(
                template.encode(), tuple(refs), next(streams) if full else None, digest
            )
            for template, refs, full, digest in header["shared"]
        ]
        starts = {face: row["starts"] for face, row in header["faces"].items()}
        self.typefaces = typefaces(plate.metrics, starts)
        self.styles = styles(plate.tokens, self.typefaces)
        self.rows = [_row(*row) for row in header["rows"]]
        self.mcids = {int(index): mcid for index, mcid in header["texts"].items()}
        self.row_of_place = {
            row.place: index for index, row in enumerate(self.rows) if row.place >= 0
        }
        self.groups: list[Path] = []
        self.frames: dict[tuple[str, Size], bytes] = {}
        self._known: dict[Path, int] = {}
        self._typed: dict[tuple[str, float], bytes] = {}
        self._sort([self._slot(*pair) for pair in enumerate(plate.places)])

    def _sort(self, slots: list[Slot]) -> None:
        self.slots = [PageSlots([], [], [], []) for _ in self.plate.sizes]
        self.fields: list[Slot] = []
        self.fields_of: dict[int, list[int]] = {}
        for slot in slots:
            page = self.slots[slot.place.page]
            if slot.place.kind == "mark":
                (page.labels if slot.place.role else page.shapes).append(slot)
                continue
            if slot.place.kind == "tick":
                page.ticks.append(slot)
            self.fields_of.setdefault(slot.group, []).append(len(self.fields))
            self.fields.append(slot)
            page.fields.append(slot)
        self.ticks = _by_name(s for page in self.slots for s in page.ticks)
        self.shapes = _by_name(s for page in self.slots for s in page.shapes)
        self.texts = _by_name(s for s in self.fields if s.style)
        labels = _by_name(s for page in self.slots for s in page.labels)
        self.text_names = self.texts.keys() | labels.keys()
        self.field_faces = {s.style.role.face for s in self.fields if s.style}

    def _slot(self, index: int, place: Place) -> Slot:
        box, height = place.box, self.plate.sizes[place.page][1]
        size = (round(box.width, 2), round(box.height, 2))
        at = (round(box.x, 2), round(height - box.y - box.height, 2))
        slot = Slot(index, place, size, at, b"1 0 0 1 %s cm" % numbers(*at))
        if place.kind == "mark":
            return slot
        *path, name = place.name.split(".")
        label = text_string(place.label)
        head = b"<</Type/Annot/Subtype/Widget/F 4/MK<<>>/T%s/TU%s/Contents%s/Rect[%s]/FT"
        head %= (
            literal(name.encode()),
            label,
            label,
            numbers(*at, at[0] + size[0], at[1] + size[1]),
        )
        slot = replace(slot, group=self._group(tuple(path)), head=head)
        return self._tick(slot) if place.kind == "tick" else self._text(slot)

    def _tick(self, slot: Slot) -> Slot:
        tick = self.plate.tokens.ticks[slot.place.role]
        frame = b""
        if tick.frame:
            called = self.frames.setdefault(
                (tick.frame, slot.size), b"/f%d" % len(self.frames)
            )
            frame = b"q %s%s Do Q\n" % (slot.moved, called)
        return replace(slot, head=slot.head + b"/Btn", frame=frame, on=tick.on)

    def _text(self, slot: Slot) -> Slot:
        style = self.styles[slot.place.role]
        form = b"<</Subtype/Form/BBox[0 0 %s]" % numbers(*slot.size)
        several = b"/Ff 4096" if slot.place.kind == "lines" else b""
        typed = self.typed(style, style.role.size)
        return replace(
            slot,
            style=style,
            head=slot.head + b"/Tx",
            blank_tail=b"%s%s%s>>" % (style.quadding, several, typed),
            form=form,
            blank=form + b"/Length 11>>stream\n/Tx BMC EMC\nendstream",
        )

    def _group(self, path: Path) -> int:
        if not path:
            return -1
        if path not in self._known:
            self._group(path[:-1])
            self._known[path] = len(self.groups)
            self.groups.append(path)
        return self._known[path]

    @cached_property
    def names(self) -> list[str]:
        """Return the names of all fields."""
        return [slot.place.name for slot in self.fields]

    @cached_property
    def flat_mcids(self) -> dict[int, int]:
        """Return numbers of marked content for the fields of a page without widgets."""
        fresh, found = list(self.header["fresh"]), {}
        for slot in self.fields:
            page = slot.place.page
            found[slot.index] = fresh[page]
            fresh[page] += 1
        return found

    def counts(self, *, flat: bool) -> list[int]:
        """Return how many runs of marked content each page has."""
        counts = list(self.header["fresh"])
        for slot in self.fields if flat else ():
            counts[slot.place.page] += 1
        return counts

    @cached_property
    def typed_names(self) -> dict[str, bytes]:
        """Return what a field calls the font that a reader types in, by face.

        The name is made from the font, so that plates that share a document agree.
        """
        return {
            face: b"/%sx%s"
            % (
                "".join(c for c in face if c.isascii() and c.isalnum()).encode(),
                self.shared[row["typed"]].digest[:6].encode(),
            )
            for face, row in self.header["faces"].items()
        }

    def typed(self, style: Style, size: float) -> bytes:
        """Return the default appearance of a field: how a viewer sets what is typed."""
        key = (style.name, size)
        if key not in self._typed:
            name = self.typed_names[style.role.face]
            self._typed[key] = b"/DA(%s %s Tf %s)" % (name, number(size), style.colour)
        return self._typed[key]

    def style(self, role: str) -> Style:
        """Return the style of `role`.

        Raises:
            ValueError: There is no such role, or the plate was compiled without its face.
        """
        if role in self.styles:
            return self.styles[role]
        if role not in self.plate.tokens.roles:
            raise ValueError(f"the tokens have no role `{role}`")
        face = self.plate.tokens.roles[role].face
        raise ValueError(
            f"the plate has no face `{face}`, which role `{role}` needs; "
            "compile it with this role among its extra roles"
        )

    def shape(self, name: str) -> Shape:
        """Return the shape called `name`.

        Raises:
            ValueError: There is none.
        """
        if name not in self.plate.tokens.shapes:
            raise ValueError(f"the tokens have no shape `{name}`")
        return self.plate.tokens.shapes[name]

    def drawn(self, name: str, size: tuple[float, float]) -> bytes:
        """Return operators that draw the shape called `name` in a box of `size`."""
        return drawing(self.shape(name), *size, self.plate.tokens.colours)


def _by_name(slots: Iterable[Slot]) -> dict[str, Slot]:
    return {slot.place.name: slot for slot in slots}


def _row(tag: str, parent: int, extra: str, kids: list[list[Any]]) -> Row:
    page = next((page for what, _, page in kids if what != "row"), -1)
    found = tuple((what, which, on) for what, which, on in kids)
    place = next((which for what, which, _ in kids if what == "place"), -1)
    return Row(tag.encode(), parent, extra.encode("latin-1"), found, page, place)


class _ByContent:
    """A plate as a key: equal plates are one, and the same plate is found at once."""

    __slots__ = ("plate",)

    def __init__(self, plate: Plate) -> None:
        self.plate = plate

    def __hash__(self) -> int:
        return hash(self.plate.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByContent) and self.plate == other.plate


@lru_cache(maxsize=16)
def _prepared(key: _ByContent) -> Prepared:
    return Prepared(key.plate)


def prepared(plate: Plate) -> Prepared:
    """Return `plate` ready for the press; the last few are kept."""
    return _prepared(_ByContent(plate))
