"""Real clusters for tests and benches: a scheduler and workers that may be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from sheetgen.data import data_folder

WORKERS = ("first", "second")


def start_module(
    top: Path, *words: str, stderr: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """Start a part of a cluster, or a build, in a process group of its own."""
    settings = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}  # as of `--cluster local`
    environment = {**os.environ, **settings, "PYTHONPATH": str(data_folder())}
    return subprocess.Popen(
        [sys.executable, "-m", *words],
        cwd=top,
        env=environment,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
    )


class RealCluster:
    """A scheduler and two workers, each of which may be killed and started again."""

    def __init__(self, top: Path, preload: Path | None = None) -> None:
        """Prepare a cluster; its workers run the script `preload` before their tasks."""
        self.top, self.preload = top, preload
        self.file = top / "scheduler.json"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        """Start all processes."""
        self.file.unlink(missing_ok=True)
        words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        file = ["--scheduler-file", str(self.file)]
        self.processes["scheduler"] = start_module(
            self.top, "distributed.cli.dask_scheduler", *words, *file
        )
        for name in WORKERS:
            self.start_worker(name)

    def start_worker(self, name: str) -> None:
        """Start a worker, for the first time or again."""
        own = ["--nthreads", "1", "--no-dashboard", "--local-directory", str(self.top / name)]
        more = ["--preload", str(self.preload)] if self.preload else []
        self.processes[name] = start_module(
            self.top,
            "distributed.cli.dask_worker",
            *("--scheduler-file", str(self.file), *own, *more),
        )

    def kill(self, name: str) -> None:
        """Kill a process with all that it started."""
        process = self.processes[name]
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """Kill all processes."""
        for name in self.processes:
            self.kill(name)
