"""`sheetgen diff`: what changed between two files of a character, and what it cost."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from sheetgen.cli import console
from sheetgen.cli.console import set_options
from sheetgen.cli.parameters import NONE, Format, Settings
from sheetgen.cli.play.differences import BuildDifference, Compared, compare_builds
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
    old: Annotated[
        Path, typer.Argument(metavar="OLD", help="The character before.", readable=False)
    ],
    new: Annotated[
        Path, typer.Argument(metavar="NEW", help="The character after.", readable=False)
    ],
    settings: Settings = NONE,
    form: Format = "text",
) -> None:
    """Say what a level-up changed and cost: one character in two files, before and after."""
    options = set_options(settings)
    reporter = console.Reporter()
    found = compare_builds(old, new, options)
    wrong_options = [f for f in found.new.findings if f.span.is_option]
    if wrong_options:
        reporter.report(wrong_options)
        reporter.exit()
    wrong = bool(found.refused) or bool(errors(found.new.findings))
    if form == "json":
        credit = found.new.rules.credit.short if found.new.rules is not None else ""
        console.write_json({"_credit": credit, **_data(found)})
    else:
        if found.refused:
            for one in (found.old, found.new):
                reporter.remember(one.source)
                reporter.report(one.findings)
            write_lines(found.refused)
        else:
            write_lines(*(list(_lines(found)) or ["the two builds are alike"]))
    if wrong:
        sys.exit(console.EXIT_BAD_INPUT)


def _lines(found: Compared) -> Iterator[str]:
    parts: dict[str, list[BuildDifference]] = {}
    for one in found.differences:
        parts.setdefault(one.part, []).append(one)
    for part, title in _PARTS.items():
        if part in parts:
            yield f"{title}:"
            yield from (f"  {_line(one)}" for one in parts[part])
    if found.way is not None and found.way.steps:
        labels = {p.pool: p.label for p in found.points}
        yield "Bought:"
        for pool, what, price in found.way.steps:
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
    if found.way is not None:
        yield from (f"note: {reason}" for reason in found.way.prices)
        yield from (f"doubtful: {reason}" for reason in found.way.doubtful)
        yield from (f"not by the rules of growing: {reason}" for reason in found.way.refused)
    yield from (f"new {f.severity.word}: {f.span}: {f.message} [{f.code.id}]" for f in found.gained)
    yield from (f"no longer: {f.severity.word}: {f.message} [{f.code.id}]" for f in found.gone)


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


def _data(found: Compared) -> dict[str, Any]:
    steps = found.way.steps if found.way is not None else ()
    return {
        "refused": found.refused,
        "differences": [asdict(one) for one in found.differences],
        "points": [asdict(one) for one in found.points],
        "bought": [{"pool": pool, "what": what, "price": price} for pool, what, price in steps],
        "cost": found.way.costs() if found.way is not None else {},
        "against": list(found.way.refused) if found.way is not None else [],
        "prices": list(found.way.prices) if found.way is not None else [],
        "doubtful": list(found.way.doubtful) if found.way is not None else [],
        "findings": {
            "gained": console.findings_data(found.gained),
            "gone": console.findings_data(found.gone),
        },
    }
