"""A book: which files are printed, and how; and the jobs that it becomes.

The fields of the models are the keys of a book's YAML.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Annotated, Any, ClassVar, TypeAlias

from sheetgen.diag.findings import Span
from sheetgen.model.pictures import PictureFile
from sheetgen.model.requests import PrintRequest, Row
from sheetgen.model.source import Copies, Dpi, Positive, Ref, Text, rule_model
from sheetgen.plugin import PrintEntry
from sheetgen.records import frozen
from sheetgen.registry import prints

RulesetName: TypeAlias = Annotated[Text, Ref("ruleset")]
OpenKeys: TypeAlias = tuple[str, Callable[[], Mapping[str, tuple[str, Any]]]]
"""The field that holds the values of keys from plug-ins, and these keys: what each means, and the
annotation of its value."""


def _of(entry: PrintEntry) -> Any:
    return tuple[RulesetName, ...] if entry.rulesets else tuple[Text, ...]


@rule_model
class PrintOptions:
    """How files are printed; what is left out is as in `defaults`, or as the command does it."""

    # Kinds of files: `pdf`, `html`, `png`, `jpeg`, `webp`; of cards also `tts`, `cgs`.
    to: tuple[Annotated[Text, Ref("kind of print file")], ...] = ()
    dpi: Dpi | None = None  # The resolution of pictures, in pixels per inch.
    transparent: bool | None = None  # Whether the paper of pictures (`png`, `webp`) is transparent.
    each: bool | None = None  # Whether each card is a picture of its own.
    # The address at which the pictures of a deck (`tts`, `cgs`) will be.
    base_url: Text | None = None
    paper: Annotated[Text, Ref("paper")] | None = None  # The size of the paper, such as `a4`.
    # The theme: a name, or the path of your own theme's file.
    theme: Annotated[Text, Ref("theme")] | None = None
    for_: Annotated[Text, Ref("preset")] | None = None  # The preset of a printer.
    # The size of cards, or the width of pieces.
    size: Annotated[Text, Ref("size of cards")] | None = None
    grid: Text | None = None  # Columns and rows of cards on a page, such as `3x3`.
    gutter: Text | None = None  # The distance between cards, with a unit.
    bleed: Text | None = None  # The bleed, with a unit.
    backs: Annotated[Text, Ref("way to print backs")] | None = None  # The backs of cards.
    single: bool | None = None  # Whether each card has a page of its own.
    marks: bool | None = None  # Whether there are crop marks.
    flatten: bool | None = None  # Whether form fields are drawn flat.
    calc: bool | None = None  # Whether totals of sheets follow what is typed.
    qr: bool | None = None  # Whether sheets end with their character's file as a QR code.
    archive: bool | None = None  # Whether PDFs are for an archive (PDF/A-2).
    draft: bool | None = None  # Whether files with errors are printed, marked as drafts.
    # Options of the rulesets, as with `--set`.
    options: Mapping[str, str] = field(default_factory=dict)


@rule_model
class Rows:
    """A table of rows: a file, or the result of a query."""

    SHORT: ClassVar[str] = "file"

    file: Text | None = None  # The path of a CSV or Parquet file.
    # The name of a database; the variable `SHEETGEN_DATABASE_NAME` of the environment holds its
    # address.
    database: Text | None = None
    query: Text | None = None  # The query, one `select` statement.


@rule_model
class BookEntry(PrintOptions):
    """Prints of one kind: one key is a kind of print, such as `sheets`, and says of what."""

    OPEN: ClassVar[OpenKeys] = "prints", lambda: {n: (p.about, _of(p)) for n, p in prints().items()}

    id: Text | None = None  # The name that `combined` and `{entry}` use.
    title: str = ""  # The heading in a combined file; made from the id without it.
    # What is printed, by the name of the kind of print.
    prints: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    # A table, of which each row fills in the template: a sheet for each row.
    rows: Rows | None = None
    template: Text | None = None  # The character's file that each row of a table fills in.
    name: Text | None = None  # The pattern of the outputs' names.
    # The kind of cards, or the kinds of pieces: `token, tent`.
    kind: Annotated[Text, Ref("kind of cards or pieces")] | None = None
    # Of cards: whether a character gets a card for each thing that it has.
    all_: bool | None = None
    group: tuple[Text, ...] = ()  # Groups of things that get cards.
    only: tuple[Text, ...] = ()  # Names of things; of tables and screens, the pages.
    copies: Copies = 1  # How many copies each file holds; of pieces, how many there are of each.
    # Whether all sheets become one PDF, for printing on both sides: each begins on an odd page.
    joined: bool = False


@rule_model
class Cover:
    """The first page of a combined file."""

    title: str  # The title.
    subtitle: str = ""  # The line below the title.
    text: str = ""  # A paragraph.
    foot: str = ""  # A line below the credits.
    # The face: an id in templates/_faces, or the path of a `face.yaml`. Without it, the cover has
    # the face of the game with most pages.
    face: Text | None = None
    # The picture, as large as the page; without it the book's, the theme's or the ruleset's
    # `cover`.
    picture: PictureFile | None = None


@rule_model
class Combined:
    """One PDF of the PDFs of several entries."""

    name: Text  # The name of the file.
    of: tuple[Text, ...] = ()  # The entries, in order; all without it.
    title: str = ""  # The title of the document.
    cover: Cover | None = None  # The first page.
    numbers: bool = True  # Whether pages are numbered at the foot.
    # Whether each print begins on a sheet of paper of its own: for printing on both sides.
    duplex: bool = True


@rule_model
class Book:
    """A book: entries to print, and files that combine them."""

    entries: tuple[BookEntry, ...]  # What is printed.
    title: str = ""  # The title of the book.
    out: Text | None = None  # The folder of the outputs, inside the book's folder.
    format: Positive = 1  # The version of this format.
    defaults: PrintOptions | None = None  # How entries are printed that do not say otherwise.
    combined: tuple[Combined, ...] = ()  # PDFs that combine the PDFs of several entries.
    sold: bool = False  # Whether the prints are sold: what forbids selling is a finding.
    # The licence that the prints are published under, an SPDX identifier: what does not fit it is a
    # finding.
    licence: Text | None = None
    # A logo, in the foot of sheets, tables, odds and encounters, on covers, backs of cards and
    # screens.
    logo: PictureFile | None = None
    cover: PictureFile | None = None  # The picture on the covers of combined files.
    back: PictureFile | None = None  # The picture on the backs of cards.
    scene: PictureFile | None = None  # The picture over the players' side of a screen.


@frozen
class Job:
    """One print of an entry, and the names of its outputs. A book may have many thousands."""

    id: str  # Unique in its book; it changes only when the book changes what the job prints.
    entry: str  # The id of its entry.
    request: PrintRequest  # What it shares with the other jobs of its entry.
    # of, place, row: The job's own values; see `PrintRequest`.
    of: tuple[str, ...]
    place: Span
    name: str  # The pattern of its outputs' names, without the extension.
    number: int = 1  # Its number among the jobs of its entry, from 1.
    row: Row | None = None

    @property
    def full_request(self) -> PrintRequest:
        """Return the request with the job's own values."""
        return self.request.for_job(self.of, self.place, self.row)


@frozen
class CombinedFile:
    """A combined file: its parts are the PDFs of these entries."""

    id: str
    name: str
    place: Span
    of: tuple[str, ...]
    title: str
    cover: Cover | None
    numbers: bool
    titles: tuple[str, ...] = ()  # The heading of each entry, in the order of `of`.
    duplex: bool = True
