"""Pages of tables on paper: how full they are, and what they say to players."""

from __future__ import annotations

import re
from pathlib import Path

import pymupdf
import pytest

from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.plan.pages.screen_blocks import plan_chart
from sheetgen.plan.pages.tables import (
    PartView,
    PlayerWords,
    RowView,
    TableCell,
    TableView,
    round_percent,
)
from sheetgen.plan.tableflow import without_empty_columns
from sheetgen.rules.odds.odds import compute_grid
from tests.cli.commands import run
from tests.shelf import ruleset

pytestmark = pytest.mark.slow

MM = 72 / 25.4
FULL = 0.75


def printed(folder: Path, *words: str) -> pymupdf.Document:
    said = run("tables", *words, "--out", folder, "--force")
    assert said.status == 0, said.err
    return pymupdf.open(said.out.split()[0])


def page_fill(page: pymupdf.Page) -> float:
    """Return how far down a page is filled, as the mean of its left and its right half."""
    top, foot = 12 * MM, page.rect.height - 16 * MM
    middle = page.rect.width / 2
    lowest = [top, top]
    boxes = [pymupdf.Rect(block[:4]) for block in page.get_text("blocks")]
    boxes += [drawing["rect"] for drawing in page.get_drawings()]
    for box in boxes:
        if box.y1 <= foot + 2:
            if box.x0 < middle - 6:
                lowest[0] = max(lowest[0], box.y1)
            if box.x1 > middle + 6:
                lowest[1] = max(lowest[1], box.y1)
    return (sum(lowest) / 2 - top) / (foot - top)


@pytest.mark.parametrize("id_", ["hyperspace-d6", "keyword-dots", "wound-points"])
def test_every_page_is_at_least_three_quarters_full(id_: str, tmp_path: Path) -> None:
    with printed(tmp_path, id_) as pdf:
        fills = [round(page_fill(page), 2) for page in pdf]
        assert min(fills) >= FULL, fills
        assert all(page.get_text().strip() for page in pdf)


def test_an_overlay_is_named_once_a_page_and_marked_by_its_initials(tmp_path: Path) -> None:
    with printed(tmp_path, "wound-points", "play") as pdf:
        for page in pdf:
            text = page.get_text()
            assert text.count("Wound Points") == 1, "not behind the name of every table"
            assert text.split().count("WP") >= 2
    with printed(tmp_path, "wound-points", "play", "--notes") as pdf:
        count = sum(page.get_text().count("Wound Points") for page in pdf)
        assert count > 3 * len(pdf), "behind the name of every table"


def test_remarks_about_the_source_are_printed_with_notes_only(tmp_path: Path) -> None:
    with printed(tmp_path, "keyword-dots", "costs") as pdf:
        text = " ".join(" ".join(page.get_text() for page in pdf).split())
        assert len(pdf) == 1, "as the mock-up of the plate"
        assert "ource" not in text
        assert "gives 0" not in text
    with printed(tmp_path, "keyword-dots", "costs", "--notes") as pdf:
        noted = " ".join(" ".join(page.get_text() for page in pdf).split())
        assert "Source prints" in noted
        assert "gives 0" in noted
    with printed(tmp_path, "hyperspace-d6", "play") as pdf:
        text = " ".join(page.get_text() for page in pdf)
        assert not re.search(r"Q-\d", text)
        assert "'" not in text


def test_players_read_no_codes_of_rulings() -> None:
    words = PlayerWords(["Q-1", "Q-12"])
    assert words.text("two (Q-1), three (Q-12, Q-1). One's") == "two, three. One’s"
    assert words.text("four (Q-12: also five) (Q-3)") == "four (also five) (Q-3)"
    assert [round_percent(text) for text in ("47.8%", "40.24%", "70%", "2.5")] == [
        *("48%", "40%", "70%", "2.5")
    ]
    assert round_percent(long := f"{'9' * 5000}.5%") == long  # `int` refuses so many digits


def test_odds_in_tables_have_one_stair_and_grey(tmp_path: Path) -> None:
    said = run("tables", "hyperspace-d6", "chances", "--to", "html", "--out", tmp_path)
    (path,) = tmp_path.glob("*.html")
    cells = re.findall(r'<td class="([^"]*)"', path.read_text(encoding="utf-8"))
    assert said.status == 0
    assert {"good", "bad", "grey", "at-right"} <= {word for one in cells for word in one.split()}
    assert all(("good" in one) != ("bad" in one) for one in map(str.split, cells))


def test_names_of_curves_stay_in_the_frame() -> None:
    """The ring of 8D was cut at the upper edge, since that curve never comes down to one half."""
    rules = load_ruleset(rulesets_folder() / "hyperspace-d6", complete=True).value
    assert rules is not None
    assert rules.odds is not None
    grid = compute_grid(rules, "damage", rules.odds.grids["damage"], {})
    chart = plan_chart(grid, 76, 52, 2.7)
    assert len(chart.names) == len(grid.rows)
    assert all(n.high <= n.y <= chart.height - n.high for n in chart.names)


@pytest.mark.parametrize(("theme", "paper"), [("standard", "a4"), ("large-print", "letter")])
def test_a_table_that_goes_on_says_so_and_repeats_its_heads(
    theme: str, paper: str, tmp_path: Path
) -> None:
    with printed(tmp_path, "hyperspace-d6", "--theme", theme, "--paper", paper) as pdf:
        texts = [page.get_text() for page in pdf]
        for page in pdf:
            for box in page.search_for("goes on overleaf"):
                assert box.y0 > page.rect.height / 2, "the page was laid out as it was measured"
    broken = [at for at, text in enumerate(texts) if "goes on overleaf" in text]
    assert broken
    assert all(", continued" in texts[at + 1] for at in broken)


def test_columns_of_words_without_entries_are_left_out() -> None:
    def row(name: str, *texts: str) -> RowView:
        return RowView((TableCell(name, label=True), *map(TableCell, texts)))

    heads = (TableCell("Name", label=True), TableCell("Brings"), TableCell("Closed"))
    rows = row("Rogue", "a kit", "–"), row("Noble", "–", "")
    view = TableView(None, "", "", heads, (PartView("", rows),), (), "", "of-words", short=True)
    shown = without_empty_columns(view)
    assert [head.number for head in shown.heads] == ["Name", "Brings"]
    assert [cell.number for cell in shown.parts[0].rows[0].cells] == ["Rogue", "a kit"]


BOOK = """defaults: {paper: a4, theme: large-print}
entries: [{id: odds, odds: d6-pips}]
combined: [{name: all, of: [odds], cover: {title: Numbers, subtitle: For the table}, numbers: true}]
"""


@pytest.mark.parametrize(
    "words",
    [
        ("tables", "second-edition-update", "--paper", "letter"),
        ("tables", "keyword-dots"),
        ("tables", "hyperspace-d6"),
        ("odds", "hyperspace-d6", "--to", "pdf"),
        ("odds", "narrative-powers", "--to", "pdf", "--paper", "a4"),
        ("build", "book.yaml"),
    ],
    ids=" ".join,
)
def test_large_print_has_nothing_under_14_points_but_the_credit(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Letters in charts, marks of footnotes and page numbers, too."""
    monkeypatch.chdir(tmp_path)
    Path("book.yaml").write_text(BOOK, encoding="utf-8")
    more = () if words[0] == "build" else ("--theme", "large-print", "--out", "out")
    assert run(*words, *more).status == 0
    for path in Path().rglob("*.pdf"):
        with pymupdf.open(path) as document:
            blocks = [b for page in document for b in page.get_text("dict")["blocks"]]
        spans = [s for b in blocks for line in b.get("lines", ()) for s in line["spans"]]
        small = [(s["size"], s["text"]) for s in spans if s["size"] < 13.99 and s["text"].strip()]
        rules = "d6-pips" if words[0] == "build" else words[1]
        credit = ruleset(rules).credit.short.split()
        assert not [text for size, text in small if size < 10.9 or set(text.split()) - {*credit}]
