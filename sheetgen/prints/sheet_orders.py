"""Orders of sheets: of characters, of the rows of a table, and empty ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, errors, raise_warnings
from sheetgen.load.authors.characters import load_from_source
from sheetgen.load.authors.rows import fill_template
from sheetgen.load.sources import read_source
from sheetgen.model.books import Order
from sheetgen.model.prints import Plan
from sheetgen.prints.characters import Character, characters_in, judged
from sheetgen.prints.context import (
    OrderResult,
    Print,
    PrintContext,
    request_of,
    ruleset_of,
    words_of,
)
from sheetgen.prints.requests import PrintRequest, PrintResult
from sheetgen.prints.sheet import print_blank, print_sheet
from sheetgen.render.press.press import DocumentInfo, press_many
from sheetgen.write.drafts import write_draft_pdf


def sheets(order: Order, desk: PrintContext, made: OrderResult) -> None:
    """Print sheets, one a file or all in one; all that is wrong is noted."""
    request = request_of(order)
    if not order.joined:
        for one in _characters(order, desk, made):
            printed = print_sheet(one, request, desk.rack)
            _put(one, printed, order, made)
        return
    _joined(order, request, desk, made)


def _joined(order: Order, request: PrintRequest, desk: PrintContext, made: OrderResult) -> None:
    """Print all in one file, which is written as it comes: nobody holds a thousand sheets."""
    first: list[Plan] = []
    count = 0

    def plans() -> Iterator[Plan]:
        nonlocal count
        for plan in _plans(order, desk, made):
            count += 1
            first[:] = first or [plan]
            yield plan

    def whole() -> DocumentInfo:
        if not first:
            return DocumentInfo("", "", "")
        told, rules = first[0], first[0].title.rpartition(" · ")[2]
        title, meta = f"{count} characters · {rules}", {"version": told.meta["version"]}
        return DocumentInfo(title, told.lang, told.subject, meta)

    def fill(out: BinaryIO | None) -> bytes:
        return press_many(plans(), whole, flatten=request.flatten, out=out)

    files: dict[str, bytes] = {}
    drafts: dict[str, Path] = {}
    try:
        if order.preset or order.archive:  # to be made ready it has to be there as a whole
            files["pdf"] = fill(None)
        else:
            drafts["pdf"] = write_draft_pdf(desk.drafts, fill)
    except OSError as error:
        message = f"cannot write it: {(error.strerror or str(error)).lower()}"
        finding = Finding(codes.CANNOT_WRITE, order.place, message, "choose another --out")
        made.findings.append(finding)
    if first and not errors(made.findings):
        words = {"stem": Path(order.of[0]).stem, "n": "1", "ruleset": first[0].meta["ruleset"]}
        made.prints.append(Print(words, files, drafts))


def _plans(order: Order, desk: PrintContext, made: OrderResult) -> Iterator[Plan]:
    request = replace(request_of(order), kinds=())
    for one in _characters(order, desk, made):
        printed = print_sheet(one, request, desk.rack)
        made.findings += printed.findings
        if printed.plan is not None:
            yield from [printed.plan] * order.copies


def _put(one: Character, printed: PrintResult, order: Order, made: OrderResult) -> None:
    made.findings += printed.findings
    name = one.build.name if one.build is not None else ""
    words = {"stem": one.path.stem, "name": name or one.path.stem}
    words |= {"ruleset": str(one.rules.id) if one.rules else "", "n": str(len(made.prints) + 1)}
    words |= dict(order.row[1]) if order.row else {}
    made.prints.append(Print(words, printed.files))


def _characters(order: Order, desk: PrintContext, made: OrderResult) -> Iterator[Character]:
    """Yield what may be printed; all that is wrong is noted."""
    for path in order.of:
        for one in _read(Path(path), order, desk):
            made.findings += one.findings
            made.used(one.rules)
            if one.rules is not None:
                made.designs.add(str(one.rules.sheet or "plain"))
            found = raise_warnings(one.findings) if order.strict else one.findings
            if one.build is not None and (order.draft or not errors(found)):
                yield replace(one, findings=found)


def _read(path: Path, order: Order, desk: PrintContext) -> tuple[Character, ...]:
    if order.row is None:
        return characters_in(path, desk.shelf, dict(order.options))
    return read_row(order, desk)


def read_row(order: Order, desk: PrintContext) -> tuple[Character, ...]:
    """Return the character that a row of a CSV file makes of its template, checked."""
    assert order.row is not None
    path = Path(order.of[0])
    read = read_source(path)
    if read.value is None:
        return (Character(path, None, None, None, read.findings),)
    filled = fill_template(read.value, order.row)
    assert filled.value is not None
    findings = (*read.findings, *filled.findings)
    loaded = load_from_source(path, filled.value, findings, desk.shelf, dict(order.options))
    return tuple(
        _of_row(judged(one, dict(order.options), desk.shelf), order.row[0]) for one in loaded
    )


def _of_row(one: Character, label: str) -> Character:
    """Return a character whose findings say of which row they are."""
    named = (
        replace(f, message=f"{label}: {f.message}") if label not in f.message else f
        for f in one.findings
    )
    return replace(one, findings=tuple(named))


def blanks(order: Order, desk: PrintContext, made: OrderResult) -> None:
    """Print empty sheets."""
    for name in order.of:
        rules = ruleset_of(name, order, desk, made)
        if rules is None:
            continue
        made.designs.add(str(rules.sheet or "plain"))
        printed = print_blank(rules, request_of(order), dict(order.options), desk.rack)
        made.findings += printed.findings
        made.prints.append(Print(words_of(rules, "blank"), printed.files))
