"""Random edits: half-typed YAML, tabs, emoji, foreign line breaks, deleted lines."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sheetgen.books.checking import check_paths
from sheetgen.diag.findings import DesignError, Finding, in_order
from sheetgen.plugins.editor.lsp.files import find_definitions, hover_text, list_completions
from sheetgen.plugins.editor.lsp.server import (
    Document,
    OpenFilesChecker,
    Session,
    diagnostic,
    document_symbols,
    is_ours,
    uri_of,
)
from tests.cli.commands import ROOT, run

pytestmark = pytest.mark.slow

EDITS = 1000
PER_FILE = 25
"""Edits that follow each other in one text, before it is fresh again."""

SAMPLE = 12
"""One in so many texts is checked."""

WORDS = [
    *("\t", "😀", "\r\n", "\r", "\n", "\u2028", "\x85", "\ufeff", "é", "  ", "- ", ": ", ":", "#"),
    *("[", "]", "{", "}", ", ", "'", '"', "|", ">", "&a ", "*a", "!!x ", "%", "~", "- - ", "\x07"),
    *("name", "ruleset: ", "entries:\n  - ", "? ", "---\n", "99999999999", "-1", "1e9", "<<: *a\n"),
    *("\ud83d", "\udc09", "\x00"),  # as an editor may send them
]


def change(text: str, rng: random.Random) -> str:
    """Return a text after one edit."""
    at = rng.randint(0, len(text))
    lines = text.splitlines(keepends=True) or [""]
    line = rng.randrange(len(lines))
    match rng.randrange(8):
        case 0:
            return text[:at] + text[at + rng.randint(1, 9) :]
        case 1:
            return "".join(lines[:line] + lines[line + 1 :])
        case 2:
            return "".join([*lines[: line + 1], *lines[line:]])
        case 3:
            lines[line] = rng.choice(["\t", "  ", " "]) + lines[line]
            return "".join(lines)
        case 4:
            return text.replace("\n", "\r\n") if rng.random() < 0.3 else text[:at]
        case _:
            return text[:at] + rng.choice(WORDS) + text[at:]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Files of each kind, in folders that may be written to."""
    folder = tmp_path_factory.mktemp("edits")
    assert run("new", "ruleset", "Lamps", "--out", folder / "lamps").status == 0
    assert run("new", "ruleset", "Oil", "--extends", "d6-pips", "--out", folder / "oil").status == 0
    found = [folder / "lamps" / f"{name}.yaml" for name in ("ruleset", "traits", "gear", "screen")]
    found += [*folder.glob("lamps/characters/*.yaml"), *folder.glob("oil/modules/*.yaml")]
    for name in ("keyword-dots/vexa-thorne", "hyperspace-d6/rivet", "narrative-powers/calla"):
        found.append(Path(shutil.copy(ROOT / f"content/characters/{name}.yaml", folder)))
    fight = ROOT / "content/encounters/hyperspace-d6/salt-bridge.yaml"
    found.append(Path(shutil.copy(fight, folder)))
    (folder / "book.yaml").write_text("entries:\n  - {id: a, sheets: '*.yaml', theme: ink}\n")
    (folder / "crowd.yaml").write_text(
        "ruleset: hyperspace-d6\nkind: npc\nentries:\n  - name: A\n    level: Common\n  - name: B\n"
    )
    (folder / "raft.yaml").write_text("ruleset: hyperspace-d6\nkind: vehicle\nname: Raft\n")
    (folder / "theme.yaml").write_text("colours: {accent: '#225588'}\n")
    shutil.copytree(ROOT / "content/rulesets/d6-pips", folder / "pips")
    found += [folder / "pips" / name for name in ("kinds.yaml", "exports/foundry-od6s.yaml")]
    return [*found, *(folder / f"{name}.yaml" for name in ("book", "crowd", "raft", "theme"))]


def texts_of(path: Path, seed: int) -> Iterator[tuple[str, random.Random]]:
    """Yield the texts of a file after each of some edits."""
    rng = random.Random(seed)
    text = path.read_text()
    for _ in range(PER_FILE):
        text = change(text, rng)
        yield text, rng


def utf16_position(text: str, offset: int) -> tuple[int, int]:
    """Return the position of an offset as the protocol defines it."""
    lines = re.split("\r\n|\r|\n", text[:offset])
    return len(lines) - 1, len(lines[-1].encode("utf-16-le", "surrogatepass")) // 2


def assert_answers_are_sound(session: Session, document: Document, offset: int) -> None:
    """Ask for all that an editor asks for at a cursor."""
    text, texts = document.text, session.texts()
    file = session.open_file(document)
    for one in list_completions(file, offset, session.reader, texts):
        assert one.start <= offset <= one.end <= len(text.text), one
        first, last = text.position(one.start), text.position(one.end)
        assert first[0] == last[0], one
    found = hover_text(file, offset, session.reader, texts)
    assert found is None or (found[0] and 0 <= found[1] <= found[2] <= len(text.text))
    for span in find_definitions(file, offset):
        session.text_of(span.file).span_offsets(span)
        assert uri_of(session, span.file)
    document_symbols(text)
    if text.text[offset - 1 : offset + 1] != "\r\n":  # No position is within a line break.
        assert text.position(offset) == utf16_position(text.text, offset)
        assert text.offset(*text.position(offset)) == offset


@pytest.mark.parametrize("seed", [*range(EDITS // PER_FILE), 90, 158])  # The last ones failed.
def test_no_edit_breaks_the_answers(files: list[Path], seed: int) -> None:
    session, checker = Session(), OpenFilesChecker()
    path = files[seed % len(files)]
    saved = path.read_bytes()
    for number, (text, rng) in enumerate(texts_of(path, seed)):
        real = session.put(path.as_uri(), str(path), text, number, saved=True)
        document = session.documents[real]
        for _ in range(2):
            assert_answers_are_sound(session, document, rng.randint(0, len(text)))
        if (number + seed) % SAMPLE == 0:
            found = checker.check(str(path), {real: text})
            assert_places_are_in_the_text(found, document)
            path.write_bytes(text.encode("utf-8", "replace"))
            assert found == (checked(path) if is_ours(path, {real: text}) else ()), text
            path.write_bytes(saved)


def checked(path: Path) -> tuple[Finding, ...]:
    """Return what `check` finds in a file on disk."""
    try:
        return in_order(f for one in check_paths([path], {}) for f in one.findings)
    except DesignError as error:
        return error.findings


def assert_places_are_in_the_text(found: tuple[Finding, ...], document: Document) -> None:
    for finding in found:
        if finding.span.file == document.path:
            where = diagnostic(finding, document.text).range
            start, end = document.text.span_offsets(finding.span)
            first, last = (where.start.line, where.start.character), where.end
            assert first == utf16_position(document.text.text, start)
            assert (last.line, last.character) == utf16_position(document.text.text, end)
