"""The press: fills plates, and writes one PDF of all the leaves of a plan."""

from __future__ import annotations

import zlib

from sheetgen.model.prints import Leaf, Plan
from sheetgen.render.acroform import FieldTree
from sheetgen.render.fillings import check_filling, drawings, widgets
from sheetgen.render.information import PRODUCER, information
from sheetgen.render.leaf_frames import (
    DOCUMENT,
    PAGES,
    LeafFrame,
    Numbering,
    leaf_count,
    leaf_frame,
)
from sheetgen.render.pdf_file import LEVEL, PdfFile
from sheetgen.render.pdf_syntax import text_string
from sheetgen.render.plate_runs import PlateRun, SharedObjects
from sheetgen.render.prepared import Prepared, prepared
from sheetgen.render.xmp import xmp

_CATALOG, _TAGS, _PARENTS, _INFO, _METADATA, _EMPTY = 1, 3, 5, 6, 7, 8


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
        document.add(leaf)
    return document.finish(plan)


class _Document:
    def __init__(self, flat: bool) -> None:
        self._flat = flat
        self._file = PdfFile()
        self._file.take(_EMPTY)
        self._file.stream(_EMPTY, b"<</Subtype/Form/BBox[0 0 1 1]/Length 0>>stream\n\nendstream")
        self._tree = FieldTree(self._file)
        self._shared = SharedObjects(self._file)
        self._runs: dict[int, PlateRun] = {}
        self._pages: list[int] = []
        self._tops: list[int] = []
        self._parents: list[int] = []
        self._key = 0

    def add(self, leaf: Leaf) -> None:
        """Write one leaf."""
        plate = prepared(leaf.plate)
        check_filling(leaf.filling, plate)
        run = self._runs.get(id(plate))
        if run is None:
            run = self._runs[id(plate)] = PlateRun(plate, self._file, self._shared)
        prefix = tuple(leaf.prefix.split(".")) if leaf.prefix else ()
        groups = () if self._flat else self._groups(prefix, plate)
        first = self._file.take(leaf_count(plate, flat=self._flat))
        at = Numbering(first, self._key, run.contents, run.resources, groups, self._flat)
        frame = leaf_frame(plate, at)
        self._key += frame.keys
        self._pages += range(first, first + len(plate.plate.sizes))
        self._tops += frame.tags
        self._parents.append(frame.nums)
        self._file.put(frame.packs)
        self._fill(leaf, run, frame)
        if self._flat:
            self._print_tags(leaf, plate, frame)
        else:
            for group, fields in plate.fields_of.items():
                path = prefix + (plate.groups[group] if group >= 0 else ())
                self._tree.hang(path, [frame.fields + n for n in fields])

    def _groups(self, prefix: tuple[str, ...], plate: Prepared) -> tuple[int, ...]:
        self._tree.claim(prefix, plate.names)
        return (
            *(self._tree.group(prefix + path) for path in plate.groups),
            # Index -1: of the fields without a group of their own.
            self._tree.group(prefix),
        )

    def _fill(self, leaf: Leaf, run: PlateRun, frame: LeafFrame) -> None:
        run.use_frames()
        drawn = drawings(leaf.filling, run, flat=self._flat)
        for at, content in enumerate(drawn, frame.drawings):
            small = zlib.compress(content, LEVEL)
            head = b"<</Filter/FlateDecode/Length %d>>stream\n" % len(small)
            self._file.stream(at, head + small + b"\nendstream")
        if not self._flat:
            run.typed |= run.plate.field_faces
            looks_at = self._file.take(run.plate.filled(leaf.filling))
            bodies, looks = widgets(leaf.filling, run, frame.heads, looks_at, _EMPTY)
            self._file.streams(looks_at, looks)
            self._file.add_all(frame.fields, bodies)

    def _print_tags(self, leaf: Leaf, plate: Prepared, frame: LeafFrame) -> None:
        for slot, (at, head) in zip(plate.fields, frame.form_tags, strict=True):
            state = b""
            if slot.style is None:
                on = slot.place.name in leaf.filling.ticks
                state = b"/checked/on" if on else b"/checked/off"
            self._file.add(at, head + state + b">>>>")

    def finish(self, plan: Plan) -> bytes:
        """Return the whole file."""
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
        file.add(_INFO, information(plan.title, plan.subject, plan.meta))
        packet = xmp(plan.title, plan.subject, plan.lang, PRODUCER)
        head = b"<</Type/Metadata/Subtype/XML/Length %d>>stream\n" % len(packet)
        file.stream(_METADATA, head + packet + b"\nendstream")
        file.add(_CATALOG, self._catalog(plan))
        return file.finish(_CATALOG, _INFO)

    def _catalog(self, plan: Plan) -> bytes:
        return (
            b"<</Type/Catalog/Pages %d 0 R/StructTreeRoot %d 0 R/Metadata %d 0 R/Lang%s"
            b"/MarkInfo<</Marked true>>/ViewerPreferences<</DisplayDocTitle true>>%s>>"
        ) % (PAGES, _TAGS, _METADATA, text_string(plan.lang), self._form())

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
        form = b"/AcroForm<</Fields[%s]/DR<</Font<<%s>>>>%s>>"
        return form % (tops, listed, default)
