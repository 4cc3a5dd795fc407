"""`--for PRESET`: what a printer wants, taken for all options that are not given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from sheetgen.model.designs.presets import Preset


def preset_of(name: str) -> Preset | None:
    """Return the preset `name`, or None for an empty name.

    Raises:
        click.BadParameter: There is none of that name.
    """
    from sheetgen.diag.near import suggestion
    from sheetgen.load.designs.presets import presets

    if not name:
        return None
    known = presets()
    if name not in known:
        message = f"there is no preset `{name}`; {suggestion(name, known, 'presets')}"
        raise click.BadParameter(message, param_hint="--for")
    return known[name]


def page_defaults(preset: Preset) -> dict[str, Any]:
    """Return what a preset says to the options of commands that print pages."""
    return {"paper": preset.paper, "theme": preset.theme, "flatten": preset.flatten}


def card_defaults(preset: Preset) -> dict[str, Any]:
    """Return what a preset says to the options of `cards`."""
    return {
        "paper": preset.paper,
        "theme": preset.theme,
        "bleed": f"{preset.bleed:g}pt",
        "single": preset.single,
        "no_marks": not preset.marks,
    }


def check_archive(archive: bool, preset: Preset | None) -> None:
    """Refuse a file for a press that is to be kept as PDF/A, too.

    Raises:
        click.UsageError: Both are wanted.
    """
    if archive and preset is not None and preset.colour == "cmyk":
        message = f"--archive and --for {preset.name} exclude each other: print it twice"
        raise click.UsageError(message)


archive_option = click.option(
    "--archive", is_flag=True, help="As PDF/A, to be kept for good: no scripts, colours defined."
)


def for_option(
    takes: str = "", defaults: Callable[[Preset], Mapping[str, Any]] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option `--for`; the command gets `preset`, a `Preset` or None.

    Args:
        takes: `cards` or `pages`: what the command prints; others' printers are refused.
        defaults: What the preset says to other options of the command, by parameter: they
            take it unless they are given, wherever they stand in the line.
    """

    def chosen(ctx: click.Context, _: click.Parameter, name: str) -> Preset | None:
        found = preset_of(name)
        if found is not None and takes and found.takes not in (takes, "all"):
            message = f"{name} is for {found.takes}; this command prints {takes}"
            raise click.BadParameter(message, param_hint="--for")
        if found is not None and defaults is not None:
            ctx.default_map = {**(ctx.default_map or {}), **defaults(found)}
        return found

    return click.option(
        "--for",
        "preset",
        metavar="PRESET",
        default="",
        is_eager=True,
        callback=chosen,
        help="What a printer wants; `sheetgen list presets`.",
    )
