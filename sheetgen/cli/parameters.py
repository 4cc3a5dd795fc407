"""Parameters that several commands share; their completion for shells neither prints nor fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, TypeVar, cast

import click
import typer

from sheetgen.diag.words import suggestion
from sheetgen.model.designs import Preset
from sheetgen.model.requests import OUTPUT_FOLDER, PICTURES
from sheetgen.model.source import RESOLUTIONS
from sheetgen.plugin import resolve
from sheetgen.units import PaperName

_T = TypeVar("_T")

if TYPE_CHECKING:
    from sheetgen.model.rulesets.ruleset import Ruleset as Rules
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


# Named by their places, so that nothing is imported before a key is pressed.
themes = quiet(lambda _: resolve("sheetgen.load.designs.templates:theme_ids")())
preset_names = quiet(lambda _: resolve("sheetgen.load.designs.designs:load_presets")())


@quiet
def card_kinds(ctx: typer.Context) -> Iterable[str]:
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
def group_names(ctx: typer.Context) -> Iterable[str]:
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


def named_rules(ctx: typer.Context) -> Rules | None:
    """Return the ruleset that the line names already; None if there is none."""
    from sheetgen.diag.findings import Span
    from sheetgen.load.characters import RulesetCache, load_file
    from sheetgen.load.files import SUFFIXES
    from sheetgen.load.rulesets.rulesets import find_ruleset, load_ruleset

    # An option that still lacks its value ends click's parsing: the words before it are in args.
    given = (ctx.params.get(name) for name in ("ruleset", "what", "expression"))
    name = next(filter(None, [*given, *(ctx.params.get("paths") or ()), *ctx.args]), "")
    if str(name).endswith(SUFFIXES):
        return load_file(Path(name), RulesetCache())[0].rules
    found = find_ruleset(str(name), Span(""), Path())
    return load_ruleset(found.value, complete=True).value if found.value else None


def preset_of(name: str) -> Preset | None:
    """Return the preset `name`, None for an empty name; wrong usage if there is none."""
    from sheetgen.load.designs.designs import load_presets

    if not name:
        return None
    known = load_presets()
    if name not in known:
        message = f"there is no preset `{name}`; {suggestion(name, known, 'presets')}"
        raise typer.BadParameter(message, param_hint="--for")
    return known[name]


def _set_defaults(ctx: typer.Context, name: str, takes: Literal["pages", "cards"]) -> str:
    """Let a preset set the defaults of a command's other options, wherever they are in the line."""
    name = name.lower()
    preset = preset_of(name)
    if preset is None:
        return name
    if preset.takes not in (takes, "all"):
        message = f"{name} is for {preset.takes}; this command prints {takes}"
        raise typer.BadParameter(message, param_hint="--for")
    own: dict[str, Any] = {"paper": preset.paper, "theme": preset.theme, "flatten": preset.flatten}
    if takes == "cards":
        own["bleed"], own["single"] = f"{preset.bleed:g}pt", preset.single
        own["no_marks"] = not preset.marks
    ctx.default_map = {**(ctx.default_map or {}), **own}
    return name


def option(
    flag: str,
    about: str,
    complete: Callable[..., Any] | None = None,
    *,
    choices: Iterable[str] = (),
    shown: bool | str = False,
    min: int | None = None,
    max: int | None = None,
    callback: Callable[..., Any] | None = None,
    is_eager: bool = False,
    default: _T = cast(Any, ...),
) -> _T:
    """Return an option, whose file need not be readable: that is a finding, not wrong usage.

    It is part of the type of a parameter, or its default if it has one itself. `flag` may name the
    value: `--size LENGTH`; `shown` is whether help shows the default, or what it shows instead.
    """
    flag, _, metavar = flag.partition(" ")
    click_type: Any = click.Choice([*choices], case_sensitive=False) if choices else None
    found: Any = typer.Option(
        *((flag,) if default is ... else (default, flag)),
        help=about,
        metavar=metavar or None,
        click_type=click_type,
        case_sensitive=False,
        autocompletion=complete,
        show_default=shown,
        readable=False,
        min=min,
        max=max,
        callback=callback,
        is_eager=is_eager,
    )
    return cast(_T, found)


def flag(name: str, about: str) -> bool:
    """Return an option that is off unless it is given: the default of a parameter."""
    return option(name, about, default=False)


def word(name: str, about: str, complete: Callable[..., Any] | None = None) -> Any:
    """Return an option with a text, empty unless it is given: the default of a parameter."""
    return option(name, about, complete, default="")


def argument(
    about: str, metavar: str | None = None, complete: Callable[..., Any] | None = None
) -> Any:
    """Return an argument, whose file need not be readable; see `option`."""
    return typer.Argument(metavar=metavar, help=about, autocompletion=complete, readable=False)


NONE: Final[list[Any]] = []  # The default of options that may be given several times
PDF: Final = ["pdf"]
OUTPUT: Final = Path(OUTPUT_FOLDER)
PAGE_KINDS: Final = ("pdf", "html", *PICTURES)

Paths: TypeAlias = Annotated[list[Path], argument("Files, or folders of them.", "PATH…")]
"""Paths of an author's files; one that cannot be read is a finding, not wrong usage."""

File: TypeAlias = Annotated[Path, argument("A file.", "FILE")]
Strict: TypeAlias = Annotated[bool, option("--strict", "Treat warnings as errors.")]
Settings: TypeAlias = Annotated[
    list[str],
    option(
        "--set OPTION=VALUE", "Set an option of the ruleset; may be given several times.", settings
    ),
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
FileOut: TypeAlias = Annotated[
    Path, option("--out", "The folder to write to, or the only file.", shown=True)
]
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
_DPI: Final = {"min": RESOLUTIONS.least, "max": RESOLUTIONS.most}
Dpi: TypeAlias = Annotated[
    int, option("--dpi", "The resolution of pictures, in pixels per inch.", shown=True, **_DPI)
]
Transparent: TypeAlias = Annotated[
    bool, option("--transparent", "Leave the paper of png and webp transparent.")
]
Paper: TypeAlias = Annotated[PaperName, option("--paper", "The size of the paper.", shown=True)]


Theme: TypeAlias = Annotated[
    str,
    option(
        "--theme",
        "A theme of `sheetgen list themes`, or the path of your own theme's YAML file.",
        themes,
        shown=True,
        callback=lambda name: name if os.sep in name or "." in name else name.lower(),
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


def _check_archive(ctx: typer.Context, archive: bool) -> bool:
    preset = preset_of(ctx.params.get("preset_name") or "")
    if archive and preset is not None and preset.colour == "cmyk":
        name = preset.name
        raise click.UsageError(f"--archive and --for {name} exclude each other: print it twice")
    return archive


Archive: TypeAlias = Annotated[
    bool,
    option(
        "--archive",
        "Write PDF/A for long-term archiving: no scripts, defined colours.",
        callback=_check_archive,
    ),
]
RulesetName: TypeAlias = Annotated[
    str, argument("The name of a ruleset, or its folder.", complete=rulesets)
]


_preset: Final = partial(
    option,
    "--for PRESET",
    "The preset of a printer; `sheetgen list presets` shows all.",
    preset_names,
    is_eager=True,
)
PagesFor: TypeAlias = Annotated[
    str, _preset(callback=lambda ctx, name: _set_defaults(ctx, name, "pages"))
]
CardsFor: TypeAlias = Annotated[
    str, _preset(callback=lambda ctx, name: _set_defaults(ctx, name, "cards"))
]
AnyFor: TypeAlias = Annotated[str, _preset()]
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
CONTEXT: Final = {"help_option_names": ["-h", "--help"]}
PLAIN: Final[dict[str, Any]] = {
    "add_completion": False,
    "rich_markup_mode": None,  # rich's help takes 60 ms to import
    "pretty_exceptions_enable": False,
    "context_settings": CONTEXT,
}


def command_of(function: Callable[..., None] | typer.Typer, name: str) -> click.Command:
    """Return the command `name` that calls `function`, by its annotated parameters, or a group."""
    if isinstance(function, typer.Typer):
        group = typer.main.get_command(function)
        group.name = name
        return group
    app = typer.Typer(**PLAIN)
    app.command(name)(function)
    return typer.main.get_command(app)
