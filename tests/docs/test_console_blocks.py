"""Every console block of README and docs is run: files, changes of files, commands, output.

Each page is one session in an empty folder. A YAML, CSV, JSON or TOML block below the line
`` `path`: `` is a file to write, "In `path` write `new` instead of `old`" is a change, "delete
`path`" is a deletion, and a console block holds commands with their output. A line `…` stands for
any lines. `pytest --accept` writes what commands print into blocks without such a line: read the
diff.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.commands import NOTICE, ROOT, run
from tests.docs.pages import DOCS, manuals, page_id, prose, read_page

FILE = re.compile(r"^`([\w./-]+)`:\n+\Z", re.MULTILINE)
CHANGE = re.compile(r"In `([^`]+)` write `([^`]+)`\s+instead\s+of\s+`([^`]+)`")
DELETED = re.compile(r"[Dd]elete `([^`]+/[^`]+)`")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_KINDS = ("yaml", "csv", "json", "toml", "markdown", "txt")
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
KINDS = (*FILE_KINDS, "console", "sh", "text", "python", "jinja", "lua", "toml", "elisp")
OTHER_PROGRAMS = (
    *("make ", "pip ", "python ", "python3 ", "git ", "pytest ", "cd ", "dask "),
    *("uv ", "pipx ", ".venv/bin/pip ", "docker "),
)
"""Beginnings of lines in `sh` blocks, which no test runs: what installs or needs a clone."""

ANY = "…"
SECONDS = re.compile(r"\d+(\.\d+)? (m?s)\b")
TUTORIAL = DOCS / "tutorials" / "own-game.md"
FIRST_READ = ("README.md", "start.md", "characters.md", "rulesets.md", "tables.md")
WITH_COMMANDS = [path for path in manuals() if "```console" in read_page(path)]


class Step(NamedTuple):
    """A `file`, `change`, `deletion` or `command` of a page: its name, its text and its place."""

    kind: str
    name: str
    text: str
    start: int


@pytest.mark.parametrize(
    "page",
    [
        page if page.name in FIRST_READ else pytest.param(page, marks=pytest.mark.slow)
        for page in WITH_COMMANDS
    ],
    ids=page_id,
)
def test_console_blocks_show_what_commands_print(
    page: Path, tmp_path: Path, accept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("content", "templates"):
        if f"{name}/" in commands_of(page):
            shutil.copytree(ROOT / name, tmp_path / name)
    accepted: list[tuple[Step, str]] = []
    for step in steps(page):
        target = tmp_path / step.name
        if step.kind == "file":
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(step.text, encoding="utf-8")
        elif step.kind == "deletion":
            target.unlink()
        elif step.kind == "change":
            new, old = step.text.split("\0")
            before = target.read_text(encoding="utf-8")
            assert old in before, f"{step.name} holds no `{old}`"
            target.write_text(before.replace(old, new, 1), encoding="utf-8")
        else:
            printed = output_of(step.name)
            without_notices = NOTICE.sub("", printed)
            if not any(matches(step.text, text) for text in (printed, without_notices)):
                assert accept, f"$ {step.name}\n{printed}"
                assert ANY not in step.text, f"$ {step.name}\n{printed}"
                accepted.append((step, without_notices))
    if accepted:
        text = read_page(page)
        for step, output in reversed(accepted):
            text = text[: step.start] + output + text[step.start + len(step.text) :]
        page.write_text(text, encoding="utf-8")


def test_pages_have_their_steps() -> None:
    """Guards against blocks that nothing runs, such as those of a misspelt language."""
    counted = {page: [step.kind for step in steps(page)] for page in WITH_COMMANDS}
    assert set(counted[TUTORIAL]) == {"file", "change", "deletion", "command"}
    assert counted[TUTORIAL].count("command") > 10
    for page, kinds in counted.items():
        assert "command" in kinds, page
        assert len(re.findall(r"`\s+write\s+`", prose(page))) == kinds.count("change"), page
    assert len(WITH_COMMANDS) > 10


@pytest.mark.parametrize("page", manuals(), ids=page_id)
def test_blocks_say_what_they_are(page: Path) -> None:
    """A command of ours stands in a console block, where it is run; no path of a machine does."""
    assert str(ROOT) not in read_page(page)
    for block in BLOCK.finditer(read_page(page)):
        assert block[1] in KINDS, block[0]
        if block[1] == "sh":
            for line in filter(None, block[2].splitlines()):
                assert f"{line} ".startswith(OTHER_PROGRAMS), line
        if block[1] == "console":
            assert block[2].startswith("$ sheetgen "), block[0]


@pytest.mark.parametrize("page", manuals(), ids=page_id)
def test_targets_of_make_are_there(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make ([\w-]+)|`make ([\w-]+)", read_page(page), re.MULTILINE):
        assert re.search(rf"^{''.join(target)}:", makefile, re.MULTILINE), target


def test_outputs_are_those_of_commands() -> None:
    """Guards against a tutorial whose commands print less than they do."""
    for step in steps(TUTORIAL):
        if step.kind == "command":
            for line in step.text.splitlines():
                assert not line.startswith("output/") or step.name.startswith("sheetgen ")


def steps(page: Path) -> Iterator[Step]:
    """Yield what a page asks for, in order."""
    at = 0
    text = read_page(page)
    for block in BLOCK.finditer(text):
        before = text[at : block.start()]
        at = block.end()
        for path, new, old in CHANGE.findall(before):
            yield Step("change", path, f"{new}\0{old}", block.start())
        for path in DELETED.findall(before):
            yield Step("deletion", path, "", block.start())
        if block[1] in FILE_KINDS and (named := FILE.search(before)):
            yield Step("file", named[1], block[2], block.start(2))
        elif block[1] == "console":
            for command in COMMAND.finditer(block[2]):
                yield Step("command", command[1], command[2], block.start(2) + command.start(2))


def commands_of(page: Path) -> str:
    """Return the commands of a page, joined."""
    return "\n".join(step.name for step in steps(page) if step.kind == "command")


def output_of(line: str) -> str:
    """Run a command in this folder; return all that it prints."""
    assert line.startswith("sheetgen "), line
    words = re.findall(r'"([^"]*)"|(\S+)', line.removeprefix("sheetgen "))
    return run(*(one or other for one, other in words)).all


def matches(shown: str, printed: str) -> bool:
    """Whether a block shows what was printed; durations may differ."""
    both = [SECONDS.sub(r"0 \2", text).splitlines() for text in (shown, printed)]
    return _match(*both)


def _match(shown: list[str], lines: list[str]) -> bool:
    if not shown:
        return not lines
    if shown[0] == ANY:
        return any(_match(shown[1:], lines[n:]) for n in range(len(lines) + 1))
    return bool(lines) and shown[0].rstrip() == lines[0].rstrip() and _match(shown[1:], lines[1:])
