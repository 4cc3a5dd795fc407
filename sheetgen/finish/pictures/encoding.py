"""Encode pictures: PNG, JPEG and WebP with resolution, title, credit and a place for a seal."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

from sheetgen.finish.pictures.rendering import BLANK
from sheetgen.model.seals import PLACEHOLDER

if TYPE_CHECKING:
    from PIL.Image import Image

QUALITY: Final = 90
"""Of JPEG and WebP: small letters stay clear of blocks."""

_DESCRIPTION, _SOFTWARE, _COPYRIGHT, _EXIF, _COMMENT = 0x010E, 0x0131, 0x8298, 0x8769, 0x9286
_X_RESOLUTION, _Y_RESOLUTION, _UNIT, _INCH = 0x011A, 0x011B, 0x0128, 2


def encode_picture(picture: Image, format_: str, dpi: float, title: str, credit: str) -> bytes:
    """Return a picture as a file; equal pictures give equal bytes.

    Args:
        format_: One of `model.requests.PICTURES`. JPEG has no transparency: its paper is blank.
        credit: It is written as the copyright, since the part of a page may not show it.
    """
    target = io.BytesIO()
    options: dict[str, Any] = {}
    if format_ == "png":
        options = {"pnginfo": _png_texts(title, credit), "dpi": (dpi, dpi)}
    else:
        options = {"quality": QUALITY, "exif": _exif(title, credit, dpi)}
    if format_ == "jpeg":
        options |= {"dpi": (round(dpi), round(dpi)), "subsampling": 0}
        picture = picture if picture.mode == "RGB" else _on_white(picture)
    picture.save(target, format_.upper(), **options)
    return target.getvalue()


def _png_texts(title: str, credit: str) -> Any:
    from PIL.PngImagePlugin import PngInfo

    texts = PngInfo()
    texts.add_itxt("Title", title)
    texts.add_itxt("Copyright", credit)
    texts.add_text("Software", "sheetgen")
    texts.add_text("Comment", PLACEHOLDER)
    return texts


def _exif(title: str, credit: str, dpi: float) -> Any:
    from PIL import Image

    exif = Image.Exif()
    exif[_DESCRIPTION], exif[_COPYRIGHT] = title.encode(), credit.encode()
    exif[_SOFTWARE] = b"sheetgen"
    exif[_X_RESOLUTION] = exif[_Y_RESOLUTION] = dpi
    exif[_UNIT] = _INCH
    exif.get_ifd(_EXIF)[_COMMENT] = b"ASCII\0\0\0" + PLACEHOLDER.encode()
    return exif


def _on_white(picture: Image) -> Image:
    from PIL import Image

    page = Image.new("RGB", picture.size, BLANK)
    page.paste(picture, mask=picture.getchannel("A"))
    return page
