"""Read and parse a YAML file whose root is a mapping."""

from __future__ import annotations

from pathlib import Path

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Span
from sheetgen.load.files import read_text
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.source import Pairs, Source


def read_source(path: Path) -> Checked[Source]:
    """Return the YAML file at `path`; if its root is no mapping, there is a finding."""
    read = read_text(path)
    if read.value is None:
        return Checked(None, read.findings)
    text, digest = read.value
    parsed = parse_yaml(text, str(path), digest)
    if parsed.value is None:
        return parsed
    if isinstance(root := parsed.value.root, Pairs):
        return parsed
    if root is None:
        hint = "write a key, such as `ruleset: …`, or let `sheetgen new character` write the file"
        finding = Finding(codes.EMPTY, Span(str(path)), "this file is empty", hint)
    else:
        message = "a file begins with keys, such as `name: …`"
        is_csv = path.suffix.lower() == ".csv"
        hint = "start from what `sheetgen new character RULESET NAME` writes"
        if is_csv:
            hint = "name it in a book, under `sheets`, with a `template`"
        finding = Finding(codes.WRONG_TYPE, root.span, message, hint)
    return Checked(parsed.value, (*parsed.findings, finding))
