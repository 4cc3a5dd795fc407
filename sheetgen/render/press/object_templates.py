"""Objects with gaps where numbers go: spelt once, and filled for each leaf of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Final, TypeAlias

from sheetgen.render.pdf.pdf_file import Packed, number_runs, object_stream

FIRST, KEY, FIXED, ABOVE, RESOURCES, CONTENTS = range(6)
"""What a gap counts from: a leaf's first object, its first key in the parent tree, nothing, the
group that its fields hang below, the resources of its pages, what is printed on them."""

Ref: TypeAlias = tuple[int, int]
"""What a gap counts from, and how far behind it is."""

Spelt: TypeAlias = list[bytes | Ref]
"""A text with gaps."""

WIDTHS: Final = (6, 7, 8)
"""Of numbers in gaps, blanks before them: so that a text is as long whatever its numbers are."""

_MOST: Final = 2000
"""Objects in one stream; see `pdf_file`."""

_DIGITS: Final = 4
_HALF: Final = 10**_DIGITS
"""Of the lower half of a number."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """Where a leaf stands in its file.

    Attributes:
        first: Its first object; pages, tags, groups of fields, fields, links, drawings,
            its part of the parent tree, and hints follow in this order.
        key: Its first key in the parent tree; pages, fields and links follow.
        above: Number of the group that its fields hang below; 0 for none.
        contents: Numbers of what is printed on each page.
        resources: Number of the resources of its pages.
        bars: Numbers of what draws its hints, by size.
        flat: Whether fields are drawn instead of being fields.
    """

    first: int
    key: int
    above: int
    contents: tuple[int, ...]
    resources: int
    bars: tuple[int, ...]
    flat: bool


class Spelling:
    """The numbers that gaps mean, spelt: each once, though many gaps mean it.

    To spell numbers is what takes long, so those in a row are put together from two halves.
    """

    def __init__(self, width: int) -> None:
        """Begin with no number; all are spelt in `width` digits, blanks before them."""
        self.width = width
        self._counts: dict[int, int] = {}

    def note(self, refs: Iterable[Ref]) -> None:
        """Note that these will be asked for."""
        for base, behind in refs:
            self._counts[base] = max(self._counts.get(base, 0), behind + 1)

    def index(self, ref: Ref) -> int:
        """Return where in a spelling the number stands, once all are noted."""
        before = sum(count for base, count in self._counts.items() if base < ref[0])
        return before + ref[1]

    def of(self, bases: Sequence[int]) -> list[bytes]:
        """Return the numbers, spelt, for what they count from."""
        found: list[bytes] = []
        for base in sorted(self._counts):
            found += spelt_row(bases[base], self._counts[base], self.width)
        return found


def spelt_row(first: int, count: int, width: int) -> list[bytes]:
    """Return `count` numbers in a row, spelt in `width` digits, blanks before them."""
    if first < _HALF:
        one = b"%%%dd" % width
        return [one % number for number in range(first, first + count)]
    found: list[bytes] = []
    while count:
        upper, lower = divmod(first, _HALF)
        some = _lower_halves()[lower : lower + count]
        head = b"%*d" % (width - _DIGITS, upper)
        found += [head + half for half in some]
        first, count = first + len(some), count - len(some)
    return found


@cache
def _lower_halves() -> list[bytes]:
    return [b"%0*d" % (_DIGITS, number) for number in range(_HALF)]


@dataclass(frozen=True, slots=True)
class Form:
    """A text with gaps, ready to be filled.

    Attributes:
        texts: What stands between the gaps; a place is left between each two.
        chosen: Picks for each gap its number from a spelling.
    """

    texts: list[bytes]
    chosen: Callable[[list[bytes]], tuple[bytes, ...]]

    def filled(self, spelling: list[bytes]) -> bytes:
        """Return the text with the numbers that the gaps mean."""
        parts = self.texts.copy()
        parts[1::2] = self.chosen(spelling)
        return b"".join(parts)


@dataclass(frozen=True, slots=True)
class Pack:
    """Objects that are compressed together: their numbers, counted from a leaf's first."""

    form: Form
    runs: Sequence[range]
    start: int

    def filled(self, first: int, spelling: list[bytes], level: int) -> Packed:
        """Return the objects, numbered from `first` and compressed."""
        own = [range(first + run.start, first + run.stop) for run in self.runs]
        count = sum(map(len, own))
        return Packed(own, object_stream(self.form.filled(spelling), count, self.start, level))


@dataclass(frozen=True, slots=True)
class Pieces:
    """Texts with gaps, one after another."""

    form: Form
    spans: tuple[tuple[int, int], ...]

    def filled(self, spelling: list[bytes]) -> list[bytes]:
        """Return the texts."""
        whole = self.form.filled(spelling)
        return [whole[start:end] for start, end in self.spans]


@dataclass(frozen=True, slots=True)
class ObjectTemplates:
    """A leaf with gaps: the beginnings of its fields, and all other objects."""

    spelling: Spelling
    heads: Pieces
    packs: list[Pack]

    def filled(self, bases: Sequence[int], level: int) -> tuple[list[bytes], list[Packed]]:
        """Return both, numbered; the objects compressed."""
        spelling = self.spelling.of(bases)
        stored = [pack.filled(bases[FIRST], spelling, level) for pack in self.packs]
        return self.heads.filled(spelling), stored


def fill_numbers(spelt: Spelt, bases: Sequence[int]) -> bytes:
    """Return a text with the numbers that its gaps mean, without blanks before them."""
    return b"".join(
        [part if isinstance(part, bytes) else b"%d" % (bases[part[0]] + part[1]) for part in spelt]
    )


def reference_list(refs: Iterable[Ref]) -> Spelt:
    """Return references to objects, a blank between each."""
    found: Spelt = []
    for ref in refs:
        found += [ref, b" 0 R "]
    return found


def forms(heads: Sequence[Spelt], objects: Mapping[int, Spelt], width: int) -> ObjectTemplates:
    """Return a leaf ready to be filled with numbers of up to `width` digits.

    Args:
        heads: Beginnings of its fields.
        objects: All others, by their number from the leaf's first.
    """
    spelling = Spelling(width)
    for text in (*heads, *objects.values()):
        spelling.note(part for part in text if not isinstance(part, bytes))
    spelling.note((FIRST, number) for number in objects)
    numbers = sorted(objects)
    some = (numbers[start : start + _MOST] for start in range(0, len(numbers), _MOST))
    packs = [_pack(chosen, objects, spelling) for chosen in some]
    return ObjectTemplates(spelling, _pieces(heads, spelling), packs)


def _form(spelt: Spelt, spelling: Spelling) -> Form:
    texts: list[bytes] = [b""]
    which: list[int] = []
    for part in spelt:
        if isinstance(part, bytes):
            texts[-1] += part
        else:
            which.append(spelling.index(part))
            texts += [b"", b""]
    return Form(texts, _picker(which))


def _picker(which: Sequence[int]) -> Callable[[list[bytes]], tuple[bytes, ...]]:
    if len(which) > 1:
        return itemgetter(*which)
    return lambda each: tuple([each[n] for n in which])


def _pack(numbers: list[int], objects: Mapping[int, Spelt], spelling: Spelling) -> Pack:
    index: Spelt = []
    bodies: Spelt = []
    at = 0
    for number in numbers:
        index += [(FIRST, number), b" %d " % at]
        bodies += [*objects[number], b"\n"]
        at += _length(objects[number], spelling.width) + 1
    whole = _form([*index, b"\n", *bodies], spelling)
    return Pack(whole, number_runs(numbers), _length(index, spelling.width) + 1)


def _pieces(texts: Iterable[Spelt], spelling: Spelling) -> Pieces:
    whole: Spelt = []
    spans: list[tuple[int, int]] = []
    at = 0
    for text in texts:
        whole += text
        spans.append((at, at + _length(text, spelling.width)))
        at = spans[-1][1]
    return Pieces(_form(whole, spelling), tuple(spans))


def _length(spelt: Spelt, width: int) -> int:
    return sum(len(part) if isinstance(part, bytes) else width for part in spelt)
