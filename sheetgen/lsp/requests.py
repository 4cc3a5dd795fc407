"""Answers to an editor's requests about a file, as types of the Language Server Protocol."""

from __future__ import annotations

from typing import TypeAlias

from lsprotocol import types

from sheetgen.lsp.completion import list_completions
from sheetgen.lsp.hover import hover_text
from sheetgen.lsp.messages import (
    completion_item,
    diagnostic,
    document_symbols,
    line_edits,
    location,
    offset_at,
    text_edit,
    text_range,
    uri_of,
)
from sheetgen.lsp.renaming import find_ids, word_at
from sheetgen.lsp.session import Document, Session
from sheetgen.lsp.text.symbols import find_symbols
from sheetgen.lsp.things import find_definitions

Cursor: TypeAlias = (
    types.CompletionParams | types.HoverParams | types.DefinitionParams | types.PrepareRenameParams
)


def complete(session: Session, document: Document, at: Cursor) -> list[types.CompletionItem]:
    """Return what may be written at a cursor."""
    offset = offset_at(document.text, at.position)
    file = session.open_file(document, offset)
    found = list_completions(file, offset, session.reader, session.texts())
    return [completion_item(one, n, document.text) for n, one in enumerate(found)]


def hover(session: Session, document: Document, at: Cursor) -> types.Hover | None:
    """Return what there is to read about the word at a cursor."""
    file, offset = session.open_file(document), offset_at(document.text, at.position)
    found = hover_text(file, offset, session.reader, session.texts())
    if found is None:
        return None
    text, start, end = found
    content = types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.Hover(content, text_range(document.text, start, end))


def find_definition(session: Session, document: Document, at: Cursor) -> list[types.Location]:
    """Return where the word at a cursor is defined."""
    file, offset = session.open_file(document), offset_at(document.text, at.position)
    return [location(session, span) for span in find_definitions(file, offset)]


def prepare_rename(session: Session, document: Document, at: Cursor) -> types.Range | None:
    """Return the place of the id at a cursor, if it can be renamed."""
    file, offset = session.open_file(document), offset_at(document.text, at.position)
    word = word_at(document.text.text, offset)
    if word is None or not find_ids(file, offset):
        return None
    return text_range(document.text, *word)


def rename_edit(session: Session, changed: dict[str, str]) -> types.WorkspaceEdit:
    """Return the edit that gives files their changed texts, which are by real path."""
    return types.WorkspaceEdit(
        {
            uri_of(session, file): line_edits(session.text_of(file), changed[file])
            for file in changed
        }
    )


def list_actions(
    session: Session, document: Document, params: types.CodeActionParams
) -> list[types.CodeAction]:
    """Return the corrections of findings in a range; at most one of a line is preferred.

    A line that is added is preferred only where nothing on the line can be corrected.
    """
    text = document.text
    start, end = offset_at(text, params.range.start), offset_at(text, params.range.end)
    found = sorted(session.corrections(document, start, end), key=lambda one: not one.span.width)
    first = {one.finding.span.line: one for one in reversed(found)}
    return [
        types.CodeAction(
            one.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic(one.finding, text)],
            is_preferred=first[one.finding.span.line] is one,
            edit=types.WorkspaceEdit({document.uri: [text_edit(text, one.span, one.text)]}),
        )
        for one in found
    ]


def list_symbols(session: Session, document: Document, _: object) -> list[types.DocumentSymbol]:
    """Return the outline of a file."""
    return document_symbols(document.text, find_symbols(document.text.text))
