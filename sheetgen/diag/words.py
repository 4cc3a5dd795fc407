"""Articles, verbs and repeated phrases of messages."""

from __future__ import annotations

from sheetgen.diag.spans import Span


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
    it, names = "it" if len(packages) == 1 else "them", " ".join(packages)
    return f"install {it}: `pip install {names}`"


def count_is(count: int) -> str:
    """Return a number with its verb: `1 is`, `2 are`."""
    return f"{count} {'is' if count == 1 else 'are'}"


def repeated(name: str, span: Span, first: str, first_span: Span) -> str:
    """Return the message for a name that occurs twice, perhaps under another alias."""
    line = "this line" if span.line == first_span.line else f"line {first_span.line}"
    if name.casefold() == first.casefold():
        return f"`{name}` is in {line} already"
    return f"`{name}` means the same as `{first}`, which is in {line} already"
