"""What pages of tables, screens and fights share: one template, for the engine and for HTML."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sheetgen.model.prints import FaceMetrics, Tokens


@dataclass(frozen=True, slots=True)
class Flowing:
    """A template with its two sets of style sheets.

    Attributes:
        paper: Style sheets of the PDF, in this order.
        screen: Those of the HTML file.
    """

    template: str
    paper: tuple[str, ...]
    screen: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageStyle:
    """How it is set.

    Attributes:
        texts: Templates and style sheets by name.
        fonts: Font files, by face.
        own: Styles that were computed for these pages.
    """

    texts: Mapping[str, str]
    tokens: Tokens
    fonts: Mapping[str, bytes]
    own: str = ""


def flowing_html(kind: Flowing, look: PageStyle, told: Mapping[str, Any]) -> bytes:
    """Return one self-contained HTML file; see `render.html.page`."""
    from sheetgen.render.html.html import page

    used = {**look.texts, "generated.css": look.own}
    styles = ("generated.css", *kind.screen) if look.own else kind.screen
    return page(used, kind.template, styles, look.tokens, look.fonts, told)


def flowing_markup(kind: Flowing, look: PageStyle, told: Mapping[str, Any]) -> str:
    """Return what the engine is handed.

    Args:
        told: `title`, `lang`, `paper`, `theme`, `credit`, `version`, and what the template shows.
    """
    from sheetgen.render.html.markup import design_styles, markup, stylesheet

    paper = str(told["paper"])
    generated = stylesheet(look.tokens, paper, "plate", lambda face: f"asset:{face}")
    styles = design_styles(look.texts, kind.paper, generated + look.own)
    return markup(look.texts, kind.template, {**told, "styles": styles, "csp": ""})


def flowing_pdf(
    kind: Flowing, look: PageStyle, told: Mapping[str, Any], complaints: list[str] | None = None
) -> bytes:
    """Return a tagged PDF; equal input gives equal bytes.

    Args:
        told: See `flowing_markup`.
        complaints: See `pages.lay_out`.
    """
    return render_flow(flowing_markup(kind, look, told), look, str(told["title"]), complaints)


def render_flow(
    text: str, look: PageStyle, title: str, complaints: list[str] | None = None
) -> bytes:
    """Return markup as a tagged PDF."""
    from sheetgen.render.flow.pages import lay_out
    from sheetgen.render.flow.ua_tags import mend_tags

    identifier = title.encode("utf-8", "replace")
    return lay_out(text, look.fonts, identifier=identifier, complaints=complaints, finish=mend_tags)


@lru_cache(maxsize=16)
def font_metrics(data: bytes) -> FaceMetrics:
    """Return what measuring needs of a font file."""
    from fontTools.ttLib import TTFont

    with TTFont(io.BytesIO(data), lazy=True) as font:
        scale = 1000 / font["head"].unitsPerEm
        widths, mapping = font["hmtx"].metrics, font.getBestCmap()
        return FaceMetrics(
            ascent=round(font["hhea"].ascent * scale),
            descent=round(font["hhea"].descent * scale),
            cap_height=round(font["OS/2"].sCapHeight * scale),
            advances={point: round(widths[name][0] * scale) for point, name in mapping.items()},
            glyphs={},
        )
