"""Themes: ours by their names, and those of authors by the paths of their files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding, Severity
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.designs.faults import bad_design, raise_findings
from sheetgen.load.designs.fonts import FontFile
from sheetgen.load.designs.game_faces import (
    Face,
    face_ids,
    like_face,
    load_face,
    prepare_face,
    read_face_file,
)
from sheetgen.load.designs.templates import STANDARD, load_all_tokens, load_theme_tokens, theme_ids
from sheetgen.load.designs.tokens import MEASURES
from sheetgen.load.files import SUFFIXES
from sheetgen.model.designs.token_files import ThemeFile
from sheetgen.model.prints import Tokens
from sheetgen.records import frozen

_PARTS: Final = ("colours", "roles", "shapes", "ticks", "css")
"""Parts of a theme whose names have to exist in a design."""

_SHOWN: Final = 12
"""Letters that a note names."""


@frozen
class Theme:
    """A theme of ours, or an author's that changes one of ours.

    Attributes:
        base: The id of the theme of ours; arrangements are chosen by it.
        face: The face that it begins with.
        own: What it changes last.
        findings: Notes about it, such as letters that its fonts lack.
    """

    base: str
    face: Face = ()
    own: Face = ()
    findings: tuple[Finding, ...] = ()

    def tokens(self, *designs: str, face: Face = (), base: str = "") -> Tokens:
        """Return the tokens of designs in this theme.

        Args:
            face: The face of the game.
            base: Another theme of ours instead of its own.

        Raises:
            DesignError: A key or value is wrong.
        """
        layers = (*face, *self.face)
        return load_theme_tokens(base or self.base, *designs, face=layers, own=self.own)


def is_own_theme(name: str) -> bool:
    """Whether `name` is the path of an author's theme."""
    return name.endswith(SUFFIXES)


def find_theme(name: str) -> Theme:
    """Return the theme `name`: an id of ours, or the path of an author's.

    Raises:
        DesignError: There is none, or something in it is wrong.
    """
    if is_own_theme(name):
        return _read(Path(name))
    if name not in theme_ids():
        file = os.path.join(name, "theme.yaml")
        hint = f"name the file: `--theme {file}`" if os.path.isfile(file) else ""
        message = f"there is no theme `{name}`"
        hint = hint or suggestion(name, theme_ids(), "themes")
        raise DesignError((Finding(codes.UNKNOWN_DESIGN, Span("--theme"), message, hint),))
    return Theme(name)


def _read(path: Path) -> Theme:
    file = read_face_file(path, ThemeFile)
    try:
        return _load(prepare_face(path, file))
    except DesignError as error:
        return _load(replace(file, fonts={}), error.findings)


@lru_cache(maxsize=16)
def _load(file: ThemeFile, earlier: tuple[Finding, ...] = ()) -> Theme:
    """Return the theme of a file; raise `earlier` findings together with all others."""
    base = str(file.extends or STANDARD)
    findings = [*earlier, *_check_names(file)]
    if base not in theme_ids():
        message = f"`extends` names `{base}`, which is no theme that comes with sheetgen"
        findings.append(bad_design(file.extends, message, suggestion(base, theme_ids(), "themes")))
        base = STANDARD
    face: Face = ()
    try:
        face = like_face(file)
    except DesignError as error:
        findings += error.findings
    theme = Theme(base, face, (file,), tuple(_lent_letters(file)))
    try:
        theme.tokens()  # checks the values
    except DesignError as error:
        findings += error.findings
    raise_findings(list(dict.fromkeys(findings)))
    return theme


def _lent_letters(file: ThemeFile) -> Iterator[Finding]:
    """Yield a note for each set of letters that fonts of a theme borrow from ours."""
    borrowers: dict[str, dict[Path, FontFile]] = {}
    for font in file.fonts.values():
        if isinstance(font, FontFile) and (lent := font.lent.strip()):
            borrowers.setdefault(lent, {}).setdefault(font.path, font)
    for lent, fonts in borrowers.items():
        first, *others = fonts.values()
        letters = " ".join(lent[:_SHOWN]) + (" …" if len(lent) > _SHOWN else "")
        message = f"`{first.path.name}` lacks {letters}"
        if others:
            names = ", ".join(f"`{font.path.name}`" for font in others)
            message += f", and so {'do' if others[1:] else 'does'} {names}"
        hint = "the letters come from our own font; take a font that has them, or leave it so"
        yield Finding(codes.BAD_DESIGN, first.span, message, hint, Severity.NOTE)


def _check_names(file: ThemeFile) -> Iterator[Finding]:
    every, shared = load_all_tokens(), load_theme_tokens(STANDARD)
    faces = [face for id_ in face_ids() for face in load_face(id_)]
    for part in _PARTS:
        # What faces change and all designs have comes first in hints.
        usual = (name for one in (*faces, shared) for name in getattr(one, part))
        names = dict.fromkeys(map(str, (*usual, *getattr(every, part))))
        known = [name for name in names if not name.startswith(MEASURES)]
        for name in getattr(file, part):
            if name not in known and not name.startswith(MEASURES):
                message = f"`{part}` has no `{name}` that a theme could change"
                yield bad_design(name, message, suggestion(name, known, part))
