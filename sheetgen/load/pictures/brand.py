"""The pictures of a publisher: logos, covers and card backs of books, themes and rulesets."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import picture_codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.load.files import note_read
from sheetgen.load.pictures.reader import find_picture
from sheetgen.model.pictures import Picture, PictureFile

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
        findings += [f for f in read.findings if f.code not in (one.code for one in findings)]
        if read.value is not None:
            note_read(Path(read.value.path))
            found[key] = read.value
    return Checked(found, tuple(findings))


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
