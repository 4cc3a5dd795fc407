"""What is printed: the places of a design, a compiled plate, and a plan that fills it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.tokens import Drawing
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
    """A named place on a plate."""

    name: str  # Hierarchical and unique in the plate: `arts.heave.total`.
    # `text` (one line), `lines` (several), `tick` (a box to mark), `mark` (it varies, but is no
    # form field), or `picture`.
    kind: PlaceKind
    # For text, lines and marks of text, a role of the tokens; for ticks, a tick style of the
    # tokens; empty for pictures and for marks that are shapes.
    role: str
    label: str  # The text for screen readers and tooltips.
    page: int  # The page, from 0.
    box: Box


@frozen
class SignLetters:
    """The signs of a game as letters for private use, which all faces of a plate draw alike."""

    words: Mapping[int, str]  # The word that each letter shows, by code point.
    metrics: FaceMetrics
    outlines: bytes  # Outlines by glyph id; only the press reads them.
    digest: str


@frozen
class AddedTag:
    """A structure element that a plan adds to a plate, for text that has no place on its blank."""

    tag: str
    parent: int = -1  # Its number among the added ones; -1 for the element at which they are added.
    extra: str = ""  # Further entries of its dictionary.
    texts: tuple[str, ...] = ()  # Names of the places whose texts it contains, in reading order.


@frozen
class Added:
    """Places that a plan adds to a plate, and their structure."""

    anchor: str  # The name of the mark whose structure element contains them.
    places: tuple[Place, ...]
    tags: tuple[AddedTag, ...]


@frozen
class Shape:
    """A small drawing, stretched to the box of a place; see `tokens.ShapeFields`."""

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
    """The colours, fonts, roles and shapes of a theme."""

    colours: Mapping[str, str]
    faces: Mapping[str, str]
    roles: Mapping[str, Role]
    shapes: Mapping[str, Shape]
    ticks: Mapping[str, Tick]
    css: Mapping[str, str] = field(default_factory=dict)
    # Which glyphs of a face a print embeds: `ascii`, or `plain` for no small capitals; other faces
    # have all letters of Western Europe.
    letters: Mapping[str, str] = field(default_factory=dict)
    # The motif and the ornament, which only templates use.
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
    """What an HTML page uses on a narrow screen where its theme's arrangement needs a wide one."""

    tokens: Tokens  # The tokens of the standard arrangement.
    without: frozenset[str]  # Style sheets of the theme's arrangement that are left out.


@frozen
class FaceMetrics:
    """Metrics of a face, for measuring and setting text; lengths in thousandths of an em."""

    ascent: int
    descent: int
    cap_height: int
    advances: Mapping[int, int]  # Advance widths by code point; one without it has no glyph.
    glyphs: Mapping[int, int]  # Glyph ids, by code point.
    # How far letters reach to the left of where they begin, if that is much.
    overhangs: Mapping[int, int] = field(default_factory=dict)
    # How far letters rise above capitals, less than 0 for low ones, and hang below the baseline,
    # if that is much.
    rises: Mapping[int, int] = field(default_factory=dict)
    hangs: Mapping[int, int] = field(default_factory=dict)


class Setting(NamedTuple):
    """A text as it is set in its place; caches need its hash, which a named tuple has fast."""

    value: str  # The whole text; the value of the form field.
    lines: tuple[str, ...]  # The lines that are drawn.
    size: float  # The font size in points.
    role: str = ""  # A role other than that of the place, or empty.
    heads: frozenset[int] = frozenset()  # Lines, from 0, that are headings: in the role's `-head`.


@frozen
class Filling:
    """The content of each place of a plate."""

    # Texts by place; other text places stay empty. A `mark` place with a text is drawn flat, with
    # the role of its setting or its own.
    texts: Mapping[str, Setting] = field(default_factory=dict)
    ticks: Mapping[str, str] = field(default_factory=dict)  # The shape that marks a box, by place.
    # Shapes of empty boxes that differ from the style's, by place; empty for no frame.
    frames: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)  # Shapes that are drawn, by place.
    # Pictures by place; a place of a picture without one stays as it is printed.
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
    """A compiled blank: the places of a design, and everything that does not vary."""

    key: str  # The hash of everything that it is made from.
    sizes: tuple[tuple[float, float], ...]  # Width and height of each page, in points.
    places: tuple[Place, ...]  # The places in reading order.
    metrics: Mapping[str, FaceMetrics]  # Metrics by face.
    tokens: Tokens
    body: bytes  # Further data that only the press reads.
    added: Added | None = None  # What a plan adds to the blank; `places` has these places, too.
    signs: SignLetters | None = None  # `metrics` have the widths of these letters, too.

    @property
    def spoken(self) -> Mapping[int, str]:
        """The words of letters that are signs, for `str.translate`."""
        return self.signs.words if self.signs is not None else {}

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Plate) or self is other:
            return self is other
        return (self.key, self.body, self.added) == (other.key, other.body, other.added)


@frozen
class FilledPage:
    """One filled plate in a document."""

    plate: Plate
    filling: Filling
    prefix: str = ""  # Begins names of fields, so that fillings do not share them; empty for one.
    live: Live | None = None  # The arithmetic of its fields, if they compute.


@frozen
class Plan:
    """A whole document, ready for any engine. Two equal plans print the same."""

    title: str
    lang: str
    subject: str  # The short credit of the ruleset.
    leaves: tuple[FilledPage, ...]
    # Metadata of the file: ruleset, version, character, digest.
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
    """A text beside others in one place, on the same baseline."""

    text: str
    role: str  # A role of the plate's tokens; the baseline is that of the place's role.
    # size, x, width: Points; `x` is measured from the left of the place.
    size: float
    x: float
    width: float
    up: float = 0  # Points above the last line.
    line: int = 0  # The line of the place, from 0.


@frozen
class Strip:
    """A filled page of a plate, as a strip of a card."""

    plate: Plate
    page: int  # The page of the plate; the strip has its size.
    filling: Filling
    top: float  # Points from the upper edge of the card.
    alt_text: str = ""  # What a screen reader reads: labels and values in order.
    # What is drawn instead of the filling's text, by place.
    pieces: Mapping[str, tuple[TextPiece, ...]] = field(default_factory=dict)
    alt_differs: bool = False  # Whether this differs from the texts that the strip shows.


@frozen
class CardFace:
    """One side of a card."""

    name: str  # The name of the thing on the card.
    size: tuple[float, float]
    strips: tuple[Strip, ...]
    part: int = 1  # The number of the side or continuation, from 1.
    parts: int = 1
    # A decoration that fills the face and its bleed; it has no strips then.
    picture: PreparedPicture | None = None
    bleed: float = 0  # How far the picture reaches over the edges, in points.


@frozen
class PlacedFace:
    """A face on a page: its trim box (y downwards), and whether it is turned by 180 degrees."""

    face: CardFace
    box: Box
    turned: bool = False


@frozen
class CardNote:
    """A line of text outside the cards; its baseline begins at x, y (y downwards)."""

    text: str
    x: float
    y: float
    plate: Plate  # The plate with its fonts.


@frozen
class CardPage:
    """A side of a sheet of paper."""

    size: tuple[float, float]
    placed: tuple[PlacedFace, ...]
    marks: tuple[tuple[float, float, float, float], ...] = ()  # Crop marks, each x, y, x, y.
    notes: tuple[CardNote, ...] = ()
    # trim, bleed: Boxes of a page with one card; None where they are the page.
    trim: Box | None = None
    bleed: Box | None = None


@frozen
class CardPlan:
    """A document of cards; two equal plans print the same. See `prints.Plan`."""

    title: str
    lang: str
    subject: str
    pages: tuple[CardPage, ...]
    meta: Mapping[str, str] = field(default_factory=dict)
    # The edge over which the paper is turned, `long` or `short`, where every second page is a back;
    # empty where all pages are fronts.
    duplex: str = ""


@frozen
class LiveFigures:
    """What a program needs to know of a character."""

    # Calls of functions in formulas, such as `("has", ("name of a choice",))`.
    asks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    options: tuple[str, ...] = ()  # Options in formulas.
    # Keys whose pick is marked in boxes on the sheet, so that no call counts it.
    states: tuple[str, ...] = ()
    # The naming column of each list whose texts the program computes, and the names in these texts.
    columns: Mapping[str, tuple[str, frozenset[str]]] | None = None
    # Formulas of `modifies`, and texts of choices and items, that it computes.
    formulas: frozenset[str] = frozenset()
    starts: frozenset[str] = frozenset()  # Pools whose start the program computes.
    modified: frozenset[str] = frozenset()  # Derived values whose explanation names what items add.
    # Numbers of things that the program adds up, by list.
    things: Mapping[str, tuple[str, ...]] | None = None


Figures: TypeAlias = Callable[[LiveFigures], Mapping[str, Any]]
"""Returns the figures of a build as plain data, by the names that engine.js uses."""


@frozen
class Live:
    """The arithmetic of a sheet as JavaScript, which engine.js runs."""

    program: str  # A function expression, the same for all sheets of a design and ruleset.
    data: str  # The figures of one character, as JSON.
    outputs: tuple[str, ...]  # Fields that are computed, in this order.
    cells: frozenset[str] = frozenset()  # Outputs in which a player may type.
    inputs: frozenset[str] = frozenset()  # Fields that are read.
    hints: tuple[str, ...] = ()  # Fields, or first parts of names, that findings may be about.
    # Fields of which other values on the sheet do not follow a change.
    unfollowed: frozenset[str] = frozenset()
