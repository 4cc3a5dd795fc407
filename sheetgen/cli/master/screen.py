"""`sheetgen screen`: the game master's screen of a ruleset, and the players' side of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from sheetgen.cli import console
from sheetgen.cli.outputs import Files, file_stem
from sheetgen.cli.preset_option import archive_option, check_archive, for_option, page_defaults
from sheetgen.cli.terminal import say
from sheetgen.diag.near import suggestion
from sheetgen.model.designs.presets import Preset
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.screens import names_of_panels
from sheetgen.prints.screen import print_screens
from sheetgen.prints.sheet import PrintRequest
from sheetgen.prints.tables import proof_of


@click.command("screen")
@click.argument("ruleset")
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True)
@click.option(
    "--panels",
    "names",
    multiple=True,
    metavar="NAME",
    help="A panel or a side, such as gm; may be given several times. All without it.",
)
@click.option("--theme", default="standard", show_default=True, help="`sheetgen list themes`.")
@for_option("pages", page_defaults)
@archive_option
@click.option(
    "--to",
    "kinds",
    multiple=True,
    type=click.Choice(["pdf", "html"]),
    default=["pdf"],
    show_default=True,
    help="What to write; may be given several times.",
)
@click.option("--list", "listed", is_flag=True, help="Say which sides and panels there are.")
@console.out_option
@console.force_option
@console.strict_option
@console.set_option
def command(
    ruleset: str,
    paper: str,
    names: tuple[str, ...],
    theme: str,
    preset: Preset | None,
    archive: bool,
    kinds: tuple[str, ...],
    listed: bool,
    out: Path,
    force: bool,
    strict: bool,
    options: Mapping[str, str],
) -> None:
    """Print a ruleset's screen: panels to be read from across the table.

    RULESET is the name of one that comes with us, or the path of a folder. Each panel is one
    page, the long side of the paper across, at the largest size of type that it holds.
    """
    check_archive(archive, preset)
    talk = console.Reporter(strict)
    read = proof_of(ruleset, options)
    talk.say(read.findings)
    rules = read.rules
    if rules is None:
        talk.leave()
        return
    _know(names, rules)
    if listed:
        say(*_listing(rules))
        talk.leave()
        return
    title = f"Screen: {rules.title}"
    request = PrintRequest(tuple(dict.fromkeys(kinds)), theme, paper)
    printed = print_screens(rules, names, read.options, title, request)
    talk.say(printed.findings)
    stem = "-".join([file_stem(str(rules.id)), "screen", *names])
    Files(out, talk, (), preset, archive, force=force).put(stem, printed.value or {})
    talk.leave()


def _know(names: Sequence[str], rules: Ruleset) -> None:
    known = names_of_panels(rules)
    if not known:
        raise click.BadParameter(f"{rules.title} has no screen", param_hint="RULESET")
    for name in names:
        if name not in known:
            hint = suggestion(name, known, "panels")
            message = f"{rules.title} has no panel `{name}`; {hint}"
            raise click.BadParameter(message, param_hint="--panels")


def _listing(rules: Ruleset) -> list[str]:
    """Return a line for each side, and below it one for each of its panels."""
    lines = []
    for side, screen in rules.screens.items():
        lines.append(f"{side:<16} {screen.label}")
        lines += [f"  {id_:<14} {panel.title}" for id_, panel in screen.panels.items()]
    return lines
