"""Builds as CommonMark with pipe tables: facts, ratings, derived values, gear, ledgers, credit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sheetgen.model.build import Build, Ledger, Owned, Rating, pick_line
from sheetgen.model.codes import code_text
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.sheets.view import trait_notes
from sheetgen.render.flow.table_texts import format_markdown_table

_SIGNS = re.compile(r"[\\`*_\[\]<>|~]|&(?=#?\w+;)")
_AT_START = re.compile(r"^(\s*)([#+=-]|\d+(?=[.)]))", re.MULTILINE)


def escape_markdown(text: str) -> str:
    """Return `text` as one paragraph in which nothing is markup; ends of lines are kept."""
    text = _SIGNS.sub(lambda found: f"\\{found[0]}", text.strip())
    text = _AT_START.sub(_escape_start, text)
    return "\\\n".join(line.strip() for line in text.splitlines() if line.strip())


def _escape_start(found: re.Match[str]) -> str:
    mark = found[2]
    return f"{mark}\\" if mark.isdigit() else f"\\{mark}"


def format_build(build: Build, rules: Ruleset) -> str:
    """Return a build as Markdown, the credit of its rules last."""
    blocks = [f"# {escape_markdown(build.name or 'no name')}", *format_body(build, rules)]
    return "\n\n".join([*blocks, *format_credit(rules)]) + "\n"


def format_credit(rules: Ruleset) -> tuple[str, str]:
    """Return the credit and the licence of a ruleset as two blocks of Markdown."""
    licence = f"{rules.credit.short} Licence: {rules.credit.licence}."
    return "---", escape_markdown(licence)


def format_body(build: Build, rules: Ruleset) -> Iterator[str]:
    """Yield the blocks of a build: facts, tables with their headings, notes."""
    facts = [(p.catalogue, pick_line(p, build)) for p in build.picks]
    labels = {str(id_): key.label or str(id_) for id_, key in rules.character.items()}
    short = {id_: text for id_, text in build.texts.items() if "\n" not in text and id_ != "name"}
    named = [(labels.get(id_, id_), text) for id_, text in short.items()]
    named += [(key, one.summary) for key, one in build.pictures.items()]
    if lines := [
        f"- **{escape_markdown(k)}**: {escape_markdown(v)}" for k, v in facts + named if v
    ]:
        yield "\n".join(lines)
    for id_, group in rules.groups.items():
        held = [r for r in build.ratings.values() if r.group == id_ and (r.own or r.total)]
        if held:
            yield f"## {escape_markdown(group.label or str(id_))}"
            rows = [_rating_row(one, build, rules) for one in held]
            yield format_markdown_table([["Name", "Rating", "Own", "From"], *rows], _RATED)
    derived = [d for d in build.derived.values() if d.label]
    if derived:
        yield "## Derived values"
        cells = [[d.label, d.shown if d.value is not None else "?", d.how] for d in derived]
        yield format_markdown_table([["Name", "Value", "How"], *cells], [False, True, False])
    if build.items:
        yield "## Gear"
        rows = [_item_row(one, rules) for one in build.items]
        yield format_markdown_table([["Name", "Count", "Attack", "Damage", "Notes"], *rows], _GEAR)
    for id_, listed in build.lists.items():
        if listed:
            yield f"## {escape_markdown(labels.get(id_, id_))}"
            yield "\n".join(f"- {escape_markdown(line)}" for line in listed)
    for ledger in build.ledgers.values():
        if ledger.lines:
            yield f"## {escape_markdown(ledger.label)}"
            heads = ["Session", "What", "Gained", "Cost", "Left"]
            yield format_markdown_table([heads, *_ledger_rows(ledger)], _LEDGER)
    for id_, text in build.texts.items():
        if "\n" in text:
            yield f"## {escape_markdown(labels.get(id_, id_))}"
            yield escape_markdown(text)


_RATED = [False, True, True, False]
_GEAR = [False, True, True, True, False]
_LEDGER = [False, False, True, True, True]


def _rating_row(one: Rating, build: Build, rules: Ruleset) -> Sequence[str]:
    own = rules.rating_text(one.group, one.own) if one.own != one.total else ""
    why = ", ".join(f"{p.why} {p.steps:+d}" for p in one.parts)
    notes = trait_notes(build, rules, one.id)
    return f"{one.name} {notes}".strip(), rules.rating_text(one.group, one.total), own, why


def _item_row(one: Owned, rules: Ruleset) -> Sequence[str]:
    dice = ["" if n is None else code_text(n, pips=rules.pips) for n in (one.attack, one.damage)]
    notes = "; ".join(filter(None, (one.special, one.conditional)))
    return one.name, str(one.count), *dice, notes


def _ledger_rows(ledger: Ledger) -> Iterator[Sequence[str]]:
    for line in ledger.lines:
        yield line.session, line.what, str(line.gained), str(line.cost), str(line.left)
