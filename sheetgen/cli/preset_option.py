"""`--for PRESET`: a preset sets the defaults of the command's other options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import typer

from sheetgen.model.designs.presets import Preset


def preset_of(name: str) -> Preset | None:
    """Return the preset `name`, or None for an empty name.

    Raises:
        typer.BadParameter: There is none of that name.
    """
    from sheetgen.diag.near import suggestion
    from sheetgen.load.designs.presets import load_presets

    if not name:
        return None
    known = load_presets()
    if name not in known:
        message = f"there is no preset `{name}`; {suggestion(name, known, 'presets')}"
        raise typer.BadParameter(message, param_hint="--for")
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


def for_pages(ctx: typer.Context, name: str) -> str:
    """Let the preset `name` set the options of a command that prints pages."""
    return _set(ctx, name, "pages", page_defaults)


def for_cards(ctx: typer.Context, name: str) -> str:
    """Let the preset `name` set the options of `cards`."""
    return _set(ctx, name, "cards", card_defaults)


def _set(
    ctx: typer.Context, name: str, takes: str, defaults: Callable[[Preset], Mapping[str, Any]]
) -> str:
    """Set the defaults of a command's other options, wherever they are in the line.

    Raises:
        typer.BadParameter: There is no such preset, or its printer takes something else.
    """
    name = name.lower()
    found = preset_of(name)
    if found is not None and found.takes not in (takes, "all"):
        message = f"{name} is for {found.takes}; this command prints {takes}"
        raise typer.BadParameter(message, param_hint="--for")
    if found is not None:
        ctx.default_map = {**(ctx.default_map or {}), **defaults(found)}
    return name
