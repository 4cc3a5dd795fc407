"""Books on a real cluster of two workers on this machine: speed, kills, a poisonous sheet.

    python tests/bench/cluster.py scale [--count 100000]
    python tests/bench/cluster.py kills [--count 200] [--kills 20]
    python tests/bench/cluster.py poison [--count 5000]

`scale` compares wall times, so that it needs a machine with two free processors. It prints the
ratio, the time of a sheet and the memory for 1 %, 10 % and all of the sheets. A row below each has
two plain processes side by side, each with half of the sheets: the most that this machine allows.
`kills` ends a
worker, the scheduler and the client at random moments, builds again, and compares all bytes with
those of `--jobs 1`. `poison` has one sheet that ends its process.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.bench import people
from tests.bench.measuring import HEAD, ROOT, Ran, Row, ran
from tests.farm.clusters import WORKERS, RealCluster, start_module

VICTIMS = (WORKERS[0], "scheduler", "client")
POISON = "00003-poison.yaml"
PRELOAD = f"""
import os
from sheetgen.books import workers
def deadly(run):
    def run_or_die(job, *args):
        if job.of[0].endswith({POISON!r}):
            os._exit(1)
        return run(job, *args)
    return run_or_die
if workers._run_job.__name__ == "_run_job":  # This script may run twice in a process.
    workers._run_job = deadly(workers._run_job)
"""


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("scale", "kills", "poison"))
    parser.add_argument("--count", type=int, default=0, help="how many sheets")
    parser.add_argument("--kills", type=int, default=1, help="of each part of the cluster")
    said = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if said.what == "scale":
            print(HEAD)
            for row in scale(said.count or 100_000, folder):
                print(row.text(), flush=True)
        elif said.what == "kills":
            kills(said.count or 200, said.kills, folder)
        else:
            poison(said.count or 5000, folder)


def book(count: int, folder: Path) -> Path:
    """Write a book of `count` different characters; return its path."""
    people.write(count, folder / "heroes")
    path = folder / "book.yaml"
    path.write_text("title: Many\nout: out\nentries:\n  - {sheets: heroes}\n", encoding="utf-8")
    return path


# -- speed ------------------------------------------------------------------------------


def scale(count: int, folder: Path) -> Iterator[Row]:
    """Yield rows of a hundredth, a tenth and all of `count` sheets, and what grew between them."""
    warm = book(100, folder / "warm")
    sizes = sorted({max(1, count // 100), max(1, count // 10), count})
    runs: dict[int, Ran] = {}
    memory: dict[int, int] = {}
    for some in sizes:
        top = folder / str(some)
        path = book(some, top)
        cluster = RealCluster(top)
        cluster.start()
        try:
            _built(warm, cluster.file)  # workers have their plates
            before = _seconds(_children(cluster))
            runs[some] = run = _built(path, cluster.file)
            after = _seconds(_children(cluster))
            memory[some] = _resident(cluster.processes["scheduler"].pid)
            largest = max(map(_resident, _children(cluster)))
        finally:
            cluster.stop()
        one = _built(path)
        told = f"scheduler {memory[some] / 1e6:.0f} MB, largest worker {largest / 1e6:.0f} MB; "
        worked = after[0] - before[0], after[1] - before[1]
        told += _processor(
            some, client=(run.user, run.system), workers=worked, alone=(one.user, one.system)
        )
        what = f"{some} sheets, a cluster of 2 : one process, wall"
        yield Row(what, run.wall / some, one.wall / some, one.wall / run.wall, "≥ 1.85", 0, told)
        wall, taken = _side_by_side(path)
        told = _processor(some, both=taken)
        what = "  two processes side by side : one, wall"
        yield Row(what, wall / some, one.wall / some, one.wall / wall, "", 0, told)
        shutil.rmtree(top)
    few, tenth = sizes[0], sizes[-2]
    for larger in sizes[1:]:
        now, then = runs[larger].wall / larger, runs[few].wall / few
        yield Row(f"  a sheet of {larger} : of {few}", now, then, now / then, "≤ 1.10")
        grown = memory[larger] / memory[few]
        yield Row("  scheduler's memory, the same", None, None, grown, "≤ 1.10")
    further = (runs[count].cpu - runs[tenth].cpu) / (count - tenth)
    yield Row("  a further sheet in the client, processor", further, None, None, "≤ 0.3")


def _built(path: Path, cluster: Path | None = None) -> Ran:
    """Build a book anew; return what it took."""
    shutil.rmtree(path.parent / "out", ignore_errors=True)
    more = ["--jobs", "1"] if cluster is None else ["--cluster", str(cluster)]
    return ran("build", str(path), "--quiet", *more)


def _processor(count: int, **taken: tuple[float, float]) -> str:
    """Return words for the seconds of the program and of the system, of `count` sheets."""
    each = (
        f"{what} {user / count * 1e3:.2f} + {system / count * 1e3:.2f}"
        for what, (user, system) in taken.items()
    )
    return f"processor and system a sheet, ms: {', '.join(each)}"


def _side_by_side(path: Path) -> tuple[float, tuple[float, float]]:
    """Build halves of a book anew in two processes; return the wall and processor seconds."""
    shutil.rmtree(path.parent / "out", ignore_errors=True)
    command = ("build", str(path), "--quiet", "--jobs", "1", "--shard")
    start = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda part: ran(*command, part), ("1/2", "2/2")))
    wall = time.perf_counter() - start
    return wall, (sum(run.user for run in runs), sum(run.system for run in runs))


def _seconds(processes: Sequence[int]) -> tuple[float, float]:
    """Return the seconds that processes have taken: of the program, and of the system."""
    tick = os.sysconf("SC_CLK_TCK")
    every = [
        Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
        for process in processes
    ]
    return sum(int(user) for user, _ in every) / tick, sum(int(own) for _, own in every) / tick


def _resident(process: int) -> int:
    """Return the bytes of memory of a process; 0 if it has ended."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _children(cluster: RealCluster) -> list[int]:
    """Return the processes that the workers' nannies started."""
    found = []
    for name in WORKERS:
        parent = cluster.processes[name].pid
        for listed in Path(f"/proc/{parent}/task").glob("*/children"):
            found += [int(child) for child in listed.read_text().split()]
    return found


# -- kills ------------------------------------------------------------------------------


def kills(count: int, times: int, folder: Path) -> None:
    """Kill each part `times` times at random moments; print what the next build left."""
    path, out = book(count, folder), folder / "out"
    _built(path)
    expected = _tree(out)
    cluster = RealCluster(folder)
    cluster.start()
    words = ["sheetgen", "build", str(path), "--quiet", "--cluster", str(cluster.file)]
    try:
        # The workers of the first build import and compile.
        length = min(_killed(cluster, words, out, "", 0.0)[1] for _ in range(2))
        print(f"{count} sheets, {length:.1f} s after the first file")
        for victim in VICTIMS:
            moments = random.Random(victim)
            running = same = 0
            begun = time.monotonic()
            for _ in range(times):
                hit, _ = _killed(cluster, words, out, victim, moments.uniform(0.0, length))
                running += hit
                if victim == "scheduler":
                    cluster.stop()
                    cluster.start()
                elif victim != "client":
                    cluster.start_worker(victim)
                again = start_module(folder, *words, stderr=subprocess.PIPE)
                errors = again.communicate()[1].decode().strip()
                found = _tree(out)
                same += (equal := again.returncode == 0 and found == expected)
                if not equal:
                    differ = sorted({name for name, _ in found.items() ^ expected.items()})
                    print(
                        f"  status {again.returncode}: {errors}; {len(differ)} differ: {differ[:5]}"
                    )
            told = f"{running} while it ran; {same} equal afterwards, nothing left"
            print(f"{victim}: {times} kills, {told}; {time.monotonic() - begun:.0f} s", flush=True)
    finally:
        cluster.stop()


def _killed(
    cluster: RealCluster, words: list[str], out: Path, victim: str, moment: float
) -> tuple[bool, float]:
    """Build anew, and kill `victim` some seconds after the first file; "" for nobody.

    Returns:
        Whether the build ran at that moment, and the seconds that it took from the first file.
    """
    shutil.rmtree(out, ignore_errors=True)
    build = start_module(out.parent, *words)
    while not out.exists():
        time.sleep(0.01)
        if build.poll() is not None:
            raise RuntimeError("the build ended before its first file")
    begun = time.monotonic()
    if victim:
        time.sleep(moment)
    running = build.poll() is None
    if victim == "client" and running:
        os.killpg(build.pid, signal.SIGKILL)
    elif victim and victim != "client":
        cluster.kill(victim)
    build.wait()
    return running, time.monotonic() - begun


def _tree(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder, temporary ones too; empty folders have no content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


# -- a poisonous sheet --------------------------------------------------------------------


def poison(count: int, folder: Path) -> None:
    """Build `count` sheets of which one ends its process; print what came of it."""
    path = book(count - 1, folder)
    first = next((folder / "heroes").iterdir())
    shutil.copy(first, folder / "heroes" / POISON)
    script = folder / "preload.py"
    script.write_text(PRELOAD, encoding="utf-8")
    os.environ["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = "1"  # As `--cluster local` does.
    cluster = RealCluster(folder, script)
    cluster.start()
    words = [sys.executable, "-m", "sheetgen", "build", str(path), "--quiet"]
    begun = time.monotonic()
    try:
        said = subprocess.run(
            [*words, "--cluster", str(cluster.file)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        cluster.stop()
    seconds = time.monotonic() - begun
    findings = [line for line in said.stderr.splitlines() if ": error[" in line]
    sheets = len(list((folder / "out").glob("*.pdf")))
    print(f"status {said.returncode}, {sheets} sheets of {count}, {seconds:.0f} s; findings:")
    print("\n".join(findings))


if __name__ == "__main__":
    main()
