"""Locate and explain syntax errors in YAML files.

The parser stops where it cannot continue, which is often after the mistake. Usual mistakes are
looked for in the author's lines from there upwards.
"""

from __future__ import annotations

import re
from itertools import islice, takewhile
from typing import Any, Final

import yaml

from sheetgen.diag.findings import Hint
from sheetgen.load.yaml.format import (
    CUT,
    KEY,
    LOADER,
    lone_half,
    missing_blank,
    quote_yaml,
    uncut_text,
)
from sheetgen.records import frozen

# Begin messages that are shown at the start of a construct, not where the parser stopped.
_AT_START: Final = ("the quote that", "the list that", "the mapping that", "this line has no colon")
_INDENTATION: Final = ("document start", "block mapping", "block collection")

_MOST_COMMENTS: Final = 20  # the most comments that are tried as the cause of an error

_QUOTED: Final = re.compile(
    r"(?:^|[:\-\[{,])\s*(?P<open>'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\")(?P<gap>\s*)(?=[^\s,\]}:#'\"])"
)
OTHER: Final = (
    "this is not YAML",
    "is a quote or bracket left open, or a space missing after a colon?",
)


@frozen
class Mistake:
    """A mistake: its line and column, counted from 0, message and hint."""

    line: int
    column: int
    message: str
    hint: str


def explain_error(error: Any, lines: list[str]) -> Mistake:
    """Return the probable mistake behind a parser error."""
    mark = error.problem_mark or error.context_mark
    line = min(mark.line, len(lines) - 1) if mark else 0
    words = f"{error.context}: {error.problem}"
    if "Unicode character escape" in words:
        text, at = lines[line], lone_half(lines[line], mark.column)
        if at is None:
            hint = "write the character itself"
            return Mistake(line, mark.column, "no character has this number", hint)
        hint = r"write both halves, as in `\ud83d\udc09`, or the character itself"
        return Mistake(line, at, f"`{text[at : at + 6]}` is half of a character", hint)
    column = min(mark.column, len(lines[line])) if mark else 0
    if "\t" in lines[line][: column + 1] and not lines[line][:column].strip():
        return Mistake(line, column, "this line is indented with a tab", "indent it with spaces")
    context = error.context_mark
    first = min(context.line, line) if context else line
    above = _above(lines, line)
    if (torn := _torn_quote(lines[line])) is not None:
        return Mistake(line, *torn)
    found = _cutting_comment(lines, line)
    for number in (line, above, max(first, line - 1)):
        lacks = missing_blank(lines[number]) if number is not None and found is None else None
        if number is not None and lacks is not None:
            return Mistake(number, *lacks)
    if found is None and "mapping values" in words:
        found = _second_colon(lines, line) or _too_deep(lines, line)
    elif found is None and any(part in words for part in _INDENTATION):
        found = _wrong_indent(lines, line)
    elif found is None and "could not find expected ':'" in words:
        found = _no_colon(lines, max(first, line - 1))
    if found is not None:
        return found
    message, hint = next((entry for part, entry in MESSAGES.items() if part in words), OTHER)
    if context and message.startswith(_AT_START):
        line, column = min(context.line, len(lines) - 1), context.column
        column = min(column, len(lines[line]))
    return Mistake(line, column, message, hint)


def _cutting_comment(lines: list[str], line: int) -> Mistake | None:
    """Return the mistake of a text with `#`, which begins a comment that hides the end of a list.

    A comment is the cause if the parser gets farther without it.
    """
    found = ((n, match) for n in range(line, -1, -1) for match in CUT.finditer(lines[n]))
    for number, match in islice(found, _MOST_COMMENTS):
        at = match.start("rest")
        kept = lines[number][:at] + re.sub(r"(?<!\S)#(?=#*[^\s#])", "_", lines[number][at:])
        stop = None  # the line where the parser stops, unless it reads all
        try:
            for _ in yaml.parse("\n".join([*lines[:number], kept, *lines[number + 1 :]]), LOADER):
                pass
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            stop = mark.line if mark else 0
        if stop is None or stop > line:
            message = "`#` begins a comment: the rest of this line is not read"
            starts = re.finditer(r"^\s*|[\[{,]\s*|(?:^|\s)-\s+|:\s+", lines[number][:at])
            old, new = uncut_text(lines[number], max(m.end() for m in starts), at)
            return Mistake(number, at, message, Hint(f"put it in quotes: `{new}`", old, new))
    return None


def _no_colon(lines: list[str], line: int) -> Mistake | None:
    """Return the mistake of an item without a dash, or of a key without a colon."""
    above = _above(lines, line)
    if above is not None and _in_text(lines, above):
        return _misaligned(lines, line, above)
    if above is None or not (_opens(lines[above]) or _is_item(lines[above])):
        return None
    text = lines[line].strip()
    hint = f"write `- {text}` for an item of the list, or `{text}: …` for a key with a value"
    return Mistake(line, _indent(lines[line]), "this line has neither a dash nor a colon", hint)


def _torn_quote(line: str) -> tuple[int, str, Hint] | None:
    if (found := _QUOTED.search(line)) is None:
        return None
    mark = found["open"][0]
    rest = line[found.start("open") + 1 :]
    ends = [m.start() for m in re.finditer(rf"{mark}(?=\s*(?:[,\]}}]|$|#|:\s))", rest)]
    later = [end for end in ends if end >= len(found["open"]) - 1]
    inner = rest[: later[0]] if later else mark + _plain_end(rest, flow=line[: found.start("open")])
    message = "the text in quotes ends at this quote, but the line goes on"
    old, new = f"{mark}{inner}{mark}" if later else inner, _quoted(inner)
    return found.end("open") - 1, message, Hint(f"write `{new}`", old, new)


def _plain_end(text: str, flow: str = "") -> str:
    """Return a text up to its comment, or to the next item if `flow` opens a bracket."""
    end = r"\s+#|\s*[,\]}]" if re.search(r"[\[{]", flow) else r"\s+#"
    return re.split(end, text.rstrip(), maxsplit=1)[0]


def _second_colon(lines: list[str], line: int) -> Mistake | None:
    key = KEY.match(lines[line])
    text = lines[line][key.end() :].strip() if key is not None else ""
    second = KEY.match(text)
    if key is None or second is None:
        return None
    column = lines[line].index(text, key.end()) + second.end() - 1
    old = _plain_end(text)
    hint = Hint(f"write `{key[0].strip()} {_quoted(old)}`", old, _quoted(old))
    return Mistake(line, column, "a text with a colon and a space in it needs quotes", hint)


def _quoted(text: str) -> str:
    return quote_yaml(text, "'" if re.search(r'["\\]', text) else '"')


def _wrong_indent(lines: list[str], line: int) -> Mistake | None:
    if (above := _above(lines, line)) is None:
        return None
    if (here := _indent(lines[line])) > _indent(lines[above]):
        return _too_deep(lines, line)
    content = [n for n, text in enumerate(lines) if _has_content(text)]
    higher = [n for n in reversed(content) if n < line]
    block = [*takewhile(lambda n: _indent(lines[n]) > here, higher)][::-1]
    lower = [n for n in content if n >= line]
    below = takewhile(lambda n: _indent(lines[n]) >= here, lower)
    beside = [n for n in below if _indent(lines[n]) == here]
    level = min((_indent(lines[n]) for n in block), default=0)
    if not (same := [n for n in block if _indent(lines[n]) == level]):
        return None
    if len(same) < len(beside) or here == 0:
        return _misaligned(lines, same[-1], line)
    return _misaligned(lines, line, _sibling(lines, line, same[0]))


def _sibling(lines: list[str], line: int, inner: int) -> int:
    """Return the line that `line` should be aligned with: `inner`, or one that is indented less.

    An item is aligned with items, and a key cannot be as deep as the lines below it.
    """
    outer = _outer(lines, line, inner)
    below = next((n for n in range(line + 1, len(lines)) if _has_content(lines[n])), line)
    is_parent = _opens(lines[line]) and _indent(lines[line]) < _indent(lines[below])
    if is_parent and _indent(lines[below]) <= _indent(lines[inner]):
        return outer
    return outer if _is_item(lines[line]) and not _is_item(lines[inner]) else inner


def _outer(lines: list[str], line: int, start: int) -> int:
    """Return the nearest line from `start` upwards that is indented less than `line`."""
    depth = _indent(lines[line])
    above = range(start, -1, -1)
    return next((n for n in above if _has_content(lines[n]) and _indent(lines[n]) < depth), start)


def _too_deep(lines: list[str], line: int) -> Mistake | None:
    above = _above(lines, line)
    if above is None or not KEY.match(lines[line]) or _indent(lines[line]) <= _indent(lines[above]):
        return None
    before = _above(lines, above)
    if before is not None and _indent(lines[before]) == _indent(lines[line]):
        return _misaligned(lines, above, before)
    return _misaligned(lines, line, above)


def _misaligned(lines: list[str], wrong: int, neighbour: int) -> Mistake:
    """Return the mistake of a line that should begin in the column of its neighbour."""
    indent, item = _indent(lines[wrong]), _is_item(lines[wrong])
    wants = _indent(lines[neighbour])
    if not item and (dashes := re.match(r"\s*(?:- +)*", lines[neighbour])):
        wants = dashes.end()  # of the first key
    what = "items of one list" if item else "keys of one mapping"
    what = "lines of one text" if _in_text(lines, neighbour) else what
    of = "the key of " if wants > _indent(lines[neighbour]) else ""
    message = (
        f"this line is indented by {_spaces(indent)}, {of}line {neighbour + 1} by {wants or 'none'}"
    )
    hint = f"indent it by {_spaces(wants)}" if wants else "do not indent it"
    title = hint[0].upper() + hint[1:]
    hint = f"{hint}: {what} begin in the same column"
    old, new = lines[wrong], " " * wants + lines[wrong].lstrip(" ")
    return Mistake(wrong, indent, message, Hint(hint, old, new, title))


def _in_text(lines: list[str], line: int) -> bool:
    return bool(re.search(r":\s*[|>][-+\d]*\s*(#.*)?$", lines[_outer(lines, line, line)]))


def _spaces(count: int) -> str:
    return "1 space" if count == 1 else f"{count or 'no'} spaces"


def _is_item(line: str) -> bool:
    return line.lstrip().startswith("- ")


def _opens(line: str) -> bool:
    return bool(re.search(r":\s*(#.*)?$", line))


def _above(lines: list[str], line: int) -> int | None:
    return next((n for n in range(line - 1, -1, -1) if _has_content(lines[n])), None)


def _has_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "mapping values are not allowed": (
        "this line has a second colon, or is indented too far",
        "put a text with a colon and a space in it in quotes",
    ),
    "hexdecimal number": (
        r"this escape needs more digits: 2 behind `\x`, 4 behind `\u`, 8 behind `\U`",
        r"write `\\` for a backslash, or put the text in single quotes",
    ),
    "unknown escape character": (
        "no escape begins with this character",
        r"write `\\` for a backslash, or put the text in single quotes",
    ),
    "quoted scalar": (
        "the quote that is opened here is never closed",
        "write a quote at the end of the text",
    ),
    "flow sequence": (
        "the list that is opened here is not closed, or lacks a comma",
        "write a list as `[one, two]`",
    ),
    "flow mapping": (
        "the mapping that is opened here is not closed, or lacks a comma",
        "write a mapping as `{one: 1, two: 2}`",
    ),
    "could not find expected ':'": ("this line has no colon", "write it as `key: value`"),
    "block mapping": ("this does not line up with the keys above", "indent keys alike"),
    "block collection": ("this does not line up with the list above", "indent items alike"),
    "block sequence entries": (
        "an item of a list cannot begin here",
        "write `- …` in a line of its own",
    ),
    "cannot start any token": ("a text cannot begin with this character", "put the text in quotes"),
}
"""Message and hint by a part of the parser's message."""
