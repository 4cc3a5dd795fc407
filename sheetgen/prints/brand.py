"""The pictures of a publisher on one print: those of the book, the theme, and the ruleset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sheetgen.diag.findings import Checked
from sheetgen.load.designs.own_themes import find_theme
from sheetgen.model.pictures import Picture
from sheetgen.model.requests import PrintRequest


def find_brand(
    request: PrintRequest, *holders: Any, keys: tuple[str, ...]
) -> Checked[Mapping[str, Picture]]:
    """Return the pictures of a print by key, and findings about them.

    A book's come first, then those of the theme, then those of `holders`: models of YAML files,
    such as a ruleset.
    """
    own = dict(request.pictures)
    sources = (*find_theme(request.theme).own, *holders)
    wanted = [key for key in keys if key not in own]
    if not any(getattr(one, key, None) is not None for one in sources for key in wanted):
        return Checked({key: own[key] for key in keys if key in own})
    from sheetgen.load.pictures.brand import find_brand_pictures  # Most prints have none.

    found = find_brand_pictures(wanted, sources)
    return Checked({**{k: own[k] for k in keys if k in own}, **(found.value or {})}, found.findings)
