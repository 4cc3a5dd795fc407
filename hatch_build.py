"""Adds compiled plates to the wheel, so that it prints without the layout engine's libraries.

`content/plates.store` has those of few looks; `make plates` writes it anew.
A release (`make wheel`) has all looks: they take a quarter of an hour.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FILE = "content/plates.store"


class Plates(BuildHookInterface[Any]):
    """Adds the store of plates; see `sheetgen/materials/wheel.py`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add `content/` with the store that `SHEETGEN_PLATES` names, or that of the repository."""
        if version == "editable":
            return
        root = Path(self.root)
        files = {f"content/{path.name}": path for path in (root / "content").iterdir()}
        files[FILE] = root / os.environ.get("SHEETGEN_PLATES", FILE)
        for name, path in files.items():
            build_data["force_include"][str(path)] = f"sheetgen/_data/{name}"


def main(store: Path, word: str) -> None:
    """Write the store; what is still good in it is reused."""
    from sheetgen.materials.wheel import build_plate_archive

    start = time.monotonic()

    def tell(done: int, of: int, title: str) -> None:
        seconds = round(time.monotonic() - start)
        print(f"plates: {done} of {of}, {title}, {seconds} s", flush=True)

    store.parent.mkdir(exist_ok=True)
    store.write_bytes(build_plate_archive(store, word, tell))


if __name__ == "__main__":  # its workers import this file
    main(Path(sys.argv[1]), sys.argv[2])
