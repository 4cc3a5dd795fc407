"""Read the pictures that a file names; see `load.pictures`."""

from __future__ import annotations

from typing import Final

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.values import is_blank
from sheetgen.diag.picture_codes import NO_ALT

_ALTS: Final = {"portrait": "Portrait of {}"}


def read_pictures(draft: Draft) -> None:
    """Put the pictures of the file into `draft.pictures`; ask for a description once."""
    if not draft.picture_nodes:
        return
    from sheetgen.load.pictures.reader import read_picture  # Most files need none of it.

    name = draft.texts.get("name", "") or "somebody"
    for key, node in draft.picture_nodes.items():
        if is_blank(node):
            continue
        read = read_picture(node, key, _ALTS.get(key, "Picture of {}").format(name))
        reported = any(finding.code is NO_ALT for finding in draft.findings)
        draft.findings += [f for f in read.findings if not (reported and f.code is NO_ALT)]
        if read.value is not None:
            draft.pictures[key] = read.value
