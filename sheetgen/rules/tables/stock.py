"""Tables of files that come with a ruleset: a row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.model.build import Build, Value, counted_name, pick_line
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.tables import Column
from sheetgen.model.source import Text
from sheetgen.rules.formulas.evaluate import Inner, OuterScope, Scope
from sheetgen.rules.formulas.lines import filled, formulas_in

Stock = Mapping[str, Sequence[Build]]
"""The files that come with a ruleset, checked, by kind."""

OF = "kinds"
"""In a table's `of`, the word before the dot and the name of a kind."""


def kind_of_tables(of: str | None) -> str:
    """Return the kind in `of`, which is `kinds.ID`, or an empty string."""
    what, _, kind = (of or "").partition(".")
    return kind if what == OF else ""


class BuildScope(OuterScope):
    """The scope of formulas about one build: its ratings, derived values, keys and texts.

    A missing trait is 0 and a missing text is empty, so that one table serves all builds.

    Args:
        missing: What a name stands for of which a build has nothing.
    """

    def __init__(self, outer: Scope, build: Build, missing: Mapping[str, Value]) -> None:
        super().__init__(outer)
        self.build = build
        self.missing = missing

    def value(self, name: str) -> Value | None:
        """Return the value of `name` in the build, or in the ruleset."""
        own = self.own_value(name)
        found = self.outer.value(name) if own is None else own
        return self.missing.get(name) if found is None else found

    def own_value(self, name: str) -> Value | None:
        """Return the value of `name` in the build; None if it has none."""
        build = self.build
        if name == "name":
            return build.name
        if name in build.ratings:
            return build.ratings[name].total
        if name in build.derived:
            return build.derived[name].value
        every = (build.lines, build.texts, build.numbers)
        found = next((values[name] for values in every if values.get(name) is not None), None)
        listed = [*build.lists.get(name, ())]
        listed += [pick_line(pick, build) for pick in build.picks if pick.key == name]
        listed += [counted_name(item) for item in build.items if item.key == name]
        return ", ".join(listed) if found is None and listed else found


_VALUES: Final = dict.fromkeys(("number", "flag"), 0) | dict.fromkeys(
    ("text", "texts", "choice", "choices", "item", "items"), ""
)
"""Kinds of keys that are one value, and what stands for it where a file lacks the key."""


def names_of_kind(rules: Ruleset, kind: str) -> Mapping[str, Value]:
    """Return the names that a table of `kind` may use, and what each is if it is missing.

    Columns of its lists are not among them.
    """
    own = kind_rules(rules, kind)
    traits = (id_ for group in own.groups.values() for id_ in group.traits)
    keys = own.character.items()
    return {
        **dict.fromkeys(map(str, (*traits, *own.derived, *own.options)), 0),
        **{str(id_): _VALUES[key.kind] for id_, key in keys if key.kind in _VALUES},
        **dict.fromkeys(("name", "times", *map(str, own.texts)), ""),
    }


def lists_of_kind(rules: Ruleset, kind: str) -> Mapping[str, set[str]]:
    """Return the columns of each list of a kind; a list of texts has the column `name`."""
    own = kind_rules(rules, kind)
    texts = {str(id_): {"name"} for id_, key in own.character.items() if key.kind == "texts"}
    return texts | {str(id_): set(map(str, rows.columns)) for id_, rows in own.lists.items()}


def stock_cell(column: Column, about: BuildScope) -> str:
    """Return one cell; a column with `each` has one text for each row of the list.

    Raises:
        FormulaError: A formula has no value.
    """
    if column.each is None:
        return filled(column.text, about)
    texts = about.build.lists.get(str(column.each), ())
    rows = about.build.rows.get(str(column.each)) or tuple({"name": text} for text in texts)
    filled_rows = [filled(column.text, Inner(about, {"times": "", **row})) for row in rows]
    return ", ".join(" ".join(text.split()) for text in filled_rows)


def value_in(column: Column) -> str:
    """Return the name whose value a column shows, or an empty string if there is not just one."""
    formulas = formulas_in(column.text) if isinstance(column.text, Text) else ()
    alone = len(formulas) == 1 and column.each is None and formulas[0].isidentifier()
    return str(formulas[0]) if alone else ""
