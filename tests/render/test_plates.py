"""Compiling: what a plate knows, and what it refuses."""

from __future__ import annotations

import pytest

from sheetgen.model.prints import FaceMetrics, Filling, Leaf, Plan, Plate, Role
from sheetgen.render.pages import LayoutError, lay_out
from sheetgen.render.plate_files import dump_plate, read_plate
from sheetgen.render.plates import compile_plate
from sheetgen.render.press import press
from sheetgen.render.widgets import PlateError
from tests.render.blank import TOKENS, blank, faces, one_line, place


def page(body: str, style: str = "") -> str:
    return (
        f"<!doctype html><html lang=en><head><title>T</title><style>"
        "@font-face { font-family: Text; src: url(asset:text-400) }"
        f"html {{ font: 9pt Text }} .place {{ display: block; width: 20mm; height: 5mm }} {style}"
        f"</style></head><body><h1>T</h1>{body}</body></html>"
    )


def compiled(html: str) -> Plate:
    return compile_plate(html, {}, faces(), TOKENS, "k")


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


def test_compiling_is_repeatable_and_survives_a_cache(plate: Plate) -> None:
    again = compile_plate(blank(), {}, faces(), TOKENS, "blank")
    assert again == plate
    assert read_plate(dump_plate(plate)) == plate


@pytest.mark.parametrize("cut", [0, 5, 30, -1])
def test_a_damaged_cache_is_told(plate: Plate, cut: int) -> None:
    with pytest.raises(ValueError, match="plate"):
        read_plate(dump_plate(plate)[:cut])


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


def test_a_setting_may_name_an_extra_role_only() -> None:
    html = page(place("text", "value", "name"))
    filling = Filling(texts={"name": one_line("x", 9, "stamp")})
    leaf = Leaf(compiled(html), filling)
    with pytest.raises(ValueError, match=r"no face `head-700`.*extra"):
        press(Plan("X", "en", "", (leaf,)))
    extra = compile_plate(html, {}, faces(), TOKENS, "k", extra_roles=["stamp"])
    assert press(Plan("X", "en", "", (Leaf(extra, filling),)))


def test_roles_say_where_lines_stand() -> None:
    from sheetgen.render.appearances import Style, Typeface

    face = Typeface((), (0,), frozenset(), {}, FaceMetrics(1000, -200, 700, {}, {}))

    def lines(
        role: Role, count: int, size: float, height: float, tall: bool = False
    ) -> list[float]:
        style = Style("r", role, face, b"", 0, b"")
        return [round(y, 2) for y in style.baselines(count, size, height, tall=tall)]

    low = Role("f", 10, 7, baseline=3)
    assert lines(low, 1, 10, 20) == [3]
    assert lines(low, 2, 5, 20) == [8.75, 3]
    assert lines(low, 2, 10, 16) == [10.25, -1.25]  # It would stick out, and is centred.
    assert lines(Role("f", 10, 7), 1, 10, 20) == [6.5]
    assert lines(Role("f", 10, 7), 1, 5, 20) == [8.25]
    assert lines(Role("f", 10, 7, leading=12), 2, 10, 50, True) == [41, 29]
