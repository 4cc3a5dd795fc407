"""Where the parts of a ruleset come from: a base, what is laid over it, and their modules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sheetgen.model.shape import rule_model
from sheetgen.model.source import Text


@rule_model
class Head:
    """What a module's file says of itself; `add` and `change` are read as trees.

    Attributes:
        module: Its id.
        default: Whether it is on where nobody says otherwise.
        replaces: Modules that it switches off.
        requires: Modules without which it is off.
        needs: Places in the ruleset that have to be there.
        merge: Traits that become one: into which, and which.
        remove: Places in the ruleset that it takes away.
    """

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


@dataclass(frozen=True, slots=True)
class Origin:
    """One of the rulesets that a ruleset is made of; the first is the base.

    Attributes:
        folder: Its files stand there.
    """

    id: str
    title: str
    folder: str


@dataclass(frozen=True, slots=True)
class Module:
    """A part that can be switched: whether it is on, and whose it is."""

    id: str
    label: str
    text: str
    on: bool
    origin: Origin
    replaced_by: str = ""


@dataclass(frozen=True, slots=True)
class Composition:
    """What a ruleset is made of."""

    origins: tuple[Origin, ...] = ()
    modules: Mapping[str, Module] = field(default_factory=dict)
    one: str = "character"
