"""A run that was killed while it wrote a file: the next one removes what it left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

KILLED = """
import os, sys
from pathlib import Path
from sheetgen.write import write_bytes
if sys.argv[2:]:
    os.replace = lambda *_: os.kill(os.getpid(), int(sys.argv[2]))
write_bytes(Path(sys.argv[1]), b"new")
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_next_run_removes_a_temporary_file(how: signal.Signals, tmp_path: Path) -> None:
    target, other = tmp_path / "a.pdf", tmp_path / ".a.pdf.7-0123456789abcdef"
    target.write_bytes(b"old")
    other.write_bytes(b"somebody's")
    words = [sys.executable, "-c", KILLED, str(target)]
    assert subprocess.run([*words, str(how.value)], check=False).returncode == -how
    assert target.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 3
    subprocess.run(words, check=True)
    assert {path.name for path in tmp_path.iterdir()} == {target.name, other.name}
    assert target.read_bytes() == b"new"
