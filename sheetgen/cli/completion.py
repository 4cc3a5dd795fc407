"""Shell completion of rulesets, themes, presets, kinds, groups and stock files.

Nothing here prints or fails: without a match there is no completion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from sheetgen.model.rulesets.ruleset import Ruleset
    from sheetgen.model.source import Source


def _quiet(
    names: Callable[[typer.Context], Iterable[str]],
) -> Callable[[typer.Context, str], list[str]]:
    """Return a completion from a function that gives all names; an error gives none."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        try:
            return [name for name in names(ctx) if name.startswith(incomplete)]
        except Exception:  # noqa: BLE001 - a shell must never show a traceback for a key press
            return []

    return complete


@_quiet
def rulesets(ctx: typer.Context) -> Iterable[str]:
    """Yield the ids of the rulesets that come with us."""
    from sheetgen.load.rulesets.content import ruleset_ids

    return ruleset_ids()


@_quiet
def themes(ctx: typer.Context) -> Iterable[str]:
    """Yield the names of themes."""
    from sheetgen.load.designs.templates import theme_ids

    return theme_ids()


@_quiet
def preset_names(ctx: typer.Context) -> Iterable[str]:
    """Yield the names of presets."""
    from sheetgen.load.designs.designs import load_presets as known

    return known()


@_quiet
def kinds(ctx: typer.Context) -> Iterable[str]:
    """Yield the kinds of cards of the ruleset that is named."""
    rules = _named(ctx)
    return [*map(str, rules.kinds), *map(str, rules.card_sets)] if rules else ()


@_quiet
def groups(ctx: typer.Context) -> Iterable[str]:
    """Yield the groups of stock files of the ruleset that is named, of `--kind` if name."""
    from sheetgen.model.source import raw_text

    return dict.fromkeys(filter(None, (raw_text(one.get("group")) for one in _stock(ctx))))


@_quiet
def stock_file_names(ctx: typer.Context) -> Iterable[str]:
    """Yield the names of stock files of the ruleset that is named, of `--kind` if name."""
    from sheetgen.load.characters import source_name

    return dict.fromkeys(map(source_name, _stock(ctx)))


def _stock(ctx: typer.Context) -> Iterable[Source]:
    """Yield the stock files of the ruleset that is named, of `--kind` if name."""
    from sheetgen.load.characters import RulesetCache

    rules = _named(ctx)
    if rules is None:
        return
    kind = ctx.params.get("kind") or ""
    for id_ in [kind] if kind in rules.kinds else map(str, rules.kinds):
        yield from RulesetCache().entries(rules, id_)


def _named(ctx: typer.Context) -> Ruleset | None:
    """Return the ruleset that the line names already; None if there is none."""
    from sheetgen.diag.findings import Span
    from sheetgen.load.rulesets.rulesets import find_ruleset, load_ruleset

    # An option that still lacks its value ends click's parsing: the words before it are in args.
    words = [ctx.params.get("ruleset"), *(ctx.params.get("paths") or ()), *ctx.args]
    name = next(filter(None, words), "")
    found = find_ruleset(str(name), Span(""), Path())
    return load_ruleset(found.value, complete=True).value if found.value else None
