"""What a slip on the command line most likely means: each answer says what to type instead."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Final

import click

from sheetgen.cli.parameters import command_of
from sheetgen.cli.settings import OF_FOLDERS
from sheetgen.diag.findings import PROGRAM
from sheetgen.diag.words import nearest
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.plugin import resolve
from sheetgen.registry import commands

_MEANT: Final = {
    **dict.fromkeys(("rulesets", "themes", "faces", "sheets", "presets", "formats"), "list {}"),
    **dict.fromkeys(("print", "pdf", "html", "character", "characters"), "sheet FILE"),
    **dict.fromkeys(("validate", "lint", "verify", "test"), "check FILE"),
    **dict.fromkeys(("init", "create", "start"), "new character RULESET NAME"),
    **dict.fromkeys(("settings", "configure", "defaults"), "config"),
    **dict.fromkeys(("version", "credits"), "--{}"),
    **dict.fromkeys(("level", "levelup", "level-up", "buy"), "advance FILE"),
    **dict.fromkeys(("ls", "games"), "list"),
    **dict.fromkeys(("license", "licence", "licences", "licenses"), "--credits"),
    "fight": "encounter FILE",
    "book": "build BOOK",
    "roll": "odds EXPRESSION",
}
"""What is meant by words that other programs have for a command, or that belong to one."""

_MEANT_OPTIONS: Final = {
    **dict.fromkeys(("-o", "--output", "--folder", "--dir"), "--out"),
    **dict.fromkeys(("--only", "-n"), "--name"),
    **dict.fromkeys(("--format", "--as"), "--to"),
    **dict.fromkeys(("-v", "-V"), "--version"),
    **dict.fromkeys(("--size", "--papersize", "--pagesize"), "--paper"),
    **dict.fromkeys(("--printer", "--preset"), "--for"),
    **dict.fromkeys(("--option", "--options"), "--set"),
    **dict.fromkeys(("--style", "--colour", "--color"), "--theme"),
    **dict.fromkeys(("--overwrite", "-f"), "--force"),
    **dict.fromkeys(("--rules", "--game", "--system", "-r"), "--ruleset"),
}
"""The options that are meant by those of other programs; only where a command has them."""

_TELLING: Final = 3  # the letters of a word from which a near command is likely
_TEXTS: Final = ("NAME", "EXPRESSION|RULESET")  # texts, whose blanks need quotes


def asks_for_help(words: Sequence[str]) -> bool:
    """Whether a line asks for help with a word: `help`, `help sheet`, `sheet help`."""
    if words[:1] == ["help"]:
        return True
    return [*words[1:]] == ["help"] and words[0] in commands() and not os.path.lexists("help")


def refuse_unknown(ctx: click.Context, args: Sequence[str], names: Iterable[str]) -> None:
    """Fail if the first of `args` is none of the commands `names`, with a near one as a hint."""
    names = tuple(names)
    if not args or args[0].startswith("-") or args[0] in names:
        return
    word, lower, write = args[0], args[0].lower(), ""
    begun = [name for name in names if name.startswith(lower)]
    near = begun[0] if len(begun) == 1 else nearest(word, names)
    suffix = os.path.splitext(lower)[1]
    if ctx.parent is not None:
        write = f"{PROGRAM} {lower}" if lower in commands() else ""
    elif suffix in (".pdf", ".html", ".htm"):
        write = f"{PROGRAM} read {word}"
    elif suffix in (".yaml", ".yml") or os.path.exists(word):
        write = f"{PROGRAM} check {word}"
    elif (not near or len(word) < _TELLING) and lower in _MEANT:
        write = f"{PROGRAM} {_MEANT[lower].format(lower)}"
    elif not near and word in ruleset_ids():
        write = f"{PROGRAM} list {word}"
    elif not near:
        makers = _find_command(ctx.command, ("new",))
        if isinstance(makers, click.Group) and lower in makers.list_commands(ctx):
            write = _example(_find_command(ctx.command, ("new", lower)))
    meant = f"did you mean `{near}`?" if near else f"`{ctx.command_path} --help` lists all commands"
    if ctx.parent is not None and not near:
        meant = f"use one of: {', '.join(names)}"
    ctx.fail(f"there is no command `{word}`; {f'write: {write}' if write else meant}")


def refuse_swallowed(ctx: click.Context, words: Sequence[str]) -> None:
    """Fail if an option stands in place of the value of the one before: `--out --to html`."""
    command = _find_command(ctx.command, words)
    options = [one for one in command.params if isinstance(one, click.Option)]
    taking = {flag for one in options if not one.is_flag and not one.count for flag in one.opts}
    flags = {*_flags(command), "--help", "-h"}
    for flag, value in pairwise(takewhile(lambda word: word != "--", words)):
        if flag in taking and value.partition("=")[0] in flags:
            depth = 1 if command.name == words[0] else 2  # a command of a group
            own = click.Context(command, parent=ctx, info_name=" ".join(words[:depth]))
            own.fail(_explain_value(flag, command, words))


def explain_usage(
    error: click.ClickException, root: click.Command, words: Sequence[str]
) -> click.ClickException:
    """Return the error about a line of `words`, in our words, with what to type instead."""
    context = getattr(error, "ctx", None)
    command = context.command if context is not None else _find_command(root, words)
    if isinstance(error, click.NoSuchOption):
        error.possibilities = []  # type: ignore[misc] # click's are too far off
        message = _explain_option(error.option_name, command, words)
    elif isinstance(error, click.MissingParameter):
        message = _explain_missing(error, command, words)
    elif isinstance(error, click.BadOptionUsage) and "requires an argument" in error.message:
        message = _explain_value(error.option_name, command, words)
    elif isinstance(error, click.BadParameter):
        return _explain_choice(error)
    elif found := re.match(r"Got unexpected extra arguments? \((.*)\)$", error.message, re.S):
        message = _explain_extra(found[1], command, words)
    else:
        return error
    return click.UsageError(message, context)


def _choices(parameter: click.Parameter | None) -> list[str]:
    given = parameter.type if parameter is not None else None
    return [str(one) for one in given.choices] if isinstance(given, click.Choice) else []


def _explain_option(name: str, command: click.Command, words: Sequence[str]) -> str:
    typed = next((w for w in words if w.startswith(name) and not w.startswith("--")), name)
    typed = typed.partition("=")[0]
    own = [flag for flag in _flags(command) if flag.startswith("--")]
    message = f"there is no option `{typed}`"
    kinds = _choices(next((o for o in command.params if "--to" in o.opts), None))
    plain = typed.lstrip("-").lower()
    if plain in kinds:
        return f"{message}; write `--to {plain}`"
    if f"--{plain}" in own:
        return f"{message}; write `--{plain}`"
    if (meant := _MEANT_OPTIONS.get(typed)) in own:
        return f"{message}; write `{meant}`"
    if meant == "--version":
        return f"{message}; write: {PROGRAM} --version"
    if command.name == "config" and plain in OF_FOLDERS:
        return f"{message} here; write `{plain} = …` into a file `sheetgen.toml` in this folder"
    owners = []
    for other, entry in commands().items():
        with contextlib.suppress(Exception):  # a stranger's command may be broken
            owners += [other] if typed in _flags(command_of(resolve(entry.function), other)) else []
    if owners:
        return f"{message} here; it is an option of {', '.join(f'`{one}`' for one in owners)}"
    if near := nearest(plain, (flag[2:] for flag in own)):
        return f"{message}; did you mean `--{near}`?"
    own = [flag for flag in own if plain == flag[2:3]] or own  # of `-p` those with a p
    return f"{message}; use one of: {', '.join(own)}"


def _explain_missing(
    error: click.MissingParameter, command: click.Command, words: Sequence[str]
) -> str:
    parameter = error.param
    assert parameter is not None  # click names it for all parameters
    if isinstance(parameter, click.Argument):
        metavar = parameter.make_metavar(click.Context(command))
        listed = "; `sheetgen list` shows the rulesets" if "RULESET" in metavar else ""
        return f"{metavar} is missing; for example: {_example(command)}{listed}"
    flag, known = parameter.opts[0], _choices(parameter)
    if typed := next((word for word in words if word.lower() in known), ""):
        return f"`{flag}` is missing; write `{flag} {typed.lower()}`"
    some = f"use one of: {', '.join(known)}" if known else f"for example: {_example(command)}"
    return f"`{flag}` is missing; {some}"


def _explain_value(flag: str, command: click.Command, words: Sequence[str]) -> str:
    option = next((one for one in command.params if flag in one.opts), None)
    message = f"`{flag}` needs a value"
    if option is None:
        return message
    context = click.Context(command)
    metavar = option.make_metavar(context)
    if "RULESET" in metavar and (named := next((w for w in words if w in ruleset_ids()), "")):
        rest = [word for word in words if word not in (flag, named)]
        return f"{message}; write: {shlex.join([PROGRAM, *rest, flag, named])}"
    known = _choices(option)
    with contextlib.suppress(Exception):  # a list that needs a ruleset, or a stranger's
        known = known or [one.value for one in option.shell_complete(context, "")]
    some = f"use one of: {', '.join(known)}" if known else f"write `{flag} {metavar.strip('[]')}`"
    return f"{message}; {some}"


def _explain_choice(error: click.BadParameter) -> click.ClickException:
    parameter = error.param
    if parameter is not None and isinstance(parameter.type, click.IntRange):
        least, most = parameter.type.min, parameter.type.max
        ends = f" from {least or 0}" + (f" to {most}" if most is not None else "")
        word = re.sub(r"is not a valid integer.*", "is no whole number", error.message)
        message = f"{word.rstrip('.')}; write `{parameter.opts[0]} NUMBER`, a whole number{ends}"
        return click.BadParameter(message, error.ctx, parameter)
    typed, known = re.match(r"'(.*?)' is not one of", error.message, re.S), _choices(parameter)
    if parameter is None or typed is None or not known:
        return error
    parts = [part.strip().lower() for part in re.split(r"[,+/ ]", typed[1]) if part.strip()]
    flag = parameter.opts[0]
    several = len(parts) > 1 and parameter.multiple and {*parts} <= {*known}
    hint = " ".join(f"{flag} {part}" for part in parts) if several else ""
    near = nearest(typed[1], known)
    meant = f"did you mean `{near}`?" if near else f"use one of: {', '.join(known)}"
    message = f"`{typed[1]}` is no value of it; {f'write `{hint}`' if hint else meant}"
    return click.BadParameter(message, error.ctx, parameter)


def _explain_extra(extra: str, command: click.Command, words: Sequence[str]) -> str:
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    message = f"`{extra}` is too much"
    at = next((i for i in range(2, len(words)) if " ".join(words[i:]).startswith(extra)), 0)
    joined = (f"{one}-{two}" for one, two in pairwise(words))
    if name := next((one for one in joined if one in ruleset_ids()), ""):
        return f"{message}; write `{name}`"
    if command.name == "config" and len(pair := extra.split()[-2:]) > 1:
        return f'{message}; write `{pair[0]} = "{pair[1]}"` into sheetgen.toml'
    chosen = next((one for one in (*words[1:], extra) if one in ruleset_ids()), "")
    if chosen and len(words) == 3 and any("--ruleset" in one.opts for one in command.params):
        other = next(one for one in words[1:] if one != chosen)
        return f"{message}; write: {PROGRAM} {words[0]} {shlex.quote(other)} --ruleset {chosen}"
    metavar = arguments[-1].make_metavar(click.Context(command)) if arguments else ""
    if at and metavar.strip("[]") in _TEXTS:
        size = next(n for n in range(1, len(words)) if " ".join(words[at : at + n]) == extra)
        text = " ".join(words[at - 1 : at + size])
        line = [*map(shlex.quote, words[: at - 1]), f'"{text}"']
        line += map(shlex.quote, words[at + size :])
        return f"{message}; put a text with blanks in quotes: {' '.join([PROGRAM, *line])}"
    return f"{message}; for example: {_example(command)}"


def _example(command: click.Command | None) -> str:
    text = (command.help or "") if command is not None else ""
    found = re.search(r"^ *Example: (.*)$", text, re.M)
    return found[1] if found else f"{PROGRAM} --help"


def _find_command(root: click.Command, words: Sequence[str]) -> click.Command:
    command = root
    for word in words:
        if not isinstance(command, click.Group) or word.startswith("-"):
            break
        found = command.get_command(click.Context(command), word)
        if found is None:
            break
        command = found
    return command


def _flags(command: click.Command) -> Iterator[str]:
    for one in command.params:
        if isinstance(one, click.Option):
            yield from (*one.opts, *one.secondary_opts)
