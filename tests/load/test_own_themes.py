"""Themes of authors: a layer over ours, fonts of any kind, and pictures."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.ttLib import TTFont
from PIL import Image

from sheetgen.books.checking import check_paths
from sheetgen.diag.findings import DesignError, Severity
from sheetgen.load.characters import THEME, find_file_type
from sheetgen.load.designs.fonts import FontFile, font_bytes
from sheetgen.load.designs.themes import find_theme
from sheetgen.load.pictures import check_theme, find_brand
from sheetgen.model.pictures import BrandPictures, PictureFile
from sheetgen.model.source import Text
from sheetgen.prints.characters import load_characters
from sheetgen.prints.sheet import SheetRequest
from sheetgen.render.fonts.fonts import build_face
from tests.shelf import ruleset

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _cff(letters: str = LETTERS, wide: str = "") -> bytes:
    """Return a small OpenType font with cubic outlines: each letter is a box, `wide` are twice."""
    glyphs = {ord(letter): f"u{ord(letter):04X}" for letter in letters}
    names = [".notdef", *glyphs.values()]
    pen = T2CharStringPen(600, None)
    pen.moveTo((50, 0))
    pen.lineTo((50, 700))
    pen.curveTo((200, 760), (400, 760), (550, 700))
    pen.lineTo((550, 0))
    pen.closePath()
    box = pen.getCharString()
    builder = FontBuilder(1000, isTTF=False)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap(glyphs)
    builder.setupCFF("Boxes", {}, dict.fromkeys(names, box), {})
    wider = {glyphs[ord(letter)]: (2400, 50) for letter in wide}
    builder.setupHorizontalMetrics({**dict.fromkeys(names, (1200, 50)), **wider})
    builder.setupHorizontalHeader(ascent=1400, descent=-900)
    builder.setupNameTable({"familyName": "Boxes", "styleName": "Regular", "psName": "Boxes"})
    builder.setupOS2()
    builder.setupPost()
    target = io.BytesIO()
    builder.save(target)
    return target.getvalue()


def _theme(folder: Path, text: str, **files: bytes) -> str:
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_bytes(content)
    (folder / "theme.yaml").write_text(text, encoding="utf-8")
    return str(folder / "theme.yaml")


def _prepared(font: FontFile) -> TTFont:
    return TTFont(io.BytesIO(font.data))


def test_a_theme_is_a_layer_over_one_of_ours_and_over_the_game(tmp_path: Path) -> None:
    theme = find_theme(_theme(tmp_path, "extends: mono\ncolours: {accent: '#8A1C5C'}\n"))
    assert theme.base == "mono"
    tokens = theme.tokens("_cards")
    assert tokens.colours["accent"] == "#8A1C5C"
    assert tokens.colours["line"] == "#000000"
    assert find_theme("ink-saver").tokens().colours["accent"] == "#1A1A1A"


def test_a_cubic_font_without_small_letters_becomes_one_of_ours(tmp_path: Path) -> None:
    """It is as wide and as tall as ours, and ours lends what it lacks."""
    path = _theme(tmp_path, "fonts: {display-700: Boxes.otf}\n", Boxes_otf=_cff())
    theme = find_theme(path)
    font = theme.own[0].fonts["display-700"]
    assert isinstance(font, FontFile)
    made, ours = _prepared(font), TTFont(io.BytesIO(font_bytes("Manrope-SemiBold.ttf")))
    scale = ours["head"].unitsPerEm / 1000
    assert "glyf" in made
    assert abs(made["hhea"].ascent - ours["hhea"].ascent / scale) < 2
    mapping = made.getBestCmap()
    assert mapping[ord("a")] == mapping[ord("A")]
    assert made["hmtx"][mapping[ord("A")]][0] < 1000
    assert made["OS/2"].sCapHeight > 300
    assert {ord("7"), ord("ł"), ord("−")} <= mapping.keys()
    (note,) = theme.findings
    assert note.severity is Severity.NOTE
    assert "`Boxes.otf` lacks" in note.message
    assert (note.span.line, note.span.column) == (1, 22)


def test_a_family_names_all_its_weights(tmp_path: Path) -> None:
    path = _theme(tmp_path, "fonts: {text: B.otf, text-600: C.otf}\n", B_otf=_cff(), C_otf=_cff())
    fonts = find_theme(path).own[0].fonts
    assert {"text-400", "text-400i", "text-600", "text-700"} <= fonts.keys()
    assert str(fonts["text-600"]).startswith("C-text-")


WRONG = [
    ("extends: inksaver", "`inksaver`, which is no theme"),
    ("colours: {acent: '#101010'}", "has no `acent`"),
    ("colours: {ink: '#C0C0C0'}", "has a contrast of"),
    ("fonts: {display-700: Few.otf}", "lacks 20 of the 26 letters"),
    ("fonts: {display-700: ../Few.otf}", "is outside the folder"),
    ("fonts: {display-700: link.otf}", "is outside the folder of this file, a link or no file"),
    ("fonts: {titles: Few.otf}", "no `titles` that could be changed"),
    ("logos: x.png", "no key `logos`"),
    ('fonts: {display-700: "a\\0b.otf"}', "control characters"),
    ("# nothing", "this file is empty"),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_a_wrong_theme_is_a_finding(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "Few.otf").write_bytes(_cff())
    inner = tmp_path / "brand"
    inner.mkdir()
    os.symlink(tmp_path / "Few.otf", inner / "link.otf")
    path = _theme(inner, text + "\n", Few_otf=_cff("ABCDEF"))
    with pytest.raises(DesignError) as raised:
        find_theme(path)
    (finding,) = raised.value.findings
    assert said in finding.message
    assert finding.severity is Severity.ERROR
    assert (finding.span.file, finding.span.line) == (path, 1)


def test_a_hint_begins_with_the_properties_that_faces_change(tmp_path: Path) -> None:
    path = _theme(tmp_path, "css: {zzzz: red}\ncolours: {zzzz: '#101010'}\n")
    colours, css = sorted(check_theme(Path(path)), key=lambda one: one.message)
    assert all(name in css.hint for name in ("corner", "rule", "titles"))
    assert all(name in colours.hint for name in ("accent", "ink", "label", "paper", "desk"))


def test_a_theme_that_is_missing_is_a_finding(tmp_path: Path) -> None:
    with pytest.raises(DesignError) as raised:
        find_theme(str(tmp_path / "theme.yaml"))
    assert "there is no such file" in raised.value.findings[0].message
    with pytest.raises(DesignError) as raised:
        find_theme("standart")
    assert "did you mean `standard`?" in raised.value.findings[0].hint
    _theme(tmp_path, "")
    with pytest.raises(DesignError) as raised:
        find_theme(str(tmp_path))
    assert str(tmp_path / "theme.yaml") in raised.value.findings[0].hint


def test_a_font_that_changes_is_prepared_again(tmp_path: Path) -> None:
    path = _theme(tmp_path, "fonts: {display-700: B.otf}\n", B_otf=_cff())
    before = find_theme(path).own[0].fonts["display-700"]
    (tmp_path / "B.otf").write_bytes(_cff(LETTERS + "abc"))
    os.utime(tmp_path / "B.otf", ns=(1, 1))
    after = find_theme(path).own[0].fonts["display-700"]
    assert before != after


def test_the_nearest_picture_is_taken(tmp_path: Path) -> None:
    for name in ("theme", "near"):
        Image.new("RGB", (9, 6), "red").save(tmp_path / f"{name}.png")
    text = "logo: {file: theme.png, alt: A}\nback: {file: theme.png, alt: A}\n"
    request = SheetRequest(theme=_theme(tmp_path, text))
    span = Text("near.png", find_theme(request.theme).own[0].logo.file.span)
    near = BrandPictures(back=PictureFile(file=span))
    found = find_brand(request, ("logo", "back", "cover"), near=(near,), far=(ruleset("d6-pips"),))
    assert found.findings == ()
    pictures = found.value or {}
    assert {key: Path(one.path).name for key, one in pictures.items()} == {
        "logo": "theme.png",
        "back": "near.png",
    }
    assert (pictures["logo"].fit, pictures["back"].fit) == ("whole", "crop")


@pytest.mark.slow
def test_a_wide_sign_comes_from_our_font(tmp_path: Path) -> None:
    """Guards codes such as −1D, which have hardly more room than they take in ours."""
    path = _theme(tmp_path, "fonts: {text-400: Wide.otf}\n", Wide_otf=_cff(f"{LETTERS}1−", "−"))
    (note,) = find_theme(path).findings
    assert "−" not in note.message
    font = find_theme(path).own[0].fonts["text-400"]
    assert isinstance(font, FontFile)
    advances = build_face(font.data).metrics.advances
    assert advances[ord("−")] < 1.5 * advances[ord("1")]


def test_figures_are_lining_where_a_font_has_them(tmp_path: Path) -> None:
    """Text fonts often have old-style figures by default: their 1 looks like an I."""
    font = TTFont(io.BytesIO(_cff(f"{LETTERS}17Ωω", "ω")))
    rules = "feature lnum { sub u0031 by u03C9; } lnum; feature tnum { sub u03C9 by u03A9; } tnum;"
    addOpenTypeFeaturesFromString(font, rules)
    target = io.BytesIO()
    font.save(target)
    path = _theme(tmp_path, "fonts: {figure-700: Old.otf}\n", Old_otf=target.getvalue())
    made = find_theme(path).own[0].fonts["figure-700"]
    assert isinstance(made, FontFile)
    advances = build_face(made.data).metrics.advances
    assert advances[ord("1")] > 1.5 * advances[ord("7")]


@pytest.mark.slow
def test_fonts_that_borrow_the_same_letters_share_a_note(tmp_path: Path) -> None:
    text = "fonts: {text-400: B.otf, text-600: C.otf, text-700: D.otf, display-700: E.otf}\n"
    files = {f"{name}_otf": _cff(LETTERS + name.lower()) for name in "BCDE"}
    files |= dict.fromkeys(("B_otf", "C_otf", "D_otf"), _cff())
    first, second = find_theme(_theme(tmp_path, text, **files)).findings
    assert first.message.startswith("`B.otf` lacks ")
    assert first.message.endswith(", and so do `C.otf`, `D.otf`")
    assert second.message.startswith("`E.otf` lacks ")


def test_a_file_in_a_folder_below_is_named(tmp_path: Path) -> None:
    (tmp_path / "type").mkdir()
    (tmp_path / "type" / "B.otf").write_bytes(_cff())
    Image.new("RGB", (9, 9)).save(tmp_path / "type" / "sea.png")
    path = Path(_theme(tmp_path, "fonts: {text: B.otf}\ncover: Sea.png\n"))
    font, cover = check_theme(path)
    assert font.hint == "did you mean `type/B.otf`?"
    assert cover.hint == "did you mean `type/sea.png`?"
    (missing,) = check_theme(tmp_path / "thema.yaml")
    assert missing.hint == f"did you mean `{path}`?"


def test_a_font_outside_the_folder_is_said_to_be_there(tmp_path: Path) -> None:
    (tmp_path / "B.otf").write_bytes(_cff())
    (tmp_path / "brand").mkdir()
    (found,) = check_theme(Path(_theme(tmp_path / "brand", "fonts: {text: ../B.otf}\n")))
    assert "is outside the folder" in found.message


@pytest.mark.slow
def test_a_font_keeps_letters_of_east_asia(tmp_path: Path) -> None:
    """Our own fonts have none of them; prints measure and embed those of a theme."""
    path = _theme(tmp_path, "fonts: {text-400: East.otf}\n", East_otf=_cff(LETTERS + "田中김ع"))
    font = find_theme(path).own[0].fonts["text-400"]
    assert isinstance(font, FontFile)
    face = build_face(font.data)
    assert {ord(letter) for letter in "田中김"} <= face.metrics.advances.keys()
    assert ord("ع") not in face.metrics.advances


def test_check_lists_all_findings_about_a_theme(tmp_path: Path) -> None:
    text = (
        "extends: monno\nlike: stensil\nlogo: none.png\nback: none.jpg\n"
        "fonts: {display-700: None.ttf}\n"
        "colours: {accent: '#F0C040', acent: '#000000'}\ncss: {corner: skoop}\n"
    )
    path = Path(_theme(tmp_path, text))
    (found,) = check_paths([path], {})
    assert {f.span.line for f in found.findings} == {1, 2, 3, 4, 5, 6, 7}
    assert all(f.hint for f in found.findings)
    lines = [f.span.line for f in found.findings if f.code.id == "SG310"]
    with pytest.raises(DesignError) as caught:
        find_theme(str(path))
    assert [f.span.line for f in caught.value.findings] == lines


def test_a_folder_of_characters_passes_over_a_theme(tmp_path: Path) -> None:
    _theme(tmp_path, "colours: {accent: '#8A1C5C'}\n")
    (one,) = load_characters([tmp_path], {})
    assert one.build is None
    assert [f.severity for f in one.findings] == [Severity.NOTE]
    for text in ("fonts: {display-700: Lobster.ttf}", "logo: logo.svg", "extends: ink-saver"):
        (tmp_path / "brand.yaml").write_text(f"{text}\n", encoding="utf-8")
        assert find_file_type(tmp_path / "brand.yaml") == THEME
