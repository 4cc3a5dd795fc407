"""Colours as inks: gray is black alone, and paper is never soaked."""

from __future__ import annotations

import io

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheetgen.finish.inks import MOST_INK, NotReady, convert_to_cmyk, to_cmyk
from tests.printers.files import small

lights = st.floats(0, 1)


@given(lights, lights, lights)
def test_ink_stays_below_its_limit(red: float, green: float, blue: float) -> None:
    found = to_cmyk((red, green, blue))
    assert all(0 <= ink <= 1 for ink in found)
    assert sum(found) <= MOST_INK + 0.001


@given(lights)
def test_gray_is_black_alone(light: float) -> None:
    assert to_cmyk((light,)) == to_cmyk((light, light, light)) == (0, 0, 0, round(1 - light, 4))


@given(lights, lights, lights)
def test_a_colour_that_is_not_thinned_comes_back(red: float, green: float, blue: float) -> None:
    cyan, magenta, yellow, black = to_cmyk((red, green, blue))
    if cyan + magenta + yellow + black < MOST_INK - 0.001:
        back = [(1 - ink) * (1 - black) for ink in (cyan, magenta, yellow)]
        assert back == pytest.approx([red, green, blue], abs=0.001)


def inked(content: bytes, **more: object) -> bytes:
    with pikepdf.open(io.BytesIO(small(content, **more))) as pdf:  # type: ignore[arg-type]
        convert_to_cmyk(pdf)
        return bytes(pdf.pages[0].Contents.read_bytes())


def test_every_way_to_set_a_colour_is_turned() -> None:
    said = inked(
        b"1 0 0 rg 0.5 G /DeviceRGB cs 0 0 1 sc /DeviceGray CS 0 SC 0 0 1 0 k 0 0 9 9 re f"
    )
    assert said.split() == (
        b"0 1 1 0 k 0 0 0 0.5 K 1 1 0 0 k 0 0 0 1 K 0 0 1 0 k 0 0 9 9 re f".split()
    )


@pytest.mark.parametrize(
    ("content", "resources", "reason"),
    [
        (b"/S sh", {}, "a shading"),
        (
            b"/C cs 1 1 1 sc 0 0 9 9 re f",
            {"/ColorSpace": pikepdf.Dictionary(C=[pikepdf.Name.Lab, pikepdf.Dictionary()])},
            "colour space C",
        ),
    ],
)
def test_what_has_no_plain_way_is_refused(
    content: bytes, resources: dict[str, object], reason: str
) -> None:
    with pytest.raises(NotReady, match=reason):
        inked(content, resources=resources)
