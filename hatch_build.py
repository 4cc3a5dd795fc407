"""What the wheel carries besides sources: the plates of all that comes along, laid out here.

Whoever installs the wheel prints from them, without the system libraries of the layout engine.
Where this build lacks these, the wheel is built without plates, and says so. With
`SHEETGEN_PLATES=quick` it carries those of the standard look only, enough to try it.
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
from pathlib import Path
from sheetgen.render.engine import NoEngine
from sheetgen.shipping import shipment

if __name__ == "__main__":
    store = Path(sys.argv[1])
    try:
        content = shipment(store, sys.argv[3])
    except NoEngine as error:
        print(f"{error}; to install: {error.hint}")
        sys.exit(int(sys.argv[2]))
    store.write_bytes(content)
"""

_NO_ENGINE = 3
"""The status that says so; after any other failure there is no wheel."""


class Plates(BuildHookInterface[Any]):
    """Makes the store of plates; see `sheetgen/shipping.py`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the store to the wheel; an editable install has none, and makes what it needs."""
        if version == "editable":
            return
        # It stays in `build`, and the next build takes from it what is still good.
        store = Path(self.root) / "build" / "plates.store"
        status = _make(Path(self.root), store)
        if status == _NO_ENGINE:
            said = "this wheel has no plates: whoever installs it needs Pango to print"
            self.app.display_warning(f"sheetgen: {said}")
        elif status:
            raise RuntimeError("the plates of this wheel could not be made; see above")
        else:
            build_data["force_include"][str(store)] = "sheetgen/_data/plates.store"


def _make(top: Path, store: Path) -> int:
    """Write the store, in a process of its own; return the status of that."""
    store.parent.mkdir(exist_ok=True)
    script = store.with_name("make_plates.py")  # a file: its workers begin by importing it
    script.write_text(_MAKE, encoding="utf-8")
    paths = [str(top), *filter(None, [os.environ.get("PYTHONPATH")])]
    more = {"PYTHONPATH": os.pathsep.join(paths), "XDG_CACHE_HOME": str(store.parent / "cache")}
    return subprocess.run(
        [sys.executable, script, store, str(_NO_ENGINE), os.environ.get("SHEETGEN_PLATES", "")],
        env={**os.environ, **more},
        stdout=sys.stderr,
        check=False,
    ).returncode
