"""What four viewers make of a file."""

from __future__ import annotations

import io
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pymupdf
import pypdfium2
from PIL import Image

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


def text_of(data: bytes) -> str:
    """Return the text of all pages, as poppler reads it."""
    done = subprocess.run(
        ["pdftotext", "-layout", "-", "-"], input=data, capture_output=True, check=True
    )
    return done.stdout.decode()


VIEWERS: Mapping[str, Callable[[bytes, int], Image.Image]] = {
    "pdfium": by_pdfium,
    "mupdf": by_mupdf,
    "poppler": by_poppler,
}
