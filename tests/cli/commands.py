"""Running commands: in this process for speed, or in one of their own where that matters."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from click.testing import CliRunner

from sheetgen.cli import app
from sheetgen.data import data_folder
from sheetgen.load.rulesets.content import starter_text
from sheetgen.registry import commands

ROOT = data_folder()
CHARACTERS = ROOT / "content" / "characters"


@dataclass(frozen=True)
class Said:
    """What a command said, and its status; apart, the notices of a cold cache."""

    status: int
    out: str
    err: str
    notices: tuple[str, ...] = ()
    all: str = ""
    """What it said to both, in order."""


NOTICE = re.compile(r"(?:.*; this happens once|\d+ of \d+, \d+.* left)\n")


def _said(status: int, out: str, err: str, both: str = "") -> Said:
    return Said(status, out, NOTICE.sub("", err), tuple(NOTICE.findall(err)), both)


def run(*words: str | Path) -> Said:
    """Run `sheetgen` with `words` here; anything but a status that leaves it is a bug."""
    result = CliRunner().invoke(app, [str(word) for word in words], prog_name="sheetgen")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert "Traceback" not in result.stderr
    return _said(result.exit_code, result.stdout, result.stderr, result.output)


def run_apart(
    *words: str | Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
    seconds: float = 300,
) -> Said:
    """Run `sheetgen` in a process of its own, with no more environment than `env`.

    Args:
        before: Words before the command, such as `unshare -n`.
    """
    usual = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]}
    told = usual | {"HOME": str(cwd), "PYTHONPATH": str(ROOT)} if env is None else dict(env)
    done = subprocess.run(
        [*before, sys.executable, "-m", "sheetgen", *map(str, words)],
        cwd=cwd,
        env=told,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=seconds,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return _said(done.returncode, done.stdout, done.stderr)


def starter(folder: Path, game: str, name: str = "Bo", more: str = "", stem: str = "bo") -> Path:
    """Return a new file with a character that checks clean, and the lines of `more`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}.yaml"
    path.write_text(starter_text(game).replace("{name}", name) + f"\n{more}\n", encoding="utf-8")
    return path


def all_commands() -> dict[str, click.Command]:
    """Return every command by what is typed for it: `new character`."""
    context = click.Context(app)
    found: dict[str, click.Command] = {}
    for name in commands():
        command = app.get_command(context, name)
        assert command is not None
        found[name] = command
        if isinstance(command, click.Group):
            for below in command.list_commands(context):
                further = command.get_command(context, below)
                assert further is not None
                found[f"{name} {below}"] = further
    return found
