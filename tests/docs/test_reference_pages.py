"""The reference has every command, option, finding, key and function, and is up to date."""

from __future__ import annotations

import dataclasses
import re
import typing
from pathlib import Path
from typing import Any

import click
import pytest

from docs.generate import GUIDES, REFERENCE, all_commands, pages
from sheetgen.diag.codes import CODES
from sheetgen.load.shapes import model_fields
from sheetgen.model.books import Book
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.registry import PANELS, commands
from sheetgen.rules.formulas.expressions import COUNTING, NAMING, WRITING
from tests.cli.commands import ROOT
from tests.docs.pages import anchors, manuals, page_id, read_page, reference_text

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OTHER_OPTIONS = {
    "--scheduler-file",
    "--nthreads",
    "--nworkers",
    "--rm",
    *("--version", "--credits", "--install-completion", "--show-completion", "--help", "--accept"),
    *("--b", "--size-title", "--w-row", "--accent"),
}
"""Options of the program itself, of pytest, dask and docker, and properties of style sheets."""

README = read_page(ROOT / "README.md")


def _options(command: click.Command) -> set[str]:
    options = [p for p in command.params if isinstance(p, click.Option)]
    found = {o for p in options for o in (*p.opts, *p.secondary_opts)}
    return {option for option in found if option.startswith("--")} - {"--help"}


def _sections() -> tuple[str, dict[str, str]]:
    """Return the head of the page of commands, and its sections by what is typed."""
    head, *sections = re.split(r"^### ", read_page(REFERENCE / "commands.md"), flags=re.MULTILINE)
    found = {}
    for section in sections:
        title = section.partition("\n")[0]
        typed = re.fullmatch(r"`sheetgen ([a-z ]*[a-z])`", title)
        assert typed, f"the section `{title}` is not called after a command"
        found[typed[1]] = section
    return head, found


@pytest.mark.parametrize("name", list(pages()))
def test_generated_pages_are_up_to_date(name: str) -> None:
    assert read_page(REFERENCE / name) == pages()[name], "run `make reference`"


@pytest.mark.parametrize("name", all_commands())
def test_reference_has_every_command_and_option(name: str) -> None:
    """Guards against an option that nobody learns of, and one that is promised and gone."""
    _, sections = _sections()
    options = _options(all_commands()[name])
    listed = set(re.findall(r"^- `(.*?)`:", sections[name], re.MULTILINE))
    assert {option for line in listed for option in OPTION.findall(line)} == options
    everywhere = {o for command in all_commands().values() for o in _options(command)}
    assert set(OPTION.findall(sections[name])) <= everywhere


def test_reference_promises_nothing_else() -> None:
    head, sections = _sections()
    assert sections.keys() == all_commands().keys()
    assert {name.partition(" ")[0] for name in sections} == set(commands())
    known = {option for command in all_commands().values() for option in _options(command)}
    for option in OPTION.findall(head):
        assert option in known | OTHER_OPTIONS, option
    for panel in PANELS:
        assert f"\n## {panel}\n" in read_page(REFERENCE / "commands.md")


def test_every_command_has_a_guide() -> None:
    assert GUIDES.keys() == all_commands().keys()


@pytest.mark.parametrize("name", all_commands())
def test_readme_lists_every_command_with_a_link(name: str) -> None:
    line = next((s for s in README.splitlines() if s.startswith(f"| [`{name}`](docs/")), "")
    assert line, f"README has no line for `{name}`"


@pytest.mark.parametrize("code", CODES)
def test_reference_has_every_finding(code: str) -> None:
    page = read_page(REFERENCE / "findings.md")
    assert f"\n### {code}: {CODES[code].title}\n\n{CODES[code].about}\n" in page
    assert any(
        anchor.startswith(f"{code.lower()}-") for anchor in anchors(REFERENCE / "findings.md")
    )


def _keys(model: Any, seen: dict[Any, None]) -> dict[Any, None]:
    """Collect the dataclasses of our models that `model` is made of."""
    if dataclasses.is_dataclass(model) and model not in seen:
        if not model.__module__.startswith("sheetgen.model"):
            return seen
        seen[model] = None
        for spec in model_fields(model).values():
            _keys(spec.kind, seen)
    for part in typing.get_args(model):
        _keys(part, seen)
    return seen


@pytest.mark.parametrize("model", _keys(Ruleset, {}) | _keys(Book, {}), ids=lambda m: m.__name__)
def test_reference_has_every_key(model: Any) -> None:
    for key in model_fields(model):
        named = rf"(`|[{{,] ?|^ *(- )*){key}(`|:)"
        assert re.search(named, reference_text(), re.MULTILINE), key


def test_reference_has_every_function() -> None:
    page = read_page(REFERENCE / "formulas.md")
    for name in COUNTING | NAMING | WRITING:
        assert re.search(rf"`{name}[(`]", page), name


@pytest.mark.many
@pytest.mark.parametrize("page", manuals(), ids=page_id)
def test_pages_name_options_that_exist(page: Path) -> None:
    """Guards against an option that is promised and gone."""
    known = {option for command in all_commands().values() for option in _options(command)}
    for option in OPTION.findall(read_page(page)):
        assert option in known | OTHER_OPTIONS, option
