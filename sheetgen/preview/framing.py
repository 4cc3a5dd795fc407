"""Prepare an HTML print for the sandboxed frame of the preview's page."""

from __future__ import annotations

import base64
import hashlib
import html
import pkgutil
import re
from functools import cache
from typing import Final

_META: Final = re.compile(rb'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
_STYLE: Final = re.compile(rb"<style>.*?</style>", re.DOTALL)
_FRAMED: Final = "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"
"""The frame is an origin of its own: scripts in it cannot reach the page or the server."""


@cache
def page_file(name: str) -> bytes:
    """Return one of the preview's own files."""
    data = pkgutil.get_data("sheetgen.preview", f"page/{name}")
    assert data is not None
    return data


def read_policy(content: bytes) -> str:
    """Return the policy of an HTML print; prints of one policy have equal styles and scripts."""
    found = _META.search(content)
    return html.unescape(found[1].decode()) if found is not None else ""


def without_styles(content: bytes) -> bytes:
    """Return an HTML print for a frame that shows another one with the same policy."""
    return _STYLE.sub(b"", content, count=1)


def frame_print(content: bytes) -> tuple[bytes, str]:
    """Return an HTML print with the script that keeps its scroll place, and its policy.

    The policy is the print's own, which allows its scripts and styles by their hashes, and the
    hash of that script.
    """
    script = page_file("frame.js")
    digest = base64.b64encode(hashlib.sha256(script).digest()).decode()
    found = _META.search(content)
    own = read_policy(content) or "default-src 'none'"
    rules = [rule.strip() for rule in own.split(";") if rule.strip()]
    scripts = next((rule for rule in rules if rule.startswith("script-src ")), "script-src")
    rules = [*(rule for rule in rules if rule != scripts), f"{scripts} 'sha256-{digest}'"]
    at = found.start() if found is not None else 0
    element = b"<script>" + script + b"</script>"  # its own policy begins behind it
    return content[:at] + element + content[at:], "; ".join((*rules, _FRAMED))
