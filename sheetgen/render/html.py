"""A filled sheet as one HTML file: it asks nobody for anything, and needs no scripts."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from sheetgen.model.prints import Tokens

_POLICY: Final = (
    "default-src 'none'; style-src '{styles}'; font-src data:; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def page(
    texts: Mapping[str, str],
    template: str,
    styles: tuple[str, ...],
    tokens: Tokens,
    fonts: Mapping[str, bytes],
    told: Mapping[str, Any],
) -> bytes:
    """Return the HTML file of a filled sheet, in UTF-8.

    Fonts and drawings are in it. Its content policy names its one style sheet by hash, so
    that neither a value nor an edited copy can bring in another, and allows no script.

    Args:
        texts: Templates and style sheets by name; `template` and `styles` name some.
        fonts: Font files, by face.
        told: The context of mode `page`, without styles.
    """
    from sheetgen.render.markup import design_styles, markup, stylesheet

    def address(face: str) -> str:
        return _font_address(fonts[face])

    generated = stylesheet(tokens, str(told["paper"]), "page", address)
    style = design_styles(texts, styles, generated).replace("\r\n", "\n")
    policy = _POLICY.format(styles=_hashed(style))
    return markup(texts, template, {**told, "styles": style, "csp": policy}).encode()


def _hashed(style: str) -> str:
    digest = hashlib.sha256(style.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


@lru_cache(maxsize=32)
def _font_address(data: bytes) -> str:
    """Return a font as a `data:` address; compressed for the web."""
    from sheetgen.render.fonts import make_face

    packed = base64.b64encode(_woff2(make_face(data).layout)).decode()
    return f"data:font/woff2;base64,{packed}"


def _woff2(data: bytes) -> bytes:
    from fontTools.ttLib import TTFont

    with TTFont(io.BytesIO(data), recalcTimestamp=False) as font:
        font.flavor = "woff2"
        packed = io.BytesIO()
        font.save(packed)
    return packed.getvalue()
