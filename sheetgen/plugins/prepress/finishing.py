"""Entry points for finished files: inspect, prepare for a printer or an archive, impose.

Commands call these functions and report the findings that they return.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from sheetgen.bounds import MEGABYTES, BoundExceeded, run_bounded, seconds_for
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Span
from sheetgen.load.files import SUFFIXES, read_document
from sheetgen.model.designs.presets import Preset
from sheetgen.plugins.prepress.inspected import Inspected
from sheetgen.plugins.prepress.preflight import preflight

_T = TypeVar("_T")


def inspect_file(path: Path, preset: Preset | None) -> Checked[Inspected]:
    """Return the contents of the PDF at `path`, and preflight findings."""
    from sheetgen.plugins.prepress.inspection import inspect_pdf

    inspected = _run_on_file(path, inspect_pdf)
    if inspected.value is None:
        return inspected
    return Checked(inspected.value, preflight(inspected.value, str(path), preset))


def _run_on_file(path: Path, job: Callable[[bytes], _T]) -> Checked[_T]:
    """Return the result of `job` for an untrusted file, or a finding.

    Args:
        job: Runs in a process with bounds; see `bounds`.
    """
    from sheetgen.plugins.prepress.inks import NotReady
    from sheetgen.plugins.prepress.inspection import Locked, NoPdf

    read = read_document(path)
    if read.value is None:
        return Checked(None, read.findings)
    data, size = read.value, len(read.value)
    try:
        memory = MEGABYTES - size // 1_000_000
        return Checked(run_bounded(lambda: job(data), memory, seconds_for(size)))
    except BoundExceeded as error:
        code, message, hint = codes.TOO_MUCH, str(error), "print it again, or in parts"
    except Locked as error:
        code, message, hint = codes.LOCKED, str(error), "save it without a password"
    except NoPdf as error:
        code, message, hint = codes.NOT_A_PDF, str(error), "give a PDF; print a damaged one again"
        if path.suffix.lower() in SUFFIXES:
            message = "this is a YAML file, not a PDF"
            hint = "print it first, and give the PDF: `sheetgen sheet`, `cards` or `build`"
    except NotReady as error:
        message, hint = f"it cannot be imposed: it contains {error}", ""
        code = codes.NOT_TURNED
    return Checked(None, (Finding(code, Span(str(path)), message, hint),))


def prepare_files(
    files: Mapping[str, bytes], name: str, preset: Preset | None, archive: bool = False
) -> Checked[Mapping[str, bytes]]:
    """Prepare a PDF for a printer or an archive; see `sheetgen.finish.saving.finish_files`."""
    from sheetgen.plugins.prepress.archives import convert_to_archive
    from sheetgen.plugins.prepress.inks import NotReady
    from sheetgen.plugins.prepress.printers import prepare_for_printer

    data = files["pdf"]
    try:
        if preset is not None:
            data = prepare_for_printer(data, preset)
        if archive or (preset is not None and preset.variant == "a-2"):
            data = convert_to_archive(data)
    except NotReady as error:
        message = f"the PDF cannot be prepared: it contains {error}"
        finding = Finding(codes.NOT_TURNED, Span(name), message, "print it without --for")
        return Checked({k: v for k, v in files.items() if k != "pdf"}, (finding,))
    return Checked({**files, "pdf": data})


def fold_booklet(path: Path, paper: tuple[float, float] | None, creep: float) -> Checked[bytes]:
    """Return the PDF at `path` as a booklet; see `plugins.prepress.booklets`."""
    from sheetgen.plugins.prepress.booklets import impose_booklet

    return _run_on_file(path, lambda data: impose_booklet(data, paper, creep))
