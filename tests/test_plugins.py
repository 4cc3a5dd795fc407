"""Plug-ins: ours can be deleted, a stranger's is found, and one that fails is one finding."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sheetgen.registry import plugins
from tests.shelf import TESTS

pytestmark = pytest.mark.many

ROOT = TESTS.parent
OURS = sorted(path.parent.name for path in (ROOT / "sheetgen" / "plugins").glob("*/plugin.py"))
HERO = ROOT / "content" / "characters" / "d6-pips"

STRANGER = """
from sheetgen.plugin import Command, ExchangeFormat, Plugin, PrintEntry

PLUGIN = Plugin(
    "stranger",
    "what a stranger adds",
    commands=(Command("roll-call", "Play", "stranger.more:roll_call", "Call everybody."),),
    prints=(PrintEntry("posters", "stranger.more:POSTER_KIND", "Rulesets."),),
    formats={"names": ExchangeFormat("a list of names", "stranger.more:export_names")},
    codes=("stranger.more",),
)
"""

MORE = '''
from typing import ClassVar

import typer

from sheetgen.diag.codes import Code
from sheetgen.diag.findings import Finding, Severity
from sheetgen.model.requests import PrintRequest
from sheetgen.plugins.exchange.formats import ExportRequest, ExportResult
from sheetgen.prints.kinds import PrintResult
from sheetgen.prints.kinds import PrintKind
from sheetgen.records import frozen

NOBODY = Code("XX001", "a table without players", "Invite somebody.")


def roll_call(name: str) -> None:
    """Call everybody."""
    typer.echo(f"{name}!")


@frozen
class PosterRequest(PrintRequest):
    """Posters to print, with these people."""

    kind: ClassVar[str] = "posters"

    people: tuple[str, ...] = ()


def print_posters(request, context):
    """Print posters."""
    note = Finding(NOBODY, request.place, "nobody is on the poster", "", Severity.NOTE)
    notes = () if request.people else (note,)
    page = f"<p>poster of {', '.join(request.people) or 'nobody'}</p>".encode()
    yield PrintResult({"html": page}, notes, words={"stem": "poster"})


def read_poster(entry, shared):
    """Return the request of a book's entry."""
    return PosterRequest(**shared, people=tuple(map(str, entry.only)))


POSTER_KIND = PrintKind(
    PosterRequest, "Poster", print_posters, job="ruleset", read_entry=read_poster, word="poster"
)


def export_names(request: ExportRequest) -> ExportResult:
    """Export names."""
    return ExportResult({"names.txt": "\\n".join(b.name for b, _ in request.builds).encode()})
'''


def sheetgen(*words: object, path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run sheetgen in `folder` with packages of `path` before all others."""
    places = os.pathsep.join(map(str, (path, ROOT)))
    return subprocess.run(
        [sys.executable, "-m", "sheetgen", *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": places},
        capture_output=True,
        text=True,
        check=False,
    )


def packaged(folder: Path, name: str, **modules: str) -> Path:
    """Write a package with the entry point of a plug-in, as installers leave it."""
    package = folder / name
    package.mkdir(parents=True)
    for module, text in modules.items():
        (package / f"{module}.py").write_text(text, encoding="utf-8")
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    points = f"[sheetgen.plugins]\n{name} = {name}.plugin:PLUGIN\n"
    (about / "entry_points.txt").write_text(points, encoding="utf-8")
    return folder


def test_all_our_plugins_are_found() -> None:
    assert [plugin.name for plugin in plugins()] == ["core", *OURS]


def test_a_strangers_plugin_adds_all_that_ours_add(tmp_path: Path) -> None:
    path = packaged(tmp_path / "site", "stranger", plugin=STRANGER, more=MORE)
    hero = shutil.copy(min(HERO.glob("*.yaml")), tmp_path)

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        return sheetgen(*words, path=path, folder=tmp_path)

    assert "roll-call  Call everybody." in run("--help").stdout
    assert run("roll-call", "Ada").stdout == "Ada!\n"
    assert run("explain", "XX001").stdout.startswith("XX001: a table without players")
    book = "entries:\n- {id: wall, posters: d6-pips, to: html}\n"
    (tmp_path / "book.yaml").write_text(book, encoding="utf-8")
    built = run("build", "book.yaml")
    assert "nobody is on the poster" in built.stderr
    poster = tmp_path / "book-output" / "poster.html"
    assert "<p>poster of nobody</p>" in poster.read_text(encoding="utf-8")
    named = book.replace("to: html", "to: html, only: Ada, copies: 2")
    (tmp_path / "book.yaml").write_text(named, encoding="utf-8")
    assert "nobody is on the poster" not in run("build", "book.yaml").stderr
    assert "<p>poster of Ada</p>" in poster.read_text(encoding="utf-8")
    run("export", hero, "--to", "names", "--out", "out")
    assert (tmp_path / "out" / "names.txt").read_text(encoding="utf-8")
    assert "stranger" in run("doctor").stdout


@pytest.mark.slow
@pytest.mark.parametrize("text", ["import nowhere\n", "PLUGIN = 3\n", "1 / 0\n"])
def test_a_broken_plugin_is_one_finding(tmp_path: Path, text: str) -> None:
    path = packaged(tmp_path / "site", "broken", plugin=text)
    done = sheetgen("list", "formats", path=path, folder=tmp_path)
    assert done.returncode == 0
    assert done.stderr.count("[SG406]") == 1
    assert "Traceback" not in done.stderr
    assert "broken" in sheetgen("doctor", path=path, folder=tmp_path).stdout


def copied_without(name: str, copy: Path) -> Path:
    """Copy sheetgen into `copy` without a plug-in."""
    shutil.copytree(ROOT / "sheetgen", copy / "sheetgen")
    for data in ("content", "templates", "seeds"):
        (copy / data).symlink_to(ROOT / data)
    shutil.rmtree(copy / "sheetgen" / "plugins" / name)
    return copy


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
def test_the_core_works_without(tmp_path: Path, name: str) -> None:
    copy = copied_without(name, tmp_path / "copy")
    hero = shutil.copy(min(HERO.glob("*.yaml")), tmp_path)
    (tmp_path / "book.yaml").write_text(f"entries:\n- sheets: {Path(hero).name}\n")
    fight = min((ROOT / "content" / "encounters" / "d6-pips").glob("*.yaml"))
    first = ["sheet", hero, "--to", "pdf", "--to", "html", "--out", "sheets"]
    assert sheetgen(*first, path=copy, folder=tmp_path).returncode == 0
    for words in (
        ["check", hero],
        ["show", hero],
        ["read", *(tmp_path / "sheets").glob("*.pdf")],
        ["cards", "d6-pips", "--kind", "npc"],
        ["tables", "d6-pips"],
        ["screen", "d6-pips"],
        ["encounter", fight],
        ["build", "book.yaml"],
        ["--help"],
        ["doctor"],
    ):
        done = sheetgen(*words, path=copy, folder=tmp_path)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        assert "SG406" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entry", "words", "place"),
    [
        ("sheets: hero.yaml", ["--cluster", "local"], "--cluster"),
        ("sheets: hero.yaml", ["--out", "s3://bucket/out"], "s3://bucket/out"),
        ("rows: people.parquet, template: hero.yaml", [], "book.yaml"),
        ("rows: 's3://bucket/people.csv', template: hero.yaml", [], "book.yaml"),
        ("rows: {database: a, query: select 1}, template: hero.yaml", [], "book.yaml"),
    ],
)
def test_what_needs_a_plugin_that_is_missing_is_one_finding(
    tmp_path: Path, entry: str, words: list[str], place: str
) -> None:
    copy = copied_without("farm", tmp_path / "copy")
    shutil.copy(min(HERO.glob("*.yaml")), tmp_path / "hero.yaml")
    (tmp_path / "book.yaml").write_text(f"entries:\n- {{{entry}}}\n")
    done = sheetgen("build", "book.yaml", *words, path=copy, folder=tmp_path)
    assert done.returncode
    assert done.stderr.count("error[") == 1
    assert done.stderr.startswith(place)
    assert "error[SG406]: this needs the plug-in `farm`" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_book_of_a_store_needs_a_plugin(tmp_path: Path) -> None:
    copy = copied_without("farm", tmp_path / "copy")
    done = sheetgen("build", "s3://u:hush@bucket/book", path=copy, folder=tmp_path)
    assert done.stderr.count("error[SG406]") == 1
    assert "hush" not in done.stderr
