"""Checked characters share values from caches: each is as if it were checked alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sheetgen.check.character.builds import check_character
from sheetgen.data import data_folder
from sheetgen.load.characters import LoadedEntry, RulesetCache, load_file
from sheetgen.load.files import yaml_files
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.plan.sheets.view import build_view

CACHE = RulesetCache()


def _entries(game: str) -> list[LoadedEntry]:
    """Return the characters and the stock of a game that come with sheetgen."""
    folders = (data_folder() / "content" / "characters" / game, rulesets_folder() / game / "npcs")
    paths = (path for folder in folders if folder.is_dir() for path in yaml_files(folder))
    entries = (entry for path in paths for entry in load_file(path, CACHE))
    return [entry for entry in entries if entry.source is not None and entry.rules is not None]


@pytest.mark.many
@pytest.mark.parametrize("game", ruleset_ids())
def test_a_character_is_checked_alike_alone_and_after_others(game: str) -> None:
    for entry in (*(every := _entries(game)), *reversed(every)):
        source, rules = entry.source, entry.rules
        assert source is not None
        assert rules is not None
        alone, after = check_character(source, replace(rules)), check_character(source, rules)
        assert alone == after, source.file
        assert alone.value is not None
        assert after.value is not None
        assert build_view(alone.value, rules) == build_view(after.value, rules)
