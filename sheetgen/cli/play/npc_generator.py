"""Generate files of NPCs: what the request leaves open is drawn at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from sheetgen.check.character.builds import check_character, check_draft
from sheetgen.diag.findings import Checked, Finding, in_order
from sheetgen.load.rulesets.kinds import ENTRIES, split_entries
from sheetgen.load.yaml.format import format_flow
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.rulesets.choices import Catalogue
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.rulesets.kinds import Kind, Maker
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.index import index_of
from sheetgen.rules.names import exact_form, split_times

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NpcRequest:
    """What to generate; what is empty is drawn at random.

    Attributes:
        level: The id of a choice.
        skills: Ids of traits.
    """

    level: str
    skills: tuple[str, ...] = ()
    gear: tuple[str, ...] = ()
    name: str = ""


def generate_npcs(
    request: NpcRequest, count: int, seed: int, kind_id: str, kind: Kind, rules: Ruleset, file: str
) -> Checked[str]:
    """Return a file with `count` of a kind; the same for the same seed.

    The file is checked, and the findings are those of that check.

    Args:
        rules: Those of the kind.
        file: What the file will be called, for findings.
    """
    maker = kind.maker
    assert maker is not None
    draw = Random(seed)  # noqa: S311 - it hides nothing: who has the seed wants the same again
    names = _names(request, count, maker, draw)
    need = skills_of(request.level, maker, rules)
    seen: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    requests = []
    for name in names:
        one = _drawn(replace(request, name=name), need, maker, draw)
        for _ in range(8):  # avoid repetitions; there may be no other combination
            if (one.skills, one.gear) not in seen:
                break
            one = _drawn(replace(request, name=name), need, maker, draw)
        seen.add((one.skills, one.gear))
        requests.append(one)
    text = "".join(_file(requests, kind_id, kind, rules, seed))
    return Checked(text, _check_file(text, rules, file))


def skills_of(level: str, maker: Maker, rules: Ruleset) -> int:
    """Return how many skills the level `level` picks."""
    key = rules.character[maker.skills]
    if key.count is None:
        return 0
    name = levels_of(maker, rules).entries[level].name
    source = parse_yaml(f"{maker.level}: {format_flow(name)}\n", "new", "").value
    assert source is not None
    return check_draft(source, rules).eval_int(key.count)


def levels_of(maker: Maker, rules: Ruleset) -> Catalogue:
    """Return what there is to choose a level from."""
    return rules.choices[rules.character[maker.level].of[0]]


def _check_file(text: str, rules: Ruleset, file: str) -> tuple[Finding, ...]:
    read = parse_yaml(text, file, "")
    found: list[Finding] = list(read.findings)
    for source in split_entries(read.value, found) if read.value else ():
        found += check_character(source, rules).findings
    return in_order(found)


# -- drawing -----------------------------------------------------------------------------------


def _any(things: Sequence[T], draw: Random) -> T:
    """Return one of `things`. Only `random()` is promised to stay as it is between Pythons."""
    return things[int(draw.random() * len(things))]


def _names(request: NpcRequest, count: int, maker: Maker, draw: Random) -> list[str]:
    if request.name:
        return (
            [request.name] if count == 1 else [f"{request.name} {n}" for n in range(1, count + 1)]
        )
    names: list[str] = []
    left: list[str] = []
    for n in range(count):
        if not left:
            left = list(maker.names) or [""]
        name = _any(left, draw)
        left.remove(name)
        times = n // max(1, len(maker.names)) + 1
        names.append(f"{name} {times}".strip() if times > 1 or not name else name)
    return names


def _drawn(request: NpcRequest, need: int, maker: Maker, draw: Random) -> NpcRequest:
    skills = list(request.skills)
    if len(skills) < need and maker.first and not set(skills) & set(maker.first):
        skills.append(str(_any(maker.first, draw)))
    while len(skills) < need:
        left = [str(name) for name in maker.among if name not in skills]
        if not left:
            break
        skills.append(_any(left, draw))
    gear = list(request.gear)
    if not gear:
        suits = [maker.suits[skill] for skill in skills if maker.suits.get(skill)]
        gear = [_any(some, draw) for some in suits]
        gear += [_any(maker.also, draw)] if maker.also else []
    kept = {exact_form(split_times(item)[0]): item for item in reversed(gear) if item}
    return replace(request, skills=tuple(skills), gear=tuple(reversed(kept.values())))


# -- writing -----------------------------------------------------------------------------------


def _file(
    requests: Sequence[NpcRequest], kind_id: str, kind: Kind, rules: Ruleset, seed: int
) -> Iterator[str]:
    maker = kind.maker
    assert maker is not None
    first = requests[0]
    level = levels_of(maker, rules).entries[first.level]
    yield f"# {kind.label if len(requests) > 1 else kind.one} for {rules.title}; "
    yield "`sheetgen check` says what is wrong, `sheetgen cards` prints.\n"
    yield f"ruleset: {rules.id}\nkind: {kind_id}\n"
    level_line = _line(f"{maker.level}: {format_flow(level.name)}", level.text)
    skills = rules.character[maker.skills]
    if len(requests) == 1:
        keys = _keys(first, maker, rules)
        yield _line(f"name: {keys.pop('name')}", "")
        yield level_line
        for key, value in keys.items():
            yield _line(f"{key}: {value}", skills.why if key == maker.skills else "")
        yield "\n# What it may have too:\n"
        yield from _others(kind, maker)
        return
    yield f"# seed {seed}: the same again with `--seed {seed}`. What stands here counts for each.\n"
    yield level_line
    yield _line(f"{ENTRIES}:", skills.why)
    for request in requests:
        for n, (key, value) in enumerate(_keys(request, maker, rules).items()):
            yield f"  {'- ' if n == 0 else '  '}{key}: {value}\n"
    yield "# What each may have too:\n"
    yield from _others(kind, maker)


def _keys(request: NpcRequest, maker: Maker, rules: Ruleset) -> dict[str, str]:
    titles = index_of(rules).titles
    skills = ", ".join(format_flow(titles[skill]) for skill in request.skills)
    keys = {"name": format_flow(request.name), str(maker.skills): f"[{skills}]"}
    if request.gear:
        keys[str(maker.gear)] = f"[{', '.join(map(format_flow, request.gear))}]"
    return keys


def _others(kind: Kind, maker: Maker) -> Iterator[str]:
    written = {"name", maker.level, maker.skills, maker.gear, kind.based_on, *kind.own}
    for id_, key in kind.character.items():
        if id_ not in written:
            yield _line(f"# {str(id_).replace('_', ' ')}: {_example(key)}", key.why or key.label)


def _example(key: Key) -> str:
    if key.example:
        return key.example
    if key.kind == "number":
        least = str(key.least or "")
        return str(max(1, int(least) if least.isdecimal() else 0))
    return "[…, …]" if key.kind in ("texts", "items") else "…"


def _line(text: str, comment: str) -> str:
    return f"{text:<43}# {comment}\n" if comment else f"{text}\n"
