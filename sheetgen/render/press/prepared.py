"""Unpack a plate for the press: format all that does not depend on values or object numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, TypeAlias, get_args

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding, Span
from sheetgen.model.prints import DRAWN_KINDS, Added, Live, Place, Plate, Shape
from sheetgen.records import frozen
from sheetgen.render.pdf.pdf_file import ink, pdf_number, pdf_numbers, pdf_string, text_string
from sheetgen.render.pdf.plate_files import build_shared, unpack_parts
from sheetgen.render.press.appearances import (
    Style,
    TextCache,
    build_text_styles,
    build_typefaces,
)
from sheetgen.units import Box
from sheetgen.units.paths import segments

Size: TypeAlias = tuple[float, float]  # width and height


@frozen
class TagRow:
    """One structure element (ISO 32000-1, 14.7.2)."""

    tag: bytes
    parent: int  # index of the row above it; -1 for the document
    extra: bytes  # further entries of its dictionary
    # Kind (`row`, `mcid`, `place`, `link`), index or number, and page of each
    kids: tuple[tuple[str, int, int], ...]
    page: int  # of its first content; -1 if it has none of its own
    place: int  # index of the place of a field that it contains, or -1
    picture: int = -1  # index of the place of the picture that it is, or -1


@frozen
class PlaceSlot:
    """A place, with all PDF text that does not depend on its value."""

    index: int  # of the place in the plate
    place: Place
    size: Size
    at: tuple[float, float]  # its lower left on the page, in PDF coordinates
    matrix: bytes  # the operator that moves the origin there
    group: int = -1  # index of its group of names; -1 at the top
    style: Style | None = None  # the style of its text; None for ticks and shapes
    head: bytes = b""  # first entries of its widget annotation
    empty_entries: bytes = b""  # last entries of the widget of a text field without a value
    form_head: bytes = b""  # first entries of the appearance stream of a text
    frame: bytes = b""  # operators that draw the frame of a tick
    on: str = ""  # shape of the mark of a tick
    tall: bool = False  # whether its text fills it from the top, as in a column
    flags: int = 0  # of a text field, without the one for several lines
    action: str = ""  # the key of its action in `Calculation.build_actions`; empty for none
    appearance_key: int = -1  # equal for places whose appearances are equal for equal values


# What is drawn for a place: marks are labels, with a text, or shapes.
SlotKind: TypeAlias = Literal["tick", "text", "label", "shape", "picture"]
_SLOT_KINDS: Final[tuple[SlotKind, ...]] = get_args(SlotKind)


class PreparedPlate:
    """One plate, ready to be filled any number of times.

    Attributes:
        slots: The slots of each page, by kind.
        named: Slots by kind and name.
        fields: Slots that become widgets, in reading order.
        groups: Names that have other names below them, parents first.
        fields_of: Indexes in `fields` by group; -1 for fields without a group.
        frames: Resource names of the frames of ticks, by shape and size.
        field_faces: Faces that a reader types in.
        text_cache, label_cache, widget_cache: What the press has written for texts.
        row_of_place: Indexes in `rows`, by index of the place.
        order, acting: Indexes in `fields`, by name; of those with an action, and its key.
        hints: Slots of bars that scripts show; hidden ones need no structure elements.
        hint_sizes: Sizes of the hints, each once.
        calculated: Indexes in `fields` of those that are calculated, in order of calculation.
    """

    def __init__(
        self, plate: Plate, rules: FieldRules | None = None, shown: frozenset[str] = frozenset()
    ) -> None:
        """Unpack `plate`; see `prepare_plate`."""
        header, datas = unpack_parts(plate.body)
        self.plate, self.rules, self.places = plate, rules, plate.places
        self._marks: set[int] = set()
        self.header: Mapping[str, Any] = header
        self.shared = build_shared(header, datas)
        self.typefaces = build_typefaces(plate.metrics, header["counts"])
        self.styles = build_text_styles(plate.tokens, self.typefaces)
        self.rows: list[TagRow] = []
        for tag, parent, extra, kids in header["rows"]:
            page = next((page for what, _, page in kids if what != "row"), -1)
            place = next((which for what, which, _ in kids if what == "place"), -1)
            held = tuple((what, which, on) for what, which, on in kids)
            row = TagRow(tag.encode(), parent, extra.encode("latin-1"), held, page, place)
            self.rows.append(row)
        self.tops: list[int] = list(header["tops"])
        self.mcids = {int(index): mcid for index, mcid in header["texts"].items()}
        self.fresh: list[int] = list(header["fresh"])
        # In this order: added tags extend the tree, figures without a picture leave it, which
        # renumbers its rows, and live fields then turn marks into places of the rows that are left.
        if plate.added is not None:
            self._add_tags(plate.added)
        self._place_figures(shown)
        if rules is not None:
            self._add_live_fields(rules)
        self.row_of_place = {row.place: n for n, row in enumerate(self.rows) if row.place >= 0}
        self.groups: list[tuple[str, ...]] = []
        self.frames: dict[tuple[str, Size], bytes] = {}
        self._group_indexes: dict[str, int] = {}
        self._appearance_keys: dict[tuple[str, Size, bool, int], int] = {}
        self._default_appearances: dict[tuple[str, float], bytes] = {}
        self._drawn: dict[tuple[str, Size], bytes] = {}
        self.text_cache: TextCache = {}
        self.label_cache, self.widget_cache = TextCache(), TextCache()
        self.slots: list[dict[SlotKind, list[PlaceSlot]]] = [
            {kind: [] for kind in _SLOT_KINDS} for _ in plate.sizes
        ]
        self.named: dict[SlotKind, dict[str, PlaceSlot]] = {kind: {} for kind in _SLOT_KINDS}
        self.fields: list[PlaceSlot] = []
        self.fields_of: dict[int, list[int]] = {}
        for slot in [self._slot(*pair) for pair in enumerate(self.places)]:
            kind = _slot_kind(slot.place)
            self.slots[slot.place.page][kind].append(slot)
            self.named[kind][slot.place.name] = slot
            if kind in ("tick", "text"):
                self.fields_of.setdefault(slot.group, []).append(len(self.fields))
                self.fields.append(slot)
        self.field_faces = {s.style.role.face for s in self.fields if s.style}
        self.order = {slot.place.name: n for n, slot in enumerate(self.fields)}
        self.acting = [(n, slot.action) for n, slot in enumerate(self.fields) if slot.action]
        beside = _hints(self.places, rules, self.styles) if rules is not None else ()
        self.hints = [self._slot(-1, place) for place in beside]
        self.hint_sizes = list(dict.fromkeys(slot.size for slot in self.hints))
        named = (*rules.outputs, SAYS) if rules is not None else ()
        self.calculated = [self.order[n] for n in named if n in self.order]

    def _add_tags(self, added: Added) -> None:
        """Add structure elements below that of a mark, and numbers for their contents."""
        rows, fresh, first = self.rows, self.fresh, len(self.rows)
        indexes = {place.name: index for index, place in enumerate(self.places)}
        anchored = self.mcids[indexes[added.anchor]]
        page = added.places[0].page if added.places else 0
        anchor = next(n for n, row in enumerate(rows) if ("mcid", anchored, page) in row.kids)
        kids: dict[int, list[tuple[str, int, int]]] = {-1: list(rows[anchor].kids)}
        for n, tag in enumerate(added.tags):
            kids[tag.parent].append(("row", first + n, 0))
            kids[n] = []
            for name in tag.texts:
                kids[n].append(("mcid", fresh[page], page))
                self.mcids[indexes[name]] = fresh[page]
                fresh[page] += 1
        for n, tag in enumerate(added.tags):
            above = anchor if tag.parent < 0 else first + tag.parent
            extra, on = tag.extra.encode("latin-1"), page if tag.texts else -1
            rows.append(TagRow(tag.tag.encode(), above, extra, tuple(kids[n]), on, -1))
        # What may only contain text becomes a division, which may contain tables.
        rows[anchor] = replace(rows[anchor], tag=b"Div", kids=tuple(kids[-1]))
        above = rows[anchor].parent
        if above >= 0 and rows[above].tag == b"P":
            rows[above] = replace(rows[above], tag=b"Div")

    def _place_figures(self, shown: Collection[str]) -> None:
        """Find the structure elements of pictures; remove those of pictures that are not shown.

        A figure without alternate text is an error of PDF/UA, and so is an element that has only
        such figures.
        """
        pictures = [(n, place) for n, place in enumerate(self.places) if place.kind == "picture"]
        for n, place in pictures:
            if place.name not in shown:
                del self.mcids[n]
        found = {("mcid", self.mcids[n], p.page): n for n, p in pictures if n in self.mcids}
        rows = self.rows = [
            replace(row, picture=found.get(row.kids[0], -1)) if row.kids else row
            for row in self.rows
        ]
        figures = (n for n, row in enumerate(rows) if row.tag == b"Figure" and row.picture < 0)
        empty = {n for n in figures if b"/Alt" not in rows[n].extra}
        if not empty:
            return
        for index in reversed(range(len(rows))):  # kids are after their parents
            below = [which for kind, which, _ in rows[index].kids if kind == "row"]
            lost = below and len(below) == len(rows[index].kids) and empty.issuperset(below)
            if lost and rows[index].tag not in (b"TD", b"TH", b"LI", b"LBody"):
                empty.add(index)
        left = [index for index in range(len(rows)) if index not in empty]
        new = {old: index for index, old in enumerate(left)} | {-1: -1}
        self.rows = []
        for row in (rows[old] for old in left):
            kids = tuple(
                (kind, new[which] if kind == "row" else which, page)
                for kind, which, page in row.kids
                if kind != "row" or which in new
            )
            self.rows.append(replace(row, parent=new[row.parent], kids=kids))
        self.tops = [new[top] for top in self.tops if top in new]

    def _add_live_fields(self, rules: FieldRules) -> None:
        """Turn calculated marks into fields, and add the controls of a live sheet.

        The structure element of such a mark then contains a field instead of marked content.
        """
        of_mcid = {
            (mcid, self.places[index].page): index
            for index, mcid in self.mcids.items()
            if self.places[index].name in rules.outputs
        }
        for n, row in enumerate(self.rows):
            index = of_mcid.get(row.kids[0][1:], -1) if len(row.kids) == 1 else -1
            if index >= 0 and row.kids[0][0] == "mcid":
                held = (("place", index, row.page),)
                self.rows[n] = replace(row, tag=b"Form", kids=held, place=index)
                self._marks.add(index)
        self.places = tuple(
            replace(place, kind="text") if n in self._marks else place
            for n, place in enumerate(self.places)
        )
        first, top = len(self.places), len(self.rows)
        self.places += _controls(self.places, self.plate.sizes[0], self.styles)
        forms = range(first, len(self.places))
        self.tops.append(top)
        kids = tuple(("row", top + 1 + n, 0) for n, _ in enumerate(forms))
        self.rows.append(TagRow(b"Div", -1, b"", kids, -1, -1))
        for index in forms:
            self.rows.append(TagRow(b"Form", top, b"", (("place", index, 0),), 0, index))

    def _slot(self, index: int, place: Place) -> PlaceSlot:
        box, height = place.box, self.plate.sizes[place.page][1]
        size = (round(box.width, 2), round(box.height, 2))
        at = (round(box.x, 2), round(height - box.y - box.height, 2))
        matrix = b"1 0 0 1 %s cm" % pdf_numbers(*at)
        if place.kind in DRAWN_KINDS:
            return PlaceSlot(index, place, size, at, matrix, tall=self._is_column(place))
        path, _, name = place.name.rpartition(".")
        looks = b"/F 4/MK<<>>"  # /F: printed, which controls are not; hints are hidden, too
        if place.name in (SAYS, RESET):
            looks = b"/MK<<>>"
        elif place.name.startswith(HINT):
            colour = hint_colour(self.plate.tokens.colours).rpartition(b" ")[0]
            looks = b"/F 2/MK<</BG[%s]>>" % colour
        label = place.label
        if self.rules is not None and place.name in self.rules.unfollowed:
            label += UNFOLLOWED
        called = pdf_string(name.encode()), text_string(label)
        corners = pdf_numbers(*at, at[0] + size[0], at[1] + size[1])
        head = b"<</Type/Annot/Subtype/Widget%s/T%s/TU%s/Rect[%s]/FT" % (looks, *called, corners)
        group = self._group(path)
        if place.kind == "tick":
            tick, frame = self.plate.tokens.ticks[place.role], b""
            if tick.frame:
                resource = self.frames.setdefault((tick.frame, size), b"/f%d" % len(self.frames))
                frame = b"q %s%s Do Q\n" % (matrix, resource)
            common = (index, place, size, at, matrix, group)
            return PlaceSlot(*common, head=head + b"/Btn", frame=frame, on=tick.on)
        style = self.styles[place.role]
        tall = place.kind == "lines" or (index in self._marks and self._is_column(place))
        kind, flags, action = (b"/Tx", 0, "") if self.rules is None else self.rules.of(place.name)
        appearance = self.default_appearance(style, style.role.size)
        empty = b"%s%s%s>>" % (style.quadding, flagged(flags | several(tall)), appearance)
        key = (place.role, size, tall, flags)
        return PlaceSlot(
            *(index, place, size, at, matrix, group, style, head + kind, empty),
            form_head=b"<</Subtype/Form/BBox[0 0 %s]" % pdf_numbers(*size),
            tall=tall,
            flags=flags,
            action=action,
            appearance_key=self._appearance_keys.setdefault(key, len(self._appearance_keys)),
        )

    def _is_column(self, mark: Place) -> bool:
        """Return whether `mark` has room for three lines: then its text starts at the top."""
        style = self.styles.get(mark.role)
        return style is not None and mark.box.height >= 3 * style.leading(style.role.size)

    def _group(self, name: str) -> int:
        """Return the index of a group of names, new or known; groups above it come first."""
        if name and name not in self._group_indexes:
            self._group(name.rpartition(".")[0])
            self._group_indexes[name] = len(self.groups)
            self.groups.append(tuple(name.split(".")))
        return self._group_indexes[name] if name else -1

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the names of all fields, and of the groups that they are in."""
        groups = (".".join(path) for path in self.groups)
        return frozenset([*groups, *(slot.place.name for slot in (*self.fields, *self.hints))])

    @cached_property
    def flat_mcids(self) -> dict[int, int]:
        """Return the marked-content numbers of drawn fields, by index of the place."""
        fresh, found = list(self.fresh), {}
        for slot in self.fields:
            page = slot.place.page
            found[slot.index] = fresh[page]
            fresh[page] += 1
        return found

    @cached_property
    def typed_names(self) -> dict[str, bytes]:
        """Return the names of the fonts in default appearances, by face.

        A name is derived from the font, so that plates in one document use equal names.
        """
        names = {}
        for face, row in self.header["faces"].items():
            letters = "".join(c for c in face if c.isascii() and c.isalnum())
            names[face] = f"/{letters}x{self.shared[row['typed']].digest[:6]}".encode()
        return names

    def default_appearance(self, style: Style, size: float) -> bytes:
        """Return the default appearance of a field: font, size and colour of typed text."""
        key = (style.name, size)
        if key not in self._default_appearances:
            parts = self.typed_names[style.role.face], pdf_number(size), style.colour
            self._default_appearances[key] = b"/DA(%s %s Tf %s)" % parts
        return self._default_appearances[key]

    def style(self, role: str) -> Style:
        """Return the style of `role`.

        Raises:
            DesignError: The tokens have no such role.
            ValueError: The plate was compiled without the role's face.
        """
        if role in self.styles:
            return self.styles[role]
        if role not in self.plate.tokens.roles:
            raise _missing_token("role", role)
        face = self.plate.tokens.roles[role].face
        raise ValueError(
            f"the plate has no face `{face}`, which role `{role}` needs; "
            "compile it with this role among its extra roles"
        )

    def drawn(self, name: str, size: tuple[float, float]) -> bytes:
        """Return operators that draw the shape called `name` in a box of `size`."""
        if (name, size) not in self._drawn:
            tokens = self.plate.tokens
            if name not in tokens.shapes:
                raise _missing_token("shape", name)
            self._drawn[name, size] = draw_shape(tokens.shapes[name], *size, tokens.colours)
        return self._drawn[name, size]


def _slot_kind(place: Place) -> SlotKind:
    if place.kind == "mark":
        return "label" if place.role else "shape"
    return "text" if place.kind == "lines" else place.kind


@lru_cache(maxsize=16)
def prepare_plate(
    plate: Plate, rules: FieldRules | None = None, shown: frozenset[str] = frozenset()
) -> PreparedPlate:
    """Return `plate` ready for the press; the last few are cached.

    Args:
        rules: What the fields of its sheets do, if they are live.
        shown: Places of pictures that have a picture.
    """
    return PreparedPlate(plate, rules, shown)


# Fields besides those of the plate, whose names have no hyphens.
SAYS: Final = "sheetgen-says"
RESET: Final = "sheetgen-reset"
HINT: Final = "sheetgen-hint-"

UNFOLLOWED: Final = " (other values stay as printed: read the sheet back, and print anew)"
"""Behind the name of a field that readers show, where a calculating sheet does not follow it."""

_READ_ONLY: Final = 1
_LINES: Final = 1 << 12
_PUSHED: Final = 1 << 16
_WRONG: Final = "Wrong here; the top line says why"
_TYPED: Final = "text", "lines", "tick"
_ROLES: Final = "live-says", "live-reset"
# Measures of the controls, which are in the margin above the places of the first page.
# First line, in text sizes: height and width of the button, height of the line of findings and of
# the labels of places. Second line: points between the controls, the most that a label takes, the
# distance of the button from the paper's edge (5 mm), and the least height of the button, in text
# sizes. Third line, in points: width of a hint, and its distance from the fields.
_HIGH, _WIDE, _LINES_HIGH, _LABEL = 2.1, 7.0, 2.7, 1.7
_GAP, _LABEL_MOST, _EDGE, _LEAST = 10.0, 14.2, 14.2, 0.9
_BAR, _BESIDE = 2.0, 1.0


@frozen
class FieldRules:
    """What the fields of a design do, for all characters; see `Live`."""

    program: str
    outputs: tuple[str, ...]
    cells: frozenset[str]
    inputs: frozenset[str]
    hints: tuple[str, ...]
    unfollowed: frozenset[str]
    key: str  # hash of the program

    def __hash__(self) -> int:
        return hash(self.key)

    def of(self, name: str) -> tuple[bytes, int, str]:
        """Return the type of a field, its flags, and the key of its action."""
        if name == RESET:
            return b"/Btn", _PUSHED, "reset"
        if name == SAYS:
            return b"/Tx", _READ_ONLY, "calculated"
        if name.startswith(HINT):
            return b"/Tx", _READ_ONLY, ""
        if name in self.outputs:
            flags = 0 if name in self.cells else _READ_ONLY
            return b"/Tx", flags, "first" if name == self.outputs[0] else "calculated"
        return b"/Tx", 0, "typed" if name in self.inputs else ""


def build_field_rules(live: Live) -> FieldRules:
    """Return what the fields of `live` do; one object for equal designs."""
    named = live.outputs, live.cells, live.inputs, live.hints, live.unfollowed
    return _build_rules(live.program, *named)


@lru_cache(maxsize=16)
def _build_rules(program: str, *named: Any) -> FieldRules:
    key = hashlib.sha256(program.encode()).hexdigest()[:12]
    outputs, cells, inputs, hints, unfollowed = named
    return FieldRules(program, outputs, cells, inputs, hints, unfollowed, key)


def _controls(
    places: Sequence[Place], size: tuple[float, float], styles: Mapping[str, Style]
) -> tuple[Place, ...]:
    """Return the places of the controls of a live sheet, above all places of its first page.

    If the usual roles are missing, the first one of `styles` is used; `size`: of that page.
    """
    boxes = [place.box for place in places if place.page == 0 and place.kind in _TYPED]
    left = min(box.x for box in boxes)
    right = min(max(box.x + box.width for box in boxes), size[0])
    says, reset = (role if role in styles else next(iter(styles)) for role in _ROLES)
    point = styles[reset].role.size
    free = max(min(b.y for b in boxes) - min(point * _LABEL, _LABEL_MOST), _EDGE + point * _LEAST)
    wide, high = point * _WIDE, min(point * _HIGH, free - _EDGE)
    tall = min(styles[says].role.size * _LINES_HIGH, free)
    button = Box(right - wide, free - high, wide, high)
    line = Box(left, (free - tall) / 2, right - wide - _GAP - left, tall)
    labels = "What the rules say of what stands here", "Put everything back as it was printed"
    return (
        Place(SAYS, "lines", says, labels[0], 0, line),
        Place(RESET, "text", reset, labels[1], 0, button),
    )


def _hints(
    places: Sequence[Place], rules: FieldRules, styles: Mapping[str, Style]
) -> Iterator[Place]:
    """Yield a bar to the left of each place that findings may be about; viewer.js shows it then.

    A bar overlaps no field, because viewers differ in which of two widgets gets a click.
    """
    typed = rules.inputs.union(rules.outputs)
    role = _ROLES[0] if _ROLES[0] in styles else next(iter(styles))
    for at, stem in enumerate(rules.hints):
        fields = [p for p in places if f"{p.name}.".startswith(f"{stem}.") and p.name in typed]
        fields = [p for p in fields if p.page == fields[0].page]
        if fields:
            left, top = min(p.box.x for p in fields), min(p.box.y for p in fields)
            foot = max(p.box.y + p.box.height for p in fields)
            box = Box(left - _BESIDE - _BAR, top, _BAR, foot - top)
            yield Place(f"{HINT}{at}", "text", role, _WRONG, fields[0].page, box)


def hint_colour(colours: Mapping[str, str]) -> bytes:
    """Return the operator that sets the colour of hints."""
    return ink(colours.get("accent", "#000000"))


def several(lines: bool) -> int:
    """Return the flag of a field for several lines, or 0."""
    return _LINES if lines else 0


def flagged(flags: int) -> bytes:
    """Return the entry for a field's flags."""
    return b"/Ff %d" % flags if flags else b""


_OPERATORS: Final = {"M": b"m", "L": b"l", "C": b"c", "Z": b"h"}


def _missing_token(what: str, name: str) -> DesignError:
    """Return the error for a role or a shape that the tokens lack."""
    message = f"the tokens have no {what} `{name}`"
    hint = f"add it under `{what}s` of the design's tokens.yaml"
    return DesignError((Finding(codes.BAD_DESIGN, Span("templates"), message, hint),))


def draw_shape(shape: Shape, width: float, height: float, colours: Mapping[str, str]) -> bytes:
    """Return the path operators (8.5) that draw `shape` in a box with its corner at the origin."""
    if not (shape.fill or shape.stroke):
        return b""
    parts = []
    if shape.fill:
        parts.append(ink(colours[shape.fill]))
    if shape.stroke:
        parts.append(ink(colours[shape.stroke], stroke=True))
        parts.append(pdf_number(shape.weight * width or shape.width) + b" w")
    across, up = (max(length - 2 * shape.inset, 0) for length in (width, height))
    for letter, values in segments(shape.path):
        for x, y in zip(values[::2], values[1::2], strict=True):
            # SVG counts downwards, PDF upwards.
            at = shape.inset + x * across, height - shape.inset - y * up
            parts.append(pdf_numbers(*at))
        parts.append(_OPERATORS[letter])
    painting = (b"B" if shape.stroke else b"f") if shape.fill else b"S"
    return b" ".join([*parts, painting])
