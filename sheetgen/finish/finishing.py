"""What happens to the files of a print after they are rendered, and whose print a file is."""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Span
from sheetgen.model.designs.presets import Preset
from sheetgen.model.requests import FileFormat
from sheetgen.registry import find_hook


def finish_files(
    files: Mapping[FileFormat, bytes], name: str, preset: Preset | None, archive: bool = False
) -> Checked[Mapping[FileFormat, bytes]]:
    """Return the files of one print, with the PDF prepared for a printer or an archive.

    Args:
        files: Contents by kind; kinds other than `pdf` are not changed.
        name: The file that findings name.
        preset: The printer; None for no printer.
        archive: Whether the PDF becomes PDF/A.
    """
    if "pdf" not in files or (preset is None and not archive):
        return Checked(files)
    if (prepare := find_hook("finisher")) is None:
        message = "no plug-in is installed that prepares PDFs for printers and archives"
        finding = Finding(codes.NOT_TURNED, Span(name), message, "print it without --for")
        return Checked({k: v for k, v in files.items() if k != "pdf"}, (finding,))
    done: Checked[Mapping[FileFormat, bytes]] = prepare(files, name, preset, archive)
    return done
