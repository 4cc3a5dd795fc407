"""Compile a ruleset and the places of a sheet to a program: JavaScript that calculates.

All characters of one design have the same program. engine.js reads its parts, which have short
names: `t` traits, `g` groups, `d` derived values, `p` pools, `k` keys that are numbers, `s`
keys that are states, `out` outputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, TypeAlias

from sheetgen.check.character.ratings import step_words
from sheetgen.check.character.results import has_tags
from sheetgen.diag import codes
from sheetgen.model.prints import LiveFigures, Plate
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.rulesets.traits import Derived, Grants
from sheetgen.plan.scripts.places import (
    Formulas,
    Inputs,
    Output,
    find_inputs,
    find_live_columns,
    find_outputs,
    find_stem,
    list_hint_stems,
    list_text_names,
    naming_column,
)
from sheetgen.rules.formulas.evaluate import BRACES
from sheetgen.rules.formulas.expressions import (
    Call,
    Either,
    Name,
    Number,
    Tree,
    parse_formula,
    walk,
)
from sheetgen.rules.formulas.javascript import array, function, javascript, js_literal, record
from sheetgen.rules.formulas.notation import MODIFIERS, figured_text, label, terms
from sheetgen.rules.index import folded
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


@dataclass(frozen=True, slots=True)
class Program:
    """A program, the figures of a character that it needs, its inputs and its outputs."""

    script: str
    figures: LiveFigures
    inputs: Inputs
    outputs: tuple[str, ...]
    cells: frozenset[str]
    hints: tuple[str, ...]


@lru_cache(maxsize=16)
def build_program(rules: Ruleset, plate: Plate, flat: bool) -> Program | None:
    """Return the program of a sheet; None if it has nothing to calculate.

    Args:
        flat: Whether to leave out marks that no input changes. In a PDF, these are drawn and
            not calculated.
    """
    kinds = {place.name: place.kind for place in plate.places}
    inputs = find_inputs(rules, kinds)
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
    return Program(script, writer.figures(), inputs, names, cells, writer.hints)


class _Writer(Formulas):
    """Compiles the parts of a program."""

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
        pools = rules.pools.items()
        self.starts = frozenset(str(i) for i, p in pools if self.live([str(p.start)]))

    def script(self, unfollowed: Iterable[Unfollowed]) -> str:
        """Return the program, a function expression."""
        derived = {str(o[2]) for o in self.out if o[1] in ("d", "h")}
        for name in derived:
            self.reach.add_name(name)
        parts = {
            "pips": js_literal(self.rules.pips),
            "c": js_literal({name: code.id for name, code in _CODES.items()}),
            "t": record(format_traits(self)),
            "g": record((str(i), format_group(self, str(i))) for i in self.rules.groups),
            "p": record(self._pools()),
            "k": js_literal(
                {str(i): self.inputs.keys.get(str(i), 0) for i in self.rules.character}
            ),
            "s": js_literal(self.inputs.states),
            "links": js_literal(dict(sorted(self.inputs.links.items()))),
            "dice": format_dice_ladder(self),
            "adv": format_advances(self),
            "tracks": record(self._tracks()),
            "rolls": record(() if self.flat else self._rolls()),
            "lists": record(self._lists()),
            "x": record((str(o[2]), self._line(str(o[2]))) for o in self.out if o[1] == "x"),
            "rules": f"[{','.join(self._rules())}]",
            "words": js_literal({"below": format_below_hint(self), "states": self._state_labels()}),
            "out": js_literal(self.out),
            "hints": js_literal(self.hints),
            "fixed": js_literal(list(unfollowed)),
        }
        parts["tx"] = record(self._texts())
        parts["m"] = record(self._modifies())
        parts["d"] = record(self._derived())
        parts["f"] = record(self._functions())
        return "function($){return" + record(parts.items()) + "}"

    def figures(self) -> LiveFigures:
        """Return which figures of a character the program needs; after `script`."""
        columns = {
            list_: (naming_column(self.rules, list_), self._names_in(list_))
            for list_ in self.columns
        }
        modified = {a[1][0] for a in self.reach.asks if a[0] == "modifiers"}
        return LiveFigures(
            tuple(
                sorted(
                    a for a in self.reach.asks if a[0] not in ("own", "free", "stars", "modifiers")
                )
            ),
            tuple(sorted(self.reach.names & set(map(str, self.rules.options)))),
            tuple(self.inputs.states),
            columns,
            frozenset(self.computed),
            self.starts,
            frozenset(modified),
        )

    def depends_on_inputs(self, output: Output) -> bool:
        """Return whether the output may change with the inputs."""
        kind, name = output[1], str(output[2])
        if kind == "o":
            return name in self.rules.tracks and self.live([self.rules.tracks[name].boxes])
        if kind == "s":
            return self.live(self.rules.tracks[name].steps.values())
        if kind == "h":
            return self.live([self.rules.derived[name].value or "0"])
        if kind == "x":
            return self.live(match[1] for match in BRACES.finditer(self.rules.texts[name].text))
        return True

    def _state_labels(self) -> dict[str, str]:
        keys = ((id_, self.rules.character[id_]) for id_ in self.inputs.states)
        return {id_: key.label or id_.replace("_", " ") for id_, key in keys}

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
                steps = record(
                    (name.replace("_", " "), self.function(box))
                    for name, box in track.steps.items()
                )
                parts = ("boxes", self.function(track.boxes)), ("key", key), ("steps", steps)
                yield str(id_), record(parts)

    def _rolls(self) -> Iterator[tuple[str, str]]:
        for id_, roll in self.rules.rolls.items():
            dice = record((str(die), self.function(f)) for die, f in roll.dice.items())
            yield str(id_), record((("dice", dice), ("each", js_literal(str(roll.each or "")))))

    def _lists(self) -> Iterator[tuple[str, str]]:
        lists = {str(o[3]) for o in self.out if o[1] == "c"}
        for list_, texts in self.columns.items():
            if list_ in lists:
                of = str(self.rules.lists[list_].of)
                yield (
                    list_,
                    record(
                        (
                            ("name", js_literal(naming_column(self.rules, list_))),
                            ("of", js_literal(of if of in self.rules.groups else "")),
                            ("cells", record((c, self.template(t)) for c, t in texts.items())),
                            ("known", js_literal(dict(self._known(list_)))),
                        )
                    ),
                )

    def _names_in(self, list_: str) -> frozenset[str]:
        """Return the names that the computed columns of a list need."""
        texts = self.columns[list_].values()
        names = frozenset().union(*(list_text_names(self.rules, text) for text in texts))
        return names | ({"special", "conditional"} if "note" in names else set())

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
            facts: dict[str, Any] = {"name": str(item.name), "times": "", "count": 1}
            facts |= {"cost": item.cost if isinstance(item.cost, int) else 0, "dice": item.dice}
            facts |= {"bonus": "" if item.bonus is None else item.bonus}
            if names & {"special", "conditional"} and "{" in f"{item.special}{item.conditional}":
                continue  # Their formulas are computed for a character's own items alone.
            facts |= {"special": str(item.special), "conditional": str(item.conditional)}
            facts["dice"] = "" if item.dice is None else item.dice
            facts["note"] = "; ".join(filter(None, (item.special, item.conditional)))
            known = {
                "n": {name: facts[name] for name in sorted(names) if name in facts},
                "skill": str(item.skill or ""),
                "dice": item.dice,
                "adds": str(item.adds or ""),
            }
            for name in (item.name, *item.aliases):
                yield folded(name), known

    def _texts(self) -> Iterator[tuple[str, str]]:
        """Yield the texts of choices and items that depend on fields of the sheet."""
        lists = {str(o[3]) for o in self.out if o[1] == "c"}
        for list_ in lists & set(self.columns):
            names, of = self._names_in(list_), self.rules.lists[list_].of
            catalogue = self.rules.choices.get(of.removeprefix("choices."))
            if catalogue is not None and "computed" in names:
                found = [entry.computed or "" for entry in catalogue.entries.values()]
            else:
                found = [str(item.conditional) for item in self.rules.gear.values()]
            self.computed |= {text for text in found if self.live_text(text)}
        yield from ((text, self.template(text)) for text in sorted(self.computed))

    def _modifies(self) -> Iterator[tuple[str, str]]:
        """Yield the formulas of `modifies` that depend on fields of the sheet."""
        asked = {of[0] for function, of in self.reach.asks if function == "modifiers" and of}
        every = "modifiers" in set[str]().union(*map(self._names_in, self.columns))
        formulas = {
            formula
            for derived, found in self.index.modifies.items()
            if every or derived in asked
            for formula in found
            if self.live([formula])
        }
        self.computed |= set(map(str, formulas))
        yield from ((formula, self.function(formula)) for formula in sorted(formulas))

    def _line(self, id_: str) -> str:
        return self.template(self.rules.texts[id_].text)

    def _rules(self) -> Iterator[str]:
        for id_, rule in self.rules.rules.items():
            if not self.live([rule.require]):
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
            parts = {"as": js_literal(str(rule.as_ or ""))}
            if rule.value is not None:
                parts["v"] = self.function(rule.value)
            else:
                parts |= {
                    "sum": self.function(rule.sum or "0"),
                    "over": js_literal(list(map(str, rule.over))),
                }
            if id_ in hows and rule.value is not None:
                parts["how"] = format_terms(self.rules, rule)
            yield str(id_), record(parts.items())

    def _functions(self) -> Iterator[tuple[str, str]]:
        for name in sorted(self.reach.functions):
            parameters, text = self.index.formulas[name]
            yield name, array(js_literal(list(parameters)), function(text))


# Compile the parts of a program about ratings: traits, groups, dice, advances.


def format_traits(formulas: Formulas) -> Iterator[tuple[str, str]]:
    """Yield each trait: group, name, the trait it is added to, requirement, order, and place."""
    place = 0
    for group_id, group in formulas.rules.groups.items():
        for id_, trait in group.traits.items():
            summed = formulas.index.summed.get(str(id_), ("", None))
            yield (
                str(id_),
                array(
                    js_literal(str(group_id)),
                    js_literal(formulas.index.titles[str(id_)]),
                    js_literal(summed[0]),
                    formulas.function(summed[1]),
                    str(place),
                    js_literal(trait.why),
                    formulas.function(trait.advance_if),
                    js_literal(str(trait.under or "")),
                    js_literal(formulas.inputs.fields.get(str(id_), "")),
                ),
            )
            place += 1


def format_group(formulas: Formulas, id_: str) -> str:
    """Return a group: its traits, how their ratings are read, prices and limits."""
    group = formulas.rules.groups[id_]
    limit, bought = group.limit, group.stated and group.price is not None and group.pool
    parts = {
        "t": js_literal(list(formulas.index.by_place[id_])),
        "as": js_literal(formulas.inputs.groups.get(id_, "")),
        "dice": js_literal(group.rating == "dice"),
        "boxes": str(group.boxes),
    }
    if bought:
        step, steps = map(js_literal, step_words(group))
        parts |= {"price": formulas.function(group.price), "pool": js_literal(str(group.pool))}
        parts |= {"step": step, "steps": steps}
    if limit is not None:
        raised_by = str(limit.raised_by or "")
        entries = (c.entries.get(raised_by) for c in formulas.rules.choices.values())
        lifts = next((entry.name for entry in entries if entry is not None), "")
        parts |= {"most": formulas.function(limit.most), "by": js_literal(limit.by is not None)}
        parts |= {"lift": js_literal(raised_by), "lifts": js_literal(lifts)} if raised_by else {}
        parts |= {"top": formulas.function(limit.ceiling)} if limit.ceiling else {}
        if raised_by:
            formulas.reach.asks.add(("has", (raised_by,)))
    if group.open is not None:
        parts |= {"named": str(formulas.inputs.named.get(id_, 0)), "open": str(group.open.most)}
    return record(parts.items())


def format_dice_ladder(formulas: Formulas) -> str:
    """Return the ladder of dice and its prices; `0` if the sheet has no dice."""
    rule = formulas.rules.dice
    if rule is None or not formulas.inputs.dice:
        return "0"
    parts = {
        "pool": js_literal(str(rule.pool)),
        "ladder": js_literal(list(rule.ladder)),
        "buy": formulas.function(rule.buy),
        "upgrade": formulas.function(rule.upgrade),
        "places": str(formulas.inputs.dice),
    }
    return record(parts.items())


def format_advances(formulas: Formulas) -> str:
    """Return the costs of advances after creation; `0` if there are none."""
    rule = formulas.rules.advances
    if rule is None:
        return "0"
    groups = ((str(g), formulas.function(f)) for g, f in rule.groups.items())
    parts = {"pool": js_literal(str(rule.pool)), "groups": record(groups)}
    return record((parts | {"gear": formulas.function(rule.gear)}).items())


def format_below_hint(formulas: Formulas) -> str:
    """Return the hint for a rating below the granted one; equal to that of `check_ratings`."""
    lost = [i for i, key in formulas.rules.character.items() if key.kind == "losses"]
    hint = "write the whole rating, {least} or more, or leave {name} out"
    key = str(lost[0]).replace("_", " ") if lost else ""
    return hint + (f"; what was lost in play goes under `{key}`" if key else "")


# Compile the terms of a derived value's sum, which a sheet shows beside the value.


def format_terms(rules: Ruleset, rule: Derived) -> str:
    """Return the terms of `rule` as an array: sign, kind, and the arguments of the kind.

    Kinds, as in `check/character/derived.py`: `n` a number, `v` a name with its value, `m` what
    items add, `e` one of two terms by a test, `w` words. A formula with function calls has no
    terms; the result is `0`.
    """
    tree = parse_formula(rule.value or "0")
    if any(isinstance(part, Call) and part.function != "modifiers" for part in walk(tree)):
        return "0"
    return _array(_term(rules, sign, term) for sign, term in terms(tree))


def _term(rules: Ruleset, sign: str, term: Tree) -> str:
    head = js_literal("-" if sign == "-" else "+")
    if isinstance(term, Number):
        return f'[{head},"n",{int(term.value)}]'
    if isinstance(term, Name):
        return f'[{head},"v",{js_literal(label(rules, term.name))},{js_literal(term.name)}]'
    if isinstance(term, Call):
        first = term.arguments[0] if term.arguments else None
        return f'[{head},"m",{js_literal(first.name if isinstance(first, Name) else "")}]'
    if isinstance(term, Either):
        yes, no = (_array(_branch(rules, sign, part)) for part in (term.yes, term.no))
        return f'[{head},"e",function(s){{return {javascript(term.test)}}},{yes},{no}]'
    parts = (_part(rules, place, part) for place, part in enumerate(figured_text(term)))
    return f'[{head},"w",{_array(parts)}]'


def _part(rules: Ruleset, place: int, part: str) -> str:
    """Return words of a term, or the label of a figure and the name of its value."""
    first, _, derived = part.partition(".")
    if place % 2 == 0:
        return js_literal(part)
    if first == MODIFIERS and derived:
        return f"[{js_literal(first)},0,{js_literal(derived)}]"
    return f"[{js_literal(label(rules, part))},{js_literal(part)}]"


def _branch(rules: Ruleset, sign: str, part: Tree) -> Iterator[str]:
    """Yield the term of a branch; none if it is zero."""
    if part != Number(0, part.at):
        yield _term(rules, sign, part)


def _array(parts: Iterator[str]) -> str:
    return f"[{','.join(parts)}]"


# What a live sheet does not compute anew: values that depend on choices and gear.


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
    for name, fields, effects, texts in (*_sources(formulas, kinds), *_grants(formulas, kinds)):
        changed = [name for name, reach in reaches.items() if effects.reach(reach)]
        changed += _rated(formulas, kinds, effects)
        changed += _given(rules, kinds, effects)
        if rules.advances and (effects.advances or effects.reach(paid)):
            changed += [n for n in (f"{rules.advances.pool}.left",) if n in kinds]
        shown = [*changed, *(t for t in texts if t in kinds and t not in changed)]
        if fields and shown:
            found.append((name, fields, shown))
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
    """Return what the prices of advances depend on: formulas, and the ratings that are raised."""
    reach, rule = Reach(rules), rules.advances
    for group in rule.groups if rule else ():
        reach.names |= set(map(str, rules.groups[group].traits))
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
