"""The scope of formulas about printed figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sheetgen.model.build import Value
from sheetgen.model.rulesets.choices import PointSpread
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.evaluate import value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.how import blank_how
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.index import index_of
from sheetgen.rules.names import folded
from sheetgen.rules.tables.tables import RulesetScope

MOST_DEPTH = 20
"""The deepest nesting of derived values."""

_OF_KEYS: Final = {"count": "count", "by": "by", "lifts": "lifts", "paid": "price"}
"""The attribute of a character key that holds the formula, by the name's first part."""


class ProofScope(RulesetScope):
    """Given values, the traits and derived values that follow, and other figures of the ruleset.

    `count.KEY`, `by.KEY` and `lifts.KEY` are of a key that raises traits; `custom.CATALOGUE`
    with `.base`, `.points`, `.most`, or `.base.TRAIT`, of an author's own choice;
    `size.GROUP`, `rows.TABLE` how many there are; `gain.ADVANCE.TRAIT` what a named advance
    raises, `paid.KEY` what a key of the file costs; `boxes.GROUP` the most boxes of its
    traits, `rungs` the dice of the ladder; `blank.TEXT` the text of an empty sheet,
    `says.CHOICE` the text of a choice, `how.DERIVED` the formula of a derived value in words,
    `note.TABLE` the text below a table, `lines.WORD` all lines of screens, sheets and notes that
    have the word, or the words.

    Attributes:
        names: The given values.
        totals: Total ratings by trait; traits under these have at least as much.
    """

    def __init__(
        self,
        rules: Ruleset,
        names: Mapping[str, Value],
        totals: Mapping[str, int] | None = None,
        options: Mapping[str, Value] | None = None,
    ) -> None:
        super().__init__(rules, options)
        self.names = names
        self.totals = totals or {}
        self.depth = 0

    def value(self, name: str) -> Value | None:
        """Return the given, computed or other value called `name`."""
        head, _, rest = name.partition(".")
        found = self._part(head, rest) if rest and name not in self.names else None
        if found is not None:
            return found
        if name == "rungs" and self.rules.dice is not None:
            return len(self.rules.dice.ladder)
        if name in self.totals:
            return self.totals[name]
        if name in index_of(self.rules).traits:
            return self._rating(name)
        if name in self.names:
            return self.names[name]
        if name in self.rules.derived:
            return self._derived(name)
        if name in self.rules.pools:
            return value_of(self.rules.pools[name].start, self)
        return super().value(name)

    def ask(self, function: str, names: Sequence[str]) -> Value:
        """Return the given value of `function.name`, or 0."""
        return self.names.get(".".join((function, *names)), 0)

    def _rating(self, trait: str) -> Value:
        under = index_of(self.rules).traits[trait][1].under
        own, below = self.names.get(trait, 0), (self.value(str(under)) if under else 0) or 0
        if isinstance(own, str) or isinstance(below, str):
            raise FormulaError(f"`{trait}` is not a number")
        return own + below

    def _derived(self, name: str) -> Value:
        formula = self.rules.derived[name].value
        if formula is None or self.depth > MOST_DEPTH:
            raise FormulaError(f"`{name}` needs a character")
        self.depth += 1
        try:
            return value_of(formula, self)
        finally:
            self.depth -= 1

    def _part(self, head: str, rest: str) -> Value | None:
        """Return the value of `head.rest`, by the method or the key's attribute for `head`."""
        if head in _OF_KEYS:
            formula = getattr(self.rules.character.get(rest), _OF_KEYS[head], None)
            return value_of(formula, self) if formula else None
        find = getattr(self, f"_of_{head}", None)
        found: Value | None = find(rest) if find is not None else None
        return found

    def _of_how(self, id_: str) -> Value | None:
        derived = self.rules.derived.get(id_)
        return blank_how(self.rules, derived) if derived else None

    def _of_boxes(self, id_: str) -> Value | None:
        group = self.rules.groups.get(id_)
        return group.boxes if group else None

    def _of_size(self, id_: str) -> Value | None:
        group = self.rules.groups.get(id_)
        return len(group.traits) if group else None

    def _of_says(self, id_: str) -> Value | None:
        entries = (e for c in self.rules.choices.values() for e in c.entries.items())
        return next((filled(entry.text, self) for i, entry in entries if i == id_), None)

    def _of_custom(self, rest: str) -> Value | None:
        id_, _, part = rest.partition(".")
        catalogue = self.rules.choices.get(id_)
        custom = catalogue.custom if catalogue else None
        return self._spread(custom.spread, part) if custom and custom.spread else None

    def _spread(self, spread: PointSpread, part: str) -> Value | None:
        which, _, trait = part.partition(".")
        if which == "points":
            return value_of(spread.points, self)
        if which == "base":
            return spread.base_of.get(trait, spread.base)
        return spread.most_of.get(trait, spread.most) if which == "most" else None

    def _of_rows(self, id_: str) -> Value | None:
        table = self.rules.tables.get(id_)
        return len(table.lines or table.rows) if table else None

    def _of_gain(self, rest: str) -> Value | None:
        id_, _, trait = rest.partition(".")
        named = self.rules.advances.named.get(id_) if self.rules.advances else None
        steps = named.raise_.get(trait) if named else None
        return value_of(steps, self) if steps else None

    def _of_blank(self, id_: str) -> Value | None:
        line = self.rules.texts.get(id_)
        return filled(line.blank, self) if line else None

    def _of_note(self, id_: str) -> Value | None:
        table = self.rules.tables.get(id_)
        return filled(table.text, self) if table else None

    def _of_lines(self, rest: str) -> Value | None:
        word = f" {rest.replace('_', ' ')}"
        lines = (line for line in self._all_lines() if word in f" {folded(line)}")
        return "\n".join(filled(line, self).replace("*", "") for line in lines) or None

    def _all_lines(self) -> Iterator[str]:
        yield from (line.blank for line in self.rules.texts.values())
        yield from (table.text for table in self.rules.tables.values())
        panels = (p for screen in self.rules.screens.values() for p in screen.panels.values())
        for block in (block for panel in panels for column in panel.columns for block in column):
            yield from (" ".join(row) for row in block.rows)
            yield from (note.replace("{note}", "") for note in block.notes.values())
            yield block.text or ""
