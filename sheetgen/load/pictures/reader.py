"""Find an author's picture and inspect it: its kind, its upright size, whether it is complete."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, DesignError, Finding, Severity, Span
from sheetgen.load.designs.themes import find_theme, read_face_file
from sheetgen.load.files import note_read
from sheetgen.load.pictures.picture_files import (
    SIGNATURE,
    PictureError,
    list_chunks,
    parse_jpeg,
    picture_finding,
    read_picture_file,
)
from sheetgen.load.shapes import Shaper
from sheetgen.load.yaml.tree import read_source
from sheetgen.model.designs.tokens import ThemeFile
from sheetgen.model.pictures import FITS, BrandPictures, Picture, PictureFile
from sheetgen.model.requests import PrintRequest
from sheetgen.model.source import Node, Pairs

MOST_PIXELS: Final = 100_000_000
"""Most pixels of a picture that has to be decoded as a whole: not of a JPEG of one scan."""

MOST_SIDE: Final = 30_000
_MOST_CHUNKS: Final = 50_000
"""Most parts of a PNG file; each takes time in Pillow, too."""

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
_SMALLER: Final = "export it in a smaller size, or as a JPEG that is not progressive"

Facts = tuple[float, float]  # upright width and height
_FEWEST: Final = 4  # pixels on each side of a picture that can show something
_FOCUS: Final = "write `focus: [0.5, 0.3]`: half of the width, a third of the height from the top"
_AGAIN: Final = "copy the file once more, or export it again"
_ALTS: Final = {
    "logo": "Logo",
    "cover": "Picture on the cover",
    "back": "Back of the card",
    "scene": "Picture over the screen",
}


def read_picture(node: Node, what: str, alt: str) -> Checked[Picture]:
    """Return the picture that the value of a key names, or findings about it.

    Args:
        node: The name of a file, or a mapping; see `PictureFile`.
        what: The key.
        alt: The description of a picture that has none.
    """
    shaper = Shaper()
    keys = shaper.value(node, PictureFile | None, what)
    found = find_picture(keys, alt) if keys is not None else Checked(None)
    return Checked(found.value, (*shaper.findings, *found.findings))


def find_picture(keys: PictureFile, alt: str) -> Checked[Picture]:
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
            return "jpeg", _measure_jpeg(data)
        if data.startswith(SIGNATURE):
            return "png", _measure_png(data)
        if _SVG.search(data[:65536].replace(b"\0", b"")):  # UTF-16 has a zero in each letter
            return "svg", _measure_svg(data, span, name, findings)
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


def _measure_svg(data: bytes, span: Span, name: str, findings: list[Finding]) -> Facts:
    from sheetgen.load.pictures.svg import sanitise_svg

    drawing = sanitise_svg(data)
    if drawing.dropped:
        message = f"`{name}` is printed without {', '.join(drawing.dropped[:3])}"
        hint = "remove it from the drawing"
        findings.append(picture_finding(codes.UNSAFE_DRAWING, span, message, hint))
    if drawing.has_text:
        message = f"`{name}` is printed without its text"
        hint = "turn the text into paths: in Inkscape, select all and choose Path > Object to Path"
        findings.append(picture_finding(codes.DRAWN_TEXT, span, message, hint))
    return drawing.width, drawing.height


def _measure_jpeg(data: bytes) -> Facts:
    parts = parse_jpeg(data)
    if parts.components not in (0, 1, 3, 4):
        message = f"has {parts.components} colour components; gray, RGB and CMYK are read"
        raise PictureError(codes.NOT_A_PICTURE, message, "export it as JPEG or PNG")
    if not parts.complete:
        raise PictureError(codes.DAMAGED_PICTURE, "breaks off before its end", _AGAIN)
    most = MOST_SIDE**2 if parts.scans == 1 else MOST_PIXELS
    return _measure(data, "JPEG", most)


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
    """Return the upright size of a picture; only its head is decoded.

    Args:
        most: The most pixels that it may have.
        exif: Of a PNG file, for which Pillow would decode the pixels.
    """
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
        raise PictureError(codes.LARGE_PICTURE, f"has {wide:,} × {high:,} pixels", _SMALLER)
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
    """Return pictures by key: each is that of the first of `holders` that has one.

    Args:
        keys: Some of `logo`, `cover`, `back` and `scene`.
        holders: Models of YAML files with these keys.
    """
    found: dict[str, Picture] = {}
    findings: list[Finding] = []
    known = tuple(holders)
    for key in keys:
        files = (getattr(holder, key, None) for holder in known)
        if (file := next((one for one in files if one is not None), None)) is None:
            continue
        read = _find(file, key, _changed(file))
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

    Args:
        keys: Some of `logo`, `cover`, `back` and `scene`.
        near: Models of YAML files, such as a set of cards, whose pictures come before those of
            the book and the theme.
        far: Models, such as a ruleset, whose pictures come after those.
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
    return tuple(dict.fromkeys((*findings, *find_brand_pictures(_ALTS, [file]).findings)))


def read_ruleset_pictures(folder: Path) -> BrandPictures | None:
    """Return the pictures that the ruleset in a folder names; None if there are none."""
    read = read_source(folder / "ruleset.yaml")
    root = read.value.root if read.value is not None else None
    if not isinstance(root, Pairs):
        return None
    keys = {field.name for field in fields(BrandPictures)}
    entries = tuple(entry for entry in root.entries if entry[0].raw in keys)
    return Shaper().read(Pairs(root.span, entries), BrandPictures, "ruleset") if entries else None


def _changed(file: PictureFile) -> tuple[int, int]:
    try:
        status = os.stat(os.path.join(os.path.dirname(file.file.span.file), file.file))
    except (OSError, ValueError):
        return 0, 0
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=64)
def _find(file: PictureFile, key: str, changed: tuple[int, int]) -> Checked[Picture]:
    """Return a picture that a model names; `changed` is the state of its file."""
    found = find_picture(file, _ALTS[key])
    if key == "back":  # a decoration, which readers do not hear
        others = tuple(f for f in found.findings if f.code is not codes.NO_ALT)
        found = Checked(found.value, others)
    if key != "logo" or file.fit is not None or found.value is None:
        return found
    return Checked(replace(found.value, fit="whole"), found.findings)
