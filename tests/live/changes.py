"""What players do to sheets, at random: the same change as fields typed in, and as a file."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

from sheetgen.load.characters import RulesetCache, load_from_source
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.materials.plates import PlateStore
from sheetgen.model.build import Build, code_text
from sheetgen.model.prints import Plate
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.scripts.places import Inputs
from sheetgen.prints.characters import Character, check_loaded
from sheetgen.rules.index import index_of

SHELF = RulesetCache()


@cache
def rack() -> PlateStore:
    return PlateStore()


def checked(data: dict[str, Any], name: str = "any.yaml") -> Character:
    """Return the character that `data` describes, as a file that holds it would."""
    path = Path(name)
    read = parse_yaml(json.dumps(data), name)
    assert read.value is not None
    (loaded,) = load_from_source(path, read.value, read.findings, SHELF)
    return check_loaded(loaded, {}, SHELF)


@dataclass
class Edit:
    """A change to a printed sheet.

    Attributes:
        fields: What was typed, by field; boxes are `On` or empty.
        data: The file that says the same.
    """

    data: dict[str, Any]
    fields: dict[str, str] = field(default_factory=dict)


def named_keys(data: dict[str, Any], rules: Ruleset) -> dict[str, Any]:
    """Return `data` with the ruleset's own names of keys, and advances as one list."""
    keys = index_of(rules).keys
    found = {}
    for key, value in data.items():
        ids = keys.find(str(key))
        found[ids[0] if len(ids) == 1 else key] = value
    for id_, key in rules.character.items():
        if key.kind == "advances" and isinstance(found.get(str(id_)), dict):
            found[str(id_)] = [step for steps in found[str(id_)].values() for step in steps or ()]
    return found


def varied(data: dict[str, Any], rules: Ruleset, chance: random.Random) -> dict[str, Any]:
    """Return another character like `data`: other options, and here and there other choices."""
    found = named_keys(data, rules)
    options = dict(found.get("options") or {})
    for id_, option in rules.options.items():
        if chance.random() < 0.15 and not str(id_).startswith("modules"):
            values = [str(v) for v in option.values]
            kind = values[0] if len(values) == 1 else ""
            options[str(id_)] = (
                chance.randint(0, 6)
                if kind == "number"
                else chance.choice([True, False])
                if kind == "yes or no"
                else chance.choice(values)
            )
    found["options"] = options
    for id_, key in rules.character.items():
        if key.kind == "choice" and str(id_) in found and chance.random() < 0.3:
            catalogue = rules.choices[str(key.of[0]) if key.of else str(id_)]
            found[str(id_)] = str(chance.choice(list(catalogue.entries.values())).name)
    return found


@lru_cache(maxsize=16)
def _inputs(rules: Ruleset, plate: Plate) -> Inputs:
    return Inputs(rules, {place.name: place.kind for place in plate.places})


def edited(
    data: dict[str, Any], build: Build, rules: Ruleset, plate: Plate, chance: random.Random
) -> Edit:
    """Return a random change to the sheet of `build`, whose file is `data`."""
    edit = Edit(json.loads(json.dumps(data)))
    inputs = _inputs(rules, plate)
    _name_gone(edit, build, rules)
    for change in (_ratings, _advances, _numbers, _gains, _dice):
        if chance.random() < 0.8:
            change(edit, build, rules, inputs, chance)
    return edit


def _name_gone(edit: Edit, build: Build, rules: Ruleset) -> None:
    """Name the steps that went: their number alone counts down from a rating that changes."""
    own = {str(rating.name): rating.own for rating in build.ratings.values()}
    for id_, key in rules.character.items():
        if key.kind not in ("refunds", "losses"):
            continue
        for name, gone in (edit.data.get(str(id_)) or {}).items():
            found = next((own[n] for n in own if n.casefold() == name.casefold()), None)
            if isinstance(gone, int) and found is not None:
                edit.data[str(id_)][name] = list(range(found + 1, found + gone + 1))


def _ratings(
    edit: Edit, build: Build, rules: Ruleset, inputs: Inputs, chance: random.Random
) -> None:
    for group_id, form in inputs.groups.items():
        group = rules.groups[group_id]
        key = next(
            (
                str(i)
                for i, k in rules.character.items()
                if k.kind == "ratings" and (str(k.of[0]) if k.of else str(i)) == group_id
            ),
            "",
        )
        if form != "boxes" or not key:
            continue
        rated = {}
        listed = [r for r in build.ratings.values() if r.group == group_id]
        rows = {r.id: n for n, r in enumerate((r for r in listed if r.id not in group.traits), 1)}
        picked = {r.id for r in chance.sample(listed, min(len(listed), chance.randint(0, 5)))}
        for rating in listed:
            row = rows.get(rating.id)
            boxes = group.boxes if row is None else group.open.most if group.open else 0
            own = rating.own
            if rating.id in picked and own <= boxes and (row or 0) <= inputs.named.get(group_id, 0):
                own = chance.randint(0, boxes) if chance.random() < 0.5 else min(own + 1, boxes)
                stem = f"{group_id}.{rating.id if row is None else row}"
                edit.fields |= {
                    f"{stem}.{n}": "On" if n <= own else "" for n in range(1, boxes + 1)
                }
            went = any(part.kind == "gone" for part in rating.parts)
            if own or rating.free or row is not None or went:
                entry: dict[str, Any] = {"dots": own}
                entry |= {"stars": rating.stars} if rating.stars else {}
                entry |= {"max": rating.most} if rating.most is not None else {}
                rated[rating.name] = entry
        edit.data[key] = rated


def _advances(
    edit: Edit, build: Build, rules: Ruleset, inputs: Inputs, chance: random.Random
) -> None:
    if rules.advances is None:
        return
    key = next(str(i) for i, k in rules.character.items() if k.kind == "advances")
    steps = list(edit.data.get(key) or [])
    traits = index_of(rules)
    ordered = [t for g in rules.advances.groups for t in rules.groups[g].traits]
    everything = [t for g in rules.groups.values() for t in g.traits]
    ordered.sort(key=lambda t: (bool(traits.summed.get(t, ("",))[0]), everything.index(t)))
    for trait in (t for t in ordered if str(t) in inputs.fields):
        if chance.random() > 0.12:
            continue
        rating, place = build.ratings[str(trait)], inputs.fields[str(trait)]
        bought = sum(part.steps for part in rating.parts if part.kind == "advance")
        gained = chance.choice([1, 1, 2, 3, 4, -1, -2])
        gained = max(gained, -bought)
        if not gained or (rating.own and not rating.total):
            continue  # what nothing shows cannot be lowered on the sheet
        own = rating.own + gained
        if gained < 0 and not _taken(steps, str(rating.name), -gained):
            continue
        steps += [rating.name] * max(0, gained)
        dice = rules.groups[rating.group].rating == "dice"
        text = code_text(own, pips=rules.pips) if dice else str(own)
        if place == "own":
            text = text if text.startswith("+") else f"+{text}"
        edit.fields[f"{rating.group}.{trait}.{place}"] = text if own else ""
    edit.data[key] = steps


def _taken(steps: list[Any], name: str, count: int) -> bool:
    """Take the last `count` steps of a name out of a list; whether they stood there singly."""
    places = [n for n, step in enumerate(steps) if str(step).casefold() == name.casefold()]
    if len(places) < count:
        return False
    for place in sorted(places[-count:], reverse=True):
        del steps[place]
    return True


def _numbers(
    edit: Edit, build: Build, rules: Ruleset, inputs: Inputs, chance: random.Random
) -> None:
    for key, spec in inputs.keys.items():
        if spec["field"]:
            value = chance.randint(1, 12)
            edit.fields[key] = str(value)
            edit.data[key] = value
        else:
            most = sum(boxes for _, boxes, _ in spec["tracks"])
            value = chance.randint(0, most)
            direct = [(track, boxes) for track, boxes, alone in spec["tracks"] if alone]
            if not direct:
                continue  # tests/live/test_games.py ticks boxes whose number is found
            for track, boxes in direct:
                edit.fields |= {
                    f"{track}.box.{n}": "On" if n <= value else "" for n in range(1, boxes + 1)
                }
            flag = rules.character[key].kind == "flag"
            edit.data[key] = bool(value) if flag else value
    for key, entries in inputs.states.items():
        entry = chance.choice(list(entries))
        edit.fields |= {f"{key}.{other}": "On" if other == entry else "" for other in entries}
        found = rules.choices[str(rules.character[key].of[0]) if rules.character[key].of else key]
        edit.data[key] = str(found.entries[entry].name)


def _gains(edit: Edit, build: Build, rules: Ruleset, inputs: Inputs, chance: random.Random) -> None:
    if any(key.kind == "sessions" and str(i) in edit.data for i, key in rules.character.items()):
        return
    for pool, count in inputs.rows.items():
        adds = rules.pools[pool].adds
        used = len(build.ledgers[pool].lines) if pool in build.ledgers else count
        if adds is None or used >= count:
            continue
        gained = chance.randint(1, 90)
        edit.fields[f"{pool}.ledger.{count}.gained"] = str(gained)
        edit.data[str(adds)] = int(edit.data.get(str(adds)) or 0) + gained


def _dice(edit: Edit, build: Build, rules: Ruleset, inputs: Inputs, chance: random.Random) -> None:
    if rules.dice is None or any(
        key.kind == "dice_history" and str(i) in edit.data for i, key in rules.character.items()
    ):
        return
    key = next(str(i) for i, k in rules.character.items() if k.kind == "dice")
    faces = [chance.choice(rules.dice.ladder) for _ in range(chance.randint(0, 6))]
    edit.fields |= {f"dice.{n}": "" for n in range(1, inputs.dice + 1)}
    edit.fields |= {f"dice.{n}": f"d{f}" for n, f in enumerate(faces, 1)}
    edit.data[key] = [f"d{f}" for f in faces]


def characters(ruleset: str, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield what stands in the files of a ruleset's characters."""
    for path in sorted((folder / ruleset).glob("*.yaml")):
        yield yaml.safe_load(path.read_text(encoding="utf-8"))
