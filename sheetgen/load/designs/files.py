"""Checks of the files of a design: sheets, cards, tokens, themes and presets under templates/."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sheetgen.diag.findings import DesignError, Finding
from sheetgen.load.designs.card_designs import load_card
from sheetgen.load.designs.designs import load_design
from sheetgen.load.designs.game_faces import FACES, face_ids, load_face
from sheetgen.load.designs.names import check_card_names, check_sheet_names
from sheetgen.load.designs.presets import load_presets
from sheetgen.load.designs.templates import (
    SHARED,
    STANDARD,
    card_ids,
    load_design_file,
    load_theme_tokens,
    sheet_ids,
    theme_ids,
)
from sheetgen.load.rulesets.content import find_design_folder
from sheetgen.model.designs.card_files import CardFile
from sheetgen.model.designs.sheet_files import SheetFile
from sheetgen.units import PAPERS

_TRIM = (180.0, 252.0)
"""Width and height of the card that a design is checked with, in points."""


def check_design(path: Path) -> tuple[Finding, ...]:
    """Return all findings about the design that the file at `path` belongs to."""
    return tuple(dict.fromkeys(_findings(find_design_folder(path))))


def _findings(design: str) -> Iterator[Finding]:
    try:
        if design == SHARED:
            load_presets()
        if design == FACES:
            for face in face_ids():
                load_theme_tokens(STANDARD, face=load_face(face))
            return
        for theme in theme_ids():
            if design not in card_ids():
                load_theme_tokens(theme, design)
            for paper in PAPERS if design in sheet_ids() else ():
                yield from load_design(design, theme, paper).findings
        if design in sheet_ids():
            yield from check_sheet_names(
                design, load_design_file(f"{design}/sheet.yaml", SheetFile)
            )
        if design in card_ids():
            file = load_design_file(f"{design}/card.yaml", CardFile)
            for theme in theme_ids():
                yield from load_card(design, theme, str(next(iter(file.modules))), _TRIM).findings
            yield from check_card_names(design, file)
    except DesignError as error:
        yield from error.findings
