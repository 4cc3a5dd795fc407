"""How a ruleset goes to a system of Foundry and back: data beside the ruleset, and its loader.

`exports/foundry-*.yaml` in the ruleset's folder has the fields below as keys. A *leaf* is a path
in the system's data, such as `move.value`. An overlay's file is laid over its base's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from sheetgen.diag.findings import Checked
from sheetgen.exchange.foundry.documents import Document, get_leaf
from sheetgen.load.rulesets.exports import read_export_map
from sheetgen.load.shapes import Shaper
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.shape import Formula, Positive, rule_model
from sheetgen.model.source import Text

PATTERN: Final = "foundry-*.yaml"


@rule_model
class ItemMap:
    """Items that an actor holds, from one part of a build.

    Attributes:
        of: A group of ratings, or a key of the file: of items, of choices, or of texts.
        type: The type of the item, with {formulas} about the build.
        reads: The types that an import reads as this; `type` without it.
        where: Tags of which a thing must have one; a thing goes to the first map that takes it.
        when: Which of them go out, by the names that the formulas see.
        rated: Names by leaf, both ways; the leaf counts `pips` for each step.
        values: Formulas by leaf, only out.
        texts: Texts with {formulas} by leaf, only out.
        numbers_after: Leaves for the numbers that follow a word in `special`, `WORD 3/6/12`.
        read: What an import reads, by key of an own item (`count`, `cost`, `skill`, `note`).
    """

    of: Text
    type: Text
    reads: tuple[Text, ...] = ()
    where: tuple[Text, ...] = ()
    when: Formula | None = None
    rated: Mapping[str, Text] = field(default_factory=dict)
    values: Mapping[str, Formula] = field(default_factory=dict)
    texts: Mapping[str, Text] = field(default_factory=dict)
    numbers_after: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    read: Mapping[str, Text] = field(default_factory=dict)


@rule_model
class ActorMap:
    """Actors from one kind of files.

    Attributes:
        type: The type of the actor, with {formulas} about the build.
        reads: The types that an import reads as this kind; `type` without it.
        disposition: Of the token: -1 hostile, 0 neutral, 1 friendly.
        linked: Whether all tokens of an actor share its data.
        attributes: Traits by what the system calls them, for items that belong to one.
        rated: Traits by leaf, both ways; the leaf counts `pips` for each step.
        values: Formulas by leaf, only out.
        texts: Texts with {formulas} by leaf, only out.
        words: Keys by leaf, both ways, as plain text.
        prose: Keys by leaf of HTML. What has no place goes to the first leaf.
        remarks: The type of an item `Notes` that has the text, where the actor has no HTML.
        figures: Derived values that the text shows, since the system has none of them.
        covers: Keys that `values` are computed from, so that the text does not repeat them.
        items: Items that the actor holds.
        read: Texts with {formulas} of leaves, only in, by key or trait.
        guesses: The same for what the system does not have; an import reports each.
    """

    type: Text
    reads: tuple[Text, ...] = ()
    disposition: int = 0
    linked: bool = False
    attributes: Mapping[str, Text] = field(default_factory=dict)
    rated: Mapping[str, Text] = field(default_factory=dict)
    values: Mapping[str, Formula] = field(default_factory=dict)
    texts: Mapping[str, Text] = field(default_factory=dict)
    words: Mapping[str, Text] = field(default_factory=dict)
    prose: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    remarks: Text | None = None
    figures: tuple[Text, ...] = ()
    covers: tuple[Text, ...] = ()
    items: tuple[ItemMap, ...] = ()
    read: Mapping[str, Text] = field(default_factory=dict)
    guesses: Mapping[str, Text] = field(default_factory=dict)


@rule_model
class FoundryMap:
    """How a ruleset goes to a system of Foundry.

    Attributes:
        system: The id of the system.
        older: Its ids before, which an import takes too.
        foundry: The version of Foundry that the system needs.
        pips: What a leaf counts for one step of a rating.
        remark: What the reader of the module has to do in this system.
        actors: Maps by kind; `character` for characters.
        things: Items that the ruleset lists: `of` is `gear` or `choices.ID`. An import reads those
            of `gear`; `read` may have any key of gear, and `tags` with blanks between them.
        usual: Values of leaves that an import does not report, as patterns with `*`.
    """

    system: Text
    foundry: Text
    older: tuple[Text, ...] = ()
    pips: Positive = 1
    remark: str = ""
    actors: Mapping[str, ActorMap] = field(default_factory=dict)
    things: tuple[ItemMap, ...] = ()
    usual: Mapping[str, Text] = field(default_factory=dict)


def load_foundry_map(rules: Ruleset) -> Checked[FoundryMap]:
    """Return the map of a ruleset; None without findings if it has none."""
    read = read_export_map(rules, PATTERN)
    if read.value is None:
        return Checked(None, read.findings)
    shaper = Shaper(pips=rules.pips)
    value = shaper.read(read.value, FoundryMap, "foundry")
    return Checked(value, tuple(shaper.findings))


def find_other_system(document: Document, plan: FoundryMap) -> str:
    """Return why a document is not of the system; empty if it may be."""
    stats = (
        get_leaf(document, "_stats.exportSource.systemId"),
        get_leaf(document, "_stats.systemId"),
    )
    system = next((one for one in stats if isinstance(one, str)), "")
    if system and system not in (plan.system, *plan.older):
        return f"a document of the system `{system[:40]}`, not of {plan.system}"
    return ""
