"""Shell completion of rulesets, themes, presets, kinds, options, groups and stock files.

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


def quiet(
    names: Callable[[typer.Context], Iterable[str]],
) -> Callable[[typer.Context, str], list[str]]:
    """Return a completion from a function that gives all names; an error gives none."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        try:
            return [name for name in names(ctx) if name.startswith(incomplete)]
        except Exception:  # noqa: BLE001 - a shell must never show a traceback for a key press
            return []

    return complete


@quiet
def rulesets(ctx: typer.Context) -> Iterable[str]:
    """Yield the ids of the rulesets that come with us, and of those of packs."""
    from sheetgen.load.rulesets.content import ruleset_ids
    from sheetgen.load.rulesets.rulesets import find_packed

    return (*ruleset_ids(), *(id_ for id_, _ in find_packed(Path())))


@quiet
def themes(ctx: typer.Context) -> Iterable[str]:
    """Yield the names of themes."""
    from sheetgen.load.designs.templates import theme_ids

    return theme_ids()


@quiet
def preset_names(ctx: typer.Context) -> Iterable[str]:
    """Yield the names of presets."""
    from sheetgen.load.designs.designs import load_presets

    return load_presets()


@quiet
def kinds(ctx: typer.Context) -> Iterable[str]:
    """Yield the kinds of cards of the ruleset that is named."""
    rules = named_rules(ctx)
    return [*map(str, rules.kinds), *map(str, rules.card_sets)] if rules else ()


@quiet
def settings(ctx: typer.Context) -> Iterable[str]:
    """Yield the options of the ruleset that is named, each with its values."""
    rules = named_rules(ctx)
    for id_, option in rules.options.items() if rules else ():
        words = ["yes", "no"] if "yes or no" in option.values else map(str, option.values)
        yield from (f"{id_}={'' if word == 'number' else word}" for word in words)


@quiet
def groups(ctx: typer.Context) -> Iterable[str]:
    """Yield the groups of stock files of the ruleset that is named, of `--kind` if name."""
    from sheetgen.model.source import raw_text

    return dict.fromkeys(filter(None, (raw_text(one.get("group")) for one in _stock(ctx))))


@quiet
def stock_file_names(ctx: typer.Context) -> Iterable[str]:
    """Yield the names of stock files of the ruleset that is named, of `--kind` if name."""
    from sheetgen.load.characters import source_name

    return dict.fromkeys(map(source_name, _stock(ctx)))


def _stock(ctx: typer.Context) -> Iterable[Source]:
    """Yield the stock files of the ruleset that is named, of `--kind` if name."""
    from sheetgen.load.characters import RulesetCache

    rules = named_rules(ctx)
    if rules is None:
        return
    kind = ctx.params.get("kind") or ""
    for id_ in [kind] if kind in rules.kinds else map(str, rules.kinds):
        yield from RulesetCache().entries(rules, id_)


def named_rules(ctx: typer.Context) -> Ruleset | None:
    """Return the ruleset that the line names already; None if there is none."""
    from sheetgen.diag.findings import Span
    from sheetgen.load.characters import RulesetCache, load_file
    from sheetgen.load.files import SUFFIXES
    from sheetgen.load.rulesets.rulesets import find_ruleset, load_ruleset

    # An option that still lacks its value ends click's parsing: the words before it are in args.
    given = (ctx.params.get(name) for name in ("ruleset", "what", "expression"))
    words = [*given, *(ctx.params.get("paths") or ()), *ctx.args]
    name = next(filter(None, words), "")
    if str(name).endswith(SUFFIXES):
        return load_file(Path(name), RulesetCache())[0].rules
    found = find_ruleset(str(name), Span(""), Path())
    return load_ruleset(found.value, complete=True).value if found.value else None
