"""How new files of a kind are made; the fields are the YAML's keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.shape import rule_model
from sheetgen.model.source import Text


@rule_model
class Maker:
    """What `sheetgen new` writes, and what it draws where the user leaves it open.

    Attributes:
        level, skills, gear: The keys of the file that take these.
        first: Skills of which each has at least one.
        among: Skills that the others are drawn from.
        suits: Gear by the skill that it is for, one of it is drawn; some may be empty.
        also: Gear that suits everybody; an empty text is none.
        names: For those that are given none.
    """

    level: Text
    skills: Text
    gear: Text
    first: tuple[Text, ...] = ()
    among: tuple[Text, ...] = ()
    suits: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    also: tuple[Text, ...] = ()
    names: tuple[str, ...] = ()
