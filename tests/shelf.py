"""Where tests find things: rulesets of ours and of theirs, each loaded once a run."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

from sheetgen.data import data_folder
from sheetgen.load.rulesets.content import SHAPES, ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.rulesets.ruleset import Ruleset

TESTS = Path(__file__).parent
OWN = TESTS / "rulesets"
"""Rulesets made for tests; `lanterns` shares no word with a real game."""
SKELETONS = data_folder() / "content" / "skeletons"
"""The small games of `sheetgen new ruleset --like`; `rulesets/shapes` has characters of theirs."""


def folder_of(name: str) -> Path:
    """Return the folder of a shipped ruleset, of a skeleton, or of one made for tests."""
    if name in SHAPES:
        return SKELETONS / name
    return rulesets_folder() / name if name in ruleset_ids() else OWN / name


@cache
def ruleset(name: str, switches: frozenset[tuple[str, bool]] = frozenset()) -> Ruleset:
    """Return the ruleset `name`, or `a+b`, loaded once a run."""
    folders = tuple(folder_of(part) for part in name.split("+"))
    loaded = load_ruleset(folders, switches=dict(switches))
    assert loaded.value is not None, loaded.findings
    return loaded.value


def skip_without(program: str, reason: str) -> NoReturn:
    """Skip a test whose program is not installed; where CI is set, fail: CI installs them all."""
    if os.environ.get("CI", "").lower() in ("true", "1"):
        pytest.fail(f"{program} is not installed: {reason}")
    pytest.skip(f"{program} is not installed: {reason}")
