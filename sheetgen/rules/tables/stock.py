"""Tables of what comes with a ruleset ready made: a row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.model.build import Build, Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.tables import Column
from sheetgen.model.source import Text
from sheetgen.rules.formulas.evaluate import Inner, OuterScope, Scope
from sheetgen.rules.formulas.lines import filled, formulas_in

Stock = Mapping[str, Sequence[Build]]
"""What comes ready made, checked, by its kind."""

OF = "kinds"
"""Before a dot and the name of a kind: what a table is `of`."""


def kind_of_tables(of: str | None) -> str:
    """Return the kind that `of` means, or nothing: `kinds.ID`."""
    what, _, kind = (of or "").partition(".")
    return kind if what == OF else ""


class BuildScope(OuterScope):
    """The scope of formulas about one build: ratings, derived values, keys and texts of it.

    A trait that it lacks is 0, a text no words, so that one table serves all.
    """

    def __init__(self, outer: Scope, build: Build, known: set[str]) -> None:
        super().__init__(outer)
        self.build = build
        self.known = known

    def value(self, name: str) -> Value | None:
        """Return what `name` is of the build, or of the ruleset."""
        build = self.build
        if name == "name":
            return build.name
        if name in build.ratings:
            return build.ratings[name].total
        if name in build.derived:
            return build.derived[name].value
        for said in (build.lines, build.texts, build.numbers):
            if name in said:
                return said[name]
        found = self.outer.value(name)
        return 0 if found is None and name in self.known else found


def names_of_kind(rules: Ruleset, kind: str) -> set[str]:
    """Return every name that a table of `kind` may use, besides columns of its lists."""
    own = kind_rules(rules, kind)
    traits = {str(id_) for group in own.groups.values() for id_ in group.traits}
    parts = (own.derived, own.texts, own.character, own.options)
    return traits.union(("name", "times"), *(map(str, part) for part in parts))


def lists_of_kind(rules: Ruleset, kind: str) -> Mapping[str, set[str]]:
    """Return the lists of a kind, each with its columns; that of a list of texts is `name`."""
    own = kind_rules(rules, kind)
    texts = {str(id_): {"name"} for id_, key in own.character.items() if key.kind == "texts"}
    return texts | {str(id_): set(map(str, rows.columns)) for id_, rows in own.lists.items()}


def stock_cell(column: Column, about: BuildScope) -> str:
    """Return one cell; of a column `each` of a list, one text for each of its rows.

    Raises:
        FormulaError: A formula has no value.
    """
    if column.each is None:
        return filled(column.text, about)
    texts = about.build.lists.get(str(column.each), ())
    rows = about.build.rows.get(str(column.each)) or tuple({"name": text} for text in texts)
    said = [filled(column.text, Inner(about, {"times": "", **row})) for row in rows]
    return ", ".join(" ".join(text.split()) for text in said)


def value_in(column: Column) -> str:
    """Return the name whose value a column shows, if it shows just one."""
    formulas = formulas_in(column.text) if isinstance(column.text, Text) else ()
    alone = len(formulas) == 1 and column.each is None and formulas[0].isidentifier()
    return str(formulas[0]) if alone else ""
