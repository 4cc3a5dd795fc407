"""What happens to finished files, on one screen: looked through, made ready, archived, folded.

Commands call these functions and print what they return, as they do with the pipeline's.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sheetgen.check.preflight import preflight
from sheetgen.diag import print_codes as codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.documents import read_document
from sheetgen.model.inspected import Inspected
from sheetgen.model.presets import Preset


def look_through(path: Path, preset: Preset | None) -> Checked[Inspected]:
    """Return what the file at `path` holds, and what a printer would say of it."""
    from sheetgen.shop.inspection import Locked, NoPdf, inspect

    read = read_document(path)
    if read.value is None:
        return Checked(None, read.findings)
    try:
        found = inspect(read.value)
    except NoPdf as error:
        locked = isinstance(error, Locked)
        code = codes.LOCKED if locked else codes.NOT_A_PDF
        hint = "save it without a password" if locked else "print it again"
        return Checked(None, (Finding(code, Span(str(path)), str(error), hint),))
    return Checked(found, preflight(found, str(path), preset))


def finished(
    files: Mapping[str, bytes], name: str, preset: Preset | None, archive: bool = False
) -> Checked[Mapping[str, bytes]]:
    """Return prints of one thing, its PDF made ready for a printer or for an archive.

    Args:
        files: By kind; others than `pdf` stay as they are.
        name: What the findings are about.
        preset: None for a print as it is.
        archive: Whether it is kept as PDF/A.
    """
    if "pdf" not in files or (preset is None and not archive):
        return Checked(files)
    from sheetgen.shop.archives import archived
    from sheetgen.shop.inks import NotReady
    from sheetgen.shop.printers import ready

    data = files["pdf"]
    try:
        if preset is not None:
            data = ready(data, preset)
        if archive or (preset is not None and preset.variant == "a-2"):
            data = archived(data)
    except NotReady as error:
        message = f"the PDF cannot be made ready: there is {error} in it"
        finding = Finding(codes.NOT_TURNED, Span(name), message, "print it without --for")
        return Checked({k: v for k, v in files.items() if k != "pdf"}, (finding,))
    return Checked({**files, "pdf": data})


def fold(path: Path, paper: tuple[float, float] | None, creep: float) -> Checked[bytes]:
    """Return the PDF at `path` as a booklet; see `shop.booklets`."""
    from sheetgen.shop.booklets import booklet
    from sheetgen.shop.inks import NotReady

    looked = look_through(path, None)
    if looked.value is None:
        return Checked(None, looked.findings)
    read = read_document(path)
    if read.value is None:
        return Checked(None, read.findings)
    try:
        return Checked(booklet(read.value, paper, creep))
    except NotReady as error:
        message = f"it cannot be imposed: there is {error} in it"
    except Exception as error:  # noqa: BLE001 - a stranger's file may fail in any way at all
        message = f"it cannot be imposed: its pages are damaged ({type(error).__name__})"
    return Checked(None, (Finding(codes.NOT_TURNED, Span(str(path)), message),))
