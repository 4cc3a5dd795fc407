"""A filled sheet as one HTML file: it asks nobody for anything, and needs no scripts.

Where it may be live, its one script brings totals, limits, undo, saving and odds besides.
"""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from sheetgen.model.live import Live
from sheetgen.model.prints import Narrow, Tokens
from sheetgen.render.html.live_page import STYLES, facts_of, script_of, stated

_POLICY: Final = (
    "default-src 'none'; {script}style-src '{styles}'; font-src data:; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


_NARROW: Final = "@media screen and (max-width: 800px)"
_WIDE: Final = "@media not screen and (max-width: 800px)"
"""Phones, as in `_shared/screen.css`, and everything else."""

_WOFF2: Final = b"wOF2"


def page(
    texts: Mapping[str, str],
    template: str,
    styles: tuple[str, ...],
    tokens: Tokens,
    fonts: Mapping[str, bytes],
    told: Mapping[str, Any],
    facts: Mapping[str, Any] | None = None,
    live: Live | None = None,
    narrow: Narrow | None = None,
) -> bytes:
    """Return the HTML file of a filled sheet, in UTF-8.

    Fonts, whole, and drawings are in it. Its content policy names its one style sheet by hash, and
    its one script, if it has any, so that neither a value nor an edited copy can bring in another.

    Args:
        texts: Templates and style sheets by name; `template` and `styles` name some.
        fonts: Font files, by face; see `web_font`.
        told: The context of mode `page`, without styles.
        facts: What its script is told; None for a page without a script.
        live: What it calculates, if it can.
        narrow: What narrow screens use instead.
    """
    from sheetgen.render.html.markup import design_styles, markup, stylesheet

    def address(face: str) -> str:
        return _font_address(fonts[face])

    generated = stylesheet(tokens, str(told["paper"]), "page", address)
    if narrow is not None:
        own = stylesheet(narrow.tokens, "", "page", lambda face: "")
        generated += f"{_NARROW} {{\n{own}}}\n"
        wide = {name: f"{_WIDE} {{\n{texts[name]}}}\n" for name in narrow.without}
        texts = {**texts, **wide}
    script = script_of(live, odds=bool(facts["odds"])) if facts is not None else ""
    names = (*styles, STYLES) if script else styles
    style = design_styles(texts, names, generated).replace("\r\n", "\n")
    allowed = f"script-src '{_hashed(script)}'; " if script else ""
    policy = _POLICY.format(styles=_hashed(style), script=allowed)
    more: dict[str, Any] = {"styles": style, "csp": policy}
    if facts is not None:
        more |= {
            "script": script,
            "facts": facts_of(facts, live, tokens),
            "stated": frozenset(stated(tokens)),
            "outputs": frozenset(live.outputs if live is not None else ()),
        }
    return markup(texts, template, {**told, **more}).encode()


def _hashed(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
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
