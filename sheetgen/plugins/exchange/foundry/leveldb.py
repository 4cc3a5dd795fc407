"""LevelDB folders, the packs of Foundry: written as one log, read with logs and tables.

The layout is LevelDB's own: https://github.com/google/leveldb/blob/main/doc/log_format.md and
table_format.md beside it. A new database needs no tables: LevelDB reads its log on opening.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

BLOCK: Final = 32_768  # Bytes of a block of a log
_HEADER: Final = 7
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_MAGIC: Final = 0xDB4775248B80FB57


class DamagedPack(Exception):
    """A database that cannot be read; the message is the reason."""


def write_pack(entries: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a database with `entries`; equal entries give equal files."""
    records = []
    for number, (key, value) in enumerate(sorted(entries.items()), start=1):
        raw = key.encode()
        head = struct.pack("<QIB", number, 1, 1)
        records.append(b"".join((head, _varint(len(raw)), raw, _varint(len(value)), value)))
    name = b"leveldb.BytewiseComparator"
    # comparator, log number, previous log, next file, last sequence
    edit = b"".join((b"\1", _varint(len(name)), name, b"\2\3", b"\11\0", b"\3\4", b"\4\0"))
    return {
        "000003.log": _log(records),
        "CURRENT": b"MANIFEST-000002\n",
        "MANIFEST-000002": _log([edit]),
    }


def _log(records: list[bytes]) -> bytes:
    out = bytearray()
    for record in records:
        at, first = 0, True
        while first or at < len(record):
            room = BLOCK - len(out) % BLOCK
            if room < _HEADER:
                out += bytes(room)
                room = BLOCK
            piece = record[at : at + room - _HEADER]
            at += len(piece)
            last = at == len(record)
            kind = (_FULL if last else _FIRST) if first else (_LAST if last else _MIDDLE)
            out += struct.pack("<IHB", _masked_crc(bytes((kind,)) + piece), len(piece), kind)
            out += piece
            first = False
    return bytes(out)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _shifted(crc: int) -> int:
    for _ in range(8):
        crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc


_CRC: Final = tuple(map(_shifted, range(256)))


def _masked_crc(data: bytes) -> int:
    """Return the CRC-32C of `data` as LevelDB stores it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


@dataclass
class Room:
    """Bytes that the packs of an import may still have, unpacked."""

    left: int

    def take(self, size: int) -> None:
        """Take `size` bytes of it; raise `DamagedPack` if there are not so many left."""
        self.left -= size
        if self.left < 0:
            raise DamagedPack("it has more than can be imported at once")


def read_pack(files: Mapping[str, bytes], room: Room) -> dict[str, bytes]:
    """Return the entries of a database by key; checksums are not checked.

    All tables and logs are read: an entry that LevelDB has replaced has a lower sequence number.

    Raises:
        DamagedPack: A file is damaged, or there is more than `room`.
    """
    newest: dict[bytes, tuple[int, bytes | None]] = {}
    try:
        for name in sorted(files):
            reader = _read_log if name.endswith(".log") else _read_table
            if not name.endswith((".log", ".ldb", ".sst")):
                continue
            for key, sequence, value in reader(files[name], room):
                room.take(len(key) + len(value or b"") + 64)
                if key not in newest or newest[key][0] <= sequence:
                    newest[key] = sequence, value
    except (IndexError, struct.error, ValueError) as error:
        raise DamagedPack("a file of the pack is damaged") from error
    found = ((key, value) for key, (_, value) in sorted(newest.items()) if value is not None)
    return {key.decode(errors="replace"): value for key, value in found}


Entry = tuple[bytes, int, "bytes | None"]


def _read_log(content: bytes, _: Room) -> Iterator[Entry]:
    """Yield key, sequence number and value; None for a deleted entry."""
    parts: list[bytes] = []
    at = 0
    while at + _HEADER <= len(content):
        if BLOCK - at % BLOCK < _HEADER:
            at += BLOCK - at % BLOCK
            continue
        size, kind = struct.unpack_from("<HB", content, at + 4)
        piece = content[at + _HEADER : at + _HEADER + size]
        at += _HEADER + size
        if kind == 0 or len(piece) < size:  # the rest was reserved, or is not written yet
            return
        if kind in (_FULL, _FIRST):
            parts = []
        parts.append(piece)
        if kind in (_FULL, _LAST):
            yield from _read_batch(b"".join(parts))


def _read_batch(record: bytes) -> Iterator[Entry]:
    sequence, count = struct.unpack_from("<QI", record)
    at = 12
    for number in range(sequence, sequence + count):
        put = record[at]
        key, at = _sized(record, at + 1)
        value = None
        if put:
            value, at = _sized(record, at)
        yield key, number, value


def _read_table(content: bytes, room: Room) -> Iterator[Entry]:
    if len(content) < 48 or struct.unpack("<Q", content[-8:])[0] != _MAGIC:
        raise ValueError("no table")
    at = len(content) - 48
    for _ in range(2):  # the index of other data, which is not needed
        _, at = _number(content, at)
    offset, at = _number(content, at)
    size, _ = _number(content, at)
    for _, handle in _entries(_block(content, offset, size, room)):
        offset, at = _number(handle, 0)
        size, _ = _number(handle, at)
        for key, value in _entries(_block(content, offset, size, room)):
            tag = struct.unpack("<Q", key[-8:])[0]
            yield key[:-8], tag >> 8, value if tag & 255 else None


def _block(content: bytes, offset: int, size: int, room: Room) -> bytes:
    block = content[offset : offset + size]
    kind = content[offset + size]
    if kind > 1:
        raise ValueError("unknown compression")
    room.take(_number(block, 0)[0] if kind else len(block))  # an index may name a block often
    return _unpack_snappy(block) if kind else block


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    end = len(block) - 4 - 4 * struct.unpack("<I", block[-4:])[0]
    at, key = 0, b""
    while at < end:
        shared, at = _number(block, at)
        fresh, at = _number(block, at)
        size, at = _number(block, at)
        key = key[:shared] + block[at : at + fresh]
        yield key, block[at + fresh : at + fresh + size]
        at += fresh + size


def _unpack_snappy(packed: bytes) -> bytes:
    size, at = _number(packed, 0)
    out = bytearray()
    while at < len(packed) and len(out) <= size:
        tag = packed[at]
        at += 1
        if tag & 3 == 0:
            length = tag >> 2
            if length > 59:
                more = length - 59
                length = int.from_bytes(packed[at : at + more], "little")
                at += more
            out += packed[at : at + length + 1]
            at += length + 1
            continue
        if tag & 3 == 1:
            length, back = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | packed[at]
            at += 1
        else:
            width = 2 if tag & 3 == 2 else 4
            length, back = (tag >> 2) + 1, int.from_bytes(packed[at : at + width], "little")
            at += width
        if not 0 < back <= len(out):
            raise ValueError("a copy from nowhere")
        start = len(out) - back
        piece = out[start : start + length]
        out += (piece * (length // len(piece) + 1))[:length]
    if len(out) != size:
        raise ValueError("another size than stated")
    return bytes(out)


def _sized(data: bytes, at: int) -> tuple[bytes, int]:
    size, at = _number(data, at)
    if at + size > len(data):
        raise ValueError("cut short")
    return data[at : at + size], at + size


def _number(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128 or shift > 63:
            return number, at
