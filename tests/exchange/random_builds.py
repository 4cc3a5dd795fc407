"""Random valid builds of any ruleset: walks that change one value of a shipped entry at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from sheetgen.check.character.builds import check_character
from sheetgen.diag.findings import errors
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plugins.exchange.export import select_exports
from sheetgen.plugins.exchange.formats import source_data
from sheetgen.rules.index import index_of

CHARACTERS = rulesets_folder().parent / "characters"
CODE = re.compile(r"(\+?)(\d+)D(?:\+(\d))?")
TEXTS = (
    "Émile O'Neil", "=1+1", "@SUM(A1)", "-2+3", "a; b: c", "[[x]] #tag %% | y", "1e3", "no",
    "- one\n- two", "<b>bold</b> &amp;", '"quoted" \\ back', "12:30", "one\ntwo, three",
)  # fmt: skip
"""Texts that some format could take for markup, a number or a formula."""


def write_random_builds(id_: str, count: int, seed: int, folder: Path) -> list[Path]:
    """Write `count` files of a ruleset that have no errors, the same for the same seed."""
    draw = Random(f"{id_} {seed}")
    first: list[tuple[Ruleset, dict[str, Any]]] = []
    request = select_exports([id_, str(CHARACTERS / id_)], {}).requests[0]
    for one in request.characters:
        rules, kind = one.rules, request.kind_of(one)
        assert rules is not None
        assert one.build is not None
        head = {"ruleset": id_} | ({"kind": kind} if kind in request.rules.kinds else {})
        data = {k: v for k, v in source_data(one.source).items() if k not in one.build.pictures}
        first.append((rules, data | head | {"name": one.build.name}))
    draw.shuffle(first)
    walks, written = list(first), []
    for number in range(count):
        at = number % len(walks)
        rules, data = draw.choice([walks, walks, first])[at]
        for _ in range(8):
            changed = _changed(data, rules, draw)
            if _is_valid(changed, rules):
                data = changed
        walks[at] = rules, data
        path = folder / f"{data.get('kind', 'character')}-{number}.yaml"
        named = data | {"name": f"{data['name']} {number}"}
        path.write_text(json.dumps(named, ensure_ascii=False), "utf-8")
        written.append(path)
    return written


def _is_valid(data: Mapping[str, Any], rules: Ruleset) -> bool:
    parsed = parse_yaml(json.dumps(data, ensure_ascii=False), "case.yaml")
    checked = check_character(parsed.value, rules) if parsed.value is not None else None
    return checked is not None and not errors((*parsed.findings, *checked.findings))


def _changed(data: dict[str, Any], rules: Ruleset, draw: Random) -> dict[str, Any]:
    """Return a copy with one value changed, a key added or a key dropped."""
    copy = json.loads(json.dumps(data))
    fixed = {"ruleset", "kind", "options"}
    if draw.random() < 0.3:
        id_ = draw.choice([*rules.character])
        if not any(id_ in index_of(rules).keys.find(raw) for raw in copy):
            copy[str(id_)] = _new_value(rules, str(id_), draw)
            return copy
    place, key = draw.choice([p for p in _places(copy) if p[0] is not copy or p[1] not in fixed])
    place[key] = _other(place[key], rules, draw)
    if draw.random() < 0.15 and not (place is copy and key == "name"):
        del place[key]
    return copy


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(data) if isinstance(data, dict) else range(len(data))
    for key in keys:
        yield data, key
        if isinstance(data[key], dict | list):
            yield from _places(data[key])


def _other(value: Any, rules: Ruleset, draw: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return max(0, value + draw.randrange(-3, 4))
    if isinstance(value, dict):
        return value | {_like([*value], rules, draw): draw.choice([*value.values(), 1, "+1D"])}
    if isinstance(value, list):
        return [*value, _like([v for v in value if isinstance(v, str)], rules, draw)]
    if not isinstance(value, str):
        return value
    if code := CODE.fullmatch(value):
        steps = int(code[2]) * 3 + int(code[3] or 0) + draw.randrange(-2, 3)
        if not rules.pips:
            steps = 3 * max(0, int(code[2]) + draw.randrange(-1, 2))
        dice, pips = divmod(max(0, steps), 3)
        return f"{code[1]}{dice}D" + (f"+{pips}" if pips else "")
    return draw.choice([_like([value], rules, draw), f"{value} x2", draw.choice(TEXTS)])


def _new_value(rules: Ruleset, id_: str, draw: Random) -> Any:
    kind = str(rules.character[id_].kind)
    name = draw.choice(_names(rules))
    if kind == "text":
        return draw.choice(TEXTS)
    if kind == "texts":
        return draw.sample(TEXTS, 2)
    if kind in ("number", "flag"):
        return draw.randrange(1, 30) if kind == "number" else True
    gear = [str(item.name) for item in rules.gear.values()] or [name]
    if kind in ("item", "items"):
        return draw.sample(gear, 1)
    if kind in ("codes", "ratings"):
        return {name: draw.choice([1, 2, "+1D", "2D"])}
    if kind in ("details", "links"):
        return {name: draw.choice(TEXTS)}
    return draw.choice([name, [name]])


def _names(rules: Ruleset) -> list[str]:
    return [name for pool in _pools(rules) for name in pool]


def _like(values: list[str], rules: Ruleset, draw: Random) -> str:
    """Return a name from the list that one of `values` is in; a text if it is in none."""
    pools = [pool for pool in _pools(rules) if {*pool} & {v.split(" x")[0] for v in values}]
    return draw.choice(draw.choice(pools or [list(TEXTS)]))


def _pools(rules: Ruleset) -> list[list[str]]:
    """Return the names of each group and catalogue, and those of the gear."""
    pools = [[str(t.name) for t in group.traits.values()] for group in rules.groups.values()]
    pools += [[str(e.name) for e in one.entries.values()] for one in rules.choices.values()]
    pools.append([str(item.name) for item in rules.gear.values()])
    return [pool for pool in pools if pool]
