"""Faces of games: what a `face.yaml` changes in the tokens of all designs, and its fonts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.near import suggestion
from sheetgen.load.designs.faults import bad_design, raise_findings
from sheetgen.load.designs.fonts import (
    FontFile,
    font_metrics,
    is_packaged,
    list_font_files,
    own_font,
)
from sheetgen.load.designs.templates import (
    STANDARD,
    load_theme_tokens,
    parse_model,
    templates_folder,
)
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import FACE_FILE
from sheetgen.load.sources import read_source
from sheetgen.model.designs.token_files import FaceFile
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Pairs, ScalarNode, Text

FACES: Final = "_faces"
"""The folder of the shipped faces."""

_READ: Final = ("ink", "line", "label", "accent")
"""Colours of words and lines, which need contrast."""

_CONTRAST: Final = 4.5

Face = tuple[FaceFile, ...]
"""A face as layers; a later one overrides an earlier one. Empty for the plain look."""


def face_ids() -> tuple[str, ...]:
    """Return the ids of the shipped faces, sorted."""
    return tuple(sorted(path.stem for path in (templates_folder() / FACES).glob("*.yaml")))


def ruleset_face(rules: Ruleset | None) -> Face:
    """Return the face of a ruleset's prints.

    Raises:
        DesignError: Something in its file is wrong.
    """
    return load_face(rules.face) if rules is not None and rules.face else ()


def credited_face(credit: str) -> Face:
    """Return the face of the shipped ruleset whose prints have a credit; empty if there is none.

    Raises:
        DesignError: Something in its file is wrong.
    """
    for id_ in ruleset_ids():
        folder = rulesets_folder() / id_
        read = read_source(folder / "ruleset.yaml")
        root = read.value.root if read.value is not None else None
        if not isinstance(root, Pairs) or not isinstance(owner := root.get("credit"), Pairs):
            continue
        short, named = owner.get("short"), root.get("face")
        # The credit of an overlay is behind that of its base.
        if isinstance(short, ScalarNode) and short.raw and credit.endswith(short.raw):
            if (folder / FACE_FILE).is_file():
                return load_face(str(folder / FACE_FILE))
            return load_face(named.raw) if isinstance(named, ScalarNode) else ()
    return ()


def check_face(rules: Ruleset) -> tuple[Finding, ...]:
    """Return all findings about the face of a ruleset."""
    try:
        load_theme_tokens(STANDARD, face=ruleset_face(rules))
    except DesignError as error:
        return error.findings
    return ()


def load_face(name: str) -> Face:
    """Return the face `name`: an id of a shipped one, or the path of a `face.yaml`.

    Raises:
        DesignError: There is none, or something in its file is wrong.
    """
    path = Path(name)
    if path.name != FACE_FILE:
        path = templates_folder() / FACES / f"{name}.yaml"
        if name not in face_ids():
            message = f"there is no face `{name}`"
            raise DesignError((bad_design(name, message, suggestion(name, face_ids(), "faces")),))
    return _load(path, _changed(path))


def _changed(path: Path) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=64)
def _load(path: Path, changed: int) -> Face:
    """Return the face in the file at `path`; `changed` is when it was written last."""
    read = read_source(path)
    if read.findings or read.value is None or not isinstance(read.value.root, Pairs):
        empty = bad_design(Text("", read.value.start) if read.value else path, "it sets nothing")
        raise DesignError(read.findings or (empty,))
    file = parse_model(read.value.root, FaceFile, path.name)
    below: Face = ()
    if file.like is not None:
        if file.like not in face_ids() or path.parent.name == FACES:
            message = f"`like` names `{file.like}`, which is no face that comes with sheetgen"
            raise_findings([bad_design(file.like, message, suggestion(file.like, face_ids()))])
        below = load_face(file.like)
    fonts = {name: _font(font, path.parent) for name, font in file.fonts.items()}
    raise_findings([*_check_fonts(fonts), *_check_contrast(file.colours)])
    return (*below, _with_metrics(file, fonts))


def _font(name: Text, folder: Path) -> Text:
    """Return a font's name with its file, if it is beside the face."""
    place = folder / name
    beside = os.path.realpath(place) == os.path.join(os.path.realpath(folder), name)
    return own_font(place, name) if beside and place.is_file() else name


def _check_fonts(fonts: Mapping[str, Text]) -> Iterator[Finding]:
    for name in fonts.values():
        if not isinstance(name, FontFile) and name not in list_font_files():
            message = f"there is no font file `{name}` beside the face or in a font package"
            yield bad_design(name, message, suggestion(name, list_font_files(), "font files"))
        elif not is_packaged(name) and (wrong := font_metrics(name).wrong):
            hint = "use a TrueType font whose licence lets documents embed it"
            yield bad_design(name, f"the font file `{name!s}` {wrong}", hint)


def _check_contrast(colours: Mapping[str, Text]) -> Iterator[Finding]:
    for name in _READ:
        if (colour := colours.get(name)) is not None and len(colour) == 7:
            try:
                contrast = 1.05 / (_luminance(colour) + 0.05)
            except ValueError:
                continue  # `merge_tokens` reports what is no colour
            if contrast < _CONTRAST:
                message = f"`colours.{name}` has a contrast of {contrast:.1f} on paper"
                yield bad_design(colour, message, f"take a darker colour: {_CONTRAST} is readable")


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _with_metrics(file: FaceFile, fonts: Mapping[str, Text]) -> FaceFile:
    """Return a face with the metrics of its fonts as tokens, which place text on baselines."""
    css: dict[str, Text] = {}
    for name, font in fonts.items():
        family = name.partition("-")[0]
        if not is_packaged(font):
            found = font_metrics(font)
            css |= {
                Text(f"drop-{family}", font.span): Text(f"{found.drop:.4f}", font.span),
                Text(f"cap-{family}", font.span): Text(f"{found.cap:.4f}", font.span),
            }
    return FaceFile(
        colours=file.colours,
        fonts=fonts,
        letters=file.letters,
        roles=file.roles,
        shapes=file.shapes,
        ticks=file.ticks,
        css={**css, **file.css},
        drawings=file.drawings,
    )
