"""Colour spaces of a PDF: their families, and the ink that their colours print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

PROCESS: Final = ("Cyan", "Magenta", "Yellow", "Black")
"""Names of the four process colours, as PDF spells them."""

_DEVICE: Final = {
    "/DeviceGray": ("gray", 1),
    "/G": ("gray", 1),
    "/CalGray": ("calgray", 1),
    "/DeviceRGB": ("rgb", 3),
    "/RGB": ("rgb", 3),
    "/CalRGB": ("rgb", 3),
    "/DeviceCMYK": ("cmyk", 4),
    "/CMYK": ("cmyk", 4),
    "/Lab": ("lab", 3),
    "/Pattern": ("pattern", 0),
}
_DEEPEST: Final = 4
"""Colour spaces within each other, such as Indexed, ICCBased with an alternate."""


@dataclass(frozen=True, slots=True)
class Space:
    """A colour space.

    Attributes:
        family: `gray`, `calgray`, `rgb`, `cmyk`, `spot`, `lab`, `icc`, `pattern`; an unknown
            one keeps its own name.
        count: The number of components.
        plates: The plate that each component prints on; empty if this depends on a conversion.
        light: Whether more is less ink, as in gray.
        spots: The names of spot colours.
        base: The space of the colours of an Indexed space; of an uncoloured pattern's colour.
        palette: The colours of an Indexed space.
        named: Whether it paints the plates that it names, and no others.
    """

    family: str
    count: int
    plates: tuple[str, ...] = ()
    light: bool = False
    spots: tuple[str, ...] = ()
    base: Space | None = None
    palette: bytes | None = None
    named: bool = False

    @property
    def first(self) -> tuple[float, ...]:
        """The colour that is set with the space."""
        if self.family == "cmyk" and not self.light:
            return 0.0, 0.0, 0.0, 1.0
        return ((1.0,) if self.family == "spot" else (0.0,)) * self.count

    def inks(self, numbers: Sequence[float]) -> Mapping[str, float]:
        """Return the ink of a colour on each plate, 0 to 1; empty if it is not known."""
        if self.palette is not None and self.base is not None:
            at = int(numbers[0] if numbers else 0) * self.base.count
            entry = self.palette[at : at + self.base.count]
            return self.base.inks([value / 255 for value in entry])
        found: dict[str, float] = {}
        for plate, number in zip(self.plates, numbers, strict=False):
            amount = min(max(1 - number if self.light else number, 0.0), 1.0)
            for name in PROCESS if plate == "All" else (plate,):
                found[name] = amount
        found.pop("None", None)
        return found


def space_of(given: Any, resources: Any = None, depth: int = 0) -> Space:
    """Return a colour space.

    Args:
        given: A name or an array.
        resources: Where names of the file's own are looked up.
    """
    import pikepdf

    name, rows = given, None
    if isinstance(given, pikepdf.Array) and len(given):
        name, rows = given[0], given
    key = str(name)
    if depth > _DEEPEST:
        return Space(key[1:41], 0)
    named = resources.get("/ColorSpace", {}).get(key) if resources is not None else None
    if rows is None and named is not None and key not in _DEVICE:
        return space_of(named, resources, depth + 1)
    if rows is not None and len(rows) > 1:
        if key in ("/Indexed", "/I"):
            return _indexed(rows, space_of(rows[1], resources, depth + 1))
        if key == "/Pattern":
            return Space("pattern", 0, base=space_of(rows[1], resources, depth + 1))
        if key == "/ICCBased":
            return _plain("icc", int(rows[1].get("/N", 0)))
        if key in ("/Separation", "/DeviceN"):
            return _spots([rows[1]] if key == "/Separation" else list(rows[1])[:64])
    family, count = _DEVICE.get(key, (key[1:41], 0))
    return _plain(family, count)


def _plain(family: str, count: int) -> Space:
    if family == "lab" or count not in (1, 4):
        return Space(family, count)
    plates = PROCESS if count == 4 else PROCESS[-1:]
    return Space(family, count, plates, light=count == 1)


def _spots(names: Sequence[Any]) -> Space:
    """Return a Separation or DeviceN space; one of process colours alone is CMYK."""
    plates = tuple(str(name)[1:61] for name in names)
    spots = tuple(name for name in plates if name not in (*PROCESS, "None", "All"))
    return Space("spot" if spots else "cmyk", len(plates), plates, spots=spots, named=True)


def _indexed(rows: Any, base: Space) -> Space:
    import pikepdf

    table = rows[3] if len(rows) > 3 else b""
    data = table.read_bytes() if isinstance(table, pikepdf.Stream) else bytes(table)
    return replace(base, count=1, light=False, base=base, palette=data[:65_536])
