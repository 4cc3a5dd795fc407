"""How a ruleset goes to a system of Foundry and back: data beside the ruleset, and its loader.

`exports/foundry-*.yaml` in the ruleset's folder has the fields below as keys. A *leaf* is a path
in the system's data, such as `move.value`. An overlay's file is laid over its base's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.load.rulesets.kinds import read_export_map
from sheetgen.load.shapes import Shaper
from sheetgen.model.build import Build, Owned, Value
from sheetgen.model.rulesets.ruleset import VALUE_KINDS, Ruleset
from sheetgen.model.source import Formula, Positive, Text, rule_model
from sheetgen.plugins.exchange.foundry.documents import get_leaf
from sheetgen.rules.formulas.evaluate import OuterScope, Scope, filled, value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import index_of
from sheetgen.rules.scopes import OptionScope
from sheetgen.rules.tables.compute import BuildScope

PATTERN: Final = "foundry-*.yaml"


@rule_model
class ItemMap:
    """Items that an actor holds, from one part of a build."""

    of: Text  # A group of ratings, or a key of the file: of items, of choices, or of texts.
    type: Text  # The type of the item, with {formulas} about the build.
    reads: tuple[Text, ...] = ()  # The types that an import reads as this; `type` without it.
    # Tags of which a thing must have one; a thing goes to the first map that takes it.
    where: tuple[Text, ...] = ()
    when: Formula | None = None  # Which of them go out, by the names that the formulas see.
    # Names by leaf, both ways; the leaf counts `pips` for each step.
    rated: Mapping[str, Text] = field(default_factory=dict)
    values: Mapping[str, Formula] = field(default_factory=dict)  # Formulas by leaf, only out.
    # What a leaf has that the rules have no place for, only in: another value is reported.
    usual: Mapping[str, Formula] = field(default_factory=dict)
    # Texts with {formulas} by leaf, only out.
    texts: Mapping[str, Text] = field(default_factory=dict)
    # Leaves for the numbers that follow a word in `special`, `WORD 3/6/12`.
    numbers_after: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    # What an import reads, by key of an own item (`count`, `cost`, `skill`, `note`).
    read: Mapping[str, Text] = field(default_factory=dict)


@rule_model
class ActorMap:
    """Actors from one kind of files."""

    type: Text  # The type of the actor, with {formulas} about the build.
    reads: tuple[Text, ...] = ()  # The types that an import reads as this kind; `type` without it.
    disposition: int = 0  # Of the token: -1 hostile, 0 neutral, 1 friendly.
    linked: bool = False  # Whether all tokens of an actor share its data.
    # Traits by what the system calls them, for items that belong to one.
    attributes: Mapping[str, Text] = field(default_factory=dict)
    # Traits by leaf, both ways; the leaf counts `pips` for each step.
    rated: Mapping[str, Text] = field(default_factory=dict)
    values: Mapping[str, Formula] = field(default_factory=dict)  # Formulas by leaf, only out.
    # What a leaf has that the rules have no place for, only in: another value is reported.
    usual: Mapping[str, Formula] = field(default_factory=dict)
    # Texts with {formulas} by leaf, only out.
    texts: Mapping[str, Text] = field(default_factory=dict)
    # Keys by leaf, both ways, as plain text.
    words: Mapping[str, Text] = field(default_factory=dict)
    # Keys by leaf of HTML. What has no place goes to the first leaf. An import adds the text of a
    # leaf without keys to the notes.
    prose: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    # The type of an item `Notes` that has the text, where the actor has no HTML.
    remarks: Text | None = None
    # Derived values that the text shows, since the system has none of them.
    figures: tuple[Text, ...] = ()
    # Keys that `values` are computed from, so that the text does not repeat them.
    covers: tuple[Text, ...] = ()
    items: tuple[ItemMap, ...] = ()  # Items that the actor holds.
    # Texts with {formulas} of leaves, only in, by key or trait.
    read: Mapping[str, Text] = field(default_factory=dict)
    # The same for what the system does not have; an import reports each.
    guesses: Mapping[str, Text] = field(default_factory=dict)


@rule_model
class FoundryMap:
    """How a ruleset goes to a system of Foundry."""

    system: Text  # The id of the system.
    foundry: Text  # The version of Foundry that the system needs.
    older: tuple[Text, ...] = ()  # Its ids before, which an import takes too.
    pips: Positive = 1  # What a leaf counts for one step of a rating.
    remark: str = ""  # What the reader of the module has to do in this system.
    # Maps by kind; `character` for characters.
    actors: Mapping[str, ActorMap] = field(default_factory=dict)
    # Items that the ruleset lists, only out: `of` is `gear` or `choices.ID`.
    things: tuple[ItemMap, ...] = ()


def load_foundry_map(rules: Ruleset) -> Checked[FoundryMap]:
    """Return the map of a ruleset; None without findings if it has none."""
    read = read_export_map(rules, PATTERN)
    if read.value is None:
        return Checked(None, read.findings)
    shaper = Shaper(pips=rules.pips)
    value = shaper.read(read.value, FoundryMap, "foundry")
    return Checked(value, (*read.findings, *shaper.findings))


T = TypeVar("T")

_MOST = 999_999  # The largest number in a character's file
_MOST_LINE = 2_000


@dataclass
class Notes:
    """Findings of one export or import by what they are about; each kind is reported once."""

    found: dict[str, Finding] = field(default_factory=dict)

    def add(self, about: str, finding: Finding) -> None:
        """Add a finding, unless there is one about the same."""
        self.found.setdefault(about, finding)

    def compute(self, formula: Text, scope: Scope, work: Callable[[str, Scope], T]) -> T | None:
        """Return what `work` computes; None and a finding if the formula has no value."""
        try:
            return work(formula, scope)
        except FormulaError as error:
            message = f"`{formula}` cannot be computed: {error}"
            hint, severity = "correct it; what depends on it is left out", Severity.WARNING
            finding = Finding(codes.BAD_FORMULA, formula.span, message, hint, severity)
            self.add(f"{formula.span}", finding)
            return None

    def value(self, formula: Text, scope: Scope) -> Value | None:
        """Return the value of a formula, or None and a finding."""
        return self.compute(formula, scope, value_of)

    def text(self, text: Text, scope: Scope) -> str:
        """Return a text with the values of its formulas; empty with a finding."""
        return self.compute(text, scope, filled) or ""


class ExportScope(BuildScope):
    """The names of a build: ratings, derived values, keys, lines, pools and options."""

    def __init__(self, build: Build, rules: Ruleset) -> None:
        super().__init__(OptionScope(rules, build.options), build, {})
        self.rules = rules
        self.taken: Counter[str] = Counter()
        for pick in build.picks:
            entries = rules.choices[pick.catalogue].entries if pick.entry else {}
            tags = entries[pick.entry].tags if pick.entry in entries else ()
            for name in (pick.entry, *map(str, tags)):
                self.taken[name] += pick.times

    def value(self, name: str) -> Value | None:
        """Return the value of `name`; a key without a value is 0, or an empty text.

        A pool is what is left of it, also where the key of its start has the same name.
        """
        if name in self.build.ledgers:
            return self.build.ledgers[name].left
        if (found := self.own_value(name)) is not None:
            return found
        if (key := self.rules.character.get(name)) is not None:
            return 0 if key.kind in VALUE_KINDS else ""
        return self.outer.value(name)

    def ask(self, function: str, names: Sequence[str]) -> Value:
        """Return the result of `has` and `own`; a name that is not there counts 0."""
        name = names[0] if names else ""
        if function in ("has", "picked"):
            return self.taken[name]
        if function == "own":
            return self.build.ratings[name].own if name in self.build.ratings else 0
        if function == "items":
            return sum(i.count for i in self.build.items if name in (*i.tags, i.item))
        return super().ask(function, names)


class PartScope(OuterScope):
    """The names of one part of a build, before those of the build; an unknown tag is false."""

    def __init__(self, outer: Scope, names: Mapping[str, Value]) -> None:
        super().__init__(outer)
        self.names = names

    def value(self, name: str) -> Value | None:
        """Return the value of `name`."""
        if name in self.names:
            return self.names[name]
        return False if name.startswith("tag.") else self.outer.value(name)


def attribute_names(above: str, attributes: Mapping[str, str]) -> dict[str, Value]:
    """Return `attribute` and `attribute.upper`: what the system calls a trait."""
    called = next((name for name, trait in attributes.items() if trait == above), "")
    return {"attribute": called, "attribute.upper": called.upper()}


def owned_names(owned: Owned, rules: Ruleset, attributes: Mapping[str, str]) -> dict[str, Value]:
    """Return the names of an item of a build."""
    index = index_of(rules)
    listed = rules.gear.get(owned.item)
    skill = owned.skill or (str(listed.skill) if listed is not None and listed.skill else "")
    above = str(index.traits[skill][1].under or "") if skill in index.traits else ""
    cost = owned.cost or (int(listed.cost or 0) if listed is not None else 0)
    return {
        "name": owned.name,
        "count": owned.count,
        "cost": cost,
        "dice": owned.dice or 0,
        "damage": owned.damage or 0,
        "attack": owned.attack or 0,
        "bonus": owned.bonus or 0,
        "active": bool(owned.acting),
        "skill": index.titles.get(skill, ""),
        **attribute_names(above, attributes),
        **{f"tag.{tag}": True for tag in owned.tags},
    }


class LeafScope(OuterScope):
    """The leaves of a document's system data, and `more` names; a missing leaf is 0."""

    def __init__(self, outer: Scope, data: Any, more: Mapping[str, Value]) -> None:
        super().__init__(outer)
        self.data, self.more = data, more

    def value(self, name: str) -> Value | None:
        """Return the value of a leaf as a whole number or a text."""
        found = self.more[name] if name in self.more else self.outer.value(name)
        if found is not None:
            return found
        value = get_leaf(self.data, name)
        number = leaf_number(value)
        return value if number is None and isinstance(value, str) else number or 0


def leaf_number(value: Any) -> int | None:
    """Return a leaf as a whole number: from a text or a list too; None if it is no number."""
    if isinstance(value, list):
        value = value[0] if value else 0
    if value is None or isinstance(value, bool | int):
        return max(-_MOST, min(_MOST, int(value or 0)))
    if isinstance(value, str):
        try:
            value = float(value.strip() or "0") if len(value) < 30 else None
        except ValueError:
            return None
    if isinstance(value, float) and abs(value) <= _MOST:
        return int(value)
    return None


def plain_line(value: Any) -> str:
    """Return a text as one line without what cannot be printed; empty for other values."""
    if isinstance(value, Mapping):
        value = value.get("value")
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return ""
    plain = "".join(c if c.isprintable() else " " for c in value[:_MOST_LINE])
    return " ".join(plain.replace("\u2060", "").split())


def leaf_text(value: Any) -> str:
    """Return a leaf as one line, its lists joined; empty for no value."""
    if isinstance(value, list):
        if any(isinstance(one, list | dict) for one in value):
            return f"{len(value)} entries"
        return "; ".join(filter(None, map(leaf_text, value[:20])))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "yes" if value is True else plain_line(value)


def comparable_leaf(value: Any) -> str:
    """Return a text that is equal for leaves that say the same: `3`, 3 and 3.0."""
    text = leaf_text(value).lower()
    try:
        return str(float(text))
    except ValueError:
        return "yes" if text == "true" else text
