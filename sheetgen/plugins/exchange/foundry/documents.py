"""Documents of Foundry and their packs: ids, text that is safe in them, LevelDB folders.

The layout of packs is LevelDB's own: https://github.com/google/leveldb/blob/main/doc/log_format.md
and table_format.md beside it. They are written as one log, and read with logs and tables: a new
database needs no tables, since LevelDB reads its log on opening.
"""

from __future__ import annotations

import hashlib
import html
import io
import json
import re
import string
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.load.files import MOST_BYTES, read_bundle
from sheetgen.load.yaml.format import format_block, format_flow
from sheetgen.records import frozen

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
            crc = 0xFFFFFFFF  # CRC-32C, which LevelDB stores masked
            for byte in bytes((kind,)) + piece:
                crc = _CRC[(crc ^ byte) & 255] ^ crc >> 8
            crc ^= 0xFFFFFFFF
            masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
            out += struct.pack("<IHB", masked, len(piece), kind) + piece
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
            if not name.endswith((".log", ".ldb", ".sst")):
                continue
            is_log = name.endswith(".log")
            entries = _read_log(files[name]) if is_log else _read_table(files[name], room)
            for key, sequence, value in entries:
                room.take(len(key) + len(value or b"") + 64)
                if key not in newest or newest[key][0] <= sequence:
                    newest[key] = sequence, value
    except (IndexError, struct.error, ValueError) as error:
        raise DamagedPack("a file of the pack is damaged") from error
    found = ((key, value) for key, (_, value) in sorted(newest.items()) if value is not None)
    return {key.decode(errors="replace"): value for key, value in found}


Entry = tuple[bytes, int, "bytes | None"]
"""Key, sequence number and value; None for a deleted entry."""


def _read_log(content: bytes) -> Iterator[Entry]:
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
        if kind not in (_FULL, _LAST):
            continue
        batch, place = b"".join(parts), 12
        sequence, count = struct.unpack_from("<QI", batch)
        for number in range(sequence, sequence + count):
            put = batch[place]
            key, place = _sized(batch, place + 1)
            value, place = _sized(batch, place) if put else (None, place)
            yield key, number, value


def _read_table(content: bytes, room: Room) -> Iterator[Entry]:
    if len(content) < 48 or struct.unpack("<Q", content[-8:])[0] != _MAGIC:
        raise ValueError("no table")
    at = len(content) - 48
    for _ in range(2):  # the index of other data, which is not needed
        _, at = _number(content, at)
    for _, handle in _entries(content, at, content, room):
        for key, value in _entries(handle, 0, content, room):
            tag = struct.unpack("<Q", key[-8:])[0]
            yield key[:-8], tag >> 8, value if tag & 255 else None


def _entries(handle: bytes, at: int, content: bytes, room: Room) -> Iterator[tuple[bytes, bytes]]:
    """Yield the entries of the block of a table that a handle names: its offset and size."""
    offset, at = _number(handle, at)
    size, _ = _number(handle, at)
    block, kind = content[offset : offset + size], content[offset + size]
    if kind > 1:
        raise ValueError("unknown compression")
    room.take(_number(block, 0)[0] if kind else len(block))  # an index may name a block often
    block = _unpack_snappy(block) if kind else block
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


Document = dict[str, Any]

_LETTERS: Final = string.ascii_uppercase + string.ascii_lowercase + string.digits

COLLECTIONS: Final[Mapping[str, tuple[str, Sequence[str]]]] = {
    "Actor": ("actors", ("items", "effects")),
    "Item": ("items", ("effects",)),
    "JournalEntry": ("journal", ("pages", "categories")),
    "RollTable": ("tables", ("results",)),
}
"""The collection of each type of pack, and the lists of documents that its documents embed."""

_ACTIVE: Final = re.compile(r"\[(?=\[)|@(?=\w+\[)")  # What Foundry turns into rolls and links

JOINER: Final = "\u2060"
"""A word joiner: an invisible character that keeps Foundry from seeing a roll or a link."""


def make_id(*names: str) -> str:
    """Return the id of a document: 16 letters and digits, equal for equal names."""
    number = int.from_bytes(hashlib.sha256("\n".join(names).encode()).digest(), "big")
    base = len(_LETTERS)
    return "".join(_LETTERS[number // base**place % base] for place in range(16))


def escape_html(text: str) -> str:
    """Return `text` as HTML in which nothing is markup, a roll or a link."""
    return html.escape(_ACTIVE.sub(lambda found: found[0] + JOINER, text))


def plain_name(text: str) -> str:
    """Return `text` as a name: one line, never empty."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split()) or "?"


def paragraph(label: str, text: str) -> str:
    """Return a paragraph, its label in bold; lines of `text` stay lines."""
    head = f"<strong>{escape_html(label)}</strong> " if label else ""
    return f"<p>{head}{escape_html(text.strip()).replace(chr(10), '<br>')}</p>"


def table_html(rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> str:
    """Return rows of texts as a table."""
    tagged = [*([("th", heads)] if any(heads) else []), *(("td", row) for row in rows)]
    lines = ("".join(f"<{t}>{escape_html(c)}</{t}>" for c in cells) for t, cells in tagged)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def put_leaf(data: Document, leaf: str, value: Any) -> None:
    """Set the leaf of nested data: `move.value` is `value` in `move`."""
    *path, last = leaf.split(".")
    for part in path:
        data = data.setdefault(part, {})
    data[last] = value


def get_leaf(data: Any, leaf: str) -> Any:
    """Return a leaf of nested data; None where there is none."""
    for part in leaf.split("."):
        data = data.get(part) if isinstance(data, Mapping) else None
    return data


def list_leaves(data: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the leaves of nested data and their paths."""
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from list_leaves(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def pack_entries(kind: str, documents: Iterable[Document]) -> dict[str, bytes]:
    """Return the entries of a pack by key; embedded documents have entries of their own.

    Args:
        kind: The type of the pack, such as `Actor`. A folder is a document with the key `sorting`.
    """
    entries: dict[str, bytes] = {}

    def add(path: str, ids: str, document: Document, lists: Sequence[str]) -> None:
        own = dict(document)
        for name in lists:
            below = document.get(name, [])
            own[name] = [one["_id"] for one in below]
            for one in below:
                deeper = ("effects",) if name == "items" else ()
                add(f"{path}.{name}", f"{ids}.{one['_id']}", one, deeper)
        text = json.dumps(own, ensure_ascii=False, separators=(",", ":"))
        entries[f"!{path}!{ids}"] = text.encode()

    for document in documents:
        place = ("folders", ()) if "sorting" in document else COLLECTIONS[kind]
        add(place[0], document["_id"], document, place[1])
    return entries


def unpack_entries(entries: Mapping[str, Any]) -> dict[str, list[Document]]:
    """Return the documents of a pack by type, embedded ones in their lists.

    Args:
        entries: Parsed JSON by key. Documents of unknown types are left out.
    """
    below: dict[str, dict[str, Document]] = {}
    found: dict[str, list[Document]] = {}
    types = {collection: kind for kind, (collection, _) in COLLECTIONS.items()}
    for key, document in entries.items():
        _, path, ids = ("", *key.lstrip("!").split("!", 1), "")[:3]
        if not isinstance(document, dict):
            continue
        if "." in path:
            parent, _, own = ids.rpartition(".")
            below.setdefault(f"{path}!{parent}", {})[own] = document
        elif path in types:
            found.setdefault(types[path], []).append({**document, "_id": ids})
    for kind, documents in found.items():
        collection, lists = COLLECTIONS[kind]
        for document in documents:
            for name in lists:
                embedded = below.get(f"{collection}.{name}!{document['_id']}", {})
                listed = document.get(name)
                listed = listed if isinstance(listed, list) else []
                listed = [] if any(not isinstance(i, str) for i in listed) else listed
                order = (i for i in listed if i in embedded)
                document[name] = [embedded[i] for i in dict.fromkeys((*order, *embedded))]
    return found


MOST_PACKED: Final = 2 * MOST_BYTES
"""Bytes that the packs of an import may have, unpacked: their blocks, and the entries in them."""

MOST_VALUES: Final = 1_500_000  # Values that all JSON of an import may have together
_WANTED: Final = re.compile(r"(?i)(?:^|/)(?:[^/]+\.(?:json|db|log|ldb|sst)|CURRENT)$")
_NO_DOCUMENTS: Final = {"module.json", "system.json", "world.json", "package.json"}


@frozen
class FoundDocument:
    """A document, and the file that it is in."""

    place: Span
    kind: str
    document: Document


def read_documents(path: Path, findings: list[Finding]) -> list[FoundDocument]:
    """Return the documents of a file, a folder or an archive; what cannot be read is a finding."""
    bundle = read_bundle(path, lambda name: _WANTED.search(name) is not None)
    findings += bundle.findings
    reader = _BundleReader(path, findings)
    folders: dict[str, dict[str, bytes]] = defaultdict(dict)
    for name, content in (bundle.value or {}).items():
        folder, _, file = name.rpartition("/")
        folders[folder][file] = content
    found: list[FoundDocument] = []
    for folder, files in folders.items():
        if "CURRENT" in files:
            found += reader.pack(folder, files)
            continue
        for name, content in files.items():
            if name not in _NO_DOCUMENTS and not name.lower().endswith((".log", ".ldb", ".sst")):
                found += reader.file(f"{folder}/{name}".lstrip("/"), content)
    return found


class _BundleReader:
    """Reads JSON until the bound of values is reached."""

    def __init__(self, path: Path, findings: list[Finding]) -> None:
        self.path, self.findings, self.left = path, findings, MOST_VALUES
        self.room = Room(MOST_PACKED)
        self.reported: set[tuple[str, str]] = set()

    def pack(self, folder: str, files: dict[str, bytes]) -> Iterator[FoundDocument]:
        try:
            entries = read_pack(files, self.room)
        except DamagedPack as error:
            self.report(folder, str(error))
            return
        parsed = {key: self.parse(value, folder) for key, value in entries.items()}
        for kind, documents in unpack_entries(parsed).items():
            for document in documents:
                yield FoundDocument(self.place(folder), kind, document)

    def file(self, name: str, content: bytes) -> Iterator[FoundDocument]:
        """Yield the documents of a JSON file, or of an old pack with one a line."""
        if name.lower().endswith(".db"):
            last: dict[Any, Any] = {}
            for number, text in enumerate(_split_documents(content)):
                if self.left < 0:
                    break
                document = self.parse(text, name) if text.strip() else None
                if isinstance(document, dict) and "$$indexCreated" not in document:
                    last[str(document.get("_id", number))] = document
            parsed: Iterable[Any] = [one for one in last.values() if not one.get("$$deleted")]
        else:
            value = self.parse(content, name)
            parsed = value if isinstance(value, list) else [value]
        for document in parsed:
            if isinstance(document, dict) and isinstance(document.get("name"), str):
                kind = "Actor" if isinstance(document.get("items"), list) else "Item"
                yield FoundDocument(self.place(name), kind, document)
            elif document is not None:
                self.report(name, "this is no document of Foundry: it has no name")

    def parse(self, content: bytes, name: str) -> Any:
        """Return the value of a JSON text; None and a finding if it cannot be read."""
        before, self.left = self.left, self.left - 1 - sum(map(content.count, (b",", b"[", b"{")))
        if self.left < 0:
            if before >= 0:
                message = f"there are more than {MOST_VALUES:,} values"
                finding = Finding(codes.TOO_MUCH, self.place(name), message, "import a part of it")
                self.findings.append(finding)
            return None
        try:
            return json.loads(content.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
            self.report(name, f"this is no JSON: {reason}")
            return None

    def place(self, name: str) -> Span:
        return Span(str(self.path) if name in ("", self.path.name) else f"{self.path}/{name}")

    def report(self, name: str, message: str) -> None:
        """Add the finding that something is not imported, once a file and reason."""
        if (name, message) in self.reported:
            return
        self.reported.add((name, message))
        hint, severity = "export it from Foundry again", Severity.WARNING
        finding = Finding(codes.NOT_IMPORTED, self.place(name), message[:300], hint, severity)
        self.findings.append(finding)


def _split_documents(content: bytes) -> Iterator[bytes]:
    """Yield the documents of an old pack: one a line, or indented from a line `{` to one `}`."""
    lines: list[bytes] = []
    for line in io.BytesIO(content):
        lines.append(line)
        if lines[0].strip() != b"{" or line.rstrip() == b"}":
            yield b"".join(lines)
            lines = []
    yield b"".join(lines)


_MOST_HTML: Final = 20_000
_BREAK: Final = re.compile(r"(?i)</?(?:p|br|li|tr|div|ul|ol|table|h[1-6])\b[^<>]*>")
_CELL: Final = re.compile(r"(?i)<t[dh]\b[^<>]*>")
_TAG: Final = re.compile(r"<[^<>]*>")
_LINK: Final = re.compile(r"@\w{1,40}\[[^\[\]]{0,200}\](?:\{([^{}]{0,200})\})?")


def html_lines(text: Any) -> list[str]:
    """Return the lines of HTML without tags; links keep their labels. Nothing of it is rendered."""
    if not isinstance(text, str):
        return []
    plain = _BREAK.sub("\n", text[:_MOST_HTML])
    plain = html.unescape(_TAG.sub("", _CELL.sub(" ", plain)))
    plain = _LINK.sub(lambda found: found[1] or "", plain).replace(JOINER, "")
    lines = (" ".join(line.split()) for line in plain.splitlines())
    return ["".join(c for c in line if c.isprintable()) for line in lines if line]


def write_source(data: Mapping[str, Any]) -> str:
    """Return data as YAML, a line for each key; texts of several lines are blocks."""
    lines = []
    for key, value in data.items():
        block = format_block(value, "  ", "\n") if isinstance(value, str) else None
        lines.append(f"{format_flow(key)}: {block or format_flow(value)}\n")
    return "".join(lines)


def plain_value(value: Any) -> str:
    """Return data as a text for readers: `Name: 2, Other: 3`."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {plain_value(below)}" for key, below in value.items())
    if isinstance(value, list):
        return "; ".join(map(plain_value, value))
    return "yes" if value is True else "no" if value is False else str(value)
