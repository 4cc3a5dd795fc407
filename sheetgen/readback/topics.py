"""Topics: the things that a player may change on a sheet, each with its three values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sheetgen.check.character.draft.draft import Draft
from sheetgen.diag.controls import strip_controls
from sheetgen.model.codes import parse_code
from sheetgen.model.filled import ON, FilledSheet
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import ScalarNode, items_of
from sheetgen.readback.places import COMPUTED, NOWHERE, FieldPlace, place_of
from sheetgen.readback.words import catalogue_of, choice_key, item_key, parse_typed_name, split_list

Texts = Mapping[str, str]
"""The texts of a topic's fields, by name."""


@dataclass
class Topic:
    """One thing that the player may change.

    Attributes:
        names: Its fields, in the sheet's order.
        printed, filled, current: Their texts as printed, as filled in, and as the file would print
            them now; `printed` is None if it is not known.
        boxes: The fields that are boxes to mark.
    """

    place: FieldPlace
    label: str
    names: list[str]
    printed: Texts | None
    filled: Texts
    current: Texts
    draft: Draft = field(repr=False)
    boxes: frozenset[str] = frozenset()

    def value(self, texts: Texts) -> Any:
        """Return the value of `texts` in a form for comparison."""
        return READERS[self.place.kind](self, texts)

    @property
    def before(self) -> Texts:
        """The texts before the player typed: as printed, or else of the file."""
        return self.current if self.printed is None else self.printed

    @property
    def typed_fields(self) -> list[str]:
        """The fields whose texts differ from those before."""
        return [
            n
            for n in self.names
            if normalize_text(self.filled[n]) != normalize_text(self.before[n])
        ]

    @property
    def changed(self) -> bool:
        """Whether the player changed it."""
        return bool(self.value(self.filled) != self.value(self.before))

    @property
    def is_current(self) -> bool:
        """Whether the file has the value of the sheet already."""
        filled, current = self.value(self.filled), self.value(self.current)
        if filled == current or self.place.kind not in _ROWS or not filled:
            return bool(filled == current)
        # If all rows of the sheet were full, removing one makes room for the next of the file.
        return bool(current[: len(filled)] == filled and len(current) == len(self.names))

    @property
    def file_changed(self) -> bool:
        """Whether the file changed since the sheet was printed."""
        return self.printed is None or self.value(self.printed) != self.value(self.current)


_ROWS: Final = ("texts", "choices", "rows")


def find_topics(
    sheet: FilledSheet, draft: Draft, current: Texts, before: Texts | None
) -> tuple[list[Topic], list[Topic]]:
    """Return the topics of `sheet`, and a topic for each computed field.

    Args:
        current: The texts that the character's file would print now, by field.
        before: What was printed, if the sheet does not record it but the caller knows.
    """
    grouped: dict[FieldPlace, list[str]] = {}
    for name in sheet.fields:
        place = place_of(name, draft.rules, sheet.fields.keys())
        place = FieldPlace(COMPUTED, (name,)) if place.kind == COMPUTED else place
        grouped.setdefault(place, []).append(name)
    topics: list[Topic] = []
    computed: list[Topic] = []
    for place, names in grouped.items():
        printed: Texts | None = {n: sheet.fields[n].printed or "" for n in names}
        if not sheet.has_printed_values:
            printed = {n: before.get(n, "") for n in names} if before is not None else None
        filled = {n: sheet.fields[n].filled for n in names}
        now = {n: current.get(n, "") for n in names}
        label = label_of(place, draft, sheet.fields[names[0]].label or names[0])
        boxes = frozenset(n for n in names if sheet.fields[n].box)
        topic = Topic(place, label, names, printed, filled, now, draft, boxes)
        (computed if place.kind == COMPUTED else topics).append(topic)
    return topics, computed


def label_of(place: FieldPlace, draft: Draft, field_label: str) -> str:
    """Return the label of a topic in reports."""
    rules, of = draft.rules, place.of
    if place.kind in ("boxes", "own"):
        return draft.name_of(of[1])
    if place.kind in ("link", "pin", "detail") and of[1] in draft.index.traits:
        return f"{draft.name_of(of[1])}, {'die' if place.kind == 'pin' else place.kind}"
    if place.kind == "named":
        return rules.groups[of[0]].label or of[0]
    if place.kind == "track":
        return rules.tracks[of[0]].label or of[0]
    if place.kind == "ledger":
        return f"{rules.pools[of[0]].label} ledger, row {of[1]}"
    if place.kind in ("rows", "cell", NOWHERE, COMPUTED, "link", "pin"):
        return field_label if place.kind != "rows" else of[0].replace("_", " ").capitalize()
    key = rules.character[of[0]]
    return key.label or of[0].replace("_", " ").capitalize()


# -- values of fields --------------------------------------------------------------------------


def normalize_text(text: str) -> str:
    """Return a text for comparison: without outer blanks and control characters."""
    return "\n".join(line.rstrip() for line in strip_controls(text).strip().split("\n"))


def parse_number_field(text: str) -> int | str | None:
    """Return a whole number, None for an empty text, or the text itself."""
    shown = text.strip().replace("−", "-")
    if not shown:
        return None
    return int(shown) if re.fullmatch(r"[+-]?\d{1,9}", shown, re.ASCII) else shown


def parse_rating(text: str, rules: Ruleset, group: str) -> int | str:
    """Return a typed rating in steps, or the text if it is no rating."""
    shown = text.strip().replace("−", "-")
    if not shown:
        return 0
    if rules.groups[group].rating == "dice":
        found = parse_code(shown, pips=rules.pips)
        return found if isinstance(found, int) else shown
    number = parse_number_field(shown)
    return number if isinstance(number, int) else shown


def count_marked(texts: Texts) -> int:
    """Return how many boxes are marked."""
    return sum(text == ON for text in texts.values())


def _one(topic: Topic, texts: Texts) -> Any:
    return normalize_text(texts[topic.names[0]])


def _number(topic: Topic, texts: Texts) -> Any:
    return parse_number_field(texts[topic.names[0]])


def _choice(topic: Topic, texts: Texts) -> Any:
    return next(iter(_choices(topic, texts)), "")


def _list(topic: Topic, texts: Texts) -> Any:
    return tuple(normalize_text(texts[n]) for n in topic.names if texts[n].strip())


def _choices(topic: Topic, texts: Texts) -> Any:
    catalogue = catalogue_of(topic.draft, topic.place.of[0])
    shown = (texts[n] for n in topic.names)
    return tuple(choice_key(topic.draft, catalogue, text) for text in shown if text.strip())


def _rows(topic: Topic, texts: Texts) -> Any:
    of, _, catalogue = topic.draft.rules.lists[topic.place.of[0]].of.partition(".")
    shown = [texts[n] for n in topic.names if texts[n].strip()]
    if of == "choices":
        return tuple(choice_key(topic.draft, catalogue, text) for text in shown)
    return tuple(item_key(topic.draft, text) for text in shown)


def field_items(topic: Topic, texts: Texts) -> list[str]:
    """Return the items in one field, without those that come with choices."""
    found = all_listed(topic, texts)
    return [piece for piece in found if not _is_granted(topic.draft, topic.place.of[0], piece)]


def all_listed(topic: Topic, texts: Texts) -> list[str]:
    """Return the items in one field."""
    key = topic.place.of[0]
    known = (item.name for item in topic.draft.items if item.key == key)
    text = texts[topic.names[0]]
    if topic.draft.rules.character[key].kind == "item" and "," not in topic.current[topic.names[0]]:
        return [text.strip()] if text.strip() else []
    return split_list(text, known)


def _items(topic: Topic, texts: Texts) -> Any:
    return tuple(sorted(item_key(topic.draft, piece) for piece in field_items(topic, texts)))


def _is_granted(draft: Draft, key: str, words: str) -> bool:
    """Whether choices bring an item along that the file does not list."""
    id_ = parse_typed_name(draft.index.gear, words).id
    if draft.rules.character[key].kind != "items":  # Such items are under the first of these.
        return False
    if not any(id_ == item for item, _, _ in draft.granted_gear):
        return False
    node = draft.entries.get(key)
    named = items_of(node)
    raws = [n.raw for n in named if isinstance(n, ScalarNode)]
    return not any(parse_typed_name(draft.index.gear, raw).id == id_ for raw in raws)


def _count(topic: Topic, texts: Texts) -> Any:
    return count_marked(texts)


def _steps(topic: Topic, texts: Texts) -> Any:
    for name in sorted(topic.names, key=lambda n: not n.endswith(".own")):
        return parse_rating(texts[name], topic.draft.rules, topic.place.of[0])
    return 0


def _states(topic: Topic, texts: Texts) -> Any:
    return tuple(n.rpartition(".")[2] for n in topic.names if texts[n] == ON)


def _dice(topic: Topic, texts: Texts) -> Any:
    return tuple(sorted((die for n in topic.names if (die := die_text(texts[n]))), key=_faces))


def die_text(text: str) -> str:
    """Return a die as `d8`, or the text if it is no die."""
    shown = re.sub(r"\s", "", text).lower()
    return f"d{shown}" if shown and not shown.startswith("d") else shown


def _faces(die: str) -> tuple[int, str]:
    return (-int(die[1:]), die) if die[1:].isdecimal() and len(die) < 6 else (0, die)


def named_rows(topic: Topic, texts: Texts) -> list[tuple[str, str, int]]:
    """Return the rows of traits that the author names: number, name, marked boxes."""
    rows: dict[str, list[str]] = {}
    for name in topic.names:
        rows.setdefault(name.split(".")[1], []).append(name)
    found = []
    for number, names in rows.items():
        called = next((texts[n].strip() for n in names if n.endswith(".name")), "")
        count = sum(texts[n] == ON for n in names)
        if called or count:
            found.append((number, called, count))
    return found


def _named(topic: Topic, texts: Texts) -> Any:
    return tuple((name, count) for _, name, count in named_rows(topic, texts))


def _row(topic: Topic, texts: Texts) -> Any:
    return tuple(normalize_text(texts[n]) for n in topic.names if not n.endswith(".gained"))


READERS: Final[Mapping[str, Callable[[Topic, Texts], Any]]] = {
    "text": _one,
    "number": _number,
    "choice": _choice,
    "states": _states,
    "texts": _list,
    "choices": _choices,
    "items": _items,
    "rows": _rows,
    "cell": _one,
    "boxes": _count,
    "track": _count,
    "own": _steps,
    "detail": _one,
    "link": _one,
    "pin": _dice,
    "dice": _dice,
    "named": _named,
    "ledger": _row,
    NOWHERE: _one,
    COMPUTED: _one,
}
"""The function that gives each kind of topic its value."""
