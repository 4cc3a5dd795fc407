"""Render templates as HTML, and pages as one self-contained HTML file each.

This is the only module that uses Jinja; it opens no files. A page loads nothing and works without
scripts. The script of a live sheet adds totals, limits, undo, saving and odds.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import pkgutil
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from traceback import walk_tb
from typing import Any, Final

from sheetgen.bounds import BoundExceeded, limit_block
from sheetgen.data import templates_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding, Span
from sheetgen.model.prints import Live, Narrow, Tokens
from sheetgen.model.source import Text
from sheetgen.plan.pages.screen_blocks import SignPairs, spell_signs
from sheetgen.records import frozen
from sheetgen.render.fonts.fonts import SIGN_FACE, compress_font
from sheetgen.render.html import styles as css

_SECONDS: Final = 8  # processor time of a template; the slowest of ours takes half a second
_END_OF_STYLE: Final = "</"
_GREATEST_POWER: Final = 1000
_LONGEST: Final = 500  # Characters of a reason, which may hold a text that a template made
# An apostrophe in text; first what is no text that is only shown.
_APOSTROPHE: Final = re.compile(
    r"<(script|style|textarea|option)\b.*?</\1>|<[^>]*>|(?<=\w)(?:'|&#39;)", re.DOTALL
)
_USED: Final = re.compile(r"var\((--(?:size|w|lattice)-[\w-]+)\)")
_SET: Final = re.compile(r"(--[\w-]+)\s*:")


def render_template(texts: Mapping[str, str], template: str, context: Mapping[str, Any]) -> str:
    """Return `template`, one of `texts`, rendered with `context`.

    Values are escaped, apostrophes in text are typographic, and a name that the context lacks
    is an error. The sandbox keeps templates of strangers from Python's internals; time and
    memory are bounded.

    Raises:
        DesignError: The template cannot be rendered.
    """
    from jinja2 import TemplateError, TemplateNotFound

    environment = _environment(tuple(sorted(texts.items())))
    expected = TemplateError, LookupError, TypeError, ValueError, ArithmeticError
    try:
        with limit_block(_SECONDS, "rendering it"):
            html: str = environment.get_template(template).render(context)
    except (*expected, SyntaxError, RecursionError, BoundExceeded) as error:
        name, line = template, 1
        for frame, number in walk_tb(error.__traceback__):
            if frame.f_code.co_filename in texts:
                name, line = frame.f_code.co_filename, number
        # The name of a file that is missing is no place; the line of a SyntaxError is one of the
        # Python that Jinja writes.
        if not isinstance(error, (TemplateNotFound, SyntaxError)):
            name, line = (
                getattr(error, "name", None) or name,
                getattr(error, "lineno", None) or line,
            )
        why = str(error)
        hint = "look for a value that the template needs, and `sheet.yaml` or `card.yaml` lacks"
        if isinstance(error, SyntaxError):  # Python nests 20 blocks
            why = "its blocks or brackets are nested too deep"
            hint = "move the inner ones into a macro"
        elif isinstance(error, TemplateNotFound):
            why = f"it includes a file that the design lacks: {why}"
            hint = "begin its path with a folder's name: `sheet/FILE`, `_shared/FILE`"
        elif isinstance(error, RecursionError):
            why = "it is nested too deep, or includes itself"
            hint = "look for a macro that calls itself"
        elif isinstance(error, BoundExceeded):
            hint = "look for a loop that does not end"
        span = template_span(texts, name, line)
        message = f"the template cannot be rendered: {why:.{_LONGEST}}"
        raise DesignError((Finding(codes.BAD_TEMPLATE, span, message, hint),)) from error
    return _APOSTROPHE.sub(lambda found: found[0] if found[0][0] == "<" else "’", html)


def template_span(texts: Mapping[str, str], name: str, line: int = 1) -> Span:
    """Return a line of the template or style sheet `name` of a design with these texts."""
    text = texts.get(name, "")
    return Span(text.span.file if isinstance(text, Text) else str(templates_folder() / name), line)


def build_styles(texts: Mapping[str, str], names: tuple[str, ...], generated: str) -> str:
    """Return the style sheet of a design: `generated`, then the texts of `names`.

    Raises:
        DesignError: One of them would end the `style` element that they are put in, or uses a
            size or weight of a line that neither they nor the tokens set.
    """
    styles = "\n".join((generated, *(texts[name] for name in names)))
    # What is said about parts of the style sheets, each at the first that holds it.
    wrong = {_END_OF_STYLE: ("cannot hold `</`", "")} if _END_OF_STYLE in styles else {}
    for unset in () if wrong else sorted({*_USED.findall(styles)} - {*_SET.findall(styles)}):
        said = f"uses `{unset}`, which nothing sets"
        wrong[f"var({unset})"] = said, "set it under `css` of the tokens"
    findings = []
    for part, (said, hint) in wrong.items():
        name = next((name for name in names if part in texts[name]), names[0])
        span = template_span(texts, name, texts[name].partition(part)[0].count("\n") + 1)
        findings.append(Finding(codes.BAD_TEMPLATE, span, f"the style sheet {said}", hint))
    if findings:
        raise DesignError(tuple(findings))
    return styles


def build_plate_styles(
    texts: Mapping[str, str], names: tuple[str, ...], tokens: Tokens, paper: str, more: str = ""
) -> str:
    """Return the style sheet of a template for the layout engine; `more` is behind the tokens'."""
    generated = css.build_token_styles(tokens, paper, "plate", lambda face: f"asset:{face}")
    return build_styles(texts, names, generated + more)


_COMPILED: Final[dict[tuple[str, str], Any]] = {}
_MOST_COMPILED: Final = 200


@lru_cache(maxsize=8)
def _environment(texts: tuple[tuple[str, str], ...]) -> Any:
    """Return the environment over `texts`; compiled templates stay in it."""
    from jinja2 import BytecodeCache, FunctionLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    known = dict(texts)

    class Sandbox(ImmutableSandboxedEnvironment):
        """A power of large numbers is one operation, which no bound of time interrupts."""

        intercepted_binops = frozenset({"**"})

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            if abs(right) > _GREATEST_POWER or abs(left) > _GREATEST_POWER:
                raise ValueError("a power of such large numbers is not computed")
            return left**right

    class Compiled(BytecodeCache):
        """Designs share most templates: what one has compiled serves the others."""

        def load_bytecode(self, bucket: Any) -> None:
            bucket.code = _COMPILED.get((bucket.key, bucket.checksum))

        def dump_bytecode(self, bucket: Any) -> None:
            if len(_COMPILED) >= _MOST_COMPILED:
                _COMPILED.clear()
            _COMPILED[bucket.key, bucket.checksum] = bucket.code

    return Sandbox(
        bytecode_cache=Compiled(),
        loader=FunctionLoader(lambda name: (known[name], name, None) if name in known else None),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


_POLICY: Final = (
    "default-src 'none'; {script}style-src '{styles}'; font-src data:; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
# Media queries for phones and tablets, as in `_shared/screen.css`, and for everything else.
_NARROW: Final = "@media screen and (max-width: 1060px)"
_WIDE: Final = "@media not screen and (max-width: 1060px)"
_ROOT: Final = ":root"  # the first generated style after the fonts, which hold no drawings
_DARK: Final = "dark.css"  # name of the dark drawings of style sheets, which come last


@frozen
class PageSigns:
    """The signs of a ruleset: their words and names, a font of them, and its style sheet."""

    pairs: SignPairs
    font: bytes
    styles: str


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
    signs: PageSigns | None = None,
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
        signs: What the letters of signs in its texts become.
    """
    if signs is not None:
        fonts, styles = {**fonts, SIGN_FACE: signs.font}, (signs.styles, *styles)
        tokens = replace(tokens, faces={**tokens.faces, SIGN_FACE: SIGN_FACE})

    def address(face: str) -> str:
        sort, font = "ttf", fonts[face]
        # In a browser there is no brotli, and the font of signs, cut for this print, is not cached.
        if face != SIGN_FACE:
            with contextlib.suppress(ImportError):
                sort, font = "woff2", compress_font(font)
        return f"data:font/{sort};base64,{base64.b64encode(font).decode()}"

    generated = css.build_token_styles(tokens, str(context["paper"]), "page", address)
    drawn = generated[generated.index(_ROOT) :]
    if narrow is not None:
        own = css.build_token_styles(narrow.tokens, "", "page", lambda face: "")
        generated += f"{_NARROW} {{\n{own}}}\n"
        texts = {**texts, **{name: f"{_WIDE} {{\n{texts[name]}}}\n" for name in narrow.without}}
    generated += css.build_dark_styles(tokens.colours, drawn)
    generated += "".join(one["style"] for one in context.get("pictures", {}).values())
    dark = css.build_dark_drawings(tokens.colours, "".join(texts[name] for name in styles))
    texts = {**texts, _DARK: dark}
    script = build_script(live, odds=bool(facts["odds"])) if facts is not None else ""
    names = (*styles, STYLES) if script else styles
    style = build_styles(texts, (*names, _DARK), generated).replace("\r\n", "\n")
    allowed = f"script-src '{_hashed(script)}'; " if script else ""
    policy = _POLICY.format(styles=_hashed(style), script=allowed)
    more: dict[str, Any] = {"styles": style, "csp": policy}
    roles = tokens.roles.items()
    # Roles of words, not of figures: a narrow screen sets them on several lines.
    words = (name for name, role in roles if not role.face.startswith("figure"))
    more["growing"] = frozenset(name for name in words if tokens.roles[name].align == "left")
    more["flush_right"] = frozenset(name for name, role in roles if role.align == "right")
    if facts is not None:
        held = {n: [s for s in _STATES if f"{n}-{s}" in tokens.roles] for n in tokens.roles}
        states = {name: found for name, found in held.items() if found}
        shrinking = [(name, role) for name, role in roles if role.least < role.size]
        least = {n: max(50, -int(-100 * role.least // role.size)) for n, role in shrinking}
        figures = json.loads(live.data) if live is not None else None
        data = {**facts, "live": figures, "states": states, "least": least}
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        for sign in "<>&\u2028\u2029":  # what may not stand in a `script` element
            text = text.replace(sign, f"\\u{ord(sign):04x}")
        more |= {
            "script": script,
            "facts": text,
            "stated": frozenset(states),
            "outputs": frozenset(live.outputs if live is not None else ()),
        }
    page = render_template(texts, template, {**context, **more})
    return spell_signs(page, signs.pairs if signs is not None else ()).encode()


def _hashed(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


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
