"""PDF objects lifted out of a laid-out file, with gaps where object numbers go.

The press numbers them anew in each document, and writes equal ones once.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pikepdf

Refer = Callable[["pikepdf.Object"], int]


@dataclass(frozen=True, slots=True)
class Shared:
    """One object that any number of pages may use.

    Attributes:
        template: Its text, with `%d 0 R` for each reference, and every other `%` twice.
        refs: What the references mean, in order: places in the plate's list of these.
        data: The body of a stream, compressed as `template` says.
        digest: Equal for equal objects, whatever plate they came from.
    """

    template: bytes
    refs: tuple[int, ...]
    data: bytes | None
    digest: str


@dataclass
class SharedPool:
    """The shared objects of a plate while it is compiled; each equal one once."""

    objects: list[Shared] = field(default_factory=list)
    _by_digest: dict[str, int] = field(default_factory=dict)
    _by_source: dict[tuple[int, int], int] = field(default_factory=dict)

    def put(self, template: bytes, refs: tuple[int, ...] = (), data: bytes | None = None) -> int:
        """Return the place of this object, added if it is new."""
        digest = hashlib.sha256(template)
        for ref in refs:
            digest.update(self.objects[ref].digest.encode())
        digest.update(b"" if data is None else b"stream" + data)
        key = digest.hexdigest()[:32]
        if key not in self._by_digest:
            self._by_digest[key] = len(self.objects)
            self.objects.append(Shared(template, refs, data, key))
        return self._by_digest[key]

    def put_stream(self, entries: bytes, data: bytes, refs: tuple[int, ...] = ()) -> int:
        """Return the place of a stream with `entries` in its dictionary, compressed."""
        small = zlib.compress(data, 9)
        template = b"<<%s/Filter/FlateDecode/Length %d>>" % (entries, len(small))
        return self.put(template, refs, small)

    def replace(self, source: pikepdf.Object, place: int) -> None:
        """Let `place` stand in for an object of the laid-out file."""
        self._by_source[source.objgen] = place

    def lift(self, source: pikepdf.Object) -> int:
        """Return the place of an indirect object of the laid-out file."""
        if source.objgen not in self._by_source:
            template, refs = self.written(source)
            data = source.read_raw_bytes() if _streams(source) else None
            self._by_source[source.objgen] = self.put(template, refs, data)
        return self._by_source[source.objgen]

    def written(self, source: pikepdf.Object) -> tuple[bytes, tuple[int, ...]]:
        """Return `source` as a template and its references, which are lifted too."""
        refs: list[int] = []

        def refer(other: pikepdf.Object) -> int:
            refs.append(self.lift(other))
            return refs[-1]

        return spelt(source, refer), tuple(refs)


def spelt(source: Any, refer: Refer) -> bytes:
    """Return the text of `source`, with `%d 0 R` for each object that it refers to."""
    import pikepdf

    if isinstance(source, pikepdf.Dictionary | pikepdf.Stream):
        entries = source.stream_dict if _streams(source) else source
        return b"<<%s>>" % b"".join(
            template_name(key) + b" " + _inner(value, refer)
            for key, value in sorted(_items(entries))
        )
    if isinstance(source, pikepdf.Array):
        return b"[%s]" % b" ".join(_inner(value, refer) for value in _values(source))
    return _scalar(source)


def template_name(name: str) -> bytes:
    """Return `name`, with its slash, as a template spells it."""
    raw = re.sub(rb"[^!-~]|[#()<>\[\]{}%]", _hex, name[1:].encode())
    return b"/" + raw


def _hex(match: re.Match[bytes]) -> bytes:
    return b"#%02X" % match[0][0]


def _inner(value: Any, refer: Refer) -> bytes:
    import pikepdf

    if isinstance(value, pikepdf.Object) and value.is_indirect:
        refer(value)
        return b"%d 0 R"
    return spelt(value, refer)


def _items(entries: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(key, value) for key, value in entries.items() if key != "/Parent"]


def _values(array: Any) -> list[Any]:
    return [array[index] for index in range(len(array))]


def _streams(source: Any) -> bool:
    import pikepdf

    return isinstance(source, pikepdf.Stream)


def _scalar(value: Any) -> bytes:
    import pikepdf

    if value is None:
        return b"null"
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, int):
        return b"%d" % value
    if isinstance(value, Decimal | float):
        text = f"{Decimal(value):f}"
        return (text.rstrip("0").rstrip(".") if "." in text else text).encode()
    if isinstance(value, pikepdf.Name):
        return template_name(str(value))
    if isinstance(value, pikepdf.String):
        return b"<%s>" % bytes(value).hex().encode()
    raise TypeError(f"no PDF object: {value!r}")
