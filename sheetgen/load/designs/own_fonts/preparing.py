"""Prepare the fonts of authors: any font file becomes a plain TrueType font that fits our layouts.

It has one weight, the letters that prints may need, and the line metrics of the font of ours that
it stands in for; that font also lends the letters that it lacks. The file is a stranger's, so it is
parsed in a process of its own, with limits on time and memory, and only once: the result is cached.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from sheetgen import __version__
from sheetgen.diag.notices import announced
from sheetgen.load.cache import code_stamp, read_cache, store_in_cache
from sheetgen.load.designs.fonts import FontFile, find_font, font_digest
from sheetgen.load.designs.own_fonts.building import BadFont, build_own_font
from sheetgen.load.files import read_document
from sheetgen.model.source import Text

_MOST_BYTES: Final = 40_000_000
"""Of a font file; fonts of Chinese have twenty megabytes."""

_SECONDS: Final = 120
_MEMORY: Final = 3_000_000_000
_CHILD: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from sheetgen.load.designs.own_fonts.preparing import run_child; run_child(*sys.argv[2:])"
)


def prepare_font(path: Path, name: Text, face: str, ours: str) -> FontFile:
    """Return the font file at `path`, prepared for `face`: from the cache, or parsed now.

    Args:
        name: How the author's file names it.
        face: Such as `text-600`; of a variable font, this weight is taken.
        ours: The name of the font file that it stands in for.

    Raises:
        BadFont: It cannot be used.
    """
    read = read_document(path, _MOST_BYTES)
    if read.value is None:
        raise BadFont(f"cannot be used: {read.findings[0].message}")
    digest = hashlib.sha256(read.value).hexdigest()
    stamp = f"{__version__}-{code_stamp('load/designs/own_fonts', 'model/designs')}"
    key = f"{digest[:32]}-{face}-{font_digest(ours)[:8]}-{stamp}.font"
    kept = read_cache(key)
    if kept is None:
        with announced(f"preparing {name} as {face}"):
            kept = _run_in_child(read.value, face, find_font(ours))
        store_in_cache(key, kept)
    head, _, data = kept.partition(b"\n")
    stem = re.sub("[^A-Za-z0-9]+", "-", path.stem).strip("-") or "font"
    file = FontFile(f"{stem}-{face}-{digest[:8]}.ttf", name.span)
    file.path, file.data, file.lent = path, data, json.loads(head)["lent"]
    return file


def _run_in_child(data: bytes, face: str, ours: Path) -> bytes:
    """Return what `run_child` writes, from a process that can do no harm.

    Raises:
        BadFont: The font cannot be used.
    """
    command = [sys.executable, "-P", "-c", _CHILD, str(Path(__file__).parents[4]), face, str(ours)]
    try:
        run = subprocess.run(  # noqa: S603 - our own code, by our own Python
            command, input=data, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise BadFont("takes too long to read") from None
    except OSError as error:
        raise BadFont(f"cannot be read here: {error.strerror}") from None
    if run.returncode or not run.stdout.startswith(b"{"):
        raise BadFont("is damaged")
    head = json.loads(run.stdout.partition(b"\n")[0])
    if head.get("wrong"):
        raise BadFont(head["wrong"])
    return run.stdout


def run_child(face: str, ours: str) -> None:
    """Read a font from the standard input; write a line of JSON and the prepared font."""
    _limit_resources()
    head: dict[str, str] = {}
    font = b""
    try:
        font, head["lent"] = build_own_font(sys.stdin.buffer.read(), face, Path(ours).read_bytes())
    except BadFont as error:
        head["wrong"] = str(error)
    except Exception:  # noqa: BLE001 - a stranger's font makes the library raise anything
        head["wrong"] = "is damaged"
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + font)


def _limit_resources() -> None:
    try:
        import resource
    except ImportError:  # Windows has a limit of time only.
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
