"""What four viewers make of a file."""

from __future__ import annotations

import io
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pymupdf
import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image

from sheetgen.model.prints import Plate

SCALE = 2.0
"""Pixels a point."""


def qpdf_says(data: bytes) -> str:
    """Return what `qpdf --check` finds wrong; nothing, if it is content."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "checked.pdf")
        file.write_bytes(data)
        done = subprocess.run(
            ["qpdf", "--check", file], capture_output=True, text=True, check=False
        )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def by_pdfium(data: bytes, page: int) -> Image.Image:
    """Return `page` as Chrome draws it; it draws no fields unless told to."""
    document = pypdfium2.PdfDocument(data)
    document.init_forms()
    picture: Image.Image = document[page].render(scale=SCALE).to_pil().convert("RGB")
    return picture


def by_mupdf(data: bytes, page: int) -> Image.Image:
    """Return `page` as MuPDF draws it."""
    document = pymupdf.open(stream=data, filetype="pdf")
    pixels = document[page].get_pixmap(matrix=pymupdf.Matrix(SCALE, SCALE))
    return Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)


def by_poppler(data: bytes, page: int) -> Image.Image:
    """Return `page` as Evince and Okular draw it; they may not complain either."""
    number = str(page + 1)
    done = subprocess.run(
        ["pdftoppm", "-r", str(72 * SCALE), "-f", number, "-l", number, "-"],
        input=data,
        capture_output=True,
        check=True,
    )
    assert not done.stderr, done.stderr.decode()
    return Image.open(io.BytesIO(done.stdout)).convert("RGB")


def text_of(data: bytes, order: str = "-layout") -> str:
    """Return the text of all pages, as poppler reads it; in `-raw` order as it is drawn."""
    done = subprocess.run(
        ["pdftotext", order, "-", "-"], input=data, capture_output=True, check=True
    )
    return done.stdout.decode()


VIEWERS: Mapping[str, Callable[[bytes, int], Image.Image]] = {
    "pdfium": by_pdfium,
    "mupdf": by_mupdf,
    "poppler": by_poppler,
}


def typed_in_pdfium(data: bytes, plate: Plate, name: str, text: str) -> bytes:
    """Return `data` after a click into the field `name`, and `text` typed there."""
    document = pypdfium2.PdfDocument(data)
    document.init_forms()
    place = next(p for p in plate.places if p.name == name)
    page, form = document[place.page], document.formenv
    height = plate.sizes[place.page][1]
    at = place.box.x + place.box.width / 2, height - place.box.y - min(place.box.height / 2, 9)
    pdfium.FORM_OnMouseMove(form, page, 0, *at)
    pdfium.FORM_OnLButtonDown(form, page, 0, *at)
    pdfium.FORM_OnLButtonUp(form, page, 0, *at)
    typed = text.encode("utf-16-le")  # what keyboards send: an emoji is two of them
    for unit in range(0, len(typed), 2):
        pdfium.FORM_OnChar(form, page, int.from_bytes(typed[unit : unit + 2], "little"), 0)
    pdfium.FORM_ForceToKillFocus(form)
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def ask_pdfium(ask: Any, form: Any, annotation: Any) -> str:
    """Return the text that one of PDFium's functions writes about a field."""
    size = ask(form, annotation, None, 0)
    text = (pdfium.FPDF_WCHAR * (size // 2))()
    ask(form, annotation, text, size)
    return bytes(text).decode("utf-16-le").rstrip("\0")
