"""Build the wheel, install it alone elsewhere, and use it from another folder.

Run by `make test-all` as `python tests/wheel.py`; it fails loudly, and prints what passed. With
`--whole` (`make wheel`) the wheel is the one that is published, with the plates of every look
(`build/plates.store`); it is put into `dist`, with the sdist.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Run a command; what it said on failure goes with the error."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


STORE = "sheetgen/_data/content/plates.store"
MOST = 12_000_000
"""Bytes of the wheel: what people fetch."""

HIDDEN = (
    *("libgobject-2.0.so.0", "libpango-1.0.so.0", "libpangoft2-1.0.so.0"),
    *("libharfbuzz.so.0", "libharfbuzz-subset.so.0", "libfontconfig.so.1"),
)
"""Libraries of the system that the layout engine loads."""

EVERYTHING = """
import sys
from itertools import product
from pathlib import Path

from sheetgen.cli import app
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.load.cache import read_shipped
from sheetgen.render.pdf.pdf_file import parse_cached_plate
from sheetgen.materials.wheel import choose_scope, list_games, list_plate_requests


def say(*words):
    app([str(word) for word in words], prog_name="sheetgen", standalone_mode=False)


seen = 0
for game in list_games():
    all_of = choose_scope(game, sys.argv[1])
    file = Path(f"{game.title}.yaml")
    say("new", "character", game.title.partition("+")[0], "Mira", "--out", file)
    text = file.read_text()
    if len(game.folders) > 1:
        names = [folder.name for folder in game.folders]
        file.write_text(text.replace(f"ruleset: {names[0]}", f"ruleset: [{', '.join(names)}]"))
        assert file.read_text() != text
    rules = load_ruleset(game.folders, complete=True).value
    for theme in all_of.themes:
        for asked in list_plate_requests(game, theme, all_of):
            name, _ = next(asked.markups())
            content = read_shipped(name)
            crowded = read_shipped(f"{name}.crowded")  # another plate takes its place
            assert crowded or content and parse_cached_plate(content) is not None, asked.template
            seen += 1
    for theme, way in product(all_of.themes, game.settings):
        folder = "-".join([game.title, *way, theme])
        look = [*("--theme", theme, "--out", f"output/{folder}")]
        look += [word for name in way for word in ("--set", f"{name}={way[name]}")]
        say("sheet", file, "--to", "pdf", "--to", "html", *look)
        for paper in all_of.papers:
            where = ("--out", f"output/{folder}/{paper}")
            say("sheet", "--blank", game.title, "--paper", paper, *look, *where)
        for kind in (*rules.kinds, *rules.card_sets):
            say("cards", game.title, "--kind", kind, "--to", "pdf", "--to", "html", *look)

assert "weasyprint" not in sys.modules
assert "libpango" not in Path("/proc/self/maps").read_text()
print(f"all {seen} plates that games ask for")
"""
"""Prints all there is, with an engine that cannot be loaded; what it prints stays in `output`."""


def main(word: str) -> None:
    """Build, install, use; `word` says with which plates, see `choose_scope`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(
            *(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, "."),
            cwd=ROOT,
            env={"SHEETGEN_PLATES": "build/plates.store"} if word == "all" else {},
        )
        wheel = next(folder.glob("*.whl"))
        _weigh(wheel)
        venv.create(folder / "env", with_pip=True)
        python = folder / "env" / "bin" / "python"
        pins = ("--constraint", ROOT / "requirements.lock")
        quiet = ("--quiet", "--disable-pip-version-check")
        run(python, "-m", "pip", "install", *quiet, *pins, wheel, cwd=folder)
        run(python, "-m", "pip", "check", cwd=folder)
        _use_without_pango(folder, word)
        _use(folder)
        if word == "all":
            run(sys.executable, "-m", "twine", "check", "--strict", *folder.glob("*.*"), cwd=folder)
            (ROOT / "dist").mkdir(exist_ok=True)
            for path in (wheel, *folder.glob("*.tar.gz")):
                print(f"the release: {shutil.copy(path, ROOT / 'dist')}")
    print("the wheel, installed alone, checks and prints: passed")


def _weigh(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        plates = archive.getinfo(STORE).compress_size
    size = wheel.stat().st_size
    print(f"the wheel: {size / 1e6:.2f} MB, {plates / 1e6:.2f} MB of them plates and fonts")
    assert size < MOST


def _without_pango(folder: Path) -> dict[str, str]:
    """Return an environment in which the layout engine fails as it does without its libraries.

    Empty files of their names are found first.
    """
    hidden = folder / "hidden"
    hidden.mkdir(exist_ok=True)
    for name in HIDDEN:
        (hidden / name).touch()
    return {"LD_LIBRARY_PATH": str(hidden)}


def _use_without_pango(folder: Path, word: str) -> None:
    """Print everything of every game where the layout engine cannot be loaded."""
    command, python = folder / "env" / "bin" / "sheetgen", folder / "env" / "bin" / "python"
    work = folder / "bare-work"
    work.mkdir()
    cache = work / "cache"
    env = {"HOME": str(work), "XDG_CACHE_HOME": str(cache), "PYTHONPATH": ""}
    env |= _without_pango(folder)
    failing = "try: import weasyprint\nexcept OSError: print('no engine')"
    assert "no engine" in run(python, "-c", failing, cwd=work, env=env)
    ruleset = run(command, "list", "rulesets", cwd=work, env=env).split()[0]
    file = run(command, "new", "character", ruleset, "Bo", cwd=work, env=env).strip()
    for which in ("first", "second"):
        start = time.perf_counter()
        run(command, "sheet", file, "--to", "pdf", "--to", "html", cwd=work, env=env)
        print(f"the {which} print, without Pango: {time.perf_counter() - start:.2f} s")
    print(run(python, "-c", EVERYTHING, word, cwd=work, env=env).splitlines()[-1])
    made = [path for path in (work / "output").rglob("*") if path.is_file()]
    small = [path for path in made if path.stat().st_size < 10_000]
    assert not small, small
    kept = {path.suffix for path in cache.rglob("*") if path.is_file()}
    usual = {".clean", ".crowded", ".odds", ".plate", ".lock", ".signs"}
    assert kept <= usual, f"something was made anew: {kept}"
    print(f"printed without Pango: {len(made)} files")
    print(run(command, "doctor", cwd=work, env=env))
    own = run(command, "new", "ruleset", "Own Game", cwd=work, env=env)
    assert own
    done = subprocess.run(
        [command, "sheet", "own-game/characters"],
        cwd=work,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "SG404" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def _use(folder: Path) -> None:
    """Check and print a starter in an empty folder with an empty home."""
    command = folder / "env" / "bin" / "sheetgen"
    work = folder / "work"
    work.mkdir()
    env = {"HOME": str(work), "XDG_CACHE_HOME": str(work / "cache"), "PYTHONPATH": ""}
    listed = run(command, "list", "rulesets", cwd=work, env=env).splitlines()
    rulesets = [line.split()[0] for line in listed]
    for ruleset in rulesets:
        name = f"Mira of {ruleset}"  # a print of another ruleset is not replaced
        file = run(command, "new", "character", ruleset, name, cwd=work, env=env).strip()
        run(command, "check", file, "--strict", cwd=work, env=env)
        made = run(command, "sheet", file, "--to", "pdf", "--to", "html", cwd=work, env=env)
        for path in made.splitlines():
            size = (work / path).stat().st_size
            assert size > 10_000, f"{path} has only {size} bytes"
        Path(work / file).unlink()
        if (ROOT / "seeds" / ruleset).is_dir():  # what is our own has no printed source
            run(command, "proof", ruleset, cwd=work, env=env)
    for ruleset in (rulesets[0], rulesets[-1]):  # their files came along as those of all did
        run(command, "tables", ruleset, cwd=work, env=env)
        run(command, "screen", ruleset, cwd=work, env=env)
    kinds = (
        *(("hyperspace-d6", "npc"), ("keyword-dots", "power"), ("narrative-powers", "power")),
        *(("narrative-powers", "npc"),),
        *(("d6-pips", "npc"), ("wound-points", "npc")),
    )
    for ruleset, kind in kinds:
        run(command, "cards", ruleset, "--kind", kind, cwd=work, env=env)
    run(command, "odds", "4D+2 vs 15", cwd=work, env=env)
    run(command, "new", "ruleset", "Own Game", cwd=work, env=env)
    run(command, "check", "own-game", "--strict", cwd=work, env=env)
    run(command, "sheet", "own-game/characters", cwd=work, env=env)


if __name__ == "__main__":
    main("all" if "--whole" in sys.argv else "few")
