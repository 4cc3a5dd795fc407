"""Write a PDF file, and the cached plates and faces that its objects come from.

ISO 32000-1, 7.5.7 (object streams) and 7.5.8 (cross-reference streams).
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from decimal import Decimal
from html import escape
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from sheetgen.model.pictures import Raster
from sheetgen.model.prints import FaceMetrics, Place, Plate, Role, Shape, Tick, Tokens
from sheetgen.records import frozen
from sheetgen.units import Box

if TYPE_CHECKING:
    import pikepdf


# Level of compression of parts that are kept: 6 and 7 take a fifth longer and save less than 1 % of
# the bytes.
LEVEL: Final = 5
# Level of compression of what is written once: half the time of 5, a fiftieth more bytes.
FAST_LEVEL: Final = 2
_HEAD: Final = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
# Objects in one object stream; to read one, a viewer has to unpack all of its stream.
_PACK: Final = 2000
# Bytes of a cross-reference entry: type, offset (or number of the object stream), index.
_ROW: Final = 7
_INDEXES: Final = [index.to_bytes(2) for index in range(_PACK)]
_BLOCK: Final = 1 << 16  # cross-reference entries that are compressed at once


@frozen
class ObjectStream:
    """Objects in one compressed stream, ready to be written."""

    runs: Sequence[range]  # the objects' numbers, as runs of consecutive ones
    stream: bytes


def pack_objects(objects: Sequence[tuple[int, bytes]], level: int = LEVEL) -> list[ObjectStream]:
    """Return `objects` (number, body) in as few object streams as possible."""
    packs = []
    for start in range(0, len(objects), _PACK):
        numbers, bodies = zip(*objects[start : start + _PACK], strict=True)
        places = accumulate([len(body) + 1 for body in bodies[:-1]], initial=0)
        pairs = tuple(chain.from_iterable(zip(numbers, places, strict=True)))
        index = b"%d %d " * len(numbers) % pairs
        data = index[:-1] + b"\n" + b"\n".join(bodies)
        stream = format_object_stream(data, len(numbers), len(index), level)
        packs.append(ObjectStream(number_runs(numbers), stream))
    return packs


def number_runs(numbers: Sequence[int]) -> list[range]:
    """Return numbers as runs of consecutive ones."""
    ends = [at for at, (one, other) in enumerate(pairwise(numbers), 1) if other != one + 1]
    bounds = pairwise([0, *ends, len(numbers)] if numbers else [])
    return [range(numbers[start], numbers[start] + end - start) for start, end in bounds]


def format_object_stream(data: bytes, count: int, first: int, level: int) -> bytes:
    """Return an object stream of `count` objects.

    `data`: their numbers and offsets, then their bodies, which begin at `first`.
    """
    small = zlib.compress(data, level)
    head = b"<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>stream\n"
    return b"%s%s\nendstream" % (head % (count, first, len(small)), small)


class PdfWriter:
    """Writes objects as they come, to `out` or in memory; `finish` ends the file.

    Every number that is taken must be written, by `stream`, `add` or `put`. In memory are only
    the cross-reference entries, and the objects that wait for an object stream.
    """

    def __init__(self, out: BinaryIO | None = None) -> None:
        self._out = io.BytesIO() if out is None else out
        self._size = 0
        self._digest = hashlib.sha256()
        self._next = 1
        self._loose: list[tuple[int, bytes]] = []
        self._table = bytearray(_ROW)
        self._write(_HEAD)

    def _write(self, chunk: bytes) -> None:
        self._out.write(chunk)
        self._digest.update(chunk)
        self._size += len(chunk)

    def take(self, count: int = 1) -> int:
        """Reserve `count` consecutive object numbers; return the first."""
        first = self._next
        self._next += count
        self._table += bytes(_ROW * count)
        return first

    def stream(self, number: int, body: bytes) -> None:
        """Write a stream object: `body` is its dictionary and its data."""
        at = _ROW * number
        self._table[at : at + _ROW] = b"\1" + self._size.to_bytes(4) + b"\0\0"
        self._write(b"%d 0 obj\n%s\nendobj\n" % (number, body))

    def compress(
        self, number: int, data: bytes, entries: bytes = b"", level: int = FAST_LEVEL
    ) -> None:
        """Write a stream object with compressed data and `entries` in its dictionary."""
        small = zlib.compress(data, level)
        body = b"<<%s/Filter/FlateDecode/Length %d>>stream\n%s\nendstream"
        self.stream(number, body % (entries, len(small), small))

    def add(self, number: int, body: bytes) -> None:
        """Keep one object, not a stream, for an object stream."""
        self._loose.append((number, body))

    def add_all(self, first: int, bodies: Iterable[bytes]) -> None:
        """Keep objects with consecutive numbers for object streams."""
        self._loose.extend(enumerate(bodies, first))
        if len(self._loose) >= _PACK:
            self.put(pack_objects(self._loose, FAST_LEVEL))
            self._loose = []

    def put(self, packs: Iterable[ObjectStream]) -> None:
        """Write object streams."""
        for pack in packs:
            holder = self.take()
            self.stream(holder, pack.stream)
            head, at = b"\2" + holder.to_bytes(4), 0
            for run in pack.runs:
                rows = head + head.join(_INDEXES[at : at + len(run)])
                self._table[_ROW * run.start : _ROW * run.stop] = rows
                at += len(run)

    def finish(self, root: int, info: int) -> bytes:
        """End the file; return it if it is in memory.

        The file's identifier is the hash of its objects, so equal input gives equal bytes.
        """
        self.put(pack_objects(self._loose, FAST_LEVEL))
        here = self.take()
        self._table[_ROW * here :] = b"\1" + self._size.to_bytes(4) + b"\0\0"
        assert 0 not in self._table[_ROW::_ROW], "an object was numbered and never written"
        name = self._digest.hexdigest()[:32].encode()
        packer = zlib.compressobj(FAST_LEVEL)
        data = b"".join(map(packer.compress, _differences(self._table))) + packer.flush()
        head = (
            b"%d 0 obj\n<</Type/XRef/Size %d/W[1 4 2]/Root %d 0 R/Info %d 0 R"
            b"/ID[<%s><%s>]/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 7>>"
            b"/Length %d>>stream\n"
        ) % (here, self._next, root, info, name, name, len(data))
        tail = b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % self._size
        self._out.write(head + data + tail)
        return self._out.getvalue() if isinstance(self._out, io.BytesIO) else b""


def _differences(table: bytearray) -> Iterator[bytes]:
    """Yield the rows of `table` after PNG's filter "Up": a 2, then the row less the one above.

    Nearly all differences are equal, so they compress to almost nothing. One subtraction of
    long integers handles many bytes at once: each byte has a spare bit beside it, so that no
    borrow reaches its neighbour.
    """
    above = bytes(_ROW)
    for start in range(0, len(table), _ROW * _BLOCK):
        block = table[start : start + _ROW * _BLOCK]
        count = len(block) // _ROW
        before = above + block[:-_ROW]
        above = bytes(block[-_ROW:])
        spare = int.from_bytes(b"\1\0" * len(block))
        less = (_spread(block) | spare) - _spread(before)
        values = less.to_bytes(2 * len(block))[1::2]
        rows = bytearray(b"\2" * (count * (_ROW + 1)))
        for column in range(_ROW):
            rows[column + 1 :: _ROW + 1] = values[column::_ROW]
        yield bytes(rows)


def _spread(values: bytes | bytearray) -> int:
    """Return `values` as one integer, with a zero byte before each."""
    spread = bytearray(2 * len(values))
    spread[1::2] = values
    return int.from_bytes(spread)


def pdf_number(value: float) -> bytes:
    """Return `value` with at most two decimals: a hundredth of a point is enough."""
    # Adding 0 turns -0.0, a frequent result of rounding, into 0. A picture of one row of pixels may
    # be a million points wide, and PDF has no exponents.
    return b"%.9g" % (round(value, 2) + 0.0)


def pdf_numbers(*values: float) -> bytes:
    """Return `values` with spaces between them."""
    return b" ".join([b"%.9g" % (round(value, 2) + 0.0) for value in values])


def pdf_string(raw: bytes) -> bytes:
    """Return `raw` as a literal string, in parentheses.

    Carriage returns are escaped, since readers take a bare one for a line feed.
    """
    raw = raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    return b"(%s)" % raw.replace(b"\r", b"\\r")


def text_string(text: str) -> bytes:
    """Return `text` as a text string: ASCII, or UTF-16 with a byte-order mark."""
    if text.isascii() and text.isprintable():
        return pdf_string(text.encode())
    # Some control characters mean other ones in PDFDocEncoding.
    return pdf_string(b"\xfe\xff" + text.encode("utf-16-be", "replace"))


def ink(value: str, *, stroke: bool = False) -> bytes:
    """Return the operator that sets the fill or stroke colour to `#rrggbb`."""
    if len(value) != 7 or value[0] != "#":
        raise ValueError(f"`{value}` is not a colour; write it as #rrggbb")
    parts = [b"%.3g" % (int(value[i : i + 2], 16) / 255) for i in (1, 3, 5)]
    if len(set(parts)) == 1:
        return parts[0] + (b" G" if stroke else b" g")
    return b" ".join(parts) + (b" RG" if stroke else b" rg")


PRODUCER: Final = "sheetgen"
META: Final = "sheetgen_"  # prefix of the entries of a plan's `meta` in the information dictionary
_NOT_A_NAME: Final = re.compile(r"[^A-Za-z0-9_]")


def format_information(title: str, subject: str, meta: Mapping[str, str]) -> bytes:
    """Return the information dictionary, its entries in a fixed order."""
    entries = {"Title": title, "Subject": subject, "Producer": PRODUCER}
    return b"<<%s>>" % text_entries(entries | {META + key: text for key, text in meta.items()})


def text_entries(entries: Mapping[str, str]) -> bytes:
    """Return texts by key as the entries of a dictionary."""
    named = {_NOT_A_NAME.sub("_", key): text_string(text) for key, text in entries.items()}
    return b"".join(b"/%s%s" % (name.encode(), text) for name, text in named.items())


def write_outlines(bookmarks: Sequence[tuple[str, int]], file: PdfWriter) -> bytes:
    """Write bookmarks (title and number of a page object); return the catalogue's entries."""
    if not bookmarks:
        return b""
    top = file.take(len(bookmarks) + 1)
    ends = top + 1, len(bookmarks), top + len(bookmarks)
    file.add(top, b"<</Type/Outlines/First %d 0 R/Count %d/Last %d 0 R>>" % ends)
    for number, (title, page) in enumerate(bookmarks, start=top + 1):
        before = b"/Prev %d 0 R" % (number - 1) if number > top + 1 else b""
        after = b"/Next %d 0 R" % (number + 1) if number < ends[2] else b""
        body = b"<</Title%s/Parent %d 0 R%s%s/Dest[%d 0 R/Fit]>>"
        file.add(number, body % (text_string(title), top, before, after, page))
    return b"/Outlines %d 0 R/PageMode/UseOutlines" % top


_PACKET = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
{parts}</rdf:RDF></x:xmpmeta>
<?xpacket end="{end}"?>"""

_ACCESSIBLE = """\
<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" pdfuaid:part="1"/>
<rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" pdf:Producer="{producer}"/>
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{subject}</rdf:li></rdf:Alt></dc:description>
<dc:language><rdf:Bag><rdf:li>{lang}</rdf:li></rdf:Bag></dc:language>
</rdf:Description>"""


def format_xmp(title: str, subject: str, lang: str, producer: str) -> bytes:
    """Return the metadata packet of an accessible PDF."""
    texts = {"title": title, "subject": subject, "lang": lang}
    escaped = {name: xmp_text(text, quote=True) for name, text in texts.items()}
    return xmp_packet(_ACCESSIBLE.format(**escaped, producer=producer))


def xmp_packet(parts: str, *, read_only: bool = True) -> bytes:
    """Return a packet of `parts`, which are `rdf:Description` elements."""
    parts, end = (parts, "r") if read_only else (f"{parts}\n", "w")
    return _PACKET.format(parts=parts, end=end).encode()


def xmp_text(value: str, *, quote: bool = False) -> str:
    """Return `value` escaped for XML, without the characters that XML does not allow."""
    allowed = (c for c in value if c >= " " and not "\ud800" <= c <= "\udfff")
    return escape("".join(c for c in allowed if c not in "\ufffe\uffff"), quote=quote)


@frozen
class SharedObject:
    """One object that any number of pages may use: a font, a picture, a content stream."""

    template: bytes  # its text, with `%d 0 R` for each reference, and every other `%` twice
    # The objects that the references mean, in order: indexes in the plate's list
    refs: tuple[int, ...]
    # The data of a stream, compressed as `template` says; None for other objects
    data: bytes | None
    digest: str  # equal for equal objects, also of different plates


@dataclass
class SharedPool:
    """The shared objects of a plate while it is compiled; equal ones are kept once.

    They are copied out of a laid-out file as templates, with gaps for object numbers.
    """

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
        import pikepdf

        if source.objgen not in self._by_source:
            template, refs = self.build_template(source)
            data = source.read_raw_bytes() if isinstance(source, pikepdf.Stream) else None
            self._by_source[source.objgen] = self.put(template, refs, data)
        return self._by_source[source.objgen]

    def build_template(self, source: pikepdf.Object) -> tuple[bytes, tuple[int, ...]]:
        """Return `source` as a template and its references, which are copied too."""
        import pikepdf

        refs: list[int] = []

        def inner(value: Any) -> bytes:
            if isinstance(value, pikepdf.Object) and value.is_indirect:
                refs.append(self.lift(value))
                return b"%d 0 R"
            return write(value)

        def write(value: Any) -> bytes:
            if isinstance(value, pikepdf.Dictionary | pikepdf.Stream):
                entries = value.stream_dict if isinstance(value, pikepdf.Stream) else value
                rows = ((key, one) for key, one in sorted(entries.items()) if key != "/Parent")
                return b"<<%s>>" % b"".join(_name(key) + b" " + inner(one) for key, one in rows)
            if isinstance(value, pikepdf.Array):
                return b"[%s]" % b" ".join(inner(value[n]) for n in range(len(value)))
            if isinstance(value, pikepdf.Name):
                return _name(str(value))
            if isinstance(value, pikepdf.String):
                return b"<%s>" % bytes(value).hex().encode()
            if value is None or isinstance(value, bool):
                return {None: b"null", True: b"true", False: b"false"}[value]
            if isinstance(value, int):
                return b"%d" % value
            text = f"{Decimal(value):f}"
            return (text.rstrip("0").rstrip(".") if "." in text else text).encode()

        return write(source), tuple(refs)


def _name(name: str) -> bytes:
    """Return `name`, with its slash, escaped for a template."""
    special = rb"[^!-~]|[#()<>\[\]{}%]"
    return b"/" + re.sub(special, lambda match: b"#%02X" % match[0][0], name[1:].encode())


# The format of cached plates and faces is a JSON header, then raw parts, with a checksum; not
# pickle, which would run code of a damaged or foreign file.
_MAGIC: Final = b"sheetgen plate 4\n"
# Least length, in bytes, of a part of a header that becomes a piece of its own.
_WORTH_A_CUT: Final = 150


def pack_parts(header: Mapping[str, Any], parts: Sequence[bytes]) -> bytes:
    """Return `header` and `parts` as bytes; equal input gives equal bytes."""
    text = _json({"header": header, "lengths": [len(part) for part in parts]})
    packed = b"".join([b"%d\n" % len(text), text, *parts])
    return b"%s%08x\n%s" % (_MAGIC, zlib.crc32(packed), packed)


def unpack_parts(packed: bytes) -> tuple[Any, list[bytes]]:
    """Return the header and the parts that `pack_parts` was given; `ValueError` for other bytes."""
    start = len(_MAGIC) + 9
    if not packed.startswith(_MAGIC):
        raise ValueError("not a plate, or a plate of another version")
    if b"%08x\n" % zlib.crc32(memoryview(packed)[start:]) != packed[start - 9 : start]:
        raise ValueError("the plate is damaged")
    line = packed.index(b"\n", start) + 1
    end = line + int(packed[start:line])
    contents = json.loads(packed[line:end])
    parts = []
    for length in contents["lengths"]:
        parts.append(packed[end : end + length])
        end += length
    return contents["header"], parts


def split_pieces(packed: bytes) -> list[bytes]:
    """Return the pieces of a packed plate, cut where other plates may hold the same bytes."""
    header, parts = unpack_parts(packed)
    tail = len(packed) - sum(map(len, parts))
    head, cuts = packed[:tail], {0, tail}
    below = [value.values() for value in header.values() if isinstance(value, dict)]
    for value in chain(header.values(), *below, header.get("shared", ())):
        text = _json(value)
        start = head.find(text) if len(text) >= _WORTH_A_CUT else -1
        if start >= 0:  # not found: integer keys sort differently once they are strings
            cuts |= {start, start + len(text)}
    found = [head[start:end] for start, end in pairwise(sorted(cuts))]
    for part in parts:
        found += split_pieces(part) if part.startswith(_MAGIC) else [part]
    return found


def pack_shared(pool: SharedPool, header: Mapping[str, Any]) -> bytes:
    """Return `header` with the objects of `pool`, which `build_shared` returns, as bytes."""
    rows = [[o.template.decode(), o.refs, o.data is not None, o.digest] for o in pool.objects]
    return pack_parts(
        {**header, "shared": rows}, [o.data for o in pool.objects if o.data is not None]
    )


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def dump_plate(plate: Plate) -> bytes:
    """Return `plate` as bytes for a cache."""
    header = {
        "key": plate.key,
        "sizes": plate.sizes,
        "places": [
            [p.name, p.kind, p.role, p.label, p.page, *astuple(p.box)] for p in plate.places
        ],
        "metrics": {name: metrics_row(m) for name, m in plate.metrics.items()},
        "tokens": asdict(replace(plate.tokens, drawings={})),  # they are drawn already
    }
    return pack_parts(header, [plate.body])


def parse_plate(packed: bytes) -> Plate:
    """Return the plate that `dump_plate` wrote; raises `ValueError` for damaged bytes."""
    header, (body,) = unpack_parts(packed)
    tokens = header["tokens"]
    return Plate(
        key=header["key"],
        sizes=tuple((width, height) for width, height in header["sizes"]),
        places=tuple(
            Place(name, kind, role, label, page, Box(*box))
            for name, kind, role, label, page, *box in header["places"]
        ),
        metrics={name: unpack_metrics(row) for name, row in header["metrics"].items()},
        tokens=Tokens(
            colours=tokens["colours"],
            faces=tokens["faces"],
            roles={name: Role(**role) for name, role in tokens["roles"].items()},
            shapes={name: Shape(**shape) for name, shape in tokens["shapes"].items()},
            ticks={name: Tick(**tick) for name, tick in tokens["ticks"].items()},
            css=tokens["css"],
            letters=tokens["letters"],
        ),
        body=body,
    )


def parse_cached_plate(packed: bytes) -> Plate | None:
    """Return the plate that `dump_plate` wrote; None if the bytes are no plate of this version."""
    try:
        return parse_plate(packed)
    except (ValueError, KeyError, IndexError, TypeError):
        return None


def replace_plate_key(packed: bytes, key: str) -> bytes:
    """Return a packed plate with another key, for rules that print the same blank."""
    return dump_plate(replace(parse_plate(packed), key=key))


def metrics_row(metrics: FaceMetrics) -> list[Any]:
    """Return the metrics of a face as plain data, code points as runs."""
    points = sorted(metrics.advances)
    return [
        *(metrics.ascent, metrics.descent, metrics.cap_height),
        [number for run in number_runs(points) for number in (run.start, len(run))],
        [metrics.advances[p] for p in points],
        [metrics.glyphs[p] for p in points],
        *(sorted(of.items()) for of in (metrics.overhangs, metrics.rises, metrics.hangs)),
    ]


def unpack_metrics(row: list[Any]) -> FaceMetrics:
    """Return the metrics that `metrics_row` was given."""
    ascent, descent, cap_height, runs, advances, glyphs, *unusual = row
    starts = zip(runs[::2], runs[1::2], strict=True)
    points = [point for first, count in starts for point in range(first, first + count)]
    advances, glyphs = (dict(zip(points, values, strict=True)) for values in (advances, glyphs))
    return FaceMetrics(ascent, descent, cap_height, advances, glyphs, *map(dict, unusual))


def write_image(raster: Raster, file: PdfWriter) -> int:
    """Write an image XObject (ISO 32000-1, 8.9), with its opacity; return its number."""
    layers = [(raster.mask, 1, False)] if raster.mask else []
    number = 0
    for data, colours, jpeg in (*layers, (raster.data, raster.colours, raster.jpeg)):
        mask = b"/SMask %d 0 R" % number if number else b""
        number = file.take()
        packed = b"/FlateDecode/DecodeParms<</Predictor 15/Colors %d/Columns %d>>"
        filtered = b"/DCTDecode" if jpeg else packed % (colours, raster.width)
        head = (
            b"<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8"
            b"/ColorSpace/Device%s/Filter%s%s/Length %d>>"
        ) % (
            *(raster.width, raster.height, b"Gray" if colours == 1 else b"RGB"),
            *(filtered, mask, len(data)),
        )
        file.stream(number, b"%sstream\n%s\nendstream" % (head, data))
    return number


def build_shared(header: Mapping[str, Any], datas: Iterable[bytes]) -> list[SharedObject]:
    """Return the shared objects that a header lists."""
    streams = iter(datas)
    return [
        SharedObject(template.encode(), tuple(refs), next(streams) if full else None, digest)
        for template, refs, full, digest in header["shared"]
    ]
