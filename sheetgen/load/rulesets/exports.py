"""Files under `exports/` in a ruleset's folder: how it goes to another program."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sheetgen.diag.findings import Checked, Finding
from sheetgen.load.files import read_text
from sheetgen.load.sources import read_source
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Node, Pairs

FOLDER: Final = "exports"


def read_export_map(rules: Ruleset, pattern: str) -> Checked[Node]:
    """Return the tree of a ruleset's file; None without findings if there is none.

    An overlay's file is laid over its base's: mappings are merged, other values replaced.

    Args:
        pattern: The names of the files, such as `foundry-*.yaml`.
    """
    root: Node | None = None
    findings: list[Finding] = []
    for origin in rules.composition.origins:
        for path in sorted(Path(origin.folder, FOLDER).glob(pattern)):
            read = read_source(path)
            findings += read.findings
            if read.value is not None and read.value.root is not None:
                root = read.value.root if root is None else _lay_over(root, read.value.root)
    return Checked(None if findings else root, tuple(findings))


def read_licences(rules: Ruleset) -> str:
    """Return the texts of the licences of a ruleset and of those that it extends."""
    paths = (Path(origin.folder, "LICENSE.txt") for origin in rules.composition.origins)
    read = (read_text(path).value for path in paths if path.is_file())
    return "\n\n".join(found[0].strip() for found in read if found is not None)


def _lay_over(base: Node, above: Node) -> Node:
    if not isinstance(base, Pairs) or not isinstance(above, Pairs):
        return above
    entries = {key.raw: (key, node) for key, node in base.entries}
    for key, node in above.entries:
        old = entries.get(key.raw)
        entries[key.raw] = (key, node if old is None else _lay_over(old[1], node))
    return Pairs(above.span, tuple(entries.values()))
