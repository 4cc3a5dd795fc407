"""A player's print has no words of editors, unless they are asked for."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from sheetgen.data import data_folder
from sheetgen.model.requests import PrintRequest
from sheetgen.prints.encounter import EncounterRequest
from sheetgen.prints.kinds import PrintContext, print_request

pytestmark = pytest.mark.many

EDITORS = re.compile(r"\([QR]-\d+\)|the source prints|as printed|not defined in the rules", re.I)
FIGHTS = sorted((data_folder() / "content" / "encounters").glob("*/*.yaml"))


def words(request: PrintRequest) -> str:
    results = print_request(request, PrintContext())
    pdf = next(result.files["pdf"] for result in results if result.files)
    document = pymupdf.open(stream=pdf, filetype="pdf")
    return " ".join(" ".join(page.get_text() for page in document).split())


@pytest.mark.slow
@pytest.mark.parametrize("path", FIGHTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_footnotes_about_the_source_are_left_out(path: Path) -> None:
    assert not EDITORS.findall(words(EncounterRequest((str(path),))))


@pytest.mark.slow
def test_notes_are_printed_where_they_are_asked_for() -> None:
    path = next(path for path in FIGHTS if path.parent.name == "hyperspace-d6")
    request = EncounterRequest((str(path),))
    assert len(words(replace(request, notes=True))) > len(words(request))
