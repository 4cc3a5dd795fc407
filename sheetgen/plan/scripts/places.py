"""The places of a sheet that a program reads: ratings, numbers, states, dice, points."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from functools import partial
from itertools import count
from typing import Any

from sheetgen.model.rulesets.ruleset import VALUE_KINDS, Key, Ruleset
from sheetgen.model.rulesets.traits import Group
from sheetgen.rules.formulas.evaluate import BRACES
from sheetgen.rules.formulas.expressions import inputs as names_in
from sheetgen.rules.formulas.expressions import parse_formula
from sheetgen.rules.formulas.notation import function, template
from sheetgen.rules.index import index_of, list_of_number
from sheetgen.rules.scopes import Reach

_ROW = re.compile(r"(\w+)\.ledger\.(\d+)\.(gained|cost)")
_DIE = re.compile(r"dice\.(\d+)")


class Inputs:
    """The inputs of a program: the places of a sheet that it reads."""

    def __init__(self, rules: Ruleset, kinds: Mapping[str, str]) -> None:
        """Find them by the kind of each place."""
        names: set[str] = set()
        live: set[str] = set()
        # How the ratings of a group are written: `boxes` or `text`.
        self.groups: dict[str, str] = {}
        # The last part of the name of a rating's place, by trait.
        self.fields: dict[str, str] = {}
        # How many rows there are for traits that the author names, by group.
        self.named: dict[str, int] = {}
        for id_, group in rules.groups.items():
            stated = group.stated or (rules.advances is not None and id_ in rules.advances.groups)
            raised = any(k.kind == "raises" and id_ in k.of for k in rules.character.values())
            boxed = group.boxes and raised
            read = _ratings(rules, str(id_), group, kinds) if stated or boxed else {}
            if read:
                self.groups[str(id_)] = "boxes" if group.boxes else "text"
                self.fields |= read
                if not group.boxes:
                    names |= {f"{id_}.{trait}.{field}" for trait, field in read.items()}
                boxes = (f"{id_}.{trait}.{n}" for trait in read for n in range(1, group.boxes + 1))
                names |= {name for name in boxes if name in kinds}
                live |= set(read)
            if group.open is not None and stated:
                self.named[str(id_)] = _count(kinds, f"{id_}.", ".name")
                self.groups |= {str(id_): "boxes"} if self.named[str(id_)] else {}
                own = (n for n in kinds if n.startswith(f"{id_}."))
                names |= {n for n in own if n.split(".")[1].isdigit()}
        written = [(str(i), key) for i, key in rules.character.items()]
        # For keys that are numbers: whether they have a field, and the tracks that they mark.
        self.keys = {i: found for i, key in written if (found := _key(rules, i, key, kinds))}
        # For keys whose entry is marked, as passing states: the names of each entry in formulas.
        self.states: dict[str, dict[str, tuple[str, ...]]] = {}
        for id_, key in written:
            catalogue = key.catalogue(id_)
            passing = key.kind == "choice" and key.passing
            for entry, state in rules.choices[catalogue].entries.items() if passing else ():
                if kinds.get(f"{id_}.{entry}") == "tick":
                    known = str(entry), catalogue, f"{catalogue}.{entry}", *map(str, state.tags)
                    self.states.setdefault(id_, {})[str(entry)] = known
        # How many rows the ledger of each pool has.
        self.rows: dict[str, int] = {}
        for name in kinds:
            if (match := _ROW.fullmatch(name)) and match[1] in rules.pools:
                self.rows[match[1]] = max(self.rows.get(match[1], 0), int(match[2]))
                names.add(name)
        # Pools whose costs the rules compute, of ratings, dice or advances; the costs of others are
        # in their ledgers.
        self.ruled = {str(g.pool) for g in rules.groups.values() if g.stated and g.price and g.pool}
        paid = (one.pool for one in (rules.dice, rules.advances) if one is not None)
        self.ruled |= set(map(str, paid))
        # How many places there are for dice.
        self.dice = sum(1 for n in kinds if _DIE.fullmatch(n)) if rules.dice else 0
        self.tracks = {str(i) for i in rules.tracks if f"{i}.box.1" in kinds}
        names |= {f"dice.{n}" for n in range(1, self.dice + 1)}
        names |= {k for k, spec in self.keys.items() if spec["field"]}
        tracks = (track for spec in self.keys.values() for track, _, _ in spec["tracks"])
        marks = tuple(f"{track}.box." for track in tracks)
        names |= {n for n in kinds if n.startswith(marks)} if marks else set()
        names |= {f"{key}.{entry}" for key, entries in self.states.items() for entry in entries}
        # The places of letters of links, by trait or row, if formulas use them.
        formulas: list[str] = [line.text for line in rules.texts.values()]
        formulas += [rule.value or "" for rule in rules.derived.values()]
        formulas += [text for rows in rules.lists.values() for text in rows.columns.values()]
        linked = any("linked(" in one for one in (*formulas, *rules.formulas.values()))
        self.links: dict[str, str] = {}
        for name in (n for n in kinds if linked and n.endswith(".link")):
            stem = name.removesuffix(".link")
            last = stem.rpartition(".")[2]
            self.links[stem if last.isdigit() else last] = name
        self.names = frozenset(names | set(self.links.values()))
        # Names in formulas that depend on inputs: traits, keys, pools.
        self.live: Set[str] = live | self.keys.keys() | self.rows.keys() | self.ruled


def line_text(rules: Ruleset, id_: str) -> str:
    """Return a line of text with its {formulas}; `TRACK.steps` is the line of a track's steps."""
    track = rules.tracks.get(id_.removesuffix(".steps")) if id_.endswith(".steps") else None
    if track is None:
        return rules.texts[id_].text
    steps = track.steps.items()
    return " · ".join(f"{{{box}}} {name.replace('_', ' ')}" for name, box in steps)


def _count(names: Collection[str], start: str, end: str = "") -> int:
    """Return how many places there are, numbered from 1: `START1END`, `START2END`."""
    return next(n for n in count(1) if f"{start}{n}{end}" not in names) - 1


def list_hint_stems(rules: Ruleset, inputs: Inputs) -> tuple[str, ...]:
    """Return the stems of places that findings may be about; see `at` of a finding.

    A rule about a whole group has no place of its own.
    """
    found = []
    for id_, group in rules.groups.items():
        judged = group.limit is not None or group.price is not None
        if judged or inputs.groups.get(str(id_)) == "text":
            found += [f"{id_}.{trait}" for trait in group.traits if trait in inputs.fields]
        found += [f"{id_}.{row}" for row in range(1, inputs.named.get(str(id_), 0) + 1)]
    found += [key for key, spec in inputs.keys.items() if spec["field"]]
    found += [f"dice.{n}" for n in range(1, inputs.dice + 1)]
    found += [f"{pool}.left" for pool in rules.pools]
    found += [find_stem(rules, str(rule.at)) for rule in rules.rules.values() if rule.at]
    return tuple(dict.fromkeys(stem for stem in found if stem not in rules.groups))


def find_stem(rules: Ruleset, at: str) -> str:
    """Return the stem of the places that a rule's `at` names: a key, or a trait in its group."""
    found = index_of(rules).traits.get(at)
    return f"{found[0]}.{at}" if found and at not in rules.character else at


def _ratings(rules: Ruleset, id_: str, group: Group, kinds: Mapping[str, str]) -> dict[str, str]:
    """Return the last part of the names of a group's places, by trait."""
    found: dict[str, str] = {}
    index = index_of(rules)
    for trait in map(str, group.traits):
        field = "1" if group.boxes else index.typed_part(trait)
        kind = kinds.get(f"{id_}.{trait}.{field}")
        if kind is not None and (group.boxes or kind != "mark"):
            found[trait] = field
    return found


def _key(rules: Ruleset, id_: str, key: Key, kinds: Mapping[str, str]) -> Mapping[str, Any] | None:
    """Return the places of a key that is a number; None if it is not on the sheet.

    It may have a field, and tracks: those that it marks itself, and those marked by a derived
    value whose formula names no other number of the file. Keys that cost points are left to the
    ledger.
    """
    if key.kind not in VALUE_KINDS or key.pool is not None:
        return None
    field = int(key.kind == "number" and kinds.get(id_) == "text")
    tracks = []
    numbers = {str(i) for i, key in rules.character.items() if key.kind == "number"}
    for track_id, track in rules.tracks.items():
        boxes = _count(kinds, f"{track_id}.box.")
        derived = rules.derived.get(str(track.marked or ""))
        used = names_in(parse_formula(derived.value or "0")) if boxes and derived else set()
        if boxes and (track.marked == id_ or numbers & used == {id_}):
            tracks.append((str(track_id), boxes, int(track.marked == id_)))
    if not field and not tracks:
        return None
    return {"field": field, "tracks": tracks, "label": key.label or id_}


Output = tuple[str | int, ...]
"""Name of the place, kind, and the arguments of the kind: `("NAME.value", "d", "NAME")`.

Kinds: `d` derived value, `h` the terms of its sum, `t` total of a rating, `p` points left, `l`
running balance of a ledger, `x` line of text, `c` cell of a list, `r` pool of dice in words, `o`
what is beyond the boxes of a rating or a track, `s` the state that a box of a track leads to.
"""

_OF_ITEMS = frozenset(("name", "times", "count", "cost", "special", "conditional", "note"))
_OF_ITEMS |= {"remark", "modifiers", "dice", "bonus"}
"""Names in the rows of a list; attack and damage, too, which depend on ratings."""

_NUMBERED = re.compile(r"(\w+)\.ledger\.(\d+)\.left|(\w+)\.(\d+)\.(\w+)")


def find_outputs(
    rules: Ruleset, names: Collection[str], columns: Mapping[str, Mapping[str, str]], read: Set[str]
) -> Iterator[Output]:
    """Yield the outputs among the places `names`, in their order; those that are `read` are none.

    `columns` are those of lists that are computed; see `find_live_columns`.
    """
    for name in names:
        found = _output_of(rules, name, names, columns)
        if found is not None and name not in read:
            yield found


def _output_of(
    rules: Ruleset, name: str, names: Collection[str], columns: Mapping[str, Mapping[str, str]]
) -> Output | None:
    head, _, last = name.rpartition(".")
    group, _, trait = head.partition(".")
    derived, column = rules.derived.get(head), name.partition(".")[2]
    if last == "value" and derived is not None:
        return name, "d", head
    if column in rules.derived and rules.derived[column].place == name:
        return name, "d", column
    if last == "how" and derived is not None and derived.value is not None:
        return name, "h", head
    if last == "left" and head in rules.pools:
        return name, "p", head
    if last == "steps" and head in rules.tracks:
        return name, "x", name
    if last == "text" and head in rules.texts and "{" in rules.texts[head].text:
        return name, "x", head
    if last in ("total", "code") and index_of(rules).traits.get(trait, ("",))[0] == group:
        return name, "t", trait, int(last == "code")
    if last == "over" and (head in rules.tracks or trait):
        boxes = _count(names, f"{head}.box." if head in rules.tracks else f"{head}.")
        return name, "o", trait or head, int(not trait), boxes
    if trait == "step" and group in rules.tracks and last.isdigit():
        return name, "s", group, int(last)
    if head.endswith(".roll") and last == "text":
        roll, _, of = head.removesuffix(".roll").partition(".")
        if not of:
            return (name, "r", roll, "") if roll in rules.rolls else None
        rolls = (str(id_) for id_, rule in rules.rolls.items() if str(rule.each) == roll)
        return next(((name, "r", id_, of) for id_ in rolls), None)
    match = _NUMBERED.fullmatch(name)
    if match and match[1] in rules.pools:
        row = name.removesuffix("left")
        complete = f"{row}gained" in names and f"{row}cost" in names
        return (name, "l", match[1], int(match[2])) if complete else None
    if match and match[5] in columns.get(match[3] or "", {}):
        return name, "c", f"{match[3]}.{match[4]}", match[3], match[5]
    return None


def find_live_columns(formulas: Formulas) -> Mapping[str, Mapping[str, str]]:
    """Return the columns of lists that depend on fields of the sheet, with their texts, by list.

    The column that names what is in a row is typed, except for traits, which have ratings.
    """
    rules, found = formulas.rules, dict[str, dict[str, str]]()
    # Names in the rows of lists that depend on fields of the sheet.
    gear, moving = rules.gear.values(), {"attack", "damage", "computed"}
    if any(formulas.live_text(item.conditional, _OF_ITEMS) for item in gear):
        moving |= {"conditional", "note"}
    if any(formulas.live(item.modifies.values()) for item in gear):
        moving.add("modifiers")
    moving |= {name for name, texts in formulas.index.numbers.items() if formulas.live(texts)}
    for id_, rows in rules.lists.items():
        traits = rows.of in rules.groups
        if traits and rows.of not in formulas.inputs.groups:
            continue
        of_choices = frozenset(("name", "times", "text", "computed"))
        names = of_choices if rows.of.startswith("choices.") else _OF_ITEMS
        names |= formulas.index.numbers.keys()
        for column, text in rows.columns.items():
            used = list_text_names(rules, text)
            named = not traits and column == naming_column(rules, str(id_))
            if not named and (traits or used & moving or formulas.live_text(text, names)):
                found.setdefault(str(id_), {})[str(column)] = text
    return found


def list_text_names(rules: Ruleset, text: str) -> Set[str]:
    """Return the names that the formulas in the braces of `text` need."""
    reach = Reach(rules)
    reach.add_line(text)
    return reach.names


def naming_column(rules: Ruleset, list_: str) -> str:
    """Return the column of a list with the names of items; else its first column."""
    columns = rules.lists[list_].columns
    named = (str(column) for column, text in columns.items() if "{name}" in text)
    return next(named, str(next(iter(columns), "")))


class Formulas:
    """Compiles formulas, and collects what all of them use in `reach`."""

    def __init__(self, rules: Ruleset, inputs: Inputs) -> None:
        self.rules, self.inputs, self.index = rules, inputs, index_of(rules)
        self.reach, self.things = Reach(rules), partial(list_of_number, rules)

    def function(self, formula: str | None) -> str:
        """Return a formula as a function; None as `0`."""
        if formula is None:
            return "0"
        self.reach.add(formula)
        return function(formula, self.things)

    def template(self, text: str) -> str:
        """Return a text with formulas in braces as an array."""
        self.reach.add_line(text)
        return template(text, self.things)

    def live(self, formulas: Iterable[str], own: Set[str] = frozenset()) -> bool:
        """Return whether any of `formulas` depends on fields of the sheet.

        They see the names `own` before those of the character.
        """
        reach = Reach(self.rules)
        for formula in formulas:
            reach.add(formula)
        entries = (names for state in self.inputs.states.values() for names in state.values())
        states = {name for names in entries for name in names}
        asked = {n for f, names in reach.asks if f in ("has", "picked") for n in names}
        changed = {
            ("modifiers", (str(derived),))
            for catalogue, listed in self.rules.choices.items()
            for id_, entry in listed.entries.items()
            if f"{catalogue}.{id_}" in states
            for derived in entry.modifies
        }
        live = self.inputs.live | self.inputs.states.keys()
        return bool((reach.names - own) & live or states & asked or changed & reach.asks)

    def live_text(self, text: str, own: Set[str] = frozenset()) -> bool:
        """Return whether a formula in the braces of `text` depends on fields of the sheet."""
        return "{" in text and self.live(BRACES.findall(text), own)
