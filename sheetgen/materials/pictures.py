"""Prepare pictures for the places of a plate, or as assets of pages that WeasyPrint lays out."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from sheetgen.bounds import BoundExceeded, run_bounded
from sheetgen.diag import codes
from sheetgen.diag.codes import NO_ENGINE
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.load.cache import LAYOUT, code_stamp, read_cache, read_shipped, store_in_cache
from sheetgen.load.pictures import (
    picture_finding,
    place_content,
    prepare_raster,
    read_again,
    write_raster,
)
from sheetgen.load.svg import sanitise_svg
from sheetgen.model.filled import BACKUP_CELL
from sheetgen.model.pictures import (
    Picture,
    PictureError,
    PreparedPicture,
    VectorDrawing,
    credit_pictures,
)
from sheetgen.model.prints import Place
from sheetgen.render.flow.layout import NoEngine, load_engine
from sheetgen.render.flow.rendering import lay_out_drawing

Prepared = tuple[Mapping[str, PreparedPicture], tuple[Finding, ...]]


def prepare_picture(picture: Picture, size: tuple[float, float]) -> Checked[PreparedPicture]:
    """Return a picture, ready to be printed in a box of `size` points; or a finding."""
    size = round(size[0], 2), round(size[1], 2)
    if picture.kind != "svg":
        return prepare_raster(picture, size)
    found = _convert(picture)
    if found.value is None:
        return Checked(None, found.findings)
    named = picture.alt, picture.credit
    at = place_content(picture, size)
    return Checked(PreparedPicture(picture.digest[:32], found.value, at, *named))


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
    return write_raster(prepared.content)


def build_page_pictures(pictures: Mapping[str, PreparedPicture]) -> dict[str, dict[str, str]]:
    """Return pictures for the template of an HTML page, by place.

    Each has a `data:` address, its description, and the styles that fit it into its place.
    """
    found = {}

    def position(start: float, length: float) -> float:
        """Return where a picture lies, as CSS has it: in per cent of the room beside it."""
        return 100 * start / (1 - length) if abs(1 - length) > _NEAR else 50.0

    for name, picture in pictures.items():
        kind, content = build_picture_file(picture)
        left, foot, wide, high = picture.at
        fit = "contain" if min(wide, high) < _FULL else "cover"
        across, down = position(left, wide), position(1 - foot - high, high)
        style = f"object-fit: {fit}; object-position: {across:.1f}% {down:.1f}%"
        found[name] = {
            "address": f"data:{kind};base64,{base64.b64encode(content).decode()}",
            "alt": picture.alt,
            "credit": credit_pictures((picture,)),
            "style": f'.picture[data-name="{name}"] {{ {style} }}\n',
        }
    return found


_NEAR: Final = 0.001
_FULL: Final = 0.98  # part of a box that a picture covers at least if it fills it
_SECONDS: Final = 8
_MEGABYTES: Final = 600


def find_drawing(picture: Picture, svg: bytes) -> tuple[str, bytes]:
    """Return the name of a drawing in the cache, and its content stream.

    Raises:
        NoEngine, BoundExceeded: It is not in the cache and cannot be laid out.
    """
    stamp = code_stamp("load/svg.py", "render/flow/rendering.py", *LAYOUT)
    key = f"{picture.digest[:32]}-{stamp}.drawing"
    body = read_cache(key) or read_shipped(key)
    if body is None:
        load_engine()  # Imported once, not in each child.
        body = run_bounded(lambda: lay_out_drawing(svg, picture), _MEGABYTES, _SECONDS)
        store_in_cache(key, body)
    return key, body


@lru_cache(maxsize=8)
def _convert(picture: Picture) -> Checked[VectorDrawing]:
    """Return a drawing as a form XObject; WeasyPrint draws it in a bounded child process."""
    data = read_again(picture)
    reason = "was changed, or cannot be read any more"
    if data is not None:
        try:
            svg = sanitise_svg(data).content
            return Checked(VectorDrawing(svg, find_drawing(picture, svg)[1]))
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
