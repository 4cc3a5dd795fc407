"""All objects of a filled plate that do not depend on its values.

Pages (ISO 32000-1, 7.7.3), structure elements (14.7.2), the beginnings of widgets (12.5.6.19),
groups of fields, links, hints, and a part of the parent tree (14.7.4.4).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Final, TypeAlias

from sheetgen.model.filled import OWNER
from sheetgen.model.pictures import PreparedPicture, Raster
from sheetgen.records import frozen
from sheetgen.render.fonts.fonts import SubsetFont
from sheetgen.render.pdf.pdf_file import (
    FAST_LEVEL,
    ObjectStream,
    PdfWriter,
    SharedObject,
    format_information,
    format_metadata,
    format_object_stream,
    number_runs,
    pack_objects,
    pdf_numbers,
    pdf_string,
    text_string,
)
from sheetgen.render.pdf.plate_files import unpack_objects, write_image
from sheetgen.render.press.appearances import TextSetter
from sheetgen.render.press.prepared import PreparedPlate, Size, TagRow, flagged, hint_colour

# Object numbers that are the same in each file: catalogue, page tree, root of the structure tree,
# its Document element, parent tree, information, metadata, and one for the caller.
CATALOG, PAGES, TAGS, DOCUMENT, PARENTS, INFO, METADATA, SPARE = range(1, 9)


@frozen
class DocumentInfo:
    """Title, language, subject and metadata of a file; see `Plan`."""

    title: str
    lang: str
    subject: str
    meta: Mapping[str, str] = field(default_factory=dict)


def list_references(numbers: Iterable[int]) -> bytes:
    """Return references to objects, with spaces between them."""
    return b" ".join([b"%d 0 R" % number for number in numbers])


def write_trees(
    file: PdfWriter,
    info: DocumentInfo,
    pages: Sequence[int],
    tags: Sequence[int],
    parents: bytes,
    keys: int,
) -> None:
    """Write the page tree, the structure tree and the metadata.

    Args:
        pages, tags: Numbers of the pages, and of the structure elements below Document.
        parents: Entry of the parent tree: `/Kids[…]` or `/Nums[…]`.
        keys: How many keys the parent tree has.
    """
    body = b"<</Type/Pages/Count %d/Kids[%s]>>"
    file.add(PAGES, body % (len(pages), list_references(pages)))
    body = b"<</Type/StructTreeRoot/K %d 0 R/ParentTree %d 0 R/ParentTreeNextKey %d>>"
    file.add(TAGS, body % (DOCUMENT, PARENTS, keys))
    file.add(DOCUMENT, b"<</S/Document/P %d 0 R/K[%s]>>" % (TAGS, list_references(tags)))
    file.add(PARENTS, b"<<%s>>" % parents)
    file.add(INFO, format_information(info.title, info.subject, info.meta))
    file.stream(METADATA, format_metadata(info.title, info.subject, info.lang))


def finish_file(file: PdfWriter, lang: str, preferences: bytes, entries: bytes) -> bytes:
    """Write the catalogue and end the file; return it if it is in memory.

    Args:
        preferences, entries: More entries of the viewer preferences (12.2) and of the catalogue.
    """
    body = (
        b"<</Type/Catalog/Pages %d 0 R/StructTreeRoot %d 0 R/Metadata %d 0 R/Lang%s"
        b"/MarkInfo<</Marked true>>/ViewerPreferences<</DisplayDocTitle true%s>>%s>>"
    )
    file.add(CATALOG, body % (PAGES, TAGS, METADATA, text_string(lang), preferences, entries))
    return file.finish(CATALOG, INFO)


# Bases that a gap counts from: the first object of a filled plate, its first key in the parent
# tree, zero, the parent of its fields, the identity of its sheet, the resources of its pages, their
# printed contents.
FIRST, KEY, FIXED, ABOVE, IDENTITY, RESOURCES, CONTENTS = range(7)
Ref: TypeAlias = tuple[int, int]  # a gap: its base, and its distance from the base
Template: TypeAlias = list[bytes | Ref]  # a text with gaps
# Digits of the numbers in gaps, padded with spaces, so that all fillings have one length.
WIDTHS: Final = (6, 7, 8)
_STREAM_SIZE: Final = 2000  # objects in one object stream; see `pdf_file`
# Large numbers are formatted in two halves; the lower half has four digits.
_DIGITS: Final = 4
_HALF: Final = 10**_DIGITS


@frozen
class Numbering:
    """The numbers of a filled plate's objects in its file."""

    # Its first object: its pages, followed by structure elements, groups of fields, fields, links,
    # contents with values, its part of the parent tree, and hints
    first: int
    key: int  # its first key in the parent tree: its pages, followed by fields and links
    above: int  # number of the parent of its fields; 0 for none
    identity: int  # number of the dictionary that says which sheet its fields belong to
    contents: tuple[int, ...]  # numbers of the printed contents of its pages
    resources: int  # number of the resources of its pages
    hint_forms: tuple[int, ...]  # numbers of the form XObjects of its hints, by size
    flat: bool  # whether fields are drawn instead of being fields


class _NumberTable:
    """The numbers that templates need, each formatted once, though many gaps need it."""

    def __init__(self, templates: Iterable[Template], objects: Iterable[int], width: int) -> None:
        self.width = width  # digits of its numbers, padded with spaces
        self._counts: dict[int, int] = {}
        gaps = (part for text in templates for part in text if not isinstance(part, bytes))
        for base, distance in (*gaps, *((FIRST, number) for number in objects)):
            self._counts[base] = max(self._counts.get(base, 0), distance + 1)

    def index(self, ref: Ref) -> int:
        """Return the index of a gap's number in the table."""
        return sum(count for base, count in self._counts.items() if base < ref[0]) + ref[1]

    def format(self, bases: Sequence[int]) -> list[bytes]:
        """Return the formatted numbers for the values of the bases.

        Formatting numbers takes most of the time, so consecutive ones are joined from two halves.
        """
        numbers: list[bytes] = []
        for base, count in sorted(self._counts.items()):
            first, left = bases[base], count
            if first < _HALF:  # no upper half: there the lower one has no leading zeros
                one = b"%%%dd" % self.width
                numbers += [one % number for number in range(first, first + count)]
                continue
            while left:
                upper, lower = divmod(first, _HALF)
                some = _lower_halves()[lower : lower + left]
                head = b"%*d" % (self.width - _DIGITS, upper)
                numbers += [head + half for half in some]
                first, left = first + len(some), left - len(some)
        return numbers


@cache
def _lower_halves() -> list[bytes]:
    return [b"%0*d" % (_DIGITS, number) for number in range(_HALF)]


class _CompiledTemplate:
    """A template, ready to be filled from a table of numbers."""

    def __init__(self, template: Template, table: _NumberTable) -> None:
        self._texts: list[bytes] = [b""]  # The gaps are the items with odd indexes.
        indexes: list[int] = []
        for part in template:
            if isinstance(part, bytes):
                self._texts[-1] += part
            else:
                indexes.append(table.index(part))
                self._texts += [b"", b""]
        # `itemgetter` needs an index, and returns no tuple for a single one.
        few = len(indexes) < 2
        self._pick: Callable[[list[bytes]], Sequence[bytes]] = (
            (lambda numbers: [numbers[n] for n in indexes]) if few else itemgetter(*indexes)
        )

    def fill(self, numbers: list[bytes]) -> bytes:
        """Return the text with numbers in its gaps."""
        parts = self._texts.copy()
        parts[1::2] = self._pick(numbers)
        return b"".join(parts)


class _ObjectTemplates:
    """All objects of a plate as templates: the beginnings of its widgets, and the others."""

    def __init__(
        self, heads: Sequence[Template], objects: Mapping[int, Template], width: int
    ) -> None:
        """Compile templates for numbers of up to `width` digits; `objects`: by their distance."""
        self._table = table = _NumberTable((*heads, *objects.values()), objects, width)
        self._streams: list[tuple[_CompiledTemplate, list[range], int]] = []
        numbers = sorted(objects)
        for start in range(0, len(numbers), _STREAM_SIZE):
            chunk = numbers[start : start + _STREAM_SIZE]
            index: Template = []
            bodies: Template = []
            offset = 0
            for number in chunk:
                index += [(FIRST, number), b" %d " % offset]
                bodies += [*objects[number], b"\n"]
                offset += _length(objects[number], width) + 1
            data = _CompiledTemplate([*index, b"\n", *bodies], table)
            self._streams.append((data, number_runs(chunk), _length(index, width) + 1))
        # All heads are filled as one text and cut again: their lengths do not vary.
        self._heads = _CompiledTemplate([part for text in heads for part in text], table)
        ends = accumulate((_length(text, width) for text in heads), initial=0)
        self._spans = [slice(*pair) for pair in pairwise(ends)]

    def fill(self, bases: Sequence[int], level: int) -> tuple[list[bytes], list[ObjectStream]]:
        """Return the beginnings of the widgets, and the other objects compressed."""
        numbers, first = self._table.format(bases), bases[FIRST]
        streams = []
        for template, runs, start in self._streams:
            moved = [range(first + run.start, first + run.stop) for run in runs]
            count, data = sum(map(len, runs)), template.fill(numbers)
            streams.append(ObjectStream(moved, format_object_stream(data, count, start, level)))
        heads = self._heads.fill(numbers)
        return [heads[span] for span in self._spans], streams


def fill_gaps(template: Template, bases: Sequence[int]) -> bytes:
    """Return a text with numbers in its gaps, not padded."""
    parts = [t if isinstance(t, bytes) else b"%d" % (bases[t[0]] + t[1]) for t in template]
    return b"".join(parts)


def reference_template(refs: Iterable[Ref]) -> Template:
    """Return references to objects, each followed by a space."""
    return [part for ref in refs for part in (ref, b" 0 R ")]


def _length(template: Template, width: int) -> int:
    return sum(len(part) if isinstance(part, bytes) else width for part in template)


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
    templates = _PageTemplates(plate, at.flat, bool(at.above))
    above = at.above, at.identity
    bases = (at.first, at.key, 0, *above, at.resources, *at.contents, *at.hint_forms)
    last = at.first + count_objects(plate, flat=at.flat)
    if last <= _FEW:
        heads = [fill_gaps(text, bases) for text in templates.heads]
        objects = sorted(templates.objects.items())
        streams = pack_objects([(at.first + n, fill_gaps(o, bases)) for n, o in objects], _ONCE)
    else:
        width = next(width for width in WIDTHS if width >= len(str(last)))
        heads, streams = templates.compiled(width).fill(bases, FAST_LEVEL)
    count = len(plate.fields)
    figures = zip(templates.figures, heads[count:], strict=True)
    return PageObjects(
        [at.first + n for n in templates.tags],
        [at.first + n for n in templates.tops],
        at.first + templates.rows,
        at.first + templates.fields,
        at.first + templates.drawings,
        at.first + templates.nums,
        heads[:count],
        [(at.first + number, place, head) for (number, place), head in figures],
        streams,
    )


def count_keys(plate: PreparedPlate, *, flat: bool) -> int:
    """Return how many keys a filled plate has in the parent tree."""
    return len(plate.plate.sizes) + (0 if flat else len(plate.fields)) + len(plate.header["links"])


@lru_cache(maxsize=16)
class _PageTemplates:
    """Templates of a plate's objects; all numbers here are distances from the first object."""

    def __init__(self, plate: PreparedPlate, flat: bool, nested: bool) -> None:
        self._plate, self._flat, self._nested = plate, flat, nested
        self._pages = len(plate.plate.sizes)
        self._order = {slot.index: n for n, slot in enumerate(plate.fields)}
        self._widgets, self._hints = ([], []) if flat else (plate.fields, plate.hints)
        self.rows = self._pages
        self._groups = self.rows + len(plate.rows)
        self.fields = self._groups + (0 if flat else len(plate.groups))
        self._links = self.fields + len(self._widgets)
        self.drawings = self._links + len(plate.header["links"])
        self.nums = self.drawings + self._pages
        self._first_hint = self.nums + 1
        self.tags = [self.rows + top for top in plate.tops]
        self.tops: list[int] = []
        if not flat:
            named = enumerate(plate.groups, self._groups)
            self.tops += [number for number, path in named if len(path) == 1]
            self.tops += [self.fields + n for n in plate.fields_of.get(-1, ())]
            self.tops += [self._first_hint + n for n, _ in enumerate(self._hints)]
        found = [(n, row) for n, row in enumerate(plate.rows, self.rows) if row.picture >= 0]
        self.figures = [(number, row.picture) for number, row in found]
        self.heads = [*(self._printed_heads() if flat else self._widget_heads())]
        self.heads += [self._row(row) for _, row in found]
        self.objects: dict[int, Template] = {self.nums: self._nums()}
        self.objects |= dict(self._page_objects()) | dict(self._annotations())
        for number, row in enumerate(plate.rows, self.rows):
            # The press ends the elements of drawn fields and of pictures: it adds their values.
            if (row.place < 0 or not flat) and row.picture < 0:
                self.objects[number] = [*self._row(row), b">>"]
        if not flat:
            self.objects |= dict(self._group_objects())
        self._compiled: dict[int, _ObjectTemplates] = {}

    def compiled(self, width: int) -> _ObjectTemplates:
        """Return the templates compiled for numbers of up to `width` digits."""
        if width not in self._compiled:
            self._compiled[width] = _ObjectTemplates(self.heads, self.objects, width)
        return self._compiled[width]

    def _page_objects(self) -> Iterator[tuple[int, Template]]:
        links = [on for on, _ in self._plate.header["links"]]
        shown = [
            *((slot.place.page, self.fields + n) for n, slot in enumerate(self._widgets)),
            *((on, self._links + n) for n, on in enumerate(links)),
            *((slot.place.page, self._first_hint + n) for n, slot in enumerate(self._hints)),
        ]
        for page, (outer, bleed, trim) in enumerate(self._plate.header["boxes"]):
            inner = b""
            if trim != outer:
                inner = b"/BleedBox[%s]/TrimBox[%s]" % (_corners(bleed), _corners(trim))
            boxes = b" 0 R/MediaBox[%s]%s/Resources " % (_corners(outer), inner)
            widgets: list[Ref] = [(FIRST, number) for on, number in shown if on == page]
            contents: list[Ref] = [(CONTENTS + page, 0), (FIRST, self.drawings + page)]
            annotations = [b"/Annots[", *reference_template(widgets), b"]"] if widgets else []
            body: Template = [b"<</Type/Page/Parent ", (FIXED, PAGES), boxes, (RESOURCES, 0)]
            body += [b" 0 R/Contents[", *reference_template(contents), b"]", *annotations]
            yield page, [*body, b"/Tabs/S/StructParents ", (KEY, page), b">>"]

    def _row(self, row: TagRow) -> Template:
        kids = [part for kid in row.kids for part in (*self._kid(row, *kid), b" ")]
        return [*self._row_head(row), b"/K[", *kids, b"]" + row.extra]

    def _row_head(self, row: TagRow) -> Template:
        above: Ref = (FIXED, DOCUMENT) if row.parent < 0 else (FIRST, self.rows + row.parent)
        head: Template = [b"<</S/%s/P " % row.tag, above, b" 0 R"]
        return head if row.page < 0 else [*head, b"/Pg ", (FIRST, row.page), b" 0 R"]

    def _kid(self, row: TagRow, kind: str, index: int, page: int) -> Template:
        if kind == "row":
            return [(FIRST, self.rows + index), b" 0 R"]
        if kind == "mcid":
            if page == row.page:
                return [b"%d" % index]
            return [b"<</Type/MCR/Pg ", (FIRST, page), b" 0 R/MCID %d>>" % index]
        number = self.fields + self._order[index] if kind == "place" else self._links + index
        return [b"<</Type/OBJR/Obj ", (FIRST, number), b" 0 R>>"]

    def _printed_heads(self) -> Iterator[Template]:
        """Yield the structure elements of drawn fields, without their state (14.8.5.6)."""
        for slot in self._plate.fields:
            role = b"cb" if slot.style is None else b"tv"
            mcid, label = self._plate.flat_mcids[slot.index], text_string(slot.place.label)
            tail = b"/K %d/A<</O/PrintField/Desc%s/Role/%s" % (mcid, label, role)
            row = self._plate.rows[self._plate.row_of_place[slot.index]]
            yield [*self._row_head(row), tail]

    def _widget_heads(self) -> Iterator[Template]:
        for key, slot in enumerate(self._widgets, self._pages):
            page: Template = [b"/P ", (FIRST, slot.place.page), b" 0 R/StructParent ", (KEY, key)]
            name = pdf_string(slot.place.name.encode())
            own: Template = [b"%s[" % OWNER, (IDENTITY, 0), b" 0 R%s]" % name]
            yield [slot.head, *page, *self._parent_entry(slot.group), *own]

    def _annotations(self) -> Iterator[tuple[int, Template]]:
        """Yield links and hints, which do not depend on values."""
        key = self._pages + len(self._widgets)
        for n, (page, template) in enumerate(self._plate.header["links"]):
            body: bytes = template.encode() % ()
            where: Template = [b"/P ", (FIRST, page), b" 0 R/StructParent ", (KEY, key + n), b">>"]
            yield self._links + n, [body[:-2], *where]
        for n, slot in enumerate(self._hints):
            form = CONTENTS + self._pages + self._plate.hint_sizes.index(slot.size)
            appearance: Template = [b"/AP<</N ", (form, 0), b" 0 R>>/P "]
            where = [(FIRST, slot.place.page), b" 0 R", *self._parent_entry(-1)]
            yield self._first_hint + n, [slot.head, *appearance, *where, flagged(slot.flags), b">>"]

    def _parent_entry(self, group: int) -> Template:
        """Return the /Parent entry of a field or group in `group`; -1 for the plate's top."""
        if group < 0:
            return [b"/Parent ", (ABOVE, 0), b" 0 R"] if self._nested else []
        return [b"/Parent ", (FIRST, self._groups + group), b" 0 R"]

    def _group_objects(self) -> Iterator[tuple[int, Template]]:
        paths = {path: n for n, path in enumerate(self._plate.groups)}
        for path, own in paths.items():
            kids = [self._groups + n for other, n in paths.items() if other[:-1] == path]
            kids += [self.fields + n for n in self._plate.fields_of.get(own, ())]
            name, label = (pdf_string(text.encode()) for text in (path[-1], " ".join(path)))
            head: Template = [b"<</T%s/TU%s" % (name, label.replace(b"_", b" "))]
            head += [*self._parent_entry(paths.get(path[:-1], -1)), b"/Kids["]
            refs = reference_template([(FIRST, kid) for kid in kids])
            yield self._groups + own, [*head, *refs, b"]>>"]

    def _nums(self) -> Template:
        """Return the plate's part of the parent tree, which leads from content to its element.

        A page has an array with the element of each of its marked contents, by their numbers;
        a field or link has its one element.
        """
        counts = self._plate.counts(flat=self._flat)
        owners: list[list[Template]] = [[[b"null"]] * count for count in counts]
        holders: dict[tuple[str, int], Ref] = {}
        for number, row in enumerate(self._plate.rows, self.rows):
            for kind, index, page in row.kids:
                if kind == "mcid" or (kind == "place" and self._flat):
                    mcid = index if kind == "mcid" else self._plate.flat_mcids[index]
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
        if picture.key not in self._numbers:
            if isinstance(picture.content, Raster):
                number = write_image(picture.content, self._file)
            else:
                objects = unpack_objects(picture.content.body)
                number = self.object(objects, len(objects) - 1)
            self._numbers[picture.key] = number
        return self._numbers[picture.key]

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
        one, metrics = plate.shared[row["spare"]], plate.plate.metrics[face]
        if one.digest not in self._subsets:
            font = SubsetFont(row["spare_name"].encode(), one.data or b"", metrics, self._file)
            self._subsets[one.digest] = font
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
    """The resources of one plate in one document: fonts, XObjects, contents (ISO 32000-1, 7.8.3).

    Attributes:
        contents: Numbers of the content streams with the print of each page.
        page_resources, appearance_resources: Numbers of the resource dictionaries of its pages,
            and of its fields' appearance streams.
        typed: Faces that a reader types in.
    """

    def __init__(self, plate: PreparedPlate, file: PdfWriter, shared: SharedObjects) -> None:
        self.plate, self._file, self._shared = plate, file, shared
        self.page_resources, self.appearance_resources, self._fonts = range(
            first := file.take(3), first + 3
        )
        self.contents = tuple(shared.object(plate.shared, at) for at in plate.header["contents"])
        self._subsets = {face: shared.subset_font(plate, face) for face in plate.typefaces}
        self.text_setter = TextSetter(plate.typefaces, self._subsets, plate.text_cache)
        self.typed: set[str] = set()
        self._on_pages: dict[bytes, int] = {}
        self._hint_forms: tuple[int, ...] = ()
        self._with_pictures: list[tuple[int, dict[bytes, int]]] = []

    def shape(self, name: str, size: Size) -> int:
        """Return the number of a form XObject that draws the shape called `name`."""
        return self._shared.drawing(self.plate.drawn(name, size), size)

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
        resource = b"/S%d" % (number := self.shape(name, size))
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

    def _object(self, index: int) -> int:
        return self._shared.object(self.plate.shared, index)

    def finish(self) -> dict[bytes, int]:
        """Write the resource dictionaries, once all pages are drawn; return their fonts."""
        header, used = self.plate.header, self.text_setter.used
        fonts = {b"/" + n.encode(): self._object(index) for n, index in header["static"].items()}
        for face, typeface in self.plate.typefaces.items():
            row, (simple, core, subset) = header["faces"][face], typeface.names
            if simple in used:
                fonts[simple] = self._object(row["typed"])
            if core in used:
                fonts[core] = self._object(row["core"])
            if subset in used:
                fonts[subset] = self._subsets[face].number
        self._file.add(self._fonts, _references(fonts))
        # PDF.js merges these with the form's own fonts only if they are direct entries here.
        self._file.add(self.appearance_resources, b"<</Font%s>>" % _references(fonts))
        drawn = dict(self._on_pages)
        drawn |= {b"/" + n.encode(): self._object(index) for n, index in header["xobjects"].items()}
        template, refs = header["resources"]
        entries = template.encode() % tuple(map(self._object, refs))
        for number, pictures in [(self.page_resources, {}), *self._with_pictures]:
            xobjects = _references({**drawn, **pictures})
            body = b"<<%s/Font %d 0 R/XObject%s>>" % (entries, self._fonts, xobjects)
            self._file.add(number, body)
        return fonts

    def typed_fonts(self) -> dict[bytes, int]:
        """Return the fonts that a reader types in, by their names in default appearances."""
        names, faces = self.plate.typed_names, self.plate.header["faces"]
        return {names[face]: self._object(faces[face]["typed"]) for face in sorted(self.typed)}


def _references(found: dict[bytes, int]) -> bytes:
    return b"<<%s>>" % b"".join(b"%s %d 0 R" % one for one in sorted(found.items()))
