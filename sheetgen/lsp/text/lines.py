"""Read the lines of YAML that may be half typed: keys, dashes, indentation and brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

Step: TypeAlias = str | int

_QUOTED: Final = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'""")
_LINE: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]|$")
BLOCK_TEXT: Final = re.compile(r"[|>][-+0-9]*\s*(#.*)?")
"""The mark of a text of several lines."""


@dataclass
class BlockLine:
    """A line of YAML outside brackets and texts of several lines.

    Attributes:
        start, end: Offsets of the line, without its break.
        dashes: Columns of the dashes of list items.
        column: The column of what follows the dashes.
        key: The key that it has, or None; `after` is the offset behind its colon.
        path: The path of the key, or else of the item.
    """

    start: int
    end: int
    column: int
    dashes: tuple[int, ...] = ()
    key: str | None = None
    key_end: int = 0
    after: int = 0
    path: tuple[Step, ...] = ()


@dataclass
class _OpenBlock:
    """A collection that is open: its column, and the key or index that was last."""

    column: int
    step: Step

    @property
    def is_list(self) -> bool:
        return isinstance(self.step, int)


@dataclass
class OpenBlocks:
    """The open collections while lines are read downwards."""

    frames: list[_OpenBlock] = field(default_factory=list)

    def enter(self, line: BlockLine) -> None:
        """Close what a line ends, and open what it begins."""
        for column in line.dashes:
            self.close(column, lists=False)
            if self.frames and self.frames[-1].column == column and self.frames[-1].is_list:
                self.frames[-1].step = int(self.frames[-1].step) + 1
            else:
                self.frames.append(_OpenBlock(column, 0))
        if line.key is not None:
            self.close(line.column, lists=True)
            if self.frames and self.frames[-1].column == line.column:
                self.frames[-1].step = line.key
            else:
                self.frames.append(_OpenBlock(line.column, line.key))

    def close(self, column: int, *, lists: bool) -> None:
        """Close collections that are indented deeper than `column`, and lists at it."""
        while self.frames and (
            self.frames[-1].column > column
            or (lists and self.frames[-1].column == column and self.frames[-1].is_list)
        ):
            self.frames.pop()

    def path(self) -> tuple[Step, ...]:
        """Return the path of what was entered last."""
        return tuple(frame.step for frame in self.frames)


def block_lines(text: str, first: int = 0) -> Iterator[BlockLine]:
    """Yield the lines from the offset `first` that have a key or a dash, with their paths.

    Comments, and lines within brackets or texts of several lines, are left out.
    """
    blocks = OpenBlocks()
    text_column = -1  # The column of the key whose text follows in deeper lines.
    closing = -1
    for line in _lines(text, first):
        if line.start < closing or (line.start + line.column >= line.end and not line.dashes):
            continue
        if text_column >= 0 and (line.dashes[0] if line.dashes else line.column) > text_column:
            continue
        text_column = -1
        if line.key is None and not line.dashes:
            continue
        blocks.enter(line)
        line.path = blocks.path()
        value = value_start(text, line)
        if BLOCK_TEXT.fullmatch(text, value, line.end):
            text_column = line.dashes[-1] if line.key is None else line.column
        elif text[value : value + 1] in ("[", "{"):
            closing, _ = flow_end(text, value, line.column)
        yield line


def _lines(text: str, first: int) -> Iterator[BlockLine]:
    start = first
    while start <= len(text):
        match = _LINE.search(text, start)
        assert match is not None
        yield read_line(text, start, match.start())
        if match.end() == match.start():
            return
        start = match.end()


def read_line(text: str, start: int, end: int) -> BlockLine:
    """Return the line from `start` to `end`; a comment is like an empty line."""
    at, dashes = skip_blanks(text, start, end), []
    while text[at : at + 1] == "-" and (at + 1 >= end or text[at + 1] in " \t"):
        dashes.append(at - start)
        at = skip_blanks(text, at + 1, end)
    if at < end and text[at] == "#":
        end = at
    line = BlockLine(start, end, at - start, tuple(dashes))
    found = _key(text, at, end)
    if found is not None:
        line.key, line.key_end, line.after = found
    return line


def skip_blanks(text: str, at: int, end: int) -> int:
    """Return the offset of the first character at `at` or behind it that is not blank."""
    while at < end and text[at] in " \t\ufeff":
        at += 1
    return at


def _key(text: str, at: int, end: int) -> tuple[str, int, int] | None:
    """Return a key that begins at `at`, its end, and the offset behind its colon."""
    quoted = _QUOTED.match(text, at, end)
    if quoted is not None:
        colon = skip_blanks(text, quoted.end(), end)
        return (quoted[0][1:-1], quoted.end(), colon + 1) if text[colon:end][:1] == ":" else None
    if text[at : at + 1] in ("[", "{", "'", '"', "#", "|", ">", "%", "@"):
        return None
    colon = text.find(":", at, end)
    while colon >= 0 and colon + 1 < end and text[colon + 1] not in " \t":
        colon = text.find(":", colon + 1, end)
    if colon < 0 or text.find(" #", at, colon) >= 0:
        return None
    key = text[at:colon].rstrip()
    return key, at + len(key), colon + 1


def value_start(text: str, line: BlockLine) -> int:
    """Return the offset of what follows a key, or the dashes."""
    at = line.after if line.key is not None else line.start + line.column
    return skip_blanks(text, at, line.end)


def flow_end(text: str, start: int, column: int) -> tuple[int, bool]:
    """Return where the brackets that begin at `start` end, and whether they are closed.

    Those that are not end where a key is indented no deeper than their own line.
    """
    depth = 0
    for at, mark in flow_marks(text, start, len(text)):
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
            if depth == 0:
                return at + 1, True
        elif mark == "\n":
            below = read_line(text, at + 1, end_of_line(text, at + 1))
            begins = below.key is not None or bool(below.dashes)
            if begins and (below.dashes[0] if below.dashes else below.column) <= column:
                return at, False
    return len(text), False


def end_of_line(text: str, at: int) -> int:
    """Return the offset of the next line break, or of the end."""
    match = _LINE.search(text, at)
    assert match is not None
    return match.start()


def flow_marks(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield the marks of YAML in brackets, with their offsets: brackets, commas, colons, breaks."""
    at = start
    while at < end:
        mark = text[at]
        if mark in "\"'" and text[at - 1] in " [{,:\t\n":
            quoted = _QUOTED.match(text, at, end)
            if quoted is not None:
                at = quoted.end()
                continue
        elif mark == "#" and text[at - 1] in " \t\n":
            at = end_of_line(text, at)
            continue
        elif mark in "[]{},\n" or (mark == ":" and text[at + 1 : at + 2] in ("", *" \t\r\n,]}")):
            yield at, mark
        at += 1
