"""`make same REV=…`: print the same things with a revision and with this tree; compare the bytes.

Prints everything of `make demo`, tables in every format, and random builds: characters of
`content/` with numbers changed and lines left out, printed as drafts.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent.parent
BUILDS = 300
FORMATS = ("pdf", "html", "md", "csv", "json")
CHANGED, LEFT_OUT = 0.08, 0.04
"""Shares of a character's numbers that change, and of its entries that are left out."""


def main(revision: str) -> int:
    """Print with both; return 1 and name the files that differ, or that one of them lacks."""
    with tempfile.TemporaryDirectory() as scratch:
        top = Path(scratch)
        old = top / "old"
        old.mkdir()
        archive = subprocess.run(
            ["git", "archive", revision], cwd=HERE, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", str(old)], input=archive.stdout, check=True)
        write_builds(top / "builds")
        prints = []
        for tree, name in ((old, "before"), (HERE, "after")):
            run(tree, top / "builds", top / name)
            prints.append(digests(top / name))
        before, after = prints
        differing = sorted(n for n in before.keys() | after if before.get(n) != after.get(n))
        print(f"{len(before)} files of {revision}, {len(after)} of this tree")
        print(*(f"differs: {name}" for name in differing), sep="\n")
        return 1 if differing or not before else 0


def run(tree: Path, builds: Path, out: Path) -> None:
    """Print everything with the code and the content of `tree`."""
    env = {**os.environ, "PYTHONPATH": str(tree), "XDG_CACHE_HOME": str(out) + "-cache"}
    for line in commands(tree, builds):
        made = line.replace("--out output", f"--out {shlex.quote(str(out))}")
        done = subprocess.run(made, shell=True, cwd=tree, env=env, capture_output=True, text=True)
        print(f"{done.returncode} {line}", flush=True)


def commands(tree: Path, builds: Path) -> Iterator[str]:
    """Yield shell lines: those of `make demo`, all tables, and random builds."""
    program = f"{shlex.quote(sys.executable)} -m sheetgen"
    demo = subprocess.run(["make", "-n", "demo"], cwd=tree, check=True, capture_output=True)
    for line in demo.stdout.decode().splitlines():
        if "bin/sheetgen" in line:
            yield re.sub(r"\S*bin/sheetgen", program, line)
    games = sorted(p.parent.name for p in tree.glob("content/rulesets/*/ruleset.yaml"))
    kinds = " ".join(f"--to {kind}" for kind in FORMATS)
    for game in games:
        yield f"{program} tables {game} {kinds} --out output/tables"
    folder = shlex.quote(str(builds))
    yield f"{program} sheet {folder} --draft --to pdf --to html --out output/builds"


def write_builds(folder: Path) -> None:
    """Write random characters."""
    folder.mkdir()
    files = sorted((HERE / "content" / "characters").glob("*/*.yaml"))
    for number in range(BUILDS):
        random = Random(number)
        character = changed(yaml.safe_load(random.choice(files).read_text("utf-8")), random)
        character["name"] = f"Build {number}"
        text = yaml.safe_dump(character, allow_unicode=True, sort_keys=False)
        (folder / f"build-{number}.yaml").write_text(text, "utf-8")


def changed(value: Any, random: Random, top: bool = True) -> Any:
    """Return a part of a character with some numbers changed and some entries left out."""
    keep = (lambda key: key in ("name", "ruleset")) if top else (lambda key: False)
    if isinstance(value, dict):
        return {
            key: item if keep(key) else changed(item, random, False)
            for key, item in value.items()
            if keep(key) or random.random() >= LEFT_OUT
        }
    if isinstance(value, list):
        return [changed(item, random, False) for item in value if random.random() >= LEFT_OUT]
    if type(value) is int and random.random() < CHANGED:
        return max(0, value + random.choice((-1, 1)))
    return value


def digests(folder: Path) -> dict[str, str]:
    """Return the digest of each printed file, by its path; records of books are left out."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if ".sheetgen" not in path.parts
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
