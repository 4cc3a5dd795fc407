"""Pictures as XObjects (ISO 32000-1, 8.9 and 8.10): pixels with their opacity, or vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sheetgen.model.pictures import Raster
from sheetgen.render.pdf.pdf_file import PdfWriter
from sheetgen.render.pdf.pdf_objects import SharedObject
from sheetgen.render.pdf.plate_files import unpack_parts


def write_image(raster: Raster, file: PdfWriter) -> int:
    """Write an image XObject, with its opacity; return its number."""
    mask = b""
    if raster.mask:
        number = file.take()
        file.stream(number, _image(raster, 1, _flate(raster, 1), raster.mask))
        mask = b"/SMask %d 0 R" % number
    number = file.take()
    packed = b"/Filter/DCTDecode" if raster.jpeg else _flate(raster, raster.colours)
    file.stream(number, _image(raster, raster.colours, packed + mask, raster.data))
    return number


def _flate(raster: Raster, colours: int) -> bytes:
    parameters = b"/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors %d/Columns %d>>"
    return parameters % (colours, raster.width)


def _image(raster: Raster, colours: int, entries: bytes, data: bytes) -> bytes:
    head = b"<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/%s%s"
    space = b"DeviceGray" if colours == 1 else b"DeviceRGB"
    head %= (raster.width, raster.height, space, entries)
    return b"%s/Length %d>>stream\n%s\nendstream" % (head, len(data), data)


def unpack_objects(body: bytes) -> list[SharedObject]:
    """Return the objects of a drawing, see `VectorDrawing.body`; the last one is the drawing."""
    return build_shared(*unpack_parts(body))


def build_shared(header: Mapping[str, Any], datas: Iterable[bytes]) -> list[SharedObject]:
    """Return the shared objects that a header lists."""
    streams = iter(datas)
    return [
        SharedObject(template.encode(), tuple(refs), next(streams) if full else None, digest)
        for template, refs, full, digest in header["shared"]
    ]
