"""Prepare pictures for the places of a plate, or as assets of pages that WeasyPrint lays out."""

from __future__ import annotations

import base64
import contextlib
import io
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.codes import NO_ENGINE
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.load.bounds import BoundExceeded, run_bounded
from sheetgen.load.cache import code_stamp, read_cache, store_in_cache
from sheetgen.load.pictures.picture_files import PictureError, picture_finding
from sheetgen.load.pictures.raster import place_content, read_again
from sheetgen.load.pictures.svg import sanitise_svg
from sheetgen.model.filled import BACKUP_CELL
from sheetgen.model.pictures import Picture, PreparedPicture, VectorDrawing, credit_pictures
from sheetgen.model.prints import Place
from sheetgen.render.flow.corrections import correct_engine, mend_gradients
from sheetgen.render.flow.layout import NoEngine, lay_out, load_engine
from sheetgen.render.pdf.pdf_file import SharedPool, pdf_numbers
from sheetgen.render.pdf.plate_files import pack_shared

Prepared = tuple[Mapping[str, PreparedPicture], tuple[Finding, ...]]


def prepare_picture(picture: Picture, size: tuple[float, float]) -> Checked[PreparedPicture]:
    """Return a picture, ready to be printed in a box of `size` points; or a finding."""
    size = round(size[0], 2), round(size[1], 2)
    if picture.kind == "svg":  # imported here, as below: most prints have no pictures
        return prepare_drawing(picture, size)
    from sheetgen.load.pictures.raster import prepare_raster

    return prepare_raster(picture, size)


def prepare_pictures(pictures: Mapping[str, Picture], places: Iterable[Place]) -> Prepared:
    """Return pictures for those places of a plate that have one, by name; and findings.

    A picture whose key has no place is in the first place that has no picture of its own: `art`,
    for example, in a place for a portrait.
    """
    if not pictures:
        return {}, ()
    cells = {p.name: p for p in places if p.kind == "picture" and p.name != BACKUP_CELL}
    free = [name for name in cells if name not in pictures]
    prepared: dict[str, PreparedPicture] = {}
    findings: list[Finding] = []
    for key, picture in pictures.items():
        name = key if key in cells else free.pop(0) if free else ""
        if not name:
            message = f"this print has no cell for `{key}`"
            note = Finding(codes.NO_CELL, picture.span, message, severity=Severity.NOTE)
            findings.append(note)
            continue
        box = cells[name].box
        found = prepare_picture(picture, (box.width, box.height))
        findings += found.findings
        if found.value is not None:
            prepared[name] = found.value
    return prepared, tuple(findings)


def build_picture_file(prepared: PreparedPicture) -> tuple[str, bytes]:
    """Return the media type and the content of a prepared picture as a file for a page.

    It is for HTML, or for `asset:` addresses of pages that WeasyPrint lays out; no metadata is
    left in it.
    """
    if isinstance(prepared.content, VectorDrawing):
        return "image/svg+xml", prepared.content.svg
    from sheetgen.load.pictures.raster import write_raster

    return write_raster(prepared.content)


def build_page_pictures(pictures: Mapping[str, PreparedPicture]) -> dict[str, dict[str, str]]:
    """Return pictures for the template of an HTML page, by place.

    Each has a `data:` address, its description, and the styles that fit it into its place.
    """
    found = {}
    for name, picture in pictures.items():
        kind, content = build_picture_file(picture)
        left, foot, wide, high = picture.at
        fit = "contain" if min(wide, high) < _FULL else "cover"
        across, down = _position(left, wide), _position(1 - foot - high, high)
        style = f"object-fit: {fit}; object-position: {across:.1f}% {down:.1f}%"
        found[name] = {
            "address": f"data:{kind};base64,{base64.b64encode(content).decode()}",
            "alt": picture.alt,
            "credit": credit_pictures((picture,)),
            "style": f'.picture[data-name="{name}"] {{ {style} }}\n',
        }
    return found


def _position(start: float, length: float) -> float:
    """Return where a picture lies, as CSS has it: in per cent of the room beside it."""
    return 100 * start / (1 - length) if abs(1 - length) > _NEAR else 50.0


_NEAR: Final = 0.001
_FULL: Final = 0.98  # part of a box that a picture covers at least if it fills it
_SECONDS: Final = 8
_MEGABYTES: Final = 600
_SIDE: Final = 400.0  # the longer side of a converted drawing in points; the press scales it
_MOST_REPEATS: Final = 100_000  # most tiles of a pattern in a drawing
# The least length of a dash and its gap in points; a line of a drawing has few thousands.
_LEAST_DASH: Final = 0.05


def prepare_drawing(picture: Picture, size: tuple[float, float]) -> Checked[PreparedPicture]:
    """Return an SVG picture, ready to be printed in a box; or a finding."""
    found = _convert(picture)
    if found.value is None:
        return Checked(None, found.findings)
    named = picture.alt, picture.credit
    at = place_content(picture, size)
    return Checked(PreparedPicture(picture.digest[:32], found.value, at, *named))


@lru_cache(maxsize=8)
def _convert(picture: Picture) -> Checked[VectorDrawing]:
    """Return a drawing as a form XObject; WeasyPrint draws it in a bounded child process."""
    data = read_again(picture)
    reason = "was changed, or cannot be read any more"
    if data is not None:
        key = f"{picture.digest[:32]}-{code_stamp()}.drawing"
        try:
            svg = sanitise_svg(data).content
            body = read_cache(key)
            if body is None:
                load_engine()  # Imported once, not in each child.
                body = run_bounded(lambda: _lay_out(svg, picture), _MEGABYTES, _SECONDS)
                store_in_cache(key, body)
            return Checked(VectorDrawing(svg, body))
        except PictureError as error:
            reason = str(error)
        except NoEngine as error:
            message = f"`{Path(picture.path).name}` is not drawn: {error}"
            hint = f"{error.hint}; or export the drawing as PNG"
            return Checked(None, (picture_finding(NO_ENGINE, picture.span, message, hint),))
        except BoundExceeded as error:
            reason = f"cannot be drawn: {error}"
        except Exception:  # noqa: BLE001 - whatever the engine raises for a strange drawing
            reason = "cannot be drawn"
    name = Path(picture.path).name
    hint = "simplify the drawing, or export it as PNG"
    finding = picture_finding(codes.DAMAGED_PICTURE, picture.span, f"`{name}` {reason}", hint)
    return Checked(None, (finding,))


_PAGE: Final = """<!doctype html><html lang="en"><head><title>Drawing</title><style>
@page {{ size: {0:.3f}pt {1:.3f}pt; margin: 0 }}
html, body {{ margin: 0 }}
img {{ display: block; width: {0:.3f}pt; height: {1:.3f}pt }}
</style></head><body><img src="asset:drawing" alt=""></body></html>"""


def _lay_out(svg: bytes, picture: Picture) -> bytes:
    """Return a drawing as the packed objects of a form XObject in a unit square."""
    import pikepdf

    scale = _SIDE / max(picture.width, picture.height)
    wide, high = max(picture.width * scale, 1), max(picture.height * scale, 1)
    html = _PAGE.format(wide, high)
    warnings: list[str] = []
    with contextlib.suppress(ImportError, AttributeError):  # another version of the engine
        correct_engine()
    laid = lay_out(html, {"drawing": svg}, variant=None, complaints=warnings)
    with pikepdf.open(io.BytesIO(laid)) as pdf:
        page = pdf.pages[0]
        page.contents_coalesce()
        mend_gradients(pikepdf, pdf)
        _check_drawing(pikepdf, pdf, wide * high)
        pool = SharedPool()
        resources, refs = pool.build_template(page.Resources)
        # Without marked content: the figure that shows the drawing is marked as one.
        unmarked = [
            (operands, operator)
            for operands, operator in pikepdf.parse_content_stream(page)
            if str(operator) not in ("BDC", "BMC", "EMC")
        ]
        content = bytes(pikepdf.unparse_content_stream(unmarked))
        matrix = b"%.9f 0 0 %.9f 0 0" % (1 / wide, 1 / high)
        entries = b"/Type/XObject/Subtype/Form/BBox[0 0 %s]/Matrix[%s]/Resources %s"
        head = entries % (pdf_numbers(wide, high), matrix, resources)
        pool.put_stream(head, content, refs)
        return pack_shared(pool, {})


def _check_drawing(pikepdf: Any, pdf: Any, extent: float) -> None:
    """Check that viewers can draw a file in bounded time; `extent`: width times height of its page.

    Raises:
        ValueError: It has numbers that are not finite, or repeats parts too often.
    """
    streams = [one for one in pdf.objects if isinstance(one, pikepdf.Stream)]
    tiles = [one for one in streams if "/PatternType" in one]
    for tile in tiles:
        a, b, c, d, *_ = map(float, tile.get("/Matrix", (1, 0, 0, 1, 0, 0)))
        size = abs((a * d - b * c) * float(tile.XStep) * float(tile.YStep))
        if size * _MOST_REPEATS < extent:
            raise ValueError("a pattern is too fine")
    forms = (one for one in streams if one.get("/Subtype") == "/Form")
    for content in (pdf.pages[0], *forms, *tiles):
        scales = [1.0]
        for operands, operator in pikepdf.parse_content_stream(content):
            name = str(operator)
            if name in ("inf", "-inf", "nan") or any(one is None for one in operands):
                raise ValueError("a number is not finite")
            if name == "q":
                scales.append(scales[-1])
            elif name == "Q" and len(scales) > 1:
                scales.pop()
            elif name == "cm":
                a, b, c, d = map(float, operands[:4])
                scales[-1] *= abs(a * d - b * c) ** 0.5
            elif name == "d" and 0 < sum(map(float, operands[0])) * scales[-1] < _LEAST_DASH:
                raise ValueError("dashes are too fine")
