"""Type sizes and distances on pages of tables, in points."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class FlowSizes:
    """Type sizes and distances on pages of tables; `_tables/paper.css` uses the same.

    Attributes:
        words, lead: Type size and line height of words in cells.
        row, pad: Height of a row of figures; padding above and below words.
        field: The width of the field behind a number, for its unit.
        gap: The distance between two tables.
        hair, rule: Weights of lines between rows and around a table.
    """

    head: float
    about: float
    words: float
    body: float
    figure: float
    unit: float
    note: float
    lead: float
    row: float
    pad: float
    field: float
    gap: float
    hair: float
    rule: float

    def aired(self, air: float) -> FlowSizes:
        """Return the same sizes with `air` points more around each row."""
        more = {"row": self.row + 2 * air, "pad": self.pad + air, "gap": self.gap + 3 * air}
        return replace(self, **more)

    def scaled(self, factor: float) -> FlowSizes:
        """Return the same sizes with smaller or larger type in cells."""
        names = ("words", "body", "figure", "unit")
        return replace(self, **{name: round(getattr(self, name) * factor, 2) for name in names})

    @property
    def name_height(self) -> float:
        """The height of a table's name with the space below it."""
        return round(self.head * 1.42 + 3, 2)

    @property
    def about_height(self) -> float:
        """The height of a line below a table's name."""
        return round(self.about * 1.3, 2)

    @property
    def part_height(self) -> float:
        """The height of the heading of a group of rows."""
        return round(self.about * 1.45 + 4, 2)

    @property
    def note_lead(self) -> float:
        """The line height of notes."""
        return round(self.note * 1.36, 2)

    @property
    def goes_on_height(self) -> float:
        """The height of the line below rows that continue in another column or overleaf."""
        return self.note_lead + 2

    @property
    def heads_pad(self) -> float:
        """The space around the heads of columns, with the rule below them."""
        return 3 + self.rule
