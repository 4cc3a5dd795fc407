"""The objects that every pressed PDF has once: page tree, structure tree, metadata, catalogue.

ISO 32000-1, 7.7 (document structure) and 14.7 (logical structure).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache
from itertools import pairwise
from operator import itemgetter
from typing import Final, TypeAlias

from sheetgen.records import frozen
from sheetgen.render.pdf.pdf_file import (
    ObjectStream,
    PdfWriter,
    format_information,
    format_metadata,
    format_object_stream,
    number_runs,
    text_string,
)

# Object numbers that are the same in each file: catalogue, page tree, root of the structure tree,
# its Document element, parent tree, information, metadata, and one for the caller.
CATALOG, PAGES, TAGS, DOCUMENT, PARENTS, INFO, METADATA, SPARE = range(1, 9)


@frozen
class DocumentInfo:
    """Title, language, subject and metadata of a file; see `Plan`."""

    title: str
    lang: str
    subject: str
    meta: Mapping[str, str] = field(default_factory=dict)


def list_references(numbers: Iterable[int]) -> bytes:
    """Return references to objects, with spaces between them."""
    return b" ".join([b"%d 0 R" % number for number in numbers])


def write_trees(
    file: PdfWriter,
    info: DocumentInfo,
    pages: Sequence[int],
    tags: Sequence[int],
    parents: bytes,
    keys: int,
) -> None:
    """Write the page tree, the structure tree and the metadata.

    Args:
        pages: Numbers of the pages.
        tags: Numbers of the structure elements below Document.
        parents: Entry of the parent tree: `/Kids[…]` or `/Nums[…]`.
        keys: How many keys the parent tree has.
    """
    body = b"<</Type/Pages/Count %d/Kids[%s]>>"
    file.add(PAGES, body % (len(pages), list_references(pages)))
    body = b"<</Type/StructTreeRoot/K %d 0 R/ParentTree %d 0 R/ParentTreeNextKey %d>>"
    file.add(TAGS, body % (DOCUMENT, PARENTS, keys))
    file.add(DOCUMENT, b"<</S/Document/P %d 0 R/K[%s]>>" % (TAGS, list_references(tags)))
    file.add(PARENTS, b"<<%s>>" % parents)
    file.add(INFO, format_information(info.title, info.subject, info.meta))
    file.stream(METADATA, format_metadata(info.title, info.subject, info.lang))


def finish_file(file: PdfWriter, lang: str, preferences: bytes, entries: bytes) -> bytes:
    """Write the catalogue and end the file; return it if it is in memory.

    Args:
        preferences: Further entries of the viewer preferences (12.2).
        entries: Further entries of the catalogue.
    """
    body = (
        b"<</Type/Catalog/Pages %d 0 R/StructTreeRoot %d 0 R/Metadata %d 0 R/Lang%s"
        b"/MarkInfo<</Marked true>>/ViewerPreferences<</DisplayDocTitle true%s>>%s>>"
    )
    file.add(CATALOG, body % (PAGES, TAGS, METADATA, text_string(lang), preferences, entries))
    return file.finish(CATALOG, INFO)


# Object templates: PDF objects serialized once, and renumbered for each filled plate.


# Bases that a gap counts from: the first object of a filled plate, its first key in the parent
# tree, zero, the parent of its fields, the identity of its sheet, the resources of its pages, their
# printed contents.
FIRST, KEY, FIXED, ABOVE, IDENTITY, RESOURCES, CONTENTS = range(7)
Ref: TypeAlias = tuple[int, int]  # A gap: its base, and its distance from the base
Template: TypeAlias = list[bytes | Ref]  # A text with gaps
# Digits of the numbers in gaps, padded with spaces, so that all fillings have one length.
WIDTHS: Final = (6, 7, 8)
_STREAM_SIZE: Final = 2000  # objects in one object stream; see `pdf_file`
_DIGITS: Final = 4  # numbers are formatted in two halves
_HALF: Final = 10**_DIGITS  # the lower half has four digits


@frozen
class Numbering:
    """The numbers of a filled plate's objects in its file."""

    # Its first object: its pages, followed by structure elements, groups of fields, fields, links,
    # contents with values, its part of the parent tree, and hints
    first: int
    key: int  # its first key in the parent tree: its pages, followed by fields and links
    above: int  # number of the parent of its fields; 0 for none
    identity: int  # number of the dictionary that says which sheet its fields belong to
    contents: tuple[int, ...]  # numbers of the printed contents of its pages
    resources: int  # number of the resources of its pages
    hint_forms: tuple[int, ...]  # numbers of the form XObjects of its hints, by size
    flat: bool  # whether fields are drawn instead of being fields


class NumberTable:
    """The numbers that templates need, each formatted once, though many gaps need it.

    Formatting numbers takes most of the time, so consecutive ones are joined from two halves.
    """

    def __init__(self, width: int) -> None:
        """Begin an empty table; its numbers have `width` digits, padded with spaces."""
        self.width = width
        self._counts: dict[int, int] = {}

    def add(self, refs: Iterable[Ref]) -> None:
        """Add the numbers of these gaps."""
        for base, distance in refs:
            self._counts[base] = max(self._counts.get(base, 0), distance + 1)

    def index(self, ref: Ref) -> int:
        """Return the index of a gap's number in the table, after all have been added."""
        before = sum(count for base, count in self._counts.items() if base < ref[0])
        return before + ref[1]

    def format(self, bases: Sequence[int]) -> list[bytes]:
        """Return the formatted numbers for the values of the bases."""
        numbers: list[bytes] = []
        for base in sorted(self._counts):
            numbers += format_numbers(bases[base], self._counts[base], self.width)
        return numbers


def format_numbers(first: int, count: int, width: int) -> list[bytes]:
    """Return `count` consecutive numbers in `width` digits, padded with spaces."""
    if first < _HALF:
        one = b"%%%dd" % width
        return [one % number for number in range(first, first + count)]
    numbers: list[bytes] = []
    while count:
        upper, lower = divmod(first, _HALF)
        some = _lower_halves()[lower : lower + count]
        head = b"%*d" % (width - _DIGITS, upper)
        numbers += [head + half for half in some]
        first, count = first + len(some), count - len(some)
    return numbers


@cache
def _lower_halves() -> list[bytes]:
    return [b"%0*d" % (_DIGITS, number) for number in range(_HALF)]


class CompiledTemplate:
    """A template, ready to be filled from a table of numbers."""

    def __init__(self, template: Template, table: NumberTable) -> None:
        texts: list[bytes] = [b""]
        indexes: list[int] = []
        for part in template:
            if isinstance(part, bytes):
                texts[-1] += part
            else:
                indexes.append(table.index(part))
                texts += [b"", b""]
        self._texts = texts  # The gaps are the items with odd indexes.
        self._pick: Callable[[list[bytes]], tuple[bytes, ...]] = (
            itemgetter(*indexes)
            if len(indexes) > 1
            else lambda numbers: tuple([numbers[n] for n in indexes])
        )

    def fill(self, numbers: list[bytes]) -> bytes:
        """Return the text with numbers in its gaps."""
        parts = self._texts.copy()
        parts[1::2] = self._pick(numbers)
        return b"".join(parts)


@frozen
class _StreamTemplate:
    """The data of an object stream; its objects' numbers count from the filled plate's first."""

    data: CompiledTemplate
    runs: Sequence[range]
    start: int

    def fill(self, first: int, numbers: list[bytes], level: int) -> ObjectStream:
        runs = [range(first + run.start, first + run.stop) for run in self.runs]
        count, data = sum(map(len, runs)), self.data.fill(numbers)
        return ObjectStream(runs, format_object_stream(data, count, self.start, level))


class ObjectTemplates:
    """All objects of a plate as templates: the beginnings of its widgets, and the others."""

    def __init__(
        self, heads: Sequence[Template], objects: Mapping[int, Template], width: int
    ) -> None:
        """Compile the templates for numbers of up to `width` digits.

        Args:
            heads: Beginnings of the widgets.
            objects: All other objects, by their distance from the first.
        """
        self._table = table = NumberTable(width)
        for text in (*heads, *objects.values()):
            table.add(part for part in text if not isinstance(part, bytes))
        table.add((FIRST, number) for number in objects)
        numbers = sorted(objects)
        starts = range(0, len(numbers), _STREAM_SIZE)
        chunks = (numbers[start : start + _STREAM_SIZE] for start in starts)
        self._streams = [_compile_stream(chunk, objects, table) for chunk in chunks]
        self._heads = CompiledTemplate([part for text in heads for part in text], table)
        ends = [0]
        for text in heads:
            ends.append(ends[-1] + _length(text, width))
        self._spans = [slice(*pair) for pair in pairwise(ends)]

    def fill(self, bases: Sequence[int], level: int) -> tuple[list[bytes], list[ObjectStream]]:
        """Return the beginnings of the widgets, and the other objects compressed."""
        numbers = self._table.format(bases)
        streams = [stream.fill(bases[FIRST], numbers, level) for stream in self._streams]
        heads = self._heads.fill(numbers)
        return [heads[span] for span in self._spans], streams


def fill_gaps(template: Template, bases: Sequence[int]) -> bytes:
    """Return a text with numbers in its gaps, not padded."""
    return b"".join(
        [
            part if isinstance(part, bytes) else b"%d" % (bases[part[0]] + part[1])
            for part in template
        ]
    )


def reference_template(refs: Iterable[Ref]) -> Template:
    """Return references to objects, each followed by a space."""
    template: Template = []
    for ref in refs:
        template += [ref, b" 0 R "]
    return template


def _compile_stream(
    numbers: list[int], objects: Mapping[int, Template], table: NumberTable
) -> _StreamTemplate:
    index: Template = []
    bodies: Template = []
    offset = 0
    for number in numbers:
        index += [(FIRST, number), b" %d " % offset]
        bodies += [*objects[number], b"\n"]
        offset += _length(objects[number], table.width) + 1
    data = CompiledTemplate([*index, b"\n", *bodies], table)
    return _StreamTemplate(data, number_runs(numbers), _length(index, table.width) + 1)


def _length(template: Template, width: int) -> int:
    return sum(len(part) if isinstance(part, bytes) else width for part in template)
