"""`sheetgen advance`: what can be bought now, or what the way to another build costs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from sheetgen.check.character.advancement import Advancement, list_levels, list_offers
from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft import Draft
from sheetgen.check.character.ledger import has_pool
from sheetgen.cli import console
from sheetgen.cli.diff import BuildPair, load_pair
from sheetgen.cli.parameters import NONE, File, Format, Settings, option
from sheetgen.diag.findings import errors
from sheetgen.load.characters import RulesetCache
from sheetgen.prints.characters import Character, load_character
from sheetgen.rules.formulas.evaluate import number_text


def command(
    file: File,
    to: Annotated[
        Path | None, option("--to OTHER", "Price the way from FILE to this other build.")
    ] = None,
    everything: Annotated[
        bool, option("--all", "List also what cannot be bought now, with the reason.")
    ] = False,
    settings: Settings = NONE,
    form: Format = "text",
) -> None:
    """List what a character can buy now, with prices, or price the way --to another build.

    Example: sheetgen advance hero.yaml

    Guide: docs/guides/characters.md
    """
    options = console.set_options(settings)
    reporter = console.Reporter()
    if to is None:
        characters = [load_character(file, RulesetCache(), options)]
        data, text = _offers(characters[0], options, everything)
    else:
        pair = load_pair(file, to, options)
        characters = [pair.old, pair.new]
        data, text = _steps(pair)
    for character in characters:
        reporter.remember(character.source)
        reporter.report(character.findings)
    rules = characters[-1].rules
    credit = rules.credit.short if rules else ""
    if form == "json":
        findings = console.findings_data(f for one in characters for f in one.findings)
        console.write_json({"_credit": credit, **data, "findings": findings})
    elif text:
        console.write_lines(*text, *(["", credit] if credit else []))
    if data.get("refused"):
        sys.exit(console.EXIT_BAD_INPUT)
    reporter.exit()


def _left(draft: Draft) -> dict[str, int]:
    pools = (str(pool) for pool in draft.rules.pools)
    return {pool: draft.left(pool) for pool in pools if has_pool(draft, pool)}


def _offers(
    one: Character, options: Mapping[str, str], everything: bool
) -> tuple[dict[str, Any], list[str]]:
    if one.source is None or one.rules is None or one.build is None:
        return {"left": {}, "offers": []}, []
    draft = check_draft(one.source, one.rules, options)
    offers, rows, lines = [*list_offers(draft)], [], []
    for pool, left in _left(draft).items():
        lines.append(f"{_labels(one)[pool]}: {left} left")
        for offer in sorted(offers, key=lambda o: (o.price, o.what)):
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
    levels = [*list_levels(draft, options)]
    for level in levels:
        asked = "".join(f"; asks for: {one}" for one in level.asks)
        lines.append(f"{level.what}: {', '.join(level.changes) or 'nothing else'}{asked}")
    known = {"levels": [asdict(level) for level in levels]} if levels else {}
    return {"left": _left(draft), "offers": rows, **known}, lines


def _steps(pair: BuildPair) -> tuple[dict[str, Any], list[str]]:
    bought, labels = pair.advancement or Advancement(), _labels(pair.new)
    refused = [pair.refused] if pair.refused else [*bought.refused]
    if not pair.refused:
        refused += [f"{f.span}: {f.message}" for f in errors(pair.new.findings)]
    steps = bought.steps
    data: dict[str, Any] = {
        "steps": [{"pool": pool, "what": what, "price": price} for pool, what, price in steps],
        "cost": bought.costs(),
        "refused": refused,
        "doubtful": [*bought.doubtful],
        "notes": [*bought.notes, *bought.prices],
        "left": _left(pair.draft) if pair.draft is not None else {},
    }
    lines = [f"  {price:>5}  {what}  ({labels.get(pool, pool)})" for pool, what, price in steps]
    for pool, cost in data["cost"].items():
        left = data["left"].get(pool, 0)
        left_text = f"{number_text(left)} left after it"
        lines.append(f"{labels.get(pool, pool)}: {number_text(cost)} in all, {left_text}")
    lines += [f"note: {note}" for note in data["notes"]]
    lines += [f"doubtful: {reason}" for reason in data["doubtful"]]
    lines += [f"not legal: {reason}" for reason in refused]
    return data, lines or ["the two builds are alike"]


def _labels(one: Character) -> dict[str, str]:
    pools = one.rules.pools if one.rules is not None else {}
    return {str(id_): pool.label for id_, pool in pools.items()}
