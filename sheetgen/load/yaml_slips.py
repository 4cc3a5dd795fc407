"""Syntax mistakes of YAML files: the line that is wrong, and what to do about it.

The parser stops where it can't go on, which is often behind the mistake. The usual mistakes
are looked for in the author's lines from there upwards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from sheetgen.diag.slips import KEY, missing_blank
from sheetgen.load.surrogates import lone_half

_OTHER: Final = (
    "this is not YAML",
    "is a quote or bracket left open, or a blank missing after a colon?",
)
_MISTAKES: Final[dict[str, tuple[str, str]]] = {
    "mapping values are not allowed": (
        "a colon stands where none can be",
        "put a text with `: ` in it in quotes; is the line indented too far?",
    ),
    "hexdecimal number": (
        r"this escape needs more digits: 2 behind `\x`, 4 behind `\u`, 8 behind `\U`",
        r"write `\\` for a backslash, or put the text in single quotes",
    ),
    "unknown escape character": (
        "no escape begins with this character",
        r"write `\\` for a backslash, or put the text in single quotes",
    ),
    "quoted scalar": ("the quote that is opened here is never closed", "close it"),
    "flow sequence": (
        "the list that is opened here is not closed, or lacks a comma",
        "a list is written `[one, two]`",
    ),
    "flow mapping": (
        "the mapping that is opened here is not closed, or lacks a comma",
        "a mapping is written `{one: 1, two: 2}`",
    ),
    "could not find expected ':'": ("this line has no colon", "a line is written `key: value`"),
    "block mapping": ("this does not line up with the keys above", "indent keys alike"),
    "block collection": ("this does not line up with the list above", "indent items alike"),
    "block sequence entries": (
        "an item of a list stands where none can be",
        "write `- …` in a line of its own",
    ),
    "cannot start any token": (
        "a text cannot begin with this character",
        "put the text in quotes",
    ),
}
"""Words of the parser's complaints, and what an author should read."""

_BEGUN: Final = (
    "the quote that",
    "the list that",
    "the mapping that",
    "this line has no colon",
)
"""What is shown where it begins, not where the parser gave up."""

_OF_INDENTS: Final = ("mapping values", "document start", "block mapping", "block collection")
"""Complaints that a wrong indent causes."""

_NO_CHARACTER: Final = ("no character has this number", "write the character itself")

_QUOTED: Final = re.compile(
    r"(?:^|[:\-\[{,])\s*(?P<open>'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\")(?P<gap>\s*)(?=[^\s,\]}:#'\"])"
)


@dataclass(frozen=True, slots=True)
class Slip:
    """A mistake: its line and column, from 0, the message, and the hint."""

    line: int
    column: int
    message: str
    hint: str


def slip_of(error: Any, lines: list[str]) -> Slip:
    """Return the mistake behind the parser's `error`."""
    mark = error.problem_mark or error.context_mark
    line = min(mark.line, len(lines) - 1) if mark else 0
    words = f"{error.context}: {error.problem}"
    if "Unicode character escape" in words:
        return _bad_escape(line, mark.column, lines[line])
    column = min(mark.column, len(lines[line])) if mark else 0
    if "\t" in lines[line][: column + 1] and not lines[line][:column].strip():
        return Slip(line, column, "a tab stands here", "indent with blanks")
    context = error.context_mark
    first = min(context.line, line) if context else line
    found = _usual(lines, max(first, line - 1), line, words)
    return found or _parsers(error, words, lines)


def _usual(lines: list[str], first: int, line: int, words: str) -> Slip | None:
    """Return a usual mistake at `line`, or in the lines from `first` on."""
    above = _above(lines, line)
    torn = _torn_quote(lines[line])
    if torn is not None:
        return Slip(line, *torn)
    for number in dict.fromkeys((line, above, first)):
        lacks = missing_blank(lines[number]) if number is not None else None
        if number is not None and lacks is not None:
            return Slip(number, *lacks)
    if any(part in words for part in _OF_INDENTS):
        return _wrong_indent(lines, line)
    if "could not find expected ':'" in words:
        return _no_colon(lines, first)
    return None


def _no_colon(lines: list[str], line: int) -> Slip | None:
    """Return the mistake of names under a key, with neither dash nor indent."""
    above = _above(lines, line)
    if above is None or not re.search(r":\s*(#.*)?$", lines[above]):
        return None
    text = lines[line].strip()
    hint = f"write `- {text}` for an item of the list, or `{text}: …` for a key with a value"
    return Slip(line, _indent(lines[line]), "this line has neither a dash nor a colon", hint)


def _torn_quote(line: str) -> tuple[int, str, str] | None:
    """Return the mistake of a quote inside a quoted text, which ends the text there."""
    found = _QUOTED.search(line)
    if found is None:
        return None
    mark = found["open"][0]
    rest = line[found.start("open") + 1 :]
    ends = [m.start() for m in re.finditer(rf"{mark}(?=\s*(?:[,\]}}]|$|#|:\s))", rest)]
    later = [end for end in ends if end >= len(found["open"]) - 1]
    inner = rest[: later[0]] if later else rest.rstrip()
    other = '"' if mark == "'" else "'"
    if other in inner or "\\" in inner:
        mended = f"'{inner.replace(chr(39), chr(39) * 2)}'"
    else:
        mended = f"{other}{inner}{other}"
    message = "the text in quotes ends at this quote, but the line goes on"
    return found.end("open") - 1, message, f"write `{mended}`"


def _wrong_indent(lines: list[str], line: int) -> Slip | None:
    """Return the line near `line` that is not indented as its neighbours are."""
    above = _above(lines, line)
    if above is None:
        return None
    here = _indent(lines[line])
    if here > _indent(lines[above]):
        return _too_deep(lines, above, line)
    block = [n for n in _upwards(lines, line) if _indent(lines[n]) > here]
    beside = [n for n in _run(lines, line) if _indent(lines[n]) == here]
    level = min((_indent(lines[n]) for n in block), default=0)
    same = [n for n in block if _indent(lines[n]) == level]
    if not same:
        return None
    if len(same) < len(beside) or here == 0:
        return _slip(lines, same[-1], line)
    return _slip(lines, line, same[0])


def _too_deep(lines: list[str], above: int, line: int) -> Slip | None:
    """Return the mistake at `line`, which stands deeper than the line above it."""
    key = KEY.match(lines[line])
    if key is None or KEY.match(lines[line], key.end()):
        return None
    if KEY.match(lines[line][key.end() :].lstrip()):
        return None  # a second colon in the line
    before = _above(lines, above)
    if before is not None and _indent(lines[before]) == _indent(lines[line]):
        return _slip(lines, above, before)
    return _slip(lines, line, above)


def _slip(lines: list[str], wrong: int, neighbour: int) -> Slip:
    has, wants = _indent(lines[wrong]), _indent(lines[neighbour])
    other = f"line {neighbour + 1} by {wants or 'none'}"
    message = f"this line is indented by {_blanks(has)}, {other}"
    hint = f"indent it like line {neighbour + 1}: keys of one mapping begin in the same column"
    if lines[wrong].lstrip().startswith("- "):
        hint = hint.replace("keys of one mapping", "items of one list")
    return Slip(wrong, has, message, hint)


def _blanks(count: int) -> str:
    return "1 blank" if count == 1 else f"{count or 'no'} blanks"


def _above(lines: list[str], line: int) -> int | None:
    """Return the nearest line above that has content."""
    return next((n for n in range(line - 1, -1, -1) if _has_content(lines[n])), None)


def _upwards(lines: list[str], line: int) -> list[int]:
    """Return the lines above up to the one that is indented no further, from the top."""
    found: list[int] = []
    here = _indent(lines[line])
    for number in range(line - 1, -1, -1):
        if _has_content(lines[number]):
            if _indent(lines[number]) <= here:
                break
            found.append(number)
    return found[::-1]


def _run(lines: list[str], line: int) -> list[int]:
    """Return `line` and those below it down to the first that is indented less."""
    found: list[int] = []
    for number in range(line, len(lines)):
        if _has_content(lines[number]):
            if _indent(lines[number]) < _indent(lines[line]):
                break
            found.append(number)
    return found


def _has_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _bad_escape(line: int, column: int, text: str) -> Slip:
    start = lone_half(text, column)
    if start is None:
        return Slip(line, column, *_NO_CHARACTER)
    hint = r"write both halves, as in `\ud83d\udc09`, or the character itself"
    return Slip(line, start, f"`{text[start : start + 6]}` is half of a character", hint)


def _parsers(error: Any, words: str, lines: list[str]) -> Slip:
    """Return what the parser says, at its place, in an author's words."""
    mark = error.problem_mark or error.context_mark
    message, hint = next((said for part, said in _MISTAKES.items() if part in words), _OTHER)
    if error.context_mark and message.startswith(_BEGUN):
        mark = error.context_mark
    line = min(mark.line, len(lines) - 1) if mark else 0
    return Slip(line, min(mark.column, len(lines[line])) if mark else 0, message, hint)
