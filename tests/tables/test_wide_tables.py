"""Tables of any width print without collisions and lose no cell, in parts if they have to."""

from __future__ import annotations

import random
import re
import string
from pathlib import Path

import pymupdf
import pytest
import yaml

from sheetgen.plan.pages.tables import PartView, RowView, TableCell, TableView
from sheetgen.plan.tableflow import with_unbroken_counts
from sheetgen.prints.kinds import PrintContext, PrintResult, print_request
from sheetgen.prints.tables import TableRequest
from tests.ink.collisions import find_collisions
from tests.samples import ALL

pytestmark = pytest.mark.slow

HEAD = (
    "id: game\ntitle: A game\nversion: 1\nformat: 1\ncredit: {short: s, long: l, licence: none}\n"
)
LOOKS = [("a4", "standard"), ("letter", "standard"), ("letter", "large-print"), ("a4", "mono")]
SEEDS = range(20 if ALL else 2)
SKILLS = [
    "Acrobatics",
    "Astrogation",
    "Blasters",
    "Bureaucracy",
    "Communications",
    "Demolitions",
    "Engineering",
    "Gambling",
    "Intimidation",
    "Investigation",
    "Languages",
    "Lightsabers",
    "Manipulation",
    "Navigation",
    "Perception",
    "Persuasion",
    "Piloting",
    "Repulsorlifts",
    "Sharpshooting",
    "Starships",
    "Streetwise",
    "Survival",
    "Technology",
    "Thievery",
    "Throwing",
    "Tracking",
    "Transportation",
    "Willpower",
    "Xenobiology",
    "Zero-gravity",
]


def printed(tables: dict[str, object], folder: Path, paper: str, theme: str) -> PrintResult:
    """Return the PDF and all findings of a ruleset with these tables."""
    text = HEAD + yaml.safe_dump({"tables": tables}, sort_keys=False)
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    request = TableRequest((str(folder),), paper=paper, theme=theme)
    results = [*print_request(request, PrintContext())]
    findings = tuple(found for result in results for found in result.findings)
    return PrintResult(next(result.files for result in results if result.files), findings)


def letters(content: bytes) -> str:
    """Return the text of a PDF without blanks and hyphens, for words are broken."""
    with pymupdf.open(stream=content, filetype="pdf") as document:
        return re.sub(r"[\s\xad‐-]", "", "".join(page.get_text() for page in document))


def a_table(rng: random.Random, name: str) -> tuple[dict[str, object], list[str]]:
    """Return a table, and all texts in it: words of 1 to 60 letters, figures, empty cells."""
    longest = rng.choice([3, 8, 12, 20, 60])

    def word() -> str:
        return "".join(rng.choices(string.ascii_letters, k=rng.randint(1, longest)))

    def cell() -> str:
        kind = rng.random()
        if kind < 0.3:
            return f"{rng.randint(0, 9999)}"
        return " ".join(word() for _ in range(rng.randint(1, 3)))

    columns = [f"{word()}{at}" for at in range(rng.randint(1, 40))]
    rows = [[word(), *(cell() for _ in columns)] for _ in range(rng.randint(1, 6))]
    texts = [*columns, *(text for row in rows for text in row)]
    return {"label": name, "columns": ["Name", *columns], "rows": rows}, texts


@pytest.mark.parametrize(("paper", "theme"), LOOKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_tables_neither_collide_nor_lose_a_cell(
    seed: int, paper: str, theme: str, tmp_path: Path
) -> None:
    rng = random.Random(seed)
    made = {f"t{at}": a_table(rng, f"Table {at}") for at in range(6)}
    result = printed({id_: table for id_, (table, _) in made.items()}, tmp_path, paper, theme)
    content = result.files["pdf"]
    assert [str(one) for one in find_collisions(content)] == []
    shown = letters(content)
    missing = [
        text for _, texts in made.values() for text in texts if text.replace(" ", "") not in shown
    ]
    assert missing == []


@pytest.mark.parametrize(("paper", "theme"), LOOKS)
def test_a_table_of_many_skills_is_split_with_a_finding(
    paper: str, theme: str, tmp_path: Path
) -> None:
    rows = [[f"Trooper {at}", *(f"{at + 2}D+{n % 3}" for n in range(30))] for at in range(9)]
    table = {"label": "Crews", "columns": ["Name", *SKILLS], "rows": rows}
    result = printed({"crews": table}, tmp_path, paper, theme)
    content = result.files["pdf"]
    assert [str(one) for one in find_collisions(content)] == []
    shown = letters(content)
    parts = len(re.findall(r"Part\dof", shown))
    (found,) = (one for one in result.findings if one.code.id == "SG626")
    assert parts == shown.count("Trooper0") > 1
    counts = [*map(int, re.findall(r"\d+", found.message))]
    assert (len(counts), sum(counts)) == (parts, 30)
    assert shown.count("Morecolumnsareinthenextpart") == parts - 1


def test_a_table_that_fits_after_hyphenation_is_whole(tmp_path: Path) -> None:
    rows = [[f"Row {n}", *(["Antidisestablishmentarianism"] * 7)] for n in range(3)]
    table = {"label": "Long", "columns": ["Name", *(f"Column {n}" for n in range(7))], "rows": rows}
    result = printed({"long": table}, tmp_path, "a4", "standard")
    assert find_collisions(result.files["pdf"]) == []
    assert letters(result.files["pdf"]).count("Antidisestablishmentarianism") == 21
    assert not [one for one in result.findings if one.code.id == "SG626"]


def test_counts_and_codes_stay_with_their_names() -> None:
    texts = ("Sneak 4D+1, Long Blade 2", "Wounded ≤", "at 3 paces", "10 m")
    row = RowView(tuple(TableCell(text) for text in texts))
    view = TableView(
        None, "", "", row.cells, (PartView("", (row,)),), (), "", "of-words", short=True
    )
    shown = with_unbroken_counts(view)
    kept = [one.number.replace("\N{NO-BREAK SPACE}", "~") for one in shown.parts[0].rows[0].cells]
    assert kept == ["Sneak~4D+1, Long Blade~2", "Wounded~≤", "at 3 paces", "10 m"]
    assert shown.heads == shown.parts[0].rows[0].cells
