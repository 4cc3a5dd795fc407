"""The scope of formulas about single printed figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sheetgen.model.build import Value
from sheetgen.model.rulesets.choices import PointSpread
from sheetgen.rules.formulas.evaluate import value_of
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.names import folded
from sheetgen.rules.tables.example_scope import ExampleScope

_OF_KEYS: Final = {"count": "count", "by": "by", "lifts": "lifts", "paid": "price"}
"""The attribute of a character key that holds the formula, by the name's first part."""


class ProofScope(ExampleScope):
    """Given values and what follows from them, and other figures of the ruleset.

    `count.KEY`, `by.KEY` and `lifts.KEY` are of a key that raises traits; `custom.CATALOGUE`
    with `.base`, `.points`, `.most`, or `.base.TRAIT`, of an author's own choice;
    `size.GROUP`, `rows.TABLE` how many there are; `gain.ADVANCE.TRAIT` what a named advance
    raises, `paid.KEY` what a key of the file costs; `boxes.GROUP` the most boxes of its
    traits, `rungs` the dice of the ladder; `blank.TEXT` the text of an empty sheet,
    `says.CHOICE` the text of a choice, `note.TABLE` the text below a table, `lines.WORD`
    all lines of screens, sheets and notes that have the word, or the words.
    """

    def value(self, name: str) -> Value | None:
        """Return the given, computed or other value called `name`."""
        if name == "rungs" and self.rules.dice is not None:
            return len(self.rules.dice.ladder)
        found = None
        head, _, rest = name.partition(".")
        if rest and name not in self.names:
            if head in _OF_KEYS:
                formula = getattr(self.rules.character.get(rest), _OF_KEYS[head], None)
                found = value_of(formula, self) if formula else None
            elif (find := getattr(self, f"_{head}", None)) is not None:
                found = find(rest)
        return super().value(name) if found is None else found

    def _boxes(self, id_: str) -> Value | None:
        group = self.rules.groups.get(id_)
        return group.boxes if group else None

    def _size(self, id_: str) -> Value | None:
        group = self.rules.groups.get(id_)
        return len(group.traits) if group else None

    def _says(self, id_: str) -> Value | None:
        entries = (e for c in self.rules.choices.values() for e in c.entries.items())
        return next((filled(entry.text, self) for i, entry in entries if i == id_), None)

    def _custom(self, rest: str) -> Value | None:
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

    def _rows(self, id_: str) -> Value | None:
        table = self.rules.tables.get(id_)
        return len(table.lines or table.rows) if table else None

    def _gain(self, rest: str) -> Value | None:
        id_, _, trait = rest.partition(".")
        named = self.rules.advances.named.get(id_) if self.rules.advances else None
        steps = named.raise_.get(trait) if named else None
        return value_of(steps, self) if steps else None

    def _blank(self, id_: str) -> Value | None:
        line = self.rules.texts.get(id_)
        return filled(line.blank, self) if line else None

    def _note(self, id_: str) -> Value | None:
        table = self.rules.tables.get(id_)
        return filled(table.text, self) if table else None

    def _lines(self, rest: str) -> Value | None:
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
