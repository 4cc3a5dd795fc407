"""What is printed: the places of a design, a compiled plate, and a plan that fills it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from sheetgen.model.designs.tokens import Drawing
from sheetgen.model.pictures import PreparedPicture
from sheetgen.records import frozen
from sheetgen.units import Box


@frozen
class Role:
    """How the text of a place is set; `tokens.RoleFields` explains the values."""

    face: str
    size: float
    least: float
    align: str = "left"
    baseline: float | None = None
    leading: float = 0
    colour: str = "ink"
    unit: str = ""


PlaceKind: TypeAlias = Literal["text", "lines", "tick", "mark", "picture"]
PLACE_KINDS: Final[tuple[PlaceKind, ...]] = get_args(PlaceKind)
DRAWN_KINDS: Final[tuple[PlaceKind, ...]] = ("mark", "picture")
"""Kinds of places that are no form fields."""


@frozen
class Place:
    """A named place on a plate.

    Attributes:
        name: Hierarchical and unique in the plate: `arts.heave.total`.
        kind: `text` (one line), `lines` (several), `tick` (a box to mark), `mark` (it varies,
            but is no form field), or `picture`.
        role: For text, lines and marks of text, a role of the tokens; for ticks, a tick style of
            the tokens; empty for pictures and for marks that are shapes.
        label: The text for screen readers and tooltips.
        page: The page, from 0.
    """

    name: str
    kind: PlaceKind
    role: str
    label: str
    page: int
    box: Box


@frozen
class AddedTag:
    """A structure element that a plan adds to a plate, for text that has no place on its blank.

    Attributes:
        parent: Its number among the added ones; -1 for the element at which they are added.
        extra: Further entries of its dictionary.
        texts: Names of the places whose texts it contains, in reading order.
    """

    tag: str
    parent: int = -1
    extra: str = ""
    texts: tuple[str, ...] = ()


@frozen
class Added:
    """Places that a plan adds to a plate, and their structure.

    Attributes:
        anchor: The name of the mark whose structure element contains them.
    """

    anchor: str
    places: tuple[Place, ...]
    tags: tuple[AddedTag, ...]


@frozen
class Shape:
    """A small drawing, stretched to the box of a place, but for the width of its stroke.

    `tokens.ShapeFields` explains the values.
    """

    path: str
    inset: float = 0
    fill: str = ""
    stroke: str = ""
    width: float = 0
    weight: float = 0
    label: str = ""


@frozen
class Tick:
    """How a box to mark looks: the shape of its empty frame, and of its mark."""

    frame: str
    on: str


@frozen
class Tokens:
    """The colours, fonts, roles and shapes of a theme.

    Attributes:
        drawings: The motif and the ornament, which only templates use.
        letters: Which glyphs of a face a print embeds: `ascii`, or `plain` for no small
            capitals; other faces have all letters of Western Europe.
    """

    colours: Mapping[str, str]
    faces: Mapping[str, str]
    roles: Mapping[str, Role]
    shapes: Mapping[str, Shape]
    ticks: Mapping[str, Tick]
    css: Mapping[str, str] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)
    drawings: Mapping[str, Drawing] = field(default_factory=dict)

    def length(self, name: str) -> float:
        """Return the token `name`, a length in its own unit: `pt` or `mm`."""
        return float(self.css[name].removesuffix("pt").removesuffix("mm"))

    @property
    def fills(self) -> bool:
        """Whether the theme has areas of colour, and not only lines."""
        return float(self.css["motif-fills"]) > 0 and float(self.css["motif-tint"]) < 1


@frozen
class Narrow:
    """What an HTML page uses on a narrow screen where its theme's arrangement needs a wide one.

    Attributes:
        tokens: The tokens of the standard arrangement.
        without: Style sheets of the theme's arrangement that are left out.
    """

    tokens: Tokens
    without: frozenset[str]


@frozen
class FaceMetrics:
    """Metrics of a face, for measuring and setting text; lengths in thousandths of an em.

    Attributes:
        advances: Advance widths by code point; a code point without one has no glyph.
        glyphs: Glyph ids, by code point.
        overhangs: How far letters reach to the left of where they begin, if that is much.
    """

    ascent: int
    descent: int
    cap_height: int
    advances: Mapping[int, int]
    glyphs: Mapping[int, int]
    overhangs: Mapping[int, int] = field(default_factory=dict)


class Setting(NamedTuple):
    """A text as it is set in its place; caches need its hash, which a named tuple has fast.

    Attributes:
        value: The whole text; the value of the form field.
        lines: The lines that are drawn.
        size: The font size in points.
        role: A role other than that of the place, or empty.
        heads: The lines, from 0, that are headings: set in the role's `-head`.
    """

    value: str
    lines: tuple[str, ...]
    size: float
    role: str = ""
    heads: frozenset[int] = frozenset()


@frozen
class Filling:
    """The content of each place of a plate.

    Attributes:
        texts: Texts by place; other text places stay empty. A `mark` place with a text is drawn
            flat, with the role of its setting or its own.
        ticks: The shape that marks a box, by place.
        frames: Shapes of empty boxes that differ from the style's, by place; empty for no frame.
        marks: Shapes that are drawn, by place.
        pictures: Pictures by place; a place of a picture without one stays as it is printed.
    """

    texts: Mapping[str, Setting] = field(default_factory=dict)
    ticks: Mapping[str, str] = field(default_factory=dict)
    frames: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, PreparedPicture] = field(default_factory=dict)

    def dump(self, place: Place) -> Iterator[str]:
        """Yield the content of `place` as lines of text."""
        head = f"{place.page + 1} {place.name}"
        if setting := self.texts.get(place.name):
            role = setting.role or place.role
            yield f"{head}: {' / '.join(setting.lines)} [{role} {setting.size:g}]"
            if " ".join(setting.value.split()) != " ".join(" ".join(setting.lines).split()):
                yield f"{head} holds: {setting.value!r}"
        for what, shapes in (("tick", self.ticks), ("frame", self.frames), ("mark", self.marks)):
            if place.name in shapes:
                yield f"{head}: {what} {shapes[place.name] or 'none'}"
        if picture := self.pictures.get(place.name):
            yield f"{head}: picture {picture.alt!r} at {' '.join(f'{n:.3g}' for n in picture.at)}"


@frozen
class Plate:
    """A compiled blank: the places of a design, and everything that does not vary.

    Attributes:
        key: The hash of everything that it is made from.
        sizes: Width and height of each page, in points.
        places: The places in reading order.
        metrics: Metrics by face.
        body: Further data that only the press reads.
        added: What a plan adds to the blank; `places` has these places, too.
    """

    key: str
    sizes: tuple[tuple[float, float], ...]
    places: tuple[Place, ...]
    metrics: Mapping[str, FaceMetrics]
    tokens: Tokens
    body: bytes
    added: Added | None = None

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Plate) or self is other:
            return self is other
        return (self.key, self.body, self.added) == (other.key, other.body, other.added)


@frozen
class FilledPage:
    """One filled plate in a document.

    Attributes:
        prefix: Begins names of fields, so that fillings do not share them; empty for a single one.
        live: The arithmetic of its fields, if they compute.
    """

    plate: Plate
    filling: Filling
    prefix: str = ""
    live: Live | None = None


@frozen
class Plan:
    """A whole document, ready for any engine. Two equal plans print the same.

    Attributes:
        subject: The short credit of the ruleset.
        meta: Metadata of the file: ruleset, version, character, digest.
    """

    title: str
    lang: str
    subject: str
    leaves: tuple[FilledPage, ...]
    meta: Mapping[str, str] = field(default_factory=dict)

    def dump(self) -> str:
        """Return the plan as text, for people and for tests: one line for each place in use."""
        lines = [f"title: {self.title}", f"lang: {self.lang}", f"subject: {self.subject}"]
        lines += [f"meta {key}: {value}" for key, value in self.meta.items()]
        for number, leaf in enumerate(self.leaves, 1):
            lines += ["", f"leaf {number}, pages: {len(leaf.plate.sizes)}"]
            lines += [line for place in leaf.plate.places for line in leaf.filling.dump(place)]
        return "\n".join(lines) + "\n"


@frozen
class TextPiece:
    """A text beside others in one place, on the same baseline.

    Attributes:
        role: A role of the plate's tokens; the baseline is that of the place's role.
        size, x, width: Points; `x` is measured from the left of the place.
        up: Points above the last line.
        line: The line of the place, from 0.
    """

    text: str
    role: str
    size: float
    x: float
    width: float
    up: float = 0
    line: int = 0


@frozen
class Strip:
    """A filled page of a plate, as a strip of a card.

    Attributes:
        page: The page of the plate; the strip has its size.
        top: Points from the upper edge of the card.
        alt_text: What a screen reader reads: labels and values in order.
        alt_differs: Whether this differs from the texts that the strip shows.
        pieces: What is drawn instead of the filling's text, by place.
    """

    plate: Plate
    page: int
    filling: Filling
    top: float
    alt_text: str = ""
    pieces: Mapping[str, tuple[TextPiece, ...]] = field(default_factory=dict)
    alt_differs: bool = False


@frozen
class CardFace:
    """One side of a card.

    Attributes:
        name: The name of the thing on the card.
        part: The number of the side or continuation, from 1.
        picture: A decoration that fills the face and its bleed; it has no strips then.
        bleed: How far the picture reaches over the edges, in points.
    """

    name: str
    size: tuple[float, float]
    strips: tuple[Strip, ...]
    part: int = 1
    parts: int = 1
    picture: PreparedPicture | None = None
    bleed: float = 0


@frozen
class PlacedFace:
    """A face on a page: its trim box (y downwards), and whether it is turned by 180 degrees."""

    face: CardFace
    box: Box
    turned: bool = False


@frozen
class CardNote:
    """A line of text outside the cards; its baseline begins at x, y (y downwards).

    Attributes:
        plate: The plate with its fonts.
    """

    text: str
    x: float
    y: float
    plate: Plate


@frozen
class CardPage:
    """A side of a sheet of paper.

    Attributes:
        marks: Crop marks, each x, y, x, y.
        trim, bleed: Boxes of a page with one card; None where they are the page.
    """

    size: tuple[float, float]
    placed: tuple[PlacedFace, ...]
    marks: tuple[tuple[float, float, float, float], ...] = ()
    notes: tuple[CardNote, ...] = ()
    trim: Box | None = None
    bleed: Box | None = None


@frozen
class CardPlan:
    """A document of cards; two equal plans print the same. See `prints.Plan`.

    Attributes:
        duplex: The edge over which the paper is turned, `long` or `short`, where every second
            page is a back; empty where all pages are fronts.
    """

    title: str
    lang: str
    subject: str
    pages: tuple[CardPage, ...]
    meta: Mapping[str, str] = field(default_factory=dict)
    duplex: str = ""


@frozen
class LiveFigures:
    """What a program needs to know of a character.

    Attributes:
        asks: Calls of functions in formulas, such as `("has", ("name of a choice",))`.
        options: Options in formulas.
        states: Keys whose pick is marked in boxes on the sheet, so that no call counts it.
        columns: The naming column of each list whose texts the program computes, and the names
            in these texts.
        formulas: Formulas of `modifies`, and texts of choices and items, that it computes.
        starts: Pools whose start the program computes.
        modified: Derived values whose explanation names what items add.
        things: Numbers of things that the program adds up, by list.
    """

    asks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    options: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    columns: Mapping[str, tuple[str, frozenset[str]]] | None = None
    formulas: frozenset[str] = frozenset()
    starts: frozenset[str] = frozenset()
    modified: frozenset[str] = frozenset()
    things: Mapping[str, tuple[str, ...]] | None = None


Figures: TypeAlias = Callable[[LiveFigures], Mapping[str, Any]]
"""Returns the figures of a build as plain data, by the names that engine.js uses."""


@frozen
class Live:
    """The arithmetic of a sheet as JavaScript, which engine.js runs.

    Attributes:
        program: A function expression, the same for all sheets of a design and ruleset.
        data: The figures of one character, as JSON.
        outputs: Fields that are computed, in this order.
        cells: Outputs in which a player may type.
        inputs: Fields that are read.
        hints: Fields, or first parts of their names, that findings may be about.
        unfollowed: Fields of which other values on the sheet do not follow a change.
    """

    program: str
    data: str
    outputs: tuple[str, ...]
    cells: frozenset[str] = frozenset()
    inputs: frozenset[str] = frozenset()
    hints: tuple[str, ...] = ()
    unfollowed: frozenset[str] = frozenset()
