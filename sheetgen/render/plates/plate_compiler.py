"""A design's plate: made once by the layout engine, kept, and read back in no time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sheetgen.model.prints import Plate, Tokens
from sheetgen.render.pdf.plate_files import dump_plate, parse_plate

if TYPE_CHECKING:
    from sheetgen.render.fonts.fonts import Face


def render_plate_html(
    texts: Mapping[str, str],
    template: str,
    styles: tuple[str, ...],
    tokens: Tokens,
    context: Mapping[str, Any],
) -> str:
    """Return what the engine is to lay out for the plate of a template.

    Args:
        styles: Names of the texts that are its style sheets.
        context: What the template is told, without its styles.
    """
    from sheetgen.render.html.markup import build_styles, render_template
    from sheetgen.render.html.styles import build_token_styles

    generated = build_token_styles(
        tokens, str(context["paper"]), "plate", lambda face: f"asset:{face}"
    )
    return render_template(
        texts, template, {**context, "styles": build_styles(texts, styles, generated)}
    )


def compile_plate_bytes(html: str, tokens: Tokens, faces: Mapping[str, Face], key: str) -> bytes:
    """Return the compiled plate of `html`, as bytes to keep; `parse_cached_plate` reads them.

    Args:
        html: See `render_plate_html`.
        faces: Of the tokens, by name.

    Raises:
        NoEngine: The layout engine cannot be loaded.
        LayoutError: It complained.
    """
    from sheetgen.render.plates.compiling import compile_plate

    plate = compile_plate(html, {}, faces, tokens, key, extra_roles=tuple(tokens.roles))
    return dump_plate(plate)


def replace_plate_key(content: bytes, key: str) -> bytes:
    """Return the plate in `content` under another key, for rules that print the same.

    Raises:
        ValueError: `content` is no plate.
    """
    return dump_plate(replace(parse_plate(content), key=key))


def parse_cached_plate(content: bytes) -> Plate | None:
    """Return the plate that `compile_plate_bytes` made; None if the bytes are no plate of ours."""
    try:
        return parse_plate(content)
    except (ValueError, KeyError, IndexError, TypeError):
        return None
