"""Objects with gaps where numbers go: spelt once, and filled for each leaf of a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import add
from typing import Final, TypeAlias

from sheetgen.render.pdf_file import Packed, object_stream

FIRST, KEY, FIXED, ABOVE, RESOURCES, CONTENTS = range(6)
"""What a gap counts from: a leaf's first object, its first key in the parent tree, nothing, the
group that its fields hang below, the resources of its pages, what is printed on them."""

Ref: TypeAlias = tuple[int, int]
"""What a gap counts from, and how far behind it is."""

Spelt: TypeAlias = list[bytes | Ref]
"""A text with gaps."""

_WIDTH: Final = 8
"""Of a number in a gap, blanks before it: so that a text is as long whatever its numbers are."""

_GAP: Final = b"%%%dd" % _WIDTH
_MOST: Final = 2000
"""Objects in one stream; see `pdf_file`."""


@dataclass(frozen=True, slots=True)
class Form:
    """A text with gaps, ready to be filled."""

    template: bytes
    bases: tuple[int, ...]
    offsets: tuple[int, ...]

    def filled(self, bases: Sequence[int]) -> bytes:
        """Return the text with the numbers that the gaps mean."""
        return self.template % tuple(map(add, map(bases.__getitem__, self.bases), self.offsets))


@dataclass(frozen=True, slots=True)
class Pack:
    """Objects that are compressed together: their numbers, counted from a leaf's first."""

    form: Form
    numbers: Sequence[int]
    start: int

    def filled(self, bases: Sequence[int]) -> Packed:
        """Return the objects, numbered and compressed."""
        first, own = bases[FIRST], self.numbers
        data = self.form.filled(bases)
        numbers: Sequence[int] = [first + n for n in own]
        if isinstance(own, range):
            numbers = range(first + own.start, first + own.stop)
        return Packed(numbers, object_stream(data, len(own), self.start))


@dataclass(frozen=True, slots=True)
class Pieces:
    """Texts with gaps, one after another."""

    form: Form
    spans: tuple[tuple[int, int], ...]

    def filled(self, bases: Sequence[int]) -> list[bytes]:
        """Return the texts."""
        whole = self.form.filled(bases)
        return [whole[start:end] for start, end in self.spans]


def listed(refs: Iterable[Ref]) -> Spelt:
    """Return references to objects, a blank between each."""
    found: Spelt = []
    for ref in refs:
        found += [ref, b" 0 R "]
    return found


def form(spelt: Spelt) -> Form:
    """Return `spelt` ready to be filled."""
    refs = [part for part in spelt if not isinstance(part, bytes)]
    template = b"".join(
        part.replace(b"%", b"%%") if isinstance(part, bytes) else _GAP for part in spelt
    )
    return Form(template, tuple(base for base, _ in refs), tuple(offset for _, offset in refs))


def packs(objects: Mapping[int, Spelt]) -> list[Pack]:
    """Return objects, by their number from a leaf's first, in as few streams as may be."""
    numbers = sorted(objects)
    some = (numbers[start : start + _MOST] for start in range(0, len(numbers), _MOST))
    return [_pack(chosen, objects) for chosen in some]


def _pack(numbers: list[int], objects: Mapping[int, Spelt]) -> Pack:
    index: Spelt = []
    bodies: Spelt = []
    at = 0
    for number in numbers:
        index += [(FIRST, number), b" %d " % at]
        bodies += [*objects[number], b"\n"]
        at += _length(objects[number]) + 1
    row = range(numbers[0], numbers[-1] + 1)
    return Pack(
        form([*index, b"\n", *bodies]),
        row if len(row) == len(numbers) else numbers,
        _length(index) + 1,
    )


def pieces(texts: Iterable[Spelt]) -> Pieces:
    """Return texts that are filled together and used one by one."""
    whole: Spelt = []
    spans: list[tuple[int, int]] = []
    at = 0
    for text in texts:
        whole += text
        spans.append((at, at + _length(text)))
        at = spans[-1][1]
    return Pieces(form(whole), tuple(spans))


def _length(spelt: Spelt) -> int:
    return sum(len(part) if isinstance(part, bytes) else _WIDTH for part in spelt)
