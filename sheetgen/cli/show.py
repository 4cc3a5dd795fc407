"""`sheetgen show`: a build with everything that follows from it, and its ledgers."""

from __future__ import annotations

from functools import partial
from typing import Any

from sheetgen.cli import console
from sheetgen.cli.parameters import NONE, File, Format, Settings, Strict
from sheetgen.model.build import Build, Ledger, Rating, pick_line
from sheetgen.model.rulesets.ruleset import Ruleset, rating_columns
from sheetgen.plan.sheets.view import roll_words, trait_notes
from sheetgen.prints.build_data import build_data
from sheetgen.prints.characters import load_characters
from sheetgen.rules.formulas.evaluate import number_text, signed_text


def command(
    file: File, strict: Strict = False, settings: Settings = NONE, form: Format = "text"
) -> None:
    """Show a build: ratings and where they come from, derived values, ledgers.

    Example: sheetgen show hero.yaml

    Guide: docs/guides/characters.md
    """
    options = console.set_options(settings)
    reporter = console.Reporter(strict)
    results = []
    for character in load_characters([file], options):
        reporter.remember(character.source)
        reporter.report(character.findings)
        build, rules = character.build, character.rules
        data: dict[str, Any] = {"file": str(character.path)}
        if build is not None and rules is not None:
            data = build_data(build, rules)
            if form == "text":
                console.write_lines(*build_text(build, rules))
        data["findings"] = console.findings_data(reporter.apply_strict(character.findings))
        results.append(data)
    if form == "json":
        console.write_json(results[0] if len(results) == 1 else results)
    reporter.exit()


def build_text(build: Build, rules: Ruleset) -> list[str]:
    """Return `build` as the lines of a page of text, the credit of its rules last."""
    parts = [
        [f"{build.name or 'no name'} · {rules.title}"],
        [f"  {p.catalogue}: {pick_line(p, build)}{_from(p.because)}" for p in build.picks],
        *(_group(build, rules, str(group)) for group in rules.groups),
        ["derived", *(_derived(build, str(i)) for i, d in rules.derived.items() if d.label)]
        + [
            f"  {line.label:<24} {text}"
            for id_, line in rules.texts.items()
            if line.label and (text := build.lines.get(str(id_)))
        ],
        _rolls(build, rules),
        *(_ledger(ledger) for ledger in build.ledgers.values()),
        [f"{key}: {one.summary}" for key, one in build.pictures.items()],
        [f"dice: {', '.join(f'd{faces}' for faces in build.dice)}"] if build.dice else [],
        [rules.credit.short],
    ]
    return [line for part in parts if part for line in (*part, "")][:-1]


def _from(because: str) -> str:
    return f" (with {because})" if because else ""


def _group(build: Build, rules: Ruleset, id_: str) -> list[str]:
    group = rules.groups[id_]
    held = [r for r in build.ratings.values() if r.group == id_ and (r.own or r.total)]
    notes = ((_rating(r, build, rules), trait_notes(build, rules, r.id)) for r in held)
    lines = [" ".join(filter(None, one)) for one in notes]
    return [group.label.lower() or id_, *lines] if lines else []


def _rating(rating: Rating, build: Build, rules: Ruleset) -> str:
    shown = partial(rules.rating_text, rating.group)
    stars = f", {rating.stars} starred" if rating.stars else ""
    whole = rating.own in (0, rating.total) or rating.base  # the parts name the base
    own = "" if whole else f" ({shown(rating.own)} of its own)"
    base = f"base {shown(rating.base)}, " if rating.base and rating.parts else ""
    coded = rules.pips and rules.groups[rating.group].rating == "dice"
    parts = base + ", ".join(
        f"{p.why} {_signed(shown(p.steps) if coded else str(p.steps))}" for p in rating.parts
    )
    why = f"  {parts}" if parts else ""
    beside = "".join(f", {k} {v}" for k, v in rating_columns(build, rules, rating).items())
    return f"  {rating.name:<24} {shown(rating.total)}{beside}{own}{stars}{why}"


def _signed(steps: str) -> str:
    return steps if steps[0] in "+-−" else f"+{steps}"


def _derived(build: Build, id_: str) -> str:
    derived = build.derived[id_]
    value = "unknown" if derived.value is None else derived.shown
    how = f"  = {derived.how}" if derived.how else ""
    return f"  {derived.label or id_:<24} {value}{how}"


def _rolls(build: Build, rules: Ruleset) -> list[str]:
    """Return the pools of different dice, those of traits that are trained included."""
    lines = []
    for id_, dice in build.rolls.items():
        group, _, trait = id_.partition(".")
        rating = build.ratings.get(trait) if group in rules.groups else None
        if not dice or (rating is not None and not rating.own):
            continue
        roll = rules.rolls.get(id_)
        name = rating.name if rating else (roll.label if roll and roll.label else id_)
        lines.append(f"  {name:<24} {roll_words(dice)}")
    return ["rolls", *lines] if lines else []


def _ledger(ledger: Ledger) -> list[str]:
    lines = [f"{ledger.label}: {number_text(ledger.left)} left"]
    for line in ledger.lines:
        what = " · ".join(part for part in (line.session, line.what) if part)
        change = f"+{line.gained}" if line.gained or not line.cost else signed_text(-line.cost)
        if not line.gained and not line.cost:
            change = "0"
        lines.append(f"  {what:<48} {change:>7} {number_text(line.left):>7}")
    return lines
