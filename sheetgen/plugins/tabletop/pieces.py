"""`sheetgen pieces`: tokens, standees, tents and badges."""

from __future__ import annotations

from typing import Annotated

from sheetgen.cli import parameters
from sheetgen.cli.completion import rulesets
from sheetgen.cli.console import sorted_options
from sheetgen.cli.outputs import run_print
from sheetgen.cli.parameters import argument, option
from sheetgen.model.requests import PICTURES, file_formats
from sheetgen.plugins.tabletop.drawings import KINDS
from sheetgen.plugins.tabletop.prints import PIECE_KIND, USUAL, PieceRequest
from sheetgen.units import PaperSize


def command(
    paths: Annotated[
        list[str],
        argument(
            "Encounters, your files or folders, or a ruleset.", "PATH…|RULESET", complete=rulesets
        ),
    ],
    kinds: Annotated[
        list[str],
        option("--kind", "A kind; may be given several times.", shown=True, choices=KINDS),
    ] = [USUAL],  # noqa: B006
    size: Annotated[
        str,
        option(
            "--size LENGTH", "The width of a piece, such as 25, 40 or 2in; a bare number is in mm."
        ),
    ] = "",
    copies: Annotated[
        int,
        option("--copies", "How many of each; NPCs are numbered.", shown=True, min=1, max=99),
    ] = 1,
    groups: parameters.Groups = parameters.NONE,
    names: parameters.Names = parameters.NONE,
    formats: Annotated[
        list[str],
        option("--to", "File format; may be given twice.", shown=True, choices=["pdf", *PICTURES]),
    ] = parameters.PDF,
    dpi: parameters.Dpi = 300,
    transparent: parameters.Transparent = False,
    paper: Annotated[
        PaperSize,
        option("--paper", "The size of the paper.", shown=True, choices=PIECE_KIND.papers),
    ] = "a4",
    theme: parameters.Theme = "standard",
    preset_name: parameters.PagesFor = "",
    archive: parameters.Archive = False,
    out: parameters.Out = parameters.OUTPUT,
    force: parameters.Force = False,
    strict: parameters.Strict = False,
    settings: parameters.Settings = parameters.NONE,
) -> None:
    """Print pieces for the table: tokens, standees, tents and name badges.

    Encounters get a piece for each player and each copy of a combatant, numbered as on the
    page of the encounter. Pieces without a picture have initials and the pattern of their group.

    Example: sheetgen pieces fight.yaml --kind standee

    Guide: docs/guides/pieces.md
    """
    request = PieceRequest(
        tuple(paths),
        formats=file_formats(formats),
        options=sorted_options(settings),
        preset=preset_name,
        archive=archive,
        dpi=dpi,
        transparent=transparent,
        of_kind=",".join(dict.fromkeys(kinds)),
        size=size,
        copies=copies,
        groups=tuple(groups),
        only=tuple(names),
        paper=paper,
        theme=theme,
        strict=strict,
    )
    run_print(PIECE_KIND, request, out, force=force)
