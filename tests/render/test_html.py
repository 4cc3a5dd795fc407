"""The HTML file: whole in itself, closed to scripts, and true to what was handed in."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest

from sheetgen.load.designs.designs import load_design, load_fonts
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.materials.plates import build_measure
from sheetgen.plan.contexts import build_blank_context
from sheetgen.render.fonts.fonts import compress_font
from sheetgen.render.html.page import build_styles, render_page, render_template
from tests.cli.commands import run


@pytest.fixture(scope="module", params=["hyperspace-d6", "keyword-dots"])
def html(request: pytest.FixtureRequest) -> str:
    return _page(request.param, {"name": 'Vex & "Co" </style><script>'}, {"stunned.box.1": "slash"})


def test_asks_nobody_for_anything(html: str) -> None:
    addresses = re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?([^\"')>\s]{0,30})", html)
    assert addresses
    assert [a for a in addresses if not a.startswith(("data:", "#"))] == []


def test_policy_names_the_only_style_sheet(html: str) -> None:
    [style] = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src &#39;sha256-{digest}&#39;" in html
    assert "script-src" not in html
    assert re.search(r"\sstyle=|<script|\son[a-z]+=", html) is None


def test_values_are_escaped(html: str) -> None:
    assert "Vex &amp; &#34;Co&#34; &lt;/style&gt;&lt;script&gt;" in html


def test_every_box_has_a_label(html: str) -> None:
    boxes = re.findall(r"<(?:input|textarea)[^>]*>", html)
    names = [name for box in boxes for name in re.findall(r' name="([^"]+)"', box)]
    assert len(set(names)) == len(boxes) > 280
    assert {"name", "notes"} <= set(names)
    assert [box for box in boxes if not re.search(r'aria-label="[^"]+"', box)] == []


def test_a_flattened_page_is_text_and_drawings_only(tmp_path: Path) -> None:
    """What stands in fields is text, marked boxes say so, and nothing can be typed or run."""
    file = rulesets_folder().parent / "characters" / "hyperspace-d6" / "jorra_kest.yaml"
    said = run("sheet", file, "--flatten", "--to", "html", "--out", tmp_path)
    assert said.status == 0, said.err
    page = Path(said.out.strip()).read_text(encoding="utf-8")
    assert re.search(r"<(?:input|textarea|select|button|script|label)\b", page) is None
    assert "script-src" not in page
    for value in ("Jorra Kest", "Heavy Blaster Pistol", "Dockside sergeant between two contracts"):
        assert f">{value}</span>" in page
    assert ': marked"' in page
    back = run("read", said.out.strip(), file)
    assert "--flatten" in back.err


def test_a_font_for_the_web_stays_as_it_is() -> None:
    design = load_design("keyword-dots", "standard", "a4").value
    assert design is not None
    packed = compress_font(load_fonts(design)["figure-400"])
    assert packed[:4] == b"wOF2"
    assert compress_font(packed) == packed


def test_styles_cannot_end_their_element() -> None:
    with pytest.raises(ValueError, match="style sheet"):
        build_styles({"a.css": "</style>"}, ("a.css",), "")


def test_templates_have_no_way_out() -> None:
    with pytest.raises(Exception, match="unsafe"):
        render_template({"t": "{{ ''.__class__.__mro__ }}"}, "t", {})
    with pytest.raises(Exception, match="undefined"):
        render_template({"t": "{{ lacking }}"}, "t", {})


def _page(sheet: str, values: dict[str, str], ticks: dict[str, str]) -> str:
    design = load_design(sheet, "standard", "a4").value
    rules = load_ruleset(rulesets_folder() / sheet).value
    assert design is not None
    assert rules is not None
    told: dict[str, Any] = {
        **build_blank_context(rules, design.facts, ("standard", "a4")),
        "measure": build_measure(design.tokens),
        "mode": "page",
        "values": values,
        "ticks": ticks,
        "roles": {},
        "frames": {},
        "marks": {},
    }
    fonts = load_fonts(design)
    content = render_page(design.texts, design.template, design.screen, design.tokens, fonts, told)
    return content.decode()


@pytest.mark.parametrize("kind", ["odds", "tables", "screen", "party"])
def test_pages_that_flow_compress_no_font_that_the_cache_has(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compression takes seconds in each process; a font of a few signs takes no time."""

    def only_packed(data: bytes) -> bytes:
        assert data[:4] == b"wOF2" or len(data) < 4_000
        return data

    monkeypatch.setattr("sheetgen.render.html.page.compress_font", only_packed)
    what = rulesets_folder().parent / "characters" / "d6-pips" if kind == "party" else "d6-pips"
    said = run(kind, what, "--to", "html", "--out", tmp_path)
    assert said.status == 0, said.err
