"""The fields of `tokens.yaml` and `themes/*.yaml`; later files replace fields of earlier ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Final

from sheetgen.diag.spans import Span
from sheetgen.model.designs.drawings import Drawing
from sheetgen.model.pictures import PictureFile
from sheetgen.model.shape import DesignNumber, Ref, rule_model
from sheetgen.model.source import Text

UNSAID: Final = Text("", Span(""))
"""The value of a text that a file does not set; an empty text in quotes removes an earlier one."""


@rule_model
class RoleFields:
    """How text is set; see `prints.Role`.

    Attributes:
        face: The font: a key of `fonts`.
        size: The size of text that fits, in points.
        least: The smallest size; text that needs a smaller one is moved elsewhere.
        align: `left`, `center` or `right`.
        baseline: Points from the foot of the place to the baseline of its last line; without
            it a single line is centred by its capitals.
        leading: Points from line to line, at full size or in a tall box; 0 is 1.15 times the size.
        colour: A key of `colours`.
        unit: What the template prints after a figure of this role; a page of what did not fit
            prints it, too.
    """

    face: Text | None = None
    size: DesignNumber | None = None
    least: DesignNumber | None = None
    align: Text | None = None
    baseline: DesignNumber | None = None
    leading: DesignNumber | None = None
    colour: Text | None = None
    unit: Text | None = None


@rule_model
class ShapeFields:
    """A small drawing; see `prints.Shape`.

    Attributes:
        path: SVG path data (M, L, C, Z, absolute) in a unit square, y downwards.
        inset: Points between the shape and each side of its box.
        fill: A key of `colours`; empty for none.
        stroke: A key of `colours`; empty for none.
        width: The width of the stroke in points.
        weight: The width of the stroke as a share of the width of the box, instead of `width`.
    """

    path: Text = UNSAID
    inset: DesignNumber | None = None
    fill: Text = UNSAID
    stroke: Text = UNSAID
    width: DesignNumber | None = None
    weight: DesignNumber | None = None


@rule_model
class TickFields:
    """How a box to tick looks; see `prints.Tick`.

    Attributes:
        frame: The shape of the empty box.
        on: The shape of its mark.
    """

    frame: Text = UNSAID
    on: Text = UNSAID


@rule_model
class TokensFile:
    """A file of tokens, or a theme; see `prints.Tokens`.

    Attributes:
        colours: Colours by name, such as `"#1a1a1a"`.
        fonts: Font files by family and weight, such as `text-600`.
        letters: The letters of a font that a print carries: `ascii` or `plain`; all without it.
        roles: How text is set, by the name of the role.
        shapes: Small drawings by name.
        ticks: Boxes to tick by name.
        css: Custom properties of style sheets by name.
        drawings: `motif`, which pages show large, and `ornament`, which they show beside titles.
    """

    colours: Mapping[Annotated[str, Ref("colour")], Text] = field(default_factory=dict)
    fonts: Mapping[str, Text] = field(default_factory=dict)
    letters: Mapping[str, Text] = field(default_factory=dict)
    roles: Mapping[str, RoleFields] = field(default_factory=dict)
    shapes: Mapping[str, ShapeFields] = field(default_factory=dict)
    ticks: Mapping[str, TickFields] = field(default_factory=dict)
    css: Mapping[Annotated[str, Ref("property of style sheets")], Text] = field(
        default_factory=dict
    )
    drawings: Mapping[str, Drawing] = field(default_factory=dict)


@rule_model
class FaceFile(TokensFile):
    """The face of a game: what its prints change in the tokens of all designs.

    Attributes:
        like: A face that comes with sheetgen and that this one changes.
    """

    like: Annotated[Text, Ref("shipped face")] | None = None


@rule_model
class ThemeFile(FaceFile):
    """A theme of an author, such as a publisher's brand: a face that all prints have.

    Attributes:
        extends: The theme of ours that it changes, such as `ink-saver`.
        logo: A logo, in the foot of sheets, tables, odds and encounters, on covers, backs of cards
            and screens.
        cover: The picture on covers of books.
        back: The picture on the backs of cards.
    """

    extends: Text | None = None
    logo: PictureFile | None = None
    cover: PictureFile | None = None
    back: PictureFile | None = None
