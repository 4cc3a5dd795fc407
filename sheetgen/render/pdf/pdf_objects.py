"""Copy PDF objects out of a laid-out file as templates, with gaps for object numbers.

The press gives the objects new numbers in each document, and writes equal ones once.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sheetgen.records import frozen

if TYPE_CHECKING:
    import pikepdf

Refer = Callable[["pikepdf.Object"], int]


@frozen
class SharedObject:
    """One object that any number of pages may use: a font, a picture, a content stream.

    Attributes:
        template: Its text, with `%d 0 R` for each reference, and every other `%` twice.
        refs: The objects that the references mean, in order: indexes in the plate's list.
        data: The data of a stream, compressed as `template` says; None for other objects.
        digest: Equal for equal objects, also of different plates.
    """

    template: bytes
    refs: tuple[int, ...]
    data: bytes | None
    digest: str


@dataclass
class SharedPool:
    """The shared objects of a plate while it is compiled; equal ones are kept once."""

    objects: list[SharedObject] = field(default_factory=list)
    _by_digest: dict[str, int] = field(default_factory=dict)
    _by_source: dict[tuple[int, int], int] = field(default_factory=dict)

    def put(self, template: bytes, refs: tuple[int, ...] = (), data: bytes | None = None) -> int:
        """Add an object unless an equal one is there; return its index."""
        digest = hashlib.sha256(template)
        for ref in refs:
            digest.update(self.objects[ref].digest.encode())
        digest.update(b"" if data is None else b"stream" + data)
        key = digest.hexdigest()[:32]
        if key not in self._by_digest:
            self._by_digest[key] = len(self.objects)
            self.objects.append(SharedObject(template, refs, data, key))
        return self._by_digest[key]

    def put_stream(self, entries: bytes, data: bytes, refs: tuple[int, ...] = ()) -> int:
        """Add a stream, compressed, with `entries` in its dictionary; return its index."""
        small = zlib.compress(data, 9)
        template = b"<<%s/Filter/FlateDecode/Length %d>>" % (entries, len(small))
        return self.put(template, refs, small)

    def replace(self, source: pikepdf.Object, index: int) -> None:
        """Use the object at `index` instead of one of the laid-out file."""
        self._by_source[source.objgen] = index

    def lift(self, source: pikepdf.Object) -> int:
        """Copy an indirect object of the laid-out file, and what it refers to; return its index."""
        if source.objgen not in self._by_source:
            template, refs = self.build_template(source)
            data = source.read_raw_bytes() if _streams(source) else None
            self._by_source[source.objgen] = self.put(template, refs, data)
        return self._by_source[source.objgen]

    def build_template(self, source: pikepdf.Object) -> tuple[bytes, tuple[int, ...]]:
        """Return `source` as a template and its references, which are copied too."""
        refs: list[int] = []

        def refer(other: pikepdf.Object) -> int:
            refs.append(self.lift(other))
            return refs[-1]

        return format_object(source, refer), tuple(refs)


def format_object(source: Any, refer: Refer) -> bytes:
    """Return the text of `source`, with `%d 0 R` for each object that it refers to."""
    import pikepdf

    if isinstance(source, pikepdf.Dictionary | pikepdf.Stream):
        entries = source.stream_dict if _streams(source) else source
        return b"<<%s>>" % b"".join(
            format_name(key) + b" " + _inner(value, refer)
            for key, value in sorted(entries.items())
            if key != "/Parent"
        )
    if isinstance(source, pikepdf.Array):
        return b"[%s]" % b" ".join(_inner(source[n], refer) for n in range(len(source)))
    return _scalar(source)


def format_name(name: str) -> bytes:
    """Return `name`, with its slash, escaped for a template."""
    raw = re.sub(rb"[^!-~]|[#()<>\[\]{}%]", _hex, name[1:].encode())
    return b"/" + raw


def _hex(match: re.Match[bytes]) -> bytes:
    return b"#%02X" % match[0][0]


def _inner(value: Any, refer: Refer) -> bytes:
    import pikepdf

    if isinstance(value, pikepdf.Object) and value.is_indirect:
        refer(value)
        return b"%d 0 R"
    return format_object(value, refer)


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
        return format_name(str(value))
    if isinstance(value, pikepdf.String):
        return b"<%s>" % bytes(value).hex().encode()
    raise TypeError(f"no PDF object: {value!r}")
