"""Printed rows against files of a kind: stock ones, and what a row would make."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from sheetgen.check.character.builds import STEPS
from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.results.lists import build_list_rows
from sheetgen.check.proof.proofs import Bench, dangling, kind_of_texts, ruling_of, said, same
from sheetgen.check.proof.things import kind_of_proof
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.kinds import entries_of
from sheetgen.load.rulesets.seeds import SeedRow
from sheetgen.model.build import Value
from sheetgen.model.differences import Difference
from sheetgen.model.rulesets.proof import Proof
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Pairs, ScalarNode, Source
from sheetgen.rules.formulas.evaluate import Inner
from sheetgen.rules.formulas.readings import UNDEFINED, normal_text
from sheetgen.rules.index import index_of
from sheetgen.rules.names import folded, names_of

_NAMED: Final = re.compile(r"(.+?)\s+(\d+d?\*?)")


def filed(proof: Proof, bench: Bench) -> Iterator[Difference]:
    """Yield what differs between printed rows and files of a kind."""
    kind = kind_of_proof(proof)
    if kind:
        if kind not in bench.rules.kinds:
            assert proof.of is not None
            hint = suggestion(kind, bench.rules.kinds, "kinds")
            raise dangling(proof.of.span, f"there is no kind `{kind}`", hint)
        yield from _stock(proof, bench, kind)
    elif proof.makes:
        for row in bench.rows(proof):
            yield from _cells(proof, bench, row, _made(proof, bench, row))


def _stock(proof: Proof, bench: Bench, kind: str) -> Iterator[Difference]:
    folder = Path(bench.rules.place.file).parent
    drafts = {}
    for number, source in enumerate(entries_of(folder, bench.rules.kinds[kind])):
        drafts[str(number)] = _draft(source, bench.of_kind(kind), bench)
    called = ((n, d.texts.get("name", ""), d.lists.get("aliases", ())) for n, d in drafts.items())
    names = names_of(called, bench.rules.spellings)
    for row in bench.rows(proof):
        name = bench.cell(row, proof.name)
        found = names.find(name)
        if len(found) == 1:
            yield from _cells(proof, bench, row, drafts[found[0]])
        else:
            ruling = ruling_of(proof, name)
            yield Difference(
                *(UNDEFINED, str(proof.file), row.line, proof.name, name, names.hint(name)),
                *("", ruling),
            )


def _draft(source: Source, rules: Ruleset, bench: Bench) -> Draft:
    draft = Draft(rules, index_of(rules), source, dict(bench.defaults()))
    for step in STEPS:
        step(draft)
    return draft


def _made(proof: Proof, bench: Bench, row: SeedRow) -> Draft:
    """Return the draft of a file that says what the row does."""
    entries = []
    for key, column in proof.makes.items():
        said_ = bench.cell(row, column)
        entries.append((ScalarNode(row.span, key, key), ScalarNode(row.span, said_, said_)))
    source = Source(row.span.file, "", Pairs(row.span, tuple(entries)), "")
    return _draft(source, bench.rules, bench)


def _cells(proof: Proof, bench: Bench, row: SeedRow, draft: Draft) -> Iterator[Difference]:
    scope = draft.scope(**{**_keys(draft), **draft.texts})
    name = row.cells[proof.name]
    for column, text in proof.cells.items():
        printed = bench.cell(row, column)
        if column in proof.each:
            listed = build_list_rows(draft).get(str(proof.each[column]))
            if listed is None:
                span = proof.each[column].span
                raise dangling(span, f"there is no list `{proof.each[column]}`")
            one = (said(text, Inner(scope, dict(values))) for values in listed)
            computed = "; ".join(one)
            agrees = _bag(printed, draft) == _bag(computed, draft)
        else:
            computed = said(text, scope)
            agrees = same(printed, computed) or (
                proof.loose and folded(printed) == folded(computed) and printed.isupper()
            )
        if not agrees:
            kind, ruling = kind_of_texts(printed, computed), ruling_of(proof, name, column)
            what = f"{name}, {column}"
            yield Difference(
                kind, str(proof.file), row.line, what, printed, computed, proof.rule, ruling
            )


def _keys(draft: Draft) -> Mapping[str, Value]:
    """Return how often each key that raises traits does so, and by how much: `count.KEY`."""
    names: dict[str, Value] = {}
    for id_, key in draft.rules.character.items():
        if key.kind == "raises":
            names[f"count.{id_}"] = draft.eval_int(key.count or "0")
            names[f"by.{id_}"] = draft.eval_int(key.by or "1")
    return names


def _bag(text: str, draft: Draft) -> list[tuple[str, ...]]:
    """Return what stands in a cell of several things, in no order of things and of words."""
    return sorted(_words(piece, draft) for piece in re.split(r"[;,] ?", normal_text(text)) if piece)


def _words(piece: str, draft: Draft) -> tuple[str, ...]:
    match = _NAMED.fullmatch(piece)
    name, code = (match[1], match[2]) if match else (piece, "")
    item = draft.index.gear.find(name)
    own = str(draft.rules.gear[item[0]].name) if item else name
    return tuple(sorted(normal_text(f"{own} {code}").split()))
