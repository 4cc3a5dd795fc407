"""All of a filled leaf that does not depend on what it is filled with, once numbered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sheetgen.render.pdf.pdf_file import Packed, pack_objects
from sheetgen.render.pdf.syntax import pdf_string, text_string
from sheetgen.render.press.live_fields import flagged
from sheetgen.render.press.object_templates import (
    ABOVE,
    CONTENTS,
    FIRST,
    FIXED,
    KEY,
    RESOURCES,
    WIDTHS,
    Numbering,
    ObjectTemplates,
    Ref,
    Spelt,
    fill_numbers,
    forms,
    reference_list,
)
from sheetgen.render.press.prepared import PreparedPlate
from sheetgen.render.press.slots import PlaceSlot, TagRow

PAGES: Final = 2
DOCUMENT: Final = 4
"""Numbers that are the same in each file: of the page tree, of the topmost tag."""


_FEW: Final = 9999
"""Objects of a file up to which frames are spelt as they come."""

_ONCE: Final = 8
"""Level of compression of a frame that a run of single prints shares."""

OFTEN: Final = 2
"""That of frames and fields in a file of many leaves, of which each has its own."""


def leaf_count(plate: PreparedPlate, *, flat: bool) -> int:
    """Return how many objects a leaf has; see `Numbering.first`."""
    fields = 0 if flat else len(plate.fields) + len(plate.groups) + len(plate.hints)
    pages, links = len(plate.plate.sizes), len(plate.header["links"])
    return 2 * pages + len(plate.rows) + fields + links + 1


@dataclass(frozen=True, slots=True)
class LeafFrame:
    """A numbered leaf without its values.

    Attributes:
        tags: Numbers of the topmost tags.
        tops: Numbers of its topmost fields and groups of fields.
        rows: Number of the first tag.
        fields: Number of the first widget.
        drawings: Number of what is filled into the first page.
        nums: Number of the leaf's part of the parent tree.
        heads: Beginning of each field's widget, in the order of `PreparedPlate.fields`; flat:
            of its tag, to which its state and the end are missing.
        packs: All other objects.
    """

    tags: list[int]
    tops: list[int]
    rows: int
    fields: int
    drawings: int
    nums: int
    heads: list[bytes]
    packs: list[Packed]


@lru_cache(maxsize=4)
def leaf_frame(plate: PreparedPlate, at: Numbering) -> LeafFrame:
    """Return the frame of a leaf; a run of single prints needs only one.

    In a file of many leaves, each has a frame of its own: there the numbers come into gaps.
    """
    blank = _blank(plate, at.flat, bool(at.above))
    bases = (at.first, at.key, 0, at.above, at.resources, *at.contents, *at.bars)
    last = at.first + leaf_count(plate, flat=at.flat)
    if last <= _FEW:
        heads = [fill_numbers(text, bases) for text in blank.texts]
        objects = [(at.first + n, fill_numbers(o, bases)) for n, o in sorted(blank.objects.items())]
        stored = pack_objects(objects, _ONCE)
    else:
        width = next(width for width in WIDTHS if width >= len(str(last)))
        heads, stored = blank.forms(width).filled(bases, OFTEN)
    return LeafFrame(
        [at.first + n for n in blank.tags],
        [at.first + n for n in blank.tops],
        at.first + blank.rows,
        at.first + blank.fields,
        at.first + blank.drawings,
        at.first + blank.nums,
        heads,
        stored,
    )


@lru_cache(maxsize=16)
def _blank(plate: PreparedPlate, flat: bool, nested: bool) -> _Blank:
    return _Blank(plate, flat=flat, nested=nested)


def key_count(plate: PreparedPlate, *, flat: bool) -> int:
    """Return how many keys a leaf has in the parent tree."""
    return len(plate.plate.sizes) + (0 if flat else len(plate.fields)) + len(plate.header["links"])


class _Blank:
    """A leaf with gaps for its numbers. Of its own numbers, all count from its first."""

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
        self._bars = self.nums + 1
        self.tags = [self.rows + top for top in plate.tops]
        self.tops = [] if flat else [n for n, path in self._groups_by_path() if len(path) == 1]
        self.tops += [] if flat else [self.fields + n for n in plate.fields_of.get(-1, ())]
        self.tops += [self._bars + n for n, _ in enumerate(self._hints)]
        tags = (self._tag(s) for s in plate.fields)
        self.texts: list[Spelt] = [*(tags if flat else self._heads())]
        self.objects: dict[int, Spelt] = dict(self._page_objects()) | dict(self._row_objects())
        self.objects |= dict(self._link_objects()) | {self.nums: self._nums()}
        self.objects |= dict(self._hint_objects())
        if not flat:
            self.objects |= dict(self._group_objects())
        self._forms: dict[int, ObjectTemplates] = {}

    def forms(self, width: int) -> ObjectTemplates:
        """Return all of it ready for numbers of up to `width` digits."""
        if width not in self._forms:
            self._forms[width] = forms(self.texts, self.objects, width)
        return self._forms[width]

    def _page_objects(self) -> Iterator[tuple[int, Spelt]]:
        for page, (outer, bleed, trim) in enumerate(self._plate.header["boxes"]):
            inner = b""
            if trim != outer:
                inner = b"/BleedBox[%s]/TrimBox[%s]" % (_corners(bleed), _corners(trim))
            boxes = b" 0 R/MediaBox[%s]%s/Resources " % (_corners(outer), inner)
            held: list[Ref] = [
                (FIRST, self.fields + n)
                for n, slot in enumerate(self._widgets)
                if slot.place.page == page
            ]
            links = enumerate(self._plate.header["links"])
            held += [(FIRST, self._links + n) for n, (on, _) in links if on == page]
            bars = enumerate(self._hints)
            held += [(FIRST, self._bars + n) for n, slot in bars if slot.place.page == page]
            annotations = [b"/Annots[", *reference_list(held), b"]"] if held else []
            yield (
                page,
                [
                    *(b"<</Type/Page/Parent ", (FIXED, PAGES), boxes, (RESOURCES, 0)),
                    *(b" 0 R/Contents[", *reference_list([(CONTENTS + page, 0)])),
                    *(*reference_list([(FIRST, self.drawings + page)]), b"]", *annotations),
                    *(b"/Tabs/S/StructParents ", (KEY, page), b">>"),
                ],
            )

    def _row_objects(self) -> Iterator[tuple[int, Spelt]]:
        for index, row in enumerate(self._plate.rows):
            if self._flat and row.place >= 0:
                continue
            kids = [part for kid in row.kids for part in (*self._kid(row, *kid), b" ")]
            head = self._row_head(index, row)
            yield self.rows + index, [*head, b"/K[", *kids, b"]%s>>" % row.extra]

    def _row_head(self, index: int, row: TagRow) -> Spelt:
        above: Ref = (FIXED, DOCUMENT) if row.parent < 0 else (FIRST, self.rows + row.parent)
        head: Spelt = [b"<</S/%s/P " % row.tag, above, b" 0 R"]
        return head if row.page < 0 else [*head, b"/Pg ", (FIRST, row.page), b" 0 R"]

    def _tag(self, slot: PlaceSlot) -> Spelt:
        """Return the tag of a field on paper: PDF has words for a box that was ticked."""
        index = self._plate.row_of_place[slot.index]
        role = b"cb" if slot.style is None else b"tv"
        said = text_string(slot.place.label)
        mcid = self._plate.flat_mcids[slot.index]
        tail = b"/K %d/A<</O/PrintField/Desc%s/Role/%s" % (mcid, said, role)
        return [*self._row_head(index, self._plate.rows[index]), tail]

    def _kid(self, row: TagRow, what: str, which: int, page: int) -> Spelt:
        if what == "row":
            return [(FIRST, self.rows + which), b" 0 R"]
        if what == "mcid":
            if page == row.page:
                return [b"%d" % which]
            return [b"<</Type/MCR/Pg ", (FIRST, page), b" 0 R/MCID %d>>" % which]
        held = self.fields + self._order[which] if what == "place" else self._links + which
        return [b"<</Type/OBJR/Obj ", (FIRST, held), b" 0 R>>"]

    def _link_objects(self) -> Iterator[tuple[int, Spelt]]:
        key = self._pages + len(self._widgets)
        for n, (page, template) in enumerate(self._plate.header["links"]):
            body: bytes = template.encode() % ()
            where: Spelt = [b"/P ", (FIRST, page), b" 0 R/StructParent ", (KEY, key + n), b">>"]
            yield self._links + n, [body[:-2], *where]

    def _hint_objects(self) -> Iterator[tuple[int, Spelt]]:
        for n, slot in enumerate(self._hints):
            bar = CONTENTS + self._pages + self._plate.bars.index(slot.size)
            look: Spelt = [b"/AP<</N ", (bar, 0), b" 0 R>>/P "]
            where: Spelt = [(FIRST, slot.place.page), b" 0 R", *self._below(-1)]
            yield self._bars + n, [slot.head, *look, *where, flagged(slot.flags), b">>"]

    def _heads(self) -> Iterator[Spelt]:
        for key, slot in enumerate(self._widgets, self._pages):
            page: Spelt = [b"/P ", (FIRST, slot.place.page), b" 0 R/StructParent ", (KEY, key)]
            yield [slot.head, *page, *self._below(slot.group)]

    def _below(self, group: int) -> Spelt:
        """Return what names the group that a field or a group is in; -1 for the leaf's own."""
        if group < 0:
            return [b"/Parent ", (ABOVE, 0), b" 0 R"] if self._nested else []
        return [b"/Parent ", (FIRST, self._groups + group), b" 0 R"]

    def _groups_by_path(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        return enumerate(self._plate.groups, self._groups)

    def _group_objects(self) -> Iterator[tuple[int, Spelt]]:
        paths = {path: n for n, path in enumerate(self._plate.groups)}
        for number, path in self._groups_by_path():
            own = paths[path]
            kids = [n for n, other in self._groups_by_path() if other[:-1] == path]
            kids += [self.fields + n for n in self._plate.fields_of.get(own, ())]
            said = pdf_string(" ".join(path).replace("_", " ").encode())
            yield (
                number,
                [
                    *(b"<</T%s/TU%s" % (pdf_string(path[-1].encode()), said),),
                    *(*self._below(paths.get(path[:-1], -1)), b"/Kids["),
                    *(*reference_list([(FIRST, kid) for kid in kids]), b"]>>"),
                ],
            )

    def _nums(self) -> Spelt:
        """Return the leaf's part of the parent tree: from what is seen to its tag."""
        counts = self._plate.counts(flat=self._flat)
        owners: list[list[Spelt]] = [[[b"null"]] * count for count in counts]
        holders: dict[tuple[str, int], Ref] = {}
        for number, row in enumerate(self._plate.rows, self.rows):
            for what, which, page in row.kids:
                if what == "mcid":
                    owners[page][which] = [(FIRST, number), b" 0 R"]
                elif what == "place" and self._flat:
                    mcid = self._plate.flat_mcids[which]
                    owners[page][mcid] = [(FIRST, number), b" 0 R"]
                else:
                    holders[what, which] = (FIRST, number)
        order = [("place", slot.index) for slot in self._widgets]
        order += [("link", n) for n in range(len(self._plate.header["links"]))]
        last = self._pages + len(order) - 1
        found: Spelt = [b"<</Limits[", (KEY, 0), b" ", (KEY, last), b"]/Nums["]
        for n, owned in enumerate(owners):
            inner = [part for owner in owned for part in (*owner, b" ")]
            found += [(KEY, n), b"[", *inner, b"]"]
        for n, one in enumerate(order, self._pages):
            found += [(KEY, n), b" ", holders[one], b" 0 R "]
        return [*found, b"]>>"]


def _corners(box: Sequence[float]) -> bytes:
    """Return `box` to the last digit: a hundredth of a point may make a pixel."""
    return b" ".join([b"%.9g" % value for value in box])
