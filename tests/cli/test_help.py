"""Help as it is read, and the README, which may not promise other options than there are."""

from __future__ import annotations

import re

import click
import pytest

from sheetgen.cli import COMMANDS as LISTED
from tests.cli.commands import ROOT, all_commands, run
from tests.shelf import TESTS

COMMANDS = all_commands()
README = (ROOT / "README.md").read_text(encoding="utf-8")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_is_as_it_was(name: str, accept: bool) -> None:
    said = run(*name.split(), "--help")
    assert said.status == 0
    assert said.err == ""
    golden = TESTS / "cli" / "help" / f"{name.replace(' ', '-') or 'sheetgen'}.txt"
    if accept:
        golden.write_text(said.out, encoding="utf-8")
    assert said.out == golden.read_text(encoding="utf-8")


def _options(command: click.Command) -> set[str]:
    options = [p for p in command.params if isinstance(p, click.Option)]
    found = {o for p in options for o in (*p.opts, *p.secondary_opts)}
    return {option for option in found if option.startswith("--")} - {"--help"}


def _sections() -> tuple[str, dict[str, str]]:
    """Return what README says of all commands, and of each by what is typed for it."""
    part = README.partition("\n## Commands\n")[2].partition("\n## ")[0]
    head, *sections = re.split(r"^### ", part, flags=re.MULTILINE)
    found = {}
    for section in sections:
        title = section.partition("\n")[0]
        typed = re.match(r"`sheetgen ([a-z ]*[a-z])", title)
        assert typed, f"the section `{title}` does not begin with a command"
        found[typed[1]] = section
    return head, found


@pytest.mark.parametrize("name", [n for n, c in COMMANDS.items() if not isinstance(c, click.Group)])
def test_readme_has_every_command_and_option(name: str) -> None:
    """Guards against an option that nobody learns of, and one that is promised and gone."""
    head, sections = _sections()
    common = set(OPTION.findall(head))
    # `list WHAT` and the like: a section is named for the command and perhaps its words.
    section = sections.get(name) or next(s for t, s in sections.items() if t.startswith(name))
    said = set(OPTION.findall(section))
    assert said - _options(COMMANDS[name]) == set(), "README names what is not there"
    assert _options(COMMANDS[name]) - said - common == set(), "README does not name it"


def test_readme_promises_nothing_else() -> None:
    head, sections = _sections()
    groups = {name for name, c in COMMANDS.items() if isinstance(c, click.Group)}
    named = {name for name in COMMANDS if any(t.startswith(name) for t in sections)}
    assert COMMANDS.keys() - groups <= named
    assert len(sections) == len(COMMANDS) - len(groups)
    for option in OPTION.findall(head):
        assert any(option in _options(command) for command in COMMANDS.values()), option


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name: str) -> None:
    unsaid = {"--paper"}  # its two values say all
    for param in COMMANDS[name].params:
        if isinstance(param, click.Option) and param.opts[0] not in unsaid:
            assert param.help, param.opts


def test_version_bears_the_long_credits() -> None:
    said = run("--version")
    assert said.status == 0
    assert "CC BY-NC-SA" in said.out
    assert "sheetgen" in said.out.splitlines()[0]


def test_help_lists_what_each_command_says_of_itself() -> None:
    """`--help` imports no command; its summaries are kept apart and must not drift."""
    for name, entry in LISTED.items():
        first = (COMMANDS[name].help or "").partition("\n\n")[0].replace("\n", " ")
        assert first.startswith(entry.summary.rstrip(".")), name
