"""`sheetgen diff`: what changed between two files of a character, and what it cost."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

from sheetgen.check.character.advancement import Advancement, find_advancement
from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft import Draft
from sheetgen.cli import console
from sheetgen.cli.parameters import NONE, Format, Settings, argument
from sheetgen.diag.findings import Finding, errors
from sheetgen.load.characters import RulesetCache
from sheetgen.model.build import Build, Rating, pick_line
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.prints.characters import Character, load_character
from sheetgen.records import frozen

_PARTS: Final = {
    "keys": "Written down",
    "choices": "Choices",
    "ratings": "Ratings",
    "dice": "Dice",
    "gear": "Gear",
    "values": "What follows",
}


def command(
    old: Annotated[Path, argument("The character before.", "OLD")],
    new: Annotated[Path, argument("The character after.", "NEW")],
    settings: Settings = NONE,
    form: Format = "text",
) -> None:
    """Compare two files of a character, before and after: what changed and what it cost.

    Example: sheetgen diff before.yaml hero.yaml

    Guide: docs/guides/characters.md
    """
    options = console.set_options(settings)
    reporter = console.Reporter()
    found = compare_builds(old, new, options)
    pair = found.pair
    wrong_options = [f for f in pair.new.findings if f.span.is_option]
    if wrong_options:
        reporter.report(wrong_options)
        reporter.exit()
    wrong = bool(pair.refused) or bool(errors(pair.new.findings))
    if form == "json":
        credit = pair.new.rules.credit.short if pair.new.rules is not None else ""
        console.write_json({"_credit": credit, **_data(found)})
    else:
        if pair.refused:
            for one in (pair.old, pair.new):
                reporter.remember(one.source)
                reporter.report(one.findings)
            console.write_lines(pair.refused)
        else:
            console.write_lines(*(list(_lines(found)) or ["the two builds are alike"]))
    if wrong:
        sys.exit(console.EXIT_BAD_INPUT)


def _lines(found: BuildComparison) -> Iterator[str]:
    bought = found.pair.advancement or Advancement()
    for part, title in _PARTS.items():
        if lines := [f"  {_line(one)}" for one in found.differences if one.part == part]:
            yield f"{title}:"
            yield from lines
    if bought.steps:
        labels = {p.pool: p.label for p in found.points}
        yield "Bought:"
        for pool, what, price in bought.steps:
            cost = f"{-price} back" if price < 0 else str(price)
            yield f"  {what}: {cost} {labels.get(pool, pool)}".rstrip()
    for points in found.points:
        if len({*points.gained}) > 1 or len({*points.spent}) > 1:
            both = {"gained": points.gained, "spent": points.spent, "left": points.left}
            parts = (
                f"{word} {a} -> {b}" if a != b else f"{word} {a}" for word, (a, b) in both.items()
            )
            yield f"{points.label}: {', '.join(parts)}"
    yield from (f"note: {reason}" for reason in bought.prices)
    yield from (f"doubtful: {reason}" for reason in bought.doubtful)
    yield from (f"not by the rules of growing: {reason}" for reason in bought.refused)
    yield from (f"new {f.severity.word}: {f.span}: {f.message} [{f.code.id}]" for f in found.added)
    yield from (f"no longer: {f.severity.word}: {f.message} [{f.code.id}]" for f in found.removed)


def _line(one: BuildDifference) -> str:
    if one.label in (one.old, one.new) and not (one.old and one.new):
        return f"- {one.old}" if one.old else f"+ {one.new}"
    if one.part == "keys" and "\n" in one.old + one.new:
        return f"{one.label}: changed"
    if not one.old or not one.new:
        what = one.old or one.new
        named = what if what.startswith(one.label) else f"{one.label}: {what}"
        return f"{'-' if one.old else '+'} {named}"
    return f"{one.label}: {one.old} -> {one.new}"


def _data(found: BuildComparison) -> dict[str, Any]:
    bought = found.pair.advancement or Advancement()
    return {
        "refused": found.pair.refused,
        "differences": [asdict(one) for one in found.differences],
        "points": [asdict(one) for one in found.points],
        "bought": [{"pool": pool, "what": what, "price": n} for pool, what, n in bought.steps],
        "cost": bought.costs(),
        "against": list(bought.refused),
        "prices": list(bought.prices),
        "doubtful": list(bought.doubtful),
        "findings": {
            "gained": console.findings_data(found.added),
            "gone": console.findings_data(found.removed),
        },
    }


@frozen
class BuildDifference:
    """One difference; a text is empty if one of the two builds does not have the thing.

    Attributes:
        part: The sort of thing: `ratings`, `choices`, `gear`, `values`, `keys`, or `dice`.
    """

    part: str
    label: str
    old: str
    new: str


@frozen
class Points:
    """A pool in both builds."""

    pool: str
    label: str
    gained: tuple[int, int]
    spent: tuple[int, int]
    left: tuple[int, int]


@frozen
class BuildPair:
    """Two characters, and what was bought between them.

    Attributes:
        refused: Why they cannot be compared; then all that follows is None.
    """

    old: Character
    new: Character
    refused: str = ""
    draft: Draft | None = None
    advancement: Advancement | None = None


@frozen
class BuildComparison:
    """Two characters, and how they differ.

    Attributes:
        added, removed: Findings that only the new one has, or only the old one.
    """

    pair: BuildPair
    differences: tuple[BuildDifference, ...] = ()
    points: tuple[Points, ...] = ()
    added: tuple[Finding, ...] = ()
    removed: tuple[Finding, ...] = ()


def load_pair(before: Path, after: Path, chosen: Mapping[str, str]) -> BuildPair:
    """Return the characters at `before` and `after`, checked, and the advancement between them."""
    rulesets = RulesetCache()
    old, new = (load_character(path, rulesets, chosen) for path in (before, after))
    if old.build is None or new.build is None or old.rules is None or new.rules is None:
        return BuildPair(old, new, "one of the two files cannot be read")
    if old.rules.id != new.rules.id:
        return BuildPair(old, new, "the two files follow different rulesets")
    assert old.source is not None
    assert new.source is not None
    draft = check_draft(new.source, new.rules, chosen)
    advancement = find_advancement(check_draft(old.source, old.rules, chosen), draft)
    return BuildPair(old, new, "", draft, advancement)


def compare_builds(before: Path, after: Path, chosen: Mapping[str, str]) -> BuildComparison:
    """Return how the character at `after` differs from that at `before`."""
    pair = load_pair(before, after, chosen)
    old, new, rules = pair.old.build, pair.new.build, pair.new.rules
    if pair.refused or old is None or new is None or rules is None:
        return BuildComparison(pair)
    added, removed = _by_message(pair.new.findings), _by_message(pair.old.findings)
    return BuildComparison(
        pair,
        tuple(_all_differences(old, new, rules)),
        tuple(_points(old, new)),
        tuple(f for key, f in added.items() if key not in removed),
        tuple(f for key, f in removed.items() if key not in added),
    )


def _by_message(findings: tuple[Finding, ...]) -> dict[tuple[str, str], Finding]:
    return {(f.code.id, f.message): f for f in findings}


def _all_differences(old: Build, new: Build, rules: Ruleset) -> Iterator[BuildDifference]:
    yield from _keys(old, new, rules)
    before, after = (
        Counter(pick_line(pick, build) for pick in build.picks) for build in (old, new)
    )
    yield from _counted("choices", before, after)
    yield from _ratings(old, new, rules)
    for key in dict.fromkeys((*old.pictures, *new.pictures)):
        pair = (build.pictures.get(key) for build in (old, new))
        shown = (one.summary if one is not None else "" for one in pair)
        yield from _different("keys", key.capitalize(), *shown)
    dice = (" ".join(f"d{faces}" for faces in build.dice) for build in (old, new))
    yield from _different("dice", rules.dice.label if rules.dice else "Dice", *dice)
    yield from _counted("gear", _items(old), _items(new))
    for id_ in dict.fromkeys((*old.derived, *new.derived)):
        both = old.derived.get(id_), new.derived.get(id_)
        label = next((d.label for d in reversed(both) if d is not None and d.label), "")
        if label:
            shown = (d.shown if d is not None else "" for d in both)
            yield from _different("values", label, *shown)


def _different(part: str, label: str, old: str, new: str) -> Iterator[BuildDifference]:
    if old != new:
        yield BuildDifference(part, label, old, new)


def _keys(old: Build, new: Build, rules: Ruleset) -> Iterator[BuildDifference]:
    for id_, key in rules.character.items():
        label = key.label or str(id_).replace("_", " ").capitalize()
        if key.kind == "text":
            yield from _different("keys", label, old.texts.get(id_, ""), new.texts.get(id_, ""))
        elif key.kind == "number":
            numbers = (build.numbers.get(id_) for build in (old, new))
            shown = ("" if number is None else str(number) for number in numbers)
            yield from _different("keys", label, *shown)
        elif key.kind == "flag":
            flags = ("yes" if build.numbers.get(id_) else "no" for build in (old, new))
            yield from _different("keys", label, *flags)
        elif key.kind == "texts":
            before, after = (Counter(build.lists.get(id_, ())) for build in (old, new))
            yield from _counted("keys", before, after, label)


def _counted(
    part: str, old: Counter[str], new: Counter[str], label: str = ""
) -> Iterator[BuildDifference]:
    for name in dict.fromkeys((*old, *new)):
        if old[name] == new[name]:
            continue
        if old[name] and new[name]:
            yield BuildDifference(part, name, f"×{old[name]}", f"×{new[name]}")
            continue
        shown = (f"{name} ×{n}" if n > 1 else name if n else "" for n in (old[name], new[name]))
        yield BuildDifference(part, label or name, *shown)


def _items(build: Build) -> Counter[str]:
    found: Counter[str] = Counter()
    for item in build.items:
        times = f" {item.upgrades} times" if item.upgrades > 1 else ""
        upgraded = f" (improved{times})" if item.upgrades else ""
        found[f"{item.name}{upgraded}"] += item.count
    return found


def _ratings(old: Build, new: Build, rules: Ruleset) -> Iterator[BuildDifference]:
    """Yield ratings whose own steps differ, not those that only follow from another."""
    for id_ in dict.fromkeys((*old.ratings, *new.ratings)):
        before, after = old.ratings.get(id_), new.ratings.get(id_)
        one = after or before
        assert one is not None
        own = (r.own if r is not None else 0 for r in (before, after))
        stars = (r.stars if r is not None else 0 for r in (before, after))
        if len({*own}) > 1 or len({*stars}) > 1:
            shown = (_shown(r, rules) for r in (before, after))
            yield BuildDifference("ratings", one.name, *shown)


def _shown(rating: Rating | None, rules: Ruleset) -> str:
    if rating is None or not (rating.own or rating.total):
        return ""
    text = rules.rating_text(rating.group, rating.total)
    stars = f", {rating.stars} star{'s' if rating.stars > 1 else ''}" if rating.stars else ""
    return f"{text}{stars}"


def _points(old: Build, new: Build) -> Iterator[Points]:
    for id_ in dict.fromkeys((*old.ledgers, *new.ledgers)):
        both = [build.ledgers.get(id_) for build in (old, new)]
        before, after = (
            (one.gained, one.spent, one.left) if one is not None else (0, 0, 0) for one in both
        )
        label = next(one.label for one in reversed(both) if one is not None)
        yield Points(id_, label, *zip(before, after, strict=True))
