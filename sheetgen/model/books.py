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
    """How files are printed; what is left out is as in `defaults`, or as the command does it.

    Attributes:
        to: Kinds of files: `pdf`, `html`, `png`, `jpeg`, `webp`; of cards also `tts`, `cgs`.
        dpi: The resolution of pictures, in pixels per inch.
        transparent: Whether the paper of pictures (`png`, `webp`) is transparent.
        each: Whether each card is a picture of its own.
        base_url: The address at which the pictures of a deck (`tts`, `cgs`) will be.
        paper: The size of the paper, such as `a4`.
        theme: The theme: a name, or the path of your own theme's file.
        for_: The preset of a printer.
        size: The size of cards, or the width of pieces.
        grid: Columns and rows of cards on a page, such as `3x3`.
        gutter: The distance between cards, with a unit.
        bleed: The bleed, with a unit.
        backs: The backs of cards.
        single: Whether each card has a page of its own.
        marks: Whether there are crop marks.
        flatten: Whether form fields are drawn flat.
        calc: Whether totals of sheets follow what is typed.
        qr: Whether sheets end with their character's file as a QR code.
        archive: Whether PDFs are for an archive (PDF/A-2).
        draft: Whether files with errors are printed, marked as drafts.
        options: Options of the rulesets, as with `--set`.
    """

    to: tuple[Annotated[Text, Ref("kind of print file")], ...] = ()
    dpi: Dpi | None = None
    transparent: bool | None = None
    each: bool | None = None
    base_url: Text | None = None
    paper: Annotated[Text, Ref("paper")] | None = None
    theme: Annotated[Text, Ref("theme")] | None = None
    for_: Annotated[Text, Ref("preset")] | None = None
    size: Annotated[Text, Ref("size of cards")] | None = None
    grid: Text | None = None
    gutter: Text | None = None
    bleed: Text | None = None
    backs: Annotated[Text, Ref("way to print backs")] | None = None
    single: bool | None = None
    marks: bool | None = None
    flatten: bool | None = None
    calc: bool | None = None
    qr: bool | None = None
    archive: bool | None = None
    draft: bool | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@rule_model
class Rows:
    """A table of rows: a file, or the result of a query.

    Attributes:
        file: The path of a CSV or Parquet file.
        database: The name of a database; the variable `SHEETGEN_DATABASE_NAME` of the environment
            holds its address.
        query: The query, one `select` statement.
    """

    SHORT: ClassVar[str] = "file"

    file: Text | None = None
    database: Text | None = None
    query: Text | None = None


@rule_model
class BookEntry(PrintOptions):
    """Prints of one kind: exactly one key is a kind of print, such as `sheets`, and says of what.

    Attributes:
        id: The name that `combined` and `{entry}` use.
        title: The heading in a combined file; made from the id without it.
        prints: What is printed, by the name of the kind of print.
        rows: A table, of which each row fills in the template: a sheet for each row.
        template: The character's file that each row of a table fills in.
        name: The pattern of the outputs' names.
        kind: The kind of cards, or the kinds of pieces: `token, tent`.
        all_: Of cards: whether a character gets a card for each thing that it has.
        group: Groups of things that get cards.
        only: Names of things; of tables and screens, the pages.
        copies: How many copies each file holds; of pieces, how many there are of each.
        joined: Whether all sheets become one PDF, for printing on both sides: each begins on an
            odd page.
    """

    OPEN: ClassVar[OpenKeys] = "prints", lambda: {n: (p.about, _of(p)) for n, p in prints().items()}

    id: Text | None = None
    title: str = ""
    prints: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    rows: Rows | None = None
    template: Text | None = None
    name: Text | None = None
    kind: Annotated[Text, Ref("kind of cards or pieces")] | None = None
    all_: bool | None = None
    group: tuple[Text, ...] = ()
    only: tuple[Text, ...] = ()
    copies: Copies = 1
    joined: bool = False


@rule_model
class Cover:
    """The first page of a combined file.

    Attributes:
        title: The title.
        subtitle: The line below the title.
        text: A paragraph.
        foot: A line below the credits.
        face: The face: an id in templates/_faces, or the path of a `face.yaml`. Without it, the
            cover has the face of the game with most pages.
        picture: The picture, as large as the page; without it the book's, the theme's or the
            ruleset's `cover`.
    """

    title: str
    subtitle: str = ""
    text: str = ""
    foot: str = ""
    face: Text | None = None
    picture: PictureFile | None = None


@rule_model
class Combined:
    """One PDF of the PDFs of several entries.

    Attributes:
        name: The name of the file.
        of: The entries, in order; all without it.
        title: The title of the document.
        cover: The first page.
        numbers: Whether pages are numbered at the foot.
        duplex: Whether each print begins on a sheet of paper of its own: for printing on both
            sides.
    """

    name: Text
    of: tuple[Text, ...] = ()
    title: str = ""
    cover: Cover | None = None
    numbers: bool = True
    duplex: bool = True


@rule_model
class Book:
    """A book: entries to print, and files that combine them.

    Attributes:
        entries: What is printed.
        title: The title of the book.
        out: The folder of the outputs, inside the book's folder.
        format: The version of this format.
        defaults: How entries are printed that do not say otherwise.
        combined: PDFs that combine the PDFs of several entries.
        sold: Whether the prints are sold: what forbids selling is a finding.
        licence: The licence that the prints are published under, an SPDX identifier: what does
            not fit it is a finding.
        logo: A logo, in the foot of sheets, tables, odds and encounters, on covers, backs of cards
            and screens.
        cover: The picture on the covers of combined files.
        back: The picture on the backs of cards.
        scene: The picture over the players' side of a screen.
    """

    entries: tuple[BookEntry, ...]
    title: str = ""
    out: Text | None = None
    format: Positive = 1
    defaults: PrintOptions | None = None
    combined: tuple[Combined, ...] = ()
    sold: bool = False
    licence: Text | None = None
    logo: PictureFile | None = None
    cover: PictureFile | None = None
    back: PictureFile | None = None
    scene: PictureFile | None = None


@frozen
class Job:
    """One print of an entry, and the names of its outputs. A book may have many thousands.

    Attributes:
        id: Unique in its book; it changes only when the book changes what the job prints.
        entry: The id of its entry.
        request: What it shares with the other jobs of its entry.
        of, place, row: The job's own values; see `PrintRequest`.
        name: The pattern of its outputs' names, without the extension.
        number: Its number among the jobs of its entry, from 1.
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
        """Return the request with the job's own values."""
        return self.request.for_job(self.of, self.place, self.row)


@frozen
class CombinedFile:
    """A combined file: its parts are the PDFs of these entries.

    Attributes:
        titles: The heading of each entry, in the order of `of`.
    """

    id: str
    name: str
    place: Span
    of: tuple[str, ...]
    title: str
    cover: Cover | None
    numbers: bool
    titles: tuple[str, ...] = ()
    duplex: bool = True
