"""Room to read and to write: sizes of type, boxes to mark, lines to write on, of every sheet."""

from __future__ import annotations

from collections.abc import Iterator

import pymupdf
import pytest

from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.prints.sheet import BlankRequest, print_blank
from tests.ink.overfull import overfull
from tests.printing import FULLEST, PAPERS, character_at, character_from, printed
from tests.shelf import ruleset

MM = 72 / 25.4
FRONT, LATER, CREDIT = 8.0, 7.5, 5.0
"""The least sizes of type on the first page, on later ones, and of the credit at the foot."""

FOOT = 48
"""Points above the lower edge of the paper where only the credit and the page's number stand."""

LOOKS = [(id_, paper) for id_ in ruleset_ids() for paper in PAPERS]


def blank(id_: str, paper: str) -> bytes:
    request = BlankRequest((id_,), formats=("pdf",), paper=paper)  # type: ignore[arg-type]
    return print_blank(ruleset(id_), request).files["pdf"]


def small_print(document: pymupdf.Document) -> Iterator[str]:
    for number, page in enumerate(document):
        least = FRONT if number == 0 else LATER
        for block in page.get_text("dict")["blocks"]:
            for line in block.get("lines", ()):
                for span in line["spans"]:
                    at_foot = span["bbox"][1] > page.rect.height - FOOT
                    if (
                        span["text"].strip()
                        and span["size"] < (CREDIT if at_foot else least) - 0.01
                    ):
                        yield f"page {number + 1}: {span['text']!r} at {span['size']:.1f} pt"


def narrow_places(document: pymupdf.Document) -> Iterator[str]:
    for number, page in enumerate(document):
        lines = []
        for widget in page.widgets() or ():
            box, name = widget.rect, widget.field_name
            if widget.field_type_string == "CheckBox":
                if min(box.width, box.height) < 5 * MM - 0.3:
                    yield f"page {number + 1}: the box {name} is {box.width / MM:.1f} mm wide"
            elif widget.field_type_string == "Text" and not widget.field_flags & 1:
                if box.height < 5 * MM - 0.3:
                    yield f"page {number + 1}: {name} is {box.height / MM:.1f} mm high"
                lines.append((name, box))
        for name, box in lines:
            family = "".join(c for c in name if not c.isdigit())
            for other, below in lines:
                same = "".join(c for c in other if not c.isdigit()) == family and other != name
                under = abs(below.x0 - box.x0) < 1 and below.y1 > box.y1 + 1
                if same and under and "." in name and below.y1 - box.y1 < 7 * MM - 0.1:
                    yield f"page {number + 1}: {name} and {other} are closer than 7 mm"


@pytest.mark.many
@pytest.mark.parametrize(("id_", "paper"), LOOKS)
def test_an_empty_sheet_can_be_read_and_filled_in_with_a_pencil(id_: str, paper: str) -> None:
    with pymupdf.open(stream=blank(id_, paper)) as document:
        assert [*small_print(document)] == []
        assert [*narrow_places(document)] == []


@pytest.mark.many
@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("id_", FULLEST)
def test_a_filled_sheet_and_its_continuation_can_be_read(id_: str, paper: str) -> None:
    full = character_from(overfull(id_), id_)
    for one in (character_at(FULLEST[id_]), full):
        made = printed(one, (paper, "standard"), draft=True)
        with pymupdf.open(stream=made.pdf) as document:
            assert [*small_print(document)] == []
            assert [*narrow_places(document)] == []


@pytest.mark.many
@pytest.mark.parametrize("paper", PAPERS)
def test_reference_pages_of_large_print_are_filled_alike(paper: str) -> None:
    look = {"paper": paper, "theme": "large-print"}
    request = BlankRequest(("wound-points",), formats=("pdf",), **look)  # type: ignore[arg-type]
    made = print_blank(ruleset("wound-points"), request).files["pdf"]
    feet = []
    with pymupdf.open(stream=made) as document:
        for page in document:
            words = page.get_text("words")
            if any(word[4].casefold() == "reference" for word in words):
                above = (word[3] for word in words if word[3] < page.rect.height - 100)
                feet.append(max(above) / page.rect.height)
    assert len(feet) == 3
    assert max(feet) - min(feet) < 0.12
