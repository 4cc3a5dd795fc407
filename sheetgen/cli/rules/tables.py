"""`sheetgen tables`: a ruleset's reference tables, as PDF, HTML and text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import click
import typer

from sheetgen.cli import console
from sheetgen.cli.console import set_options
from sheetgen.cli.outputs import Files, file_stem
from sheetgen.cli.parameters import (
    NONE,
    PDF,
    Archive,
    Force,
    PagesFor,
    Paper,
    RulesetName,
    Settings,
    Strict,
    Theme,
)
from sheetgen.cli.preset_option import check_archive, preset_of
from sheetgen.cli.terminal import say, say_document
from sheetgen.diag.near import suggestion
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import sealed
from sheetgen.plan.pages.references import find_references, list_page_names, plan_table_pages
from sheetgen.plan.pages.tables import TablePage
from sheetgen.prints.characters import stock_of
from sheetgen.prints.requests import PrintRequest
from sheetgen.prints.tables import print_tables, proof_of
from sheetgen.render.flow.table_texts import as_csv, as_json, tables_markdown
from sheetgen.rules.tables.stock import kind_of_tables

KINDS = ("pdf", "html", "md", "csv", "json")
MOST_COLUMNS = 30
"""Nobody reads a table that is wider."""


def command(
    ruleset: RulesetName,
    names: Annotated[
        list[str], typer.Argument(metavar="[NAME…]", help="Pages or tables; all without one.")
    ] = NONE,
    kinds: Annotated[
        list[str],
        typer.Option(
            "--to",
            help="What to write; may be given several times.",
            click_type=click.Choice(KINDS),
        ),
    ] = PDF,
    paper: Paper = "a4",
    theme: Theme = "standard",
    preset_name: PagesFor = "",
    archive: Archive = False,
    over: Annotated[
        str,
        typer.Option(
            "--over",
            metavar="FROM-TO",
            help="Compute tables for these numbers instead of their own, such as 1-20.",
            show_default=False,
        ),
    ] = "",
    listed: Annotated[
        bool, typer.Option("--list", help="Say which pages and tables there are.")
    ] = False,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help="Folder to write to; `-` writes md, csv or json to stdout.",
            readable=False,
        ),
    ] = Path("output"),
    force: Force = False,
    strict: Strict = False,
    settings: Settings = NONE,
) -> None:
    """Print a ruleset's tables, made from its own formulas and data.

    RULESET is the name of one that comes with us, or the path of a folder; NAME is a page
    or a table of it.
    """
    preset = preset_of(preset_name)
    options = set_options(settings)
    check_archive(archive, preset)
    talk = console.Reporter(strict)
    kinds = list(dict.fromkeys(kinds))
    aloud = str(out) == "-"
    if aloud and {"pdf", "html"}.intersection(kinds):
        raise typer.BadParameter("only md, csv and json go to stdout", param_hint="--out")
    values = _range(over)
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
    kinds_of = (kind_of_tables(table.of) for table in rules.tables.values())
    stock = stock_of(rules, filter(None, kinds_of), options)
    wrong = read.differences
    made = plan_table_pages(rules, names, read.options, wrong, values, stock=stock)
    talk.say(made.findings)
    pages = [page for page in made.value or () if any(page.bands)]
    title = f"{', '.join(page.label for page in pages)}: {rules.title}" if names else rules.title
    request = PrintRequest(tuple(k for k in kinds if k in ("pdf", "html")), theme, paper)
    cut = plan_table_pages(rules, names, read.options, wrong, values, cut=True, stock=stock)
    printed = print_tables(
        [page for page in cut.value or () if any(page.bands)],
        rules,
        f"{title}, tables" if not names else title,
        request,
    )
    talk.say(printed.findings)
    stem = "-".join([file_stem(str(rules.id)), *(names or ("tables",))]).replace(" ", "-")
    texts = sorted(_texts(pages, rules, kinds, stem, title)) if printed.value is not None else []
    files = Files(out, talk, (), preset, archive, force=force)
    for name, kind, content in texts:
        if aloud:
            say_document(sealed(f"{name}.{kind}", content).decode())
        else:
            files.save(name, kind, content)
    files.put(stem, printed.value or {})
    talk.leave()


def _range(said: str) -> tuple[int, ...]:
    """Return the numbers that `FROM-TO` means."""
    if not said:
        return ()
    first, _, last = said.partition("-")
    if not (first.isascii() and first.isdigit() and last.isascii() and last.isdigit()):
        raise typer.BadParameter(f"`{said}` is not FROM-TO, such as 1-20", param_hint="--over")
    numbers = range(int(first[:9]), int(last[:9]) + 1)
    if not 1 <= len(numbers) <= MOST_COLUMNS:
        message = f"{said} has to be 1 to {MOST_COLUMNS} numbers, rising"
        raise typer.BadParameter(message, param_hint="--over")
    return tuple(numbers)


def _know(names: Sequence[str], rules: Ruleset) -> None:
    known = list_page_names(rules)
    for name in names:
        if name not in known:
            hint = suggestion(name, known, "tables")
            message = f"{rules.title} has no table `{name}`; {hint}"
            raise typer.BadParameter(message, param_hint="NAME")


def _listing(rules: Ruleset) -> Iterator[str]:
    """Yield a line for each page, and below it one for each of its tables."""
    shown: set[str] = set()
    for id_, reference in find_references(rules).items():
        yield f"{id_:<20} {reference.label}"
        for name in (str(name) for band in reference.bands for name in band):
            shown.add(name)
            if name in rules.tables and name != id_:
                yield f"  {name:<18} {rules.tables[name].label}".rstrip()
    for id_, table in rules.tables.items():
        if id_ not in shown:
            yield f"{id_:<20} {table.label}".rstrip()


def _texts(
    pages: Sequence[TablePage], rules: Ruleset, kinds: Sequence[str], stem: str, title: str
) -> Iterator[tuple[str, str, bytes]]:
    """Yield the stem, the kind and the content of each text file."""
    credit = rules.credit.short
    if "md" in kinds:
        yield stem, "md", tables_markdown(pages, title, credit).encode()
    if "json" in kinds:
        yield stem, "json", as_json(pages, str(rules.id), rules.version, credit).encode()
    for view in (view for page in pages for view in page.tables) if "csv" in kinds else ():
        if view.worked is not None:
            yield (
                f"{file_stem(str(rules.id))}-{view.worked.id}",
                "csv",
                as_csv(view, credit).encode(),
            )
