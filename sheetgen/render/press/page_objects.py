"""All objects of a filled plate that do not depend on its values.

Pages (ISO 32000-1, 7.7.3), structure elements (14.7.2), the beginnings of widgets (12.5.6.19),
groups of fields, links, hints, and a part of the parent tree (14.7.4.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from sheetgen.model.filled import OWNER
from sheetgen.records import frozen
from sheetgen.render.pdf.pdf_file import FAST_LEVEL, ObjectStream, pack_objects
from sheetgen.render.pdf.syntax import pdf_string, text_string
from sheetgen.render.press.document import DOCUMENT, PAGES
from sheetgen.render.press.live_fields import flagged
from sheetgen.render.press.object_templates import (
    ABOVE,
    CONTENTS,
    FIRST,
    FIXED,
    IDENTITY,
    KEY,
    RESOURCES,
    WIDTHS,
    Numbering,
    ObjectTemplates,
    Ref,
    Template,
    fill_gaps,
    reference_template,
)
from sheetgen.render.press.prepared import PreparedPlate
from sheetgen.render.press.slots import PlaceSlot, TagRow

_FEW: Final = 9999
"""With at most so many objects in a file, templates are filled without being compiled."""

_ONCE: Final = 8
"""Level of compression of objects that a run of single prints shares."""


def count_objects(plate: PreparedPlate, *, flat: bool) -> int:
    """Return how many objects a filled plate has; see `Numbering.first`."""
    fields = 0 if flat else len(plate.fields) + len(plate.groups) + len(plate.hints)
    pages, links = len(plate.plate.sizes), len(plate.header["links"])
    return 2 * pages + len(plate.rows) + fields + links + 1


@frozen
class PageObjects:
    """The numbered objects of a filled plate, without its values.

    Attributes:
        tags: Numbers of the structure elements below Document.
        tops: Numbers of the fields and groups without a parent in the plate.
        rows: Number of the first structure element.
        fields: Number of the first widget.
        drawings: Number of the content stream with the values of the first page.
        nums: Number of its part of the parent tree.
        heads: Beginning of each field's widget, in the order of `PreparedPlate.fields`; if
            fields are drawn, of its structure element, without state and end.
        figures: Number and place of the structure element of each picture, and the element
            without alternate text and end.
        streams: All other objects.
    """

    tags: list[int]
    tops: list[int]
    rows: int
    fields: int
    drawings: int
    nums: int
    heads: list[bytes]
    figures: list[tuple[int, int, bytes]]
    streams: list[ObjectStream]


@lru_cache(maxsize=4)
def build_page_objects(plate: PreparedPlate, at: Numbering) -> PageObjects:
    """Return the objects of a filled plate; cached, since single prints have equal numbers.

    In a file of many sheets, each sheet has other numbers: there compiled templates are filled.
    """
    templates = _page_templates(plate, at.flat, bool(at.above))
    above = at.above, at.identity
    bases = (at.first, at.key, 0, *above, at.resources, *at.contents, *at.hint_forms)
    last = at.first + count_objects(plate, flat=at.flat)
    if last <= _FEW:
        heads = [fill_gaps(text, bases) for text in templates.heads]
        objects = sorted(templates.objects.items())
        streams = pack_objects([(at.first + n, fill_gaps(o, bases)) for n, o in objects], _ONCE)
    else:
        width = next(width for width in WIDTHS if width >= len(str(last)))
        heads, streams = templates.compile(width).fill(bases, FAST_LEVEL)
    count = len(plate.fields)
    return PageObjects(
        [at.first + n for n in templates.tags],
        [at.first + n for n in templates.tops],
        at.first + templates.rows,
        at.first + templates.fields,
        at.first + templates.drawings,
        at.first + templates.nums,
        heads[:count],
        [
            (at.first + number, place, head)
            for (number, place), head in zip(templates.figures, heads[count:], strict=True)
        ],
        streams,
    )


@lru_cache(maxsize=16)
def _page_templates(plate: PreparedPlate, flat: bool, nested: bool) -> _PageTemplates:
    return _PageTemplates(plate, flat=flat, nested=nested)


def count_keys(plate: PreparedPlate, *, flat: bool) -> int:
    """Return how many keys a filled plate has in the parent tree."""
    return len(plate.plate.sizes) + (0 if flat else len(plate.fields)) + len(plate.header["links"])


class _PageTemplates:
    """Templates of a plate's objects; all numbers here are distances from the first object."""

    def __init__(self, plate: PreparedPlate, *, flat: bool, nested: bool) -> None:
        self._plate, self._flat, self._nested = plate, flat, nested
        self._widgets: Sequence[PlaceSlot] = () if flat else plate.fields
        self._pages = len(plate.plate.sizes)
        self._order = {slot.index: n for n, slot in enumerate(plate.fields)}
        self.rows = self._pages
        self._groups = self.rows + len(plate.rows)
        self.fields = self._groups + (0 if flat else len(plate.groups))
        self._links = self.fields + len(self._widgets)
        self.drawings = self._links + len(plate.header["links"])
        self.nums = self.drawings + self._pages
        self._hints: Sequence[PlaceSlot] = () if flat else plate.hints
        self._first_hint = self.nums + 1
        self.tags = [self.rows + top for top in plate.tops]
        self.tops = [] if flat else [n for n, path in self._groups_by_path() if len(path) == 1]
        self.tops += [] if flat else [self.fields + n for n in plate.fields_of.get(-1, ())]
        self.tops += [self._first_hint + n for n, _ in enumerate(self._hints)]
        tags = (self._tag(slot) for slot in plate.fields)
        self.heads: list[Template] = [*(tags if flat else self._heads())]
        found = [(n, row) for n, row in enumerate(plate.rows) if row.picture >= 0]
        self.figures = [(self.rows + n, row.picture) for n, row in found]
        self.heads += [self._row(row) for _, row in found]
        self.objects: dict[int, Template] = dict(self._page_objects()) | dict(self._row_objects())
        self.objects |= dict(self._link_objects()) | {self.nums: self._nums()}
        self.objects |= dict(self._hint_objects())
        if not flat:
            self.objects |= dict(self._group_objects())
        self._compiled: dict[int, ObjectTemplates] = {}

    def compile(self, width: int) -> ObjectTemplates:
        """Return the templates compiled for numbers of up to `width` digits."""
        if width not in self._compiled:
            self._compiled[width] = ObjectTemplates(self.heads, self.objects, width)
        return self._compiled[width]

    def _page_objects(self) -> Iterator[tuple[int, Template]]:
        for page, (outer, bleed, trim) in enumerate(self._plate.header["boxes"]):
            inner = b""
            if trim != outer:
                inner = b"/BleedBox[%s]/TrimBox[%s]" % (_corners(bleed), _corners(trim))
            boxes = b" 0 R/MediaBox[%s]%s/Resources " % (_corners(outer), inner)
            widgets: list[Ref] = [
                (FIRST, self.fields + n)
                for n, slot in enumerate(self._widgets)
                if slot.place.page == page
            ]
            links = enumerate(self._plate.header["links"])
            widgets += [(FIRST, self._links + n) for n, (on, _) in links if on == page]
            hints = enumerate(self._hints)
            widgets += [
                (FIRST, self._first_hint + n) for n, slot in hints if slot.place.page == page
            ]
            annotations = [b"/Annots[", *reference_template(widgets), b"]"] if widgets else []
            yield (
                page,
                [
                    *(b"<</Type/Page/Parent ", (FIXED, PAGES), boxes, (RESOURCES, 0)),
                    *(b" 0 R/Contents[", *reference_template([(CONTENTS + page, 0)])),
                    *(*reference_template([(FIRST, self.drawings + page)]), b"]", *annotations),
                    *(b"/Tabs/S/StructParents ", (KEY, page), b">>"),
                ],
            )

    def _row_objects(self) -> Iterator[tuple[int, Template]]:
        for index, row in enumerate(self._plate.rows):
            if (row.place < 0 or not self._flat) and row.picture < 0:
                yield self.rows + index, [*self._row(row), b">>"]

    def _row(self, row: TagRow) -> Template:
        kids = [part for kid in row.kids for part in (*self._kid(row, *kid), b" ")]
        return [*self._row_head(row), b"/K[", *kids, b"]" + row.extra]

    def _row_head(self, row: TagRow) -> Template:
        above: Ref = (FIXED, DOCUMENT) if row.parent < 0 else (FIRST, self.rows + row.parent)
        head: Template = [b"<</S/%s/P " % row.tag, above, b" 0 R"]
        return head if row.page < 0 else [*head, b"/Pg ", (FIRST, row.page), b" 0 R"]

    def _tag(self, slot: PlaceSlot) -> Template:
        """Return the structure element of a drawn field, with its state (14.8.5.6)."""
        index = self._plate.row_of_place[slot.index]
        role = b"cb" if slot.style is None else b"tv"
        label = text_string(slot.place.label)
        mcid = self._plate.flat_mcids[slot.index]
        tail = b"/K %d/A<</O/PrintField/Desc%s/Role/%s" % (mcid, label, role)
        return [*self._row_head(self._plate.rows[index]), tail]

    def _kid(self, row: TagRow, kind: str, index: int, page: int) -> Template:
        if kind == "row":
            return [(FIRST, self.rows + index), b" 0 R"]
        if kind == "mcid":
            if page == row.page:
                return [b"%d" % index]
            return [b"<</Type/MCR/Pg ", (FIRST, page), b" 0 R/MCID %d>>" % index]
        number = self.fields + self._order[index] if kind == "place" else self._links + index
        return [b"<</Type/OBJR/Obj ", (FIRST, number), b" 0 R>>"]

    def _link_objects(self) -> Iterator[tuple[int, Template]]:
        key = self._pages + len(self._widgets)
        for n, (page, template) in enumerate(self._plate.header["links"]):
            body: bytes = template.encode() % ()
            where: Template = [b"/P ", (FIRST, page), b" 0 R/StructParent ", (KEY, key + n), b">>"]
            yield self._links + n, [body[:-2], *where]

    def _hint_objects(self) -> Iterator[tuple[int, Template]]:
        for n, slot in enumerate(self._hints):
            form = CONTENTS + self._pages + self._plate.hint_sizes.index(slot.size)
            appearance: Template = [b"/AP<</N ", (form, 0), b" 0 R>>/P "]
            where: Template = [(FIRST, slot.place.page), b" 0 R", *self._parent_entry(-1)]
            yield self._first_hint + n, [slot.head, *appearance, *where, flagged(slot.flags), b">>"]

    def _heads(self) -> Iterator[Template]:
        for key, slot in enumerate(self._widgets, self._pages):
            page: Template = [b"/P ", (FIRST, slot.place.page), b" 0 R/StructParent ", (KEY, key)]
            name = pdf_string(slot.place.name.encode())
            own: Template = [b"%s[" % OWNER, (IDENTITY, 0), b" 0 R%s]" % name]
            yield [slot.head, *page, *self._parent_entry(slot.group), *own]

    def _parent_entry(self, group: int) -> Template:
        """Return the /Parent entry of a field or group in `group`; -1 for the plate's top."""
        if group < 0:
            return [b"/Parent ", (ABOVE, 0), b" 0 R"] if self._nested else []
        return [b"/Parent ", (FIRST, self._groups + group), b" 0 R"]

    def _groups_by_path(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        return enumerate(self._plate.groups, self._groups)

    def _group_objects(self) -> Iterator[tuple[int, Template]]:
        paths = {path: n for n, path in enumerate(self._plate.groups)}
        for number, path in self._groups_by_path():
            own = paths[path]
            kids = [n for n, other in self._groups_by_path() if other[:-1] == path]
            kids += [self.fields + n for n in self._plate.fields_of.get(own, ())]
            label = pdf_string(" ".join(path).replace("_", " ").encode())
            yield (
                number,
                [
                    *(b"<</T%s/TU%s" % (pdf_string(path[-1].encode()), label),),
                    *(*self._parent_entry(paths.get(path[:-1], -1)), b"/Kids["),
                    *(*reference_template([(FIRST, kid) for kid in kids]), b"]>>"),
                ],
            )

    def _nums(self) -> Template:
        """Return the plate's part of the parent tree, which leads from content to its element."""
        counts = self._plate.counts(flat=self._flat)
        owners: list[list[Template]] = [[[b"null"]] * count for count in counts]
        holders: dict[tuple[str, int], Ref] = {}
        for number, row in enumerate(self._plate.rows, self.rows):
            for kind, index, page in row.kids:
                if kind == "mcid":
                    owners[page][index] = [(FIRST, number), b" 0 R"]
                elif kind == "place" and self._flat:
                    mcid = self._plate.flat_mcids[index]
                    owners[page][mcid] = [(FIRST, number), b" 0 R"]
                else:
                    holders[kind, index] = (FIRST, number)
        order = [("place", slot.index) for slot in self._widgets]
        order += [("link", n) for n in range(len(self._plate.header["links"]))]
        last = self._pages + len(order) - 1
        entries: Template = [b"<</Limits[", (KEY, 0), b" ", (KEY, last), b"]/Nums["]
        for n, page_owners in enumerate(owners):
            inner = [part for owner in page_owners for part in (*owner, b" ")]
            entries += [(KEY, n), b"[", *inner, b"]"]
        for n, holder in enumerate(order, self._pages):
            entries += [(KEY, n), b" ", holders[holder], b" 0 R "]
        return [*entries, b"]>>"]


def _corners(box: Sequence[float]) -> bytes:
    """Return `box` unrounded: a hundredth of a point may change a pixel."""
    return b" ".join([b"%.9g" % value for value in box])
