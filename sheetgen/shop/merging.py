"""Several finished files as one: pages, fields, tags, bookmarks and links all stay what they were."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sheetgen.shop.bookmarks import Mark, Places, put_marks, top_of
from sheetgen.shop.claims import claims_of
from sheetgen.shop.folios import Folios
from sheetgen.shop.merged_forms import Forms
from sheetgen.shop.merged_tags import Tags
from sheetgen.shop.saving import describe, opened
from sheetgen.shop.sharing import Shared

LINK = "part:"
"""Begins an address on the cover that means a page: that on which a part begins, from 0."""


@dataclass(frozen=True, slots=True)
class Part:
    """A finished PDF that becomes a part of another.

    Attributes:
        entry: What it belongs to, with its neighbours that say the same.
    """

    title: str
    data: bytes
    entry: str


@dataclass(frozen=True, slots=True)
class Told:
    """What the whole says of itself."""

    title: str
    lang: str
    subject: str
    producer: str = "sheetgen"


@dataclass(frozen=True, slots=True)
class PartInfo:
    """What a part says of itself; what it does not say is empty."""

    title: str
    lang: str
    subject: str
    pages: int


class BrokenPart(ValueError):
    """A part that is no PDF, or one that cannot be opened.

    Attributes:
        at: Its place among the parts, from 0; -1 for the cover.
    """

    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at = at


def part_info(data: bytes, at: int = 0) -> PartInfo:
    """Return what the file `data` says of itself.

    Raises:
        BrokenPart: It cannot be read.
    """
    with _part(data, at) as pdf:
        info = pdf.docinfo
        title, subject = (str(info.get(key, "")) for key in ("/Title", "/Subject"))
        return PartInfo(title, str(pdf.Root.get("/Lang", "")), subject, len(pdf.pages))


def merged(
    parts: Sequence[Part], told: Told, cover: bytes | None = None, face: bytes | None = None
) -> bytes:
    """Return `parts` as one PDF, in their order; equal input gives equal bytes.

    Fields of the part at place n hang below a group `p<n>`, counted from 1. Bookmarks are
    those of entries, below them of parts, below these the parts' own.

    Args:
        cover: A PDF that comes first; its links to `part:0` and so on lead to the parts.
        face: A TrueType font that numbers are set in at the foot of each page but the cover;
            without it pages have none.

    Raises:
        BrokenPart: One of them is no PDF, or one that cannot be opened.
    """
    import pikepdf

    with pikepdf.new() as pdf:
        whole = _Whole(pdf, told)
        if cover is not None:
            whole.add(-1, Part(told.title, cover, ""))
        first = len(pdf.pages)
        marks: list[Mark] = []
        at = 0
        for entry, group in groupby(parts, lambda part: part.entry):
            members = list(group)
            below = whole.tags.entry(entry) if len(members) > 1 else None
            made = [whole.add(at + n, part, below) for n, part in enumerate(members)]
            at += len(members)
            # An entry of one part is that part; its title says what the entry is called.
            one = Mark(entry, made[0].page, own=made[0].own)
            marks.append(one if len(made) == 1 else Mark(entry, made[0].page, below=made))
        whole.lead(first)
        if face is not None and len(pdf.pages) > first:
            Folios(pdf, face).put(first)
            pdf.Root.PageLabels = pikepdf.Dictionary(Nums=[0, {"/S": pikepdf.Name.D}])
        put_marks(pdf, marks)
        return whole.finished()


@contextmanager
def _part(data: bytes, at: int) -> Iterator[Any]:
    """Open a part; whatever is wrong with it is said to be wrong with it.

    Raises:
        BrokenPart: Something is.
    """
    import pikepdf

    try:
        with opened(data) as pdf:
            if pdf.is_encrypted:
                raise BrokenPart(at, "it is encrypted")
            if not len(pdf.pages):
                raise BrokenPart(at, "it has no pages")
            yield pdf
    except pikepdf.PasswordError:
        raise BrokenPart(at, "it is encrypted") from None
    except (pikepdf.PdfError, pikepdf.ForeignObjectError) as error:
        raise BrokenPart(at, str(error).partition("\n")[0]) from None
    except (AttributeError, KeyError, IndexError, TypeError, RuntimeError) as error:
        raise BrokenPart(at, f"its objects are not what they should be: {error}") from None


class _Whole:
    """The file that is being put together."""

    def __init__(self, pdf: Any, told: Told) -> None:
        self.pdf, self.told = pdf, told
        self.shared = Shared()
        self.tags = Tags(pdf, told.lang)
        self.forms = Forms(pdf, self.shared)
        self.places = Places(pdf)
        self.starts: list[tuple[Any, str]] = []
        self.accessible = self.true_to_size = False
        self.count = 0

    def add(self, at: int, part: Part, below: Any = None) -> Mark:
        """Take a part in, and return its bookmark.

        Args:
            at: Its place, from 0; -1 is the cover.
            below: The tag that its own hang below, if not the whole's.

        Raises:
            BrokenPart: It cannot be read.
        """
        with _part(part.data, at) as source:
            self.tags.prepare(source, at + 1)
            self.places.prepare(source, at + 1)
            start = len(self.pdf.pages)
            for page in source.pages:
                self.pdf.pages.append(page)
            pages = [page.obj for page in self.pdf.pages[start:]]
            self.tags.take(source, part.title, below)
            self.forms.take(source, f"p{at + 1}", part.title)
            own = self.places.take(source)
            self.shared.settle_pages(pages)
            self._claims(source)
        if at >= 0:
            self.starts.append((pages[0], part.title))
        return Mark(part.title, pages[0], own=own)

    def _claims(self, source: Any) -> None:
        accessible = any(claim.startswith("PDF/UA") for claim in claims_of(source))
        self.accessible = accessible and (self.accessible or self.count == 0)
        wishes = source.Root.get("/ViewerPreferences", {})
        self.true_to_size |= str(wishes.get("/PrintScaling", "")) == "/None"
        self.count += 1

    def lead(self, pages: int) -> None:
        """Let links of the first `pages` pages lead to the parts that they name."""
        for page in self.pdf.pages[:pages]:
            for one in page.obj.get("/Annots", ()):
                address = str(one.get("/A", {}).get("/URI", ""))
                number = address.removeprefix(LINK)
                if address.startswith(LINK) and number.isdigit() and int(number) < len(self.starts):
                    start, title = self.starts[int(number)]
                    del one["/A"]
                    one.Dest = top_of(start)
                    one.Contents = title

    def finished(self) -> bytes:
        """Return the whole, as bytes."""
        import pikepdf

        pdf, told = self.pdf, self.told
        pdf.Root.Lang = told.lang
        pdf.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        if self.true_to_size:
            pdf.Root.ViewerPreferences.PrintScaling = pikepdf.Name("/None")
        self.tags.put()
        self.forms.put()
        self.places.put()
        for key, value in (
            ("/Title", told.title),
            ("/Subject", told.subject),
            ("/Producer", told.producer),
        ):
            pdf.docinfo[key] = value
        describe(pdf, {"pdfuaid:part": "1"} if self.accessible else {})
        target = io.BytesIO()
        pdf.save(
            target,
            force_version="1.7",
            fix_metadata_version=False,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            deterministic_id=True,
        )
        return target.getvalue()
