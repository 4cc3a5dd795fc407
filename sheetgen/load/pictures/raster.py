"""Prepare pixels for a box: crop, turn upright, scale down, and encode without metadata.

A JPEG file that is small enough passes through as it is, without its metadata. Its data is
decoded at a reduced size where it is not. Large pictures are decoded in a child process.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

from sheetgen.bounds import BoundExceeded, pass_memory_error, run_bounded
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked
from sheetgen.load.files import read_document
from sheetgen.load.pictures.picture_files import (
    MOST_BYTES,
    JpegParts,
    build_png,
    list_chunks,
    parse_jpeg,
    picture_finding,
)
from sheetgen.load.pictures.reader import ORIENTATION, open_image
from sheetgen.model.pictures import Picture, PreparedPicture, Raster

DPI: Final = 300
_NEAR: Final = 1.02
"""A picture that is hardly finer than `DPI` is not scaled."""

_QUALITY: Final = 88
_LARGE: Final = 25_000_000
"""Pixels from which a picture is decoded in a child process, which costs some milliseconds."""

_SCANS: Final = 40
"""Scans of a JPEG file from which it is; each may take as long as decoding the picture."""

_LONGEST: Final = 10  # how many times as long as its box a JPEG may be that is not cropped
_SECONDS: Final = 8
_MEGABYTES: Final = 900
_LOSSLESS: Final = 2.0
"""How much larger than as JPEG a PNG picture may be that is kept without loss."""

Size = tuple[float, float]


def place_content(
    picture: Picture, size: Size, part: tuple[float, float, float, float] | None = None
) -> tuple[float, float, float, float]:
    """Return where a part of a picture lies in a box of `size`; see `PreparedPicture.at`.

    Args:
        part: Left, top, right, bottom in the units of the picture; all of it without it.
    """
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
    """Return a JPEG or PNG picture, ready to be printed in a box; or a finding.

    Args:
        size: Width and height of the box in points.
    """
    if (data := read_again(picture)) is None:
        return _refuse(picture, "was changed, or cannot be read any more")
    parts = parse_jpeg(data) if picture.kind == "jpeg" else None
    if parts is not None and _passes(parts, picture, size, data):
        job = partial(_pass, picture, size, parts)
    else:
        files = (parts.strict, parts.longer) if parts else (data,)
        job = partial(_prepare, picture, size, *files)
    large = picture.width * picture.height > _LARGE or (parts and parts.scans > _SCANS)
    try:
        return Checked(run_bounded(job, _MEGABYTES, _SECONDS) if large else job())
    except BoundExceeded as error:
        return _refuse(picture, f"cannot be decoded: {error}")
    except MemoryError:
        return _refuse(picture, "cannot be decoded: there is not enough memory")
    except Exception as error:  # noqa: BLE001 - Pillow raises many kinds
        short = "truncated" in str(error)
        return _refuse(picture, "breaks off before its end" if short else "cannot be decoded")


def read_again(picture: Picture) -> bytes | None:
    """Return the file of a picture; None if it is not the file that was inspected."""
    data = read_document(Path(picture.path), MOST_BYTES).value
    same = data is not None and hashlib.sha256(data).hexdigest() == picture.digest
    return data if same else None


def _refuse(picture: Picture, why: str) -> Checked[PreparedPicture]:
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
    part = _visible(picture, size)
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
    left, top, right, bottom = part
    target = tuple(math.ceil(side * scale) for side in (right - left, bottom - top))
    reduced = pixels.width / picture.width, pixels.height / picture.height
    box = (left * reduced[0], top * reduced[1], right * reduced[0], bottom * reduced[1])
    if target != pixels.size or part[:2] != (0, 0):
        pixels = pixels.resize(target, Image.Resampling.LANCZOS, box=box, reducing_gap=2.0)
    content = _encode(_to_srgb(pixels, profile), lossless=picture.kind == "png")
    key = f"{picture.digest[:32]}-{'x'.join(map(str, (*target, *part)))}"
    at = place_content(picture, size, part)
    return PreparedPicture(key, content, at, picture.alt, picture.credit)


def _visible(picture: Picture, size: Size) -> tuple[int, int, int, int]:
    """Return the part of a picture that a box shows, in whole pixels: x0, y0, x1, y1."""
    left, foot, wide, high = place_content(picture, size)
    sides = []
    for start, length, pixels in (
        (left, wide, picture.width),
        (1 - foot - high, high, picture.height),
    ):
        first = max(0, math.floor(-start / length * pixels + 1e-6))
        last = min(int(pixels), math.ceil((1 - start) / length * pixels - 1e-6))
        sides.append((first, max(last, first + 1)))
    (x0, x1), (y0, y1) = sides
    return x0, y0, x1, y1


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
