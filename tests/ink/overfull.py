"""Characters with more of everything than a sheet has room for."""

from __future__ import annotations

from functools import cache

import yaml

from tests.shelf import ruleset

MANY_WEAPONS, MANY_THINGS, MANY_ROWS = 25, 40, 60


@cache
def overfull(game: str) -> str:
    """Return a character of `game` that overflows every section which can overflow."""
    rules = ruleset(game)
    long = " ".join(f"concept{n}" for n in range(30))
    made: dict[str, object] = {
        "ruleset": game,
        "name": "Bartholomew Maximilian Featherstonehaugh the Umpteenth of Lower Wherever",
        "player": "A player with quite a long name too",
        "notes": " ".join(f"note{n}" for n in range(500)),
    }
    names = [str(item.name) for item in rules.gear.values()]
    if names:
        made["gear"] = [
            *({name: "granted"} for name in names[:MANY_WEAPONS]),
            *({f"Trinket of the {n}th kind": "granted"} for n in range(MANY_THINGS)),
        ]
    keys = {str(key) for key in rules.character}
    if "equipment" in keys:
        made["equipment"] = [f"Trinket of the {n}th kind" for n in range(MANY_THINGS)]
    for key in ("appearance", "concept", "campaign", "offhand", "contacts", "leadership"):
        if key in keys:
            made[key] = long.replace("concept", key)
    for key in ("holdings", "materials"):
        if key in keys:
            made[key] = [f"{key} {n} of some size" for n in range(MANY_THINGS)]
    made["sessions"] = [{"session": n + 1, "gained": 2} for n in range(MANY_ROWS)]
    return yaml.safe_dump(made, allow_unicode=True)
