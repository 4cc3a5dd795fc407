"""An author's file while what was typed is put into it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sheetgen.check.character.draft.draft import Draft
from sheetgen.diag import read_codes
from sheetgen.diag.code import Code
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.load.yaml import drop, edit
from sheetgen.load.yaml.spots import CannotEdit, Data, Path, Spot, parse_spots
from sheetgen.readback.topics import Topic
from sheetgen.rules.names import folded

_FIRST = ("ruleset", "name")


@dataclass
class WorkingCopy:
    """A file, what is known of it, and what becomes of it.

    Attributes:
        text: As it is by now; `draft` is of the file as it was.
        begun: Whether the file is new: then ratings are those of creation.
        lines: What goes to the notes.
        tracks: Those of the sheet, in its order.
        asked: What the rules make of a text of the file.
        taken: Fields whose value went into the file in another form: what adds to a sum.
        disputed: Fields that were reported as conflicts; nothing more is done about them.
        reported: First fields of topics that a finding names already.
        raised: Ratings to reach by steps that are bought, with their topics, by trait.
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
    track_topics: list[Topic] = field(default_factory=list)
    recheck: Callable[[str], Draft | None] = lambda _: None

    # -- the file -----------------------------------------------------------------

    def root(self) -> Spot:
        """Return the root of the file as it is by now."""
        found = parse_spots(self.text)
        if found is None:
            raise CannotEdit("nothing stands in the file")
        return found

    def key_name(self, key: str) -> str | None:
        """Return how the file calls a key, or None if it has none."""
        found = (k.raw for k in self.root().keys if key in self.draft.index.keys.find(k.raw))
        return next(found, None)

    def value_at(self, key: str) -> Spot | None:
        """Return what stands under a key."""
        name = self.key_name(key)
        return self.root().at((name,)) if name is not None else None

    def put_key(self, key: str, value: Data) -> None:
        """Write `value` under a key, in its place among the others if it is new."""
        name = self.key_name(key)
        if name is not None:
            self.text = edit.put_value(self.text, (name,), value)
            return
        order = [str(id_) for id_ in self.draft.rules.character]
        before = order[: order.index(key)] if key in order else order
        named = [*_FIRST[:1], *(n for k in before if (n := self.key_name(k)) is not None)]
        there = [k.raw for k in self.root().keys]
        after = next((n for n in reversed(named) if n in there), there[-1])
        self.text = edit.add_entry(self.text, (), key.replace("_", " "), value, after)

    def drop_key(self, key: str) -> None:
        """Take a key out of the file."""
        name = self.key_name(key)
        if name is not None:
            self.text = drop.drop_entry(self.text, (name,))

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

    def drop(self, path: Path) -> None:
        """Take out what stands at `path`."""
        self.text = drop.drop_entry(self.text, path)

    def append(self, key: str, values: list[Data]) -> None:
        """Add items to the list under `key`."""
        name = self.key_name(key)
        if name is None:
            self.put_key(key, values)
        else:
            self.text = edit.append_items(self.text, (name,), values)

    # -- what is known --------------------------------------------------------------

    def find_key(self, kind: str, of: str = "") -> str | None:
        """Return the first key of a kind, of some group or catalogue if that is said."""
        for id_, key in self.draft.rules.character.items():
            if key.kind == kind and (not of or of in (key.of or (str(id_),))):
                return str(id_)
        return None

    def is_trait(self, raw: str, trait: str) -> bool:
        """Whether an author's word names `trait`."""
        own = self.draft.own_traits.get(trait)
        if own is not None:
            return folded(raw) == folded(own[0])
        group = self.draft.group_of(trait)
        return self.draft.index.among((group or "",)).find(raw) == (trait,) or (
            self.draft.index.all_traits.find(raw) == (trait,)
        )

    # -- what is said -----------------------------------------------------------------

    def span_of(self, topic: Topic | None) -> Span:
        """Return the place in the file that a topic belongs to."""
        key = topic.place.of[0] if topic is not None and topic.place.of else ""
        return self.draft.span_of(key)

    def report(
        self,
        code: Code,
        topic: Topic | None,
        message: str,
        hint: str = "",
        severity: Severity = Severity.ERROR,
    ) -> None:
        """Note a finding."""
        self.findings.append(Finding(code, self.span_of(topic), message, hint, severity))
        if topic is not None:
            self.reported.add(topic.names[0])

    def to_notes(self, topic: Topic, words: str, why: str, hint: str = "") -> None:
        """Report words that have no place; `why` says so. `keeping` puts them into the notes."""
        if not words.strip():
            return
        message = f"{topic.label}: `{excerpt(words)}` {why}"
        self.report(
            read_codes.TO_NOTES, topic, f"{message}; it goes to the notes", hint, Severity.WARNING
        )

    def not_read(self, topic: Topic, words: str, wanted: str) -> None:
        """Report a typed value that cannot be read. `keeping` puts it into the notes."""
        message = f"{topic.label}: `{excerpt(words)}` is not {wanted}"
        hint = "the value in the file stays; what was typed goes to the notes"
        self.report(read_codes.NOT_READ, topic, message, hint)


def excerpt(words: str) -> str:
    """Return the beginning of a text, for a message."""
    plain = " ".join(words.split())
    return plain[:60] + ("…" if len(plain) > 60 else "")
