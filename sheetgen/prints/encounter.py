"""Print encounters: load the file, check every combatant, plan strips and tables, render."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Final

from sheetgen.check.character.builds import check_character, complete_source, excuse_stock
from sheetgen.check.character.options import resolve_options
from sheetgen.check.character.results import format_derived
from sheetgen.check.ruleset.rulesets import check_party, check_ruleset
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span, apply_strict, errors, in_order
from sheetgen.diag.words import suggestion
from sheetgen.load.characters import Encounter, RulesetCache, load_encounter
from sheetgen.load.designs.templates import DICE, ENCOUNTERS
from sheetgen.materials.pictures import prepare_picture
from sheetgen.model.build import Build
from sheetgen.model.pictures import PreparedPicture, credit_pictures
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.prints import PLAYERS
from sheetgen.model.rulesets.traits import Derived, Rule
from sheetgen.model.source import Pairs, Text
from sheetgen.plan.fit import find_missing_letters, report_letters
from sheetgen.plan.pages import tables as table_plans
from sheetgen.plan.pages.encounters import Fighter, FightScope, PlayerRow, build_numbers, plan_fight
from sheetgen.plan.pages.screen_blocks import SignWriter
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints.characters import load_character
from sheetgen.prints.kinds import (
    PrintContext,
    PrintKind,
    PrintResult,
    find_missing_files,
    input_folders,
    name_words,
)
from sheetgen.prints.rulesets import (
    add_pictures,
    compute_proof,
    load_page_style,
    page_context,
    render_pages,
)
from sheetgen.records import frozen
from sheetgen.render.flow.screen_pages import FACE_SIZE, render_encounter
from sheetgen.render.fonts.fonts import read_font_metrics
from sheetgen.rules.formulas.evaluate import filled, value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import file_stem, folded

_NO_GLYPH: Final = ".notdef"  # Part of the layout engine's warning of a letter that no font has.


@frozen
class CheckedEncounter:
    """An encounter with its checked combatants and tables; None if it cannot be read."""

    encounter: Encounter | None
    fighters: tuple[Fighter, ...]
    tables: tuple[table_plans.TablePage, ...]
    findings: tuple[Finding, ...]
    called: str = ""  # The stem of its files, where another entry of the run has the usual one.
    players: tuple[PlayerRow, ...] = ()
    values: tuple[tuple[str, str], ...] = ()

    @property
    def path(self) -> Path:
        """Its file."""
        return Path(self.encounter.source.file if self.encounter is not None else "")

    @property
    def stem(self) -> str:
        """The name of its file without the suffix."""
        return self.called or self.path.stem

    @property
    def ok(self) -> bool:
        """Whether it may be printed."""
        return self.encounter is not None and not errors(self.findings)


@frozen
class EncounterRequest(PrintRequest):
    """Encounters to print; with `notes`, with what a source prints otherwise or leaves open."""

    kind: ClassVar[str] = "encounters"

    notes: bool = False


def print_encounters(request: EncounterRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield the pages of each encounter of a request."""
    for path in request.of:
        checked = check_encounter(Path(path), dict(request.options), context.rulesets)
        encounter = checked.encounter
        source = encounter.source if encounter is not None else None
        inputs = input_folders(encounter.rules if encounter is not None else None)
        yield PrintResult(findings=checked.findings, source=source, inputs=inputs)
        if encounter is not None and not errors(apply_strict(checked.findings, request.strict)):
            stem = Path(path).stem
            words = {**name_words(encounter.rules, "encounter"), "stem": stem}
            words["name"] = encounter.title
            printed = _render(checked, encounter, request)
            yield replace(printed, source=source, words=words, stem=file_stem(stem))


def check_encounter(
    path: Path, chosen: Mapping[str, str] | None = None, rulesets: RulesetCache | None = None
) -> CheckedEncounter:
    """Return the encounter in the file at `path`; each combatant is checked as its kind is."""
    read = load_encounter(path, chosen)
    encounter = read.value
    if encounter is None:
        return CheckedEncounter(None, (), (), in_order(read.findings))
    wrong = check_ruleset(encounter.rules)
    findings = [*read.findings, *wrong, *check_party(encounter.rules, encounter.party)]
    if errors(wrong):
        return CheckedEncounter(None, (), (), in_order(findings))
    page = encounter.rules.encounter
    assert page is not None
    if page.as_ not in page.strips:
        message = f"there is no strip `{page.as_}` for players"
        findings.append(Finding(codes.DANGLING, page.as_.span, message))
    fighters: list[Fighter] = []
    rulesets = rulesets or RulesetCache()
    for one in encounter.combatants:
        source, loaded, kind = one.loaded.source, one.loaded.rules, one.loaded.kind
        assert source is not None
        assert loaded is not None
        assert kind is not None
        place = source.root.span if isinstance(source.root, Pairs) else source.start
        if one.kind not in page.strips:
            message = f"{kind.label} do not fight by the rules of {encounter.rules.title}"
            findings.append(Finding(codes.UNKNOWN_NAME, place, message, "leave it out"))
            continue
        based, more = complete_source(one.loaded, chosen or {}, rulesets)
        checked = check_character(based, loaded, chosen or {})
        about = (*more, *excuse_stock(checked.findings, based, loaded, one.loaded.stock))
        found = [replace(f, span=place) if f.span == source.start else f for f in about]
        findings += found
        if (build := checked.value) is not None and not errors(found):
            copies = name_copies(build, one.count)
            fighters.append(Fighter(build, build_view(build, loaded), one.kind, copies, {}))
    # The tables that the encounter names, or those that the kinds in it need.
    rules, known = encounter.rules, table_plans.list_page_names(encounter.rules)
    names = list(encounter.tables or ())
    if encounter.tables is None:
        strips = [page.strips[kind] for kind in dict.fromkeys(one.kind for one in fighters)]
        names = [*page.tables, *(name for strip in strips for name in strip.tables)]
    for name in (name for name in names if name not in known):
        message, hint = f"{rules.title} has no table `{name}`", suggestion(name, known, "tables")
        findings.append(Finding(codes.UNKNOWN_NAME, name.span, message, hint))
    options, wrong_options = resolve_options(encounter.source, rules, chosen or {})
    findings += wrong_options
    wanted = list(dict.fromkeys(str(name) for name in names if name in known))
    planned = Checked[tuple[table_plans.TablePage, ...]](())
    if wanted and not wrong_options:
        planned = table_plans.plan_table_pages(rules, wanted, options)
        findings += planned.findings
    players: list[PlayerRow] = []
    for text in encounter.players:
        if not text.lower().endswith((".yaml", ".yml")):
            players.append(PlayerRow(text, numbers=encounter.party))
            continue
        person = load_character(Path(encounter.source.file).parent / text, rulesets, {})
        findings += person.findings
        if person.build is None or person.rules is None:
            players.append(PlayerRow(text))
            continue
        view = build_view(person.build, person.rules)
        fighter = Fighter(person.build, view, "", name_copies(person.build, 1), {})
        numbers = {**encounter.party, **build_numbers(person.build)}
        texts = {name: value.text for name, value in view.texts.items()}
        players.append(PlayerRow(person.build.name, texts, numbers, fighter))
    rows = tuple(players)
    values = _compute_values(encounter, fighters, rows, chosen or {}, findings)
    ordered = in_order(findings)
    tables = planned.value or ()
    return CheckedEncounter(encounter, tuple(fighters), tables, ordered, "", rows, values)


def _compute_values(
    encounter: Encounter,
    fighters: list[Fighter],
    players: tuple[PlayerRow, ...],
    chosen: Mapping[str, str],
    findings: list[Finding],
) -> tuple[tuple[str, str], ...]:
    """Return the labels and figures of the encounter's derived values, and check its rules."""
    page, rules = encounter.rules.encounter, encounter.rules
    assert page is not None
    options, _ = resolve_options(encounter.source, rules, chosen)
    scope = FightScope(rules, options, fighters, players)
    absent: dict[str, None] = {}
    shown: list[tuple[str, str]] = []
    parts: list[tuple[str, Derived | Rule]] = [*page.derived.items(), *page.rules.items()]
    for id_, rule in parts:
        formula = rule.require if isinstance(rule, Rule) else rule.value or Text("0", rules.place)
        scope.lacking.clear()
        try:
            value = value_of(formula, scope)
            message = filled(rule.message, scope) if isinstance(rule, Rule) and not value else ""
        except FormulaError as error:
            absent |= scope.lacking
            if not scope.lacking:
                text = f"`{formula}`: {error}"
                hint = "correct the formula; its value is not shown"
                findings.append(Finding(codes.UNANSWERED, formula.span, text, hint))
            continue
        if isinstance(rule, Derived):
            shown.append((rule.label, format_derived(rule, value)))
        elif not value and not errors(findings):
            span = _place(encounter, str(rule.at or "combatants"))
            severity = Severity[str(rule.severity or "error").upper()]
            found = Finding(codes.BROKEN_RULE, span, message, rule.hint, severity, str(id_))
            findings.append(found)
    if lacking := [name for name in absent if name]:
        message = f"some players have no {', '.join(lacking)}, which this page needs"
        hint = f"write `party: {{{': …, '.join(lacking)}: …}}`, or name their files"
        span = _place(encounter, PLAYERS)
        findings.append(Finding(codes.UNANSWERED, span, message, hint, Severity.WARNING))
    return tuple((label, text) for label, text in shown if label)


def _place(encounter: Encounter, key: str) -> Span:
    root = encounter.source.root
    entries = root.entries if isinstance(root, Pairs) else ()
    named = (leaf.span for leaf, _ in entries if folded(leaf.raw) == key)
    return next(named, encounter.source.start)


def _render(
    checked: CheckedEncounter, encounter: Encounter, request: EncounterRequest
) -> PrintResult:
    style = load_page_style(request, encounter.rules, DICE, ENCOUNTERS)
    if style.value is None:
        return PrintResult(findings=style.findings)
    rules = encounter.rules
    assert rules.encounter is not None
    fighters = list(checked.fighters)
    if request.notes:
        proof = compute_proof((Path(rules.composition.origins[-1].folder),))
        differences = {difference.what: difference for difference in proof.differences}
        fighters = [
            replace(f, notes=table_plans.find_footnotes(f.build, differences)) for f in fighters
        ]
    faces: dict[str, PreparedPicture] = {}
    found: list[Finding] = []
    for number, fighter in enumerate(fighters):
        face = next(iter(fighter.build.pictures.values()), None)
        made = prepare_picture(face, FACE_SIZE) if face is not None else Checked(None)
        found += made.findings
        if made.value is not None:
            faces[name := f"face-{number + 1}"] = made.value
            fighters[number] = replace(fighter, picture=name)
    design = add_pictures(style.value, faces)
    fight = plan_fight(encounter.title, checked.players, fighters, rules.encounter, checked.values)
    context = page_context(rules, encounter.title, request)
    context["credit"] = f"{context['credit']} {credit_pictures(faces.values())}".strip()
    context |= {"author_notes": encounter.notes, "words": rules.encounter}
    warnings: list[str] = []
    shown = table_plans.PlayerWords(rules.rulings, notes=request.notes, signs=SignWriter(rules))
    tables = tuple(map(shown.page, checked.tables))
    parts = fight, tables, design, context, warnings
    printed = render_pages(request, lambda one: render_encounter(one, *parts), ENCOUNTERS)
    letters: list[Finding] = []
    if warnings:
        fonts = [read_font_metrics(data) for data in style.value.fonts.values()]
        known = {point for font in fonts for point in font.advances}
        missing = find_missing_letters(encounter.source.text, known)
        letters += report_letters(missing, encounter.source, encounter.source.start)
    found += (*printed.findings, *letters)
    for text in warnings:
        place = Span(f"templates/{ENCOUNTERS}")
        if _NO_GLYPH not in text:
            found.append(Finding(codes.BAD_TEMPLATE, place, text))
        elif not letters:
            message = "some letters of combatants are in none of the fonts"
            hint = "write them in Latin letters"
            found.append(Finding(codes.NO_GLYPH, place, message, hint, Severity.WARNING))
    findings = (*style.findings, *found)
    return PrintResult({} if errors(findings) else printed.files, findings)


def name_copies(build: Build, count: int) -> tuple[str, ...]:
    """Return the name of each copy: its own, or a number; empty if there is only one."""
    names = build.lists.get("names", ())
    many = max(count, build.numbers.get("copies", 1), len(names))
    if many == 1:
        return names or ("",)
    return tuple(names[n] if n < len(names) else str(n + 1) for n in range(many))


ENCOUNTER_KIND: Final = PrintKind(
    EncounterRequest,
    "Encounter",
    print_encounters,
    job="file",
    read_entry=lambda _, shared: EncounterRequest(**shared),
    title_key="encounter",
    check=find_missing_files,
)
