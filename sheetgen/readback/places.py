"""Places of fields: the part of a character that the name of a field belongs to."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.index import index_of

COMPUTED, NOWHERE = "computed", "nowhere"
"""Kinds of fields that are computed from others, and of fields that the ruleset does not have."""

_HEADS: Final = ("header", "continued", "continuation", "page", "stamp")
_PLAIN: Final = ("text", "number", "choice", "item", "items")
_FOLLOWS: Final = ("value", "how", "text")


class FieldPlace(NamedTuple):
    """The part of a character that a field belongs to; all fields of a topic have the same.

    Attributes:
        kind: The key of the function that reads it in `topics.READERS`.
        of: A key, a group and a trait, a track, a pool and a row …
    """

    kind: str
    of: tuple[str, ...] = ()


def place_of(name: str, rules: Ruleset, names: Collection[str]) -> FieldPlace:
    """Return the place of the field `name`.

    Args:
        names: The names of all fields on the sheet. The rating of a trait that no other is added
            to is typed as its total, if the sheet has that.
    """
    parts = name.split(".")
    head, last = parts[0], parts[-1]
    numbered = len(parts) > 1 and parts[1].isdigit()
    for found in (
        _of_key(parts, rules, numbered),
        _of_group(name, parts, rules, names, numbered),
        _of_list(parts, rules, numbered),
    ):
        if found is not None:
            return found
    if head in rules.tracks and len(parts) == 3:
        return FieldPlace("track", (head,)) if parts[1] == "box" else FieldPlace(COMPUTED)
    if head in rules.pools:
        row = parts[1] == "ledger" and len(parts) == 4
        return (
            FieldPlace("ledger", (head, parts[2]))
            if row and last != "left"
            else FieldPlace(COMPUTED)
        )
    known = head in rules.derived or head in rules.texts or head in rules.rolls
    if (known and last in _FOLLOWS) or head.rstrip("0123456789") in _HEADS:
        return FieldPlace(COMPUTED)
    return FieldPlace(NOWHERE, (name,))


def _of_key(parts: list[str], rules: Ruleset, numbered: bool) -> FieldPlace | None:
    head = parts[0]
    if head == "dice" and numbered and rules.dice is not None:
        keys = [str(id_) for id_, key in rules.character.items() if key.kind == "dice"]
        return FieldPlace("dice", (keys[0],)) if keys else None
    if len(parts) == 1 and head.endswith("_text") and head[:-5] in rules.character:
        return FieldPlace(COMPUTED)
    key = rules.character.get(head)
    if key is None:
        return None
    if len(parts) == 1:
        kind = "items" if key.kind == "item" else str(key.kind)
        return FieldPlace(kind, (head,)) if key.kind in _PLAIN else None
    if key.kind == "texts" and numbered and len(parts) == 2:
        return FieldPlace("texts", (head,))
    if key.kind == "choices" and numbered and len(parts) == 3:
        return FieldPlace("choices", (head,)) if parts[2] == "name" else FieldPlace(COMPUTED)
    if key.kind == "choice" and len(parts) == 2:
        catalogue = rules.choices.get(str(key.of[0]) if key.of else head)
        known = catalogue is not None and parts[1] in catalogue.entries
        return FieldPlace("states", (head,)) if known else None
    return None


def _of_group(
    name: str, parts: list[str], rules: Ruleset, names: Collection[str], numbered: bool
) -> FieldPlace | None:
    head, group = parts[0], rules.groups.get(parts[0])
    if group is None or len(parts) < 3:
        return None
    trait, what = parts[1], parts[2]
    if what in ("link", "die"):
        return FieldPlace("link" if what == "link" else "pin", (head, trait))
    if numbered and group.open is not None:
        return FieldPlace("named", (head,)) if what == "name" or what.isdigit() else None
    if trait not in group.traits:
        return None
    if what.isdigit():
        return FieldPlace("boxes", (head, trait))
    if what == "detail":
        return FieldPlace("detail", (head, trait))
    stem = name.rpartition(".")[0]
    summed = index_of(rules).summed.get(trait, ("", None))[0]
    typed = "own" if summed or f"{stem}.total" not in names else "total"
    if what == typed and f"{stem}.1" not in names:
        return FieldPlace("own", (head, trait))
    return FieldPlace(COMPUTED)


def _of_list(parts: list[str], rules: Ruleset, numbered: bool) -> FieldPlace | None:
    """Return the place of a cell of a list; None if the field is no such cell."""
    rows = rules.lists.get(parts[0])
    if rows is None or not numbered or len(parts) != 3 or parts[2] not in rows.columns:
        return None
    if rows.of in rules.groups:
        return FieldPlace(COMPUTED)
    if parts[2] == naming(rules, parts[0]):
        return FieldPlace("rows", (parts[0],))
    return FieldPlace("cell", tuple(parts))


def naming(rules: Ruleset, list_: str) -> str:
    """Return the column of a list that names what is in a row."""
    columns = rules.lists[list_].columns
    begins = (str(id_) for id_, text in columns.items() if text.lstrip().startswith("{name}"))
    return next(begins, str(next(iter(columns), "")))
