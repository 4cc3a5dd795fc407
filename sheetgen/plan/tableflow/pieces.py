"""Pages of tables: sections to distribute, and pieces of tables at their places; in points."""

from __future__ import annotations

from dataclasses import dataclass

from sheetgen.plan.pages.tables import TableView
from sheetgen.plan.tableflow.measure import MeasuredTable
from sheetgen.plan.tableflow.sizes import FlowSizes


@dataclass(frozen=True, slots=True)
class FlowBlock:
    """A table measured for half the width of the page, if it fits there, and for all of it."""

    half: MeasuredTable | None
    full: MeasuredTable


@dataclass(frozen=True, slots=True)
class FlowSection:
    """Tables below one title.

    Attributes:
        above: The height of its title line.
        again: The height of its title line on a page that it continues on.
    """

    label: str
    about: str
    blocks: tuple[FlowBlock, ...]
    above: float
    again: float
    wide: bool = False
    tight: bool = False


@dataclass(frozen=True, slots=True)
class FlowPiece:
    """Rows of a table at their place in a column.

    Attributes:
        table: The table with all rows, and the widths of its columns.
        view: The table with only these rows; notes are with the last ones.
        goes_on: The text below rows that are not the last, such as `goes on overleaf`.
        continued: Whether other pieces of the table are before this one.
    """

    table: MeasuredTable
    view: TableView
    top: float
    goes_on: str = ""
    continued: bool = False


@dataclass(frozen=True, slots=True)
class FlowColumn:
    """Pieces one below the other, with the sizes of their rows."""

    left: float
    width: float
    pieces: tuple[FlowPiece, ...]
    sizes: FlowSizes


@dataclass(frozen=True, slots=True)
class FlowStrip:
    """Columns side by side below the title of a section, if one starts or continues here.

    Attributes:
        head: The height of the title, which is above the columns.
    """

    top: float
    head: float
    height: float
    columns: tuple[FlowColumn, ...]
    section: FlowSection | None = None
    continued: bool = False


@dataclass(frozen=True, slots=True)
class FlowLeaf:
    """A page of this height."""

    wide: bool
    height: float
    strips: tuple[FlowStrip, ...]

    @property
    def origins(self) -> tuple[str, ...]:
        """The titles of the overlays that tables of this page come from."""
        views = (p.view for s in self.strips for c in s.columns for p in c.pieces)
        return tuple(dict.fromkeys(view.origin for view in views if view.origin))


@dataclass(frozen=True, slots=True)
class FlowPaper:
    """The room on pages of one orientation."""

    width: float
    height: float
    gutter: float
    wide: bool

    @property
    def half(self) -> float:
        """The width of one of two columns."""
        return (self.width - self.gutter) / 2
