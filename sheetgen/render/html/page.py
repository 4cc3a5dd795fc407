"""Render a page as one self-contained HTML file, which loads nothing and works without scripts.

The script of a live sheet adds totals, limits, undo, saving and odds.
"""

from __future__ import annotations

import base64
import hashlib
import json
import pkgutil
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from sheetgen.model.prints import Live, Narrow, Tokens
from sheetgen.render.fonts.fonts import compress_font

_POLICY: Final = (
    "default-src 'none'; {script}style-src '{styles}'; font-src data:; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
# Media queries for phones and tablets, as in `_shared/screen.css`, and for everything else.
_NARROW: Final = "@media screen and (max-width: 1060px)"
_WIDE: Final = "@media not screen and (max-width: 1060px)"
_ROOT: Final = ":root"  # the first generated style after the fonts, which hold no drawings
_DARK: Final = "dark.css"  # name of the dark drawings of style sheets, which come last


def render_page(
    texts: Mapping[str, str],
    template: str,
    styles: tuple[str, ...],
    tokens: Tokens,
    fonts: Mapping[str, bytes],
    context: Mapping[str, Any],
    facts: Mapping[str, Any] | None = None,
    live: Live | None = None,
    narrow: Narrow | None = None,
) -> bytes:
    """Return a page as an HTML file, in UTF-8, with its fonts and drawings.

    Its CSP allows only its style sheet and its script, by their hashes, so
    that neither a value nor an edited copy can add another.

    Args:
        texts: Templates and style sheets by name; `template` and `styles` name some.
        fonts: Font files, by face; see `compress_font`.
        context: Of the template, with `measure` (see `TextMeasure`), without styles; `pictures`
            have styles of their own.
        facts: What its script reads; None for a page without a script.
        live: What the sheet calculates, if it does.
        narrow: Tokens and style sheets for narrow screens.
    """
    from sheetgen.render.html import styles as css
    from sheetgen.render.html.markup import build_styles, render_template

    def address(face: str) -> str:
        packed = base64.b64encode(compress_font(fonts[face])).decode()
        return f"data:font/woff2;base64,{packed}"

    generated = css.build_token_styles(tokens, str(context["paper"]), "page", address)
    drawn = generated[generated.index(_ROOT) :]
    if narrow is not None:
        own = css.build_token_styles(narrow.tokens, "", "page", lambda face: "")
        generated += f"{_NARROW} {{\n{own}}}\n"
        wide = {name: f"{_WIDE} {{\n{texts[name]}}}\n" for name in narrow.without}
        texts = {**texts, **wide}
    generated += css.build_dark_styles(tokens.colours, drawn)
    generated += "".join(one["style"] for one in context.get("pictures", {}).values())
    dark = css.build_dark_drawings(tokens.colours, "".join(texts[name] for name in styles))
    texts = {**texts, _DARK: dark}
    script = build_script(live, odds=bool(facts["odds"])) if facts is not None else ""
    names = (*styles, STYLES) if script else styles
    style = build_styles(texts, (*names, _DARK), generated).replace("\r\n", "\n")
    allowed = f"script-src '{_hashed(script)}'; " if script else ""
    policy = _POLICY.format(styles=_hashed(style), script=allowed)
    left, right = (
        {name: role for name, role in tokens.roles.items() if role.align == side}
        for side in ("left", "right")
    )
    more: dict[str, Any] = {"styles": style, "csp": policy}
    # Roles of words, not of figures: a narrow screen sets them on several lines.
    more["growing"] = frozenset(n for n, role in left.items() if not role.face.startswith("figure"))
    more["flush_right"] = frozenset(right)
    if facts is not None:
        states = _list_role_states(tokens)
        more |= {
            "script": script,
            "facts": _format_facts(facts, live, tokens, states),
            "stated": frozenset(states),
            "outputs": frozenset(live.outputs if live is not None else ()),
        }
    return render_template(texts, template, {**context, **more}).encode()


def _hashed(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


_ENGINE: Final = ("figures", "engine")
_PAGE: Final = ("fields", "totals", "undo", "saving", "files", "chrome", "page")
_ODDS: Final = "odds"
# The style sheet of the bar, the list of findings and the dialogs, a text of every design.
STYLES: Final = "_shared/live.css"
_COMMENT: Final = re.compile(r"^ */\*(?s:.*?)\*/$|^ *//.*$", re.MULTILINE)
_INDENT: Final = re.compile(r"^ +|\n(?=\n)", re.MULTILINE)
# States that a role may have while a sheet is edited; `ROLE-STATE` is a role of the tokens.
_STATES: Final = ("bought", "closed", "trained")


def build_script(live: Live | None, *, odds: bool) -> str:
    """Return the script of a page; it is equal for all characters of a design and ruleset."""
    program = [f"const PROGRAM = {live.program};"] if live is not None else []
    engine = [_file(name) for name in _ENGINE] if live is not None else []
    body = "\n".join(('"use strict";', *program, load_page_code(odds=odds)))
    script = "\n".join((*engine, f"(() => {{\n{body}\n}})();\n"))
    # These would end the element or begin an HTML comment. Both can only be in strings, which do
    # not change when a character is escaped.
    return script.replace("</", "<\\/").replace("<!--", "<\\!--")


def _format_facts(
    facts: Mapping[str, Any], live: Live | None, tokens: Tokens, states: Mapping[str, list[str]]
) -> str:
    """Return the data of the script as JSON, escaped for a `script` element."""
    data = {
        **facts,
        "live": json.loads(live.data) if live is not None else None,
        "states": states,
        "least": {
            name: max(50, -int(-100 * role.least // role.size))
            for name, role in tokens.roles.items()
            if role.least < role.size
        },
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _list_role_states(tokens: Tokens) -> dict[str, list[str]]:
    """Return the roles that have states, each with its states."""
    roles = tokens.roles
    found = {name: [one for one in _STATES if f"{name}-{one}" in roles] for name in roles}
    return {name: states for name, states in found.items() if states}


@lru_cache(maxsize=2)
def load_page_code(*, odds: bool) -> str:
    """Return the code of the page without comments and indentation."""
    names = (*_PAGE, _ODDS) if odds else _PAGE
    return "\n".join(_INDENT.sub("", _COMMENT.sub("", _file(name))).strip() for name in names)


@lru_cache(maxsize=16)
def _file(name: str) -> str:
    data = pkgutil.get_data("sheetgen.render.html", f"scripts/{name}.js")
    assert data is not None
    return data.decode()
