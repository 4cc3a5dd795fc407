"""Near matches, for hints about misspelt names."""

from __future__ import annotations

import difflib
import shlex
import sys
from collections.abc import Iterable
from itertools import count
from os.path import commonprefix
from pathlib import Path
from typing import Final

from sheetgen.diag.findings import Hint, NamesHint, Span

_ALIKE: Final = 0.75  # of a misspelt name; at 0.6, unrelated names of similar letters match
_SHORT: Final = 4
_ALIKE_SHORT: Final = 0.66  # The least similarity of short names: one of three letters may be wrong
_STEM: Final = 4, 0.6
"""The least number of initial letters that two forms of a word share, and their least share of the
longer form."""

_LONGEST: Final = 80
_MOST_LISTED: Final = 20  # names that a hint lists all; of more it lists the first
_FIRST_LISTED: Final = 12

MOST_SEARCHES: Final = 2_000
"""The most misspelt names of a run that are searched for: a file may hold 50,000 of them, and a
search takes half a millisecond."""

MOST_TRIALS: Final = 10_000  # checks of a run that try other names, for milliseconds each
_searches = count(1)
_trials = count(1)


def begin_run() -> None:
    """Reset the counts of searches and trials at the start of a run."""
    global _searches, _trials
    _searches, _trials = count(1), count(1)


def may_search() -> bool:
    """Count one more search; whether the run may still make it."""
    return next(_searches) <= MOST_SEARCHES


def may_try() -> bool:
    """Count one more check with another name; whether the run may still make it."""
    return next(_trials) <= MOST_TRIALS


def nearest(word: str, names: Iterable[str]) -> str:
    """Return the one of `names` that `word` most likely means, or an empty string.

    A part of a name matches too: `smtih` means `John Smith`. So does another form of the word:
    `soothing` means `soothe`, and `unique skill` means `unique`.
    """
    if not may_search():
        return ""
    by_lower = {name.lower(): name for name in names}
    asked = word.lower()[:_LONGEST]
    found = difflib.get_close_matches(
        asked, by_lower, n=1, cutoff=_ALIKE_SHORT if len(asked) <= _SHORT else _ALIKE
    )
    if found:
        return by_lower[found[0]]
    parts: dict[str, str] = {}
    for lower, name in by_lower.items():
        for part in lower.replace(".", " ").split():
            if len(part) > 3:  # not `of` or `the`
                parts.setdefault(part, name)
    if found := difflib.get_close_matches(asked, parts, n=1, cutoff=_ALIKE):
        return parts[found[0]]
    stems = {n: len(commonprefix([asked, n])) for n in by_lower}  # noqa: RUF071 - of letters
    least, share = _STEM
    alike = (n for n, stem in stems.items() if stem >= max(least, share * max(len(n), len(asked))))
    words = (w for w in asked.split() if w in by_lower and len(w) >= least)
    return by_lower.get(max((*alike, *words), key=stems.__getitem__, default=""), "")


def name_hint(word: str, names: Iterable[str], listed: str) -> str:
    """Return a hint: the nearest of `names`, or else the text `listed`, which lists them."""
    known = tuple(dict.fromkeys(names))
    near = nearest(word, known)
    return Hint(f"did you mean `{near}`?", word, near) if near else NamesHint(listed, word, known)


def suggestion(word: str, names: Iterable[str], what: str = "") -> str:
    """Return a hint: the nearest name, or the names to choose from; `what` is their plural."""
    known = list(dict.fromkeys(names))
    shown = ", ".join(known if len(known) <= _MOST_LISTED else [*known[:_FIRST_LISTED], "…"])
    hint = name_hint(word, known, f"use one of{f' the {what}' if what else ''}: {shown}")
    if isinstance(hint, NamesHint) and len(known) < 2:
        return Hint(f"use `{known[0]}`", word, known[0]) if known else ""
    return hint


def a(noun: str) -> str:
    """Return `noun` with its article: `a skill`, `an attribute`, `an HTML file`."""
    initials = noun[:2].isupper()  # pronounced letter by letter: an HTML file, a PDF
    vowel = noun[:1] in "AEFHILMNORSX" if initials else noun[:1].lower() in "aeio"
    return f"{'an' if vowel else 'a'} {noun}"


def pip_hint(*packages: str) -> str:
    """Return the hint that tells how to install optional packages.

    It names the packages themselves, never an extra of ours: our distribution's name is not the
    command's, so a name typed from memory would install a stranger's program.
    """
    return f"install {'it' if len(packages) == 1 else 'them'}: `{install_command(*packages)}`"


def install_command(*packages: str) -> str:
    """Return the command that adds packages to the environment that runs this program.

    uv and pipx keep a program in an environment of its own, which `pip` does not see.
    """
    homes, names = set(Path(sys.prefix).parts), " ".join(packages)
    if {"pipx", "venvs"} <= homes:
        return f"pipx inject {Path(sys.prefix).name} {names}"
    if {"uv", "tools"} <= homes:
        return f"uv pip install --python {shlex.quote(sys.prefix)} {names}"
    return f"pip install {names}"


def count_is(count: int) -> str:
    """Return a number with its verb: `1 is`, `2 are`."""
    return f"{count} {'is' if count == 1 else 'are'}"


def repeated(name: str, span: Span, first: str, first_span: Span) -> str:
    """Return the message for a name that occurs twice, perhaps under another alias."""
    line = "this line" if span.line == first_span.line else f"line {first_span.line}"
    if name.casefold() == first.casefold():
        return f"`{name}` is in {line} already"
    return f"`{name}` means the same as `{first}`, which is in {line} already"
