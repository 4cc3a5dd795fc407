"""What is to be printed, and how: the request that commands and books make of `prints/`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from sheetgen.diag.findings import Span
from sheetgen.model.pictures import Picture
from sheetgen.records import frozen
from sheetgen.registry import deck_formats

Row: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]
"""A row of a table: its label, and its cells by column."""

PICTURES: Final = ("png", "jpeg", "webp")
"""Formats of pictures: one for each page of the PDF that would be printed."""

BACKS: Final = ("long-edge", "short-edge", "fold")  # how the backs of cards are printed

FORMATS_OF_FILES: Final = {
    "pdf": "pages; sheets have form fields",
    "html": "pages for a browser; sheets compute",
    "png": "a picture of each page, without loss",
    "jpeg": "a picture of each page, for programs that take nothing else",
    "webp": "a picture of each page, in the smallest file",
    "md": "tables: Markdown",
    "csv": "tables: for a spreadsheet",
    "json": "tables: for programs",
}
"""Formats of files, and what each is for; plug-ins add formats of decks of cards."""


_NOWHERE: Final = Span("")


@frozen
class FilePart:
    """One of the files of a print.

    Attributes:
        tail: What follows the print's name in the file's: `-2` for a second page, or a slash and
            a name in a folder that has the print's name; empty for the only file of its format.
        format: The format, and the extension of the file's name.
        read: Returns the content. It may render a picture, and only until the next file of the
            print is taken.
    """

    tail: str
    format: str
    read: Callable[[], bytes]


@frozen
class PrintRequest:
    """What to print, and how. Plain data: a book sends it to other processes.

    Attributes:
        kind: `sheets`, `blanks`, `cards`, `tables`, `screens`, `encounters`, `pieces` or `odds`.
        of: Paths of files as they are opened, or names of rulesets.
        place: Where findings about the request as a whole point: an entry of a book, or an
            option of the command line.
        beside: The folder that paths of rulesets are relative to.
        row: Of a CSV file: the row's label, and its cells by column; `of` is the template.
        formats: `pdf`, `html`, and those of `PICTURES`; of tables also `md`, `csv`, `json`; of
            cards also decks for online tables.
        preset: The name of a printer's preset; empty for none.
        calc: Whether a PDF computes its totals by itself, in viewers that run scripts.
        archive: Whether to write PDF/A.
        draft: Whether to print a build with errors too, stamped and with its findings.
        strict: Whether warnings count as errors.
        of_kind: The kind or the set of cards; kinds of pieces with commas.
        size: The size of cards, or the width of pieces; empty for the usual one.
        groups: Only cards of these groups.
        only: Only these pages, panels, or cards of these names.
        back_offset: How far the backs of cards move, across and down, as lengths: `0.5mm,-1mm`.
        calibrate: Whether to print a sheet that finds the printer's `back_offset` instead.
        numbers: What tables are computed for instead of their own rows; empty for these.
        notes: Whether to print what a source prints otherwise, and what it leaves open.
        copies: The number of copies of each sheet in its PDF, or of each piece. The form fields of
            a copy have names of their own.
        joined: Whether all sheets go into one PDF.
        dpi: The resolution of pictures, in pixels per inch.
        each: Whether each card is a picture of its own, without the rest of the page.
        transparent: Whether the paper of a picture is transparent.
        base_url: Where the pictures of a deck are hosted; empty for file names.
        qr: Whether a sheet ends with its character's file as a QR code.
        options: Options of the ruleset, as `--set` sets them.
        pictures: The book's own logo, cover and card backs, by key.
    """

    kind: str = "sheets"
    of: tuple[str, ...] = ()
    place: Span = _NOWHERE
    beside: str = "."
    row: Row | None = None
    formats: tuple[str, ...] = ("pdf",)
    paper: str = "a4"
    theme: str = "standard"
    preset: str = ""
    flatten: bool = False
    calc: bool = True
    archive: bool = False
    draft: bool = False
    strict: bool = False
    of_kind: str = ""
    groups: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    size: str = "poker"
    grid: str = ""
    gutter: str = "0 mm"
    bleed: str = "0 mm"
    backs: str = ""
    single: bool = False
    marks: bool = True
    back_offset: str = ""
    calibrate: bool = False
    numbers: tuple[int, ...] = ()
    notes: bool = False
    copies: int = 1
    joined: bool = False
    dpi: int = 300
    each: bool = False
    transparent: bool = False
    base_url: str = ""
    qr: bool = False
    options: tuple[tuple[str, str], ...] = ()
    pictures: tuple[tuple[str, Picture], ...] = ()

    @property
    def in_book(self) -> bool:
        """Whether a book makes this request, not a command."""
        return bool(self.place.file)

    def at(self, option: str) -> Span:
        """Return where a finding about `option` points: to the book's entry, or to the option."""
        return self.place if self.in_book else Span(option)

    @property
    def computes(self) -> bool:
        """Whether a PDF of this request has a script, and fields for it."""
        fillable = not self.flatten and not self.archive
        return self.calc and fillable and self.formats != ("html",)

    @property
    def picture_formats(self) -> tuple[str, ...]:
        """The formats of pictures that are asked for."""
        return tuple(one for one in self.formats if one in PICTURES)

    @property
    def decks(self) -> tuple[str, ...]:
        """The formats of decks for online tables that are asked for."""
        return tuple(
            one for one in self.formats if one not in FORMATS_OF_FILES and one in deck_formats()
        )
