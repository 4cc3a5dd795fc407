"""The party: one table of all characters, for whoever runs the game.

Which values it has is data: a ruleset's tables with `of: characters`. Without one, it has all
derived values with a label, and what is left of each pool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Final

from sheetgen.cli.outputs import pages_command
from sheetgen.diag import codes
from sheetgen.diag.findings import RULESET, Checked, Finding, Severity, Span, apply_strict, errors
from sheetgen.load.rulesets.rulesets import credit_pack, load_complete
from sheetgen.model.build import Build
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.prints import Table
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.tables import PlayerWords, plan_own_page, plan_table_pages
from sheetgen.prints import kinds
from sheetgen.prints.characters import load_characters
from sheetgen.prints.tables import render_table_pages
from sheetgen.records import frozen
from sheetgen.rules.index import file_stem
from sheetgen.rules.tables.compute import CHARACTERS, PARTY, table_of_rows


@frozen
class PartyRequest(PrintRequest):
    """Characters to print as a party."""

    kind: ClassVar[str] = "party"


def print_party(request: PartyRequest, context: kinds.PrintContext) -> Iterator[kinds.PrintResult]:
    """Yield a page for the characters of each ruleset among the files of a request."""
    parties: dict[str, tuple[Ruleset, list[Build]]] = {}
    options, failed = dict(request.options), False
    for one in load_characters(map(Path, request.of), options, context.rulesets):
        wrong = errors(apply_strict(one.findings, request.strict))
        failed = failed or bool(wrong)
        yield kinds.PrintResult(source=one.source, findings=one.findings)
        if wrong or one.rules is None or one.build is None:
            continue
        if one.kind is not None:
            message = f"{one.build.name} is no character, and not in the party"
            note = Finding(codes.OTHER_KIND, Span(str(one.path)), message, severity=Severity.NOTE)
            yield kinds.PrintResult(findings=(note,))
        else:
            place = str(one.rules.place.file)
            rules, builds = parties.get(place, (one.rules, []))
            parties[place] = credit_pack(rules, one.path), [*builds, one.build]
    if not parties and not failed:
        hint = "name files of characters, or their folder"
        none = Finding(codes.EMPTY, request.at(RULESET), "there is no character to print", hint)
        yield kinds.PrintResult(findings=(none,))
    ids = [str(rules.id) for rules, _ in parties.values()]
    for rules, builds in parties.values():
        printed = _print(request, load_complete(rules) or rules, builds)
        if ids.count(str(rules.id)) > 1:  # of two games with one id, the folders differ
            words = {**printed.words, "stem": f"{Path(rules.place.file).parent.name}-party"}
            printed = replace(printed, words=words, stem=file_stem(words["stem"]))
        yield printed


def _print(request: PartyRequest, rules: Ruleset, builds: Sequence[Build]) -> kinds.PrintResult:
    named = [str(id_) for id_, table in rules.tables.items() if table.of == CHARACTERS]
    if named:
        pages = plan_table_pages(rules, named, builds[0].options, stock={PARTY: tuple(builds)})
    else:  # a table of all values that have a label, and of what is left of each pool
        values = (item for build in builds for item in build.derived.items())
        labels = {id_: value.label for id_, value in values if value.label and value.shown}
        pools = {id_: ledger.label for build in builds for id_, ledger in build.ledgers.items()}
        rows = tuple(
            (
                build.name,
                *(build.derived[id_].shown if id_ in build.derived else "" for id_ in labels),
                *(f"{build.ledgers[id_].left:,}" if id_ in build.ledgers else "" for id_ in pools),
            )
            for build in builds
        )
        heads = ("", *labels.values(), *(f"{label} left" for label in pools.values()))
        table = table_of_rows("", Table(), heads, rows)
        pages = Checked((plan_own_page(request.kind, "The party", "", [table]),))
    shown = [*map(PlayerWords(rules.rulings).page, pages.value or ())]
    title = f"The party: {rules.title}"
    printed = render_table_pages(shown, rules, title, request, roomy=True)
    findings = (*pages.findings, *printed.findings)
    files = {} if errors(findings) else printed.files
    words = kinds.name_words(rules, request.kind)
    return kinds.PrintResult(files, findings, words=words, stem=file_stem(words["stem"]))


PARTY_KIND: Final = kinds.PrintKind(
    PartyRequest,
    "Party",
    print_party,
    job="entry",
    read_entry=lambda _, shared: PartyRequest(**shared),
    word=PartyRequest.kind,
    check=kinds.find_missing_files,
)


command: Final = pages_command(
    PARTY_KIND,
    """Print the party: one table of all characters, with the values that the rules name.

    A ruleset names the values in a table with `of: characters`. Without one, the page has all
    values with a label, and what is left of each pool.

    Example: sheetgen party characters

    Guide: docs/guides/encounters.md
    """,
)
