"""Help as it is read; tests/docs/ compares it with the reference."""

from __future__ import annotations

import click
import pytest

from sheetgen import __version__
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.registry import commands as listed
from tests.cli.commands import all_commands, run
from tests.shelf import TESTS, ruleset

COMMANDS = all_commands()


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_is_as_it_was(name: str, accept: bool) -> None:
    said = run(*name.split(), "--help")
    assert said.status == 0
    assert said.err == ""
    golden = TESTS / "cli" / "help" / f"{name.replace(' ', '-') or 'sheetgen'}.txt"
    if accept:
        golden.write_text(said.out, encoding="utf-8")
    assert said.out == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name: str) -> None:
    unsaid = {"--paper"}  # its two values say all
    for param in COMMANDS[name].params:
        if isinstance(param, click.Option) and param.opts[0] not in unsaid:
            assert param.help, param.opts


def test_the_version_is_one_line_and_the_long_credits_are_an_option() -> None:
    said = run("--version")
    assert (said.status, said.out) == (0, f"sheetgen {__version__}\n")
    said = run("--credits")
    assert said.status == 0
    for book in ruleset_ids():
        assert ruleset(book).credit.long.split(". ")[0] in said.out.replace("\n", " ")


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_is_a_command_too(name: str) -> None:
    words = name.split()
    said = run("help", *words)
    assert said.out == run(*words, "--help").out
    assert "..." not in said.out.replace("[ARGS]...", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["xyzzy"], "there is no command `xyzzy`; `sheetgen --help` lists all commands"),
        (["hepl"], "there is no command `hepl`; did you mean `help`?"),
        (
            ["check", "x", "--colour"],
            "there is no option `--colour`; use one of: --strict,",
        ),
        (["check", "x", "--strickt"], "did you mean `--strict`?"),
    ],
)
def test_only_near_names_are_suggested(words: list[str], message: str) -> None:
    said = run(*words)
    assert said.status == 2
    assert message in said.err


def test_help_lists_what_each_command_says_of_itself() -> None:
    """`--help` imports no command; its summaries are kept apart and must not drift."""
    for name, entry in listed().items():
        first = (COMMANDS[name].help or "").partition("\n\n")[0].replace("\n", " ")
        assert first.startswith(entry.summary.rstrip(".")), name


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["shet"], "there is no command `shet`; did you mean `sheet`?"),
        (["new", "charakter"], "there is no command `charakter`; did you mean `character`?"),
        (
            ["new", "hyperspace-d6", "Ada"],
            "`hyperspace-d6` is a ruleset; write: sheetgen new character hyperspace-d6 NAME",
        ),
    ],
)
def test_an_unknown_command_has_a_hint(args: list[str], message: str) -> None:
    done = run(*args)
    assert done.status == 2
    assert message in done.err
