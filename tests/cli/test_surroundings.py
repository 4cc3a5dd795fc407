"""Where it runs: no network, no home, a cache that cannot be written, odd places and locales."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sheetgen.load.cache import read_cache, store_in_cache
from tests.cli.commands import CHARACTERS, ROOT, run, run_apart
from tests.printing import GAMES

pytestmark = pytest.mark.slow

RIVET = CHARACTERS / "hyperspace-d6" / "rivet.yaml"
JORRA = CHARACTERS / "hyperspace-d6" / "jorra_kest.yaml"
NO_SOCKETS = """
import socket
def refused(*_, **__):
    raise AssertionError("something asks the network")
class Refused(socket.socket):
    __init__ = refused
socket.socket = Refused
socket.create_connection = socket.getaddrinfo = refused
"""


def _environment(**more: str) -> dict[str, str]:
    """Return the least environment: where programs are, and where the package is."""
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **more}


def _kept() -> str:
    return os.environ["XDG_CACHE_HOME"]


def _with_faces(cache: Path) -> str:
    """Return a new cache with nothing in it but the cut faces, which take the longest."""
    (cache / "sheetgen").mkdir(parents=True)
    for path in (Path(_kept()) / "sheetgen").glob("*.face"):
        shutil.copy(path, cache / "sheetgen")
    return str(cache)


def _printed(folder: Path, env: dict[str, str], *before: str, seconds: float = 90) -> list[bytes]:
    """Return the PDF and the HTML that a run in `folder` with `env` writes."""
    words = ("sheet", RIVET, "--to", "pdf", "--to", "html")
    said = run_apart(*words, cwd=folder, env=env, before=before, seconds=seconds)
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines() == ["output/rivet.pdf", "output/rivet.html"]
    return [(folder / line).read_bytes() for line in said.out.splitlines()]


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Return what is printed where nothing is odd."""
    return _printed(tmp_path_factory.mktemp("usual"), _environment(XDG_CACHE_HOME=_kept()))


def test_no_socket_is_opened(tmp_path: Path, usual: list[bytes]) -> None:
    """Guards the promise of no network, also while plates are made: the cache has none."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(NO_SOCKETS)
    path = os.pathsep.join([str(tmp_path / "site"), str(ROOT)])
    env = _environment(XDG_CACHE_HOME=_with_faces(tmp_path / "cache"), HOME=str(tmp_path))
    env["PYTHONPATH"] = path
    probe = "import socket; socket.socket()"
    done = subprocess.run([sys.executable, "-c", probe], env=env, capture_output=True, check=False)
    assert b"asks the network" in done.stderr
    assert _printed(tmp_path, env) == usual


def test_without_any_network(tmp_path: Path, usual: list[bytes]) -> None:
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-n", "true"], check=False).returncode:
        pytest.skip("needs the right to leave the network; the test above shows the same")
    env = _environment(XDG_CACHE_HOME=_kept(), HOME=str(tmp_path))
    assert _printed(tmp_path, env, unshare, "-n") == usual


def test_without_a_home(tmp_path: Path, usual: list[bytes]) -> None:
    env = _environment(XDG_CACHE_HOME=_kept())
    assert "HOME" not in env
    assert _printed(tmp_path, env) == usual


@pytest.mark.parametrize("said", ["", "relative/cache"])
def test_a_user_without_a_home_keeps_nothing(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user of a container has no home: a folder named `~` was once made where he stood."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", said)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    store_in_cache("a", b"kept")
    assert read_cache("a") is None
    assert list(tmp_path.iterdir()) == []


def test_a_cache_that_cannot_be_written(tmp_path: Path, usual: list[bytes]) -> None:
    """A file stands in its way, so that this holds for root too."""
    (tmp_path / "cache").write_text("no folder")
    env = _environment(XDG_CACHE_HOME=str(tmp_path / "cache" / "below"))
    assert _printed(tmp_path, env) == usual


def test_a_cache_with_rubbish_in_it(tmp_path: Path, usual: list[bytes]) -> None:
    """Guards against a run that was killed, or a full disk: plates cut short are made anew."""
    cache = tmp_path / "cache"
    shutil.copytree(Path(_kept()) / "sheetgen", cache / "sheetgen")
    for path in (cache / "sheetgen").glob("*.plate"):
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
    env = _environment(XDG_CACHE_HOME=str(cache))
    assert _printed(tmp_path, env) == usual
    assert _printed(tmp_path, env) == usual


@pytest.mark.parametrize("locale", ["C", "POSIX", "tr_TR.UTF-8", "no_SUCH.locale"])
def test_in_any_locale(locale: str, tmp_path: Path, usual: list[bytes]) -> None:
    env = _environment(XDG_CACHE_HOME=_kept(), LANG=locale, LC_ALL=locale)
    assert _printed(tmp_path, env) == usual
    assert "−600" in run_apart("show", JORRA, cwd=tmp_path, env=env).out


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8:strict"])
def test_on_a_terminal_of_few_letters(encoding: str, tmp_path: Path) -> None:
    """A minus sign once ended in a traceback where a terminal has none."""
    env = _environment(PYTHONIOENCODING=encoding, XDG_CACHE_HOME=_kept())
    assert run_apart("show", JORRA, cwd=tmp_path, env=env).status == 0
    data = json.loads(run_apart("show", JORRA, "--format", "json", cwd=tmp_path, env=env).out)
    assert data["name"] == "Jorra Kest"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8:strict"])
def test_a_file_whose_name_is_no_text(encoding: str, tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.yaml")
    shutil.copy(RIVET, tmp_path / name)
    env = _environment(PYTHONIOENCODING=encoding, XDG_CACHE_HOME=_kept())
    said = run_apart("check", name, cwd=tmp_path, env=env)
    assert (said.status, said.out) == (0, "\\xff.yaml: clean\n")
    [told] = json.loads(run_apart("check", name, "--format", "json", cwd=tmp_path, env=env).out)
    assert told["file"] == name
    assert run_apart("sheet", name, cwd=tmp_path, env=env).status == 0


def test_no_colour_where_nobody_looks(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("ruleset: nothing\nname: A\n")
    assert "\x1b" not in run_apart("check", "a.yaml", cwd=tmp_path).err


def test_a_ruleset_beside_the_character(tmp_path: Path) -> None:
    """Guards paths in files: they are meant from the file, not from where one stands."""
    shutil.copytree(ROOT / "content" / "rulesets" / GAMES[0], tmp_path / "game")
    text = RIVET.read_text(encoding="utf-8").replace(f"ruleset: {GAMES[0]}", "ruleset: ../game")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    said = run_apart("check", "../in/a.yaml", cwd=tmp_path / "elsewhere")
    assert (said.status, said.out) == (0, "../in/a.yaml: clean\n")


def test_a_title_with_other_bytes_makes_a_ruleset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run("new", "ruleset", "Made \udcff up")
    assert said.status == 0, said.err
    assert run("check", "./made-up").status == 0


@pytest.mark.parametrize("key", ["ruleset", "portrait"])
def test_a_path_that_no_system_takes_is_a_finding(tmp_path: Path, key: str) -> None:
    file = tmp_path / "ada.yaml"
    text = "ruleset: hyperspace-d6\nname: Ada\nportrait: a.png\n"
    file.write_text(re.sub(f"(?m)^{key}: .*$", f"{key}: {'x' * 3000}.png", text))
    for words in (("check",), ("show",), ("sheet", "--short", "--out", tmp_path)):
        said = run(words[0], file, *words[1:])
        assert said.status, said.out
        assert f"ada.yaml:{1 if key == 'ruleset' else 3}:" in said.err + said.out
