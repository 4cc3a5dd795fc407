"""Pictures of authors on sheets: the same pixels in the same place, tagged, without metadata."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pikepdf
import pymupdf
import pytest
from PIL import Image, ImageChops, ImageCms, ImageFile, PngImagePlugin

from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.load.characters import RulesetCache
from sheetgen.load.pictures import (
    build_png,
    list_chunks,
    prepare_raster,
    read_picture,
    write_raster,
)
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.pictures import Picture, PreparedPicture, Raster
from sheetgen.model.requests import CardRequest
from sheetgen.model.source import Pairs
from sheetgen.prints.cards import print_cards
from sheetgen.prints.characters import load_character
from sheetgen.prints.kinds import PrintContext
from sheetgen.prints.sheet import SheetRequest, print_sheet, print_sheets
from tests.printing import FULLEST
from tests.render.ua_rules import faults
from tests.render.viewers import SCALE, VIEWERS

SECRET = b"48.8584N"
CELL = (30 * 72 / 25.4, 34 * 72 / 25.4)
RED, GREEN, BLUE, WHITE = (220, 20, 20), (20, 160, 20), (20, 20, 220), (255, 255, 255)


def quarters(size: tuple[int, int] = (60, 80)) -> Image.Image:
    """Return a picture with red, green, blue and white quarters, in reading order."""
    image = Image.new("RGB", size, WHITE)
    half = size[0] // 2, size[1] // 2
    image.paste(RED, (0, 0, *half))
    image.paste(GREEN, (half[0], 0, size[0], half[1]))
    image.paste(BLUE, (0, half[1], half[0], size[1]))
    return image


def jpeg(image: Image.Image, orientation: int = 1, **options: object) -> bytes:
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = orientation, SECRET.decode()
    file = io.BytesIO()
    options = {"quality": 95, "subsampling": 0, "comment": SECRET, **options}
    image.save(file, "JPEG", exif=exif, **options)
    return file.getvalue()


def png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", SECRET.decode())
    image.save(file, "PNG", pnginfo=info)
    return file.getvalue()


def read_any(folder: Path, name: str, content: bytes, keys: str = "") -> Checked[Picture]:
    (folder / name).write_bytes(content)
    text = f"portrait: {{file: {name}, alt: Quarters{keys}}}\n"
    parsed = parse_yaml(text, str(folder / "hero.yaml"), "").value
    assert parsed is not None
    assert isinstance(parsed.root, Pairs)
    return read_picture(parsed.root.entries[0][1], "portrait", "")


def read(folder: Path, name: str, content: bytes, keys: str = "") -> Picture:
    found = read_any(folder, name, content, keys)
    assert {finding.code.id for finding in found.findings} <= {"SG912"}  # of few pixels
    assert found.value is not None
    return found.value


def prepare(picture: Picture, size: tuple[float, float] = CELL) -> PreparedPicture:
    found = prepare_raster(picture, size)
    assert not found.findings
    assert found.value is not None
    return found.value


def pixels(prepared: PreparedPicture) -> Image.Image:
    assert isinstance(prepared.content, Raster)
    return Image.open(io.BytesIO(write_raster(prepared.content)[1]))


def near(one: tuple[int, ...], other: tuple[int, ...], most: int = 24) -> bool:
    return all(abs(a - b) <= most for a, b in zip(one, other, strict=True))


def corners(image: Image.Image) -> list[tuple[int, ...]]:
    shown = image.convert("RGB")
    wide, high = shown.size
    return [
        shown.getpixel((x, y))
        for y in (high // 4, 3 * high // 4)
        for x in (wide // 4, 3 * wide // 4)
    ]  # type: ignore[misc]


def sixteen_bits(image: Image.Image) -> bytes:
    gray = image.convert("L")
    wide = Image.new("I;16", image.size)
    wide.putdata([value * 257 for value in gray.get_flattened_data()])
    return png(wide)


def cmyk(image: Image.Image) -> bytes:
    return jpeg(image.convert("CMYK"))


def plain_inks(image: Image.Image) -> bytes:
    """Return a CMYK file without Adobe's mark, whose inks are not inverted."""
    data = jpeg(ImageChops.invert(image.convert("CMYK")))
    start = data.index(b"\xff\xee")
    return data[:start] + data[start + 2 + int.from_bytes(data[start + 2 : start + 4]) :]


def turned(image: Image.Image) -> bytes:
    return jpeg(image.transpose(Image.Transpose.ROTATE_90), orientation=6)


KINDS: dict[str, Callable[[Image.Image], bytes]] = {
    "plain.jpg": jpeg,
    "progressive.jpg": lambda image: jpeg(image, progressive=True),
    "cmyk.jpg": cmyk,
    "cmyk-plain.jpg": plain_inks,
    "turned.jpg": turned,
    "plain.png": png,
    "palette.png": lambda image: png(image.quantize(8)),
    "alpha.png": lambda image: png(image.convert("RGBA")),
}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("size", [(60, 80), (1200, 1600)])
def test_every_kind_shows_the_same(name: str, size: tuple[int, int], tmp_path: Path) -> None:
    picture = read(tmp_path, name, KINDS[name](quarters(size)))
    assert (picture.width, picture.height) == size
    prepared = prepare(picture)
    assert isinstance(prepared.content, Raster)
    assert SECRET not in prepared.content.data
    shown = corners(pixels(prepared))
    for one, other in zip(shown, (RED, GREEN, BLUE, WHITE), strict=True):
        assert near(one, other, 60 if "cmyk" in name else 24), shown
    assert prepared.content.width <= 360


@pytest.mark.parametrize("kind", ["gray.jpg", "gray.png", "sixteen.png", "mono.png"])
def test_gray_stays_gray(kind: str, tmp_path: Path) -> None:
    image = Image.linear_gradient("L").resize((100, 100))
    data = {
        "gray.jpg": lambda: jpeg(image),
        "gray.png": lambda: png(image),
        "sixteen.png": lambda: sixteen_bits(image),
        "mono.png": lambda: png(image.point(lambda value: 255 if value > 127 else 0).convert("1")),
    }[kind]()
    prepared = prepare(read(tmp_path, kind, data))
    assert isinstance(prepared.content, Raster)
    assert prepared.content.colours == 1
    shown = pixels(prepared).convert("L")
    assert shown.getpixel((50, 5)) < 40  # type: ignore[operator]
    assert shown.getpixel((50, 95)) > 215  # type: ignore[operator]


def test_a_small_jpeg_passes_through(tmp_path: Path) -> None:
    data = jpeg(quarters())
    prepared = prepare(read(tmp_path, "face.jpg", data))
    assert isinstance(prepared.content, Raster)
    tables = data[data.index(b"\xff\xdb") :]
    assert prepared.content.jpeg
    assert prepared.content.data.endswith(tables)
    assert SECRET not in prepared.content.data
    assert len(prepared.content.data) < len(data)


def test_a_fine_jpeg_is_scaled_down_and_never_up(tmp_path: Path) -> None:
    for side, most in ((2000, 402), (402, 402), (90, 90)):
        picture = read(tmp_path, "face.jpg", jpeg(quarters((side, side))))
        content = prepare(picture, (96.4, 96.4)).content
        assert isinstance(content, Raster)
        assert content.width == most


def test_opacity_becomes_a_mask_and_hides_colours(tmp_path: Path) -> None:
    image = quarters().convert("RGBA")
    image.putalpha(Image.linear_gradient("L").resize(image.size))
    image.paste((1, 2, 3, 0), (0, 0, 60, 20))
    prepared = prepare(read(tmp_path, "face.png", png(image)))
    assert isinstance(prepared.content, Raster)
    assert prepared.content.mask
    shown = pixels(prepared)
    assert shown.mode == "RGBA"
    assert shown.getpixel((30, 5)) == (255, 255, 255, 0)


def test_other_profiles_become_srgb(tmp_path: Path) -> None:
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("XYZ")).tobytes()
    for profile in (lab, b"no profile"):
        image = quarters((400, 400))
        data = jpeg(image, icc_profile=profile)
        prepared = prepare(read(tmp_path, "face.jpg", data))
        assert isinstance(prepared.content, Raster)
        assert b"ICC_PROFILE" not in prepared.content.data


def test_the_focus_stays_in_the_cell(tmp_path: Path) -> None:
    wide = quarters((4000, 800))
    left = prepare(read(tmp_path, "face.png", png(wide), ", focus: [0, 0.5]"))
    assert near(corners(pixels(left))[1], RED)
    right = prepare(read(tmp_path, "face.png", png(wide), ", focus: [1, 0.5]"))
    assert near(corners(pixels(right))[0], GREEN)
    whole = prepare(read(tmp_path, "face.png", png(wide), ", fit: whole"))
    assert whole.at[2] == pytest.approx(1)
    assert whole.at[3] < 0.2


@pytest.mark.many
@pytest.mark.parametrize("size", [(1, 1), (1, 20_000), (20_000, 2), (20_000, 4000)])
def test_strange_sizes_work(size: tuple[int, int], tmp_path: Path) -> None:
    prepared = prepare(read(tmp_path, "face.png", png(Image.new("RGB", size, RED))))
    assert near(corners(pixels(prepared))[0], RED)


@pytest.mark.parametrize("filled", [False, True])
def test_a_picture_that_breaks_within_is_a_finding(
    filled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after WeasyPrint was imported, which makes Pillow fill what a file lacks."""
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", filled)
    kinds = {kind: content for kind, content, _ in list_chunks(png(quarters((200, 200))))}
    broken = kinds | {b"IDAT": kinds[b"IDAT"][: len(kinds[b"IDAT"]) // 2]}
    found = prepare_raster(read(tmp_path, "face.png", build_png(broken.items())), CELL)
    assert found.value is None
    assert [finding.code.id for finding in found.findings] == ["SG905"]
    assert ImageFile.LOAD_TRUNCATED_IMAGES is filled


@pytest.mark.parametrize("kind", ["baseline", "restarts", "cmyk", "progressive"])
@pytest.mark.parametrize("side", [200, 1000])
def test_a_jpeg_without_its_last_pixels_is_a_finding(kind: str, side: int, tmp_path: Path) -> None:
    """Also if it has an end mark again: decoders fill what is missing with grey."""
    image = Image.effect_noise((side, side), 50).convert("CMYK" if kind == "cmyk" else "RGB")
    options = {"restart_marker_rows": 1} if kind == "restarts" else {}
    data = jpeg(image, progressive=kind == "progressive", **options)
    first = data.index(b"\xff\xda") + 20
    parts = (0, 0.1, 0.5) if kind == "progressive" else (0, 0.1, 0.5, 0.9, 0.99)
    for part in parts:
        cut = data[: first + round(part * (len(data) - first))]
        for content in (cut, cut + b"\xff\xd9"):
            read = read_any(tmp_path, "face.jpg", content)
            found = prepare_raster(read.value, CELL) if read.value else read
            assert found.value is None, (part, len(content))
            assert "`face.jpg` breaks off before its end" in str(found.findings)
    assert pixels(prepare(read_any(tmp_path, "face.jpg", data).value))  # type: ignore[arg-type]


def test_a_changed_byte_is_a_finding_wherever_it_is(tmp_path: Path) -> None:
    data = png(quarters())
    begin = data.index(b"IHDR") + 4
    for at in (begin, data.index(b"IDAT") + 4, len(data) - 17, len(data) - 1):
        changed = bytearray(data)
        changed[at] ^= 1
        found = read_any(tmp_path, "face.png", bytes(changed))
        assert found.value is None
        assert [finding.code.id for finding in found.findings] == ["SG905"]


def test_a_png_without_its_palette_is_a_finding(tmp_path: Path) -> None:
    kinds = {kind: content for kind, content, _ in list_chunks(png(quarters().quantize(4)))}
    assert kinds.pop(b"PLTE")
    (finding,) = read_any(tmp_path, "face.png", build_png(kinds.items())).findings
    assert finding.code.id == "SG905"
    assert "palette" in finding.message


@pytest.mark.parametrize("side", [61, 200])
def test_a_progressive_jpeg_without_its_last_byte_is_a_finding(side: int, tmp_path: Path) -> None:
    image = Image.effect_noise((side, side), 50).convert("RGB")
    data = jpeg(image, progressive=True)
    assert prepare(read(tmp_path, "face.jpg", data))
    cut = read(tmp_path, "cut.jpg", data[: data.rindex(b"\xff\xd9") - 1] + b"\xff\xd9")
    (finding,) = prepare_raster(cut, CELL).findings
    assert "`cut.jpg` breaks off before its end" in finding.message


@pytest.mark.slow
@pytest.mark.parametrize("size", [(20_000, 1), (1, 20_000)])
def test_a_line_of_pixels_fills_a_page(size: tuple[int, int], tmp_path: Path) -> None:
    """Its matrix has numbers of seven digits, which PDF has to have without exponents."""
    (tmp_path / "line.jpg").write_bytes(jpeg(Image.new("RGB", size, RED)))
    text = "ruleset: d6-pips\nkind: npc\nnpc: Guard\nportrait: {file: line.jpg, alt: Red}\n"
    (tmp_path / "guard.yaml").write_text(text, encoding="utf-8")
    request = CardRequest((str(tmp_path),), of_kind="npc", size="half-letter")
    files = next(one.files for one in print_cards(request, PrintContext()) if one.files)
    for render in VIEWERS.values():
        colours = render(files["pdf"], 0).convert("RGB").getcolors(1 << 24)
        assert any(n > 500 and near(c, RED) for n, c in colours), "the picture is not there"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig", "iso-8859-1"])
def test_a_drawing_in_another_encoding_is_read(encoding: str, tmp_path: Path) -> None:
    head = f'<?xml version="1.0" encoding="{encoding.removesuffix("-le").removesuffix("-sig")}"?>'
    found = read_any(tmp_path, "face.svg", (head + SVG.format("")).encode(encoding))
    assert not found.findings
    assert found.value is not None
    assert (found.value.kind, found.value.width, found.value.height) == ("svg", 60, 80)


# -- whole sheets ----------------------------------------------------------------------------


def sheet(folder: Path, picture: str, **options: object) -> tuple[dict[str, bytes], list[Finding]]:
    text = FULLEST["hyperspace-d6"].read_text(encoding="utf-8")
    path = folder / "hero.yaml"
    path.write_text(f"{text}\n{picture}\n", encoding="utf-8")
    one = load_character(path, RulesetCache(), {})
    printed = print_sheet(one, SheetRequest(formats=("pdf", "html"), **options))  # type: ignore[arg-type]
    return dict(printed.files), [*one.findings, *printed.findings]


@pytest.mark.slow
@pytest.mark.parametrize("flatten", [False, True])
def test_a_sheet_shows_a_portrait(flatten: bool, tmp_path: Path) -> None:
    (tmp_path / "face.jpg").write_bytes(jpeg(quarters((3000, 3500))))
    keys = "portrait: {file: face.jpg, alt: Four quarters}"
    files, findings = sheet(tmp_path, keys, flatten=flatten)
    assert not [finding for finding in findings if finding.code.id.startswith("SG9")]
    assert faults(files["pdf"]) == []
    with pikepdf.open(io.BytesIO(files["pdf"])) as pdf:
        figures = [
            one
            for one in pdf.objects
            if isinstance(one, pikepdf.Dictionary) and one.get("/S") == "/Figure"
        ]
        assert [str(figure.Alt) for figure in figures] == ["Four quarters"]
        left, foot, right, top = (float(n) for n in figures[0].A.BBox)
        high = float(pdf.pages[0].MediaBox[3])
    for render in VIEWERS.values():
        page = render(files["pdf"], 0).convert("RGB")
        box = [round(n * SCALE) for n in (left, high - top, right, high - foot)]
        shown = corners(page.crop(tuple(box)))  # type: ignore[arg-type]
        expected = (RED, GREEN, BLUE, WHITE)
        assert all(near(*pair) for pair in zip(shown, expected, strict=True)), shown
    assert SECRET not in files["pdf"]
    html = files["html"].decode()
    assert re.search(r'<img [^>]*src="data:image/jpeg;base64,[^"]+" alt="Four quarters">', html)
    assert "img-src data:;" in html
    assert len(files["pdf"]) < 180_000


def test_without_a_picture_nothing_is_tagged(tmp_path: Path) -> None:
    files, findings = sheet(tmp_path, "portrait: none.png")
    assert "SG901" in [finding.code.id for finding in findings]
    assert faults(files["pdf"]) == []
    assert b"<img" not in files["html"]
    with pikepdf.open(io.BytesIO(files["pdf"])) as pdf:
        assert not [
            one
            for one in pdf.objects
            if isinstance(one, pikepdf.Dictionary) and one.get("/S") == "/Figure"
        ]


@pytest.mark.many
@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("[face.png]", "SG010"),
        ("{alt: Face}", "SG012"),
        ("{file: face.png, alt: Face, focus: [left, 0.5]}", "SG010"),
        ("{file: face.png, alt: Face, frame: gold}", "SG011"),
    ],
)
def test_a_wrong_value_does_not_stop_the_print(value: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "face.png").write_bytes(png(quarters()))
    files, findings = sheet(tmp_path, f"portrait: {value}")
    (finding,) = [one for one in findings if one.code.id == code]
    assert finding.severity is Severity.WARNING
    assert finding.span.line == len(FULLEST["hyperspace-d6"].read_text().splitlines()) + 2
    assert faults(files["pdf"]) == []


def test_a_second_picture_has_the_ships_frame(tmp_path: Path) -> None:
    (tmp_path / "face.png").write_bytes(png(quarters()))
    _, findings = sheet(tmp_path, "portrait: face.png\nart: face.png")
    assert [f.code.id for f in findings if f.code.id.startswith("SG9")] == ["SG908"]


@pytest.mark.slow
def test_joined_sheets_share_a_picture(tmp_path: Path) -> None:
    (tmp_path / "face.jpg").write_bytes(jpeg(quarters()))
    (tmp_path / "other.png").write_bytes(png(quarters((61, 80))))
    text = FULLEST["hyperspace-d6"].read_text(encoding="utf-8")
    for number in range(4):
        name = "other.png" if number == 3 else "face.jpg"
        path = tmp_path / f"hero{number}.yaml"
        path.write_text(f"{text}\nportrait: {{file: {name}, alt: Face}}\n", encoding="utf-8")
    paths = tuple(map(str, sorted(tmp_path.glob("*.yaml"))))
    request = SheetRequest(paths, formats=("pdf",), joined=True)
    printed = list(print_sheets(request, PrintContext()))[-1]
    assert faults(printed.files["pdf"]) == []
    with pikepdf.open(io.BytesIO(printed.files["pdf"])) as pdf:
        images = [
            one
            for one in pdf.objects
            if isinstance(one, pikepdf.Stream) and one.get("/Subtype") == "/Image"
        ]
        assert len(images) == 2
        names = [[n for n in page.Resources.XObject if n[1] == "P"] for page in pdf.pages]
        assert [len(found) for found in names] == [1] * len(names)


SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 80">
<!-- 48.8584N --><metadata>48.8584N</metadata><title>48.8584N</title>
<style>.red {{ fill: rgb(220, 20, 20) }}</style><defs><rect id="q" width="30" height="40"/></defs>
<rect width="60" height="80" fill="white"/><use href="#q" class="red"/>
<use href="#q" x="30" fill="rgb(20, 160, 20)"/><use href="#q" y="40" fill="rgb(20, 20, 220)"/>
{}</svg>"""


def test_a_drawing_stays_vectors(tmp_path: Path) -> None:
    (tmp_path / "face.svg").write_text(SVG.format(""), encoding="utf-8")
    files, findings = sheet(tmp_path, "portrait: {file: face.svg, alt: Quarters, fit: whole}")
    assert not [finding for finding in findings if finding.code.id.startswith("SG9")]
    assert faults(files["pdf"]) == []
    assert SECRET not in files["pdf"]
    assert b'src="data:image/svg+xml;base64,' in files["html"]
    with pikepdf.open(io.BytesIO(files["pdf"])) as pdf:
        assert not [o for o in pdf.objects if isinstance(o, pikepdf.Stream) and o.get("/Width")]
        figure = next(
            o for o in pdf.objects if isinstance(o, pikepdf.Dictionary) and o.get("/S") == "/Figure"
        )
        left, foot, right, top = (float(n) for n in figure.A.BBox)
        high = float(pdf.pages[0].MediaBox[3])
    middle = (left + right) / 2, high - (foot + top) / 2
    for render in VIEWERS.values():
        page = render(files["pdf"], 0).convert("RGB")
        around = [
            page.getpixel((round((middle[0] + x) * SCALE), round((middle[1] + y) * SCALE)))
            for y in (-15, 15)
            for x in (-15, 15)
        ]
        expected = (RED, GREEN, BLUE, WHITE)
        assert all(near(*pair) for pair in zip(around, expected, strict=True)), around  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("credit", "pages"),
    [("Ann Doe, CC BY 4.0", 2), ("Ann Doe of the Museum of the Sea, by hand", 3)],
)
def test_the_credit_is_printed(credit: str, pages: int, tmp_path: Path) -> None:
    (tmp_path / "face.png").write_bytes(png(quarters()))
    files, findings = sheet(
        tmp_path, f"portrait: {{file: face.png, alt: Face, credit: '{credit}'}}"
    )
    assert not [finding for finding in findings if finding.code.id.startswith("SG9")]
    texts = [page.get_text() for page in pymupdf.open(stream=files["pdf"])]
    assert len(texts) == pages
    assert f"Picture: {credit}" in texts[0] if pages == 2 else credit in " ".join(texts[2].split())
    assert f'title="Picture: {credit}"' in files["html"].decode()
    assert faults(files["pdf"]) == []
