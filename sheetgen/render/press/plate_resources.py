"""The resources of a plate in one document: fonts, XObjects, contents (ISO 32000-1, 7.8.3)."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final

from sheetgen.model.pictures import PreparedPicture, Raster
from sheetgen.render.fonts.subset_fonts import SubsetFont
from sheetgen.render.pdf.images import unpack_objects, write_image
from sheetgen.render.pdf.pdf_file import PdfWriter
from sheetgen.render.pdf.pdf_objects import SharedObject
from sheetgen.render.pdf.syntax import pdf_numbers
from sheetgen.render.press.appearances import TextSetter
from sheetgen.render.press.live_fields import hint_colour
from sheetgen.render.press.prepared import PreparedPlate
from sheetgen.render.press.slots import Size

_LONG: Final = 250
"""Operators of a drawing that are smaller when compressed, with the entry that says so."""


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
