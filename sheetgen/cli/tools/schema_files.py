"""Files of schemas that `sheetgen schema --install` writes, and the comments that name them."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import Final

from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.write.names import portable_name

SCHEMAS: Final = "schemas"
"""The folder of the schemas, in the folder that `--install` names."""

_MOST_FOLDERS: Final = 5
"""A file's own folder and those above it in which its schema is looked for."""


def schema_file(rules: Ruleset, kind: str) -> str:
    """Return the path of the schema of a kind of file, below the folder of `--install`."""
    return f"{SCHEMAS}/{portable_name(f'{rules.id}-{kind}')}.json"


def schema_comment(target: Path, rules: Ruleset, kind: str) -> str:
    """Return the line that names the schema of a new file to editors; "" if none is installed."""
    folder = Path(os.path.abspath(target)).parent
    name = schema_file(rules, kind)
    for above in islice((folder, *folder.parents), _MOST_FOLDERS):
        if os.path.isfile(above / name):
            path = os.path.relpath(above / name, folder).replace(os.sep, "/")
            return f"# yaml-language-server: $schema={path}\n"
    return ""
