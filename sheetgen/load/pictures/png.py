"""The chunks of a PNG file (ISO/IEC 15948, 5.3)."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"


def list_chunks(data: bytes) -> Iterator[tuple[bytes, bytes, bool]]:
    """Yield type and content of each complete chunk, and whether its checksum is right."""
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
