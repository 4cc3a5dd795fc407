"""Sheets as backups: QR codes that photos, tilted and blurred, give back byte for byte."""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import zlib
from functools import cache
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image, ImageFilter, ImageOps

from sheetgen.load import filled as photos
from sheetgen.model.filled import (
    MOST_CONTENT,
    BackupDamaged,
    BackupTooLarge,
    join_payloads,
    pack_backup,
    parse_payload,
)
from tests.cli.commands import run, starter
from tests.printing import CHARACTERS, FULLEST, USUAL, character_at, opened, printed, values
from tests.render.ua_rules import faults
from tests.samples import by_turns

pytestmark = pytest.mark.slow

LONGEST = max(CHARACTERS, key=lambda path: path.stat().st_size)
SHORTEST = min(CHARACTERS, key=lambda path: path.stat().st_size)
REFERENCES = next(path for path in CHARACTERS if path.stem == "marit_sool")
"""A character whose sheet ends with a page of tables."""

TIGHT = ("letter", "large-print")
GREY = 215
"""The brightness of the table that a sheet lies on."""


@cache
def pdf(path: Path, look: tuple[str, str] = USUAL) -> bytes:
    return printed(character_at(path), look, qr=True).pdf


@cache
def page(path: Path, dpi: int, look: tuple[str, str] = USUAL) -> Image.Image:
    """Return the last page of a sheet as a scanner sees it."""
    document = pypdfium2.PdfDocument(pdf(path, look))
    return document[len(document) - 1].render(scale=dpi / 72).to_pil().convert("L")


def tilted(image: Image.Image, degrees: float) -> Image.Image:
    return image.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=GREY)


def slanted(image: Image.Image) -> Image.Image:
    """Return a page seen from its foot: the head is a seventh narrower."""
    image = ImageOps.expand(image, image.width // 8, GREY)
    wide, high = image.size
    h = 0.15 / high
    data = (1, wide / 2 * h, 0, 0, 1 + h * high, 0, 0, h)
    turned = image.rotate(180)
    seen = turned.transform(image.size, Image.Transform.PERSPECTIVE, data, Image.Resampling.BICUBIC)
    return seen.rotate(180)


def noisy(image: Image.Image, sigma: float = 40) -> Image.Image:
    """Return a picture with the grain of a dark room."""
    random.seed(7)
    noise = Image.effect_noise(image.size, sigma)
    return Image.blend(image, noise, 0.35)


def blurred(image: Image.Image, pixels: float = 0.8) -> Image.Image:
    return image.filter(ImageFilter.GaussianBlur(pixels))


SEEN = {
    "plain": lambda image: image,
    "left": lambda image: tilted(image, 7),
    "right": lambda image: tilted(image, -7),
    "upside down": lambda image: tilted(image, 180),
    "slanted": slanted,
    "noisy": noisy,
    "blurred": blurred,
    "all": lambda image: noisy(blurred(slanted(tilted(image, 7)), 0.6), 30),
}
"""How a camera may see a page."""


def saved(image: Image.Image, folder: Path, name: str = "photo.png") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    image.save(folder / name)
    return folder / name


SCANNED = [(SHORTEST, 150), (LONGEST, 150), (LONGEST, 300)]


@pytest.mark.parametrize(("scanned", "seen"), by_turns(SCANNED, [*SEEN]))
def test_a_photo_gives_the_file_back(scanned: tuple[Path, int], seen: str, tmp_path: Path) -> None:
    path, dpi = scanned
    photo = saved(SEEN[seen](page(path, dpi)), tmp_path)
    said = run("read", photo)
    assert (said.status, said.err) == (0, "")
    [file] = tmp_path.glob("*.yaml")
    assert file.read_bytes() == path.read_bytes()
    assert f"{path.stat().st_size:,} bytes" in said.out


@pytest.mark.parametrize("name", ["photo.jpg", "photo.webp", "photo.dat"])
def test_the_content_of_a_picture_counts_not_its_name(name: str, tmp_path: Path) -> None:
    data = io.BytesIO()
    page(SHORTEST, 150).save(
        data, "PNG" if name.endswith("dat") else name[-4:].strip(".").upper().replace("JPG", "JPEG")
    )
    (tmp_path / name).write_bytes(data.getvalue())
    assert run("read", tmp_path / name).status == 0
    [file] = tmp_path.glob("*.yaml")
    assert file.read_bytes() == SHORTEST.read_bytes()


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "CMYK", "I;16", "1"])
def test_odd_pixels_are_read(mode: str, tmp_path: Path) -> None:
    image = page(SHORTEST, 150)
    if mode in ("RGBA", "LA"):  # black on nothing
        image = Image.merge(
            mode, [*[Image.new("L", image.size)] * (len(mode) - 1), ImageOps.invert(image)]
        )
    elif mode == "I;16":
        image = image.convert("I").point(lambda value: value * 257).convert("I;16")
    else:
        image = image.convert(mode)
    photo = saved(image, tmp_path, "photo.jpg" if mode == "CMYK" else "photo.png")
    assert run("read", photo).status == 0
    assert [file.read_bytes() for file in tmp_path.glob("*.yaml")] == [SHORTEST.read_bytes()]


@pytest.mark.parametrize("look", [USUAL, TIGHT])
def test_a_sheet_with_a_code_is_sound(look: tuple[str, str]) -> None:
    """Guards the tags: the code is a figure with an alternate text and a box."""
    data = pdf(LONGEST, look)
    assert faults(data) == []
    with opened(data) as file:
        figures = [o for o in file.objects if getattr(o, "get", None) and o.get("/S") == "/Figure"]
        assert [str(f.Alt) for f in figures if "/Alt" in f and "QR" in str(f.Alt)] == [
            "QR code of this character's file"
        ]
    assert values(data) == values(printed(character_at(LONGEST), look).pdf)
    read = photos.read_photo
    assert read is not None
    assert [b.bytes[:3] for b in _codes(page(LONGEST, 150, look))] == [b"SGQ"]


def _codes(image: Image.Image) -> list:
    import zxingcpp

    return zxingcpp.read_barcodes(image)


@pytest.mark.parametrize("path", [*FULLEST.values(), REFERENCES])
def test_the_code_is_in_a_corner_of_the_last_page(path: Path) -> None:
    """Guards against an extra page that no note tells of."""
    made, bare = printed(character_at(path), qr=True), printed(character_at(path))
    full = path == FULLEST["keyword-dots"]  # whose file is longer than the corner holds
    assert len(opened(made.pdf).pages) == len(opened(bare.pdf).pages) + full
    assert any(one.code.id == "SG623" for one in made.printed.findings) == full
    leaf = made.plan.leaves[-1]
    if len(made.plan.leaves) == 1:
        box = next(place for place in leaf.plate.places if place.name == "backup")
        assert box.page == len(leaf.plate.sizes) - 1
        assert "backup" in leaf.filling.pictures


def test_without_the_option_nothing_changes() -> None:
    assert printed(character_at(SHORTEST)).pdf == printed(character_at(SHORTEST), qr=False).pdf
    assert len(printed(character_at(SHORTEST)).pdf) + 15_000 > len(pdf(SHORTEST))


# -- large and wrong files --------------------------------------------------------------------


def long_file(folder: Path, letters: int) -> Path:
    rough = random.Random(3)
    words = (f"{rough.getrandbits(64):x}" for _ in range(letters // 17))
    return starter(folder, "keyword-dots", more=f"notes: {' '.join(words)}")


def test_a_long_file_takes_several_codes(tmp_path: Path) -> None:
    path = long_file(tmp_path, 6_000)
    said = run("sheet", path, "--qr", "--out", tmp_path / "out")
    assert said.status == 0
    document = pypdfium2.PdfDocument(Path(said.out.strip()))
    images = [page.render(scale=150 / 72).to_pil() for page in document]
    pages = [saved(one, tmp_path / "in", f"{n}.png") for n, one in enumerate(images) if _codes(one)]
    said = run("read", *pages, "--into", tmp_path / "in" / "back.yaml")
    assert said.status == 0, said.err
    assert (tmp_path / "in" / "back.yaml").read_bytes() == path.read_bytes()
    assert max(len(_codes(one)) for one in images) > 1


def test_a_code_too_large_for_the_corner_has_a_page(tmp_path: Path) -> None:
    words = long_file(tmp_path, 3_000).read_text(encoding="utf-8").rpartition("notes: ")[2]
    path = starter(tmp_path, "keyword-dots", more=f"# {words}")
    said = run("sheet", path, "--qr", "--out", tmp_path / "out")
    assert "note[SG623]: the QR code has a page of its own" in said.err
    pages = list(pypdfium2.PdfDocument(Path(said.out.strip())))
    assert _codes(pages[-1].render(scale=150 / 72).to_pil())


def test_a_file_that_is_too_long_is_a_finding(tmp_path: Path) -> None:
    path = long_file(tmp_path, 30_000)
    said = run("sheet", path, "--qr", "--out", tmp_path / "out")
    assert said.status == 0
    assert "bytes too large for QR codes" in said.err
    assert "SG622" in said.err
    assert Path(said.out.strip()).is_file()


def test_an_empty_sheet_has_no_code() -> None:
    said = run("sheet", "--blank", "d6-pips", "--qr")
    assert said.status == 2
    assert "--qr needs a character file" in said.err


def test_a_byte_order_mark_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "marked.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + SHORTEST.read_bytes().replace(b"\n", b"\r\n"))
    character = character_at(path)
    document = pypdfium2.PdfDocument(printed(character, qr=True).pdf)
    image = document[len(document) - 1].render(scale=150 / 72).to_pil()
    assert run("read", saved(image, tmp_path / "in"), "--into", tmp_path / "back.yaml").status == 0
    assert (tmp_path / "back.yaml").read_bytes() == path.read_bytes()


def test_codes_of_the_first_format_are_read() -> None:
    content = SHORTEST.read_bytes()
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    small = packer.compress(content) + packer.flush()
    head = b"SGQ\x01\x01" + hashlib.sha256(content).digest()[:8]
    assert joined(head + small) == content


# -- payloads ---------------------------------------------------------------------------------


def joined(*payloads: bytes) -> bytes:
    parts = [part for one in payloads if (part := parse_payload(one)) is not None]
    return join_payloads(parts)


@pytest.mark.parametrize("size", [0, 1, 1_000, 5_000])
def test_payloads_give_the_content_back(size: int) -> None:
    content = random.Random(size).randbytes(size)
    payloads = pack_backup(content)
    assert joined(*reversed(payloads)) == content
    assert len(payloads) == max(1, -(-size // 1_357))
    assert max(map(len, payloads)) <= 1_370


def test_what_is_too_large_is_refused() -> None:
    with pytest.raises(BackupTooLarge) as raised:
        pack_backup(random.Random(1).randbytes(6_000))
    assert 560 < raised.value.excess < 600
    with pytest.raises(BackupTooLarge):
        pack_backup(b"a" * (MOST_CONTENT + 1))


def test_no_changed_bit_gives_another_file() -> None:
    [payload] = pack_backup(SHORTEST.read_bytes())
    for bit in range(8 * 13, 8 * len(payload), 7):
        broken = bytearray(payload)
        broken[bit // 8] ^= 1 << bit % 8
        try:
            content = joined(bytes(broken))
        except BackupDamaged:
            continue
        assert content == SHORTEST.read_bytes()  # of a bit that only fills up the last byte


def code(payload: bytes, folder: Path, name: str = "photo.png") -> Path:
    """Return a picture of any payload."""
    import zxingcpp

    image = zxingcpp.create_barcode(payload, zxingcpp.BarcodeFormat.QRCode).to_image(scale=4)
    return saved(Image.fromarray(image), folder, name)


[GOOD] = pack_backup(SHORTEST.read_bytes())
HEAD, BODY = GOOD[:13], GOOD[13:]
BOMB = zlib.compressobj(9, zlib.DEFLATED, -15)
WRONG = {
    "foreign": (b"https://example.com/sheet", "SG818", "not from sheetgen"),
    "cut off": (HEAD, "SG819", "cut off"),
    "half": (HEAD + BODY[: len(BODY) // 2], "SG819", "digest"),
    "flipped": (HEAD + bytes([BODY[0] ^ 0x11]) + BODY[1:], "SG819", "damaged"),
    "newer": (b"SGQ\x03" + GOOD[4:], "SG819", "format 3"),
    "one of two": (b"SGQ\x02\x02" + GOOD[5:], "SG819", "number 2 cannot be seen"),
    "impossible": (b"SGQ\x02\x5f" + GOOD[5:], "SG819", "impossible"),
    "bomb": (
        HEAD + BOMB.compress(bytes(1_200_000)) + BOMB.flush(),
        "SG819",
        "more than 1 MB",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_codes_are_findings(case: str, tmp_path: Path) -> None:
    payload, id_, words = WRONG[case]
    said = run("read", code(payload, tmp_path))
    assert said.status == 1
    assert id_ in said.err
    assert words in said.err
    assert list(tmp_path.iterdir()) == [tmp_path / "photo.png"]


def test_a_foreign_code_beside_ours_is_a_note(tmp_path: Path) -> None:
    image = page(SHORTEST, 150).copy()
    image.paste(Image.open(code(b"WIFI:T:WPA;;", tmp_path)).convert("L"), (700, 900))
    said = run("read", saved(image, tmp_path / "in"))
    assert said.status == 0
    assert "note[SG818]" in said.err
    assert len([*(tmp_path / "in").glob("*.yaml")]) == 1


def test_text_in_a_code_may_be_anything(tmp_path: Path) -> None:
    """Guards against strangers' codes: names that are paths, and YAML bombs."""
    bomb = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 8)}]\n" for n in range(12)
    )
    folder = tmp_path / "in" / "photos"
    for text in (bomb, "name: ../../evil\nruleset: d6-pips\n", "\x1b[31m", ": [", ""):
        for old in folder.glob("*.yaml"):
            old.unlink()
        [payload] = pack_backup(text.encode())
        run("read", code(payload, folder))
        [file] = tmp_path.rglob("*.yaml")
        assert file.parent == folder
        assert file.read_bytes() == text.encode()


# -- pictures without a code ------------------------------------------------------------------


def test_a_picture_without_a_code_is_a_finding(tmp_path: Path) -> None:
    said = run("read", saved(Image.new("L", (300, 200), "white"), tmp_path))
    assert said.status == 1
    assert "SG818" in said.err
    assert "no QR code can be seen" in said.err


@pytest.mark.parametrize("size", [20, 200])
def test_a_broken_picture_is_a_finding(size: int, tmp_path: Path) -> None:
    photo = saved(page(SHORTEST, 150), tmp_path)
    photo.write_bytes(photo.read_bytes()[:size])
    said = run("read", photo)
    assert said.status == 1
    assert re.search("SG803|SG818", said.err)  # libraries may decode what there is of it


def test_a_picture_of_too_many_pixels_is_not_decoded(tmp_path: Path) -> None:
    image = Image.new("1", (20_000, 20_000))
    said = run("read", saved(image, tmp_path))
    assert said.status == 1
    assert re.search("SG803|SG818", said.err)  # libraries may decode what there is of it


def test_without_the_decoder_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(photos, "find_spec", lambda name: None)
    said = run("read", saved(page(SHORTEST, 150), tmp_path))
    assert said.status == 1
    assert "SG820" in said.err
    assert "pip install zxing-cpp" in said.err


# -- where the file goes ----------------------------------------------------------------------


def test_a_file_that_differs_is_shown_and_left(tmp_path: Path) -> None:
    photo = saved(page(SHORTEST, 150), tmp_path / "photos")
    file = tmp_path / "mine.yaml"
    file.write_bytes(SHORTEST.read_bytes() + b"notes: Since then.\n")
    before = file.read_bytes()
    said = run("read", photo, "--into", tmp_path)
    assert said.status == 0
    assert "-notes: Since then." in said.out
    assert "SG821" in said.err
    assert file.read_bytes() == before
    assert [*tmp_path.glob("*.yaml")] == [file]


def test_a_file_that_is_equal_is_found(tmp_path: Path) -> None:
    photo = saved(page(SHORTEST, 150), tmp_path / "photos")
    (tmp_path / "mine.yaml").write_bytes(SHORTEST.read_bytes())
    said = run("read", photo, "--into", tmp_path, "--format", "json")
    [one] = json.loads(said.out)["restored"]
    assert (said.status, one["written"], one["ok"], one["diff"]) == (0, False, True, "")
    assert one["file"] == str(tmp_path / "mine.yaml")


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    photo = saved(page(SHORTEST, 150), tmp_path)
    said = run("read", photo, "--dry-run")
    assert (said.status, "would be written" in said.out) == (0, True)
    assert list(tmp_path.iterdir()) == [photo]


def test_equal_files_have_equal_codes() -> None:
    digest = hashlib.sha256(pdf(SHORTEST)).digest()
    assert digest == hashlib.sha256(printed(character_at(SHORTEST), qr=True).pdf).digest()


def test_a_book_says_it_once_for_all_sheets(tmp_path: Path) -> None:
    path = starter(tmp_path, "d6-pips")
    book = tmp_path / "book.yaml"
    book.write_text(f"title: B\ndefaults: {{qr: true}}\nentries:\n  - {{sheets: {path.name}}}\n")
    said = run("build", book, "--out", tmp_path / "out")
    assert said.status == 0, said.err
    [made] = (tmp_path / "out").rglob("*.pdf")
    document = pypdfium2.PdfDocument(made)
    [seen] = _codes(document[len(document) - 1].render(scale=150 / 72).to_pil())
    assert joined(seen.bytes) == path.read_bytes()
