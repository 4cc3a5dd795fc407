"""Names that characters who are checked together may not share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.words import a
from sheetgen.model.build import Build, Rating
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.names import file_stem, folded


def find_named_traits(build: Build, rules: Ruleset) -> tuple[Rating, ...]:
    """Return the traits of `build` whose names no other character may use."""
    return tuple(
        rating
        for rating in build.ratings.values()
        if (group := rules.groups[rating.group]).open is not None
        and group.open.name_differs
        and rating.place is not None
    )


def find_shared_names(batch: Iterable[tuple[Build, Ruleset]]) -> tuple[Finding, ...]:
    """Return a finding for each name of an author's own trait that another character uses too.

    Its place is in the later of the two files. Several files of one character may share names.
    """
    first: dict[tuple[str, str, str], tuple[Build, Rating]] = {}
    findings = []
    for build, rules in batch:
        for rating in find_named_traits(build, rules):
            group = rules.groups[rating.group]
            # Case, blanks and hyphens tell no two apart; signs do, as in `C` and `C+`.
            key = build.ruleset, rating.group, file_stem(rating.name)
            other, theirs = first.setdefault(key, (build, rating))
            if folded(other.name) == folded(build.name) or not (rating.place and theirs.place):
                continue
            whose = other.name or PurePath(other.file).name
            message = f"`{rating.name}` is {a(group.one)} of {whose} already ({theirs.place})"
            hint = "among the characters of one story give it a name of its own"
            findings.append(Finding(codes.REPEATED, rating.place, message, hint, Severity.WARNING))
    return tuple(findings)
