"""Pictures on every print: three renderers draw them at the same place, in the same colours."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageFilter, ImageStat

from tests.cli.commands import run
from tests.render.viewers import SCALE, VIEWERS

pytestmark = pytest.mark.slow

MM = SCALE * 72 / 25.4
QUARTERS = ((250, 0, 250), (0, 250, 250), (120, 0, 250), (0, 250, 120))
"""Colours that no design has: at the left above, right above, left below, and right below."""

NEAR = 70
Size = tuple[float, float]

HERO = """ruleset: hyperspace-d6
name: Kessa Vorn
species: Human
profession: Scoundrel
skills: [Blasters, Deceive, Pilot]
edge: {Trained: Stealth}
burden: Wanted
gear: [Blaster Pistol, Medpac]
"""
NPC = "{npc: Stormtrooper, name: Vex, portrait: {file: picture.png, alt: Vex}}"
FIGHT = f"ruleset: hyperspace-d6\nencounter: The gate\ncombatants: [{NPC}, {{npc: Stormtrooper}}]\n"
GANG = """ruleset: hyperspace-d6
kind: npc
name: Vex
level: Common
portrait: {file: picture.png, alt: Vex}
"""
THEME = (
    "logo: {file: picture.png, alt: Ours}\nback: picture.png\ncover: {file: picture.png, alt: C}\n"
)
BOOK = """title: Moonlit
defaults: {theme: theme.yaml}
entries: [{id: heroes, sheets: hero.yaml}]
combined: [{name: moonlit, cover: {title: Moonlit}}]
"""

SVG = """<!DOCTYPE svg [<!ENTITY ns_svg "http://www.w3.org/2000/svg">]>
<svg xmlns="&ns_svg;" viewBox="0 0 2 2">
<defs><mask id="m"><path d="M0 0 H1 V1 H0 Z" fill="#fff"/></mask>
<linearGradient id="t" gradientUnits="userSpaceOnUse" gradientTransform="rotate(40)" x2="2">
<stop stop-color="#00fafa" stop-opacity="0.999"/><stop offset="1" stop-color="#00fafa"/>
</linearGradient><linearGradient id="s"><stop stop-color="hsl(268.8, 100%, 49%)"/><stop offset="1"
stop-color="#7800fa"/></linearGradient></defs>
<g mask="url(#m)"><path d="M0 0 H2 V2 H0 Z" fill="#fa00fa"/></g>
<path d="M1 0 H2 V1 H1 Z" fill="url(#t)"/>
<path d="M0 1 H1 V2 H0 Z" fill="none" stroke="url(#s)" stroke-width="1" clip-path="url(#c)"/>
<clipPath id="c"><path d="M0 1 H1 V2 H0 Z"/></clipPath>
<rect x="1" y="1" width="1" height="1" fill="#00fa78 icc-color(Press, 0.9, 0, 0.7, 0)"/></svg>
"""
"""Its quarters are masked, a turned gradient, a clipped stroke with a gradient, and plain; it has
an entity as Illustrator writes it, and a press colour as Inkscape does."""


def _picture() -> Image.Image:
    picture = Image.new("RGB", (400, 400))
    for number, colour in enumerate(QUARTERS):
        left, top = number % 2 * 200, number // 2 * 200
        picture.paste(colour, (left, top, left + 200, top + 200))
    return picture


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a character, a fight, a theme and a book that have pictures."""
    texts = {"fight": FIGHT, "npc": GANG, "theme": THEME, "book": BOOK}
    texts["hero"] = f"{HERO}portrait: {{file: picture.png, alt: Kessa}}\n"
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    _picture().save(tmp_path / "picture.png")
    return tmp_path


def _printed(folder: Path, *words: str) -> bytes:
    """Return the PDF that a command writes."""
    said = run(*words, "--out", folder / "out")
    assert said.status == 0, said.err
    return Path(said.out.split()[0]).read_bytes()


def _find(page: Image.Image) -> tuple[list[int], list[list[int]]]:
    """Return the left, top, right and lower edge of the picture in pixels, and its colours.

    These are the means of the middles of its four quarters.
    """
    nothing, found = Image.new("L", page.size), Image.new("L", page.size)
    for colour in QUARTERS:
        mask = Image.new("L", page.size, 255)
        for band, value in zip(page.split(), colour, strict=True):
            near = [255 * (abs(n - value) < NEAR) for n in range(256)]
            mask = Image.composite(mask, nothing, band.point(near))
        found.paste(255, mask=mask)
    box = found.filter(ImageFilter.MinFilter(5)).getbbox()  # without edges of coloured letters
    assert box is not None, "the page has no picture"
    left, top, right, foot = box[0] - 2, box[1] - 2, box[2] + 2, box[3] + 2
    wide, high = (right - left) // 4, (foot - top) // 4
    middles = [(left + x * wide, top + y * high) for y in (1, 3) for x in (1, 3)]
    parts = [page.crop((x - 3, y - 3, x + 3, y + 3)) for x, y in middles]
    return [left, top, right, foot], [[round(n) for n in ImageStat.Stat(p).mean] for p in parts]


def _check(data: bytes, page: int = 0, size: Size | None = None) -> None:
    """Check that all renderers draw the picture at one place, in one set of colours."""
    found = {name: _find(view(data, page)) for name, view in VIEWERS.items()}
    (box, means), *others = found.values()
    for other, colours in others:
        assert other == pytest.approx(box, abs=2), found
        for one, mean in zip(colours, means, strict=True):
            assert one == pytest.approx(mean, abs=6), found
    for mean, colour in zip(means, QUARTERS, strict=True):
        assert mean == pytest.approx(colour, abs=NEAR), found
    if size is not None:
        sides = (box[2] - box[0]) / MM, (box[3] - box[1]) / MM
        assert sides == pytest.approx(size, abs=0.6)


LOGO = ["--theme", "theme.yaml", "--to", "pdf"]
PRINTS: dict[str, tuple[list[str], int, Size | None]] = {
    "sheet": (["hero.yaml", "--no-calc"], 0, None),
    "cards": (["npc.yaml"], 0, (57.2, 20)),
    "encounter": (["fight.yaml"], 0, (20, 20)),
    "tables": (["d6-pips", "play", *LOGO], 0, (10, 10)),
    "odds": (["d6-pips", *LOGO], 0, (10, 10)),
    "screen": (["d6-pips", "--panels", "gm", *LOGO], 0, (10, 10)),
}


@pytest.mark.parametrize("command", PRINTS)
def test_renderers_agree_about_pictures(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    words, page, size = PRINTS[command]
    _check(_printed(folder, command, *words), page, size)


@pytest.mark.parametrize("kind", ["token", "standee", "tent", "badge"])
def test_renderers_agree_about_pieces(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces crop their picture, and some have it twice, so it has one colour here."""
    monkeypatch.chdir(folder)
    Image.new("RGB", (400, 400), QUARTERS[0]).save("picture.png")
    data = _printed(folder, "pieces", "hero.yaml", "--kind", kind)
    first, *others = (_find(view(data, 0)) for view in VIEWERS.values())
    for other in others:
        assert other[0] == pytest.approx(first[0], abs=2)


def test_renderers_agree_about_backs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    words = ["npc.yaml", "--backs", "long-edge", "--theme", "theme.yaml"]
    _check(_printed(folder, "cards", *words), 1, (67, 92))


def test_renderers_agree_about_a_cover(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    said = run("build", "book.yaml", "--quiet")
    assert said.status == 0, said.err
    (path,) = folder.rglob("moonlit.pdf")
    pages = [view(path.read_bytes(), 0) for view in VIEWERS.values()]
    for at in ((5, 5), (pages[0].width - 6, pages[0].height - 6)):
        colours = [page.getpixel(at) for page in pages]
        assert all(one == pytest.approx(colours[0], abs=6) for one in colours)


@pytest.mark.parametrize("kind", ["progressive", "cmyk", "rotated", "transparent", "svg"])
def test_renderers_agree_about_kinds_of_pictures(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture, exif = _picture(), Image.Exif()
    if kind == "progressive":
        picture.save(folder / "a.jpg", quality=95, progressive=True)
    elif kind == "cmyk":
        picture.convert("CMYK").save(folder / "a.jpg", quality=95)
    elif kind == "rotated":
        exif[0x0112] = 6  # the camera was held so that the picture is a quarter turn to the left
        picture.transpose(Image.Transpose.ROTATE_90).save(folder / "a.jpg", exif=exif, quality=95)
    elif kind == "transparent":
        picture.convert("RGBA").save(folder / "a.png")
    else:
        (folder / "a.svg").write_text(SVG, encoding="utf-8")
    (name,) = (path.name for path in folder.glob("a.*"))
    text = f"{HERO}portrait: {{file: {name}, alt: Kessa}}\n"
    (folder / "hero.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    _check(_printed(folder, "sheet", "hero.yaml", "--no-calc"))
