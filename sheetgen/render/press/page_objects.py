"""All objects of a filled plate that do not depend on its values.

Pages (ISO 32000-1, 7.7.3), structure elements (14.7.2), the beginnings of widgets (12.5.6.19),
groups of fields, links, hints, and a part of the parent tree (14.7.4.4).
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Final

from sheetgen.model.filled import OWNER
from sheetgen.model.pictures import PreparedPicture, Raster
from sheetgen.records import frozen
from sheetgen.render.fonts.subset_fonts import SubsetFont
from sheetgen.render.pdf.pdf_file import (
    FAST_LEVEL,
    ObjectStream,
    PdfWriter,
    SharedObject,
    pack_objects,
    pdf_numbers,
    pdf_string,
    text_string,
)
from sheetgen.render.pdf.plate_files import unpack_objects, write_image
from sheetgen.render.press.appearances import TextSetter
from sheetgen.render.press.document import (
    ABOVE,
    CONTENTS,
    DOCUMENT,
    FIRST,
    FIXED,
    IDENTITY,
    KEY,
    PAGES,
    RESOURCES,
    WIDTHS,
    Numbering,
    ObjectTemplates,
    Ref,
    Template,
    fill_gaps,
    reference_template,
)
from sheetgen.render.press.prepared import (
    PlaceSlot,
    PreparedPlate,
    Size,
    TagRow,
    flagged,
    hint_colour,
)

# With at most so many objects in a file, templates are filled without being compiled.
_FEW: Final = 9999
_ONCE: Final = 8  # level of compression of objects that a run of single prints shares


def count_objects(plate: PreparedPlate, *, flat: bool) -> int:
    """Return how many objects a filled plate has; see `Numbering.first`."""
    fields = 0 if flat else len(plate.fields) + len(plate.groups) + len(plate.hints)
    pages, links = len(plate.plate.sizes), len(plate.header["links"])
    return 2 * pages + len(plate.rows) + fields + links + 1


@frozen
class PageObjects:
    """The numbered objects of a filled plate, without its values."""

    tags: list[int]  # numbers of the structure elements below Document
    tops: list[int]  # numbers of the fields and groups without a parent in the plate
    rows: int  # number of the first structure element
    fields: int  # number of the first widget
    drawings: int  # number of the content stream with the values of the first page
    nums: int  # number of its part of the parent tree
    # Beginning of each field's widget, in the order of `PreparedPlate.fields`; if fields are drawn,
    # of its structure element, without state and end
    heads: list[bytes]
    # Number and place of the structure element of each picture, and the element without alternate
    # text and end
    figures: list[tuple[int, int, bytes]]
    streams: list[ObjectStream]  # all other objects


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


# The resources of a plate in one document: fonts, XObjects, contents (ISO 32000-1, 7.8.3).


# Operators of a drawing that are smaller when compressed, with the entry that says so.
_LONG: Final = 250


class SharedObjects:
    """Objects that a document has once, however many plates use them."""

    def __init__(self, file: PdfWriter) -> None:
        self._file = file
        self._numbers: dict[str, int] = {}
        self._drawings: dict[bytes, int] = {}
        self._subsets: dict[str, SubsetFont] = {}

    def picture(self, picture: PreparedPicture) -> int:
        """Return the number of a picture's XObject, written at first use."""
        number = self._numbers.get(picture.key)
        if number is None:
            content = picture.content
            if isinstance(content, Raster):
                number = write_image(content, self._file)
            else:
                objects = unpack_objects(content.body)
                number = self.object(objects, len(objects) - 1)
            self._numbers[picture.key] = number
        return number

    def object(self, shared: Sequence[SharedObject], index: int) -> int:
        """Return the number of one of the shared objects of a plate, written at first use."""
        one = shared[index]
        if one.digest not in self._numbers:
            refs = tuple(self.object(shared, ref) for ref in one.refs)
            here = self._numbers[one.digest] = self._file.take()
            body = one.template % refs
            if one.data is None:
                self._file.add(here, body)
            else:
                self._file.stream(here, b"%sstream\n%s\nendstream" % (body, one.data))
        return self._numbers[one.digest]

    def subset_font(self, plate: PreparedPlate, face: str) -> SubsetFont:
        """Return the font for the rare letters of a face of `plate`."""
        row = plate.header["faces"][face]
        one = plate.shared[row["spare"]]
        if one.digest not in self._subsets:
            name, metrics = row["spare_name"].encode(), plate.plate.metrics[face]
            self._subsets[one.digest] = SubsetFont(name, one.data or b"", metrics, self._file)
        return self._subsets[one.digest]

    def finish(self) -> None:
        """Write the subset fonts."""
        for font in self._subsets.values():
            font.write()

    def drawing(self, content: bytes, size: Size) -> int:
        """Return the number of a form XObject that draws `content` in a box of `size`."""
        body = _form(content, size)
        if body not in self._drawings:
            self._drawings[body] = self._file.take()
            self._file.stream(self._drawings[body], body)
        return self._drawings[body]


@lru_cache(maxsize=512)
def _form(content: bytes, size: Size) -> bytes:
    """Return a form XObject; a long drawing, such as that of a die, is compressed once."""
    entries = b""
    if len(content) > _LONG:
        content, entries = zlib.compress(content), b"/Filter/FlateDecode"
    head = b"<</Type/XObject/Subtype/Form/BBox[0 0 %s]%s/Length %d>>"
    head %= (pdf_numbers(*size), entries, len(content))
    return b"%sstream\n%s\nendstream" % (head, content)


class PlateResources:
    """The resources of one plate in one document.

    Attributes:
        contents: Numbers of the content streams with the print of each page.
        page_resources: Number of the resource dictionary of its pages.
        appearance_resources: Number of that of its fields' appearance streams.
        typed: Faces that a reader types in.
    """

    def __init__(self, plate: PreparedPlate, file: PdfWriter, shared: SharedObjects) -> None:
        self.plate = plate
        self.page_resources = file.take(3)
        self.appearance_resources = self.page_resources + 1
        self._fonts = self.page_resources + 2
        self.contents = tuple(
            shared.object(plate.shared, index) for index in plate.header["contents"]
        )
        self._subsets = {face: shared.subset_font(plate, face) for face in plate.typefaces}
        self.text_setter = TextSetter(plate.typefaces, self._subsets, plate.text_cache)
        self.typed: set[str] = set()
        self._file, self._shared = file, shared
        self._shapes: dict[tuple[str, Size], int] = {}
        self._on_pages: dict[bytes, int] = {}
        self._hint_forms: tuple[int, ...] = ()
        self._with_pictures: list[tuple[int, dict[bytes, int]]] = []

    def shape(self, name: str, size: Size) -> int:
        """Return the number of a form XObject that draws the shape called `name`."""
        if (name, size) not in self._shapes:
            drawn = self.plate.drawn(name, size)
            self._shapes[name, size] = self._shared.drawing(drawn, size)
        return self._shapes[name, size]

    def hint_forms(self) -> tuple[int, ...]:
        """Return the numbers of the form XObjects of the plate's hints, in order of their sizes."""
        if len(self._hint_forms) < len(self.plate.hint_sizes):
            content = hint_colour(self.plate.plate.tokens.colours) + b" 0 0 %s re f"
            sizes = self.plate.hint_sizes
            forms = (self._shared.drawing(content % pdf_numbers(*size), size) for size in sizes)
            self._hint_forms = tuple(forms)
        return self._hint_forms

    def on_page(self, name: str, size: Size) -> bytes:
        """Return the resource name of a shape for pages."""
        number = self.shape(name, size)
        resource = b"/S%d" % number
        self._on_pages[resource] = number
        return resource

    def picture_name(self, picture: PreparedPicture) -> bytes:
        """Return the resource name of a picture for pages."""
        return b"/P%d" % self._shared.picture(picture)

    def for_pictures(self, pictures: Collection[PreparedPicture]) -> int:
        """Return the number of the resources of pages that show these pictures.

        These pages list no other sheet's pictures: cut out of the file, they are small.
        """
        if not pictures:
            return self.page_resources
        number = self._file.take()
        names = {self.picture_name(one): self._shared.picture(one) for one in pictures}
        self._with_pictures.append((number, names))
        return number

    def use_frames(self) -> None:
        """Add the frames of tick styles to the resources of pages."""
        for (shape, size), resource in self.plate.frames.items():
            self._on_pages[resource] = self.shape(shape, size)

    def finish(self) -> dict[bytes, int]:
        """Write the resource dictionaries, once all pages are drawn; return their fonts."""
        header, plate = self.plate.header, self.plate
        fonts = {
            b"/" + name.encode(): self._shared.object(plate.shared, index)
            for name, index in header["static"].items()
        }
        for face, typeface in plate.typefaces.items():
            row, used = header["faces"][face], self.text_setter.used
            simple, core, subset = typeface.names
            if simple in used:
                fonts[simple] = self._shared.object(plate.shared, row["typed"])
            if core in used:
                fonts[core] = self._shared.object(plate.shared, row["core"])
            if subset in used:
                fonts[subset] = self._subsets[face].number
        self._file.add(self._fonts, _references(fonts))
        # PDF.js merges these with the form's own fonts only if they are direct entries here.
        self._file.add(self.appearance_resources, b"<</Font%s>>" % _references(fonts))
        drawn = dict(self._on_pages)
        for name, index in header["xobjects"].items():
            drawn[b"/" + name.encode()] = self._shared.object(plate.shared, index)
        template, refs = header["resources"]
        entries = template.encode() % tuple(self._shared.object(plate.shared, r) for r in refs)
        for number, pictures in [(self.page_resources, {}), *self._with_pictures]:
            xobjects = _references({**drawn, **pictures})
            body = b"<<%s/Font %d 0 R/XObject%s>>" % (entries, self._fonts, xobjects)
            self._file.add(number, body)
        return fonts

    def typed_fonts(self) -> dict[bytes, int]:
        """Return the fonts that a reader types in, by their names in default appearances."""
        return {
            self.plate.typed_names[face]: self._shared.object(
                self.plate.shared, self.plate.header["faces"][face]["typed"]
            )
            for face in sorted(self.typed)
        }


def _references(found: dict[bytes, int]) -> bytes:
    return b"<<%s>>" % b"".join(
        b"%s %d 0 R" % (name, number) for name, number in sorted(found.items())
    )
