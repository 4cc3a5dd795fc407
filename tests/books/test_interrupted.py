"""A build that is killed, or has no room, goes on where it was: in the end nobody can tell."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from sheetgen.data import data_folder
from sheetgen.write import drafts_in, write_draft
from tests.books.test_books import crowd_of, tree
from tests.samples import count

pytestmark = pytest.mark.slow

ROOT = data_folder()
COUNT = 12
KILLS = int(os.environ.get("SHEETGEN_KILLS", count(6, 2)))
AT_ONCE = 4


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a book of many characters, whose plates are there already."""
    top = tmp_path_factory.mktemp("crowd")
    crowd_of(COUNT, top)
    said = "title: Crowd\nout: out\nentries:\n  - sheets: people\n  - {blanks: hyperspace-d6}\n"
    said += "combined:\n  - {name: all, of: [sheets, blanks], numbers: true}\n"
    (top / "book.yaml").write_text(said, encoding="utf-8")
    return top


def start(
    top: Path, *more: str, stderr: int = subprocess.DEVNULL, path: str = str(ROOT)
) -> subprocess.Popen[bytes]:
    words = ["build", "book.yaml", "--quiet", "--jobs", "2", *more]
    command = [sys.executable, "-m", "sheetgen", *words]
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.Popen(
        command,
        cwd=top,
        env=environment,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
    )


@pytest.fixture(scope="module")
def whole(crowd: Path) -> tuple[dict[str, bytes], float]:
    """Return what a build writes that nobody stops, and how many seconds it takes."""
    assert start(crowd).wait() == 0
    shutil.rmtree(crowd / "out")
    begun = time.monotonic()
    assert start(crowd).wait() == 0
    took = time.monotonic() - begun
    return tree(crowd / "out"), took


def halves(out: Path) -> list[Path]:
    """Return PDFs that end too soon, in their places."""
    placed = (path for path in out.rglob("*.pdf") if ".sheetgen" not in path.parts)
    return [path for path in placed if not path.read_bytes().rstrip().endswith(b"%%EOF")]


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_killed_build_ends_as_one_that_was_not(
    crowd: Path, whole: tuple[dict[str, bytes], float], seed: int
) -> None:
    wanted, took = whole
    chance = random.Random(seed)
    shutil.rmtree(crowd / "out", ignore_errors=True)
    process = start(crowd)
    try:
        process.wait(timeout=chance.uniform(0.05, 1) * took)
    except subprocess.TimeoutExpired:
        # Now the whole group, now only the parent: then its workers have to end by themselves.
        os.kill(process.pid, signal.SIGKILL) if seed % 2 else os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert not halves(crowd / "out")
    assert start(crowd).wait() == 0
    assert tree(crowd / "out") == wanted
    assert not (crowd / "out" / ".sheetgen" / "drafts").exists()


@pytest.mark.parametrize("shards", [1, AT_ONCE])
def test_builds_at_the_same_time_end_as_one(
    crowd: Path, whole: tuple[dict[str, bytes], float], shards: int
) -> None:
    """Builds of the same book, or of its shards, into one folder."""
    shutil.rmtree(crowd / "out", ignore_errors=True)
    parts = [f"--shard={number % shards + 1}/{shards}" for number in range(AT_ONCE)]
    assert [one.wait() for one in [start(crowd, part) for part in parts]] == [0] * AT_ONCE
    assert tree(crowd / "out") == whole[0]
    assert not (crowd / "out" / ".sheetgen" / "drafts").exists()


def test_a_full_disk_is_told_and_nothing_is_half_written(
    crowd: Path, whole: tuple[dict[str, bytes], float]
) -> None:
    wanted, _ = whole
    shutil.rmtree(crowd / "out")
    least = min(len(content) for name, content in wanted.items() if name.endswith(".pdf"))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (least - 1000, before[1]))
    try:
        process = start(crowd, stderr=subprocess.PIPE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    _, said = process.communicate()
    assert process.returncode == 1
    assert b"error[SG401]" in said
    assert b"Traceback" not in said
    assert not list((crowd / "out").glob("*.pdf"))
    assert start(crowd).wait() == 0
    assert tree(crowd / "out") == wanted


def _open_and_close(top: Path) -> None:
    for _ in range(200):
        with drafts_in(top) as folder:
            assert write_draft(folder, b"x").exists()


def test_runs_that_begin_and_end_together_keep_their_drafts(tmp_path: Path) -> None:
    with ProcessPoolExecutor(6) as executor:
        list(executor.map(_open_and_close, [tmp_path / "drafts"] * 6))
    assert not list(tmp_path.iterdir())


def test_folders_of_ended_runs_are_removed_even_without_a_lock(tmp_path: Path) -> None:
    top, elsewhere = tmp_path / "drafts", tmp_path / "elsewhere"
    for name in ("run-killed", "run-late", "run-led-away"):
        (top / name).mkdir(parents=True)
        (top / name / "0123").write_bytes(b"x")
    (top / "run-killed" / "lock").touch()
    (top / "run-led-away" / "lock").symlink_to(elsewhere)
    with drafts_in(top) as folder:
        assert {one.name for one in top.iterdir()} == {"run-led-away", folder.name}
    assert not elsewhere.exists()


def test_a_file_that_ends_its_process_is_a_finding_and_the_others_are_printed(
    crowd: Path, whole: tuple[dict[str, bytes], float], tmp_path: Path
) -> None:
    shutil.rmtree(crowd / "out", ignore_errors=True)
    poison = crowd / "people" / "005-poison.yaml"
    shutil.copy(crowd / "people" / "005.yaml", poison)
    (tmp_path / "sitecustomize.py").write_text(END_PROCESS, encoding="utf-8")
    try:
        process = start(crowd, stderr=subprocess.PIPE, path=f"{ROOT}:{tmp_path}")
        _, errors = process.communicate()
    finally:
        poison.unlink()
    assert process.returncode == 1
    assert errors.count(b"error[SG706]") == 1
    assert b"people/005-poison.yaml:1:1" in errors
    expected = {name for name in whole[0] if not name.startswith(".") and name != "all.pdf"}
    assert {name for name in tree(crowd / "out") if not name.startswith(".")} == expected


END_PROCESS = """
import multiprocessing, os, sys

def hook(event, args):
    if event == "open" and str(args[0]).endswith("poison.yaml"):
        if multiprocessing.parent_process():
            os._exit(7)

sys.addaudithook(hook)
"""


def test_workers_end_with_their_parent(crowd: Path) -> None:
    shutil.rmtree(crowd / "out", ignore_errors=True)
    process = start(crowd)
    while not list((crowd / "out").glob("*.pdf")):  # its workers write
        assert process.poll() is None
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    for _ in range(40):
        time.sleep(0.1)
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
    os.killpg(process.pid, signal.SIGKILL)
    pytest.fail("a worker still runs")
