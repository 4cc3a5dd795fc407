"""Finish a document of pieces: structure tree, metadata, pictures; written without a clock."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sheetgen.model.pictures import PreparedPicture
from sheetgen.render.pdf.document_info import PRODUCER, format_information
from sheetgen.render.pdf.pdf_file import PdfWriter
from sheetgen.render.pdf.xmp import format_xmp
from sheetgen.render.press.document import DocumentInfo
from sheetgen.render.press.plate_resources import SharedObjects


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the structure tree, with one piece of content; `entries` are further ones."""

    tag: str
    entries: Mapping[str, Any]


def finish_document(
    data: bytes,
    about: DocumentInfo,
    elements: Sequence[Sequence[Element]],
    pictures: Sequence[PreparedPicture],
) -> bytes:
    """Return ReportLab's file with tags, metadata and pictures; equal input gives equal bytes.

    Args:
        elements: Of each page, in the order of their content.
        pictures: Pages refer to them as `picture0` and so on.
    """
    import pikepdf

    with pikepdf.open(io.BytesIO(data)) as pdf:
        _add_structure(pdf, elements)
        if pictures:
            _add_pictures(pdf, pictures)
        root = pdf.Root
        root.Lang = about.lang
        root.MarkInfo = pikepdf.Dictionary(Marked=True)
        root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        packet = format_xmp(about.title, about.subject, about.lang, PRODUCER)
        kind = {"/Type": pikepdf.Name.Metadata, "/Subtype": pikepdf.Name.XML}
        root.Metadata = pdf.make_indirect(pikepdf.Stream(pdf, packet, kind))
        for key in ("/Outlines", "/PageMode"):
            if key in root:
                del root[key]
        info = pikepdf.Object.parse(format_information(about.title, about.subject, about.meta))
        texts = pikepdf.Dictionary({key: str(value) for key, value in info.items()})
        pdf.trailer.Info = pdf.make_indirect(texts)
        target = io.BytesIO()
        pdf.remove_unreferenced_resources()
        pdf.save(
            target,
            force_version="1.7",
            fix_metadata_version=False,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            deterministic_id=True,
        )
    return target.getvalue()


def _add_pictures(pdf: Any, pictures: Sequence[PreparedPicture]) -> None:
    """Add the XObjects of pictures to the resources of all pages."""
    import pikepdf

    file = PdfWriter()
    top = file.take(2)
    shared = SharedObjects(file)
    numbers = [shared.picture(one) for one in pictures]
    file.add(top, b"<</Type/Catalog/Pages %d 0 R>>" % (top + 1))
    file.add(top + 1, b"<</Type/Pages/Kids[]/Count 0>>")
    with pikepdf.open(io.BytesIO(file.finish(top, top))) as other:
        found = [pdf.copy_foreign(other.get_object(number, 0)) for number in numbers]
    for page in pdf.pages:
        named = page.Resources.get("/XObject", pikepdf.Dictionary())
        for number, one in enumerate(found):
            named[f"/picture{number}"] = one
        page.Resources.XObject = named


def _add_structure(pdf: Any, elements: Sequence[Sequence[Element]]) -> None:
    """Add the structure tree: one document with all elements in reading order."""
    import pikepdf

    name = pikepdf.Name
    root = pdf.make_indirect(pikepdf.Dictionary(Type=name.StructTreeRoot))
    document = pdf.make_indirect(
        pikepdf.Dictionary(Type=name.StructElem, S=name.Document, P=root, K=pikepdf.Array())
    )
    parents = pikepdf.Array()
    for number, (page, of_page) in enumerate(zip(pdf.pages, elements, strict=True)):
        page.obj.StructParents = number
        page.obj.Tabs = name.S
        row = pikepdf.Array()
        for mcid, element in enumerate(of_page):
            tag = pikepdf.Name(f"/{element.tag}")
            made = pikepdf.Dictionary(
                Type=name.StructElem, S=tag, P=document, Pg=page.obj, K=mcid, **element.entries
            )
            row.append(pdf.make_indirect(made))
            document.K.append(row[-1])
        parents.append(number)
        parents.append(pdf.make_indirect(row))
    root.K = document
    root.ParentTree = pdf.make_indirect(pikepdf.Dictionary(Nums=parents))
    root.ParentTreeNextKey = len(elements)
    pdf.Root.StructTreeRoot = root
