"""Adds compiled plates to the wheel, so that it prints without the layout engine's libraries.

Plates take a quarter of an hour, so a wheel has none unless `SHEETGEN_PLATES` asks for them:
`all` for a release (`make wheel`), `quick` for the standard look only, enough for a test.
`pip install .` in a clone takes seconds, and each print makes the plate that it needs, once.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_MAKE = """
import sys
import time
from pathlib import Path
from sheetgen.render.flow.layout import NoEngine
from sheetgen.materials.wheel import build_plate_archive

if __name__ == "__main__":
    store, start = Path(sys.argv[1]), time.monotonic()

    def tell(done, of, title):
        seconds = round(time.monotonic() - start)
        print(f"plates: {done} of {of}, {title}, {seconds} s", flush=True)

    try:
        content = build_plate_archive(store, sys.argv[3], tell)
    except NoEngine as error:
        print(f"{error}; to install: {error.hint}")
        sys.exit(int(sys.argv[2]))
    store.write_bytes(content)
"""

_WORDS = ("all", "quick")

_NO_ENGINE = 3
"""The status that says so; after any other failure there is no wheel."""


class Plates(BuildHookInterface[Any]):
    """Makes the store of plates; see `sheetgen/materials/wheel.py`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the store to the wheel; an editable install has none, and makes what it needs."""
        word = os.environ.get("SHEETGEN_PLATES", "")
        if version == "editable" or not word:
            return
        if word not in _WORDS:
            raise ValueError(f"SHEETGEN_PLATES is {' or '.join(_WORDS)}, not `{word}`")
        # It stays in `build`, and the next build takes from it what is still good.
        store = Path(self.root) / "build" / "plates.store"
        status = _make(Path(self.root), store, word)
        if status == _NO_ENGINE:
            said = "this wheel has no plates: whoever installs it needs Pango to print"
            self.app.display_warning(f"sheetgen: {said}")
        elif status:
            raise RuntimeError("the plates of this wheel could not be made; see above")
        else:
            build_data["force_include"][str(store)] = "sheetgen/_data/plates.store"


def _make(top: Path, store: Path, word: str) -> int:
    """Write the store, in a process of its own; return the status of that.

    Finished plates are kept in `build/cache`, so that an interrupted build goes on from them.
    """
    store.parent.mkdir(exist_ok=True)
    script = store.with_name("make_plates.py")  # a file: its workers begin by importing it
    script.write_text(_MAKE, encoding="utf-8")
    paths = [str(top), *filter(None, [os.environ.get("PYTHONPATH")])]
    more = {"PYTHONPATH": os.pathsep.join(paths), "XDG_CACHE_HOME": str(store.parent / "cache")}
    return subprocess.run(
        [sys.executable, script, store, str(_NO_ENGINE), word],
        env={**os.environ, **more},
        stdout=sys.stderr,
        check=False,
    ).returncode
