"""Pictures of authors: the keys of their YAML, a picture that was found, and one ready to print."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar, Final, Literal, TypeAlias, get_args

from sheetgen.diag.codes import Code
from sheetgen.diag.findings import Span
from sheetgen.model.source import DesignNumber, Text, rule_model
from sheetgen.records import frozen

Fit: TypeAlias = Literal["crop", "whole"]
FITS: Final[tuple[Fit, ...]] = get_args(Fit)
"""How a picture fits its cell: `crop` fills the cell, `whole` shows all of the picture."""


class PictureError(ValueError):
    """A picture cannot be printed; the message follows its name."""

    def __init__(self, code: Code, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.hint = code, hint


@rule_model
class PictureFile:
    """A picture: the name of its file, or a mapping with these keys."""

    SHORT: ClassVar[str] = "file"
    LENIENT: ClassVar[bool] = True  # prints go on with an empty cell

    file: Text  # The file, JPEG, PNG or SVG, in the folder of the YAML file or below it.
    alt: Text | None = None  # What the picture shows, for readers who cannot see it.
    credit: str = ""  # Whose picture it is; prints show it beside their own credit.
    # `crop` fills the cell, `whole` shows all of the picture; `crop` without it.
    fit: Text | None = None
    # The point that stays visible where the picture is cropped: from the left and from the top,
    # each from 0 to 1; the middle without it.
    focus: tuple[DesignNumber, ...] = ()


@rule_model
class BrandPictures:
    """The pictures of a publisher; books, themes and rulesets have these keys among others."""

    logo: PictureFile | None = None
    cover: PictureFile | None = None
    back: PictureFile | None = None
    scene: PictureFile | None = None


@frozen
class Picture:
    """A picture of an author that was found and can be read."""

    span: Span  # The place of its file's name.
    path: str  # Its file, with links resolved.
    kind: str  # `jpeg`, `png` or `svg`.
    # width, height: Its upright size in pixels; of an SVG, in its own units.
    width: float
    height: float
    digest: str  # The SHA-256 of the file; for the others see `PictureFile`.
    alt: str
    credit: str = ""
    fit: Fit = "crop"
    focus: tuple[float, float] = (0.5, 0.5)

    @property
    def summary(self) -> str:
        """Return its file's name, its size and its description as one line."""
        name = self.path.replace("\\", "/").rpartition("/")[2]
        return f"{name}, {self.width:g} × {self.height:g}: {self.alt}"


@frozen
class Raster:
    """Pixels as PDF stores them (ISO 32000-1, 8.9.5); no metadata of the file is left."""

    width: int
    height: int
    colours: int  # Components of a pixel: 1 or 3.
    data: bytes  # A JPEG file, or pixels in PNG's own compression.
    mask: bytes = b""  # Opacity of the pixels, in PNG's own compression; empty if all are opaque.
    jpeg: bool = False  # Whether `data` is a JPEG file.


@frozen
class VectorDrawing:
    """A drawing as vectors."""

    svg: bytes  # The sanitised file, for HTML.
    body: bytes  # PDF objects that only the press reads.


@frozen
class PreparedPicture:
    """A picture that is ready to be printed in a box."""

    key: str  # Equal for equal contents: a file has them once.
    content: Raster | VectorDrawing
    # Where the content lies in the box: left, foot, width and height as parts of the box's. What
    # lies outside the box is clipped.
    at: tuple[float, float, float, float]
    alt: str
    credit: str = ""


def credit_pictures(pictures: Iterable[PreparedPicture]) -> str:
    """Return the credits of pictures as one line, each once; empty if there are none."""
    credits = [*dict.fromkeys(one.credit.strip() for one in pictures if one.credit.strip())]
    head = "Picture" if len(credits) == 1 else "Pictures"
    return f"{head}: {', '.join(credits)}" if credits else ""


def list_credits(texts: Iterable[str]) -> tuple[str, ...]:
    """Return credits of rules, each once and with what `credit_pictures` added to any of them."""
    lines: dict[str, dict[str, None]] = {}
    for text in filter(None, texts):
        rules, *pictures = re.split(" (?=Pictures?: )", text)
        lines.setdefault(rules, {}).update(dict.fromkeys(pictures))
    return tuple(" ".join((rules, *pictures)) for rules, pictures in lines.items())
