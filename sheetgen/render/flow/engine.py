"""The layout engine, WeasyPrint, which needs libraries of the system: loaded, or a finding."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span

_PACKAGES: Final = {
    "linux": "`apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0` (Debian, Ubuntu), "
    "`dnf install pango` (Fedora) or `pacman -S pango` (Arch)",
    "darwin": "`brew install pango`",
    "win32": "`pacman -S mingw-w64-ucrt-x86_64-pango` in MSYS2, and name the folder of its DLLs "
    "in WEASYPRINT_DLL_DIRECTORIES",
}
"""What brings Pango, by `sys.platform`."""

_LIBRARY: Final = re.compile(r"load library '(?:lib)?([\w.+-]+?)'")
"""What the engine says of the first that it did not find."""


class NoEngine(Exception):
    """Something has to be laid out, and the engine cannot be loaded.

    Attributes:
        hint: How to get what is missing.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint

    def finding(self, span: Span) -> Finding:
        """Return what there is to say to whoever wanted the print at `span`."""
        message = f"this is not laid out yet, and {self}"
        hint = f"{self.hint}; `sheetgen doctor` says what works without it"
        return Finding(codes.NO_ENGINE, span, message, hint)


def load_engine() -> Any:
    """Return the module `weasyprint`. It costs half a second: only those who lay out pay it.

    Raises:
        NoEngine: It is not installed, or lacks a library of the system.
    """
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # its advice is not our result
            import weasyprint
    except ImportError as error:
        message = f"the layout engine cannot be loaded: {error}"
        raise NoEngine(message, "`pip install weasyprint`") from None
    except OSError as error:
        named = _LIBRARY.search(str(error))
        library = f"the library `{named[1]}`, which comes with Pango" if named else str(error)
        message = f"the layout engine cannot be loaded: the system lacks {library}"
        raise NoEngine(message, install_hint(sys.platform)) from None
    return weasyprint


def install_hint(platform: str) -> str:
    """Return what to install for the engine on `platform`, as `sys.platform` spells it."""
    return _PACKAGES.get(platform, _PACKAGES["linux"])
