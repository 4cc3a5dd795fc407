"""Where the data is that comes with sheetgen."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path


@cache
def data_folder() -> Path:
    """Return the folder of `content/` and `templates/`: a wheel's package, or a checkout's top."""
    package = Path(__file__).resolve().parent
    installed = package / "_data"
    return installed if os.path.isdir(installed) else package.parent


def templates_folder() -> Path:
    """Return the folder of the designs that come with sheetgen."""
    return data_folder() / "templates"
