"""Find what a cursor is at in YAML that may be half typed: by indentation and brackets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sheetgen.lsp.text.lines import (
    BLOCK_TEXT,
    BlockLine,
    OpenBlocks,
    Step,
    block_lines,
    end_of_line,
    flow_end,
    flow_marks,
    read_line,
    skip_blanks,
    value_start,
)

KEY: Final = "key"
VALUE: Final = "value"
ITEM: Final = "item"


@dataclass(frozen=True, slots=True)
class CursorPlace:
    """What a cursor is at.

    Attributes:
        path: Keys as written, and indices of lists, down to the mapping of a key or to the value.
        sort: KEY in a mapping, VALUE of a key, or ITEM of a list, which may become a key.
        start, end: Offsets of the word at the cursor, quotes included.
        word: That word, without quotes.
        flow: Whether it is in brackets.
        others: The other keys of the mapping, or the items of a list in brackets.
    """

    path: tuple[Step, ...]
    sort: str
    start: int
    end: int
    word: str
    flow: bool = False
    others: frozenset[str] = frozenset()


def find_place(text: str, offset: int) -> CursorPlace | None:
    """Return what the cursor at `offset` is at; None in a comment or a text of several lines."""
    first = _start_of_block(text, offset)
    last: BlockLine | None = None
    for line in block_lines(text, first):
        if line.start > offset:
            break
        last = line
    own = read_line(text, _start_of_line(text, offset), end_of_line(text, offset))
    if offset > own.end:
        return None  # In a comment.
    if last is None:
        return _free_place(text, offset, own, first)
    value = value_start(text, last)
    if text[value : value + 1] in ("[", "{") and value < offset:
        end, closed = flow_end(text, value, last.column)
        if offset < end or (offset == end and not closed):
            return _flow_place(text, offset, value, end, last.path)
    if last.start != own.start:
        if BLOCK_TEXT.fullmatch(text, value, last.end) and offset - own.start > last.column:
            return None
        return _free_place(text, offset, own, first)
    return _line_place(text, offset, last, first)


def _start_of_line(text: str, offset: int) -> int:
    return max(text.rfind(mark, 0, offset) for mark in "\n\r\x85\u2028\u2029") + 1


def _start_of_block(text: str, offset: int) -> int:
    """Return the start of the nearest line, at the cursor or before it, with a key at its start."""
    start = _start_of_line(text, offset)
    while start > 0:
        line = read_line(text, start, end_of_line(text, start))
        if line.key is not None and line.column == 0 and start + line.column < offset:
            return start
        start = _start_of_line(text, start - 1)
    return 0


def _line_place(text: str, offset: int, line: BlockLine, first: int) -> CursorPlace | None:
    """Return the place in a line with a key or a dash."""
    column = line.start + line.column
    if offset < column:
        return None
    if line.key is None:
        return _word_place(text, offset, line.path, ITEM, column, line.end)
    if offset < line.after:
        path, others = line.path[:-1], _keys_beside(text, first, line.path[:-1], column)
        end = line.key_end
        word = _unquoted(text[column:end])
        return CursorPlace(path, KEY, column, max(end, offset), word, others=others)
    return _word_place(text, offset, line.path, VALUE, line.after, line.end)


def _free_place(text: str, offset: int, own: BlockLine, first: int) -> CursorPlace:
    """Return the place in a line that is blank, or that has a word which may become a key."""
    start = own.start + own.column
    column = min(own.column, offset - own.start) if start >= own.end else own.column
    start = min(start, offset)
    blocks = OpenBlocks()
    for line in block_lines(text, first):
        if line.start >= own.start:
            break
        blocks.enter(line)
    blocks.close(column, lists=True)
    if blocks.frames and blocks.frames[-1].column == column:
        path = blocks.path()[:-1]
    else:
        path = blocks.path()
    word = text[start : own.end].rstrip()
    others = _keys_beside(text, first, path, -1)
    return CursorPlace(path, KEY, start, max(start + len(word), offset), word, others=others)


def _keys_beside(text: str, first: int, path: tuple[Step, ...], without: int) -> frozenset[str]:
    """Return the keys of the mapping at `path`, but for one that begins at the offset `without`."""
    begin = first if path else 0
    found: set[str] = set()
    for line in block_lines(text, begin):
        if path and line.path[: len(path)] != path and line.start > first and found:
            break
        if line.key is not None and line.path[:-1] == path and line.start + line.column != without:
            found.add(line.key)
    return frozenset(found)


def _word_place(
    text: str, offset: int, path: tuple[Step, ...], sort: str, start: int, end: int
) -> CursorPlace:
    start = skip_blanks(text, start, min(offset, end))
    comment = text.find(" #", start, end)
    word = text[start : end if comment < 0 else comment].rstrip()
    last = max(start + len(word), offset)
    return CursorPlace(path, sort, start, last, _unquoted(word.strip()))


def _unquoted(word: str) -> str:
    return word.strip("\"'") if word[:1] in ("'", '"') else word


def _flow_place(
    text: str, offset: int, start: int, end: int, path: tuple[Step, ...]
) -> CursorPlace | None:
    """Return the place between brackets, the first of which is at `start`."""
    steps: list[Step] = []
    opened: list[str] = []
    others: list[list[str]] = []
    word = start

    def content(at: int) -> str:
        return _unquoted(text[word:at].strip())

    for at, mark in flow_marks(text, start, end):
        if at >= offset:
            break
        if mark in "[{":
            opened.append(mark)
            steps.append(0 if mark == "[" else "")
            others.append([])
        elif mark in "]}" and opened:
            opened.pop(), steps.pop(), others.pop()
        elif mark == ":" and opened and opened[-1] == "{":
            steps[-1] = content(at)
            others[-1].append(content(at))
        elif mark == "," and opened:
            if opened[-1] == "[":
                others[-1].append(content(at))
                steps[-1] = int(steps[-1]) + 1
            else:
                steps[-1] = ""
        word = at + 1
    if not opened:
        return None
    after = next((at for at, _ in flow_marks(text, max(word, start + 1), end) if at >= offset), end)
    # A completion may only replace text of one line.
    begin = skip_blanks(text, max(word, _start_of_line(text, offset)), offset)
    found = text[begin : max(min(after, end_of_line(text, offset)), offset)].rstrip()
    sort, here = ITEM, (*path, *steps)
    if opened[-1] == "{":
        sort, here = (KEY, here[:-1]) if steps[-1] == "" else (VALUE, here)
    last = max(begin + len(found), offset)
    beside = {*others[-1], *_behind(text, after, end, opened[-1])} - {""}
    return CursorPlace(here, sort, begin, last, _unquoted(found), True, frozenset(beside))


def _behind(text: str, start: int, end: int, bracket: str) -> Iterator[str]:
    """Yield the keys or items between `start`, the end of a word in brackets, and their end."""
    depth, word = 0, -1
    for at, mark in flow_marks(text, start, end):
        if mark in "]}":
            depth -= 1
        if depth <= 0 and word >= 0 and mark == (":" if bracket == "{" else mark):
            yield _unquoted(text[word:at].strip())
            word = -1
        if depth < 0:
            return
        if mark in "[{":
            depth += 1
        elif mark == "," and depth == 0:
            word = at + 1
