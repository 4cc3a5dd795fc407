"""Tokens: laid together entry by entry, and nothing in them can break out of CSS or PDF."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sheetgen.diag.findings import DesignError
from sheetgen.load.designs.templates import (
    load_theme_tokens,
    merge_tokens,
    missing_fonts,
    parse_model,
    theme_ids,
)
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.prints import Tokens
from sheetgen.model.tokens import TokensFile

BASE: dict[str, Any] = {
    "colours": {"ink": "#000000"},
    "fonts": {"text-400": "A.ttf"},
    "roles": {"line": {"face": "text-400", "size": 9, "least": 7}},
    "shapes": {"box": {"path": "M0 0 L1 1", "stroke": "ink", "width": 0.5}},
    "ticks": {"dot": {"frame": "box", "on": ""}},
    "css": {"w-row": "0.4pt", "tick-dot-w": "9pt", "tick-dot-h": "9pt"},
}


def read(*mappings: dict[str, Any], theme: dict[str, Any] | None = None) -> Tokens:
    return merge_tokens([_file(m) for m in mappings], [_file(theme)] if theme else [])


def _file(mapping: dict[str, Any]) -> TokensFile:
    source = parse_yaml(json.dumps(mapping), "tokens.yaml").value
    assert source is not None
    assert source.root is not None
    return parse_model(source.root, TokensFile, "tokens.yaml")


@pytest.mark.parametrize("theme", theme_ids())
def test_our_themes_can_be_read(theme: str) -> None:
    tokens = load_theme_tokens(theme)
    assert tokens.roles
    assert missing_fonts(tokens) == ()


def test_a_theme_overrides_field_by_field() -> None:
    tokens = read(BASE, theme={"roles": {"line": {"size": 13}}})
    assert (tokens.roles["line"].size, tokens.roles["line"].least) == (13, 7)


def test_an_empty_text_takes_an_earlier_one_away() -> None:
    assert read(BASE, {"shapes": {"box": {"stroke": ""}}}).shapes["box"].stroke == ""


def test_a_font_that_nobody_has_is_a_finding_at_its_name() -> None:
    (finding,) = missing_fonts(read(BASE, {"fonts": {"text-400": "Manrope-Regluar.ttf"}}))
    assert "`Manrope-Regluar.ttf`" in finding.message
    assert finding.hint == "did you mean `Manrope-Regular.ttf`?"
    assert finding.span.file == "tokens.yaml"


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"colors": {}}, "no key `colors`"),
    ({"colours": {"ink": "red; } body { display: none"}}, "`colours.ink`"),
    ({"css": {"w-row": "1pt; } @import url(http://x)"}}, "`css.w-row`"),
    ({"css": {"w}": "1pt"}}, "not the name of a token"),
    ({"css": {"tick-dot-w": "1em"}}, "`css.tick-dot-w`"),
    ({"css": {"odds-least": "0D"}}, "`css.odds-least`"),
    ({"css": {"column": "9pt"}}, "`css.column`"),
    ({"css": {"wide": "x"}}, "`css.wide`"),
    ({"css": {"tick-dot-also": "heart"}}, "`heart`"),
    ({"css": {"cut-head": "9pt"}}, "`css.cut-head` cannot be `9pt`"),
    ({"fonts": {"text-400": "../../etc/passwd"}}, "`fonts.text-400`"),
    ({"fonts": {"fancy-400": "A.ttf"}}, "not the name of a font"),
    ({"shapes": {"box": {"path": "M0 0 A1 1"}}}, "M, L, C, Z"),
    ({"shapes": {"box": {"path": "M0 0 L1"}}}, "M, L, C, Z"),
    ({"shapes": {"box": {"fill": "gold"}}}, "`gold`"),
    ({"roles": {"line": {"face": "text-900"}}}, "`text-900`"),
    ({"roles": {"line": {"align": "middle"}}}, "`middle`"),
    ({"roles": {"line": {"least": 12}}}, "`roles.line.least`"),
    ({"roles": {"line": {"size": "9pt"}}}, "`size` has to be a number"),
    ({"roles": {"line": {"colr": "ink"}}}, "no key `colr`"),
    ({"roles": {"new": {"size": 9}}}, "needs a value"),
    ({"ticks": {"dot": {"on": "heart"}}}, "`heart`"),
    ({"ticks": {"new": {"frame": "box", "on": "box"}}}, "has no size"),
]


@pytest.mark.parametrize(("change", "said"), WRONG)
def test_what_is_wrong_is_a_finding_at_its_place(change: dict[str, Any], said: str) -> None:
    with pytest.raises(DesignError) as raised:
        read(BASE, change)
    assert any(said in finding.message for finding in raised.value.findings)
    assert all(finding.span.file == "tokens.yaml" for finding in raised.value.findings)


def test_a_theme_that_changes_nothing_that_is_there_is_a_finding() -> None:
    with pytest.raises(DesignError) as raised:
        read(BASE, theme={"css": {"w-rwo": "1pt"}})
    (finding,) = raised.value.findings
    assert finding.hint == "did you mean `w-row`?"
