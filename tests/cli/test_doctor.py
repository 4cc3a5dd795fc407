"""`sheetgen doctor`: what it says where all is there, and where something is not."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from sheetgen.cli import doctor
from sheetgen.cli.console import EXIT_BAD_INPUT
from sheetgen.cli.doctor import GOOD, MISSING, NOTE, Probe, all_is_well, report
from sheetgen.render.flow.layout import NoEngine, install_hint, load_engine
from tests.cli.commands import ROOT, Said, run, run_apart, starter
from tests.printing import GAMES
from tests.samples import by_turns

pytestmark = pytest.mark.many


def _by_name(said: Said) -> dict[str, dict[str, Any]]:
    return {probe["name"]: probe for probe in json.loads(said.out)["probes"]}


def test_all_is_well_here() -> None:
    said = run("doctor")
    assert (said.status, said.err) == (0, "")
    assert said.out.endswith("all is well for printing\n")
    for name in ("python", "packages", "fonts", "layout engine", "plates", "cache", "test print"):
        assert f" {name}: " in said.out
    assert "Pango 1." in said.out
    assert " ms" in said.out


def test_for_programs() -> None:
    said = run("doctor", "--format", "json")
    assert json.loads(said.out)["ok"] is True
    found = _by_name(said)
    assert found["layout engine"]["found"] is True
    assert all(found["plates"]["plates"].values())
    assert found["cache"]["writable"] is True
    assert found["cache"]["path"] == str(Path(os.environ["XDG_CACHE_HOME"]) / "sheetgen")
    assert found["test print"]["bytes"] > 10_000


def _broken(folder: Path, module: str, how: str) -> dict[str, str]:
    """Return an environment in which importing `module` raises `how`."""
    (folder / module).mkdir()
    (folder / module / "__init__.py").write_text(f"raise {how}\n")
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
    }


MODULES = ["yaml", "jinja2", "fontTools", "font_manrope"]
HOW = ["ImportError('gone')", "RuntimeError('broken')"]


@pytest.mark.parametrize(("module", "how"), by_turns(MODULES, HOW))
def test_without_what_all_needs(module: str, how: str, tmp_path: Path) -> None:
    said = run_apart("doctor", cwd=tmp_path, env=_broken(tmp_path, module, how))
    assert said.status == EXIT_BAD_INPUT
    assert "MISSING  packages" in said.out
    assert "printing needs what is missing above" in said.out


LACKING = """OSError("cannot load library 'libpango-1.0-0': no such file")"""


def test_without_pango(tmp_path: Path) -> None:
    env = _broken(tmp_path, "weasyprint", LACKING)
    said = run_apart("doctor", cwd=tmp_path, env=env)
    assert said.status == 0
    assert "note     layout engine: " in said.out
    assert "the system lacks the library `pango-1.0-0`" in said.out
    assert install_hint(sys.platform) in said.out
    assert said.out.count("Pango") == 3  # the library's, what to install, the last line
    assert "ok       test print" in said.out
    assert "the sheets and cards of these rulesets print; tables" in said.out


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [("screen", GAMES[0]), ("tables", GAMES[0]), ("sheet", "--blank", GAMES[0], "--theme", "mono")],
    ids=lambda words: words[0],
)
def test_a_print_without_pango_says_what_to_install(words: tuple[str, ...], tmp_path: Path) -> None:
    """It is about this machine, and so not at a line of a file."""
    env = _broken(tmp_path, "weasyprint", LACKING)
    said = run_apart(*words, cwd=tmp_path, env=env)
    assert said.status == EXIT_BAD_INPUT
    assert said.out == ""
    assert said.err.startswith("sheetgen: error[SG404]: ")
    assert install_hint(sys.platform) in said.err
    assert "sheetgen doctor" in said.err


def test_shipped_games_print_without_pango_and_all_else_says_so_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        starter(tmp_path / "in", GAMES[0], stem=name)
    env = _broken(tmp_path, "weasyprint", LACKING)
    said = run_apart("sheet", "in", "--paper", "letter", cwd=tmp_path, env=env)
    assert (said.status, said.err) == (0, "")
    assert len(said.out.split()) == 2
    said = run_apart("sheet", "in", "--theme", "mono", cwd=tmp_path, env=env)
    assert said.status == EXIT_BAD_INPUT
    assert said.err.count("error[SG404]") == 1
    assert "a.yaml" not in said.err


def test_without_the_package_pip_is_named(tmp_path: Path) -> None:
    env = _broken(tmp_path, "weasyprint", "ImportError('No module named weasyprint')")
    said = run_apart("tables", GAMES[0], cwd=tmp_path, env=env)
    assert "pip install weasyprint" in said.err


def test_the_engine_here_is_found() -> None:
    assert load_engine().__version__
    assert install_hint("darwin") == "`brew install pango`"
    assert install_hint("freebsd14") == install_hint("linux")
    assert "doctor" in NoEngine("no", "yes").finding().hint


def test_what_is_shipped_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    note = {"plates": {"one": 3, "two": 4}}
    monkeypatch.setattr("sheetgen.load.cache.read_shipped_note", lambda: note)
    state, lines, _ = doctor._plates()
    assert (state, *lines) == (GOOD, "7 included: one 3, two 4")


def test_a_probe_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sheetgen.load.cache.can_write_cache", lambda: 1 / 0)
    cache = next(probe for probe in report("utf-8") if probe.name == "cache")
    assert cache.state == MISSING
    assert cache.lines == ("ZeroDivisionError: division by zero",)


def test_a_cache_that_cannot_be_written_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    state, _, data = doctor._cache()
    assert state == NOTE
    assert data["writable"] is False


@pytest.mark.parametrize(("encoding", "state"), [("utf-8", GOOD), ("ascii", NOTE), (None, NOTE)])
def test_few_letters_are_a_note(encoding: str | None, state: str) -> None:
    assert doctor._terminal(encoding)[0] == state


def test_only_what_is_missing_counts() -> None:
    assert all_is_well([Probe("a", GOOD, ()), Probe("b", NOTE, ())])
    assert not all_is_well([Probe("a", GOOD, ()), Probe("b", MISSING, ())])
