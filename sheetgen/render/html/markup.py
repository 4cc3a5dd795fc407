"""Render templates as HTML: the only module that uses Jinja. It opens no files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from traceback import walk_tb
from typing import Any, Final

from sheetgen.bounds import BoundExceeded, limit_block
from sheetgen.data import templates_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding, Span
from sheetgen.model.prints import Tokens
from sheetgen.model.source import Text
from sheetgen.render.html.styles import build_token_styles

_SECONDS: Final = 8  # processor time of a template; the slowest of ours takes half a second
_END_OF_STYLE: Final = "</"
_GREATEST_POWER: Final = 1000
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
    from jinja2 import TemplateError

    environment = _environment(tuple(sorted(texts.items())))
    expected = TemplateError, LookupError, TypeError, ValueError, ArithmeticError
    try:
        with limit_block(_SECONDS, "rendering it"):
            html: str = environment.get_template(template).render(context)
    except (*expected, SyntaxError, RecursionError, BoundExceeded) as error:
        raise DesignError((_broken(error, texts, template),)) from error
    return _APOSTROPHE.sub(lambda found: found[0] if found[0][0] == "<" else "’", html)


def template_span(texts: Mapping[str, str], name: str, line: int = 1) -> Span:
    """Return a line of the template or style sheet `name` of a design with these texts."""
    text = texts.get(name, "")
    return Span(text.span.file if isinstance(text, Text) else str(templates_folder() / name), line)


def _broken(error: Exception, texts: Mapping[str, str], template: str) -> Finding:
    """Return the finding about a template that cannot be rendered, at the line that failed."""
    name, line = template, 1
    for frame, number in walk_tb(error.__traceback__):
        if frame.f_code.co_filename in texts:
            name, line = frame.f_code.co_filename, number
    if not isinstance(error, SyntaxError):  # its line is one of the Python that Jinja writes
        name, line = getattr(error, "name", None) or name, getattr(error, "lineno", None) or line
    hint, why = (
        "look for a value that the template needs, and `sheet.yaml` or `card.yaml` lacks",
        str(error),
    )
    if isinstance(error, SyntaxError):  # Python nests 20 blocks
        why = "its blocks or brackets are nested too deep"
        hint = "move the inner ones into a macro"
    elif isinstance(error, RecursionError):
        why = "it is nested too deep, or includes itself"
        hint = "look for a macro that calls itself"
    elif isinstance(error, BoundExceeded):
        hint = "look for a loop that does not end"
    span = template_span(texts, name, line)
    return Finding(codes.BAD_TEMPLATE, span, f"the template cannot be rendered: {why}", hint)


def build_styles(texts: Mapping[str, str], names: tuple[str, ...], generated: str) -> str:
    """Return the style sheet of a design: `generated`, then the texts of `names`.

    Raises:
        DesignError: One of them would end the `style` element that they are put in, or uses a
            size or weight of a line that neither they nor the tokens set.
    """
    styles = "\n".join((generated, *(texts[name] for name in names)))
    if _END_OF_STYLE in styles:
        raise DesignError((_style_finding(texts, names, _END_OF_STYLE, "cannot hold `</`"),))
    unset = sorted({*_USED.findall(styles)} - {*_SET.findall(styles)})
    wrong = (
        _style_finding(texts, names, f"var({name})", f"uses `{name}`, which nothing sets")
        for name in unset
    )
    if unset:
        raise DesignError(tuple(wrong))
    return styles


def build_plate_styles(
    texts: Mapping[str, str], names: tuple[str, ...], tokens: Tokens, paper: str, more: str = ""
) -> str:
    """Return the style sheet of a template for the layout engine; `more` is behind the tokens'."""
    generated = build_token_styles(tokens, paper, "plate", lambda face: f"asset:{face}")
    return build_styles(texts, names, generated + more)


def _style_finding(
    texts: Mapping[str, str], names: tuple[str, ...], part: str, wrong: str
) -> Finding:
    """Return the finding about the first style sheet that holds `part`."""
    name = next((name for name in names if part in texts[name]), names[0])
    line = texts[name].partition(part)[0].count("\n") + 1
    hint = "set it under `css` of the tokens" if part.startswith("var") else ""
    span = template_span(texts, name, line)
    return Finding(codes.BAD_TEMPLATE, span, f"the style sheet {wrong}", hint)


@lru_cache(maxsize=8)
def _environment(texts: tuple[tuple[str, str], ...]) -> Any:
    """Return the environment over `texts`; compiled templates stay in it."""
    from jinja2 import FunctionLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    known = dict(texts)

    class Sandbox(ImmutableSandboxedEnvironment):
        """A power of large numbers is one operation, which no bound of time interrupts."""

        intercepted_binops = frozenset({"**"})

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            if abs(right) > _GREATEST_POWER or abs(left) > _GREATEST_POWER:
                raise ValueError("a power of such large numbers is not computed")
            return left**right

    return Sandbox(
        loader=FunctionLoader(lambda name: (known[name], name, None) if name in known else None),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
