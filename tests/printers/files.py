"""Small PDFs made by hand, for what a print shop would refuse, and our own prints for presets."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name

from sheetgen.units import MM
from tests.cli.commands import run

FONT = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
TEXT = b"BT /F0 10 Tf %d %d Td (Near the edge) Tj ET"


def small(
    content: bytes = b"0 g 40 40 20 20 re f",
    *,
    pages: int = 1,
    size: tuple[float, float] = (200, 300),
    boxes: dict[str, list[float]] | None = None,
    resources: dict[str, Any] | None = None,
    root: dict[str, Any] | None = None,
    more: dict[str, Any] | None = None,
    **options: Any,
) -> bytes:
    """Return a PDF of pages with one content."""
    pdf = pikepdf.new()
    for _ in range(pages):
        page = pdf.add_blank_page(page_size=size)
        page.obj.Contents = pdf.make_stream(content)
        page.obj.Resources = Dictionary({"/Font": Dictionary(F0=FONT), **(resources or {})})
        for key, box in (boxes or {}).items():
            page.obj[key] = Array(box)
        for key, value in (more or {}).items():
            page.obj[key] = value
    for key, value in (root or {}).items():
        pdf.Root[key] = value
    target = io.BytesIO()
    pdf.save(target, **options)
    return target.getvalue()


@cache
def _folder() -> Path:
    import tempfile

    return Path(tempfile.mkdtemp(prefix="printers-"))


@cache
def printed(*words: str) -> Path:
    """Return the file that `sheetgen` with `words` writes, made once a run."""
    said = run(*words, "--out", _folder() / "-".join(words).replace("/", "_"))
    assert said.status == 0, said.err
    (path,) = said.out.split()
    return Path(path)


def boxes(page: pikepdf.Page, key: str) -> list[float]:
    """Return a box of a page in millimetres."""
    return [float(side) / MM for side in page.obj[key]]
