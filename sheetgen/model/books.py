"""A publisher's book: what is printed of what, and how; the fields are its YAML's keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from sheetgen.diag.spans import Span
from sheetgen.model.requests import PrintRequest, Row
from sheetgen.model.shape import Copies, Positive, rule_model
from sheetgen.model.source import Text

PRINTS: Final = ("sheets", "blanks", "cards", "tables", "screens", "encounters", "odds")
"""What an entry may print; each is a key of it."""


@rule_model
class PrintOptions:
    """How things are printed; what is None is as the book says, or as usual.

    Attributes:
        to: Kinds of files.
        for_: A preset of a printer.
        calc: Whether totals of sheets follow what is typed.
        options: Of the rulesets, as `--set` sets them.
    """

    to: tuple[Text, ...] = ()
    paper: Text | None = None
    theme: Text | None = None
    for_: Text | None = None
    size: Text | None = None
    grid: Text | None = None
    gutter: Text | None = None
    bleed: Text | None = None
    backs: Text | None = None
    single: bool | None = None
    marks: bool | None = None
    flatten: bool | None = None
    calc: bool | None = None
    archive: bool | None = None
    draft: bool | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@rule_model
class BookEntry(PrintOptions):
    """Prints of one sort; one of the keys in `PRINTS` says of what.

    Attributes:
        sheets, encounters: Files, folders and patterns; of sheets also CSV files.
        cards: Rulesets, or files, folders and patterns.
        blanks, tables, screens, odds: Rulesets.
        id: What a combined file and `{entry}` call it.
        title: What readers of a combined file see; made from the id without it.
        template: Of the characters that the rows of CSV files make.
        name: Of the outputs; see templates of names in the README.
        kind, group, only: Which of a ruleset's things; of tables and screens `only` names pages.
        copies: How often each stands in its file.
        joined: Whether all go into one PDF.
    """

    id: Text | None = None
    title: str = ""
    sheets: tuple[Text, ...] = ()
    blanks: tuple[Text, ...] = ()
    cards: tuple[Text, ...] = ()
    tables: tuple[Text, ...] = ()
    screens: tuple[Text, ...] = ()
    encounters: tuple[Text, ...] = ()
    odds: tuple[Text, ...] = ()
    template: Text | None = None
    name: Text | None = None
    kind: Text | None = None
    group: tuple[Text, ...] = ()
    only: tuple[Text, ...] = ()
    copies: Copies = 1
    joined: bool = False


@rule_model
class Cover:
    """The first page of a combined file."""

    title: str
    subtitle: str = ""
    text: str = ""
    foot: str = ""


@rule_model
class Combined:
    """One PDF of the PDFs of several entries.

    Attributes:
        of: Entries in their order; all without it.
        numbers: Whether its pages are numbered at the foot.
    """

    name: Text
    of: tuple[Text, ...] = ()
    title: str = ""
    cover: Cover | None = None
    numbers: bool = True


@rule_model
class Book:
    """All that a product needs.

    Attributes:
        out: Folder of the outputs, from the book's own.
        defaults: How entries are printed that do not say otherwise.
    """

    entries: tuple[BookEntry, ...]
    title: str = ""
    out: Text | None = None
    format: Positive = 1
    defaults: PrintOptions | None = None
    combined: tuple[Combined, ...] = ()


@dataclass(frozen=True, slots=True)
class Job:
    """One print of an entry, and what its outputs are called. There may be many thousands.

    Attributes:
        id: Unique in its book, and the same as long as the book says the same of it.
        entry: The id of its entry.
        request: What it shares with the other jobs of its entry.
        of, place, row: Its own; see `PrintRequest`.
        name: Pattern of the names of its outputs, without the kind.
        number: Among those of its entry, counted from 1.
    """

    id: str
    entry: str
    request: PrintRequest
    of: tuple[str, ...]
    place: Span
    name: str
    number: int = 1
    row: Row | None = None

    @property
    def full_request(self) -> PrintRequest:
        """The request, with what is this job's own."""
        return replace(self.request, of=self.of, place=self.place, row=self.row)


@dataclass(frozen=True, slots=True)
class CombinedFile:
    """A combined file: its parts are the PDFs of these entries.

    Attributes:
        titles: What readers see of each entry, in the order of `of`.
    """

    id: str
    name: str
    place: Span
    of: tuple[str, ...]
    title: str
    cover: Cover | None
    numbers: bool
    titles: tuple[str, ...] = ()
