"""`sheetgen diff`: what changed between two files of a character, and what it cost."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

from sheetgen.cli import console
from sheetgen.cli.console import set_options
from sheetgen.cli.parameters import NONE, Format, Settings, argument
from sheetgen.cli.play.differences import BuildComparison, BuildDifference, compare_builds
from sheetgen.cli.terminal import write_lines
from sheetgen.diag.findings import errors

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
    """Compare two files of a character, before and after: what changed and what it cost."""
    options = set_options(settings)
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
            write_lines(pair.refused)
        else:
            write_lines(*(list(_lines(found)) or ["the two builds are alike"]))
    if wrong:
        sys.exit(console.EXIT_BAD_INPUT)


def _lines(found: BuildComparison) -> Iterator[str]:
    bought = found.pair.advancement
    parts: dict[str, list[BuildDifference]] = {}
    for one in found.differences:
        parts.setdefault(one.part, []).append(one)
    for part, title in _PARTS.items():
        if part in parts:
            yield f"{title}:"
            yield from (f"  {_line(one)}" for one in parts[part])
    if bought is not None and bought.steps:
        labels = {p.pool: p.label for p in found.points}
        yield "Bought:"
        for pool, what, price in bought.steps:
            cost = f"{-price} back" if price < 0 else str(price)
            yield f"  {what}: {cost} {labels.get(pool, pool)}".replace("-", "−").rstrip()
    for points in found.points:
        if len({*points.gained}) > 1 or len({*points.spent}) > 1:
            parts_ = (
                f"{word} {a} -> {b}" if a != b else f"{word} {a}"
                for word, (a, b) in (
                    ("gained", points.gained),
                    ("spent", points.spent),
                    ("left", points.left),
                )
            )
            yield f"{points.label}: {', '.join(parts_)}"
    if bought is not None:
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
    bought = found.pair.advancement
    steps = bought.steps if bought is not None else ()
    return {
        "refused": found.pair.refused,
        "differences": [asdict(one) for one in found.differences],
        "points": [asdict(one) for one in found.points],
        "bought": [{"pool": pool, "what": what, "price": price} for pool, what, price in steps],
        "cost": bought.costs() if bought is not None else {},
        "against": list(bought.refused) if bought is not None else [],
        "prices": list(bought.prices) if bought is not None else [],
        "doubtful": list(bought.doubtful) if bought is not None else [],
        "findings": {
            "gained": console.findings_data(found.added),
            "gone": console.findings_data(found.removed),
        },
    }
