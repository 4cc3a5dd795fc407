"""Topics: what a player may change on a sheet, and the copy of the file that takes the changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from sheetgen.check.character.draft import Draft
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.visible import strip_controls
from sheetgen.load.yaml import edit
from sheetgen.model.build import parse_code, parse_step_die
from sheetgen.model.filled import ON, FilledSheet
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import ScalarNode, items_of
from sheetgen.records import frozen
from sheetgen.rules.index import Names, closest_names, folded, index_of, split_times

COMPUTED, NOWHERE = "computed", "nowhere"  # fields that follow from others, and unknown ones
_HEADS: Final = ("header", "continued", "continuation", "page", "stamp")
_PLAIN: Final = ("text", "number", "choice", "item", "items")
Texts = Mapping[str, str]  # The texts of a topic's fields, by name
_BESIDE: Final = 15  # Letters shown before and after the difference between two long texts
_SHORT: Final = 58  # Letters of a text that is shown in full


class FieldPlace(NamedTuple):
    """The part of a character that a field belongs to; all fields of a topic have the same."""

    kind: str  # The key of the function that reads it in `topics.READERS`.
    of: tuple[str, ...] = ()  # A key, a group and a trait, a track, a pool and a row …


def place_of(name: str, rules: Ruleset, names: Collection[str]) -> FieldPlace:
    """Return the place of the field `name`, one of all `names` of the sheet.

    The rating of a trait that no other is added to is typed as its total, if the sheet has that.
    """
    head, *after = parts = name.split(".")
    last, numbered = parts[-1], after[:1] != [] and after[0].isdigit()
    if head == "dice" and numbered and rules.dice is not None:
        keys = [str(id_) for id_, key in rules.character.items() if key.kind == "dice"]
        if keys:
            return FieldPlace("dice", (keys[0],))
    if not after and head.endswith("_text") and head[:-5] in rules.character:
        return FieldPlace(COMPUTED)
    if (key := rules.character.get(head)) is not None:
        if not after and key.kind in _PLAIN:
            return FieldPlace("items" if key.kind == "item" else str(key.kind), (head,))
        if key.kind == "texts" and numbered and len(parts) == 2:
            return FieldPlace("texts", (head,))
        if key.kind == "choices" and numbered and len(parts) == 3:
            return FieldPlace("choices", (head,)) if last == "name" else FieldPlace(COMPUTED)
        if key.kind == "choice" and len(parts) == 2:
            catalogue = rules.choices.get(key.catalogue(head))
            if catalogue is not None and last in catalogue.entries:
                return FieldPlace("states", (head,))
    if head in rules.groups and len(parts) > 2 and (found := _place_in_group(parts, rules, names)):
        return found
    rows = rules.lists.get(head)
    if rows is not None and numbered and len(parts) == 3 and last in rows.columns:
        if rows.of in rules.groups:
            return FieldPlace(COMPUTED)
        names_it = last == naming(rules, head)
        return FieldPlace("rows", (head,)) if names_it else FieldPlace("cell", tuple(parts))
    if head in rules.tracks and len(parts) == 3:
        return FieldPlace("track", (head,)) if after[0] == "box" else FieldPlace(COMPUTED)
    if head in rules.pools:
        typed = after[:1] == ["ledger"] and len(parts) == 4 and last != "left"
        return FieldPlace("ledger", (head, after[1])) if typed else FieldPlace(COMPUTED)
    known = head in rules.derived or head in rules.texts or head in rules.rolls
    if (known and last in ("value", "how", "text")) or head.rstrip("0123456789") in _HEADS:
        return FieldPlace(COMPUTED)
    return FieldPlace(NOWHERE, (name,))


def _place_in_group(parts: list[str], rules: Ruleset, names: Collection[str]) -> FieldPlace | None:
    head, trait, what = parts[:3]
    group = rules.groups[head]
    if what in ("link", "die"):
        return FieldPlace("link" if what == "link" else "pin", (head, trait))
    if trait.isdigit() and group.open is not None:
        return FieldPlace("named", (head,)) if what == "name" or what.isdigit() else None
    if trait not in group.traits:
        return None
    if what.isdigit() or what == "detail":
        return FieldPlace("boxes" if what.isdigit() else "detail", (head, trait))
    stem = ".".join(parts[:-1])
    typed = index_of(rules).typed_part(trait) if f"{stem}.total" in names else "own"
    if what == typed and f"{stem}.1" not in names:
        return FieldPlace("own", (head, trait))
    return FieldPlace(COMPUTED)


def naming(rules: Ruleset, list_: str) -> str:
    """Return the column of a list that names what is in a row."""
    columns = rules.lists[list_].columns
    begins = (str(id_) for id_, text in columns.items() if text.lstrip().startswith("{name}"))
    return next(begins, str(next(iter(columns), "")))


@dataclass
class Topic:
    """One thing that the player may change."""

    place: FieldPlace
    label: str
    names: list[str]  # Its fields, in the sheet's order.
    # Their texts as printed (None: unknown), as filled in, and as the file would print them now.
    printed: Texts | None
    filled: Texts
    current: Texts
    draft: Draft = field(repr=False)
    boxes: frozenset[str] = frozenset()  # The fields that are boxes to mark.

    def value(self, texts: Texts) -> Any:
        """Return the value of `texts` in a form for comparison."""
        return READERS[self.place.kind](self, texts)

    @property
    def catalogue(self) -> str:
        """The catalogue of the choices that it names; empty for items."""
        key = self.place.of[0]
        if self.place.kind != "rows":
            return catalogue_of(self.draft, key)
        of, _, catalogue = self.draft.rules.lists[key].of.partition(".")
        return catalogue if of == "choices" else ""

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
        if filled == current or self.place.kind not in ("texts", "choices", "rows") or not filled:
            return bool(filled == current)
        # If all rows of the sheet were full, removing one made room for the next of the file.
        begins = current[: len(filled)] == filled and len(current) == len(self.names)
        return bool(begins and self.file_changed)

    @property
    def file_changed(self) -> bool:
        """Whether the file changed since the sheet was printed."""
        return self.printed is None or self.value(self.printed) != self.value(self.current)


def find_topics(
    sheet: FilledSheet, draft: Draft, current: Texts, before: Texts | None
) -> tuple[list[Topic], list[Topic]]:
    """Return the topics of a sheet, and those of computed fields; `before` was printed."""
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
    return rules.character[of[0]].label or of[0].replace("_", " ").capitalize()


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
    if rules.groups[group].rating == "die" and (step := parse_step_die(shown)):
        return step
    number = parse_number_field(shown)
    return number if isinstance(number, int) else shown


def count_marked(texts: Texts) -> int:
    """Return how many boxes are marked."""
    return sum(text == ON for text in texts.values())


def _rows(topic: Topic, texts: Texts) -> Any:
    shown = [texts[n] for n in topic.names if texts[n].strip()]
    if catalogue := topic.catalogue:
        return tuple(choice_key(topic.draft, catalogue, text) for text in shown)
    return tuple(item_key(topic.draft, text) for text in shown)


def field_items(topic: Topic, texts: Texts) -> list[str]:
    """Return the items in one field, without those that come with choices."""
    key, draft = topic.place.of[0], topic.draft
    found = all_listed(topic, texts)
    if draft.rules.character[key].kind != "items":  # what choices bring is under the first of these
        return found
    listed = (n.raw for n in items_of(draft.entries.get(key)) if isinstance(n, ScalarNode))
    own = {parse_typed_name(draft.index.gear, raw).id for raw in listed}
    given = {item for item, _, _ in draft.granted_gear} - own
    return [p for p in found if parse_typed_name(draft.index.gear, p).id not in given]


def all_listed(topic: Topic, texts: Texts) -> list[str]:
    """Return the items in one field, between commas; known names may contain commas."""
    key = topic.place.of[0]
    known = (item.name for item in topic.draft.items if item.key == key)
    text = texts[topic.names[0]]
    if topic.draft.rules.character[key].kind == "item" and "," not in topic.current[topic.names[0]]:
        return [text.strip()] if text.strip() else []
    held = sorted((name for name in known if "," in name), key=len, reverse=True)
    pattern = "|".join([*(re.escape(name) for name in held), r"[^,\n;]+"])
    found = (match[0].strip() for match in re.finditer(pattern, text))
    return [piece for piece in found if piece]


def _dice(topic: Topic, texts: Texts) -> Any:
    """Return the dice, the largest first, then what is no die."""
    dice = (die for n in topic.names if (die := die_text(texts[n])))
    known = ((int(d[1:]) if d[1:].isdecimal() and len(d) < 6 else 0, d) for d in dice)
    return tuple(die for _, die in sorted(known, key=lambda one: (-one[0], one[1])))


def die_text(text: str) -> str:
    """Return a die as `d8`, or the text if it is no die."""
    shown = re.sub(r"\s", "", text).lower()
    return f"d{shown}" if shown and not shown.startswith("d") else shown


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


READERS: Final[Mapping[str, Callable[[Topic, Texts], Any]]] = {
    **dict.fromkeys(
        ("text", "cell", "detail", "link", NOWHERE, COMPUTED),
        lambda topic, texts: normalize_text(texts[topic.names[0]]),
    ),
    "number": lambda topic, texts: parse_number_field(texts[topic.names[0]]),
    "choice": lambda topic, texts: next(iter(_rows(topic, texts)), ""),
    "states": lambda topic, texts: tuple(
        n.rpartition(".")[2] for n in topic.names if texts[n] == ON
    ),
    "texts": lambda topic, texts: tuple(
        normalize_text(texts[n]) for n in topic.names if texts[n].strip()
    ),
    "choices": _rows,
    "items": lambda topic, texts: tuple(
        sorted(item_key(topic.draft, piece) for piece in field_items(topic, texts))
    ),
    "rows": _rows,
    "boxes": lambda _, texts: count_marked(texts),
    "track": lambda _, texts: count_marked(texts),
    "own": lambda topic, texts: parse_rating(
        texts[min(topic.names, key=lambda n: not n.endswith(".own"))],
        topic.draft.rules,
        topic.place.of[0],
    ),
    "pin": _dice,
    "dice": _dice,
    "named": lambda topic, texts: tuple(row[1:] for row in named_rows(topic, texts)),
    "ledger": lambda topic, texts: tuple(
        normalize_text(texts[n]) for n in topic.names if not n.endswith(".gained")
    ),
}
"""The function that gives each kind of topic its value."""


# Names that a player typed: the choices, items and traits that they mean, in any spelling.


class Typed(NamedTuple):
    """A name that a player typed, parsed."""

    id: str  # The id of the thing; empty if the ruleset has no such name.
    name: str
    times: int = 1
    detail: str = ""  # The text after the name.


def parse_typed_name(names: Names, text: str) -> Typed:
    """Return the parsed name: `Name`, `Name ×2`, `Name: detail`, `Name, what it does`."""
    whole = text.strip()
    parts = [(whole, "")]
    for mark in (":", ",", "("):
        name, sign, detail = whole.partition(mark)
        if sign and name.strip():
            parts.append((name.strip(), detail.strip(" )" if mark == "(" else " ")))
    for name, detail in parts:
        found = names.find(name)
        times = 1
        if not found:
            name, times = split_times(name)
            found = names.find(name) if name else ()
        if len(found) == 1:
            return Typed(found[0], names.shown[found[0]], times, detail)
    name, times = split_times(text)
    return Typed("", name or whole, times)


def parse_choice(draft: Draft, catalogue: str, text: str) -> tuple[Typed, str]:
    """Return the choice that `text` picks from a catalogue, and the trait that it names."""
    found = parse_typed_name(draft.index.by_catalogue[catalogue], text)
    entry = draft.rules.choices[catalogue].entries.get(found.id)
    if entry is None or entry.asks not in draft.rules.groups:
        return found, ""
    named = draft.index.among((str(entry.asks),)).find(found.detail) if found.detail else ()
    return found, named[0] if len(named) == 1 else ""


def choice_key(draft: Draft, catalogue: str, text: str) -> str:
    """Return the text of a choice in a form for comparison."""
    if not text.strip():
        return ""
    found, trait = parse_choice(draft, catalogue, text)
    return f"{found.id or found.name} {found.times} {trait or found.detail}"


def item_key(draft: Draft, text: str) -> str:
    """Return the text of an item in a form for comparison."""
    found = parse_typed_name(draft.index.gear, text)
    return f"{found.id or found.name} {found.times}"


def is_only(names: Names, text: str, detail: str) -> bool:
    """Whether `text` is a known name with its count and `detail`, and no other letters."""
    name = split_times(text.strip())[0]
    if detail:
        name = name.removesuffix(")").rstrip().removesuffix(detail).rstrip(" :,(")
    bare = re.sub(r"[\s'’-]", "", name).casefold()
    return bool(names.find(name)) and folded(name).replace(" ", "") == bare


def catalogue_of(draft: Draft, key: str) -> str:
    """Return the catalogue that a key of choices picks from."""
    of = draft.rules.character[key].of
    return str(of[0]) if of else key


@dataclass
class WorkingCopy:
    """A file, its draft before the changes, and what became of them."""

    text: str  # The text with the changes so far; `draft` is that of the original text.
    draft: Draft
    is_new: bool = False  # Whether the file is new; then ratings are those of creation.
    findings: list[Finding] = field(default_factory=list)
    note_lines: list[str] = field(default_factory=list)  # Lines for the notes.
    merged_fields: set[str] = field(default_factory=set)  # fields that are part of a sum
    conflicting: set[str] = field(default_factory=set)  # fields reported as conflicts
    reported: set[str] = field(default_factory=set)  # First fields of topics that have a finding.
    raised: dict[str, tuple[int, Topic]] = field(default_factory=dict)  # to reach by steps
    bought: dict[str, list[str]] = field(default_factory=dict)  # sessions of steps, by trait
    track_topics: list[Topic] = field(default_factory=list)  # as on the sheet
    recheck: Callable[[str], Draft | None] = lambda _: None  # the draft of a text

    def root(self) -> edit.Spot:
        """Return the root of the text so far."""
        found = edit.parse_spots(self.text)
        if found is None:
            raise edit.CannotEdit("the file is empty")
        return found

    def key_name(self, key: str) -> str | None:
        """Return the name of a key in the file; None if the file does not have it."""
        found = (k.raw for k in self.root().keys if key in self.draft.index.keys.find(k.raw))
        return next(found, None)

    def value_at(self, key: str) -> edit.Spot | None:
        """Return the value of a key."""
        name = self.key_name(key)
        return self.root().at((name,)) if name is not None else None

    def put_key(self, key: str, value: edit.Data | None) -> None:
        """Write `value` under a key, a new one in the order of the ruleset; None removes it."""
        name = self.key_name(key)
        if name is not None and value is None:
            self.drop((name,))
        elif name is not None:
            self.put((name,), value)
        elif value is not None:
            order = [str(id_) for id_ in self.draft.rules.character]
            before = order[: order.index(key)] if key in order else order
            named = ["ruleset", *(n for k in before if (n := self.key_name(k)) is not None)]
            there = [k.raw for k in self.root().keys]
            after = next((n for n in reversed(named) if n in there), there[-1])
            self.text = edit.add_entry(self.text, (), key.replace("_", " "), value, after)

    def entry(self, key: str, fits: Callable[[str], bool]) -> str | None:
        """Return the name of the first entry of a mapping under `key` that fits."""
        node = self.value_at(key)
        return next((k.raw for k in node.keys if fits(k.raw)), None) if node is not None else None

    def trait_entry(self, key: str, trait: str) -> str | None:
        """Return the name of the entry of a trait in the mapping under `key`."""
        return self.entry(key, lambda raw: self.is_trait(raw, trait))

    def put_trait(self, key: str, trait: str, value: edit.Data | None) -> None:
        """Write what the mapping under `key` has for a trait; None removes it."""
        entry = self.trait_entry(key, trait)
        if value is not None:
            self.put_entry(key, entry or self.draft.name_of(trait), value)
        elif entry is not None:
            self.drop(self.path(key, entry))

    def put_entry(self, key: str, entry: str, value: edit.Data) -> None:
        """Write an entry of the mapping under `key`."""
        name = self.key_name(key)
        if name is None:
            self.put_key(key, {entry: value})
        else:
            self.text = edit.add_entry(self.text, (name,), entry, value)

    def path(self, key: str, *below: str | int) -> edit.KeyPath:
        """Return the path of what is below a key of the file."""
        return (self.key_name(key) or "", *below)

    def put(self, path: edit.KeyPath, value: edit.Data) -> None:
        """Write a value in place of that at `path`."""
        self.text = edit.put_value(self.text, path, value)

    def drop(self, path: edit.KeyPath) -> None:
        """Remove the entry at `path`."""
        self.text = edit.drop_entry(self.text, path)

    def append(self, key: str, values: list[edit.Data]) -> None:
        """Add items to the list under `key`."""
        name = self.key_name(key)
        if name is None:
            self.put_key(key, values)
        else:
            self.text = edit.append_items(self.text, (name,), values)

    def find_key(self, kind: str, of: str = "") -> str | None:
        """Return the first key of a kind; with `of`, of that group or catalogue."""
        for id_, key in self.draft.rules.character.items():
            if key.kind == kind and (not of or of in (key.of or (str(id_),))):
                return str(id_)
        return None

    def is_trait(self, raw: str, trait: str) -> bool:
        """Whether an author's word names `trait`."""
        own = self.draft.own_traits.get(trait)
        if own is not None:
            names = (name for name, _ in self.draft.own_traits.values())
            return own[0] in closest_names(raw, names)
        group = self.draft.group_of(trait)
        return self.draft.index.among((group or "",)).find(raw) == (trait,) or (
            self.draft.index.all_traits.find(raw) == (trait,)
        )

    def report(
        self,
        code: codes.Code,
        topic: Topic | None,
        message: str,
        hint: str = "",
        severity: Severity = Severity.ERROR,
    ) -> None:
        """Add a finding."""
        key = topic.place.of[0] if topic is not None and topic.place.of else ""
        self.findings.append(Finding(code, self.draft.span_of(key), message, hint, severity))
        if topic is not None:
            self.reported.add(topic.names[0])

    def to_notes(self, topic: Topic, words: str, why: str, hint: str = "") -> None:
        """Report text without a place, because of `why`; `unplaced_text` writes it to the notes."""
        if not words.strip():
            return
        message = f"{topic.label}: `{excerpt(words)}` {why}; it goes to the notes"
        self.report(codes.TO_NOTES, topic, message, hint, Severity.WARNING)

    def not_read(self, topic: Topic, words: str, expected: str) -> None:
        """Report a typed value that cannot be read; `unplaced_text` writes it to the notes."""
        message = f"{topic.label}: `{excerpt(words)}` is not {expected}"
        hint = "look into the notes, where what was typed goes; the value in the file stays"
        self.report(codes.NOT_READ, topic, message, hint)


def excerpt(words: str) -> str:
    """Return the beginning of a text, for a message."""
    plain = " ".join(words.split())
    return plain[:60] + ("…" if len(plain) > 60 else "")


@frozen
class Change:
    """A change on a sheet."""

    label: str
    fields: tuple[str, ...]
    printed: str | None
    filled: str
    current: str
    # `merged`, `conflict`, `unknown` (what was printed), `noted` (in the notes), `kept` (the file
    # stays as it is; a finding says why), or `seen` (there is no file).
    state: str


def change_of(topic: Topic, state: str) -> Change:
    """Return a topic as a change."""
    before = topic.printed if topic.printed is not None else topic.current
    return Change(
        topic.label,
        tuple(n for n in topic.names if topic.filled[n] != before[n]),
        topic_text(topic, topic.printed) if topic.printed is not None else None,
        topic_text(topic, topic.filled),
        topic_text(topic, topic.current),
        state,
    )


def shorten_pair(one: str, other: str) -> tuple[str, str]:
    """Return two texts without the long beginning and end that they have in common."""
    if max(len(one), len(other)) <= _SHORT:
        return one, other
    begins = _count_alike(one, other)
    ends = _count_alike(one[begins:][::-1], other[begins:][::-1])
    first, last = max(0, begins - _BESIDE), max(0, ends - _BESIDE)
    before, after = "…" if first else "", "…" if last else ""
    short, short_other = (
        f"{before}{text[first : len(text) - last]}{after}" for text in (one, other)
    )
    return short, short_other


def _count_alike(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def topic_text(topic: Topic, texts: Texts) -> str:
    """Return the text of a topic's fields as reports show it."""
    kind = topic.place.kind
    if kind in ("boxes", "track"):
        return str(topic.value(texts))
    if kind == "states":
        names = [n for n in topic.names if texts[n] == ON]
        return ", ".join(n.rpartition(".")[2].replace("_", " ") for n in names)
    if kind == "named":
        rows = ((name, count) for _, name, count in named_rows(topic, texts))
        return "; ".join(f"{name} {count}" for name, count in rows)
    words = (texts[n].strip() for n in topic.names)
    return ("; " if kind != "dice" else " ").join(word for word in words if word)
