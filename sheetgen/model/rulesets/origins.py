"""Where the parts of a ruleset come from: a base, its overlays, and their modules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

from sheetgen.model.shape import rule_model
from sheetgen.model.source import Text
from sheetgen.records import frozen


@rule_model
class Head:
    """The keys of a module's file, besides those of `MORE`, which are read as trees.

    Attributes:
        module: The id of the module.
        text: What the module does, in a line.
        default: Whether the module is on where nobody switches it.
        replaces: Modules that it switches off.
        requires: Modules without which it is off.
        merge: Traits that become one: the trait that stays, and those that it absorbs.
        needs: Places in the ruleset that must exist.
        remove: Places in the ruleset that it removes.
    """

    MORE: ClassVar[tuple[str, ...]] = ("add", "change")

    module: Text
    label: str
    text: str = ""
    default: bool = True
    replaces: tuple[Text, ...] = ()
    requires: tuple[Text, ...] = ()
    merge: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    needs: tuple[Text, ...] = ()
    remove: tuple[Text, ...] = ()
    ruling: str = ""


@frozen
class Origin:
    """One of the rulesets that a ruleset is made of; the first is the base.

    Attributes:
        folder: The folder of its files.
    """

    id: str
    title: str
    folder: str


@frozen
class Module:
    """A module: whether it is on, and which ruleset it comes from."""

    id: str
    label: str
    text: str
    on: bool
    origin: Origin
    replaced_by: str = ""


@frozen
class Composition:
    """The rulesets and modules that a ruleset consists of.

    Attributes:
        one: What one file under the rules is called.
        unkept: Names of choices and items that a kind does not keep: no file of it has them.
    """

    origins: tuple[Origin, ...] = ()
    modules: Mapping[str, Module] = field(default_factory=dict)
    one: str = "character"
    unkept: frozenset[str] = frozenset()
