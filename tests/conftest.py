"""What several tests share: the flag for goldens, and rulesets loaded once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from sheetgen.load.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets import load_ruleset
from sheetgen.model.ruleset import Ruleset

TESTS = Path(__file__).parent
OWN = TESTS / "rulesets"
"""Rulesets made for tests; `lanterns` shares no word with a real game."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write what is said as expected")


@pytest.fixture(scope="session")
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether goldens are written, not compared; then read the diff."""
    return bool(request.config.getoption("--accept"))


def folder_of(name: str) -> Path:
    """Return the folder of a shipped ruleset, or of one made for tests."""
    return rulesets_folder() / name if name in ruleset_ids() else OWN / name


@cache
def ruleset(name: str) -> Ruleset:
    """Return the ruleset `name`, loaded once a run."""
    loaded = load_ruleset(folder_of(name))
    assert loaded.value is not None, loaded.findings
    return loaded.value


@pytest.fixture(scope="session")
def rules_of() -> Callable[[str], Ruleset]:
    """Return the way to a ruleset by its name."""
    return ruleset
