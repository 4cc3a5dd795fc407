"""Findings, completions and places as types of the Language Server Protocol."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from lsprotocol import types
from pygls.uris import from_fs_path

from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.diag.visible import visible
from sheetgen.lsp.completion import Completion
from sheetgen.lsp.session import Session
from sheetgen.lsp.text.places import KEY
from sheetgen.lsp.text.positions import OpenText
from sheetgen.lsp.text.symbols import Symbol

_SEVERITIES: Final = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}


def location(session: Session, span: Span) -> types.Location:
    """Return a span in any file."""
    text = session.text_of(span.file)
    where = text_range(text, *text.span_offsets(span))
    return types.Location(uri_of(session, span.file), where)


def uri_of(session: Session, file: str) -> str:
    """Return the address of a file, as the editor writes it if it is open."""
    document = session.document(file)
    if document is not None:
        return document.uri
    return from_fs_path(os.path.abspath(file)) or ""


def diagnostic(finding: Finding, text: OpenText) -> types.Diagnostic:
    """Return a finding about `text`, with its rule and its hint."""
    lines = [finding.message]
    lines += [f"rule: {finding.rule}"] if finding.rule else []
    lines += [f"hint: {finding.hint}"] if finding.hint else []
    return types.Diagnostic(
        text_range(text, *text.span_offsets(finding.span)),
        "\n".join(map(visible, lines)),
        severity=_SEVERITIES[finding.severity],
        code=finding.code.id,
        source="sheetgen",
    )


def completion_item(one: Completion, number: int, text: OpenText) -> types.CompletionItem:
    """Return a completion; `number` is its place in the list."""
    kinds = types.CompletionItemKind
    return types.CompletionItem(
        one.label,
        kind=kinds.Property if one.sort == KEY else kinds.Value,
        detail=one.detail or None,
        documentation=types.MarkupContent(types.MarkupKind.Markdown, one.about)
        if one.about
        else None,
        sort_text=f"{number:05}",
        filter_text=one.label,
        text_edit=types.TextEdit(text_range(text, one.start, one.end), one.text),
    )


def document_symbols(text: OpenText, found: Iterable[Symbol]) -> list[types.DocumentSymbol]:
    """Return the outline of `text`."""
    return [
        types.DocumentSymbol(
            one.name,
            types.SymbolKind.Field,
            text_range(text, one.start, one.end),
            text_range(text, one.start, one.name_end),
            detail=one.detail or None,
            children=document_symbols(text, one.below),
        )
        for one in found
    ]


def text_edit(text: OpenText, span: Span, new: str) -> types.TextEdit:
    """Return the edit that puts `new` in the place of a span."""
    return types.TextEdit(text_range(text, *text.span_offsets(span)), new)


def line_edits(old: OpenText, new: str) -> list[types.TextEdit]:
    """Return the edits that change `old` into a text with as many lines."""
    edits, start = [], 0
    for before, after in zip(old.text.splitlines(True), new.splitlines(True), strict=True):
        if before != after:
            edits.append(types.TextEdit(text_range(old, start, start + len(before)), after))
        start += len(before)
    return edits


def offset_at(text: OpenText, position: types.Position) -> int:
    """Return the offset of a position."""
    return text.offset(position.line, position.character)


def text_range(text: OpenText, start: int, end: int) -> types.Range:
    """Return the range between two offsets."""
    return types.Range(types.Position(*text.position(start)), types.Position(*text.position(end)))
