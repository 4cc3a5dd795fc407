"""Programs and libraries that packages bring need no system library that `.ci/system` leaves out.

A machine that has everything would hide a missing one, so each library is looked up by its name.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shelf import TESTS, skip_without

SYSTEM = TESTS.parent / ".ci" / "system"
FOLDERS = (Path(sys.prefix) / "lib", TESTS / "viewers" / "node_modules")
ALWAYS = re.compile(
    r"linux-(vdso|gate)|/lib\S*/ld-|lib(c|m|dl|rt|pthread|util|resolv|gcc_s|stdc\+\+|z)\.so\."
)
"""What every Debian has: the C library, GCC's runtime, zlib."""
NEEDED = re.compile(r"^\s+(\S+)(?: => (\S+|not found))?", re.MULTILINE)


def is_program(path: Path) -> bool:
    """Whether a file is an ELF program or library."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


@pytest.mark.slow
def test_every_library_of_the_system_is_installed_by_us() -> None:
    if shutil.which("ldd") is None:
        skip_without("ldd", "it lists the libraries of programs")
    installed = SYSTEM.read_text(encoding="utf-8")
    programs = [
        path
        for folder in FOLDERS
        for path in folder.rglob("*")
        if "musl" not in path.name  # for other systems: nobody loads it here
        and (".so" in path.name or path.suffix in {"", ".node"})
        and is_program(path)
    ]
    assert any(path.name == "node" for path in programs), "the browser driver's Node"
    names = {path.name for path in programs}
    foreign = set()
    for program in programs:
        done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
        for name, place in NEEDED.findall(done.stdout):
            if not ALWAYS.search(name) and name not in names and name not in installed:
                foreign.add(f"{program.name}: {name} {place}")
    assert foreign == set()
