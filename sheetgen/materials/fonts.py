"""On-disk cache of subset fonts: faces for plates and PDFs, WOFF2 files for HTML."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Final

from sheetgen.diag.notices import announced
from sheetgen.load.cache import (
    LAYOUT,
    cache_path,
    code_stamp,
    read_cache,
    read_shipped,
    store_in_cache,
)
from sheetgen.load.designs.designs import Design, load_fonts
from sheetgen.load.designs.fonts import font_bytes, font_digest
from sheetgen.model.designs.tokens import ASCII, CORE
from sheetgen.model.prints import Tokens
from sheetgen.plan.pages.screen_blocks import TextMeasure
from sheetgen.render.fonts.fonts import (
    Face,
    build_face,
    compress_font,
    dump_face,
    measure_fonts,
    parse_face,
)
from sheetgen.write.files import exclusive_lock


def find_web_fonts(design: Design) -> dict[str, bytes]:
    """Return the fonts of `design` as WOFF2, by face, from the cache or compressed now."""
    files = design.tokens.faces
    missing = {file for file in files.values() if _cached_font(file)[1] is None}
    if missing:
        with announced(f"compressing {len(missing)} fonts for HTML", len(missing)) as step:
            for file in missing:
                find_web_font(file)
                step()
    return {face: find_web_font(file)[1] for face, file in files.items()}


def find_web_font(file: str) -> tuple[str, bytes]:
    """Return the name of the font `file` in the cache, and the font as WOFF2."""
    name, packed = _cached_font(file)
    if packed is None:
        packed = compress_font(font_bytes(file))
        store_in_cache(name, packed)
    return name, packed


def _cached_font(file: str) -> tuple[str, bytes | None]:
    name = f"{Path(file).stem}-{font_digest(file)}-{code_stamp(*LAYOUT)}.woff2"
    return name, read_cache(name) or read_shipped(name)


def find_faces(design: Design) -> dict[str, Face]:
    """Return the faces of `design`, cut for its plates, from the cache or cut now."""
    letters = design.tokens.letters
    needed = {name: (font, letters.get(name, "")) for name, font in load_fonts(design).items()}
    with exclusive_lock(cache_path("faces.lock")):  # Two processes don't cut the same fonts.
        missing = {one for one in needed.values() if find_face(*one)[1] is None}
        if missing:
            with announced(f"preparing {len(missing)} fonts", len(missing)) as step:
                for one in missing:
                    cut_face(*one)
                    step()
    return {name: cut_face(*one) for name, one in needed.items()}


@lru_cache(maxsize=16)
def cut_face(font: bytes, letters: str) -> Face:
    """Return a face, from the cache or cut now; `letters`: see `Tokens.letters`."""
    name, content = find_face(font, letters)
    face = parse_face(content) if content is not None else None
    if face is None:  # Cutting takes most of the time that a plate takes.
        face = build_face(font, *_LETTERS[letters])
        store_in_cache(name, dump_face(face))
    return face


def find_face(font: bytes, letters: str) -> tuple[str, bytes | None]:
    """Return a face's name in the cache, and the face if it is cut already; see `cut_face`."""
    digest = hashlib.sha256(font).hexdigest()[:32]
    name = f"{digest}{letters and '-' + letters}-{code_stamp(*LAYOUT)}.face"
    return name, read_cache(name) or read_shipped(name)


def build_measure(tokens: Tokens) -> TextMeasure:
    """Return what measures texts in the fonts of a design; it reads those that are asked for."""
    return measure_fonts(lambda face: font_bytes(tokens.faces[face]))


# The letters for each value of `Tokens.letters`, and whether with alternate forms.
_LETTERS: Final = {"ascii": (ASCII, True), "plain": (CORE, False), "": (CORE, True)}
