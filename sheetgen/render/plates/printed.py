"""What is printed on a page, said shorter: the engine spells out much that means nothing."""

from __future__ import annotations

import re
from typing import Any, Final

DRAWN: Final = re.compile(rb"/([!-.0-~]+)\s+Do\b")
_STATE: Final = re.compile(rb"/([aA]1(?:\.0)?)\s+gs\s")
_NO_KERN: Final = re.compile(rb">0(?=[<\]])")
_KERNED: Final = re.compile(rb"(-?\d+(?:\.\d+)?)<>(-?\d+(?:\.\d+)?)")


def shorten_content(content: bytes, resources: Any) -> bytes:
    """Return `content` with the same look.

    Each picture in a style sheet becomes a group of its own, half a kilobyte for a rule,
    and slow to show; one that is opaque is the same when it is drawn in place.
    """
    states = resources.get("/ExtGState", {})
    opaque = all(_opaque(state) for state in states.values())
    groups = {
        name[1:].encode(): group
        for name, group in resources.get("/XObject", {}).items()
        if _is_plain(group, None if opaque else states)
    }

    def in_place(match: re.Match[bytes]) -> bytes:
        if match[1] not in groups:
            return match[0]
        return b"q\n%s\nQ" % bytes(groups[match[1]].read_bytes())

    content = DRAWN.sub(in_place, content)
    if opaque:
        content = _STATE.sub(b"", content)
    content = _KERNED.sub(_together, content)
    return _NO_KERN.sub(b">", content).replace(b"><", b"")


def _together(match: re.Match[bytes]) -> bytes:
    """Return one step for two: the engine writes kerning and letter spacing apart."""
    return b"%g" % round(float(match[1]) + float(match[2]), 2)


def _opaque(state: Any) -> bool:
    return all(key in ("/ca", "/CA") and float(value) == 1 for key, value in state.items())


def _is_plain(group: Any, states: Any) -> bool:
    """Return whether `group` uses nothing but opaque states.

    Args:
        group: A form or a picture.
        states: Those that the page must have too, or None if they are dropped.
    """
    if group.get("/Subtype") != "/Form" or "/Matrix" in group:
        return False
    inner = group.get("/Resources", {})
    if any(len(inner.get(key, {})) for key in ("/XObject", "/Pattern", "/Shading")):
        return False
    used = inner.get("/ExtGState", {})
    if not all(_opaque(state) for state in used.values()):
        return False
    content = bytes(group.read_bytes())
    drawn = b"/lab-" not in content and b" Tf" not in content
    return drawn and (states is None or all(name in states for name in used))
