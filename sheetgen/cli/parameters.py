"""Parameters that several commands share, with their shell completion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

import click
import typer

from sheetgen.cli.completion import preset_names, rulesets, themes
from sheetgen.cli.preset_option import for_cards, for_pages
from sheetgen.model.requests import DECKS, PICTURES
from sheetgen.model.shape import RESOLUTIONS
from sheetgen.units import PaperName

NONE: Final[list[Any]] = []
"""The default of options that may be given several times."""

PDF: Final = ["pdf"]
OUTPUT: Final = Path("output")
PAGE_KINDS: Final = click.Choice(["pdf", "html", *PICTURES])  # typer has no lists of Literal
CARD_KINDS: Final = click.Choice(["pdf", "html", *PICTURES, *DECKS])

Paths: TypeAlias = Annotated[
    list[Path], typer.Argument(metavar="PATH…", help="Files, or folders of them.", readable=False)
]
"""Paths of an author's files; one that cannot be read is a finding, not wrong usage."""

File: TypeAlias = Annotated[Path, typer.Argument(metavar="FILE", help="A file.", readable=False)]
Strict: TypeAlias = Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")]
Settings: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="OPTION=VALUE",
        help="Set an option of the ruleset; may be given several times.",
        show_default=False,
    ),
]
ListOnly: TypeAlias = Annotated[
    bool, typer.Option("--list", help="List the names that can be printed; print nothing.")
]
PagesTo: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--to",
        click_type=PAGE_KINDS,
        help="Write the list as a file; may be given several times.",
        show_default=False,
    ),
]
Ruleset: TypeAlias = Annotated[
    str,
    typer.Option(
        "--ruleset",
        autocompletion=rulesets,
        metavar="RULESET",
        help="The name of a ruleset, or its folder.",
        show_default=False,
    ),
]
Out: TypeAlias = Annotated[
    Path, typer.Option("--out", help="The folder to write to.", readable=False)
]
Force: TypeAlias = Annotated[
    bool,
    typer.Option("--force", help="Overwrite files that were changed since they were written."),
]
Format: TypeAlias = Annotated[
    Literal["text", "json"],
    typer.Option("--format", help="The format of the output on stdout.", show_default=False),
]
Kinds: TypeAlias = Annotated[
    list[str],
    typer.Option("--to", click_type=PAGE_KINDS, help="File format; may be given several times."),
]
Dpi: TypeAlias = Annotated[
    int,
    typer.Option(
        "--dpi",
        min=RESOLUTIONS.least,
        max=RESOLUTIONS.most,
        help="The resolution of pictures, in pixels per inch.",
    ),
]
Transparent: TypeAlias = Annotated[
    bool, typer.Option("--transparent", help="Leave the paper of png and webp transparent.")
]
Paper: TypeAlias = Annotated[PaperName, typer.Option("--paper", help="The size of the paper.")]
Theme: TypeAlias = Annotated[
    str,
    typer.Option(
        "--theme",
        help="A theme of `sheetgen list themes`, or the path of your own theme's YAML file.",
        autocompletion=themes,
    ),
]
Notes: TypeAlias = Annotated[
    bool,
    typer.Option("--notes", help="Print the footnotes about the source and its rulings, too."),
]
Archive: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--archive", help="Write PDF/A for long-term archiving: no scripts, defined colours."
    ),
]
RulesetName: TypeAlias = Annotated[
    str, typer.Argument(autocompletion=rulesets, help="The name of a ruleset, or its folder.")
]
_FOR: Final[dict[str, Any]] = {
    "metavar": "PRESET",
    "is_eager": True,
    "help": "The preset of a printer; `sheetgen list presets` shows all.",
    "show_default": False,
    "autocompletion": preset_names,
}
PagesFor: TypeAlias = Annotated[str, typer.Option("--for", callback=for_pages, **_FOR)]
CardsFor: TypeAlias = Annotated[str, typer.Option("--for", callback=for_cards, **_FOR)]
AnyFor: TypeAlias = Annotated[str, typer.Option("--for", **_FOR)]
Book: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="BOOK.yaml|FOLDER",
        help="A book's file, or a folder with a book.yaml.",
    ),
]
BookOut: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--out",
        metavar="FOLDER|ADDRESS",
        help="The folder or object store (s3://BUCKET/FOLDER) to write to, not the book's own.",
        show_default=False,
    ),
]
