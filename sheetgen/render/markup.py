"""Templates to HTML: the only module that knows Jinja. It opens no files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from sheetgen.render.styles import stylesheet

__all__ = ["design_styles", "markup", "stylesheet"]

_END_OF_STYLE: Final = "</"


def markup(texts: Mapping[str, str], template: str, context: Mapping[str, Any]) -> str:
    """Return the HTML that `template`, one of `texts`, makes of `context`.

    Everything is escaped, and a name that the context lacks is an error. The sandbox
    keeps a stranger's template from Python's insides, not from taking its time.
    """
    made: str = _environment(tuple(sorted(texts.items()))).get_template(template).render(context)
    return made


def design_styles(texts: Mapping[str, str], names: tuple[str, ...], generated: str) -> str:
    """Return the whole style sheet of a design: `generated`, then the texts of `names`.

    Raises:
        ValueError: One of them would end the `style` element that they are put in.
    """
    styles = "\n".join((generated, *(texts[name] for name in names)))
    if _END_OF_STYLE in styles:
        raise ValueError("a style sheet cannot hold `</`")
    return styles


@lru_cache(maxsize=8)
def _environment(texts: tuple[tuple[str, str], ...]) -> Any:
    """Return the environment over `texts`; compiled templates stay in it."""
    from jinja2 import DictLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        loader=DictLoader(dict(texts)),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
