"""The list of what a preview offers follows all files that it was made from."""

from __future__ import annotations

from pathlib import Path

from sheetgen.plugins.editor.preview.previewer import EntryList

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
