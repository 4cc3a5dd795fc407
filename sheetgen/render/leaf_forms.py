"""Objects with gaps where numbers go: spelt once, and filled for each leaf of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import add, itemgetter
from typing import Final, TypeAlias

from sheetgen.render.pdf_file import Packed, object_stream, runs

FIRST, KEY, FIXED, ABOVE, RESOURCES, CONTENTS = range(6)
"""What a gap counts from: a leaf's first object, its first key in the parent tree, nothing, the
group that its fields hang below, the resources of its pages, what is printed on them."""

Ref: TypeAlias = tuple[int, int]
"""What a gap counts from, and how far behind it is."""

Spelt: TypeAlias = list[bytes | Ref]
"""A text with gaps."""

WIDTHS: Final = (6, 8)
"""Of numbers in gaps, blanks before them: so that a text is as long whatever its numbers are."""

_MOST: Final = 2000
"""Objects in one stream; see `pdf_file`."""


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


@dataclass(frozen=True, slots=True)
class Form:
    """A text with gaps, ready to be filled.

    Attributes:
        texts: What stands between the gaps; a place is left between each two.
        refs: What the gaps count from, and how far behind: each once, though many gaps mean it.
        chosen: Picks for each gap the one of `refs` that it means.
        gap: How a number is spelt, with blanks before it.
    """

    texts: list[bytes]
    refs: tuple[tuple[int, ...], tuple[int, ...]]
    chosen: Callable[[list[bytes]], tuple[bytes, ...]]
    gap: bytes

    def filled(self, bases: Sequence[int]) -> bytes:
        """Return the text with the numbers that the gaps mean.

        Each number is spelt once: to spell is what takes long.
        """
        numbers = map(add, map(bases.__getitem__, self.refs[0]), self.refs[1])
        parts = self.texts.copy()
        parts[1::2] = self.chosen([self.gap % number for number in numbers])
        return b"".join(parts)


@dataclass(frozen=True, slots=True)
class Pack:
    """Objects that are compressed together: their numbers, counted from a leaf's first."""

    form: Form
    runs: Sequence[range]
    start: int

    def filled(self, bases: Sequence[int], level: int) -> Packed:
        """Return the objects, numbered and compressed."""
        first = bases[FIRST]
        own = [range(first + run.start, first + run.stop) for run in self.runs]
        count = sum(map(len, own))
        return Packed(own, object_stream(self.form.filled(bases), count, self.start, level))


@dataclass(frozen=True, slots=True)
class Pieces:
    """Texts with gaps, one after another."""

    form: Form
    spans: tuple[tuple[int, int], ...]

    def filled(self, bases: Sequence[int]) -> list[bytes]:
        """Return the texts."""
        whole = self.form.filled(bases)
        return [whole[start:end] for start, end in self.spans]


@dataclass(frozen=True, slots=True)
class Forms:
    """A leaf with gaps: the beginnings of its fields, and all other objects."""

    heads: Pieces
    packs: list[Pack]


def numbered(spelt: Spelt, bases: Sequence[int]) -> bytes:
    """Return a text with the numbers that its gaps mean, without blanks before them."""
    return b"".join(
        [part if isinstance(part, bytes) else b"%d" % (bases[part[0]] + part[1]) for part in spelt]
    )


def listed(refs: Iterable[Ref]) -> Spelt:
    """Return references to objects, a blank between each."""
    found: Spelt = []
    for ref in refs:
        found += [ref, b" 0 R "]
    return found


def form(spelt: Spelt, width: int) -> Form:
    """Return `spelt` ready to be filled with numbers of up to `width` digits."""
    texts: list[bytes] = [b""]
    which: list[int] = []
    refs: dict[Ref, int] = {}
    for part in spelt:
        if isinstance(part, bytes):
            texts[-1] += part
        else:
            which.append(refs.setdefault(part, len(refs)))
            texts += [b"", b""]
    bases, offsets = zip(*refs, strict=True) if refs else ((), ())
    return Form(texts, (bases, offsets), _picker(which), b"%%%dd" % width)


def _picker(which: Sequence[int]) -> Callable[[list[bytes]], tuple[bytes, ...]]:
    if len(which) > 1:
        return itemgetter(*which)
    return lambda each: tuple([each[n] for n in which])


def packs(objects: Mapping[int, Spelt], width: int) -> list[Pack]:
    """Return objects, by their number from a leaf's first, in as few streams as may be."""
    numbers = sorted(objects)
    some = (numbers[start : start + _MOST] for start in range(0, len(numbers), _MOST))
    return [_pack(chosen, objects, width) for chosen in some]


def _pack(numbers: list[int], objects: Mapping[int, Spelt], width: int) -> Pack:
    index: Spelt = []
    bodies: Spelt = []
    at = 0
    for number in numbers:
        index += [(FIRST, number), b" %d " % at]
        bodies += [*objects[number], b"\n"]
        at += _length(objects[number], width) + 1
    whole = form([*index, b"\n", *bodies], width)
    return Pack(whole, runs(numbers), _length(index, width) + 1)


def pieces(texts: Iterable[Spelt], width: int) -> Pieces:
    """Return texts that are filled together and used one by one."""
    whole: Spelt = []
    spans: list[tuple[int, int]] = []
    at = 0
    for text in texts:
        whole += text
        spans.append((at, at + _length(text, width)))
        at = spans[-1][1]
    return Pieces(form(whole, width), tuple(spans))


def _length(spelt: Spelt, width: int) -> int:
    return sum(len(part) if isinstance(part, bytes) else width for part in spelt)
