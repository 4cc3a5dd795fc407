"""The print shop's books: whole runs of `sheetgen build`, each a process of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.bench import people
from tests.bench.measuring import Ran, Row, ran

TIMES_MORE = 10


def scale(count: int, folder: Path, entry: str = "{sheets: heroes}") -> Iterator[Row]:
    """Yield what ten times as many take a sheet: processor time, and memory in all."""
    few, many = (
        _book(count, folder / "few", entry),
        _book(count * TIMES_MORE, folder / "many", entry),
    )
    before = _built(few)
    much = _built(many)
    size = sum(path.stat().st_size for path in (many.parent / "out").glob("*.pdf"))
    shutil.rmtree(many.parent)
    after = _built(few, "again")
    little = (before.cpu + after.cpu) / 2 / count
    what = f"{count * TIMES_MORE} : {count} characters, `build --jobs 1`"
    ours = much.cpu / (count * TIMES_MORE)
    told = f"1 run between 2 of {count}; processor time a sheet, start included"
    yield Row(f"{what}, a sheet", ours, little, ours / little, "≤ 1.10", size, told)
    peaks = much.peak, max(before.peak, after.peak)
    told = f"peaks {peaks[0] / 1e6:.0f} and {peaks[1] / 1e6:.0f} MB"
    yield Row("  peak memory", None, None, peaks[0] / peaks[1], "≤ 1.2", samples=told)


def joined_scale(count: int, folder: Path) -> Iterator[Row]:
    """Yield the same for all sheets in one PDF."""
    yield from scale(count, folder, "{sheets: heroes, joined: true, name: all}")


def jobs(count: int, folder: Path) -> Iterator[Row]:
    """Yield two processes against one: wall time, the best of three, which take turns."""
    book = _book(count, folder)
    one: list[Ran] = []
    two: list[Ran] = []
    for number in range(3):
        one.append(_built(book, f"one{number}"))
        two.append(_built(book, f"two{number}", jobs=2))
    first, second = min(run.wall for run in one), min(run.wall for run in two)
    told = f"best of 3, wall; medians of processor time {median(run.cpu for run in one):.1f} s"
    told += f" and {median(run.cpu for run in two):.1f} s; load {os.getloadavg()[0]:.1f}"
    what = f"{count} characters, `build --jobs 2` : `--jobs 1`, a sheet"
    yield Row(what, second / count, first / count, first / second, "≥ 1.8", 0, told)


def rebuilt(count: int, folder: Path) -> Iterator[Row]:
    """Yield a build of which nothing changed: processor time, and wall time in the notes."""
    book = _book(count, folder)
    first = _built(book, jobs=os.cpu_count() or 1)
    runs = [_built(book) for _ in range(5)]
    cpu, walls = median(run.cpu for run in runs), [run.wall for run in runs]
    told = (
        f"median of 5; wall {median(walls):.2f} s, best {min(walls):.2f} s; peer: the first build"
    )
    yield Row(f"{count} outputs, nothing changed (1 s)", cpu, first.cpu, cpu, "< 1", 0, told)


def _book(count: int, folder: Path, entry: str = "{sheets: heroes}") -> Path:
    people.write(count, folder / "heroes")
    path = folder / "book.yaml"
    path.write_text(f"title: Many\nout: out\nentries:\n  - {entry}\n", encoding="utf-8")
    return path


def _built(book: Path, out: str = "out", jobs: int = 1) -> Ran:
    target = str(book.parent / out)
    return ran("build", str(book), "--out", target, "--jobs", str(jobs), "--quiet")
