"""What does not fit on a sheet: rows with the columns that they would have there, and texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from operator import itemgetter
from typing import Final

from sheetgen.diag.findings import Finding
from sheetgen.model.prints import Place, Plate
from sheetgen.plan.sheets.places import PlatePlaces
from sheetgen.plan.sheets.shown import ShownText, View
from sheetgen.plan.sheets.view import numbered_family
from sheetgen.records import frozen

_MOST_ROWS: Final = 200
"""More rows than a sheet draws of any list."""


_CELLS: Final = ("session", "gained", "what", "cost", "left")
"""The columns of a ledger."""


@frozen
class MovedColumn:
    """A column of moved rows.

    Attributes:
        head: Its heading; empty for a name or a text that explains itself.
        width: Points, as on the sheet.
        role: How its texts are set.
    """

    head: str
    width: float
    role: str


@frozen
class Moved:
    """A section, or the text of one place, that is moved to a continuation page.

    Attributes:
        text: All of it, for those who read no columns.
        columns: Of rows; empty for a text.
        rows: The texts of each row, by column.
        pitch: Points from row to row, as on the sheet.
        page: The page of the sheet that it continues, from 0.
        stem: The start of the names of its rows, or the name of its place.
    """

    label: str
    text: str
    columns: tuple[MovedColumn, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    pitch: float = 0
    page: int = 0
    stem: str = ""


@dataclass
class _Rows:
    """The moved rows of a section: their texts by column and row."""

    stem: str
    rows: dict[str, dict[str, str]] = field(default_factory=dict)


def leave_free_row(view: View, stem: str, known: PlatePlaces) -> None:
    """Join purchases of a ledger that fills its rows on the sheet, so that a row stays free.

    Players write the next gain there. Where no two purchases fit one row, all rows stay.
    """
    most = next(n for n in count(1) if f"{stem}.{n}" not in known.above) - 1
    rows: list[dict[str, ShownText]] = []
    while row := _cells(view, f"{stem}.{len(rows) + 1}"):
        rows.append(row)
    total = len(rows)
    while most and len(rows) >= most:
        joined = _shortest_joined(rows, stem, known)
        if joined is None:
            return
        at, row = joined
        rows[at : at + 2] = [row]
    for number in range(1, total + 1) if len(rows) < total else ():
        for cell in _CELLS:
            view.texts.pop(f"{stem}.{number}.{cell}", None)
        if number <= len(rows):
            cells = rows[number - 1].items()
            view.texts.update({f"{stem}.{number}.{cell}": shown for cell, shown in cells})


def _cells(view: View, row: str) -> dict[str, ShownText]:
    found = ((cell, view.texts.get(f"{row}.{cell}")) for cell in _CELLS)
    return {cell: shown for cell, shown in found if shown is not None}


def _shortest_joined(
    rows: Sequence[dict[str, ShownText]], stem: str, known: PlatePlaces
) -> tuple[int, dict[str, ShownText]] | None:
    """Return the shortest two purchases, one below the other, as one row, and its place."""
    pairs: list[tuple[int, int, dict[str, str]]] = []
    for at, (one, other) in enumerate(pairwise(rows)):
        place = known.by_name.get(f"{stem}.{at + 1}.what")
        if place is None or {*one, *other} != {"what", "cost", "left"}:
            continue
        if not (one["cost"].text.isdecimal() and other["cost"].text.isdecimal()):
            continue
        what = f"{one['what'].text}, {other['what'].text}"
        if known.fitted(what, place, place.role)[1]:
            cost = str(int(one["cost"].text) + int(other["cost"].text))
            texts = {"what": what, "cost": cost, "left": other["left"].text}
            pairs.append((len(what), at, texts))
    if not pairs:
        return None
    _, at, texts = min(pairs, key=itemgetter(0, 1))
    label = rows[at]["what"].label
    return at, {cell: ShownText(text, label) for cell, text in texts.items()}


def list_moved_rows(view: View, known: PlatePlaces) -> Iterator[Moved]:
    """Yield the author's texts that have no place, by section, in the columns of its rows."""
    for label, found in _rows_without_place(view, known).items():
        yield _in_columns(label, found, known)


def _rows_without_place(view: View, known: PlatePlaces) -> dict[str, _Rows]:
    places, drawn = known.by_name, known.families
    marked = {name.rpartition(".")[0] for name in view.ticks if name in places}  # shown by a box
    sections: dict[str, _Rows] = {}
    for name, shown in view.texts.items():
        if name in places or not shown.written or name in marked:
            continue
        stem, row, column = _parts(name)
        if row in known.above and numbered_family(name) not in drawn:
            continue  # this sheet shows the row without this column
        section = sections.setdefault(shown.label, _Rows(stem))
        section.rows.setdefault(row or name, {})[column] = shown.text
    return sections


def _parts(name: str) -> tuple[str, str, str]:
    """Return the stem of a numbered name, its row, and its column; no row without a number."""
    parts = name.split(".")
    number = next((i for i, part in enumerate(parts) if part.isdigit()), None)
    if number is None:
        return name, "", ""
    return ".".join(parts[:number]), ".".join(parts[: number + 1]), ".".join(parts[number + 1 :])


def _in_columns(label: str, found: _Rows, known: PlatePlaces) -> Moved:
    """Return moved rows with the columns of the last row of the kind that the sheet draws."""
    plate = known.plate
    keys = list(dict.fromkeys(key for row in found.rows.values() for key in row))
    drawn = _last_row(found.stem, keys, known)
    columns: dict[str, MovedColumn] = {}
    for key, place in sorted(drawn.items(), key=lambda pair: pair[1].box.x):
        setting = plate.tokens.roles[place.role]
        width = place.box.width + (setting.size if setting.unit else 0)
        columns[key] = MovedColumn(_head(place.label), width, place.role)
    for key in keys:
        role = "line-strong" if key == "name" else "line"
        columns.setdefault(key, MovedColumn("", 90 if key == "name" else 160, role))
    rows = tuple(
        tuple(_with_unit(row.get(key, ""), column, plate) for key, column in columns.items())
        for row in found.rows.values()
    )
    lines = [" · ".join(row.values()) for row in found.rows.values()]
    one = next(iter(drawn.values()), None)
    page = one.page if one is not None else 0
    pitch = one.box.height if one is not None else 0
    return Moved(label, "\n".join(lines), tuple(columns.values()), rows, pitch, page, found.stem)


def _last_row(stem: str, keys: Iterable[str], known: PlatePlaces) -> dict[str, Place]:
    """Return the places of the last row below `stem` that has any of `keys`, by column."""
    for number in range(_MOST_ROWS, 0, -1):
        name = f"{stem}.{number}"
        if name not in known.above and name not in known.by_name:
            continue
        found = ((key, known.by_name.get(f"{name}.{key}" if key else name)) for key in keys)
        texts = {key: p for key, p in found if p is not None and p.role and p.kind != "tick"}
        if texts:
            return texts
    return {}


def _head(label: str) -> str:
    """Return the heading of a column by the label of a place: `Row 3, spent on` is `Spent on`."""
    last = label.rpartition(", ")[2] if ", " in label else ""
    return "" if any(letter.isdigit() for letter in last) else last[:1].upper() + last[1:]


def _with_unit(text: str, column: MovedColumn, plate: Plate) -> str:
    unit = plate.tokens.roles[column.role].unit if column.role in plate.tokens.roles else ""
    return f"{text}{unit}" if text.isdigit() else text


def moved_text(shown: ShownText, place: Place) -> Moved:
    """Return a text that is cut in its place."""
    label = place.label if shown.label == place.name else shown.label
    return Moved(label, shown.text, page=place.page, stem=place.name)


def list_mending(wrong: Iterable[Finding], others: Iterable[Finding]) -> list[Moved]:
    """Return what has to be mended in a draft: errors first, then warnings."""
    columns = (
        MovedColumn("Line", 24, "figure"),
        MovedColumn("Kind", 36, "line-strong"),
        MovedColumn("What", 300, "line"),
    )
    rows: list[tuple[str, ...]] = []
    for kind, found in (("error", wrong), ("warning", others)):
        for one in found:
            hint = f" ({one.hint})" if one.hint else ""
            rows.append((str(one.span.line or ""), kind, _quoted(f"{one.message}{hint}")))
    text = "\n".join(f"line {line}, {kind}: {what}" for line, kind, what in rows)
    return [Moved("To be mended", text, columns, tuple(rows), stem="mending")] if rows else []


def _quoted(text: str) -> str:
    """Return a message for paper, its names in quotation marks instead of backticks."""
    parts = text.split("`")
    return "".join(
        part if at == 0 else f"{'“' if at % 2 else '”'}{part}" for at, part in enumerate(parts)
    )
