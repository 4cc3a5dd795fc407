"""The list of what a preview offers follows all files that it was made from."""

from __future__ import annotations

from pathlib import Path

from sheetgen.plugins.editor.preview.previewer import EntryList, Previewer, PreviewRequest

PERSON = (
    "ruleset: hyperspace-d6\nname: $who\nspecies: Human\nprofession: Scout\n"
    "skills: [Blasters, Search, Survival]\nedge: Luck\nburden: Wanted\n"
)


def test_a_book_follows_the_table_that_its_sheets_come_from(tmp_path: Path) -> None:
    (tmp_path / "book.yaml").write_text("entries: [{rows: people.csv, template: one.yaml}]\n")
    (tmp_path / "one.yaml").write_text(PERSON)
    (tmp_path / "people.csv").write_text("who\nAna\n")
    entries = EntryList(tmp_path / "book.yaml")
    entries.refresh({}, 0)
    assert len(entries.entries) == 1
    assert str(tmp_path / "people.csv") in entries.watched
    (tmp_path / "people.csv").write_text("who\nAna\nBo Dee\n")
    entries.refresh({}, 0)
    assert len(entries.entries) == 2


def test_a_shown_row_follows_its_table_with_findings(tmp_path: Path) -> None:
    (tmp_path / "book.yaml").write_text(
        "entries: [{id: p, rows: people.csv, template: one.yaml}]\n"
    )
    (tmp_path / "one.yaml").write_text(PERSON)
    previewer, request = Previewer(tmp_path), PreviewRequest(entry="p/2")

    def shown(table: str) -> tuple[object, list[str]]:
        (tmp_path / "people.csv").write_text(table)
        facts = previewer.answer(request).facts
        return facts["parts"], [finding["message"] for finding in facts["findings"]]

    assert shown("who\nAna\nBo\n") == (["Bo"], [])
    assert shown("who\nAna\nBo Dee\n") == (["Bo Dee"], [])
    _, findings = shown("whom\nAna\nBo Dee\n")
    assert any("there is no column `who`" in one for one in findings)
    assert shown("who\nAna\nCy\n") == (["Cy"], [])
