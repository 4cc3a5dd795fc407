"""Read the QR codes on a photograph or scan of a sheet; pictures are untrusted."""

from __future__ import annotations

import io
import os
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from sheetgen.bounds import BoundExceeded, pass_memory_error, run_bounded
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span
from sheetgen.diag.words import pip_hint
from sheetgen.load.files import note_read, read_document
from sheetgen.model.filled import BackupDamaged, BackupPart, parse_payload

MOST_BYTES: Final = 50_000_000
MOST_PIXELS: Final = 100_000_000

_SECONDS: Final = 20
_MEGABYTES: Final = 1_200
_FORMATS: Final = ("JPEG", "PNG", "WEBP")
_SMALL: Final = 6_000_000
"""Pixels up to which a picture is also tried at twice its size: its modules may be small."""

_AGAIN: Final = "photograph the whole code from above: flat, sharp, in even light"


def is_photo(path: Path) -> bool:
    """Whether the file at `path` begins as a JPEG, PNG or WebP picture does."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            head = file.read(12)
    except (OSError, ValueError):
        return False
    return head.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")) or (
        head[:4] == b"RIFF" and head[8:] == b"WEBP"
    )


def read_photo(path: Path) -> Checked[tuple[BackupPart, ...]]:
    """Return the parts of backups whose codes a picture shows, and findings about the others."""
    note_read(path)
    span = Span(str(path))
    if find_spec("zxingcpp") is None:
        message = "QR codes in pictures cannot be read: zxing-cpp is not installed"
        return _refuse(codes.NO_DECODER, span, message, pip_hint("zxing-cpp"))
    read = read_document(path, MOST_BYTES)
    if read.value is None:
        return Checked(None, read.findings)
    content = read.value
    try:
        payloads = run_bounded(lambda: _decode(content), _MEGABYTES, _SECONDS)
    except BoundExceeded as error:
        return _refuse(codes.TOO_LARGE, span, str(error), "save the picture in a smaller size")
    if payloads is None:
        return _refuse(codes.DAMAGED, span, "the picture cannot be decoded", "save it again")
    if not payloads:
        return _refuse(codes.NO_CODE, span, "no QR code can be seen in the picture", _AGAIN)
    parts: list[BackupPart] = []
    findings: list[Finding] = []
    foreign = 0
    for payload in dict.fromkeys(payloads):
        try:
            part = parse_payload(payload)
        except BackupDamaged as error:
            findings.append(Finding(codes.BAD_CODE, span, str(error), _AGAIN))
            continue
        foreign += part is None
        parts += [part] if part is not None else []
    if foreign:
        which = "a QR code is" if foreign == 1 else f"{foreign} QR codes are"
        message = f"{which} not from sheetgen"
        severity = Severity.NOTE if parts or findings else Severity.ERROR
        hint = "photograph the code on the last page of a sheet that was printed with `--qr`"
        findings.append(Finding(codes.NO_CODE, span, message, hint, severity))
    return Checked(tuple(parts), tuple(findings))


def _refuse(code: Any, span: Span, message: str, hint: str) -> Checked[tuple[BackupPart, ...]]:
    return Checked(None, (Finding(code, span, message, hint),))


def _decode(content: bytes) -> list[bytes] | None:
    """Return the contents of the QR codes in a picture; None if it cannot be decoded."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(content), formats=_FORMATS)
            if image.width * image.height > MOST_PIXELS:
                return None
            grey = _on_white(image)
    except Exception as error:  # noqa: BLE001 - Pillow raises many kinds
        pass_memory_error(error)
        return None
    found = _find_codes(grey)
    if not found and grey.width * grey.height <= _SMALL:
        twice = 2 * grey.width, 2 * grey.height
        found = _find_codes(grey.resize(twice, Image.Resampling.BICUBIC))
    return found


def _on_white(image: Any) -> Any:
    """Return a picture in shades of grey; what is transparent is white."""
    from PIL import Image

    if image.mode in ("I", "I;16", "I;16B", "F"):
        return image.point(lambda value: value / 257).convert("L")
    if "A" in image.getbands() or "transparency" in image.info:
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return image.convert("L")


def _find_codes(image: Any) -> list[bytes]:
    import zxingcpp

    found = zxingcpp.read_barcodes(image, formats=zxingcpp.BarcodeFormat.QRCode)
    return [bytes(one.bytes) for one in found if one.valid]
