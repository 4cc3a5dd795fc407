"""Pictures that are made to take much time or memory, or that change while they are printed."""

from __future__ import annotations

import io
import math
import os
import struct
import warnings
import zlib
from pathlib import Path

import pytest
from PIL import Image

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Span
from sheetgen.load.pictures import find_picture, parse_jpeg, prepare_raster
from sheetgen.load.svg import sanitise_svg
from sheetgen.materials.plates import prepare_picture
from sheetgen.model.pictures import Picture, PictureFile, Raster
from sheetgen.model.source import Text
from tests.effort import growth

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"{}><rect{}/></svg>'


def _encoded(kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (40, 40), (9, 99, 9)).save(file, kind, **options)
    return file.getvalue()


def _find(folder: Path, name: str, content: bytes) -> Checked[Picture]:
    (folder / name).write_bytes(content)
    file = Text(name, Span(str(folder / "hero.yaml"), 1, 1, 1))
    return find_picture(PictureFile(file=file, alt=Text("A field", file.span)), "")


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(content, zlib.crc32(kind))
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)


def test_a_file_of_very_many_parts_is_refused(tmp_path: Path) -> None:
    """Guards Pillow, which keeps each segment of a JPEG file, and reads each chunk of a PNG."""
    jpeg, png = _encoded("JPEG"), _encoded("PNG")
    segments = jpeg[:2] + 30_000 * b"\xff\xe1\x00\x02" + jpeg[2:]
    chunks = png[:33] + 60_000 * _chunk(b"teSt", b"") + png[33:]
    for name, content in (("a.jpg", segments), ("a.png", chunks)):
        found = _find(tmp_path, name, content)
        assert found.value is None
        assert [one.code for one in found.findings] == [codes.DAMAGED_PICTURE]


def test_wrong_exif_prints_no_warnings(tmp_path: Path) -> None:
    entries = b"".join(struct.pack("<HHII", n, 1, 400_000, 8) for n in range(1, 300))
    exif = b"II*\0\x08\0\0\0" + struct.pack("<H", 299) + entries
    with warnings.catch_warnings(record=True) as printed:
        warnings.simplefilter("always")
        for name, content in (
            ("a.jpg", _encoded("JPEG", exif=b"Exif\0\0" + exif)),
            ("a.png", (png := _encoded("PNG"))[:33] + _chunk(b"eXIf", exif) + png[33:]),
        ):
            found = _find(tmp_path, name, content).value
            assert found is not None
            assert prepare_raster(found, (40.0, 40.0)).value is not None
    assert not printed


@pytest.mark.parametrize(
    ("attribute", "repeated"),
    [
        (' width="…x"', "1"),
        (' fill="…"', "url("),
        (' fill="url(…"', " "),
        (' fill="url(&quot;…"', "#"),
        (' style="fill:…"', "url('#a' "),
    ],
    ids=["digits", "addresses", "spaces", "open quotes", "open brackets"],
)
def test_long_attributes_take_time_in_proportion(attribute: str, repeated: str) -> None:
    def work(size: int) -> bytes:
        long = attribute.replace("…", repeated * size)
        return sanitise_svg(SVG.format(long, long.replace(" width", " rx")).encode()).content

    assert b"url(" not in work(100)
    assert growth(work, 20_000 // len(repeated)) < 64  # 16 if linear, 256 if quadratic


def test_local_addresses_stay_and_others_go() -> None:
    for kept in ("url(#a)", "url( '#a' )", "url(&quot;#a&quot;) red"):
        drawing = sanitise_svg(SVG.format("", f' fill="{kept}"').encode())
        assert b"#a" in drawing.content
        assert not drawing.dropped
    for gone in ("url(a.svg#a)", "URL(//a)", "url('http://a')", f"url(data:{'a' * 999})"):
        drawing = sanitise_svg(SVG.format("", f' fill="{gone}"').encode())
        assert b"fill" not in drawing.content
        assert drawing.dropped == ("a link to another file",)


@pytest.mark.parametrize("box", ["0 0 5e-324 1e5", "0 0 1e-9 9", "0 0 nan 9", "0 0 inf 9"])
def test_a_strange_box_of_coordinates_gives_a_size(box: str) -> None:
    for sides in ("", ' width="9"', ' height="1e9"'):
        drawing = sanitise_svg(f'<svg viewBox="{box}"{sides}/>'.encode())
        assert all(math.isfinite(n) and n > 0 for n in (drawing.width, drawing.height))


FINE = '<pattern id="p" width=".01" height=".01" patternUnits="userSpaceOnUse"><path/></pattern>'


@pytest.mark.parametrize(
    "content",
    [
        f'<defs>{FINE}</defs><rect width="9" height="9" fill="url(#p)"/>',
        '<path d="M0 0H9" stroke="red" stroke-dasharray=".00001"/>',
        '<path d="M0 0L1e400 1e400Z"/>',
        '<g transform="scale(1e308)"><g transform="scale(1e308)"><path d="M0 0L1 1Z"/></g></g>',
    ],
    ids=["pattern", "dashes", "infinite", "scaled"],
)
def test_a_drawing_that_viewers_cannot_draw_is_refused(content: str, tmp_path: Path) -> None:
    """Guards readers of the print: some take hours, others stop at the first wrong number."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{content}</svg>'
    picture = _find(tmp_path, "a.svg", svg.encode()).value
    assert picture is not None
    drawn = prepare_picture(picture, (40.0, 40.0))
    assert drawn.value is None
    assert [one.code for one in drawn.findings] == [codes.DAMAGED_PICTURE]


def test_a_jpeg_with_wrong_tables_is_refused_and_without_tables_encoded_anew(
    tmp_path: Path,
) -> None:
    """Guards viewers, which would get the file as it is."""
    jpeg = _encoded("JPEG")
    at = jpeg.index(b"\xff\xc4") + 5
    wrong = _find(tmp_path, "a.jpg", jpeg[:at] + 16 * b"\xff" + jpeg[at + 16 :]).value
    assert wrong is not None
    refused = prepare_raster(wrong, (40.0, 40.0))
    assert [one.code for one in refused.findings] == [codes.DAMAGED_PICTURE]
    bare = _find(tmp_path, "b.jpg", jpeg.replace(b"\xff\xc4", b"\xff\xe9")).value
    assert bare is not None
    prepared = prepare_raster(bare, (40.0, 40.0)).value
    assert prepared is not None
    assert isinstance(prepared.content, Raster)
    assert b"\xff\xc4" in prepared.content.data


@pytest.mark.parametrize("link", [False, True])
def test_a_file_that_changes_is_not_printed(link: bool, tmp_path: Path) -> None:
    """Guards the limits: they were checked for the file that was there before."""
    folder = tmp_path / "hero"
    folder.mkdir()
    picture = _find(folder, "a.png", _encoded("PNG")).value
    assert picture is not None
    other = tmp_path / "other.png"
    Image.new("RGB", (50, 50)).save(other)
    if link:
        (folder / "a.png").unlink()
        os.symlink(other, folder / "a.png")
    else:
        (folder / "a.png").write_bytes(other.read_bytes())
    prepared = prepare_raster(picture, (40.0, 40.0))
    assert prepared.value is None
    assert "was changed" in prepared.findings[0].message


def test_a_jpeg_of_very_many_scans_is_encoded_anew(tmp_path: Path) -> None:
    """Guards readers of the print: each scan takes them as long as the whole picture."""
    jpeg = _encoded("JPEG", progressive=True)
    last = jpeg.rindex(b"\xff\xda")
    many = jpeg[:-2] + 60 * jpeg[last:-2] + jpeg[-2:]
    picture = _find(tmp_path, "a.jpg", many).value
    assert picture is not None
    assert parse_jpeg(many).scans > 60
    prepared = prepare_raster(picture, (40.0, 40.0)).value
    if prepared is not None:
        assert isinstance(prepared.content, Raster)
        assert parse_jpeg(prepared.content.data).scans == 1


@pytest.mark.parametrize("side", [40.0, 400.0])
def test_a_progressive_jpeg_whose_last_scan_is_cut_off_is_refused(
    side: float, tmp_path: Path
) -> None:
    """Decoders leave the missing part blurred; the end mark makes the file look complete."""
    file = io.BytesIO()
    Image.effect_noise((200, 200), 60).save(file, "JPEG", progressive=True)
    jpeg = file.getvalue()
    last = jpeg.rindex(b"\xff\xda")
    assert len(jpeg) - last > 500
    whole = _find(tmp_path, "a.jpg", jpeg).value
    cut = _find(tmp_path, "b.jpg", jpeg[: (last + len(jpeg)) // 2].rstrip(b"\xff") + b"\xff\xd9")
    assert whole is not None
    assert prepare_raster(whole, (side, side)).value is not None
    assert cut.value is not None
    (finding,) = prepare_raster(cut.value, (side, side)).findings
    assert "breaks off before its end" in finding.message


@pytest.mark.parametrize("progressive", [True, False])
def test_only_a_jpeg_that_is_reduced_before_it_is_decoded_may_be_huge(
    progressive: bool, tmp_path: Path
) -> None:
    jpeg = bytearray(_encoded("JPEG", progressive=progressive))
    at = jpeg.index(b"\xff\xc2" if progressive else b"\xff\xc0") + 5
    jpeg[at : at + 4] = (20_000).to_bytes(2) * 2
    found = _find(tmp_path, "a.jpg", bytes(jpeg))
    assert [one.code for one in found.findings] == [codes.LARGE_PICTURE] * progressive
    if found.value is not None:
        refused = prepare_raster(found.value, (40.0, 40.0))
        assert "breaks off before its end" in refused.findings[0].message
