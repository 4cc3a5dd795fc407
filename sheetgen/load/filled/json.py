"""Parse the JSON that an HTML sheet saves; JSON is YAML, so our bounded YAML reader reads it."""

from __future__ import annotations

from sheetgen.diag import read_codes
from sheetgen.load.filled.raw import FormError, FormFields
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.filled import ON, Field
from sheetgen.model.source import Node, Pairs, ScalarNode

KIND = "filled sheet"
"""The value of `sheetgen` in such a file."""

FORMAT = "1"


def parse_json_form(text: str) -> FormFields:
    """Return the fields of a saved file.

    Raises:
        FormError: The file is damaged, or no filled sheet.
    """
    parsed = parse_yaml(text, "saved", exact=True)
    root = parsed.value.root if parsed.value is not None else None
    if not isinstance(root, Pairs):
        reason = f": {parsed.findings[0].message}" if parsed.findings else ""
        raise FormError(read_codes.DAMAGED, f"this is no complete JSON{reason}", "save it again")
    if _text(root, "sheetgen") != KIND:
        raise FormError(
            read_codes.NOT_OURS, "this JSON is no filled sheet", "is it the right file?"
        )
    if _text(root, "format") != FORMAT:
        message = f"a filled sheet of format {_text(root, 'format') or 'nothing'} is not known"
        raise FormError(read_codes.NOT_OURS, message, f"format {FORMAT} is; is sheetgen too old?")
    meta = {key: _text(root, key) for key in ("ruleset", "version", "character")}
    raw = FormFields({**meta, "source": _text(root, "digest")})
    fields, printed = root.get("fields"), root.get("printed")
    if not isinstance(fields, Pairs):
        raise FormError(read_codes.NO_FORM, "this file has no fields", "save it again")
    before = _values(printed)
    for key, node in fields.entries:
        value = _value(node)
        old = before.get(key.raw, value)
        box = isinstance(node, ScalarNode) and isinstance(node.value, bool)
        raw.put(Field(key.raw, value, old, box))
    return raw


def printed_in(facts: str) -> dict[str, str] | None:
    """Return the printed texts by field from the facts of a page; None if they have none."""
    parsed = parse_yaml(facts, "facts", exact=True)
    root = parsed.value.root if parsed.value is not None else None
    printed = root.get("printed") if isinstance(root, Pairs) else None
    return _values(printed) if isinstance(printed, Pairs) else None


def _values(node: Node | None) -> dict[str, str]:
    return {key.raw: _value(n) for key, n in node.entries} if isinstance(node, Pairs) else {}


def _value(node: Node) -> str:
    if not isinstance(node, ScalarNode) or (node.value is None and not node.quoted):
        return ""
    if isinstance(node.value, bool):
        return ON if node.value else ""
    return node.raw


def _text(root: Pairs, key: str) -> str:
    node = root.get(key)
    return (
        node.raw[:1000]
        if isinstance(node, ScalarNode) and (node.quoted or node.value is not None)
        else ""
    )
