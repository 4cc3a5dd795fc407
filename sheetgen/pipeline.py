"""The whole way of a print, on one screen: load, check, plan, render, write.

Commands call these functions and print what they return; nothing here prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sheetgen.check.advances import Offer
from sheetgen.check.builds import check, drafted
from sheetgen.check.offers import offers, way
from sheetgen.check.rulesets import check_ruleset
from sheetgen.diag.findings import Finding, errors, in_order
from sheetgen.load.characters import Shelf, load_character
from sheetgen.load.files import yaml_files
from sheetgen.model.build import Build
from sheetgen.model.ruleset import Ruleset
from sheetgen.model.source import Source


@dataclass(frozen=True, slots=True)
class Character:
    """A character's file after checking; None for what could not be had.

    Attributes:
        findings: All of them, those of its ruleset included, in order.
    """

    path: Path
    source: Source | None
    rules: Ruleset | None
    build: Build | None
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether it may be printed."""
        return self.build is not None and not errors(self.findings)


def characters(
    paths: Iterable[Path], chosen: Mapping[str, str] | None = None, shelf: Shelf | None = None
) -> Iterator[Character]:
    """Yield the characters in `paths` (files, or folders of them), each checked.

    One bad file never keeps the others from being read.
    """
    shelf = shelf or Shelf()
    seen: set[Path] = set()
    for path in (file for given in paths for file in yaml_files(given)):
        if path.resolve() not in seen:
            seen.add(path.resolve())
            yield character(path, shelf, chosen or {})


def character(path: Path, shelf: Shelf, chosen: Mapping[str, str]) -> Character:
    """Return the character in the file at `path`, checked."""
    loaded = load_character(path, shelf)
    if loaded.source is None or loaded.rules is None:
        return Character(path, loaded.source, loaded.rules, None, loaded.findings)
    wrong = check_ruleset(loaded.rules)
    checked = check(loaded.source, loaded.rules, chosen)
    findings = in_order((*loaded.findings, *wrong, *checked.findings))
    return Character(path, loaded.source, loaded.rules, checked.value, findings)


def advice(path: Path, chosen: Mapping[str, str]) -> Advice:
    """Return what the character at `path` can buy now."""
    found = character(path, Shelf(), chosen)
    if found.source is None or found.rules is None:
        return Advice(found, (), {}, {})
    draft = drafted(found.source, found.rules, chosen)
    left = {str(pool): draft.left(str(pool)) for pool in found.rules.pools}
    return Advice(found, tuple(offers(draft)), left, _labels(found.rules))


def route(path: Path, to: Path, chosen: Mapping[str, str]) -> Route:
    """Return the way from the character at `path` to that at `to`."""
    shelf = Shelf()
    old, new = character(path, shelf, chosen), character(to, shelf, chosen)
    if None in (old.source, old.rules, new.source, new.rules):
        return Route(old, new, (), {}, {}, {}, ("one of the two cannot be read",))
    assert old.source
    assert old.rules
    assert new.source
    assert new.rules
    if old.rules.id != new.rules.id:
        return Route(old, new, (), {}, {}, {}, ("the two follow different rulesets",))
    draft = drafted(new.source, new.rules, chosen)
    led = way(drafted(old.source, old.rules, chosen), draft)
    errors_of = tuple(f"{f.span}: {f.message}" for f in errors(new.findings))
    left = {str(pool): draft.left(str(pool)) for pool in new.rules.pools}
    refused = (*led.refused, *errors_of)
    return Route(old, new, led.steps, led.costs(), left, _labels(new.rules), refused)


def _labels(rules: Ruleset) -> Mapping[str, str]:
    return {str(id_): pool.label for id_, pool in rules.pools.items()}


def strictly(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return `findings` with warnings as errors."""
    from sheetgen.diag.findings import Severity

    raised = {Severity.WARNING: Severity.ERROR}
    return tuple(replace(f, severity=raised.get(f.severity, f.severity)) for f in findings)


@dataclass(frozen=True, slots=True)
class Advice:
    """What a character can buy; `left` and `labels` by pool."""

    character: Character
    offers: tuple[Offer, ...]
    left: Mapping[str, int]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Route:
    """The way from one build to another; `costs`, `left` and `labels` by pool."""

    old: Character
    new: Character
    steps: tuple[tuple[str, str, int], ...]
    costs: Mapping[str, int]
    left: Mapping[str, int]
    labels: Mapping[str, str]
    refused: tuple[str, ...]
