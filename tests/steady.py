"""Run the tests; what fails runs once more, alone, and is named as unsteady if it then passes.

Run by `make test` as `python tests/steady.py ARGUMENTS OF PYTEST`. The status is that of the last
run, so a case that fails twice fails the run. Many failures are no accident: they run once only.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

MOST = 12
"""Failures that may be accidents of a busy machine."""
FAILED = Path(".pytest_cache/v/cache/lastfailed")


def run_pytest(*words: str) -> int:
    """Return the status of a run of pytest."""
    return subprocess.run([sys.executable, "-m", "pytest", *words], check=False).returncode


def main(words: list[str]) -> int:
    """Return the status of the suite."""
    status = run_pytest("--cache-clear", *words)
    if status != 1 or not FAILED.is_file():
        return status
    failed = sorted(json.loads(FAILED.read_text(encoding="utf-8")))
    if len(failed) > MOST or any("::" not in name for name in failed):
        return status  # too many for accidents, or a file whose tests could not be collected
    print(f"{len(failed)} failed and will run once more, alone", flush=True)
    status = run_pytest("--last-failed", "--last-failed-no-failures", "none", "-n", "0")
    again = set(json.loads(FAILED.read_text(encoding="utf-8"))) if FAILED.is_file() else set()
    for name in failed:
        if name not in again:
            print(f"unsteady: {name}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
