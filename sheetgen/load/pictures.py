"""Authors' pictures: find the file, inspect it, decode it within limits, drop its metadata.

A file is read inside the folder of the YAML file that names it, and nowhere else. A JPEG file that
is small enough for its box passes through as it is; data that is not is decoded at a reduced size.
Large pictures are decoded in a child process.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import math
import os
import re
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache, partial
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from sheetgen.bounds import BoundExceeded, pass_memory_error, run_bounded
from sheetgen.diag import codes
from sheetgen.diag.codes import Code
from sheetgen.diag.findings import Checked, DesignError, Finding, Severity, Span
from sheetgen.load.designs.themes import find_theme, read_face_file
from sheetgen.load.files import note_read, read_document, suggest_file
from sheetgen.load.shapes import Shaper
from sheetgen.load.svg import sanitise_svg
from sheetgen.load.yaml.tree import read_source
from sheetgen.model import pictures
from sheetgen.model.pictures import FITS, Picture, PictureError, PreparedPicture, Raster
from sheetgen.model.requests import PrintRequest
from sheetgen.model.source import Node, Pairs, Text
from sheetgen.model.tokens import ThemeFile
from sheetgen.records import frozen

MOST_BYTES: Final = 50_000_000  # largest file of a picture
_ENDINGS: Final = (".jpg", ".jpeg", ".png", ".svg")
# The scheme of a URL, or the letter of a Windows disk.
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
# A marker that ends the entropy-coded data of a scan.
_NEXT: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
# Most segments of a file; cameras write some dozen. Each takes time and memory in Pillow, too.
_MOST_PARTS: Final = 20_000
_SOI, _EOI, _SOS, _APP0, _APP2, _ADOBE = 0xD8, 0xD9, 0xDA, 0xE0, 0xE2, 0xEE
_HUFFMAN: Final = 0xC4
_FRAMES: Final = {*range(0xC0, 0xD0)} - {_HUFFMAN, 0xC8, 0xCC}
# Markers of Huffman, arithmetic and quantization tables, of lines and restarts.
_TABLES: Final = {_HUFFMAN, 0xCC, 0xDB, 0xDC, 0xDD}
_PROGRESSIVE: Final = 0xC2
# Frames that every viewer of PDF decodes: baseline, extended, progressive; Huffman coding.
_PLAIN: Final = {0xC0, 0xC1, _PROGRESSIVE}
# As many bits of 1 as a decoder reads ahead. No pixel has a code of such bits alone.
_PADDING: Final = b"\xff\x00" * 8
_FURTHER: Final = b"\xaa" + bytes(n * 37 % 251 for n in range(512))
"""Codes behind the end of a scan. They are pixels where the scan is not complete.

Decoders take bits of 0 where data is missing, so the first bits are others.
"""

_JFIF: Final = b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
_ADOBE_HEAD: Final = b"\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00"  # and the transform
SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"  # ISO/IEC 15948


def picture_finding(code: Code, span: Span, message: str, hint: str = "") -> Finding:
    """Return a finding about a picture: a warning, since it is printed without the picture."""
    return Finding(code, span, message, hint, Severity.WARNING)


def read_picture_file(file: Text) -> Checked[tuple[str, bytes]]:
    """Return the real path and the content of the file that an author names, or a finding."""
    span = file.span
    folder = os.path.realpath(os.path.dirname(span.file) or ".")
    name = file.strip().replace("\\", "/")
    if not name or not name.isprintable():
        return _refuse(codes.NO_PICTURE, span, "this is not the name of a file")
    if _ADDRESS.match(name):
        message = f"`{file}` is an address, and only files beside this one are read"
        return _refuse(codes.OUTSIDE, span, message, "copy the picture beside this file")
    path = os.path.join(folder, name)
    real = os.path.realpath(path)
    if ".." in name.split("/") or not real.startswith(folder.rstrip(os.sep) + os.sep):
        message = f"`{file}` is not in the folder of this file"
        return _refuse(codes.OUTSIDE, span, message, "copy the picture beside this file")
    note_read(Path(path))
    read = read_document(Path(real), MOST_BYTES)
    if read.value is not None:
        return Checked((real, read.value))
    found = read.findings[0]
    if found.code is codes.TOO_MUCH:
        hint = "export the picture in a smaller size"
        return _refuse(codes.LARGE_PICTURE, span, f"`{file}`: {found.message}", hint)
    hint = found.hint
    if not os.path.lexists(path):
        hint = suggest_file(name, Path(folder), _ENDINGS, "pictures") or "check the name"
    return _refuse(codes.NO_PICTURE, span, f"`{file}`: {found.message}", hint)


def _refuse(code: Code, span: Span, message: str, hint: str = "check the name") -> Checked[Any]:
    return Checked(None, (picture_finding(code, span, message, hint),))


@frozen
class JpegParts:
    """What a JPEG file consists of."""

    complete: bool  # Whether it has an end, no more segments than are read, and all its scans.
    components: int  # Colour components of a pixel.
    size: tuple[int, int]  # Width and height in pixels, before it is turned upright.
    scans: int  # How many scans it has; each may cover all pixels.
    plain: bool  # Whether viewers of PDF can decode it as it is, without its metadata.
    profile: bool  # Whether it has an ICC profile.
    content: bytes  # The file without its metadata.
    # The file as it has to be decoded so that missing pixels are an error. Decoders fill them where
    # they meet the end mark too early; without it, they ask for more data.
    strict: bytes
    # A file of several scans with more data behind each. If none of its scans is cut off, it has
    # the same pixels.
    longer: bytes


def parse_jpeg(data: bytes) -> JpegParts:
    """Return the parts of a JPEG file (ITU-T T.81, annex B), which may be damaged."""
    kept: list[bytes] = []
    at, scans, frame, ids, precision = 2, 0, 0, b"", 8
    jfif = profile = complete = False
    transform = -1
    missing: dict[int, list[int]] = {}
    size, ends = (0, 0), [0]
    for _ in range(_MOST_PARTS):
        if (start := data.find(b"\xff", at)) < 0 or start + 2 > len(data):
            break
        marker, at = data[start + 1], start + 2
        if marker == 0xFF:
            at = start + 1
        elif marker == _EOI:
            complete = True
            break
        elif marker in (0, 1, _SOI) or 0xD0 <= marker <= 0xD7:
            continue
        else:
            end = at + int.from_bytes(data[at : at + 2])
            segment = data[at + 2 : end]
            if marker == _SOS:
                scans += 1
                if segment and len(segment) >= 2 * segment[0] + 4:
                    # Note by component which bits of each frequency are still missing.
                    first, last, bits = segment[-3:] if frame == _PROGRESSIVE else (0, 63, 0)
                    for number in segment[1 : 1 + 2 * segment[0] : 2]:
                        if number in missing and first <= last < 64:
                            missing[number][first : last + 1] = [bits & 15] * (last + 1 - first)
                following = _NEXT.search(data, end)
                end = following.start() if following else len(data)
                ends.append(end)
            if marker in _FRAMES:
                frame, precision = marker, segment[0] if segment else 0
                size = int.from_bytes(segment[3:5]), int.from_bytes(segment[1:3])
                ids = segment[6 : 6 + 3 * (segment[5] if len(segment) > 5 else 0) : 3]
                missing = {number: [1] * 64 for number in ids}
            jfif |= marker == _APP0 and segment.startswith(b"JFIF\0")
            profile |= marker == _APP2 and segment.startswith(b"ICC_PROFILE\0")
            if marker == _ADOBE and segment.startswith(b"Adobe") and len(segment) >= 12:
                transform = segment[11]
            if marker in _FRAMES or marker in _TABLES or marker == _SOS:
                kept.append(data[start:end])
            at = max(end, at)
    plain = frame in _PLAIN and precision == 8 and any(part[1] == _HUFFMAN for part in kept)
    luminance = transform == 1 or (transform < 0 and (jfif or ids == b"\1\2\3"))
    head = _JFIF if transform < 0 else _ADOBE_HEAD + bytes([transform])
    single = scans == 1 and frame in _PLAIN and frame != _PROGRESSIVE
    return JpegParts(
        complete and bool(frame and scans) and not any(map(any, missing.values())),
        len(ids),
        size,
        scans,
        plain and (len(ids) == 1 or (len(ids) == 3 and luminance)),
        profile,
        b"".join([b"\xff\xd8", head, *kept, b"\xff\xd9"]),
        data[: at - 2] + _PADDING if single and complete else data,
        b"" if single else _FURTHER.join(data[a:b] for a, b in pairwise([*ends, len(data)])),
    )


def list_chunks(data: bytes) -> Iterator[tuple[bytes, bytes, bool]]:
    """Yield type and content of each complete chunk (5.3), and whether its checksum is right."""
    at = len(SIGNATURE)
    while at + 12 <= len(data):
        end = at + 8 + int.from_bytes(data[at : at + 4])
        if end + 4 > len(data):
            return
        right = zlib.crc32(data[at + 4 : end]) == int.from_bytes(data[end : end + 4])
        yield data[at + 4 : at + 8], data[at + 8 : end], right
        at = end + 4


def build_png(chunks: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return a PNG file of these chunks."""
    parts = [SIGNATURE]
    for kind, content in chunks:
        check = zlib.crc32(content, zlib.crc32(kind)).to_bytes(4)
        parts += [len(content).to_bytes(4), kind, content, check]
    return b"".join(parts)


# Most pixels of a picture that has to be decoded as a whole: not of a JPEG of one scan.
MOST_PIXELS: Final = 100_000_000
MOST_SIDE: Final = 30_000
# Most parts of a PNG file; each takes time in Pillow, too.
_MOST_CHUNKS: Final = 50_000
ORIENTATION: Final = 0x0112  # EXIF's tag for how a camera was held
_SVG: Final = re.compile(rb"<(?:\w+:)?svg[\s>]")
_OTHERS: Final = (
    (b"GIF8", "a GIF picture"),
    (b"RIFF", "a WebP picture"),
    (b"BM", "a BMP picture"),
    (b"II*\0", "a TIFF picture"),
    (b"MM\0*", "a TIFF picture"),
    (b"%PDF", "a PDF file"),
    (b"\x1f\x8b", "a compressed file"),
    (b"PK", "an archive"),
)

Facts = tuple[float, float]  # upright width and height
_FEWEST: Final = 4  # pixels on each side of a picture that can show something
_FOCUS: Final = "write `focus: [0.5, 0.3]`: half of the width, a third of the height from the top"
_AGAIN: Final = "copy the file once more, or export it again"
BRAND_PICTURES: Final = {
    "logo": "Logo",
    "cover": "Picture on the cover",
    "back": "Back of the card",
    "scene": "Picture over the screen",
}


def read_picture(node: Node, what: str, alt: str) -> Checked[Picture]:
    """Return the picture that a file's name or a mapping under a key names, or findings about it.

    One without a description has `alt`. See `PictureFile`.
    """
    shaper = Shaper()
    keys = shaper.value(node, pictures.PictureFile | None, what)
    found = find_picture(keys, alt) if keys is not None else Checked(None)
    return Checked(found.value, (*shaper.findings, *found.findings))


def find_picture(keys: pictures.PictureFile, alt: str) -> Checked[Picture]:
    """Return the picture that `keys` name, or findings about it; see `read_picture`."""
    findings: list[Finding] = []
    if keys.fit is not None and keys.fit not in FITS:
        message, hint = f"`fit` cannot be `{keys.fit}`", "write `crop` or `whole`"
        findings.append(picture_finding(codes.BAD_PICTURE_KEYS, keys.fit.span, message, hint))
    span = keys.file.span
    if keys.focus and (len(keys.focus) != 2 or not all(0 <= n <= 1 for n in keys.focus)):
        message = "`focus` has to be two numbers from 0 to 1"
        findings.append(picture_finding(codes.BAD_PICTURE_KEYS, span, message, _FOCUS))
    right = not findings
    read = read_picture_file(keys.file)
    if read.value is None:
        return Checked(None, (*findings, *read.findings))
    path, data = read.value
    kind, facts = _inspect(data, span, str(keys.file), findings)
    if facts is None:
        return Checked(None, tuple(findings))
    if kind != "svg" and min(facts) < _FEWEST:
        width, height = map(round, facts)
        message = f"`{keys.file}` has {width} × {height} pixels, which show nothing"
        hint = "name a picture of some hundred pixels on each side"
        findings.append(Finding(codes.FEW_PIXELS, span, message, hint, Severity.WARNING))
    if not keys.alt:
        message = f"`{keys.file}` has no description for readers who cannot see it"
        hint = "write `{file: …, alt: …}`"
        findings.append(Finding(codes.NO_ALT, span, message, hint, Severity.NOTE))
    focus = (float(keys.focus[0]), float(keys.focus[1])) if keys.focus and right else (0.5, 0.5)
    fit = next((one for one in FITS if right and one == keys.fit), FITS[0])
    digest, words = hashlib.sha256(data).hexdigest(), str(keys.alt or alt)
    picture = Picture(span, path, kind, *facts, digest, words, keys.credit, fit, focus)
    return Checked(picture, tuple(findings))


def _inspect(
    data: bytes, span: Span, name: str, findings: list[Finding]
) -> tuple[str, Facts | None]:
    """Return the kind of a picture and its size; None, and a finding, if it cannot be printed."""
    try:
        if data.startswith(b"\xff\xd8\xff"):
            parts = parse_jpeg(data)
            if parts.components not in (0, 1, 3, 4):
                message = f"has {parts.components} colour components; gray, RGB and CMYK are read"
                raise PictureError(codes.NOT_A_PICTURE, message, "export it as JPEG or PNG")
            if not parts.complete or not all(parts.size):
                raise PictureError(codes.DAMAGED_PICTURE, "breaks off before its end", _AGAIN)
            if not _has_pillow():
                return "jpeg", parts.size
            most = MOST_SIDE**2 if parts.scans == 1 else MOST_PIXELS
            return "jpeg", _measure(data, "JPEG", most)
        if data.startswith(SIGNATURE):
            return "png", _measure_png(data)
        if _SVG.search(data[:65536].replace(b"\0", b"")):  # UTF-16 has a zero in each letter
            drawing = sanitise_svg(data)
            if drawing.dropped:
                message = f"`{name}` is printed without {', '.join(drawing.dropped[:3])}"
                hint = "remove it from the drawing"
                findings.append(picture_finding(codes.UNSAFE_DRAWING, span, message, hint))
            if drawing.has_text:
                message = f"`{name}` is printed without its text"
                hint = "turn the text into paths: in Inkscape, select all and choose "
                hint += "Path > Object to Path"
                findings.append(picture_finding(codes.DRAWN_TEXT, span, message, hint))
            return "svg", (drawing.width, drawing.height)
    except PictureError as error:
        findings.append(picture_finding(error.code, span, f"`{name}` {error}", error.hint))
        return "", None
    moves = data.startswith(b"GIF8") and data.count(b"\x21\xf9\x04") > 1
    what = next((what for head, what in _OTHERS if data.startswith(head)), "no picture")
    if not data:
        what = "empty"
    elif moves:
        what = "an animated GIF"
    elif data[4:8] == b"ftyp":
        what = "a HEIC or AVIF picture"
    code, hint = codes.MOVING_PICTURE if moves else codes.NOT_A_PICTURE, "export it as JPEG or PNG"
    findings.append(picture_finding(code, span, f"`{name}` is {what}", hint))
    return "", None


@lru_cache(maxsize=1)
def _has_pillow() -> bool:
    """Whether pictures can be decoded. In a browser the page does it: it draws a JPEG anew."""
    return find_spec("PIL") is not None


def _measure_png(data: bytes) -> Facts:
    kinds: dict[bytes, bytes] = {}
    for number, (kind, content, right) in enumerate(list_chunks(data)):
        kinds[kind] = content
        if number > _MOST_CHUNKS:
            raise PictureError(codes.DAMAGED_PICTURE, "has too many parts", _AGAIN)
        if kind[:1].isupper() and not right:  # Pillow would print the pixels that are left
            raise PictureError(codes.DAMAGED_PICTURE, "has a part with a wrong checksum", _AGAIN)
        if kind == b"acTL" and int.from_bytes(content[:4]) > 1:
            raise PictureError(codes.MOVING_PICTURE, "is an animated PNG", "export one frame")
    if not kinds.keys() >= {b"IHDR", b"IDAT", b"IEND"}:
        raise PictureError(codes.DAMAGED_PICTURE, "breaks off before its end", _AGAIN)
    if kinds[b"IHDR"][9:10] == b"\3" and b"PLTE" not in kinds:  # Pillow would print it in gray
        raise PictureError(codes.DAMAGED_PICTURE, "has lost the colours of its palette", _AGAIN)
    return _measure(data, "PNG", MOST_PIXELS, kinds.get(b"eXIf", b""))


def _measure(data: bytes, kind: str, most: int, exif: bytes = b"") -> Facts:
    """Return the upright size of a picture of `most` pixels; only its head and EXIF is read."""
    if not _has_pillow():
        hint = "open the picture on the page, which makes a JPEG of it"
        raise PictureError(codes.NOT_A_PICTURE, "cannot be printed in a browser", hint)
    from PIL import Image

    try:
        with open_image(data, kind) as image:
            found = image.getexif() if kind == "JPEG" else Image.Exif()
            if exif:
                found.load(exif)
            turned = found.get(ORIENTATION, 1) in (5, 6, 7, 8)
            wide, high = image.size
    except Exception as error:
        raise PictureError(codes.DAMAGED_PICTURE, "cannot be decoded", _AGAIN) from error
    if wide * high > most or max(wide, high) > MOST_SIDE:
        hint = "export it in a smaller size, or as a JPEG that is not progressive"
        raise PictureError(codes.LARGE_PICTURE, f"has {wide:,} × {high:,} pixels", hint)
    return (high, wide) if turned else (wide, high)


@contextlib.contextmanager
def open_image(data: bytes, kind: str) -> Iterator[Any]:
    """Yield a Pillow image, not decoded yet; its pixels are counted here, not by Pillow.

    Pillow warns of each wrong entry of EXIF; these warnings are not printed. WeasyPrint makes
    Pillow fill what a damaged file lacks; here such a file is an error.
    """
    from PIL import Image, ImageFile

    most, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
    filled, ImageFile.LOAD_TRUNCATED_IMAGES = ImageFile.LOAD_TRUNCATED_IMAGES, False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=(kind.upper(),)) as image:
                yield image
    finally:
        Image.MAX_IMAGE_PIXELS = most
        ImageFile.LOAD_TRUNCATED_IMAGES = filled


def find_brand_pictures(keys: Iterable[str], holders: Iterable[Any]) -> Checked[dict[str, Picture]]:
    """Return pictures by key: each is that of the first model of a file that has one."""
    found: dict[str, Picture] = {}
    findings: list[Finding] = []
    known = tuple(holders)
    for key in keys:
        files = (getattr(holder, key, None) for holder in known)
        if (file := next((one for one in files if one is not None), None)) is None:
            continue
        path = os.path.join(os.path.dirname(file.file.span.file), file.file)
        try:
            status = os.stat(path)
            changed = status.st_mtime_ns, status.st_size
        except (OSError, ValueError):
            changed = 0, 0
        read = _find(file, key, changed)
        asked = any(one.code is codes.NO_ALT for one in findings)
        findings += [f for f in read.findings if not (asked and f.code is codes.NO_ALT)]
        if read.value is not None:
            note_read(Path(read.value.path))
            found[key] = read.value
    return Checked(found, tuple(findings))


def find_brand(
    request: PrintRequest, keys: Sequence[str], *, near: Sequence[Any] = (), far: Sequence[Any] = ()
) -> Checked[Mapping[str, Picture]]:
    """Return the pictures of a print by key, and findings about them.

    Those of `near` models, such as a set of cards, come before those of the book and the theme, and
    those of `far` ones, such as a ruleset, after them.
    """
    book = {key: picture for key, picture in request.pictures if key in keys}
    theme = find_theme(request.theme).own
    first = find_brand_pictures(keys, near)
    above = {**book, **(first.value or {})}
    last = find_brand_pictures([key for key in keys if key not in above], (*theme, *far))
    return Checked({**(last.value or {}), **above}, (*first.findings, *last.findings))


def check_theme(path: Path) -> tuple[Finding, ...]:
    """Return all findings about the theme of an author, its pictures included."""
    try:
        file = read_face_file(path, ThemeFile)
    except DesignError as error:
        return error.findings
    try:
        findings = find_theme(str(path)).findings
    except DesignError as error:
        findings = error.findings
    return tuple(dict.fromkeys((*findings, *find_brand_pictures(BRAND_PICTURES, [file]).findings)))


def read_ruleset_pictures(folder: Path) -> pictures.BrandPictures | None:
    """Return the pictures that the ruleset in a folder names; None if there are none."""
    read = read_source(folder / "ruleset.yaml")
    root = read.value.root if read.value is not None else None
    if not isinstance(root, Pairs):
        return None
    keys = {field.name for field in fields(pictures.BrandPictures)}
    entries = tuple(entry for entry in root.entries if entry[0].raw in keys)
    kept = Pairs(root.span, entries)
    return Shaper().read(kept, pictures.BrandPictures, "ruleset") if entries else None


@lru_cache(maxsize=64)
def _find(file: pictures.PictureFile, key: str, changed: tuple[int, int]) -> Checked[Picture]:
    """Return a picture that a model names; `changed` is the time and size of its file."""
    found = find_picture(file, BRAND_PICTURES[key])
    if key == "back":  # a decoration, which readers do not hear
        others = tuple(f for f in found.findings if f.code is not codes.NO_ALT)
        found = Checked(found.value, others)
    if key != "logo" or file.fit is not None or found.value is None:
        return found
    return Checked(replace(found.value, fit="whole"), found.findings)


DPI: Final = 300
# A picture that is hardly finer than `DPI` is not scaled.
_NEAR: Final = 1.02
_QUALITY: Final = 88
# Pixels from which a picture is decoded in a child process, which costs some milliseconds.
_LARGE: Final = 25_000_000
# Scans of a JPEG file from which it is; each may take as long as decoding the picture.
_SCANS: Final = 40
_LONGEST: Final = 10  # how many times as long as its box a JPEG may be that is not cropped
_SECONDS: Final = 8
_MEGABYTES: Final = 900
# How much larger than as JPEG a PNG picture may be that is kept without loss.
_LOSSLESS: Final = 2.0
Size = tuple[float, float]


def place_content(
    picture: Picture, size: Size, part: tuple[float, float, float, float] | None = None
) -> tuple[float, float, float, float]:
    """Return where a picture, or a part (left, top, right, bottom), lies in a box; see `at`."""
    wide, high = picture.width, picture.height
    choose = min if picture.fit == "whole" else max
    scale = choose(size[0] / wide, size[1] / high)
    starts = []
    for room, length, focus in zip(size, (wide * scale, high * scale), picture.focus, strict=True):
        near = min(0.0, max(room - length, room / 2 - focus * length))  # the focus in the middle
        starts.append((room - length) / 2 if picture.fit == "whole" else near)
    x0, y0, x1, y1 = part or (0.0, 0.0, wide, high)
    foot = size[1] - starts[1] - y1 * scale
    numbers = (starts[0] + x0 * scale) / size[0], foot / size[1]
    return *numbers, (x1 - x0) * scale / size[0], (y1 - y0) * scale / size[1]


@lru_cache(maxsize=8)
def prepare_raster(picture: Picture, size: Size) -> Checked[PreparedPicture]:
    """Return a JPEG or PNG picture, ready for a box of a size in points; or a finding."""
    if (data := read_again(picture)) is None:
        return _refuse_decoding(picture, "was changed, or cannot be read any more")
    parts = parse_jpeg(data) if picture.kind == "jpeg" else None
    if parts is not None and (not _has_pillow() or _passes(parts, picture, size, data)):
        job = partial(_pass, picture, size, parts)
    else:
        files = (parts.strict, parts.longer) if parts else (data,)
        job = partial(_prepare, picture, size, *files)
    large = picture.width * picture.height > _LARGE or (parts and parts.scans > _SCANS)
    try:
        return Checked(run_bounded(job, _MEGABYTES, _SECONDS) if large else job())
    except BoundExceeded as error:
        return _refuse_decoding(picture, f"cannot be decoded: {error}")
    except MemoryError:
        return _refuse_decoding(picture, "cannot be decoded: there is not enough memory")
    except Exception as error:  # noqa: BLE001 - Pillow raises many kinds
        short = "truncated" in str(error)
        why = "breaks off before its end" if short else "cannot be decoded"
        return _refuse_decoding(picture, why)


def read_again(picture: Picture) -> bytes | None:
    """Return the file of a picture; None if it is not the file that was inspected."""
    data = read_document(Path(picture.path), MOST_BYTES).value
    same = data is not None and hashlib.sha256(data).hexdigest() == picture.digest
    return data if same else None


def _refuse_decoding(picture: Picture, why: str) -> Checked[PreparedPicture]:
    hint = "copy the file once more, or export it again"
    name = os.path.basename(picture.path)
    finding = picture_finding(codes.DAMAGED_PICTURE, picture.span, f"`{name}` {why}", hint)
    return Checked(None, (finding,))


def _scale(picture: Picture, size: Size) -> float:
    """Return by how much a picture has to be reduced for a box; 1 if it need not be."""
    *_, wide, high = place_content(picture, size)
    density = 72 * max(picture.width / (wide * size[0]), picture.height / (high * size[1]))
    return DPI / density if density > DPI * _NEAR else 1.0


def _passes(parts: JpegParts, picture: Picture, size: Size, data: bytes) -> bool:
    *_, wide, high = place_content(picture, size)
    if not parts.plain or parts.scans > _SCANS or _scale(picture, size) < 1:
        return False
    if max(wide, high) > _LONGEST:
        return False
    with open_image(data, picture.kind) as image:
        turned = image.getexif().get(ORIENTATION, 1) in range(2, 9)
        return not turned and (not parts.profile or _is_srgb(image.info.get("icc_profile", b"")))


def _pass(picture: Picture, size: Size, parts: JpegParts) -> PreparedPicture:
    """Return a JPEG file as it is, but without metadata; see `prepare_raster`."""
    draft = (int(picture.width), int(picture.height)) if parts.longer else (1, 1)
    if _has_pillow():
        with open_image(parts.strict, picture.kind) as image:
            image.draft(None, draft)
            image.load()  # A damaged file is an error here, and not in the reader's viewer.
            _check_scans(image, parts.longer, draft)
    sides = int(picture.width), int(picture.height)
    content = Raster(*sides, parts.components, parts.content, jpeg=True)
    at = place_content(picture, size)
    return PreparedPicture(picture.digest[:32], content, at, picture.alt, picture.credit)


def _check_scans(image: Any, longer: bytes, draft: tuple[int, int] | None) -> None:
    if longer:
        with open_image(longer, "JPEG") as other:
            other.draft(None, draft)
            other.load()
            if other.tobytes() != image.tobytes():
                raise ValueError("truncated")


def _is_srgb(profile: bytes) -> bool:
    return b"sRGB" in profile or b"s\0R\0G\0B" in profile


def _prepare(picture: Picture, size: Size, data: bytes, longer: bytes = b"") -> PreparedPicture:
    """Return a decoded picture, cropped to a box and scaled down; see `prepare_raster`."""
    from PIL import Image, ImageChops, ImageOps

    scale = _scale(picture, size)
    x, foot, across, down = place_content(picture, size)
    sides = []  # of the part that the box shows, in whole pixels
    axes = (x, across, picture.width), (1 - foot - down, down, picture.height)
    for start, length, side in axes:
        first = max(0, math.floor(-start / length * side + 1e-6))
        last = min(int(side), math.ceil((1 - start) / length * side - 1e-6))
        sides.append((first, max(last, first + 1)))
    (left, right), (top, bottom) = sides
    part = left, top, right, bottom
    with open_image(data, picture.kind) as image:
        profile = image.info.get("icc_profile", b"")
        wide, high = math.ceil(image.width * scale), math.ceil(image.height * scale)
        finer = 2 if picture.width * picture.height <= _LARGE else 1  # pixels take memory
        draft = (finer * wide, finer * high) if scale < 1 else None
        image.draft(None, draft)
        try:
            image.load()
            _check_scans(image, longer, draft)
        except Exception as error:
            pass_memory_error(error)
            raise
        if image.mode == "CMYK" and "adobe" not in image.info:
            # Only Adobe's programs invert the inks; Pillow takes all files for theirs.
            image = ImageChops.invert(image)
        if image.getexif().get(ORIENTATION, 1) in range(2, 9):  # otherwise Pillow copies it
            image = ImageOps.exif_transpose(image)
    pixels = _plain(image)
    target = tuple(math.ceil(side * scale) for side in (right - left, bottom - top))
    reduced = pixels.width / picture.width, pixels.height / picture.height
    box = (left * reduced[0], top * reduced[1], right * reduced[0], bottom * reduced[1])
    if target != pixels.size or part[:2] != (0, 0):
        pixels = pixels.resize(target, Image.Resampling.LANCZOS, box=box, reducing_gap=2.0)
    content = _encode(_to_srgb(pixels, profile), lossless=picture.kind == "png")
    key = f"{picture.digest[:32]}-{'x'.join(map(str, (*target, *part)))}"
    at = place_content(picture, size, part)
    return PreparedPicture(key, content, at, picture.alt, picture.credit)


def _plain(image: Any) -> Any:
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        return image.convert("I").point(lambda value: value * (1 / 257)).convert("L")
    if image.mode in ("LA", "La", "PA", "RGBa") or "transparency" in image.info:
        return image.convert("RGBA")
    if image.mode == "1":
        return image.convert("L")
    return image if image.mode in ("L", "RGB", "RGBA", "CMYK") else image.convert("RGB")


def _to_srgb(image: Any, profile: bytes) -> Any:
    from PIL import Image, ImageCms

    if profile and not _is_srgb(profile):
        alpha = image.getchannel("A") if image.mode == "RGBA" else None
        plain = image.convert("RGB") if alpha else image
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            target = ImageCms.createProfile("sRGB")
            found = ImageCms.profileToProfile(plain, source, target, outputMode="RGB")
        except (ImageCms.PyCMSError, OSError, ValueError):
            found = plain  # a profile that is damaged, or for other pixels
        assert found is not None
        image = found.convert("L") if image.mode == "L" else found
        if alpha:
            image.putalpha(alpha)
    if image.mode == "CMYK":
        return image.convert("RGB")
    assert isinstance(image, Image.Image)
    return image


def _encode(image: Any, *, lossless: bool) -> Raster:
    """Return pixels as JPEG, or without loss where they have few colours."""
    from PIL import Image

    mask = b""
    if image.mode == "RGBA":
        alpha = image.getchannel("A")
        seen = alpha.point(lambda value: 255 if value else 0)
        paper = Image.new("RGB", image.size, (255, 255, 255))
        image = Image.composite(image.convert("RGB"), paper, seen)
        mask = b"" if alpha.getextrema() == (255, 255) else _flate(alpha)
    colours = 1 if image.mode == "L" else 3
    jpeg = io.BytesIO()
    image.save(jpeg, "JPEG", quality=_QUALITY, subsampling=0 if lossless else 2)
    data = parse_jpeg(jpeg.getvalue()).content
    if lossless and len(flate := _flate(image)) <= _LOSSLESS * len(data):
        return Raster(image.width, image.height, colours, flate, mask)
    return Raster(image.width, image.height, colours, data, mask, jpeg=True)


def _flate(image: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return b"".join(data for kind, data, _ in list_chunks(file.getvalue()) if kind == b"IDAT")


def write_raster(raster: Raster) -> tuple[str, bytes]:
    """Return pixels as a file for a web page, and its media type."""
    if raster.jpeg and not raster.mask:
        return "image/jpeg", raster.data
    kind = 0 if raster.colours == 1 else 2
    picture = b"" if raster.jpeg else _png(raster, kind, raster.data)
    if not raster.mask:
        return "image/png", picture
    from PIL import Image

    opaque = Image.open(io.BytesIO(raster.data if raster.jpeg else picture)).convert("RGB")
    opaque.putalpha(Image.open(io.BytesIO(_png(raster, 0, raster.mask))))
    file = io.BytesIO()
    opaque.save(file, "PNG")
    return "image/png", file.getvalue()


def _png(raster: Raster, kind: int, data: bytes) -> bytes:
    sides = raster.width.to_bytes(4) + raster.height.to_bytes(4)
    head = sides + bytes((8, kind, 0, 0, 0))
    return build_png([(b"IHDR", head), (b"IDAT", data), (b"IEND", b"")])
