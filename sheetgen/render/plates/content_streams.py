"""Shorten content streams: drop operators of WeasyPrint that have no visible effect."""

from __future__ import annotations

import re
from typing import Any, Final

DRAWN: Final = re.compile(rb"/([!-.0-~]+)\s+Do\b")
_STATE: Final = re.compile(rb"/([aA]1(?:\.0)?)\s+gs\s")
_NO_KERN: Final = re.compile(rb">0(?=[<\]])")
_KERNED: Final = re.compile(rb"(-?\d+(?:\.\d+)?)<>(-?\d+(?:\.\d+)?)")


def shorten_content(content: bytes, resources: Any) -> bytes:
    """Return a shorter content stream that draws the same.

    WeasyPrint makes a transparency group of each picture in a style sheet: half a kilobyte for
    a line, and slow to render. An opaque group is drawn in place instead.
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
    content = _KERNED.sub(_add_adjustments, content)
    return _NO_KERN.sub(b">", content).replace(b"><", b"")


def _add_adjustments(match: re.Match[bytes]) -> bytes:
    """Return one adjustment instead of two: the engine writes kerning and letter spacing apart."""
    return b"%g" % round(float(match[1]) + float(match[2]), 2)


def _opaque(state: Any) -> bool:
    return all(key in ("/ca", "/CA") and float(value) == 1 for key, value in state.items())


def _is_plain(group: Any, states: Any) -> bool:
    """Return whether `group` uses only opaque graphics states.

    Args:
        states: Graphics states that the page must have too; None if states are dropped.
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
