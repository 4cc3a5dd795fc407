"""Rolls of files that come with sheetgen: plain dice, and the rulesets that have odds."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sheetgen.load.files import note_read
from sheetgen.load.rulesets.content import data_folder, ruleset_ids, rulesets_folder
from sheetgen.load.shapes import Shaper
from sheetgen.load.sources import read_source
from sheetgen.model.rulesets.odds import Odds, RollRules


def read_odds(path: Path) -> Odds:
    """Return `odds` of a file that comes with sheetgen.

    Raises:
        ValueError: The file is wrong.
    """
    read = read_source(path)
    node = read.value.get("odds") if read.value is not None else None
    shaper = Shaper()
    odds: Odds | None = shaper.read(node, Odds, "odds") if node is not None else None
    found = [*read.findings, *shaper.findings]
    if odds is None or found:
        raise ValueError(f"{path.name}: {'; '.join(f.message for f in found) or 'no odds'}")
    return odds


def plain_roll() -> RollRules:
    """Return the roll of plain dice, of no game."""
    path = data_folder() / "content" / "odds" / "plain.yaml"
    note_read(path)  # of each print, not of the first alone
    return _read_plain_roll(path)


@cache
def _read_plain_roll(path: Path) -> RollRules:
    return read_odds(path).rolls["plain"]


def with_odds() -> tuple[str, ...]:
    """Return the ids of the rulesets that come with sheetgen and have odds, sorted."""
    return tuple(id_ for id_ in ruleset_ids() if (rulesets_folder() / id_ / "odds.yaml").is_file())
