"""A ruleset with one thing changed is told so, or can be played."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sheetgen.check.character.advancement import list_offers
from sheetgen.check.character.builds import check_character, check_draft
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag.findings import errors
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.load.yaml.tree import parse_yaml
from tests.shelf import OWN

LANTERNS = yaml.safe_load((OWN / "lanterns" / "ruleset.yaml").read_text(encoding="utf-8"))
PLAYED = """
ruleset: lanterns
name: Ilva
order: Dusk
gifts: [Glint, Strange, Study: Riddle, Bundle: {Glow: 2, Hush: 2}, Patience]
wicks: {Glow: {dots: 3, stars: 1}, Gray Eye: 2}
arts: [Heave]
oddities: {Owl Song: {dots: 1, max: 2}}
oil: 200
dice: [d4, d2]
gear: [Mace, Thick Coat, Rope x2, Relic: granted]
advances: [Wake Up, Heave, Might, Mace, Thick Coat]
sold: {Gray Eye: 1}
hurt: 1
"""
WORDS = ["glow", "might", "dusk", "patience", "rope", "oil", "wicks", "order", "gear", "flame", "x"]
CHANGES: list[Any] = [*WORDS, "", "n / 0", "flame + 1", "has(x)", "9 * 9", 0, -3, 7, True, None, []]


def places(data: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [way] if way else []
    if isinstance(data, dict):
        for key, below in data.items():
            found += places(below, (*way, key))
    elif isinstance(data, list):
        for place, below in enumerate(data):
            found += places(below, (*way, place))
    return found


PLACES = places(LANTERNS)


def changed(seed: int) -> Any:
    """Return the ruleset with one value changed, left out, or doubled under another name."""
    random = Random(seed)
    data = json.loads(json.dumps(LANTERNS, default=str))
    way = random.choice(PLACES)
    parent = data
    for step in way[:-1]:
        parent = parent[str(step)] if isinstance(parent, dict) else parent[step]
    last = str(way[-1]) if isinstance(parent, dict) else way[-1]
    if random.random() < 0.25:
        del parent[last]
    elif isinstance(parent, dict) and random.random() < 0.25:
        parent[random.choice(WORDS)] = parent.pop(last)
    else:
        parent[last] = random.choice(CHANGES)
    return data


@pytest.mark.slow
@settings(suppress_health_check=[*HealthCheck], max_examples=settings().max_examples)
@given(seed=st.integers(0, 10**6))
def test_a_changed_ruleset_is_refused_or_played(tmp_path: Path, seed: int) -> None:
    text = json.dumps(changed(seed), ensure_ascii=False, indent=1)
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    loaded = load_ruleset(tmp_path)
    assert loaded.value is not None or errors(loaded.findings)
    if loaded.value is None or errors(check_ruleset(loaded.value)):
        return
    source = parse_yaml(PLAYED, "played.yaml").value
    assert source is not None
    assert check_character(source, loaded.value).value is not None
    assert list(list_offers(check_draft(source, loaded.value))) is not None
