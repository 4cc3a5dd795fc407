"""Archives, packs and workbooks of strangers: small files that unpack to more than they say."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import pytest

from sheetgen.diag import codes
from sheetgen.diag.findings import Span
from sheetgen.load.files import unpack_archive
from sheetgen.plugins.exchange.formats import ImportRequest
from sheetgen.plugins.exchange.foundry.documents import DamagedPack, Room, read_pack
from tests.effort import at_most_calls
from tests.exchange.foundry_cases import complete

_MAGIC = bytes.fromhex("57fb808b247547db")


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes((*out, number))


def _table(block: bytes, packed: bool, count: int) -> bytes:
    """Return a table whose index names one block `count` times."""
    handle = _varint(0) + _varint(len(block))
    index = (b"\0\1" + _varint(len(handle)) + b"k" + handle) * count + struct.pack("<II", 0, 1)
    body = block + bytes((packed, 0, 0, 0, 0))
    foot = b"\0\0" + _varint(len(body)) + _varint(len(index))
    return body + index + bytes(5) + foot.ljust(40, b"\0") + _MAGIC


def test_copies_from_far_back_take_linear_time() -> None:
    half, literal = 150_000, b"\xf0\x3f" + b"a" * 64
    near, far = b"\xfe\x40\0", b"\xff" + struct.pack("<I", 64 + 64 * half)
    packed = _varint(64 + 128 * half) + literal + near * half + far * half
    with at_most_calls(3_000_000):
        read_pack({"1.ldb": _table(packed, True, 1)}, Room(10**8))


def test_a_block_that_is_named_often_is_counted_often() -> None:
    empty = bytes(1_000_000) + struct.pack("<I", 250_000)  # nothing but restarts
    with pytest.raises(DamagedPack, match="more than"):
        read_pack({"1.ldb": _table(empty, False, 200)}, Room(10**8))


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_unusual_compression_is_refused(method: int) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        archive.writestr("a.json", b"{}" * 99)
    content = target.getvalue().replace(b"\x5d\0\0", b"\x5d\xff\xff")
    found = unpack_archive(content, Span("a.zip"), 10**6)
    assert "deflate" in found.findings[0].message


@pytest.mark.slow
def test_a_workbook_with_a_row_of_millions_of_cells_is_bounded(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    from sheetgen.plugins.exchange.workbooks import import_xlsx

    plain = io.BytesIO()
    openpyxl.Workbook().save(plain)
    path = tmp_path / "a.xlsx"
    space = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            part = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                part = b'<worksheet xmlns="%s"><sheetData><row r="1">' % space
                part += b"<c/>" * 20_000_000
            new.writestr(name, part)
    found = import_xlsx(ImportRequest(path, complete("d6-pips")))
    assert [one.code for one in found.findings] == [codes.TOO_MUCH]
