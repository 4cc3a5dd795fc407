"""Definitions and new names of a ruleset's ids, in all files that use them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from sheetgen.plugins.editor.lsp.files import CannotRename, find_definitions, rename_id
from sheetgen.plugins.editor.lsp.session import Session
from tests.cli.commands import run
from tests.lsp.editor import Editor


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new ruleset with a character, and an overlay beside it."""
    folder = tmp_path_factory.mktemp("games") / "lamps"
    assert run("new", "ruleset", "Lamps", "--out", folder).status == 0
    overlay = folder.parent / "oil"
    assert run("new", "ruleset", "Oil", "--extends", folder, "--out", overlay).status == 0
    return folder


def renamed(path: Path, marked: str, new: str) -> dict[str, str]:
    """Rename the id at the `¦` that stands in the text of a file."""
    text = path.read_text()
    session = Session()
    assert marked.replace("¦", "") in text
    offset = text.index(marked.replace("¦", "")) + marked.index("¦")
    real = session.put(path.as_uri(), str(path), text, 1, saved=True)
    file = session.open_file(session.documents[real])
    changed = rename_id(file, offset, new, session.texts())
    return {os.path.relpath(one, path.parent): after for one, after in changed.items()}


def changed_words(before: str, after: str) -> list[str]:
    """Return the lines that changed, without what is around their first change."""
    pairs = zip(before.splitlines(), after.splitlines(), strict=True)
    return [new.strip() for old, new in pairs if old != new]


def test_a_trait_is_renamed_in_formulas_choices_and_tables(game: Path) -> None:
    changed = renamed(game / "traits.yaml", "      bo¦dy:", "might")
    assert set(changed) >= {"traits.yaml", "choices.yaml", "ruleset.yaml", "reference.yaml"}
    for name, after in changed.items():
        before = (game / name).read_text()
        assert after == re.sub(r"\bbody\b(?=[^#]*$)", "might", before, flags=re.MULTILINE), name


def test_an_id_is_renamed_in_values_of_several_lines(tmp_path: Path) -> None:
    folder = tmp_path / "lamps"
    assert run("new", "ruleset", "Lamps", "--out", folder).status == 0
    path = folder / "ruleset.yaml"
    text = path.read_text(encoding="utf-8")
    for old, new in (
        ("{label: Harm, value: 3 + body, use: then you are out}",
         "\n    label: Harm\n    value: >-\n      3\n      + body\n    use: not the body"),
        ("{label: Shell, value: body + modifiers(shell), use: taken off harm}",
         "\n    use: not the body\n    value: modifiers(shell)\n      + body\n    label: Shell"),
    ):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    after = renamed(folder / "traits.yaml", "      bo¦dy:", "might")["ruleset.yaml"]
    assert after == re.sub(r"(?<!the )\bbody\b(?=[^#]*$)", "might", text, flags=re.MULTILINE)


def test_only_what_is_renamed_of_several_things_with_one_id(game: Path) -> None:
    changed = renamed(game / "ruleset.yaml", "  coi¦ns: {label", "money")
    assert list(changed) == ["ruleset.yaml"]
    before = (game / "ruleset.yaml").read_text()
    assert changed_words(before, changed["ruleset.yaml"]) == [
        "money: {label: Coins, start: start.coins, override: coins}",
        "gear: {kind: items, pool: money, label: Gear}",
    ]
    key = renamed(game / "ruleset.yaml", "  skil¦ls: {kind", "talents")
    assert "talents: [Soothe, Notice, Shoot]" in key["characters/ada-quill.yaml"]
    assert "talents: {kind: raises, of: skills," in key["ruleset.yaml"]
    option = renamed(game / "ruleset.yaml", "start: start.coi¦ns", "start.money")
    assert changed_words(before, option["ruleset.yaml"])[1].startswith("coins: {label: Coins, st")
    assert "start: start.money, override: coins" in option["ruleset.yaml"]


def test_an_overlay_that_uses_an_id_changes_with_it(game: Path) -> None:
    overlay = game.parent / "oil"
    (module,) = overlay.glob("modules/*.yaml")
    changed = renamed(game / "ruleset.yaml", "  gua¦rd: {label", "defence")
    after = changed[os.path.relpath(module, game)]
    assert "needs: [derived.defence.value]" in after
    assert "derived.defence.value: " in after
    assert "modifiers(defence)) + 1" in after
    assert "guard" not in after


@pytest.mark.parametrize(
    ("marked", "new", "why"),
    [
        ("  coi¦ns: {label", "points", "points"),
        ("  coi¦ns: {label", "Coins!", "lower-case letters"),
        ("pool: coi¦ns", "money", "several things"),
        ("label: Coi¦ns", "money", "no id"),
    ],
)
def test_what_cannot_be_renamed_says_why(game: Path, marked: str, new: str, why: str) -> None:
    with pytest.raises(CannotRename, match=why):
        renamed(game / "ruleset.yaml", marked, new)


def test_no_other_key_is_renamed_with_an_id(tmp_path: Path) -> None:
    folder = tmp_path / "lamps"
    assert run("new", "ruleset", "Lamps", "--out", folder).status == 0
    path = folder / "ruleset.yaml"
    path.write_text(path.read_text().replace("{kind: choices, of: knacks,", "{kind: choices,"))
    with pytest.raises(CannotRename, match="there is no catalogue"):
        renamed(folder / "choices.yaml", "  kna¦cks:", "gifts")


def test_definitions_in_files_of_a_ruleset(game: Path) -> None:
    path = game / "gear.yaml"
    text = path.read_text()
    session = Session()
    real = session.put(path.as_uri(), str(path), text, 1, saved=True)
    file = session.open_file(session.documents[real])
    (span,) = find_definitions(file, text.index("skill: scrap") + 9)
    assert (span.file, span.width) == (str(game / "traits.yaml"), len("scrap"))


def test_an_editor_renames(game: Path) -> None:
    editor = Editor()
    path = game / "traits.yaml"
    text = path.read_text()
    marked = text.replace("      body:", "      bo¦dy:")
    where = editor.at("prepareRename", path, marked)
    assert where["end"]["character"] - where["start"]["character"] == len("body")
    edit = editor.at("rename", path, marked, newName="might")
    changes = edit["changes"]
    assert path.as_uri() in changes
    assert (game / "choices.yaml").as_uri() in changes
    (first, *_) = changes[path.as_uri()]
    assert first["newText"] == "      might: {name: Body, short: BOD}\n"
    assert editor.at("rename", path, marked, newName="Not an id") is None
    assert editor.close() == "`Not an id` is no id: use lower-case letters, digits and `_`\n"
