"""QR codes as vectors: the file of a character, to be read back from a photograph of its sheet."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span
from sheetgen.diag.visible import strip_controls
from sheetgen.model.filled import (
    BACKUP_CELL,
    QUIET_ZONE,
    Backup,
    BackupCode,
    BackupTooLarge,
    pack_backup,
)
from sheetgen.model.pictures import PreparedPicture, VectorDrawing
from sheetgen.model.prints import Plate
from sheetgen.model.source import Source
from sheetgen.render.pdf.pdf_file import SharedPool, pack_shared
from sheetgen.units import MM, Box

_ALT: Final = "QR code of this character's file"
_LEVELS: Final = "ML"  # levels of error correction of a code in a corner, the best one first
# The least side of a module of a QR code that a picture of the page at 150 dpi shows.
_LEAST_MODULE: Final = 0.42 * MM


def build_backup(source: Source | None, span: Span) -> Checked[Backup]:
    """Return the file of a character as QR codes, or a finding why there are none."""
    text = source.text.encode("utf-8", "surrogatepass") if source is not None else b""
    known = {hashlib.sha256(one).hexdigest(): one for one in (text, b"\xef\xbb\xbf" + text)}
    content = known.get(source.digest) if source is not None else None
    if source is None or content is None:  # the source is not a file of its own
        message = "the sheet is filled from a template and a row; there is no file for a QR code"
        hint = "print it from a file of its own for a code"
        return Checked(None, (Finding(codes.NO_BACKUP, span, message, hint, Severity.WARNING),))
    try:
        payloads = pack_backup(content)
    except BackupTooLarge as error:
        message = f"the file is {error.excess:,} bytes too large for QR codes, even compressed"
        hint = "shorten its notes or its log; the sheet is printed without a code"
        return Checked(None, (Finding(codes.NO_BACKUP, span, message, hint, Severity.WARNING),))
    count = len(payloads)
    part = ", part {} of {}" if count > 1 else ""
    drawn = tuple(
        _draw_code(payload, _ALT + part.format(number, count), _LEVELS[0])
        for number, payload in enumerate(payloads, 1)
    )
    file = strip_controls(os.path.basename(span.file))
    return Checked(Backup(file, len(content), source.digest[:8], payloads, drawn))


def fit_backup(backup: Backup, plate: Plate, span: Span) -> Checked[PreparedPicture]:
    """Return the code for its cell on the last page of a plate, or a note why it does not fit.

    The code with more error correction is chosen if its modules are large enough.
    """
    from reportlab.graphics.barcode import qrencoder

    last = (place for place in plate.places if place.page == len(plate.sizes) - 1)
    box = next((place.box for place in last if place.name == BACKUP_CELL), Box(0, 0, 0, 0))
    side = min(box.width, box.height)
    for level in _LEVELS if len(backup.payloads) == 1 else "":
        code = _draw_code(backup.payloads[0], _ALT, level)
        if side >= code.side * _LEAST_MODULE:
            wide, high = side / box.width, side / box.height
            at = ((1 - wide) / 2, (1 - high) / 2, wide, high)
            return Checked(replace(code.picture, at=at))
    version, room = int(side / _LEAST_MODULE - 2 * QUIET_ZONE - 17) // 4, 0
    if version >= 1:  # how many bytes a code of this side holds
        level = getattr(qrencoder.QRErrorCorrectLevel, _LEVELS[-1])
        blocks = qrencoder.QRRSBlock.getRSBlocks(min(version, 40), level)
        room = sum(int(block.dataCount) for block in blocks) - 3  # the mode and the length
    size = sum(map(len, backup.payloads))
    there = f"the corner holds {room:,}" if room else "no corner of the last page is free"
    message = f"the QR code has a page of its own: it holds {size:,} bytes, and {there}"
    hint = "shorten the file's comments and notes to print the code on the sheet"
    return Checked(None, (Finding(codes.BACKUP_PAGE, span, message, hint, Severity.NOTE),))


@lru_cache(maxsize=16)
def _draw_code(payload: bytes, alt: str, level: str) -> BackupCode:
    """Return a payload as a QR code: one path of rectangles, black on white."""
    from reportlab.graphics.barcode import qrencoder

    code = qrencoder.QRCode(None, getattr(qrencoder.QRErrorCorrectLevel, level))
    code.addData(qrencoder.QR8bitByte(payload))
    code.make()
    runs = []  # dark modules, from the left and from the top: where a run begins, and its width
    for y, row in enumerate(code.modules, QUIET_ZONE):
        for dark, run in groupby(enumerate(row, QUIET_ZONE), key=itemgetter(1)):
            if dark:
                (x, _), *rest = run
                runs.append((x, y, len(rest) + 1))
    side = code.getModuleCount() + 2 * QUIET_ZONE
    path = b"".join(b"%d %d %d 1 re\n" % (x, side - 1 - y, width) for x, y, width in runs)
    content = b"1 g 0 0 %d %d re f 0 g\n%sf" % (side, side, path)
    entries = b"/Type/XObject/Subtype/Form/BBox[0 0 %d %d]/Matrix[%.9f 0 0 %.9f 0 0]/Resources<<>>"
    pool = SharedPool()
    pool.put_stream(entries % (side, side, 1 / side, 1 / side), content)
    drawn = "".join(f"M{x} {y}h{width}v1h-{width}z" for x, y, width in runs)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}"><path d="{drawn}"/>'
    drawing = VectorDrawing(f"{svg}</svg>".encode(), pack_shared(pool, {}))
    key = hashlib.sha256(level.encode() + payload).hexdigest()[:32]
    return BackupCode(PreparedPicture(key, drawing, (0.0, 0.0, 1.0, 1.0), alt), side)
