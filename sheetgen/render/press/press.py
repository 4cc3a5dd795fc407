"""The press: fills plates, and writes one PDF of all the leaves of a plan, or of many plans."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from operator import add
from typing import BinaryIO, Final

from sheetgen.model.prints import FilledPage, Filling, Plan
from sheetgen.render.pdf.acroform import FieldTree
from sheetgen.render.pdf.information import PRODUCER, information
from sheetgen.render.pdf.outlines import Bookmark, outlines
from sheetgen.render.pdf.pdf_file import LEVEL, PdfWriter
from sheetgen.render.pdf.syntax import text_string
from sheetgen.render.pdf.xmp import xmp
from sheetgen.render.press.calculation import Calculation
from sheetgen.render.press.fillings import check_filling, drawings
from sheetgen.render.press.live_fields import build_field_rules
from sheetgen.render.press.object_templates import Numbering
from sheetgen.render.press.page_objects import (
    DOCUMENT,
    OFTEN,
    PAGES,
    LeafFrame,
    key_count,
    leaf_count,
    leaf_frame,
)
from sheetgen.render.press.plate_runs import PlateRun, SharedObjects
from sheetgen.render.press.prepared import PreparedPlate, prepare_plate
from sheetgen.render.press.widget_entries import FieldTails

_AHEAD: Final = 32
_CATALOG, _TAGS, _PARENTS, _INFO, _METADATA, _EMPTY = 1, 3, 5, 6, 7, 8


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """What a file of many plans says of itself; see `Plan`."""

    title: str
    lang: str
    subject: str
    meta: Mapping[str, str] = field(default_factory=dict)


def press(plan: Plan, flatten: bool = False) -> bytes:
    """Return `plan` as a PDF; equal plans give equal bytes.

    Args:
        plan: Its texts are fitted already; the press breaks and shrinks nothing.
        flatten: Draw what stands in the fields, and make no fields.

    Raises:
        ValueError: A filling names a place, shape or role that its plate has not, or
            two leaves have fields of one name.
    """
    document = _Document(flatten)
    for leaf in plan.leaves:
        document.add(leaf, leaf.prefix)
    return document.finish(DocumentInfo(plan.title, plan.lang, plan.subject, plan.meta))


def press_many(
    plans: Iterable[Plan],
    whole: DocumentInfo | Callable[[], DocumentInfo],
    *,
    flatten: bool = False,
    out: BinaryIO | None = None,
) -> bytes:
    """Write many plans as one PDF, a bookmark and a prefix of its fields' names for each.

    Args:
        plans: A few are taken ahead of what is written; what they share is written once.
        whole: What the file says of itself; a function is asked when all plans are written.
        flatten: See `press`.
        out: Where to write as it comes; without it the file is returned.

    Raises:
        ValueError: See `press`.
    """
    document = _Document(flatten, out, OFTEN)
    for number, plan in enumerate(_ahead(plans), start=1):
        document.mark(plan.title)
        for leaf in plan.leaves:
            document.add(leaf, f"c{number}.{leaf.prefix}" if leaf.prefix else f"c{number}")
    return document.finish(whole() if callable(whole) else whole)


def _ahead(plans: Iterable[Plan]) -> Iterator[Plan]:
    """Yield plans, some taken at a time.

    To plan many and then to press many, a processor keeps at hand what either needs: that
    saves a tenth of the whole time.
    """
    left = iter(plans)
    while some := list(islice(left, _AHEAD)):
        yield from some


class _Document:
    def __init__(self, flat: bool, out: BinaryIO | None = None, level: int = LEVEL) -> None:
        self._flat = flat
        self._file = PdfWriter(out, level)
        self._file.take(_EMPTY)
        self._file.stream(_EMPTY, b"<</Subtype/Form/BBox[0 0 1 1]/Length 0>>stream\n\nendstream")
        self._tree = FieldTree(self._file)
        self._calculation = Calculation(self._file)
        self._shared = SharedObjects(self._file)
        self._runs: dict[int, PlateRun] = {}
        self._tails: dict[int, FieldTails] = {}
        self._pages: list[int] = []
        self._tops: list[int] = []
        self._parents: list[int] = []
        self._bookmarks: list[tuple[str, int]] = []
        self._key = 0

    def mark(self, title: str) -> None:
        """Let a bookmark lead to the next page."""
        self._bookmarks.append((title, len(self._pages)))

    def add(self, leaf: FilledPage, prefix: str) -> None:
        """Write one leaf."""
        live = None if self._flat else leaf.live
        plate = prepare_plate(leaf.plate, build_field_rules(live) if live is not None else None)
        check_filling(leaf.filling, plate)
        run = self._runs.get(id(plate))
        if run is None:
            run = self._runs[id(plate)] = PlateRun(plate, self._file, self._shared)
        above = tuple(prefix.split(".")) if prefix and plate.fields and not self._flat else ()
        if not self._flat:
            self._tree.claim(above, plate.names)
        upper = self._tree.group(above)
        first = self._file.take(leaf_count(plate, flat=self._flat))
        shared = (run.contents, run.resources, run.bars())
        at = Numbering(first, self._key, upper, *shared, self._flat)
        frame = leaf_frame(plate, at)
        self._key += key_count(plate, flat=self._flat)
        self._pages += range(first, first + len(plate.plate.sizes))
        self._tops += frame.tags
        self._parents.append(frame.nums)
        self._file.put(frame.packs)
        self._tree.hang(above, frame.tops)
        acts: Mapping[str, bytes] = {}
        if live is not None:
            fields = range(frame.fields, frame.fields + len(plate.fields))
            acts = self._calculation.acts(live, run, fields, alone=not above)
        self._fill(leaf.filling, run, frame, acts)

    def _fill(
        self, filling: Filling, run: PlateRun, frame: LeafFrame, acts: Mapping[str, bytes]
    ) -> None:
        run.use_frames()
        for at, content in enumerate(drawings(filling, run, flat=self._flat), frame.drawings):
            small = zlib.compress(content, LEVEL)
            head = b"<</Filter/FlateDecode/Length %d>>stream\n" % len(small)
            self._file.stream(at, head + small + b"\nendstream")
        if self._flat:
            self._print_tags(filling, run.plate, frame)
            return
        tails = self._tails.get(id(run))
        if tails is None:
            tails = self._tails[id(run)] = FieldTails(run, self._file, _EMPTY)
        self._file.add_all(frame.fields, map(add, frame.heads, tails.of(filling, acts)))

    def _print_tags(self, filling: Filling, plate: PreparedPlate, frame: LeafFrame) -> None:
        for slot, head in zip(plate.fields, frame.heads, strict=True):
            state = b""
            if slot.style is None:
                on = slot.place.name in filling.ticks
                state = b"/checked/on" if on else b"/checked/off"
            at = frame.rows + plate.row_of_place[slot.index]
            self._file.add(at, head + state + b">>>>")

    def finish(self, whole: DocumentInfo) -> bytes:
        """End the file; return it, if it is in memory."""
        file = self._file
        for run in self._runs.values():
            run.finish()
        self._shared.finish()
        pages = b" ".join([b"%d 0 R" % page for page in self._pages])
        count = len(self._pages)
        file.add(PAGES, b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, pages))
        file.add(
            _TAGS,
            b"<</Type/StructTreeRoot/K %d 0 R/ParentTree %d 0 R/ParentTreeNextKey %d>>"
            % (DOCUMENT, _PARENTS, self._key),
        )
        tops = b" ".join([b"%d 0 R" % top for top in self._tops])
        file.add(DOCUMENT, b"<</S/Document/P %d 0 R/K[%s]>>" % (_TAGS, tops))
        parents = b" ".join([b"%d 0 R" % parent for parent in self._parents])
        file.add(_PARENTS, b"<</Kids[%s]>>" % parents)
        file.add(_INFO, information(whole.title, whole.subject, whole.meta))
        packet = xmp(whole.title, whole.subject, whole.lang, PRODUCER)
        head = b"<</Type/Metadata/Subtype/XML/Length %d>>stream\n" % len(packet)
        file.stream(_METADATA, head + packet + b"\nendstream")
        file.add(_CATALOG, self._catalog(whole))
        return file.finish(_CATALOG, _INFO)

    def _catalog(self, whole: DocumentInfo) -> bytes:
        marks = [Bookmark(title, self._pages[at]) for title, at in self._bookmarks]
        return (
            b"<</Type/Catalog/Pages %d 0 R/StructTreeRoot %d 0 R/Metadata %d 0 R/Lang%s"
            b"/MarkInfo<</Marked true>>/ViewerPreferences<</DisplayDocTitle true>>%s%s%s>>"
        ) % (
            PAGES,
            _TAGS,
            _METADATA,
            text_string(whole.lang),
            outlines(marks, self._file),
            self._form(),
            self._calculation.names(),
        )

    def _form(self) -> bytes:
        if not self._tree.tops:
            return b""
        self._tree.write()
        fonts = {
            name: number
            for run in self._runs.values()
            for name, number in run.typed_fonts().items()
        }
        listed = b"".join(b"%s %d 0 R" % font for font in sorted(fonts.items()))
        default = b"/DA(%s 9 Tf 0 g)" % min(fonts) if fonts else b""
        tops = b" ".join([b"%d 0 R" % top for top in self._tree.tops])
        form = b"/AcroForm<</Fields[%s]/DR<</Font<<%s>>>>%s%s>>"
        return form % (tops, listed, default, self._calculation.form())
