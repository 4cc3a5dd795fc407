"""The way of fights: a file to checked combatants, these to one page or two.

What prints/sheet.py is to sheets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sheetgen.check.character.builds import check
from sheetgen.check.character.crews import completed
from sheetgen.check.character.options import options_of
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, errors, in_order
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.authors.characters import RulesetCache
from sheetgen.load.authors.encounters import Combatant, Encounter, load_encounter
from sheetgen.load.designs.designs import load_page_design
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.load.designs.templates import DICE, ENCOUNTERS
from sheetgen.model.build import Build
from sheetgen.model.differences import Difference
from sheetgen.model.rulesets.encounters import StripRules
from sheetgen.model.source import Pairs, Source
from sheetgen.plan.pages.encounters import Fighter, plan_fight
from sheetgen.plan.pages.footnotes import find_footnotes
from sheetgen.plan.pages.references import list_page_names, plan_table_pages
from sheetgen.plan.pages.tables import TablePage
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints.requests import PrintRequest, PrintResult, told_of
from sheetgen.render.flow.encounter_pages import fight_html, fight_pdf


@dataclass(frozen=True, slots=True)
class Staged:
    """An encounter with all that fights in it, checked; None for what could not be had."""

    encounter: Encounter | None
    fighters: tuple[Fighter, ...]
    tables: tuple[TablePage, ...]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether it may be printed."""
        return self.encounter is not None and not errors(self.findings)


def encounter_of(path: Path, chosen: Mapping[str, str] | None = None) -> Staged:
    """Return the encounter in the file at `path`: every combatant is checked as its kind is."""
    read = load_encounter(path, chosen)
    encounter = read.value
    if encounter is None:
        return Staged(None, (), (), in_order(read.findings))
    wrong = check_ruleset(encounter.rules)
    if errors(wrong):
        return Staged(None, (), (), in_order((*read.findings, *wrong)))
    findings = [*read.findings, *wrong]
    page = encounter.rules.encounter
    if page is not None and page.as_ not in page.strips:
        message = f"there is no strip `{page.as_}` for players"
        findings.append(Finding(codes.DANGLING, page.as_.span, message))
    fighters, shelf = [], RulesetCache()
    for one in encounter.combatants:
        fighter, said = _checked(one, encounter, chosen or {}, shelf)
        findings += said
        fighters += [fighter] if fighter is not None else []
    tables, said = _tables(encounter, fighters, chosen or {})
    return Staged(encounter, tuple(fighters), tables, in_order((*findings, *said)))


def print_encounter(
    one: Staged, request: PrintRequest, printed: Mapping[str, Difference] | None = None
) -> PrintResult:
    """Return the pages of a checked encounter in every kind that is wanted.

    Args:
        one: Without errors.
        request: What is wanted.
        printed: Where the source prints something else than the rules give, by `Name,
            value`. It is footnoted.
    """
    encounter = one.encounter
    assert encounter is not None
    look = load_page_design(request.theme, request.paper, DICE, ENCOUNTERS)
    if look.value is None:
        return PrintResult({}, look.findings)
    texts, tokens, faces = look.value
    rules = encounter.rules
    assert rules.encounter is not None
    fighters = [replace(f, notes=find_footnotes(f.build, printed or {})) for f in one.fighters]
    fight = plan_fight(encounter.title, encounter.players, fighters, rules.encounter)
    told = {
        **told_of(rules, encounter.title, request),
        "said": encounter.notes,
        "words": rules.encounter,
    }
    files: dict[str, bytes] = {}
    fonts = {face: font_bytes(name) for face, name in faces.items()}
    complaints: list[str] = []
    for kind in request.kinds:
        if kind == "pdf":
            files[kind] = fight_pdf(fight, one.tables, texts, tokens, fonts, told, complaints)
        else:
            files[kind] = fight_html(fight, one.tables, texts, tokens, fonts, told)
    findings = tuple(_complaint(text, encounter.source.start) for text in complaints)
    return PrintResult({} if errors(findings) else files, findings)


def _complaint(text: str, place: Span) -> Finding:
    """Return what the layout engine said: letters that it cannot draw are no error."""
    if ".notdef" in text:
        message = "some letters of names or notes are in none of the fonts"
        return Finding(codes.NO_GLYPH, place, message, "use others", Severity.WARNING)
    return Finding(codes.BAD_TEMPLATE, Span(f"templates/{ENCOUNTERS}"), text)


def _checked(
    one: Combatant, encounter: Encounter, chosen: Mapping[str, str], shelf: RulesetCache
) -> tuple[Fighter | None, tuple[Finding, ...]]:
    loaded = one.loaded
    source, rules, kind = loaded.source, loaded.rules, loaded.kind
    assert source is not None
    assert rules is not None
    assert kind is not None
    assert encounter.rules.encounter is not None
    place = source.root.span if isinstance(source.root, Pairs) else source.start
    strip = encounter.rules.encounter.strips.get(one.kind)
    if strip is None:
        message = f"{kind.label} do not fight by the rules of {encounter.rules.title}"
        return None, (Finding(codes.UNKNOWN_NAME, place, message, "leave it out"),)
    based, said = completed(loaded, chosen, shelf)
    checked = check(based, rules, chosen)
    found = (_placed(finding, source, place) for finding in (*said, *checked.findings))
    findings = tuple(found)
    build = checked.value
    if build is None or errors(findings):
        return None, findings
    view, copies = build_view(build, rules), _copies(build, one.count)
    return Fighter(build, view, one.kind, copies, {}), findings


def _placed(finding: Finding, source: Source, place: Span) -> Finding:
    """Return a finding about a whole file as one about the combatant."""
    return replace(finding, span=place) if finding.span == source.start else finding


def _copies(build: Build, count: int) -> tuple[str, ...]:
    """Return what each copy is called: its own name, or a number; nothing where it is alone."""
    names = build.lists.get("names", ())
    many = max(count, build.numbers.get("copies", 1), len(names))
    if many == 1:
        return names or ("",)
    return tuple(names[n] if n < len(names) else str(n + 1) for n in range(many))


def _tables(
    encounter: Encounter, fighters: list[Fighter], chosen: Mapping[str, str]
) -> tuple[tuple[TablePage, ...], tuple[Finding, ...]]:
    """Return the tables of this fight: those asked for, or those that its kinds need."""
    rules, page = encounter.rules, encounter.rules.encounter
    assert page is not None
    known = list_page_names(rules)
    findings: list[Finding] = []
    if encounter.tables is None:
        there = dict.fromkeys(one.kind for one in fighters)
        strips: list[StripRules] = [page.strips[kind] for kind in there]
        names = [*page.tables, *(name for strip in strips for name in strip.tables)]
    else:
        names = list(encounter.tables)
    wanted = list(dict.fromkeys(str(name) for name in names if name in known))
    for name in names:
        if name not in known:
            message = f"{rules.title} has no table `{name}`"
            hint = suggestion(name, known, "tables")
            findings.append(Finding(codes.UNKNOWN_NAME, name.span, message, hint))
    source = encounter.source
    options, wrong = options_of(source, rules, chosen)
    if wrong:
        return (), (*findings, *wrong)
    made = plan_table_pages(rules, wanted, options) if wanted else None
    if made is None:
        return (), tuple(findings)
    return made.value or (), (*findings, *made.findings)
