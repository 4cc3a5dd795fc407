"""Text without its markup: lines, headings, bullets and the cells of tables.

Markup becomes spaces, so that each letter keeps its place and findings have the author's columns.
No pattern repeats without a bound, because the text may come from a stranger.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from sheetgen.diag.findings import Span
from sheetgen.records import frozen

Range = tuple[int, int]  # where a piece of the text begins and ends

BOLD: Final = 7  # the level of a heading that is only bold or in capitals
_SIGNS: Final = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008", " "),
        **dict.fromkeys("\u2009\u200a\u200b\u202f\u205f\u3000\ufeff\t\r\v\f\u2028\u2029\x85", " "),
        "×": "x",
        "·": ";",
        "…": " ",
        "：": ":",
        "，": ",",
        "；": ";",
        "＋": "+",
        "\u2022": "•",
    }
)
"""Signs as a keyboard has them, one for one."""

_MARKS: Final = re.compile(
    r"<br ?/?>|</?(?:a|abbr|b|big|blockquote|body|center|code|dd|div|dl|dt|em|font|h[1-6r]|head"
    r"|html|i|img|li|meta|nowiki|ol|p|pre|ref|s|section|small|span|strong|su[bp]|t[dhr]|table|tbody|tfoot"
    r"|thead|title|u|ul)(?=[\s/>])[^<>\n]{0,200}>|<!--|-->"
    r"|\[/?(?:[bisu*]|center|code|color|colour|font|h[1-6r]|img|indent|li|list|quote|size|spoiler"
    r"|table|t[dhr]|url|[uo]l)(?:=[^\[\]\n]{0,100})?\]"
    r"|\*{1,3}(?![\s*,;|)]|\Z)|(?<![\s*])\*{1,3}|~~|`{1,3}|'{2,5}"
    r"|(?<!\w)_{1,3}(?=[^\W_])|(?<=[\w.:,)!?])_{1,3}(?!\w)|\\(?=[!-/:-@\[-`{-~])",
    re.IGNORECASE,
)
_LINK: Final = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\s]{0,300}\)")
_WIKI_LINK: Final = re.compile(r"\[\[(?:[^\[\]|\n]{0,200}\|)?([^\[\]|\n]{0,200})\]\]")
_TEMPLATE: Final = re.compile(r"\{\{[^{}|]{1,80}(\|[^{}]{1,20000})\}\}")
_PARAMETER: Final = re.compile(r"\|([ \t]*[^\W_][^|=\n]{0,40})=(?!=)")
_BULLET: Final = re.compile(
    r"[;*] |(?:[-*+•–—▪◦‣■●]|\*{2,5}|\[\*\]|\d{1,2}[.)])[ \t\u00a0]{1,8}(?=\S)"
)
_MARKDOWN_HEAD: Final = re.compile(r"(#{1,6})[ \t]")
_WIKI_HEAD: Final = re.compile(r"(={1,6})[^=]")
_HTML_HEAD: Final = re.compile(r"[<\[]h([1-6])\b[^<>\[\]]{0,200}[>\]]", re.IGNORECASE)
_RULE: Final = re.compile(r"[-_*=~+ ]{3,}")
_COLUMNS: Final = re.compile(r"[-:| ]{3,}")
_APART: Final = re.compile(
    r"\[/?(?:center|code|hr|quote|spoiler)\b|</?(?:blockquote|center|hr)\b", re.IGNORECASE
)
_CELLS: Final = re.compile(r"\S+(?: \S+)*")  # of a table that spaces align
_BOLD: Final = re.compile(r"\*\*|__|'''|<b>|<strong>|\[b\]|\*(?=[^\s*])", re.IGNORECASE)
_ATTRIBUTES: Final = re.compile(r"[\w-]{1,30} ?= ?\"?[^|\n]{0,200}\|(?!\|)")
_DOTS: Final = re.compile(r"\.{2,}|(?<!•)•(?!•|\s{0,3}(?:[,;|)\n]|\Z))")
_TABLE: Final = re.compile(
    r"<table\b[^<>]{0,200}>(?s:.*?)(?:</table>|\Z)|\[table[^\[\]]{0,99}\](?s:.*?)(?:\[/table\]|\Z)",
    re.IGNORECASE,
)
_CELL: Final = re.compile(r"[<\[](/?t(?:able|[rdh]))\b[^<>\[\]]{0,200}[>\]]|\s", re.IGNORECASE)
_BROKEN: Final = re.compile(r"(?<=[^\W\d_]-)\s{0,40}\n\s{0,40}(?=[^\W\d_])")  # a word on two lines


@frozen
class PlainLine:
    """A line with content."""

    start: int
    end: int
    level: int = 0  # Of a heading: 1 and more; 0 for other lines.
    bold: int = 0  # The end of bold words that the line begins with; 0 without them.
    bullet: bool = False
    gap: bool = False  # Whether an empty line is above it.
    cells: tuple[Range, ...] = ()  # The cells, if the line is a row of a table.


@dataclass
class PlainText:
    """A text, and what is left of it without markup."""

    file: str
    text: str
    shown: str = ""  # The text with spaces for its markup.
    plain: str = ""  # The same, with the signs of a keyboard.
    lines: list[PlainLine] = field(default_factory=list)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def span(self, start: int, end: int) -> Span:
        """Return the place of a piece of the text."""
        line = bisect_right(self._starts, start)
        column = start - self._starts[line - 1] + 1
        return Span(self.file, line, column, max(1, min(end, self.line_end(start)) - start))

    def line_end(self, at: int) -> int:
        """Return where the line of a place ends."""
        line = bisect_right(self._starts, at)
        return self._starts[line] - 1 if line < len(self._starts) else len(self.text)

    def raw(self, place: Range) -> str:
        """Return a piece of the text in the signs of a keyboard."""
        return self.plain[place[0] : place[1]]

    def words(self, start: int, end: int) -> str:
        """Return a piece of the text on one line."""
        raw = self.text[start:end]
        shown = _BROKEN.sub("", self.shown[start:end])
        if len(shown) == len(raw):  # no space before a colon where markup was
            shown = re.sub(
                r" {1,9}(?=[:.,;])",
                lambda one: one[0] if re.search(r"\s", raw[slice(*one.span())]) else "",
                shown,
            )
        return " ".join(shown.split())


def strip_markup(file: str, text: str) -> PlainText:
    """Return a text without its markup: Markdown, HTML, wikis and plain lines."""
    if "&" in text:
        text = html.unescape(text)
    found = PlainText(file, text)
    text = _TABLE.sub(_plain_table, _TEMPLATE.sub(_plain_template, text))
    signs = text.translate(_SIGNS)
    letters = list(text)
    for pattern in (_WIKI_LINK, _LINK):
        for match in pattern.finditer(text):
            for at in (*range(match.start(), match.start(1)), *range(match.end(1), match.end())):
                letters[at] = " "
    lines = [*_lines(text, signs, letters)]
    for match in _MARKS.finditer(text):
        is_break = match[0][:3].lower() == "<br"
        letters[match.start() : match.end()] = (";" if is_break else " ").ljust(len(match[0]))
    found.shown = "".join(letters)
    plain = found.shown.translate(_SIGNS)
    found.plain = _DOTS.sub(lambda dots: (" " if dots[0] != "•" else ";") * len(dots[0]), plain)
    for line in lines:
        start, end = trim(found.plain, line.start, line.end)
        words = found.plain[start:end]
        if not re.search(r"\w|●|•", words):
            continue  # an empty line
        capitals = words.isupper() and len(words) > 3 and not re.search(r"\d|:", words)
        level = line.level or (BOLD if capitals and not line.cells else 0)
        bold = min(line.bold, end) if line.bold > start else 0
        cells = tuple(trim(found.plain, *cell) for cell in line.cells)
        found.lines.append(PlainLine(start, end, level, bold, line.bullet, line.gap, cells))
    return found


def _plain_template(found: re.Match[str]) -> str:
    """Return a wiki's template with `name: value` for its parameters, each where it was."""
    body, count = _PARAMETER.subn(r";\1:", found[1])
    if not count:
        return found[0]
    head = re.sub(r"[^\n]", " ", found[0][: -len(found[1]) - 2])
    return head + re.sub(r"(?m)^;", " ", body) + "  "


def _plain_table(found: re.Match[str]) -> str:
    """Return a table of HTML or of a forum with a row on each line, each cell where it was."""

    def plain(tag: re.Match[str]) -> str:
        sign = {"table": "\n\n", "/table": "\n\n", "tr": "\n", "td": "|", "th": "|"}
        return sign.get((tag[1] or "").lower(), "").ljust(len(tag[0]))

    return _CELL.sub(plain, found[0])


def trim(plain: str, start: int, end: int) -> Range:
    """Return a range without the spaces at both ends."""
    end = min(end, len(plain))
    while start < end and plain[start].isspace():
        start += 1
    while end > start and plain[end - 1].isspace():
        end -= 1
    return start, end


def _lines(text: str, signs: str, letters: list[str]) -> Iterator[PlainLine]:
    """Yield the lines, and blank the markup at their beginnings in `letters`."""
    at, gap = 0, True
    is_wiki, wiki_gap = False, True  # in a wiki's table, and whether it begins
    cells: list[Range] = []  # of its row, on lines of their own or side by side
    held: PlainLine | None = None  # a line that may be underlined as a heading
    rows = text.split("\n")
    for raw, above, below in zip(rows, ["", *rows], [*rows[1:], ""], strict=False):
        start, end = trim(signs, at, at + len(raw))
        at += len(raw) + 1
        while start < end and signs[start] == ">":
            letters[start] = " "
            start, end = trim(signs, start + 1, end)
        line = signs[start:end]
        ruled = bool(_RULE.fullmatch(line))
        if held is not None:
            level = {"=": 1, "-": 2}.get(line[:1], 0) if ruled and len(set(line)) == 1 else 0
            is_head = level and not held.cells and not held.bullet
            yield replace(held, level=level) if is_head else held
            held = None
        if is_wiki or line.startswith("{|"):
            is_wiki = not line.startswith("|}")
            if line[:2] in ("{|", "|-", "|}", "|+"):
                if cells:
                    yield PlainLine(cells[0][0], cells[-1][1], gap=wiki_gap, cells=tuple(cells))
                cells, wiki_gap = [], line[:2] not in ("|-", "|+")
                letters[start:end] = " " * (end - start)
            elif line[:1] in ("|", "!"):
                cells += _split_cells(signs, letters, start, end, "!!" if "!!" in line else "||")
            elif cells:
                cells[-1] = cells[-1][0], end
            elif line:
                yield PlainLine(start, end)
            continue
        table = _is_row(raw, above, below)
        is_columns = table and _COLUMNS.fullmatch(line) is not None
        is_apart = _APART.match(line) is not None  # marked off: a paragraph of its own
        gap = gap or is_apart
        is_empty = not line or (is_apart and not _MARKS.sub("", line).strip())
        if is_empty or ruled or is_columns or line.startswith("```"):
            gap = gap or not line or (ruled and "|" not in line)
            letters[start:end] = " " * (end - start)
            continue
        if table:
            sign = next((sign for sign in "|\t" if sign in text[start:end]), " ")
            row = _split_cells(signs if sign == "|" else text, letters, start, end, sign)
            held, gap = PlainLine(start, end, gap=gap, cells=tuple(row)), False
            continue
        tag = _HTML_HEAD.match(signs, start, end)
        level, bullet, bold = int(tag[1] if tag else 0), False, 0
        if head := _MARKDOWN_HEAD.match(signs, start, end):
            level, start = len(head[1]), head.end()
            letters[head.start() : head.end()] = " " * len(head[0])
            while end > start and signs[end - 1] == "#":
                end -= 1
                letters[end] = " "
        elif (head := _WIKI_HEAD.match(signs, start, end)) and line.endswith(head[1]):
            level = size = len(head[1])
            letters[start : start + size] = letters[end - size : end] = " " * size
            start, end = start + size, end - size
        elif mark := _BULLET.match(signs, start):
            bullet, letters[start : mark.end()] = True, " " * len(mark[0])
            start = mark.end()
        if mark := _BOLD.match(signs, start, end):
            sign = re.sub(r"^[<\[]", r"\g<0>/", mark[0])
            bold = max(0, signs.find(sign, mark.end(), end))
            if bold and len(mark[0]) > 1 and not re.search(r"\w", signs[bold + len(sign) : end]):
                level = level or BOLD
        held, gap = PlainLine(start, end, level, bold, bullet, gap), False
    if held is not None:
        yield held
    if cells:
        yield PlainLine(cells[0][0], cells[-1][1], gap=wiki_gap, cells=tuple(cells))


def _is_row(line: str, above: str, below: str) -> bool:
    """Whether a line is a row of a table: with bars, tabs, or columns that spaces align."""
    beside = "|" in line and ("|" in above or "|" in below)
    spaced = _count_aligned(line) in {_count_aligned(above), _count_aligned(below)} - {0}
    return beside or line.count("|") > 1 or "\t" in line.strip() or spaced


def _count_aligned(line: str) -> int:
    """Return the cells of a line that may be a row of a table that spaces align; 0 for others."""
    count = len(re.findall(r"\S {2,40}(?=\S)", line)) + 1
    return count if count > 2 and "|" not in line and "\t" not in line else 0


def _split_cells(
    source: str, letters: list[str], start: int, end: int, sign: str
) -> Iterator[Range]:
    """Yield the cells of a row, and blank what is between them."""
    if sign == " ":
        yield from (cell.span() for cell in _CELLS.finditer(source, start, end))
        return
    if sign in ("||", "!!", "|") and source[start : start + 1] in "|!":
        letters[start] = " "
        start += 1
    if sign == "|" and source[end - 1] == "|" and end > start:
        letters[end - 1] = " "
        end -= 1
    at = start
    while at <= end:
        close = source.find(sign, at, end)
        close = end if close < 0 else close
        letters[close : min(end, close + len(sign))] = " " * (min(end, close + len(sign)) - close)
        if len(sign) > 1 and (match := _ATTRIBUTES.match(source, *trim(source, at, close))):
            letters[at : match.end()] = " " * (match.end() - at)
            at = match.end()
        yield at, close
        at = close + len(sign)
