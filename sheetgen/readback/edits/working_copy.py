"""The working copy of an author's file while the changes of a sheet are applied to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from sheetgen.check.character.draft import Draft
from sheetgen.diag import codes
from sheetgen.diag.codes import Code
from sheetgen.diag.findings import Finding, Severity
from sheetgen.load.yaml import edit
from sheetgen.load.yaml.edit import CannotEdit, Data, KeyPath, Spot, parse_spots
from sheetgen.model.filled import ON
from sheetgen.readback.topics import Texts, Topic, named_rows
from sheetgen.records import frozen
from sheetgen.rules.index import closest_names


@dataclass
class WorkingCopy:
    """A file, its draft before the changes, and what became of them.

    Attributes:
        text: The text with the changes so far; `draft` is that of the original text.
        is_new: Whether the file is new; then ratings are those of creation.
        note_lines: Lines for the notes.
        track_topics: The topics of tracks, in the order of the sheet.
        recheck: Checks a text of the file; returns its draft.
        merged_fields: Fields whose value is part of a sum in the file.
        conflicting: Fields that were reported as conflicts, which nothing else handles.
        reported: First fields of topics that have a finding.
        raised: Ratings to reach by buying steps, with their topics, by trait.
        bought: Names of the sessions in which the ledger says that steps were bought, by trait.
    """

    text: str
    draft: Draft
    is_new: bool = False
    findings: list[Finding] = field(default_factory=list)
    note_lines: list[str] = field(default_factory=list)
    merged_fields: set[str] = field(default_factory=set)
    conflicting: set[str] = field(default_factory=set)
    reported: set[str] = field(default_factory=set)
    raised: dict[str, tuple[int, Topic]] = field(default_factory=dict)
    bought: dict[str, list[str]] = field(default_factory=dict)
    track_topics: list[Topic] = field(default_factory=list)
    recheck: Callable[[str], Draft | None] = lambda _: None

    def root(self) -> Spot:
        """Return the root of the text so far."""
        found = parse_spots(self.text)
        if found is None:
            raise CannotEdit("the file is empty")
        return found

    def key_name(self, key: str) -> str | None:
        """Return the name of a key in the file; None if the file does not have it."""
        found = (k.raw for k in self.root().keys if key in self.draft.index.keys.find(k.raw))
        return next(found, None)

    def value_at(self, key: str) -> Spot | None:
        """Return the value of a key."""
        name = self.key_name(key)
        return self.root().at((name,)) if name is not None else None

    def put_key(self, key: str, value: Data) -> None:
        """Write `value` under a key; a new key comes in the order of the ruleset."""
        name = self.key_name(key)
        if name is not None:
            self.text = edit.put_value(self.text, (name,), value)
            return
        order = [str(id_) for id_ in self.draft.rules.character]
        before = order[: order.index(key)] if key in order else order
        named = ["ruleset", *(n for k in before if (n := self.key_name(k)) is not None)]
        there = [k.raw for k in self.root().keys]
        after = next((n for n in reversed(named) if n in there), there[-1])
        self.text = edit.add_entry(self.text, (), key.replace("_", " "), value, after)

    def drop_key(self, key: str) -> None:
        """Remove a key."""
        name = self.key_name(key)
        if name is not None:
            self.text = edit.drop_entry(self.text, (name,))

    def entry(self, key: str, fits: Callable[[str], bool]) -> str | None:
        """Return the name of the first entry of a mapping under `key` that fits."""
        node = self.value_at(key)
        return next((k.raw for k in node.keys if fits(k.raw)), None) if node is not None else None

    def put_entry(self, key: str, entry: str, value: Data) -> None:
        """Write an entry of the mapping under `key`."""
        name = self.key_name(key)
        if name is None:
            self.put_key(key, {entry: value})
        else:
            self.text = edit.add_entry(self.text, (name,), entry, value)

    def drop(self, path: KeyPath) -> None:
        """Remove the entry at `path`."""
        self.text = edit.drop_entry(self.text, path)

    def append(self, key: str, values: list[Data]) -> None:
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
        code: Code,
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
        message = f"{topic.label}: `{excerpt(words)}` {why}"
        self.report(
            codes.TO_NOTES, topic, f"{message}; it goes to the notes", hint, Severity.WARNING
        )

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
    """A change on a sheet.

    Attributes:
        state: `merged`, `conflict`, `unknown` (what was printed is not known), `noted` (in the
            notes), `kept` (the file stays as it is; a finding says why), or `seen` (there is no
            file to merge it into).
    """

    label: str
    fields: tuple[str, ...]
    printed: str | None
    filled: str
    current: str
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


_BESIDE: Final = 15
"""Letters shown before and after the difference between two long texts."""

_SHORT: Final = 58
"""Letters of a text that is shown in full."""


def shorten_pair(one: str, other: str) -> tuple[str, str]:
    """Return two texts without the long beginning and end that they have in common."""
    if max(len(one), len(other)) <= _SHORT:
        return one, other
    begins = _alike(one, other)
    ends = _alike(one[begins:][::-1], other[begins:][::-1])
    first, last = max(0, begins - _BESIDE), max(0, ends - _BESIDE)
    before, after = "…" if first else "", "…" if last else ""
    short, short_other = (
        f"{before}{text[first : len(text) - last]}{after}" for text in (one, other)
    )
    return short, short_other


def _alike(one: str, other: str) -> int:
    """Return how many letters two texts have in common at their beginning."""
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
