"""What the benches of the print shop share: a row of their table, and clocks."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parent.parent.parent
T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """A line of the table: what was measured, ours and the peer's seconds a unit.

    Attributes:
        ratio: As it is judged: how many times as long the peer takes, or we.
        samples: How often, of what, and what else has to be known.
    """

    what: str
    ours: float | None = None
    peer: float | None = None
    ratio: float | None = None
    goal: str = ""
    size: int = 0
    samples: str = ""

    def text(self) -> str:
        """Return the row as it is printed; times in milliseconds."""
        size = f"{self.size / 1e3:9,.0f}" if self.size else " " * 9
        times = [f"{t * 1e3:11.3f}" if t is not None else " " * 11 for t in (self.ours, self.peer)]
        ratio = f"{self.ratio:8.2f}" if self.ratio is not None else " " * 8
        figures = " ".join([*times, ratio])
        return f"{self.what:<56} {figures} {self.goal:>7} {size}  {self.samples}"


HEAD = f"{'what':<56} {'ours, ms':>11} {'peer, ms':>11} {'ratio':>8} {'goal':>7} {'kB':>9}  samples"


def clocked(work: Callable[[], T]) -> tuple[float, T]:
    """Return the processor time that `work` takes, all threads together, and its result.

    What others left in memory is set aside first: it is not for `work` to look through it
    for garbage.
    """
    gc.collect()
    gc.freeze()
    start = time.process_time()
    made = work()
    return time.process_time() - start, made


def median_of(work: Callable[[], Any], runs: int) -> float:
    """Return the median processor time of `work`; whoever calls it has warmed up."""
    return median(clocked(work)[0] for _ in range(runs))


def in_chunks(things: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield `things` in lists of `size`, the last perhaps shorter."""
    left = iter(things)
    while chunk := list(islice(left, size)):
        yield chunk


@dataclass(frozen=True)
class Ran:
    """What a process took: wall seconds, processor seconds, its peak memory in bytes.

    The time of the system depends on the machine: one that returns free memory to its host has
    to fetch it again for every new file.
    """

    wall: float
    user: float
    system: float
    peak: int

    @property
    def cpu(self) -> float:
        """The processor seconds."""
        return self.user + self.system


def ran(*command: str) -> Ran:
    """Run `python -m sheetgen` with `command`, with what it starts, and say what it took.

    A small process starts it: the peak of one that this one started would begin with ours.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    told = [sys.executable, "-S", "-c", _STARTER, sys.executable, "-m", "sheetgen", *command]
    said = subprocess.run(told, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    wall, user, system, peak = map(float, said.stdout.split())
    return Ran(wall, user, system, int(peak) * (1 if sys.platform == "darwin" else 1024))


_STARTER = """
import os, sys, time
start = time.perf_counter()
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[
    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, used = os.wait4(process, 0)
print(time.perf_counter() - start, used.ru_utime, used.ru_stime, used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
