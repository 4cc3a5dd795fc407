"""Rows of continuation pages: their columns, their lines, their heights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from sheetgen.model.backups import Backup
from sheetgen.model.prints import Plate, Tokens
from sheetgen.plan.fit import PADDING, paragraphs, wrap
from sheetgen.plan.sheets.overflow import Moved, MovedColumn
from sheetgen.units import MM, Box

CONTINUED_TEXT: Final = "continuation"
CONTINUED_TITLE: Final = "continuation-title"
CONTINUED_LABEL: Final = "continuation-label"
"""Roles of long texts, of titles of sections, and of heads of columns."""

COLUMN_GAP: Final = 11.34
"""Points between columns of the page: 4 mm, as on sheets; and below a section."""

LARGEST_IN_COLUMNS: Final = 11.5
"""Size of text up to which a page has two columns."""

WRITTEN_PITCH: Final = 2.1
"""Line to line where a player writes, in sizes of the text."""

_LOWEST, _TALLEST = 1.65, 1.9
"""Row to row, in sizes of the text: nobody writes here."""

_WEIGHTS: Final = ("w-section", "w-index")

_BACKUP_TEXT: Final = (
    "The code holds the file of this character as it was printed. Photograph it flat and in good "
    "light, and “sheetgen read” brings the file back from the photo."
)

MovedLine: TypeAlias = tuple[float, tuple[tuple[str, ...], ...]]
"""The height of a row, and the lines of each of its cells."""


def moved_width(one: Moved) -> float:
    """Return the width of the columns of a section, as on the sheet."""
    return sum(column.width for column in one.columns) + COLUMN_GAP / 2 * max(
        0, len(one.columns) - 1
    )


def list_moved_lines(one: Moved, plate: Plate, room: float) -> Iterator[MovedLine]:
    """Yield the rows of a section, or the lines of its text, for a column `room` wide."""
    columns = fit_moved_columns(one, room)
    if not columns:
        role, metrics = (
            plate.tokens.roles[CONTINUED_TEXT],
            plate.metrics[plate.tokens.roles[CONTINUED_TEXT].face],
        )
        leading = role.leading or 1.15 * role.size
        for line in paragraphs(one.text, room - 1, metrics, role.size):
            yield leading, ((line,),)
        return
    pitch = moved_pitch(one, plate)
    for row in one.rows:
        cells, height = [], pitch
        for text, column in zip(row, columns, strict=True):
            role = plate.tokens.roles[column.role]
            cell = wrap(text, column.width - 2 * PADDING, plate.metrics[role.face], role.size)
            cells.append(cell)
            height = max(height, pitch + (len(cell) - 1) * 1.15 * role.size)
        yield height, tuple(cells)


def fit_moved_columns(one: Moved, room: float) -> tuple[MovedColumn, ...]:
    """Return the columns with the widest one narrowed or widened, so that they fill `room`."""
    if not one.columns:
        return ()
    spare = room - moved_width(one)
    widest = max(range(len(one.columns)), key=lambda n: one.columns[n].width)
    return tuple(
        replace(column, width=max(40.0, column.width + spare)) if n == widest else column
        for n, column in enumerate(one.columns)
    )


def moved_pitch(one: Moved, plate: Plate) -> float:
    """Return the height of a row of one line."""
    largest = max(plate.tokens.roles[column.role].size for column in one.columns)
    return min(max(one.pitch, _LOWEST * largest), _TALLEST * largest)


def moved_head_height(one: Moved, plate: Plate) -> float:
    """Return the height of a section's title and of the heads of its columns.

    The heads are on the title's baseline, unless the first column has a head, too.
    """
    below = 1.6 * plate.tokens.roles[CONTINUED_LABEL].size if is_headed_first(one.columns) else 0.0
    return 1.9 * plate.tokens.roles[CONTINUED_TITLE].size + below


def describe_backup(backup: Backup) -> Moved:
    """Return the section above the codes of a backup."""
    facts = f"{backup.file}, {backup.size:,} bytes, digest {backup.digest}"
    return Moved("Backup", f"{facts}\n{_BACKUP_TEXT}")


def is_headed_first(columns: Sequence[MovedColumn]) -> bool:
    """Whether the first of `columns` has a head, so that the title is above the heads."""
    return bool(columns) and columns[0].head != ""


def list_title_rules(tokens: Tokens, x: float, y: float, width: float) -> Iterator[tuple[str, Box]]:
    """Yield the shapes of the rule above a title, in the form of the face, and their boxes."""
    weight, index = map(tokens.length, _WEIGHTS)
    kind = tokens.css["rule"]
    if kind in ("taper", "double"):
        high = weight * 1.9 if kind == "taper" else 2.6
        yield f"rule-{kind}", Box(x, y, width, high)
        return
    start = end = gap = 0.0
    if kind == "bevel":
        start, gap = index * 4, 1.5
        yield "rule-bevel", Box(x, y - index / 2, start, index)
    elif kind == "broken":
        start, end, gap = 12 * MM, 4 * MM + 1.5, 1.5
        for left, wide in ((x, start), (x + width - 4 * MM, 4 * MM)):
            yield "rule-block", Box(left, y - index * 0.36, wide, index * 0.72)
    yield "rule-section", Box(x + start + gap, y - 1, width - start - end - gap, 2)
