"""Control characters in author text: find, name and remove them."""

from __future__ import annotations

import re
from typing import Final

from sheetgen.diag.visible import visible

_DROPPED: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]"
)
"""Control characters except tab and line breaks, and characters that change the text direction."""


def strip_controls(text: str) -> str:
    """Return `text` without control characters; one that separates words becomes a space."""
    return _DROPPED.sub(lambda found: " " if found[0].isspace() else "", text)


def controls_in(text: str) -> str:
    r"""Return the control characters of `text` for a message, such as "`\x1b`, `\x07`"."""
    found = dict.fromkeys(_DROPPED.findall(text))
    return ", ".join(f"`{visible(one)}`" for one in found)


def has_controls(text: str) -> bool:
    """Whether `text` has a character that `strip_controls` removes."""
    return not text.isprintable() and _DROPPED.search(text) is not None
