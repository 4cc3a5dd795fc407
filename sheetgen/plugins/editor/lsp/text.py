"""Find what a cursor is at in YAML that may be half typed: by indentation and brackets."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from sheetgen.diag.findings import Span, split_lines
from sheetgen.records import frozen

KEY: Final = "key"
VALUE: Final = "value"
ITEM: Final = "item"


@frozen
class CursorPlace:
    """What a cursor is at."""

    path: tuple[Step, ...]  # Keys and indices, down to the mapping of a key or to the value.
    sort: str  # KEY in a mapping, VALUE of a key, or ITEM of a list, which may become a key.
    # start, end: Offsets of the word at the cursor, quotes included.
    start: int
    end: int
    word: str
    flow: bool = False  # Whether it is in brackets.
    others: frozenset[str] = frozenset()  # Other keys, or items in brackets.


def find_place(text: str, offset: int) -> CursorPlace | None:
    """Return what the cursor at `offset` is at; None in a comment or a text of several lines."""
    own = read_line(text, _start_of_line(text, offset), end_of_line(text, offset))
    if offset > own.end:
        return None  # In a comment.
    first = own.start  # The nearest line, here or above, with a key at its start.
    while first > 0:
        line = read_line(text, first, end_of_line(text, first))
        if line.key is not None and line.column == 0 and first < offset:
            break
        first = _start_of_line(text, first - 1)
    last: BlockLine | None = None
    frames: list[_Open] = []  # Those of the lines above.
    for line, opened in block_lines(text, first):
        if line.start > offset:
            break
        last = line
        frames = opened if line.start < own.start else frames
    if last is not None:
        value = value_start(text, last)
        if text[value : value + 1] in ("[", "{") and value < offset:
            end, closed = flow_end(text, value, last.column)
            if offset < end or (offset == end and not closed):
                return _flow_place(text, offset, value, end, last.path)
        if last.start != own.start:
            if BLOCK_TEXT.fullmatch(text, value, last.end) and offset - own.start > last.column:
                return None
            last = None
    column = own.start + own.column
    if last is None:  # A line that is blank, or that has a word which may become a key.
        blank = column >= own.end
        start, at = min(column, offset), offset - own.start
        key = BlockLine(own.start, own.end, min(own.column, at) if blank else own.column, key="")
        path = tuple(step for _, step in _enter(frames, key))[:-1]
        word = text[start : own.end].rstrip()
        others = _keys_beside(text, first, path, -1)
        return CursorPlace(path, KEY, start, max(start + len(word), offset), word, others=others)
    if offset < column:
        return None
    if last.key is None:
        return _word_place(text, offset, last.path, ITEM, column, last.end)
    if offset < last.after:
        path, others = last.path[:-1], _keys_beside(text, first, last.path[:-1], column)
        word = _unquoted(text[column : last.key_end])
        end = max(last.key_end, offset)
        return CursorPlace(path, KEY, column, end, word, others=others)
    return _word_place(text, offset, last.path, VALUE, last.after, last.end)


def _start_of_line(text: str, offset: int) -> int:
    return max(text.rfind(mark, 0, offset) for mark in "\n\r\x85\u2028\u2029") + 1


def _keys_beside(text: str, first: int, path: tuple[Step, ...], without: int) -> frozenset[str]:
    """Return the keys of the mapping at `path`, but for one that begins at the offset `without`."""
    begin = first if path else 0
    found: set[str] = set()
    for line, _ in block_lines(text, begin):
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
    return CursorPlace(path, sort, start, max(start + len(word), offset), _unquoted(word.strip()))


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

    for at, mark in flow_marks(text, start, end):
        if at >= offset:
            break
        content = _unquoted(text[word:at].strip())
        if mark in "[{":
            opened.append(mark)
            steps.append(0 if mark == "[" else "")
            others.append([])
        elif mark in "]}" and opened:
            opened.pop(), steps.pop(), others.pop()
        elif mark == ":" and opened and opened[-1] == "{":
            steps[-1] = content
            others[-1].append(content)
        elif mark == "," and opened:
            others[-1] += [content] if opened[-1] == "[" else []
            steps[-1] = int(steps[-1]) + 1 if opened[-1] == "[" else ""
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
        depth -= mark in "]}"
        if depth <= 0 and word >= 0 and mark == (":" if bracket == "{" else mark):
            yield _unquoted(text[word:at].strip())
            word = -1
        if depth < 0:
            return
        depth += mark in "[{"
        word = at + 1 if mark == "," and depth == 0 else word


Step: TypeAlias = str | int

_QUOTED: Final = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'""")
_LINE: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]|$")
BLOCK_TEXT: Final = re.compile(r"[|>][-+0-9]*\s*(#.*)?")  # The mark of a text of several lines


@dataclass
class BlockLine:
    """A line of YAML outside brackets and texts of several lines."""

    # start, end: Offsets of the line, without its break.
    start: int
    end: int
    column: int  # That of what follows the dashes of list items, whose columns are `dashes`.
    dashes: tuple[int, ...] = ()
    key: str | None = None  # The key that it has, or None; `after` is the offset behind its colon.
    key_end: int = 0
    after: int = 0
    path: tuple[Step, ...] = ()  # The path of the key, or else of the item.


_Open: TypeAlias = tuple[int, Step]  # an open collection: column, last key or index


def _enter(frames: list[_Open], line: BlockLine) -> list[_Open]:
    """Return the open collections after a line: what it ends is closed, what it begins is open."""

    def close(column: int, *, lists: bool) -> list[_Open]:
        """Close collections that are indented deeper than `column`, and lists at it."""
        left = len(frames)
        while left and (
            frames[left - 1][0] > column
            or (lists and frames[left - 1][0] == column and isinstance(frames[left - 1][1], int))
        ):
            left -= 1
        return frames[:left]

    for column in line.dashes:
        frames = close(column, lists=False)
        last = frames[-1] if frames else None
        if last is not None and last[0] == column and isinstance(last[1], int):
            frames[-1] = column, last[1] + 1
        else:
            frames.append((column, 0))
    if line.key is not None:
        frames = close(line.column, lists=True)
        if frames and frames[-1][0] == line.column:
            frames.pop()
        frames.append((line.column, line.key))
    return frames


def block_lines(text: str, first: int = 0) -> Iterator[tuple[BlockLine, list[_Open]]]:
    """Yield the lines with a key or dash, outside brackets and texts, and what is open."""
    frames: list[_Open] = []
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
        frames = _enter(frames, line)
        line.path = tuple(step for _, step in frames)
        value = value_start(text, line)
        if BLOCK_TEXT.fullmatch(text, value, line.end):
            text_column = line.dashes[-1] if line.key is None else line.column
        elif text[value : value + 1] in ("[", "{"):
            closing, _ = flow_end(text, value, line.column)
        yield line, frames


def _lines(text: str, first: int) -> Iterator[BlockLine]:
    for match in _LINE.finditer(text, first):
        yield read_line(text, first, match.start())
        first = match.end()


def read_line(text: str, start: int, end: int) -> BlockLine:
    """Return the line from `start` to `end`; a comment is like an empty line."""
    at, dashes = skip_blanks(text, start, end), []
    while text[at : at + 1] == "-" and (at + 1 >= end or text[at + 1] in " \t"):
        dashes.append(at - start)
        at = skip_blanks(text, at + 1, end)
    end = at if text[at:end].startswith("#") else end
    line = BlockLine(start, end, at - start, tuple(dashes))
    if (found := _key(text, at, end)) is not None:
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
    """Return where brackets end, and if closed; open ones end at a key no deeper than they."""
    depth = 0
    for at, mark in flow_marks(text, start, len(text)):
        depth += (mark in "[{") - (mark in "]}")
        if mark in "]}" and depth == 0:
            return at + 1, True
        if mark == "\n":
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


_BREAK: Final = re.compile("\r\n|\r|\n")
_BOM: Final = "\ufeff"

_UNITS: Final[Mapping[str, Callable[[str], int]]] = {
    "utf-8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "utf-16": lambda text: len(text) + sum(character > "\uffff" for character in text),
    "utf-32": len,
}
"""The number of code units of a text, by encoding."""


@dataclass
class OpenText:
    """A text of an editor; columns count in code units of utf-8, utf-16 or utf-32."""

    text: str
    encoding: str = "utf-16"

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _BREAK.finditer(self.text))]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position; one outside the text is moved into it."""
        if line >= len(self._starts):
            return len(self.text)
        start, content = self._starts[line], self._line(line)
        if content.isascii():
            return start + min(column, len(content))
        units = itertools.accumulate(map(_UNITS[self.encoding], content))
        return start + sum(1 for _ in itertools.takewhile(lambda n: n <= column, units))

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 0, of an offset."""
        line = bisect_right(self._starts, offset) - 1
        before = self._line(line)[: offset - self._starts[line]]
        return line, len(before) if before.isascii() else _UNITS[self.encoding](before)

    def _line(self, line: int) -> str:
        """Return a line without its line break."""
        end = next(iter(self._starts[line + 1 : line + 2]), len(self.text))
        return self.text[self._starts[line] : end].rstrip("\r\n")

    def span_offsets(self, span: Span) -> tuple[int, int]:
        """Return the offsets of a span's start and end."""
        if not 1 <= span.line <= len(self._lines):
            return len(self.text), len(self.text)
        start, end = self._lines[span.line - 1]
        first = min(start + span.column - 1, end)
        return first, min(first + span.width, end)

    @cached_property
    def _lines(self) -> list[tuple[int, int]]:
        """Start and end of the lines of YAML; a byte order mark is not part of the first."""
        found, start = [], len(self.text) - len(self.text.lstrip(_BOM))
        for line in split_lines(self.text[start:]):
            end = start + len(line)
            found.append((start, end))
            start = end + (2 if self.text.startswith("\r\n", end) else 1)
        return found
