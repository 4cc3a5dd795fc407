"""Characters with more of everything than a sheet has room for, one of each game."""

from __future__ import annotations

import json
import re
from typing import Any

from sheetgen.load.rulesets.content import ruleset_ids
from tests.printing import CHARACTERS, Character, character_from
from tests.shelf import ruleset

WITH_CHARACTERS = tuple(
    id_ for id_ in ruleset_ids() if any(p.parent.name == id_ for p in CHARACTERS)
)
"""Rulesets that come with characters."""

LONG = "Wilhelmina Octavia Featherstonehaugh-Montgomery of the Seven Drowned Observatories"
WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"


def overflowing(game: str) -> Character:
    """Return the fullest character of `game`, with much more in it, and all of its gear."""
    path = max((p for p in CHARACTERS if p.parent.name == game), key=lambda p: p.stat().st_size)
    rules = ruleset(game)
    more: dict[str, Any] = {
        "name": LONG,
        "player": f"{LONG}, on Thursdays",
        "concept": "Somebody who takes three lines of a phone to say what she does for a living",
        "appearance": f"{LONG} wears a coat with forty-one pockets, of which one is on fire",
        "campaign": WORD,
        "notes": "\n".join(f"{n}. {LONG} owes a good story to {WORD}." for n in range(1, 25)),
        **{
            key: [f"{key} {n}: {LONG}" for n in range(1, 15)]
            for key in ("allies", "goals", "holdings", "materials", "equipment")
        },
        "gear": [f"{item.name} x{n % 3 + 1}" for n, item in enumerate(rules.gear.values())],
    }
    if "powers" in rules.choices:
        more["powers"] = [one.name for one in rules.choices["powers"].entries.values()]
    text = path.read_text(encoding="utf-8")
    for key, value in more.items():
        if key in rules.character or re.search(rf"^{key}:", text, re.MULTILINE):
            text = re.sub(rf"^{key}:.*\n(?:[ \t].*\n)*", "", text, flags=re.MULTILINE)
            text += f"{key}: {json.dumps(value, ensure_ascii=False)}\n"
    return character_from(text, game)
