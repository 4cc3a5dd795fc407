"""Unpack a plate for the press: format all that does not depend on values or object numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from sheetgen.model.prints import Place, Plate
from sheetgen.render.pdf.acroform import Path
from sheetgen.render.pdf.images import build_shared
from sheetgen.render.pdf.plate_files import unpack_parts
from sheetgen.render.pdf.syntax import pdf_number, pdf_numbers, pdf_string, text_string
from sheetgen.render.press.appearances import Style, TextCache, build_text_styles, build_typefaces
from sheetgen.render.press.live_fields import (
    HINT,
    RESET,
    SAYS,
    FieldRules,
    controls,
    flagged,
    hint_entries,
    hints,
    several,
)
from sheetgen.render.press.shapes import draw_shape, find_shape, missing_token
from sheetgen.render.press.slots import (
    PageSlots,
    PlaceSlot,
    Size,
    add_control_rows,
    add_tags,
    build_row,
    place_figures,
)

Common: TypeAlias = tuple[int, Place, Size, Size, bytes, int]
"""The first attributes of a slot, which all fields have."""


class PreparedPlate:
    """One plate, ready to be filled any number of times.

    Attributes:
        fields: Slots that become widgets, in reading order.
        groups: Names that have other names below them, parents first.
        fields_of: Indexes in `fields` by group; -1 for fields without a group.
        frames: Resource names of the frames of ticks, by shape and size.
        field_faces: Faces that a reader types in.
        text_cache, label_cache, widget_cache: What the press has written for texts.
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
        self.rows = [build_row(*row) for row in header["rows"]]
        self.tops: list[int] = list(header["tops"])
        self.mcids = {int(index): mcid for index, mcid in header["texts"].items()}
        self.fresh: list[int] = list(header["fresh"])
        if plate.added is not None:
            indexes = {place.name: index for index, place in enumerate(self.places)}
            add_tags(plate.added, indexes, self.rows, self.mcids, self.fresh)
        self.rows, self.tops = place_figures(self.rows, self.tops, self.places, self.mcids, shown)
        if rules is not None:
            self._add_live_fields(rules)
        self.row_of_place = {row.place: n for n, row in enumerate(self.rows) if row.place >= 0}
        self.groups: list[Path] = []
        self.frames: dict[tuple[str, Size], bytes] = {}
        self._group_indexes: dict[str, int] = {}
        self._appearance_keys: dict[tuple[str, Size, bool, int], int] = {}
        self._default_appearances: dict[tuple[str, float], bytes] = {}
        self._drawn: dict[tuple[str, Size], bytes] = {}
        self.text_cache: TextCache = {}
        self.label_cache, self.widget_cache = TextCache(), TextCache()
        self._sort([self._slot(*pair) for pair in enumerate(self.places)])
        self.order = {slot.place.name: n for n, slot in enumerate(self.fields)}
        self.acting = [(n, slot.action) for n, slot in enumerate(self.fields) if slot.action]
        beside = hints(self.places, rules, self.styles) if rules is not None else ()
        self.hints = [self._slot(-1, place) for place in beside]
        self.hint_sizes = list(dict.fromkeys(slot.size for slot in self.hints))
        named = (*rules.outputs, SAYS) if rules is not None else ()
        self.calculated = [self.order[n] for n in named if n in self.order]

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
        first = len(self.places)
        self.places += controls(self.places, self.plate.sizes[0], self.styles)
        add_control_rows(self.rows, self.tops, range(first, len(self.places)))

    def _sort(self, slots: list[PlaceSlot]) -> None:
        self.slots = [PageSlots([], [], [], [], []) for _ in self.plate.sizes]
        self.fields: list[PlaceSlot] = []
        self.fields_of: dict[int, list[int]] = {}
        for slot in slots:
            page = self.slots[slot.place.page]
            if slot.place.kind in ("mark", "picture"):
                flat = page.labels if slot.place.role else page.shapes
                (page.pictures if slot.place.kind == "picture" else flat).append(slot)
                continue
            if slot.place.kind == "tick":
                page.ticks.append(slot)
            self.fields_of.setdefault(slot.group, []).append(len(self.fields))
            self.fields.append(slot)
            page.fields.append(slot)
        self.ticks = _by_name(s for page in self.slots for s in page.ticks)
        self.shapes = _by_name(s for page in self.slots for s in page.shapes)
        self.pictures = _by_name(s for page in self.slots for s in page.pictures)
        self.texts = _by_name(s for s in self.fields if s.style)
        labels = _by_name(s for page in self.slots for s in page.labels)
        self.text_names = self.texts.keys() | labels.keys()
        self.field_faces = {s.style.role.face for s in self.fields if s.style}

    def _slot(self, index: int, place: Place) -> PlaceSlot:
        box, height = place.box, self.plate.sizes[place.page][1]
        size = (round(box.width, 2), round(box.height, 2))
        at = (round(box.x, 2), round(height - box.y - box.height, 2))
        matrix = b"1 0 0 1 %s cm" % pdf_numbers(*at)
        if place.kind in ("mark", "picture"):
            return PlaceSlot(index, place, size, at, matrix, tall=self._is_column(place))
        path, _, name = place.name.rpartition(".")
        label = text_string(place.label)
        head = b"<</Type/Annot/Subtype/Widget/F 4/MK<<>>/T%s/TU%s/Rect[%s]/FT" % (
            pdf_string(name.encode()),
            label,
            pdf_numbers(*at, at[0] + size[0], at[1] + size[1]),
        )
        common = (index, place, size, at, matrix, self._group(path))
        if place.kind == "tick":
            return self._tick(common, head)
        if place.name in (SAYS, RESET):
            head = head.replace(b"/F 4", b"", 1)  # Not printed.
        if place.name.startswith(HINT):
            head = head.replace(b"/F 4/MK<<>>", hint_entries(self.plate.tokens.colours), 1)
        return self._text(common, head)

    def _is_column(self, mark: Place) -> bool:
        """Return whether `mark` has room for three lines: then its text starts at the top."""
        if mark.role not in self.styles:
            return False
        style = self.styles[mark.role]
        return mark.box.height >= 3 * style.leading(style.role.size)

    def _tick(self, common: Common, head: bytes) -> PlaceSlot:
        _, place, size, _, matrix, _ = common
        tick = self.plate.tokens.ticks[place.role]
        frame = b""
        if tick.frame:
            resource = self.frames.setdefault((tick.frame, size), b"/f%d" % len(self.frames))
            frame = b"q %s%s Do Q\n" % (matrix, resource)
        return PlaceSlot(*common, head=head + b"/Btn", frame=frame, on=tick.on)

    def _text(self, common: Common, head: bytes) -> PlaceSlot:
        index, place, size, _, _, _ = common
        style = self.styles[place.role]
        form_head = b"<</Subtype/Form/BBox[0 0 %s]" % pdf_numbers(*size)
        tall = place.kind == "lines" or (index in self._marks and self._is_column(place))
        kind, flags, action = (b"/Tx", 0, "") if self.rules is None else self.rules.of(place.name)
        appearance = self.default_appearance(style, style.role.size)
        key = (place.role, size, tall, flags)
        return PlaceSlot(
            *common,
            style=style,
            tall=tall,
            head=head + kind,
            empty_entries=b"%s%s%s>>"
            % (style.quadding, flagged(flags | several(tall)), appearance),
            form_head=form_head,
            flags=flags,
            action=action,
            appearance_key=self._appearance_keys.setdefault(key, len(self._appearance_keys)),
        )

    def _group(self, name: str) -> int:
        if not name:
            return -1
        if name not in self._group_indexes:
            self._group(name.rpartition(".")[0])
            self._group_indexes[name] = len(self.groups)
            self.groups.append(tuple(name.split(".")))
        return self._group_indexes[name]

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

    def counts(self, *, flat: bool) -> list[int]:
        """Return how many marked-content sequences each page has."""
        counts = list(self.fresh)
        for slot in self.fields if flat else ():
            counts[slot.place.page] += 1
        return counts

    @cached_property
    def typed_names(self) -> dict[str, bytes]:
        """Return the names of the fonts in default appearances, by face.

        A name is derived from the font, so that plates in one document use equal names.
        """
        return {
            face: b"/%sx%s"
            % (
                "".join(c for c in face if c.isascii() and c.isalnum()).encode(),
                self.shared[row["typed"]].digest[:6].encode(),
            )
            for face, row in self.header["faces"].items()
        }

    def default_appearance(self, style: Style, size: float) -> bytes:
        """Return the default appearance of a field: font, size and colour of typed text."""
        key = (style.name, size)
        if key not in self._default_appearances:
            name = self.typed_names[style.role.face]
            parts = name, pdf_number(size), style.colour
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
            raise missing_token("role", role)
        face = self.plate.tokens.roles[role].face
        raise ValueError(
            f"the plate has no face `{face}`, which role `{role}` needs; "
            "compile it with this role among its extra roles"
        )

    def drawn(self, name: str, size: tuple[float, float]) -> bytes:
        """Return operators that draw the shape called `name` in a box of `size`."""
        if (name, size) not in self._drawn:
            tokens = self.plate.tokens
            drawn = draw_shape(find_shape(tokens, name), *size, tokens.colours)
            self._drawn[name, size] = drawn
        return self._drawn[name, size]


def _by_name(slots: Iterable[PlaceSlot]) -> dict[str, PlaceSlot]:
    return {slot.place.name: slot for slot in slots}


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
