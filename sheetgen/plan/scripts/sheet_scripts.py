"""Compile a ruleset and the places of a sheet to a program: JavaScript that calculates.

All characters of one design have the same program. engine.js reads its parts, which have short
names: `t` traits, `g` groups, `d` derived values, `p` pools, `k` keys that are numbers, `s`
keys that are states, `out` outputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sheetgen.diag import codes
from sheetgen.model.live import LiveFigures
from sheetgen.model.prints import Plate
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.scripts.formulas import Formulas
from sheetgen.plan.scripts.inputs import Inputs, find_inputs, find_stem, list_hint_stems
from sheetgen.plan.scripts.outputs import Output, find_live_columns, find_outputs, list_text_names
from sheetgen.plan.scripts.ratings import (
    format_advances,
    format_below_hint,
    format_dice_ladder,
    format_group,
    format_traits,
)
from sheetgen.plan.scripts.terms import format_terms
from sheetgen.rules.formulas.javascript import array, function, js_literal, record
from sheetgen.rules.formulas.lines import BRACES

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
    found = tuple(find_outputs(rules, kinds, inputs.names))
    writer = _Writer(rules, inputs, found, flat)
    if flat:
        found = tuple(o for o in found if kinds[str(o[0])] != "mark" or writer.depends_on_inputs(o))
        writer.out = found
    if not found or not inputs.names:
        return None
    script = writer.script()
    cells = frozenset(str(o[0]) for o in found if o[1] == "c")
    names = tuple(str(o[0]) for o in found)
    return Program(script, writer.figures(), inputs, names, cells, writer.hints)


class _Writer(Formulas):
    """Compiles the parts of a program."""

    def __init__(self, rules: Ruleset, inputs: Inputs, out: tuple[Output, ...], flat: bool) -> None:
        super().__init__(rules, inputs)
        self.out, self.flat = out, flat
        self.hints = list_hint_stems(rules, inputs) if flat else ()
        pools = rules.pools.items()
        self.starts = frozenset(str(i) for i, p in pools if self.live([str(p.start)]))

    def script(self) -> str:
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
            "words": js_literal({"below": format_below_hint(self)}),
            "out": js_literal(self.out),
            "hints": js_literal(self.hints),
        }
        parts["d"] = record(self._derived())
        parts["f"] = record(self._functions())
        return "function($){return" + record(parts.items()) + "}"

    def figures(self) -> LiveFigures:
        """Return which figures of a character the program needs; after `script`."""
        columns = {}
        for list_, texts in find_live_columns(self.rules).items():
            names = frozenset().union(
                *(list_text_names(self.rules, text) for text in texts.values())
            )
            columns[list_] = (_naming(self.rules, list_), names)
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
            self.starts,
            frozenset(modified),
        )

    def depends_on_inputs(self, output: Output) -> bool:
        """Return whether the output may change with the inputs."""
        kind, name = output[1], str(output[2])
        if kind == "h":
            return self.live([self.rules.derived[name].value or "0"])
        if kind == "x":
            return self.live(match[1] for match in BRACES.finditer(self.rules.texts[name].text))
        return True

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
                yield str(id_), record((("boxes", self.function(track.boxes)), ("key", key)))

    def _rolls(self) -> Iterator[tuple[str, str]]:
        for id_, roll in self.rules.rolls.items():
            dice = record((str(die), self.function(f)) for die, f in roll.dice.items())
            yield str(id_), record((("dice", dice), ("each", js_literal(str(roll.each or "")))))

    def _lists(self) -> Iterator[tuple[str, str]]:
        lists = {str(o[3]) for o in self.out if o[1] == "c"}
        for list_, texts in find_live_columns(self.rules).items():
            if list_ in lists:
                cells = record((column, self.template(text)) for column, text in texts.items())
                name = js_literal(_naming(self.rules, list_))
                computed = record(self._computed(self.rules.lists[list_].of))
                yield list_, record((("name", name), ("cells", cells), ("computed", computed)))

    def _computed(self, of: str) -> Iterator[tuple[str, str]]:
        catalogue = self.rules.choices.get(of.removeprefix("choices."))
        for id_, entry in catalogue.entries.items() if catalogue else ():
            if entry.computed is not None:
                yield str(id_), self.template(entry.computed)

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


def _naming(rules: Ruleset, list_: str) -> str:
    """Return the column of a list with the names of items; else its first column."""
    columns = rules.lists[list_].columns
    named = (str(column) for column, text in columns.items() if "{name}" in text)
    return next(named, str(next(iter(columns))))
