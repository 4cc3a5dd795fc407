"""File names that every file system accepts, also Windows' and those that ignore case."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from itertools import chain, count
from typing import Final

_RESERVED: Final = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(?=$| *\.)", re.IGNORECASE
)
"""Device names: Windows opens the device whatever the folder and the extension."""

_FORBIDDEN: Final = re.compile(r'[<>:"\\|?*\x00-\x1f\x7f-\x9f]')
_MOST_BYTES: Final = 200
"""Of one part of a path; file systems take 255, and an extension is added."""


def portable_name(name: str) -> str:
    """Return `name` as a relative path that every file system accepts, and that stays inside.

    Characters that Windows forbids become `-`, names of devices get a `_`, dots and blanks at
    the ends of each part are dropped, long parts are cut. The result may be empty.
    """
    return "/".join(part for part in map(_portable, name.split("/")) if part)


def _portable(part: str) -> str:
    part = unicodedata.normalize("NFC", _FORBIDDEN.sub("-", part)).strip(" .")
    part = part.encode("utf-8", "replace")[:_MOST_BYTES].decode("utf-8", "ignore").strip(" .")
    return _RESERVED.sub(r"\1_", part, count=1) if _RESERVED.match(part) else part


def name_key(name: str) -> str:
    """Return a key that is equal for names that some file system treats as equal."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", name).casefold())


def free_name(stem: str, taken: Container[str], end: str = "", gap: str = "-") -> str:
    """Return `stem` and `end`, with a number between them where a name like it is taken.

    Args:
        taken: Keys (`name_key`) of names.
    """
    names = chain([f"{stem}{end}"], (f"{stem}{gap}{number}{end}" for number in count(2)))
    return next(name for name in names if name_key(portable_name(name)) not in taken)
