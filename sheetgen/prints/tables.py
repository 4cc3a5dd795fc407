"""The whole way of tables and proofs, on one screen: load, check, compare, plan, render.

Commands call these functions and print what they return, as they do with the pipeline's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sheetgen.check.character.options import options_of
from sheetgen.check.proof.proof import proofread
from sheetgen.check.ruleset.kinds import check_kinds
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, errors
from sheetgen.diag.spans import RULESET, Span
from sheetgen.load.designs.designs import load_page_design
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.load.rulesets.modules import switches_of
from sheetgen.load.rulesets.rulesets import Folders, find_ruleset, load_ruleset
from sheetgen.load.rulesets.seeds import load_seeds, seeds_folder
from sheetgen.model.build import Value
from sheetgen.model.differences import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Source
from sheetgen.plan.pages.tables import TablePage
from sheetgen.prints.requests import PrintRequest, told_of
from sheetgen.render.flow.pages import LayoutError
from sheetgen.render.flow.table_pages import tables_html, tables_pdf


@dataclass(frozen=True, slots=True)
class Proofread:
    """A whole ruleset, how it is played, and where its source prints something else."""

    rules: Ruleset | None
    options: Mapping[str, Value]
    differences: tuple[Difference, ...] = ()
    seeds: Path | None = None
    findings: tuple[Finding, ...] = ()


def proof_of(name: str, chosen: Mapping[str, str] | None = None) -> Proofread:
    """Return the ruleset called `name`, or in that folder, with its proof if it has one."""
    found = find_ruleset(name, Span(RULESET), Path())
    if found.value is None:
        return Proofread(None, {}, findings=found.findings)
    return proof_in(found.value, chosen)


def proof_in(folders: Folders, chosen: Mapping[str, str] | None = None) -> Proofread:
    """Return the ruleset in `folders` with its proof; of several that of the last."""
    loaded = load_ruleset(folders, complete=True, switches=switches_of(None, chosen or {}))
    rules = loaded.value
    if rules is None or errors(loaded.findings):
        return Proofread(None, {}, findings=loaded.findings)
    options, wrong = options_of(Source("", "", None, ""), rules, chosen or {})
    found = (*loaded.findings, *check_ruleset(rules), *check_kinds(rules), *wrong)
    findings = tuple(dict.fromkeys(found))
    origins = (seeds_folder(Path(origin.folder)) for origin in rules.composition.origins)
    below = [folder for folder in origins if folder is not None]
    if errors(findings):
        return Proofread(None, options, (), None, findings)
    if not below:
        return Proofread(rules, options, (), None, findings)
    seeds = load_seeds(*below)
    assert seeds.value is not None
    read = proofread(rules, seeds.value, options)
    said = (*findings, *seeds.findings, *read.findings)
    return Proofread(rules, options, read.value or (), below[-1], said)


def print_tables(
    pages: Sequence[TablePage], rules: Ruleset, title: str, request: PrintRequest
) -> Checked[Mapping[str, bytes]]:
    """Return pages of tables in every kind that is wanted."""
    look = load_page_design(request.theme, request.paper)
    if look.value is None:
        return Checked(None, look.findings)
    texts, tokens, faces = look.value
    told = told_of(rules, title, request)
    files: dict[str, bytes] = {}
    for kind in request.kinds:
        make = tables_pdf if kind == "pdf" else tables_html
        fonts = {face: font_bytes(name) for face, name in faces.items()}
        try:
            files[kind] = make(pages, texts, tokens, fonts, told)
        except LayoutError as error:
            span = Span("templates/_tables")
            return Checked(None, (Finding(codes.BAD_TEMPLATE, span, str(error)),))
    return Checked(files)
