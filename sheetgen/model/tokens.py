"""The fields of `tokens.yaml` and `themes/*.yaml`; later files replace fields of earlier ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Final

from sheetgen.diag.findings import Span
from sheetgen.model.pictures import PictureFile
from sheetgen.model.source import DesignNumber, Length, Ref, Text, rule_model
from sheetgen.records import frozen

_ONE: Final = Length(1)


@frozen
class Stroke:
    """A path of a drawing."""

    path: Text  # SVG path data (M, L, C, Z, absolute) in the box of the drawing, y downwards.
    stroke: Text | str = ""  # A key of `colours`; none without it.
    fill: Text | str = ""  # A key of `colours`; none without it.
    width: Length = _ONE  # The width of the stroke in units of the box.
    tint: Length = _ONE  # How much of the colour is mixed with that of the paper, from 0 to 1.
    # Whether it is in the middle, where gear has its emblem; left out behind that.
    central: bool = False


@frozen
class Drawing:
    """A drawing: the motif or the ornament of a face, which have no meaning, or a scene."""

    box: tuple[Length, ...]  # Width and height of the room that its paths are in.
    paths: tuple[Stroke, ...]  # What is drawn, the lowest first.
    label: Text | str = ""  # What a scene shows, for screen readers.


UNSAID: Final = Text("", Span(""))
"""The value of a text that a file does not set; an empty text in quotes removes an earlier one."""


@rule_model
class RoleFields:
    """How text is set; see `prints.Role`."""

    face: Text | None = None  # The font: a key of `fonts`.
    size: DesignNumber | None = None  # The size of text that fits, in points.
    # The smallest size; text that needs a smaller one is moved elsewhere.
    least: DesignNumber | None = None
    align: Text | None = None  # `left`, `center` or `right`.
    # Points from the foot of the place to the baseline of its last line; without it a single line
    # is centred by its capitals.
    baseline: DesignNumber | None = None
    # Points from line to line, at full size or in a tall box; 0 is 1.15 times the size.
    leading: DesignNumber | None = None
    colour: Text | None = None  # A key of `colours`.
    # What the template prints after a figure of this role; a page of what did not fit prints it,
    # too.
    unit: Text | None = None


@rule_model
class ShapeFields:
    """A small drawing; see `prints.Shape`."""

    path: Text = UNSAID  # SVG path data (M, L, C, Z, absolute) in a unit square, y downwards.
    inset: DesignNumber | None = None  # Points between the shape and each side of its box.
    fill: Text = UNSAID  # A key of `colours`; empty for none.
    stroke: Text = UNSAID  # A key of `colours`; empty for none.
    width: DesignNumber | None = None  # The width of the stroke in points.
    # The width of the stroke as a share of the width of the box, instead of `width`.
    weight: DesignNumber | None = None
    # What it shows, for screen readers; without it, the last part of its name.
    label: Text | None = None


@rule_model
class TickFields:
    """How a box to tick looks; see `prints.Tick`."""

    frame: Text = UNSAID  # The shape of the empty box.
    on: Text = UNSAID  # The shape of its mark.


@rule_model
class TokensFile:
    """A file of tokens, or a theme; see `prints.Tokens`."""

    # Colours by name, such as `"#1a1a1a"`.
    colours: Mapping[Annotated[str, Ref("colour")], Text] = field(default_factory=dict)
    # Font files by family and weight, such as `text-600`.
    fonts: Mapping[str, Text] = field(default_factory=dict)
    # The letters of a font that a print carries: `ascii` or `plain`; all without it.
    letters: Mapping[str, Text] = field(default_factory=dict)
    # How text is set, by the name of the role.
    roles: Mapping[str, RoleFields] = field(default_factory=dict)
    shapes: Mapping[str, ShapeFields] = field(default_factory=dict)  # Small drawings by name.
    ticks: Mapping[str, TickFields] = field(default_factory=dict)  # Boxes to tick by name.
    # Custom properties of style sheets by name.
    css: Mapping[Annotated[str, Ref("property of style sheets")], Text] = field(
        default_factory=dict
    )
    # `motif`, which pages show large, and `ornament`, which they show beside titles.
    drawings: Mapping[str, Drawing] = field(default_factory=dict)


@rule_model
class FaceFile(TokensFile):
    """The face of a game: what its prints change in the tokens of all designs."""

    # A face that comes with sheetgen and that this one changes.
    like: Annotated[Text, Ref("shipped face")] | None = None


@rule_model
class ThemeFile(FaceFile):
    """A theme of an author, such as a publisher's brand: a face that all prints have."""

    extends: Text | None = None  # The theme of ours that it changes, such as `ink-saver`.
    # A logo, in the foot of sheets, tables, odds and encounters, on covers, backs of cards and
    # screens.
    logo: PictureFile | None = None
    cover: PictureFile | None = None  # The picture on covers of books.
    back: PictureFile | None = None  # The picture on the backs of cards.
    scene: PictureFile | None = None  # The picture over the players' side of a screen.


READABLE: Final = 4.5  # least contrast of a text with its ground; see WCAG 2, 1.4.3

Rgb = tuple[float, float, float]


def parse_colour(colour: str) -> tuple[int, int, int]:
    """Return the parts of `#rrggbb`, from 0 to 255; raises ValueError: it is no such colour."""
    if len(colour) != 7 or colour[0] != "#":
        raise ValueError(f"`{colour}` is not a colour; write it as #rrggbb")
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mix_with_paper(colours: Mapping[str, str], name: str, share: float) -> str:
    """Return a colour mixed with that of the paper: prints have no transparency."""
    pairs = zip(*(parse_colour(colours[one]) for one in (name, "paper")), strict=True)
    return "#" + "".join(f"{round(c * share + p * (1 - share)):02X}" for c, p in pairs)


def linear_parts(colour: str) -> Rgb:
    """Return the parts of a colour as shares of light, from 0 to 1."""
    shares = [part / 255 for part in parse_colour(colour)]
    r, g, b = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return r, g, b


def measure_contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, `#RRGGBB`, as WCAG 2 defines it."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    r, g, b = linear_parts(colour)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def _points(*ranges: str) -> frozenset[int]:
    """Return the code points of ranges in hexadecimal; both ends are included."""
    ends = (one.split("-") for some in ranges for one in some.split())
    return frozenset(n for pair in ends for n in range(int(pair[0], 16), int(pair[-1], 16) + 1))


ASCII: Final = _points("20-7E")  # embedded in every print, of a face for figures

# Embedded in every print: the Latin of Western Europe, punctuation, arrows, and all of WinAnsi, the
# encoding of what a reader types. Of other letters, a print embeds those it uses.
CORE: Final = ASCII | _points(
    "A0-FF 152-153 160-161 178 17D-17E 192 2C6 2DC 2010-2015 2018-201A 201C-201E 2020-2022 2026",
    "2030 2032-2033 2039-203A 2044 20AC 2122 2190-2193 2212-2215 2260-2265",
)
# Letters that a face keeps by default, if the font has them.
CHARSET: Final = CORE | _points(
    "100-36F",  # the Latin of the rest of Europe, phonetics, accents to be put on letters
    "370-52F 1E00-1FFF",  # Greek and Cyrillic
    "2016-20BF 2100-218F",  # raised and lowered figures, currencies, fractions
    "2200-22FF 2500-27BF",  # arrows, mathematics, shapes
    # Chinese, Japanese and Korean: punctuation, kana, ideographs, syllables, wide forms. Our own
    # fonts have none of them. Unlike Arabic, they need no shaping.
    "3000-30FF 3105-312F 31F0-31FF 3400-4DBF 4E00-9FFF AC00-D7A3 FF00-FFEF",
)
PRINTED: Final = ASCII | frozenset(map(ord, "×−–—…≤≥‘’“”→†‡·•°½₀₁₂₃₄₅₆₇₈₉✓"))
"""What prints are likely to show in any language; a font that lacks some of it gets a note."""
