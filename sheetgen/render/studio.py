"""A design's plate: made once by the layout engine, kept, and read back in no time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sheetgen.model.prints import Plate, Tokens
from sheetgen.render.charsets import ASCII, CORE
from sheetgen.render.plate_files import dump_plate, read_plate

_LETTERS: Final = {"ascii": (ASCII, True), "plain": (CORE, False), None: (CORE, True)}
"""What `Tokens.letters` means: letters, and whether with their other forms."""


def make_plate(
    texts: Mapping[str, str],
    template: str,
    styles: tuple[str, ...],
    tokens: Tokens,
    fonts: Mapping[str, bytes],
    context: Mapping[str, Any],
    key: str,
) -> bytes:
    """Return the compiled plate of a template, as bytes to keep; `open_plate` reads them.

    Args:
        styles: Names of the texts that are its style sheets.
        fonts: Font files, by face.
        context: What the template is told, without its styles.
    """
    from sheetgen.render.fonts import make_face
    from sheetgen.render.markup import design_styles, markup, stylesheet
    from sheetgen.render.plates import compile_plate

    generated = stylesheet(tokens, str(context["paper"]), "plate", lambda face: f"asset:{face}")
    told = {**context, "styles": design_styles(texts, styles, generated)}
    faces = {
        name: make_face(data, *_LETTERS[tokens.letters.get(name)]) for name, data in fonts.items()
    }
    html = markup(texts, template, told)
    plate = compile_plate(html, {}, faces, tokens, key, extra_roles=tuple(tokens.roles))
    return dump_plate(plate)


def open_plate(content: bytes) -> Plate | None:
    """Return the plate that `make_plate` made; None if the bytes are no plate of ours."""
    try:
        return read_plate(content)
    except (ValueError, KeyError, IndexError, TypeError):
        return None
