"""Mistakes in the kinds of files of a ruleset, and in how its fights print them."""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.check.ruleset.references import Wanted, counted_keys
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.load.designs.names import list_shown_names
from sheetgen.load.rulesets.kinds import PARTS, kind_rules
from sheetgen.model.rulesets.encounters import Encounters, StripRules
from sheetgen.model.rulesets.makers import Maker
from sheetgen.model.rulesets.ruleset import Kind, Ruleset
from sheetgen.model.source import Text
from sheetgen.rules.index import index_of
from sheetgen.rules.names import split_times

_OF_ALL = ("name",)
"""What a strip may show of each kind besides."""


def check_kinds(rules: Ruleset) -> Iterator[Finding]:
    """Yield findings about each kind, as a ruleset of its own, and about the page of fights."""
    for id_, kind in rules.kinds.items():
        wrong = [*_findings(_kind(kind, rules), rules)]
        yield from wrong
        if wrong:  # all that it does not keep would be unknown
            continue
        own = kind_rules(rules, str(id_))
        if kind.maker is not None:
            yield from _findings(_maker(kind.maker, own), rules)
        yield from check_ruleset(own)
    if rules.encounter is not None:
        yield from _findings(_fight(rules.encounter, rules), rules)


def _findings(wanted: Wanted, rules: Ruleset) -> Iterator[Finding]:
    for name, known, what in wanted:
        if isinstance(name, str) and name not in known:
            span = name.span if isinstance(name, Text) else rules.place
            hint = suggestion(name, sorted(map(str, known)))
            yield Finding(codes.DANGLING, span, f"there is no {what} `{name}`", hint)


def _kind(kind: Kind, rules: Ruleset) -> Wanted:
    names = (f"{part}.{id_}" for part in PARTS for id_ in getattr(rules, part))
    parts = {*PARTS, "advances", *names}
    yield from ((name, parts, "part of the rules") for name in kind.keeps)
    yield from ((key, kind.character, "key") for key in (kind.based_on, *kind.own))


def _maker(maker: Maker, own: Ruleset) -> Wanted:
    index = index_of(own)
    yield from ((key, own.character, "key") for key in (maker.level, maker.skills, maker.gear))
    for trait in (*maker.first, *maker.among, *maker.suits):
        yield trait, index.traits, "trait"
    for thing in (*maker.also, *(one for some in maker.suits.values() for one in some)):
        if thing and not index.gear.find(split_times(thing)[0]):
            yield thing, index.gear.shown.values(), "item"


def _fight(page: Encounters, rules: Ruleset) -> Wanted:
    tables = {*rules.tables, *rules.references}
    yield page.as_, page.strips, "strip"
    yield from ((table, tables, "table") for table in page.tables)
    for kind, strip in page.strips.items():
        yield kind, rules.kinds, "kind"
        yield from ((table, tables, "table") for table in strip.tables)
        if kind in rules.kinds:
            yield from _strip(strip, kind_rules(rules, str(kind)))


def _strip(strip: StripRules, own: Ruleset) -> Wanted:
    heads = {*list_shown_names(own), *_OF_ALL}
    numbers = {*index_of(own).traits, *own.derived, *counted_keys(own)}
    yield strip.order, numbers, "number"
    figures = (*strip.figures, *strip.steps)
    pieces = (*strip.about, *(p for line in strip.lines if line.each is None for p in line.parts))
    for name in (strip.corner, *(f.of for f in figures), *(p.of for p in pieces)):
        head = None if name is None else Text(name.partition(".")[0], name.span)
        yield head, heads, "value"
    yield from ((figure.noted, numbers, "number") for figure in figures)
    for line in strip.lines:
        yield line.each, own.lists, "list"
        if line.each in own.lists:
            columns = own.lists[str(line.each)].columns
            yield from ((part.of, columns, "column") for part in line.parts)
    if strip.track is not None:
        yield strip.track.of, own.tracks, "track"
        yield strip.track.counts, numbers, "number"
    if strip.sides is not None:
        sides = strip.sides
        yield from ((name, numbers, "number") for name in (sides.of, sides.start, sides.over))
