"""The press: what stands in the file, and what viewers show of it."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from sheetgen.model.prints import FilledPage, Filling, Place, Plan, Plate, Setting
from sheetgen.render.press.press import press
from tests.printing import fields, opened
from tests.render.blank import one_line
from tests.render.ua_rules import faults
from tests.render.viewers import SCALE, VIEWERS, qpdf_says, text_of


def filled(plate: Plate, **texts: Setting) -> Plan:
    return Plan("One", "en", "", (FilledPage(plate, Filling(texts)),))


def part(picture: Image.Image, place: Place) -> Image.Image:
    box = place.box
    corners = (box.x, box.y, box.x + box.width, box.y + box.height)
    return picture.crop(tuple(round(value * SCALE) for value in corners))


@pytest.mark.slow
def test_equal_plans_give_equal_bytes(plan: Plan) -> None:
    assert press(plan) == press(plan)
    other = replace(plan, title="Another")
    assert press(other) != press(plan)
    with opened(press(other)) as one, opened(press(plan)) as two:
        assert one.trailer.ID != two.trailer.ID


@pytest.mark.parametrize("flatten", [False, True])
def test_the_file_is_sound(plan: Plan, plate: Plate, flatten: bool) -> None:
    many = replace(plan, leaves=tuple(replace(plan.leaves[0], prefix=f"c{n}") for n in range(3)))
    blank = replace(plan, leaves=(FilledPage(plate, Filling()),))
    for one in (plan, many, blank):
        data = press(one, flatten=flatten)
        assert not qpdf_says(data)
        assert faults(data) == []


def test_values_stand_in_the_fields(plan: Plan, filling: Filling, plate: Plate) -> None:
    pdf = opened(press(plan))
    found = fields(pdf)
    assert found.keys() == {p.name for p in plate.places if p.kind != "mark"}
    for place in plate.places:
        field = found.get(place.name)
        if field is None:
            continue
        assert str(field.TU) == place.label
        if place.kind == "tick":
            assert field.V == field.AS == ("/On" if place.name in filling.ticks else "/Off")
        elif place.name in filling.texts:
            assert str(field.V) == filling.texts[place.name].value
        else:
            assert "/V" not in field


def test_rectangles_are_those_of_the_places(plan: Plan, plate: Plate) -> None:
    pdf = opened(press(plan))
    found = fields(pdf)
    for place in plate.places:
        if place.kind != "mark":
            left, bottom, right, top = (float(v) for v in found[place.name].Rect)
            assert right - left == pytest.approx(place.box.width, abs=0.02)
            assert top - bottom == pytest.approx(place.box.height, abs=0.02)
            height = plate.sizes[place.page][1]
            assert height - top == pytest.approx(place.box.y, abs=0.02)


def test_each_text_has_an_appearance_of_its_own(plan: Plan) -> None:
    """A form shared by fields was once filled by a library for all of them."""
    pdf = opened(press(plan))
    found = fields(pdf)
    looks = [f.AP.N.objgen for f in found.values() if f.FT == "/Tx" and "/AP" in f]
    assert len(looks) == len(set(looks)) > 1


def test_an_empty_text_has_no_appearance_and_no_need_of_one(plate: Plate) -> None:
    pdf = opened(press(Plan("Blank", "en", "", (FilledPage(plate, Filling()),))))
    assert "/NeedAppearances" not in pdf.Root.AcroForm
    for field in fields(pdf).values():
        assert ("/AP" in field) == (field.FT == "/Btn")


def test_alignment_and_lines_are_told_to_viewers(plan: Plan) -> None:
    pdf = opened(press(plan))
    found = fields(pdf)
    assert [int(found[n].get("/Q", 0)) for n in ("name", "level", "xp.left")] == [0, 1, 2]
    several = [name for name, f in found.items() if int(f.get("/Ff", 0)) == 4096]
    assert several == ["rows.1.text", "notes"]


def test_the_file_says_what_it_is(plan: Plan) -> None:
    with opened(press(plan)) as pdf:
        assert {key: str(value) for key, value in pdf.docinfo.items()} == {
            "/Title": "Ysolde Kärr",
            "/Subject": "Credit line",
            "/Producer": "sheetgen",
            "/sheetgen_ruleset": "made-up 1.0",
            "/sheetgen_hash": "c0ffee",
        }
        assert pdf.Root.Lang == "en"
        with pdf.open_metadata() as meta:
            assert meta["dc:title"] == "Ysolde Kärr"


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("flatten", [False, True])
def test_every_value_is_seen(
    plan: Plan, plate: Plate, filling: Filling, viewer: str, flatten: bool
) -> None:
    show = VIEWERS[viewer]
    blank = press(replace(plan, leaves=(FilledPage(plate, Filling()),)), flatten=flatten)
    data = press(plan, flatten=flatten)
    changed = {*filling.texts, *filling.ticks, *filling.frames, *filling.marks}
    for page in range(len(plate.sizes)):
        before, after = show(blank, page), show(data, page)
        for place in plate.places:
            if place.page == page:
                unlike = ImageChops.difference(part(before, place), part(after, place))
                assert (unlike.getbbox() is not None) == (place.name in changed), place.name


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_flat_page_looks_like_one_with_fields(plan: Plan, plate: Plate, viewer: str) -> None:
    show = VIEWERS[viewer]
    form, flat = press(plan), press(plan, flatten=True)
    with opened(flat) as pdf:
        assert "/AcroForm" not in pdf.Root
    for page in range(len(plate.sizes)):
        pair = show(form, page).convert("L"), show(flat, page).convert("L")
        # A field's edges may be softened otherwise; a letter that moved is far darker.
        assert ImageChops.difference(*pair).point(lambda v: v > 160 and 255).getbbox() is None


def test_text_can_be_copied(plan: Plan) -> None:
    for data in (press(plan), press(plan, flatten=True)):
        text = text_of(data)
        for value in ("Żółw Ωmega Жук (x\\y)", "second – “quoted”", "Blasters", "DRAFT"):
            assert value in text


def test_a_letter_that_its_face_lacks_comes_from_another(plate: Plate) -> None:
    """The italic has no Cyrillic, the upright has."""
    data = press(filled(plate, notes=one_line("Жук и муха")))
    assert "Жук и муха" in text_of(data)


def test_a_letter_that_no_face_has_does_not_stop_the_press(plate: Plate) -> None:
    data = press(filled(plate, name=one_line("漢 ok")))
    pdf = opened(data)
    assert str(fields(pdf)["name"].V) == "漢 ok"
    assert not qpdf_says(data)


def test_fonts_are_embedded_once_and_only_where_needed(plate: Plate) -> None:
    def fonts(data: bytes) -> list[str]:
        pdf = opened(data)
        return sorted(
            str(one.FontName)
            for one in pdf.objects
            if isinstance(one, pikepdf.Dictionary) and one.get("/Type") == "/FontDescriptor"
        )

    plain = fonts(press(filled(plate, name=one_line("Kess"))))
    polish = fonts(press(filled(plate, name=one_line("Łódź"))))
    assert len(polish) == len(plain) + 1
    leaves = tuple(FilledPage(plate, Filling(), f"c{n}") for n in range(5))
    assert fonts(press(Plan("Five", "en", "", leaves))) == plain


def test_leaves_share_what_is_printed(plate: Plate) -> None:
    def size(count: int) -> int:
        leaves = tuple(FilledPage(plate, Filling(), f"c{n}") for n in range(count))
        return len(press(Plan("Many", "en", "", leaves)))

    assert size(11) - size(1) < size(1)


def test_two_leaves_may_not_share_a_field(plate: Plate) -> None:
    leaves = (FilledPage(plate, Filling(), "a"), FilledPage(plate, Filling(), "a"))
    with pytest.raises(ValueError, match=r"`a\.ledger.*prefix"):
        press(Plan("Twins", "en", "", leaves))


@pytest.mark.parametrize(
    ("filling", "told"),
    [
        (Filling(texts={"nobody": one_line("x")}), "`nobody` for a text"),
        (Filling(texts={"rows.1.1": one_line("x")}), "`rows.1.1` for a text"),
        (Filling(ticks={"name": "disc"}), "`name` for a tick"),
        (Filling(marks={"stamp": "bar"}), "`stamp` for a shape"),
        (Filling(frames={"bar": "ring"}), "`bar` for a frame"),
        (Filling(ticks={"rows.1.1": "blob"}), "no shape `blob`"),
        (Filling(texts={"name": one_line("x", 9, "blob")}), "no role `blob`"),
    ],
)
def test_a_value_without_a_place_is_refused(plate: Plate, filling: Filling, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        press(Plan("Lost", "en", "", (FilledPage(plate, filling),)))


def test_any_text_comes_back(plate: Plate) -> None:
    @settings(deadline=None)
    @given(st.text(), st.text())
    def comes_back(value: str, title: str) -> None:
        made = filled(plate, notes=Setting(value, tuple(value.split("\n")), 9))
        data = press(replace(made, title=title))
        with opened(data) as pdf:
            expected = value.encode("utf-16-be", "replace").decode("utf-16-be")
            assert str(fields(pdf)["notes"].V) == expected
            assert not pdf.check_pdf_syntax()

    comes_back()


def test_the_press_imports_no_engine() -> None:
    """Each of these costs more time than a hundred sheets."""
    code = "import sys, sheetgen.render.press.press; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"weasyprint", "pikepdf", "fontTools", "jinja2", "PIL", "numpy"}
    assert not heavy & set(done.stdout.split())
