"""No table is laid out higher than it was planned, so that none runs into its neighbour."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import weasyprint

from sheetgen.plan.tableflow import FlowColumn, FlowLeaf, FlowPiece
from sheetgen.prints.kinds import PrintContext, print_request
from sheetgen.prints.tables import TableRequest
from sheetgen.render.flow import table_pages

POINTS = 0.75
"""Of a CSS pixel."""

ROUNDING = 0.5


def planned_height(piece: FlowPiece, column: FlowColumn) -> float:
    rows = [row for part in piece.table.view.parts for row in part.rows]
    mine = [row for part in piece.view.parts for row in part.rows]
    if not rows:
        return piece.table.height(column.sizes)
    start = next(at for at in range(len(rows)) if rows[at : at + len(mine)] == mine)
    return piece.table.height(column.sizes, start, start + len(mine))


def blocks(box: Any) -> Iterator[Any]:
    """Yield the boxes of tables on a laid-out page."""
    element = getattr(box, "element", None)
    if element is not None and element.get("class", "").split()[:1] == ["block"]:
        yield box
    for child in getattr(box, "children", ()):
        yield from blocks(child)


@pytest.mark.many
@pytest.mark.parametrize(
    ("id_", "theme"),
    [
        ("keyword-dots", "standard"),
        ("hyperspace-d6", "large-print"),
        ("wound-points", "standard"),
        ("narrative-powers", "mono"),
    ],
)
@pytest.mark.usefixtures("laid_out_anew")
def test_no_table_is_higher_than_planned(
    id_: str, theme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[list[FlowLeaf]] = []
    pages: list[Any] = []
    flow, render = table_pages._flow, weasyprint.HTML.render

    def planned(*given: Any) -> list[FlowLeaf]:
        plans.append(flow(*given))
        return plans[-1]

    def laid_out(*given: Any, **options: Any) -> Any:
        document = render(*given, **options)
        pages.extend(document.pages)
        return document

    monkeypatch.setattr(table_pages, "_flow", planned)
    monkeypatch.setattr(weasyprint.HTML, "render", laid_out)
    request = TableRequest((id_,), theme=theme)
    assert [*print_request(request, PrintContext())]
    (leaves,) = plans
    assert len(pages) == len(leaves)
    for page, leaf in zip(pages, leaves, strict=True):
        pieces = [(p, column) for s in leaf.strips for column in s.columns for p in column.pieces]
        boxes = [*blocks(page._page_box)]
        assert len(boxes) == len(pieces), "a table was broken by the layout engine"
        for box, (piece, column) in zip(boxes, pieces, strict=True):
            high = box.margin_height() * POINTS
            assert high <= planned_height(piece, column) + ROUNDING, piece.view.label
