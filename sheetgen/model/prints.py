"""What is printed: a design's named places, a compiled plate, and a plan that fills it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sheetgen.model.live import Live
from sheetgen.units import Box


@dataclass(frozen=True, slots=True)
class Role:
    """How the text of a place is set.

    Attributes:
        face: A key of the fonts in the tokens, such as `text-600`.
        size: Points, where the text fits as it is.
        least: Points; below this nobody can read it, so the text moves elsewhere.
        align: `left`, `center` or `right`.
        baseline: Points from the foot of the place up to the baseline of its only or
            last line; None sets a single line in the middle, by cap height.
        leading: Points from line to line at full size; 0 means 1.15 times the size.
        colour: A key of the colours in the tokens.
    """

    face: str
    size: float
    least: float
    align: str = "left"
    baseline: float | None = None
    leading: float = 0
    colour: str = "ink"


@dataclass(frozen=True, slots=True)
class Place:
    """A named place on a plate.

    Attributes:
        name: Hierarchical and unique in the plate: `arts.heave.total`.
        kind: `text` (one line), `lines` (several), `tick` (a box to mark), or `mark`
            (varies from print to print, but nobody types in it).
        role: For text and lines, and for marks of text, a role of the tokens; for ticks
            a tick style of the tokens; empty for marks that are shapes.
        label: What a screen reader says and a viewer shows as a tooltip.
        page: Counts from 0.
    """

    name: str
    kind: str
    role: str
    label: str
    page: int
    box: Box


@dataclass(frozen=True, slots=True)
class Shape:
    """A small drawing, said once for PDF and HTML.

    Attributes:
        path: SVG path data (M, L, C, Z, absolute) in a unit square, y downwards; it is
            stretched to the box of the place.
        inset: Points taken off each side of the box first.
        fill: A key of the colours, or empty.
        stroke: A key of the colours, or empty.
        width: Points of the stroke; not stretched.
    """

    path: str
    inset: float = 0
    fill: str = ""
    stroke: str = ""
    width: float = 0


@dataclass(frozen=True, slots=True)
class Tick:
    """How a box to mark looks: the shape of its empty frame, and of its mark."""

    frame: str
    on: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """All choices of look that the prints of one theme share.

    Attributes:
        letters: Of a face that a print carries in part: `ascii`, for figures, or `plain`,
            without small capitals; other faces bring all that Western Europe writes.
    """

    colours: Mapping[str, str]
    faces: Mapping[str, str]
    roles: Mapping[str, Role]
    shapes: Mapping[str, Shape]
    ticks: Mapping[str, Tick]
    css: Mapping[str, str] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Narrow:
    """What a page uses on a narrow screen, if its theme's own arrangement needs a wide one.

    Attributes:
        tokens: The tokens of the standard arrangement.
        without: The style sheets that belong to the theme's own arrangement only.
    """

    tokens: Tokens
    without: frozenset[str]


@dataclass(frozen=True, slots=True)
class FaceMetrics:
    """What measuring and setting text in one face needs; all lengths per 1000 em.

    Attributes:
        advances: By code point; a code point that is absent has no glyph in the face.
        glyphs: Glyph ids, by code point.
    """

    ascent: int
    descent: int
    cap_height: int
    advances: Mapping[int, int]
    glyphs: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Setting:
    """A text as it is set in its place.

    Attributes:
        value: The whole text; this is what a form field holds and gives back.
        lines: What is drawn, line by line.
        size: Points.
        role: A role other than the place's own, or empty.
        heads: Which of the lines are headings, counted from 0: set in the role's `-head`.
    """

    value: str
    lines: tuple[str, ...]
    size: float
    role: str = ""
    heads: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Filling:
    """What stands in each place of one plate, and nothing else.

    Attributes:
        texts: By name of place; a text place that is absent stays empty. A `mark` place
            with a text is drawn flat, with the role of its setting or its own.
        ticks: Marked boxes: name of place to the name of the shape that marks it.
        frames: Boxes whose empty frame differs from their style's own: name of place
            to shape, or to "" for none.
        marks: Shape marks that are drawn: name of place to shape.
    """

    texts: Mapping[str, Setting] = field(default_factory=dict)
    ticks: Mapping[str, str] = field(default_factory=dict)
    frames: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)

    def dump(self, place: Place) -> Iterator[str]:
        """Yield what stands in `place`, a line each."""
        head = f"{place.page + 1} {place.name}"
        if setting := self.texts.get(place.name):
            shown = " / ".join(setting.lines)
            role = setting.role or place.role
            yield f"{head}: {shown} [{role} {setting.size:g}]"
            if " ".join(setting.value.split()) != " ".join(" ".join(setting.lines).split()):
                yield f"{head} holds: {setting.value!r}"
        for what, shapes in (("tick", self.ticks), ("frame", self.frames), ("mark", self.marks)):
            if place.name in shapes:
                yield f"{head}: {what} {shapes[place.name] or 'none'}"


@dataclass(frozen=True, slots=True)
class Plate:
    """A laid-out blank, compiled: where its places are, and all that does not vary.

    Attributes:
        key: Hash of everything that went in.
        sizes: Width and height of each page, in points.
        places: In reading order.
        metrics: By face.
        body: What the press needs besides, as bytes; only the press reads it.
    """

    key: str
    sizes: tuple[tuple[float, float], ...]
    places: tuple[Place, ...]
    metrics: Mapping[str, FaceMetrics]
    tokens: Tokens
    body: bytes

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plate) and (self.key, self.body) == (other.key, other.body)


@dataclass(frozen=True, slots=True)
class FilledPage:
    """One filled plate in a document.

    Attributes:
        prefix: Put before each field name, with a dot, so that two leaves of one plate
            do not share fields; empty in a file of one character.
        live: What its fields compute by themselves, if they do.
    """

    plate: Plate
    filling: Filling
    prefix: str = ""
    live: Live | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole document, ready for any engine. Two equal plans print the same.

    Attributes:
        subject: The short credit of the rules that it rests on.
        meta: What the file says of itself (ruleset, version, character, hash).
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
            pages = len(leaf.plate.sizes)
            lines += ["", f"leaf {number}, pages: {pages}"]
            lines += [line for place in leaf.plate.places for line in leaf.filling.dump(place)]
        return "\n".join(lines) + "\n"
