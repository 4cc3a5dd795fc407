"""Build the wheel, install it alone elsewhere, and use it from another folder.

Run by `make test` as `python tests/wheel.py`; it fails loudly, and prints what passed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
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


def main() -> None:
    """Build, install, use."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(
            *(sys.executable, "-m", "build", "--wheel", "--no-isolation"),
            *("--outdir", folder, "."),
            cwd=ROOT,
        )
        wheel = next(folder.glob("*.whl"))
        venv.create(folder / "env", with_pip=True)
        python = folder / "env" / "bin" / "python"
        runtime = [*_runtime_pins()]
        quiet = ("--quiet", "--disable-pip-version-check")
        run(python, "-m", "pip", "install", *quiet, *runtime, cwd=folder)
        run(python, "-m", "pip", "install", *quiet, "--no-deps", wheel, cwd=folder)
        run(python, "-m", "pip", "check", cwd=folder)
        _use(folder)
    print("the wheel, installed alone, checks and prints: passed")


def _runtime_pins() -> list[str]:
    """Return the pins of what the wheel needs, and of nothing that only developers need."""
    wanted = {
        *("brotli", "click", "cffi", "cssselect2", "font-manrope"),
        *("font-source-sans-pro", "fonttools", "icepool", "jinja2", "markupsafe"),
        *("packaging", "lxml", "pikepdf", "pillow", "pycparser", "pydyf"),
        *("pyphen", "pyyaml", "tinycss2", "tinyhtml5"),
        *("typing_extensions", "weasyprint", "webencodings", "zopfli"),
    }
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    return [line for line in lines if line.partition("==")[0].lower() in wanted]


def _use(folder: Path) -> None:
    """Check and print a starter in an empty folder with an empty home."""
    command = folder / "env" / "bin" / "sheetgen"
    work = folder / "work"
    work.mkdir()
    env = {"HOME": str(work), "XDG_CACHE_HOME": str(work / "cache"), "PYTHONPATH": ""}
    rulesets = run(command, "list", "rulesets", cwd=work, env=env).split()
    for ruleset in rulesets:
        file = run(command, "new", "character", ruleset, "Mira", cwd=work, env=env).strip()
        run(command, "check", file, "--strict", cwd=work, env=env)
        made = run(command, "sheet", file, "--to", "pdf", "--to", "html", cwd=work, env=env)
        for path in made.splitlines():
            size = (work / path).stat().st_size
            assert size > 10_000, f"{path} has only {size} bytes"
        Path(work / file).unlink()
        run(command, "tables", ruleset, cwd=work, env=env)
        run(command, "screen", ruleset, cwd=work, env=env)
        if (ROOT / "seeds" / ruleset).is_dir():  # what is our own has no printed source
            run(command, "proof", ruleset, cwd=work, env=env)
    kinds = (
        *(("hyperspace-d6", "npc"), ("keyword-dots", "power"), ("narrative-powers", "power")),
        *(("d6-pips", "npc"), ("wound-points", "npc")),
    )
    for ruleset, kind in kinds:
        run(command, "cards", ruleset, "--kind", kind, cwd=work, env=env)
    run(command, "odds", "4D+2 vs 15", cwd=work, env=env)
    run(command, "new", "ruleset", "Own Game", cwd=work, env=env)
    run(command, "check", "own-game", "--strict", cwd=work, env=env)
    run(command, "sheet", "own-game/characters", cwd=work, env=env)


if __name__ == "__main__":
    main()
