"""`sheetgen new ruleset`: a small whole ruleset to start from, or an overlay."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from sheetgen.cli import console
from sheetgen.cli.parameters import argument, option
from sheetgen.cli.rules.ruleset_scaffold import CHARACTER, files_over, id_of, scaffold_files
from sheetgen.cli.terminal import write_lines
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, errors
from sheetgen.diag.spans import Span
from sheetgen.load.files import is_empty_folder
from sheetgen.load.rulesets.content import ruleset_ids, starter_text
from sheetgen.load.rulesets.rulesets import Folders, find_ruleset, layers_of, load_ruleset
from sheetgen.write.files import write_new
from sheetgen.write.names import portable_name


def command(
    name: Annotated[str, argument("The title of the ruleset.")],
    extends: Annotated[str, option("--extends BASE", "Write an overlay of this ruleset.")] = "",
    out: Annotated[Path | None, option("--out", "The folder to write.")] = None,
) -> None:
    """Write a small ruleset that checks clean and prints.

    It is there for you to change. The folder is named after NAME. With `--extends` it is an
    overlay: one module that changes one thing of BASE (a name, or the path of a folder) and adds
    a table.
    """
    if not any(c.isalnum() for c in name):
        raise typer.BadParameter("a ruleset needs a name", param_hint="NAME")
    folder = out or Path(portable_name(id_of(name)))
    reporter = console.Reporter()
    if os.path.lexists(folder) and not is_empty_folder(folder):
        message = "this file or folder exists already"
        hint = "name another folder with --out"
        reporter.report([Finding(codes.WOULD_OVERWRITE, Span(str(folder)), message, hint)])
        reporter.exit()
    files = scaffold_files(name)
    if extends:
        base = folders_of(extends, "--extends")
        loaded = load_ruleset(base, complete=True)
        reporter.report(loaded.findings)
        if loaded.value is None or errors(loaded.findings):
            reporter.exit()
            return
        called = called_from(folder, extends, base[-1])
        files = files_over(name, loaded.value, called, starter_of(base[-1]))
    for path, text in sorted(files.items()):
        failed = write_new(folder / path, text.encode())
        if failed is not None:
            reporter.report([failed])
            reporter.exit()
    for path in sorted(files):
        write_lines(str(folder / path))
    shown = folder if out else Path(folder.name)
    write_lines(f"next: sheetgen check {shown}", err=True)
    if CHARACTER in files:
        write_lines(f"      sheetgen sheet {shown / CHARACTER}", err=True)


def folders_of(name: str, hint: str = "RULESET") -> Folders:
    """Return the folders of the ruleset `name`, or of that path; all else is wrong usage."""
    path = name
    if name not in ruleset_ids() and os.path.isfile(Path(name) / "ruleset.yaml"):
        path = os.path.join(os.curdir, name)
    found = find_ruleset(path, Span(hint), Path())
    if found.value is None:
        [wrong, *_] = found.findings
        message = f"{wrong.message}; {wrong.hint}" if wrong.hint else wrong.message
        raise typer.BadParameter(message, param_hint=hint)
    return found.value


def called_from(place: Path, name: str, folder: Path) -> str:
    """Return what a file in `place` calls the ruleset in `folder`: its name, or a path."""
    if folder.name in ruleset_ids() and folder.name in name.split("+"):
        return folder.name
    path = os.path.relpath(folder, place).replace(os.sep, "/")
    return path if path.startswith("..") else f"./{path}"


def starter_of(folder: Path) -> str:
    """Return the starter of the ruleset in `folder`, or that of what it extends."""
    texts = (starter_text(below.absolute()) for below in reversed(layers_of(folder)))
    return next(filter(None, texts), "")


def write_new_file(content: str, target: Path) -> None:
    """Write a new file, never over another."""
    reporter = console.Reporter()
    failed = write_new(target, content.encode())
    if failed is not None:
        reporter.report([failed])
    else:
        write_lines(str(target))
    reporter.exit()
