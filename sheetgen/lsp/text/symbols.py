"""The outline of a file: its keys and the names in its lists."""

from __future__ import annotations

from dataclasses import dataclass, field

from sheetgen.lsp.text.lines import block_lines

MOST_SYMBOLS = 5_000


@dataclass
class Symbol:
    """An entry of the outline.

    Attributes:
        start, end: Offsets of all that belongs to it.
        name_end: The offset behind its name, which begins at `start`.
        detail: Its value, if that is on the same line.
    """

    name: str
    start: int
    name_end: int
    end: int
    column: int
    detail: str = ""
    below: list[Symbol] = field(default_factory=list)


def find_symbols(text: str) -> list[Symbol]:
    """Return the outline of `text`, which may be half typed; items of lists have their names."""
    top: list[Symbol] = []
    opened: list[Symbol] = []
    count, end = 0, 0
    for line in block_lines(text):
        begins = line.dashes[0] if line.dashes else line.column
        while opened and opened[-1].column >= begins + (1 if line.dashes else 0):
            opened.pop().end = end
        value = text[line.after or line.start + line.column : line.end].strip()
        name, at = line.key or value, line.start + line.column
        end = max(line.end, at)
        if not name or count >= MOST_SYMBOLS:
            continue
        count += 1
        if line.dashes and line.key is not None:
            # The first key of an item is its name: `- name: X`.
            name, value = (value if line.key == "name" and value else name), ""
        column = line.dashes[-1] if line.dashes else line.column
        name_end = line.key_end if line.key is not None else at + len(value)
        detail = value[:100] if line.key is not None else ""
        symbol = Symbol(name[:100], at, min(name_end, at + 100), end, column, detail)
        (opened[-1].below if opened else top).append(symbol)
        opened.append(symbol)
    for symbol in opened:
        symbol.end = end
    return top
