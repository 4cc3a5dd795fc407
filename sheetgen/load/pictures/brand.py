"""The pictures of a publisher: logos, covers and card backs of books, themes and rulesets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import picture_codes
from sheetgen.diag.findings import Checked, DesignError, Finding
from sheetgen.load.designs.game_faces import read_face_file
from sheetgen.load.designs.own_themes import find_theme
from sheetgen.load.files import note_read
from sheetgen.load.pictures.reader import find_picture
from sheetgen.load.shapes import Shaper
from sheetgen.load.sources import read_source
from sheetgen.model.designs.token_files import ThemeFile
from sheetgen.model.pictures import BrandPictures, Picture, PictureFile
from sheetgen.model.requests import PrintRequest
from sheetgen.model.source import Pairs

_ALTS: Final = {"logo": "Logo", "cover": "Picture on the cover", "back": "Back of the card"}


def find_brand_pictures(keys: Iterable[str], holders: Iterable[Any]) -> Checked[dict[str, Picture]]:
    """Return pictures by key: each is that of the first of `holders` that has one.

    Args:
        keys: Some of `logo`, `cover` and `back`.
        holders: Models of YAML files with these keys.
    """
    found: dict[str, Picture] = {}
    findings: list[Finding] = []
    known = tuple(holders)
    for key in keys:
        files = (getattr(holder, key, None) for holder in known)
        file = next((one for one in files if one is not None), None)
        if file is None:
            continue
        read = _find(file, key, _changed(file))
        asked = any(one.code is picture_codes.NO_ALT for one in findings)
        findings += [f for f in read.findings if not (asked and f.code is picture_codes.NO_ALT)]
        if read.value is not None:
            note_read(Path(read.value.path))
            found[key] = read.value
    return Checked(found, tuple(findings))


def find_brand(
    request: PrintRequest,
    keys: Sequence[str],
    *,
    near: Sequence[Any] = (),
    far: Sequence[Any] = (),
) -> Checked[Mapping[str, Picture]]:
    """Return the pictures of a print by key, and findings about them.

    Args:
        keys: Some of `logo`, `cover` and `back`.
        near: Models of YAML files, such as a set of cards, whose pictures come before those of
            the book and the theme.
        far: Models, such as a ruleset, whose pictures come after those.
    """
    book = {key: picture for key, picture in request.pictures if key in keys}
    theme = find_theme(request.theme).own
    first = find_brand_pictures(keys, near)
    above = {**book, **(first.value or {})}
    last = find_brand_pictures([key for key in keys if key not in above], (*theme, *far))
    return Checked({**(last.value or {}), **above}, (*first.findings, *last.findings))


def check_theme(path: Path) -> tuple[Finding, ...]:
    """Return all findings about the theme of an author, its pictures included."""
    try:
        file = read_face_file(path, ThemeFile)
    except DesignError as error:
        return error.findings
    try:
        findings = find_theme(str(path)).findings
    except DesignError as error:
        findings = error.findings
    return tuple(dict.fromkeys((*findings, *find_brand_pictures(_ALTS, [file]).findings)))


def read_ruleset_pictures(folder: Path) -> BrandPictures | None:
    """Return the pictures that the ruleset in a folder names; None if there are none."""
    read = read_source(folder / "ruleset.yaml")
    root = read.value.root if read.value is not None else None
    if not isinstance(root, Pairs):
        return None
    keys = {field.name for field in fields(BrandPictures)}
    entries = tuple(entry for entry in root.entries if entry[0].raw in keys)
    return Shaper().read(Pairs(root.span, entries), BrandPictures, "ruleset") if entries else None


def _changed(file: PictureFile) -> tuple[int, int]:
    try:
        status = os.stat(os.path.join(os.path.dirname(file.file.span.file), file.file))
    except (OSError, ValueError):
        return 0, 0
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=64)
def _find(file: PictureFile, key: str, changed: tuple[int, int]) -> Checked[Picture]:
    """Return a picture that a model names; `changed` is the state of its file."""
    found = find_picture(file, _ALTS[key])
    if key == "back":  # a decoration, which readers do not hear
        others = tuple(f for f in found.findings if f.code is not picture_codes.NO_ALT)
        found = Checked(found.value, others)
    if key != "logo" or file.fit is not None or found.value is None:
        return found
    return Checked(replace(found.value, fit="whole"), found.findings)
