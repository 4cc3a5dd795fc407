"""Dark colours: what could be read on light paper can be read on dark paper, for every design."""

from __future__ import annotations

import re

import pytest

from sheetgen.load.designs.designs import load_design
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.tokens import READABLE, measure_contrast
from sheetgen.render.html.styles import build_dark_drawings, build_dark_styles, derive_dark_colours
from tests.printing import GAMES, THEMES


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("game", GAMES)
def test_each_colour_keeps_its_contrast(game: str, theme: str) -> None:
    rules = load_ruleset(rulesets_folder() / game).value
    assert rules is not None
    design = load_design(str(rules.sheet), theme, "a4", rules).value
    assert design is not None
    light = design.tokens.colours
    dark = derive_dark_colours(tuple(light.items()))
    assert set(dark) == set(light)
    for name in light.keys() - {"paper", "desk"}:
        before = measure_contrast(light[name], light["paper"])
        after = measure_contrast(dark[name], dark["paper"])
        if before >= READABLE:
            assert after >= READABLE, name
            assert measure_contrast(dark[name], dark["desk"]) >= READABLE, name
            assert measure_contrast(dark[name], dark["wash"]) >= READABLE, name
        else:
            assert abs(after - before) < 0.15, name


def test_contrast_is_that_of_wcag() -> None:
    assert measure_contrast("#FFFFFF", "#000000") == pytest.approx(21)
    assert measure_contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


def test_drawings_turn_dark_on_screens_only() -> None:
    colours = {"ink": "#1A1A1A", "paper": "#FFFFFF", "desk": "#E7E5E0"}
    drawn = "/* {a} */ .tick { width: 1pt; --f: url(\"data:,stroke='%231A1A1A'\") } p { top: 0 }"
    dark = build_dark_styles(colours, drawn)
    ink = derive_dark_colours(tuple(colours.items()))["ink"]
    assert dark.startswith("@media screen and (prefers-color-scheme: dark)")
    assert f".tick {{ --f: url(\"data:,stroke='%23{ink[1:]}'\") }}" in dark
    assert '[stroke="#1A1A1A"] { stroke: var(--ink) }' in dark
    assert "width" not in dark
    assert build_dark_drawings(colours, "p { top: 0 }") == ""
    assert 'stroke="' not in build_dark_drawings(colours, drawn)


def test_mixed_colours_of_drawings_keep_their_contrast() -> None:
    colours = {"ink": "#1A1A1A", "paper": "#FFFFFF", "desk": "#E7E5E0"}
    pale = "#F0D0D0"
    dark = build_dark_drawings(colours, f'p {{ --motif: url("data:,%23{pale[1:]}") }}')
    (turned,) = re.findall("%23([0-9A-F]{6})", dark)
    paper = derive_dark_colours(tuple(colours.items()))["paper"]
    after = measure_contrast(f"#{turned}", paper)
    assert after == pytest.approx(measure_contrast(pale, "#FFFFFF"), abs=0.1)


def test_transparent_pictures_stay_on_light_paper() -> None:
    styles = build_dark_styles({"paper": "#FFFFFF", "ink": "#000000"}, "")
    assert "img.picture, img.place.picture { background: #FFFFFF }" in styles
