"""Parameters that several commands share, with their shell completion."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

import click
import typer

from sheetgen.cli.completion import groups as group_names
from sheetgen.cli.completion import preset_names, rulesets, stock_file_names, themes
from sheetgen.cli.preset_option import for_cards, for_pages
from sheetgen.model.requests import DECKS, PICTURES
from sheetgen.model.shape import RESOLUTIONS
from sheetgen.units import PaperName


def option(
    flag: str,
    about: str,
    complete: Callable[..., Any] | None = None,
    *,
    choices: Iterable[str] = (),
    shown: bool | str = False,
    **more: Any,
) -> Any:
    """Return an option, whose file need not be readable: that is a finding, not wrong usage.

    Args:
        flag: With the name of its value if the type does not say it: `--size LENGTH`.
        complete: Returns completions for the shell.
        shown: Whether the help shows the default, or what it shows instead.
        more: Further arguments of `typer.Option`.
    """
    more |= {"click_type": click.Choice([*choices], case_sensitive=False)} if choices else {}
    more |= {
        "case_sensitive": False,
        "autocompletion": complete,
        "show_default": shown,
        "readable": False,
    }
    flag, _, metavar = flag.partition(" ")
    return typer.Option(flag, help=about, metavar=metavar or None, **more)


def argument(
    about: str, metavar: str | None = None, complete: Callable[..., Any] | None = None
) -> Any:
    """Return an argument, whose file need not be readable; see `option`."""
    return typer.Argument(metavar=metavar, help=about, autocompletion=complete, readable=False)


NONE: Final[list[Any]] = []
"""The default of options that may be given several times."""

PDF: Final = ["pdf"]
OUTPUT: Final = Path("output")
PAGE_KINDS: Final = ("pdf", "html", *PICTURES)
CARD_KINDS: Final = (*PAGE_KINDS, *DECKS)

Paths: TypeAlias = Annotated[list[Path], argument("Files, or folders of them.", "PATH…")]
"""Paths of an author's files; one that cannot be read is a finding, not wrong usage."""

File: TypeAlias = Annotated[Path, argument("A file.", "FILE")]
Strict: TypeAlias = Annotated[bool, option("--strict", "Treat warnings as errors.")]
Settings: TypeAlias = Annotated[
    list[str],
    option("--set OPTION=VALUE", "Set an option of the ruleset; may be given several times."),
]
ListOnly: TypeAlias = Annotated[
    bool, option("--list", "List the names that can be printed; print nothing.")
]
PagesTo: TypeAlias = Annotated[
    list[str],
    option("--to", "Write the list as a file; may be given several times.", choices=PAGE_KINDS),
]
Ruleset: TypeAlias = Annotated[
    str, option("--ruleset RULESET", "The name of a ruleset, or its folder.", rulesets)
]
Out: TypeAlias = Annotated[Path, option("--out", "The folder to write to.", shown=True)]
Force: TypeAlias = Annotated[
    bool, option("--force", "Overwrite files that were changed since they were written.")
]
Format: TypeAlias = Annotated[
    Literal["text", "json"], option("--format", "The format of the output on stdout.")
]
Kinds: TypeAlias = Annotated[
    list[str],
    option("--to", "File format; may be given several times.", shown=True, choices=PAGE_KINDS),
]
Dpi: TypeAlias = Annotated[
    int,
    option(
        "--dpi",
        "The resolution of pictures, in pixels per inch.",
        shown=True,
        min=RESOLUTIONS.least,
        max=RESOLUTIONS.most,
    ),
]
Transparent: TypeAlias = Annotated[
    bool, option("--transparent", "Leave the paper of png and webp transparent.")
]
Paper: TypeAlias = Annotated[PaperName, option("--paper", "The size of the paper.", shown=True)]


def _theme_id(name: str) -> str:
    """Return the name of a theme in lower case; a path as it is."""
    return name if os.sep in name or "." in name else name.lower()


Theme: TypeAlias = Annotated[
    str,
    option(
        "--theme",
        "A theme of `sheetgen list themes`, or the path of your own theme's YAML file.",
        themes,
        shown=True,
        callback=_theme_id,
    ),
]
Groups: TypeAlias = Annotated[
    list[str],
    option("--group", "Only those of this group; may be given several times.", group_names),
]
Names: TypeAlias = Annotated[
    list[str],
    option("--name", "Only those of this name; may be given several times.", stock_file_names),
]
Notes: TypeAlias = Annotated[
    bool, option("--notes", "Print the footnotes about the source and its rulings, too.")
]
Archive: TypeAlias = Annotated[
    bool, option("--archive", "Write PDF/A for long-term archiving: no scripts, defined colours.")
]
RulesetName: TypeAlias = Annotated[
    str, argument("The name of a ruleset, or its folder.", complete=rulesets)
]
_FOR: Final = "--for PRESET", "The preset of a printer; `sheetgen list presets` shows all."
PagesFor: TypeAlias = Annotated[str, option(*_FOR, preset_names, is_eager=True, callback=for_pages)]
CardsFor: TypeAlias = Annotated[str, option(*_FOR, preset_names, is_eager=True, callback=for_cards)]
AnyFor: TypeAlias = Annotated[str, option(*_FOR, preset_names, is_eager=True)]
Book: TypeAlias = Annotated[
    str, argument("A book's file, or a folder with a book.yaml.", "BOOK.yaml|FOLDER")
]
BookOut: TypeAlias = Annotated[
    str | None,
    option(
        "--out FOLDER|ADDRESS",
        "The folder or object store (s3://BUCKET/FOLDER) to write to, not the book's own.",
    ),
]
