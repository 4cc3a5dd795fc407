"""Several finished files as one: pages, fields, tags, bookmarks and links stay what they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sheetgen.finish.inspect.claims import claims_of
from sheetgen.finish.merge.bookmarks import (
    NamedPlaces,
    Start,
    bookmark,
    destination,
    hang_below,
    put_bookmarks,
)
from sheetgen.finish.merge.forms import MergedForm
from sheetgen.finish.merge.object_copier import Binder, ObjectCopier
from sheetgen.finish.merge.page_numbers import PageNumbers
from sheetgen.finish.merge.parts import is_duplex, opened_part
from sheetgen.finish.merge.scripts import Scripts
from sheetgen.finish.merge.tags import Tags
from sheetgen.finish.saving import write_metadata

LINK = "part:"
"""Begins an address on the cover that means a page: that on which a part begins, from 0."""


@dataclass(frozen=True, slots=True)
class MergePart:
    """A finished PDF that becomes a part of another.

    Attributes:
        entry: What it belongs to, with its neighbours that say the same.
    """

    title: str
    data: bytes
    entry: str


@dataclass(frozen=True, slots=True)
class MergedInfo:
    """What the whole says of itself."""

    title: str
    lang: str
    subject: str
    producer: str = "sheetgen"


def merge_parts(
    parts: Sequence[MergePart],
    told: MergedInfo,
    cover: bytes | None = None,
    face: bytes | None = None,
    safe: float = 0.0,
) -> bytes:
    """Return `parts` as one PDF, in their order; equal input gives equal bytes.

    Fields of the part at place n hang below a group `p<n>`, counted from 1. Bookmarks are
    those of entries, below them of parts, below these the parts' own.

    Args:
        cover: A PDF that comes first; its links to `part:0` and so on lead to the parts.
        face: A TrueType font that numbers are set in at the foot of each page but the cover;
            without it pages have none.
        safe: Points from the edges of a page within which no number may stand.

    Raises:
        BrokenPart: One of them is no PDF, or one that cannot be opened.
    """
    import pikepdf

    with pikepdf.new() as pdf:
        whole = _Whole(pdf, told)
        if face is not None:
            whole.folios = PageNumbers(whole.own, face, safe)
        if cover is not None:
            with opened_part(cover, -1) as source:
                whole.count = len(source.pages)
        before, at = whole.count, 0
        marks: list[Any] = []
        for entry, group in groupby(parts, lambda part: part.entry):
            members = list(group)
            below = whole.tags.entry(entry) if len(members) > 1 else None
            made = [whole.add(at + n, part, below) for n, part in enumerate(members)]
            at += len(members)
            if below is None:  # an entry of one part is that part
                made[0].Title = entry
                marks += made
            else:
                marks.append(bookmark(whole.own, entry, whole.starts[at - len(members)][0]))
                hang_below(marks[-1], made)
        put_bookmarks(whole.own, marks)
        if cover is not None:
            whole.add_cover(cover, before)
        return whole.finished()


class _Whole:
    """The file that is being put together.

    Attributes:
        own: What is new in it, and belongs to no part.
        starts: Where each part begins, and what it is called.
        count: Pages so far.
    """

    def __init__(self, pdf: Any, told: MergedInfo) -> None:
        self.pdf, self.told = pdf, told
        self.binder = Binder()
        self.file = self.binder.file
        self.own = ObjectCopier(self.binder, pdf)
        self.tags = Tags(self.own, told.lang)
        self.forms = MergedForm(self.own)
        self.places = NamedPlaces(self.own)
        self.scripts = Scripts(self.own)
        self.folios: PageNumbers | None = None
        self.starts: list[tuple[Start, str]] = []
        self.pages: list[int] = []
        self.node = self.file.take()
        self.accessible, self.true_to_size = True, False
        self.count = 0

    def add(self, at: int, part: MergePart, below: Any = None) -> Any:
        """Take a part in, and return its bookmark, which hangs nowhere yet.

        Args:
            at: Its place, from 0.
            below: The tag that its own hang below, if not the whole's.

        Raises:
            BrokenPart: It cannot be read.
        """
        with opened_part(part.data, at) as source:
            if is_duplex(source):
                self.begin_sheet(source.pages[0])
            sheaf = ObjectCopier(self.binder, source, self.tags.next, b"%d." % (at + 1))
            _share_drawings(sheaf)
            crowded = _is_true_to_size(source)
            for page in source.pages:
                self.count += 1
                if self.folios is not None:
                    self.folios.put(sheaf, page, self.count, crowded=crowded)
            start = self._take(sheaf, at + 1, part.title, below)
            mark = bookmark(self.own, part.title, start)
            self.places.take(sheaf, at + 1, mark)
            self.scripts.take(sheaf, at + 1)
            self.forms.take(sheaf, f"p{at + 1}", part.title)
            self._write(sheaf)
        self.starts.append((start, part.title))
        return mark

    def begin_sheet(self, page: Any) -> None:
        """Add a blank page, as large as `page`, if the next page would be the back of a sheet."""
        import pikepdf

        if self.count % 2:
            size = [round(float(side), 3) for side in page.mediabox]
            blank = pikepdf.Dictionary(Type=pikepdf.Name.Page, MediaBox=size)
            blank.Resources = pikepdf.Dictionary()
            blank.Parent = self.own.proxy(self.node)
            self.pages.append(self.own.number(blank))
            self.count += 1

    def add_cover(self, data: bytes, count: int) -> None:
        """Put the cover, of `count` pages, before all else; its links lead to the parts.

        Raises:
            BrokenPart: It cannot be read.
        """
        with opened_part(data, -1) as source:
            sheaf = ObjectCopier(self.binder, source, self.tags.next, b"0.")
            _share_drawings(sheaf)
            for page in source.pages:
                for one in page.obj.get("/Annots", ()):
                    self._lead(sheaf, one)
            self._take(sheaf, 0, self.told.title, None)
            self._write(sheaf)
        self.pages = self.pages[-count:] + self.pages[:-count]
        self.tags.last_first()

    def _lead(self, sheaf: ObjectCopier, one: Any) -> None:
        address = str(one.get("/A", {}).get("/URI", ""))
        number = address.removeprefix(LINK)
        if address.startswith(LINK) and number.isdigit() and int(number) < len(self.starts):
            start, title = self.starts[int(number)]
            del one["/A"]
            one.Dest, one.Contents = destination(sheaf, start), title

    def _take(self, sheaf: ObjectCopier, number: int, title: str, below: Any) -> Start:
        """Take pages and tags, and return where they begin."""
        above = sheaf.proxy(self.node)
        for page in sheaf.pdf.pages:
            page.obj.Parent = above
        numbers = [sheaf.number(page.obj) for page in sheaf.pdf.pages]
        self.pages += numbers
        self.tags.take(sheaf, number, title, below)
        claims = claims_of(sheaf.pdf)
        self.accessible &= any(claim.startswith("PDF/UA") for claim in claims)
        self.true_to_size |= _is_true_to_size(sheaf.pdf)
        first = sheaf.pdf.pages[0]
        left, _, _, top = (float(side) for side in first.cropbox)
        return numbers[0], left, top

    def _write(self, sheaf: ObjectCopier) -> None:
        sheaf.write()
        self.tags.ids |= sheaf.ids

    def finished(self) -> bytes:
        """Return the whole, as bytes."""
        import pikepdf

        pdf, told = self.pdf, self.told
        root = pdf.Root
        root.Lang = told.lang
        root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        if self.true_to_size:
            root.ViewerPreferences.PrintScaling = pikepdf.Name("/None")
        if self.folios is not None:
            root.PageLabels = pikepdf.Dictionary(Nums=[0, {"/S": pikepdf.Name.D}])
        for part in (self.tags, self.forms, self.places, self.scripts):
            part.put()
        said = {"/Title": told.title, "/Subject": told.subject, "/Producer": told.producer}
        for key, value in said.items():
            pdf.docinfo[key] = value
        write_metadata(pdf, {"pdfuaid:part": "1"} if self.accessible else {})
        root.Pages = self.own.proxy(self.node)
        kids = b" ".join(b"%d 0 R" % number for number in self.pages)
        self.file.add(self.node, b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(self.pages), kids))
        numbers = self.own.number(root), self.own.number(pdf.docinfo)
        self.own.write()
        return self.file.finish(*numbers)


def _is_true_to_size(pdf: Any) -> bool:
    """Whether an open file asks not to be scaled, as sheets of cards do."""
    wishes = pdf.Root.get("/ViewerPreferences", {})
    return str(wishes.get("/PrintScaling", "")) == "/None"


def _share_drawings(sheaf: ObjectCopier) -> None:
    """Take what pages are drawn with so that other parts may share it.

    Each page says from here on what it had from the nodes above it.
    """
    for page in sheaf.pdf.pages:
        holder = page.obj
        while (holder := holder.get("/Parent")) is not None:
            for key in ("/Resources", "/MediaBox", "/CropBox", "/Rotate"):
                if key in holder and key not in page.obj:
                    page.obj[key] = holder[key]
        for key in ("/Resources", "/Contents"):
            _share(sheaf, page.obj.get(key))


def _share(sheaf: ObjectCopier, one: Any) -> None:
    import pikepdf

    if not isinstance(one, pikepdf.Object):
        return
    if one.is_indirect:
        sheaf.shared(one)
    elif isinstance(one, pikepdf.Dictionary | pikepdf.Array):
        for value in one.values() if isinstance(one, pikepdf.Dictionary) else one:
            _share(sheaf, value)
