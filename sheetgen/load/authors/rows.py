"""Templates that rows fill."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Mapping
from typing import Final

from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.rows.tables import Cells, row_finding
from sheetgen.load.yaml.tree import parse_yaml, scalar
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source

_PLACE: Final = re.compile(r"\$(?:\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*)|(\$))")


def fill_template(template: Source, row: tuple[str, Cells]) -> Checked[Source]:
    """Return `template` with the cells of a row in it, as the source of one character.

    Findings point at the template and name the row.

    Args:
        row: A label for findings, and the cells.
    """
    label, cells = row
    filler = _Filler(label, dict(cells))
    root = filler.node(template.root) if template.root else None
    digest = hashlib.sha256(f"{template.digest}\0{cells!r}".encode()).hexdigest()
    source = dataclasses.replace(template, root=root, digest=digest)
    return Checked(source, tuple(filler.findings))


@dataclasses.dataclass
class _Filler:
    """Fills the nodes of a template with the cells of one row."""

    label: str
    cells: Mapping[str, str]
    findings: list[Finding] = dataclasses.field(default_factory=list)

    def node(self, node: Node) -> Node:
        """Return `node` with the cells in it; keys of empty cells are left out."""
        if isinstance(node, Many):
            return Many(node.span, tuple(self.node(item) for item in node.items))
        if isinstance(node, Pairs):
            pairs = ((key, self.node(value)) for key, value in node.entries)
            return Pairs(node.span, tuple(pair for pair in pairs if not _is_empty(pair[1])))
        return self.text(node) if "$" in node.raw else node

    def text(self, leaf: ScalarNode) -> Node:
        """Return a text with cells; a text that is one `$column` has the cell's own type."""
        text = _PLACE.sub(lambda match: self.cell(match, leaf), leaf.raw)
        if leaf.quoted or not _PLACE.fullmatch(leaf.raw):
            return ScalarNode(leaf.span, text, text, leaf.quoted)
        if text[:1] not in ("[", "{"):
            return ScalarNode(leaf.span, scalar(text), text, leaf.quoted)
        read = parse_yaml(text, leaf.span.file)
        for finding in read.findings:
            message = f"{self.label}: in this cell, {finding.message}"
            self.findings.append(row_finding(leaf.span, message, finding.hint))
        if read.value is None or read.value.root is None:
            return leaf
        return _move(read.value.root, leaf.span)

    def cell(self, match: re.Match[str], leaf: ScalarNode) -> str:
        """Return the cell that `$column` names; `$$` is a dollar sign."""
        if match[3]:
            return "$"
        name = (match[1] or match[2] or "").strip()
        if name not in self.cells:
            message = f"{self.label}: there is no column `{name}`"
            hint = suggestion(name, self.cells, "columns")
            self.findings.append(row_finding(leaf.span, message, hint))
        return self.cells.get(name, "")


def _is_empty(value: Node) -> bool:
    return isinstance(value, ScalarNode) and value.raw == "" and not value.quoted


def _move(node: Node, span: Span) -> Node:
    """Return a node of a cell with `span`, the place of the template's `$column`."""
    if isinstance(node, Many):
        return Many(span, tuple(_move(item, span) for item in node.items))
    if isinstance(node, Pairs):
        pairs = ((dataclasses.replace(k, span=span), _move(v, span)) for k, v in node.entries)
        return Pairs(span, tuple(pairs))
    return dataclasses.replace(node, span=span)
