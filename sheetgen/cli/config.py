"""`sheetgen config`: the defaults of options that hold here, and where each is from."""

from __future__ import annotations

from sheetgen.cli.console import Reporter, write_lines
from sheetgen.cli.settings import FILE, SHARED, load_settings, user_file


def command() -> None:
    """Show the defaults that hold in this folder, and where each is from.

    They are read from `sheetgen.toml` in this folder or the nearest one above it, or else from the
    user's own file. Options on the command line come first, then the preset of `--for`.

    Example: sheetgen config

    Guide: docs/guides/settings.md
    """
    reporter, settings = Reporter(results=True), load_settings()
    reporter.report(settings.findings)
    if settings.path is None:
        write_lines(f"no {FILE} here or in a folder above, and no {user_file()}")
    rows = {**SHARED, **settings.shared}
    rows |= {f"{name}.{key}": v for name, of in settings.own.items() for key, v in of.items()}
    for key, value in rows.items():
        shown = {True: "true", False: "false"}.get(value, value) if value in (0, 1) else value
        span = settings.spans.get(key)
        write_lines(f"{key:<16} {shown!s:<24} {f'{span.file}:{span.line}' if span else 'default'}")
    reporter.exit()
