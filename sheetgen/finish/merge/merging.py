"""Merge finished PDFs; pages, fields, tags, bookmarks and links keep working."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby, product
from typing import Any, Final

from sheetgen.finish.merge.object_copier import MergeTarget, ObjectCopier
from sheetgen.finish.merge.structure import (
    MergedForm,
    MergedNames,
    Start,
    Tags,
    bookmark,
    destination,
    hang_below,
    put_bookmarks,
)
from sheetgen.finish.pictures import PageBox, painted_boxes
from sheetgen.finish.saving import (
    claims_of,
    open_pdf,
    precise_numbers,
    walk_annotations,
    write_metadata,
)
from sheetgen.records import frozen
from sheetgen.units import MM

LINK = "part:"
"""Prefix of an address on the cover that means the first page of a part, counted from 0."""


@frozen
class MergePart:
    """A finished PDF to be merged.

    Attributes:
        entry: Title of its entry; adjacent parts with the same title share an entry.
    """

    title: str
    data: bytes
    entry: str


@frozen
class MergedInfo:
    """Metadata of the merged file."""

    title: str
    lang: str
    subject: str
    producer: str = "sheetgen"


def merge_parts(
    parts: Sequence[MergePart],
    info: MergedInfo,
    cover: bytes | None = None,
    face: bytes | None = None,
    safe: float = 0.0,
    *,
    duplex: bool = False,
) -> bytes:
    """Return `parts` as one PDF, in their order; equal input gives equal bytes.

    Fields of part n, counted from 1, are put below a field `p<n>`. The first level of bookmarks
    are entries, the second parts; below these are the parts' own.

    Args:
        cover: A PDF that comes first; its links to `part:0` and so on lead to the parts.
        face: A TrueType font for page numbers, which all pages but the cover get; None for
            no page numbers.
        safe: Points from the edges of a page that page numbers keep away from.
        duplex: Whether the file is printed on both sides: each part begins on a sheet of paper
            of its own.

    Raises:
        BrokenPart: A part is not a PDF, or cannot be opened.
    """
    import pikepdf

    with pikepdf.new() as pdf:
        target = _MergedFile(pdf, info, duplex=duplex)
        if face is not None:
            target.page_numbers = PageNumbers(target.own, face, safe)
        if cover is not None:
            with opened_part(cover, -1) as source:
                target.count, target.size = len(source.pages), _media_size(source.pages[-1])
        before, at = target.count, 0
        marks: list[Any] = []
        for entry, group in groupby(parts, lambda part: part.entry):
            members = list(group)
            below = target.tags.entry(entry) if len(members) > 1 else None
            added = [target.add(at + n, part, below) for n, part in enumerate(members)]
            at += len(members)
            if below is None:  # an entry with one part has the bookmark of that
                added[0].Title = entry
                marks += added
            else:
                marks.append(bookmark(target.own, entry, target.starts[at - len(members)][0]))
                hang_below(marks[-1], added)
        put_bookmarks(target.own, marks)
        if cover is not None:
            target.add_cover(cover, before)
        return target.serialize()


class _MergedFile:
    """The merged file while it is built.

    Attributes:
        own: Copies new objects, which belong to no part.
        starts: Where each part begins, and its title.
        count: Number of pages so far.
        size: The media box of the last of them.
        duplex: See `merge_parts`.
    """

    def __init__(self, pdf: Any, info: MergedInfo, *, duplex: bool) -> None:
        self.pdf, self.info, self.duplex = pdf, info, duplex
        self.merge_target = MergeTarget()
        self.file = self.merge_target.file
        self.own = ObjectCopier(self.merge_target, pdf)
        self.tags = Tags(self.own, info.lang)
        self.forms = MergedForm(self.own)
        self.names = MergedNames(self.own)
        self.page_numbers: PageNumbers | None = None
        self.starts: list[tuple[Start, str]] = []
        self.pages: list[int] = []
        self.node = self.file.take()
        self.accessible, self.true_to_size = True, False
        self.count = 0
        self.size: list[float] = []

    def add(self, at: int, part: MergePart, below: Any = None) -> Any:
        """Add a part, and return its bookmark, which has no parent yet.

        Args:
            at: Its index.
            below: The structure element of its entry, if that has several parts.

        Raises:
            BrokenPart: It cannot be read.
        """
        with opened_part(part.data, at) as source, painted_boxes(part.data) as painted:
            if self.duplex or is_duplex(source):
                self.begin_sheet(_media_size(source.pages[0]))
            copier = ObjectCopier(self.merge_target, source, self.tags.next, b"%d." % (at + 1))
            _share_drawings(copier)
            crowded = _is_true_to_size(source)
            for number, page in enumerate(source.pages):
                self.count += 1
                if self.page_numbers is not None:
                    boxes = partial(painted, number)
                    self.page_numbers.put(copier, page, self.count, boxes, crowded=crowded)
            start = self._add_pages(copier, at + 1, part.title, below)
            mark = bookmark(self.own, part.title, start)
            self.names.add_part(copier, at + 1, mark)
            self.forms.add_part(copier, f"p{at + 1}", part.title)
            self.size = _media_size(source.pages[-1])
            self._write(copier)
        self.starts.append((start, part.title))
        return mark

    def begin_sheet(self, size: list[float]) -> None:
        """Add a blank page if the next page would be the back of a sheet.

        Args:
            size: Of the blank page, if none is before it whose size it can have.
        """
        import pikepdf

        if self.count % 2:
            blank = pikepdf.Dictionary(Type=pikepdf.Name.Page, MediaBox=self.size or size)
            blank.Resources = pikepdf.Dictionary()
            blank.Parent = self.own.proxy(self.node)
            self.pages.append(self.own.number(blank))
            self.count += 1

    def add_cover(self, data: bytes, count: int) -> None:
        """Put the cover, of `count` pages, first; its links lead to the parts.

        Raises:
            BrokenPart: It cannot be read.
        """
        with opened_part(data, -1) as source:
            copier = ObjectCopier(self.merge_target, source, self.tags.next, b"0.")
            _share_drawings(copier)
            for one in walk_annotations(source):
                address = str(one.get("/A", {}).get("/URI", ""))
                number = address.removeprefix(LINK)
                known = number.isdigit() and int(number) < len(self.starts)
                if address.startswith(LINK) and known:
                    start, title = self.starts[int(number)]
                    del one["/A"]
                    one.Dest, one.Contents = destination(copier, start), title
            self._add_pages(copier, 0, self.info.title, None)
            self._write(copier)
        self.pages = self.pages[-count:] + self.pages[:-count]
        self.tags.move_last_first()

    def _add_pages(self, copier: ObjectCopier, number: int, title: str, below: Any) -> Start:
        above = copier.proxy(self.node)
        for page in copier.pdf.pages:
            page.obj.Parent = above
        numbers = [copier.number(page.obj) for page in copier.pdf.pages]
        self.pages += numbers
        self.tags.add_part(copier, number, title, below)
        claims = claims_of(copier.pdf)
        self.accessible &= any(claim.startswith("PDF/UA") for claim in claims)
        self.true_to_size |= _is_true_to_size(copier.pdf)
        left, _, _, top = (float(side) for side in copier.pdf.pages[0].cropbox)
        return numbers[0], left, top

    def _write(self, copier: ObjectCopier) -> None:
        copier.write()
        self.tags.ids |= copier.ids

    def serialize(self) -> bytes:
        import pikepdf

        pdf, info = self.pdf, self.info
        root = pdf.Root
        root.Lang = info.lang
        root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        if self.true_to_size:
            root.ViewerPreferences.PrintScaling = pikepdf.Name("/None")
        if self.duplex:
            root.ViewerPreferences.Duplex = pikepdf.Name.DuplexFlipLongEdge
        if self.page_numbers is not None:
            root.PageLabels = pikepdf.Dictionary(Nums=[0, {"/S": pikepdf.Name.D}])
        for part in (self.tags, self.forms, self.names):
            part.finish()
        values = {"/Title": info.title, "/Subject": info.subject, "/Producer": info.producer}
        for key, value in values.items():
            pdf.docinfo[key] = value
        write_metadata(pdf, {"pdfuaid:part": "1"} if self.accessible else {})
        root.Pages = self.own.proxy(self.node)
        kids = b" ".join(b"%d 0 R" % number for number in self.pages)
        self.file.add(self.node, b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(self.pages), kids))
        numbers = self.own.number(root), self.own.number(pdf.docinfo)
        self.own.write()
        return self.file.finish(*numbers)


def _media_size(page: Any) -> list[float]:
    return [round(float(side), 3) for side in page.mediabox]


def _is_true_to_size(pdf: Any) -> bool:
    """Whether an open file asks viewers not to scale it, as sheets of cards do."""
    return _preference(pdf, "/PrintScaling") == "/None"


def _preference(pdf: Any, key: str) -> str:
    return str(pdf.Root.get("/ViewerPreferences", {}).get(key, ""))


def _share_drawings(copier: ObjectCopier) -> None:
    """Copy the resources and contents of pages so that parts share equal ones.

    Attributes that pages inherit are written into them.
    """
    import pikepdf

    for page in copier.pdf.pages:
        holder = page.obj
        while (holder := holder.get("/Parent")) is not None:
            for key in ("/Resources", "/MediaBox", "/CropBox", "/Rotate"):
                if key in holder and key not in page.obj:
                    page.obj[key] = holder[key]
        pending = [page.obj.get(key) for key in ("/Contents", "/Resources")]
        while pending:
            one = pending.pop()
            if isinstance(one, pikepdf.Object) and one.is_indirect:
                copier.shared(one)
            elif isinstance(one, pikepdf.Dictionary | pikepdf.Array):
                values = one.values() if isinstance(one, pikepdf.Dictionary) else one
                pending += reversed(list(values))


@frozen
class PartInfo:
    """Metadata of a part; missing values are empty.

    Attributes:
        pages: Number of pages.
        duplex: Whether every second page is the back of the page before it.
    """

    title: str
    lang: str
    subject: str
    pages: int
    duplex: bool = False


class BrokenPart(ValueError):
    """A part that is not a PDF, or cannot be opened.

    Attributes:
        at: Its index among the parts; -1 for the cover.
    """

    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at = at


def part_info(data: bytes, at: int = 0) -> PartInfo:
    """Return the metadata of the PDF `data`.

    Raises:
        BrokenPart: It cannot be read.
    """
    with opened_part(data, at) as pdf:
        info = pdf.docinfo
        title, subject = (str(info.get(key, "")) for key in ("/Title", "/Subject"))
        lang = str(pdf.Root.get("/Lang", ""))
        return PartInfo(title, lang, subject, len(pdf.pages), is_duplex(pdf))


def is_duplex(pdf: Any) -> bool:
    """Whether an open file asks to be printed on both sides."""
    return _preference(pdf, "/Duplex").startswith("/DuplexFlip")


@contextmanager
def opened_part(data: bytes, at: int) -> Iterator[Any]:
    """Open a part; errors in the `with` block that its data causes become `BrokenPart`.

    Args:
        at: Its index among the parts; -1 for the cover.

    Raises:
        BrokenPart: It cannot be opened or read.
    """
    import pikepdf

    try:
        with open_pdf(data) as pdf:
            if pdf.is_encrypted:
                raise BrokenPart(at, "it is encrypted")
            if not len(pdf.pages):
                raise BrokenPart(at, "it has no pages")
            yield pdf
    except pikepdf.PasswordError:
        raise BrokenPart(at, "it is encrypted") from None
    except (pikepdf.PdfError, pikepdf.ForeignObjectError) as error:
        raise BrokenPart(at, str(error).partition("\n")[0]) from None
    except BrokenPart:
        raise
    except (AttributeError, LookupError, TypeError, ValueError, RuntimeError) as error:
        raise BrokenPart(at, f"its objects are not what they should be: {error}") from None


_DIGITS: Final = "0123456789"
_SIZE: Final = 7.5
"""Points."""

_DISTANCES: Final = (8 * MM, 5 * MM)
"""Distances from the edges: outside the margins of all our designs, and where printers print.
The second one is for sheets of cards and screens, which are printed closer to the edge."""

_CLEAR: Final = 2 * MM
"""Points between a number and what is painted next to it."""

_DRAWN: Final = (
    b"Q/Artifact<</Type/Pagination/Subtype/Footer>>BDC BT 0 g %s %s Tf %s Td(%s)Tj ET EMC"
)
"""Follows the page's own content, which begins with a `q`."""

_NARROWEST: Final = 140 * MM
"""Narrower pages are cards, which get no number."""


class PageNumbers:
    """Page numbers of one file."""

    def __init__(self, target: ObjectCopier, face: bytes, safe: float = 0.0) -> None:
        """Embed the digits of a font.

        Args:
            safe: Points from the edges that stay empty.
        """
        self.distances = [max(away, safe) for away in _DISTANCES]
        font, self.advances = _font(target.pdf, face)
        self.font = target.shared(font)

    def put(
        self,
        part: ObjectCopier,
        page: Any,
        number: int,
        painted: Callable[[], Iterable[PageBox]],
        *,
        crowded: bool = False,
    ) -> None:
        """Print a number on a page of a part, if the page is wide enough.

        It is in the middle, since sheets have their own page numbers at the right.

        Args:
            painted: Returns the boxes of all that is painted on the page.
            crowded: Whether to look for an empty place, as on sheets of cards, which are printed
                up to the edge; on landscape pages, such as screens, one is always looked for.
        """
        import pikepdf

        x0, y0, x1, y1 = (float(side) for side in page.trimbox)
        (left, right), (foot, top) = sorted((x0, x1)), sorted((y0, y1))
        turned = int(page.obj.get("/Rotate", 0)) % 360
        if turned or min(right - left, top - foot) < _NARROWEST:
            return
        obj, digits = page.obj, str(number)
        resources = pikepdf.Dictionary(obj.get("/Resources", {}))
        fonts = pikepdf.Dictionary(resources.get("/Font", {}))
        name = next(name for n in range(99) if (name := f"/Folio{n or ''}") not in fonts)
        fonts[name] = part.proxy(self.font)
        resources.Font = fonts
        obj.Resources = resources
        wide = sum(self.advances[digit] for digit in digits) * _SIZE / 1000
        middle = (left + right - wide) / 2
        places = [(middle, foot + below) for below in self.distances]
        corner = product(self.distances, repeat=2)
        places += [(right - away - wide, foot + below) for away, below in corner]
        chosen = places[0]
        if crowded or right - left > top - foot:
            boxes = [*painted()]
            free = (place for place in places if not any(_meets(place, wide, b) for b in boxes))
            chosen = next(free, places[-1])
        at = precise_numbers(*(round(side, 2) for side in chosen))
        drawn = _DRAWN % (name.encode(), precise_numbers(_SIZE), at, digits.encode())
        before = obj.get("/Contents", pikepdf.Array())
        streams = list(before) if isinstance(before, pikepdf.Array) else [before]
        first, last = part.pdf.make_stream(b"q"), part.pdf.make_stream(drawn)
        obj.Contents = pikepdf.Array([first, *streams, last])


def _meets(place: tuple[float, float], wide: float, box: PageBox) -> bool:
    """Whether a number of this width, with room around it, would be over a box."""
    (x, y), (left, foot, right, top) = place, box
    beside = left < x + wide + _CLEAR and x - _CLEAR < right
    return beside and foot < y + _SIZE + _CLEAR and y - _CLEAR < top


def _font(pdf: Any, data: bytes) -> tuple[Any, dict[str, int]]:
    """Return a font of the digits, and the advance width of each in 1/1000 em."""
    import pikepdf
    from fontTools import subset
    from fontTools.ttLib import TTFont

    options = subset.Options()
    options.hinting, options.notdef_outline, options.glyph_names = False, True, False
    options.layout_features = []
    font = TTFont(io.BytesIO(data), recalcTimestamp=False)
    family = "".join(c for c in font["name"].getDebugName(6) or "Text" if c.isalnum() or c == "-")
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=_DIGITS)
    subsetter.subset(font)
    scale = 1000 / font["head"].unitsPerEm
    names, widths = font.getBestCmap(), font["hmtx"].metrics
    advances = {digit: round(widths[names[ord(digit)]][0] * scale) for digit in _DIGITS}
    head, hhea = font["head"], font["hhea"]
    file = io.BytesIO()
    font.save(file)
    content = pdf.make_stream(file.getvalue())
    content.Length1 = len(file.getvalue())
    name = f"/FOLIOS+{family}"
    box = " ".join(str(round(v * scale)) for v in (head.xMin, head.yMin, head.xMax, head.yMax))
    lines = (hhea.ascent, hhea.descent, font["OS/2"].sCapHeight)
    ascent, descent, cap_height = (round(line * scale) for line in lines)
    described = pikepdf.Object.parse(
        f"<</Type/FontDescriptor/FontName{name}/Flags 32/FontBBox[{box}]/ItalicAngle 0/StemV 80"
        f"/Ascent {ascent}/Descent {descent}/CapHeight {cap_height}>>".encode()
    )
    described.FontFile2 = content
    widths = " ".join(str(advances[digit]) for digit in _DIGITS)
    embedded = pikepdf.Object.parse(
        f"<</Type/Font/Subtype/TrueType/BaseFont{name}/Encoding/WinAnsiEncoding/FirstChar 48"
        f"/LastChar 57/Widths[{widths}]>>".encode()
    )
    embedded.FontDescriptor = pdf.make_indirect(described)
    return pdf.make_indirect(embedded), advances
