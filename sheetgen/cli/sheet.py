"""`sheetgen sheet`: character sheets, filled or empty, as PDF and HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sheetgen.cli import console
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets import load_ruleset
from sheetgen.pipeline import Character, Printed, Request, characters, print_blank, print_sheet
from sheetgen.rules.names import folded
from sheetgen.write.files import write


class Kind(StrEnum):
    """A kind of output file."""

    PDF = "pdf"
    HTML = "html"


class Paper(StrEnum):
    """A size of paper."""

    A4 = "a4"
    LETTER = "letter"


def sheet(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Character files, or folders of them.", metavar="PATH…"),
    ] = None,
    to: Annotated[
        list[Kind], typer.Option("--to", help="What to write; may be given twice.")
    ] = [Kind.PDF],  # noqa: B006  (typer reads it, nobody changes it)
    blank: Annotated[
        str, typer.Option("--blank", metavar="RULESET", help="Write its empty sheet.")
    ] = "",
    paper: Annotated[Paper, typer.Option(help="Size of the paper.")] = Paper.A4,
    theme: Annotated[str, typer.Option(help="standard, ink-saver, large-print, …")] = "standard",
    flatten: Annotated[
        bool, typer.Option("--flatten", help="Draw everything; no form to fill in.")
    ] = False,
    draft: Annotated[
        bool, typer.Option("--draft", help="Print builds with errors too, stamped.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path("output"),
    strict: console.Strict = False,
    options: console.Options = [],  # noqa: B006  (typer reads it, nobody changes it)
) -> None:
    """Print character sheets as fillable PDF and as HTML."""
    if not paths and not blank:
        raise typer.BadParameter("name a character file, or use --blank RULESET")
    kinds = tuple(dict.fromkeys(kind.value for kind in to))
    request = Request(kinds, theme, paper.value, flatten, draft)
    talk = console.Talk(strict)
    files = _Files(out, talk)
    if blank:
        _blank(blank, request, files)
    for character in characters(paths or [], console.chosen(options)):
        talk.read(character)
        files.sources.append(character.path)
        talk.say(character.findings)
        if _printable(character, request, talk):
            printed = print_sheet(character, request)
            talk.say(printed.findings)
            files.put(character.path.stem, printed, character.path)
    talk.leave()


def _printable(character: Character, request: Request, talk: console.Talk) -> bool:
    """Whether a character is printed; one with errors only as a draft."""
    wrong = [f for f in talk.judged(character.findings) if f.severity is Severity.ERROR]
    if not wrong or character.build is None:
        return character.build is not None
    if not request.draft:
        typer.echo(f"{character.path}: not printed; --draft prints it all the same\n", err=True)
    return request.draft


def _blank(ruleset: str, request: Request, files: _Files) -> None:
    if ruleset not in ruleset_ids():
        hint = suggestion(ruleset, ruleset_ids(), "rulesets")
        raise typer.BadParameter(f"there is no ruleset `{ruleset}`; {hint}", param_hint="--blank")
    loaded = load_ruleset(rulesets_folder() / ruleset)
    files.talk.say(loaded.findings)
    if loaded.value is not None:
        printed = print_blank(loaded.value, request)
        files.talk.say(printed.findings)
        files.put(f"{ruleset}-blank", printed, None)


class _Files:
    """Writes outputs of one run; no two inputs get one name, no source is overwritten."""

    def __init__(self, out: Path, talk: console.Talk) -> None:
        self.out = out
        self.talk = talk
        self.sources: list[Path] = []
        self.taken: dict[str, Path | None] = {}

    def put(self, stem: str, printed: Printed, source: Path | None) -> None:
        """Write all kinds of one print."""
        for name, content in self._named(stem, printed.files):
            if name in self.taken:
                first = self.taken[name]
                message = f"`{name}` is written for {first} already"
                finding = Finding(codes.SAME_OUTPUT, Span(str(source)), message, "rename one")
                self.talk.say([finding])
                continue
            self.taken[name] = source
            failed = write(self.out / name, content, self.sources)
            if failed is not None:
                self.talk.say([failed])
            else:
                typer.echo(str(self.out / name))

    def _named(self, stem: str, files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
        plain = folded(stem).replace(" ", "-") or "sheet"
        for kind, content in files.items():
            yield f"{plain}.{kind}", content
