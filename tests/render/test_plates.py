"""Compiling: what a plate knows, and what it refuses."""

from __future__ import annotations

import base64
import io
from dataclasses import replace
from urllib.parse import quote

import pytest
from PIL import Image, ImageChops

from sheetgen.diag.findings import DesignError
from sheetgen.model.prints import FaceMetrics, FilledPage, Filling, Plan, Plate, Role, Setting
from sheetgen.render.flow.layout import LayoutError, lay_out
from sheetgen.render.flow.rendering import corrected_engine
from sheetgen.render.fonts.fonts import dump_face, parse_face
from sheetgen.render.pdf.pdf_file import dump_plate, parse_plate
from sheetgen.render.plate_compiler import PlateError, compile_plate
from sheetgen.render.press.press import press
from tests.render.blank import TOKENS, blank, faces, one_line, place
from tests.render.ua_rules import faults
from tests.render.viewers import SCALE, VIEWERS, text_of


def page(body: str, style: str = "") -> str:
    return (
        f"<!doctype html><html lang=en><head><title>T</title><style>"
        "@page { size: 105mm 148mm }"
        "@font-face { font-family: Text; src: url(asset:text-400) }"
        f"html {{ font: 9pt Text }} .place {{ display: block; width: 20mm; height: 5mm }} {style}"
        f"</style></head><body><h1>T</h1>{body}</body></html>"
    )


def compiled(html: str) -> Plate:
    return compile_plate(html, faces(), TOKENS, "k")


@pytest.mark.slow
def test_places_stand_in_reading_order(plate: Plate) -> None:
    names = [p.name for p in plate.places]
    assert names[:6] == ["name", "level", "xp.left", "rows.1.name", "rows.1.text", "rows.1.1"]
    assert names[-2:] == ["wounds.box.1", "wounds.box.2"]
    assert [p.page for p in plate.places] == sorted(p.page for p in plate.places)


def test_boxes_are_those_of_the_style(plate: Plate) -> None:
    tick = next(p for p in plate.places if p.kind == "tick")
    assert tick.box.width == pytest.approx(3 * 72 / 25.4, abs=0.01)
    assert tick.box.height == pytest.approx(3 * 72 / 25.4, abs=0.01)


def test_a_style_for_screens_does_not_move_a_place() -> None:
    """The engine makes no widget of an input without appearance, and insets its borders."""
    body = place("text", "value", "name")
    plain = compiled(page(body))
    styled = compiled(page(body, ".place { appearance: none; padding: 4pt; border: 2pt solid }"))
    assert plain.places == styled.places


def dot() -> str:
    """Return a see-through picture."""
    target = io.BytesIO()
    Image.new("RGBA", (8, 8), (200, 0, 0, 128)).save(target, "png")
    return base64.b64encode(target.getvalue()).decode()


def test_what_is_printed_looks_as_it_was_laid_out() -> None:
    """Compiling says the engine's drawing shorter; not one pixel may change for it."""
    picture = (
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><path d='M0 0L9 9L0 9Z'/></svg>"
    )
    style = f"""
        .a {{ height: 9mm; background: url("data:image/svg+xml,{quote(picture)}"); opacity: .5 }}
        .b {{ height: 9mm; background: url("data:image/svg+xml,{quote(picture)}") 0 0/4mm 4mm }}
        .c {{ height: 9mm; border: 1pt solid #369; border-radius: 2mm; letter-spacing: .1em }}
        .d {{ height: 9mm; background: linear-gradient(90deg, #fff, #00f) }}
        .d {{ font-variant: small-caps }}
        .e {{ height: 9mm; background: url("data:image/svg+xml,{quote(picture)}") no-repeat }}
    """
    for chosen in ("abcde", "bcde", "ce"):
        texts = {name: "" if name == "a" else "Text, AVAVA 12" for name in chosen}
        body = "".join(f'<div class="{name}">{text}</div>' for name, text in texts.items())
        html = page(f'{body}<img alt="A dot" src="data:image/png;base64,{dot()}">', style)
        fonts = {name: face.layout for name, face in faces().items()}
        laid = lay_out(html, fonts)
        pressed = press(Plan("T", "en", "", (FilledPage(compiled(html), Filling()),)))
        for show in VIEWERS.values():
            unlike = ImageChops.difference(show(laid, 0), show(pressed, 0)).convert("L")
            assert unlike.point(lambda value: value > 4 and 255).getbbox() is None, chosen
        assert faults(pressed) == []
        assert "Text, AVAVA 12" in text_of(pressed)


@pytest.mark.usefixtures("laid_out_anew")
def test_plates_do_not_depend_on_pages_that_were_laid_out_before() -> None:
    """Pages are laid out by a corrected engine, which writes widths of lines once more."""
    drawing = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'>"
    drawing += "<path d='M1 1H8V8' fill='none' stroke='#1c1c1c' stroke-width='2'/></svg>"
    html = page(f'<img src="data:image/svg+xml,{quote(drawing)}" alt="A corner">')
    alone = dump_plate(compiled(html))
    fonts = {name: face.layout for name, face in faces().items()}
    with corrected_engine():
        corrected = lay_out(html, fonts)
    assert corrected != lay_out(html, fonts)
    assert dump_plate(compiled(html)) == alone


def test_letters_beyond_the_core_are_printed() -> None:
    data = press(
        Plan("T", "en", "", (FilledPage(compiled(page("<p>Жук, Łódź, Ωμ</p>")), Filling()),))
    )
    assert "Жук, Łódź, Ωμ" in text_of(data)
    assert faults(data) == []


def test_a_font_of_the_system_is_told() -> None:
    with pytest.raises(LayoutError, match=r"no face|unsupported"):
        compiled(page("<p>漢</p>"))


def test_see_through_text_is_refused() -> None:
    """The engine puts it into a form of its own, where no tag finds it."""
    with pytest.raises(PlateError, match="see-through"):
        compiled(page('<p style="opacity: .5">Pale</p>'))


def test_a_list_in_groups_is_still_a_list() -> None:
    items = "<dl><div><dt>One</dt><dd>1</dd></div><div><dt>Two</dt><dd>2</dd></div></dl>"
    data = press(Plan("T", "en", "", (FilledPage(compiled(page(items)), Filling()),)))
    assert faults(data) == []


def test_a_tall_mark_fills_from_the_top() -> None:
    column = place("mark", "value", "column")
    plate = compiled(page(column, ".place { height: 60mm }"))
    setting = Setting("a\nb", ("MMM", "MMM"), 9)
    data = press(Plan("T", "en", "", (FilledPage(plate, Filling({"column": setting})),)))
    box = plate.places[0].box
    picture = VIEWERS["pdfium"](data, 0).crop(
        tuple(round(v * SCALE) for v in (box.x, box.y, box.x + box.width, box.y + box.height))
    )
    drawn = ImageChops.invert(picture.convert("L")).getbbox()
    assert drawn is not None
    assert drawn[1] <= 6
    assert drawn[3] < picture.height / 4


def test_compiling_is_repeatable_and_survives_a_cache(plate: Plate) -> None:
    again = compile_plate(blank(), faces(), TOKENS, "blank")
    assert again == plate
    assert parse_plate(dump_plate(plate)) == plate


@pytest.mark.parametrize("cut", [0, 5, 30, -1])
def test_a_damaged_cache_is_told(plate: Plate, cut: int) -> None:
    with pytest.raises(ValueError, match="plate"):
        parse_plate(dump_plate(plate)[:cut])


def test_a_face_survives_a_cache_and_a_damaged_one_is_none() -> None:
    for face in faces().values():
        kept = dump_face(face)
        assert parse_face(kept) == face
        assert dump_face(face) == kept
        for cut in (0, 5, 300, -1):
            assert parse_face(kept[:cut]) is None
    assert parse_face(dump_plate(compiled(page(place("text", "value", "a"))))) is None


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (place("text", "value", "a") + place("text", "value", "a"), "two places"),
        (place("text", "value", "a") + place("tick", "dot", "a.1"), "also a group"),
        (place("text", "nobody", "a"), "role `nobody`"),
        (place("tick", "value", "a"), "tick style `value`"),
        (place("text", "value", "Näme"), "no name"),
        (place("sound", "value", "a"), "no place"),
        ('<input type="checkbox" class="place" name="a">', "no place"),
    ],
)
def test_bad_places_are_refused(body: str, told: str) -> None:
    with pytest.raises(PlateError, match=told):
        compiled(page(body))


@pytest.mark.parametrize(
    "source",
    [
        "https://example.org/x.png",
        "file:///etc/passwd",
        "asset:nothing",
        "x.png",
        "data:," + "x" * 2_000_001,
    ],
    ids=["network", "file", "asset", "relative", "huge"],
)
def test_nothing_is_fetched(source: str) -> None:
    with pytest.raises(LayoutError):
        lay_out(page(f'<img alt="x" src="{source}">'), {"text-400": b""})


def test_complaints_are_raised_or_taken() -> None:
    html, fonts = page("", "p { colour: red }"), {"text-400": faces()["text-400"].layout}
    with pytest.raises(LayoutError, match="colour"):
        lay_out(html, fonts)
    heard: list[str] = []
    assert lay_out(html, fonts, complaints=heard).startswith(b"%PDF")
    assert len(heard) == 1


def test_a_setting_may_name_a_role_that_no_place_has() -> None:
    filling = Filling(texts={"name": one_line("x", 9, "stamp")})
    leaf = FilledPage(compiled(page(place("text", "value", "name"))), filling)
    assert press(Plan("X", "en", "", (leaf,)))
    lost = replace(leaf, filling=Filling(texts={"name": one_line("x", 9, "nobody")}))
    with pytest.raises(DesignError, match="no role `nobody`"):
        press(Plan("X", "en", "", (lost,)))


def test_roles_say_where_lines_stand() -> None:
    from sheetgen.render.press.prepared import Style, Typeface

    face = Typeface((), (0,), frozenset(), {}, FaceMetrics(1000, -200, 700, {}, {}))

    def lines(
        role: Role, count: int, size: float, height: float, tall: bool = False
    ) -> list[float]:
        style = Style("r", role, face, b"", 0, b"")
        return [round(y, 2) for y in style.baselines(["x"] * count, size, height, tall=tall)]

    low = Role("f", 10, 7, baseline=3)
    assert lines(low, 1, 10, 20) == [3]
    above, below = lines(low, 2, 5, 20)  # Two lines stand in the middle of the box.
    assert above - below == pytest.approx(5.75, abs=0.02)
    assert 3 < below < above < 20 - 3.5
    assert lines(Role("f", 10, 7), 1, 10, 20) == [6.5]
    assert lines(Role("f", 10, 7), 1, 5, 20) == [8.25]
    assert lines(Role("f", 10, 7, leading=12), 2, 10, 50, True) == [41, 29]


@pytest.mark.parametrize("height", [28.4, 30.1])
def test_accents_and_descenders_of_two_lines_stay_in_their_box(height: float) -> None:
    """In large print: 14 points, in rows of 29 points and of 30.5."""
    from sheetgen.render.press.prepared import Style, Typeface

    tops = {"Ž": 0.845, "Å": 0.88, "Ǖ": 0.907}  # of the font's letters, in em
    rises = {ord(letter): round(1000 * top) - 656 for letter, top in tops.items()}
    metrics = FaceMetrics(984, -273, 656, {}, {}, {}, rises, dict.fromkeys(map(ord, "gjpqyŞ"), 226))
    face = Typeface((), (0,), frozenset(), {}, metrics)
    style = Style("r", Role("f", 14, 14, baseline=6), face, b"", 0, b"")
    for first, top in tops.items():
        above, below = style.baselines([first, "gjpqyŞ"], 14, height, tall=False)
        assert below >= 0.226 * 14
        assert above + top * 14 <= height + (0.8 if height < 29 else 0)
        assert above - below >= 0.92 * 14 - 1e-6
    plain, _ = style.baselines(["Zit", "x"], 14, height, tall=False)
    assert plain + 0.73 * 14 < height
