"""Sentences about the keys of YAML files, from the docstrings of their models."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any, Final

COMMON: Final = {
    "aliases": "Other names.",
    "label": "What readers see.",
    "name": "What readers see.",
    "ruling": "The code of the ruling that it follows.",
    "text": "A text for readers.",
    "why": "What the finding says where `requires`, `needs` or another condition does not hold.",
}
"""Sentences for keys that mean the same in every model."""

_ATTRIBUTE: Final = re.compile(r"^    (\S[^:]*): (.*(?:\n      .*)*)", re.MULTILINE)


def key_text(model: Any, name: str) -> str:
    """Return the sentence of the field `name`: its model's own, or that of all fields so named."""
    own = (_own_texts(one).get(name) for one in model.__mro__[:-1])
    return next(filter(None, own), COMMON.get(name.rstrip("_"), ""))


@cache
def _own_texts(model: Any) -> dict[str, str]:
    attributes = str(inspect.getdoc(model)).partition("Attributes:\n")[2]
    return {
        name: " ".join(text.split())
        for names, text in _ATTRIBUTE.findall(attributes)
        for name in names.split(", ")
    }
