"""`sheetgen site`: a page that builds characters in a browser, in a folder or in one file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from sheetgen.cli import console
from sheetgen.cli.console import write_lines
from sheetgen.cli.parameters import argument, option
from sheetgen.diag.findings import Refused
from sheetgen.plugins.builder.site import build_site, join_site
from sheetgen.write import write_bytes, write_new


def command(
    folder: Annotated[Path, argument("The folder to write, or with --one-file the file.")],
    games: Annotated[
        list[str] | None,
        argument("Rulesets: names, or paths of folders; without any, all.", "RULESET…"),
    ] = None,
    runtime: Annotated[
        Path | None, option("--runtime FOLDER", "The unpacked npm package `pyodide`.")
    ] = None,
    one_file: Annotated[
        bool, option("--one-file", "Write one HTML file, which opens by double click.")
    ] = False,
    force: Annotated[bool, option("--force", "Replace files that are there.")] = False,
) -> None:
    """Write a web page that builds, checks and prints characters, and needs no server.

    The page is a folder of files for any web space, or one file. Python runs in the browser; what
    is typed stays there. It needs the runtime once, when the page is written:
    `npm pack pyodide`, unpacked.

    Example: sheetgen site builder ./my-game --runtime package

    Guide: docs/guides/builder.md
    """
    reporter = console.Reporter()
    try:
        files = build_site(tuple(games or ()), runtime)
    except Refused as refused:
        reporter.report([refused.finding])
        reporter.exit()
        return
    if one_file:
        files, folder = {folder.name: join_site(files)}, folder.parent
    for name, content in sorted(files.items()):
        target = folder / name
        if force:
            write_bytes(target, content)
        elif failed := write_new(target, content):
            hint = "add --force to write the page anew"
            reporter.report([replace(failed, hint=hint)])
            reporter.exit()
            return
    write_lines(str(folder / (next(iter(files)) if one_file else "index.html")))
    size = sum(map(len, files.values())) / 1e6
    write_lines(f"{size:.1f} MB in {len(files)} file{'s' * (len(files) > 1)}", err=True)
