"""Compile a ruleset and the places of a sheet to a program: JavaScript that calculates.

All characters of one design have the same program. engine.js reads its parts, which have short
names: `t` traits, `g` groups, `d` derived values, `p` pools, `k` keys that are numbers, `s`
keys that are states, `out` outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from sheetgen.check.character.results.lists import has_tags
from sheetgen.diag import codes
from sheetgen.model.live import LiveFigures
from sheetgen.model.prints import Plate
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.scripts.formulas import Formulas
from sheetgen.plan.scripts.inputs import Inputs, find_inputs, find_stem, list_hint_stems
from sheetgen.plan.scripts.outputs import (
    Output,
    find_live_columns,
    find_outputs,
    list_text_names,
    naming_column,
)
from sheetgen.plan.scripts.ratings import (
    format_advances,
    format_below_hint,
    format_dice_ladder,
    format_group,
    format_traits,
)
from sheetgen.plan.scripts.terms import format_terms
from sheetgen.plan.scripts.unfollowed import Unfollowed, list_unfollowed
from sheetgen.rules.formulas.javascript import array, function, js_literal, record
from sheetgen.rules.formulas.lines import BRACES
from sheetgen.rules.names import folded

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
