"""Where tests find things: rulesets of ours and of theirs, each loaded once a run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sheetgen.load.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets import load_ruleset
from sheetgen.model.ruleset import Ruleset

TESTS = Path(__file__).parent
OWN = TESTS / "rulesets"
"""Rulesets made for tests; `lanterns` shares no word with a real game."""


def folder_of(name: str) -> Path:
    """Return the folder of a shipped ruleset, or of one made for tests."""
    return rulesets_folder() / name if name in ruleset_ids() else OWN / name


@cache
def ruleset(name: str) -> Ruleset:
    """Return the ruleset `name`, loaded once a run."""
    loaded = load_ruleset(folder_of(name))
    assert loaded.value is not None, loaded.findings
    return loaded.value
