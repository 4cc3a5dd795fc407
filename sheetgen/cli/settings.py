"""Defaults of options from `sheetgen.toml`, of the folder, one above it or the user; `config`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

import click

from sheetgen.cli.console import Reporter, write_lines
from sheetgen.cli.parameters import OUTPUT, command_of
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span
from sheetgen.diag.words import suggestion
from sheetgen.plugin import resolve
from sheetgen.records import frozen
from sheetgen.registry import commands

FILE: Final = "sheetgen.toml"

SHARED: Final[Mapping[str, Any]] = {
    "paper": "a4",
    "theme": "standard",
    "out": OUTPUT,
    "dpi": 300,
    "notes": False,
    "strict": False,
}
"""Options that many commands share, with their defaults. A key at the top of the file applies to
each command whose option has this default; `new character --out`, for example, is another one."""

OF_FOLDERS: Final = frozenset(
    [
        *(*SHARED, "to", "for", "set", "size", "grid", "gutter", "bleed", "backs", "single"),
        *("marks", "flatten", "calc", "draft", "transparent", "each", "copies", "archive"),
        *("quiet", "format"),
    ]
)
"""Options that a folder's file may set: how prints look. It may be a stranger's, and others read or
write elsewhere, replace files, or start programs on other machines."""


@frozen
class Settings:
    """The content of a settings file; without one, there is none."""

    path: Path | None = None
    shared: Mapping[str, Any] = field(default_factory=dict)  # Values for all commands, by option.
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by command, option
    spans: Mapping[str, Span] = field(default_factory=dict)  # by path of key
    findings: tuple[Finding, ...] = ()

    def defaults(self, name: str, command: click.Command) -> dict[str, Any]:
        """Return the defaults of a command's parameters, by the names that click has for them."""
        found: dict[str, Any] = {}
        for key, option in _options(command).items():
            if key in self.own.get(name, {}):
                found[str(option.name)] = self.own[name][key]
            elif key in SHARED and key in self.shared and option.default == SHARED[key]:
                found[str(option.name)] = self.shared[key]
        return found


def user_file() -> Path:
    """Return the path of the user's own settings, which may not exist."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA") or "~/.config"
    return Path(os.path.expanduser(base)) / "sheetgen" / FILE


def load_settings() -> Settings:
    """Return the settings that hold in the current folder, with findings about them."""
    try:
        here = Path.cwd()
        folders: tuple[Path, ...] = (here, *here.parents)
    except OSError:  # somebody removed it
        folders = ()
    paths = (*(folder / FILE for folder in folders), user_file())
    path = next(filter(os.path.isfile, paths), None)
    if path is None:
        return Settings()
    import tomllib

    from sheetgen.load.files import read_text

    shown = str(path) if path == paths[-1] else os.path.relpath(path)
    read = read_text(path)
    text = read.value[0] if read.value else ""
    try:
        data = tomllib.loads(text)
    except (RecursionError, ValueError) as error:  # a number may be too long for Python, too
        nested = "values are nested too deeply" if isinstance(error, RecursionError) else ""
        message, _, place = (nested or str(error)).partition(" (at ")
        line, column = (*map(int, re.findall(r"\d+", place)), 1, 1)[:2]
        message = message[:1].lower() + message[1:]
        found = Finding(codes.NOT_YAML, Span(shown, line, column), message)
        return Settings(path, findings=(found,))
    spans: dict[str, Span] = {}  # by the paths of keys; the parser does not tell them
    table = ""
    for number, row in enumerate(text.splitlines(), 1):
        if mark := re.match(r"\s*\[\s*[\"']?([\w-]+)[\"']?\s*\]", row):
            table = f"{mark[1]}."
            spans[mark[1]] = Span(shown, number, mark.start(1) + 1, len(mark[1]))
        elif mark := re.match(r"\s*[\"']?([\w-]+)[\"']?\s*[=.]", row):
            spans[f"{table}{mark[1]}"] = Span(shown, number, mark.start(1) + 1, len(mark[1]))
    own = {key: value for key, value in data.items() if isinstance(value, dict)}
    shared = {key: value for key, value in data.items() if key not in own}
    return Settings(path, shared, own, spans, (*read.findings, *_check(path, shared, own, spans)))


def _options(command: click.Command) -> dict[str, click.Option]:
    """Return the options of a command by their long names; the first one of a pair."""
    named = ((o.opts[-1].lstrip("-"), o) for o in command.params if isinstance(o, click.Option))
    return {name: option for name, option in named if name != "help"}


def _check(
    file: Path, shared: dict[str, Any], own: dict[str, dict[str, Any]], spans: Mapping[str, Span]
) -> Iterator[Finding]:
    """Yield what is wrong, and make paths relative to the current folder."""
    from sheetgen.books.storage import is_store_address

    known = commands()

    def place(path: str) -> Span:
        return spans.get(path) or spans.get(path.partition(".")[0]) or Span(str(file), 1)

    def unknown(key: str, path: str, names: list[str], what: str) -> Finding:
        hint = suggestion(key, names)
        return Finding(codes.UNKNOWN_KEY, place(path), f"there is no {what} `{key}`", hint)

    for name in own:
        if name not in known:
            yield unknown(name, name, [*known], "command")
    tables = {name: values for name, values in own.items() if name in known}
    for name, values in {"": shared, **tables}.items():
        options = _options(command_of(resolve(known[name or "sheet"].function), name))
        if not name:
            options |= _options(command_of(resolve(known["tables"].function), ""))
            options = {key: options[key] for key in SHARED}
        for key, value in values.items():
            path = f"{name}.{key}" if name else key
            if key not in options:
                what = f"option of `{name}`" if name else "setting"
                yield unknown(key, path, [*options], what)
                continue
            if wrong := _wrong(options[key], key, value):
                yield Finding(codes.WRONG_TYPE, place(path), f"`{key}`: {wrong}")
                continue
            refused, folder = "", file.parent
            if key not in OF_FOLDERS:
                refused = "it is not taken from a folder's file, which may be a stranger's"
            elif key == "out":
                top = os.path.realpath(folder).rstrip(os.sep) + os.sep
                inside = (os.path.realpath(folder / value) + os.sep).startswith(top)
                if not inside or is_store_address(value) or value.startswith("~"):
                    refused = "it leads out of the folder of this file"
            is_path = key == "out" or (key == "theme" and value.endswith((".yaml", ".yml")))
            if refused and file != user_file():
                hint = f"write it into {user_file()}, or as --{key} after the command"
                yield Finding(codes.WRONG_TYPE, place(path), f"`{key}`: {refused}", hint)
            elif is_path and not is_store_address(value):  # relative to the current folder
                values[key] = os.path.relpath(folder / os.path.expanduser(value))


def _wrong(option: click.Option, key: str, value: Any) -> str:
    """Return why a value is none of an option; empty if it is one."""
    from sheetgen.load.designs.templates import theme_ids

    number = isinstance(option.type, click.types.IntParamType)
    kind: type
    kind, name = (int, "a whole number") if number else (str, "a text in quotes")
    kind, name = (bool, "true or false") if option.is_flag else (kind, name)
    kind, name = (list, f"a list of {name}") if option.multiple else (kind, name)
    if type(value) is not kind:
        return f"write {name}"
    if any(ord(letter) < 32 for letter in str(value)):
        return "remove its control characters"
    if key == "theme" and "." not in str(value) and value not in theme_ids():
        return f"there is no theme `{value}`; {suggestion(str(value), theme_ids())}"
    try:
        option.type_cast_value(click.Context(click.Command("")), value)
    except click.BadParameter as error:
        return error.message
    return ""


def config_command() -> None:
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
        shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        shown = str(value).lower() if isinstance(value, bool) else shown
        span = settings.spans.get(key)
        write_lines(f"{key:<16} {shown!s:<24} {f'{span.file}:{span.line}' if span else 'default'}")
    reporter.exit()
