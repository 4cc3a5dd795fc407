"""What makes a sheet live: the program of its design, and the data of its character.

All characters of one design have the same program: JavaScript that is compiled from a ruleset and
the places of a sheet. engine.js reads its parts, which have short names: `t` traits, `g` groups,
`d` derived values, `p` pools, `k` keys that are numbers, `s` keys that are states, `out` outputs.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import count, product, takewhile
from typing import Any, Final, TypeAlias

from sheetgen.check.character.builds import check_character
from sheetgen.check.character.items import has_tags
from sheetgen.check.character.ratings import step_words
from sheetgen.check.character.results import limited_track, unit_text
from sheetgen.diag import codes
from sheetgen.model.build import Build, Value, parse_figure, step_die_text
from sheetgen.model.prints import Live, LiveFigures, Plate
from sheetgen.model.rulesets.prints import OddsGrid, RollRules
from sheetgen.model.rulesets.ruleset import ITEM_KINDS, VALUE_KINDS, Ruleset
from sheetgen.model.rulesets.traits import Grants
from sheetgen.model.source import EMPTY_SOURCE
from sheetgen.plan.scripts.places import (
    Formulas,
    Inputs,
    Output,
    find_live_columns,
    find_outputs,
    find_stem,
    line_text,
    list_hint_stems,
    list_text_names,
    naming_column,
)
from sheetgen.plan.sheets.view import View, build_blank_view
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import BRACES, exact_percent
from sheetgen.rules.formulas.expressions import Call, Either, Name, Number, Tree, parse_formula
from sheetgen.rules.formulas.notation import (
    MODIFIERS,
    THINGS,
    array,
    call_label,
    figured_text,
    function,
    is_explained,
    javascript,
    js_literal,
    label,
    number_data,
    record,
    terms,
)
from sheetgen.rules.index import attack_texts, folded, index_of, list_of_number
from sheetgen.rules.odds import odds
from sheetgen.rules.odds.distributions import bounded_work
from sheetgen.rules.odds.questions import (
    DicePool,
    OddsError,
    Question,
    parse_question,
    target_numbers,
)
from sheetgen.rules.scopes import Reach

_CODES: Final = {
    "type": codes.WRONG_TYPE,
    "advance": codes.NO_ADVANCE,
    "below": codes.BELOW_GRANT,
    "stars": codes.STARS,
    "above": codes.ABOVE_LIMIT,
    "rule": codes.BROKEN_RULE,
    "spent": codes.OVERSPENT,
    "dice": codes.BAD_DICE,
}


@frozen
class Program:
    """A program, the figures of a character that it needs, its inputs and outputs; see `Live`."""

    script: str
    figures: LiveFigures
    inputs: Inputs
    outputs: tuple[str, ...]
    cells: frozenset[str]
    hints: tuple[str, ...]
    unfollowed: frozenset[str]


@lru_cache(maxsize=16)
def build_program(rules: Ruleset, plate: Plate, flat: bool) -> Program | None:
    """Return the program of a sheet; None if it has nothing to calculate.

    If `flat`, it leaves out marks that no input changes: in a PDF, these are drawn.
    """
    kinds = {place.name: place.kind for place in plate.places}
    inputs = Inputs(rules, kinds)
    columns = find_live_columns(Formulas(rules, inputs))
    found = tuple(find_outputs(rules, kinds, columns, inputs.names))
    writer = _Writer(rules, inputs, found, columns, flat)
    unfollowed = list_unfollowed(writer, kinds, found)
    if flat:
        found = tuple(o for o in found if kinds[str(o[0])] != "mark" or writer.depends_on_inputs(o))
        writer.out = found
    if not found or not inputs.names:
        return None
    script = writer.script(unfollowed)
    cells = frozenset(str(o[0]) for o in found if o[1] == "c")
    names = tuple(str(o[0]) for o in found)
    # The head of a later page says the name again; a reader of each field need not hear of it.
    kept = frozenset(
        field
        for _, fields, places in unfollowed
        if any(_HEAD.fullmatch(place) is None for place in places)
        for field in fields
    )
    return Program(script, writer.figures(), inputs, names, cells, writer.hints, kept)


class _Writer(Formulas):
    def __init__(
        self,
        rules: Ruleset,
        inputs: Inputs,
        out: tuple[Output, ...],
        columns: Mapping[str, Mapping[str, str]],
        flat: bool,
    ) -> None:
        super().__init__(rules, inputs)
        self.out, self.columns, self.flat = out, columns, flat
        self.computed: set[str] = set()
        self.hints = list_hint_stems(rules, inputs) if flat else ()
        starts = (str(i) for i, pool in rules.pools.items() if self.live([str(pool.start)]))
        self.starts = frozenset(starts)

    def script(self, unfollowed: Iterable[Unfollowed]) -> str:
        for name in {str(o[2]) for o in self.out if o[1] in ("d", "h")}:
            self.reach.add_name(name)
        lines = [str(o[2]) for o in self.out if o[1] == "x"]
        rules, inputs = self.rules, self.inputs
        lost = [str(i) for i, key in rules.character.items() if key.kind == "losses"]
        # See `check_ratings`.
        below = "write the whole rating, {least} or more, or leave {name} out"
        if lost:
            below += f"; what was lost in play goes under `{lost[0].replace('_', ' ')}`"
        keys = ((id_, rules.character[id_]) for id_ in inputs.states)
        states = {id_: key.label or id_.replace("_", " ") for id_, key in keys}
        parts = {
            "pips": js_literal(rules.pips),
            "c": js_literal({name: code.id for name, code in _CODES.items()}),
            "t": record(self._traits()),
            "g": record((str(i), self._group(str(i))) for i in rules.groups),
            "p": record(self._pools()),
            "k": js_literal({str(i): inputs.keys.get(str(i), 0) for i in rules.character}),
            "s": js_literal(inputs.states),
            "links": js_literal(dict(sorted(inputs.links.items()))),
            "dice": "0",
            "adv": "0",
            "tracks": record(self._tracks()),
            "rolls": record(() if self.flat else self._rolls()),
            "lists": record(self._lists()),
            "x": record((i, self.template(line_text(rules, i))) for i in lines),
            "rules": f"[{','.join(self._rules())}]",
            "words": js_literal({"below": below, "states": states}),
            "out": js_literal(self.out),
            "hints": js_literal(self.hints),
            "fixed": js_literal(list(unfollowed)),
        }
        if rules.dice is not None and inputs.dice:  # the ladder of dice and its prices
            dice = {"pool": js_literal(str(rules.dice.pool))}
            dice |= {"ladder": js_literal(list(rules.dice.ladder))}
            dice |= {"buy": self.function(rules.dice.buy)}
            dice |= {"upgrade": self.function(rules.dice.upgrade), "places": str(inputs.dice)}
            parts["dice"] = record(dice.items())
        if rules.advances is not None:  # the costs of advances after creation
            groups = rules.advances.groups.items()
            costs = {"pool": js_literal(str(rules.advances.pool))}
            costs |= {"groups": record((str(g), self.function(f)) for g, f in groups)}
            costs |= {"gear": self.function(rules.advances.gear)}
            named = ((str(i), one.price) for i, one in rules.advances.named.items())
            live = ((id_, self.function(f)) for id_, f in named if self.live([f]))
            costs |= {"named": record(live)}
            parts["adv"] = record(costs.items())
        parts["tx"] = record(self._texts())
        parts["m"] = record(self._modifies())
        parts["d"] = record(self._derived())
        called = ((name, self.index.formulas[name]) for name in sorted(self.reach.functions))
        formulas = ((n, js_literal(list(p)), function(t, self.things)) for n, (p, t) in called)
        parts["f"] = record((n, array(taken, body)) for n, taken, body in formulas)
        found = {one for formulas in self.index.numbers.values() for one in formulas}
        texts = sorted(one for one in found if parse_figure(one) is None)
        numbers = record((text, self.function(text)) for text in texts)
        program = record(parts.items())
        things = "$.e(" in program or "$.bx(" in program or numbers != "{}"
        before = f"{THINGS}$.numbers={numbers};" if things else ""
        return "function($){" + before + "return" + program + "}"

    def figures(self) -> LiveFigures:
        """Return which figures of a character the program needs; after `script`."""
        names, asks, states = self.reach.names, self.reach.asks, self.inputs.states
        columns = {i: (naming_column(self.rules, i), self._names_in(i)) for i in self.columns}
        known = "own", "free", "stars", "modifiers"
        # Choices without boxes to mark stay as they were printed.
        choices = (str(i) for i, key in self.rules.character.items() if key.kind == "choice")
        fixed = {*map(str, self.rules.options), *(i for i in choices if i not in states)}
        things: dict[str, list[str]] = {}  # numbers of things that formulas take, by list
        for name in sorted(names):
            if list_ := list_of_number(self.rules, name):
                things.setdefault(list_, []).append(name.rpartition(".")[2])
        return LiveFigures(
            tuple(sorted(asked for asked in asks if asked[0] not in known)),
            tuple(sorted(names & fixed)),
            tuple(states),
            columns,
            frozenset(self.computed),
            self.starts,
            frozenset(of[0] for function, of in asks if function == "modifiers"),
            {list_: tuple(numbers) for list_, numbers in things.items()} or None,
        )

    def depends_on_inputs(self, output: Output) -> bool:
        kind, name = output[1], str(output[2])
        if kind == "o":
            return name in self.rules.tracks and self.live([self.rules.tracks[name].boxes])
        if kind == "s":
            return self.live(self.rules.tracks[name].steps.values())
        if kind == "h":
            return self.live([self.rules.derived[name].value or "0"])
        if kind == "x":
            return self.live(match[1] for match in BRACES.finditer(line_text(self.rules, name)))
        return True

    def _traits(self) -> Iterator[tuple[str, str]]:
        """Yield each trait: group, name, what it is added to, requirement, order, place, base."""
        groups = self.rules.groups.items()
        traits = ((g, str(i), trait) for g, group in groups for i, trait in group.traits.items())
        for place, (group_id, id_, trait) in enumerate(traits):
            added_to, requirement, base = self.index.summed.get(id_, ("", None, None))
            named = map(js_literal, (str(group_id), self.index.titles[id_], added_to))
            needs = self.function(requirement), str(place), js_literal(trait.why)
            under, own = str(trait.under or ""), self.inputs.fields.get(id_, "")
            more = self.function(trait.advance_if), js_literal(under), js_literal(own)
            yield id_, array(*named, *needs, *more, self.function(base))

    def _group(self, id_: str) -> str:
        """Return a group: its traits, how their ratings are read, prices and limits."""
        group = self.rules.groups[id_]
        limit, bought = group.limit, group.stated and group.price is not None and group.pool
        parts = {
            "t": js_literal(list(self.index.by_place[id_])),
            "as": js_literal(self.inputs.groups.get(id_, "")),
            "dice": js_literal(group.rating == "dice"),
            "form": js_literal(str(group.rating) if group.rating in ("signed", "die") else ""),
            "boxes": str(group.boxes),
        }
        if bought:
            step, steps = map(js_literal, step_words(group))
            parts |= {"price": self.function(group.price), "pool": js_literal(str(group.pool))}
            parts |= {"step": step, "steps": steps}
        if limit is not None:
            raised_by = str(limit.raised_by or "")
            entries = (c.entries.get(raised_by) for c in self.rules.choices.values())
            lifts = next((entry.name for entry in entries if entry is not None), "")
            parts |= {"most": self.function(limit.most), "by": js_literal(limit.by is not None)}
            if raised_by:
                parts |= {"lift": js_literal(raised_by), "lifts": js_literal(lifts)}
                self.reach.asks.add(("has", (raised_by,)))
            parts |= {"top": self.function(limit.ceiling)} if limit.ceiling else {}
        if group.open is not None:
            parts |= {"named": str(self.inputs.named.get(id_, 0)), "open": str(group.open.most)}
        return record(parts.items())

    def _pools(self) -> Iterator[tuple[str, str]]:
        for id_, pool in self.rules.pools.items():
            parts = {
                "label": js_literal(pool.label),
                "rows": str(self.inputs.rows.get(str(id_), 0)),
                "adds": js_literal(str(pool.adds or "")),
                "ruled": js_literal(str(id_) in self.inputs.ruled),
            }
            if str(id_) in self.starts:
                parts["start"] = self.function(pool.start)
            yield str(id_), record(parts.items())

    def _tracks(self) -> Iterator[tuple[str, str]]:
        for id_, track in self.rules.tracks.items():
            if str(id_) in self.inputs.tracks:
                key = js_literal(str(track.marked) if track.marked else None)
                if track.marked in self.rules.derived:
                    self.reach.add_name(str(track.marked))
                every = track.steps.items()
                steps = record((name.replace("_", " "), self.function(box)) for name, box in every)
                parts = ("boxes", self.function(track.boxes)), ("key", key), ("steps", steps)
                name = js_literal(limited_track(self.rules, str(id_)))
                yield str(id_), record((*parts, ("name", name)))

    def _rolls(self) -> Iterator[tuple[str, str]]:
        for id_, roll in self.rules.rolls.items():
            dice = record((str(die), self.function(f)) for die, f in roll.dice.items())
            yield str(id_), record((("dice", dice), ("each", js_literal(str(roll.each or "")))))

    def _lists(self) -> Iterator[tuple[str, str]]:
        for list_, texts in self.columns.items():
            if list_ in self._listed():
                of = str(self.rules.lists[list_].of)
                parts = {
                    "name": js_literal(naming_column(self.rules, list_)),
                    "of": js_literal(of if of in self.rules.groups else ""),
                    "cells": record((c, self.template(t)) for c, t in texts.items()),
                    "known": js_literal(dict(self._known(list_))),
                }
                yield list_, record(parts.items())

    def _listed(self) -> set[str]:
        return {str(output[3]) for output in self.out if output[1] == "c"}

    def _names_in(self, list_: str) -> frozenset[str]:
        """Return the names that the computed columns of a list need."""
        texts = self.columns[list_].values()
        names = frozenset().union(*(list_text_names(self.rules, text) for text in texts))
        names |= {"special", "conditional"} if "note" in names else set()
        rolled = {name for item in self.rules.gear.values() for name in attack_texts(item)}
        own = {"dice", "bonus", "count", "cost", *self.index.numbers}
        return names | (own if names & rolled else set())

    def _live_of_item(self, text: str) -> bool:
        """Whether a text of an item, or a number that it sees, depends on fields."""
        names = list_text_names(self.rules, text)
        numbers = (of for name, of in self.index.numbers.items() if name in names)
        return self.live_text(text) or any(map(self.live, numbers))

    def _known(self, list_: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield what the columns of a list need of each item that a player may name there.

        Items that modify a value are left out of it: a new print computes what they change.
        """
        rows, names = self.rules.lists[list_], self._names_in(list_)
        if rows.of.startswith("choices.") or rows.of in self.rules.groups:
            return
        for item in self.rules.gear.values():
            if not has_tags(rows, item.tags) or "modifiers" in names:
                continue
            if names & {"special", "conditional"} and "{" in f"{item.special}{item.conditional}":
                continue  # Their formulas are computed for a character's own items alone.
            facts: dict[str, Any] = {"name": str(item.name), "times": "", "count": 1, "remark": ""}
            facts |= {"cost": item.cost if isinstance(item.cost, int) else 0}
            facts |= {"bonus": "" if item.bonus is None else item.bonus}
            facts |= {"dice": "" if item.dice is None else item.dice}
            facts |= {"special": str(item.special), "conditional": str(item.conditional)}
            rolled = {n: str(t) for n, t in attack_texts(item).items() if n in names}
            live = {n: t for n, t in rolled.items() if self._live_of_item(t)}
            if any("{" in text for name, text in rolled.items() if name not in live):
                continue
            facts |= rolled
            facts["note"] = "; ".join(filter(None, (item.special, item.conditional)))
            facts |= {n: number_data(item.numbers.get(n, 0)) for n in self.index.numbers}
            known = {
                "n": {name: facts[name] for name in sorted(names) if name in facts},
                "skill": str(item.skill or ""),
                "dice": item.dice,
                "adds": str(item.adds or ""),
                **({"t": live} if live else {}),
            }
            for name in (item.name, *item.aliases):
                yield folded(name), known

    def _texts(self) -> Iterator[tuple[str, str]]:
        """Yield the texts of choices and items that depend on fields of the sheet."""
        for list_ in self._listed() & set(self.columns):
            names, of = self._names_in(list_), self.rules.lists[list_].of
            catalogue = self.rules.choices.get(of.removeprefix("choices."))
            if catalogue is not None and "computed" in names:
                found = [entry.computed or "" for entry in catalogue.entries.values()]
            else:
                gear = self.rules.gear.values()
                found = [str(item.conditional) for item in gear]
                found += [str(text) for item in gear for text in attack_texts(item).values()]
            self.computed |= {text for text in found if self._live_of_item(text)}
        yield from ((text, self.template(text)) for text in sorted(self.computed))

    def _modifies(self) -> Iterator[tuple[str, str]]:
        asked = {of[0] for function, of in self.reach.asks if function == "modifiers" and of}
        every = "modifiers" in set[str]().union(*map(self._names_in, self.columns))
        known = self.index.modifies.items()
        found = {f for derived, formulas in known if every or derived in asked for f in formulas}
        formulas = sorted(formula for formula in found if self.live([formula]))
        self.computed |= set(map(str, formulas))
        yield from ((formula, self.function(formula)) for formula in formulas)

    def _rules(self) -> Iterator[str]:
        for id_, rule in self.rules.rules.items():
            if rule.creation or not self.live([rule.require]):
                continue
            parts = {
                "id": js_literal(str(id_)),
                "require": self.function(rule.require),
                "message": self.template(rule.message),
                "plain": js_literal(rule.message),
                "hint": js_literal(rule.hint),
                "severity": js_literal(str(rule.severity or "error")),
                "at": js_literal(find_stem(self.rules, str(rule.at or ""))),
            }
            yield record(parts.items())

    def _derived(self) -> Iterator[tuple[str, str]]:
        hows = {str(o[2]) for o in self.out if o[1] == "h"}
        for id_, rule in self.rules.derived.items():
            if id_ not in self.reach.names:
                continue
            parts = {"as": js_literal(str(rule.as_ or "")), "unit": js_literal(unit_text(rule))}
            if rule.value is not None:
                parts["v"] = self.function(rule.value)
            else:
                parts |= {
                    "sum": self.function(rule.sum or "0"),
                    "over": js_literal(list(map(str, rule.over))),
                }
            if id_ in hows and rule.value is not None:
                tree = parse_formula(rule.value or "0")
                parts["how"] = "0"  # a formula with other calls has no terms
                if is_explained(tree, self.rules):
                    every = (_term(self.rules, sign, term) for sign, term in terms(tree))
                    parts["how"] = array(*every)
            yield str(id_), record(parts.items())


def _term(rules: Ruleset, sign: str, term: Tree) -> str:
    """Return a term of a derived value as an array: sign, kind, and the arguments of the kind.

    Kinds, as in `check/character/results.py`: `n` a number, `v` a name with its value, `m` what
    items add, `f` a lookup with what it finds, `e` one of two terms by a test, `w` words.
    """
    head = js_literal("-" if sign == "-" else "+")
    if isinstance(term, Number):
        return f'[{head},"n",{int(term.value)}]'
    if isinstance(term, Name):
        return f'[{head},"v",{js_literal(label(rules, term.name))},{js_literal(term.name)}]'
    if isinstance(term, Call) and term.function != MODIFIERS:
        name = js_literal(call_label(rules, term))
        value = javascript(term, partial(list_of_number, rules))
        return f'[{head},"f",{name},function(s){{return {value}}}]'
    if isinstance(term, Call):
        first = term.arguments[0] if term.arguments else None
        return f'[{head},"m",{js_literal(first.name if isinstance(first, Name) else "")}]'
    if isinstance(term, Either):
        branches = (() if b == Number(0, b.at) else (b,) for b in (term.yes, term.no))  # none if 0
        yes, no = (array(*(_term(rules, sign, b) for b in branch)) for branch in branches)
        return f'[{head},"e",function(s){{return {javascript(term.test)}}},{yes},{no}]'
    parts = []
    for place, part in enumerate(figured_text(term)):
        if place % 2 == 0:  # words; others are the names of figures
            parts.append(js_literal(part))
        elif part.startswith(f"{MODIFIERS}.") and part != f"{MODIFIERS}.":
            parts.append(f"[{js_literal(MODIFIERS)},0,{js_literal(part.partition('.')[2])}]")
        else:
            parts.append(f"[{js_literal(label(rules, part))},{js_literal(part)}]")
    return f'[{head},"w",{array(*parts)}]'


# A label, some fields, and the places that stay as printed once one of these fields changes.
Unfollowed: TypeAlias = tuple[str, Sequence[str], Sequence[str]]
_HEAD = re.compile(r"header\d*\.text")  # the head of a later page: the name and the first choices


@dataclass
class _Effects:
    """What a pick may change: names in formulas, and calls of functions."""

    rules: Ruleset
    names: set[str] = field(default_factory=set)
    gives: set[str] = field(default_factory=set)  # `item`, `choice`, or `choices.ID`
    advances: bool = False  # whether it may change what was paid for advances
    asks: set[tuple[str, str]] = field(default_factory=set)
    everything: bool = False  # whether it may change everything

    def reach(self, reach: Reach) -> bool:
        """Whether formulas depend on what a pick may change."""
        asks = {(function, of[0] if of else "") for function, of in reach.asks}
        lists = {list_of_number(self.rules, name) for name in reach.names} - {""}
        asks |= {("has", list_) for list_ in lists}
        held = lists - {*self.rules.choices} or {f for f, _ in asks} & {"items", "best", "holds"}
        gear = ("gear", "") in self.asks and held
        changed = (reach.names | lists) & self.names or asks & self.asks
        return bool(self.everything or gear or changed)

    def add_catalogues(self, ids: Iterable[str]) -> None:
        rules, found_in = self.rules, set(ids)
        for id_ in found_in:
            catalogue = rules.choices[id_]
            self.everything |= catalogue.custom is not None
            self.names |= {str(catalogue.pool)} if catalogue.pool else set()
            for entry_id in catalogue.entries:
                self._add_entry(id_, str(entry_id))
        limited = (g for g in rules.groups.values() if g.limit and str(g.limit.by) in found_in)
        self.names |= {str(group.pool) for group in limited if group.pool}
        for key in rules.character.values():
            if key.kind == "raises" and key.from_ in found_in:
                self.names |= {str(t) for group in key.of for t in rules.groups[group].traits}

    def _add_entry(self, catalogue: str, id_: str) -> None:
        entry = self.rules.choices[catalogue].entries[id_]
        known = {catalogue, id_, f"{catalogue}.{id_}", *map(str, entry.tags)}
        self.asks |= {(function, name) for function in ("has", "picked") for name in known}
        self.asks |= {("modifiers", str(derived)) for derived in entry.modifies}
        self.names |= {str(entry.pool)} if entry.pool else set()
        self.everything |= entry.focus is not None
        if entry.asks in self.rules.groups and entry.grants and entry.grants.asked:
            self.names |= set(map(str, self.rules.groups[str(entry.asks)].traits))
        if entry.grants is not None:
            self.add_grants(entry.grants)

    def add_grants(self, grants: Grants) -> None:
        """Add what a choice gives; further choices and gear may change everything.

        The choices of a level change what they change: a sheet has a field for the level.
        """
        taken = grants.take if not grants.once else ()
        self.everything |= bool(taken or grants.set or grants.gear)
        for catalogue, listed in self.rules.choices.items() if grants.once else ():
            for id_ in (id_ for id_ in grants.take if id_ in listed.entries):
                self.gives.add(f"choices.{catalogue}")
                if ("has", f"{catalogue}.{id_}") not in self.asks:
                    self._add_entry(str(catalogue), str(id_))
        given = ("item", grants.gear), ("choice", taken or grants.set)
        self.gives |= {kind for kind, what in given if what}
        self.names |= {*map(str, grants.raise_), *map(str, grants.start)}
        if grants.spread is not None:
            of = self.rules.groups[grants.spread.of].traits if grants.spread.of else ()
            self.names |= {*map(str, of), *map(str, grants.spread.among)}
        for block in grants.when:
            self.add_grants(block)


def list_unfollowed(
    formulas: Formulas, kinds: Mapping[str, str], out: Sequence[Output]
) -> tuple[Unfollowed, ...]:
    """Return the fields of choices and gear, with what depends on them, if anything does."""
    rules = formulas.rules
    reaches = {str(o[0]): _reach(formulas, o) for o in out if o[1] != "l"}
    found: list[Unfollowed] = []
    paid, rule = Reach(rules), rules.advances  # formulas of prices, and the ratings raised
    for group in rule.groups if rule else ():
        paid.names |= set(map(str, rules.groups[group].traits))
    for formula in (*rule.groups.values(), rule.gear or "0") if rule else ():
        paid.add(formula)
    for name, fields, effects, texts in (*_sources(formulas, kinds), *_grants(formulas, kinds)):
        changed = [name for name, reach in reaches.items() if effects.reach(reach)]
        # The ratings that a pick may grant: names, own ratings and boxes.
        traits = formulas.index.traits
        for trait in traits if effects.everything else sorted(effects.names & traits.keys()):
            stem = f"{traits[trait][0]}.{trait}."
            changed += (n for n in kinds if n.startswith(stem) and n.count(".") == 2)
        for id_, key in rules.character.items():  # items and choices that a pick may come with
            kind = key.kind.removesuffix("s")
            of = ["gear", id_] if kind == "item" else [f"choices.{c}" for c in key.of or (id_,)]
            if effects.gives & {kind, *(of if kind == "choice" else ())}:
                changed += (n for n in kinds if n == id_ or n.startswith(f"{id_}."))
                changed += _list_cells(rules, kinds, list(map(str, of)))
        # A rating that a pick grants, or lets its taker raise, is paid for no longer, or again.
        of_names = (rules.groups[traits[t][0]] for t in effects.names & traits.keys())
        paying = {str(group.pool) for group in of_names if group.stated and group.price is not None}
        changed += sorted({f"{pool}.left" for pool in paying} & kinds.keys() - {*changed})
        touched = effects.names | paying
        pools = [p for p in rules.pools if effects.everything or p in touched]
        if rule and (effects.advances or effects.reach(paid)):
            changed += {f"{rule.pool}.left"} & kinds.keys()
            pools.append(rule.pool)
        changed += [f"{p}.ledger" for p in pools if f"{p}.ledger.1.what" in kinds]  # all its rows
        shown = [*changed, *(t for t in texts if t in kinds and t not in changed)]
        if fields and shown:
            found.append((name, fields, shown))
    computed = {str(o[0]) for o in out}
    for id_, rows in rules.lists.items():
        name, others = naming_column(rules, str(id_)), list(map(str, rows.columns))
        for row in _rows(kinds, f"{id_}.", f".{name}") if rows.of not in rules.groups else ():
            cells = (f"{row}.{column}" for column in others if column != name)
            if beside := [cell for cell in cells if cell in kinds and cell not in computed]:
                found.append(("", [f"{row}.{name}"], beside))
    return tuple(found)


def _sources(
    formulas: Formulas, kinds: Mapping[str, str]
) -> Iterator[tuple[str, list[str], _Effects, list[str]]]:
    """Yield the label of each key of choices or gear, its fields, its effects, its own texts."""
    rules, inputs = formulas.rules, formulas.inputs
    # The fields of single choices, since one may come with another.
    choices = (str(i) for i, k in rules.character.items() if k.kind == "choice" and not k.passing)
    single = [id_ for id_ in choices if kinds.get(id_) == "text"]
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
            texts += single if key.kind == "choice" else []
            effects = _Effects(rules, {str(id_)})
            effects.add_catalogues(catalogues)
            yield label, fields, effects, [*texts, *heads, *_list_cells(rules, kinds, listed)]
            yield label, _list_fields(rules, kinds, listed), effects, heads
        elif id_ == "name":
            yield label, [str(id_)], _Effects(rules), [n for n in kinds if _HEAD.fullmatch(n)]
        elif key.kind in ITEM_KINDS:
            own = [str(id_)] if kinds.get(str(id_)) in ("text", "lines") else []
            rows = _list_fields(rules, kinds, ["gear", str(id_)])
            effects = _Effects(rules, {str(key.pool)} if key.pool else set(), asks={("gear", "")})
            effects.advances = rules.advances is not None and rules.advances.gear is not None
            for item in rules.gear.values():
                changed = [*item.modifies, *((item.gives,) if item.gives else ())]
                effects.asks |= {("modifiers", str(derived)) for derived in changed}
            if own:
                yield label, own, effects, _list_cells(rules, kinds, ["gear", str(id_)])
            yield label, rows, effects, own
        elif key.kind == "raises":
            groups = tuple(f"{group}." for group in key.of)
            fields = [n for n, kind in kinds.items() if kind == "tick" and n.startswith(groups)]
            yield label, fields, _Effects(rules, {str(id_)}), []
        elif key.kind in VALUE_KINDS and key.pool is not None and str(id_) in kinds:
            yield label, [str(id_)], _Effects(rules, {str(id_), str(key.pool)}), []


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
        effects = _Effects(rules)
        effects.add_grants(block)
        yield ", ".join(labels), fields, effects, []


def _list_cells(rules: Ruleset, kinds: Mapping[str, str], of: Sequence[str]) -> list[str]:
    """Return all places in the rows of the lists of some things."""
    stems = [f"{id_}." for id_, rows in rules.lists.items() if rows.of in of]
    return [n for n in kinds if n.count(".") == 2 and n.startswith(tuple(stems))] if stems else []


def _rows(kinds: Mapping[str, str], start: str, end: str) -> list[str]:
    """Return the stems of the rows of a list on the sheet: `START1`, `START2`."""
    rows = (f"{start}{number}" for number in count(1))
    return [*takewhile(lambda row: f"{row}{end}" in kinds, rows)]


def _list_fields(rules: Ruleset, kinds: Mapping[str, str], of: Sequence[str]) -> list[str]:
    """Return the fields that name what is in the rows of the lists of some things."""
    named = ((id_, naming_column(rules, str(id_))) for id_, r in rules.lists.items() if r.of in of)
    return [f"{row}.{name}" for id_, name in named for row in _rows(kinds, f"{id_}.", f".{name}")]


def _reach(formulas: Formulas, output: Output) -> Reach:
    rules, reach = formulas.rules, Reach(formulas.rules)
    kind, name = output[1], str(output[2])
    if kind == "x":
        reach.add_line(line_text(rules, name))
    elif kind == "r":
        for formula in rules.rolls[name].dice.values():
            reach.add(formula)
        reach.add_name(str(output[3]))
    elif kind == "c":
        rows = rules.lists[str(output[3])]
        reach.add_line(rows.columns[str(output[4])])
        catalogue = rules.choices.get(rows.of.removeprefix("choices."))
        for entry in catalogue.entries.values() if catalogue else ():
            reach.add_line(entry.computed or "")
        traits: set[str] = set()
        if rows.of in rules.groups:
            traits = set(map(str, rules.groups[str(rows.of)].traits))
        elif reach.names & {"attack", "damage"}:
            traits = {str(t) for item in rules.gear.values() for t in (item.skill, item.adds) if t}
            texts = (text for i in rules.gear.values() for text in attack_texts(i).values())
            reach.add_line("".join(texts))
        for trait in traits:
            reach.add_name(trait)
    elif name in rules.tracks and kind in ("o", "s"):
        track = rules.tracks[name]
        for formula in (track.boxes, *track.steps.values()):
            reach.add(formula)
        reach.add_name(str(track.marked or ""))
    else:
        reach.add_name(name)
    return reach


def build_live(
    build: Build, view: View, rules: Ruleset, plate: Plate, *, flat: bool
) -> Live | None:
    """Return what makes the sheet of `build` live; None if it calculates nothing.

    It is `flat` if marks cannot change, as in a PDF.
    """
    program = build_program(rules, plate, flat)
    if program is None or build.figures is None:
        return None
    inputs, texts = program.inputs, view.texts
    # Printed texts of numbers, sums of the rows of ledgers, and marked boxes of tracks.
    rows: dict[str, list[int]] = {}
    for pool, most in inputs.rows.items():
        sums = []
        for last in ("gained", "cost"):
            found = (texts.get(f"{pool}.ledger.{n}.{last}") for n in range(1, most + 1))
            sums.append(sum(int(one.text.replace("−", "-")) for one in found if one is not None))
        rows |= {pool: sums} if any(sums) else {}
    tracks = {track: n for spec in inputs.keys.values() for track, n, _ in spec["tracks"]}
    ticked = {
        track: sum(f"{track}.box.{n}" in view.ticks for n in range(1, boxes + 1))
        for track, boxes in tracks.items()
    }
    printed = {"shown": {k: texts[k].text for k in inputs.keys if k in texts}, "rows": rows}
    more = {"ticked": ticked, "more": list(build.dice[inputs.dice :])}
    data = js_literal({**build.figures(program.figures), **printed, **more})
    computed = program.outputs, program.cells, inputs.names, program.hints
    return Live(program.script, data, *computed, program.unfollowed)


def build_blank_live(rules: Ruleset, chosen: Mapping[str, str], plate: Plate) -> Live | None:
    """Return what makes an empty sheet live: its sums, without the costs of advances.

    A reader first writes what a character starts with, and the rules for that are not on the
    sheet, so points for advances are not counted. The effects of choices and gear are unknown,
    so the sums may be overwritten.
    """
    build = check_character(EMPTY_SOURCE, rules, chosen).value
    known = build.figures if build is not None else None
    if build is None or known is None:
        return None
    bought = {str(rules.advances.pool)} if rules.advances is not None else set()

    def figures(requested: LiveFigures) -> Mapping[str, Any]:
        data = dict(known(requested))
        data["got"] = {pool: n for pool, n in data["got"].items() if pool not in bought}
        data |= {"own": {}, "free": {}, "base": {}, "blank": 1}
        return data | {"unsure": dict.fromkeys(data["got"], 1)}

    empty = replace(build, figures=figures)
    live = build_live(empty, build_blank_view(rules, build.options), rules, plate, flat=True)
    if live is None:
        return None
    marks = {place.name for place in plate.places if place.kind == "mark"}
    return replace(live, cells=frozenset(live.outputs) - marks)


MOST_DICE: Final = 15  # most dice of a code in the table
MOST_POOL: Final = 6  # most dice with symbols in a pool in the table


def compute_sheet_odds(rules: Ruleset, options: Mapping[str, Value]) -> dict[str, Any] | None:
    """Return the odds of a ruleset as plain data; None if it prints none.

    Codes can be tapped where a grid is of sums, and pools where one is of dice with symbols. Raises
    `GridError` for a row or a column of a grid, `FormulaError` for a formula of a roll.
    """
    own = list(rules.odds.rolls.values()) if rules.odds is not None else []
    grids = list(rules.odds.grids.values()) if rules.odds is not None else []
    if not grids and not any(roll.rated for roll in own):
        return None
    found = [(grid, odds.resolve_roll(odds.roll_of(rules, grid), rules, options)) for grid in grids]
    drawn = [(grid, how) for grid, how in found if how.roll.kind == odds.SYMBOLS]
    sums = [grid for grid, how in found if how.roll.kind != odds.SYMBOLS]
    rated = [roll for roll in own if roll.rated]
    with bounded_work():
        data = _symbols(rules, *drawn[0]) if drawn else {}
        if not sums and not rated:
            return data
        summed = (roll for roll in own if roll.kind != odds.SYMBOLS)
        rolls = [_roll_odds(rules, roll, sums, options) for roll in summed]
    letter = odds.roll_of(rules, sums[0]).letter if sums else rated[0].letter
    if any(UNDER in str(roll.rated) for roll in rated):  # the traits that govern others
        traits = index_of(rules).traits
        above = {f"{of}.{t}": str(rule.under) for t, (of, rule) in traits.items()}
        data |= {"under": {t: f"{traits[u][0]}.{u}" for t, u in above.items() if u in traits}}
    return data | {"letter": letter, "rolls": [one for one in rolls if one["heads"]]}


def _roll_odds(
    rules: Ruleset, roll: RollRules, grids: Sequence[OddsGrid], options: Mapping[str, Value]
) -> dict[str, Any]:
    how = odds.resolve_roll(roll, rules, options)
    over = next((grid for grid in grids if odds.roll_of(rules, grid) is roll), None)
    questions: list[list[Question]] = [[]]
    if over is not None or (grids and not roll.outcomes):
        with contextlib.suppress(odds.GridError):  # columns of another roll, with words of its own
            questions = odds.questions_of(over or grids[0], how)
    goals = [odds.goal(one) for one in questions[0] if one.target is not None]
    # A target number has the name of the last level that begins at or below it.
    known, names = target_numbers(roll, rules)
    levels = [*zip(names, known.values(), strict=False)][::-1]
    asked: list[tuple[str, Question]] = []
    if roll.rated:  # what ratings roll that a sheet may show: numbers, and dice such as d8
        steps = [step_die_text(step) for step in range(1, 9)]
        pairs = [(rating, "") for rating in (*map(str, range(-10, MOST_RATING + 1)), *steps)]
        if UNDER in roll.rated:
            few = [*map(str, range(-5, MOST_UNDER + 1))]
            pairs = [*product(few, few), *product(steps, steps)]
        for own, above in pairs:
            text = str(how.roll.rated).replace("{n}", own).replace(UNDER, above)
            text, rating = text.replace("+ -", "- "), f"{own}/{above}" if above else own
            with contextlib.suppress(OddsError):  # a number where a die has to be, or too many dice
                question = parse_question(text, how.words)
                asked += [(f"={rating}", question)] if question.other is None else []
    else:
        for dice, pips in product(range(1, MOST_DICE + 1), range(3 if how.roll.pips else 1)):
            hand = DicePool({str(how.roll.faces): dice}, pips)
            asked.append((f"{dice}+{pips}" if pips else str(dice), Question("", hand)))
    against = any(question.target is not None for _, question in asked)
    goals = [] if against else goals or [*known.values()]
    ids = {id_ for _, question in asked for id_, _ in odds.known_outcomes(question, how)}
    shown = [id_ for id_ in map(str, roll.outcomes) if id_ in ids]
    heads = [[next((n for n, least in levels if least <= g), ""), str(g)] for g in goals]
    heads += [[odds.SUCCESS, ""]] if against and not shown else []
    heads += [[roll.outcomes[id_].label, ""] for id_ in shown]
    table = {}
    for code, question in asked if heads else ():
        totals, lost = odds.totals_of(question.pool, how), odds.fails(question.pool, how)
        chances = [Fraction(0) if lost else odds.reach(totals, goal, how) for goal in goals]
        chances += [odds.chances_of_sum(question, how)[0].value] if against and not shown else []
        chances += odds.of_outcomes(question, shown, how) if shown else ()
        table[code] = " ".join(exact_percent(chance).removesuffix("%") for chance in chances)
    return {"label": roll.label, "heads": heads, "table": table}


MOST_RATING: Final = 100  # the highest number of which a page knows the odds
MOST_UNDER: Final = 20  # the same where the trait that governs it is rolled, too
UNDER: Final = "{under}"


def _symbols(rules: Ruleset, grid: OddsGrid, how: odds.ResolvedRoll) -> dict[str, Any]:
    call = {str(key): heading for key, heading in grid.call.items()}
    against = {die for over in grid.over for die in parse_question(str(over), how.words).pool.dice}
    order = [str(die) for die in how.roll.dice if str(die) not in against]
    pools: dict[str, list[str]] = {}
    # The smallest pools of the dice of each of the ruleset's own rolls, without dice that oppose.
    rolls = {frozenset(map(str, roll.dice)) for roll in rules.rolls.values()}
    for dice in sorted(rolls, key=sorted):
        kinds = [die for die in order if die in dice]
        if len(kinds) < len(dice) or not 0 < len(kinds) < 3:
            continue
        counts = product(range(MOST_POOL + 1), repeat=len(kinds))
        for some in sorted((p for p in counts if 0 < sum(p) <= MOST_POOL), key=sum):
            pool = [(die, count) for die, count in zip(kinds, some, strict=True) if count]
            words = " ".join(f"{count} {die}" for die, count in pool)
            asked = [parse_question(f"{words} vs {over}", how.words) for over in grid.over]
            rows = zip(*(odds.answer(question, how).chances for question in asked), strict=True)
            per_cent = ([exact_percent(one.value).removesuffix("%") for one in row] for row in rows)
            name = " ".join(f"{die}:{count}" for die, count in pool)
            pools[name] = [*map(" ".join, per_cent)]
    used = {part.partition(":")[0] for name in pools for part in name.split()}
    return {
        "label": grid.label,
        "over": grid.about.rpartition("against ")[2],
        "dice": {die: str(how.roll.dice[die].name) for die in order if die in used},
        "columns": [call.get(str(over), str(over)) for over in grid.over],
        "outcomes": [outcome.label for outcome in how.roll.outcomes.values()],
        "pools": pools,
    }
