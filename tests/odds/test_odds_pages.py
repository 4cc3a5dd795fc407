"""Printed odds: the stair and the grey, curves and their names, one page a grid, plain HTML."""

from __future__ import annotations

import html
import re
from fractions import Fraction
from pathlib import Path
from shutil import copytree

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheetgen.load.designs.templates import theme_ids
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.rulesets.prints import ComputedGrid
from sheetgen.plan.pages.screen_blocks import plan_chart, plan_grid_cells
from sheetgen.render.flow.table_pages import draw_odds_curves
from sheetgen.rules.odds.odds import cell_text, compute_grid
from tests.cli.commands import run
from tests.ink.collisions import find_collisions
from tests.samples import cover

pytestmark = pytest.mark.many

OMENS = Path(__file__).parent / "omens"
MM = 72 / 25.4
SIZES = {"a5": (210, 148), "a4": (297, 210), "letter": (279.4, 215.9)}
COLOURS = {"ink": "#000", "accent": "#b00", "paper": "#fff"}


def grids(folder: Path) -> dict[str, ComputedGrid]:
    rules = load_ruleset(folder, complete=True).value
    assert rules is not None
    assert rules.odds is not None
    return {str(id_): compute_grid(rules, str(id_), grid) for id_, grid in rules.odds.grids.items()}


def checks() -> ComputedGrid:
    return grids(rulesets_folder() / "hyperspace-d6")["checks"]


def test_the_grid_is_that_of_the_mock_up() -> None:
    said = [[cell_text(chance) for chance in row] for row in checks().cells]
    assert said == [
        ["83", "17", "–", "–", "–", "–"],
        ["98", "63", "9", "–", "–", "–"],  # 62.5, which the mock-up cuts off
        [">99", "90", "44", "5", "–", "–"],
        ["100", "98", "78", "31", "3", "<1"],
        ["100", ">99", "94", "64", "21", "2"],
        ["100", ">99", "99", "86", "50", "14"],
        ["100", ">99", ">99", "96", "76", "38"],
    ]


def test_bold_from_50_grey_from_25_to_75_and_one_stair() -> None:
    grid = checks()
    cells = plan_grid_cells(grid.cells)
    assert cells[5][4].good  # 7D against 25 is one half exactly
    assert [[c.grey for c in row].index(True) for row in cells if any(c.grey for c in row)] == [
        *(1, 2, 3, 3, 4, 5)
    ]
    assert {
        (r, c): cell.edges
        for r, row in enumerate(cells)
        for c, cell in enumerate(row)
        if cell.edges
    } == {
        (0, 0): ("right",),
        (1, 1): ("top", "right"),
        (2, 1): ("right",),
        (3, 2): ("top", "right"),
        (4, 3): ("top", "right"),
        (5, 4): ("top", "right"),
        (6, 4): ("right",),
    }


def test_what_nearly_is_a_half_is_not_said_to_be_one() -> None:
    assert cell_text(Fraction(499, 1000)) == "<50"
    assert cell_text(Fraction(1, 2)) == "50"
    assert cell_text(Fraction(1, 1000)) == "<1"


def test_names_stand_on_the_line_of_50() -> None:
    chart = plan_chart(checks(), 80, 80, 2.7)
    assert [name.text for name in chart.names] == ["2D", "3D", "4D", "5D", "6D", "7D", "8D"]
    assert {name.y for name in chart.names} == {40.0}
    assert [round(name.x) for name in chart.names] == sorted(round(n.x) for n in chart.names)
    by_name = {name.text: name.x for name in chart.names}
    assert by_name["7D"] == 64.0  # at 25, a half exactly
    assert all(0 < y < 80 for curve in chart.curves for _, y in curve)


def test_a_curve_has_a_point_for_each_whole_target() -> None:
    grid = checks()
    assert [foot for foot, _ in grid.curves[0]] == [*range(5, 31)]
    assert grid.feet == (5, 10, 15, 20, 25, 30)
    for row, curve in zip(grid.cells, grid.curves, strict=True):
        assert [dict(curve)[foot] for foot in grid.feet] == [*row]


def test_several_outcomes_are_rows() -> None:
    grid = grids(OMENS)["omens"]
    assert grid.rows == (
        "1 white good",
        "1 white good with a star",
        "2 white good",
        "2 white good with a star",
    )
    assert grid.cells[0][0] == Fraction(4, 6)


chances = st.integers(0, 100).map(lambda n: Fraction(n, 100))


@given(st.lists(st.tuples(chances, chances, chances), min_size=1, max_size=8))
def test_any_grid_can_be_drawn(rows: list[tuple[Fraction, ...]]) -> None:
    names = tuple(f"{n}D" for n in range(len(rows)))
    curves = tuple(tuple(enumerate(row)) for row in rows)
    grid = ComputedGrid("g", "G", "", "", names, ("a", "b", "<c>"), tuple(rows), curves, (0, 1, 2))
    plan_grid_cells(grid.cells)
    chart = plan_chart(grid, 80, 70, 2.7)
    for name in chart.names:
        assert 0 <= name.x <= 80
        assert 0 <= name.y <= 70
    drawn = draw_odds_curves(chart, "says", COLOURS)
    assert drawn.count("<text") == drawn.count("</text>")
    assert "&lt;c&gt;" in drawn


@pytest.mark.parametrize(
    ("paper", "theme", "game"), cover([*SIZES], theme_ids(), ["hyperspace-d6", OMENS])
)
def test_every_grid_is_one_page_and_nothing_leaves_it(
    paper: str, theme: str, game: str | Path, tmp_path: Path
) -> None:
    words = ("--to", "pdf", "--paper", paper, "--theme", theme, "--out", tmp_path)
    said = run("odds", game, *words)
    assert (said.status, said.err) == (0, "")
    with pymupdf.open(said.out.strip()) as pdf:
        assert len(pdf) == 2
        for page in pdf:
            width, height = page.rect.width, page.rect.height
            assert (width / MM, height / MM) == pytest.approx(SIZES[paper], abs=0.1)
            blocks = page.get_text("dict")["blocks"]
            spans = [s for b in blocks for line in b.get("lines", ()) for s in line["spans"]]
            boxes = [(pymupdf.Rect(s["bbox"]), s["text"]) for s in spans if s["text"].strip()]
            for box, text in boxes:
                assert box in page.rect, text
            foot = max(boxes, key=lambda pair: pair[0].y1)[0].y0
            for box, text in boxes:
                assert box.y1 <= foot + 1 or box.y0 >= foot - 8, text
            if theme == "large-print":
                sizes = [s["size"] for s in spans if s["text"].strip() not in ("", "D", "H")]
                assert min(sizes) >= 10.9


@pytest.mark.usefixtures("laid_out_anew")
def test_equal_input_gives_equal_bytes(tmp_path: Path) -> None:
    made = []
    for name in ("a", "b"):
        run("odds", OMENS, "--to", "pdf", "--to", "html", "--out", tmp_path / name)
        made.append([p.read_bytes() for p in sorted((tmp_path / name).iterdir())])
    assert made[0] == made[1]
    assert len(made[0]) == 2


def test_html_asks_nobody_and_bears_the_credit(tmp_path: Path) -> None:
    said = run("odds", "hyperspace-d6", "--to", "html", "--out", tmp_path)
    text = html.unescape(Path(said.out.strip()).read_text(encoding="utf-8"))
    assert "default-src 'none'" in text
    assert "<script" not in text
    assert " style=" not in text
    assert not re.search(r"(src|href)=", text)
    assert "CC BY-NC-SA" in text
    assert text.count("<svg") >= 2


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "text"), [(13, 8), (10, 16), (7, 24)])
def test_rows_without_room_above_the_foot_go_to_a_further_page(
    rows: int, text: int, tmp_path: Path
) -> None:
    folder = copytree(rulesets_folder() / "d6-pips", tmp_path / "many")
    told = (folder / "odds.yaml").read_text(encoding="utf-8")
    codes = [f"{n}D+1" for n in range(1, rows + 1)]
    more = told.replace("[2D, 3D, 3D+2, 4D, 5D, 6D, 7D]", f"[{', '.join(codes)}]", 1)
    label = "      label: Odds of success\n"
    more = more.replace(label, f"{label}      text: {'What is to be said. ' * text}\n", 1)
    assert more != told
    (folder / "odds.yaml").write_text(more, encoding="utf-8")
    done = run("odds", folder, "--to", "pdf", "--out", tmp_path)
    assert done.status == 0, done.err
    content = Path(done.out.strip()).read_bytes()
    assert [str(one) for one in find_collisions(content)] == []
    said = "".join(page.get_text() for page in pymupdf.open(stream=content))
    for code in codes:
        assert re.search(rf"^\s*(\d+ )?{re.escape(code)}", said, re.MULTILINE), code
