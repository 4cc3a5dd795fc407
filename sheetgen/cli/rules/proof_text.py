"""The differences that a proof found, as text, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from sheetgen.model.differences import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.prints.proof import HEADS, KINDS, count_words, proof_rows
from sheetgen.render.flow.table_texts import markdown_table
from sheetgen.rules.formulas.readings import UNDEFINED, UNPRICED


def proof_text(rules: Ruleset, found: Sequence[Difference]) -> list[str]:
    """Return the list for people, as lines: a block for each difference, below its kind."""
    lines = [f"{rules.title}: {count_words(found)}"]
    for kind, group in groupby(proof_rows(found), key=lambda pair: pair[0]):
        lines += ["", KINDS[kind]]
        for _, (line, what, printed, computed, rule, ruling) in group:
            lines.append(f"  line {line}: {what}")
            said = f"prints {printed}" + (f"; computed {computed}" if computed != "–" else "")
            if kind == UNDEFINED:
                said = f"prints `{printed}`; {computed}"
            if kind == UNPRICED:
                said = printed
            by = f"  [{rule}]" if rule else ""
            lines.append(f"      {said}{by}" + (f"  ({ruling})" if ruling else ""))
    return [*lines, "", rules.credit.short]


def proof_markdown(rules: Ruleset, found: Sequence[Difference]) -> str:
    """Return the list as Markdown, a table for each kind."""
    parts = [f"# Proof of {rules.title}", count_words(found) + "."]
    for kind, group in groupby(proof_rows(found), key=lambda pair: pair[0]):
        table = [HEADS, *(cells for _, cells in group)]
        parts += [f"## {KINDS[kind]}", markdown_table(table, [True, *[False] * 5])]
    return "\n\n".join([*parts, rules.credit.short]) + "\n"


def proof_data(rules: Ruleset, found: Sequence[Difference]) -> dict[str, Any]:
    """Return the list for JSON."""
    return {
        "_credit": rules.credit.short,
        "ruleset": str(rules.id),
        "version": rules.version,
        "differences": [
            {
                "kind": one.kind,
                "file": one.file,
                "line": one.line,
                "what": one.what,
                "printed": one.printed,
                "computed": one.computed,
                "rule": one.rule,
                "ruling": one.ruling,
            }
            for one in found
        ],
    }
