"""All objects of a filled plate that do not depend on its values.

Pages (ISO 32000-1, 7.7.3), structure elements (14.7.2), the beginnings of widgets (12.5.6.19),
groups of fields, links, hints, and a part of the parent tree (14.7.4.4).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import Final, TypeAlias

from sheetgen.model.filled import OWNER
from sheetgen.model.pictures import PreparedPicture, Raster
from sheetgen.model.prints import Filling, Setting
from sheetgen.records import frozen
from sheetgen.render.fonts.fonts import SIGN_FACE, SubsetFont
from sheetgen.render.pdf import pdf_file
from sheetgen.render.press import prepared

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


def dictionary(found: Mapping[bytes, int]) -> bytes:
    """Return a dictionary of objects by name, which has its slash."""
    return b"<<%s>>" % b"".join([b"%s %d 0 R" % one for one in sorted(found.items())])


def finish_file(
    file: pdf_file.PdfWriter,
    info: DocumentInfo,
    pages: Sequence[int],
    tags: Sequence[int],
    parents: bytes,
    keys: int,
    preferences: bytes,
    more: Callable[[], bytes] = bytes,
) -> bytes:
    """Write the trees, the metadata and the catalogue; end the file and return it if in memory.

    `pages` and `tags` are numbers of the pages, and of the structure elements below Document;
    `parents` is the entry of the parent tree, `/Kids[…]` or `/Nums[…]`, which has so many `keys`;
    `preferences` are more entries of the viewer preferences (12.2). `more` writes further objects,
    and returns more entries of the catalogue.
    """
    body = b"<</Type/Pages/Count %d/Kids[%s]>>"
    file.add(PAGES, body % (len(pages), list_references(pages)))
    body = b"<</Type/StructTreeRoot/K %d 0 R/ParentTree %d 0 R/ParentTreeNextKey %d>>"
    file.add(TAGS, body % (DOCUMENT, PARENTS, keys))
    file.add(DOCUMENT, b"<</S/Document/P %d 0 R/K[%s]>>" % (TAGS, list_references(tags)))
    file.add(PARENTS, b"<<%s>>" % parents)
    file.add(INFO, pdf_file.format_information(info.title, info.subject, info.meta))
    packet = pdf_file.format_xmp(info.title, info.subject, info.lang, pdf_file.PRODUCER)
    body = b"<</Type/Metadata/Subtype/XML/Length %d>>stream\n%s\nendstream"
    file.stream(METADATA, body % (len(packet), packet))
    entries = more()
    body = (
        b"<</Type/Catalog/Pages %d 0 R/StructTreeRoot %d 0 R/Metadata %d 0 R/Lang%s"
        b"/MarkInfo<</Marked true>>/ViewerPreferences<</DisplayDocTitle true%s>>%s>>"
    )
    file.add(
        CATALOG,
        body % (PAGES, TAGS, METADATA, pdf_file.text_string(info.lang), preferences, entries),
    )
    return file.finish(CATALOG, INFO)


# Bases that a gap counts from: the first object of a filled plate, its first key in the parent
# tree, zero, the parent of its fields (0 for none), the dictionary that says which sheet its fields
# belong to, the resources of its pages; behind them, the printed contents of each page, and the
# form XObjects of its hints, by size.
FIRST, KEY, FIXED, ABOVE, IDENTITY, RESOURCES, CONTENTS = range(7)
Bases: TypeAlias = tuple[int, ...]
Ref: TypeAlias = tuple[int, int]  # a gap: its base, and its distance from the base
Template: TypeAlias = list[bytes | Ref]  # a text with gaps
# Digits of the numbers in gaps, padded with spaces, so that all fillings have one length.
_WIDTHS: Final = (6, 7, 8)
_STREAM_SIZE: Final = 2000  # objects in one object stream; see `pdf_file`
# With at most so many objects in a file, templates are filled without being compiled.
_FEW: Final = 9999
_ONCE: Final = 8  # level of compression of objects that a run of single prints shares
Filled: TypeAlias = tuple[list[bytes], list[pdf_file.ObjectStream]]


class _CompiledTemplates:
    """Templates for files of many sheets, whose numbers are padded to one width.

    Formatting numbers takes most of the time, so each is formatted once a sheet, though many gaps
    need it. Lengths do not vary, so offsets are known.
    """

    def __init__(
        self, heads: Sequence[Template], objects: Mapping[int, Template], width: int
    ) -> None:
        self._width = width
        # How many numbers each base needs, and where they begin in a list of all.
        self._counts: dict[int, int] = {}
        gaps = (part for text in (*heads, *objects.values()) for part in text)
        refs = [part for part in gaps if not isinstance(part, bytes)]
        for base, distance in [*refs, *((FIRST, number) for number in objects)]:
            self._counts[base] = max(self._counts.get(base, 0), distance + 1)
        starts = accumulate(self._counts.values(), initial=0)
        self._starts = dict(zip(self._counts, starts, strict=False))
        self._streams: list[tuple[tuple[list[bytes], list[int]], list[range], int]] = []
        numbers = sorted(objects)
        for start in range(0, len(numbers), _STREAM_SIZE):
            chunk = numbers[start : start + _STREAM_SIZE]
            index: Template = []
            bodies: Template = []
            offset = 0
            for number in chunk:
                index += [(FIRST, number), b" %d " % offset]
                bodies += [*objects[number], b"\n"]
                offset += self._length(objects[number]) + 1
            data = self._compile([*index, b"\n", *bodies])
            self._streams.append((data, pdf_file.number_runs(chunk), self._length(index) + 1))
        # All heads are filled as one text and cut again.
        self._heads = self._compile([part for text in heads for part in text])
        ends = accumulate(map(self._length, heads), initial=0)
        self._spans = [slice(*pair) for pair in pairwise(ends)]

    def _length(self, template: Template) -> int:
        return sum(len(part) if isinstance(part, bytes) else self._width for part in template)

    def _compile(self, template: Template) -> tuple[list[bytes], list[int]]:
        """Return texts with room for numbers at odd indexes, and the indexes of the numbers."""
        texts, indexes = [b""], []
        for part in template:
            if isinstance(part, bytes):
                texts[-1] += part
            else:
                indexes.append(self._starts[part[0]] + part[1])
                texts += [b"", b""]
        return texts, indexes

    def fill(self, bases: Bases) -> Filled:
        """Return the beginnings of the widgets, and the other objects compressed."""
        numbers: list[bytes] = []
        for base, count in self._counts.items():
            one = b"%%%dd" % self._width
            numbers += map(one.__mod__, range(bases[base], bases[base] + count))

        def filled(texts: list[bytes], indexes: list[int]) -> bytes:
            parts = texts.copy()
            parts[1::2] = map(numbers.__getitem__, indexes)
            return b"".join(parts)

        streams, first = [], bases[FIRST]
        for template, runs, start in self._streams:
            moved = [range(first + run.start, first + run.stop) for run in runs]
            count = sum(map(len, runs))
            data = pdf_file.format_object_stream(
                filled(*template), count, start, pdf_file.FAST_LEVEL
            )
            streams.append(pdf_file.ObjectStream(moved, data))
        heads = filled(*self._heads)
        return [heads[span] for span in self._spans], streams


@lru_cache(maxsize=16)
class PageTemplates:
    """Templates of a plate's objects; all numbers here are distances from the first object.

    The objects are its pages, structure elements, groups of fields, fields, links, contents with
    values, its part of the parent tree, and hints.
    """

    def __init__(self, plate: prepared.PreparedPlate, flat: bool, nested: bool) -> None:
        """Build templates; `flat`: fields are drawn, `nested`: fields have a parent."""
        self._plate, self._flat, self._nested = plate, flat, nested
        self._pages = len(plate.plate.sizes)
        self._order = {slot.index: n for n, slot in enumerate(plate.fields)}
        self._widgets, hints = ([], []) if flat else (plate.fields, plate.hints)
        self._link_count = len(plate.header["links"])
        self.rows = self._pages  # the first structure element
        self._groups = self.rows + len(plate.rows)
        self.fields = self._groups + (0 if flat else len(plate.groups))  # the first widget
        self._links = self.fields + len(self._widgets)
        self.drawings = self._links + self._link_count  # the content with the first page's values
        self.nums = self.drawings + self._pages  # the part of the parent tree
        first_hint = self.nums + 1
        self.count = first_hint + len(hints)  # of objects
        self.keys = self._pages + len(self._widgets) + self._link_count  # in the parent tree
        self.tags = [self.rows + top for top in plate.tops]  # structure elements below Document
        self.tops: list[int] = []  # fields and groups without a parent in the plate
        found = [(n, row) for n, row in enumerate(plate.rows, self.rows) if row.picture >= 0]
        self.figures = [(number, row.picture) for number, row in found]  # with the place of each
        heads: list[Template] = []
        for n, slot in enumerate(plate.fields):
            if flat:  # a structure element, without its state (14.8.5.6)
                role = b"cb" if slot.style is None else b"tv"
                mcid, label = plate.flat_mcids[slot.index], pdf_file.text_string(slot.place.label)
                tail = b"/K %d/A<</O/PrintField/Desc%s/Role/%s" % (mcid, label, role)
                heads.append([*self._row_head(plate.rows[plate.row_of_place[slot.index]]), tail])
                continue
            at: Template = [b"/P ", (FIRST, slot.place.page), b" 0 R/StructParent "]
            name = pdf_file.pdf_string(slot.place.name.encode())
            own: Template = [b"%s[" % OWNER, (IDENTITY, 0), b" 0 R%s]" % name]
            entry: Ref = (KEY, self._pages + n)
            heads.append([slot.head, *at, entry, *self._parent_entry(slot.group), *own])
        # Of each field, the beginning of its widget, or, if it is drawn, of its structure element;
        # of each picture, its structure element. They lack what depends on values, and their end.
        self._heads = [*heads, *(self._row(row) for _, row in found)]
        self._objects: dict[int, Template] = {self.nums: self._nums()}
        links = [on for on, _ in plate.header["links"]]
        shown = [
            *((slot.place.page, self.fields + n) for n, slot in enumerate(self._widgets)),
            *((on, self._links + n) for n, on in enumerate(links)),
            *((slot.place.page, first_hint + n) for n, slot in enumerate(hints)),
        ]
        for page, (outer, bleed, trim) in enumerate(plate.header["boxes"]):
            inner = b""
            if trim != outer:
                inner = b"/BleedBox[%s]/TrimBox[%s]" % (_corners(bleed), _corners(trim))
            boxes = b" 0 R/MediaBox[%s]%s/Resources " % (_corners(outer), inner)
            own = _references(number for on, number in shown if on == page)
            contents: Template = [(CONTENTS + page, 0), b" 0 R ", (FIRST, self.drawings + page)]
            self._objects[page] = [
                *(b"<</Type/Page/Parent ", (FIXED, PAGES), boxes, (RESOURCES, 0)),
                *(b" 0 R/Contents[", *contents, b" 0 R ]"),
                *((b"/Annots[", *own, b"]") if own else ()),
                *(b"/Tabs/S/StructParents ", (KEY, page), b">>"),
            ]
        key = self._pages + len(self._widgets)
        for n, (on, template) in enumerate(plate.header["links"]):
            body: bytes = template.encode() % ()
            where: Template = [b"/P ", (FIRST, on), b" 0 R/StructParent ", (KEY, key + n), b">>"]
            self._objects[self._links + n] = [body[:-2], *where]
        for n, slot in enumerate(hints):
            form = CONTENTS + self._pages + plate.hint_sizes.index(slot.size)
            where = [b"/AP<</N ", (form, 0), b" 0 R>>/P ", (FIRST, slot.place.page), b" 0 R"]
            flags = [*self._parent_entry(-1), prepared.flagged(slot.flags), b">>"]
            self._objects[first_hint + n] = [slot.head, *where, *flags]
        for number, row in enumerate(plate.rows, self.rows):
            # The press ends the elements of drawn fields and of pictures: it adds their values.
            if (row.place < 0 or not flat) and row.picture < 0:
                self._objects[number] = [*self._row(row), b">>"]
        if not flat:
            paths = plate.groups
            self.tops += [self._groups + n for path, n in paths.items() if len(path) == 1]
            self.tops += [self.fields + n for n in plate.fields_of.get(-1, ())]
            self.tops += [first_hint + n for n, _ in enumerate(hints)]
            for path, n in paths.items():
                kids = [self._groups + m for other, m in paths.items() if other[:-1] == path]
                kids += [self.fields + m for m in plate.fields_of.get(n, ())]
                name, label = (
                    pdf_file.pdf_string(text.encode()) for text in (path[-1], " ".join(path))
                )
                self._objects[self._groups + n] = [
                    b"<</T%s/TU%s" % (name, label.replace(b"_", b" ")),
                    *self._parent_entry(paths.get(path[:-1], -1)),
                    *(b"/Kids[", *_references(kids), b"]>>"),
                ]
        self._compiled: dict[int, _CompiledTemplates] = {}
        self._last: tuple[Bases, Filled] | None = None

    def fill(self, bases: Bases) -> Filled:
        """Return the beginnings of widgets and figures, and all other objects.

        Single prints have equal numbers, so the last objects are kept. In a file of many sheets,
        each sheet has other numbers: there compiled templates are filled.
        """
        if self._last is None or self._last[0] != bases:
            last = bases[FIRST] + self.count
            if last <= _FEW:

                def filled(template: Template) -> bytes:
                    return b"".join(
                        [
                            t if isinstance(t, bytes) else b"%d" % (bases[t[0]] + t[1])
                            for t in template
                        ]
                    )

                objects = ((bases[FIRST] + n, filled(o)) for n, o in sorted(self._objects.items()))
                found = [*map(filled, self._heads)], pdf_file.pack_objects([*objects], _ONCE)
            else:
                width = next(width for width in _WIDTHS if width >= len(str(last)))
                if width not in self._compiled:
                    self._compiled[width] = _CompiledTemplates(self._heads, self._objects, width)
                found = self._compiled[width].fill(bases)
            self._last = bases, found
        return self._last[1]

    def _row(self, row: prepared.TagRow) -> Template:
        """Return a structure element without its end."""
        found = [*self._row_head(row), b"/K["]
        for kind, index, page in row.kids:
            if kind == "row":
                found += [(FIRST, self.rows + index), b" 0 R "]
            elif kind != "mcid":
                number = (
                    self.fields + self._order[index] if kind == "place" else self._links + index
                )
                found += [b"<</Type/OBJR/Obj ", (FIRST, number), b" 0 R>> "]
            elif page == row.page:
                found.append(b"%d " % index)
            else:
                found += [b"<</Type/MCR/Pg ", (FIRST, page), b" 0 R/MCID %d>> " % index]
        return [*found, b"]" + row.extra]

    def _row_head(self, row: prepared.TagRow) -> Template:
        above: Ref = (FIXED, DOCUMENT) if row.parent < 0 else (FIRST, self.rows + row.parent)
        head: Template = [b"<</S/%s/P " % row.tag, above, b" 0 R"]
        return head if row.page < 0 else [*head, b"/Pg ", (FIRST, row.page), b" 0 R"]

    def _parent_entry(self, group: int) -> Template:
        """Return the /Parent entry of a field or group in `group`; -1 for the plate's top."""
        if group < 0:
            return [b"/Parent ", (ABOVE, 0), b" 0 R"] if self._nested else []
        return [b"/Parent ", (FIRST, self._groups + group), b" 0 R"]

    def _nums(self) -> Template:
        """Return the plate's part of the parent tree, which leads from content to its element.

        A page has an array with the element of each of its marked contents, by their numbers;
        a field or link has its one element.
        """
        owners: list[list[Template]] = [[[b"null"]] * count for count in self._plate.fresh]
        holders: dict[tuple[str, int], Ref] = {}
        for number, row in enumerate(self._plate.rows, self.rows):
            for kind, index, page in row.kids:
                if kind == "mcid":
                    owners[page][index] = [(FIRST, number), b" 0 R"]
                else:
                    holders[kind, index] = (FIRST, number)
        for slot in self._plate.fields if self._flat else ():  # in the order of `flat_mcids`
            owners[slot.place.page].append([holders["place", slot.index], b" 0 R"])
        order = [("place", slot.index) for slot in self._widgets]
        order += [("link", n) for n in range(self._link_count)]
        last = self._pages + len(order) - 1
        entries: Template = [b"<</Limits[", (KEY, 0), b" ", (KEY, last), b"]/Nums["]
        for n, page_owners in enumerate(owners):
            inner = [part for owner in page_owners for part in (*owner, b" ")]
            entries += [(KEY, n), b"[", *inner, b"]"]
        for n, holder in enumerate(order, self._pages):
            entries += [(KEY, n), b" ", holders[holder], b" 0 R "]
        return [*entries, b"]>>"]


def _references(numbers: Iterable[int]) -> Template:
    return [part for number in numbers for part in ((FIRST, number), b" 0 R ")]


def _corners(box: Sequence[float]) -> bytes:
    """Return `box` unrounded: a hundredth of a point may change a pixel."""
    return b" ".join([b"%.9g" % value for value in box])


# Appearance streams of more bytes are compressed; the filter's entry takes twenty.
_SIGNS: Final = b"/SHTGEN+Signs-Regular"
_LONG_TEXT: Final = 160
_MOST: Final = 4000  # texts of a document whose entries are kept
# Operators of a drawing that are smaller when compressed, with the entry that says so.
_LONG: Final = 250


class SharedObjects:
    """Objects that a document has once, however many plates use them."""

    def __init__(self, file: pdf_file.PdfWriter) -> None:
        self._file = file
        self._numbers: dict[str, int] = {}
        self._drawings: dict[bytes, int] = {}
        self.subsets: dict[str, SubsetFont] = {}  # fonts for rare letters, by digest

    def picture(self, picture: PreparedPicture) -> int:
        """Return the number of a picture's XObject, written at first use."""
        if picture.key not in self._numbers:
            if isinstance(picture.content, Raster):
                number = pdf_file.write_image(picture.content, self._file)
            else:
                objects = pdf_file.build_shared(*pdf_file.unpack_parts(picture.content.body))
                number = self.object(objects, len(objects) - 1)  # the last one is the drawing
            self._numbers[picture.key] = number
        return self._numbers[picture.key]

    def object(self, shared: Sequence[pdf_file.SharedObject], index: int) -> int:
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

    def drawing(self, content: bytes, size: prepared.Size) -> int:
        """Return the number of a form XObject that draws `content` in a box of `size`."""
        body = _form(content, size)
        if body not in self._drawings:
            self._drawings[body] = self._file.take()
            self._file.stream(self._drawings[body], body)
        return self._drawings[body]


@lru_cache(maxsize=512)
def _form(content: bytes, size: prepared.Size) -> bytes:
    """Return a form XObject; a long drawing, such as that of a die, is compressed once."""
    entries = b""
    if len(content) > _LONG:
        content, entries = zlib.compress(content), b"/Filter/FlateDecode"
    head = b"<</Type/XObject/Subtype/Form/BBox[0 0 %s]%s/Length %d>>"
    head %= (pdf_file.pdf_numbers(*size), entries, len(content))
    return b"%sstream\n%s\nendstream" % (head, content)


class PlateResources:
    """The resources of a plate in a document: fonts, XObjects, contents (ISO 32000-1, 7.8.3)."""

    def __init__(
        self, plate: prepared.PreparedPlate, file: pdf_file.PdfWriter, shared: SharedObjects
    ) -> None:
        self.plate, self._file, self._shared = plate, file, shared
        # Numbers of the resource dictionaries of its pages, and of its fields' appearance streams.
        self.page_resources, self.appearance_resources, self._fonts = range(
            first := file.take(3), first + 3
        )
        # Numbers of the content streams with the print of each page.
        self.contents = tuple(shared.object(plate.shared, at) for at in plate.header["contents"])
        self._subsets: dict[str, SubsetFont] = {}
        for face, row in plate.header["faces"].items():
            one, name = plate.shared[row["spare"]], row["spare_name"].encode()
            font = SubsetFont(name, one.data or b"", plate.plate.metrics[face], file)
            self._subsets[face] = shared.subsets.setdefault(one.digest, font)
        if (signs := plate.plate.signs) is not None:
            one = SubsetFont(_SIGNS, signs.outlines, signs.metrics, file, signs.words)
            self._subsets[SIGN_FACE] = shared.subsets.setdefault(signs.digest, one)
        self.text_setter = prepared.TextSetter(plate.typefaces, self._subsets, plate.text_cache)
        self.typed: set[str] = set()  # faces that a reader types in
        self._on_pages: dict[bytes, int] = {}
        self._with_pictures: list[tuple[int, dict[bytes, int]]] = []
        self._written: dict[tuple[int, Setting], bytes] = {}
        self._ticked: dict[tuple[str, bool, prepared.Size], bytes] = {}

    def hint_forms(self) -> list[int]:
        """Return the numbers of the form XObjects of the plate's hints, in order of their sizes."""
        content = prepared.hint_colour(self.plate.plate.tokens.colours) + b" 0 0 %s re f"
        sizes = self.plate.hint_sizes
        return [self._shared.drawing(content % pdf_file.pdf_numbers(*size), size) for size in sizes]

    def on_page(self, name: str, size: prepared.Size) -> bytes:
        """Return the resource name of a shape for pages."""
        number = self._shared.drawing(self.plate.drawn(name, size), size)
        self._on_pages[resource := b"/S%d" % number] = number
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
            self._on_pages[resource] = self._shared.drawing(self.plate.drawn(shape, size), size)

    def widget_entries(self, filling: Filling, actions: Mapping[str, bytes]) -> list[bytes]:
        """Return the last entries of widgets; `actions`: see `_Document._build_actions`."""
        entries, order = self._unfilled.copy(), self.plate.order
        for name, shape in filling.ticks.items():
            index = order[name]
            entries[index] = self._of_tick(shape, self.plate.fields[index].size, on=True)
        written, slots = self._written, self.plate.named["text"]
        for name, setting in filling.texts.items():
            slot = slots.get(name)
            if slot is not None:
                entry = written.get((slot.appearance_key, setting))
                entries[order[name]] = self._of_text(slot, setting) if entry is None else entry
        if actions:
            for index, action in self.plate.acting:
                entries[index] = actions[action] + entries[index]
        return entries

    def _of_tick(self, shape: str, size: prepared.Size, *, on: bool) -> bytes:
        if (shape, on, size) not in self._ticked:
            state = b"/On" if on else b"/Off"
            entry = b"/AP<</N<</On %d 0 R/Off %d 0 R>>>>/AS%s/V%s/DV%s>>"
            number = self._shared.drawing(self.plate.drawn(shape, size), size)
            entry %= (number, SPARE, state, state, state)
            self._ticked[shape, on, size] = entry
        return self._ticked[shape, on, size]

    def _of_text(self, slot: prepared.PlaceSlot, setting: Setting) -> bytes:
        """Write the appearance stream of a text; return the entries of fields that have it."""
        key = slot.appearance_key, setting, self.appearance_resources
        stream, rest, face = self.text_setter.written_once(
            self.plate.widget_cache, key, self._appearance, slot, setting
        )
        self.typed.add(face)
        number = self._file.take()
        self._file.stream(number, stream)
        entry: bytes = b"/AP<</N %d 0 R>>%s" % (number, rest)
        if len(self._written) >= _MOST:
            self._written.clear()
        self._written[slot.appearance_key, setting] = entry
        return entry

    def _appearance(self, slot: prepared.PlaceSlot, setting: Setting) -> tuple[bytes, bytes, str]:
        """Return the appearance stream of a text, the entries beside it, and the text's face."""
        plate = self.plate
        style = plate.style(setting.role) if setting.role else slot.style
        assert style is not None
        text = self.text_setter.set_text(setting, style, slot.size, tall=slot.tall)
        content = b"/Tx BMC %s EMC" % text
        packed, used = b"", self.appearance_resources
        if len(content) > _LONG_TEXT:
            content, packed = zlib.compress(content, pdf_file.LEVEL), b"/Filter/FlateDecode"
        stream = b"%s/Resources %d 0 R%s/Length %d>>stream\n%s\nendstream"
        stream %= (slot.form_head, used, packed, len(content), content)
        # A viewer that sets a one-line field anew would run the lines together.
        lines = prepared.SEVERAL_LINES if len(setting.lines) > 1 or slot.tall else 0
        flags = prepared.flagged(slot.flags | lines)
        appearance = plate.default_appearance(style, setting.size)
        value = pdf_file.text_string(setting.value)
        rest = b"%s%s%s/V%s/DV%s>>" % (style.quadding, flags, appearance, value, value)
        return stream, rest, style.role.face

    @cached_property
    def _unfilled(self) -> list[bytes]:
        """The last entries of widgets without values."""
        self.typed |= {slot.style.role.face for slot in self.plate.fields if slot.style}
        # An empty text field has no appearance stream: a viewer makes one when something is typed,
        # and three hundred of them would be a third of the file.
        return [
            slot.empty_entries if slot.style else self._of_tick(slot.on, slot.size, on=False)
            for slot in self.plate.fields
        ]

    def _object(self, index: int) -> int:
        return self._shared.object(self.plate.shared, index)

    def finish(self) -> dict[bytes, int]:
        """Write the resource dictionaries, once all pages are drawn; return their fonts."""
        header, used = self.plate.header, self.text_setter.used
        fonts = {b"/" + n.encode(): self._object(index) for n, index in header["static"].items()}
        for face, typeface in self.plate.typefaces.items():
            row, (simple, core, subset) = header["faces"].get(face, {}), typeface.names
            if simple in used:
                fonts[simple] = self._object(row["typed"])
            if core in used:
                fonts[core] = self._object(row["core"])
            if subset in used:
                fonts[subset] = self._subsets[face].number
        self._file.add(self._fonts, dictionary(fonts))
        # PDF.js merges these with the form's own fonts only if they are direct entries here.
        self._file.add(self.appearance_resources, b"<</Font%s>>" % dictionary(fonts))
        drawn = dict(self._on_pages)
        drawn |= {b"/" + n.encode(): self._object(index) for n, index in header["xobjects"].items()}
        template, refs = header["resources"]
        entries = template.encode() % tuple(map(self._object, refs))
        for number, pictures in [(self.page_resources, {}), *self._with_pictures]:
            xobjects = dictionary({**drawn, **pictures})
            body = b"<<%s/Font %d 0 R/XObject%s>>" % (entries, self._fonts, xobjects)
            self._file.add(number, body)
        return fonts

    def typed_fonts(self) -> dict[bytes, int]:
        """Return the fonts that a reader types in, by their names in default appearances."""
        names, faces = self.plate.typed_names, self.plate.header["faces"]
        return {names[face]: self._object(faces[face]["typed"]) for face in sorted(self.typed)}
