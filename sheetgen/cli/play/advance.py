"""`sheetgen advance`: what can be bought now, or what the way to another build costs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from sheetgen.cli import console
from sheetgen.cli.console import set_options
from sheetgen.cli.parameters import NONE, File, Format, Settings
from sheetgen.cli.play.advance_text import Advice, Route, advice, route
from sheetgen.cli.terminal import write_lines
from sheetgen.prints.characters import Character


def command(
    file: File,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            metavar="OTHER",
            help="Price the way to this other build of it.",
            readable=False,
            show_default=False,
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what is closed or too dear, with the reason.")
    ] = False,
    settings: Settings = NONE,
    form: Format = "text",
) -> None:
    """List what a character can buy now and for how much, or price the way --to another."""
    options = set_options(settings)
    reporter = console.Reporter()
    if to is None:
        found = advice(file, options)
        concerned = [found.character]
        data, text = _offers(found, everything)
        credit = _credit(found.character)
    else:
        led = route(file, to, options)
        concerned = [led.old, led.new]
        data, text = _way(led)
        credit = _credit(led.new)
    for character in concerned:
        reporter.remember(character.source)
        reporter.report(character.findings)
    if form == "json":
        findings = console.findings_data(f for one in concerned for f in one.findings)
        console.write_json({"_credit": credit, **data, "findings": findings})
    elif text:
        write_lines(*text, *(["", credit] if credit else []))
    if to is not None and data.get("refused"):
        sys.exit(console.EXIT_BAD_INPUT)
    reporter.exit()


def _credit(character: Character) -> str:
    return character.rules.credit.short if character.rules else ""


def _offers(found: Advice, everything: bool) -> tuple[dict[str, Any], list[str]]:
    rows, lines = [], []
    for pool, left in found.left.items():
        lines.append(f"{found.labels[pool]}: {left} left")
        for offer in sorted(found.offers, key=lambda o: (o.price, o.what)):
            if offer.pool != pool:
                continue
            refused = offer.refused or ("" if offer.price <= left else "too dear now")
            rows.append(
                {
                    "what": offer.what,
                    "kind": offer.kind,
                    "from": offer.before,
                    "to": offer.after,
                    "price": offer.price,
                    "pool": pool,
                    "can": not refused,
                    "why_not": refused,
                }
            )
            if everything or not refused:
                why = f"  ({refused})" if refused else ""
                step = f" {offer.step}" if offer.step else ""
                lines.append(f"  {offer.price:>4}  {offer.what}{step}{why}")
    return {"left": found.left, "offers": rows}, lines


def _way(led: Route) -> tuple[dict[str, Any], list[str]]:
    steps = [{"pool": pool, "what": what, "price": price} for pool, what, price in led.steps]
    data = {
        "steps": steps,
        "cost": led.costs,
        "refused": list(led.refused),
        "doubtful": list(led.doubtful),
        "notes": list(led.notes),
        "left": led.left,
    }
    lines = [
        f"  {price:>5}  {what}  ({led.labels.get(pool, pool)})" for pool, what, price in led.steps
    ]
    for pool, cost in led.costs.items():
        lines.append(
            f"{led.labels.get(pool, pool)}: {cost} in all, "
            f"{led.left.get(pool, 0)} left after it".replace("-", "−")
        )
    lines += [f"note: {note}" for note in led.notes]
    lines += [f"doubtful: {reason}" for reason in led.doubtful]
    lines += [f"not legal: {reason}" for reason in led.refused]
    return data, lines or ["the two builds are alike"]
