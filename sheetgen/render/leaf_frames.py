"""All of a filled leaf that does not depend on what it is filled with, once numbered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sheetgen.render.pdf_file import Packed, packed
from sheetgen.render.pdf_syntax import text_string
from sheetgen.render.prepared import Prepared
from sheetgen.render.slots import Row, Slot

PAGES: Final = 2
DOCUMENT: Final = 4
"""Numbers that are the same in each file: of the page tree, of the topmost tag."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """Where a leaf stands in its file.

    Attributes:
        first: Its first object; pages, tags, fields, links, appearances, drawings and
            its part of the parent tree follow in this order.
        key: Its first key in the parent tree; pages, fields and links follow.
        contents: Numbers of what is printed on each page.
        resources: Number of the resources of its pages.
        groups: Numbers of the groups of its fields; the last is of those without one,
            0 for the top.
        flat: Whether fields are drawn instead of being fields.
    """

    first: int
    key: int
    contents: tuple[int, ...]
    resources: int
    groups: tuple[int, ...]
    flat: bool


def leaf_count(plate: Prepared, *, flat: bool) -> int:
    """Return how many objects a leaf has; see `Numbering.first`."""
    fields = 0 if flat else len(plate.fields)
    pages, links = len(plate.plate.sizes), len(plate.header["links"])
    return 2 * pages + len(plate.rows) + fields + links + 1


class LeafFrame:
    """A numbered leaf without its values.

    Attributes:
        tags: Numbers of the topmost tags.
        fields: Number of the first widget.
        drawings: Number of what is filled into the first page.
        nums: Number of the leaf's part of the parent tree.
        keys: How many keys it has there.
        heads: Beginning of each field's widget, in the order of `Prepared.fields`.
        form_tags: Flat leaves only: number and beginning of the tag of each field, in
            the same order; its state and the end are missing.
        packs: All other objects.
    """

    def __init__(self, plate: Prepared, at: Numbering) -> None:
        self._plate, self._at = plate, at
        self._widgets: Sequence[Slot] = () if at.flat else plate.fields
        self._pages = len(plate.plate.sizes)
        self._order = {slot.index: n for n, slot in enumerate(plate.fields)}
        self._rows = at.first + self._pages
        self.fields = self._rows + len(plate.rows)
        self._links = self.fields + len(self._widgets)
        self.drawings = self._links + len(plate.header["links"])
        self.nums = self.drawings + self._pages
        self.keys = self._pages + self.drawings - self.fields
        self.tags = [self._rows + top for top in plate.header["tops"]]
        self.heads = list(self._heads())
        self.form_tags = [self._form_tag(s) for s in plate.fields] if at.flat else []
        objects = [*self._page_objects(), *self._row_objects(), *self._link_objects()]
        self.packs: list[Packed] = packed([*objects, (self.nums, self._nums())])

    def _page_objects(self) -> Iterator[tuple[int, bytes]]:
        at = self._at
        for page, (outer, bleed, trim) in enumerate(self._plate.header["boxes"]):
            inner = b""
            if trim != outer:
                inner = b"/BleedBox[%s]/TrimBox[%s]" % (_corners(bleed), _corners(trim))
            yield (
                at.first + page,
                b"<</Type/Page/Parent %d 0 R/MediaBox[%s]%s/Resources %d 0 R"
                b"/Contents[%d 0 R %d 0 R]%s/Tabs/S/StructParents %d>>"
                % (
                    PAGES,
                    _corners(outer),
                    inner,
                    at.resources,
                    at.contents[page],
                    self.drawings + page,
                    self._annotations(page),
                    at.key + page,
                ),
            )

    def _annotations(self, page: int) -> bytes:
        held = [
            b"%d 0 R" % (self.fields + n)
            for n, slot in enumerate(self._widgets)
            if slot.place.page == page
        ]
        held += [
            b"%d 0 R" % (self._links + n)
            for n, (on, _) in enumerate(self._plate.header["links"])
            if on == page
        ]
        return b"/Annots[%s]" % b" ".join(held) if held else b""

    def _row_objects(self) -> Iterator[tuple[int, bytes]]:
        for index, row in enumerate(self._plate.rows):
            if self._at.flat and row.place >= 0:
                continue
            kids = b" ".join(self._kid(row, *kid) for kid in row.kids)
            yield (
                self._rows + index,
                b"%s/K[%s]%s>>" % (self._row_head(index, row), kids, row.extra),
            )

    def _row_head(self, index: int, row: Row) -> bytes:
        above = DOCUMENT if row.parent < 0 else self._rows + row.parent
        head = b"<</S/%s/P %d 0 R" % (row.tag, above)
        return head if row.page < 0 else head + b"/Pg %d 0 R" % (self._at.first + row.page)

    def _form_tag(self, slot: Slot) -> tuple[int, bytes]:
        """Return the tag of a field on paper: PDF has words for a box that was ticked."""
        index = self._plate.row_of_place[slot.index]
        return self._rows + index, b"%s/K %d/A<</O/PrintField/Desc%s/Role/%s" % (
            self._row_head(index, self._plate.rows[index]),
            self._plate.flat_mcids[slot.index],
            text_string(slot.place.label),
            b"cb" if slot.style is None else b"tv",
        )

    def _kid(self, row: Row, what: str, which: int, page: int) -> bytes:
        if what == "row":
            return b"%d 0 R" % (self._rows + which)
        if what == "mcid":
            if page == row.page:
                return b"%d" % which
            on = self._at.first + page
            return b"<</Type/MCR/Pg %d 0 R/MCID %d>>" % (on, which)
        held = self._links + which
        if what == "place":
            held = self.fields + self._order[which]
        return b"<</Type/OBJR/Obj %d 0 R>>" % held

    def _link_objects(self) -> Iterator[tuple[int, bytes]]:
        key = self._at.key + self._pages + len(self._widgets)
        for n, (page, template) in enumerate(self._plate.header["links"]):
            body: bytes = template.encode() % ()
            yield (
                self._links + n,
                b"%s/P %d 0 R/StructParent %d>>" % (body[:-2], self._at.first + page, key + n),
            )

    def _heads(self) -> Iterator[bytes]:
        for key, slot in enumerate(self._widgets, self._at.key + self._pages):
            on = self._at.first + slot.place.page
            head = b"%s/P %d 0 R/StructParent %d" % (slot.head, on, key)
            if above := self._at.groups[slot.group]:
                head += b"/Parent %d 0 R" % above
            yield head

    def _nums(self) -> bytes:
        """Return the leaf's part of the parent tree: from what is seen to its tag."""
        owners = [[b"null"] * count for count in self._plate.counts(flat=self._at.flat)]
        holders: dict[tuple[str, int], int] = {}
        for number, row in enumerate(self._plate.rows, self._rows):
            for what, which, page in row.kids:
                if what == "mcid":
                    owners[page][which] = b"%d 0 R" % number
                elif what == "place" and self._at.flat:
                    owners[page][self._plate.flat_mcids[which]] = b"%d 0 R" % number
                else:
                    holders[what, which] = number
        order = [("place", slot.index) for slot in self._widgets]
        order += [("link", n) for n in range(len(self._plate.header["links"]))]
        key = self._at.key
        entries = [b"%d[%s]" % (key + n, b" ".join(o)) for n, o in enumerate(owners)]
        entries += [
            b"%d %d 0 R" % (key + n, holders[one]) for n, one in enumerate(order, self._pages)
        ]
        limits = key, key + self.keys - 1
        return b"<</Limits[%d %d]/Nums[%s]>>" % (*limits, b" ".join(entries))


def _corners(box: Sequence[float]) -> bytes:
    """Return `box` to the last digit: a hundredth of a point may make a pixel."""
    return b" ".join([b"%.9g" % value for value in box])


@lru_cache(maxsize=4)
def leaf_frame(plate: Prepared, numbering: Numbering) -> LeafFrame:
    """Return the frame of a leaf; a run of single prints needs only one."""
    return LeafFrame(plate, numbering)
