"""What is to be printed, and how: the request that commands and books make of `prints/`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import ClassVar, Final, Literal, Self, TypeAlias, TypedDict, TypeVar, get_args

from sheetgen.diag.findings import Span
from sheetgen.model.pictures import Picture
from sheetgen.records import frozen
from sheetgen.registry import deck_formats
from sheetgen.units import CardSize, PaperSize

# A row of a table: its label, and its cells by column.
Row: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]
PictureFormat: TypeAlias = Literal["png", "jpeg", "webp"]
# Formats of pictures: one for each page of the PDF that would be printed.
PICTURES: Final[tuple[PictureFormat, ...]] = get_args(PictureFormat)
OUTPUT_FOLDER: Final = "output"  # what commands write to without `--out`
Backs: TypeAlias = Literal["long-edge", "short-edge", "fold"]
BACKS: Final[tuple[Backs, ...]] = get_args(Backs)  # how the backs of cards are printed

PageFormat: TypeAlias = Literal["pdf", "html"]
FileFormat: TypeAlias = Literal[PageFormat, PictureFormat, "md", "csv", "json"]
# Formats of files, and what each is for; plug-ins add formats of decks of cards.
FORMATS_OF_FILES: Final[dict[FileFormat, str]] = {
    "pdf": "pages; sheets have form fields",
    "html": "pages for a browser; sheets compute",
    "png": "a picture of each page, without loss",
    "jpeg": "a picture of each page, for programs that take nothing else",
    "webp": "a picture of each page, in the smallest file",
    "md": "tables: Markdown",
    "csv": "tables: for a spreadsheet",
    "json": "tables: for programs",
}

_NOWHERE: Final = Span("")


@frozen
class FilePart:
    """One of the files of a print."""

    # What follows the print's name in the file's: `-2` for a second page, or a slash and a name in
    # a folder that has the print's name; empty for the only file of its format.
    tail: str
    format: str  # The format, and the extension of the file's name.
    # Returns the content. It may render a picture, and only until the next file of the print is
    # taken.
    read: Callable[[], bytes]


@frozen
class PrintRequest:
    """What to print, and how: what all kinds share. Plain data: a book sends it to other processes.

    Each kind has a request type of its own.
    """

    kind: ClassVar[str]  # The kind of print, as books name it.

    of: tuple[str, ...] = ()  # Paths of files as they are opened, or names of rulesets.
    # Where findings about the request as a whole point: an entry of a book, or an option of the
    # command line.
    place: Span = _NOWHERE
    beside: str = "."  # The folder that paths of rulesets are relative to.
    formats: tuple[FileFormat, ...] = ("pdf",)
    paper: PaperSize = "a4"
    theme: str = "standard"
    preset: str = ""  # The name of a printer's preset; empty for none.
    archive: bool = False  # Whether to write PDF/A.
    strict: bool = False  # Whether warnings count as errors.
    dpi: int = 300  # The resolution of pictures, in pixels per inch.
    transparent: bool = False  # Whether the paper of a picture is transparent.
    options: tuple[tuple[str, str], ...] = ()  # Options of the ruleset, as `--set` sets them.
    pictures: tuple[tuple[str, Picture], ...] = ()  # The book's logo, cover and card backs, by key.

    @property
    def in_book(self) -> bool:
        """Whether a book makes this request, not a command."""
        return bool(self.place.file)

    @property
    def joined(self) -> bool:
        """Whether all that it names becomes one file."""
        return False

    @property
    def outputs(self) -> tuple[str, ...]:
        """All formats that are asked for."""
        return self.formats

    @property
    def picture_formats(self) -> tuple[PictureFormat, ...]:
        """The formats of pictures that are asked for."""
        return tuple(one for name in self.formats for one in PICTURES if one == name)

    @property
    def page_formats(self) -> tuple[PageFormat, ...]:
        """The formats of pages that are asked for."""
        return tuple(one for name in self.formats for one in get_args(PageFormat) if one == name)

    def wants(self, format_: FileFormat) -> bool:
        """Whether files of a format are asked for."""
        return format_ in self.formats

    def at(self, option: str) -> Span:
        """Return where a finding about `option` points: to the book's entry, or to the option."""
        return self.place if self.in_book else Span(option)

    def for_job(self, of: tuple[str, ...], place: Span, row: Row | None) -> Self:
        """Return the request of a book's job; only kinds that print rows get one."""
        assert row is None
        return replace(self, of=of, place=place)

    def without_scripts(self) -> Self:
        """Return a request whose files have no scripts."""
        return self


RequestT = TypeVar("RequestT", bound=PrintRequest)


class SharedOptions(TypedDict):
    """What an entry of a book says about a request of any kind; see `PrintRequest`."""

    place: Span
    beside: str
    formats: tuple[FileFormat, ...]
    paper: PaperSize
    theme: str
    preset: str
    archive: bool
    strict: bool
    dpi: int
    transparent: bool
    options: tuple[tuple[str, str], ...]


@frozen
class SelectionRequest(PrintRequest):
    """A request that selects some of the things that are in files."""

    of_kind: str = ""  # The kind or the set of cards; kinds of pieces with commas.
    groups: tuple[str, ...] = ()  # Only things of these groups.
    only: tuple[str, ...] = ()  # Only things of these names.
    copies: int = 1  # The number of copies of each.


@frozen
class CardRequest(SelectionRequest):
    """Cards to print."""

    kind: ClassVar[str] = "cards"

    every: bool = False  # Whether to print a card for each thing that a character has.
    decks: tuple[str, ...] = ()  # The formats of decks for online tables.
    size: CardSize | Literal[""] = "poker"  # The size of cards; empty for the usual one.
    grid: str = ""
    gutter: str = "0 mm"
    bleed: str = "0 mm"
    backs: Backs | Literal[""] = ""
    single: bool = False
    marks: bool = True
    back_offset: str = ""  # How far backs of cards move, across and down, as lengths: `0.5mm,-1mm`.
    calibrate: bool = False  # Whether to print a sheet that finds the printer's `back_offset`.
    notes: bool = False  # Whether to print what a source prints otherwise, and what it leaves open.
    each: bool = False  # Whether each card is a picture of its own, without the rest of the page.
    base_url: str = ""  # Where the pictures of a deck are hosted; empty for file names.

    @property
    def outputs(self) -> tuple[str, ...]:
        """All formats that are asked for, decks included."""
        return (*self.formats, *self.decks)


_NameT = TypeVar("_NameT", bound=str)


def choose(value: str | None, among: Iterable[_NameT], usual: _NameT) -> _NameT:
    """Return which of `among` is spelt as `value`; `usual` if none is."""
    return next((one for one in among if one == value), usual)


def file_formats(asked: Iterable[str]) -> tuple[FileFormat, ...]:
    """Return the formats of files in `asked`, each once."""
    return tuple(one for name in dict.fromkeys(asked) for one in FORMATS_OF_FILES if one == name)


def deck_names(asked: Iterable[str]) -> tuple[str, ...]:
    """Return the formats of decks for online tables in `asked`, each once."""
    return tuple(name for name in dict.fromkeys(asked) if name in deck_formats())
