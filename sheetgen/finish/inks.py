"""Convert RGB and gray colours to CMYK by a simple rule.

Gray becomes black ink alone. Of any other colour, the part that is common to all three inks
becomes black. This is no colour management: a press prints such a colour a little darker than
a screen shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from sheetgen.finish.ink_pictures import convert_picture, convert_shading, ink_of_picture
from sheetgen.finish.saving import list_of

MOST_INK: Final = 2.4
"""Most total ink of a printer that states none; above it the three colours are reduced."""

_FROM: Final = {"g": "k", "G": "K", "rg": "k", "RG": "K"}
_SPACES: Final = {"/DeviceRGB": 3, "/DeviceGray": 1, "/RGB": 3, "/G": 1}
_PLAIN: Final = ("/Pattern", "/DeviceCMYK", *_SPACES)


class NotReady(ValueError):
    """A file that cannot be converted; the message names the obstacle."""


def to_cmyk(numbers: Sequence[float], most: float = MOST_INK) -> tuple[float, float, float, float]:
    """Return the four components in CMYK, each 0 to 1, of a gray or RGB colour.

    Args:
        most: The most total ink; above it the three colours are reduced, black is not.
    """
    if len(numbers) == 1 or len(set(numbers)) == 1:
        return 0.0, 0.0, 0.0, _rounded(1 - _clamp(numbers[0]))
    rgb = [_clamp(number) for number in numbers]
    black = 1 - max(rgb)
    if black >= 1:  # too dark for a float to tell from black
        return 0.0, 0.0, 0.0, 1.0
    colours = [(1 - light - black) / (1 - black) for light in rgb]
    over = sum(colours) + black - most
    if over > 0:
        thinner = max(most - black, 0.0) / sum(colours)
        colours = [colour * thinner for colour in colours]
    first, second, third = (_rounded(colour) for colour in colours)
    return first, second, third, _rounded(black)


def _clamp(number: float) -> float:
    return min(1.0, max(0.0, number))


def _rounded(number: float) -> float:
    return round(number, 4) + 0.0


def _convert_stream(content: Any, spaces: set[str], most: float) -> bytes:
    """Return a content stream with all its colours in CMYK.

    Args:
        spaces: Receives the names of the colour spaces that stay in use.

    Raises:
        NotReady: It contains an inline image.
    """
    import pikepdf

    rows: list[Any] = []
    counts = {"cs": 0, "CS": 0}
    for operands, operator in pikepdf.parse_content_stream(content):
        name = str(operator)
        if name in _FROM:
            numbers = [float(number) for number in operands]
            rows.append((list(to_cmyk(numbers, most)), pikepdf.Operator(_FROM[name])))
            continue
        if name in counts:
            space = str(operands[0])
            counts[name] = _SPACES.get(space, 0)
            spaces.add(space)
            if counts[name]:  # the operator of the colour sets the space, too
                continue
        elif name in ("sc", "scn", "SC", "SCN") and counts["cs" if name[0] == "s" else "CS"]:
            numbers = [float(number) for number in operands]
            letter = "k" if name[0] == "s" else "K"
            rows.append((list(to_cmyk(numbers, most)), pikepdf.Operator(letter)))
            continue
        elif name == "INLINE IMAGE":
            raise NotReady("a picture within the content")
        rows.append((operands, operator))
    return bytes(pikepdf.unparse_content_stream(rows))


def convert_to_cmyk(pdf: Any, most: float = MOST_INK) -> None:
    """Convert all colours of a file to CMYK: of pages, forms and patterns.

    Args:
        most: The most total ink of a colour.

    Raises:
        NotReady: There are pictures or colour spaces that cannot be converted.
    """
    import pikepdf

    spaces: set[str] = set()
    done: set[tuple[int, int]] = set()
    contents = [stream for page in pdf.pages for stream in list_of(page.obj.get("/Contents"))]
    for one in pdf.objects:
        if not isinstance(one, pikepdf.Stream):
            continue
        if one.get("/Subtype") == "/Form" or one.get("/PatternType") == 1:
            contents.append(one)
        elif one.get("/Subtype") == "/Image" and not (
            _is_printable(one, most) or convert_picture(one, to_cmyk, most)
        ):
            raise NotReady("a picture in colours of screens")
    for stream in contents:
        if stream.objgen not in done:
            done.add(stream.objgen)
            stream.write(_convert_stream(stream, spaces, most))
    for one in pdf.objects:
        if isinstance(one, pikepdf.Dictionary | pikepdf.Stream):
            resources = one.get("/Resources", one)
            _remove_unused_spaces(resources, spaces)
            _convert_shadings(resources, most)


def _convert_shadings(resources: Any, most: float) -> None:
    """Convert the gradients that resources list.

    Raises:
        NotReady: One cannot be converted.
    """
    import pikepdf

    if not isinstance(resources, pikepdf.Dictionary):
        return
    patterns = dict(resources.get("/Pattern", {}))
    shadings = [*dict(resources.get("/Shading", {})).values()]
    shadings += [one.Shading for one in patterns.values() if "/Shading" in one]
    if not all(convert_shading(one, partial(to_cmyk, most=most)) for one in shadings):
        raise NotReady("a shading")


def _is_printable(image: Any, most: float) -> bool:
    space = str(image.get("/ColorSpace", ""))
    if image.get("/ImageMask") is True or space == "/DeviceGray":
        return True
    return space == "/DeviceCMYK" and ink_of_picture(image) <= most


def _remove_unused_spaces(resources: Any, used: set[str]) -> None:
    """Remove unused colour spaces; WeasyPrint lists one on every page.

    Raises:
        NotReady: A used one cannot be converted.
    """
    import pikepdf

    if not isinstance(resources, pikepdf.Dictionary) or "/ColorSpace" not in resources:
        return
    if not isinstance(resources.ColorSpace, pikepdf.Dictionary):
        return
    for name in list(resources.ColorSpace.keys()):
        if name not in used:
            del resources.ColorSpace[name]
        elif str(resources.ColorSpace[name]) not in _PLAIN:
            raise NotReady(f"the colour space {name[1:]}")
    if not len(resources.ColorSpace):
        del resources["/ColorSpace"]
