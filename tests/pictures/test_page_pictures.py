"""Pictures of pages: what the PDF shows, with resolution, credit and seal, and nothing else."""

from __future__ import annotations

import io
import zlib
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image, ImageChops

from sheetgen.finish.pictures import encode_picture
from sheetgen.model.seals import is_sealed, sealed
from tests.cli.commands import CHARACTERS, run
from tests.shelf import ruleset

DPI = 48


def hero() -> Path:
    found = sorted((CHARACTERS / "d6-pips").glob("*.yaml"))
    return next(path for path in found if "kor" in path.name)


def printed(folder: Path, *words: str | Path) -> dict[str, bytes]:
    """Return the files that a command writes, by name."""
    told = run(*words, "--out", folder)
    assert told.status == 0, told.err
    return {
        Path(name).relative_to(folder).as_posix(): Path(name).read_bytes()
        for name in told.out.splitlines()
    }


def opened(content: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(content))
    picture.load()
    return picture


def rendered(content: bytes, dpi: float = DPI) -> list[Image.Image]:
    pdf = pypdfium2.PdfDocument(content)
    pdf.init_forms()
    return [page.render(scale=dpi / 72).to_pil() for page in pdf]


def share_of_changes(one: Image.Image, other: Image.Image) -> float:
    """Return the share of pixels that differ clearly."""
    assert one.size == other.size
    changed = ImageChops.difference(one, other).convert("L").point(lambda v: 255 * (v > 48))
    return changed.histogram()[255] / (one.width * one.height)


@pytest.mark.parametrize(
    "words",
    [
        ["sheet", hero(), "--no-calc"],
        ["tables", "d6-pips", "play"],
        ["screen", "d6-pips", "--panels", "gm"],
        ["odds", "d6-pips"],
    ],
    ids=lambda words: words[0],
)
def test_pictures_are_the_pages_of_the_pdf(words: list[str | Path], tmp_path: Path) -> None:
    files = printed(tmp_path, *words, "--to", "pdf", "--to", "png", "--dpi", str(DPI))
    (pdf,) = (name for name in files if name.endswith(".pdf"))
    pages = rendered(files.pop(pdf))
    stem = pdf.removesuffix(".pdf")
    digits = len(str(len(pages)))
    numbered = [f"{stem}-{n:0{digits}}.png" for n in range(1, len(pages) + 1)]
    assert list(files) == (numbered if pages[1:] else [f"{stem}.png"])
    for picture, page in zip(map(opened, files.values()), pages, strict=True):
        assert picture.mode == "RGB"
        assert picture.size == page.size
        assert ImageChops.difference(picture, page).getbbox() is None


def test_pictures_show_the_values_of_fields(tmp_path: Path) -> None:
    """A flat print draws the same as text; the button that resets a form is on neither."""
    flat = printed(tmp_path / "flat", "sheet", hero(), "--flatten")
    shown = printed(
        tmp_path / "form", "sheet", hero(), "--to", "pdf", "--to", "png", "--dpi", str(DPI)
    )
    pictures = [opened(content) for name, content in shown.items() if name.endswith(".png")]
    (content,) = flat.values()
    for picture, page in zip(pictures, rendered(content), strict=True):
        assert share_of_changes(picture, page) < 0.0005
        assert share_of_changes(picture, Image.new("RGB", picture.size, "white")) > 0.01


@pytest.mark.parametrize("format_", ["png", "jpeg", "webp"])
def test_pictures_carry_resolution_credit_and_seal(format_: str, tmp_path: Path) -> None:
    words = ["tables", "d6-pips", "play", "--to", format_, "--dpi", "72"]
    first, again = printed(tmp_path / "one", *words), printed(tmp_path / "two", *words)
    assert first == again, "equal input gives equal bytes"
    content = next(iter(first.values()))
    assert is_sealed(content)
    assert not is_sealed(content[:99] + b"x" + content[100:])
    assert str(tmp_path).encode() not in content
    assert b"20" + b"26" not in content, "no date"
    picture = opened(content)
    credit = ruleset("d6-pips").credit.short
    if format_ == "png":
        assert picture.info["Copyright"] == credit
        assert round(picture.info["dpi"][0]) == 72
    else:
        exif = picture.getexif()
        assert exif[0x8298].encode("latin-1").decode() == credit
        assert exif[0x011A] == 72


def test_a_seal_keeps_the_checksum_of_its_chunk() -> None:
    picture = encode_picture(Image.new("RGB", (1, 1)), "png", 300, "é", "©")
    closed = sealed("x.png", picture)
    assert opened(closed).info["Title"] == "é"
    assert is_sealed(closed)
    assert not is_sealed(closed.replace(b"Software", b"software"))
    at = 8
    while at < len(closed):
        end = at + 8 + int.from_bytes(closed[at : at + 4])
        assert zlib.crc32(closed[at + 4 : end]) == int.from_bytes(closed[end : end + 4])
        at = end + 4


@pytest.mark.parametrize("format_", ["png", "webp"])
def test_paper_is_transparent_where_asked(format_: str, tmp_path: Path) -> None:
    words = ["sheet", hero(), "--to", format_, "--dpi", str(DPI)]
    solid = [opened(one) for one in printed(tmp_path / "solid", *words).values()]
    clear = [opened(one) for one in printed(tmp_path / "clear", *words, "--transparent").values()]
    for one, other in zip(solid, clear, strict=True):
        assert (one.mode, other.mode) == ("RGB", "RGBA")
        alpha = other.getchannel("A")
        assert alpha.histogram()[0] > 0.6 * one.width * one.height
        page = Image.new("RGB", other.size, "white")
        page.paste(other, mask=alpha)
        assert share_of_changes(page, one) < 0.002


def test_too_many_pixels_are_a_finding_and_the_pdf_is_printed(tmp_path: Path) -> None:
    told = run(
        *("tables", "d6-pips", "play", "--to", "pdf", "--to", "png", "--dpi", "1200"),
        *("--out", tmp_path),
    )
    assert told.status == 2
    assert "SG620" in told.err
    assert "9922 × 14032 pixels" in told.err
    assert told.out.split() == [str(tmp_path / "d6-pips-play.pdf")]


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--to", "jpeg", "--transparent"], "--transparent"),
        (["--to", "png", "--archive"], "--archive"),
        (["--to", "webp", "--for", "pod-book"], "--for"),
        (["--to", "pdf", "--transparent"], "--transparent"),
    ],
    ids=lambda words: "".join(words),
)
def test_options_of_a_pdf_are_refused_for_pictures(
    words: list[str], option: str, tmp_path: Path
) -> None:
    told = run("tables", "d6-pips", "play", *words, "--out", tmp_path)
    assert told.status == 2
    assert f"{option}: error[SG619]" in told.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("dpi", ["35", "1201", "fine"])
def test_a_resolution_has_bounds(dpi: str) -> None:
    assert run("odds", "d6-pips", "--to", "png", "--dpi", dpi).status == 2
