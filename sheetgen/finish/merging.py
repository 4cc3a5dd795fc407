"""Merge finished PDFs; pages, fields, tags, bookmarks and links keep working."""

from __future__ import annotations

import hashlib
import io
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import groupby, product
from typing import Any, Final, TypeAlias

import pikepdf

from sheetgen.finish.pictures import PaintedPages
from sheetgen.finish.saving import (
    claims_of,
    list_of,
    open_pdf,
    precise_numbers,
    remove_keys,
    tree_pairs,
    walk_annotations,
    walk_fields,
    write_metadata,
)
from sheetgen.records import frozen
from sheetgen.render.fonts.fonts import read_font_metrics
from sheetgen.render.pdf.pdf_file import LEVEL, PRODUCER, PdfWriter, pack_objects
from sheetgen.render.press.page_objects import DocumentInfo
from sheetgen.units import MM

# Prefix of an address on the cover that means the first page of a part, counted from 0.
LINK: Final = "part:"


@frozen
class MergePart:
    """A finished PDF to be merged."""

    title: str
    data: bytes
    entry: str  # title of its entry; adjacent parts with the same title share an entry


MergedInfo: TypeAlias = DocumentInfo  # of the merged file


def merge_parts(
    parts: Sequence[MergePart],
    info: MergedInfo,
    cover: bytes | None = None,
    face: bytes | None = None,
    safe: float = 0.0,
    *,
    size: float = 8.0,
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
        size: The type size of page numbers in points.
        duplex: Whether the file is printed on both sides: each part begins on a sheet of paper
            of its own.

    Raises:
        BrokenPart: A part is not a PDF, or cannot be opened.
    """
    with pikepdf.new() as pdf:
        target = _MergedFile(pdf, info, duplex=duplex)
        if face is not None:
            target.page_numbers = PageNumbers(target.own, face, safe, size)
        if cover is not None:
            with opened_part(cover, -1) as source:
                target.count, target.size = len(source.pages), _media_size(source.pages[-1])
        before, at = target.count, 0
        marks: list[Any] = []
        for entry, group in groupby(parts, lambda part: part.entry):
            members = list(group)
            below = target.entry(entry) if len(members) > 1 else None
            added = [target.add(at + n, part, below) for n, part in enumerate(members)]
            at += len(members)
            if below is None:  # an entry with one part has the bookmark of that
                added[0].Title = entry
                marks += added
            else:
                marks.append(target.bookmark(entry, target.starts[at - len(members)][0]))
                hang_below(marks[-1], added)
        if cover is not None:
            target.add_cover(cover, before)
        return target.serialize(marks)


class _MergedFile:
    """The merged file while it is built."""

    def __init__(self, pdf: Any, info: MergedInfo, *, duplex: bool) -> None:
        self.pdf, self.info, self.duplex = pdf, info, duplex
        self.file, self.seen = PdfWriter(), dict[bytes, int]()
        self.own = ObjectCopier(self.file, self.seen, pdf)  # of objects that belong to no part
        self.page_numbers: PageNumbers | None = None
        self.starts: list[tuple[Start, str]] = []  # where each part begins, and its title
        self.pages: list[int] = []
        self.node = self.file.take()
        self.accessible, self.true_to_size = True, False
        self.count = 0  # of the pages so far
        self.size: list[float] = []  # the media box of the last of them
        # The structure tree; the leaves of its parent tree, and their next key.
        self.root = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot))
        self.root.K = self.top = self._element("/Document", self.root, "")
        self.parents, self.next, self.untagged = list[Any](), 0, False
        self.ids: dict[bytes, int] = {}
        self.maps: dict[str, dict[str, int]] = {"/RoleMap": {}, "/ClassMap": {}}
        # The form: a group for each part, fields in order of calculation, and resources.
        self.groups, self.order = list[Any](), list[int]()
        self.resources: dict[str, dict[str, int]] = {}
        # Named destinations, and scripts of documents.
        self.names: dict[str, dict[bytes, int]] = {"/Dests": {}, "/JavaScript": {}}

    def add(self, at: int, part: MergePart, below: Any = None) -> Any:
        """Add the part with the index `at`, and return its bookmark, which has no parent yet.

        `below`: the structure element of its entry, if that has several parts.
        """
        with opened_part(part.data, at) as source, closing(PaintedPages(part.data)) as painted:
            if (self.duplex or is_duplex(source)) and self.count % 2:
                # The next page would be the back of a sheet of paper: a blank page comes before it.
                size = self.size or _media_size(source.pages[0])
                blank = pikepdf.Dictionary(Type=pikepdf.Name.Page, MediaBox=size)
                blank.Resources = pikepdf.Dictionary()
                blank.Parent = self.own.proxy(self.node)
                self.pages.append(self.own.number(blank))
                self.count += 1
            copier = ObjectCopier(self.file, self.seen, source, self.next, b"%d." % (at + 1))
            _share_drawings(copier)
            crowded = _is_true_to_size(source)
            for number, page in enumerate(source.pages):
                self.count += 1
                if self.page_numbers is not None:
                    self.page_numbers.put(
                        copier, page, number, self.count, painted, crowded=crowded
                    )
            start = self._add_pages(copier, at + 1, part.title, below)
            mark = self.bookmark(part.title, start)
            self._add_names(copier, at + 1, mark)
            self._add_fields(copier, f"p{at + 1}", part.title)
            self.size = _media_size(source.pages[-1])
            copier.write()
            self.ids |= copier.ids
        self.starts.append((start, part.title))
        return mark

    def add_cover(self, data: bytes, count: int) -> None:
        """Put the cover, of `count` pages, first; its links lead to the parts."""
        with opened_part(data, -1) as source:
            copier = ObjectCopier(self.file, self.seen, source, self.next, b"0.")
            _share_drawings(copier)
            for one in walk_annotations(source):
                address = str(one.get("/A", {}).get("/URI", ""))
                number = address.removeprefix(LINK)
                known = number.isdigit() and int(number) < len(self.starts)
                if address.startswith(LINK) and known:
                    start, title = self.starts[int(number)]
                    del one["/A"]
                    one.Dest, one.Contents = _destination(copier, start), title
            self._add_pages(copier, 0, self.info.title, None)
            copier.write()
            self.ids |= copier.ids
        self.pages = self.pages[-count:] + self.pages[:-count]
        if kids := list(self.top.K):  # the cover comes first in the reading order, too
            self.top.K = pikepdf.Array([kids[-1], *kids[:-1]])

    def bookmark(self, title: str, start: Start) -> Any:
        item = pikepdf.Dictionary(Title=title, Dest=_destination(self.own, start))
        return self.pdf.make_indirect(item)

    def entry(self, title: str) -> Any:
        """Return a new structure element for an entry, which those of its parts are put below."""
        element = self._element("/Part", self.top, title)
        self.top.K.append(element)
        return element

    def _element(self, tag: str, above: Any, title: str) -> Any:
        element = pikepdf.Dictionary(Type=pikepdf.Name.StructElem, S=pikepdf.Name(tag), P=above)
        if title:
            element.T = title
        element.K = pikepdf.Array()
        return self.pdf.make_indirect(element)

    def _add_pages(self, copier: ObjectCopier, number: int, title: str, below: Any) -> Start:
        above = copier.proxy(self.node)
        for page in copier.pdf.pages:
            page.obj.Parent = above
        numbers = [copier.number(page.obj) for page in copier.pdf.pages]
        self.pages += numbers
        self._add_tags(copier, number, title, below)
        self.accessible &= any(claim.startswith("PDF/UA") for claim in claims_of(copier.pdf))
        self.true_to_size |= _is_true_to_size(copier.pdf)
        left, _, _, top = (float(side) for side in copier.pdf.pages[0].cropbox)
        return numbers[0], left, top

    def _add_tags(self, part: ObjectCopier, number: int, title: str, below: Any) -> None:
        """Add the structure tree of a part; `number` is appended to names that clash."""
        tree = part.pdf.Root.get("/StructTreeRoot")
        if tree is None:
            self.untagged = True
            for page in part.pdf.pages:
                for one in (page.obj, *page.obj.get("/Annots", ())):
                    remove_keys(one, "/StructParents", "/StructParent")
            return
        above, tag = (self.top, "/Part") if below is None else (below, "/Sect")
        tops = [one for one in list_of(tree.get("/K")) if isinstance(one, pikepdf.Dictionary)]
        if len(tops) == 1 and tops[0].S == "/Document":
            (element,) = tops
        else:
            element = part.pdf.make_indirect(
                pikepdf.Dictionary(Type=pikepdf.Name.StructElem, K=pikepdf.Array(tops))
            )
            for top in tops:
                top.P = element
        element.S, element.T = pikepdf.Name(tag), title
        element.P = part.proxy(self.own.number(above))
        lang = str(part.pdf.Root.get("/Lang", ""))
        if lang and lang != self.info.lang:
            element.Lang = lang
        # The role map and the class map: names that clash are renamed.
        renamed: dict[str, str] = {}
        for kind, taken in self.maps.items():
            for name, meaning in tree.get(kind, {}).items():
                shared, new = part.shared(meaning), name
                if taken.setdefault(name, shared) != shared:
                    new = renamed[kind + name] = f"{name}-{number}"
                taken[new] = shared
        for one in part.pdf.objects if renamed else ():
            if isinstance(one, pikepdf.Dictionary) and "/S" in one and "/P" in one:
                one.S = pikepdf.Name(renamed.get(f"/RoleMap{one.S}", str(one.S)))
                if "/C" in one:
                    names = [name for name in list_of(one.C) if isinstance(name, pikepdf.Name)]
                    classes = (renamed.get(f"/ClassMap{name}", str(name)) for name in names)
                    one.C = pikepdf.Array([pikepdf.Name(name) for name in classes])
        above.K.append(self.own.proxy(part.number(element)))
        parents = tree_pairs(tree.get("/ParentTree", {}), "/Nums")
        pairs = sorted(((int(key), value) for key, value in parents), key=lambda pair: pair[0])
        if pairs:
            flat = [side for key, value in pairs for side in (key + self.next, value)]
            limits = [pairs[0][0] + self.next, pairs[-1][0] + self.next]
            leaf = pikepdf.Dictionary(Limits=limits, Nums=pikepdf.Array(flat))
            self.parents.append(self.own.proxy(part.number(leaf)))
            self.next += pairs[-1][0] + 1

    def _add_names(self, part: ObjectCopier, number: int, mark: Any) -> None:
        """Add the names of a part, and put its bookmarks below `mark`.

        `number` is appended to names that an earlier part has for something else. The reset buttons
        of a part are limited to its own fields.
        """
        root, known = part.pdf.Root, self.names["/Dests"]
        pairs = tree_pairs(root.get("/Names", {}).get("/Dests", {}), "/Names")
        named = [(bytes(name), place) for name, place in pairs]
        renamed = {name: b"%s-%d" % (name, number) for name, _ in named if name in known}
        for one in part.pdf.objects if renamed else ():
            if not isinstance(one, pikepdf.Dictionary):
                continue
            for holder, at in ((one, "/Dest"), (one.get("/A"), "/D")):  # of links and bookmarks
                place = holder.get(at) if isinstance(holder, pikepdf.Dictionary) else None
                if isinstance(place, pikepdf.String) and bytes(place) in renamed:
                    holder[at] = pikepdf.String(renamed[bytes(place)])
        for name, place in named:
            known[renamed.get(name, name)] = part.number(place)
        items, seen = [], set()
        item = root.get("/Outlines", {}).get("/First")
        while item is not None and item.objgen not in seen:
            seen.add(item.objgen)
            items.append(item)
            item = item.get("/Next")
        if items:
            mark.Count = -_chain(items, part.proxy(self.own.number(mark)))
            mark.First, mark.Last = (self.own.proxy(part.number(items[n])) for n in (0, -1))
        scripts = self.names["/JavaScript"]
        for key, action in tree_pairs(root.get("/Names", {}).get("/JavaScript", {}), "/Names"):
            name, script = bytes(key), part.shared(action)
            clashes = scripts.get(name, script) != script
            scripts[name + b"-%d" % number if clashes else name] = script
        for one in walk_annotations(part.pdf):
            action = one.get("/A", {})
            if str(action.get("/S", "")) == "/ResetForm" and "/Fields" not in action:
                named_fields = walk_fields(root.get("/AcroForm", {}).get("/Fields", ()))
                own = (one for one in named_fields if "/T" in one)
                ends = [o for o in own if not any("/T" in kid for kid in o.get("/Kids", ()))]
                action.Fields = pikepdf.Array(ends)

    def _add_fields(self, part: ObjectCopier, name: str, label: str) -> None:
        """Add the fields of a part below a field with a name, and a label for screen readers."""
        form = part.pdf.Root.get("/AcroForm")
        if form is None or not len(form.get("/Fields", ())):
            return
        group = self.pdf.make_indirect(pikepdf.Dictionary(T=name, TU=label or name))
        above = part.proxy(self.own.number(group))
        for field in form.Fields:
            field.Parent = above
        renamed: dict[str, str] = {}  # new names of fonts that clash
        for kind, entries in form.get("/DR", {}).items():
            if not isinstance(entries, pikepdf.Dictionary):
                continue
            taken = self.resources.setdefault(kind, {})
            for font, entry in entries.items():
                resource, new, count = part.shared(entry), font, 1
                while taken.setdefault(new, resource) != resource:
                    count += 1
                    new = f"{font}-{count}"
                if new != font and kind == "/Font":
                    renamed[font] = new
        for field in walk_fields(form.Fields) if renamed else ():
            if "/DA" in field:
                field.DA = _rename_fonts(str(field.DA), renamed)
        if "/DA" in form:  # fields inherit it
            group.DA = _rename_fonts(str(form.DA), renamed)
        if "/Q" in form:
            group.Q = int(form.Q)
        group.Kids = pikepdf.Array([self.own.proxy(part.number(one)) for one in form.Fields])
        self.groups.append(group)
        self.order += [part.number(one) for one in form.get("/CO", ())]

    def serialize(self, marks: Sequence[Any]) -> bytes:
        """Write what all parts have together; `marks` are the first level of bookmarks."""
        pdf, info, proxy = self.pdf, self.info, self.own.proxy
        root = pdf.Root
        if marks:  # viewers open the file with their first level shown
            root.Outlines = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.Outlines))
            hang_below(root.Outlines, marks)
            root.Outlines.Count = len(marks)
            root.PageMode = pikepdf.Name.UseOutlines
        root.Lang = info.lang
        root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        if self.true_to_size:
            root.ViewerPreferences.PrintScaling = pikepdf.Name("/None")
        if self.duplex:
            root.ViewerPreferences.Duplex = pikepdf.Name.DuplexFlipLongEdge
        if self.page_numbers is not None:
            root.PageLabels = pikepdf.Dictionary(Nums=[0, {"/S": pikepdf.Name.D}])
        if len(self.top.K):
            tree = self.root
            tree.ParentTree = pikepdf.Dictionary(Kids=pikepdf.Array(self.parents))
            tree.ParentTreeNextKey = self.next
            for kind, taken in self.maps.items():
                if taken:
                    tree[kind] = pikepdf.Dictionary({n: proxy(to) for n, to in taken.items()})
            if self.ids:
                tree.IDTree = self._name_tree(self.ids)
            root.StructTreeRoot = tree
            root.MarkInfo = pikepdf.Dictionary(Marked=not self.untagged)
        if self.groups:
            resources = {
                kind: pikepdf.Dictionary({name: proxy(n) for name, n in entries.items()})
                for kind, entries in self.resources.items()
            }
            form = pikepdf.Dictionary(Fields=pikepdf.Array(self.groups), DR=resources)
            if fonts := self.resources.get("/Font"):
                form.DA = f"{next(iter(fonts))} 9 Tf 0 g"
            if self.order:
                form.CO = pikepdf.Array([proxy(number) for number in self.order])
            root.AcroForm = pdf.make_indirect(form)
        for key, names in self.names.items():
            if names:
                root.Names = root.get("/Names", pikepdf.Dictionary())
                root.Names[key] = self._name_tree(names)
        pdf.docinfo["/Title"], pdf.docinfo["/Subject"] = info.title, info.subject
        pdf.docinfo["/Producer"] = PRODUCER
        write_metadata(pdf, {"pdfuaid:part": "1"} if self.accessible else {})
        root.Pages = proxy(self.node)
        kids = b" ".join(b"%d 0 R" % number for number in self.pages)
        self.file.add(self.node, b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(self.pages), kids))
        numbers = self.own.number(root), self.own.number(pdf.docinfo)
        self.own.write()
        return self.file.finish(*numbers)

    def _name_tree(self, names: Mapping[bytes, int]) -> Any:
        pairs = ((pikepdf.String(name), self.own.proxy(names[name])) for name in sorted(names))
        return pikepdf.Dictionary(Names=pikepdf.Array([one for pair in pairs for one in pair]))


# Where a part begins: the object number of its page, the left edge and the top of that.
Start: TypeAlias = tuple[int, float, float]


def _destination(copier: ObjectCopier, start: Start) -> Any:
    """Return a destination at the top of a page that keeps the zoom."""
    number, left, top = start
    return pikepdf.Array([copier.proxy(number), pikepdf.Name.XYZ, left, top, 0])


def hang_below(above: Any, items: Sequence[Any]) -> None:
    """Put bookmarks below one, which is collapsed."""
    above.Count = -_chain(items, above)
    above.First, above.Last = items[0], items[-1]


def _chain(items: Sequence[Any], above: Any) -> int:
    """Make bookmarks siblings below one; return how many are visible if that is expanded."""
    for at, item in enumerate(items):
        item.Parent = above
        for key, sibling in (("/Prev", at - 1), ("/Next", at + 1)):
            if 0 <= sibling < len(items):
                item[key] = items[sibling]
            elif key in item:
                del item[key]
    return sum(1 + max(0, int(item.get("/Count", 0))) for item in items)


def _rename_fonts(appearance: str, renamed: dict[str, str]) -> str:
    return re.sub(r"/[^\s/()<>\[\]{}%]+", lambda name: renamed.get(name[0], name[0]), appearance)


def _media_size(page: Any) -> list[float]:
    return [round(float(side), 3) for side in page.mediabox]


def _prefers(pdf: Any, key: str) -> str:
    return str(pdf.Root.get("/ViewerPreferences", {}).get(key, ""))


def _is_true_to_size(pdf: Any) -> bool:
    """Whether an open file asks viewers not to scale it, as sheets of cards do."""
    return _prefers(pdf, "/PrintScaling") == "/None"


def _share_drawings(copier: ObjectCopier) -> None:
    """Copy the resources and contents of pages so that parts share equal ones.

    Attributes that pages inherit are written into them.
    """
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
    """Metadata of a part; missing values are empty."""

    title: str
    lang: str
    subject: str
    pages: int  # their number
    duplex: bool = False  # whether every second page is the back of the page before it


class BrokenPart(ValueError):
    """A part that is not a PDF, or cannot be opened."""

    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at = at  # its index among the parts; -1 for the cover


def part_info(data: bytes, at: int = 0) -> PartInfo:
    """Return the metadata of the PDF `data`; raises `BrokenPart`."""
    with opened_part(data, at) as pdf:
        info = pdf.docinfo
        title, subject = (str(info.get(key, "")) for key in ("/Title", "/Subject"))
        lang = str(pdf.Root.get("/Lang", ""))
        return PartInfo(title, lang, subject, len(pdf.pages), is_duplex(pdf))


def is_duplex(pdf: Any) -> bool:
    """Whether an open file asks to be printed on both sides."""
    return _prefers(pdf, "/Duplex").startswith("/DuplexFlip")


@contextmanager
def opened_part(data: bytes, at: int) -> Iterator[Any]:
    """Open a part; errors in the `with` block that its data causes become `BrokenPart`."""
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
        # pikepdf begins with the address of the stream in memory.
        why = re.sub(r"^stream <[^>]*>:? *", "", str(error).partition("\n")[0])
        raise BrokenPart(at, why) from None
    except BrokenPart:
        raise
    except (AttributeError, LookupError, TypeError, ValueError, RuntimeError) as error:
        raise BrokenPart(at, f"its objects are not what they should be: {error}") from None


_DIGITS: Final = "0123456789"
# Distances from the edges: outside the margins of all our designs, and where printers print.
# The second one is for sheets of cards and screens, which are printed closer to the edge.
_DISTANCES: Final = (8 * MM, 5 * MM)
_CLEAR: Final = 2 * MM  # points between a number and what is painted next to it
# Follows the page's own content, which begins with a `q`.
_DRAWN: Final = (
    b"Q/Artifact<</Type/Pagination/Subtype/Footer>>BDC BT 0 g %s %s Tf %s Td(%s)Tj ET EMC"
)
_NARROWEST: Final = 140 * MM  # narrower pages are cards, which get no number


class PageNumbers:
    """Page numbers of one file."""

    def __init__(self, target: ObjectCopier, face: bytes, safe: float, size: float) -> None:
        """Embed the digits of a font; `safe`: points from the edges that stay empty."""
        from fontTools import subset
        from fontTools.ttLib import TTFont

        self.size, self.distances = size, [max(away, safe) for away in _DISTANCES]
        pdf = target.pdf
        options = subset.Options(hinting=False, notdef_outline=True, glyph_names=False)
        options.layout_features = []
        font = TTFont(io.BytesIO(face), recalcTimestamp=False)
        given = font["name"].getDebugName(6) or "Text"
        family = "".join(c for c in given if c.isalnum() or c == "-")
        subsetter = subset.Subsetter(options)
        subsetter.populate(text=_DIGITS)
        subsetter.subset(font)
        metrics, head = read_font_metrics(face), font["head"]
        self.advances = {digit: metrics.advances[ord(digit)] for digit in _DIGITS}
        scale = 1000 / head.unitsPerEm
        file = io.BytesIO()
        font.save(file)
        content = pdf.make_stream(file.getvalue())
        content.Length1 = len(file.getvalue())
        name = f"/FOLIOS+{family}"
        box = " ".join(str(round(v * scale)) for v in (head.xMin, head.yMin, head.xMax, head.yMax))
        described = pikepdf.Object.parse(
            f"<</Type/FontDescriptor/FontName{name}/Flags 32/FontBBox[{box}]/ItalicAngle 0/StemV 80"
            f"/Ascent {metrics.ascent}/Descent {metrics.descent}/CapHeight {metrics.cap_height}"
            ">>".encode()
        )
        described.FontFile2 = content
        widths = " ".join(str(self.advances[digit]) for digit in _DIGITS)
        embedded = pikepdf.Object.parse(
            f"<</Type/Font/Subtype/TrueType/BaseFont{name}/Encoding/WinAnsiEncoding/FirstChar 48"
            f"/LastChar 57/Widths[{widths}]>>".encode()
        )
        embedded.FontDescriptor = pdf.make_indirect(described)
        self.font = target.shared(pdf.make_indirect(embedded))

    def put(
        self,
        part: ObjectCopier,
        page: Any,
        index: int,
        number: int,
        painted: PaintedPages,
        *,
        crowded: bool = False,
    ) -> None:
        """Print a number on the page with the index `index` of a part, if the page is wide enough.

        It takes the place of the page's own number, such as `1 / 2`, which is removed. A page
        without one gets it in the middle of the foot. On `crowded` pages, such as sheets of cards,
        and on landscape ones, such as screens, an empty place is looked for.
        """
        x0, y0, x1, y1 = (float(side) for side in page.trimbox)
        (left, right), (foot, top) = sorted((x0, x1)), sorted((y0, y1))
        if int(page.obj.get("/Rotate", 0)) % 360 or min(right - left, top - foot) < _NARROWEST:
            return
        obj, digits = page.obj, str(number)
        resources = pikepdf.Dictionary(obj.get("/Resources", {}))
        fonts = pikepdf.Dictionary(resources.get("/Font", {}))
        name = next(name for n in range(99) if (name := f"/Folio{n or ''}") not in fonts)
        fonts[name] = part.proxy(self.font)
        resources.Font = fonts
        obj.Resources = resources
        wide = sum(self.advances[digit] for digit in digits) * self.size / 1000
        middle = (left + right - wide) / 2
        places = [(middle, foot + below) for below in self.distances]
        corner = product(self.distances, repeat=2)
        places += [(right - away - wide, foot + below) for away, below in corner]
        chosen = places[0]
        own = None if crowded else painted.own_number(index)
        if own is not None and _remove_text(part.pdf, obj, own[:2], top):
            chosen = (own[2] - wide, own[1])
        elif crowded or right - left > top - foot:
            boxes = painted.boxes(index)

            def is_free(place: tuple[float, float]) -> bool:
                """Whether a number, with room around it, is over nothing."""
                x, y = place
                return not any(
                    box[0] < x + wide + _CLEAR
                    and x - _CLEAR < box[2]
                    and box[1] < y + self.size + _CLEAR
                    and y - _CLEAR < box[3]
                    for box in boxes
                )

            chosen = next(filter(is_free, places), places[-1])
        at = precise_numbers(*(round(side, 2) for side in chosen))
        drawn = _DRAWN % (name.encode(), precise_numbers(self.size), at, digits.encode())
        before = obj.get("/Contents", pikepdf.Array())
        streams = list(before) if isinstance(before, pikepdf.Array) else [before]
        first, last = part.pdf.make_stream(b"q"), part.pdf.make_stream(drawn)
        obj.Contents = pikepdf.Array([first, *streams, last])


# A text with its place: of the press, in points; of WeasyPrint, in pixels from the upper edge.
_PLACED: Final = re.compile(
    rb"\bBT\b[^(\[]*?(?P<x>[-.\d]+) (?P<y>[-.\d]+) (?P<unit>Td|Tm)\b.*?\bET\b", re.DOTALL
)
_SHOWN: Final = re.compile(rb"\bT[jJ]\b|['\"]\s")  # operators that show a text
_NEAR: Final = 0.05  # points


def _remove_text(pdf: Any, page: Any, origin: Sequence[float], top: float) -> bool:
    """Remove the text at `origin` from a page; its marked content stays, and is empty."""
    contents = page.Contents
    streams = list(contents) if isinstance(contents, pikepdf.Array) else [contents]
    for n, stream in reversed(list(enumerate(streams))):
        data = bytes(stream.read_bytes())
        for found in reversed(list(_PLACED.finditer(data))):
            x, y = float(found["x"]), float(found["y"])
            if found["unit"] == b"Tm":
                x, y = x * 0.75, top - y * 0.75
            alone = len(_SHOWN.findall(found[0])) == 1
            if alone and abs(x - origin[0]) < _NEAR and abs(y - origin[1]) < _NEAR:
                streams[n] = pdf.make_stream(data[: found.start()] + data[found.end() :])
                page.Contents = pikepdf.Array(streams)
                return True
    return False


_TEXT: Final = rb"\((?:[^\\()]|\\.)*\)"
# What changes in a serialized object: references, keys and identifiers; strings are skipped.
_TOKEN: Final = re.compile(
    rb"(?P<text>%(text)s)|(?P<key>/StructParents? )(?P<at>\d+)|/ID (?P<id>%(text)s|<[^<>]*>)"
    rb"|/Headers \[(?P<heads>[^\]]*)\]|(?P<ref>\d+) (?P<generation>\d+) R\b" % {b"text": _TEXT},
    re.DOTALL,
)
_STRING: Final = re.compile(rb"%s|<[^<>]*>" % _TEXT, re.DOTALL)
_LENGTH: Final = re.compile(rb"/Length \d+(?: \d+ R)?")
_SMALL: Final = 160  # streams of at most so many bytes are not compressed


class ObjectCopier:
    """Copies objects of one open file into a new one: renumbered, and equal ones only once.

    `write` writes them all at once. Nothing is kept of a file that was copied, so memory does not
    grow with their number.
    """

    def __init__(
        self, file: PdfWriter, seen: dict[bytes, int], pdf: Any, keys: int = 0, prefix: bytes = b""
    ) -> None:
        self.file, self.pdf = file, pdf
        # Numbers of objects that parts may share, by the digest of their content; what is added to
        # keys of the parent tree, and put before identifiers of structure elements.
        self._seen, self._keys, self._prefix = seen, keys, prefix
        # Numbers of structure elements by identifier, complete after `write`.
        self.ids: dict[bytes, int] = {}
        self._numbers: dict[int, int] = {}
        self._proxies: dict[int, Any] = {}
        self._pending: list[tuple[int, Any]] = []
        self._busy: set[int] = set()
        self._current = 0

    def number(self, one: Any) -> int:
        """Return the new number of an object, which is copied with everything it references."""
        return self._number(*self._indirect(one).objgen)

    def proxy(self, number: int) -> Any:
        """Return a placeholder in the open file for the object that is written as `number`."""
        if number not in self._proxies:
            proxy = self._proxies[number] = self.pdf.make_indirect(pikepdf.Dictionary())
            self._numbers[proxy.objgen[0]] = number
        return self._proxies[number]

    def shared(self, one: Any) -> int:
        """Return the new number of an object that parts may share, such as a font.

        It must not reference itself, pages, fields or structure elements.
        """
        return self._shared(*self._indirect(one).objgen)

    def _indirect(self, one: Any) -> Any:
        return one if one.is_indirect else self.pdf.make_indirect(one)

    def write(self) -> None:
        """Write everything that was copied."""
        loose: list[tuple[int, bytes]] = []
        while self._pending:
            number, one = self._pending.pop()
            self._current = number
            loose.append((number, self._renumbered(one, self._number)))
        loose.sort()
        self.file.put(pack_objects(loose))

    def _number(self, number: int, generation: int) -> int:
        found = self._numbers.get(number)
        if found is None:
            one = self.pdf.get_object((number, generation))
            if isinstance(one, pikepdf.Stream):
                return self._shared(number, generation)
            found = self._numbers[number] = self.file.take()
            self._pending.append((found, one))
        return found

    def _shared(self, number: int, generation: int) -> int:
        found = self._numbers.get(number)
        if found is not None:
            return found
        if number in self._busy:
            raise ValueError("a drawing contains itself")
        self._busy.add(number)
        one = self.pdf.get_object((number, generation))
        is_stream = isinstance(one, pikepdf.Stream)
        body = self._renumbered(one.stream_dict if is_stream else one, self._shared)
        if is_stream:
            data = bytes(one.read_raw_bytes())
            if "/Filter" not in one and len(data) > _SMALL:
                data = zlib.compress(data, LEVEL)
                body = body.replace(b"<<", b"<< /Filter /FlateDecode", 1)
            body = _LENGTH.sub(b"", body).removesuffix(b">>")
            body = b"%s/Length %d >>stream\n%s\nendstream" % (body, len(data), data)
        digest = hashlib.sha256(body).digest()
        found = self._seen.get(digest)
        if found is None:
            found = self._seen[digest] = self.file.take()
            if is_stream:
                self.file.stream(found, body)
            else:
                self.file.add_all(found, (body,))
        self._busy.discard(number)
        self._numbers[number] = found
        return found

    def _renumbered(self, one: Any, number: Callable[[int, int], int]) -> bytes:
        """Return a serialized object with the references that `number` returns."""

        def replace(match: re.Match[bytes]) -> bytes:
            if match["ref"] is not None:
                return b"%d 0 R" % number(int(match["ref"]), int(match["generation"]))
            if match["text"] is not None:
                return match[0]
            if match["key"] is not None:
                return b"%s%d" % (match["key"], int(match["at"]) + self._keys)
            if match["heads"] is not None:
                heads = (self._renamed(head) for head in _STRING.findall(match["heads"]))
                return b"/Headers [%s]" % b" ".join(b"<%s>" % h.hex().encode() for h in heads)
            name = self._renamed(match["id"])
            self.ids[name] = self._current
            return b"/ID <%s>" % name.hex().encode()

        return _TOKEN.sub(replace, one.unparse(resolved=True))

    def _renamed(self, literal: bytes) -> bytes:
        return self._prefix + bytes(pikepdf.Object.parse(literal))
