"""What a live sheet does not compute anew: values that depend on choices and gear."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sheetgen.model.rulesets.choices import Grants
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.scripts.formulas import Formulas
from sheetgen.plan.scripts.outputs import Output, naming_column
from sheetgen.rules.formulas.reach import Reach

Unfollowed: TypeAlias = tuple[str, Sequence[str], Sequence[str]]
"""A label, some fields, and the places that stay as printed once one of these fields changes."""

_HEAD = re.compile(r"header\d*\.text")
"""The head of a later page: the name and the first choices."""

_OF_GEAR = frozenset(("items", "best", "holds"))


@dataclass
class _Effects:
    """What a pick may change: names in formulas, and calls of functions.

    Attributes:
        everything: Whether it may change everything.
        gives: Kinds of keys whose fields it may fill: of items, of choices.
        advances: Whether it may change what was paid for advances.
    """

    names: set[str] = field(default_factory=set)
    gives: set[str] = field(default_factory=set)
    advances: bool = False
    asks: set[tuple[str, str]] = field(default_factory=set)
    everything: bool = False

    def reach(self, reach: Reach) -> bool:
        """Whether formulas depend on what a pick may change."""
        asks = {(function, of[0] if of else "") for function, of in reach.asks}
        gear = ("gear", "") in self.asks and any(f in _OF_GEAR for f, _ in asks)
        return self.everything or bool(gear or reach.names & self.names or asks & self.asks)


def list_unfollowed(
    formulas: Formulas, kinds: Mapping[str, str], out: Sequence[Output]
) -> tuple[Unfollowed, ...]:
    """Return the fields of choices and gear, with what depends on them, if anything does.

    Args:
        kinds: The kind of each place of the sheet, by name.
        out: What the sheet computes.
    """
    rules = formulas.rules
    reaches = {str(o[0]): _reach(formulas, o) for o in out if o[1] != "l"}
    found: list[Unfollowed] = []
    paid = _reach_of_advances(rules)
    for label, fields, effects, texts in (*_sources(formulas, kinds), *_grants(formulas, kinds)):
        changed = [name for name, reach in reaches.items() if effects.reach(reach)]
        changed += _rated(formulas, kinds, effects)
        changed += _given(rules, kinds, effects)
        if rules.advances and (effects.advances or effects.reach(paid)):
            changed += [n for n in (f"{rules.advances.pool}.left",) if n in kinds]
        shown = [*changed, *(t for t in texts if t in kinds and t not in changed)]
        if fields and shown:
            found.append((label, fields, shown))
    computed = {str(o[0]) for o in out}
    for id_, rows in rules.lists.items():
        name, others = naming_column(rules, str(id_)), list(map(str, rows.columns))
        for row in _rows(kinds, f"{id_}.", f".{name}") if rows.of not in rules.groups else ():
            cells = [f"{row}.{c}" for c in others if c != name and f"{row}.{c}" in kinds]
            if beside := [cell for cell in cells if cell not in computed]:
                found.append(("", [f"{row}.{name}"], beside))
    return tuple(found)


def _sources(
    formulas: Formulas, kinds: Mapping[str, str]
) -> Iterator[tuple[str, list[str], _Effects, list[str]]]:
    """Yield the label of each key of choices or gear, its fields, its effects, its own texts."""
    rules, inputs = formulas.rules, formulas.inputs
    for id_, key in rules.character.items():
        label = key.label or str(id_).replace("_", " ")
        if key.kind in ("choice", "choices"):
            catalogues = [str(c) for c in key.of or (id_,)]
            fields = [str(id_)] if kinds.get(str(id_)) in ("text", "lines") else []
            fields += [f"{row}.name" for row in _rows(kinds, f"{id_}.", ".name")]
            listed = [f"choices.{c}" for c in catalogues]
            if id_ not in inputs.states:
                entries = (str(e) for c in catalogues for e in rules.choices[c].entries)
                fields += [f"{id_}.{e}" for e in entries if kinds.get(f"{id_}.{e}") == "tick"]
            texts = [f"{id_}_text", *(f"{row}.text" for row in _rows(kinds, f"{id_}.", ".text"))]
            heads = [n for n in kinds if _HEAD.fullmatch(n)] if key.kind == "choice" else []
            texts += _picks(rules, kinds) if key.kind == "choice" else []
            effects = _of_catalogues(rules, catalogues)
            cells = _list_cells(rules, kinds, listed)
            yield label, fields, effects, [*texts, *heads, *cells]
            yield label, _list_fields(rules, kinds, listed), effects, heads
        elif id_ == "name":
            yield label, [str(id_)], _Effects(), [n for n in kinds if _HEAD.fullmatch(n)]
        elif key.kind in ("item", "items"):
            fields = [str(id_)] if kinds.get(str(id_)) in ("text", "lines") else []
            fields += _list_fields(rules, kinds, ["gear", str(id_)])
            yield label, fields, _of_gear(rules, key), []
        elif key.kind == "raises":
            groups = tuple(f"{group}." for group in key.of)
            fields = [n for n, kind in kinds.items() if kind == "tick" and n.startswith(groups)]
            yield label, fields, _Effects({str(id_)}), []
        elif key.kind in ("number", "flag") and key.pool is not None and str(id_) in kinds:
            yield label, [str(id_)], _Effects({str(id_), str(key.pool)}), []


def _grants(
    formulas: Formulas, kinds: Mapping[str, str]
) -> Iterator[tuple[str, list[str], _Effects, list[str]]]:
    """Yield the same of the ratings and numbers that the formulas of grants depend on."""
    rules, traits = formulas.rules, formulas.index.traits
    entries = (e.grants for c in rules.choices.values() for e in c.entries.values())
    blocks = [block for block in (rules.given, *entries) if block is not None]
    for block in blocks:
        blocks += block.when
        reach = Reach(rules)
        for formula in (*block.raise_.values(), *block.start.values(), block.if_ or "0"):
            reach.add(str(formula))
        stems = {
            f"{traits[n][0]}.{n}": rules.groups[traits[n][0]].label for n in reach.names & {*traits}
        }
        keys = {n: rules.character[n].label for n in reach.names & {*rules.character}}
        labels: dict[str, None] = {}
        fields = []
        for name in kinds:
            stem = name if name in keys else name.rpartition(".")[0]
            if name in formulas.inputs.names and (stem in stems or stem in keys):
                fields.append(name)
                labels[stems.get(stem) or keys.get(stem) or stem] = None
        effects = _Effects()
        _add_grants(rules, block, effects)
        yield ", ".join(labels), fields, effects, []


def _given(rules: Ruleset, kinds: Mapping[str, str], effects: _Effects) -> Iterator[str]:
    """Yield the places of the items and of the choices that a pick may come with."""
    for id_, key in rules.character.items():
        kind = key.kind.removesuffix("s")
        if kind in effects.gives:
            of = ["gear", id_] if kind == "item" else [f"choices.{c}" for c in key.of or (id_,)]
            yield from (n for n in kinds if n == id_ or n.startswith(f"{id_}."))
            yield from _list_cells(rules, kinds, list(map(str, of)))


def _reach_of_advances(rules: Ruleset) -> Reach:
    """Return what the prices of advances depend on."""
    reach, rule = Reach(rules), rules.advances
    for formula in (*rule.groups.values(), rule.gear or "0") if rule else ():
        reach.add(formula)
    return reach


def _picks(rules: Ruleset, kinds: Mapping[str, str]) -> list[str]:
    """Return the fields of single choices, since one may come with another."""
    choices = ((str(i), key) for i, key in rules.character.items() if key.kind == "choice")
    keys = (id_ for id_, key in choices if not key.passing)
    return [id_ for id_ in keys if kinds.get(id_) == "text"]


def _rated(formulas: Formulas, kinds: Mapping[str, str], effects: _Effects) -> Iterator[str]:
    """Yield the places of the ratings that a pick may grant: names, own ratings and boxes."""
    for trait in formulas.index.traits if effects.everything else sorted(effects.names):
        group = formulas.index.traits.get(trait, ("",))[0]
        stem = f"{group}.{trait}." if group else ""
        yield from (n for n in kinds if stem and n.startswith(stem) and n.count(".") == 2)


def _list_cells(rules: Ruleset, kinds: Mapping[str, str], of: Sequence[str]) -> list[str]:
    """Return all places in the rows of the lists of some things."""
    stems = [f"{id_}." for id_, rows in rules.lists.items() if rows.of in of]
    return [n for n in kinds if n.count(".") == 2 and n.startswith(tuple(stems))] if stems else []


def _rows(kinds: Mapping[str, str], start: str, end: str) -> list[str]:
    """Return the stems of the rows of a list on the sheet: `START1`, `START2`."""
    rows, number = [], 1
    while f"{start}{number}{end}" in kinds:
        rows.append(f"{start}{number}")
        number += 1
    return rows


def _list_fields(rules: Ruleset, kinds: Mapping[str, str], of: Sequence[str]) -> list[str]:
    """Return the fields that name what is in the rows of the lists of some things."""
    named = ((id_, naming_column(rules, str(id_))) for id_, r in rules.lists.items() if r.of in of)
    return [f"{row}.{name}" for id_, name in named for row in _rows(kinds, f"{id_}.", f".{name}")]


def _reach(formulas: Formulas, output: Output) -> Reach:
    """Return what the formulas of an output depend on."""
    rules, reach = formulas.rules, Reach(formulas.rules)
    kind, name = output[1], str(output[2])
    if kind == "x":
        reach.add_line(rules.texts[name].text)
    elif kind == "r":
        for formula in rules.rolls[name].dice.values():
            reach.add(formula)
        reach.add_name(str(output[3]))
    elif kind == "c":
        _add_cell(rules, str(output[3]), str(output[4]), reach)
    elif name in rules.tracks and kind in ("o", "s"):
        track = rules.tracks[name]
        for formula in (track.boxes, *track.steps.values()):
            reach.add(formula)
        reach.add_name(str(track.marked or ""))
    else:
        reach.add_name(name)
    return reach


def _add_cell(rules: Ruleset, list_: str, column: str, reach: Reach) -> None:
    """Add what a column of a list depends on: its text, and the things that may be in its rows."""
    rows = rules.lists[list_]
    reach.add_line(rows.columns[column])
    catalogue = rules.choices.get(rows.of.removeprefix("choices."))
    for entry in catalogue.entries.values() if catalogue else ():
        reach.add_line(entry.computed or "")
    traits: set[str] = set()
    if rows.of in rules.groups:
        traits = set(map(str, rules.groups[str(rows.of)].traits))
    elif reach.names & {"attack", "damage"}:
        used = ((item.skill, item.adds) for item in rules.gear.values())
        traits = {str(trait) for pair in used for trait in pair if trait}
    for trait in traits:
        reach.add_name(trait)


def _of_gear(rules: Ruleset, key: Key) -> _Effects:
    found = _Effects({str(key.pool)} if key.pool else set(), asks={("gear", "")})
    found.advances = rules.advances is not None and rules.advances.gear is not None
    for item in rules.gear.values():
        changed = [*item.modifies, *((item.gives,) if item.gives else ())]
        found.asks |= {("modifiers", str(derived)) for derived in changed}
    return found


def _of_catalogues(rules: Ruleset, catalogues: Iterable[str]) -> _Effects:
    found, found_in = _Effects(), set(catalogues)
    for id_ in found_in:
        catalogue = rules.choices[id_]
        found.everything |= catalogue.custom is not None
        found.names |= {str(catalogue.pool)} if catalogue.pool else set()
        known = {id_}
        for entry_id, entry in catalogue.entries.items():
            known |= {str(entry_id), f"{id_}.{entry_id}", *map(str, entry.tags)}
            found.asks |= {("modifiers", str(derived)) for derived in entry.modifies}
            found.names |= {str(entry.pool)} if entry.pool else set()
            found.everything |= entry.focus is not None
            if entry.asks in rules.groups and entry.grants and entry.grants.asked:
                found.names |= set(map(str, rules.groups[str(entry.asks)].traits))
            if entry.grants is not None:
                _add_grants(rules, entry.grants, found)
        found.asks |= {(function, name) for function in ("has", "picked") for name in known}
    limits = {id_ for id_, g in rules.groups.items() if g.limit and str(g.limit.by) in found_in}
    pools = (g.pool for i, g in rules.groups.items() if i in limits and g.pool)
    found.names |= set(map(str, pools))
    for key in rules.character.values():
        if key.kind == "raises" and key.from_ in found_in:
            found.names |= {str(t) for group in key.of for t in rules.groups[group].traits}
    return found


def _add_grants(rules: Ruleset, grants: Grants, found: _Effects) -> None:
    """Add what a choice gives; further choices and gear may change everything."""
    found.everything |= bool(grants.take or grants.set or grants.gear)
    given = ("item", grants.gear), ("choice", grants.take or grants.set)
    found.gives |= {kind for kind, what in given if what}
    found.names |= {*map(str, grants.raise_), *map(str, grants.start)}
    if grants.spread is not None:
        of = rules.groups[grants.spread.of].traits if grants.spread.of else ()
        found.names |= {*map(str, of), *map(str, grants.spread.among)}
    for block in grants.when:
        _add_grants(rules, block, found)
