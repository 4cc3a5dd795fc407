"""One plate in one document: what all its leaves there use together."""

from __future__ import annotations

from sheetgen.model.prints import Setting
from sheetgen.render.fonts.subset_fonts import SubsetFont
from sheetgen.render.pdf.pdf_file import PdfWriter
from sheetgen.render.pdf.syntax import pdf_numbers
from sheetgen.render.press.appearances import Compositor
from sheetgen.render.press.live_fields import hint_colour
from sheetgen.render.press.prepared import PreparedPlate
from sheetgen.render.press.slots import Size


class SharedObjects:
    """What is written once, however many plates and leaves of a document use it."""

    def __init__(self, file: PdfWriter) -> None:
        self._file = file
        self._numbers: dict[str, int] = {}
        self._drawings: dict[bytes, int] = {}
        self._spares: dict[str, SubsetFont] = {}

    def object(self, plate: PreparedPlate, index: int) -> int:
        """Return the number of one of a plate's shared objects."""
        one = plate.shared[index]
        if one.digest not in self._numbers:
            refs = tuple(self.object(plate, ref) for ref in one.refs)
            here = self._numbers[one.digest] = self._file.take()
            body = one.template % refs
            if one.data is None:
                self._file.add(here, body)
            else:
                self._file.stream(here, b"%sstream\n%s\nendstream" % (body, one.data))
        return self._numbers[one.digest]

    def spare(self, plate: PreparedPlate, face: str) -> SubsetFont:
        """Return the font for the rare letters of a face of `plate`."""
        row = plate.header["faces"][face]
        one = plate.shared[row["spare"]]
        if one.digest not in self._spares:
            name, metrics = row["spare_name"].encode(), plate.plate.metrics[face]
            self._spares[one.digest] = SubsetFont(name, one.data or b"", metrics, self._file)
        return self._spares[one.digest]

    def finish(self) -> None:
        """Write the fonts that were made while the document was."""
        for spare in self._spares.values():
            spare.write()

    def drawing(self, content: bytes, size: Size) -> int:
        """Return the number of a form that draws `content` in a box of `size`."""
        body = b"<</Type/XObject/Subtype/Form/BBox[0 0 %s]/Length %d>>stream\n%s\nendstream"
        body %= (pdf_numbers(*size), len(content), content)
        if body not in self._drawings:
            self._drawings[body] = self._file.take()
            self._file.stream(self._drawings[body], body)
        return self._drawings[body]


class PlateRun:
    """One plate in one document.

    Attributes:
        contents: Numbers of what is printed on each page.
        resources: Number of the resources of its pages.
        appearance_resources: Number of the resources of its fields' appearances.
        compositor: Sets its texts.
        typed: Faces that a reader types in.
        labels: Those that were set, by index of the place and text; see `fillings`.
    """

    def __init__(self, plate: PreparedPlate, file: PdfWriter, shared: SharedObjects) -> None:
        self.plate = plate
        self.resources = file.take(3)
        self.appearance_resources = self.resources + 1
        self._fonts = self.resources + 2
        self.contents = tuple(shared.object(plate, index) for index in plate.header["contents"])
        self._spares = {face: shared.spare(plate, face) for face in plate.typefaces}
        self.compositor = Compositor(plate.typefaces, self._spares, plate.kept)
        self.typed: set[str] = set()
        self._file, self._shared = file, shared
        self._shapes: dict[tuple[str, Size], int] = {}
        self._on_pages: dict[bytes, int] = {}
        self._bars: tuple[int, ...] = ()
        self.labels: dict[tuple[int, Setting | None], bytes] = {}

    def shape(self, name: str, size: Size) -> int:
        """Return the number of a form that draws the shape called `name`."""
        if (name, size) not in self._shapes:
            drawn = self.plate.drawn(name, size)
            self._shapes[name, size] = self._shared.drawing(drawn, size)
        return self._shapes[name, size]

    def bars(self) -> tuple[int, ...]:
        """Return the numbers of the forms that draw the plate's hints, by their sizes."""
        if len(self._bars) < len(self.plate.bars):
            filled = hint_colour(self.plate.plate.tokens.colours) + b" 0 0 %s re f"
            drawn = (self._shared.drawing(filled % pdf_numbers(*s), s) for s in self.plate.bars)
            self._bars = tuple(drawn)
        return self._bars

    def on_page(self, name: str, size: Size) -> bytes:
        """Return what pages call the shape called `name`, in `size`."""
        number = self.shape(name, size)
        called = b"/S%d" % number
        self._on_pages[called] = number
        return called

    def use_frames(self) -> None:
        """Let pages draw the frames that the tick styles give."""
        for (shape, size), called in self.plate.frames.items():
            self._on_pages[called] = self.shape(shape, size)

    def finish(self) -> dict[bytes, int]:
        """Write the resources, now that all that is used is known; return their fonts."""
        header, plate = self.plate.header, self.plate
        fonts = {
            b"/" + name.encode(): self._shared.object(plate, index)
            for name, index in header["static"].items()
        }
        for face, typeface in plate.typefaces.items():
            row, used = header["faces"][face], self.compositor.used
            simple, core, spare = typeface.names
            if simple in used:
                fonts[simple] = self._shared.object(plate, row["typed"])
            if core in used:
                fonts[core] = self._shared.object(plate, row["core"])
            if spare in used:
                fonts[spare] = self._spares[face].number
        self._file.add(self._fonts, _references(fonts))
        # PDF.js takes these together with the form's own only where they stand here.
        self._file.add(self.appearance_resources, b"<</Font%s>>" % _references(fonts))
        drawn = dict(self._on_pages)
        for name, index in header["xobjects"].items():
            drawn[b"/" + name.encode()] = self._shared.object(plate, index)
        template, refs = header["resources"]
        entries = template.encode() % tuple(self._shared.object(plate, r) for r in refs)
        self._file.add(
            self.resources,
            b"<<%s/Font %d 0 R/XObject%s>>" % (entries, self._fonts, _references(drawn)),
        )
        return fonts

    def typed_fonts(self) -> dict[bytes, int]:
        """Return the fonts that a reader types in, by the names that fields use."""
        return {
            self.plate.typed_names[face]: self._shared.object(
                self.plate, self.plate.header["faces"][face]["typed"]
            )
            for face in sorted(self.typed)
        }


def _references(found: dict[bytes, int]) -> bytes:
    return b"<<%s>>" % b"".join(
        b"%s %d 0 R" % (name, number) for name, number in sorted(found.items())
    )
