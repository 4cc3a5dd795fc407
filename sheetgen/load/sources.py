"""Read and parse a YAML file whose root is a mapping."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Span
from sheetgen.load.files import read_text
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.source import Pairs, Source

_HEAD: Final = re.compile(r"\ufeff?---[ \t]*\r?\n((?:.*\n)*?)---[ \t]*(?:\r?\n|\Z)")


def split_head(text: str) -> tuple[str, str] | None:
    """Return the keys between two lines of `---` in their places, and what is below; or None."""
    found = _HEAD.match(text)
    return ("\n" + found[1], text[found.end() :]) if found is not None else None


def read_source(path: Path) -> Checked[Source]:
    """Return the YAML file at `path`, or the keys that a Markdown file begins with.

    If its root is no mapping, there is a finding.
    """
    read = read_text(path)
    if read.value is None:
        return Checked(None, read.findings)
    text, digest = read.value
    if path.suffix.lower() == ".md" and (parts := split_head(text)) is not None:
        text = parts[0]
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
