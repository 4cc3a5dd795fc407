"""Read a picture's file: inside the folder of the YAML file that names it, and nowhere else."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.codes import Code
from sheetgen.diag.findings import Checked, Finding, Severity, Span
from sheetgen.load.files import note_read, read_document, suggest_file
from sheetgen.model.source import Text
from sheetgen.records import frozen

MOST_BYTES: Final = 50_000_000  # largest file of a picture
_ENDINGS: Final = (".jpg", ".jpeg", ".png", ".svg")
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
"""The scheme of a URL, or the letter of a Windows disk."""

_SMALLER: Final = "export the picture in a smaller size"
_NEXT: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""A marker that ends the entropy-coded data of a scan."""

_MOST_PARTS: Final = 20_000
"""Most segments of a file; cameras write some dozen. Each takes time and memory in Pillow, too."""

_SOI, _EOI, _SOS, _APP0, _APP2, _ADOBE = 0xD8, 0xD9, 0xDA, 0xE0, 0xE2, 0xEE
_HUFFMAN: Final = 0xC4
_FRAMES: Final = {*range(0xC0, 0xD0)} - {_HUFFMAN, 0xC8, 0xCC}
_TABLES: Final = {_HUFFMAN, 0xCC, 0xDB, 0xDC, 0xDD}
"""Markers of Huffman, arithmetic and quantization tables, of lines and restarts."""

_PROGRESSIVE: Final = 0xC2
_PLAIN: Final = {0xC0, 0xC1, _PROGRESSIVE}
"""Frames that every viewer of PDF decodes: baseline, extended, progressive; Huffman coding."""

_PADDING: Final = b"\xff\x00" * 8
"""As many bits of 1 as a decoder reads ahead. No pixel has a code of such bits alone."""

_FURTHER: Final = b"\xaa" + bytes(n * 37 % 251 for n in range(512))
"""Codes behind the end of a scan. They are pixels where the scan is not complete.

Decoders take bits of 0 where data is missing, so the first bits are others.
"""

_JFIF: Final = b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
_ADOBE_HEAD: Final = b"\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00"  # and the transform
SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"  # ISO/IEC 15948


class PictureError(ValueError):
    """A picture cannot be printed; the message follows its name."""

    def __init__(self, code: Code, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.hint = code, hint


def picture_finding(code: Code, span: Span, message: str, hint: str = "") -> Finding:
    """Return a finding about a picture: a warning, since it is printed without the picture."""
    return Finding(code, span, message, hint, Severity.WARNING)


def read_picture_file(file: Text) -> Checked[tuple[str, bytes]]:
    """Return the real path and the content of the file that an author names, or a finding."""
    span = file.span
    folder = os.path.realpath(os.path.dirname(span.file) or ".")
    name = file.strip().replace("\\", "/")
    if not name or not name.isprintable():
        return _refuse(codes.NO_PICTURE, span, "this is not the name of a file")
    if _ADDRESS.match(name):
        message = f"`{file}` is an address, and only files beside this one are read"
        return _refuse(codes.OUTSIDE, span, message, "copy the picture beside this file")
    path = os.path.join(folder, name)
    real = os.path.realpath(path)
    if ".." in name.split("/") or not real.startswith(folder.rstrip(os.sep) + os.sep):
        message = f"`{file}` is not in the folder of this file"
        return _refuse(codes.OUTSIDE, span, message, "copy the picture beside this file")
    note_read(Path(path))
    read = read_document(Path(real), MOST_BYTES)
    if read.value is not None:
        return Checked((real, read.value))
    found = read.findings[0]
    if found.code is codes.TOO_MUCH:
        return _refuse(codes.LARGE_PICTURE, span, f"`{file}`: {found.message}", _SMALLER)
    hint = found.hint
    if not os.path.lexists(path):
        hint = suggest_file(name, Path(folder), _ENDINGS, "pictures") or "check the name"
    return _refuse(codes.NO_PICTURE, span, f"`{file}`: {found.message}", hint)


def _refuse(code: Code, span: Span, message: str, hint: str = "check the name") -> Checked[Any]:
    return Checked(None, (picture_finding(code, span, message, hint),))


@frozen
class JpegParts:
    """What a JPEG file consists of."""

    complete: bool  # Whether it has an end, no more segments than are read, and all its scans.
    components: int  # Colour components of a pixel.
    scans: int  # How many scans it has; each may cover all pixels.
    plain: bool  # Whether viewers of PDF can decode it as it is, without its metadata.
    profile: bool  # Whether it has an ICC profile.
    content: bytes  # The file without its metadata.
    # The file as it has to be decoded so that missing pixels are an error. Decoders fill them where
    # they meet the end mark too early; without it, they ask for more data.
    strict: bytes
    # A file of several scans with more data behind each. If none of its scans is cut off, it has
    # the same pixels.
    longer: bytes


def parse_jpeg(data: bytes) -> JpegParts:
    """Return the parts of a JPEG file (ITU-T T.81, annex B), which may be damaged."""
    kept: list[bytes] = []
    at, scans, frame, ids, precision = 2, 0, 0, b"", 8
    jfif = profile = complete = False
    transform = -1
    missing: dict[int, list[int]] = {}
    ends = [0]
    for _ in range(_MOST_PARTS):
        if (start := data.find(b"\xff", at)) < 0 or start + 2 > len(data):
            break
        marker, at = data[start + 1], start + 2
        if marker == 0xFF:
            at = start + 1
        elif marker == _EOI:
            complete = True
            break
        elif marker in (0, 1, _SOI) or 0xD0 <= marker <= 0xD7:
            continue
        else:
            end = at + int.from_bytes(data[at : at + 2])
            segment = data[at + 2 : end]
            if marker == _SOS:
                scans += 1
                _note_scan(segment, missing, progressive=frame == _PROGRESSIVE)
                following = _NEXT.search(data, end)
                end = following.start() if following else len(data)
                ends.append(end)
            if marker in _FRAMES:
                frame, precision = marker, segment[0] if segment else 0
                ids = segment[6 : 6 + 3 * (segment[5] if len(segment) > 5 else 0) : 3]
                missing = {number: [1] * 64 for number in ids}
            jfif |= marker == _APP0 and segment.startswith(b"JFIF\0")
            profile |= marker == _APP2 and segment.startswith(b"ICC_PROFILE\0")
            if marker == _ADOBE and segment.startswith(b"Adobe") and len(segment) >= 12:
                transform = segment[11]
            if marker in _FRAMES or marker in _TABLES or marker == _SOS:
                kept.append(data[start:end])
            at = max(end, at)
    plain = frame in _PLAIN and precision == 8 and any(part[1] == _HUFFMAN for part in kept)
    luminance = transform == 1 or (transform < 0 and (jfif or ids == b"\1\2\3"))
    head = _JFIF if transform < 0 else _ADOBE_HEAD + bytes([transform])
    single = scans == 1 and frame in _PLAIN and frame != _PROGRESSIVE
    return JpegParts(
        complete and bool(frame and scans) and not any(map(any, missing.values())),
        len(ids),
        scans,
        plain and (len(ids) == 1 or (len(ids) == 3 and luminance)),
        profile,
        b"".join([b"\xff\xd8", head, *kept, b"\xff\xd9"]),
        data[: at - 2] + _PADDING if single and complete else data,
        b"" if single else _FURTHER.join(data[a:b] for a, b in pairwise([*ends, len(data)])),
    )


def _note_scan(segment: bytes, missing: dict[int, list[int]], *, progressive: bool) -> None:
    """Note what a scan contains: by component, which bits of each frequency are still missing."""
    if segment and len(segment) >= 2 * segment[0] + 4:
        first, last, bits = segment[-3:] if progressive else (0, 63, 0)
        for number in segment[1 : 1 + 2 * segment[0] : 2]:
            if number in missing and first <= last < 64:
                missing[number][first : last + 1] = [bits & 15] * (last + 1 - first)


def list_chunks(data: bytes) -> Iterator[tuple[bytes, bytes, bool]]:
    """Yield type and content of each complete chunk (5.3), and whether its checksum is right."""
    at = len(SIGNATURE)
    while at + 12 <= len(data):
        end = at + 8 + int.from_bytes(data[at : at + 4])
        if end + 4 > len(data):
            return
        right = zlib.crc32(data[at + 4 : end]) == int.from_bytes(data[end : end + 4])
        yield data[at + 4 : at + 8], data[at + 8 : end], right
        at = end + 4


def build_png(chunks: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return a PNG file of these chunks."""
    parts = [SIGNATURE]
    for kind, content in chunks:
        check = zlib.crc32(content, zlib.crc32(kind)).to_bytes(4)
        parts += [len(content).to_bytes(4), kind, content, check]
    return b"".join(parts)
