"""Seals: a digest inside every file that sheetgen writes, which shows later changes.

A sealed file shows that sheetgen wrote it and that it was not changed since, without a list of
outputs, also after it was moved or copied. A seal is no signature: it finds changes, not
forgeries. The place of the digest:

* PDF: the second string of the trailer's `/ID`, which PDF 32000-1, 14.4 reserves for this;
* HTML and Markdown: a comment in the last line;
* JSON, CSV, pictures and zip archives: where their writers put `PLACEHOLDER`. In PNG this is the
  end of a text chunk, whose checksum depends on the digest and is therefore no part of it.
"""

from __future__ import annotations

import hashlib
import mmap
import re
import zlib
from typing import Final

_DIGITS: Final = 32
"""Hexadecimal digits of a seal: half a SHA-256."""

_ZEROS: Final = b"0" * _DIGITS
SEAL: Final = "sheetgen-seal:"
"""What a seal in a text begins with."""

PLACEHOLDER: Final = SEAL + _ZEROS.decode()
"""Writers of other files put it into their text or metadata; `sealed` replaces it."""

_IN_TEXT: Final = re.compile(re.escape(SEAL.encode()) + rb"([0-9a-f]{32})")
_IN_PDF: Final = re.compile(
    rb"/ID\s*\[\s*(?:<[0-9A-Fa-f]{0,2000}>|\((?:[^()\\]|\\.){0,2000}\))\s*"
    rb"[<(]([0-9A-Fa-f]{32})[>)]"
)
_PNG: Final = b"\x89PNG\r\n"
_TEXT_CHUNK: Final = b"tEXt"
_COMMENTED: Final = (".html", ".md")

Buffer = bytes | bytearray | mmap.mmap


def sealed(name: str, content: bytes) -> bytes:
    """Return the content of the file `name` with a seal; unchanged if there is no place for one."""
    if name.lower().endswith(_COMMENTED):
        content += f"<!-- {PLACEHOLDER} -->\n".encode()
    at = _place(content)
    if at < 0:
        return content
    seal_ = _digest(content, at)
    if crc := _checksum_bytes(content):
        chunk = content[content.rfind(_TEXT_CHUNK, 0, at) : at] + seal_
        seal_ += zlib.crc32(chunk).to_bytes(crc)
    return content[:at] + seal_ + content[at + len(seal_) :]


def seal(content: mmap.mmap | bytearray) -> None:
    """Seal a PDF in place."""
    at = _place(content)
    if at >= 0:
        content[at : at + _DIGITS] = _digest(content, at)


def is_sealed(content: Buffer) -> bool:
    """Whether the file is sealed, and unchanged since."""
    at = _place(content)
    return at >= 0 and content[at : at + _DIGITS] == _digest(content, at)


def _place(content: Buffer) -> int:
    """Return where the digits of the seal are; -1 if there are none. The last place counts."""
    if content[:5] != b"%PDF-":
        found = [match.start(1) for match in _IN_TEXT.finditer(content)]
        return found[-1] if found else -1
    at = len(content)
    while (at := content.rfind(b"/ID", 0, at)) >= 0:
        match = _IN_PDF.match(content, at)
        if match is not None:
            return match.start(1)
    return -1


def _checksum_bytes(content: Buffer) -> int:
    """Return how many bytes after the seal are its chunk's checksum."""
    return 4 if content[: len(_PNG)] == _PNG else 0


def _digest(content: Buffer, at: int) -> bytes:
    """Return the digest of everything but the seal itself."""
    digest = hashlib.sha256()
    with memoryview(content) as view:
        digest.update(view[:at])
        digest.update(_ZEROS)
        digest.update(view[at + _DIGITS + _checksum_bytes(content) :])
    return digest.hexdigest()[:_DIGITS].encode()
