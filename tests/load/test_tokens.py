"""Tokens: laid together entry by entry, and nothing in them can break out of CSS or PDF."""

from __future__ import annotations

from typing import Any

import pytest

from sheetgen.load.templates import theme_ids, theme_tokens
from sheetgen.load.tokens import read_tokens

BASE: dict[str, Any] = {
    "colours": {"ink": "#000000"},
    "faces": {"text-400": "A.ttf"},
    "roles": {"line": {"face": "text-400", "size": 9, "least": 7}},
    "shapes": {"box": {"path": "M0 0 L1 1", "stroke": "ink", "width": 0.5}},
    "ticks": {"dot": {"frame": "box", "on": ""}},
    "css": {"w-row": "0.4pt"},
}


@pytest.mark.parametrize("theme", theme_ids())
def test_our_themes_can_be_read(theme: str) -> None:
    assert theme_tokens(theme).roles


def test_a_theme_overrides_field_by_field() -> None:
    tokens = read_tokens(BASE, {"roles": {"line": {"size": 13}}})
    assert (tokens.roles["line"].size, tokens.roles["line"].least) == (13, 7)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"colors": {}}, "no part `colors`"),
        ({"colours": {"ink": "red; } body { display: none"}}, "`colours.ink`"),
        ({"css": {"w-row": "1pt; } @import url(http://x)"}}, "`css.w-row`"),
        ({"css": {"w}": "1pt"}}, "names are lower-case"),
        ({"faces": {"text-400": "../../etc/passwd"}}, "`faces.text-400`"),
        ({"shapes": {"box": {"path": "M0 0 A1 1"}}}, "M, L, C, Z"),
        ({"shapes": {"box": {"fill": "gold"}}}, "`gold`"),
        ({"roles": {"line": {"face": "text-900"}}}, "`text-900`"),
        ({"roles": {"line": {"least": 12}}}, "`least`"),
        ({"roles": {"line": {"size": "9pt"}}}, "number of points"),
        ({"roles": {"line": {"colr": "ink"}}}, "no field `colr`"),
        ({"roles": {"new": {"size": 9}}}, "lacks a field"),
        ({"ticks": {"dot": {"on": "heart"}}}, "`heart`"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_tokens(BASE, change)
