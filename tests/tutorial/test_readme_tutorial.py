"""README's tutorial, followed to the letter in an empty folder: files, changes, output."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.cli.commands import ROOT

HEADING = "\n## A game of your own"
FILE = re.compile(r"^`([\w./-]+)`:$", re.MULTILINE)
CHANGE = re.compile(r"In `([^`]+)` write `([^`]+)` instead of `([^`]+)`")
BLOCK = re.compile(r"^```(yaml|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY = "…"
"""A line of output that stands for any lines."""


def test_every_step_does_what_readme_says(tmp_path: Path) -> None:
    done = 0
    for kind, name, text in steps():
        if kind == "file":
            target = tmp_path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        elif kind == "change":
            path, new, old = name, *text.split("\0")
            before = (tmp_path / path).read_text(encoding="utf-8")
            assert old in before, f"{path} holds no `{old}`"
            (tmp_path / path).write_text(before.replace(old, new, 1), encoding="utf-8")
        else:
            said = said_by(name, tmp_path)
            assert matches(text.splitlines(), said.splitlines()), f"$ {name}\n{said}"
            done += 1
    assert done > 10


def test_what_is_printed_is_there(tmp_path: Path) -> None:
    """Guards against a tutorial whose commands say less than they do."""
    for kind, name, text in steps():
        if kind == "command":
            for line in text.splitlines():
                assert not line.startswith("output/") or name.startswith("sheetgen ")
    assert {kind for kind, _, _ in steps()} == {"file", "change", "command"}


def steps() -> Iterator[tuple[str, str, str]]:
    """Yield what README tells to do, in order: files, changes of files, commands with output."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    part = readme.partition(HEADING)[2].partition("\n## ")[0]
    at = 0
    for block in BLOCK.finditer(part):
        before = part[at : block.start()]
        at = block.end()
        for path, new, old in CHANGE.findall(before):
            yield "change", path, f"{new}\0{old}"
        if block[1] == "yaml":
            [*_, path] = FILE.findall(before)
            yield "file", path, block[2]
            continue
        for command in re.split(r"^\$ ", block[2], flags=re.MULTILINE)[1:]:
            line, _, output = command.partition("\n")
            yield "command", line, output


def said_by(line: str, folder: Path) -> str:
    """Run a command of README in `folder`; return all that it says."""
    assert line.startswith("sheetgen "), line
    words = re.findall(r'"([^"]*)"|(\S+)', line.removeprefix("sheetgen "))
    done = subprocess.run(
        [sys.executable, "-m", "sheetgen", *(one or other for one, other in words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert "Traceback" not in done.stdout, done.stdout
    return done.stdout


def matches(told: list[str], said: list[str]) -> bool:
    """Whether `said` is what is `told`, where a line `…` stands for any lines."""
    if not told:
        return not said
    if told[0] == ANY:
        return any(matches(told[1:], said[n:]) for n in range(len(said) + 1))
    return bool(said) and told[0].rstrip() == said[0].rstrip() and matches(told[1:], said[1:])
