"""Printed rows against files of a kind: shipped ones, and the file that a row would make."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from sheetgen.check.character.builds import STEPS
from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.results.lists import build_list_rows
from sheetgen.check.proof.comparisons import Comparison, compare_cells, ruling_of
from sheetgen.check.proof.context import ProofContext, dangling, fill_text
from sheetgen.check.proof.things import kind_of_proof
from sheetgen.load.rulesets.kinds import entries_of
from sheetgen.load.rulesets.seeds import SeedRow
from sheetgen.model.build import Value
from sheetgen.model.rulesets.proof import Proof
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Pairs, ScalarNode, Source
from sheetgen.rules.formulas.evaluate import Inner
from sheetgen.rules.formulas.readings import UNDEFINED, normal_text
from sheetgen.rules.index import index_of
from sheetgen.rules.names import names_of

_NAMED: Final = re.compile(r"(.+?)\s+(\d+d?\*?)")


def compare_files(proof: Proof, context: ProofContext) -> Iterator[Comparison]:
    """Yield comparisons of printed rows with files of a kind."""
    if kind := kind_of_proof(proof):
        yield from _compare_shipped(proof, context, kind)
    elif proof.makes:
        for row in context.rows(proof):
            yield from _compare(proof, context, row, _draft_of_row(proof, context, row))


def _compare_shipped(proof: Proof, context: ProofContext, kind: str) -> Iterator[Comparison]:
    assert proof.of is not None
    own = context.rules_of_kind(proof.of, kind)
    folder = Path(context.rules.place.file).parent
    sources = entries_of(folder, context.rules.kinds[kind])
    drafts = {str(n): _draft(source, own, context) for n, source in enumerate(sources)}
    called = ((n, d.texts.get("name", ""), d.lists.get("aliases", ())) for n, d in drafts.items())
    names = names_of(called, context.rules.spellings)
    for row in context.rows(proof):
        name = context.cell(row, proof.name)
        found = names.find(name)
        if len(found) == 1:
            yield from _compare(proof, context, row, drafts[found[0]])
        else:
            hint, ruling = names.hint(name), ruling_of(proof, name)
            yield Comparison(row, proof.name, name, hint, False, UNDEFINED, ruling=ruling)


def _draft(source: Source, rules: Ruleset, context: ProofContext) -> Draft:
    options = {str(i): o.default for i, o in context.rules.options.items()} | context.options
    draft = Draft(rules, index_of(rules), source, options)
    for step in STEPS:
        step(draft)
    return draft


def _draft_of_row(proof: Proof, context: ProofContext, row: SeedRow) -> Draft:
    """Return the draft of a file that has the values of the row."""
    entries = []
    for key, column in proof.makes.items():
        cell = context.cell(row, column)
        entries.append((ScalarNode(row.span, key, key), ScalarNode(row.span, cell, cell)))
    source = Source(row.span.file, "", Pairs(row.span, tuple(entries)), "")
    return _draft(source, context.rules, context)


def _compare(
    proof: Proof, context: ProofContext, row: SeedRow, draft: Draft
) -> Iterator[Comparison]:
    scope = draft.scope(**{**_keys(draft), **draft.texts})
    yield from compare_cells(
        proof, context, row, lambda _: scope, skip=proof.each, loose=proof.loose
    )
    name = row.cells[proof.name]
    for column, of in proof.each.items():
        listed = build_list_rows(draft).get(str(of))
        if listed is None:
            raise dangling(of.span, f"there is no list `{of}`")
        if column not in proof.cells:
            raise dangling(of.span, f"`cells` has no text for the column `{column}` of `each`")
        printed, text = context.cell(row, column), proof.cells[column]
        computed = "; ".join(fill_text(text, Inner(scope, dict(values))) for values in listed)
        agrees = _bag(printed, draft) == _bag(computed, draft)
        what, ruling = f"{name}, {column}", ruling_of(proof, name, column)
        yield Comparison(row, what, printed, computed, agrees, "", proof.rule, ruling)


def _keys(draft: Draft) -> Mapping[str, Value]:
    """Return how often each key that raises traits does so, and by how much: `count.KEY`."""
    names: dict[str, Value] = {}
    for id_, key in draft.rules.character.items():
        if key.kind == "raises":
            names[f"count.{id_}"] = draft.eval_int(key.count or "0")
            names[f"by.{id_}"] = draft.eval_int(key.by or "1")
    return names


def _bag(text: str, draft: Draft) -> list[tuple[str, ...]]:
    """Return the things in a cell, without regard to the order of things and of words."""
    return sorted(_words(piece, draft) for piece in re.split(r"[;,] ?", normal_text(text)) if piece)


def _words(piece: str, draft: Draft) -> tuple[str, ...]:
    match = _NAMED.fullmatch(piece)
    name, code = (match[1], match[2]) if match else (piece, "")
    item = draft.index.gear.find(name)
    own = str(draft.rules.gear[item[0]].name) if item else name
    return tuple(sorted(normal_text(f"{own} {code}").split()))
