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


_WOFF2: Final = b"wOF2"


def page(
    texts: Mapping[str, str],
    template: str,
    styles: tuple[str, ...],
    tokens: Tokens,
    fonts: Mapping[str, bytes],
    told: Mapping[str, Any],
) -> bytes:
    """Return the HTML file of a filled sheet, in UTF-8.

    Fonts, whole, and drawings are in it. Its content policy names its one style sheet by hash, so
    that neither a value nor an edited copy can bring in another, and allows no script.

    Args:
        texts: Templates and style sheets by name; `template` and `styles` name some.
        fonts: Font files, by face; see `web_font`.
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


def _font_address(data: bytes) -> str:
    """Return a font as a `data:` address."""
    packed = base64.b64encode(web_font(data)).decode()
    return f"data:font/woff2;base64,{packed}"


@lru_cache(maxsize=32)
def web_font(data: bytes) -> bytes:
    """Return a font compressed for the web; one that is so already, as it is.

    It takes a fraction of a second a face, so whoever makes many files in many processes
    may keep what this returns and hand that in.
    """
    from fontTools.ttLib import TTFont

    if data[:4] == _WOFF2:
        return data
    with TTFont(io.BytesIO(data), recalcTimestamp=False) as font:
        font.flavor = "woff2"
        packed = io.BytesIO()
        font.save(packed)
    return packed.getvalue()
